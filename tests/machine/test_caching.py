"""Kept machine code of kernels is out of date when any module that went into it has changed."""

from __future__ import annotations

import importlib.util
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from solvers.machine import compiling
from solvers.whole.kernels.turns import turn_programs

SOURCES = {
    "kernels/constants.py": "LIMIT = 3\n",
    "kernels/steps.py": """
from numba import njit
from solvers.kernels.constants import LIMIT

@njit
def step(x):
    return x + LIMIT
""",
    "textbook.py": "def oracle(x):\n    return x\n",
    "kernels/deep/loops.py": """
from numba import njit
from solvers.kernels import steps
from solvers.textbook import oracle

@njit
def loop(x):
    return steps.step(x)

def checked(x):
    return loop(x) == oracle(x)
""",
}


@pytest.mark.parametrize(
    ("changed", "stale"),
    [
        ("kernels/deep/loops.py", True),
        ("kernels/steps.py", True),  # called
        ("kernels/constants.py", True),  # two imports away, in another folder
        ("textbook.py", False),  # used by the Python side alone
    ],
)
def test_what_is_compiled_into_a_kernel_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str, stale: bool
) -> None:
    for name, text in SOURCES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(compiling, "_roots", lambda: {"solvers": tmp_path})

    def stamped() -> str:
        compiling.compiled_in.cache_clear()
        compiling.stamp.cache_clear()
        return compiling.stamp(tmp_path / "kernels/deep/loops.py")

    before = stamped()
    with (tmp_path / changed).open("a") as file:
        file.write("# changed\n")
    assert (stamped() != before) is stale
    compiling.compiled_in.cache_clear()
    compiling.stamp.cache_clear()


def test_kernels_are_kept_where_numba_keeps_things() -> None:
    kernel: Any = turn_programs.expand_turns
    assert Path(kernel._cache.cache_path).exists()
    assert isinstance(kernel._cache._impl.locator.get_source_stamp(), tuple)


def test_a_full_disk_keeps_no_kernel_from_running(tmp_path: Path) -> None:
    """A kernel, the steps that it calls, and what is compiled to be kept: nothing of it can be written."""
    code = (
        "import numpy as np; from solvers.hidden.kernels.observing import fill\n"
        "table, keys = np.full(8, -1, np.int64), np.array([[3, 1], [11, 1], [5, 1]], np.uint64)\n"
        "fill(table, keys, 3); print(sorted(table.tolist()))"
    )

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        preexec_fn=small_files,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == "[-1, -1, -1, -1, -1, 0, 1, 2]".split()
    assert not any(file.stat().st_size > 100 for file in tmp_path.rglob("*") if file.is_file())


def test_functions_of_others_are_kept_as_before(tmp_path: Path) -> None:
    file = tmp_path / "theirs.py"
    file.write_text("from numba import njit\n\n@njit(cache=True)\ndef twice(x):\n    return 2 * x\n")
    spec = importlib.util.spec_from_file_location("theirs", file)
    assert spec and spec.loader
    theirs: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(theirs)
    assert theirs.twice(21) == 42
    assert list((tmp_path / "__pycache__").glob("theirs.twice*.nbi"))
