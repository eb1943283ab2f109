"""The tutorial is true: its files are written and its commands run in order, in an empty folder.

A `gdl` block is written to the file named by its `game` line. In a `console` block a line `$ command` is run;
the lines below it must all occur in what it prints. A command whose expected lines show an error must fail,
any other must succeed.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.commands.conftest import Gdl, gdl  # noqa: F401 (a fixture)
from tests.console import commands_of, print_of

ROOT = Path(__file__).parents[1]
TUTORIAL = ROOT / "docs" / "tutorial.md"


def test_tutorial(gdl: Gdl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```(gdl|console)\n(.*?)```", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for kind, text in blocks:
        if kind == "gdl":
            (name,) = re.findall(r"^game (\w+)$", text, re.MULTILINE)
            (tmp_path / f"{name}.gdl").write_text(text, encoding="utf-8")
        else:
            for command, expected in commands_of(text):
                _run(gdl, command, expected)


def _run(gdl: Gdl, command: str, expected: list[str]) -> None:  # noqa: F811
    printed, code = print_of(gdl, command)
    for line in expected:
        assert line in printed, f"$ {command}\n{printed}"
    fails = any(line.startswith("error") for line in expected)
    assert (code != 0) == fails, f"$ {command}\n{printed}"
