"""Games that floats alone do not settle: nearly no way out, payments that cancel, numbers too large, places
where somebody wants to stay or collects for ever. Small enough for the true value to be found by hand.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from fractions import Fraction as F
from math import inf
from typing import Any

import numpy as np
import pytest

import gdl
import solvers
from solvers.core.result import Result, Value
from solvers.policies.kernels.against import solve_against
from solvers.whole.kernels.solve import Settings, solve_whole
from solvers.whole.kernels.turns.rests import rests_of
from tests.texts import WAITING, work

SECONDS = 200
"""Enough for kernels that are compiled first, on a busy machine; the games take a second at most."""


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    """What does not come to an end fails."""

    def over(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def cancelling(size: int) -> str:
    """v = 1/2 (size + 1)/3 - 1/2 size/3 + v/2 = 1/6 + v/2."""
    return f"""
game cancelling
players: a
position:
    x: 0..1 = 0
move go:
    chance:
        1/2: reward {size + 1}/3
        else:
            reward -{size}/3
            x = 1
terminal: x == 1
utility: 0
"""


def leaving(odds: str, utility: int = 1, paid: str = "0") -> str:
    """Every move ends the game with the given odds."""
    reward = f"reward {paid}" if paid != "0" else "pass"
    return f"""
game leaving
players: a
position:
    over: bool
move go:
    {reward}
    chance:
        {odds}: over = true
        else: pass
terminal: over
utility: {utility}
"""


def chain(steps: int, win: str = "9/10", lose: str = "1/10") -> str:
    """Haddad & Monmege: a step outwards or back to the middle, with even odds on either side."""
    return f"""
game chain
players: a
position:
    x: -{steps}..{steps} = 0
move go:
    chance:
        1/2: x = x - 1 if x <= 0 else 0
        else: x = x + 1 if x >= 0 else 0
terminal: x == -{steps} or x == {steps}
utility: {win} if x > 0 else {lose}
"""


def risk(paid: str, lost: str) -> str:
    """Sooner or later it happens: 2 are lost for sure, more than by waiting for ever."""
    reward = f"reward {paid}" if paid != "0" else "pass"
    return f"""
game risk
players: a
position:
    x: 0..1 = 0
move wait: pass
move try:
    chance:
        1/1000000:
            x = 1
            {reward}
        else: pass
terminal: x == 1
utility: {lost}
endless: -1
"""


TO_AND_FRO = """
game to_and_fro
players: a
position:
    x: 0..2 = 0
move forth when x == 0:
    x = 1
    reward 1
move back when x == 1:
    x = 0
    reward -1
move leave when x == 1: x = 2
terminal: x == 2
utility: 100
"""

TRAP = """
game trap
players: a, b
position:
    x: 0..3 = 0
player: b if x == 1 else a
move enter when x == 0: x = 1
move leave when x == 0: x = 2
move take when x == 1: reward -1
move release when x == 1: x = 0
terminal: x == 2
utility: 1
"""

PIT = """
game pit
players: a
position:
    x: 0..3 = 0
move jump when x == 0:
    chance:
        1/2: x = 1
        else: pass
move walk when x == 0:
    chance:
        1/3: x = 2
        else: pass
move fall when x == 1: reward -3
terminal: x >= 2
utility: 2
"""

MANY_LOSSES = """
game many_losses
players: a
position:
    x: 0..2 = 0
move down when x == 0:
    x = 1
    reward -1/3
move round when x == 1:
    chance:
        1/2: x = 0
        else: pass
