"""Frames of chance in expectation.py: outcomes, the probes of Star2, and the windows of Star1."""

from __future__ import annotations

from typing import Any

from numba import njit

from solvers.machine.calls import (
    call_i32_p,
    call_i32_pipp,
    call_i32_ppip,
    call_i64_pipipp,
    call_i64_ppi,
    copy_bytes,
    get_f64,
    get_i8,
    get_i32,
    get_i64,
    load_f64,
    set_f64,
    set_i8,
    set_i32,
    set_i64,
)
from solvers.machine.rules import CAPACITY, CHANCE, TERMINAL, hash_form, may_draw, utility
from solvers.search.kernels.expectation_frames import (
    DRAW,
    ENTER,
    FAULT,
    FEWEST_MOVES,
    MORE_MOVES,
    MORE_OUTCOMES,
    PLAIN,
    POOL_FULL,
    POOL_TOP,
    PROBE,
    RETURN,
    STAR2,
    STOP,
    WIDEST,
    frame_result,
    pay,
    push,
    visit,
)
from solvers.search.kernels.transposition_table import LOWER, UPPER, answers, bound_in, probe, proven_in


@njit(cache=True)
def take_outcomes(
    rules: Any, numbers: Any, pool: Any, room: Any, first: Any, before: Any, count: Any, odds: Any
) -> None:
    """Copies outcomes into the pool behind those that are there, keeping the likeliest first."""
    for i in range(count):
        record = room.records + i * rules.record
        reward = load_f64(record + 8) if rules.pays else 0.0
        weight = odds * load_f64(record)
        _take_outcome(rules, numbers, pool, first, before + i, record + rules.at_form, weight, reward)


@njit(cache=True)
def _take_outcome(
    rules: Any, numbers: Any, pool: Any, first: Any, before: Any, form: Any, odds: Any, reward: Any
) -> None:
    """Copies one outcome into the pool, before those that are less likely."""
    weight = odds * numbers.discount
    slot = first + before
    while slot > first and get_f64(pool.score, slot - 1) < weight:
        copy_bytes(pool.form + slot * rules.form, pool.form + (slot - 1) * rules.form, rules.form)
        set_f64(pool.score, slot, get_f64(pool.score, slot - 1))
        set_f64(pool.reward, slot, get_f64(pool.reward, slot - 1))
        slot -= 1
    copy_bytes(pool.form + slot * rules.form, form, rules.form)
    set_f64(pool.score, slot, weight)
    set_f64(pool.reward, slot, odds * reward)


@njit(cache=True)
def enter_chance(
    rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, room: Any, ply: Any, at: Any
) -> Any:
    """A position in which chance moves, or a player who is taken to move at random: all that the moves may
    lead to, with the odds of both together. A player's move counts for the depth."""
    by_chance = get_i8(stack.mover, ply) == CHANCE
    count = call_i64_ppi(rules.moves, at, room.moves, room.moves_room)
    if count < 0:
        return STOP + FAULT
    if count > room.moves_room:
        return STOP + MORE_MOVES
    total = 1.0
    if by_chance:
        if call_i32_ppip(rules.weights, at, room.moves, count, room.weights) != 0:
            return STOP + FAULT
        total = get_i64(room.weights, 0) / get_i64(room.weights, 1)
    first = get_i64(stack.state, POOL_TOP)
    taken = 0
    for i in range(count):
        odds = 1.0 / count
        if by_chance:
            odds = get_i64(room.weights, 2 + 2 * i) / get_i64(room.weights, 3 + 2 * i) / total
        if odds == 0.0:
            continue
        move = get_i64(room.moves, i)
        if first + taken + room.outcomes_room + room.moves_room > pool.room:
            return STOP + POOL_FULL
        if not may_draw(numbers, move):
            copy_bytes(room.form, at, rules.form)
            if call_i32_pipp(rules.sample, room.form, move, room.random, room.rewards) != 0:
                return STOP + FAULT
            reward = get_f64(room.rewards, 0) if rules.pays else 0.0
            _take_outcome(rules, numbers, pool, first, taken, room.form, odds, reward)
            taken += 1
            continue
        outcomes = call_i64_pipipp(
            rules.outcomes, at, move, room.records, room.outcomes_room, room.table, room.script
        )
        if outcomes == -CAPACITY:
            return STOP + MORE_OUTCOMES
        if outcomes < 0:
            return STOP + FAULT
        take_outcomes(rules, numbers, pool, room, first, taken, outcomes, odds)
        taken += outcomes
    if not by_chance:
        set_i64(stack.depth, ply, get_i64(stack.depth, ply) - 1)
    visit(stack)
    set_i64(stack.first, ply, first)
    return ready(rules, options, stack, pool, room, ply, taken)


