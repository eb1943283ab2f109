"""Pages written by a program are as the program would write them, and shown output is what is printed.

The tutorial and the lectures have tests of their own, which run all of their commands.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from tests.commands.conftest import Gdl, gdl  # noqa: F401 (a fixture)
from tests.console import Shown, print_of, shown_in
from tests.solvers.reading import read_back

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
TESTED_ELSEWHERE = {DOCS / "tutorial.md", DOCS / "lectures.md"}
PAGES = [README, *(page for page in sorted(DOCS.glob("*.md")) if page not in TESTED_ELSEWHERE)]
WITH_OUTPUT = [shown for page in PAGES for shown in shown_in(page) if shown.expected]


def test_commands_page_is_fresh() -> None:
    spec = importlib.util.spec_from_file_location("generate_commands", DOCS / "generate_commands.py")
    assert spec and spec.loader
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    fresh = generator.page()
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert page == fresh, "run: python docs/generate_commands.py"


def test_some_output_is_shown() -> None:
    assert WITH_OUTPUT


@pytest.mark.parametrize("shown", WITH_OUTPUT, ids=lambda shown: shown.command)
def test_shown_output_is_what_is_printed(
    shown: Shown,
    gdl: Gdl,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Line by line; of intervals, which may differ in their last digits, that they say the same."""
    monkeypatch.chdir(tmp_path)
    printed = print_of(gdl, shown.command)
    lines = printed.text.splitlines()
    for line in shown.expected:
        assert line in lines or any(_agree(line, other) for other in lines), f"{line}\n{printed.text}"
    assert printed.code == 0


_VALUE = re.compile(r"(.*?  )(-?\d\S* ± \S+(?: \(95 %\))?)")


def _agree(line: str, other: str) -> bool:
    """Whether both give the same name an interval, and the intervals have a number in common."""
    found = _VALUE.fullmatch(line), _VALUE.fullmatch(other)
    if found[0] is None or found[1] is None or found[0][1] != found[1][1]:
        return False
    ours, theirs = (read_back(each[2]) for each in found if each)
    assert ours and theirs
    return ours[0] <= theirs[1] and theirs[0] <= ours[1]


def test_the_mistake_in_the_readme_is_told_as_shown(
    gdl: Gdl,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (shown,) = re.findall(r"```\n(error.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    pig = (ROOT / "games" / "pig.gdl").read_text(encoding="utf-8")
    assert pig.count("banked[turn] += pot") == 1
    (tmp_path / "pig.gdl").write_text(
        pig.replace("banked[turn] += pot", "banked[pot] += pot"), encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    printed = print_of(gdl, "gdl check pig.gdl")
    assert printed.code == 1
    assert shown in printed.text


RATIO = r"^\| .+ \| (.+) \| `python ([\w/.]+).*\]\((docs/\S+)\) \|$"
RATIOS = re.findall(RATIO, README.read_text(encoding="utf-8"), re.MULTILINE)


def test_ratios_are_shown() -> None:
    assert RATIOS


@pytest.mark.parametrize(("ratio", "program", "page"), RATIOS)
def test_ratios_in_the_readme_are_those_measured(ratio: str, program: str, page: str) -> None:
    """Each number stands on the page that says how it was measured, by a program that is there."""
    assert (ROOT / program).is_file()
    measured = (ROOT / page).read_text(encoding="utf-8")
    for number in re.findall(r"\d+(?:\.\d+)?", ratio):
        assert re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.]*\d)", measured), number
