"""What commands have in common: how a game is named, how parameters are given, how results are printed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from gdl.diagnostics import Source
    from gdl.game import Game
    from gdl.model.nodes import Model

    AnyGame = Game[Any, Any]

STANDARD_INPUT = "-"


class Engine(StrEnum):
    """What plays a game."""

    REFERENCE = "reference"
    NATIVE = "native"


GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME", help="A game file, the name of a game that comes with gdl, or - for standard input."
    ),
]
Params = Annotated[
    list[str] | None,
    typer.Option("--param", "-p", metavar="NAME=VALUE", help="Set a parameter of the game. May be repeated."),
]
EngineName = Annotated[
    Engine, typer.Option("--engine", metavar="ENGINE", help="Play exactly (reference) or fast (native).")
]
FastEngine = Annotated[
    Engine | None,
    typer.Option(
        "--engine",
        metavar="ENGINE",
        show_default="native",
        help="Play exactly (reference) or fast (native, the default where it can hold the numbers).",
    ),
]
StartsAt = Annotated[
    str | None, typer.Option("--at", metavar="POSITION", help="Start in this position: `name=value …`.")
]
MovesFirst = Annotated[
    str | None,
    typer.Option("--moves", metavar="MOVES", help="Make these moves first: `place(a1) place(b2)`."),
]
LongestPlay = Annotated[
    int | None,
    typer.Option(
        "--longest",
        metavar="N",
        min=1,
        help="Stop a play after so many moves; 10,000 unless given, more where a play cannot go on for ever.",
    ),
]
On = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="WHERE",
        help="Who works: processes:N, dask, dask://HOST:PORT, dask:FILE.json, ray, ray://HOST:PORT or mpi; "
        "see docs/scale.md.",
    ),
]


Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def read_params(params: Iterable[str] | None) -> dict[str, str]:
    """The values given with `-p`, as text: the game knows their types."""
    given: dict[str, str] = {}
    for param in params or ():
        name, equals, value = param.partition("=")
        name = name.strip()
        if not equals or not name:
            raise typer.BadParameter(f"`{param}` is not of the form NAME=VALUE", param_hint="-p")
        if name in given:
            raise typer.BadParameter(f"`{name}` is given twice", param_hint="-p")
        given[name] = value.strip()
    return given


def read_game(game: str) -> Source:
    """The text of a game that a user named; raises GameError if there is none to read."""
    from gdl.loading import read_source

    return read_source(game)


def _holds(question: Callable[[Path], bool], path: Path) -> bool:
    """The answer to a question about a path; no if the system refuses to look, as at overlong names."""
    try:
        return question(path)
    except OSError:
        return False


def load_checked(game: str, params: Iterable[str] | None) -> Model:
    """The Model of a game that a user named, with its parameters; raises GameError."""
    from gdl.loading import load_model

    return load_model(read_game(game), read_params(params))


def load_game(game: str, params: Iterable[str] | None, engine: Engine = Engine.REFERENCE) -> AnyGame:
    """A game that a user named, ready to be played; raises GameError."""
    from gdl.loading import game_of

    described: AnyGame = game_of(load_checked(game, params), engine.value)
    return described


def play_by(model: Model, engine: Engine | None) -> AnyGame:
    """The game on the engine that was asked for by name, or else on the fastest that can play it."""
    from gdl.loading import fastest, game_of

    if engine is not None:
        return game_of(model, engine.value)
    described, reason = fastest(model)
    if reason is not None:
        place = f" (line {reason.span.line})" if reason.span is not None else ""
        typer.echo(f"played by the reference engine: {reason.message}{place}", err=True)
    return described


def print_json(data: Any) -> None:
    from solvers.core.numbers import to_json

    typer.echo(to_json(data, indent=2))


def print_styled(*pieces: tuple[str, str]) -> None:
    """One line of results, its pieces in their styles where standard output is a terminal."""
    from gdl.diagnostics.render import write_styled

    write_styled(list(pieces), sys.stdout)


def print_facts(facts: Sequence[tuple[str, str]], title: str | None = None) -> None:
    """Names and what is to be said of each, in two columns; nothing at all if there are none."""
    from gdl.diagnostics.facts import facts_lines

    for line in facts_lines(facts, title):
        print_styled(*line)


def console(*, stderr: bool = False) -> Console:
    """Where tables and progress are drawn; plain and of a fixed width unless it is a terminal."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, highlight=False, width=None if stream.isatty() else 100)


def game_files(paths: Sequence[str]) -> list[str]:
    """The game files among paths, and below those that are folders; each once, in order."""
    found: dict[str, None] = {}
    for path in paths:
        if path != STANDARD_INPUT and _holds(Path.is_dir, Path(path)):
            inside = sorted(Path(path).rglob("*.gdl"))
            if not inside:
                raise typer.BadParameter(f"there is no .gdl file in {path}")
            found.update((str(file), None) for file in inside)
        else:
            found[path] = None
    return list(found)


def rewrite(path: Path, text: str) -> None:
    """Writes a file anew, so that it is never seen half-written; permissions and line ends stay."""
    path = path.resolve()
    newline = "\r\n" if b"\r\n" in path.read_bytes() else "\n"
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8", newline=newline)
        shutil.copymode(path, temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def number(value: Any) -> str:
    """A number for people: exact where that is short; floats, which were rounded, to six digits."""
    from solvers.core.numbers import show_rough, show_short

    return show_rough(value, 6) if isinstance(value, float) else show_short(value)


def workers(on: str | None, jobs: int | None = None) -> str | None:
    """Who works, None where --on does not say; raises GameError. Asked first of all: of the ranks that
    `mpiexec` started only one goes on."""
    if on is None:
        return None
    if jobs is not None:
        raise typer.BadParameter("say how many with --on alone: `--on processes:4`", param_hint="--jobs")
    from gdl.crew.places import enlist

    enlist(on)
    return on
