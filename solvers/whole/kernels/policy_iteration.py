"""Exact values: the strategies that bounds in floats suggest, proven optimal in rational arithmetic.

Component by component, with what it leads to already known as fractions. In a component with cycles the
choices that look best give a pair of strategies; their value is the solution of linear equations, and that
neither player can do better is checked without rounding (`whole/policy_iteration.py` explains the proof, and
searches on where the first pair fails it).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import nan
from typing import Any

from gdl.game import Game, Number
from gdl.movers import TERMINAL
from solvers.core.graph import swings
from solvers.core.refusal import unproven
from solvers.whole.kernels.end_components import best_choices, textbook_graph
from solvers.whole.kernels.position_graph import PositionGraph
from solvers.whole.kernels.strong_components import is_cyclic, strong_components
from solvers.whole.policy_iteration import proven_values

Report = Callable[[str, float], None]


def exact_values(
    game: Game[Any, Any], graph: PositionGraph, middle: Any, report: Report | None = None
) -> list[Number]:
    """The first player's value of every position, infinite where somebody can collect for ever.

    `middle` holds approximations.
    """
    order, start = strong_components(graph.row, graph.first, graph.target)
    endless = Fraction(game.traits.endless[0]) if game.traits.endless else Fraction(0)
    discount = game.traits.discount
    utility = game.compiled.exact.utility  # type: ignore[attr-defined]
    values: list[Number] = [0] * len(graph)
    for k in range(len(start) - 1):
        nodes = order[start[k] : start[k + 1]]
        v = int(nodes[0])
        if graph.mover[v] == TERMINAL:
            values[v] = Fraction(utility(graph.position(v))[0])
        elif not is_cyclic(graph.row, graph.first, graph.target, order, int(start[k]), int(start[k + 1])):
            values[v] = _one_step(graph, v, values, discount)
            if values[v] != values[v]:
                raise unproven(game, graph.position(v))
        else:
            _solve_component(game, graph, nodes, values, middle, endless, discount)
        if report is not None and k % 1000 == 0:
            report("proving in rationals", int(start[k]) / len(graph))
    return values


def _one_step(graph: PositionGraph, v: int, values: list[Number], discount: Fraction) -> Number:
    worths: list[Number] = []
    for c in range(int(graph.row[v]), int(graph.row[v + 1])):
        if graph.simple:
            worths.append(discount * values[int(graph.target[c])])
            continue
        targets = graph.target[int(graph.first[c]) : int(graph.first[c + 1])]
        law = graph.exact_law(int(graph.law[c]))
        worths.append(
            sum(
                (
                    odds * ((paid[0] if paid else 0) + discount * values[int(t)])
                    for t, (odds, paid) in zip(targets, law, strict=True)
                ),
                Fraction(0),
            )
        )
    if any(worth != worth for worth in worths):
        return nan
    return min(worths) if graph.mover[v] == 1 else max(worths)


def _solve_component(
    game: Game[Any, Any],
    graph: PositionGraph,
    nodes: Any,
    values: list[Number],
    middle: Any,
    endless: Fraction,
    discount: Fraction,
) -> None:
    local, numbers = textbook_graph(graph, nodes)
    pair = best_choices(graph, nodes, middle, float(discount))
    outside = [values[number] for number in numbers]
    solved = proven_values(local, range(len(nodes)), discount, outside, endless, pair=pair)
    if solved is None:
        raise unproven(game, graph.position(int(nodes[0])), swings(local, range(len(nodes))))
    for v, value in zip(nodes, solved, strict=True):
        values[int(v)] = value
