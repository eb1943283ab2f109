// The game page: rules, board and analysis side by side.

import { Analysis, TreeView } from "./analysis.js";
import { NARROW, Scene } from "./board.js";
import { after, failed, h, say, store, stored, themeButton, title } from "./dom.js";
import { Editor } from "./editor.js";
import { Pointing } from "./pointing.js";
import { download, pack, unpack } from "./share.js";
import { Live } from "./socket.js";
import { digitsFor, figure, share, short } from "./worth.js";

const NEW = `"""My game: take one or two stones; who takes the last one wins."""
game my_game

param stones: 1..100 = 12

players: first, second

position:
    left: 0..stones = stones
    turn: player = first

player: turn

terminal: left == 0

utility: 1 if turn == second else -1     # of the first player; who is to move has lost

move take(n: 1..2) when n <= left:
    left -= n
    turn = next(turn)

show: "{left} stones, {turn} to move"
`;

export async function gamePage(app, kind, name) {
  const page = new GamePage(app);
  await page.begin(kind, name);
  window.gdlPage = page; // for whoever looks at the page from its console
}

class GamePage {
  constructor(app) {
    this.live = new Live({ heard: (message) => this.heard(message), back: (ask) => this.comeBack(ask), lost: () => this.setConnected(false) });
    this.at = null; // a position of the past that is looked at; null: the present
    this.params = {};
    this.editor = new Editor({ ask: (what, details) => this.ask(what, { name: this.name, params: this.params, ...details }), changed: (text, good) => this.textChecked(text, good) });
    this.analysis = new Analysis(this);
    this.tree = new TreeView(this);
    this.applySoon = after(200, () => this.apply());
    this.lay(app);
    document.addEventListener("keydown", (event) => this.key(event));
    NARROW.addEventListener("change", () => this.view && this.drawBoard());
  }

  ask(what, details) { return this.live.ask(what, details); }

  // ------------------------------------------------------------------------------------ layout

  lay(app) {
    this.heading = h("h1", { class: "gamename" });
    this.connection = h("span", { class: "connection", role: "status" });
    this.paramsForm = h("form", { class: "params", "aria-label": "parameters", onsubmit: (event) => event.preventDefault() });
    this.seats = h("div", { class: "seats", role: "group", "aria-label": "who plays" });
    this.evalbar = h("div", { class: "evalbar", hidden: true, role: "img" }, h("div", { class: "evalfill" }));
    this.boardPlace = h("div", { class: "boardplace" });
    this.status = h("p", { class: "status", role: "status", "aria-live": "polite" });
    this.choices = h("div", { class: "choices", role: "group", "aria-label": "moves" });
    const control = (label, icon, run, word = "") => h("button", { class: "control", title: label, "aria-label": label, onclick: run }, icon, word && h("span", { class: "word" }, ` ${word}`));
    this.controls = {
      restart: control("new play", "↻", () => this.ask("restart").catch(failed), "New"),
      undo: control("take back", "↶", () => this.ask("undo").catch(failed), "Undo"),
      redo: control("make again", "↷", () => this.ask("redo").catch(failed), "Redo"),
      first: control("to the start", "«", () => this.look(0)),
      back: control("one move back (←)", "‹", () => this.look(this.shown() - 1)),
      on: control("one move on (→)", "›", () => this.look(this.shown() + 1)),
      last: control("to the present", "»", () => this.look(null)),
      pause: control("pause or go on", "Pause", () => this.ask("pause", { paused: !this.play.paused }).catch(failed)),
    };
    this.moves = h("ol", { class: "moves", "aria-label": "moves of the play" });
    this.about = h("div", { class: "about" });
    this.rules = h("section", { class: "rules panel", "data-tab": "rules", "aria-label": "rules" }, this.paramsForm, this.editor.element);
    const tabs = { moves: ["Moves", this.moves], analysis: ["Analysis", this.analysis.element], tree: ["Tree", this.tree.element], about: ["About", this.about] };
    this.tabButtons = {};
    const bodies = {};
    const strip = h("div", { class: "tabs", role: "tablist" });
    for (const [key, [text, body]] of Object.entries(tabs)) {
      this.tabButtons[key] = h("button", { role: "tab", id: `tab-${key}`, "aria-selected": "false", onclick: () => this.choose(key) }, text);
      bodies[key] = h("div", { class: "tabbody", role: "tabpanel", "aria-labelledby": `tab-${key}`, hidden: true }, body);
      strip.append(this.tabButtons[key]);
    }
    this.bodies = bodies;
    this.side = h("section", { class: "side panel", "aria-label": "moves and analysis" }, strip, Object.values(bodies));
    this.table = h("section", { class: "table", "aria-label": "the board" },
      this.seats, h("div", { class: "boardrow" }, this.evalbar, this.boardPlace), this.status, this.choices,
      h("div", { class: "controls" }, this.controls.restart, this.controls.undo, this.controls.redo, this.controls.pause, h("span", { class: "grow" }), this.controls.first, this.controls.back, this.controls.on, this.controls.last));
    this.main = h("main", { class: "game" }, this.rules, this.table, this.side);
    this.rulesButton = h("button", { class: "button quiet wide", "aria-pressed": "true", onclick: () => this.showRules(this.main.classList.contains("norules")) }, "Rules");
    this.bottom = h("nav", { class: "bottom", "aria-label": "parts of the page" },
      [["board", "Board"], ["side", "Moves & analysis"], ["rules", "Rules"]].map(([key, text]) => h("button", { "data-part": key, onclick: () => this.part(key) }, text)));
    app.replaceChildren(
      h("header", { class: "top" }, h("a", { class: "brand", href: "/" }, h("img", { src: "/static/icon.svg", alt: "all games", width: 24, height: 24 }), h("span", {}, "gdl")),
        this.heading, this.connection, h("span", { class: "grow" }), this.rulesButton, h("button", { class: "button quiet", onclick: () => this.shareDialog() }, "Share"), themeButton()),
      this.main, this.bottom);
    this.choose("moves");
    this.part("board");
    this.showRules(stored("gdl.rules", "yes") === "yes");
  }

