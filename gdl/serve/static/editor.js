// The editor: a text area, so that the browser's own editing, undo, input methods and screen readers work, over a
// coloured copy of its text. What the words are and what is wrong with them is asked of the server at every change;
// until the answer comes the colours move along with the text.

import { after, h } from "./dom.js";

export class Editor {
  /** ask(what, details) asks the server; changed(text, good) hears of every text that was checked. */
  constructor({ ask, changed }) {
    this.ask = ask;
    this.changed = changed;
    this.tokens = [];
    this.problems = [];
    this.text = "";
    this.area = h("textarea", {
      class: "code", spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", "aria-label": "the rules of the game",
      "aria-describedby": "problems", oninput: () => this.edited(), onkeydown: (event) => this.key(event),
      onblur: () => setTimeout(() => this.closeList(), 150), onclick: () => this.closeList(), onmousemove: (event) => this.pointed(event), onmouseleave: () => this.untip(),
    });
    this.paint = h("pre", { class: "code paint", "aria-hidden": "true" });
    this.gutter = h("pre", { class: "gutter", "aria-hidden": "true" });
    this.list = h("ul", { class: "complete", role: "listbox", "aria-label": "completions", hidden: true });
    this.tip = h("div", { class: "tip", role: "tooltip", hidden: true });
    this.under = h("div", { class: "problems", id: "problems", role: "log", "aria-live": "polite", "aria-label": "problems" });
    this.scroller = h("div", { class: "scroller" }, this.gutter, h("div", { class: "stack" }, this.paint, this.area, this.list, this.tip));
    this.element = h("div", { class: "editor" }, this.scroller, this.under);
    this.completeSoon = after(90, () => this.complete(false));
    this.explainSoon = after(350, (offset, x, y) => this.explain(offset, x, y));
  }

  set(text) {
    this.area.value = text;
    this.text = text;
    this.tokens = [];
    this.problems = [];
    this.draw();
    this.check();
  }

  // ---------------------------------------------------------------------------------- changes

  edited() {
    const before = this.text;
    const now = this.area.value;
    this.text = now;
    this.shift(before, now);
    this.draw();
    this.check();
    const typed = /[\w]$/.test(now.slice(0, this.area.selectionStart));
    if (typed && now.length > before.length) this.completeSoon();
    else this.closeList();
  }

  /** Colours and marks move along with the text around a change. */
  shift(before, now) {
    const most = Math.min(before.length, now.length);
    let start = 0;
    while (start < most && before[start] === now[start]) start++;
    let end = 0;
    while (end < most - start && before[before.length - 1 - end] === now[now.length - 1 - end]) end++;
    const from = before.length - end;
    const by = now.length - before.length;
    const move = ([a, b, ...rest]) => (b <= start ? [a, b, ...rest] : a >= from ? [a + by, b + by, ...rest] : [Math.min(a, start), Math.max(b + by, Math.min(a, start)), ...rest]);
    this.tokens = this.tokens.map(move).filter(([a, b]) => b > a);
    this.problems = this.problems.map((problem) => ({ ...problem, span: move(problem.span) }));
  }

  /** Asks what is to be said of the text: one question at a time, the newest text last. */
  async check() {
    if (this.checking) { this.again = true; return; }
    this.checking = true;
    const text = this.text;
    const begun = performance.now();
    try {
      const found = await this.ask("check", { text });
      this.took = performance.now() - begun;
      if (text === this.text) {
        this.tokens = found.tokens;
        this.problems = found.diagnostics;
        this.draw();
        this.tell();
        this.element.dataset.checked = String(text.length);
        this.changed(text, found.good);
      }
    } catch (trouble) {
      this.under.replaceChildren(h("p", { class: "problem error" }, trouble.message));
    } finally {
      this.checking = false;
      if (this.again) { this.again = false; this.check(); }
    }
  }

  // --------------------------------------------------------------------------------- drawing

