// Pictures as graphics: boards of squares, hexagons and graphs, stones, tiles, and words between them.
//
// A board comes as data: where its cells are, and what stands on each as [glyph, owner, name, nothing], with what stands
// below that in the same square as a fifth. What a stone looks like follows from that alone: who owns it, whether it is a
// number, a wall, a letter.

import { h, s } from "./dom.js";

const CELL = 48;
const COLOURS = ["white", "black", "red", "blue", "green", "yellow", "light", "dark", "orange", "purple", "brown"];
const MEN = { K: "♚", Q: "♛", R: "♜", B: "♝", N: "♞", P: "♟" };
const BESIDE = 12; // columns that can be told apart and touched on a phone
const SUITS = { clubs: "♣", diamonds: "♦", hearts: "♥", spades: "♠" };

/** Whether the window is as narrow as a phone; what was drawn for another width is drawn again when it changes. */
export const NARROW = window.matchMedia("(max-width: 560px)");

/** A picture as an element, without anything to click. */
export function drawPicture(picture, { players = [], small = false } = {}) {
  return new Scene(picture, players, { small }).element;
}

/** The boards and words of a picture; `boards` can be marked and pointed at. */
export class Scene {
  constructor(picture, players, options = {}) {
    this.boards = [];
    const rows = picture.map((row) => this.row(row, players, options));
    const kind = `${options.small ? " thumb" : ""}${this.boards.length ? "" : " wordy"}`;
    this.element = h("div", { class: `scene${kind}` }, rows);
    this.wide = Math.max(0, ...picture.map((row) => row.filter((part) => typeof part !== "string").length)) * Math.max(0, ...this.boards.map((board) => board.wide));
  }

  row(row, players, options) {
    const parts = [];
    let text = "";
    const flush = () => {
      if (text.trim()) parts.push(words(text, players));
      text = "";
    };
    for (const part of row) {
      if (typeof part === "string") { text += part; continue; }
      flush();
      const board = new Board(part, players, this.boards.length, options);
      this.boards.push(board);
      parts.push(board.element);
    }
    flush();
    return h("div", { class: "row" }, parts);
  }
}

// ------------------------------------------------------------------------------------- words

/** A line of words; `hand: alice={1, 2} bob=?; to play {5, 6}` becomes words and tiles. */
function words(text, players) {
  const parts = [...split(text.trim(), "; ")].map((part) => [part, /^([a-z]\w*(?:\[[\w, ]+\])?): *(.*)$/is.exec(part) ?? /^([^{}]*)(\{.*\})$/s.exec(part)]);
  if (!parts.some(([, named]) => named)) return h("p", { class: "line" }, text.trim());
  return h("p", { class: "line values" }, parts.map(([part, named]) => (named ? values(named[1], named[2], players) : h("span", { class: "name" }, part))));
}

function values(name, rest, players) {
  const keyed = [...split(rest, " ")].map((part) => /^(\w+)=(.+)$/s.exec(part));
  const groups = keyed.length && keyed.every(Boolean) ? keyed.map(([, key, value]) => [key, value]) : [["", rest]];
  return [h("span", { class: "name" }, name.replace(/_/g, " ")),
    groups.map(([key, value]) => h("span", { class: "group" },
      key && h("span", { class: `key ${owner(key, players)}` }, key), tiles(value)))];
}

function owner(key, players) {
  const number = players.indexOf(key);
  return number < 0 ? "" : `p${number % 6}`;
}

