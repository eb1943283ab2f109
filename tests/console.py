"""Commands that pages show: a line `$ command` in a `console` block, and below it what is printed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class Shown(NamedTuple):
    """A command of a page with the lines of output that the page shows, empty ones left out."""

    command: str
    expected: list[str]


class Printed(NamedTuple):
    text: str  # standard output, then standard error
    code: int


def shown_in(page: Path) -> list[Shown]:
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return [shown for block in blocks for shown in commands_of(block)]


def commands_of(block: str) -> list[Shown]:
    found = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    return [Shown(command, [line for line in below.splitlines() if line]) for command, below in found]


def print_of(gdl: Callable[..., Any], command: str) -> Printed:
    """Runs a command of ours by the fixture `gdl`, in the folder where the test stands."""
    program, *arguments = shlex.split(command, comments=True)
    assert program == "gdl"
    ran = gdl(*arguments)
    return Printed(ran.out + ran.err, ran.code)
