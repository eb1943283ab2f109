"""`gdl search`: what one position is worth, looking ahead from it instead of visiting the whole game."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.commands.arguments import (
    Engine,
    EngineName,
    GameName,
    Json,
    MovesFirst,
    Params,
    load_checked,
    print_facts,
    print_json,
)
from gdl.commands.solutions import in_words, parameters, show_result, speed_shown

if TYPE_CHECKING:
    from gdl.game import Game
    from gdl.model.nodes import Model
    from solvers.core.result import Result
    from solvers.registry import Solver

LIMITS = ("depth", "nodes", "time", "simulations")


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
    at: Annotated[
        str | None, typer.Option("--at", metavar="POSITION", help="Search from here: `name=value …`.")
    ] = None,
    moves: MovesFirst = None,
    engine: EngineName = Engine.NATIVE,
    as_json: Json = False,
) -> None:
    """Search a position: what it is worth, and what to play.

    Looks ahead from one position: for games that are too large to solve whole. The answer says whether it is
    exact, between proven bounds, or an estimate. Without a limit a search goes on to the end of the game (and
    mcts simulates 1,000 plays); Ctrl-C ends it with the best answer so far.
    """
    from gdl.loading import game_of
    from solvers.agents.kinds import search_described
    from solvers.registry import choose

    model = load_checked(game, params)
    described: Any = game_of(model, engine.value)
    position = _position(described, at, moves)
    text, reason = choose(described, "search") if solver is None else (solver, "")
    if solver is None and text == "mcts" and depth is not None:
        text, reason = "maxn", "a depth is given, and interests differ"
    entry, options = search_described(text, described)
    limits = dict(zip(LIMITS, (depth, nodes, time, simulations), strict=True))
    options |= {name: value for name, value in limits.items() if value is not None}
    entry.check_options(options)
    result = in_words(described, position, _answer(described, entry, position, options))
    if as_json:
        start = None if position is None else str(described.format_position(position))
        data = {**result.as_data(), "reason": reason, "from": start, "params": parameters(model)}
        print_json(data | {"not_proven_safe": len(model.obligations)})
        return
    show_result(model, described, result, reason)
    print_facts([*_work(result), *_unproven(model, result)], "work")


def _position(game: Game[Any, Any], at: str | None, moves: str | None) -> Any:
    """Where to search; None for the start of the game, which chance may decide."""
    position = None if at is None else game.parse_position(at)
    if not moves:
        return position
    from gdl.playing.play import Play
    from gdl.playing.results import make_typed

    play: Play[Any, Any] = Play(game, position)
    make_typed(play, moves)
    return play.position


def _answer(game: Game[Any, Any], solver: Solver, position: Any, options: dict[str, Any]) -> Result:
    endless = solver.family == "search" and not any(limit in options for limit in LIMITS)
    if endless and sys.stderr.isatty():
        typer.echo("searching to the end of the game; Ctrl-C answers with what is known so far", err=True)
    answer: Result = solver.load()(game, position, **options)
    return answer


def _unproven(model: Model, result: Result) -> Iterator[tuple[str, str]]:
    """A search sees a part of the game only: what the checker left to the engines may go wrong elsewhere."""
    count = len(model.obligations)
    if count and result.kind != "estimate":
        places = "1 place is" if count == 1 else f"{count} places are"
        yield "rules", f"{places} not proven safe, only checked where the search went (gdl check --verbose)"


def _work(result: Result) -> Iterator[tuple[str, str]]:
    work = result.work
    if work.rounds is not None:
        yield "simulations", f"{work.rounds:,}{speed_shown(work.rounds, work.seconds)}"
    if work.nodes is not None:
        yield "nodes", f"{work.nodes:,}{speed_shown(work.nodes, work.seconds)}"
    yield "time", f"{work.seconds:.3g} s"
    if result.seed is not None:
        yield "seed", str(result.seed)
