"""An effect is judged by the places that perform it: what cannot happen there is no mistake."""

from __future__ import annotations

import pytest

from gdl.diagnostics import GameError, Source
from gdl.loading import load_model
from gdl.questions import question

GAME = """game g
players: a
position:
    v[0..3]: 0..3 = 0
    n: 0..9 = 0
effect put(i: 0..9):
    if i > 3: v[i] = 1
    else: v[i] = 2
    count(i)
effect count(j: 0..9):
    v[j] = 3
    n += 1
effect undo: n -= 1
move place(i: 0..9) when {guard} and n < 9: put(i)
move back when n > 0: undo
{more}
move leave: n = 9
terminal: n == 9
utility: v[0]
"""

NEVER = "effect never: v[7] = 1\n"


def left_open(guard: str, more: str = "") -> list[str]:
    """The codes and lines of what the engines have to look at."""
    model = load_model(Source("g.gdl", GAME.format(guard=guard, more=more)))
    return [f"{d.code} {d.span.text}" for d in model.obligations if d.span is not None]


def test_guards_of_all_who_perform_it_hold_in_an_effect() -> None:
    """0..3 comes in, and goes on to the effect that this one performs; `n` is above 0 or below 9."""
    assert left_open("i <= 3") == []


def test_one_who_performs_it_with_more_is_enough() -> None:
    assert left_open("i <= 3", "move last when n < 9: count(4 - v[0])") == ["O101 j"]
    assert left_open("i <= 3", "move last: undo") == ["O101 n -= 1"]


def test_what_is_performed_where_no_play_comes_is_no_mistake() -> None:
    assert left_open("i <= 3", NEVER + "move no when n > 9: never") == []


def test_what_breaks_wherever_it_is_performed_is_a_mistake() -> None:
    for guard, more in (("i > 3", ""), ("i <= 3", NEVER + "move no: never")):
        with pytest.raises(GameError) as error:
            left_open(guard, more)
        assert {d.code for d in error.value.diagnostics} == {"E301"}


def test_a_question_may_perform_it_otherwise() -> None:
    """The engines still look: what the rules never do, somebody may ask for."""
    asked = question(Source("g.gdl", GAME.format(guard="i <= 3", more="")), "n after count(7)")
    with pytest.raises(GameError, match="F001"):
        asked.answer(asked.game.initial()[0].position)
