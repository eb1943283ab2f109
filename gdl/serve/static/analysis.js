// Analysis: what every move is worth and how that is known, the expected line, the curve of a play with its
// mistakes, the tree of a search, and the picture of a policy.

import { failed, h, isDark, s } from "./dom.js";
import { figure, known, share, short } from "./worth.js";

const SLIP = 0.1; // of what a player can get: a mistake …
const BLUNDER = 0.25; // … and a bad one

export class Analysis {
  /** page: the game page, which knows the play and asks the server. */
  constructor(page) {
    this.page = page;
    this.on = false;
    this.worths = new Map(); // of positions of the play, by their numbers
    this.switch = h("button", { class: "switch", role: "switch", "aria-checked": "false", onclick: () => this.toggle() }, "Analyse");
    this.solver = h("select", { "aria-label": "solver", onchange: () => this.run() });
    this.status = h("p", { class: "how", role: "status" });
    this.table = h("div", { class: "worths" });
    this.line = h("p", { class: "bestline" });
    this.chart = h("div", { class: "chart" });
    this.curveButton = h("button", { class: "small", onclick: () => this.curve() }, "Look through the whole play");
    this.element = h("div", { class: "analysis" },
      h("div", { class: "bar" }, this.switch, this.solver), this.status, this.table, this.line,
      h("h3", {}, "The play so far"), this.chart, this.curveButton);
  }

  games(about) {
    this.about = about;
    this.solver.replaceChildren(h("option", { value: "" }, "what suits the game"), ...about.solvers.map(({ solver, about: what }) => h("option", { value: solver, title: what }, solver)));
    this.forget();
  }

  forget() { this.worths.clear(); this.answer = null; this.show(); this.drawCurve(); }

  toggle(on = !this.on) {
    this.on = on;
    this.switch.setAttribute("aria-checked", String(on));
    if (on) this.run();
    else { this.page.ask("quiet", { kinds: ["analysis"] }).catch(() => {}); this.answer = null; this.show(); }
  }

  /** Asks about the position that is shown. */
  async run() {
    if (!this.on) return;
    this.answer = null;
    this.show();
    if (!this.page.mayAsk()) { this.status.textContent = "There is no analysis while others play, nor of what you may not see."; return; }
    this.asked = this.page.shown();
    this.status.textContent = "Thinking …";
    try {
      await this.page.ask("analyse", { at: this.asked, solver: this.solver.value });
    } catch (trouble) { this.status.textContent = trouble.message; }
  }

  heard(message) {
    if (message.at !== this.asked || !this.on) return;
    if (message.failed) { this.status.textContent = `${message.failed.message} ${message.failed.hint || ""}`; return; }
    if (message.answer?.over) { this.status.textContent = "The play is over."; return; }
    if (message.answer) {
      this.answer = message.answer;
      this.worths.set(message.at, { values: message.answer.values, best: message.answer.moves.filter((move) => move.best).map((move) => move.text) });
      this.show();
      this.drawCurve();
    }
    if (message.done) this.element.classList.remove("working");
    else this.element.classList.add("working");
  }

  show() {
    const { answer, about } = this;
    this.page.mark(answer);
    if (!answer) { this.table.replaceChildren(); this.line.replaceChildren(); if (!this.on) this.status.textContent = "Switch it on to see what every move is worth, and how that is known."; return; }
    const mover = answer.mover ?? 0;
    const sorted = [...answer.moves].sort((a, b) => (b.best - a.best) || ((b.worth?.number ?? -Infinity) - (a.worth?.number ?? -Infinity)));
    const numbers = sorted.map((move) => move.worth?.number).filter((number) => number !== null && number !== undefined);
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    this.table.replaceChildren(...sorted.slice(0, 40).map((move) => {
      const number = move.worth?.number;
      const part = number === null || number === undefined ? 0 : share(number, about, mover) ?? (high > low ? (number - low) / (high - low) : 1);
      const bar = h("span", { class: "fill" });
      bar.style.width = `${Math.round(part * 100)}%`;
      return h("button", {
        class: `worth${move.best ? " best" : ""}`, title: `${move.text}: ${move.worth?.text ?? "no better than the best"} (${known(move.worth) || "not looked at by itself"})`,
        onclick: () => this.page.tryMove(move.text),
      }, h("span", { class: "text" }, move.text), h("span", { class: "track" }, bar), h("span", { class: "number" }, short(move.worth, about)),
      h("span", { class: `knows ${move.worth?.kind || "unknown"}` }, known(move.worth) || "no better"),
      move.odds !== null && h("span", { class: "visits" }, `played ${Math.round(100 * move.odds)} %`),
      move.visits !== null && h("span", { class: "visits" }, `${move.visits.toLocaleString("en")} plays`));
    }), sorted.length > 40 ? h("p", { class: "more" }, `${sorted.length - 40} more moves`) : "");
    this.line.replaceChildren(...(answer.line.length ? [h("b", {}, "Expected: "), answer.line.slice(0, 14).map((step) => `${step.player} ${step.text}`).join(", ")] : []));
    const work = [answer.nodes !== null && `${answer.nodes.toLocaleString("en")} positions`, answer.rounds !== null && `${answer.rounds.toLocaleString("en")} plays`, `${answer.seconds} s`].filter(Boolean).join(", ");
    const kind = { exact: "proven", bounded: "proven bounds", estimate: "estimated" }[answer.kind];
    this.status.replaceChildren(h("span", { class: `knows ${answer.kind}` }, kind), ` ${answer.solver}: ${answer.how} (${work})`);
  }

