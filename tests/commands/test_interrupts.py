"""Ctrl-C ends a command even while a rule of the game keeps the machine busy."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gdl.playing import matches
from gdl.playing.counting import Plays

OPEN_FILES = Path("/proc/self/fd")

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


def _stopped(*arguments: str, after: str = "", seconds: float = 1.0) -> tuple[int, str, str]:
    """What a command says that is interrupted, with all that it started, some time after it said `after`."""
    with subprocess.Popen(
        [sys.executable, "-m", "gdl", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        said = ""
        while after and after not in said:
            said += process.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            process.communicate(timeout=seconds)
        process.send_signal(signal.SIGINT)  # as `timeout` does it: the process, and then the whole group
        os.killpg(process.pid, signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        return process.returncode, said + out, errors


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_an_interrupted_match_ends_with_all_its_processes() -> None:
    agents = ["-a", "random", "-a", "mcts(simulations=100000000)"]
    code, out, errors = _stopped("match", "connect_four", *agents, "--jobs", "2", seconds=4)
    assert code == 130
    assert errors.strip().splitlines()[-1] == "interrupted"
    assert "Traceback" not in errors
    assert not out  # no game was played to its end


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_an_interrupt_within_a_move_ends_the_run() -> None:
    """The search of the move answers nobody; that of `gdl search` does (test_search.py)."""
    agent = "mcts(simulations=100000000)"
    code, out, errors = _stopped("run", "connect_four", "-a", agent, "-n", "5", after="mcts", seconds=2)
    assert code == 130
    assert errors.strip().splitlines()[-1] == "interrupted"
    assert "length" not in out


def test_what_was_counted_before_an_interrupt_is_shown(gdl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    result = Plays.result

    def interrupted(plays: Plays, number: int) -> Any:
        if number == 3:
            raise KeyboardInterrupt
        return result(plays, number)

    monkeypatch.setattr(Plays, "result", interrupted)
    arguments = ["run", "nim", "-a", "minimax", "-n", "5", "--seed", "1"]
    ran = gdl(*arguments)
    assert ran.code == 130
    assert "2 games" in ran.out and "interrupted" in ran.err
    ran = gdl(*arguments, "--json")
    assert ran.code == 130
    assert ran.data["partial"] and ran.data["statistics"]["games"] == 2


def test_what_was_played_before_an_interrupt_is_shown(gdl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    play = matches.play_round

    def interrupted(*args: Any) -> Any:
        if args[-1] == 2:
            raise KeyboardInterrupt
        return play(*args)

    monkeypatch.setattr(matches, "play_round", interrupted)
    ran = gdl("match", "nim", "-a", "minimax", "-a", "random", "-n", "20", "--jobs", "1")
    assert ran.code == 130
    assert "4 games" in ran.out and "stopped early" in ran.out and "interrupted" in ran.err


@pytest.mark.skipif(not OPEN_FILES.is_dir(), reason="Linux says which files are open")
def test_commands_of_one_process_leave_no_files_open(gdl: Any) -> None:
    gdl("--version")  # the first opens what all of them share
    before = len(list(OPEN_FILES.iterdir()))
    for _ in range(3):
        gdl("--version")
        gdl("info", "no such game")
    assert len(list(OPEN_FILES.iterdir())) == before


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_the_interrupt_of_an_earlier_command_is_not_counted() -> None:
    code = (
        "import os, signal, time\n"
        "from gdl.commands.interrupts import TWICE, end_at_the_second\n"
        "def interrupt():\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        time.sleep(60)\n"
        "    except KeyboardInterrupt:\n"
        "        time.sleep(2 * TWICE)\n"
        "end_at_the_second()\n"
        "interrupt()\n"
        "end_at_the_second()\n"
        "interrupt()\n"
        "print('still here', flush=True)\n"
        "interrupt()\n"
        "print('not reached', flush=True)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stdout) == (130, "still here\n")
