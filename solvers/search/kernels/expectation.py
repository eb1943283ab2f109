"""The search kernel for games with chance: expectiminimax, Star1 and Star2 on an explicit stack.

Frames are positions or what chance may do after a move. All values are the first player's. The contract of
a search within a window is that of core/windows.py; the bounds at chance are those of star1.py
and star2.py. As in negamax.py every result carries what is proven, low <= true value <= high.

    ENTER      a position: judge it, look it up, list its moves; where chance moves, everything that it may do
    NEXT       the next move of a position: make it; it leads to a frame of chance, or to one position
    PROBE      chance, before anything is searched: one move in each position (Star2)
    DRAW       chance: the next outcome, the likeliest first
    RETURN     hand a result to the frame above
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl.abi import CAPACITY
from gdl.movers import CHANCE, TERMINAL
from solvers.machine.kernels import kernel, step
from solvers.machine.pointers import copy_bytes
from solvers.machine.rules import hash_form, judge, may_draw, utility
from solvers.machine.types import i64
from solvers.search.kernels.expectation_chance import (
    enter_chance,
    merge_outcome,
    merge_probe,
    next_outcome,
    probe_outcome,
    ready,
    take_outcomes,
)
from solvers.search.kernels.expectation_frames import (
    ALL_MOVES,
    DRAW,
    HISTORY,
    PLAIN,
    PROBE,
    frame_result,
    pay,
    push,
    visit,
)
from solvers.search.kernels.frames import (
    DONE,
    ENTER,
    FAULT,
    MORE_MOVES,
    MORE_OUTCOMES,
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
from solvers.search.kernels.transposition_table import (
    ENDLESS,
    EXACT,
    LOWER,
    NO_MOVE,
    UPPER,
    answers,
    bound_in,
    move_in,
    probe,
    proven_in,
    store,
)


@kernel
def begin(
    rules: Any, stack: Any, pool: Any, form: Any, mover: Any, depth: Any, alpha: Any, beta: Any
) -> None:
    start_over(stack.state, pool.form, form, rules.form)
    push(stack, i64(0), i64(0), mover, depth, alpha, beta, ALL_MOVES)


@kernel
def search(
    rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, room: Any, nodes: Any, stop: Any
) -> Any:
    """Goes on with the search that was begun; as negamax.search."""
    ply = stack.state[PLY]
    phase = stack.state[PHASE]
    reason = DONE
    spare = room.moves_room + room.outcomes_room
    while True:
        if phase == ENTER:
            if stack.state[NODES] >= nodes or stop[0]:
                reason = PAUSED
                break
            if stack.state[POOL_TOP] + spare + 1 > pool.room:
                reason = POOL_FULL
                break
            if ply + 3 > stack.plies:
                reason = STACK_FULL
                break
            phase = _enter(rules, numbers, options, stack, pool, room, ply)
        elif phase == NEXT:
            if stack.state[POOL_TOP] + spare + 1 > pool.room:
                reason = POOL_FULL
                break
            phase = _next_move(rules, numbers, options, stack, pool, room, ply)
            if phase in (ENTER, PROBE):
                ply += 1
        elif phase == PROBE:
            phase = probe_outcome(options, stack, pool, ply)
            if phase == ENTER:
                ply += 1
        elif phase == DRAW:
            phase = next_outcome(options, stack, pool, ply)
            if phase == ENTER:
                ply += 1
        elif phase == RETURN:
            if ply == 0:
                stack.result[0] = stack.best[0]
                stack.result[1] = stack.low[0]
                stack.result[2] = stack.high[0]
                reason = DONE
                break
            ply -= 1
            value, low, high = (
                stack.best[ply + 1],
                stack.low[ply + 1],
                stack.high[ply + 1],
            )
            if stack.phase[ply] == NEXT:
                phase = _merge_move(rules, numbers, options, stack, pool, ply, value, low, high)
            elif stack.phase[ply] == PROBE:
                phase = merge_probe(stack, pool, ply, value, low, high)
            else:
                phase = merge_outcome(options, stack, pool, ply, value, low, high)
        if phase >= STOP:
            # The step can be taken again: nothing was changed that matters.
            reason = phase - STOP
            phase = stack.phase[ply]
            break
    stack.state[PLY] = ply
    stack.state[PHASE] = phase
    return reason


# ------------------------------------------------------------------------------- positions


@step
def _enter(rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, room: Any, ply: Any) -> Any:
    stack.phase[ply] = ENTER
    mover, depth = stack.mover[ply], stack.depth[ply]
    at = pool.form + stack.place[ply] * rules.form
    if mover == TERMINAL:
        if utility(rules, at, room.paid) != 0:
            return STOP + FAULT
        visit(stack)
        value = room.paid[0]
        if rules.pays:
            pay(stack, value)
        return frame_result(stack, ply, value, value, value)
    if depth <= 0 and mover != CHANCE:
        if judge(rules, numbers, at, room.paid, room) != 0:
            return STOP + FAULT
        visit(stack)
        return frame_result(stack, ply, room.paid[0], options.low, options.high)
    key = hash_form(at, rules.form)
    stack.key[ply] = key
    if options.repeats:
        for above in range(ply):
            # Who is taken to move at random has used up a move, though the frame has the depth behind it.
            moved = options.assumed >= 0 and stack.mover[above] == options.assumed
            again = (stack.depth[above] == depth and not moved) or depth > ENDLESS // 2
            if stack.key[above] == key and again:
                return STOP + REPEATED
    if mover == CHANCE or mover == options.assumed:
        return enter_chance(rules, numbers, options, stack, pool, room, ply, at)
    table_move = NO_MOVE
    if options.table and (options.only < 0 or ply > 0):
        meta, kept = probe(options.table, options.shift, key)
        if meta:
            bound = bound_in(meta)
            table_move = move_in(meta)
            above, below = kept >= stack.beta[ply], kept <= stack.alpha[ply]
            fits = bound == EXACT or (bound == LOWER and above) or (bound == UPPER and below)
            if fits and answers(meta, depth):
                visit(stack)
                low = kept if proven_in(meta) and bound != UPPER else options.low
                high = kept if proven_in(meta) and bound != LOWER else options.high
                return frame_result(stack, ply, kept, low, high)
    count = rules.moves(at, room.moves, room.moves_room)
    if count < 0:
        return STOP + FAULT
    if count > room.moves_room:
        return STOP + MORE_MOVES
    if ply > 0 or options.only < 0:
        visit(stack)
    first = stack.state[POOL_TOP]
    kept_moves = 0
    for i in range(count):
        move = room.moves[i]
        if options.only >= 0 and ply == 0 and move != options.only:
            continue
        slot = first + kept_moves
        pool.move[slot] = move
        pool.index[slot] = i
        score = float(stack.history[mover * HISTORY + (move & (HISTORY - 1))])
        pool.score[slot] = 1e15 if i == table_move else score
        kept_moves += 1
    stack.first[ply] = first
    stack.count[ply] = kept_moves
    stack.next[ply] = 0
    stack.best_move[ply] = NO_MOVE
    stack.state[POOL_TOP] = first + kept_moves
    bad = -np.inf if mover == 0 else np.inf
    frame_result(stack, ply, bad, bad, bad)
    return NEXT


@step
def _next_move(rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, room: Any, ply: Any) -> Any:
    """Makes the most promising move that is left; gives ENTER or PROBE for the frame above, or RETURN."""
    stack.phase[ply] = NEXT
    first, count = stack.first[ply], stack.count[ply]
    alpha, beta = stack.alpha[ply], stack.beta[ply]
    done = stack.next[ply] >= stack.moves[ply]
    closed = options.mode != PLAIN and alpha >= beta and stack.next[ply] > 0  # one move at least
    best, slot = -np.inf, -1
    for k in range(first, first + count):
        if pool.score[k] > best:
            best, slot = pool.score[k], k
    if slot < 0 or done or closed:
        _finish(options, stack, pool, ply, slot >= 0)
        return RETURN
    move = pool.move[slot]
    at = pool.form + stack.place[ply] * rules.form
    top = first + count
    depth = stack.depth[ply] - 1
    outcomes = 1
    if may_draw(numbers.drawing, numbers.drawings, move):
        outcomes = rules.outcomes(at, move, room.records, room.outcomes_room, room.table, room.script)
        if outcomes == -CAPACITY:
            return STOP + MORE_OUTCOMES
        if outcomes < 0:
            return STOP + FAULT
    stack.chosen[ply] = slot
    stack.next[ply] += 1
    pool.score[slot] = -np.inf
    if outcomes > 1:
        push(stack, ply + 1, stack.place[ply], i64(CHANCE), depth, alpha, beta, ALL_MOVES)
        stack.reward[ply] = 0.0
        stack.first[ply + 1] = top
        take_outcomes(rules, numbers, pool, room, top, i64(0), outcomes, 1.0)
        stack.key[ply + 1] = np.uint64(0)
        return ready(rules, options, stack, pool, room, ply + 1, outcomes)
    form = pool.form + top * rules.form
    copy_bytes(form, at, rules.form)
    if rules.sample(form, move, room.random, room.rewards) != 0:
        return STOP + FAULT
    reward = room.rewards[0] if rules.pays else 0.0
    stack.reward[ply] = reward
    if rules.pays:
        pay(stack, reward)
    stack.state[POOL_TOP] = top + 1
    mover = rules.to_move(form)
    if mover < TERMINAL:
        return STOP + FAULT
    if numbers.discount == 0.0:
        alpha, beta = -np.inf, np.inf
    else:
        alpha, beta = (alpha - reward) / numbers.discount, (beta - reward) / numbers.discount
    push(stack, ply + 1, top, mover, depth, alpha, beta, ALL_MOVES)
    return ENTER


@step
def _merge_move(
    rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, ply: Any, value: Any, low: Any, high: Any
) -> Any:
    stack.state[POOL_TOP] = stack.first[ply] + stack.count[ply]
    if stack.place[ply + 1] != stack.place[ply]:  # one outcome: not yet discounted
        reward = stack.reward[ply]
        if numbers.discount == 0.0:
            value = low = high = 0.0
        value = reward + numbers.discount * value
        low, high = reward + numbers.discount * low, reward + numbers.discount * high
    mover = stack.mover[ply]
    slot = stack.chosen[ply]
    first_player = mover == 0
    best = stack.best[ply]
    if (value > best) if first_player else (value < best):
        stack.best[ply] = value
        stack.best_move[ply] = pool.index[slot]
    if first_player:
        stack.low[ply] = max(stack.low[ply], low)
        stack.high[ply] = max(stack.high[ply], high)
        stack.alpha[ply] = max(stack.alpha[ply], value)
    else:
        stack.low[ply] = min(stack.low[ply], low)
        stack.high[ply] = min(stack.high[ply], high)
        stack.beta[ply] = min(stack.beta[ply], value)
    if options.mode != PLAIN and stack.alpha[ply] >= stack.beta[ply]:
        place = mover * HISTORY + (pool.move[slot] & (HISTORY - 1))
        stack.history[place] += stack.next[ply]
    return NEXT


@step
def _finish(options: Any, stack: Any, pool: Any, ply: Any, cut: Any) -> None:
    """What a position came to; `cut`: some moves were not searched."""
    stack.state[POOL_TOP] = stack.first[ply]
    first_player = stack.mover[ply] == 0
    if cut and first_player:
        stack.high[ply] = options.high
    if cut and not first_player:
        stack.low[ply] = options.low
    best, low, high = stack.best[ply], stack.low[ply], stack.high[ply]
    if low < high <= low + options.slack:
        low = high = min(max(best, low), high)
        frame_result(stack, ply, low, low, low)
    probed = stack.moves[ply] == 1
    if not options.table or probed or (options.only >= 0 and ply == 0):
        return
    floor, ceiling = stack.floor[ply], stack.ceiling[ply]
    bound = LOWER if best >= ceiling else UPPER if best <= floor else EXACT
    proven = False
    if low == high:
        best, bound, proven = low, EXACT, True
    elif (bound == LOWER and low >= best - options.slack) or (
        bound == UPPER and high <= best + options.slack
    ):
        proven = True
    elif (bound == LOWER and low >= ceiling) or (bound == UPPER and high <= floor):
        best, proven = low if bound == LOWER else high, True
    store(
        options.table,
        options.shift,
        stack.key[ply],
        best,
        bound,
        stack.depth[ply],
        proven,
        stack.best_move[ply],
        stack.state[NODES] - stack.before[ply],
    )
