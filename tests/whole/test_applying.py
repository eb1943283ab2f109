"""What solvers do with games that are too large, too fine or not what they seemed, and with odd options."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction as F
from pathlib import Path
from time import thread_time
from typing import Any

import numpy as np
import pytest

import gdl
import solvers
from gdl.check import traits
from solvers.agents.given import FunctionAgent
from solvers.agents.kinds import agent
from solvers.agents.simple import MixtureAgent
from solvers.core.refusal import Refusal, Repeats, TooLarge, bad_option
from solvers.whole.estimate.estimate import estimate

Run = Callable[..., tuple[int, str, str]]

LOOP = """
game loop
players: a, b
position:
    x: 0..3 = 0
player: a
move back when x == 1: x = 0
move on when x < 3: x += 1
terminal: x == 3
utility: 1
"""

SELF_LOOP = """
game self_loop
players: a, b
position:
    x: 0..3 = 0
player: a
move wait when x == 1: pass
move on when x < 3: x += 1
terminal: x == 3
utility(p): x
"""

FINE = """
game fine
players: a
position:
    over: bool
move go:
    chance:
        1/(3**45): over = true
        else: pass
terminal: over
utility: 1
"""
"""3^45 does not fit 64 bits. Play surely ends some time: the value is 1."""

ONCE = """
game once
players: a
position:
    x: 0..2 = 0
move go:
    chance:
        1/3000000000: x = 1
        else: x = 2
terminal: x > 0
utility: 3000000000 if x == 1 else 0
"""
"""Worth 1, of which nothing is left if probabilities are rounded to nine digits."""

RARELY = """
game rarely
players: a
position:
    over: bool
move go:
    chance:
        1/1000000001: over = true
        else: pass
terminal: over
utility: 1
"""

SEVEN = """
game seven
players: a, b
position:
    x: 0..2 = 0
    turn: player = a
player: turn
move roll: x ~ {1: 1/3, 2: 2/3}
move hand_on when turn == a: turn = b
terminal: x > 0
utility: 7 if x == 1 else 0
"""
"""Whoever rolls, a gets 7/3."""

MASTERMIND = """
game mastermind
param colours: 2..6 = 4
players: breaker
type Code = 0..colours**4 - 1
type Answer = 0..24
position:
    left: set of Code
    solved: bool
initial: left = {c for c in Code}
const power[k: 0..3] = 1 if k == 0 else colours if k == 1 else colours**2 if k == 2 else colours**3
def peg(c: Code, k: 0..3): c div power[k] mod colours
def black(a: Code, b: Code): count(peg(a, k) == peg(b, k) for k in 0..3)
def common(a: Code, b: Code, v: 0..colours - 1):
    return min(count(peg(a, k) == v for k in 0..3), count(peg(b, k) == v for k in 0..3))
def both(a: Code, b: Code): sum(common(a, b, v) for v in 0..colours - 1)
def answer(a: Code, b: Code): 4 * black(a, b) + both(a, b)
move guess(code: Code):
    reward -1
    told ~ Answer weighted count(answer(c, code) == it for c in left)
    solved = told == 20
    left = {c for c in left if answer(c, code) == told}
terminal: solved
"""
"""The codes that are left; four pegs. A position takes a tenth of a second to expand at the start."""


def test_the_next_solver_has_its_turn_where_positions_repeat(
    solve: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A checker that takes a game with repeats for one without."""
    monkeypatch.setattr(traits, "proven_acyclic", lambda model: True)
    file = tmp_path / "loop.gdl"
    file.write_text(LOOP)
    for engine in ("native", "reference"):
        result = solvers.solve(gdl.loads(LOOP, engine=engine))
        assert result.value == 1 and result.solver == "retrograde"
        assert "turned out to repeat" in result.how
        with pytest.raises(Repeats):
            solvers.solve(gdl.loads(LOOP, engine=engine), "backward_induction")
        code, out, _ = solve(file, "--engine", engine)
        assert code == 0 and "retrograde: plays turned out to repeat positions" in out


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_the_position_that_comes_back_is_named(engine: str) -> None:
    with pytest.raises(Repeats, match="come back to x=1"):
        solvers.solve(gdl.loads(SELF_LOOP, engine=engine))


