"""Fixes: edits that really mend what they are offered for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gdl.diagnostics import Edit, Fix, Source, Span
from gdl.diagnostics.fixes import apply
from gdl.loading import diagnose, mend

BAD = sorted((Path(__file__).parent.parent / "language" / "bad").glob("*.gdl"))

FOREIGN = """\
game stones
players: first, second
position:
    n: 0..10 = 3
    turn: player = first
    over: bool = False
player: turn
move take(k: 1..2) when k<=n&&!over
    n = n - k
    if n == 0:
        over := true
    else if n == 1:
        n++
    turn = next turn;
terminal: over || n == 0
utility: 1
"""

MENDED = """\
game stones
players: first, second
position:
    n: 0..10 = 3
    turn: player = first
    over: bool = false
player: turn
move take(k: 1..2) when k<=n and not over:
    n = n - k
    if n == 0:
        over = true
    elif n == 1:
        n += 1
    turn = next(turn)
terminal: over or n == 0
utility: 1
"""


def test_habits_of_other_languages_are_mended() -> None:
    text, mended = mend(Source("stones.gdl", FOREIGN))
    assert text == MENDED
    assert mended == 10
    assert diagnose(Source("stones.gdl", text))[0] is not None


@pytest.mark.parametrize("path", BAD, ids=lambda p: p.stem)
def test_each_fix_ends_its_mistake(path: Path) -> None:
    """Applied alone, a fix leaves no diagnostic of the same code with the same message in that line."""
    text = path.read_text(encoding="utf-8")
    _, found = diagnose(Source("bad.gdl", text))
    for diagnostic in found:
        for fix in diagnostic.fixes:
            assert diagnostic.span is not None
            after, made = apply(text, [fix])
            assert made == 1 and after != text
            left = [d for d in diagnose(Source("bad.gdl", after))[1] if d.code == diagnostic.code]
            same = [
                d
                for d in left
                if d.span and (d.span.line, d.message) == (diagnostic.span.line, diagnostic.message)
            ]
            before = [d for d in found if (d.code, d.message) == (diagnostic.code, diagnostic.message)]
            assert len(same) < len(before), fix


def test_fixes_that_touch_are_made_one_at_a_time() -> None:
    source = Source("x", "abcdef")

    def change(start: int, end: int, text: str) -> Fix:
        return Fix("change", (Edit(Span(source, start, end), text),))

    assert apply("abcdef", [change(0, 2, "X"), change(1, 3, "Y"), change(4, 5, "Z")]) == ("XcdZf", 2)


def test_guesses_are_left_to_a_person() -> None:
    text = MENDED.replace("terminal: over or n == 0", "terminal: ovr or n == 0")
    _, (diagnostic,) = diagnose(Source("stones.gdl", text))
    (fix,) = diagnostic.fixes
    assert (fix.safe, fix.edits[0].text) == (False, "over")
    assert mend(Source("stones.gdl", text)) == (text, 0)


def test_a_fix_is_plain_data() -> None:
    _, found = diagnose(Source("stones.gdl", FOREIGN))
    data = json.loads(json.dumps([d.as_data() for d in found]))
    colon = next(fix for d in data for fix in d["fixes"] if fix["title"] == "write `false`")
    assert colon["safe"] is True
    (edit,) = colon["edits"]
    assert edit["text"] == "false"
    assert (edit["place"]["line"], edit["place"]["column"], edit["place"]["end_column"]) == (6, 18, 23)
