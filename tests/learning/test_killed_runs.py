"""A run that is killed, as by a machine that goes out, goes on where it was and learns the same."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, "-m", "gdl", "learn", "connect_four", "-p", "width=4", "-p", "height=4"]
COMMAND += ["--games", "3000", "--seed", "3", "--threads", "1", "--save"]


def learned(path: Path) -> dict[str, Any]:
    """What a file says, but for what depends on the clock and on its name."""
    facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    curve = [{name: part for name, part in point.items() if name != "seconds"} for point in facts["curve"]]
    return {"function": facts["function"], "view": facts["view"], "curve": curve}


def test_a_run_that_was_killed_goes_on_with_the_same_curve(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    subprocess.run([*COMMAND, str(whole)], check=True, capture_output=True)
    with subprocess.Popen([*COMMAND, str(killed)], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        measured = 0
        for line in process.stderr:
            measured += "against random moves" in line
            if measured == 4:
                process.send_signal(signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL
    assert Path(f"{killed}.part").exists()
    assert not killed.exists()
    again = subprocess.run([*COMMAND, str(killed), "--resume"], check=True, capture_output=True, text=True)
    told_again = again.stderr.count("against random moves")
    assert learned(killed) == learned(whole)
    assert told_again < len(learned(whole)["curve"])  # it did not begin anew
    assert not Path(f"{killed}.part").exists()
