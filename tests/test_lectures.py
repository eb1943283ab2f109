"""Every item of the lectures is shown by one command: docs/lectures.md tells the truth.

A row has a number, an item, a command and what the command prints; white space does not matter. Commands run
in this process, each once, however many rows name it.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.commands.conftest import Gdl, gdl  # noqa: F401 (a fixture)
from tests.console import Shown, shown_in

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


@pytest.mark.parametrize(
    "shown", [each for each in shown_in(PAGE) if each.expected], ids=lambda each: each.command
)
def test_tables_are_as_shown(shown: Shown, gdl: Gdl) -> None:  # noqa: F811
    ran = gdl(*shlex.split(shown.command)[1:])
    assert ran.code == 0, ran.err
    assert "\n".join(shown.expected) in "\n".join(line for line in ran.out.splitlines() if line)


def pictures() -> dict[str, list[str]]:
    """The pictures of the page, with the arguments of the commands under them."""
    spec = importlib.util.spec_from_file_location("draw_lectures", PAGE.parent / "draw_lectures.py")
    assert spec and spec.loader
    drawing = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(drawing)
    found: dict[str, list[str]] = drawing.pictures()
    return found


def test_every_picture_says_what_its_command_draws(gdl: Gdl, tmp_path: Path) -> None:  # noqa: F811
    """Words are compared, not places: those may differ in the last digit."""
    shown = re.findall(r"^!\[.*\]\((lectures/.*)\)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert list(pictures()) == shown
    for file, arguments in pictures().items():
        fresh = tmp_path / Path(file).name
        ran = gdl(*arguments[:-1], str(fresh))
        assert ran.code == 0, ran.err
        assert _words(fresh) == _words(PAGE.parent / file), f"{file}: run python docs/draw_lectures.py"


def _words(picture: Path) -> list[str]:
    return re.findall(r"<text [^>]*>([^<]*)</text>", picture.read_text(encoding="utf-8"))
