"""`gdl tree`: the tree of a game as lectures draw it, and what a search did on it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from gdl.commands.arguments import GameName, Json, MovesFirst, Params, load_checked, print_json


def tree(
    game: GameName,
    params: Params = None,
    solver: Annotated[
        str | None,
        typer.Option(
            "--solver",
            metavar="SEARCH",
            help="Draw what this search did: `alphabeta`, `alphabeta(order=worst)`, `star2`, `maxn`, `mcts`; "
            "`none` for the rules alone. Everything is looked at if not given.",
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option("--depth", metavar="N", min=1, help="So many moves deep; chance does not count."),
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="POSITION", help="The root: `name=value …`.")
    ] = None,
    moves: MovesFirst = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="Write a file: .svg .png .pdf .tex .dot .txt .json say how."
        ),
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option(
            "--nodes",
            metavar="N",
            min=1,
            help="Draw so many nodes at most; the rest is counted. 20 if not given, or 80 if these are all.",
        ),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(
            "--order", metavar="ORDER", help="Of moves in alphabeta: given, best, worst, random or evaluate."
        ),
    ] = None,
    graph: Annotated[bool, typer.Option("--graph", help="Draw equal positions once.")] = False,
    show: Annotated[
        bool | None,
        typer.Option(
            "--show/--no-show", help="Draw positions inside nodes; if not given, where boards are small."
        ),
    ] = None,
    solved: Annotated[
        bool, typer.Option("--solved", help="Judge positions at the depth by the solution of the whole game.")
    ] = False,
    simulations: Annotated[
        int | None, typer.Option("--simulations", metavar="N", min=1, help="Of mcts: how large it grows.")
    ] = None,
    step: Annotated[
        int | None,
        typer.Option("--step", metavar="N", min=1, help="Of mcts: show its N-th simulation step by step."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", min=0, help="Of mcts, and of moves in random order.")
    ] = None,
    dark: Annotated[bool, typer.Option("--dark", help="A .png or .pdf on dark ground; .svg adapts.")] = False,
    as_json: Json = False,
) -> None:
    """Draw the tree of a game: max, min, chance and what it is worth.

    The search that is drawn really runs: its order, windows and cuts are its own. Text without --out. Large
    trees are drawn in part, and what is left out is counted.
    """
    from gdl.draw.tree.files import check_target
    from gdl.loading import game_of
    from gdl.trees import drawing

    if out is not None:
        check_target(out)
    # Simulated plays need a fast engine, values on nodes an exact one.
    engine = "native" if (solver or "").startswith("mcts") or solved else "reference"
    described = game_of(load_checked(game, params), engine)
    drawn = drawing.tree(
        described, solver, at=at, moves=moves, depth=depth, nodes=nodes, graph=graph, show=show,
        solved=solved, step=step, simulations=simulations, seed=seed, order=order,
    )  # fmt: skip
    if out is not None:
        drawn.save(out, dark=dark)
    if as_json:
        print_json(drawn.as_data())
    elif out is None:
        utf8 = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
        typer.echo(drawn.text(ascii_only=not utf8))
        if not utf8:
            typer.echo(
                "drawn in ASCII, for this terminal does not take UTF-8; --out FILE.svg draws it", err=True
            )
    else:
        typer.echo(f"{out} written")
