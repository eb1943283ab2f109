"""Policies on the position graph: some players' moves are made with given probabilities and become chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from gdl.game import CompiledPolicy, Game, Number
from gdl.movers import CHANCE, TERMINAL
from solvers.core.graph import Choice, Graph
from solvers.core.policies import PolicyFunction, exact_odds
from solvers.core.refusal import bad_option
from solvers.core.rounding import UNIT, exact_twin
from solvers.machine.kernels import kernel
from solvers.machine.types import i64
from solvers.policies.kernels.declared_policies import declared_odds
from solvers.whole.kernels.end_components import textbook_graph
from solvers.whole.kernels.position_graph import ExactLaw, PositionGraph, offsets

TOLERANCE = Fraction(1, 10**9)
"""What probabilities in floats may sum to beside 1."""


def exact_graph(
    game: Game[Any, Any],
    graph: PositionGraph,
    policies: Mapping[int, PolicyFunction | None],
    player: int | None,
) -> Graph:
    """The graph of the textbook solvers, in rationals, in which players with policies are chance.

    With a `player`, who has none, it is the graph of that player's own game: only this player's utilities and
    rewards, and moves in the order of the game.
    """
    exact = exact_twin(game)
    whole, _ = textbook_graph(graph, range(len(graph)))
    one = slice(None) if player is None else slice(player, player + 1)
    players: list[int] = []
    choices: list[tuple[Choice, ...]] = []
    utilities: list[tuple[Number, ...] | None] = []
    for node, here in enumerate(whole.choices):
        who = int(graph.mover[node])
        projected = [[edge._replace(rewards=edge.rewards[one]) for edge in choice.edges] for choice in here]
        utilities.append(exact.utility(graph.position(node))[one] if who == TERMINAL else None)
        if who in policies:
            weights = _weights(game, graph.position(node), policies[who], len(projected))
            edges = [
                edge._replace(probability=weight * edge.probability)
                for weight, outcomes in zip(weights, projected, strict=True)
                for edge in outcomes
                if weight
            ]
            choices.append((Choice(None, tuple(edges)),))
        else:
            choices.append(
                tuple(Choice(c.move, tuple(edges)) for c, edges in zip(here, projected, strict=True))
            )
        players.append(who if who < 0 else CHANCE if who in policies else 0)
    return Graph(whole.positions, whole.index, players, choices, utilities)


def _weights(
    game: Game[Any, Any], position: Any, policy: PolicyFunction | None, moves: int
) -> Sequence[Fraction]:
    """The probabilities that a policy gives the legal moves, in their order."""
    if policy is None:
        return [Fraction(1, moves)] * moves
    wanted = policy(position)
    given: dict[Any, Number] = {move: wanted.get(move, 0) for move in game.moves(position)}
    whole: Number = sum(given.values())
    if not 1 - TOLERANCE <= whole <= 1 + TOLERANCE or min(given.values()) < 0:
        raise bad_option(
            f"a policy gives moves the probability {float(whole):.6g} in all, at "
            f"{game.format_position(position)}",
            "The probabilities of the legal moves must sum to 1.",
        )
    return list(exact_odds(given).values())


def uniform_odds(graph: PositionGraph) -> Any:
    """The probability of every choice when all of a position are equally likely."""
    degree = np.diff(graph.row.astype(np.int64))
    return np.repeat(1.0 / np.maximum(degree, 1), degree)


def odds_of(game: Game[Any, Any], graph: PositionGraph, policies: Mapping[int, PolicyFunction | None]) -> Any:
    """The probability of every choice of the players with policies; None stands for equally likely moves."""
    odds = uniform_odds(graph)
    for player, policy in policies.items():
        if policy is None:
            continue
        if isinstance(policy, CompiledPolicy):
            nodes = declared_odds(game, graph, player, policy, odds)
        else:
            nodes = np.flatnonzero(graph.mover == player)
        for node in nodes:
            position = graph.position(int(node))
            start, end = int(graph.row[node]), int(graph.row[node + 1])
            odds[start:end] = [float(weight) for weight in _weights(game, position, policy, end - start)]
    return odds


class MixedLaws:
    """The exact laws of a graph in which policies have become chance: those that were there, then one for
    each position at which a policy draws."""

    def __init__(
        self,
        game: Game[Any, Any],
        graph: PositionGraph,
        nodes: Any,
        policies: Mapping[int, PolicyFunction | None],
        column: int,
        sign: int,
    ):
        self._game, self._graph, self._nodes, self._policies = game, graph, nodes, policies
        self._column, self._sign = column, sign
        self._kept = _laws(graph)

    def __call__(self, law: int) -> ExactLaw:
        graph = self._graph
        if law < self._kept:
            return self._scaled(law, Fraction(1))
        node = int(self._nodes[law - self._kept])
        choices = range(int(graph.row[node]), int(graph.row[node + 1]))
        policy = self._policies[int(graph.mover[node])]
        weights = _weights(self._game, graph.position(node), policy, len(choices))
        return [
            outcome
            for c, weight in zip(choices, weights, strict=True)
            if weight
            for outcome in self._scaled(0 if graph.simple else int(graph.law[c]), weight)
        ]

    def _scaled(self, law: int, weight: Fraction) -> ExactLaw:
        if self._graph.simple:
            return [(weight, ())]
        return [
            (weight * probability, (self._sign * paid[self._column],) if paid else ())
            for probability, paid in self._graph.exact_law(law)
        ]


def _laws(graph: PositionGraph) -> int:
    """How many laws a graph has; where nothing is drawn one, which is not written down."""
    return 1 if graph.simple else len(graph.law_start) - 1


def with_policies(
    game: Game[Any, Any],
    graph: PositionGraph,
    policies: Mapping[int, PolicyFunction | None],
    odds: Any,
    column: int,
    sign: int,
) -> PositionGraph:
    """The graph in which players with policies are chance, `odds` being the probabilities of all choices
    (odds_of); what is left is one player's, number 0, who maximises.

    `column` of the values times `sign` is what that player gets.
    """
    is_fixed = np.zeros(128, np.bool_)
    is_fixed[list(policies)] = True
    if graph.simple:
        known = np.array([0, 1], np.int64), np.ones(1), np.zeros(1), np.zeros(1)
    else:
        paid = graph.reward[:, column] * sign, graph.reward_error[:, column]
        known = graph.law_start.astype(np.int64), graph.odds, *paid
    row, first, law, target, nodes, *added = _fix(graph.arrays, *known, is_fixed, odds)
    law_start, new_odds, reward, reward_error = map(np.concatenate, zip(known, added, strict=True))
    mover = graph.mover.copy()
    players = mover >= 0
    with np.errstate(invalid="ignore"):  # what is not terminal holds anything
        worth = graph.worth[:, column : column + 1] * sign
    mover[players] = np.where(is_fixed[mover[players]], CHANCE, 0)
    return replace(
        graph,
        mover=mover,
        worth=worth,
        row=offsets(row),
        first=offsets(first),
        law=law,
        target=target,
        law_start=law_start,
        odds=new_odds,
        reward=reward.reshape(-1, 1),
        reward_error=reward_error.reshape(-1, 1),
        exact_laws=np.empty(0, np.int64),
        exact_start=np.empty(0, np.int64),
        mixed=MixedLaws(game, graph, nodes, policies, column, sign),
    )


@kernel
def _fix(
    graph: Any, law_start: Any, odds: Any, reward: Any, reward_error: Any, is_fixed: Any, choice_odds: Any
) -> Any:
    """The arrays of the new graph, the positions at which a policy draws, and the laws of these, each of
    which mixes those of the choices there: where they end, odds, rewards and errors, to come behind those
    known. Where a policy has only one choice, the law is the one of that choice.
    """
    mover, row, first, law, target, _, _ = graph
    n = len(mover)
    simple = len(first) == 0
    choices = edges = nodes = mixed = 0
    for v in range(n):  # how much there is
        fixed = mover[v] >= 0 and is_fixed[mover[v]]
        draws = fixed and _draws(choice_odds, i64(row[v]), i64(row[v + 1]))
        for c in range(i64(row[v]), i64(row[v + 1])):
            outcomes = 1 if simple else i64(first[c + 1]) - i64(first[c])
            if not fixed:
                choices += 1
                edges += outcomes
            elif choice_odds[c] > 0:
                edges += outcomes
                mixed += outcomes if draws else 0
        if fixed:
            choices += 1
            nodes += draws
    new_row = np.zeros(n + 1, np.int64)
    new_first = np.zeros(choices + 1, np.int64)
    new_law = np.empty(choices, np.uint32)
    new_target = np.empty(edges, np.uint32)
    of = np.empty(nodes, np.int64)
    new_end, new_odds = np.empty(nodes, np.int64), np.empty(mixed)
    new_reward, new_error = np.zeros(nodes), np.zeros(nodes)
    k = at = m = drawn = 0
    for v in range(n):
        fixed = mover[v] >= 0 and is_fixed[mover[v]]
        draws = fixed and _draws(choice_odds, i64(row[v]), i64(row[v + 1]))
        for c in range(i64(row[v]), i64(row[v + 1])):
            here = i64(0) if simple else i64(law[c])
            weight = choice_odds[c] if fixed else 1.0
            if weight > 0:
                lo, hi = (c, c + 1) if simple else (i64(first[c]), i64(first[c + 1]))
                for e in range(lo, hi):
                    new_target[at] = target[e]
                    at += 1
                    if draws:
                        new_odds[drawn] = weight * odds[law_start[here] + e - lo]
                        drawn += 1
                if draws:  # one more rounded sum
                    roundings = 8.0 + i64(row[v + 1]) - i64(row[v])
                    new_reward[m] += weight * reward[here]
                    new_error[m] += weight * (reward_error[here] + roundings * UNIT * abs(reward[here]))
            if not draws and weight > 0:
                new_law[k] = here
                k += 1
                new_first[k] = at
        if draws:
            new_law[k] = len(law_start) - 1 + m
            of[m], new_end[m] = v, len(odds) + drawn
            m += 1
            k += 1
            new_first[k] = at
        new_row[v + 1] = k
    return new_row, new_first, new_law, new_target, of, new_end, new_odds, new_reward, new_error


@kernel
def _draws(odds: Any, start: int, end: int) -> Any:
    """Whether the choices from start to end are anything but one that is certain."""
    certain = 0
    for c in range(start, end):
        if odds[c] > 0:
            if odds[c] != 1.0:
                return True
            certain += 1
    return certain != 1
