"""Between the root of a search and the kernel's view of it: moves and their numbers, positions and forms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from solvers.machine.calls import address_of, call_i32_p, call_i64_ppi
from solvers.machine.fault import KernelFault
from solvers.machine.rules import MOST_WAYS, Machine, too_many


def legal_moves(machine: Machine, position: Any) -> dict[int, Any]:
    """The legal moves of a player in a position by their numbers, in the game's order.

    Refuses (R002) more than a search can look at, before they are listed.
    """
    form = machine.form(position)
    numbers = np.empty(256, np.int64)
    while (count := int(_list_moves(machine.rules.moves, form, numbers))) > len(numbers):
        if count > MOST_WAYS // 4:
            raise too_many("moves in a position")
        numbers = np.empty(count, np.int64)
    if count < 0:
        raise KernelFault
    return dict(zip(numbers[:count].tolist(), machine.game.moves(position), strict=True))


def mover(machine: Machine, form: Any) -> int:
    """Who moves in a position."""
    answer = int(_to_move(machine.rules.to_move, form))
    if answer < -2:
        raise KernelFault
    return answer


@njit(cache=True)
def _list_moves(function: Any, form: Any, out: Any) -> Any:
    return call_i64_ppi(function, address_of(form), address_of(out), out.shape[0])


@njit(cache=True)
def _to_move(function: Any, form: Any) -> Any:
    return call_i32_p(function, address_of(form))
