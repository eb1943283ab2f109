"""The search kernel of alpha-beta: an explicit stack, so that no play is too deep and a search can pause.

All numbers of a frame are its mover's: a child's are negated where the other player moves there. The
contract of a search within a window is that of core/windows.py (fail-soft). Beside the value, every
result carries what is *proven*: low <= true value <= high, however the judged leaves were judged.

A frame goes through these phases:

    ENTER    judge the position at depth 0, look it up, or see whether even passing would be good enough
    EXPAND   make all its children: finished games count at once
    NEXT     search the most promising child that is left; after the first one with a window of no width (PVS)
    RETURN   hand a result to the frame above: search the child again, cut, or go on

Children are kept in a pool that grows and shrinks with the stack.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl.movers import TERMINAL
from solvers.machine.kernels import kernel, step
from solvers.machine.pointers import copy_bytes
from solvers.machine.rules import hash_form, judge, utility
from solvers.machine.types import i64
from solvers.search.kernels.frames import (
    DONE,
    ENTER,
    FAULT,
    MORE_MOVES,
    NEXT,
    NODES,
    PAUSED,
    PHASE,
    PLY,
    POOL_FULL,
    POOL_TOP,
    REPEATED,
    RETURN,
    STACK_FULL,
    STOP,
    start_over,
)
from solvers.search.kernels.move_ordering import (
    effect_of,
    keep_most_promising,
    most_promising,
    remember_cut,
    score_children,
)
from solvers.search.kernels.negamax_frames import EXPAND, HITS, frame_result, least, most, push
from solvers.search.kernels.null_move import merge_null, passing_above, push_null, take_back_null
from solvers.search.kernels.transposition_table import (
    ENDLESS,
    EXACT,
    LOWER,
    NO_MOVE,
    UPPER,
    answers,
    bound_in,
    fetch,
    move_in,
    probe,
    proven_in,
    store,
)


@kernel
def begin(
    rules: Any, stack: Any, pool: Any, form: Any, mover: Any, depth: Any, alpha: Any, beta: Any
) -> None:
    """Prepares the search of a position; alpha and beta are its mover's."""
    start_over(stack.state, pool.form, form, rules.form)
    push(stack, i64(0), i64(0), mover, depth, alpha, beta, hash_form(form, rules.form))


@kernel
def search(
    rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, room: Any, nodes: Any, stop: Any
) -> Any:
    """Goes on with the search that was begun until it is done, `nodes` are visited in all, `stop` is set, or
    room is needed. Gives the reason; stack.result holds value, low and high once it is DONE."""
    ply = stack.state[PLY]
    phase = stack.state[PHASE]
    value, low, high = stack.result[0], stack.result[1], stack.result[2]
    reason = DONE
    while True:
        if phase == ENTER and (stack.state[NODES] >= nodes or stop[0]):
            reason = PAUSED
            break
        if phase == ENTER and stack.state[POOL_TOP] + room.moves_room > pool.room:
            reason = POOL_FULL
            break
        if phase == ENTER and ply + 2 > stack.plies:
            reason = STACK_FULL
            break
        if phase in (ENTER, EXPAND):
            if phase == ENTER:
                reason = _enter(rules, numbers, options, stack, pool, room, ply)
            else:
                reason = _expand(rules, numbers, options, stack, pool, room, ply)
            if reason >= STOP:
                reason -= STOP
                above = passing_above(stack, ply) if reason == FAULT else -1
                if above < 0:
                    break
                ply, phase = above, EXPAND  # the rules need not hold where they never lead
                take_back_null(stack, ply)
            elif reason == ENTER:
                ply += 1
                phase = ENTER
            else:
                phase = reason
                value, low, high = stack.best[ply], stack.low[ply], stack.high[ply]
        elif phase == NEXT:
            if _push_next(rules, numbers, stack, pool, ply):
                ply += 1
                phase = ENTER
            else:
                _finish(rules, numbers, options, stack, pool, ply)
                value, low, high = stack.best[ply], stack.low[ply], stack.high[ply]
                phase = RETURN
        else:
            if ply == 0:
                reason = DONE
                break
            other = stack.mover[ply] != stack.mover[ply - 1]
            ply -= 1
            if other:
                value, low, high = -value, -high, -low
            if stack.passing[ply]:
                phase = merge_null(numbers, stack, ply, value)
                value, low, high = stack.best[ply], stack.low[ply], stack.high[ply]
                continue
            phase = _merge(rules, numbers, stack, pool, ply, value, low, high)
            if phase == ENTER:
                ply += 1
    stack.state[PLY] = ply
    stack.state[PHASE] = phase
    stack.result[0] = value
    stack.result[1] = low
    stack.result[2] = high
    return reason


