"""What a name means while it is drawn, on both engines; expected values are worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from gdl.loading import loads

GAME = """
game draws
players: a
const copies[1..3] = [1, 1, 8]
position:
    up: 1..3 = 1
    two[0..1]: 1..3 = 1
    done: bool
effect draw_up: up ~ 1..3 weighted copies[up]
move draw:
    {draw}
    done = true
terminal: done
utility: up + 10 * two[0]
"""


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(
    ("draw", "mean"),
    [
        ("up ~ 1..3 weighted copies[up]", 10 + Fraction(1 + 2 + 3 * 8, 10)),
        ("up ~ 1..3 weighted copies[it]", 10 + Fraction(1 + 2 + 3 * 8, 10)),
        ("draw_up", 10 + Fraction(1 + 2 + 3 * 8, 10)),
        ("up ~ 1..3 where up != 1", 10 + Fraction(2 + 3, 2)),
        ("up ~ 1..3 where up > 1 weighted copies[up]", 10 + Fraction(2 + 3 * 8, 9)),
        # an element has no name of its own: two[0] is the 1 that it was, `it` the candidate
        ("two[0] ~ 1..3 where it > two[0]", 1 + 10 * Fraction(2 + 3, 2)),
    ],
)
def test_the_name_being_drawn_is_the_candidate(draw: str, mean: Fraction, engine: str) -> None:
    game = loads(GAME.format(draw=draw), engine=engine)
    (start,) = game.initial()
    (move,) = game.moves(start.position)
    found = sum(o.probability * game.utility(o.position)[0] for o in game.outcomes(start.position, move))
    assert found == (mean if engine == "reference" else pytest.approx(float(mean), abs=1e-12))
