// The socket: requests with answers, news, and coming back after the connection was lost.

import { token } from "./dom.js";

export class Live {
  constructor({ heard, back, lost }) {
    this.heard = heard; // news of the room
    this.back = back; // the connection is there again
    this.lost = lost;
    this.number = 0;
    this.waiting = new Map();
    this.pause = 250;
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/live`);
    this.opened = new Promise((resolve) => {
      this.socket.onopen = () => {
        this.pause = 250;
        resolve();
        if (this.again) this.back();
        this.again = true;
      };
    });
    this.socket.onmessage = (event) => this.take(JSON.parse(event.data));
    this.socket.onclose = () => {
      for (const { reject } of this.waiting.values()) reject({ message: "the connection was lost" });
      this.waiting.clear();
      if (this.ended) return;
      this.lost();
      setTimeout(() => this.connect(), this.pause);
      this.pause = Math.min(this.pause * 2, 5000);
    };
  }

  take(message) {
    if (!("re" in message)) { this.heard(message); return; }
    const asked = this.waiting.get(message.re);
    if (!asked) return;
    this.waiting.delete(message.re);
    if ("failed" in message) asked.reject(message.failed);
    else asked.resolve(message.ok);
  }

  async ask(what, details = {}) {
    await this.opened;
    const n = ++this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(n, { resolve, reject });
      this.socket.send(JSON.stringify({ n, do: what, token: token(), ...details }));
    });
  }

  end() { this.ended = true; this.socket.close(); }
}
