"""Frames of chance in expectation.py: outcomes, the probes of Star2, and the windows of Star1."""

from __future__ import annotations

from typing import Any

from gdl.abi import CAPACITY
from gdl.movers import CHANCE, TERMINAL
from solvers.machine.kernels import step
from solvers.machine.pointers import as_floats, copy_bytes
from solvers.machine.rules import hash_form, may_draw, utility
from solvers.machine.types import i64
from solvers.search.kernels.expectation_frames import (
    ALL_MOVES,
    DRAW,
    FEWEST_MOVES,
    ONE_MOVE,
    PLAIN,
    PROBE,
    STAR2,
    WIDEST,
    frame_result,
    pay,
    push,
    visit,
)
from solvers.search.kernels.frames import (
    ENTER,
    FAULT,
    MORE_MOVES,
    MORE_OUTCOMES,
    POOL_FULL,
    POOL_TOP,
    RETURN,
    STOP,
)
from solvers.search.kernels.transposition_table import LOWER, UPPER, answers, bound_in, probe, proven_in


@step
def take_outcomes(
    rules: Any, numbers: Any, pool: Any, room: Any, first: Any, before: Any, count: Any, odds: Any
) -> None:
    """Copies outcomes into the pool behind those that are there, keeping the likeliest first."""
    for i in range(count):
        record = room.records + i * rules.record
        reward = as_floats(record)[1] if rules.pays else 0.0
        weight = odds * as_floats(record)[0]
        _take_outcome(rules, numbers, pool, first, before + i, record + rules.at_form, weight, reward)


@step
def _take_outcome(
    rules: Any, numbers: Any, pool: Any, first: Any, before: Any, form: Any, odds: Any, reward: Any
) -> None:
    """Copies one outcome into the pool, before those that are less likely."""
    weight = odds * numbers.discount
    slot = first + before
    while slot > first and pool.score[slot - 1] < weight:
        copy_bytes(pool.form + slot * rules.form, pool.form + (slot - 1) * rules.form, rules.form)
        pool.score[slot] = pool.score[slot - 1]
        pool.reward[slot] = pool.reward[slot - 1]
        slot -= 1
    copy_bytes(pool.form + slot * rules.form, form, rules.form)
    pool.score[slot] = weight
    pool.reward[slot] = odds * reward


@step
def enter_chance(
    rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, room: Any, ply: Any, at: Any
) -> Any:
    """A position in which chance moves, or a player who is taken to move at random: all that the moves may
    lead to, with the odds of both together. A player's move counts for the depth."""
    by_chance = stack.mover[ply] == CHANCE
    count = rules.moves(at, room.moves, room.moves_room)
    if count < 0:
        return STOP + FAULT
    if count > room.moves_room:
        return STOP + MORE_MOVES
    total = 1.0
    if by_chance:
        if rules.weights(at, room.moves, count, room.weights) != 0:
            return STOP + FAULT
        total = room.weights[0] / room.weights[1]
    first = stack.state[POOL_TOP]
    taken = i64(0)
    for i in range(count):
        odds = 1.0 / count
        if by_chance:
            odds = room.weights[2 + 2 * i] / room.weights[3 + 2 * i] / total
        if odds == 0.0:
            continue
        move = room.moves[i]
        if first + taken + room.outcomes_room + room.moves_room > pool.room:
            return STOP + POOL_FULL
        if not may_draw(numbers.drawing, numbers.drawings, move):
            copy_bytes(room.form, at, rules.form)
            if rules.sample(room.form, move, room.random, room.rewards) != 0:
                return STOP + FAULT
            reward = room.rewards[0] if rules.pays else 0.0
            _take_outcome(rules, numbers, pool, first, taken, room.form, odds, reward)
            taken += 1
            continue
        outcomes = rules.outcomes(at, move, room.records, room.outcomes_room, room.table, room.script)
        if outcomes == -CAPACITY:
            return STOP + MORE_OUTCOMES
        if outcomes < 0:
            return STOP + FAULT
        take_outcomes(rules, numbers, pool, room, first, taken, outcomes, odds)
        taken += outcomes
    if not by_chance:
        stack.depth[ply] -= 1
    visit(stack)
    stack.first[ply] = first
    return ready(rules, options, stack, pool, room, ply, taken)


