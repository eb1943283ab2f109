"""What is said of `expect` lines that do not hold or cannot be tested, and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl.diagnostics import Diagnostic, Source
from gdl.expectations import Status, Verdict, examine_all
from gdl.loading import load_model

TAKE = """\
game take
players: a, b, c
position:
    s: 0..9 = 5
    got[player]: 0..9 = 0
    turn: player = a
player: turn
move take(k: 1..3) when k <= s:
    s -= k
    got[turn] += k
    turn = next(turn)
terminal: s == 0
utility(p): got[p]
policy one: take(1)
"""


def verdict(line: str) -> Verdict:
    (found,) = examine_all(load_model(Source("take.gdl", TAKE + line)), slow=True)
    return found


def refused(line: str) -> Diagnostic:
    found = verdict(line)
    assert found.status is Status.FAILED
    (diagnostic,) = found.diagnostics
    return diagnostic


def test_what_is_no_legal_move_is_shown_in_its_line() -> None:
    found = refused("expect legal after take(3), take(3) == 1\n")
    assert found.code == "P007" and found.span is not None
    assert (found.span.source.name, found.span.line, found.span.text) == ("take.gdl", 15, "take(3)")


def test_an_agent_that_nobody_knows_is_shown_in_its_line() -> None:
    found = refused("expect value(a=one, b=nobody, c=one) == 1\n")
    assert found.code == "A002" and found.span is not None
    assert (found.span.line, found.span.text) == (15, "nobody")


def test_a_best_response_is_worth_one_number() -> None:
    """The first takes 3, 1 and 1 are left to the others."""
    assert verdict("expect value(a=best, b=one, c=one) == 3\n").status is Status.PASSED
    found = refused("expect value(a=best, b=one, c=one) == (3, 1, 1)\n")
    assert found.code == "T003" and "expect one number" in found.message
    assert verdict("expect value(a=one, b=one, c=one) == (2, 2, 1)\n").status is Status.PASSED


@pytest.mark.parametrize("name", ["let_blank", "mixture", "record_by_name"])
def test_what_good_files_expect_by_hand_holds(name: str) -> None:
    path = Path(__file__).parent / "good" / f"{name}.gdl"
    verdicts = list(examine_all(load_model(Source(path.name, path.read_text(encoding="utf-8"))), slow=True))
    assert [v.status for v in verdicts] == [Status.PASSED] * len(verdicts) and verdicts
