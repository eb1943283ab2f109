"""The tutorial is true: its files are written and its commands run in order, in an empty folder.

A `gdl` block is written to the file named by its `game` line. In a `console` block a line `$ command` is run;
the lines below it must all occur in what it prints. A command whose expected lines show an error must fail,
any other must succeed.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.console import commands_of, print_of

ROOT = Path(__file__).parents[1]
TUTORIAL = ROOT / "docs" / "tutorial.md"


def test_tutorial(tmp_path: Path) -> None:
    blocks = re.findall(r"```(gdl|console)\n(.*?)```", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for kind, text in blocks:
        if kind == "gdl":
            (name,) = re.findall(r"^game (\w+)$", text, re.MULTILINE)
            (tmp_path / f"{name}.gdl").write_text(text, encoding="utf-8")
        else:
            for command, expected in commands_of(text):
                _run(command, expected, tmp_path)


def _run(command: str, expected: list[str], folder: Path) -> None:
    printed, code = print_of(command, folder)
    for line in expected:
        assert line in printed, f"$ {command}\n{printed}"
    fails = any(line.startswith("error") for line in expected)
    assert (code != 0) == fails, f"$ {command}\n{printed}"
