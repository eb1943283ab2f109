"""The order in which negamax.py searches moves: the table's first, then killers, evaluation and history."""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.machine.kernels import step
from solvers.machine.pointers import as_words
from solvers.machine.rules import EVALUATE, WEIGHTS, judge
from solvers.search.kernels.negamax_frames import HISTORY, most

_TABLE_FIRST, _KILLER_FIRST = 1e18, 1e15


@step
def effect_of(before: Any, after: Any, size: Any) -> Any:
    """Names what a move changes, so that history and killers know it again in other positions.

    The same drop into a column is another move one row higher, and a capture is not a step.
    """
    total = np.uint64(0)
    old, new = as_words(before), as_words(after)
    for k in range(size // 8):
        change = old[k] ^ new[k]
        total = (total ^ change) * np.uint64(0xD6E8FEB86659FD93)
        total ^= total >> np.uint64(32)
    return np.int64(total >> np.uint64(1))


@step
def score_children(
    rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, room: Any, ply: Any, table_move: Any
) -> Any:
    """How promising each child is: the table's move, killers, then evaluation or history."""
    mover, first = stack.mover[ply], stack.first[ply]
    judged = rules.judged_by == EVALUATE or rules.judged_by == WEIGHTS
    by_evaluation = judged and (options.beam > 0 or stack.depth[ply] >= options.evaluate_from)
    for slot in range(first, first + stack.count[ply]):
        effect = pool.effect[slot]
        score = float(stack.history[mover * HISTORY + (effect & (HISTORY - 1))])
        if by_evaluation:
            if judge(rules, numbers, pool.form + slot * rules.form, room.paid, room) != 0:
                return False
            estimate = room.paid[0]
            # What a beam keeps must not depend on what was searched before.
            score = 0.0 if options.beam else 1e-9 * score
            score += 1e6 * (estimate if mover == 0 else -estimate)
        if not options.beam:
            if pool.index[slot] == table_move:
                score += _TABLE_FIRST
            elif effect == stack.killers[2 * ply] or effect == stack.killers[2 * ply + 1]:
                score += _KILLER_FIRST
        pool.score[slot] = score
    return True


@step
def most_promising(pool: Any, first: Any, count: Any) -> Any:
    """The slot of the most promising child that is left. Those chosen before have the score -inf."""
    best, best_slot = -np.inf, -1
    for slot in range(first, first + count):
        score = pool.score[slot]
        if score > best:
            best, best_slot = score, slot
    return best_slot


@step
def keep_most_promising(numbers: Any, options: Any, stack: Any, pool: Any, ply: Any) -> None:
    """Forward pruning: marks all but the best children as not to be searched; nothing is proven above."""
    first, count = stack.first[ply], stack.count[ply]
    worst, allowed = np.inf, options.beam  # the least score that is kept, and how often
    while True:
        above, worst = worst, -np.inf
        for slot in range(first, first + count):
            if worst < pool.score[slot] < above:
                worst = pool.score[slot]
        ties = 0
        for slot in range(first, first + count):
            ties += pool.score[slot] == worst
        if ties >= allowed:
            break
        allowed -= ties
    for slot in range(first, first + count):
        score = pool.score[slot]
        if score == worst:
            allowed -= 1
        if score < worst or (score == worst and allowed < 0):
            pool.score[slot] = -np.inf
    stack.high[ply] = most(numbers, stack.mover[ply])


@step
def remember_cut(stack: Any, pool: Any, ply: Any, slot: Any) -> None:
    """The move that cut, and how many were searched in vain before it."""
    effect, mover = pool.effect[slot], stack.mover[ply]
    if stack.killers[2 * ply] != effect:
        stack.killers[2 * ply + 1] = stack.killers[2 * ply]
        stack.killers[2 * ply] = effect
    place = mover * HISTORY + (effect & (HISTORY - 1))
    vain = stack.next[ply]
    stack.history[place] += vain
    first = stack.first[ply]
    for other in range(first, first + stack.count[ply]):
        if pool.score[other] == -np.inf and other != slot:
            place = mover * HISTORY + (pool.effect[other] & (HISTORY - 1))
            stack.history[place] -= 1