@step
def _enter(rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, room: Any, ply: Any) -> Any:
    """Gives RETURN with a result in the frame, ENTER with a null move on the stack, EXPAND where children are
    to be made, or STOP + the reason to stop."""
    mover, depth = stack.mover[ply], stack.depth[ply]
    alpha, beta = stack.alpha[ply], stack.beta[ply]
    floor, ceiling = least(numbers, mover), most(numbers, mover)
    place = stack.place[ply]
    at = pool.form + place * rules.form
    stack.before[ply] = stack.state[NODES]
    if depth <= 0:
        if judge(rules, numbers, at, room.paid, room) != 0:
            return STOP + FAULT
        stack.state[NODES] += 1
        estimate = room.paid[0]
        return frame_result(stack, ply, estimate if mover == 0 else -estimate, floor, ceiling)
    key = stack.key[ply]
    table_move = NO_MOVE
    if options.table:
        meta, kept = probe(options.table, options.shift, key)
        if meta:
            bound = bound_in(meta)
            table_move = move_in(meta)
            if answers(meta, depth) and (
                bound == EXACT or (bound == LOWER and kept >= beta) or (bound == UPPER and kept <= alpha)
            ):
                stack.state[NODES] += 1
                stack.state[HITS] += 1
                proven = proven_in(meta)
                low = kept if proven and bound != UPPER else floor
                high = kept if proven and bound != LOWER else ceiling
                return frame_result(stack, ply, kept, low, high)
    if options.repeats and depth > ENDLESS // 2:
        for above in range(ply):
            if stack.key[above] == key:
                return STOP + REPEATED
    stack.best_move[ply] = table_move
    if options.null_move and push_null(rules, numbers, options, stack, pool, ply):
        return ENTER
    return EXPAND


@step
def _expand(rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, room: Any, ply: Any) -> Any:
    """Gives RETURN with a result in the frame, NEXT with children to search, or STOP + the reason to stop."""
    at = pool.form + stack.place[ply] * rules.form
    count = rules.moves(at, room.moves, room.moves_room)
    if count < 0:
        return STOP + FAULT
    if count > room.moves_room:
        return STOP + MORE_MOVES
    stack.state[NODES] += 1
    stack.floor[ply] = stack.alpha[ply]
    table_move = stack.best_move[ply]
    return _make_children(rules, numbers, options, stack, pool, room, ply, count, table_move)


