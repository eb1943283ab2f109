"""Every item of the lectures is shown by one command: docs/lectures.md tells the truth.

A row has a number, an item, a command and what the command prints; white space does not matter. Commands run
in this process, each once, however many rows name it.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.commands.conftest import Gdl, gdl  # noqa: F401 (a fixture)

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "lectures.md"

LOST = {"B10", "B26"}
ITEMS = {"A": 21, "B": 45, "C": 30, "D": 8, "E": 47}
"""How many items each document of the lectures has."""


class Row(NamedTuple):
    number: str
    item: str
    command: str
    prints: list[str]


def rows() -> list[Row]:
    found = re.findall(
        r"^\| ([A-E]\d+) \| (.*?) \| `(gdl .*?)` \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    return [
        Row(number, item, command, [text.replace(r"\|", "|") for text in re.findall(r"`([^`]*)`", prints)])
        for number, item, command, prints in found
    ]


ROWS = rows()


def test_every_item_has_its_row() -> None:
    expected = [f"{letter}{k}" for letter, count in ITEMS.items() for k in range(1, count + 1)]
    assert [row.number for row in ROWS] == [number for number in expected if number not in LOST]
    assert all(row.prints for row in ROWS)


def marked() -> list[object]:
    """The rows, those that take long marked as slow."""
    return [
        pytest.param(row, id=row.number, marks=pytest.mark.slow if "*(slow)*" in row.item else ())
        for row in ROWS
    ]


printed: dict[str, str] = {}


@pytest.mark.parametrize("row", marked())
def test_it_is_printed(row: Row, gdl: Gdl) -> None:  # noqa: F811
    if row.command not in printed:
        program, *arguments = shlex.split(row.command)
        assert program == "gdl"
        ran = gdl(*arguments)
        # Where a person is to play, nobody does: the play is left unfinished.
        assert ran.code == (130 if "*(you play)*" in row.item else 0), ran.err
        printed[row.command] = " ".join(ran.out.split())
    for text in row.prints:
        assert " ".join(text.split()) in printed[row.command], printed[row.command]
