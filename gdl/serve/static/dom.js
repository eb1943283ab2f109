// Elements made in one line, and small things that every module needs.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.setAttribute("class", value);
    else if (name === "text") element.textContent = value;
    else if (name in element && ["value", "checked", "disabled", "hidden", "open"].includes(name)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An HTML element: h("button", {class: "quiet", onclick: go}, "go") */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Runs after a pause without another call. */
export function after(milliseconds, run) {
  let timer = 0;
  const later = (...given) => { clearTimeout(timer); timer = setTimeout(() => run(...given), milliseconds); };
  later.cancel = () => clearTimeout(timer);
  return later;
}

/** Says something for a moment, to eyes and to screen readers. */
export function say(message, kind = "note") {
  let place = document.querySelector(".toasts");
  if (!place) document.body.append((place = h("div", { class: "toasts", role: "status", "aria-live": "polite" })));
  const toast = h("div", { class: `toast ${kind}` }, message);
  place.append(toast);
  setTimeout(() => toast.remove(), kind === "error" ? 9000 : 4500);
}

export function failed(trouble) {
  say([trouble.message, trouble.hint].filter(Boolean).join(". "), "error");
}

export function stored(name, fallback = null) {
  try { return localStorage.getItem(name) ?? fallback; } catch { return fallback; }
}

export function store(name, value) {
  try { localStorage.setItem(name, value); } catch { /* a browser may keep nothing */ }
}

/** Who this browser is, to the rooms it sits in. */
export function token() {
  let word = stored("gdl.token");
  if (!word) {
    const bytes = crypto.getRandomValues(new Uint8Array(18));
    word = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    store("gdl.token", word);
  }
  return word;
}

export function title(name) {
  return name.replace(/_/g, " ").replace(/^./, (first) => first.toUpperCase());
}

// ------------------------------------------------------------------------------ light and dark

export function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  store("gdl.theme", theme);
}

export function isDark() {
  const theme = document.documentElement.dataset.theme;
  return theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
}

export function themeButton() {
  const draw = () => { button.textContent = isDark() ? "☀" : "☾"; };
  const button = h("button", {
    class: "icon", title: "light or dark", "aria-label": "light or dark",
    onclick: () => { setTheme(isDark() ? "light" : "dark"); draw(); },
  });
  draw();
  return button;
}
