"""Hints that can be followed: what they say to write is legal, helps, and means what was meant."""

from __future__ import annotations

import re

import pytest

from gdl.check.library import AGGREGATES, FUNCTIONS
from gdl.diagnostics import Diagnostic, Source
from gdl.loading import diagnose, load_model
from gdl.model.digest import digest
from gdl.syntax.mistakes import FUNCTIONS as CALLED_WITHOUT_BRACKETS


def mistakes(text: str, code: str) -> list[Diagnostic]:
    """The diagnostics of this code, in the order of the text."""
    found = [d for d in diagnose(Source("<hints>", text))[1] if d.code == code]
    return sorted(found, key=lambda d: d.span.start if d.span else 0)


def hint(text: str, code: str) -> str:
    """The hint of the only diagnostic of this code."""
    (found,) = mistakes(text, code)
    return found.hint or ""


def advised(text: str, found: Diagnostic) -> str:
    """The text with the marked place replaced by what the hint says to write."""
    written = re.match("write `(.*?)`", found.hint or "")
    assert written is not None and found.span is not None
    return text[: found.span.start] + written[1] + text[found.span.end :]


AFTER = """\
game g
players: a
position:
    x: 0..3 = 0
    y: bool
effect inc: x += 1
move go when {}:
    x = 3
    y = true
move stop: x = 3
terminal: x == 3
utility: x
"""


@pytest.mark.parametrize(
    "guard",
    [
        "y and x < 2 after inc",
        "x < 2 after inc and y",
        "(x < 2 and x > 0) after inc and y",
        "y or (x < 2 or x > 0) after inc",
        "y and not (x < 2 and x > 0) after inc",
        "y and (x) < 2 after inc",
        "(y and (x < 2 or\n        x > 0) after inc)",
    ],
)
def test_after_in_brackets_means_the_same(guard: str) -> None:
    text = AFTER.format(guard)
    (found,) = mistakes(text, "W109")
    better = advised(text, found)
    assert not mistakes(better, "W109")
    assert digest(load_model(Source("<better>", better))) == digest(load_model(Source("<text>", text)))


OUTCOMES = """\
game g
players: a
position:
    n: 0..9 = 0
    done: bool
move toss:
    done = true
{}
terminal: done
utility: n
"""


def test_else_is_advised_where_it_can_stand() -> None:
    """In `chance:` it can, in the `{ }` of a draw it cannot."""
    listed = OUTCOMES.format("    n ~ {1: 1/2, 2: 1/3}")
    block = OUTCOMES.format("    chance:\n        1/2: n = 1\n        1/3: n = 2")
    assert "1/6" in hint(listed, "E401") and "else" not in hint(listed, "E401")
    assert "1/6" in hint(block, "E401") and "`else:`" in hint(block, "E401")
    assert "chance" not in hint(listed.replace("1/3", "2/3"), "E401")


OPTIONAL = """\
game g
players: a
type Mark = {{star}} | 1..3
position:
    b: 1..5?
    mark: Mark = star
    done: bool
move go:
    done = true
    b = 2
    mark = 3
terminal: done
utility: {}
"""


@pytest.mark.parametrize(
    "value",
    ["b", "3 - b", "b * 2", "-b", "abs(b)", "max(b, 3)", "max(b for _ in 1..2)", "sum(1 for _ in 1..b)"],
)
def test_a_number_that_may_be_none_is_to_be_tested(value: str) -> None:
    text = OPTIONAL.format(value)
    advice = hint(text, "E202")
    assert "`if b is not none`" in advice
    assert diagnose(Source("<tested>", OPTIONAL.format(f"{value} if b is not none else 0")))[0] is not None


def test_a_number_that_may_be_a_name_is_to_be_tested() -> None:
    """`1..3(mark)` would be no way to insist: only types with a name are called."""
    advice = hint(OPTIONAL.format("mark + 1"), "E203")
    assert "`is 1..3`" in advice and "insist" not in advice
    better = OPTIONAL.format("mark + 1 if mark is 1..3 else 0")
    assert diagnose(Source("<tested>", better))[0] is not None


COIN = """\
game g
players: a
{}position:
    money: 0..9 = 5
    done: bool
move bet:
    coin ~ {{heads: 1/2, tails: 1/3}}
    if coin == heads: money = 9
    done = true
terminal: done
utility: money
"""


def test_names_of_outcomes_come_from_a_type() -> None:
    """And the wrong sum is shown at once."""
    written = re.search("`(type .*)`", hint(COIN.format(""), "E101"))
    assert written is not None and written[1] == "type Coin = {heads, tails}"
    for line in ("", written[1] + "\n"):
        assert "1/6" in hint(COIN.format(line), "E401")
    assert diagnose(Source("<mended>", COIN.format(written[1] + "\n").replace("1/3", "1/2")))[0] is not None


def test_a_misspelt_outcome() -> None:
    text = COIN.format("type Coin = {heads, tails}\n").replace("{heads:", "{hedas:")
    assert hint(text, "E101") == "did you mean `heads`?"


NEXT = """\
game g
players: a, b
position:
    turn: player = a
    order[player]: player = a
    done: bool
player: turn
move go:
    turn = {}
    done = true
terminal: done
utility: 1 if order[a] == a else 0
"""


@pytest.mark.parametrize("argument", ["turn", "order[turn]", "order[next(turn)]"])
def test_functions_take_brackets(argument: str) -> None:
    text = NEXT.format(f"next {argument}")
    (found,) = mistakes(text, "S114")
    assert advised(text, found) == NEXT.format(f"next({argument})")


def test_statements_stand_in_moves() -> None:
    text = NEXT.format("next(turn)")
    assert "`reward e` stands in a move" in hint(text + "reward: -1\n", "S106")
    assert "stands in a move" in hint(text + "if done:\n    turn = a\n", "S106")


def test_functions_that_are_recognised_without_brackets() -> None:
    assert {*FUNCTIONS, *AGGREGATES} - {"flip", "above"} == CALLED_WITHOUT_BRACKETS