  draw() {
    const lines = this.text.split("\n").length;
    if (lines !== this.lines) {
      this.lines = lines;
      this.gutter.textContent = [...Array(lines).keys()].map((line) => line + 1).join("\n");
    }
    const marks = this.problems.filter(({ span }) => span[1] >= span[0]).map(({ span: [a, b], severity }) => [a, Math.max(b, a + 1), severity]);
    const cuts = new Set([0, this.text.length]);
    for (const [a, b] of this.tokens) { cuts.add(a); cuts.add(b); }
    for (const [a, b] of marks) { cuts.add(a); cuts.add(Math.min(b, this.text.length)); }
    const places = [...cuts].sort((a, b) => a - b);
    const parts = [];
    let token = 0;
    for (let at = 0; at + 1 < places.length; at++) {
      const [a, b] = [places[at], places[at + 1]];
      while (token < this.tokens.length && this.tokens[token][1] <= a) token++;
      const here = this.tokens[token];
      const kind = here && here[0] <= a && here[1] >= b ? `t-${here[2]}` : "";
      const mark = marks.find(([from, to]) => from <= a && to >= b);
      const text = this.text.slice(a, b);
      parts.push(kind || mark ? h("span", { class: `${kind}${mark ? ` squiggle ${mark[2]}` : ""}` }, text) : text);
    }
    this.paint.replaceChildren(...parts, "\n");
  }

  /** The problems as a list, each with the edits that mend it. */
  tell() {
    const order = { error: 0, warning: 1, note: 2 };
    const shown = [...this.problems].sort((a, b) => order[a.severity] - order[b.severity]).slice(0, 20);
    this.under.replaceChildren(...shown.map((problem) => h("div", { class: `problem ${problem.severity}`, "data-code": problem.code },
      h("button", { class: "where", title: "go there", onclick: () => this.go(problem.span) }, `line ${problem.line}`),
      h("span", { class: "what" }, h("span", { class: "codeword" }, problem.code), " ", plain(problem.message), problem.hint && h("span", { class: "hint" }, plain(problem.hint))),
      problem.fixes.map((fix) => h("button", { class: "fix", onclick: () => this.mend(fix) }, plain(fix.title))))));
    this.under.hidden = !shown.length;
    if (document.activeElement === this.area) this.reveal();
  }

  /** Scrolls to where somebody writes: the problems below may have covered it. */
  reveal() {
    const { scroller } = this;
    const [, y] = this.place(this.area.selectionEnd);
    const below = y + 2 * this.lineHeight() - scroller.clientHeight;
    if (scroller.scrollTop < below) scroller.scrollTop = below;
  }

  go([start, end]) {
    this.area.focus();
    this.area.setSelectionRange(start, end);
    const line = this.text.slice(0, start).split("\n").length;
    this.scroller.scrollTop = Math.max(0, (line - 6) * this.lineHeight());
  }

  /** Makes the edits of a fix, the last one first, so that places stay true. */
  mend(fix) {
    for (const [start, end, text] of [...fix.edits].sort((a, b) => b[0] - a[0])) this.insert(text, start, end);
    this.area.focus();
  }

  insert(text, start = this.area.selectionStart, end = this.area.selectionEnd) {
    this.area.focus();
    this.area.setSelectionRange(start, end);
    // The browser's own command keeps its undo; where there is none the text is simply set.
    const done = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
    if (!done) {
      this.area.setRangeText(text, start, end, "end");
      this.edited();
    }
  }

  // ------------------------------------------------------------------------------------ keys

  key(event) {
    if (!this.list.hidden && this.choosing(event)) return;
    const { area } = this;
    if (event.key === " " && event.ctrlKey) { event.preventDefault(); this.complete(true); }
    else if (event.key === "Escape") { this.leaving = true; }
    else if (event.key === "Tab" && !this.leaving && !event.shiftKey && !event.altKey) { event.preventDefault(); this.insert("    "); }
    else if (event.key === "Enter" && !event.ctrlKey) {
      event.preventDefault();
      const line = area.value.slice(0, area.selectionStart).split("\n").pop();
      this.insert(`\n${/^\s*/.exec(line)[0]}${/:\s*$/.test(line) ? "    " : ""}`);
    }
    if (event.key !== "Escape") this.leaving = false;
  }

  choosing(event) {
    const items = [...this.list.children];
    const here = items.findIndex((item) => item.getAttribute("aria-selected") === "true");
    const select = (at) => {
      items[here]?.setAttribute("aria-selected", "false");
      items[at].setAttribute("aria-selected", "true");
      items[at].scrollIntoView({ block: "nearest" });
    };
    if (event.key === "ArrowDown") select((here + 1) % items.length);
    else if (event.key === "ArrowUp") select((here + items.length - 1) % items.length);
    else if (event.key === "Enter" || event.key === "Tab") this.take(items[here].dataset.name);
    else if (event.key === "Escape") this.closeList();
    else return false;
    event.preventDefault();
    return true;
  }

