"""All exact methods say the same on random games, and what theory says of their values holds."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import solvers
from gdl.game import TERMINAL
from solvers.core.policies import uniform
from solvers.core.result import Result
from tests.solvers.games import Node, TableGame
from tests.solvers.strategies import NUMBERS, acyclic_games

few = settings(max_examples=60, deadline=None)


def answers(game: Any, *names: str, **options: Any) -> list[Result]:
    return [solvers.solve(game, name, **options) for name in names]


def same(results: list[Result]) -> None:
    """Equal values and equal sets of best moves; bounds contain the value."""
    first = results[0]
    for other in results[1:]:
        for mine, theirs in zip(first.values, other.values, strict=True):
            assert mine is not None and theirs is not None
            if theirs.kind == "exact" and theirs.rational:
                assert mine.number == theirs.number, (first.solver, other.solver)
            else:
                assert theirs.low is not None and theirs.high is not None
                assert theirs.low <= mine.number <= theirs.high
                assert theirs.high - theirs.low <= 1e-9
        assert first.best == other.best, (first.solver, other.solver)


@few
@given(acyclic_games(chance=False, rewards=True, discount=True))
def test_without_chance(game: TableGame) -> None:
    same(answers(game, "minimax", "alphabeta", "expectiminimax", "maxn", "backward_induction",
                 "policy_iteration", "value_iteration"))  # fmt: skip


@few
@given(acyclic_games(chance=False))
def test_without_chance_or_rewards(game: TableGame) -> None:
    same(answers(game, "minimax", "alphabeta", "star1", "star2", "retrograde", "backward_induction"))


@few
@given(acyclic_games(discount=True))
def test_with_chance(game: TableGame) -> None:
    same(answers(game, "expectiminimax", "star1", "star2", "maxn", "backward_induction",
                 "policy_iteration", "value_iteration"))  # fmt: skip


@few
@given(acyclic_games(rewards=True, discount=True))
def test_with_chance_and_rewards(game: TableGame) -> None:
    same(answers(game, "expectiminimax", "maxn", "backward_induction", "policy_iteration", "value_iteration"))


@few
@given(acyclic_games(players=1, rewards=True, discount=True))
def test_for_one_player(game: TableGame) -> None:
    same(answers(game, "expectimax", "expectiminimax", "maxn", "paranoid", "backward_induction",
                 "best_response", "policy_iteration"))  # fmt: skip


@few
@given(acyclic_games(players=3))
def test_for_three_players(game: TableGame) -> None:
    same(answers(game, "maxn", "backward_induction"))


@few
@given(acyclic_games(players=3))
def test_paranoid_promises_no_more_than_maxn_may_give(game: TableGame) -> None:
    """Whatever the others do, the mover gets at least the paranoid value: so also when they play maxn."""
    maxn = solvers.solve(game, "maxn")
    me = max(game.to_move(0), 0)
    promised, given_ = solvers.solve(game, "paranoid").values[me], maxn.values[me]
    assert promised is not None and given_ is not None
    assert promised.number <= given_.number


def same_to_a_depth(game: TableGame, plain: Result, pruned: Result) -> None:
    """The same values of a search with bounds and of one without. Bounds may prove what the other judged;
    then the moves that are named are proven too, and some that were only judged are not."""
    assert pruned.value == plain.value
    if pruned.kind == plain.kind:
        assert pruned.best == plain.best
    else:
        truth = solvers.solve(game, "backward_induction")
        assert pruned.kind == "exact" and pruned.value == truth.value
        assert set(pruned.best) <= set(truth.best) and bool(pruned.best) == bool(truth.best)


@few
@given(acyclic_games(discount=True), st.integers(1, 4), st.data())
def test_pruning_never_changes_a_depth_limited_value(game: TableGame, depth: int, data: Any) -> None:
    """Leaves within the bounds of the utilities, whatever the table holds."""
    low, high = game.traits.utility_bounds[0]
    estimates = tuple(F(data.draw(st.integers(0, 8)), 8) * (high - low) + low for _ in range(len(game.nodes)))
    judged = replace(game, estimates=estimates)
    plain, *pruned = answers(judged, "expectiminimax", "star1", "star2", depth=depth)
    for other in pruned:
        same_to_a_depth(game, plain, other)


@few
@given(acyclic_games(chance=False), st.integers(1, 4), st.data())
def test_alphabeta_to_a_depth(game: TableGame, depth: int, data: Any) -> None:
    low, high = game.traits.utility_bounds[0]
    estimates = tuple(F(data.draw(st.integers(0, 4)), 4) * (high - low) + low for _ in range(len(game.nodes)))
    judged = replace(game, estimates=estimates)
    plain, pruned = answers(judged, "minimax", "alphabeta", depth=depth)
    same_to_a_depth(game, plain, pruned)


@few
@given(acyclic_games(discount=True), st.integers(1, 6))
def test_what_is_called_exact_is(game: TableGame, depth: int) -> None:
    truth = solvers.solve(game, "backward_induction").value
    for result in answers(game, "expectiminimax", "star1", "star2", "maxn", depth=depth):
        if result.kind == "exact":
            assert result.value == truth
    small = solvers.solve(game, "mcts", simulations=300)
    if small.kind == "exact":
        assert small.value == truth


@few
@given(acyclic_games(chance=False))
def test_monotone_transformations_leave_minimax_moves_alone(game: TableGame) -> None:
    """f(x) = x^3 + x is increasing: the value is transformed, the best moves stay."""
    transformed = _with_utilities(game, lambda u: u**3 + u)
    before, after = solvers.solve(game, "alphabeta"), solvers.solve(transformed, "alphabeta")
    value = F(before.value)
    assert after.value == value**3 + value
    assert after.best == before.best


@few
@given(acyclic_games(), st.integers(1, 5), NUMBERS)
def test_affine_transformations_leave_expectiminimax_moves_alone(game: TableGame, a: int, b: F) -> None:
    transformed = _with_utilities(game, lambda u: a * u + b)
    before, after = solvers.solve(game, "star2"), solvers.solve(transformed, "star2")
    assert after.value == a * F(before.value) + b
    assert after.best == before.best


@few
@given(acyclic_games())
def test_the_inequality_of_the_lectures(game: TableGame) -> None:
    """V(exp, min) <= V(max, min) <= V(max, opp) <= V(exp, opp), for the first player.

    max and min are the policies of expectiminimax, opp plays at random, exp is the best response to it.
    """
    optimal = solvers.solve(game, "backward_induction").policy
    response = solvers.solve(game, "best_response", against=uniform(game), player=0).policy
    assert optimal is not None and response is not None

    def exp(position: Any) -> Any:
        """The best response; where the random opponent never leads, anything."""
        return response(position) if position in response else uniform(game)(position)

    def value(first: Any, second: Any) -> F:
        result = solvers.solve(game, "policy_evaluation", policies={0: first, 1: second})
        return F(result.value)

    opponent = uniform(game)
    assert value(exp, optimal) <= value(optimal, optimal) == solvers.solve(game, "star1").value
    assert value(optimal, optimal) <= value(optimal, opponent) <= value(exp, opponent)
    assert value(exp, opponent) == solvers.solve(game, "best_response", against=opponent, player=0).value
    assert value(exp, opponent) == solvers.solve(game, "expectimax", against=opponent, player=0).value


def _with_utilities(game: TableGame, f: Any) -> TableGame:
    nodes = []
    for node in game.nodes:
        if node.player == TERMINAL:
            value = f(F(node.utility[0]))
            node = Node(TERMINAL, utility=(value, -value))
        nodes.append(node)
    return replace(game, nodes=tuple(nodes))
