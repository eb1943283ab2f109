"""What is not behaviour but still has to hold: lint, types, the direction of imports, one set of commands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import LONGEST

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent

TOOLS = {
    "lint": [str(BIN / "ruff"), "check", "."],
    "types": [sys.executable, "-m", "mypy"],
    "imports": [str(BIN / "lint-imports")],
}


@pytest.mark.parametrize("command", TOOLS.values(), ids=TOOLS)
def test_tool_is_content(command: list[str]) -> None:
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_ci_runs_the_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    _, tests, *_ = re.findall(r"```\n(python3 .*)\n```", readme)
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").rstrip().endswith(tests)


def test_readme_shows_pig_as_it_is() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r'```\n(""".*?)```', readme, re.DOTALL)
    pig = iter((ROOT / "games" / "pig.gdl").read_text(encoding="utf-8").splitlines())
    assert len(shown) == 1
    assert all(line in pig for line in shown[0].splitlines())  # in this order, some left out


def test_files_that_workers_begin_with_are_there() -> None:
    assert [file for file in LONGEST if not (ROOT / file).is_file()] == []
