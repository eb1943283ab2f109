"""`gdl play`: people at the keyboard, against agents or each other."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from gdl.commands.arguments import (
    FastEngine,
    Json,
    MovesFirst,
    Params,
    StartsAt,
    load_checked,
    play_by,
    print_facts,
    print_json,
    print_styled,
)

if TYPE_CHECKING:
    from pathlib import Path

    from gdl.game import Game
    from gdl.playing.seats import Seat
    from gdl.table.table import Table


def play(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game file, or the name of a game.")],
    params: Params = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            "-a",
            metavar="[PLAYER=]AGENT",
            help="Who plays: `human`, or a solver with its options. You are the first player without.",
        ),
    ] = None,
    people: Annotated[bool, typer.Option("--people", help="Everyone is a person.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Nobody is: agents play, you look on.")] = False,
    dice: Annotated[
        bool, typer.Option("--dice", help="You have real dice or cards, and say what chance does.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="Make chance and agents repeatable.")
    ] = None,
    at: StartsAt = None,
    moves: MovesFirst = None,
    load: Annotated[
        str | None, typer.Option("--load", metavar="FILE", help="Go on with a play that was saved.")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Lines of text instead of a full screen.")] = False,
    engine: FastEngine = None,
    as_json: Json = False,
) -> None:
    """Play a game yourself.

    On a terminal it takes the whole screen: point at cells with the mouse or the arrow keys, or type moves,
    which complete and may be shortened. In a pipe, or with --plain, it reads lines. `hint`, `why`, `undo`,
    `redo`, `swap`, `save` and `load` work in both. What is hidden from you stays hidden; where several people
    share the screen it is handed over between them.
    """
    from gdl.playing.results import fresh_seed, make_typed
    from gdl.table.lines import play_in_lines
    from gdl.table.table import Table

    described = play_by(load_checked(game, params), engine)
    seats = seats_of(described, agent or [], people, watch)
    start = None if at is None else described.parse_position(at)
    table = Table(described, seats, seed=fresh_seed() if seed is None else seed, start=start, real_dice=dice)
    if load is not None:
        table.load(_path(load))
    if moves:
        make_typed(table.play, moves)
    if as_json:
        left_well = play_in_lines(table, partial(typer.echo, err=True))
        print_json(table.recording().model_dump(mode="json"))
    else:
        left_well = _on_screen(table) if not plain and _is_terminal() else _in_lines(table)
    if not left_well:
        sys.stderr.write("\nno more input: the play is left unfinished\n")
        raise typer.Exit(130)


def seats_of(game: Game, agents: list[str], people: bool, watch: bool) -> list[Seat]:  # type: ignore[type-arg]
    """Who sits where: as wished; without a wish a person plays first, and the best agent everyone else."""
    from gdl.commands.run import wishes
    from gdl.playing.seats import HUMAN, take_seats

    if people and watch:
        raise typer.BadParameter("either everyone is a person or nobody is", param_hint="--people")
    wanted = wishes(agents)
    if people:
        wanted.setdefault(None, HUMAN)
    elif not watch and HUMAN not in wanted.values():
        free = [name for name in game.players if name not in wanted]
        if free:
            wanted[free[0]] = HUMAN
    return take_seats(game, wanted)


def _in_lines(table: Table) -> bool:
    from gdl.table.lines import play_in_lines

    print_styled((table.game.name, "bold"), (f", seed {table.seed}", "dim"))
    print_facts([(seat.name, seat.description) for seat in table.seats])
    typer.echo()
    return play_in_lines(table, typer.echo)


def _on_screen(table: Table) -> bool:
    try:
        import textual  # noqa: F401 (an extra)
    except ImportError:
        sys.stderr.write("a full screen needs `pip install 'gdl-games[play]'`; here are plain lines\n")
        return _in_lines(table)
    from gdl.table.screen import play_on_screen

    play_on_screen(table)
    return True


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _path(text: str) -> Path:
    from pathlib import Path

    return Path(text)
