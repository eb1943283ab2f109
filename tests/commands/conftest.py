"""Running `gdl` inside the test process, as a user would from the shell."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from re import fullmatch
from typing import Any

import pytest

from gdl.cli import main


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """What `--json` printed."""
        return json.loads(self.out)

    @property
    def complaints(self) -> str:
        """What was said on standard error, but for signs of life: a new or a slow machine gives them."""
        alive = r"compiling solvers\.\S+, once per machine …|thinking about move .* …|.* games played …"
        return "\n".join(line for line in self.err.splitlines() if not fullmatch(alive, line))


Gdl = Callable[..., Ran]


@pytest.fixture
def gdl(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Gdl:
    """`gdl("check", "pig.gdl", stdin=..)`: runs a command and says what came of it; never a traceback."""

    def run(*arguments: str | Path, stdin: str | bytes = "") -> Ran:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        monkeypatch.setattr(sys, "argv", ["gdl", *map(str, arguments)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as leaving:
            main()
        out, err = capfd.readouterr()
        code = leaving.value.code
        assert isinstance(code, int)
        assert "Traceback" not in out + err
        assert "This is a bug" not in err, err
        return Ran(code, out, err)

    return run


@pytest.fixture
def solve(gdl: Gdl) -> Callable[..., tuple[int, str, str]]:
    """`gdl solve`, or another command: exit code, standard output, standard error."""

    def run(*arguments: str | Path, command: str = "solve") -> tuple[int, str, str]:
        ran = gdl(command, *arguments)
        return ran.code, ran.out, ran.err

    return run


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a game file and says where it is."""

    def writer(text: str, name: str = "test.gdl") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return writer


NIM = '''\
"""Take one or two stones; whoever takes the last stone wins."""
game stones

param stones: 1..20 = 4

players: left, right

position:
    heap: 0..stones = stones
    turn: player = left

player: turn

move take(n: 1..2) when n <= heap:
    heap -= n
    turn = next(turn)

terminal: heap == 0

utility: 1 if turn == right else -1

expect value == 1
expect value(stones=3) == -1
expect best == take(1)
expect plays == 5
'''

COIN = '''\
"""Toss a coin or take a sure half."""
game coin

players: one

position:
    face: {unseen, heads, tails, sure} = unseen

player: one

move toss:
    chance:
        1/2:  face = heads
        else: face = tails

move keep:
    face = sure

terminal: face != unseen

utility: 1 if face == heads else 1/2 if face == sure else 0
'''


@pytest.fixture
def nim(write: Callable[[str], Path]) -> Path:
    """A small game without chance: multiples of three are lost for the player to move."""
    return write(NIM, "stones.gdl")  # type: ignore[call-arg]


@pytest.fixture
def coin(write: Callable[[str], Path]) -> Path:
    """A game of one player and one toss."""
    return write(COIN, "coin.gdl")  # type: ignore[call-arg]
