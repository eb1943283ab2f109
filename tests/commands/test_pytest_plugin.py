"""`pytest games/`: game files as tests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run_pytest(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Status and output of another run of pytest, in this process: a new one loads for two seconds."""

    def run(folder: Path, *arguments: str) -> tuple[int, str]:
        monkeypatch.chdir(folder)
        alone = ["-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", str(folder)]
        capfd.readouterr()
        status = pytest.main([*alone, *arguments, str(folder)])
        return int(status), capfd.readouterr().out

    return run


def test_every_line_is_a_test(nim: Path, run_pytest: Run) -> None:
    code, out = run_pytest(nim.parent, "-v")
    assert code == 0, out
    assert "5 passed" in out  # the check and four lines
    assert "stones.gdl::expect value(stones=3) == -1 PASSED" in out


def test_failures_are_diagnostics(nim: Path, run_pytest: Run) -> None:
    nim.write_text(nim.read_text().replace("expect plays == 5", "expect plays == 6"))
    code, out = run_pytest(nim.parent)
    assert code == 1
    assert "error[T001]: `expect plays == 6` does not hold" in out
    assert "Traceback" not in out
    assert "gdl/commands" not in out


def test_a_broken_game_fails_its_check(nim: Path, run_pytest: Run) -> None:
    nim.write_text(nim.read_text().replace("heap == 0", "heep == 0"))
    code, out = run_pytest(nim.parent)
    assert code == 1
    assert "1 failed" in out
    assert "error[E101]" in out


def test_slow_lines_are_skipped(nim: Path, run_pytest: Run) -> None:
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
def test_other_files_are_left_alone(tmp_path: Path, name: str, run_pytest: Run) -> None:
    (tmp_path / name).write_text("nothing")
    code, _ = run_pytest(tmp_path)
    assert code == 5  # no tests
