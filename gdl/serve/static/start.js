// The start page: every game with a picture, and a box to find one.

import { drawPicture } from "./board.js";
import { h, themeButton, title } from "./dom.js";

export async function startPage(app) {
  document.title = "gdl: games as short text files";
  const cards = h("ul", { class: "cards" });
  const none = h("p", { class: "none", hidden: true }, "No game is called so. ", h("a", { href: "/game/new" }, "Write it?"));
  const box = h("input", {
    type: "search", class: "find", placeholder: "Find a game: chess, dice, hidden, one player …",
    "aria-label": "find a game", autocomplete: "off", spellcheck: "false",
  });
  app.replaceChildren(
    h("header", { class: "top" },
      h("a", { class: "brand", href: "/" }, h("img", { src: "/static/icon.svg", alt: "", width: 24, height: 24 }), "gdl"),
      h("span", { class: "grow" }), h("a", { class: "button quiet", href: "/game/new" }, "New game"), themeButton()),
    h("main", { class: "start" },
      h("h1", {}, "Games as short text files"),
      h("p", { class: "lead" }, "Read the rules, change them, play at once, and see what every move is worth."),
      box, cards, none));

  const games = await (await fetch("/api/games")).json();
  const found = games.map((game) => card(game));
  cards.append(...found.map((each) => each.element));
  const search = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const each of found) {
      const fits = words.every((word) => each.words().includes(word));
      each.element.hidden = !fits;
      shown += fits;
    }
    none.hidden = shown > 0;
  };
  box.addEventListener("input", search);
  box.addEventListener("keydown", (event) => {
    const first = found.find((each) => !each.element.hidden);
    if (event.key === "Enter" && first) location.href = first.link.href;
  });
  watch(found);
}

function card(game) {
  const picture = h("div", { class: "picture", "aria-hidden": "true" });
  const facts = h("p", { class: "facts" });
  const about = game.title.replace(/^[^:,]*: */, "").replace(/^./, (first) => first.toUpperCase());
  const link = h("a", { href: `/game/${encodeURIComponent(game.name)}` },
    picture, h("div", { class: "words" },
      h("h2", {}, title(game.name)), h("p", { class: "about" }, about), facts));
  const element = h("li", { class: "card" }, link);
  let known = `${game.name} ${title(game.name)} ${game.title}`.toLowerCase();
  return {
    game, element, link, words: () => known,
    async show() {
      const answer = await fetch(`/api/picture/${encodeURIComponent(game.name)}`);
      const data = await answer.json();
      if (data.failed) { picture.replaceChildren(h("p", { class: "sorry" }, data.failed.message)); return; }
      const players = data.players === 1 ? "one player" : `${data.players} players`;
      facts.replaceChildren(...[players, data.chance && "chance", data.hidden && "hidden information"]
        .filter(Boolean).map((word) => h("span", { class: "tag" }, word)));
      known += ` ${players} ${data.class} ${data.chance ? "chance dice" : ""} ${data.hidden ? "hidden cards" : ""}`;
      picture.replaceChildren(drawPicture(data.picture, { players: data.names, small: true }));
    },
  };
}

/** Pictures come when their cards come into sight. */
function watch(cards) {
  const by = new Map(cards.map((each) => [each.element, each]));
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      observer.unobserve(entry.target);
      by.get(entry.target).show();
    }
  }, { rootMargin: "400px" });
  cards.forEach((each) => observer.observe(each.element));
  // The words of those further down are searched too.
  setTimeout(async () => {
    for (const each of cards) if (!each.element.querySelector(".picture > *")) {
      observer.unobserve(each.element);
      await each.show();
    }
  }, 1500);
}
