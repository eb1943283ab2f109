"""Retrograde analysis: win, draw or loss and the distance to it, backwards from the ends.

For games without chance in which positions may come back. From the finished games that pay u or more, the
set from which the first player can force such an end grows backwards: positions where the first player has
a move into it, and where the second player has only moves into it. So for every u above the value of
endless play, best ends first; likewise for the second player below it. What neither side can force to end
better for itself goes on for ever, or ends with just that value.

Bellman 1965, Stroehlein 1970, Thompson 1986; with many payoffs: one attractor for each.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from gdl.diagnostics.wording.phrases import all_of
from gdl.game import TERMINAL, Game, Number
from solvers.core.budget import Budget
from solvers.core.combine import opposed
from solvers.core.graph import Graph
from solvers.core.result import Result, Value
from solvers.core.rounding import exact_twin
from solvers.core.starts import starts_of
from solvers.registry import refuse
from solvers.whole.graph import rationalised, reachable_graph
from solvers.whole.solution import Solution


def retrograde(game: Game[Any, Any], at: Any = None, *, limit: int | None = None) -> Result:
    """The exact value of a game without chance, rewards or discount, with distances to the end.

    A distance counts moves when the side that gains hurries and the other delays; there is none where the
    value is that of endless play.
    """
    refuse("retrograde", game)
    game = exact_twin(game)
    budget = Budget()
    starts = starts_of(game, at)
    graph = rationalised(reachable_graph(game, starts, limit))
    endless = game.traits.endless[0] if game.traits.endless else 0
    values, distances = analyse(graph, endless)
    solution = Solution(game, graph, lambda node: opposed(game, Value.exact(values[node])), distances)
    how = f"retrograde analysis of {all_of(len(graph), 'position')}"
    return solution.result("retrograde", starts, how, budget.work(positions=len(graph)))


def analyse(graph: Graph, endless: Number) -> tuple[list[Number], list[int | None]]:
    """The first player's value of every position, and the distance to the end where it is not `endless`."""
    values: list[Number] = [endless] * len(graph)
    distances: list[int | None] = [None] * len(graph)
    predecessors: list[list[int]] = [[] for _ in range(len(graph))]
    for node in range(len(graph)):
        for target in set(graph.successors(node)):
            predecessors[target].append(node)
    utilities = {node: u[0] for node, u in enumerate(graph.utilities) if u is not None}
    payoffs = sorted(set(utilities.values()))
    for player, wanted in (
        (0, [u for u in reversed(payoffs) if u > endless]),
        (1, [u for u in payoffs if u < endless]),
    ):
        escapes = [len(set(graph.successors(node))) for node in range(len(graph))]
        for payoff in wanted:
            ends = [node for node, utility in utilities.items() if utility == payoff]
            _attract(graph, player, payoff, ends, values, distances, predecessors, escapes)
    return values, distances


def _attract(
    graph: Graph,
    player: int,
    payoff: Number,
    ends: list[int],
    values: list[Number],
    distances: list[int | None],
    predecessors: list[list[int]],
    escapes: list[int],
) -> None:
    """Gives `payoff` to all positions from which the player can force one of the ends, or better.

    `escapes` counts for each position the moves that do not yet lead there; it is kept from one payoff to
    the next, since what forces a better end forces this one too. First in, first out: distances grow.
    """
    for end in ends:
        values[end], distances[end] = payoff, 0
    queue = deque(ends)
    while queue:
        node = queue.popleft()
        for before in predecessors[node]:
            escapes[before] -= 1
            if distances[before] is not None or graph.players[before] == TERMINAL:
                continue
            if graph.players[before] == player or escapes[before] == 0:
                values[before] = payoff
                onward = distances[node]
                assert onward is not None
                distances[before] = onward + 1
                queue.append(before)
