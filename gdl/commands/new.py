"""`gdl new`: a file to start a game from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from gdl.commands.arguments import Json, print_json

STARTER = Path(__file__).parent / "starter.gdl"


def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The name of the new game; the file is NAME.gdl.")
    ],
    like: Annotated[
        str | None,
        typer.Option("--like", metavar="GAME", help="Start from this game, not from the small one."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a commented game file to start from.

    The new game can be checked, run and tested at once. An existing file is never overwritten.
    """
    from gdl.commands.arguments import read_game
    from gdl.diagnostics import GameError
    from gdl.diagnostics.commands import cannot_write, file_exists, not_a_name

    path = Path(name.removesuffix(".gdl") + ".gdl")
    if not re.fullmatch(r"[^\W\d]\w*", path.stem):
        raise GameError([not_a_name(path.stem)])
    model = read_game(like or str(STARTER))
    text = _renamed(model.text, path.stem)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise GameError([file_exists(str(path))]) from None
    except OSError as error:
        raise GameError([cannot_write(str(path), error.strerror or str(error))]) from None
    if as_json:
        print_json({"file": str(path), "like": like})
    else:
        typer.echo(f"{path} is written. Next: gdl run {path}")


def _renamed(text: str, name: str) -> str:
    """The text of a game with another name in its `game` line."""
    return re.sub(r"(?m)^game[ \t]+\w+", f"game {name}", text, count=1)
