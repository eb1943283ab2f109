// Solved games without a server: every position is known, and what every move is worth.

import { drawPicture, Scene } from "./board.js";
import { h, isDark, setTheme, stored, themeButton, title } from "./dom.js";
import { Pointing } from "./pointing.js";
import { figure, share, short } from "./worth.js";

const app = document.getElementById("app");
const theme = stored("gdl.theme");
if (theme) setTheme(theme);
window.addEventListener("hashchange", route);
await route();

async function route() {
  const name = decodeURIComponent(location.hash.slice(1));
  if (name) new Solved(await (await fetch(`${encodeURIComponent(name)}.json`)).json());
  else startPage(await (await fetch("games.json")).json());
}

function top(...parts) {
  return h("header", { class: "top" }, h("a", { class: "brand", href: "#" }, h("img", { src: "icon.svg", alt: "all games", width: 24, height: 24 }), h("span", {}, "gdl")), ...parts, h("span", { class: "grow" }), themeButton());
}

function startPage(games) {
  document.title = "Solved games";
  app.replaceChildren(top(), h("main", { class: "start" }, h("h1", {}, "Solved games"), h("p", { class: "lead" }, "Every position is known, and what every move is worth."),
    h("ul", { class: "cards" }, games.map((game) => h("li", { class: "card" }, h("a", { href: `#${encodeURIComponent(game.name)}` },
      h("div", { class: "picture", "aria-hidden": "true" }, drawPicture(game.picture, { players: game.names, small: true })),
      h("div", { class: "words" }, h("h2", {}, title(game.name)), h("p", { class: "about" }, game.title), h("p", { class: "facts" }, h("span", { class: "tag" }, `${game.positions.toLocaleString("en")} positions`)))))))));
}

class Solved {
  constructor(data) {
    this.data = data;
    document.title = `${title(data.name)}, solved`;
    this.others = data.players.map((_, player) => player > 0);
    this.boardPlace = h("div", { class: "boardplace" });
    this.status = h("p", { class: "status", role: "status", "aria-live": "polite" });
    this.choices = h("div", { class: "choices", role: "group", "aria-label": "moves" });
    this.worths = h("div", { class: "worths" });
    this.moves = h("ol", { class: "moves" });
    this.evalbar = h("div", { class: "evalbar", role: "img" }, h("div", { class: "evalfill" }));
    const values = h("input", { type: "checkbox", id: "values", checked: true, onchange: () => { this.shown = values.checked; this.draw(); } });
    this.shown = true;
    const control = (label, icon, run) => h("button", { class: "control", title: label, "aria-label": label, onclick: run }, icon);
    const policy = h("img", { alt: "best moves over the variables of the position", onerror: () => policy.remove() });
    policy.src = `${encodeURIComponent(data.name)}.${isDark() ? "dark" : "light"}.svg`;
    app.replaceChildren(top(h("h1", { class: "gamename" }, title(data.name))),
      h("main", { class: "game norules exported" },
        h("section", { class: "table", "aria-label": "the board" },
          h("div", { class: "seats", role: "group", "aria-label": "who plays" }, data.players.map((name, player) => this.seat(name, player))),
          h("div", { class: "boardrow" }, this.evalbar, this.boardPlace), this.status, this.choices,
          h("div", { class: "controls" }, control("new play", "↻", () => this.start()), control("take back", "↶", () => this.undo()), h("label", { for: "values", class: "showing" }, values, " show what moves are worth"))),
        h("section", { class: "side panel", "aria-label": "values" }, h("div", { class: "tabbody" }, this.worths, h("h3", {}, "Moves"), this.moves,
          h("details", { class: "policy" }, h("summary", {}, "Best moves everywhere"), policy),
          h("details", {}, h("summary", {}, "Rules"), h("pre", { class: "code" }, data.rules)), h("p", { class: "how" }, data.how)))));
    this.start();
  }

  seat(name, player) {
    const select = h("select", { "aria-label": `who plays ${name}`, onchange: () => { this.others[player] = select.value === "best"; this.goOn(); } }, h("option", { value: "me" }, "you"), h("option", { value: "best" }, "best play"));
    select.value = this.others[player] ? "best" : "me";
    return h("div", { class: "seat" }, h("span", { class: `chip p${player % 6} c-${name}` }), h("span", { class: "who" }, title(name)), select);
  }

  start() { this.line = [[drawn(this.data.start), null]]; this.goOn(); }

