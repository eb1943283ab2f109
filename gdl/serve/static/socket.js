// The socket: requests with answers, news, and coming back after the connection was lost.

import { token } from "./dom.js";

export class Live {
  constructor({ heard, back, lost }) {
    this.heard = heard; // news of the room
    this.back = back; // the connection is there again: what must be said before anything else is
    this.lost = lost;
    this.number = 0;
    this.waiting = new Map();
    this.pause = 250;
    this.close();
    this.connect();
  }

  /** From now on requests wait until the connection is open. */
  close() {
    if (this.open) return;
    this.opened = new Promise((resolve) => { this.open = resolve; });
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/live`);
    this.socket = socket;
    socket.onopen = async () => {
      this.pause = 250;
      if (this.again) await this.back((what, details) => this.send(what, details));
      this.again = true;
      if (socket.readyState !== WebSocket.OPEN) return;
      this.open();
      this.open = null;
    };
    socket.onmessage = (event) => this.take(JSON.parse(event.data));
    socket.onclose = () => {
      this.close();
      for (const { reject } of this.waiting.values()) reject({ message: "the connection was lost", lost: true });
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

  async ask(what, details) {
    await this.opened;
    while (this.socket.readyState !== WebSocket.OPEN) { // it is being closed
      await new Promise((resolve) => { this.socket.addEventListener("close", resolve); });
      await this.opened;
    }
    return this.send(what, details);
  }

  send(what, details = {}) {
    const n = ++this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(n, { resolve, reject });
      this.socket.send(JSON.stringify({ n, do: what, token: token(), ...details }));
    });
  }

  end() { this.ended = true; this.socket.close(); }
}