  choose(key) {
    this.tab = key;
    for (const [name, button] of Object.entries(this.tabButtons)) {
      button.setAttribute("aria-selected", String(name === key));
      this.bodies[name].hidden = name !== key;
    }
  }

  part(key) {
    this.main.dataset.part = key;
    for (const button of this.bottom.children) button.setAttribute("aria-current", String(button.dataset.part === key));
  }

  showRules(yes) {
    this.main.classList.toggle("norules", !yes);
    this.rulesButton.setAttribute("aria-pressed", String(yes));
    store("gdl.rules", yes ? "yes" : "no");
  }

  setConnected(yes) {
    this.connection.textContent = yes ? "" : "The connection is lost; trying again …";
    document.body.classList.toggle("offline", !yes);
  }

  // -------------------------------------------------------------------------- coming and going

  async begin(kind, name) {
    try {
      if (kind === "play") await this.ask("join", { room: name });
      else if (kind === "shared") {
        const data = await unpack(location.hash.slice(1)).catch(() => { throw { message: "this link is not whole" }; });
        await this.ask("open", { name: String(data.n), text: data.t ?? undefined, params: data.p || {}, start: data.s, moves: data.m?.map(([move, position]) => ({ move, position })), seats: data.w });
      } else if (name === "new") await this.ask("open", { name: "new", text: NEW });
      else await this.ask("open", { name });
    } catch (trouble) { this.sorry(trouble); }
  }

  sorry(trouble) {
    this.main.replaceChildren(h("div", { class: "sorry" }, h("h2", {}, trouble.message), trouble.hint && h("p", {}, trouble.hint), h("p", {}, h("a", { href: "/" }, "All games"))));
  }

  async comeBack(ask) {
    this.setConnected(true);
    if (!this.room) return;
    try {
      await ask("join", { room: this.room });
      this.tree.again();
      if (this.analysis.on) this.analysis.run();
    } catch (trouble) {
      if (!trouble.gone) { failed(trouble); return; }
      // The server was started anew: the position is all that this page still knows of the play.
      const { seats, view } = this.play;
      const again = { name: this.name, text: this.applied, params: this.params, seats: seats.map((seat) => seat.agent ?? "me") };
      await ask("open", { ...again, start: view.position || undefined }).then(() => say("The server was started anew; the play goes on from its position."), failed);
    }
  }

