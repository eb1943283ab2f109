"""The language card is true: games and idioms check, mistakes are told, and what it says instead checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gdl.diagnostics import Severity, Source
from gdl.expectations import Status, examine_all
from gdl.loading import diagnose, load_model

CARD = (Path(__file__).parents[2] / "docs" / "language-card.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```gdl\n(.*?)```", CARD, re.DOTALL)
MISTAKES = re.findall(r"^\| (`.*?) \| `(.*)` \|$", CARD.partition("## Usual mistakes")[2], re.MULTILINE)

BOARD = """
game frame
players: first, second
type Cell = grid(3, 3)
type Mark = {empty} | player
position:
    board[Cell]: Mark = [[first, first, empty], [empty, empty, empty], [empty, second, empty]]
    turn: player = first
player: turn
"""

PILE = {
    "game": "game frame",
    "players": "players: first, second",
    "position": "position:\n    stones: 0..9 = 9\n    gone: set of 1..3\n    last: 0..3?\n"
    "    turn: player = first",
    "player": "player: turn",
    "move": "move take(n: 1..3) when n <= stones and n not in gone:\n    stones -= n\n    gone += {n}\n"
    "    last = n\n    turn = next(turn)",
    "terminal": "terminal: stones == 0 or count(gone) == 3 or last == 3",
    "utility": "utility: 1 if turn == second else -1",
}


def mistakes(text: str) -> list[str]:
    return [f"{d} ({d.hint})" for d in diagnose(Source("card.gdl", text))[1] if d.severity is Severity.ERROR]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda text: text.split("\n")[0][:40])
def test_examples_check_without_a_warning(block: str) -> None:
    text = block if re.search(r"^game ", block, re.MULTILINE) else BOARD + block
    model, diagnostics = diagnose(Source("card.gdl", text))
    assert model is not None and diagnostics == (), [f"{d} ({d.hint})" for d in diagnostics]


def test_expectations_of_the_card_hold() -> None:
    games = [load_model(Source("card.gdl", block)) for block in BLOCKS if "\nexpect " in block]
    verdicts = [verdict for game in games for verdict in examine_all(game, slow=False)]
    assert len(verdicts) == 2
    assert all(verdict.status is Status.PASSED for verdict in verdicts), [v.message for v in verdicts]


def in_frame(written: str) -> str:
    """A game with this in it: a section, a variable of the position, or a statement of the move."""
    sections = dict(PILE)
    word = re.match(r"\w+", written)
    assert word is not None
    if word[0] in sections or word[0] in ("param", "show"):
        sections[word[0]] = written
    elif re.match(r"\w+: ", written) or written == "over = false":
        sections["position"] += f"\n    {written}"
    else:
        sections["move"] = sections["move"].replace(":\n    stones", f":\n    {written}\n    stones")
    return "\n".join(sections.values()) + "\n"


@pytest.mark.parametrize(("wrong", "right"), MISTAKES, ids=lambda text: text[:40])
def test_mistakes_are_told_and_their_mends_check(wrong: str, right: str) -> None:
    written = re.findall("`(.*?)`", wrong)[0]
    assert mistakes(in_frame(written)) != []
    assert mistakes(in_frame(right)) == []


def test_the_card_is_two_pages() -> None:
    assert len(MISTAKES) > 20 and len(BLOCKS) >= 5
    assert len(CARD.splitlines()) <= 200
