"""Exploration and counting. Counts of tic-tac-toe are in truth.json; the others are counted by hand here."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import gdl
from gdl.exploration import count_plays, count_positions, distinct_positions, explore, perft
from gdl.model import nodes as n
from gdl.model.types import Int
from gdl.reference.engine import ReferenceGame
from tests.reference import models
from tests.reference.models import SPAN, arithmetic, assign, check, const, counter, local, move, read

PERFT = (1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872)


@pytest.fixture(scope="module")
def tictactoe() -> ReferenceGame:
    return ReferenceGame(models.tictactoe())


def test_tictactoe(tictactoe: ReferenceGame) -> None:
    found = explore(tictactoe)
    assert found.complete and found.violations == ()
    assert found.positions == sum(found.first_met) == 5478
    assert found.distinct == found.first_met  # every position has one depth
    assert found.perft == PERFT
    assert found.plays == 255168
    assert found.terminal == {(1, -1): 626, (-1, 1): 316, (0, 0): 16}
    assert found.longest == found.depth == 9
    assert found.repeats is False
    assert found.branching is not None and (found.branching.least, found.branching.most) == (1, 9)


def test_counting_without_a_graph(tictactoe: ReferenceGame) -> None:
    assert [perft(tictactoe, depth) for depth in range(6)] == list(PERFT[:6])
    assert perft(tictactoe, 10) == 0
    assert distinct_positions(tictactoe, 2) == 72
    assert count_positions(tictactoe) == 5478
    assert count_positions(tictactoe, max_positions=1000) is None
    assert count_plays(tictactoe, max_positions=1000) is None


@pytest.mark.parametrize(("limit", "depth"), [({"max_depth": 3}, 3), ({"max_positions": 100}, 2)])
def test_limits(tictactoe: ReferenceGame, limit: dict[str, int], depth: int) -> None:
    found = explore(tictactoe, **limit)
    assert not found.complete
    assert found.perft == PERFT[: depth + 1]
    assert (found.repeats, found.longest, found.plays) == (None, None, None)


def test_a_limit_that_is_not_reached_does_not_matter(tictactoe: ReferenceGame) -> None:
    assert explore(tictactoe, max_depth=9, max_positions=5478) == explore(tictactoe)


def test_progress_is_told(tictactoe: ReferenceGame) -> None:
    told: list[tuple[int, int, int]] = []
    explore(tictactoe, watch=lambda *state: told.append(state))
    assert len(told) == 5 and all(found >= waiting for found, waiting, _ in told)


X = read("x", type_=Int(0, 3))


def capped(value: n.Expr) -> n.Expr:
    return check(arithmetic(value, "min", const(3)), Int(0, 3), "`x`")


def circular() -> ReferenceGame:
    """From 0: `up` to 1, 2 and the end at 3; `back` to 0."""
    up = move("up", assign("x", capped(arithmetic(X, "+", const(1)))))
    return ReferenceGame(counter(up, move("back", assign("x", const(0)))))


def test_plays_that_go_round_in_circles() -> None:
    found = explore(circular())
    assert found.complete
    assert found.repeats is True
    assert (found.longest, found.plays) == (None, None)
    assert found.first_met == (1, 1, 1, 1)
    assert found.perft == (1, 2, 4, 8)  # at depth 3 one of the 8 has ended
    assert found.distinct == (1, 2, 3, 4)
    assert perft(circular(), 4) == 14
    assert count_positions(circular()) == 4
    assert count_plays(circular()) is None


def test_outcomes_count_separately_and_random_starts_at_depth_zero() -> None:
    die = n.Draw(0, "d", n.TypeDomain(Int(1, 2)), None, None, SPAN)
    roll = move("roll", die, assign("x", capped(arithmetic(X, "+", local(0)))))
    begin = n.Effect("initial", (), 1, (die, assign("x", local(0))), True, SPAN)
    game = ReferenceGame(counter(roll, initial=begin))
    # starts 1 and 2; 1 goes to 2 or 3, 2 goes to 3 (both faces merged)
    assert [perft(game, depth) for depth in range(4)] == [2, 3, 1, 0]
    found = explore(game)
    assert found.perft == (2, 3, 1)
    assert found.first_met == (2, 1)
    assert found.plays == 3
    assert found.longest == 2
    assert found.branching is not None and found.branching.mean == 1


def faulty(**rest: Any) -> ReferenceGame:
    """`up` adds 1 without minding the top; `leap` adds 2, and so first breaks the range after one move."""
    up = move("up", assign("x", check(arithmetic(X, "+", const(1)), Int(0, 3), "`x`")))
    leap = move("leap", assign("x", check(arithmetic(X, "+", const(2)), Int(0, 3), "`x`")))
    return ReferenceGame(counter(up, leap, **rest))


def test_a_violation_comes_with_the_shortest_play_to_it() -> None:
    found = explore(faulty())
    (violation,) = found.violations
    assert violation.diagnostics[0].code == "F001"
    assert str(violation.start) == "x=0"
    assert [(str(m), str(p)) for m, p in violation.path] == [("leap", "x=2")]
    assert str(violation.move) == "leap"
    assert not found.complete
    assert found.positions == 4


def test_a_violation_at_the_start() -> None:
    begin = n.Effect("initial", (), 0, (assign("x", check(const(9), Int(0, 3), "`x`")),), False, SPAN)
    found = explore(faulty(initial=begin))
    (violation,) = found.violations
    assert (violation.start, violation.path, violation.move) == (None, (), None)
    assert found.positions == 0 and not found.complete


def test_violations_in_utilities_and_features_are_found() -> None:
    reciprocal = arithmetic(const(1), "/", X)
    found = explore(faulty(features={"f": models.section(reciprocal)}))
    assert [v.diagnostics[0].code for v in found.violations] == ["F005"]
    bad = models.function(
        "utility", arithmetic(const(1), "/", arithmetic(X, "-", const(3))), models.players("solo")
    )
    found = explore(ReferenceGame(counter(move("end", assign("x", const(3))), utility=bad)))
    assert [v.diagnostics[0].code for v in found.violations] == ["F005"]


def test_long_plays_need_no_recursion() -> None:
    top = 5000
    step = check(arithmetic(read("x", type_=Int(0, top)), "+", const(1), Int(1, top + 1)), Int(0, top), "`x`")
    found = explore(ReferenceGame(counter(move("up", assign("x", step)), top=top)))
    assert found.longest == top
    assert found.plays == 1
    assert found.terminal == {(Fraction(top),): 1}


def test_compiled_games_are_counted_the_same() -> None:
    """The numbers of the reference engine above, and chess: chessprogramming.org/Perft_Results."""
    game = gdl.load("tictactoe", engine="native")
    assert [perft(game, depth) for depth in range(11)] == [*PERFT, 0]
    assert [distinct_positions(game, depth) for depth in (2, 5)] == [72, 1260]
    assert count_positions(game) == 5478 and count_plays(game) == 255168
    assert perft(gdl.load("chess", engine="native"), 4) == 197281


def test_compiled_games_with_chance_and_repeats_are_counted_the_same() -> None:
    for name, depth in (("backgammon", 2), ("pig", 6), ("nine_mens_morris", 3)):
        exact, compiled = gdl.load(name, engine="reference"), gdl.load(name, engine="native")
        assert perft(compiled, depth) == perft(exact, depth)
        assert distinct_positions(compiled, depth) == distinct_positions(exact, depth)
    pig = gdl.load("pig", engine="native", goal=20)
    assert count_plays(pig) is None and count_positions(pig) == count_positions(
        gdl.load("pig", goal=20, engine="reference")
    )


def test_counting_stops_when_time_is_over() -> None:
    with pytest.raises(TimeoutError):
        perft(gdl.load("chess", engine="reference"), 6, seconds=0.2)
    with pytest.raises(TimeoutError):
        count_positions(gdl.load("connect_four", engine="reference"), seconds=0.1)