@njit(cache=True)
def ready(rules: Any, options: Any, stack: Any, pool: Any, room: Any, ply: Any, count: Any) -> Any:
    """Begins a frame of chance whose outcomes are in the pool: what is known of each without a search.

    A finished game has its utility; under Star2 the table may know a position.
    """
    first = get_i64(stack.first, ply)
    searched, paid, low_rest, high_rest = 0.0, 0.0, 0.0, 0.0
    for slot in range(first, first + count):
        at = pool.form + slot * rules.form
        mover = call_i32_p(rules.to_move, at)
        if mover < TERMINAL:
            return STOP + FAULT
        low, high, moves = options.low, options.high, 0
        least, most = low, high
        if mover == TERMINAL:
            if utility(rules, at, room.paid) != 0:
                return STOP + FAULT
            visit(stack)
            low = high = least = most = get_f64(room.paid, 0)
            if rules.pays:
                pay(stack, low)
        elif options.mode == STAR2 and mover >= 0 and get_i64(stack.depth, ply) > 0:
            moves = call_i64_ppi(rules.moves, at, room.moves, room.moves_room)
            if options.table:
                low, high, proven = _known(options, hash_form(at, rules.form), get_i64(stack.depth, ply))
                if proven:
                    least, most = low, high
        set_i8(pool.mover, slot, mover)
        set_f64(pool.low, slot, low)
        set_f64(pool.high, slot, high)
        set_f64(pool.least, slot, least)
        set_f64(pool.most, slot, most)
        set_i32(pool.index, slot, moves)
        searched += get_f64(pool.reward, slot)
        paid += abs(get_f64(pool.reward, slot))
        if options.mode != PLAIN:
            low_rest += get_f64(pool.score, slot) * low
            high_rest += get_f64(pool.score, slot) * high
    if rules.pays:
        pay(stack, paid)
    set_i32(stack.count, ply, count)
    set_i64(stack.state, WIDEST, max(get_i64(stack.state, WIDEST), count))
    set_i32(stack.next, ply, 0)
    set_f64(stack.low_rest, ply, low_rest)
    set_f64(stack.high_rest, ply, high_rest)
    set_i64(stack.state, POOL_TOP, first + count)
    frame_result(stack, ply, searched, searched, searched)
    return PROBE


@njit(cache=True)
def _known(options: Any, key: Any, depth: Any) -> Any:
    """Between which numbers the table knows a position to lie, and whether that is proven."""
    meta, kept = probe(options.table, options.shift, key)
    if meta == 0 or not answers(meta, depth):
        return options.low, options.high, False
    bound = bound_in(meta)
    low = kept if bound != UPPER else options.low
    high = kept if bound != LOWER else options.high
    return low, high, proven_in(meta)


@njit(cache=True)
def probe_outcome(options: Any, stack: Any, pool: Any, ply: Any) -> Any:
    """The next probe, on the stack (ENTER); or RETURN where the bounds already decide, or DRAW."""
    set_i8(stack.phase, ply, PROBE)
    if options.mode == PLAIN:
        return _begin_draws(stack, ply)
    alpha, beta = get_f64(stack.alpha, ply), get_f64(stack.beta, ply)
    low, high = get_f64(stack.low_rest, ply), get_f64(stack.high_rest, ply)
    first, count = get_i64(stack.first, ply), get_i32(stack.count, ply)
    if low >= beta or high <= alpha:
        value = low if low >= beta else high
        proven_low, proven_high = _proven_rest(stack, pool, ply, 0)
        set_i64(stack.state, POOL_TOP, first)
        return frame_result(stack, ply, value, proven_low, proven_high)
    rise, fall = 0.0, 0.0
    for slot in range(first + get_i32(stack.next, ply), first + count):
        if get_i32(pool.index, slot) >= FEWEST_MOVES:
            span = get_f64(pool.score, slot) * (get_f64(pool.high, slot) - get_f64(pool.low, slot))
            if get_i8(pool.mover, slot) == 0:
                rise += span
            else:
                fall += span
    if low + rise < beta and high - fall > alpha:
        return _begin_draws(stack, ply)  # no probe can bring the expectation out of the window
    i = get_i32(stack.next, ply)
    while i < count and get_i32(pool.index, first + i) < FEWEST_MOVES:
        i += 1
    if i == count:
        return _begin_draws(stack, ply)
    slot = first + i
    weight, lowest, highest = get_f64(pool.score, slot), get_f64(pool.low, slot), get_f64(pool.high, slot)
    if lowest == highest:
        set_i32(stack.next, ply, i + 1)
        return PROBE
    mover = get_i8(pool.mover, slot)
    if mover == 0:
        inner_alpha, inner_beta = lowest, min(lowest + (beta - low) / weight, highest)
    else:
        inner_alpha, inner_beta = max(highest + (alpha - high) / weight, lowest), highest
    set_i32(stack.next, ply, i)
    push(stack, ply + 1, slot, mover, get_i64(stack.depth, ply), inner_alpha, inner_beta, 1)
    return ENTER


