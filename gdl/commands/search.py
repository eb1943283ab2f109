"""`gdl search`: what one position is worth, looking ahead from it instead of visiting the whole game."""

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
    print_json,
    print_styled,
)
from gdl.commands.solutions import show_plan, show_result


def search(
    game: GameName,
    params: Params = None,
    solver: Annotated[
        list[str] | None,
        typer.Option(
            "--solver",
            metavar="SEARCH",
            help="A search with its options, such as `alphabeta` or `mcts(c=0.7)`; chosen if not given. "
            "Several are compared in one table.",
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
    at: StartsAt = None,
    moves: MovesFirst = None,
    plan_only: Annotated[
        bool, typer.Option("--plan", help="Only say how it would be searched, and why.")
    ] = False,
    engine: FastEngine = None,
    as_json: Json = False,
) -> None:
    """Search a position: what it is worth, and what to play.

    Looks ahead from one position: for games that are too large to solve whole. Proves the value where it can,
    else simulates plays, or judges where the game declares an evaluation; the answer says what was done and
    whether it is exact, between proven bounds, or an estimate. Without a limit it takes 3 seconds; Ctrl-C
    ends it with the best answer so far.

    Where something is hidden, what the player to move knows is searched: deals that fit what that player has
    seen are drawn or listed (`--solver ismcts`, `--solver pimc`). What chance does before that and is not
    said by `--moves` is drawn, by `--seed`.
    """
    from gdl.answers import situation_of
    from gdl.searching import compare, planned_search, searched

    described = play_by(load_checked(game, params), engine)
    limits = {"depth": depth, "nodes": nodes, "time": time, "simulations": simulations}
    if solver is not None and len(solver) > 1:
        if plan_only:
            raise typer.BadParameter("name one search", param_hint="--plan")
        found = compare(described, solver, at=at, moves=moves, **limits, seed=seed)
        if as_json:
            print_json(found.as_data())
        for line in () if as_json else found.report():
            print_styled(*line)
        return
    plan, options = planned_search(described, solver[0] if solver else None, {**limits, "seed": seed})
    if plan_only:
        show_plan(plan, as_json)
        return
    if plan.usual:
        typer.echo(
            f"no limit is given: {plan.seconds:g} s (--time, --nodes, --depth or --simulations set one)",
            err=True,
        )
    result = searched(described, situation_of(described, at, moves, seed), plan, options)
    if as_json:
        print_json(result.as_data())
    else:
        show_result(result)
