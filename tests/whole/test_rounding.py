"""Floats round: what was rounded is called bounded, small games are settled in fractions, and which moves are
played and which are best does not hang on it. Expected numbers are by hand, or the textbook solver's on the
exact engine.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

import gdl
import solvers
from solvers.core.result import Result
from solvers.files.best_moves import BestMoves
from solvers.registry import SOLVERS
from solvers.whole.kernels import backward_induction
from solvers.whole.kernels.best_choices import best_choices
from solvers.whole.kernels.solve import GraphValues, Settings, solve_whole
from tests.texts import work

TIE = """
game three_tenths
players: r, g, b
position:
    x: 0..4 = 0
player: r
move plain: x = 1
move dice:
    chance:
        1/10: x = 2
        2/10: x = 3
        else: x = 4
terminal: x > 0
utility(p):
    if p == r:
        return 3/10 if x == 1 else 0 if x == 4 else 1
    if p == g:
        return 100 if x == 1 else 0
    return 0 if x == 1 else 50
"""
"""Both moves pay r 3/10, and 0.1 + 0.2 > 0.3 in floats. The first move is played: (3/10, 100, 0)."""

LARGE = """
game large
players: a
position:
    x: 0..2 = 0
move one: x = 1
move two: x = 2
terminal: x > 0
utility: 1000000000 if x == 1 else 999999999 + 1/2
"""

TINY = LARGE.replace("1000000000 if x == 1 else 999999999 + 1/2", "1/2000000000 if x == 1 else 0")

DICE = """
game dice
players: a, b
position:
    sum: 0..13 = 0
    turn: player = a
player: turn
move roll when sum < 12:
    k ~ 1..3
    sum = min(12, sum + k)
    reward k / 7
    turn = next(turn)
move skip when sum < 12:
    sum += 1
    turn = next(turn)
terminal: sum >= 12
utility: sum / 3 if turn == a else -sum / 3
"""
"""Rewards and utilities that are no decimals."""

CANCEL = """
game cancel
players: a
position:
    x: 0..2 = 0
move go when x < 2:
    chance:
        1/2: reward 1000000000000001/3
        else: reward -1000000000000000/3
    x += 1
