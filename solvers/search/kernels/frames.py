"""What both searches over frames share (negamax.py, expectation.py): why they stop, where they stand, how a
search begins. What else is in their frames, and what they do next, is their own.

Their stacks are two types. What both call takes pointers, not the stack: it would be compiled for each.
"""

from __future__ import annotations

from typing import Any

from solvers.machine.kernels import inlined
from solvers.machine.pointers import copy_bytes

ENTER, NEXT, RETURN = range(3)
"""What a frame does next; further phases belong to each search."""

# Why the kernel stopped.
DONE, PAUSED, MORE_MOVES, MORE_OUTCOMES, POOL_FULL, STACK_FULL, FAULT, REPEATED = range(8)
STOP = 10  # added to the reason by the steps of a frame

# Places in `state`; further ones belong to each search.
PLY, PHASE, NODES, POOL_TOP = range(4)


@inlined
def start_over(state: Any, forms: Any, form: Any, size: Any) -> None:
    """Makes a position the first of the pool, and the frame of ply 0 the next to be entered."""
    copy_bytes(forms, form, size)
    state[PLY] = 0
    state[PHASE] = ENTER
    state[POOL_TOP] = 1