@pytest.mark.parametrize("options", [(), ("--exact",)])
def test_numbers_that_do_not_fit_machine_words(
    solve: Run,
    tmp_path: Path,
    options: tuple[str, ...],
) -> None:
    file = tmp_path / "fine.gdl"
    file.write_text(FINE)
    code, out, _ = solve(file, "--json", *options)
    data = json.loads(out)
    assert code == 0 and data["values"]["a"]["exact"] == "1" and "machine words" in data["how"]
    assert "bounds are iterated" not in data["reason"]
    assert solvers.solve(gdl.loads(FINE, engine="native")).value == 1


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("solver", ["policy_evaluation", "best_response"])
@pytest.mark.parametrize("text", [ONCE, RARELY])
def test_policies_meet_the_probabilities_of_the_game(engine: str, solver: str, text: str) -> None:
    (value,) = solvers.solve(gdl.loads(text, engine=engine), solver).values
    assert value is not None and value.kind == "exact" and value.number == 1


FAIR = """game fair
players: a, b
position:
    x: 0..3 = 0
player: a
move fair: x = 3
move pennies: x ~ {1: 9/10, 2: 1/10}
terminal: x > 0
utility: 10**12 if x == 1 else -9*10**12 if x == 2 else 0
"""


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize(
    "odds", [(0.1, 0.9), (0.3, 0.7), (1 / 3, 2 / 3), (0.7, 0.3 + 1e-10), (np.float64(0.1), 0.9)]
)
def test_floats_of_policies_are_read_before_they_meet_chance(engine: str, odds: tuple[float, float]) -> None:
    game = gdl.loads(FAIR, engine=engine)

    def policy(position: Any) -> dict[Any, float]:
        return dict(zip(game.moves(position), odds, strict=True))

    own = FunctionAgent(game, policy)
    mixed = MixtureAgent(game, parts=[(F(1, 3), own), (F(2, 3), agent("random", game))])
    for result in (
        solvers.solve(game, "policy_evaluation", policies={"a": policy, "b": policy}),
        solvers.solve(game, "best_response", against={"a": policy}, player=1),
        gdl.evaluate(game, a=own, b="random"),
        gdl.evaluate(game, a=own),
        gdl.evaluate(game, a=mixed, b="random"),
    ):  # both moves are worth 0: 9/10 of 10^12 are 1/10 of 9 * 10^12
        assert result.values[1] is not None
        assert (result.values[1].kind, result.values[1].number) == ("exact", 0)
    assumed = solvers.solve(game, "expectimax", against={"a": policy}, player=1).values[1]
    assert assumed is not None and assumed.low is not None and assumed.high is not None
    assert assumed.low <= 0 <= assumed.high and (engine == "native" or assumed.kind == "exact")


class Pennies(gdl.BaseGame):
    """The same, written in Python with floats."""

    players = ("a",)
    has_chance = acyclic = True

    def initial(self) -> Any:
        return 0

    def moves(self, position: int) -> Any:
        return [] if position else ["fair", "pennies"]

    def outcomes(self, position: int, move: str) -> Any:
        return 3 if move == "fair" else [(1, 0.9), (2, 0.1)]

    def utility(self, position: int) -> Any:
        return {1: 10**12, 2: -9 * 10**12, 3: 0}[position]


def test_floats_of_games_are_read_before_they_meet_policies() -> None:
    (value,) = solvers.solve(
        Pennies(), "policy_evaluation", policies=lambda position: {"fair": 0.1, "pennies": 0.9}
    ).values
    assert value is not None and (value.kind, value.number) == ("exact", 0)


def test_rounds_over_all_positions_are_no_simulations() -> None:
    """Each round a third of what is left is over."""
    text = FINE.replace("1/(3**45)", "1/3")
    answer = solvers.solve(gdl.loads(text, engine="reference"), "value_iteration")
    assert answer.work.rounds
    assert "rounds" in str(answer) and "simulations" not in str(answer)