terminal: x == 2
utility: 0
"""
"""Each move pays (10^15 + 1)/6 - 10^15/6 = 1/6, so the game 1/3."""


@pytest.fixture(params=["few", "kept", "regenerated"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """In fractions; in floats, as large games are; in floats without edges."""
    way: str = request.param
    if way != "few":
        monkeypatch.setattr(backward_induction, "FEW_EDGES", 0)
    return way


def solved(text: str, way: str) -> Result:
    game = gdl.loads(text, engine="native")
    return solve_whole(
        game, "backward_induction", settings=Settings(edges=way != "regenerated", partitions=2)
    ).result


def assert_contains(result: Result, truth: tuple[Any, ...], exact: bool, width: float = 1e-9) -> None:
    for value, true in zip(result.values, truth, strict=True):
        assert value is not None and value.low is not None and value.high is not None
        assert value.low <= true <= value.high and value.high - value.low <= width
        assert not exact or (value.kind == "exact" and value.number == true)


def test_rounding_breaks_no_tie_between_players(way: str) -> None:
    found = solved(TIE, way)
    assert_contains(found, (F(3, 10), 100, 0), way == "few", 100.1)
    assert [move.text for move in found.moves if move.best] == ["plain", "dice"]
    reference = solvers.solve(gdl.loads(TIE, engine="reference"))
    assert [value and value.number for value in reference.values] == [F(3, 10), 100, 0]


@pytest.mark.parametrize(("text", "worth"), [(LARGE, F(10**9)), (TINY, F(1, 2 * 10**9))])
def test_only_the_best_move_is_best(text: str, worth: F, way: str) -> None:
    found = solved(text, way)
    assert_contains(found, (worth,), way == "few", 1e-6 if worth > 1 else 1e-24)
    assert [move.text for move in found.moves if move.best] == ["one"]
    reference = solvers.solve(gdl.loads(text, engine="reference"))
    assert [move.text for move in reference.moves if move.best] == ["one"]


@pytest.mark.parametrize("text", [LARGE, TINY])
def test_kept_best_moves_are_best(text: str) -> None:
    game = gdl.loads(text, engine="native")
    best = BestMoves.of(game, SOLVERS["backward_induction"])
    assert best is not None
    found = best.at(game.initial()[0].position)
    assert found is not None
    assert [game.format_move(move) for move in found[0]] == ["one"]


def test_sums_of_sevenths(way: str) -> None:
    truth = solvers.solve(gdl.loads(DICE, engine="reference"), "backward_induction")
    assert truth.arithmetic == "rational"
    numbers = tuple(value.number for value in truth.values if value is not None)
    assert_contains(solved(DICE, way), numbers, way == "few", 1e-12)


def test_every_position_is_enclosed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backward_induction, "FEW_EDGES", 0)
    truth = solvers.solve(gdl.loads(DICE, engine="reference"), "backward_induction").policy
    assert truth is not None
    found = solve_whole(gdl.loads(DICE, engine="native"), "backward_induction").values
    for position in truth.positions:
        bounds = found.value(position)
        assert bounds is not None
        for value, exact in zip(bounds, truth.value(position), strict=True):
            assert value.low is not None and value.high is not None
            assert value.low <= exact.number <= value.high and value.high - value.low < 1e-12


def test_rewards_that_cancel(way: str) -> None:
    assert_contains(solved(CANCEL, way), (F(1, 3),), way == "few", 10)


def test_values_stay_within_the_utilities(way: str) -> None:
    text = TINY.replace("move one: x = 1", "move one: x ~ {1: 1/3, 2: 2/3}").replace("1/2000000000", "1/3")
    (value,) = solved(text.replace("else 0", "else 1/3"), way).values
    assert value is not None and value.low is not None and value.high is not None
    assert value.low <= F(1, 3) <= value.high <= 0.33333333333333337


def test_what_rounding_leaves_open_is_marked_in_fractions(monkeypatch: pytest.MonkeyPatch) -> None:
    """0.1 + 0.2 and 0.3 - 10^-17: floats cannot tell them apart, fractions can."""
    text = TIE.replace("3/10 if x == 1", "3/10 - 1/100000000000000000 if x == 1")
    game = gdl.loads(text, engine="native")
    found = solve_whole(game, "backward_induction")
    assert found.graph is not None and isinstance(found.values, GraphValues)
    assert found.values.proven is not None
    moves = slice(0, 2)  # of the start, which is the first position
    low, high = found.values.low, found.values.high
    open_ = best_choices(found.graph, low, high, game.traits.discount)
    assert open_[moves].tolist() == [True, True]
    told = best_choices(found.graph, low, high, game.traits.discount, found.values.proven)
    assert told[moves].tolist() == [False, True]
    assert [value and value.number for value in found.result.values] == [F(3, 10), 0, 50]


def test_utilities_that_floats_do_not_hold() -> None:
    """2^53 + 1 is no float, and a third neither: small games say the fraction."""
    for utility, worth in (("9007199254740993", F(2**53 + 1)), ("1/3", F(1, 3))):
        text = LARGE.replace("1000000000 if x == 1 else 999999999 + 1/2", utility)
        for cyclic in ("", "move again when x == 0: pass\n"):
            game = gdl.loads(text.replace("terminal", cyclic + "endless: -1\nterminal"), engine="native")
            result = solvers.solve(game)
            assert result.solver == ("retrograde" if cyclic else "backward_induction")
            assert_contains(result, (worth,), True)


# ------------------------------------------------------------------- moves beside the value of the position

RARELY = """
game rarely
players: a
position:
    out: bool = false
move go:
    chance:
        1/10**15: out = true
        else: pass
terminal: out
utility: 1
"""

CANCELLING = """
game cancelling
players: a
position:
    out: bool = false
