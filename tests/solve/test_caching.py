"""Kept machine code of kernels is out of date when any module that went into it has changed."""

from __future__ import annotations

import importlib.util
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from solvers.kernels import caching, turns


def test_modules_that_are_imported_count_directly_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in caching.HERE.glob("*.py"):
        shutil.copy(path, tmp_path)
    monkeypatch.setattr(caching, "HERE", tmp_path)

    def stamps() -> dict[str, str]:
        caching.imported.cache_clear()
        caching.stamp.cache_clear()
        return {
            name: caching.stamp(tmp_path / f"{name}.py") for name in ("turns", "by_turns", "types", "flat")
        }

    before = stamps()
    with (tmp_path / "expand.py").open("a") as file:
        file.write("# changed\n")
    after = stamps()
    caching.imported.cache_clear()
    caching.stamp.cache_clear()
    assert after["turns"] != before["turns"]  # imports it
    assert after["by_turns"] != before["by_turns"]  # imports turns
    assert after["types"] == before["types"]


def test_kernels_are_kept_where_numba_keeps_things() -> None:
    kernel: Any = turns.expand_turns
    assert Path(kernel._cache.cache_path).exists()
    assert isinstance(kernel._cache._impl.locator.get_source_stamp(), tuple)


def test_a_full_disk_keeps_no_kernel_from_running(tmp_path: Path) -> None:
    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            "from gdl.cli import main; main()",
            "solve",
            "piglet",
            "-p",
            "goal=2",
            "--solver",
            "value_iteration",
        ],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        preexec_fn=small_files,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "0.142857142857" in ran.stdout  # 4/7 won, 3/7 lost


def test_functions_of_others_are_kept_as_before(tmp_path: Path) -> None:
    file = tmp_path / "theirs.py"
    file.write_text("from numba import njit\n\n@njit(cache=True)\ndef twice(x):\n    return 2 * x\n")
    spec = importlib.util.spec_from_file_location("theirs", file)
    assert spec and spec.loader
    theirs: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(theirs)
    assert theirs.twice(21) == 42
    assert list((tmp_path / "__pycache__").glob("theirs.twice*.nbi"))
