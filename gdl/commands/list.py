"""`gdl list`: the games there are, one line each."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.commands.arguments import Json, game_files, print_json, print_styled, read_game
from gdl.commands.info import bits, position_bound, shown_bound

if TYPE_CHECKING:
    from gdl.model.nodes import Model

NAME, CLASS, SIZE = 22, 42, 10
"""How wide the columns are."""


def list(
    paths: Annotated[
        builtins.list[str] | None,
        typer.Argument(metavar="PATH", help="Game files or folders of them; the games of gdl without."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List games with their class, their size and their players.

    The size is that of a packed position in bits. `gdl info GAME` says more. Exits 1 if a file is no game.
    """
    from gdl.diagnostics import GameError
    from gdl.diagnostics.render import print_diagnostics
    from gdl.loading import games, load_model

    found: builtins.list[dict[str, Any]] = []
    broken: builtins.list[dict[str, Any]] = []
    for path in game_files(paths) if paths else map(str, games().values()):
        try:
            model = load_model(read_game(path))
        except GameError as error:
            broken.append({"file": path, "diagnostics": [d.as_data() for d in error.diagnostics]})
            if not as_json:
                print_diagnostics(error.diagnostics, sys.stderr, of=path)
            continue
        found.append(_facts(model, path))
        if not as_json:
            if len(found) == 1:
                print_styled((f"{'game':<{NAME}}{'class':<{CLASS}}{'position':>{SIZE}}  players", "bold"))
            _show(found[-1])
    if as_json:
        print_json({"games": found, "broken": broken})
    if broken:
        raise typer.Exit(1)


def _facts(model: Model, path: str) -> dict[str, Any]:
    return {
        "name": model.name,
        "file": str(Path(path)),
        "about": model.doc.split("\n")[0],
        "class": model.traits.class_of_game,
        "short": _short_class(model),
        "players": [member.name for member in model.players.members],
        "bits": bits(model),
        "positions": shown_bound(position_bound(model)),
        "expectations": len(model.expectations),
    }


def _short_class(model: Model) -> str:
    """`zero-sum, chance, hidden`: what is not said is not so."""
    traits = model.traits
    words = {
        "one player": traits.players == 1,
        "zero-sum": traits.players > 1 and traits.zero_sum,
        "general-sum": traits.players > 1 and not traits.zero_sum,
        "chance": traits.chance,
        "random start": traits.random_start,
        "hidden": traits.hidden,
    }
    return ", ".join(word for word, holds in words.items() if holds)


def _show(facts: dict[str, Any]) -> None:
    size = f"{facts['bits']:,} bits"
    print_styled(
        (f"{facts['name']:<{NAME}}", "cyan"),
        (f"{facts['short']:<{CLASS}}{size:>{SIZE}}  {', '.join(facts['players'])}", ""),
    )
