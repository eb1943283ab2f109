"""Games in which plays can go round for ever, against brute force over all pairs of positional strategies.

Positional strategies suffice for these payoffs (with a discount: Shapley 1953; without: Gillette 1957 and
Liggett & Lippman 1969, a play that never ends being paid like a mean payoff), so the value of a position is
the best that some strategy of the first player guarantees against all of the second's.
"""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product
from typing import Any

import pytest
from hypothesis import example, given, settings

import gdl
import solvers
from gdl.game import CHANCE, TERMINAL
from gdl.loading import loads
from solvers.core.result import Value
from tests.solvers.games import GridWorld, HaddadMonmege, Node, Pig, TableGame, end, to
from tests.solvers.strategies import cyclic_games

few = settings(max_examples=80, deadline=None)


def brute_force(game: TableGame) -> F:
    """The value of node 0, by trying everything."""
    nodes = game.nodes
    mine = [i for i, node in enumerate(nodes) if node.player == 0]
    theirs = [i for i, node in enumerate(nodes) if node.player == 1]

    def strategies(owned: list[int]) -> Any:
        return product(*(range(len(nodes[i].moves)) for i in owned))

    return max(
        min(
            chain(game, {**dict(zip(mine, a, strict=True)), **dict(zip(theirs, b, strict=True))})
            for b in strategies(theirs)
        )
        for a in strategies(mine)
    )