@step
def _make_children(
    rules: Any,
    numbers: Any,
    options: Any,
    stack: Any,
    pool: Any,
    room: Any,
    ply: Any,
    count: Any,
    table_move: Any,
) -> Any:
    """Makes every move. A finished game counts at once, for it costs nothing more and may already cut."""
    mover, depth = stack.mover[ply], stack.depth[ply]
    alpha, beta = stack.alpha[ply], stack.beta[ply]
    at = pool.form + stack.place[ply] * rules.form
    sign = 1.0 if mover == 0 else -1.0
    first = stack.state[POOL_TOP]
    best, best_move, reward = -np.inf, NO_MOVE, 0.0
    kept = 0
    for i in range(count):
        slot = first + kept
        form = pool.form + slot * rules.form
        copy_bytes(form, at, rules.form)
        move = room.moves[i]
        if rules.sample(form, move, room.random, room.rewards) != 0:
            return STOP + FAULT
        if rules.pays:
            reward = sign * room.rewards[0]
            pool.reward[slot] = reward
            stack.largest[0] = max(stack.largest[0], abs(reward))
        after = rules.to_move(form)
        if after == TERMINAL:
            stack.state[NODES] += 1
            if utility(rules, form, room.paid) != 0:
                return STOP + FAULT
            paid = reward + numbers.discount * sign * room.paid[0]
            if rules.pays:
                stack.largest[0] = max(stack.largest[0], abs(room.paid[0]))
            if paid > best:
                best, best_move = paid, i
            if best >= beta:
                break
            continue
        if after < 0:
            return STOP + FAULT
        pool.effect[slot] = effect_of(at, form, rules.form)
        pool.mover[slot] = after
        pool.index[slot] = i
        key = hash_form(form, rules.form)
        pool.key[slot] = key
        if options.table and depth > 1:
            fetch(options.table, options.shift, key)
        kept += 1
    stack.best[ply] = best
    stack.low[ply] = max(best, least(numbers, mover))
    stack.high[ply] = best
    stack.best_move[ply] = best_move
    stack.first[ply] = first
    stack.count[ply] = kept
    stack.next[ply] = 0
    if best >= beta:
        stack.count[ply] = 0
        return frame_result(stack, ply, best, best, most(numbers, mover))
    if best > alpha:
        stack.alpha[ply] = best
    if options.table and depth > 1 and not rules.pays and not rules.discounts:
        for slot in range(first, first + kept):
            if _cuts(numbers, options, stack, pool, ply, slot, depth, beta):
                return RETURN
    if not score_children(rules, numbers, options, stack, pool, room, ply, table_move):
        return STOP + FAULT
    stack.state[POOL_TOP] = first + kept
    if options.beam and kept > options.beam:
        keep_most_promising(numbers, options, stack, pool, ply)
    return NEXT


@step
def _cuts(
    numbers: Any, options: Any, stack: Any, pool: Any, ply: Any, slot: Any, depth: Any, beta: Any
) -> Any:
    """Whether the table already knows that a child is good enough to cut (enhanced transposition cutoff)."""
    meta, kept = probe(options.table, options.shift, pool.key[slot])
    if meta == 0 or not answers(meta, depth - 1):
        return False
    mover = stack.mover[ply]
    same = pool.mover[slot] == mover
    if bound_in(meta) != EXACT and bound_in(meta) != (LOWER if same else UPPER):
        return False
    value = kept if same else -kept
    if value < beta:
        return False
    stack.state[HITS] += 1
    frame_result(stack, ply, value, value if proven_in(meta) else least(numbers, mover), most(numbers, mover))
    return True


# ------------------------------------------------------------------------- windows and results


@step
def _push_next(rules: Any, numbers: Any, stack: Any, pool: Any, ply: Any) -> Any:
    """Puts the next child on the stack; gives False where none is left or the window is closed."""
    if stack.alpha[ply] >= stack.beta[ply]:
        return False
    first, count = stack.first[ply], stack.count[ply]
    slot = most_promising(pool, first, count)
    if slot < 0:
        return False
    pool.score[slot] = -np.inf
    stack.place[ply + 1] = slot
    plain = not (rules.pays or rules.discounts)
    tried = stack.next[ply] > 0 or stack.floor[ply] < stack.alpha[ply]
    wide = stack.beta[ply] > np.nextafter(stack.alpha[ply], np.inf)
    _push_child(rules, numbers, stack, pool, ply, slot, plain and tried and wide)
    return True


