"""The fast twins against the textbook solvers, on every game that is small enough, position by position."""

from __future__ import annotations

from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import gdl
import solvers
from gdl.diagnostics import GameError
from gdl.paths import data_directory
from solvers.core.policies import uniform
from solvers.core.refusal import Refusal
from solvers.core.result import Result
from solvers.policies.best_response import best_response
from solvers.policies.kernels.against import solve_against
from solvers.policies.policy_evaluation import policy_evaluation
from solvers.registry import applies
from solvers.whole.backward_induction import backward_induction
from solvers.whole.graph import reachable_graph
from solvers.whole.kernels.solve import Settings, solve_whole
from solvers.whole.retrograde import retrograde
from solvers.whole.value_iteration import value_iteration

TEXTBOOK = {
    "backward_induction": backward_induction,
    "retrograde": retrograde,
    "value_iteration": value_iteration,
}
MOST_POSITIONS = 1000

SMALLER: dict[str, dict[str, Any]] = {
    "connect_four": {"width": 3, "height": 3},
    "pig": {"goal": 6},
    "piglet": {"goal": 3},
}
"""Parameters that bring games within reach of the textbook solvers."""

GAMES = sorted(data_directory("games").glob("*.gdl"))


@cache
def made(path: Path, engine: str) -> Any:
    """A game on an engine, for all solvers."""
    return gdl.load(path, engine=engine, **SMALLER.get(path.stem, {}))


@cache
def is_small(path: Path) -> bool:
    """Whether a game is within reach of the textbook solvers, whichever of them it is."""
    game = made(path, "reference")
    try:
        reachable_graph(game, game.initial(), MOST_POSITIONS)
    except Refusal as refusal:
        if "more than" in refusal.reason:
            return False
    return True


@pytest.mark.parametrize("solver", TEXTBOOK)
@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_same_values_and_same_best_moves(path: Path, solver: str) -> None:
    reference, native = made(path, "reference"), made(path, "native")
    if applies(solver, reference) is not None:
        pytest.skip("does not apply")
    if not is_small(path):
        pytest.skip("too large for the textbook solver")
    try:
        slow: Result = TEXTBOOK[solver](reference, limit=MOST_POSITIONS)
    except Refusal:
        with pytest.raises(Refusal):
            solve_whole(native, solver)
        return
    fast = solve_whole(native, solver)
    assert slow.policy is not None
    assert len(fast.values) == len(slow.policy.positions)
    for position in slow.policy.positions:
        here = native.format_position(position)
        for expected, found in zip(slow.policy.value(position), fast.lookup.values(position), strict=True):
            assert float(found.number) == pytest.approx(float(expected.number), abs=1e-9), here
        assert set(fast.lookup.best(position)) == set(slow.policy.best(position)), here
        assert fast.values.distance(position) == _distance(slow, position), here


def _distance(slow: Result, position: Any) -> Any:
    """Only retrograde analysis knows distances."""
    if slow.solver != "retrograde":
        return None
    assert slow.policy is not None
    solution = slow.policy.best.__self__ if hasattr(slow.policy.best, "__self__") else None
    if solution is None:  # reach the solution through the closure that the policy was made with
        solution = next(
            cell.cell_contents
            for cell in slow.policy.best.__closure__ or ()
            if hasattr(cell.cell_contents, "distance")
        )
    return solution.distance[solution.graph.index[position]]