  heard(message) {
    const handlers = {
      play: () => this.playHeard(message), game: () => this.gameHeard(message), analysis: () => this.analysis.heard(message),
      curve: () => this.analysis.curveHeard(message), tree: () => this.tree.heard(message),
      branch: () => this.tree.branchHeard(message), policy: () => this.tree.policyHeard(message),
    };
    handlers[message.push]?.();
  }

  gameHeard({ about, name, text, room }) {
    const first = this.room !== room;
    this.name = name;
    this.room = room;
    this.gameAbout = about;
    document.title = `${title(about.name)} · gdl`;
    this.heading.textContent = title(about.name);
    this.about.replaceChildren(h("h2", {}, about.title), ...about.text.split(/\n\n+/).map((part) => h("p", {}, part)), h("p", { class: "how" }, about.class));
    if (first) history.replaceState(null, "", `/play/${room}`);
    if (first || text !== this.applied) { // not where a lost connection came back
      this.analysis.games(about);
      this.tree.games(about);
    }
    this.drawParams();
    if (text !== null && (first || this.editor.text === "") && text !== this.editor.text) { this.applied = text; this.editor.set(text); }
  }

  playHeard(play) {
    const before = this.play;
    this.play = play;
    this.name = play.game.name;
    this.params = play.game.params;
    const grown = !before || before.version !== play.version;
    if (grown) {
      this.at = null;
      const steps = play.view.history.length;
      for (const at of [...this.analysis.worths.keys()]) if (at > steps) this.analysis.worths.delete(at);
      if (before && steps <= before.view.history.length) {
        const same = play.view.history.findIndex((step, at) => step.move !== before.view.history[at]?.move);
        if (same >= 0) for (const at of [...this.analysis.worths.keys()]) if (at > same) this.analysis.worths.delete(at);
      }
    }
    this.view = play.view;
    this.draw();
    if (grown && this.analysis.on) this.analysis.run();
    if (play.trouble) failed(play.trouble);
  }

  // ----------------------------------------------------------------------------------- drawing

  shown() { return this.at ?? this.play.view.at; }
  history() { return this.play?.view.history ?? []; }
  mayAsk() { return this.play.ask && (this.at === null || !this.gameAbout.hidden) || (this.play.view.mover === -2); }

  draw() {
    this.drawSeats();
    this.drawBoard();
    this.drawStatus();
    this.drawMoves();
    const { play, controls } = this;
    const here = this.shown();
    controls.undo.disabled = !play.undo;
    controls.redo.disabled = !play.redo;
    controls.restart.disabled = !play.alone;
    controls.pause.hidden = play.seats.some((seat) => !seat.agent) || !play.alone;
    controls.pause.textContent = play.paused ? "Go on" : "Pause";
    controls.first.disabled = controls.back.disabled = here === 0;
    controls.on.disabled = controls.last.disabled = this.at === null;
  }

  drawBoard() {
    const { play, view } = this;
    if (play.cover && this.at === null) {
      this.boardPlace.replaceChildren(h("div", { class: "cover" }, h("h2", {}, `${title(play.cover)} is to move`), h("p", {}, "Hand the screen over; nobody else should look."), h("button", { class: "button", onclick: () => this.ask("reveal").catch(failed) }, `I am ${title(play.cover)}`)));
      this.choices.replaceChildren();
      return;
    }
    const focus = document.activeElement?.closest?.(".cell")?.dataset;
    const may = this.mayMove();
    this.scene = new Scene(view.picture, this.gameAbout.players);
    this.pointing = new Pointing(this.scene, may ? view.moves : [], (text) => this.tryMove(text), view.changed);
    this.boardPlace.replaceChildren(view.picture.length ? this.scene.element : h("div", { class: "cover" }, h("p", {}, "Something is hidden here, and you watch: the board is shown when the play is over.")));
    this.boardPlace.style.setProperty("--wide", this.scene.wide || 330);
    this.boardPlace.dataset.drawn = `${play.version}/${this.shown()}`;
    if (focus) this.scene.boards[focus.board]?.cells[focus.cell]?.element.focus({ preventScroll: true });
    if (play.ways && this.at === null) this.drawWays();
    else this.drawChoices(may ? view.moves : []);
    this.mark(this.analysis.answer);
  }