move home when x == 0: x = 2
terminal: x == 2
utility: -5
endless: 1/3
"""

VALUES: dict[str, tuple[str, F]] = {
    "rewards that cancel": (cancelling(10**9), F(1, 3)),
    "larger rewards that cancel": (cancelling(10**15), F(1, 3)),
    "an exit of 1/10^15": (leaving("1/(10**15)"), F(1)),
    "an exit of 1/10^18": (leaving("1/(10**18)"), F(1)),
    "an exit of 1/3^45": (leaving("1/(3**45)"), F(1)),
    "an exit of 1/7^25": (leaving("1/(7**25)"), F(1)),
    "a payment of 1/3 with an exit of 1/10^15": (leaving("1/(10**15)", 0, "1/3"), F(10**15, 3)),
    "waiting is best": (WAITING, F(100)),
    "a chain of 50": (chain(50), F(1, 2)),
    "a chain of 150": (chain(150), F(1, 2)),
    "paid work with rests": (work(), F(10)),
    "a risk as a utility": (risk("0", "-2"), F(-1)),
    "a risk as a reward": (risk("-2", "0"), F(-1)),
    "rewards beyond the precision of floats": (leaving("1/3", 0, "10000000/7"), F(30000000, 7)),
    "a utility that is no float": (leaving("1/3", 2**53 + 1), F(2**53 + 1)),
    "there and back again for nothing": (TO_AND_FRO, F(101)),
    "a place to keep away from": (TRAP, F(1)),
    "a pit to keep away from": (PIT, F(2)),
    "losing for ever is worse": (MANY_LOSSES, F(-5)),
}


def contains(value: Value | None, truth: F, within: float = 1e-9) -> bool:
    assert value is not None
    if value.kind == "exact":
        return value.number == truth
    assert value.low is not None and value.high is not None
    assert F(value.high) - F(value.low) <= F(within)
    return F(value.low) <= truth <= F(value.high)


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("name", VALUES)
def test_value(name: str, engine: str) -> None:
    text, truth = VALUES[name]
    game = gdl.loads(text, engine=engine)
    assert contains(solvers.solve(game, "value_iteration").values[0], truth)
    assert solvers.solve(game, "policy_iteration").value == truth


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_a_move_into_losing_for_ever_is_worth_that_and_not_best(engine: str) -> None:
    moves = {move.text: move for move in solvers.solve(gdl.loads(TRAP, engine=engine)).moves}
    assert moves["leave"].best and moves["leave"].value is not None
    assert not moves["enter"].best and moves["enter"].value is not None
    assert moves["enter"].value.number == -inf


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(
    "text",
    [
        work().replace("broken = true", "pass"),  # a coin a move for ever
        TRAP.replace("move leave when x == 0: x = 2", "move stay when x == 0: pass").replace(
            "x: 0..3 = 0", "x: 0..3 = 1"
        ),
        TO_AND_FRO.replace("move leave when x == 1: x = 2\n", ""),  # 1, 0, 1, 0 .. comes to nothing
    ],
    ids=["collecting", "trapped", "to and fro"],
)
def test_what_has_no_value_is_refused(text: str, engine: str) -> None:
    for solver in ("value_iteration", "policy_iteration"):
        with pytest.raises(solvers.Refusal, match=r"for ever|without end"):
            solvers.solve(gdl.loads(text, engine=engine), solver)


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_bounds_stay_within_the_utilities(engine: str) -> None:
    value = solvers.solve(gdl.loads(leaving("1/1000"), engine=engine), "value_iteration").values[0]
    assert value is not None and value.high is not None and value.high <= 1


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_an_answer_says_when_it_is_coarser_than_asked(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a game is too large for rationals."""
    monkeypatch.setattr("solvers.whole.value_iteration.FEW_POSITIONS", 0)
    monkeypatch.setattr("solvers.whole.kernels.solve.FEW_POSITIONS", 0)
    game = gdl.loads(leaving("1/3", 2**53 + 1), engine=engine)
    result: Result = solvers.solve(game, "value_iteration")
    value = result.values[0]
    assert value is not None and value.low is not None and value.high is not None
    assert value.low <= 2**53 + 1 <= value.high
    assert value.high - value.low > 1e-9 and "1e-09 were asked for" in result.how


@pytest.mark.parametrize("small", [400, 0], ids=["textbook", "kernels"])
@pytest.mark.parametrize(
    "name",
    [
        name
        for name in VALUES
        if name not in ("an exit of 1/3^45", "an exit of 1/7^25", "a place to keep away from")
    ],
)
def test_large_components(name: str, small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same by the kernels for components that are too large for the textbook solver."""
    monkeypatch.setattr("solvers.whole.kernels.end_components.SMALL", small)
    text, truth = VALUES[name]
    solved = solve_whole(gdl.loads(text, engine="native"), "value_iteration")
    assert contains(solved.result.values[0], truth)


TURNS = """
game turns
players: a
position:
    x: 0..1 = 0
    die: 0..3 = 0
move roll when die == 0:
    chance:
        1/3:
            die = 1
            reward 1000000000/3
        1/3:
            die = 2
            reward -999999999/3
        else: die = 3
move on when die == 1 or die == 2: die = 0
move end when die == 3:
    die = 0
    x = 1
terminal: x == 1
utility: 0
"""


def test_rewards_cancel_within_turns() -> None:
    """v = 1/3 10^9/3 - 1/3 (10^9 - 1)/3 + 2/3 v = 1/9 + 2/3 v."""
    game = gdl.loads(TURNS, engine="native")
    key = np.frombuffer(game.compiled.key(game.initial()[0].position), np.uint64)
    rests = rests_of(game.compiled, ["die"], key)
    solved = solve_whole(game, "value_iteration", settings=Settings(rests=rests))
    assert contains(solved.result.values[0], F(1, 3))


AGAINST_RANDOM = """
game against_random
players: a, b
position:
    x: 0..3 = 0
player: b if x == 1 else a
move wait when x == 0: pass
move go when x == 0:
    chance:
        1/(10**12): x = 1
        else: pass
move near when x == 1: x = 0
move far when x == 1: x = 2
move away when x == 1: x = 3
terminal: x >= 2
utility: 1 if x == 2 else 1/3
endless: 1/2
"""


@pytest.mark.parametrize("few", [20_000, 0], ids=["rationals", "bounds"])
def test_best_response_to_random_play(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Going leads to 1 or 1/3, with even odds in the end: 2/3, more than by waiting for ever."""
    monkeypatch.setattr("solvers.policies.kernels.against.FEW_EDGES", few)
    game = gdl.loads(AGAINST_RANDOM, engine="native")
    assert contains(solve_against(game, {1: None}, 0).result.values[0], F(2, 3))
