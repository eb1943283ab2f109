"""Backward induction: the value of every reachable position, from the ends of the game backwards.

Each position is computed once, after all that can follow it: Zermelo 1913, Kuhn 1953. In a duel this is the
value of the game; with more players or other interests it is a subgame-perfect equilibrium.

**Ties.** Where several moves are equally good for the player to move, the first in the game's order is
played. With opposed interests that changes nothing; otherwise another rule may give other players other
values (`maxn` has the same rule, and the same values).
"""

from __future__ import annotations

from typing import Any

from gdl.diagnostics.wording.phrases import all_of
from gdl.game import CHANCE, TERMINAL, Game, Number
from solvers.core.budget import Budget
from solvers.core.graph import Choice, Graph
from solvers.core.result import Result, Value, plain
from solvers.core.rounding import exact_twin
from solvers.core.starts import starts_of
from solvers.registry import refuse, repeats
from solvers.whole.graph import (
    graph_components,
    is_cyclic,
    rationalised,
    reachable_graph,
)
from solvers.whole.solution import Solution


def backward_induction(game: Game[Any, Any], at: Any = None, *, limit: int | None = None) -> Result:
    """The exact value of a game in which no play comes back to a position; any number of players."""
    refuse("backward_induction", game)
    game = exact_twin(game)
    budget = Budget()
    starts = starts_of(game, at)
    graph = rationalised(reachable_graph(game, starts, limit))
    values = induce(game, graph)
    solution = Solution(game, graph, lambda node: tuple(Value.exact(number) for number in values[node]))
    ties = "" if game.traits.zero_sum or game.traits.players == 1 else "; ties go to the first move"
    how = f"backward induction over {all_of(len(graph), 'position')}{ties}"
    return solution.result("backward_induction", starts, how, budget.work(positions=len(graph)))


def induce(game: Game[Any, Any], graph: Graph) -> list[tuple[Number, ...]]:
    """One number per position and player."""
    values: list[tuple[Number, ...]] = [()] * len(graph)
    discount = plain(game.traits.discount)
    players = range(game.traits.players)

    def worth(choice: Choice) -> tuple[Number, ...]:
        return tuple(
            sum(
                edge.probability
                * ((edge.rewards[i] if edge.rewards else 0) + discount * values[edge.target][i])
                for edge in choice.edges
            )
            for i in players
        )

    for component in graph_components(graph):
        if is_cyclic(graph, component):
            raise repeats(game, graph.positions[component[0]])
        (node,) = component
        player = graph.players[node]
        utility = graph.utilities[node]
        if player == TERMINAL:
            assert utility is not None
            values[node] = tuple(utility)
        elif player == CHANCE:
            values[node] = worth(graph.choices[node][0])
        else:
            values[node] = max(
                (worth(choice) for choice in graph.choices[node]), key=lambda value: value[player]
            )
    return values
