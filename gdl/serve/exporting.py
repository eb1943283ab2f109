"""Solved games as pages that need no server: every position with its picture, and what every move is worth.

DIR/index.html          the games, each with a picture
DIR/NAME.json           all positions of a game, drawn by the same modules as the pages of the server
DIR/NAME.light.svg …    the picture of its policy, where matplotlib is installed
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from gdl.diagnostics import GameError
from gdl.diagnostics.commands import cannot_write
from gdl.diagnostics.wording.phrases import counted
from gdl.game import CHANCE, TERMINAL
from gdl.loading import load_model
from gdl.serve.loaded import Ready, source_of
from gdl.serve.offered import Offer, Offered
from gdl.serve.pictures import picture_data
from gdl.serve.views import moves, thumbnail
from gdl.table.pointing import listed
from solvers.core.numbers import show_short
from solvers.core.refusal import Refusal
from solvers.core.result import Policy, Result

Data = dict[str, Any]

MOST_POSITIONS = 10_000
"""Positions of a game that is handed out; larger ones are left to the server."""

STATIC = Path(__file__).parent / "static"
MODULES = ("style.css", "icon.svg", "dom.js", "board.js", "pointing.js", "worth.js", "exported.js")


Tell = Callable[[str, str], None]
"""Hears of a game what is done with it, while it is done."""


def export_pages(offer: Offer, folder: Path, tell: Tell = lambda name, what: None) -> Data:
    """Writes pages of those games that can be solved; says which, and why not the others. Raises GameError
    where the folder cannot be written."""
    written: list[Data] = []
    left_out: list[Data] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for offered in offer.games.values():
            try:
                data = solved_data(offered, tell)
            except GameError as error:
                left_out.append({"name": offered.name, "why": error.diagnostics[0].message})
                tell(offered.name, f"left out: {left_out[-1]['why']}")
                continue
            card = data.pop("card")
            (folder / f"{offered.name}.json").write_text(_text(data), encoding="utf-8")
            for theme, svg in data_pictures(offered, tell):
                (folder / f"{offered.name}.{theme}.svg").write_text(svg, encoding="utf-8")
                card["policy"] = True
            written.append({**card, "positions": len(data["positions"])})
        for name in MODULES:
            shutil.copyfile(STATIC / name, folder / name)
        (folder / "games.json").write_text(_text(written), encoding="utf-8")
        shutil.copyfile(STATIC / "exported.html", folder / "index.html")
    except OSError as error:
        raise GameError([cannot_write(str(folder), error.strerror or str(error))]) from None
    games = [{"name": card["name"], "positions": card["positions"]} for card in written]
    return {"games": games, "left_out": left_out, "index": str(folder / "index.html")}


def _text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def solved_data(offered: Offered, tell: Tell) -> Data:
    """All that the page of a game needs. Raises GameError where the game is not small enough, or hides
    something."""
    tell(offered.name, "solving")
    ready = Ready(load_model(source_of(offered.game())))
    result, policy = _solved(ready)
    pages = _Pages(offered, ready, result, policy)
    tell(offered.name, f"drawing {counted(len(pages.numbers), 'position')}")
    return pages.data()


def _solved(ready: Ready) -> tuple[Result, Policy]:
    from gdl.solving import solve

    game = ready.fast.game
    if game.traits.hidden:
        raise Refusal("what is best follows from what players see, not from one position")
    if game.traits.discount != 1:
        raise Refusal("payments are discounted, and the page adds them up as they are")
    count = sum(1 for _ in islice(_reached(ready), MOST_POSITIONS + 1))
    if count > MOST_POSITIONS:
        raise Refusal(f"more than {MOST_POSITIONS:,} positions")
    result = solve(game, limit=MOST_POSITIONS)
    if result.policy is None:
        raise Refusal(f"{result.solver} does not value every position")
    return result, result.policy


def _reached(ready: Ready) -> Iterator[Any]:
    """Every position that can be reached, each once, on the exact engine."""
    game = ready.exact.game
    waiting = [outcome.position for outcome in game.initial()]
    seen = set(waiting)
    while waiting:
        position = waiting.pop()
        yield position
        for move in game.moves(position):
            for outcome in game.outcomes(position, move):
                if outcome.position not in seen:
                    seen.add(outcome.position)
                    waiting.append(outcome.position)


class _Pages:
    """One game on its way to a file: shapes of boards and looks of stones are written once."""

    def __init__(self, offered: Offered, ready: Ready, result: Result, policy: Policy):
        self.offered = offered
        self.ready = ready
        self.result = result
        self.policy = policy
        self.numbers = {position: number for number, position in enumerate(_reached(ready))}
        self.shapes: dict[str, int] = {}
        self.looks: dict[str, int] = {}

    def data(self) -> Data:
        model, game = self.ready.model, self.ready.exact.game
        title, _, text = model.doc.partition("\n")
        bounds = [[float(low), float(high)] for low, high in model.utility_bounds]
        positions = [self._position(position) for position in self.numbers]
        return {
            "name": self.offered.name,
            "title": title.strip(),
            "text": text.strip(),
            "class": model.traits.class_of_game,
            "players": list(game.players),
            "zero_sum": model.traits.zero_sum,
            "bounds": bounds,
            "rules": self.offered.text,
            "how": f"{self.result.solver}: {self.result.how}",
            "start": [
                [self.numbers[outcome.position], float(outcome.probability)] for outcome in game.initial()
            ],
            "shapes": [json.loads(shape) for shape in self.shapes],
            "looks": [json.loads(look) for look in self.looks],
            "positions": positions,
            "card": {"name": self.offered.name, "title": title.strip(), **thumbnail(self.ready)},
        }

    def _position(self, position: Any) -> Data:
        game = self.ready.exact.game
        mover = game.to_move(position)
        data: Data = {"m": mover, "p": self._picture(game.picture(position))}
        if mover == TERMINAL:
            data["r"] = [show_short(paid) for paid in game.utility(position)]
            data["v"] = [float(paid) for paid in game.utility(position)]
            return data
        data["v"] = self._values(position)
        odds = dict(game.chance(position)) if mover == CHANCE else {}
        named = {move["text"]: move for move in moves(self.ready, position, None, None)} if mover >= 0 else {}
        data["o"] = [
            self._move(position, move, mover, named.get(str(game.format_move(move))), odds.get(move))
            for move in game.moves(position)
        ]
        return data

    def _move(self, position: Any, move: Any, mover: int, named: Data | None, chosen: Any) -> Data:
        game = self.ready.exact.game
        outcomes = listed(game, position, move)
        data: Data = {
            "t": game.format_move(move),
            "s": [] if named is None else named["spots"],
            "to": [
                [self.numbers[each.position], float(each.probability), " or ".join(each.labels)]
                for each in outcomes
            ],
        }
        if chosen is not None:
            data["c"] = float(chosen)
        if mover >= 0:
            worth = sum(
                float(each.probability) * (float(each.rewards[mover]) + self._values(each.position)[mover])
                for each in outcomes
            )
            data["w"] = round(worth, 10)
        return data

    def _values(self, position: Any) -> list[float]:
        game = self.ready.exact.game
        if game.to_move(position) == TERMINAL:
            return [float(paid) for paid in game.utility(position)]
        there = self.ready.fast.position(str(game.format_position(position)))
        return [round(float(value.number), 10) for value in self.policy.value(there)]

    def _picture(self, picture: Any) -> list[list[Any]]:
        return [
            [part if isinstance(part, str) else self._board(part) for part in row]
            for row in picture_data(picture, self.ready.model)
        ]

    def _board(self, board: Data) -> list[Any]:
        palette, stones = board.pop("palette"), board.pop("stones")
        shape = self.shapes.setdefault(_text(board), len(self.shapes))
        look = [self.looks.setdefault(_text(each), len(self.looks)) for each in palette]
        return [shape, [look[stone] for stone in stones]]


def data_pictures(offered: Offered, tell: Tell) -> Iterator[tuple[str, str]]:
    """The picture of the policy, light and dark; nothing where the game has none or cannot be drawn here."""
    if find_spec("matplotlib") is None:
        return
    from gdl.serve.looking import policy

    tell(offered.name, "drawing the picture of its policy")
    ready = Ready(load_model(source_of(offered.game())))
    for theme in ("light", "dark"):
        try:
            yield theme, policy(ready, theme == "dark", MOST_POSITIONS)["svg"]
        except GameError:
            return
