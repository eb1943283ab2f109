"""`gdl search`: what one position is worth, looking ahead from it instead of visiting the whole game."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from gdl.commands.arguments import (
    FastEngine,
    GameName,
    Json,
    MovesFirst,
    Params,
    load_checked,
    play_by,
    print_json,
)
from gdl.commands.solutions import show_result


def search(
    game: GameName,
    params: Params = None,
    solver: Annotated[
        str | None,
        typer.Option(
            "--solver",
            metavar="SEARCH",
            help="A search with its options, such as `alphabeta` or `mcts(c=0.7)`; chosen if not given.",
        ),
    ] = None,
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="N", min=1, help="Look so many moves ahead.")
    ] = None,
    nodes: Annotated[
        int | None, typer.Option("--nodes", metavar="N", min=1, help="Visit so many positions at most.")
    ] = None,
    time: Annotated[
        float | None, typer.Option("--time", metavar="S", min=0.001, help="Search for so many seconds.")
    ] = None,
    simulations: Annotated[
        int | None, typer.Option("--simulations", metavar="N", min=1, help="Simulate so many plays.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", min=0, help="Of simulated plays: the same seed, the same plays."),
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="POSITION", help="Search from here: `name=value …`.")
    ] = None,
    moves: MovesFirst = None,
    engine: FastEngine = None,
    as_json: Json = False,
) -> None:
    """Search a position: what it is worth, and what to play.

    Looks ahead from one position: for games that are too large to solve whole. The answer says whether it is
    exact, between proven bounds, or an estimate. Without a limit a search goes on to the end of the game (and
    mcts simulates 1,000 plays); Ctrl-C ends it with the best answer so far.
    """
    from gdl import searching

    described = play_by(load_checked(game, params), engine)
    limits = dict(zip(searching.LIMITS, (depth, nodes, time, simulations), strict=True))
    if not any(limits.values()) and sys.stderr.isatty():
        typer.echo(
            "without a limit the search may take long; Ctrl-C answers with what is known so far", err=True
        )
    result = searching.search(described, solver, at=at, moves=moves, seed=seed, **limits)
    if as_json:
        print_json(result.as_data())
    else:
        show_result(result)