def test_fractions_against_agents(solve: Run, tmp_path: Path) -> None:
    file = tmp_path / "seven.gdl"
    file.write_text(SEVEN)
    for options in (("--exact", "-a", "b=random"), ("--exact", "-a", "a=random", "-a", "b=random")):
        code, out, _ = solve(file, "--json", *options)
        values = json.loads(out)["values"]
        assert code == 0 and [values[player]["exact"] for player in "ab"] == ["7/3", "-7/3"]


def test_large_games_are_refused_by_the_library_too() -> None:
    with pytest.raises(TooLarge) as refused:
        solvers.solve(gdl.load("connect_four", engine="native"))
    assert "`gdl search connect_four --time 10`" in str(refused.value)


@pytest.mark.parametrize(
    ("solver", "options", "expected"),
    [
        ("alphabeta", {"depth": "6"}, "a whole number"),
        ("alphabeta", {"time": "1"}, "a number"),
        ("alphabeta", {"leaf": "evaluate"}, "a function of the position"),
        ("mcts", {"rollout": "clever"}, "`uniform` or `greedy`"),
        ("best_response", {"against": "random"}, "a policy"),
        ("value_iteration", {"precision": "fine"}, "a number"),
        ("policy_iteration", {"exact": "yes"}, "True or False"),
    ],
)
def test_what_an_option_is_when_it_is_given_text(solver: str, options: dict[str, Any], expected: str) -> None:
    with pytest.raises(Refusal, match=expected) as refused:
        solvers.solve(gdl.load("tictactoe", engine="reference"), solver, **options)
    assert refused.value.code == "R003"


def test_games_and_positions_as_text() -> None:
    with pytest.raises(Refusal, match="is no game"):
        solvers.solve("tictactoe")  # type: ignore[arg-type]
    game = gdl.loads(SEVEN, engine="reference")
    assert solvers.solve(game, at="turn=b").value == F(7, 3)
    against = agent("random", game).policy()
    assert solvers.solve(game, "best_response", against=against, player=0).value == F(7, 3)


def test_sentences_of_a_refusal_end() -> None:
    assert str(bad_option("this is not", "Do that.")) == "this is not. Do that."
    assert str(bad_option("This is not.", "Do that.")) == "This is not. Do that."


def test_an_estimate_keeps_to_its_time() -> None:
    game = gdl.loads(MASTERMIND, engine="native")
    estimate(game, seconds=0.01)  # kernels are compiled on the way
    started = thread_time()
    size = estimate(game, seconds=1.0)
    assert thread_time() - started < 3
    assert size.or_more and not size.complete and size.edges > size.positions


FINE_DUEL = """
game fine_duel
players: a, b
position:
    x: 0..2 = 0
player: a if x == 0 else b
move go when x == 0:
    chance:
        1/(3**45): x = 1
        else: x = 0
move end(k: 1..3) when x == 1: x = 2
terminal: x == 2
utility: 2/3
"""


@pytest.mark.parametrize("agents", [("a=random",), ("b=random",), ("a=random", "b=random")])
def test_policies_of_numbers_that_do_not_fit_machine_words(
    solve: Run, tmp_path: Path, agents: tuple[str, ...]
) -> None:
    file = tmp_path / "fine.gdl"
    file.write_text(FINE_DUEL)
    code, out, _ = solve(file, "--json", *(word for agent in agents for word in ("--agent", agent)))
    data = json.loads(out)
    assert code == 0 and "machine words" in data["how"]
    assert [data["values"][player]["exact"] for player in "ab"] == ["2/3", "-2/3"]


URN = """
game urn
players: a
const copies[1..3] = [1, 1, 8]
position:
    up: 1..3 = 1
    over: bool
move draw:
    up ~ 1..3 weighted copies[up]
    over = true
terminal: over
utility: up
"""


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_small_games_that_turn_out_to_end_are_worth_fractions(engine: str) -> None:
    answer = solvers.solve(gdl.loads(URN, engine=engine), "value_iteration")
    assert answer.kind == "exact" and answer.value == F(27, 10)
    assert answer.moves[0].value is not None and answer.moves[0].value.number == F(27, 10)