  // ------------------------------------------------------------------------------------- curve

  async curve() {
    try {
      this.curveButton.disabled = true;
      await this.page.ask("curve", { known: [...this.worths.keys()] });
    } catch (trouble) { failed(trouble); this.curveButton.disabled = false; }
  }

  curveHeard(message) {
    if (message.failed) failed(message.failed);
    if (message.answer) this.worths.set(message.answer.at, message.answer);
    if (message.done) this.curveButton.disabled = false;
    this.drawCurve();
  }

  /** The value of a position to a player, with what was paid before; null where it is not known. */
  value(at, player) {
    const found = this.worths.get(at);
    const number = found?.values?.[player]?.number;
    if (number === null || number === undefined) return null;
    return number + (found.paid?.[player] ?? 0);
  }

  /** Mistakes by the numbers of the steps: "?" or "??". */
  mistakes() {
    const found = new Map();
    const { about } = this;
    if (!about) return found;
    this.page.history().forEach((step, at) => {
      if (step.mover < 0 || step.odds) return;
      const [before, after] = [this.value(at, step.mover), this.value(at + 1, step.mover)];
      if (before === null || after === null) return;
      const [low, high] = about.bounds[step.mover] || [];
      const range = low !== null && high !== null && high > low ? high - low : Math.max(1, Math.abs(before));
      const lost = (before - after) / range;
      if (this.worths.get(at).best?.includes(step.move) || lost < SLIP) return;
      found.set(at, lost >= BLUNDER ? "??" : "?");
    });
    return found;
  }

  drawCurve() {
    const { about } = this;
    if (!about) return;
    const steps = this.page.history().length;
    const points = [];
    for (let at = 0; at <= steps; at++) {
      const number = this.value(at, 0);
      if (number !== null) points.push([at, number]);
    }
    const mistakes = this.mistakes();
    this.page.markMistakes(mistakes);
    if (points.length < 2) { this.chart.replaceChildren(h("p", { class: "how" }, "Positions that were analysed appear here.")); return; }
    const [W, H] = [320, 120];
    const bounded = about.zero_sum && share(0, about) !== null;
    const values = points.map(([, number]) => number);
    const [low, high] = bounded ? about.bounds[0] : [Math.min(...values), Math.max(...values)];
    const x = (at) => 30 + (at / Math.max(1, steps)) * (W - 40);
    const y = (number) => 8 + (1 - (high > low ? (number - low) / (high - low) : 0.5)) * (H - 26);
    const middle = bounded ? (low + high) / 2 : null;
    const win = bounded && about.players.length === 2;
    const label = (number) => (win ? `${Math.round((100 * (number - low)) / (high - low))} %` : figure(number));
    const path = points.map(([at, number], k) => `${k ? "L" : "M"}${x(at).toFixed(1)} ${y(number).toFixed(1)}`).join("");
    const shown = this.page.shown();
    this.chart.replaceChildren(
      s("svg", { viewBox: `0 0 ${W} ${H}`, class: "curve", role: "img", "aria-label": `${win ? `chances of ${about.players[0]}` : `value to ${about.players[0]}`} over the play, ${mistakes.size} mistakes` },
        s("text", { class: "tick", x: 26, y: y(high) }, label(high)), s("text", { class: "tick", x: 26, y: y(low) }, label(low)),
        middle !== null && s("line", { class: "zero", x1: 30, x2: W - 10, y1: y(middle), y2: y(middle) }),
        s("line", { class: "now", x1: x(shown), x2: x(shown), y1: 6, y2: H - 16 }),
        s("path", { class: "area", d: `${path}L${x(points.at(-1)[0]).toFixed(1)} ${y(middle ?? low)}L${x(points[0][0]).toFixed(1)} ${y(middle ?? low)}Z` }),
        s("path", { class: "trace", d: path }),
        points.map(([at, number]) => s("circle", { class: `point${mistakes.has(at - 1) ? " mistake" : ""}`, cx: x(at), cy: y(number), r: mistakes.has(at - 1) ? 4 : 2.4, onclick: () => this.page.look(at) }, s("title", {}, `after ${at} moves: ${label(number)}${mistakes.get(at - 1) ? `, a mistake ${mistakes.get(at - 1)}` : ""}`)))),
      h("p", { class: "how" }, win ? `Chances of ${about.players[0]}, taking the value between its worst and its best for a share` : `What ${about.players[0]} gets in all`));
  }
}

