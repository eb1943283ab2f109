"""Policies on whole compiled games: what they are worth against each other, and the best response to them.

The position graph is explored as for solving. Players with a policy become chance; what is left is a Markov
chain or one player's decision process, bounded like any game (bounds.py), or solved in rationals where that
was asked for or takes a moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from time import perf_counter
from typing import Any

from gdl.diagnostics.wording.phrases import all_of
from gdl.game import Game, Number, Outcome
from solvers.core.combine import opposed
from solvers.core.lookup import Lookup
from solvers.core.policies import uniform
from solvers.core.refusal import bad_option, unproven
from solvers.core.result import Result, Value, Work
from solvers.core.rounding import exact_twin, infinite
from solvers.core.starts import starts_of
from solvers.policies.kernels.fixed_policies import exact_graph, odds_of, with_policies
from solvers.policies.policy_evaluation import chain_values
from solvers.registry import SOLVERS
from solvers.views.against_policies import AgainstPolicies
from solvers.whole.kernels.breadth_first import reach
from solvers.whole.kernels.position_graph import PositionGraph, merged
from solvers.whole.kernels.solve import Settings, Solved, Statistics, bounded, record
from solvers.whole.kernels.space import Space
from solvers.whole.kernels.strong_components import condense
from solvers.whole.kernels.twins import SINCE_TOO_FINE
from solvers.whole.policy_iteration import strategy_values

FEW_EDGES, FEW_TOGETHER = 20_000, 200
"""Graphs with no more edges, and positions on cycles with each other, are solved in rationals."""


def solve_against(
    game: Game[Any, Any],
    policies: Mapping[int, Any],
    player: int | None = None,
    at: Any = None,
    settings: Settings | None = None,
) -> Solved:
    """What `player` gets by best play when all others follow policies; without a player, what everybody gets
    by the policies.

    A policy is a function of the position, or None for equally likely moves.
    """
    settings = settings or Settings()
    players = range(game.traits.players)
    missing = [game.players[i] for i in players if i != player and i not in policies]
    if missing:
        raise bad_option(
            f"no policy is given for {' and '.join(missing)}", "Give one for every other player."
        )
    policies = {i: policies[i] for i in players if i != player}
    started = perf_counter()
    starts = tuple(starts_of(game, at))
    with Space(game, game.compiled, settings.partitions) as space:  # type: ignore[attr-defined]
        found = Statistics(compile_seconds=perf_counter() - started)
        reached = reach(
            space, starts, limit=settings.limit, max_memory=settings.max_memory, watch=settings.exploring
        )
        graph = merged(reached)
        found.positions, found.edges, found.explore_seconds = len(graph), graph.edges, reached.seconds
        found.layers, found.choices = len(reached.layers) - 1, graph.choices
        found.position_bytes, found.edge_bytes = graph.position_bytes, graph.edge_bytes
        began = perf_counter()
        few = graph.edges <= FEW_EDGES and (
            condense(graph.row, graph.first, graph.target).largest <= FEW_TOGETHER
        )
        if settings.exact or few:
            values: _AgainstValues = _in_rationals(game, graph, policies, player)
        else:
            values = _bounded(game, graph, policies, player, settings, found)
        found.solve_seconds = perf_counter() - began
    exact = exact_twin(game) if isinstance(values, _ProvenValues) else game
    for start in starts:
        for value in values.value(start.position) or ():
            if infinite(value.number) and not game.traits.minimise:
                raise unproven(game, start.position)
    result = _result(exact, values, tuple(starts_of(exact, at)), player, started)
    found.seconds = result.work.seconds
    return Solved(replace(result, statistics=found), values, found, reached, graph)


def in_rationals(
    game: Game[Any, Any], policies: Mapping[int, Any], player: int | None, at: Any, limit: int | None
) -> Result:
    """The same by the textbook solvers, for a game whose numbers do not fit machine words."""
    known = {i: uniform(game) if policy is None else policy for i, policy in policies.items()}
    limits = {} if limit is None else {"limit": limit}
    found: Result
    if player is None:
        found = SOLVERS["policy_evaluation"].textbook(game, at, policies=known, **limits)
    else:
        found = SOLVERS["best_response"].textbook(game, at, against=known, player=player, **limits)
        mine = found.values[player]
        if game.traits.players == 2 and game.traits.zero_sum and mine is not None:
            found = replace(found, values=(-mine, mine) if player == 1 else (mine, -mine))
    return replace(found, how=found.how + SINCE_TOO_FINE)


class _AgainstValues:
    """Values where players follow policies (core/lookup.py); `player` is who does not, if anybody.

    Nothing is known then about what the others get, unless they oppose that player.
    """

    def __init__(self, game: Game[Any, Any], graph: PositionGraph, player: int | None):
        self.game, self.graph, self.player = game, graph, player

    def __len__(self) -> int:
        return len(self.graph)

    def columns(self, node: int) -> tuple[Value, ...]:
        """One player's value (the first's, or the only one known), or everybody's."""
        raise NotImplementedError

    def value(self, position: Any) -> tuple[Value, ...] | None:
        node = self.graph.index(position)
        if node is None:
            return None
        values = self.columns(node)
        if len(values) == self.game.traits.players:
            return values
        mine = values[0]
        if self.game.traits.players == 2 and self.game.traits.zero_sum:
            return (-mine, mine) if self.player == 1 else opposed(self.game, mine)
        return (mine,) * self.game.traits.players

    def distance(self, position: Any) -> int | None:
        return None

    def positions(self) -> Iterator[Any]:
        return (self.graph.position(node) for node in range(len(self.graph)))