@pytest.mark.parametrize(
    "path", [p for p in GAMES if p.stem in ("tictactoe", "othello", "bins", "nim")], ids=lambda p: p.stem
)
def test_regenerated_edges_give_the_same(path: Path) -> None:
    params = {"size": 4} if path.stem == "othello" else {}
    game = gdl.load(path, engine="native", **params)
    kept = solve_whole(game, "backward_induction")
    regenerated = solve_whole(game, "backward_induction", settings=Settings(edges=False))
    assert regenerated.graph is None
    for position in islice(kept.values.positions(), 0, None, 1 + len(kept.values) // 1000):
        known, again = kept.values.value(position), regenerated.values.value(position)
        assert known is not None and again is not None
        for exact, found in zip(known, again, strict=True):
            assert found.low is not None and found.high is not None
            assert found.low <= exact.number <= found.high and found.high - found.low < 1e-12


PARTED: list[tuple[str, str, dict[str, Any]]] = [
    ("tictactoe", "backward_induction", {}),
    ("kayles", "backward_induction", {}),
    ("othello", "backward_induction", {"size": 4}),
    ("othello", "retrograde", {"size": 4}),
    ("three_mens_morris", "retrograde", {}),
    ("piglet", "value_iteration", {}),
    ("pig", "value_iteration", {"goal": 20}),
    ("royal_game_of_ur", "value_iteration", {"pieces": 1}),
]


@pytest.mark.parametrize("partitions", [2, 8])
@pytest.mark.parametrize(("name", "solver", "params"), PARTED)
def test_partitions_do_not_matter(
    name: str, solver: str, params: dict[str, Any], partitions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = gdl.load(name, engine="native", **params)
    one = solve_whole(game, solver, settings=Settings(partitions=1))
    for setting in ("value_iteration.NARROW", "backward_induction.NARROW"):  # as if the game were large
        monkeypatch.setattr(f"solvers.whole.kernels.{setting}", 10)
    monkeypatch.setattr("solvers.whole.kernels.value_iteration.LARGE", 20)
    monkeypatch.setattr("solvers.whole.kernels.retrograde.LETTERS", 64)
    monkeypatch.setattr("solvers.whole.kernels.space.Space.few", 0)
    many = solve_whole(game, solver, settings=Settings(partitions=partitions))
    assert many.reached.space.size == partitions
    assert many.statistics.positions == one.statistics.positions
    assert many.statistics.edges == one.statistics.edges
    for position in islice(one.values.positions(), 0, None, 1 + len(one.values) // 1000):
        for here, there in zip(one.lookup.values(position), many.lookup.values(position), strict=True):
            assert float(here.number) == pytest.approx(float(there.number), abs=1e-9)
        assert one.values.distance(position) == many.values.distance(position)


def test_a_discount_counts_once_per_move_of_chance_too() -> None:
    text = (
        "game halves\nplayers: one\nposition:\n    x: 0..3 = 0\nplayer: chance if x == 0 else one\n"
        "move fall when x == 0:\n    x = 1\nmove step when x > 0:\n    y ~ {1, 1}\n    x += y\n    reward 4\n"
        "discount: 1/2\nterminal: x == 3\nutility: 16\n"
    )
    # Two steps pay 4 each, the first after the move of chance: 1/2 (4 + 1/2 (4 + 1/2 16)) = 5.
    reference, native = gdl.loads(text, engine="reference"), gdl.loads(text, engine="native")
    for solver in ("backward_induction", "value_iteration", "policy_iteration"):
        assert solvers.solve(reference, solver).value == 5
        assert solve_whole(native, solver).result.value == 5
    assert solvers.solve(reference, "expectimax", depth=5).value == 5


@pytest.mark.parametrize("name", ["pig", "tictactoe", "gridworld"])
def test_policies(name: str) -> None:
    params = {"goal": 6} if name == "pig" else {}
    reference, native = (
        gdl.load(name, **params, engine="reference"),
        gdl.load(name, engine="native", **params),
    )
    players = range(len(native.players))
    slow = policy_evaluation(reference).values[0]
    fast = solve_against(native, dict.fromkeys(players)).result.values[0]
    assert slow is not None and fast is not None
    assert float(fast.number) == pytest.approx(float(slow.number), abs=1e-9)
    others = [player for player in players if player != 0]
    best = best_response(reference, against=uniform(reference) if others else None, player=0).values[0]
    found = solve_against(native, dict.fromkeys(others), 0).result
    assert best is not None and found.values[0] is not None
    assert float(found.values[0].number) == pytest.approx(float(best.number), abs=1e-9)


def test_a_broken_rule_is_reported_in_the_words_of_the_game() -> None:
    game = gdl.loads(
        "game broken\nplayers: one\nposition:\n    x: 0..3 = 0\n"
        "move up:\n    x += 1\nterminal: false\nutility: 0\n",
        engine="native",
    )
    with pytest.raises(GameError) as error:
        solve_whole(game, "value_iteration")
    assert "x" in str(error.value)
