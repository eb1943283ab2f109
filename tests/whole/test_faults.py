"""What real signals, limits and killed processes leave behind; every test runs `gdl solve` as a process."""

from __future__ import annotations

import json
import os
import pty
import resource
import select
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest

GDL = [sys.executable, "-c", "from gdl.cli import main; main()", "solve"]

EAGER = (
    "from solvers.files import checkpoint; from solvers.whole.kernels import value_iteration; "
    "checkpoint.EVERY = 0.0; value_iteration.QUOTA = 20_000; "
    "from gdl.cli import main; main()"
)
"""Leaves a checkpoint after every round instead of every two minutes."""

WAIT = 300.0
"""Seconds after which a process is considered stuck: kernels may have to be compiled first."""


def solve(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [*GDL, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=WAIT, check=False, **options)


def value(ran: subprocess.CompletedProcess[str]) -> tuple[Any, Any]:
    """What a run with --json found."""
    assert ran.returncode == 0, ran.stderr
    data = json.loads(ran.stdout)
    return data["values"], data["statistics"]["positions"]


@cache
def undisturbed() -> tuple[Any, Any]:
    """What comes of the game that other tests disturb."""
    return value(solve("pig", "-p", "goal=40", "--json"))


def interrupt_at(text: str, *arguments: str | Path) -> tuple[int, str]:
    """Runs in a terminal, presses Ctrl-C once the text is shown; the exit code and all that was shown."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*GDL, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    waiting = select.poll()
    waiting.register(ours, select.POLLIN)
    shown = b""
    sent = False
    until = time.monotonic() + WAIT
    while time.monotonic() < until:
        if waiting.poll(1000):  # `select` takes no files beyond the first 1,024
            try:
                shown += os.read(ours, 65536)
            except OSError:  # the other side has closed the terminal
                break
        elif process.poll() is not None:
            break
        if not sent and text.encode() in shown:
            os.killpg(process.pid, signal.SIGINT)
            sent = True
    os.close(ours)
    assert sent, shown.decode(errors="replace")[-2000:]
    return process.wait(timeout=WAIT), shown.decode(errors="replace")


@pytest.mark.parametrize(
    ("doing", "arguments"),
    [
        ("exploring:", ["connect_four", "-p", "width=6", "-p", "height=5", "--limit", "2000000000"]),
        pytest.param("bounding:", ["royal_game_of_ur", "-p", "pieces=3"], marks=pytest.mark.slow),
    ],
)
def test_an_interrupt_stops_cleanly(doing: str, arguments: list[str], tmp_path: Path) -> None:
    code, shown = interrupt_at(doing, *arguments, "--save", tmp_path / "table")
    assert code == 130
    assert f"stopped while {doing}" in shown and "interrupted" in shown
    assert "Traceback" not in shown
    assert not (tmp_path / "table").exists()
    assert not [path for path in tmp_path.iterdir() if path.suffix == ".part"]


def kill_when(condition: Any, command: list[str]) -> bool:
    """Kills the process as soon as the condition holds; whether it was in time."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    until = time.monotonic() + WAIT
    while process.poll() is None and time.monotonic() < until:
        if condition():
            process.kill()
            break
        time.sleep(0.0005)
    process.communicate()
    return process.returncode == -signal.SIGKILL


def test_a_process_killed_while_saving_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "table"
    arguments = ["pig", "-p", "goal=40", "--save", str(path), "--json"]
    path.write_bytes(b"what was there before")

    def saving() -> bool:  # a name beside the tablebase, and the bounds are done: not the check at the start
        parts = [part for part in tmp_path.glob(".table.*") if ".checkpoint" not in part.name]
        try:
            return any(part.stat().st_size > 0 for part in parts)
        except FileNotFoundError:
            return False  # it has got its own name meanwhile

    for _ in range(10):  # the moment is short
        if kill_when(saving, [*GDL, *arguments]) and path.read_bytes() == b"what was there before":
            break
        path.write_bytes(b"what was there before")
    else:
        pytest.skip("saving was always faster")
    assert (tmp_path / "table.checkpoint").exists()
    resumed = solve(*arguments, "--resume")
    assert value(resumed) == undisturbed()
    assert [part.name for part in tmp_path.iterdir()] == ["table"]
    looked_up = json.loads(solve("pig", "-p", "goal=40", "--load", path, "--json").stdout)
    assert looked_up["values"] == json.loads(resumed.stdout)["values"]


@pytest.mark.parametrize("kept", ["c", "c.bounds"], ids=["exploring", "solving"])
def test_a_killed_process_goes_on_where_it_was(kept: str, tmp_path: Path) -> None:
    checkpoint = tmp_path / "c"
    arguments = ["pig", "-p", "goal=40", "--checkpoint", str(checkpoint), "--json"]
    eager = [sys.executable, "-c", EAGER, "solve", *arguments]
    assert kill_when((tmp_path / kept).exists, eager)
    assert checkpoint.exists()
    assert value(solve(*arguments, "--resume")) == undisturbed()
    assert not [path.name for path in tmp_path.iterdir() if path.suffix != ".part"]


@pytest.mark.parametrize("option", ["--save", "--policy"])
def test_a_full_disk_is_reported_and_leaves_nothing(option: str, tmp_path: Path) -> None:
    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))

    path = tmp_path / "file"
    ran = solve("pig", "-p", "goal=25", option, path, preexec_fn=small_files)
    assert ran.returncode == 1
    assert "C008" in ran.stderr and "Traceback" not in ran.stderr
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    for path in (tmp_path / "missing" / "table", tmp_path, Path("/dev/full")):
        ran = solve("connect_four", "-p", "width=6", "-p", "height=4", "--save", path)
        assert ran.returncode == 1
        assert "C008" in ran.stderr
