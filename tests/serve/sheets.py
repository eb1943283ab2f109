"""Pictures of every game as the page shows it, many on one sheet, to be looked at.

    python -m tests.serve.sheets DIR                 all games: wide and narrow, light and dark
    python -m tests.serve.sheets DIR chess hex       some

Each game is shown a few moves into a play. Writes `wide-light-1.png` … Needs chromium, playwright and pillow.
"""

from __future__ import annotations

import argparse
import io
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

from PIL import Image

from gdl.loading import games
from gdl.serve.app import Settings, listening
from gdl.serve.offered import Offer

INTO = 12
"""Moves that are made before the picture."""

SIZES = {"wide": (1400, 850, 760, 2, 3), "narrow": (375, 720, 375, 4, 2)}
"""Width and height of the window, width on the sheet, and how many stand beside and below each other."""


@contextmanager
def served(names: Sequence[str]) -> Iterator[str]:
    """The address of a server of these games."""
    offer = Offer.of([games()[name] for name in names])
    server, listener, address = listening(offer, "127.0.0.1", 0, Settings(quick=2, thinking=1, warm=False))
    running = Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    running.start()
    yield address
    server.should_exit = True
    running.join(15)


def a_little_way_into(page: Any, address: str, name: str) -> None:
    """Opens a game and plays some moves for all who sit there."""
    rng = random.Random(name)
    page.goto(f"{address}game/{name}")
    page.wait_for_function("() => window.gdlPage?.play")
    page.evaluate("() => gdlPage.ask('seats', { seats: gdlPage.play.seats.map(() => 'me') })")
    for _ in range(4 * INTO):
        page.wait_for_function("() => gdlPage.play.turn || gdlPage.play.view.returns")
        state = page.evaluate(
            """() => ({ at: gdlPage.play.view.at, cover: gdlPage.play.cover,
            over: !!gdlPage.play.view.returns, moves: gdlPage.play.view.moves.map((move) => move.text) })"""
        )
        if state["over"]:
            break
        if state["cover"]:
            page.evaluate("() => gdlPage.ask('reveal')")
            page.wait_for_function("() => !gdlPage.play.cover")
            continue
        if state["at"] >= INTO:
            break
        page.evaluate(
            "([text, at]) => gdlPage.ask('move', { text, at })", [rng.choice(state["moves"]), state["at"]]
        )


def main(folder: Path, names: Sequence[str]) -> None:
    """Takes the pictures and lays them out."""
    from shutil import which

    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    taken: dict[tuple[str, str], list[Image.Image]] = {}
    with served(names) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.on("pageerror", lambda error: print(f"{page.url}: {error}"))
        for name in names:
            page.set_viewport_size({"width": 1400, "height": 850})
            a_little_way_into(page, address, name)
            for size, (width, height, *_) in SIZES.items():
                page.set_viewport_size({"width": width, "height": height})
                if page.evaluate("() => document.documentElement.scrollWidth > innerWidth"):
                    print(f"{name}: wider than the {size} window")
                for theme in ("light", "dark"):
                    page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
                    shot = page.screenshot()
                    taken.setdefault((size, theme), []).append(Image.open(io.BytesIO(shot)).convert("RGB"))
        browser.close()
    for (size, theme), shots in taken.items():
        lay_out(shots, folder, f"{size}-{theme}", *SIZES[size])


def lay_out(
    shots: Sequence[Image.Image],
    folder: Path,
    name: str,
    width: int,
    height: int,
    shown: int,
    beside: int,
    below: int,
) -> None:
    """Writes the sheets of one kind."""
    high = round(height * shown / width)
    for number, begin in enumerate(range(0, len(shots), beside * below), 1):
        sheet = Image.new("RGB", (beside * (shown + 6), below * (high + 6)), "#808080")
        for place, shot in enumerate(shots[begin : begin + beside * below]):
            row, column = divmod(place, beside)
            sheet.paste(shot.resize((shown, high)), (column * (shown + 6), row * (high + 6)))
        sheet.save(folder / f"{name}-{number}.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("games", nargs="*")
    given = parser.parse_args()
    main(given.folder, given.games or sorted(games()))
