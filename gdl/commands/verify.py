"""`gdl verify`: whether a certificate proves what it claims, by the rules of the game alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gdl.commands.arguments import (
    Engine,
    EngineName,
    GameName,
    Json,
    Params,
    load_checked,
    print_json,
    print_styled,
)
from gdl.model.parameters import parameters, parameters_shown


def verify(
    game: GameName,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A certificate that `gdl solve --certificate` wrote.")
    ],
    params: Params = None,
    engine: EngineName = Engine.REFERENCE,
    as_json: Json = False,
) -> None:
    """Check a certificate: what it proves about the value of a game.

    Visits every position by the rules and checks a few inequalities between the numbers of the certificate,
    in exact arithmetic; no solver takes part. The native engine does the same for millions of positions. A
    certificate that proves nothing is refused with the position and the inequality that fails.
    """
    from gdl.certificates import verify as verifier
    from gdl.loading import game_of

    model = load_checked(game, params)
    verdict = verifier.verify(game_of(model, engine.value), file)
    if as_json:
        print_json({**verdict.as_data(), "params": parameters(model)})
        return
    for line in verdict.report(parameters_shown(model)):
        print_styled(*line)
