"""Work for tests that workers find by its name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from gdl.crew.work import Job
from gdl.diagnostics import GameError, Source
from gdl.diagnostics.commands import file_exists

TEXT = Source(
    "short.gdl",
    "game short\nplayers: one\nposition:\n    n: 0..1 = 0\nmove go when n == 0:\n    n = 1\n"
    "terminal: n == 1\nutility: 1\n",
)


def as_is(setting: str) -> str:
    return setting


def square(_: str, number: int) -> int:
    time.sleep(0.05 if number % 3 == 0 else 0)  # so that some are overtaken
    return number * number


def square_after_a_death(mark: str, number: int) -> int:
    """The fourth piece is the death of the first worker that gets it: kill -9, nothing is said."""
    if number == 4 and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def deadly(_: str, number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def refused(setting: str, _: int) -> int:
    raise GameError([file_exists(setting)])


def place(_: str, __: int) -> tuple[str, int]:
    return os.uname().nodename, os.getpid()


def job(work: object, setting: str = "") -> Job[str, str, int, object]:
    return Job(as_is, work, setting, TEXT, own=setting)  # type: ignore[arg-type]
