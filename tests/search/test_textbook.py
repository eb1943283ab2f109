"""Depth, budgets, leaves, tables, lines and root moves of tree searches."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

import solvers
from gdl.game import CHANCE
from solvers.core.budget import Budget, Spent
from solvers.core.leaves import middle_of_utilities, rollout_mean, weighted_features
from solvers.search.alphabeta import AlphaBeta
from solvers.search.minimax import Minimax
from solvers.search.transposition_table import Entry, Table
from tests.solvers.games import Bins, CountUp, IncAndSquare, Nim, Node, Pig, TableGame, TicTacToe, end, to

SEARCHES = ("minimax", "alphabeta", "expectiminimax", "star1", "star2", "maxn", "paranoid")


@pytest.mark.parametrize("name", [*SEARCHES, "expectimax"])
def test_no_recursion_limit(name: str) -> None:
    result = solvers.solve(CountUp(4_000), name)
    assert result.value == 1 and result.kind == "exact"
    assert len(result.line) == 4_000


@pytest.mark.parametrize("name", ["expectiminimax", "star1", "star2", "maxn"])
def test_depth_counts_moves_of_players_only(name: str) -> None:
    """After one move of the player, chance moves twice and the game is over: depth 1 sees it all."""
    half = (F(1, 2), F(1, 2))
    game = TableGame(
        (
            Node(0, (to((F(1, 2), 1), (F(1, 2), 2)),)),
            Node(CHANCE, (to(3), to(4)), odds=half),
            Node(CHANCE, (to(1), to(4)), odds=half),
            end(4),
            end(0),
        )
    )
    result = solvers.solve(game, name, depth=1)
    assert result.kind == "exact" and result.value == F(1, 2) * 2 + F(1, 2) * 1


@pytest.mark.parametrize("name", SEARCHES)
def test_depth_one_judges_what_comes_after_one_move(name: str) -> None:
    game = TableGame(
        (Node(0, (to(1), to(2))), Node(1, (to(3),)), Node(1, (to(4),)), end(1), end(-1)),
        estimates=(0, 0, 1, 0, 0),
    )
    result = solvers.solve(game, name, depth=1)
    assert result.kind == "estimate" and result.value == 1 and result.best == ("b",)
    assert solvers.solve(game, name, depth=2).best == ("a",)


@pytest.mark.parametrize("name", SEARCHES)
def test_an_exhausted_tree_is_exact_whatever_the_depth(name: str) -> None:
    game = Bins(F(1, 2)) if name not in ("minimax", "alphabeta") else Bins(F(0))
    assert solvers.solve(game, name, depth=1).kind == "estimate"
    assert solvers.solve(game, name, depth=2).kind == "exact"
    assert solvers.solve(game, name, nodes=100_000).kind == "exact"


@pytest.mark.parametrize("name", SEARCHES)
def test_node_budget(name: str) -> None:
    """The deepest finished search answers; at most a tenth more than the budget is spent."""
    result = solvers.solve(TicTacToe(), name, nodes=3000)
    assert result.work.nodes is not None and result.work.nodes <= 3300
    assert result.partial and result.kind == "estimate" and len(result.moves) == 9


def test_time_budget() -> None:
    result = solvers.solve(TicTacToe(), "minimax", time=0.05)
    assert result.partial and result.kind == "estimate" and result.moves


def test_a_budget_always_allows_depth_one() -> None:
    result = solvers.solve(TicTacToe(), "minimax", nodes=1)
    assert result.partial and len(result.best) == 9


def test_interruption_answers_with_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = Budget.spend

    def interrupt(self: Budget, nodes: int = 1) -> None:
        spent(self, nodes)
        if self.nodes == 2000:
            raise KeyboardInterrupt

    monkeypatch.setattr(Budget, "spend", interrupt)
    cases: list[tuple[str, dict[str, Any]]] = [("mcts", {"simulations": 100_000})]
    cases += [(name, limit) for name in SEARCHES for limit in ({"depth": 9}, {})]
    for name, options in cases:
        result = solvers.solve(TicTacToe(), name, **options)
        assert result.partial and result.kind == "estimate" and result.best
    bounded = solvers.solve(Pig(10), "value_iteration")
    assert bounded.partial and bounded.kind == "bounded"


@pytest.mark.parametrize("name", ["minimax", "alphabeta", "backward_induction"])
def test_all_ties_are_best(name: str) -> None:
    at = "xo.x....."  # o must stop x in the left column, and cannot also stop the other threat later
    result = solvers.solve(TicTacToe(), name, at=at)
    assert result.to_move == "o"
    reference = solvers.solve(TicTacToe(), "retrograde", at=at)
    assert result.best == reference.best


def test_moves_that_are_worse_stay_unsettled_under_alphabeta() -> None:
    game = Bins(F(0))
    by_minimax = {move.text: move.value for move in solvers.solve(game, "minimax").moves}
    for move in solvers.solve(game, "alphabeta").moves:
        assert move.value is None or move.value == by_minimax[move.text]
    assert all(value is not None for value in by_minimax.values())


def test_a_position_can_be_asked_for() -> None:
    for name in SEARCHES:
        if name != "minimax":
            assert solvers.solve(Nim(9, 9), name, at=((1, 1), 0)).value == -1


def test_a_finished_game_has_its_utility() -> None:
    for name in [*SEARCHES, "backward_induction", "retrograde", "value_iteration", "policy_iteration", "mcts",
                 "flat_monte_carlo"]:  # fmt: skip
        result = solvers.solve(TicTacToe(), name, at="xxxoo....")
        assert result.value == 1 and result.kind == "exact" and not result.moves and result.to_move is None


def test_principal_line_under_chance_follows_the_likeliest_outcome() -> None:
    for name in ("expectiminimax", "star1", "star2", "maxn", "backward_induction"):
        line = solvers.solve(IncAndSquare(3), name).line
        assert [str(step) for step in line] == ["inc", "inc", "sqr (7/10)"]


def test_lines_end_in_the_value() -> None:
    for name in ("minimax", "alphabeta"):
        result = solvers.solve(Nim(2, 3), name)
        game, position = Nim(2, 3), ((2, 3), 0)
        for step in result.line:
            move = game.parse_move(position, step.move)
            position = game.outcomes(position, move)[0].position
        assert game.utility(position)[0] == result.value == 1


# ---------------------------------------------------------------- leaves


def test_leaves_stay_within_the_utilities() -> None:
    game = TicTacToe()
    assert weighted_features(game, {"centre": 100})("....x....") == (1, -1)
    assert middle_of_utilities(game)("." * 9) == (0, 0)
    low, high = rollout_mean(game, 50, None, 1)("." * 9)
    assert -1 <= low <= 1 and low == -high


def test_leaves_that_make_no_sense() -> None:
    with pytest.raises(solvers.Refusal, match="no feature `edge`"):
        weighted_features(TicTacToe(), {"edge": 1})
    three = TableGame((Node(0, (to(1),)), end(1, 2, 3)), count=3)
    with pytest.raises(solvers.Refusal, match="first player"):
        weighted_features(three, {})


def test_weights_guide_a_search() -> None:
    result = solvers.solve(
        TicTacToe(), "alphabeta", depth=1, leaf=weighted_features(TicTacToe(), {"centre": 1})
    )
    assert result.best == (4,)


# ---------------------------------------------------------------- the table


def test_a_small_or_absent_table_changes_nothing() -> None:
    for table in (0, 1, 7, 1 << 12):
        result = solvers.solve(TicTacToe(), "alphabeta", at="x...o....", table=table)
        assert result.value == 0 and result.kind == "exact"
        assert solvers.solve(Pig(6), "star2", depth=4, table=table).value == solvers.solve(
            Pig(6), "expectiminimax", depth=4).value  # fmt: skip


def test_replacement() -> None:
    table = Table(1)
    table.put(Entry("deep", 9, 0, 1, "a"))
    table.put(Entry("shallow", 3, 0, 1, "b"))
    assert table.get("deep") is not None and table.get("shallow") is None
    table.put(Entry("as deep", 8, 0, 1, "c"))
    assert table.get("deep") is None and table.get("as deep") is not None
    table.put(Entry("as deep", 8, 0, 2, None))
    table.put(Entry("as deep", 8, 1, 3, None))
    entry = table.get("as deep")
    assert entry is not None and (entry.low, entry.high, entry.move) == (1, 1, "c")


def test_an_entry_answers_only_for_its_depth() -> None:
    assert Entry("p", 3, 0, 0, None).answers(3)
    assert not Entry("p", 4, 0, 0, None).answers(3)
    assert not Entry("p", 2, 0, 0, None).answers(3)
    assert Entry("p", 2, 0, 0, None, complete=True).answers(3)
    assert not Entry("p", 4, 0, 0, None, complete=True).answers(3)


# ---------------------------------------------------------------- less work, same answer


def test_pruning_saves_nodes() -> None:
    at = "x........"
    plain = solvers.solve(TicTacToe(), "minimax", at=at, depth=5).work.nodes
    pruned = solvers.solve(TicTacToe(), "alphabeta", at=at, depth=5).work.nodes
    assert plain is not None and pruned is not None and pruned < plain / 3


def test_star1_and_star2_save_nodes() -> None:
    game = Pig(20)
    at = (10, 12, 3, 0)
    nodes: dict[str, Any] = {
        name: solvers.solve(game, name, at=at, depth=5).work.nodes
        for name in ("expectiminimax", "star1", "star2")
    }
    assert nodes["star1"] < nodes["expectiminimax"] / 3 and nodes["star2"] < nodes["expectiminimax"] / 3


def test_contract_of_a_window() -> None:
    """Fail-soft: at or below alpha an upper bound, at or above beta a lower bound, between them the value."""
    from itertools import product

    from solvers.core.trampoline import run
    from solvers.search.alphabeta import Window

    game = Nim(2, 1)
    truth = {
        p: run(Minimax(game, Budget()).value(p, 99)).value for p in [((2, 1), 0), ((1, 1), 0), ((2, 1), 1)]
    }
    for (position, value), (alpha, beta) in product(
        truth.items(), [(-2, -1), (-1, 0), (0, 1), (1, 2), (-2, 2)]
    ):
        search = AlphaBeta(game, Budget(), table=0)
        found = run(search.search(position, 99, Window(alpha, beta), 0)).value
        if found <= alpha:
            assert value <= found
        elif found >= beta:
            assert value >= found
        else:
            assert value == found


def test_spending() -> None:
    budget = Budget(nodes=2)
    budget.spend()
    budget.spend()
    with pytest.raises(Spent):
        budget.spend()
    budget.grace = True
    budget.spend()
    assert budget.work().nodes == 4
