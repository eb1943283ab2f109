"""`gdl perft`: how many plays of so many moves there are."""

from __future__ import annotations

from typing import Annotated

import typer

from gdl.commands.arguments import (
    FastEngine,
    GameName,
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
from gdl.model.parameters import parameters


def perft(
    game: GameName,
    depth: Annotated[int, typer.Argument(metavar="N", min=0, help="The number of moves.")],
    divide: Annotated[
        bool, typer.Option("--divide", help="Count for each first move, which finds where rules differ.")
    ] = False,
    params: Params = None,
    at: StartsAt = None,
    moves: MovesFirst = None,
    engine: FastEngine = None,
    as_json: Json = False,
) -> None:
    """Count the plays of exactly N moves.

    The number by which rules are compared between programs: sequences of legal moves, each outcome of chance
    counted once; plays that end earlier do not count.
    """
    from gdl import exploration
    from gdl.answers import position_of
    from solvers.views.starting_at import StartingAt

    described = play_by(load_checked(game, params), engine)
    position = position_of(described, at, moves)
    if divide and depth == 0:
        raise typer.BadParameter("there is no first move among 0 moves", param_hint="--divide")
    if divide and position is None:
        starts = described.initial()
        if len(starts) > 1:
            raise typer.BadParameter(
                "the start is drawn at random: choose one with --at", param_hint="--divide"
            )
        position = starts[0].position
    shares = None
    if divide:
        counted = exploration.divided(described, depth, position)
        shares = {described.format_move(move): count for move, count in counted.items()}
        total = sum(shares.values())
    else:
        total = exploration.perft(described if position is None else StartingAt(described, position), depth)
    if as_json:
        print_json(
            {
                "game": described.name,
                "params": parameters(described.model),  # type: ignore[attr-defined]
                "position": None if position is None else described.format_position(position),
                "depth": depth,
                "plays": total,
                **({} if shares is None else {"by_move": shares}),
            }
        )
        return
    if shares:
        print_facts([(move, f"{count:,}") for move, count in shares.items()])
    print_styled((f"{total:,}", "bold"), (f" play{'' if total == 1 else 's'} of {depth} moves", ""))
