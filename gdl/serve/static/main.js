// Which page is asked for.

import { setTheme, stored } from "./dom.js";

const theme = stored("gdl.theme");
if (theme) setTheme(theme);
const app = document.getElementById("app");
const [, kind, name] = location.pathname.split("/");

if (kind === "game" || kind === "play" || kind === "shared") {
  const { gamePage } = await import("./game.js");
  await gamePage(app, kind, decodeURIComponent(name || ""));
} else {
  const { startPage } = await import("./start.js");
  await startPage(app);
}