@step
def _push_child(rules: Any, numbers: Any, stack: Any, pool: Any, ply: Any, slot: Any, scout: Any) -> None:
    """The window of a child: the frame's, less its reward and undiscounted, or of no width for a scout."""
    alpha, beta = stack.alpha[ply], stack.beta[ply]
    stack.scout[ply] = scout
    if scout:
        beta = np.nextafter(alpha, np.inf)
    elif rules.pays or rules.discounts:
        alpha, beta = _seen_from(rules, numbers, pool, slot, alpha, beta)
    after = pool.mover[slot]
    if after != stack.mover[ply]:
        alpha, beta = -beta, -alpha
    depth = stack.depth[ply] - 1
    push(stack, ply + 1, slot, after, depth, alpha, beta, pool.key[slot])


@step
def _seen_from(rules: Any, numbers: Any, pool: Any, slot: Any, alpha: Any, beta: Any) -> Any:
    """A window behind a reward and a discount; a little wider, so that rounding loses nothing."""
    if numbers.discount == 0.0:
        return -np.inf, np.inf
    reward = pool.reward[slot] if rules.pays else 0.0
    alpha = (alpha - reward) / numbers.discount
    beta = (beta - reward) / numbers.discount
    if alpha > -np.inf:
        alpha -= 1e-12 * max(1.0, abs(alpha), abs(reward))
    if beta < np.inf:
        beta += 1e-12 * max(1.0, abs(beta), abs(reward))
    return alpha, beta


@step
def _merge(rules: Any, numbers: Any, stack: Any, pool: Any, ply: Any, value: Any, low: Any, high: Any) -> Any:
    """Takes over what a child came to, in the frame's view; gives the frame's next phase.

    ENTER: the child must be searched again, with an open window (it is on the stack).
    """
    slot = stack.place[ply + 1]
    alpha, beta = stack.alpha[ply], stack.beta[ply]
    if rules.pays or rules.discounts:
        reward = pool.reward[slot] if rules.pays else 0.0
        if numbers.discount == 0.0:  # whatever comes later, even where it has no end
            value = low = high = 0.0
        value = reward + numbers.discount * value
        low, high = reward + numbers.discount * low, reward + numbers.discount * high
    if stack.scout[ply] and alpha < value < beta:
        _push_child(rules, numbers, stack, pool, ply, slot, np.bool_(False))
        return ENTER
    if value > stack.best[ply]:
        stack.best[ply] = value
        stack.best_move[ply] = pool.index[slot]
    stack.low[ply] = max(stack.low[ply], low)
    stack.high[ply] = max(stack.high[ply], high)
    if value > alpha:
        stack.alpha[ply] = value
        if value >= beta:
            remember_cut(stack, pool, ply, slot)
            stack.high[ply] = most(numbers, stack.mover[ply])
    stack.next[ply] += 1
    return NEXT


@step
def _finish(rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, ply: Any) -> None:
    """Keeps what a frame came to in the table, and gives its children's room back."""
    stack.state[POOL_TOP] = stack.first[ply]
    mover, best = stack.mover[ply], stack.best[ply]
    beta, floor = stack.beta[ply], stack.floor[ply]
    low = max(stack.low[ply], least(numbers, mover))
    high = min(stack.high[ply], most(numbers, mover))
    stack.low[ply] = low
    stack.high[ply] = high
    if not options.table:
        return
    bound = LOWER if best >= beta else UPPER if best <= floor else EXACT
    proven = False
    if low == high:
        best, bound, proven = low, EXACT, True
        stack.best[ply] = best
    elif (bound == LOWER and low >= beta) or (bound == UPPER and high <= floor):
        best, proven = low if bound == LOWER else high, True
    nodes = stack.state[NODES] - stack.before[ply]
    store(
        options.table,
        options.shift,
        stack.key[ply],
        best,
        bound,
        stack.depth[ply],
        proven,
        stack.best_move[ply],
        nodes,
    )
