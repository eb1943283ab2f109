"""`gdl explore --engine native`: counting in machine code, on all cores, into the graph that solvers use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from gdl.commands.arguments import number, print_facts, print_json, print_styled
from gdl.commands.solutions import branching_shown
from gdl.model.parameters import parameters, parameters_shown
from gdl.progress import progress_shown
from solvers.core.report import memory_of, speed_shown


def show_native_counts(game: Any, positions: int, depth: int | None, as_json: bool) -> None:
    """Explores a compiled game and prints what was found. Raises GameError where a rule breaks."""
    from solvers.whole.kernels.breadth_first import DEFAULT_MEMORY, available_memory, reach
    from solvers.whole.kernels.space import Space

    with Space(game, game.compiled) as space, progress_shown() as (exploring, _):
        found = reach(
            space,
            game.initial(),
            max_memory=int(DEFAULT_MEMORY * available_memory()),
            watch=exploring,
            enough=positions,
            depth=depth,
        )
    facts = _facts(found)
    if as_json:
        print_json({"game": game.name, "params": parameters(game.model), **facts})
    else:
        _show(game, facts)


def _facts(found: Any) -> dict[str, Any]:
    import numpy as np

    from gdl.game import TERMINAL

    totals = [sum(layer) for layer in found.layers]
    terminal: Counter[tuple[float, ...]] = Counter()
    least, most, moves, choosing, expanded = None, 0, 0, 0, 0
    for kept in found.kept or ():
        mover, degree = kept.mover[: kept.positions], kept.degree[: kept.positions]
        over = kept.worth[: kept.positions][mover == TERMINAL]
        for utility, count in zip(*np.unique(over, axis=0, return_counts=True), strict=True):
            terminal[tuple(float(u) for u in utility)] += int(count)
        legal = degree[mover >= 0]
        if len(legal):
            least = int(legal.min()) if least is None else min(least, int(legal.min()))
            most, moves = max(most, int(legal.max())), moves + int(legal.sum())
        choosing, expanded = choosing + len(legal), expanded + kept.positions
    complete = found.kept is not None and expanded == found.positions
    edge_bytes = found.kept_bytes
    return {
        "complete": complete,
        "positions": found.positions,
        "first_met": [after - before for before, after in pairwise(totals)],
        "edges": found.edges,
        "terminal": [
            {"utility": list(utility), "positions": count}
            for utility, count in sorted(terminal.items(), reverse=True)
        ],
        "branching": None if least is None else {"least": least, "mean": moves / choosing, "most": most},
        "repeats": False if found.graded and complete else None if not complete else _repeats(found),
        "seconds": found.seconds,
        "position_bytes": found.space.bytes,
        "edge_bytes": edge_bytes,
        "partitions": found.space.size,
    }


def _repeats(found: Any) -> bool:
    from solvers.whole.kernels.position_graph import merged
    from solvers.whole.kernels.strong_components import condense

    graph = merged(found)
    return condense(graph.row, graph.first, graph.target).cyclic > 0


def _show(game: Any, facts: dict[str, Any]) -> None:
    print_styled((game.name, "bold"), (parameters_shown(game.model), ""))
    rows = [("moves", "new positions"), *((str(k), f"{n:,}") for k, n in enumerate(facts["first_met"]))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for k, row in enumerate(rows):
        cells = (f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
        print_styled(("  " + "   ".join(cells), "" if k else "bold"))
    print_facts(list(_lines(game, facts)), "found")


def _lines(game: Any, facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    complete, positions, edges = facts["complete"], facts["positions"], facts["edges"]
    yield "positions", f"{positions:,}" + ("" if complete else " seen; there are more")
    yield "edges", f"{edges:,}"
    for end in facts["terminal"]:
        utility = end["utility"]
        if len(utility) < len(game.players):  # two opposed players
            utility = [utility[0], 0 - utility[0]]
        shares = ", ".join(f"{player} {number(u)}" for player, u in zip(game.players, utility, strict=True))
        yield "final positions", f"{end['positions']:,} with {shares}"
    if facts["branching"]:
        least, mean, most = (facts["branching"][key] for key in ("least", "mean", "most"))
        yield "legal moves", branching_shown(least, mean, most)
    repeats = {True: "a play can come back to a position", False: "no play comes back to a position"}
    yield "repetition", repeats.get(facts["repeats"], "not known before all positions are")
    yield "broken rules", "none" if complete else "none so far"
    if game.traits.hidden:
        yield "information sets", "not verified here, but without --engine native"
    seconds, partitions = facts["seconds"], facts["partitions"]
    where = f"{partitions} partition{'s' if partitions > 1 else ''}"
    yield "time", f"{seconds:.3g} s on {where}{speed_shown(positions, seconds)}"
    yield "memory", memory_of(facts["position_bytes"], "positions", positions)
    yield "", memory_of(facts["edge_bytes"], "edges", edges)
