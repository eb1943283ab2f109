"""On a machine where nothing is compiled, small games are solved without compiling, and proven as well."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_small_games_need_no_kernels(tmp_path: Path) -> None:
    """5,478 positions, a draw (see games/tictactoe.gdl)."""
    script = (
        "import gdl; r = gdl.solve(gdl.load('tictactoe')); print(float(r.value), r.kind, r.work.positions)"
    )
    assert _run_cold(script, tmp_path) == ["0.0", "exact", "5478"]


def test_few_histories_need_no_kernels(tmp_path: Path) -> None:
    """Kuhn poker is worth -1/18 to the first player (Kuhn 1950)."""
    script = "import gdl; r = gdl.solve(gdl.load('kuhn_poker')); print(abs(r.value + 1 / 18) < 1e-9, r.kind)"
    assert _run_cold(script, tmp_path) == ["True", "bounded"]


def _run_cold(script: str, cache: Path) -> list[str]:
    """What a script prints where no kernel is compiled; it says nothing else, and compiles none."""
    run = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache), "GDL_COMPILE": "if it pays"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stderr == ""
    assert not list(cache.rglob("*.nbi"))
    return run.stdout.split()