@step
def ready(rules: Any, options: Any, stack: Any, pool: Any, room: Any, ply: Any, count: Any) -> Any:
    """Begins a frame of chance whose outcomes are in the pool: what is known of each without a search.

    A finished game has its utility; under Star2 the table may know a position.
    """
    first = stack.first[ply]
    searched, paid, low_rest, high_rest = 0.0, 0.0, 0.0, 0.0
    for slot in range(first, first + count):
        at = pool.form + slot * rules.form
        mover = rules.to_move(at)
        if mover < TERMINAL:
            return STOP + FAULT
        low, high, moves = options.low, options.high, 0
        least, most = low, high
        if mover == TERMINAL:
            if utility(rules, at, room.paid) != 0:
                return STOP + FAULT
            visit(stack)
            low = high = least = most = room.paid[0]
            if rules.pays:
                pay(stack, low)
        elif options.mode == STAR2 and mover >= 0 and stack.depth[ply] > 0:
            moves = rules.moves(at, room.moves, room.moves_room)
            if options.table:
                low, high, proven = _known(options, hash_form(at, rules.form), stack.depth[ply])
                if proven:
                    least, most = low, high
        pool.mover[slot] = mover
        pool.low[slot] = low
        pool.high[slot] = high
        pool.least[slot] = least
        pool.most[slot] = most
        pool.index[slot] = moves
        searched += pool.reward[slot]
        paid += abs(pool.reward[slot])
        if options.mode != PLAIN:
            low_rest += pool.score[slot] * low
            high_rest += pool.score[slot] * high
    if rules.pays:
        pay(stack, paid)
    stack.count[ply] = count
    stack.state[WIDEST] = max(stack.state[WIDEST], count)
    stack.next[ply] = 0
    stack.low_rest[ply] = low_rest
    stack.high_rest[ply] = high_rest
    stack.state[POOL_TOP] = first + count
    frame_result(stack, ply, searched, searched, searched)
    return PROBE


@step
def _known(options: Any, key: Any, depth: Any) -> Any:
    """Between which numbers the table knows a position to lie, and whether that is proven."""
    meta, kept = probe(options.table, options.shift, key)
    if meta == 0 or not answers(meta, depth):
        return options.low, options.high, False
    bound = bound_in(meta)
    low = kept if bound != UPPER else options.low
    high = kept if bound != LOWER else options.high
    return low, high, proven_in(meta)


@step
def probe_outcome(options: Any, stack: Any, pool: Any, ply: Any) -> Any:
    """The next probe, on the stack (ENTER); or RETURN where the bounds already decide, or DRAW."""
    stack.phase[ply] = PROBE
    if options.mode == PLAIN:
        return _begin_draws(stack, ply)
    alpha, beta = stack.alpha[ply], stack.beta[ply]
    low, high = stack.low_rest[ply], stack.high_rest[ply]
    first, count = stack.first[ply], stack.count[ply]
    if low >= beta or high <= alpha:
        value = low if low >= beta else high
        proven_low, proven_high = _proven_rest(stack, pool, ply, i64(0))
        stack.state[POOL_TOP] = first
        return frame_result(stack, ply, value, proven_low, proven_high)
    rise, fall = 0.0, 0.0
    for slot in range(first + stack.next[ply], first + count):
        if pool.index[slot] >= FEWEST_MOVES:
            span = pool.score[slot] * (pool.high[slot] - pool.low[slot])
            if pool.mover[slot] == 0:
                rise += span
            else:
                fall += span
    if low + rise < beta and high - fall > alpha:
        return _begin_draws(stack, ply)  # no probe can bring the expectation out of the window
    i = stack.next[ply]
    while i < count and pool.index[first + i] < FEWEST_MOVES:
        i += 1
    if i == count:
        return _begin_draws(stack, ply)
    slot = first + i
    weight, lowest, highest = pool.score[slot], pool.low[slot], pool.high[slot]
    if lowest == highest:
        stack.next[ply] = i + 1
        return PROBE
    mover = pool.mover[slot]
    if mover == 0:
        inner_alpha, inner_beta = lowest, min(lowest + (beta - low) / weight, highest)
    else:
        inner_alpha, inner_beta = max(highest + (alpha - high) / weight, lowest), highest
    stack.next[ply] = i
    push(stack, ply + 1, slot, mover, stack.depth[ply], inner_alpha, inner_beta, ONE_MOVE)
    return ENTER


