"""`pytest games/`: game files as tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def run_pytest(folder: Path, *arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(folder), *arguments]
    result = subprocess.run([*command, str(folder)], capture_output=True, text=True, check=False, cwd=folder)
    return result.returncode, result.stdout


def test_every_line_is_a_test(nim: Path) -> None:
    code, out = run_pytest(nim.parent, "-v")
    assert code == 0, out
    assert "5 passed" in out  # the check and four lines
    assert "stones.gdl::expect value(stones=3) == -1 PASSED" in out


def test_failures_are_diagnostics(nim: Path) -> None:
    nim.write_text(nim.read_text().replace("expect plays == 5", "expect plays == 6"))
    code, out = run_pytest(nim.parent)
    assert code == 1
    assert "error[T001]: `expect plays == 6` does not hold" in out
    assert "Traceback" not in out
    assert "gdl/commands" not in out


def test_a_broken_game_fails_its_check(nim: Path) -> None:
    nim.write_text(nim.read_text().replace("heap == 0", "heep == 0"))
    code, out = run_pytest(nim.parent)
    assert code == 1
    assert "1 failed" in out
    assert "error[E101]" in out


def test_slow_lines_are_skipped(nim: Path) -> None:
    nim.write_text(nim.read_text() + "expect slow plays(stones=5) == 8\n")
    code, out = run_pytest(nim.parent, "-rs")
    assert code == 0
    assert "5 passed, 1 skipped" in out
    code, out = run_pytest(nim.parent, "-m", "slow")
    assert "1 passed" in out


def test_the_plugin_costs_nothing_until_it_meets_a_game() -> None:
    script = (
        "import sys, pytest\n"
        "pytest.main(['--co', '-q', '-p', 'no:cacheprovider', sys.argv[1]])\n"
        "loaded = {'lark', 'numpy', 'gdl.check', 'gdl.reference', 'solvers', 'typer'} & set(sys.modules)\n"
        "assert 'gdl.pytest_plugin' in sys.modules and not loaded, loaded\n"
    )
    here = Path(__file__).parents[1] / "diagnostics" / "test_render.py"
    subprocess.run([sys.executable, "-c", script, str(here)], check=True, capture_output=True)


@pytest.mark.parametrize("name", ["readme.txt", "game.gdlx"])
def test_other_files_are_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("nothing")
    code, _ = run_pytest(tmp_path)
    assert code == 5  # no tests