  undo() {
    const mine = (at) => { const m = this.data.positions[at].m; return m >= 0 && !this.others[m]; };
    do this.line.pop(); while (this.line.length && !mine(this.line.at(-1)[0]));
    if (!this.line.length) this.start();
    else this.goOn();
  }

  get here() { return this.data.positions[this.line.at(-1)[0]]; }

  /** Chance draws and best play moves until you are to choose. */
  goOn() {
    this.draw();
    const { m, o } = this.here;
    if (m === -2 || (m >= 0 && !this.others[m])) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.make(m === -1 ? pick(o, (move) => move.c) : best(o)), 350);
  }

  make(move) {
    const [to, odds, label] = pick(move.to, (outcome) => outcome[1]);
    this.line.push([to, { text: move.t, mover: this.here.m, label, odds }]);
    this.goOn();
  }

  draw() {
    const { data, here } = this;
    const mine = here.m >= 0 && !this.others[here.m];
    const options = here.o || [];
    const picture = here.p.map((row) => row.map((part) => (typeof part === "string" ? part : { ...data.shapes[part[0]], palette: data.looks, stones: part[1] })));
    this.scene = new Scene(picture, data.players);
    new Pointing(this.scene, mine ? options.map((move) => ({ text: move.t, label: "", spots: move.s })) : [], (text) => this.make(options.find((move) => move.t === text)));
    this.boardPlace.style.setProperty("--wide", this.scene.wide || 330);
    this.boardPlace.replaceChildren(this.scene.element);
    const part = share(here.v[0], data);
    this.evalbar.hidden = part === null || !data.zero_sum || data.players.length !== 2 || !this.shown;
    if (part !== null) this.evalbar.firstChild.style.height = `${Math.round(100 * part)}%`;
    this.choices.replaceChildren(...(mine ? options.filter((move) => !move.s.length).map((move) => h("button", { class: "choice", onclick: () => this.make(move) }, move.t)) : []));
    this.status.textContent = here.r ? `The play is over (${data.players.map((name, player) => `${name} ${here.r[player]}`).join(", ")})` : here.m === -1 ? "Chance moves …" : `${title(data.players[here.m])} to move`;
    const bestWorth = Math.max(...options.map((move) => move.w ?? -Infinity));
    const worth = (move) => ({ number: move.w, kind: "exact", text: String(move.w) });
    const sorted = here.m >= 0 && this.shown ? [...options].sort((a, b) => b.w - a.w) : [];
    this.worths.replaceChildren(...sorted.map((move) => h("button", { class: `worth${tie(move.w, bestWorth) ? " best" : ""}`, onclick: () => mine && this.make(move) },
      h("span", { class: "text" }, move.t), bar(share(move.w, data, here.m) ?? 0), h("span", { class: "number" }, short(worth(move), data)))));
    if (this.shown && here.m >= 0) for (const move of options) if (move.s.length === 1) this.scene.boards[move.s[0][0]]?.pill(move.s[0][1], { wins: "+", loses: "−", draws: "=" }[short(worth(move), data)] ?? figure(move.w), tie(move.w, bestWorth) ? "best" : "exact");
      else if (move.s.length > 1 && tie(move.w, bestWorth)) this.scene.boards[move.s[0][0]]?.arrow(move.s[0][1], move.s[1][1], "best");
    this.moves.replaceChildren(...this.line.slice(1).map(([, step], at) => h("li", {}, h("button", { onclick: () => { this.line.length = at + 2; this.goOn(); } },
      h("span", { class: `dot ${step.mover < 0 ? "chance" : `p${step.mover % 6} c-${data.players[step.mover]}`}` }), h("span", { class: "number" }, at + 1), h("span", { class: "move" }, step.text), step.label && h("span", { class: "chance" }, step.label), step.odds < 1 && h("span", { class: "odds" }, figure(step.odds))))));
  }
}

function bar(part) {
  const fill = h("span", { class: "fill" });
  fill.style.width = `${Math.round(part * 100)}%`;
  return h("span", { class: "track" }, fill);
}

function tie(one, other) { return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other)); }

function best(options) {
  const most = Math.max(...options.map((move) => move.w));
  return pick(options.filter((move) => tie(move.w, most)), () => 1);
}

function drawn(start) { return pick(start, (each) => each[1])[0]; }

function pick(items, weight) {
  let point = Math.random() * items.reduce((sum, item) => sum + weight(item), 0);
  for (const item of items) { point -= weight(item); if (point < 0) return item; }
  return items.at(-1);
}