  mayMove() {
    const { play, view } = this;
    if (view.mover < 0) return false;
    return play.seats[view.mover].mine && (this.at === null ? play.turn : play.alone && !this.gameAbout.hidden);
  }

  /** Buttons for moves that no board can be pointed at for, and a box for names. */
  drawChoices(moves) {
    const unplaced = moves.filter(({ spots }) => !spots.length);
    const parts = unplaced.slice(0, 80).map((move) => h("button", { class: "choice", onclick: () => this.tryMove(move.text) }, nice(move.text)));
    if (moves.length > unplaced.length || unplaced.length > 80) {
      const names = h("datalist", { id: "movenames" }, moves.slice(0, 400).map((move) => h("option", { value: move.text })));
      parts.push(h("form", { class: "byname", onsubmit: (event) => { event.preventDefault(); this.byName(event.target.elements.move.value); } },
        h("input", { name: "move", list: "movenames", placeholder: "or type a move", "aria-label": "type a move", autocomplete: "off", spellcheck: "false" }), names));
    }
    this.choices.replaceChildren(...parts);
  }

  /** Who has real dice says what they show. */
  drawWays() {
    const { ways, throws } = this.play;
    const say = (way) => this.ask("happen", { way }).catch(failed);
    this.choices.replaceChildren(...ways.map(([label, odds], way) => h("button", { class: "choice way", disabled: !throws, onclick: () => say(way) }, label || `way ${way + 1}`, h("span", { class: "odds" }, odds))));
  }