  async complete(asked) {
    const at = this.area.selectionStart;
    const text = this.text;
    let found = [];
    try { found = await this.ask("complete", { text, at }); } catch { return; }
    if (text !== this.text || at !== this.area.selectionStart || document.activeElement !== this.area) return;
    const typed = /\w*$/.exec(text.slice(0, at))[0];
    const useful = found.filter(({ name }) => asked || (name.startsWith(typed) && name !== typed));
    if (!useful.length || (!asked && !typed)) { this.closeList(); return; }
    this.list.replaceChildren(...useful.slice(0, 12).map(({ name, kind, detail }, number) => h("li", {
      role: "option", "aria-selected": number ? "false" : "true", "data-name": name, onmousedown: (event) => { event.preventDefault(); this.take(name); },
    }, h("span", { class: `kind k-${kind}`, title: kind }, kind[0]), h("span", { class: "name" }, name), h("span", { class: "detail" }, detail))));
    const [x, y] = this.place(at - typed.length);
    this.list.hidden = false;
    const { scroller, list } = this;
    const room = scroller.scrollTop + scroller.clientHeight - y - this.lineHeight();
    list.style.left = `${x}px`;
    list.style.top = `${list.offsetHeight > room && list.offsetHeight < y - scroller.scrollTop ? y - list.offsetHeight : y + this.lineHeight()}px`;
  }

  take(name) {
    const at = this.area.selectionStart;
    const typed = /\w*$/.exec(this.text.slice(0, at))[0];
    this.closeList();
    this.insert(name, at - typed.length, at);
    this.closeList();
  }

  closeList() { this.list.hidden = true; this.completeSoon.cancel(); }

  // ------------------------------------------------------------------------------- explaining

  lineHeight() { return this.gutter.getBoundingClientRect().height / Math.max(1, this.lines + 0); }

  charWidth() {
    if (!this.wide) {
      const probe = h("span", { class: "code probe" }, "0".repeat(50));
      this.paint.append(probe);
      this.wide = probe.getBoundingClientRect().width / 50;
      probe.remove();
    }
    return this.wide || 7.5;
  }

  place(offset) {
    const before = this.text.slice(0, offset).split("\n");
    return [before[before.length - 1].length * this.charWidth(), (before.length - 1) * this.lineHeight()];
  }

  pointed(event) {
    const box = this.area.getBoundingClientRect();
    const line = Math.floor((event.clientY - box.top) / this.lineHeight());
    const column = Math.floor((event.clientX - box.left) / this.charWidth());
    const lines = this.text.split("\n");
    if (line < 0 || line >= lines.length || column < 0 || column >= lines[line].length) { this.untip(); return; }
    const offset = lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0) + column;
    if (this.tipped && offset >= this.tipped[0] && offset < this.tipped[1]) return;
    this.untip();
    this.explainSoon(offset, column * this.charWidth(), (line + 1) * this.lineHeight());
  }

  async explain(offset, x, y) {
    const problem = this.problems.find(({ span: [a, b] }) => a <= offset && offset < Math.max(b, a + 1));
    let text = problem && `${problem.code}: ${problem.message}`;
    let span = problem?.span;
    if (!problem) {
      try {
        const found = await this.ask("explain", { text: this.text, at: offset });
        if (found) { text = found.text; span = [found.start, found.end]; }
      } catch { return; }
    }
    if (!text) return;
    this.tipped = span;
    this.tip.replaceChildren(...text.replace(/```\w*\n?/g, "").split(/\n\n+/).map((part) => h("p", {}, plain(part.trim()))));
    this.tip.style.left = `${x}px`;
    this.tip.style.top = `${y + 4}px`;
    this.tip.hidden = false;
  }

  untip() { this.explainSoon.cancel(); this.tip.hidden = true; this.tipped = null; }
}

/** Words with `code` in them. */
function plain(text) {
  return text.split(/(`[^`]*`)/).map((part) => (part.startsWith("`") && part.length > 1 ? h("code", {}, part.slice(1, -1)) : part));
}
