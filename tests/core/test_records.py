"""The record of an answer, what solvers import, and the tools beneath."""

from __future__ import annotations

import ast
import json
import pickle
import subprocess
import sys
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

import solvers
from gdl.game import Game
from solvers.core.graph import rational
from solvers.core.linear import solve_linear
from solvers.core.result import Value, tie
from solvers.core.trampoline import Call, run
from solvers.whole.graph import components, end_components, rationalised, reachable_graph
from tests.solvers.games import Bins, IncAndSquare, Nim, Pig, TicTacToe

ROOT = Path(__file__).parents[2]


# ---------------------------------------------------------------- the record


def test_what_is_known_of_a_value() -> None:
    assert str(Value.exact(F(4, 7))) == "4/7 = 0.571428571428…"
    assert str(Value.exact(3)) == "3"
    assert str(Value.bounded(F(1), F(2))) == "1.5 ± 0.5"
    assert str(Value.estimate(0.5, 0.1)) == "0.5 ± 0.1 (95 %)"
    assert str(Value.estimate(0.5)) == "about 0.5"
    assert Value.bounded(1, 1) == Value.exact(1)
    assert -Value.bounded(1, 2) == Value.bounded(-2, -1)
    assert -Value.estimate(3) == Value.estimate(-3)


def test_ties() -> None:
    assert tie(F(1, 3), F(1, 3)) and not tie(F(1, 3), F(1, 3) + F(1, 10**15))
    assert tie(0.1 + 0.2, 0.3) and not tie(0.3, 0.31) and tie(0.3, 0.31, error=0.006)
    assert not tie(5e-10, 0.0) and not tie(1e9, 1e9 - 0.5)


def test_a_result_is_plain_data() -> None:
    for solver in ("backward_induction", "expectiminimax", "mcts", "value_iteration", "policy_evaluation"):
        data = json.loads(solvers.solve(Bins(F(1, 2)), solver).to_json())
        assert data["game"] == "bins" and data["solver"] == solver and data["how"]
        assert set(data["values"]) == {"first", "second"}
        assert data["work"]["seconds"] >= 0
    exact = json.loads(solvers.solve(IncAndSquare(6), "star2").to_json())
    assert exact["values"]["first"]["exact"] == "20509/5000" and exact["kind"] == "exact"
    assert exact["best"] == ["sqr"] and exact["line"][0]["probability"] == "9/10"


def test_a_result_is_frozen() -> None:
    result = solvers.solve(Nim(1), "minimax")
    with pytest.raises(AttributeError):
        result.solver = "other"  # type: ignore[misc]


def test_the_policy_answers_for_every_position() -> None:
    policy = solvers.solve(Nim(2, 3), "backward_induction").policy
    assert policy is not None
    assert ((1, 1), 0) in policy and ((9, 9), 0) not in policy
    assert policy.best(((1, 2), 0)) == ((1, 1),) and policy(((1, 2), 0)) == {(1, 1): 1}
    assert policy.value(((1, 1), 0))[0].number == -1
    assert policy.best(((0, 0), 0)) == ()


def test_refusals_travel() -> None:
    refusal = solvers.applies("alphabeta", Pig(3))
    assert refusal is not None and str(pickle.loads(pickle.dumps(refusal))) == str(refusal)


def test_every_test_game_satisfies_the_protocol() -> None:
    for game in (Nim(1), TicTacToe(), Pig(3), Bins(F(0))):
        assert isinstance(game, Game)


# ---------------------------------------------------------------- what is imported


def test_solvers_import_no_engine() -> None:
    """Of gdl, solvers may know the protocol with the codes of movers and the ABI of compiled games, where
    files are kept, diagnostics, and the file of a certificate."""
    allowed = {"game", "movers", "abi", "diagnostics", "paths", "certificates"}
    for path in sorted((ROOT / "solvers").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("gdl"):
                known = node.module.split(".")[1:2] or [name.name for name in node.names]
                assert {*known} <= allowed, f"{path} imports {node.module}"
                assert "verify" not in node.module, "a checker shares nothing with a solver"


def test_importing_solvers_is_light() -> None:
    heavy = "numpy", "numba", "llvmlite", "pydantic", "rich", "lark"
    code = (
        f"import sys, solvers.registry, solvers.agents.kinds; print([m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


# ---------------------------------------------------------------- the tools


def test_trampoline() -> None:
    def total(n: int) -> Call[int]:
        if n == 0:
            return 0
        rest: int = yield total(n - 1)
        return n + rest

    assert run(total(50_000)) == 50_000 * 50_001 // 2


def test_trampoline_passes_errors_to_the_caller() -> None:
    def fails() -> Call[int]:
        raise ValueError("inside")
        yield fails()

    def catches() -> Call[str]:
        try:
            yield fails()
        except ValueError as error:
            return f"caught {error}"
        return "nothing"

    assert run(catches()) == "caught inside"
    with pytest.raises(ValueError, match="inside"):
        run(fails())


def test_trampoline_closes_what_waits() -> None:
    closed = []

    def waits(n: int) -> Call[None]:
        try:
            if n == 0:
                raise KeyError
            yield waits(n - 1)
        finally:
            closed.append(n)

    with pytest.raises(KeyError):
        run(waits(3))
    assert closed == [0, 1, 2, 3]


def test_linear_equations() -> None:
    """x = 1 + y/2, y = x/2: x = 4/3, y = 2/3."""
    rows: list[dict[int, Any]] = [{0: F(1), 1: F(-1, 2)}, {0: F(-1, 2), 1: F(1)}]
    assert solve_linear(rows, [F(1), F(0)]) == [[F(4, 3), F(2, 3)]]
    assert solve_linear([{0: F(1), 1: F(-1)}, {0: F(-1), 1: F(1)}], [F(1), F(0)]) is None


def test_strong_components_come_after_what_they_lead_to() -> None:
    edges = {0: [1], 1: [2, 0], 2: [3], 3: [2, 4], 4: []}
    assert [set(part) for part in components(5, edges.__getitem__)] == [{4}, {2, 3}, {0, 1}]


def test_end_components() -> None:
    """0 and 1 can stay together by choice 0; choice 1 of node 0 may leave; node 2 always may."""
    choices = {
        0: [(0, frozenset({1})), (1, frozenset({1, 2}))],
        1: [(0, frozenset({0}))],
        2: [(0, frozenset({0, -1}))],
    }
    assert end_components([0, 1, 2], choices.__getitem__) == [{0: {0}, 1: {0}}]


def test_floats_are_the_decimals_that_they_are_written_as() -> None:
    assert rational(0.1) == F(1, 10) and rational(F(1, 7)) == F(1, 7) and rational(1e-300) == F(1, 10**300)

    class Floating(Pig):
        def outcomes(self, position: Any, move: Any) -> Any:
            ways = super().outcomes(position, move)
            return [way._replace(probability=float(way.probability)) for way in ways]

    game = Floating(2, 2)
    graph = reachable_graph(game, game.initial())
    assert not graph.rational and rationalised(graph).rational
    result = solvers.solve(game, "policy_iteration")
    assert result.value == F(4, 7) and "decimals" in result.how
    value = solvers.solve(game, "value_iteration").values[0]
    assert value is not None and value.low is not None and value.high is not None
    assert value.low <= F(4, 7) <= value.high