move go:
    chance:
        1/2: reward 1000000000000001/3
        else:
            reward -1000000000000000/3
            out = true
terminal: out
utility: 0
"""
"""Floats of this size hold no more than a sixteenth; together the rewards are worth 1/3."""


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize(("text", "value"), [(work(), 10), (RARELY, 1)])
def test_moves_are_known_exactly_where_the_position_is(engine: str, text: str, value: int) -> None:
    result = solvers.solve(gdl.loads(text, engine=engine), "value_iteration")
    (position,) = result.values
    assert position is not None and position.kind == "exact" and position.number == value
    for move in result.moves:
        assert move.best and move.value is not None
        assert (move.value.kind, move.value.number) == ("exact", value)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_moves_are_known_as_well_as_the_position(engine: str) -> None:
    result = solvers.solve(gdl.loads(CANCELLING, engine=engine), "value_iteration")
    (position,), (move,) = result.values, result.moves
    assert position is not None and move.value is not None
    for value in (position, move.value):
        assert value.low is not None and value.high is not None
        assert value.low <= F(1, 3) <= value.high and value.high - value.low < 1e-9
    assert move.best


def test_bounds_of_moves_stay_within_what_plays_pay() -> None:
    """Also below the root, where roundings are counted: nobody gets more than 1."""
    game = gdl.loads(RARELY, engine="native")
    policy = solvers.solve(game, "value_iteration").policy
    assert policy is not None
    lookup = policy.best.__self__  # type: ignore[attr-defined]
    lookup._roots.clear()
    for position in policy.positions:
        for move in lookup.move_values(position) if game.to_move(position) >= 0 else ():
            assert move.value is not None and move.value.high is not None and move.value.high <= 1


BEYOND = """
game beyond
players: a
position:
    x: 0..9 = 0
move left when x == 0: x = 8
move wait when x == 0: x = 1
move right when x == 1: x = 9
move back when x == 1: x = 0
terminal: x >= 7
utility: 9007199254740993 if x == 8 else 9007199254740992
endless: -1
"""
"""2^53 and one more, which floats take for one: the best of `x=1` is back, and then left, two moves away."""


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_distances_tell_utilities_apart_that_round_to_one_float(engine: str) -> None:
    result = solvers.solve(gdl.loads(BEYOND, engine=engine), "retrograde")
    assert {move.text: move.distance for move in result.moves} == {"left": 1, "wait": 3}
    assert result.value == 2**53 + 1


FOR_OTHERS = """
game for_others
players: a, b, c
position:
    x: 0..2 = 0
player: a
move left: x = 1
terminal: x > 0
utility(p): 1 if p == a else x + 1
"""

DEALT_FOR_OTHERS = FOR_OTHERS.replace("player: a", "initial: x ~ {0: 3/5, 2: 2/5}\nplayer: a")
"""The others get 3/5 of 2 and 2/5 of 3."""


@pytest.mark.parametrize("compiling", ["always", "never"])
def test_whole_numbers_are_exact_values_of_players_who_are_not_opposed(
    monkeypatch: pytest.MonkeyPatch, compiling: str
) -> None:
    monkeypatch.setenv("GDL_COMPILE", compiling)
    for text, others in ((FOR_OTHERS, 2), (DEALT_FOR_OTHERS, F(12, 5))):
        result = gdl.solve(gdl.loads(text), exact=True)
        assert [value and (value.kind, value.number) for value in result.values] == [
            ("exact", 1),
            ("exact", others),
            ("exact", others),
        ]


@pytest.mark.parametrize("compiling", ["always", "never"])
@pytest.mark.parametrize("solver", [None, "value_iteration"])
def test_a_fraction_is_what_exact_asks_for_where_nothing_is_compiled_too(
    monkeypatch: pytest.MonkeyPatch, compiling: str, solver: str | None
) -> None:
    monkeypatch.setenv("GDL_COMPILE", compiling)
    result = gdl.solve(gdl.loads(CANCELLING), solver, exact=True)
    assert (result.kind, result.value) == ("exact", F(1, 3))