// ------------------------------------------------------------------------------ trees and policies

export class TreeView {
  constructor(page) {
    this.page = page;
    this.status = h("p", { class: "how", role: "status" });
    this.place = h("div", { class: "tree", role: "tree", "aria-label": "search tree" });
    this.solver = h("select", { "aria-label": "search", onchange: () => this.run() });
    this.policyPlace = h("div", { class: "policy" });
    this.element = h("div", { class: "looking" },
      h("div", { class: "bar" }, h("button", { class: "small", onclick: () => this.run() }, "Grow the tree from here"), this.solver),
      this.status, this.place,
      h("h3", {}, "Best moves everywhere"),
      h("p", { class: "how" }, "A small game is solved, and its best moves drawn over the variables that matter."),
      h("button", { class: "small", onclick: () => this.policy() }, "Solve and draw"), this.policyPlace);
  }

  games(about) {
    const walkers = about.solvers.map(({ solver }) => solver).filter((name) => ["mcts", "alphabeta", "minimax", "expectiminimax", "star1", "star2", "maxn", "paranoid"].includes(name));
    this.solver.replaceChildren(...(walkers.length ? ["mcts", ...walkers.filter((name) => name !== "mcts")] : ["none"]).map((name) => h("option", { value: name }, name)));
    this.place.replaceChildren();
    this.policyPlace.replaceChildren();
    this.status.textContent = "";
  }

  async run() {
    this.below = null;
    this.status.textContent = "Growing …";
    try { await this.page.ask("tree", { at: this.page.shown(), solver: this.solver.value }); } catch (trouble) { this.status.textContent = trouble.message; }
  }

  heard(message) {
    if (message.failed) { this.status.textContent = `${message.failed.message} ${message.failed.hint || ""}`; this.below = null; return; }
    if (!message.answer) return;
    const { root, how, notes } = message.answer;
    if (this.below) {
      this.below.replaceChildren(...this.children(root));
      return;
    }
    this.status.textContent = [how, ...notes].join("; ");
    this.place.replaceChildren(this.node("now", root, { open: true }));
  }

  node(label, node, { odds = null, best = false, cut = false, open = false } = {}) {
    const words = [
      h("span", { class: "move" }, label), odds && h("span", { class: "odds" }, odds),
      node?.worth && h("span", { class: "value" }, node.worth), node?.visits ? h("span", { class: "visits" }, `${node.visits} visits`) : null,
      cut && h("span", { class: "odds" }, "cut"),
    ];
    if (!node || (node.kind === "end" && !node.edges.length)) return h("div", { class: `leaf${best ? " best" : ""}`, role: "treeitem" }, words);
    const inside = h("div", { class: "inside", role: "group" });
    const details = h("details", { class: `branch ${node.kind}${best ? " best" : ""}${node.faint ? " faint" : ""}`, role: "treeitem", open }, h("summary", {}, words), inside);
    const unfold = () => {
      if (inside.childElementCount || !details.open) return;
      if (node.edges.length) inside.append(...this.children(node));
      else if (node.position) {
        inside.append(h("p", { class: "how" }, "…"));
        this.below = inside;
        this.page.ask("tree", { at: this.page.shown(), position: node.position, solver: this.solver.value }).catch(failed);
      }
    };
    details.addEventListener("toggle", unfold);
    unfold();
    return details;
  }

  children(node) {
    const edges = node.edges.map((edge) => this.node(edge.label || "·", edge.node, { odds: edge.odds, best: edge.best, cut: edge.cut }));
    return node.more ? [...edges, h("p", { class: "how" }, `and ${node.more}`)] : edges;
  }

  async policy() {
    this.policyPlace.replaceChildren(h("p", { class: "how" }, "Solving …"));
    try { await this.page.ask("policy", { dark: isDark() }); } catch (trouble) { this.policyPlace.replaceChildren(h("p", { class: "how" }, trouble.message)); }
  }

  policyHeard(message) {
    if (message.failed) { this.policyPlace.replaceChildren(h("p", { class: "how" }, `${message.failed.message} ${message.failed.hint || ""}`)); return; }
    const answer = message.answer;
    if (!answer) return;
    const shown = answer.svg
      ? h("img", { alt: "best moves over the variables of the position", src: URL.createObjectURL(new Blob([answer.svg], { type: "image/svg+xml" })) })
      : h("pre", {}, answer.text);
    this.policyPlace.replaceChildren(shown, h("p", { class: "how" }, answer.notes.join("; ")));
  }
}