function tiles(value) {
  const inside = /^\{(.*)\}$/.exec(value);
  const items = inside ? (inside[1] ? [...split(inside[1], ", ")] : []) : /[({]/.test(value) ? [value] : value.split(" ").filter(Boolean);
  if (!items.length) return h("span", { class: "nothing", title: "none" }, "–");
  return items.map((item) => h("span", { class: `tile${item === "?" ? " unknown" : ""}${item === "none" ? " nothing" : ""}` }, card(item)));
}

/** `(diamonds, 4)` as a card, anything else as it is written. */
function card(text) {
  const found = /^\((\w+), (\w+)\)$/.exec(text);
  if (found && SUITS[found[1]]) return h("span", { class: /diamonds|hearts/.test(found[1]) ? "suit warm" : "suit" }, `${found[2]}${SUITS[found[1]]}`);
  return text.replace(/_/g, " ");
}

/** The parts of a text between separators that stand outside of brackets. */
function* split(text, separator) {
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if ("({[".includes(text[at])) depth++;
    else if (")}]".includes(text[at])) depth--;
    else if (!depth && text.startsWith(separator, at)) { yield text.slice(from, at); from = at + separator.length; at = from - 1; }
  }
  yield text.slice(from);
}

// ------------------------------------------------------------------------------------ boards

/** The places of cells; on a phone the parts of a wide board, with empty columns between them, go on below. */
function folded({ kind, places, rows, cols }) {
  const used = new Set(places.map(([x]) => x));
  if (!NARROW.matches || kind !== "grid" || Math.max(...used) < BESIDE || [...rows, ...cols].some(Boolean)) return places;
  const begins = [...used].filter((x) => !used.has(x - 1)).sort((a, b) => a - b);
  const wide = begins.length > 1 ? begins[1] - begins[0] - 1 : Infinity;
  const beside = Math.max(1, begins.filter((x) => x + wide <= BESIDE).length);
  const high = Math.max(...places.map(([, y]) => y)) + 2;
  return places.map(([x, y]) => {
    const part = begins.findLastIndex((begin) => begin <= x);
    return [begins[part % beside] + x - begins[part], y + Math.floor(part / beside) * high];
  });
}

class Board {
  constructor(data, players, number, options) {
    this.data = data;
    this.number = number;
    this.players = players;
    this.looks = looks(data, players);
    const graph = data.kind === "graph";
    const hex = data.kind === "hex";
    this.step = graph ? CELL * 1.35 : CELL;
    this.down = hex ? CELL * 0.866 : this.step;
    this.labelled = !graph && !options.small && [...data.rows, ...data.cols].some(Boolean);
    const margin = this.labelled ? 22 : 6;
    this.at = (options.small ? data.places : folded(data)).map(([x, y]) => [margin + (x + 0.5) * this.step, (this.labelled && !data.flip ? margin : 6) + (y + 0.5) * this.down]);
    const width = Math.max(...this.at.map(([x]) => x)) + CELL / 2 + 6;
    const bottom = this.labelled && data.flip ? 20 : 6;
    const height = Math.max(...this.at.map(([, y]) => y)) + CELL * (hex ? 0.58 : 0.5) + bottom;
    this.cells = data.places.map((_, cell) => this.cell(cell));
    this.over = s("g", { class: "over", "pointer-events": "none" });
    this.svg = s("svg", {
      class: `board ${data.kind}${data.steps ? " checkered" : ""}`, viewBox: `0 0 ${round(width)} ${round(height)}`, width: round(width), height: round(height),
      role: options.small ? "presentation" : "group", "aria-label": data.title || "board",
    }, graph && this.lines(), this.labelled && this.labels(margin), this.cells.map((cell) => cell.element), this.over);
    this.element = h("figure", { class: "boardframe" }, data.title && h("figcaption", {}, data.title.replace(/_/g, " ")), this.svg);
    this.wide = Math.round(width);
    this.element.style.setProperty("--wide", this.wide);
  }

  cell(cell) {
    const { data } = this;
    const [x, y] = this.at[cell];
    const stone = this.looks[data.stones[cell]];
    const [column, row] = data.places[cell];
    const shape = data.kind === "hex" ? s("path", { class: "ground", d: hexagon(x, y, CELL * 0.555) })
      : data.kind === "graph" ? s("circle", { class: "ground", cx: x, cy: y, r: CELL * 0.36 })
        : s("rect", { class: `ground${(column + row) % 2 ? " dark" : ""}`, x: x - CELL / 2 + 0.75, y: y - CELL / 2 + 0.75, width: CELL - 1.5, height: CELL - 1.5, rx: 4 });
    const mark = s("circle", { class: `mark${stone.empty ? "" : " taken"}`, "pointer-events": "none", cx: x, cy: y, r: stone.empty ? 6 : CELL * (data.kind === "graph" ? 0.33 : 0.44) });
    const man = s("g", { class: "man", "pointer-events": "none" }, stone.draw(x, y, data.kind === "graph" ? CELL * 0.76 : CELL));
    const element = s("g", { class: "cell", "data-cell": cell, "data-board": this.number }, shape, man, mark);
    return { element, shape, mark, man, name: data.names[cell], stone, empty: stone.empty };
  }

  lines() {
    return this.data.edges.map(([from, to]) => {
      const [[x1, y1], [x2, y2]] = [this.at[from], this.at[to]];
      return s("line", { class: "edge", x1, y1, x2, y2 });
    });
  }

  labels(margin) {
    const { data } = this;
    const across = data.flip ? Math.max(...this.at.map(([, y]) => y)) + CELL * 0.5 + 12 : 12;
    const rows = data.rows.map((text, row) => {
      const inRow = this.at.filter((_, cell) => data.places[cell][1] === row);
      if (!inRow.length) return null;
      const left = Math.min(...inRow.map(([x]) => x)) - CELL / 2;
      return s("text", { class: "label", x: left - 10, y: inRow[0][1] }, text);
    });
    const edge = data.flip ? data.rows.length - 1 : 0;
    const cols = data.cols.map((text, col) => {
      const cell = data.places.findIndex(([x, y]) => y === edge && Math.floor(x - firstShift(data, edge)) === col);
      const x = cell >= 0 ? this.at[cell][0] : margin + (col + 0.5) * this.step;
      return s("text", { class: "label", x, y: across }, text);
    });
    return s("g", { "aria-hidden": "true" }, rows, cols);
  }

  /** Marks a cell: "target", "chosen", "changed", "first" … */
  mark(cell, kind) { this.cells[cell].element.classList.add(kind); }

  clear(...kinds) { for (const { element } of this.cells) element.classList.remove(...kinds); }

  /** A small label on a cell: what a move there is worth. */
  pill(cell, text, kind) {
    this.svg.classList.add("valued");
    const [x, y] = this.at[cell];
    const width = Math.max(18, 7 + text.length * 6.4);
    this.over.append(s("g", { class: `pill ${kind}` },
      s("rect", { x: x - width / 2, y: y + CELL * 0.5 - 17, width, height: 15, rx: 7.5 }),
      s("text", { x, y: y + CELL * 0.5 - 9.3 }, text)));
  }

  arrow(from, to, kind) {
    const [[x1, y1], [x2, y2]] = [this.at[from], this.at[to]];
    const long = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [ux, uy] = [(x2 - x1) / long, (y2 - y1) / long];
    const [ex, ey] = [x2 - ux * 14, y2 - uy * 14];
    const [bx, by] = [ex - ux * 9, ey - uy * 9];
    this.over.append(s("path", {
      class: `arrow ${kind}`, d: `M${round(x1 + ux * 12)} ${round(y1 + uy * 12)}L${round(bx)} ${round(by)}M${round(ex)} ${round(ey)}L${round(bx - uy * 6)} ${round(by + ux * 6)}L${round(bx + uy * 6)} ${round(by - ux * 6)}Z`,
    }));
  }

  unmark() {
    this.over.replaceChildren();
    this.svg.classList.remove("valued");
  }
}

function firstShift(data, row) {
  const inRow = data.places.filter(([, y]) => y === row).map(([x]) => x);
  return data.kind === "hex" ? Math.min(...inRow) - Math.floor(0) : 0;
}

const round = (number) => Math.round(number * 10) / 10;

function hexagon(x, y, r) {
  const points = [0, 1, 2, 3, 4, 5].map((k) => `${round(x + r * Math.sin(k * Math.PI / 3))} ${round(y - r * Math.cos(k * Math.PI / 3))}`);
  return `M${points.join("L")}Z`;
}

// ------------------------------------------------------------------------------------ stones

/** What every entry of a palette looks like. */
function looks(data, players) {
  const glyphs = data.palette.flatMap(linesOf).filter((look) => !isEmpty(look)).map(([glyph]) => glyph);
  const board = {
    men: glyphs.length > 0 && glyphs.some((glyph) => /^[Kk]$/.test(glyph)) && glyphs.every((glyph) => /^[KQRBNPkqrbnp]$/.test(glyph)),
    numbers: glyphs.length > 0 && glyphs.every((glyph) => /^-?\d+$/.test(glyph)),
    signed: glyphs.some((glyph) => /^-\d+$/.test(glyph)),
    powers: glyphs.some((glyph) => Number(glyph) >= 2) && glyphs.every((glyph) => glyph === "0" || (Number(glyph) >= 2 && Number.isInteger(Math.log2(Number(glyph))))),
    lines: glyphs.length > 0 && (glyphs.every((glyph) => /^[-|]$/.test(glyph)) || (glyphs.includes("+") && glyphs.every((glyph) => /^[-+|]$/.test(glyph) || ownerOf(glyph, players) !== null))),
    players,
  };
  return data.palette.map((look) => (look[4] ? square(linesOf(look), board) : appearance(look, board)));
}

/** What stands on the lines of a square, from the top. */
function linesOf(look) { return look[4] ? [look.slice(0, 4), ...linesOf(look[4])] : [look]; }

/** A square of several lines: each as it would look alone, but smaller. */
function square(lines, board) {
  const parts = lines.map((line) => appearance(line, board));
  const names = parts.filter((part) => !part.empty).map((part) => part.name);
  return {
    name: names.join(" above ") || "empty",
    empty: names.length === 0,
    draw: (x, y, room) => parts.map((part, line) => part.draw(x, y + (line - (parts.length - 1) / 2) * room * 0.9 / parts.length, room * 1.1 / parts.length)),
  };
}

function isEmpty([glyph, , , nothing]) { return nothing || !glyph.trim() || glyph === "." || glyph === "·"; }

/** The player that a glyph stands for: by name, or as the only one with that first letter. */
function ownerOf(glyph, players) {
  const word = glyph.toLowerCase();
  const exact = players.findIndex((name) => name.toLowerCase() === word);
  if (exact >= 0) return exact;
  if (!/^[a-z]$/.test(word)) return null;
  const begin = players.map((name, number) => [name[0].toLowerCase(), number]).filter(([first]) => first === word);
  return begin.length === 1 ? begin[0][1] : null;
}

function appearance(look, board) {
  const [glyph, given, name] = look;
  if (isEmpty(look)) return { empty: true, name: "empty", draw: () => [] };
  if (glyph === "?") return { name: "unknown", draw: (x, y, room) => [s("circle", { class: "unknown", cx: x, cy: y, r: room * 0.3 }), letter(x, y, "?", room * 0.42, "unknowntext")] };
  if (board.men) {
    const white = glyph === glyph.toUpperCase();
    return { name: `${white ? "white" : "black"} ${glyph}`, draw: (x, y, room) => letter(x, y, `${MEN[glyph.toUpperCase()]}\uFE0E`, room * 0.82, `chessman ${white ? "w" : "b"}`) };
  }
  if (board.lines && given === null && /^[-+|]$/.test(glyph)) return { name: { "-": "line", "|": "line", "+": "dot" }[glyph], empty: glyph === "+", draw: (x, y) => ruled(x, y, glyph) };
  const owner = given ?? (board.numbers ? null : ownerOf(glyph, board.players));
  if (owner !== null) {
    const player = name || board.players[owner] || glyph;
    return { name: player, draw: (x, y, room) => disc(x, y, room, owner, player, glyph) };
  }
  if (board.numbers) return { name: glyph, empty: glyph === "0", draw: (x, y, room) => number(x, y, room, glyph, board) };
  if (glyph === "#") return { name: "taken", draw: (x, y, room) => s("rect", { class: "block", x: x - room * 0.38, y: y - room * 0.38, width: room * 0.76, height: room * 0.76, rx: 6 }) };
  if (glyph === "*") return { name: "marked", draw: (x, y, room) => s("path", { class: "star", d: star(x, y, room * 0.26) }) };
  if (/^[xo]$/i.test(glyph)) {
    const second = /^o$/i.test(glyph);
    const king = glyph === glyph.toUpperCase();
    return { name: `${second ? "o" : "x"}${king ? ", large" : ""}`, draw: (x, y, room) => [disc(x, y, room, second ? 1 : 0, board.players[second ? 1 : 0] || "", ""), king && s("circle", { class: `ringed ${inkOf(board.players[second ? 1 : 0], second ? 1 : 0)}`, cx: x, cy: y, r: room * 0.2 })] };
  }
  return { name: glyph.replace(/_/g, " "), draw: (x, y, room) => tile(x, y, room, glyph) };
}

function paintOf(player, owner) {
  const named = COLOURS.includes((player || "").toLowerCase()) ? player.toLowerCase() : null;
  return named ? `c-${named}` : `p${owner % 6}`;
}

function inkOf(player, owner) { return `on-${paintOf(player, owner)}`; }

function disc(x, y, room, owner, player, glyph) {
  const paint = paintOf(player, owner);
  const r = room * 0.38;
  const parts = [s("circle", { class: `disc ${paint}`, cx: x, cy: y, r })];
  const engraved = paint.startsWith("p") && glyph ? glyph : "";
  if (/^x$/i.test(engraved)) {
    const d = r * 0.42;
    parts.push(s("path", { class: `engraved on-${paint}`, d: `M${x - d} ${y - d}L${x + d} ${y + d}M${x + d} ${y - d}L${x - d} ${y + d}` }));
  } else if (/^o$/i.test(engraved)) parts.push(s("circle", { class: `engraved on-${paint}`, cx: x, cy: y, r: r * 0.46 }));
  else if (engraved.length > 0 && engraved.length <= 3 && engraved.toLowerCase() !== player.toLowerCase()) parts.push(letter(x, y, engraved, room * 0.36, `inlaid on-${paint}`));
  else if (engraved) parts.push(letter(x, y, player[0].toUpperCase(), room * 0.36, `inlaid on-${paint}`));
  return parts;
}

function number(x, y, room, glyph, board) {
  const value = Number(glyph);
  if (!value) return board.powers ? [] : letter(x, y, "0", room * 0.3, "zero");
  const size = room * (glyph.length > 3 ? 0.3 : glyph.length > 2 ? 0.36 : 0.44);
  if (board.signed) {
    const owner = value < 0 ? 1 : 0;
    const paint = paintOf(board.players[owner], owner);
    return [s("rect", { class: `disc ${paint}`, x: x - room * 0.36, y: y - room * 0.36, width: room * 0.72, height: room * 0.72, rx: 8 }), letter(x, y, String(Math.abs(value)), size, `inlaid on-${paint}`)];
  }
  if (board.powers) return [s("rect", { class: `heat h${Math.min(11, Math.log2(value))}`, x: x - room * 0.44, y: y - room * 0.44, width: room * 0.88, height: room * 0.88, rx: 6 }), letter(x, y, glyph, size, `heattext ${value > 4 ? "hot" : ""}`)];
  return letter(x, y, glyph, size, "plain");
}

function tile(x, y, room, glyph) {
  const text = glyph.replace(/_/g, " ");
  const wide = [...text].length;
  return [s("rect", { class: "tilebox", x: x - room * 0.38, y: y - room * 0.38, width: room * 0.76, height: room * 0.76, rx: 7 }), letter(x, y, text, Math.min(room * 0.46, (1.15 * room) / Math.max(1, wide)), "plain")];
}

function ruled(x, y, glyph) {
  if (glyph === "+") return s("circle", { class: "dot", cx: x, cy: y, r: 4.5 });
  const half = CELL * 0.5;
  return s("line", glyph === "-" ? { class: "stroke", x1: x - half, y1: y, x2: x + half, y2: y } : { class: "stroke", x1: x, y1: y - half, x2: x, y2: y + half });
}

function letter(x, y, text, size, kind) { return s("text", { class: kind, x: round(x), y: round(y), "font-size": round(size) }, text); }

function star(x, y, r) {
  const points = [...Array(10).keys()].map((k) => { const d = k % 2 ? r * 0.45 : r; return `${round(x + d * Math.sin(k * Math.PI / 5))} ${round(y - d * Math.cos(k * Math.PI / 5))}`; });
  return `M${points.join("L")}Z`;
}
