"""Kernels that have to be compiled first are no silent minute."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
import numpy as np
from solvers.whole.kernels.partition import address_keys
for _ in range(2):
    address_keys(np.zeros((1, 1), np.uint64), np.zeros((1, 2), sys.argv[1]))
"""


def test_compiling_is_said_once_and_why(tmp_path: Path) -> None:
    """On a new machine, which a folder of its own for machine code stands for; again only for a reason."""
    lines = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT, kind],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stderr.splitlines()
        for kind in ("u8", "u8", "f8")
    ]
    assert lines == [
        ["compiling solvers.whole.kernels, once per machine …"],
        [],
        ["compiling solvers.whole.kernels, for arguments of other types …"],
    ]