@njit(cache=True)
def merge_probe(stack: Any, pool: Any, ply: Any, value: Any, low: Any, high: Any) -> Any:
    """One move bounds its position: from below for the first player, from above for the second."""
    slot = get_i64(stack.first, ply) + get_i32(stack.next, ply)
    set_i64(stack.state, POOL_TOP, get_i64(stack.first, ply) + get_i32(stack.count, ply))
    weight, lowest, highest = get_f64(pool.score, slot), get_f64(pool.low, slot), get_f64(pool.high, slot)
    if get_i8(pool.mover, slot) == 0:
        set_f64(pool.least, slot, max(get_f64(pool.least, slot), low))
    else:
        set_f64(pool.most, slot, min(get_f64(pool.most, slot), high))
    if get_i8(pool.mover, slot) == 0 and value > lowest:
        value = min(value, highest)
        set_f64(stack.low_rest, ply, get_f64(stack.low_rest, ply) + weight * (value - lowest))
        set_f64(pool.low, slot, value)
    if get_i8(pool.mover, slot) == 1 and value < highest:
        value = max(value, lowest)
        set_f64(stack.high_rest, ply, get_f64(stack.high_rest, ply) + weight * (value - highest))
        set_f64(pool.high, slot, value)
    set_i32(stack.next, ply, get_i32(stack.next, ply) + 1)
    return PROBE


@njit(cache=True)
def _begin_draws(stack: Any, ply: Any) -> Any:
    set_i32(stack.next, ply, 0)
    return DRAW


@njit(cache=True)
def _proven_rest(stack: Any, pool: Any, ply: Any, start: Any) -> Any:
    """What is proven of an expectation whose outcomes from `start` on were not searched."""
    low, high = get_f64(stack.low, ply), get_f64(stack.high, ply)
    first, count = get_i64(stack.first, ply), get_i32(stack.count, ply)
    for slot in range(first + start, first + count):
        low += get_f64(pool.score, slot) * get_f64(pool.least, slot)
        high += get_f64(pool.score, slot) * get_f64(pool.most, slot)
    return low, high


@njit(cache=True)
def next_outcome(options: Any, stack: Any, pool: Any, ply: Any) -> Any:
    """The next outcome, on the stack (ENTER); or RETURN after the last."""
    set_i8(stack.phase, ply, DRAW)
    first, count = get_i64(stack.first, ply), get_i32(stack.count, ply)
    i = get_i32(stack.next, ply)
    while i < count:
        slot = first + i
        weight, low, high = get_f64(pool.score, slot), get_f64(pool.low, slot), get_f64(pool.high, slot)
        if options.mode != PLAIN:
            set_f64(stack.low_rest, ply, get_f64(stack.low_rest, ply) - weight * low)
            set_f64(stack.high_rest, ply, get_f64(stack.high_rest, ply) - weight * high)
        if weight > 0.0 and low < high:
            alpha, beta = options.low, options.high
            if options.mode != PLAIN:
                searched = get_f64(stack.best, ply)
                rest = get_f64(stack.high_rest, ply)
                alpha = (get_f64(stack.alpha, ply) - searched - rest) / weight
                rest = get_f64(stack.low_rest, ply)
                beta = (get_f64(stack.beta, ply) - searched - rest) / weight
                set_f64(stack.inner_alpha, ply, alpha)
                set_f64(stack.inner_beta, ply, beta)
            set_i32(stack.next, ply, i)
            mover, depth = get_i8(pool.mover, slot), get_i64(stack.depth, ply)
            push(stack, ply + 1, slot, mover, depth, max(alpha, low), min(beta, high), 1 << 30)
            return ENTER
        if weight > 0.0:
            least, most = get_f64(pool.least, slot), get_f64(pool.most, slot)
            set_f64(stack.best, ply, get_f64(stack.best, ply) + weight * low)
            set_f64(stack.low, ply, get_f64(stack.low, ply) + weight * least)
            set_f64(stack.high, ply, get_f64(stack.high, ply) + weight * most)
        i += 1
    set_i64(stack.state, POOL_TOP, first)
    return RETURN


@njit(cache=True)
def merge_outcome(options: Any, stack: Any, pool: Any, ply: Any, value: Any, low: Any, high: Any) -> Any:
    """Adds an outcome's part; gives RETURN where the rest cannot bring the expectation into the window."""
    first, i = get_i64(stack.first, ply), get_i32(stack.next, ply)
    set_i64(stack.state, POOL_TOP, first + get_i32(stack.count, ply))
    weight = get_f64(pool.score, first + i)
    # What was proven of the outcome before holds beside what its search proves, which had a narrower window.
    low = max(low, get_f64(pool.least, first + i))
    high = min(high, get_f64(pool.most, first + i))
    searched = get_f64(stack.best, ply) + weight * value
    frame_result(
        stack,
        ply,
        searched,
        get_f64(stack.low, ply) + weight * low,
        get_f64(stack.high, ply) + weight * high,
    )
    set_i32(stack.next, ply, i + 1)
    if options.mode == PLAIN:
        return DRAW
    below = value <= get_f64(stack.inner_alpha, ply)
    if not below and value < get_f64(stack.inner_beta, ply):
        return DRAW
    rest = get_f64(stack.high_rest, ply) if below else get_f64(stack.low_rest, ply)
    proven_low, proven_high = _proven_rest(stack, pool, ply, i + 1)
    set_i64(stack.state, POOL_TOP, first)
    return frame_result(stack, ply, searched + rest, proven_low, proven_high)
