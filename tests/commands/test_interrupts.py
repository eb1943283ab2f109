"""Ctrl-C ends a command even while a rule of the game keeps the machine busy."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

BUSY = """
game busy
players: solo
type Digit = 0..9999
position:
    n: 0..9 = 0
move go when n < 9:
    n += 1
def long: count((x * y + z * w + n) mod 7 == 3 for x in Digit, y in Digit, z in Digit, w in Digit)
terminal: n == 9 or n > 0 and long == 5
utility: n
"""


@pytest.mark.parametrize(("engine", "interrupts"), [("reference", 1), ("native", 2)])
def test_a_busy_game_can_be_stopped(tmp_path: Path, engine: str, interrupts: int) -> None:
    path = tmp_path / "busy.gdl"
    path.write_text(BUSY, encoding="utf-8")
    command = [sys.executable, "-m", "gdl", "run", str(path), "--engine", engine, "--agent", "solo=random"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "n: 0" in line:  # the start is shown; the next position never is
                break
        for _ in range(interrupts):
            with pytest.raises(subprocess.TimeoutExpired):
                process.communicate(timeout=1)
            process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 130
        assert ("stopped at once" if interrupts == 2 else "interrupted") in errors
