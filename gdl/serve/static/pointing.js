// Moves by pointing: click after click, dragging, or with the arrow keys. Works as gdl/table/pointing.py says:
// a move means its spots in their order; where none is meant, the only move of a column is.

import { h } from "./dom.js";

export class Pointing {
  /** scene: a Scene; moves: [{text, label, spots}]; play: called with the text of a move. */
  constructor(scene, moves, play, changed = []) {
    this.scene = scene;
    this.moves = moves;
    this.play = play;
    this.chosen = [];
    this.scene.boards.forEach((board) => this.attach(board));
    for (const [board, cell] of changed) this.scene.boards[board]?.mark(cell, "changed");
    this.show();
  }

  fitting(chosen = this.chosen) {
    return this.moves.filter(({ spots }) => chosen.every(([b, c], at) => spots[at] && spots[at][0] === b && spots[at][1] === c));
  }

  targets() {
    const at = this.chosen.length;
    return this.fitting().filter(({ spots }) => spots.length > at).map(({ spots }) => spots[at]);
  }

  /** Somebody points at a cell. */
  point(board, cell) {
    const next = [...this.chosen, [board, cell]];
    let found = this.fitting(next);
    if (!found.length && this.chosen.length) { // another beginning
      this.chosen = [];
      if (!this.fitting([[board, cell]]).length) { this.show(); return; }
      this.point(board, cell);
      return;
    }
    if (!found.length) {
      found = this.inColumn(board, cell);
      if (found.length !== 1) { this.show(); return; }
      this.make(found[0]);
      return;
    }
    this.chosen = next;
    if (found.length === 1) this.make(found[0]);
    else if (found.every(({ spots }) => spots.length <= next.length)) this.choose(found, board, cell);
    else this.show();
  }

  inColumn(board, cell) {
    const { data } = this.scene.boards[board];
    if (data.kind !== "grid") return [];
    const column = data.places[cell][0];
    return this.moves.filter(({ spots }) => spots.some(([b, c]) => b === board && data.places[c][0] === column));
  }

  make(move) {
    this.chosen = [];
    this.close();
    this.play(move.text);
  }

  /** Several moves point at the same cells: a person chooses by name. */
  choose(moves, board, cell) {
    this.show();
    const frame = this.scene.boards[board].element;
    const box = frame.getBoundingClientRect();
    const spot = this.scene.boards[board].cells[cell].element.getBoundingClientRect();
    this.menu = h("div", { class: "chooser", role: "menu", "aria-label": "which move?" },
      moves.map((move) => h("button", { role: "menuitem", onclick: () => this.make(move) }, move.text)));
    this.menu.style.left = `${Math.max(0, Math.min(box.width - 140, spot.left - box.left))}px`;
    this.menu.style.top = `${spot.bottom - box.top + 4}px`;
    frame.append(this.menu);
    this.menu.querySelector("button").focus();
    this.menu.addEventListener("keydown", (event) => {
      const buttons = [...this.menu.querySelectorAll("button")];
      const here = buttons.indexOf(document.activeElement);
      if (event.key === "Escape") { this.chosen = []; this.close(); this.show(); }
      if (event.key === "ArrowDown") buttons[(here + 1) % buttons.length].focus();
      if (event.key === "ArrowUp") buttons[(here + buttons.length - 1) % buttons.length].focus();
    });
  }

  close() { this.menu?.remove(); this.menu = null; }

  show() {
    if (!this.chosen.length) this.close();
    const targets = this.targets();
    for (const board of this.scene.boards) board.clear("target", "chosen", "first");
    for (const [board, cell] of targets) this.scene.boards[board]?.mark(cell, this.chosen.length ? "target" : "first");
    // Where a click is all that it takes, the cells are targets at once.
    if (!this.chosen.length) for (const { spots } of this.moves) if (spots.length === 1) this.scene.boards[spots[0][0]]?.mark(spots[0][1], "target");
    for (const [board, cell] of this.chosen) this.scene.boards[board]?.mark(cell, "chosen");
    this.scene.boards.forEach((board, number) => board.cells.forEach((cell, at) => {
      const may = targets.some(([b, c]) => b === number && c === at);
      const is = this.chosen.some(([b, c]) => b === number && c === at) ? ", chosen" : may ? ", may be chosen" : "";
      cell.element.setAttribute("aria-label", `${cell.name}, ${cell.stone.name}${is}`);
    }));
  }

