"""`gdl size`: how large the tree of a game is, and how far a search comes in it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gdl.commands.arguments import (
    FastEngine,
    GameName,
    Json,
    Params,
    load_checked,
    play_by,
    print_facts,
    print_json,
    print_styled,
)


def size(
    game: GameName,
    params: Params = None,
    branching: Annotated[
        float | None,
        typer.Option(
            "--branching", "-b", metavar="B", min=1, help="Moves to choose from; measured if not given."
        ),
    ] = None,
    plies: Annotated[
        float | None,
        typer.Option("--plies", "-m", metavar="M", min=1, help="Moves in a play; measured if not given."),
    ] = None,
    outcomes: Annotated[
        float | None,
        typer.Option("--outcomes", "-o", metavar="O", min=1, help="Outcomes of chance between two moves."),
    ] = None,
    nodes: Annotated[
        float | None,
        typer.Option(
            "--nodes", metavar="N", min=10, help="How deep does a search look that visits so many: `1e9`?"
        ),
    ] = None,
    turns: Annotated[
        bool, typer.Option("--turns", help="Count whole turns: all that a player does until another decides.")
    ] = False,
    agent: Annotated[
        str, typer.Option("--agent", "-a", metavar="AGENT", help="Whose plays are measured.")
    ] = "random",
    plays: Annotated[int, typer.Option("--plays", metavar="N", min=1, help="How many of them.")] = 20,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The same seed, the same plays.")] = 1,
    replay: Annotated[
        Path | None,
        typer.Option("--replay", metavar="FILE", help="Measure plays recorded by `gdl run --record`."),
    ] = None,
    engine: FastEngine = None,
    as_json: Json = False,
) -> None:
    """Estimate the size of a game's tree, b^m, and how deep a search can look.

    b is how many moves there are to choose from, m how many are made in a play, o how many outcomes chance
    has in between: measured in plays of an agent or of a recording, unless given. Alpha-beta saves between
    nothing and half of the exponent, by the order of moves. The number of positions is a rough one: of all
    ways to place what stood on the board the rules forbid many. `gdl solve --estimate` counts those that can
    be reached.
    """
    from gdl.answers import params_of
    from gdl.sizes import how_measured
    from gdl.sizes import size as size_of

    described = play_by(load_checked(game, params), engine)
    found = size_of(
        described,
        branching=branching,
        plies=plies,
        outcomes=outcomes,
        nodes=nodes,
        turns=turns,
        agent=agent,
        plays=plays,
        seed=seed,
        replay=replay,
    )
    if as_json:
        print_json(found.as_data())
        return
    given = "".join(f", {name}={value}" for name, value in params_of(described))
    print_styled((described.name, "bold"), (given, ""))
    print_styled((f"  {how_measured(found)}", ""))
    typer.echo()
    print_facts(list(found.facts()))
