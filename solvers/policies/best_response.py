"""Best response: one player's optimal play when all others follow fixed policies.

The others become chance, and what remains is a Markov decision process, solved exactly on its position graph:
the same question as `expectimax`, for whole games and also where positions come back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gdl.diagnostics.wording.phrases import all_of
from gdl.game import Game
from solvers.core.budget import Budget
from solvers.core.policies import Policies, policies_of_others
from solvers.core.result import Result, Value
from solvers.core.rounding import exact_twin
from solvers.core.starts import player_to_move, starts_of
from solvers.registry import refuse
from solvers.views.against_policies import AgainstPolicies
from solvers.whole.graph import rationalised, reachable_graph
from solvers.whole.policy_iteration import refuse_infinite, strategy_values
from solvers.whole.solution import Solution


def best_response(
    game: Game[Any, Any],
    at: Any = None,
    *,
    against: Policies | None = None,
    player: int | None = None,
    limit: int | None = None,
) -> Result:
    """The exact value and the best moves of a player against policies. Of the others only an opponent
    is spoken of, who loses what the player gets.

    The player is the one to move unless given (the first player where chance begins).
    """
    refuse("best_response", game)
    me = player_to_move(game, at) if player is None else player
    game = exact_twin(game)
    alone = AgainstPolicies(game, me, policies_of_others("best_response", game, me, against))
    budget = Budget()
    starts = starts_of(alone, at)
    graph = rationalised(reachable_graph(alone, starts, limit))
    values = strategy_values(alone, graph)
    refuse_infinite(game, graph, starts, values)
    solution = Solution(alone, graph, lambda node: (Value.exact(values[node]),))
    name = game.players[me]
    how = f"best play of {name} over {all_of(len(graph), 'position')}, the others' policies being chance"
    found = solution.result("best_response", starts, how, budget.work(positions=len(graph)))
    mine = found.values[0]
    others = -mine if mine is not None and game.traits.players == 2 and game.traits.zero_sum else None
    everyone = tuple(mine if i == me else others for i in range(game.traits.players))
    return replace(found, values=everyone, players=game.players)
