// Analysis: what every move is worth and how that is known, the expected line, the curve of a play with its
// mistakes, the tree of a search, and the picture of a policy.

import { failed, h, isDark, s } from "./dom.js";
import { digitsFor, figure, known, share, short } from "./worth.js";

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
    const digits = digitsFor(numbers);
    this.table.replaceChildren(...sorted.slice(0, 40).map((move) => {
      const number = move.worth?.number;
      const part = number === null || number === undefined ? 0 : share(number, about, mover) ?? (high > low ? (number - low) / (high - low) : 1);
      const bar = h("span", { class: "fill" });
      bar.style.width = `${Math.round(part * 100)}%`;
      return h("button", {
        class: `worth${move.best ? " best" : ""}`, title: `${move.text}: ${move.worth?.text ?? "no better than the best"} (${known(move.worth) || "not looked at by itself"})`,
        onclick: () => this.page.tryMove(move.text),
      }, h("span", { class: "text" }, move.text), h("span", { class: "track" }, bar), h("span", { class: "number" }, short(move.worth, about, digits)),
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
    this.forget();
  }

  games(about) {
    const walkers = about.solvers.map(({ solver }) => solver).filter((name) => ["mcts", "alphabeta", "minimax", "expectiminimax", "star1", "star2", "maxn", "paranoid"].includes(name));
    this.solver.replaceChildren(...(walkers.length ? ["mcts", ...walkers.filter((name) => name !== "mcts")] : ["none"]).map((name) => h("option", { value: name }, name)));
    this.forget();
    this.policyPlace.replaceChildren();
    this.status.textContent = "";
  }

  forget() {
    this.below = new Map(); // what was found below positions that were unfolded: { root } or { trouble }
    this.wanted = []; // positions that are to be unfolded, one after another: the first is being looked at
    this.growing = false;
    this.top = null;
    this.place.replaceChildren();
  }

  async run() {
    this.forget();
    this.growing = true;
    this.at = this.page.shown();
    this.status.textContent = "Growing …";
    await this.page.ask("quiet", { kinds: ["branch"] }).catch(failed);
    this.askAll();
  }

  async askAll() {
    try { await this.page.ask("tree", { at: this.at, solver: this.solver.value }); } catch (trouble) {
      if (trouble.lost) return; // it will be asked for again
      this.growing = false;
      this.status.textContent = trouble.message;
    }
  }

  /** What was being computed went with a lost connection: it is asked for again. */
  again() {
    if (this.growing) this.askAll();
    if (this.wanted.length) this.askBelow();
  }

  heard(message) {
    if (message.at !== this.at || !this.growing) return;
    if (message.failed) this.status.textContent = `${message.failed.message} ${message.failed.hint || ""}`;
    if (message.answer) {
      const { root, how, notes } = message.answer;
      this.status.textContent = [how, ...notes].join("; ");
      this.root = root;
      this.show();
    }
    if (message.done && !message.stopped) this.growing = false;
  }

  /** Draws what has come: what stays the same stays in its place, so that a click meets what it was meant for. */
  show() {
    if (!this.root) return;
    if (!this.top) { this.top = new Branch(this, this.root, true); this.place.replaceChildren(this.top.element); }
    this.top.update({ label: "now", node: this.root });
  }

  unfold(position) {
    if (this.wanted.includes(position)) return;
    this.below.delete(position);
    this.wanted.push(position);
    if (this.wanted.length === 1) this.askBelow();
  }

  async askBelow() {
    const [position] = this.wanted;
    try { await this.page.ask("tree", { at: this.at, position, solver: this.solver.value }); } catch (trouble) { if (!trouble.lost) this.found(position, { trouble }, true); }
  }

  branchHeard(message) {
    const { position, answer, failed: trouble, done } = message;
    if (position !== this.wanted[0]) return; // of a tree that is gone
    if (answer) this.found(position, { root: answer.root }, done);
    else if (trouble) this.found(position, { trouble }, done);
    else if (done) this.found(position, { trouble: { message: "this was stopped" } }, done);
  }

  found(position, what, done) {
    if (!what.trouble || !this.below.get(position)?.root) this.below.set(position, what);
    if (done) {
      this.wanted.shift();
      if (this.wanted.length) this.askBelow();
    }
    this.show();
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

/** A move of the tree and what lies behind it. */
class Branch {
  constructor(view, node, open = false) {
    this.view = view;
    this.isLeaf = isLeaf(node);
    this.branches = new Map();
    this.words = Object.fromEntries(["move", "odds", "value", "visits", "cut"].map((name) => [name, h("span", { class: name === "cut" ? "odds" : name })]));
    const words = Object.values(this.words);
    if (this.isLeaf) { this.element = h("div", { role: "treeitem" }, words); return; }
    this.inside = h("div", { class: "inside", role: "group" });
    this.element = h("details", { role: "treeitem", open, ontoggle: () => this.fill() }, h("summary", {}, words), this.inside);
  }

  update({ label, node, odds = null, best = false, cut = false }) {
    this.node = node;
    const texts = { move: label, odds, value: node?.worth, visits: node?.visits ? `${node.visits} visits` : null, cut: cut && "cut" };
    for (const [name, span] of Object.entries(this.words)) {
      span.textContent = texts[name] || "";
      span.hidden = !texts[name];
    }
    this.element.className = `${this.isLeaf ? "leaf" : `branch ${node.kind}${node.faint ? " faint" : ""}`}${best ? " best" : ""}`;
    this.fill();
  }

  /** Shows what lies behind, once it is unfolded: what came with the tree, or is asked for. */
  fill() {
    if (this.isLeaf || !this.element.open) return;
    const { node, view, inside } = this;
    const asked = view.below.get(node.position);
    const shown = asked?.root ?? (node.edges.length ? node : null);
    if (shown) { this.grow(shown); return; }
    if (!node.position) return;
    if (asked) inside.replaceChildren(h("p", { class: "how", role: "status" }, `${asked.trouble.message} `, h("button", { class: "small", onclick: () => { view.unfold(node.position); this.fill(); } }, "Try again")));
    else { inside.replaceChildren(h("p", { class: "how" }, "…")); view.unfold(node.position); }
  }

  grow(node) {
    const seen = new Map();
    const kept = new Map();
    for (const edge of node.edges) {
      const label = edge.label || "·";
      seen.set(label, (seen.get(label) ?? 0) + 1);
      const key = `${label} ${seen.get(label)}`;
      let branch = this.branches.get(key);
      if (branch?.isLeaf !== isLeaf(edge.node)) branch = new Branch(this.view, edge.node);
      branch.update({ ...edge, label });
      kept.set(key, branch);
    }
    const order = [...this.branches.keys()].filter((key) => kept.has(key));
    this.branches = new Map([...order, ...[...kept.keys()].filter((key) => !this.branches.has(key))].map((key) => [key, kept.get(key)]));
    const elements = [...this.branches.values()].map((branch) => branch.element);
    const there = [...this.inside.children];
    if (node.more) elements.push(h("p", { class: "how" }, `and ${node.more}`));
    there.filter((element) => !elements.includes(element)).forEach((element) => element.remove());
    elements.forEach((element, place) => { if (this.inside.children[place] !== element) this.inside.insertBefore(element, this.inside.children[place] ?? null); });
  }
}

function isLeaf(node) { return !node || (node.kind === "end" && !node.edges.length); }
