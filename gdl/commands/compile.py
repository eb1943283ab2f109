"""`gdl compile`: shows what the native engine makes of a game."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from gdl.commands.arguments import GameName, Json, Params, load_checked, print_json


class Form(StrEnum):
    """What to show."""

    MODEL = "model"
    LAYOUT = "layout"
    LLVM = "llvm"
    ASM = "asm"


def compile(  # the name of the command
    game: GameName,
    params: Params = None,
    emit: Annotated[
        Form,
        typer.Option(
            "--emit",
            metavar="FORM",
            help="The checked `model`, the `layout` of positions, `llvm` IR or `asm`.",
        ),
    ] = Form.LLVM,
    function: Annotated[
        str, typer.Option("--function", metavar="NAME", help="The exported function to show.")
    ] = "playouts",
    plain: Annotated[
        bool, typer.Option("--plain", help="LLVM IR as it is generated, before optimisation.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show what a game is compiled to.

    Each exported function (to_move, moves, outcomes, sample, utility, playouts, ..) is a module of its own,
    with all that it needs. The Model is what the code is made from.
    """
    from gdl.native.describe import describe_layout, describe_model, layout_data
    from gdl.native.emit.exports import EXPORTS
    from gdl.native.ir.jit import listing
    from gdl.native.program import Functions

    if function not in EXPORTS:
        raise typer.BadParameter(
            f"there is no function `{function}`; there are {', '.join(EXPORTS)}", param_hint="--function"
        )
    model = load_checked(game, params)
    if emit is Form.MODEL:
        text = describe_model(model)
    elif emit is Form.LAYOUT:
        layout = Functions(model).program.layout
        if as_json:
            print_json(layout_data(layout))
            return
        text = describe_layout(layout)
    else:
        text = Functions(model).text(function)
        if emit is Form.ASM or not plain:
            text = listing(text, emit.value)
    if as_json:
        print_json({"game": model.name, "emit": emit.value, "function": function, "text": text})
    else:
        typer.echo(text, nl=False)
