"""The map is true: what the pages name exists, and every room says which question it answers."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
    *(ROOT / name / "README.md" for name in ("benchmarks", "games", "library", "tests")),
    *sorted(DOCS.glob("*.md")),
    *sorted((DOCS / "decisions").glob("*.md")),
]
TOP = "gdl", "solvers", "tests", "docs", "games", "grammar", "benchmarks", "editors", ".ci"

_PATH = re.compile(rf"(?<![\w/.-])(?:{'|'.join(map(re.escape, TOP))})/(?:[\w.*-]*[\w*]/?)*")
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")
_BARE_FILE = re.compile(r"`(\w+\.py)`")
_NAME = re.compile(r"`((?:gdl|solvers)(?:\.\w+)+)")

WRITTEN = {"tests/generate/found/"}
"""Made when there is something to keep in it."""

CHANGES = (
    "move ordering",
    "a solver",
    "a field of `gdl solve`",
    "an exporter (Gambit)",
    "packing of positions",
    "symmetry",
    "a new type",
    "a diagnostic",
    "CFR",
    "`gdl tree`",
    "a leaf",
    "a new kind of chance",
    "simultaneous moves",
)
"""What somebody is going to change next, to be found in "Where do I change …"."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_paths_named_on_a_page_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = [path for path in set(_PATH.findall(text)) - WRITTEN if not list(ROOT.glob(path.rstrip("/")))]
    missing += [link for link in _LINK.findall(text) if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_modules_and_functions_named_on_a_page_exist(page: Path) -> None:
    for name in sorted(set(_NAME.findall(page.read_text(encoding="utf-8")))):
        if not name.endswith((".gdl", ".md")):
            resolve_name(name)


def test_decisions_name_files_by_their_whole_path() -> None:
    for page in (ROOT / "ARCHITECTURE.md", *(DOCS / "decisions").glob("*.md")):
        bare = set(_BARE_FILE.findall(page.read_text(encoding="utf-8"))) - {"__init__.py"}
        assert not bare, f"{page.name}: which file is {bare}?"


@pytest.mark.parametrize("change", CHANGES)
def test_the_table_of_changes_leads_somewhere(change: str) -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text[text.index("## Where do I change") : text.index("## Where to look")]
    rows = [row for row in table.splitlines() if row.startswith(f"| {change}")]
    assert rows
    assert all(_PATH.search(row) for row in rows)


ROOMS = sorted(
    {path.parent for room in ("gdl", "solvers") for path in (ROOT / room).rglob("*.py")}
    - {ROOT / "gdl", ROOT / "solvers"}
)


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(ROOT)))
def test_a_room_says_which_question_it_answers(room: Path) -> None:
    said = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8")))
    assert said and "?" in said.splitlines()[0], f"{room}: the docstring begins with no question"


def test_every_benchmark_is_in_their_table() -> None:
    text = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    assert [
        file.name for file in (ROOT / "benchmarks").glob("*.py") if f"benchmarks/{file.name}`" not in text
    ] == []


def test_the_picture_names_every_room() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    picture = text.split("```")[1]
    inside = (
        "plan",
        "emit",
        "ir",
        "layout",
        "turns",
        "nodes",
        "essays",
        "wording",
    )  # drawn, or told, by their room
    for room in ROOMS:
        if room.name not in inside:
            assert f"{room.relative_to(ROOT)}/" in picture