  // ------------------------------------------------------------------------- mouse, touch, keys

  attach(board) {
    board.cells.forEach((cell, number) => {
      cell.element.setAttribute("role", "button");
      cell.element.setAttribute("tabindex", number ? "-1" : "0");
    });
    const at = (event) => {
      const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".cell");
      return cell && cell.ownerSVGElement === board.svg ? Number(cell.dataset.cell) : null;
    };
    board.svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const cell = at(event);
      if (cell === null) return;
      this.pressed = { cell, x: event.clientX, y: event.clientY, id: event.pointerId };
    });
    board.svg.addEventListener("pointermove", (event) => {
      const { pressed } = this;
      if (!pressed) return;
      const apart = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y);
      if (!this.dragged && apart > 7 && !board.cells[pressed.cell].empty && this.fitting([[board.number, pressed.cell]]).some(({ spots }) => spots.length > 1)) {
        this.chosen = [[board.number, pressed.cell]];
        this.dragged = board.cells[pressed.cell];
        this.after = this.dragged.element.nextSibling;
        board.svg.append(this.dragged.element); // above all others while it moves
        board.svg.setPointerCapture(pressed.id);
        this.show();
      }
      if (this.dragged) {
        const scale = board.svg.viewBox.baseVal.width / board.svg.getBoundingClientRect().width;
        this.dragged.man.setAttribute("transform", `translate(${(event.clientX - pressed.x) * scale} ${(event.clientY - pressed.y) * scale})`);
      }
    });
    const up = (event) => {
      const { pressed, dragged } = this;
      if (!pressed) return;
      this.drop(board);
      const cell = at(event);
      if (dragged) {
        if (cell !== null && cell !== pressed.cell && this.fitting([...this.chosen, [board.number, cell]]).length) this.point(board.number, cell);
        else { this.chosen = []; this.show(); }
      } else if (cell !== null && cell === pressed.cell) this.point(board.number, cell);
    };
    board.svg.addEventListener("pointerup", up);
    board.svg.addEventListener("pointercancel", () => this.drop(board));
    board.svg.addEventListener("keydown", (event) => this.key(event, board));
  }

  /** Puts what was dragged back into its place, and into its order. */
  drop(board) {
    this.dragged?.man.removeAttribute("transform");
    if (this.dragged) board.svg.insertBefore(this.dragged.element, this.after);
    this.pressed = this.dragged = null;
  }

  key(event, board) {
    const here = Number(event.target.closest?.(".cell")?.dataset.cell ?? -1);
    if (here < 0) return;
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key in ways) {
      event.preventDefault();
      event.stopPropagation();
      const next = nearest(board, here, ways[event.key]);
      if (next === null) return;
      board.cells[here].element.setAttribute("tabindex", "-1");
      board.cells[next].element.setAttribute("tabindex", "0");
      board.cells[next].element.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.focus = [board.number, here];
      this.point(board.number, here);
    } else if (event.key === "Escape" && this.chosen.length) { this.chosen = []; this.show(); event.stopPropagation(); }
  }
}

/** The nearest cell in a direction: what lies aside counts as further away. */
function nearest(board, here, [right, down]) {
  const [x, y] = board.at[here];
  let best = null;
  let least = Infinity;
  board.at.forEach(([ox, oy], cell) => {
    const ahead = (ox - x) * right + (oy - y) * down;
    if (ahead < 1) return;
    const aside = Math.abs((ox - x) * down) + Math.abs((oy - y) * right);
    const far = ahead + 3 * aside;
    if (far < least) { least = far; best = cell; }
  });
  return best;
}
