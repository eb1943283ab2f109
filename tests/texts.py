"""Small games as text that tests of several rooms are about, each hard for some way to solve."""

from __future__ import annotations

from functools import cache
from typing import Any

import gdl


@cache
def loaded(text: str, engine: str) -> Any:
    """The game of a text, one for all who ask: what is compiled for it is compiled once."""
    return gdl.loads(text, engine=engine)


def spin(utility: str = "x - 3", endless: str = "1") -> str:
    """One player may go round for ever, which pays what endless play does, or stop at 2 or 3."""
    return f"""
game spin
players: a, b
position:
    x: 0..3 = 0
player: a
move spin when x < 2: x = 1 - x
move stop(k: 2..3): x = k
terminal: x >= 2
utility: {utility}
endless: {endless}
"""


def work(endless: str = "0") -> str:
    """Work pays 1 until the tool breaks, one time in ten: 10 in all. To wait for ever pays `endless`."""
    return f"""
game work
players: a
position:
    broken: bool = false
move work:
    reward 1
    chance:
        1/10: broken = true
        else: pass
move wait: pass
terminal: broken
utility: 0
endless: {endless}
"""


WAITING = """
game waiting
players: a
position:
    x: 0..3 = 0
move wait when x == 0: pass
move go when x == 0: x = 1
move slow when x == 1:
    chance:
        1/1000000000: x = 2
        else: pass
move on when x == 1: x = 2
move back when x == 2:
    chance:
        1/2: x = 0
        else: x = 3
terminal: x == 3
utility: 0
endless: 100
"""
"""To wait for ever pays 100; everything else leads to 0 or back, one way very slowly."""

ROUNDED_TIE = """
game rounded_tie
players: r, g, b
position:
    x: 0..3 = 0
player: r
move plain: x = 1
move dice:
    chance:
        1/10: x = 2
        2/10: x = 2
        else: x = 3
terminal: x > 0
def of_r: 3/10 if x == 1 else 1 if x == 2 else 0
utility(p): of_r if p == r else (100 if x == 1 else 0) if p == g else (0 if x == 1 else 50)
"""
"""Both moves pay r 3/10, but 1/10 + 2/10 is more than that in floats; the first is to be played."""

STONES = """\
game stones
players: left, right
position:
    n: 0..9 = 3
    turn: player = left
player: turn
move take(k: 1..2) when k <= n:
    n -= k
    turn = next(turn)
terminal: n == 0
utility: 1 if turn == right else -1
expect value == -1
"""
"""Who takes the last of three stones wins: the second, since 3 is a multiple of 1 + 2 (Bachet's game)."""

LEAK = """
game leak
players: left, right
position:
    n: 0..2? visible to left
    guess: 0..3?
    turn: player = left
player: turn
secret move choose(k: 0..2) when n is none:
    n = k
    turn = right
move say(k: 0..3) when n is 0..2 and k > n:
    guess = k
terminal: guess is not none
utility: 1 if guess == 3 else -1
"""
"""What may be said tells what was chosen in secret."""