class _BoundedValues(_AgainstValues):
    def __init__(
        self, game: Game[Any, Any], graph: PositionGraph, player: int | None, low: list[Any], high: list[Any]
    ):
        super().__init__(game, graph, player)
        self._low, self._high = low, high  # per column

    def columns(self, node: int) -> tuple[Value, ...]:
        both = zip(self._low, self._high, strict=True)
        return tuple(Value.bounded(float(low[node]), float(high[node])) for low, high in both)


class _ProvenValues(_AgainstValues):
    def __init__(
        self,
        game: Game[Any, Any],
        graph: PositionGraph,
        player: int | None,
        proven: list[tuple[Number, ...]],
    ):
        super().__init__(game, graph, player)
        self.proven = proven

    def columns(self, node: int) -> tuple[Value, ...]:
        return tuple(Value.exact(number) for number in self.proven[node])


def _in_rationals(
    game: Game[Any, Any], graph: PositionGraph, policies: Mapping[int, Any], player: int | None
) -> _ProvenValues:
    exact = exact_graph(game, graph, policies, player)
    if player is None:
        found: list[tuple[Number, ...]] = [
            tuple(Fraction(x) for x in value) for value in chain_values(game, exact)
        ]
    else:
        alone = AgainstPolicies(game, player, {})
        found = [(x,) for x in strategy_values(alone, exact)]
    return _ProvenValues(game, graph, player, found)


def _bounded(
    game: Game[Any, Any],
    graph: PositionGraph,
    policies: Mapping[int, Any],
    player: int | None,
    settings: Settings,
    found: Statistics,
) -> _BoundedValues:
    odds = odds_of(game, graph, policies)
    one_column = graph.worth.shape[1] == 1
    wanted = [player] if player is not None else [0] if one_column else list(range(game.traits.players))
    low, high = [], []
    for who in wanted:
        column, sign = (0, 1 if who == 0 else -1) if one_column else (who, 1)
        fixed = with_policies(game, graph, policies, odds, column, sign)
        bounds = bounded(game, fixed, settings, who)
        record(found, bounds)
        low.append(bounds.low)
        high.append(bounds.high)
    return _BoundedValues(game, graph, player, low, high)


def _result(
    game: Game[Any, Any],
    values: _AgainstValues,
    starts: tuple[Outcome, ...],
    player: int | None,
    started: float,
) -> Result:
    proof = ", in rational arithmetic" if isinstance(values, _ProvenValues) else ""
    if player is None:
        how = f"the policies' play over {all_of(len(values), 'position')}{proof}"
    else:
        name = game.players[player]
        chance = "the others' policies being chance"
        how = f"best play of {name} over {all_of(len(values), 'position')}, {chance}{proof}"
    solver = "policy_evaluation" if player is None else "best_response"
    work = Work(perf_counter() - started, positions=len(values))
    lookup = Lookup(game, values)
    whole = lookup.totals(starts)
    opposing = game.traits.players == 2 and game.traits.zero_sum
    known = [player is None or opposing or i == player for i in range(game.traits.players)]
    everyone = tuple(value if sure else None for value, sure in zip(whole, known, strict=True))
    first: Any = starts[0].position
    result = Result(game.name, solver, everyone, game.players, how, work)
    if player is not None and len(starts) == 1 and game.to_move(first) == player:
        return replace(result, to_move=game.players[player], moves=lookup.root_moves(first))
    return result


__all__ = ["in_rationals", "solve_against"]
