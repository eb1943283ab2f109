// JSON-RPC with `gdl lsp` over its standard streams: requests that are answered, notifications both ways.
"use strict";

const { spawn } = require("child_process");

class Connection {
  /** Starts the server. `handlers` are functions by method, for what the server says or asks by itself. */
  constructor(command, handlers, ended) {
    this.handlers = handlers;
    this.waiting = new Map();
    this.number = 0;
    this.input = Buffer.alloc(0);
    this.process = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "pipe"] });
    this.complaints = "";
    this.process.stderr.on("data", (data) => { this.complaints = (this.complaints + data).slice(-4000); });
    this.process.stdout.on("data", (data) => this.read(data));
    this.process.stdin.on("error", () => {}); // it ended; "close" says so
    this.process.on("error", (error) => this.end(ended, error.message));
    this.process.on("close", (code) => this.end(ended, code ? this.complaints || `it ended with code ${code}` : ""));
  }

  request(method, params) {
    if (this.over) return Promise.reject(new Error("the server has ended: `gdl: start the server again`"));
    const id = ++this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  notify(method, params) {
    this.send({ method, params });
  }

  async stop() {
    if (this.over) return;
    await Promise.race([this.request("shutdown", null).catch(() => {}), new Promise((done) => setTimeout(done, 2000))]);
    this.notify("exit", null);
  }

  send(message) {
    if (this.over) return;
    const data = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }), "utf8");
    this.process.stdin.write(`Content-Length: ${data.length}\r\n\r\n`);
    this.process.stdin.write(data);
  }

  read(data) {
    this.input = Buffer.concat([this.input, data]);
    for (;;) {
      const head = this.input.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = Number(/content-length: *(\d+)/i.exec(this.input.toString("ascii", 0, head))[1]);
      const end = head + 4 + length;
      if (this.input.length < end) return;
      const message = JSON.parse(this.input.toString("utf8", head + 4, end));
      this.input = this.input.subarray(end);
      this.receive(message);
    }
  }

  receive(message) {
    if (message.method === undefined) {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (waiting && message.error) waiting.reject(new Error(message.error.message));
      else if (waiting) waiting.resolve(message.result);
      return;
    }
    const handler = this.handlers[message.method];
    if (handler) handler(message.params);
    if (message.id !== undefined) this.send({ id: message.id, result: null });
  }

  end(ended, reason) {
    if (this.over) return;
    this.over = true;
    for (const { reject } of this.waiting.values()) reject(new Error("the server ended"));
    this.waiting.clear();
    ended(reason);
  }
}

module.exports = { Connection };
