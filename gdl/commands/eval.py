"""`gdl eval`: what an expression is worth in a position."""

from __future__ import annotations

from typing import Annotated

import typer

from gdl.commands.arguments import (
    GameName,
    Json,
    MovesFirst,
    Params,
    StartsAt,
    print_json,
    read_game,
    read_params,
)
from gdl.model.parameters import parameters


def eval(
    game: GameName,
    expression: Annotated[
        str, typer.Argument(metavar="EXPR", help="An expression in the words of the game: `count(board)`.")
    ],
    params: Params = None,
    at: StartsAt = None,
    moves: MovesFirst = None,
    as_json: Json = False,
) -> None:
    """Compute an expression in a position of a game.

    It may use all that the file declares: variables, definitions, features, constants, boards. Where chance
    decides, at the start or in the moves made first, it is a random variable: every value is shown with its
    probability, and numbers with their expectation. The reference engine computes it, exactly.
    """
    from gdl.answers import position_of
    from gdl.questions import expectation, question
    from gdl.transition_table import reached

    if not expression.strip():
        raise typer.BadParameter("it is empty", param_hint="EXPR")
    asked = question(read_game(game), expression, read_params(params))
    begun = position_of(asked.game, at)
    places = reached(asked.game, begun, moves or "")
    values = asked.answers(places)
    position = next(iter(places)) if len(places) == 1 and (at or moves) else None
    if as_json:
        print_json(
            {
                "game": asked.game.name,
                "params": parameters(asked.game.model),
                "expression": expression,
                "type": str(asked.type),
                "position": None if position is None else asked.game.format_position(position),
                "value": next(iter(values)) if len(values) == 1 else None,
                "values": [{"value": text, "probability": p} for text, p in values.items()],
            }
        )
    elif len(values) == 1:
        typer.echo(next(iter(values)))
    else:
        width = max(len(str(p)) for p in values.values())
        for text, p in values.items():
            typer.echo(f"{p!s:>{width}}  {text}")
        if (mean := expectation(values)) is not None:
            typer.echo(f"\nexpectation {mean}")
