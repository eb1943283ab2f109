"""Between the root of a search and the kernel's view of it: moves and their numbers, positions and forms."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl.abi import c_function
from solvers.machine.fault import KernelFault
from solvers.machine.rules import Machine
from solvers.machine.scratch import MOST_WAYS, too_many


def legal_moves(machine: Machine, position: Any) -> dict[int, Any]:
    """The legal moves of a player in a position by their numbers, in the game's order.

    Refuses (R002) more than a search can look at, before they are listed.
    """
    form = machine.form(position)
    numbers = np.empty(256, np.int64)
    listed = c_function("moves", machine.code.address("moves"))
    while (count := listed(form.ctypes.data, numbers.ctypes.data, len(numbers))) > len(numbers):
        if count > MOST_WAYS // 4:
            raise too_many("moves in a position")
        numbers = np.empty(count, np.int64)
    if count < 0:
        raise KernelFault
    return dict(zip(numbers[:count].tolist(), machine.game.moves(position), strict=True))


def mover(machine: Machine, form: Any) -> int:
    """Who moves in a position."""
    answer = int(c_function("to_move", machine.code.address("to_move"))(form.ctypes.data))
    if answer < -2:
        raise KernelFault
    return answer