def chain(game: TableGame, choice: dict[int, int]) -> F:
    """The value of node 0 when every player keeps to a choice, by dense elimination."""
    size = len(game.nodes)
    rows: list[list[F]] = []
    for i, node in enumerate(game.nodes):
        row = [F(0)] * (size + 1)
        row[i] = F(1)
        if node.player == TERMINAL:
            row[size] = F(node.utility[0])
        else:
            odds = node.odds if node.player == CHANCE else (F(1),)
            moves = node.moves if node.player == CHANCE else (node.moves[choice[i]],)
            for p, move in zip(odds, moves, strict=True):
                for q, target, reward in move:
                    row[target] -= p * q * game.discount
                    row[size] += p * q * reward
        rows.append(row)
    if game.discount == 1:
        ending = {i for i, node in enumerate(game.nodes) if node.player == TERMINAL}
        while True:
            more = {i for i in range(size) for j in ending if i not in ending and rows[i][j] != 0}
            if not more:
                break
            ending |= more
        for i in set(range(size)) - ending:
            rows[i] = [F(int(i == j)) for j in range(size)] + [game.traits.endless[0]]
    for k in range(size):
        pivot = next(i for i in range(k, size) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(size):
            if i != k and rows[i][k]:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return rows[0][size]


def contains(value: Value | None, truth: F) -> bool:
    assert value is not None and value.low is not None and value.high is not None
    assert value.high - value.low <= 1e-9
    return value.low <= truth <= value.high


STAY_OR_PAY = TableGame((Node(0, (to(0), to(1))), end(-1)), endless=(F(0), F(0)), acyclic=False)
MUST_WALK = TableGame(  # the exit is worth having, but only another position has it
    (Node(0, (to(0), to(1))), Node(0, (to(0), to(2))), end(1)), endless=(F(0), F(0)), acyclic=False
)
HOSTAGE = TableGame(  # neither wants to be the one who leaves
    (Node(0, (to(1), to(2))), Node(1, (to(0), to(3))), end(-1), end(1)), endless=(F(0), F(0)), acyclic=False
)


@few
@given(cyclic_games())
@example(STAY_OR_PAY)
@example(MUST_WALK)
@example(HOSTAGE)
def test_undiscounted(game: TableGame) -> None:
    truth = brute_force(game)
    assert solvers.solve(game, "policy_iteration").value == truth
    assert contains(solvers.solve(game, "value_iteration").values[0], truth)


@few
@given(cyclic_games(players=1))
def test_for_one_player(game: TableGame) -> None:
    truth = brute_force(game)
    assert solvers.solve(game, "policy_iteration").value == truth
    assert solvers.solve(game, "best_response").value == truth
    assert contains(solvers.solve(game, "value_iteration").values[0], truth)


@few
@given(cyclic_games(discount=True, rewards=True))
def test_discounted_with_rewards(game: TableGame) -> None:
    truth = brute_force(game)
    assert solvers.solve(game, "policy_iteration").value == truth
    assert contains(solvers.solve(game, "value_iteration").values[0], truth)


@few
@given(cyclic_games(chance=False, most=7))
@example(STAY_OR_PAY)
@example(MUST_WALK)
@example(HOSTAGE)
def test_without_chance(game: TableGame) -> None:
    truth = brute_force(game)
    result = solvers.solve(game, "retrograde")
    assert result.value == truth
    assert solvers.solve(game, "policy_iteration").value == truth
    assert set(solvers.solve(game, "policy_iteration").best) == set(result.best)


@few
@given(cyclic_games(chance=False, most=7))
def test_distances_are_kept_by_best_play(game: TableGame) -> None:
    """Where somebody can force an end better than endless play, best play reaches it in so many moves."""
    solved = solvers.solve(game, "retrograde")
    assert solved.policy is not None
    if solved.value == game.traits.endless[0] or game.to_move(0) == TERMINAL:
        return
    best = solved.policy.best(0)
    (said,) = {move.distance for move in solved.moves if move.move in best}
    position = steps = 0
    while game.to_move(position) != TERMINAL:
        position = game.outcomes(position, solved.policy.best(position)[0])[0].position
        steps += 1
    assert (steps, game.utility(position)[0]) == (said, solved.value)


def test_bounds_are_bounds_at_all_times() -> None:
    """Stopped at once, the answer is partial and its bounds still hold."""
    result = solvers.solve(Pig(10), "value_iteration", time=0.02)
    value = result.values[0]
    assert value is not None and value.low is not None and value.high is not None
    assert result.partial or value.high - value.low <= 1e-9
    assert value.low <= 0.709424322598303 <= value.high


@pytest.mark.parametrize("precision", [1e-2, 1e-4, 1e-6, 1e-9])
def test_precision_is_kept(precision: float) -> None:
    value = solvers.solve(Pig(5), "value_iteration", precision=precision).values[0]
    assert value is not None and value.low is not None and value.high is not None
    assert value.high - value.low <= precision
    assert value.low <= F(216, 271) <= value.high


def test_slow_mixing_needs_no_luck() -> None:
    """From 2^-n away: plain iteration would need a million sweeps and more."""
    for n in (5, 12, 25):
        value = solvers.solve(HaddadMonmege(n, F(7, 10)), "value_iteration").values[0]
        assert contains(value, F(7, 10))


def test_rewards_for_ever_are_refused() -> None:
    for solver in ("value_iteration", "policy_iteration"):
        with pytest.raises(solvers.Refusal, match="for ever"):
            solvers.solve(GridWorld(reward=F(1, 100)), solver)


def test_a_free_rest_is_endless_play() -> None:
    """Resting costs nothing, leaving pays -1, and endless play 0: rest."""
    for solver in ("value_iteration", "policy_iteration", "retrograde"):
        result = solvers.solve(STAY_OR_PAY, solver)
        assert result.value == 0 and result.best == ("a",)


def test_a_costly_rest_is_not() -> None:
    """Every stay costs 1, leaving pays -5: the sooner the better, though staying postpones it."""
    stay = ((F(1), 0, F(-1)),)
    leave = ((F(1), 1, F(0)),)
    game = TableGame((Node(0, (stay, leave)), Node(TERMINAL, utility=(F(-5),))), count=1, acyclic=False)
    for solver in ("value_iteration", "policy_iteration"):
        result = solvers.solve(game, solver)
        assert float(result.value) == pytest.approx(-5, abs=1e-9) and result.best == ("b",)


ROUND_AND_ON = """\
game cost
players: one
type Node = graph:
    a -> b
    b -> c
    c -> a
    b -> d
    d -> e
    a -> f
position:
    at: Node = a
move go(to in neighbours(at)):
    at = to
    cost 1
move wait when at == f:
    cost 3
minimise: 0
terminal: at == e
"""


def test_components_are_counted_where_some_cost_has_no_bound() -> None:
    """a, b and c lead round; f leads to itself, where waiting costs for ever; d and e are alone."""
    found = gdl.solve(loads(ROUND_AND_ON))
    assert found.value == -3  # from a over b and d to e
    assert "4, 2 with cycles, of at most 3 positions" in str(found)
