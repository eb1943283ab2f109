"""The order in which negamax.py searches moves: the table's first, then killers, evaluation and history."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from solvers.machine.calls import get_f64, get_i8, get_i32, get_i64, get_u64, set_f64, set_i64
from solvers.machine.rules import EVALUATE, WEIGHTS, judge
from solvers.search.kernels.negamax_frames import HISTORY, most

_TABLE_FIRST, _KILLER_FIRST = 1e18, 1e15


@njit(cache=True)
def effect_of(before: Any, after: Any, size: Any) -> Any:
    """Names what a move changes, so that history and killers know it again in other positions.

    The same drop into a column is another move one row higher, and a capture is not a step.
    """
    total = np.uint64(0)
    for k in range(size // 8):
        change = get_u64(before, k) ^ get_u64(after, k)
        total = (total ^ change) * np.uint64(0xD6E8FEB86659FD93)
        total ^= total >> np.uint64(32)
    return np.int64(total >> np.uint64(1))


@njit(cache=True)
def score_children(
    rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, room: Any, ply: Any, table_move: Any
) -> Any:
    """How promising each child is: the table's move, killers, then evaluation or history."""
    mover, first = get_i8(stack.mover, ply), get_i64(stack.first, ply)
    judged = rules.judged_by == EVALUATE or rules.judged_by == WEIGHTS
    by_evaluation = judged and (options.beam > 0 or get_i64(stack.depth, ply) >= options.evaluate_from)
    for slot in range(first, first + get_i32(stack.count, ply)):
        effect = get_i64(pool.effect, slot)
        score = float(get_i64(stack.history, mover * HISTORY + (effect & (HISTORY - 1))))
        if by_evaluation:
            if judge(rules, numbers, pool.form + slot * rules.form, room.paid, room) != 0:
                return False
            estimate = get_f64(room.paid, 0)
            # What a beam keeps must not depend on what was searched before.
            score = 0.0 if options.beam else 1e-9 * score
            score += 1e6 * (estimate if mover == 0 else -estimate)
        if not options.beam:
            if get_i32(pool.index, slot) == table_move:
                score += _TABLE_FIRST
            elif effect == get_i64(stack.killers, 2 * ply) or effect == get_i64(stack.killers, 2 * ply + 1):
                score += _KILLER_FIRST
        set_f64(pool.score, slot, score)
    return True


@njit(cache=True)
def most_promising(pool: Any, first: Any, count: Any) -> Any:
    """The slot of the most promising child that is left. Those chosen before have the score -inf."""
    best, best_slot = -np.inf, -1
    for slot in range(first, first + count):
        score = get_f64(pool.score, slot)
        if score > best:
            best, best_slot = score, slot
    return best_slot


@njit(cache=True)
def keep_most_promising(numbers: Any, options: Any, stack: Any, pool: Any, ply: Any) -> None:
    """Forward pruning: marks all but the best children as not to be searched; nothing is proven above."""
    first, count = get_i64(stack.first, ply), get_i32(stack.count, ply)
    worst, allowed = np.inf, options.beam  # the least score that is kept, and how often
    while True:
        above, worst = worst, -np.inf
        for slot in range(first, first + count):
            if worst < get_f64(pool.score, slot) < above:
                worst = get_f64(pool.score, slot)
        ties = 0
        for slot in range(first, first + count):
            ties += get_f64(pool.score, slot) == worst
        if ties >= allowed:
            break
        allowed -= ties
    for slot in range(first, first + count):
        score = get_f64(pool.score, slot)
        if score == worst:
            allowed -= 1
        if score < worst or (score == worst and allowed < 0):
            set_f64(pool.score, slot, -np.inf)
    set_f64(stack.high, ply, most(numbers, get_i8(stack.mover, ply)))


@njit(cache=True)
def remember_cut(stack: Any, pool: Any, ply: Any, slot: Any) -> None:
    """The move that cut, and how many were searched in vain before it."""
    effect, mover = get_i64(pool.effect, slot), get_i8(stack.mover, ply)
    if get_i64(stack.killers, 2 * ply) != effect:
        set_i64(stack.killers, 2 * ply + 1, get_i64(stack.killers, 2 * ply))
        set_i64(stack.killers, 2 * ply, effect)
    place = mover * HISTORY + (effect & (HISTORY - 1))
    vain = get_i32(stack.next, ply)
    set_i64(stack.history, place, get_i64(stack.history, place) + vain)
    first = get_i64(stack.first, ply)
    for other in range(first, first + get_i32(stack.count, ply)):
        if get_f64(pool.score, other) == -np.inf and other != slot:
            place = mover * HISTORY + (get_i64(pool.effect, other) & (HISTORY - 1))
            set_i64(stack.history, place, get_i64(stack.history, place) - 1)