@step
def merge_probe(stack: Any, pool: Any, ply: Any, value: Any, low: Any, high: Any) -> Any:
    """One move bounds its position: from below for the first player, from above for the second."""
    slot = stack.first[ply] + stack.next[ply]
    stack.state[POOL_TOP] = stack.first[ply] + stack.count[ply]
    weight, lowest, highest = pool.score[slot], pool.low[slot], pool.high[slot]
    if pool.mover[slot] == 0:
        pool.least[slot] = max(pool.least[slot], low)
    else:
        pool.most[slot] = min(pool.most[slot], high)
    if pool.mover[slot] == 0 and value > lowest:
        value = min(value, highest)
        stack.low_rest[ply] += weight * (value - lowest)
        pool.low[slot] = value
    if pool.mover[slot] == 1 and value < highest:
        value = max(value, lowest)
        stack.high_rest[ply] += weight * (value - highest)
        pool.high[slot] = value
    stack.next[ply] += 1
    return PROBE


@step
def _begin_draws(stack: Any, ply: Any) -> Any:
    stack.next[ply] = 0
    return DRAW


@step
def _proven_rest(stack: Any, pool: Any, ply: Any, start: Any) -> Any:
    """What is proven of an expectation whose outcomes from `start` on were not searched."""
    low, high = stack.low[ply], stack.high[ply]
    first, count = stack.first[ply], stack.count[ply]
    for slot in range(first + start, first + count):
        low += pool.score[slot] * pool.least[slot]
        high += pool.score[slot] * pool.most[slot]
    return low, high


@step
def next_outcome(options: Any, stack: Any, pool: Any, ply: Any) -> Any:
    """The next outcome, on the stack (ENTER); or RETURN after the last."""
    stack.phase[ply] = DRAW
    first, count = stack.first[ply], stack.count[ply]
    i = stack.next[ply]
    while i < count:
        slot = first + i
        weight, low, high = pool.score[slot], pool.low[slot], pool.high[slot]
        if options.mode != PLAIN:
            stack.low_rest[ply] -= weight * low
            stack.high_rest[ply] -= weight * high
        if weight > 0.0 and low < high:
            alpha, beta = options.low, options.high
            if options.mode != PLAIN:
                searched = stack.best[ply]
                rest = stack.high_rest[ply]
                alpha = (stack.alpha[ply] - searched - rest) / weight
                rest = stack.low_rest[ply]
                beta = (stack.beta[ply] - searched - rest) / weight
                stack.inner_alpha[ply] = alpha
                stack.inner_beta[ply] = beta
            stack.next[ply] = i
            mover, depth = pool.mover[slot], stack.depth[ply]
            push(stack, ply + 1, slot, mover, depth, max(alpha, low), min(beta, high), ALL_MOVES)
            return ENTER
        if weight > 0.0:
            least, most = pool.least[slot], pool.most[slot]
            stack.best[ply] += weight * low
            stack.low[ply] += weight * least
            stack.high[ply] += weight * most
        i += 1
    stack.state[POOL_TOP] = first
    return RETURN


@step
def merge_outcome(options: Any, stack: Any, pool: Any, ply: Any, value: Any, low: Any, high: Any) -> Any:
    """Adds an outcome's part; gives RETURN where the rest cannot bring the expectation into the window."""
    first, i = stack.first[ply], stack.next[ply]
    stack.state[POOL_TOP] = first + stack.count[ply]
    weight = pool.score[first + i]
    # What was proven of the outcome before holds beside what its search proves, which had a narrower window.
    low = max(low, pool.least[first + i])
    high = min(high, pool.most[first + i])
    searched = stack.best[ply] + weight * value
    frame_result(
        stack,
        ply,
        searched,
        stack.low[ply] + weight * low,
        stack.high[ply] + weight * high,
    )
    stack.next[ply] = i + 1
    if options.mode == PLAIN:
        return DRAW
    below = value <= stack.inner_alpha[ply]
    if not below and value < stack.inner_beta[ply]:
        return DRAW
    rest = stack.high_rest[ply] if below else stack.low_rest[ply]
    proven_low, proven_high = _proven_rest(stack, pool, ply, i + 1)
    stack.state[POOL_TOP] = first
    return frame_result(stack, ply, searched + rest, proven_low, proven_high)