  byName(text) {
    const squeeze = (words) => words.toLowerCase().replace(/[^\w-]+/g, "");
    const wanted = squeeze(text);
    const moves = this.view.moves;
    const tries = [(move) => move.text === text, (move) => squeeze(move.text) === wanted, (move) => move.label === text, (move) => squeeze(move.text.replace(/^\w+\(/, "")) === wanted, (move) => squeeze(move.text).startsWith(wanted)];
    for (const fits of tries) {
      const found = moves.filter(fits);
      if (found.length === 1) { this.tryMove(found[0].text); return; }
      if (found.length > 1) { say(`This may mean ${found.slice(0, 4).map((move) => move.text).join(", ")}`); return; }
    }
    say(`There is no legal move “${text}” here.`);
  }

  async tryMove(text) {
    const at = this.shown();
    if (!this.mayMove()) { say("It is not your turn here."); return; }
    try { await this.ask("move", { text, at }); } catch (trouble) { failed(trouble); this.drawBoard(); }
  }

  drawStatus() {
    const { play, view } = this;
    const names = this.gameAbout.players;
    let text;
    if (view.returns) {
      const [a, b] = view.scores;
      const winner = names.length === 2 && this.gameAbout.zero_sum ? (a === b ? "The play is drawn" : `${title(names[a > b ? 0 : 1])} wins`) : "The play is over";
      text = `${winner} (${names.map((name, player) => `${name} ${view.returns[player]}`).join(", ")})`;
    } else if (this.at !== null) text = `After ${this.at} of ${play.view.at} moves`;
    else if (play.ways) text = "What do the dice, or cards, show?";
    else if (view.mover === -1) text = "Chance moves …";
    else {
      const seat = play.seats[view.mover];
      const who = title(seat.name);
      if (seat.mine) text = play.seats.filter((each) => each.mine).length > 1 ? `${who} to move` : `Your turn: ${who}`;
      else if (seat.agent) text = play.paused ? `${who} to move, paused` : `${who}: ${seat.called || seat.agent} thinks …`;
      else text = seat.free ? `Waiting for somebody to play ${who}` : `${who} is to move${seat.here ? "" : ", but is away"}`;
    }
    this.status.textContent = text;
    this.status.classList.toggle("mine", this.at === null && play.turn);
    this.status.dataset.over = view.returns ? "yes" : "";
  }

  drawSeats() {
    const { play } = this;
    this.seats.replaceChildren(...play.seats.map((seat, number) => h("div", { class: `seat${this.view.mover === number ? " moving" : ""}` },
      h("span", { class: `chip p${number % 6} c-${seat.name}` }), h("span", { class: "who" }, title(seat.name)), this.seatChoice(seat, number))),
    ...(play.may_hand || play.hand ? [this.handChoice()] : []),
    ...(play.people > 1 ? [h("span", { class: "people" }, `${play.people} people here`)] : []));
  }

  seatChoice(seat, number) {
    const { play } = this;
    const now = seat.mine ? "me" : seat.agent ?? (seat.free ? "open" : "other");
    if (!play.seating) return h("span", { class: "sits" }, seat.mine ? "you" : seat.agent ?? (seat.free ? "free" : seat.here ? "somebody" : "away"));
    const options = [["me", "you"], ["open", "somebody by link"], ...this.gameAbout.agents.map(({ agent, about }) => [agent, agent, about])];
    if (!options.some(([value]) => value === now)) options.push([now, now]);
    options.push(["…", "another agent …"]);
    const select = h("select", { "aria-label": `who plays ${seat.name}`, onchange: () => this.reseat(number, select.value) },
      options.map(([value, text, about]) => h("option", { value, title: about || "" }, text)));
    select.value = now;
    return select;
  }

  /** Whether chance draws, or somebody with real dice says what it does. */
  handChoice() {
    const { play } = this;
    const select = h("select", { "aria-label": "what chance does", disabled: !play.may_hand, onchange: () => this.ask("hand", { hand: select.value === "hand" }).catch((trouble) => { failed(trouble); this.drawSeats(); }) },
      h("option", { value: "drawn" }, "drawn"), h("option", { value: "hand", title: "you have real dice or cards, and say what they show" }, "by hand"));
    select.value = play.hand ? "hand" : "drawn";
    return h("label", { class: "seat chance" }, h("span", { class: "who" }, "Chance"), select);
  }

  async reseat(number, wish) {
    if (wish === "…") wish = prompt("An agent with its options, such as mcts(simulations=2000) or alphabeta(depth=4)", "mcts(simulations=2000)") || null;
    const seats = this.play.seats.map((seat, at) => (at === number ? wish : seat.mine ? "me" : seat.agent ?? "open"));
    if (wish === null) { this.drawSeats(); return; }
    try {
      await this.ask("seats", { seats });
      if (wish === "open") this.shareDialog();
    } catch (trouble) { failed(trouble); this.drawSeats(); }
  }

  drawMoves() {
    const steps = this.history();
    const names = this.gameAbout.players;
    const here = this.shown();
    const mistakes = this.analysis.mistakes();
    this.moves.replaceChildren(
      h("li", { class: here === 0 ? "now" : "" }, h("button", { onclick: () => this.look(0) }, h("span", { class: "who" }, "start"))),
      ...steps.map((step, at) => h("li", { class: here === at + 1 ? "now" : "" }, h("button", { onclick: () => this.look(at + 1), "aria-current": here === at + 1 ? "step" : null },
        h("span", { class: `dot ${step.mover < 0 ? "chance" : `p${step.mover % 6} c-${names[step.mover]}`}` }), h("span", { class: "number" }, at + 1), h("span", { class: "move" }, nice(step.move)),
        step.chance && h("span", { class: "chance" }, step.chance), step.odds && h("span", { class: "odds", title: "how probable this was" }, step.odds),
        step.paid && h("span", { class: "odds" }, `pays ${step.paid.join(", ")}`),
        mistakes.has(at) && h("span", { class: "mistake", title: "a mistake" }, mistakes.get(at))))));
    this.moves.querySelector(".now")?.scrollIntoView?.({ block: "nearest" });
  }

  markMistakes() { if (this.play) this.drawMoves(); }

  /** Shows the position after so many moves; null is the present. */
  async look(at) {
    const most = this.play.view.at;
    if (at === null || at >= most) { this.at = null; this.view = this.play.view; } else {
      this.at = Math.max(0, at);
      try { this.view = await this.ask("look", { at: this.at }); } catch (trouble) { failed(trouble); return; }
    }
    this.draw();
    this.analysis.drawCurve();
    if (this.analysis.on) this.analysis.run();
  }

  /** Marks on the board what an analysis says. */
  mark(answer) {
    if (!this.scene || !this.view) return;
    for (const board of this.scene.boards) board.unmark();
    const about = this.gameAbout;
    const number = answer?.values?.[0]?.number ?? null;
    const part = answer ? share(number, about) : null;
    this.evalbar.hidden = part === null || !about.zero_sum || about.players.length !== 2;
    if (part !== null) {
      this.evalbar.firstChild.style.height = `${Math.round(part * 100)}%`;
      this.evalbar.setAttribute("aria-label", `value to ${about.players[0]}: ${short(answer.values[0], about)}`);
      this.evalbar.title = `${about.players[0]}: ${short(answer.values[0], about)}`;
    }
    if (!answer) return;
    const spots = new Map(this.view.moves.map((move) => [move.text, move.spots]));
    const single = new Map();
    const digits = digitsFor(answer.moves.map((move) => move.worth?.number));
    for (const move of answer.moves) {
      const where = spots.get(move.text);
      if (!where?.length) continue;
      if (where.length === 1) single.set(where[0].join(), [...(single.get(where[0].join()) || []), move]);
      else if (move.best && where[0][0] === where[1][0]) this.scene.boards[where[0][0]]?.arrow(where[0][1], where[1][1], "best");
    }
    for (const [key, moves] of single) {
      const [board, cell] = key.split(",").map(Number);
      const best = moves.reduce((one, other) => ((other.worth?.number ?? -Infinity) > (one.worth?.number ?? -Infinity) ? other : one));
      if (best.worth && (answer.moves.length <= 30 || best.best)) this.scene.boards[board]?.pill(cell, pill(best.worth, about, digits), best.best ? "best" : best.worth.kind);
    }
  }

  // ------------------------------------------------------------------------- rules and parameters

  textChecked(text, good) {
    this.good = good;
    if (good && text !== this.applied && this.play?.alone) this.applySoon();
  }

  async apply() {
    const text = this.editor.text;
    if (!this.good || text === this.applied) return;
    try {
      const { kept } = await this.ask("change", { name: this.name, text, params: this.params });
      this.applied = text;
      say({ play: "The new rules are on; the play goes on under them.", position: "The new rules are on; the position is kept.", nothing: "The new rules are on; the play starts again." }[kept]);
    } catch (trouble) { failed(trouble); }
  }

  drawParams() {
    const fields = this.gameAbout.params.map((param) => {
      const id = `param-${param.name}`;
      const change = (event) => this.setParam(param.name, event.target.value);
      const control = param.choices
        ? h("select", { id, onchange: change }, param.choices.map((choice) => h("option", { value: choice }, choice)))
        : h("input", { id, type: param.low !== undefined ? "number" : "text", min: param.low, max: param.high, onchange: change });
      control.value = param.value;
      return h("label", { for: id, title: param.low !== undefined ? `${param.low} to ${param.high}` : "" }, h("span", {}, param.name.replace(/_/g, " ")), control);
    });
    this.paramsForm.hidden = !fields.length;
    this.paramsForm.replaceChildren(...fields);
  }

  async setParam(name, value) {
    const params = { ...this.params, [name]: value };
    try {
      const { kept } = await this.ask("change", { name: this.name, text: this.applied, params });
      say({ play: "The play goes on with the new value.", position: "The position is kept.", nothing: "The play starts again with the new value." }[kept]);
    } catch (trouble) { failed(trouble); this.drawParams(); }
  }

  // ------------------------------------------------------------------------------------- sharing

  async shareDialog() {
    const dialog = h("dialog", { class: "dialog", "aria-label": "share" });
    const copy = (label, about, link) => {
      const box = h("input", { readonly: true, value: link, "aria-label": label, onfocus: (event) => event.target.select() });
      return h("div", { class: "sharing" }, h("h3", {}, label), h("p", { class: "how" }, about), h("div", { class: "copyrow" }, box, h("button", { class: "small", onclick: async () => { try { await navigator.clipboard.writeText(link); say("Copied."); } catch { box.select(); } } }, "Copy")));
    };
    const base = location.origin;
    const game = { n: this.name, p: this.params, t: this.editor.text };
    const parts = [copy("Join this play", "Whoever opens it takes a free seat, or watches. Make a seat free by choosing “somebody by link”.", `${base}/play/${this.room}`)];
    parts.push(copy("The game as it is now", "Rules and parameters are in the link itself.", `${base}/shared#${await pack(game)}`));
    if (this.play.record) {
      try {
        const recorded = await this.ask("record");
        const [{ start, moves }] = recorded.plays;
        const play = { ...game, s: start, m: moves.map((step) => (step.probability === "1" ? [step.move] : [step.move, step.position])), w: this.play.seats.map((seat) => seat.agent ?? "me") };
        parts.splice(1, 0, copy("The play so far", "The moves are in the link itself; nothing is stored anywhere.", `${base}/shared#${await pack(play)}`));
        parts.push(h("div", { class: "files" }, h("button", { class: "small", onclick: () => download(`${this.gameAbout.name}.play.json`, JSON.stringify(recorded, null, 2), "application/json") }, "Save the play as a file")));
      } catch (trouble) { failed(trouble); }
    }
    const file = h("input", { type: "file", accept: ".gdl,.json", class: "file", "aria-label": "open a file", onchange: () => { dialog.close(); this.openFile(file.files[0]); } });
    parts.push(h("div", { class: "files" }, h("button", { class: "small", onclick: () => download(`${this.gameAbout.name}.gdl`, this.editor.text, "text/plain") }, "Save the rules as a file"), h("label", { class: "small" }, "Open rules or a play from a file", file)));
    dialog.append(h("h2", {}, "Share"), ...parts, h("form", { method: "dialog" }, h("button", { class: "button" }, "Close")));
    document.body.append(dialog);
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    dialog.showModal();
  }

  /** A file with rules, or with a play of the rules that are open. */
  async openFile(file) {
    try {
      if (file.size > 2_000_000) throw { message: "this file is too large" };
      const text = await file.text();
      if (!file.name.endsWith(".json")) {
        await this.ask("open", { name: file.name.replace(/\.gdl$/, ""), text: text.replace(/\r\n/g, "\n") });
        return;
      }
      const [{ start, moves }] = JSON.parse(text).plays;
      await this.ask("open", { name: this.name, text: this.applied, params: JSON.parse(text).params, start, moves: moves.map(({ move, position }) => ({ move, position })), seats: this.play.seats.map((seat) => seat.agent ?? "me") });
    } catch (trouble) { failed(trouble instanceof Error ? { message: "this is not a play that gdl wrote" } : trouble); }
  }

  // ---------------------------------------------------------------------------------------- keys

  key(event) {
    if (event.target.closest?.("input, textarea, select, dialog, .cell, [role=menu]") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!this.play) return;
    const run = {
      ArrowLeft: () => this.look(this.shown() - 1), ArrowRight: () => this.look(this.shown() + 1),
      u: () => !this.controls.undo.disabled && this.controls.undo.click(), r: () => !this.controls.redo.disabled && this.controls.redo.click(),
      a: () => { this.choose("analysis"); this.analysis.toggle(); },
    }[event.key];
    if (run) { event.preventDefault(); run(); }
  }
}

/** `play((diamonds, 4))` as people would rather read it. */
function nice(text) { return text.replace(/_/g, " "); }

function pill(worth, about, digits) {
  const text = short(worth, about);
  return { wins: "+", loses: "−", draws: "=" }[text] ?? (worth.number === null ? text.slice(0, 5) : figure(worth.number, digits));
}
