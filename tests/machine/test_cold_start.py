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
    run = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "GDL_COMPILE": "if it pays"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == ["0.0", "exact", "5478"]
    assert run.stderr == ""
    assert not list(tmp_path.rglob("*.nbi"))
