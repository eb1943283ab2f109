"""Null moves of negamax.py: would even passing be good enough?"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.machine.kernels import step
from solvers.machine.pointers import copy_bytes
from solvers.machine.rules import hash_form
from solvers.search.kernels.frames import POOL_TOP
from solvers.search.kernels.negamax_frames import EXPAND, frame_result, least, most, push
from solvers.search.kernels.transposition_table import ENDLESS


@step
def push_null(rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, ply: Any) -> Any:
    """Puts the position in which the mover has passed on the stack, with a window of no width below beta.

    Who is better off than beta even then is taken to be so with the best move. That fails where moving is a
    burden, so nothing that rests on it is proven. Never twice in a row, for that would be the same position.
    """
    mover, depth = stack.mover[ply], stack.depth[ply]
    beta = stack.beta[ply]
    ahead = depth - 1 - options.null_move
    if ahead < 1 or depth > ENDLESS // 2 or (ply > 0 and stack.passing[ply - 1]):
        return False
    if rules.pays or rules.discounts or not least(numbers, mover) < beta < most(numbers, mover):
        return False
    slot = stack.state[POOL_TOP]
    form = pool.form + slot * rules.form
    copy_bytes(form, pool.form + stack.place[ply] * rules.form, rules.form)
    if options.pass_turn(form) != 0:
        return False
    after = rules.to_move(form)
    if after < 0 or after == mover:
        return False
    stack.passing[ply] = 1
    stack.state[POOL_TOP] = slot + 1
    window = np.nextafter(-beta, np.inf)
    push(stack, ply + 1, slot, after, ahead, -beta, window, hash_form(form, rules.form))
    return True


@step
def merge_null(numbers: Any, stack: Any, ply: Any, value: Any) -> Any:
    """What the null move came to, in the frame's view: a cut, or nothing. Gives the frame's next phase."""
    take_back_null(stack, ply)
    beta, mover = stack.beta[ply], stack.mover[ply]
    if value < beta:
        return EXPAND
    return frame_result(stack, ply, beta, least(numbers, mover), most(numbers, mover))


@step
def take_back_null(stack: Any, ply: Any) -> None:
    stack.passing[ply] = 0
    stack.state[POOL_TOP] = stack.place[ply + 1]


@step
def passing_above(stack: Any, ply: Any) -> Any:
    """The nearest frame whose null move is being searched, or -1."""
    for above in range(ply - 1, -1, -1):
        if stack.passing[above]:
            return above
    return -1
