"""Policies that a game's file declares, on machine code: the odds of all choices of a position graph."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gdl.game import CompiledPolicy, Game
from solvers.machine.kernels import kernel
from solvers.machine.pointers import Function
from solvers.machine.types import i64
from solvers.whole.kernels.position_graph import PositionGraph

EXACT = 2**53
"""Numerators and denominators below this are floats too, and their quotient is the nearest one."""


def declared_odds(
    game: Game[Any, Any], graph: PositionGraph, player: int, policy: CompiledPolicy, odds: Any
) -> Any:
    """Writes the probability of every choice of the player; gives the positions where machine code could not
    say, because a rule breaks or a number is too long.
    """
    which, arguments = policy.code
    compiled = game.compiled  # type: ignore[attr-defined]
    functions = tuple(Function(name, compiled.address(name)) for name in ("unpack", "moves", "policy"))
    given = np.array([*arguments, 0], np.int64)
    nodes = np.flatnonzero(graph.mover == player)
    most = int(np.diff(graph.row.astype(np.int64))[nodes].max(initial=1))
    form, script = np.zeros(compiled.form_size, np.uint8), np.zeros(compiled.script_size + 16, np.uint8)
    numbers, shares = np.zeros(most, np.int64), np.zeros(2 * most, np.int64)
    room = Room(form, script, numbers, shares)
    left = _ask(graph.keys(), graph.row, nodes, functions, which, given, room, odds)
    return nodes[left]


class Room(NamedTuple):
    """Where a policy is asked."""

    form: Any  # u8
    script: Any  # u8
    numbers: Any  # i64[moves]: what is legal
    shares: Any  # i64[2 * moves]: numerators and denominators


@kernel
def _ask(
    keys: Any,
    row: Any,
    nodes: Any,
    functions: Any,
    which: int,
    given: Any,
    room: Any,
    odds: Any,
) -> Any:
    """The odds at each of the nodes, and for each node whether they are still to be found.

    keys[v]: u64 words of position v; functions: of the ABI.
    """
    form, script, numbers, shares = room
    unpack, moves, policy = functions
    left = np.zeros(len(nodes), np.bool_)
    for at in range(len(nodes)):
        v = nodes[at]
        start, end = i64(row[v]), i64(row[v + 1])
        unpack(keys[v], form)
        count = moves(form, numbers, i64(len(numbers)))
        status = policy(form, which, given, numbers, count, shares, script)
        if status != 0 or count != end - start:
            left[at] = True
            continue
        for k in range(count):
            over, under = shares[2 * k], shares[2 * k + 1]
            if over >= EXACT or under >= EXACT:
                left[at] = True
            odds[start + k] = np.float64(over) / np.float64(under)
    return left
