"""The search kernel for games with chance: expectiminimax, Star1 and Star2 on an explicit stack.

Frames are positions or what chance may do after a move. All values are the first player's. The contract of
a search within a window is that of solvers/alphabeta.py; the bounds at chance are those of solvers/star1.py
and star2.py. As in negamax.py every result carries what is proven, low <= true value <= high.

    ENTER      a position: judge it, look it up, list its moves; where chance moves, everything that it may do
    NEXT       the next move of a position: make it; it leads to a frame of chance, or to one position
    PROBE      chance, before anything is searched: one move in each position (Star2)
    DRAW       chance: the next outcome, the likeliest first
    RETURN     hand a result to the frame above
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from solvers.kernels.calls import (
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
    get_u64,
    load_f64,
    set_f64,
    set_i8,
    set_i32,
    set_i64,
    set_u64,
)
from solvers.kernels.entries import (
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
from solvers.kernels.rules import (
    CAPACITY,
    CHANCE,
    TERMINAL,
    Rules,
    hash_form,
    judge,
    may_draw,
    utility,
)

ENTER, NEXT, PROBE, DRAW, RETURN = range(5)

# Why the kernel stopped.
DONE, PAUSED, MORE_MOVES, MORE_OUTCOMES, POOL_FULL, STACK_FULL, FAULT, REPEATED = range(8)
_STOP = 10  # added to the reason by the steps of a frame

PLAIN, STAR1, STAR2 = range(3)

# Places in `state`.
PLY, PHASE, NODES, POOL_TOP = range(4)

HISTORY = 1 << 12
FEWEST_MOVES = 4
"""A probe costs the search of one move; where there are few, searching them all costs little more."""


class Stack(NamedTuple):
    """One entry per ply, chance counted. For a position `best` is its value so far; for chance it is the
    part of the expectation that was searched, and low_rest, high_rest bound the part that was not."""

    state: Any  # i64[4]
    result: Any  # f64[3]: value, low, high of what was searched last
    place: Any  # i64
    phase: Any  # i8: what a frame does when a result comes back
    mover: Any  # i8
    depth: Any  # i64
    alpha: Any  # f64
    beta: Any  # f64
    floor: Any  # f64: alpha as it was at first
    ceiling: Any  # f64: beta as it was at first
    best: Any  # f64
    low: Any  # f64
    high: Any  # f64
    low_rest: Any  # f64
    high_rest: Any  # f64
    inner_alpha: Any  # f64: the window of the outcome being searched
    inner_beta: Any  # f64
    first: Any  # i64
    count: Any  # i32
    next: Any  # i32
    moves: Any  # i32: how many moves to search at most; 1 for a probe
    reward: Any  # f64: of the move being searched
    best_move: Any  # i32
    chosen: Any  # i64: the slot of the move being searched
    key: Any  # u64
    before: Any  # i64
    history: Any  # i64[2 * HISTORY]
    plies: int


class Pool(NamedTuple):
    """Moves of positions, and outcomes of chance, of all frames on the stack."""

    form: Any
    move: Any  # i64
    index: Any  # i32
    score: Any  # f64: of a move, how promising; of an outcome, its weight in the expectation
    reward: Any  # f64
    low: Any  # f64: of an outcome, between which numbers its search would lie
    high: Any  # f64
    mover: Any  # i8
    proven: Any  # i8: whether these bounds are proven
    room: int


class Options(NamedTuple):
    mode: int
    table: Any
    shift: int
    repeats: int
    only: int  # the move to which the search of the root is limited, or -1
    assumed: int  # the player whose moves are all equally likely, or -1
    low: float  # no value is less
    high: float


def stack_of(plies: int) -> Stack:
    integers = ("place", "depth", "first", "chosen", "before")
    small = {"phase": np.int8, "mover": np.int8, "key": np.uint64}
    small |= dict.fromkeys(("count", "next", "moves", "best_move"), np.int32)
    small |= dict.fromkeys(integers, np.int64)
    fixed = {
        "state": np.zeros(4, np.int64),
        "result": np.zeros(3),
        "history": np.zeros(2 * HISTORY, np.int64),
        "plies": plies,
    }
    parts = {name: np.zeros(plies, small.get(name, np.float64)) for name in Stack._fields}
    return Stack(**(parts | fixed))  # type: ignore[arg-type]


def pool_of(rules: Rules, room: int) -> Pool:
    return Pool(
        form=np.zeros(room * rules.form, np.uint8),
        move=np.zeros(room, np.int64),
        index=np.zeros(room, np.int32),
        score=np.zeros(room),
        reward=np.zeros(room),
        low=np.zeros(room),
        high=np.zeros(room),
        mover=np.zeros(room, np.int8),
        proven=np.zeros(room, np.int8),
        room=room,
    )


@njit(cache=True)
def begin(
    rules: Any, stack: Any, pool: Any, form: Any, mover: Any, depth: Any, alpha: Any, beta: Any
) -> None:
    copy_bytes(pool.form, form, rules.form)
    set_i64(stack.state, PLY, 0)
    set_i64(stack.state, PHASE, ENTER)
    set_i64(stack.state, POOL_TOP, 1)
    _push(stack, 0, 0, mover, depth, alpha, beta, 1 << 30)


@njit(cache=True)
def _push(
    stack: Any, ply: Any, place: Any, mover: Any, depth: Any, alpha: Any, beta: Any, moves: Any
) -> None:
    set_i64(stack.place, ply, place)
    set_i8(stack.mover, ply, mover)
    set_i64(stack.depth, ply, depth)
    set_f64(stack.alpha, ply, alpha)
    set_f64(stack.beta, ply, beta)
    set_f64(stack.floor, ply, alpha)
    set_f64(stack.ceiling, ply, beta)
    set_i32(stack.moves, ply, moves)
    set_i64(stack.before, ply, get_i64(stack.state, NODES))


@njit(cache=True, nogil=True)
def search(
    rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, room: Any, nodes: Any, stop: Any
) -> Any:
    """Goes on with the search that was begun; as negamax.search."""
    ply = get_i64(stack.state, PLY)
    phase = get_i64(stack.state, PHASE)
    reason = DONE
    spare = room.moves_room + room.outcomes_room
    while True:
        if phase == ENTER:
            if get_i64(stack.state, NODES) >= nodes or get_i8(stop, 0):
                reason = PAUSED
                break
            if get_i64(stack.state, POOL_TOP) + spare + 1 > pool.room:
                reason = POOL_FULL
                break
            if ply + 3 > stack.plies:
                reason = STACK_FULL
                break
            phase = _enter(rules, numbers, options, stack, pool, room, ply)
        elif phase == NEXT:
            if get_i64(stack.state, POOL_TOP) + spare + 1 > pool.room:
                reason = POOL_FULL
                break
            phase = _next_move(rules, numbers, options, stack, pool, room, ply)
            if phase in (ENTER, PROBE):
                ply += 1
        elif phase == PROBE:
            phase = _probe(options, stack, pool, ply)
            if phase == ENTER:
                ply += 1
        elif phase == DRAW:
            phase = _next_outcome(options, stack, pool, ply)
            if phase == ENTER:
                ply += 1
        elif phase == RETURN:
            if ply == 0:
                set_f64(stack.result, 0, get_f64(stack.best, 0))
                set_f64(stack.result, 1, get_f64(stack.low, 0))
                set_f64(stack.result, 2, get_f64(stack.high, 0))
                reason = DONE
                break
            ply -= 1
            value, low, high = (
                get_f64(stack.best, ply + 1),
                get_f64(stack.low, ply + 1),
                get_f64(stack.high, ply + 1),
            )
            if get_i8(stack.phase, ply) == NEXT:
                phase = _merge_move(rules, numbers, options, stack, pool, ply, value, low, high)
            elif get_i8(stack.phase, ply) == PROBE:
                phase = _merge_probe(stack, pool, ply, value, low, high)
            else:
                phase = _merge_outcome(options, stack, pool, ply, value, low, high)
        if phase >= _STOP:
            # The step can be taken again: nothing was changed that matters.
            reason = phase - _STOP
            phase = get_i8(stack.phase, ply)
            break
    set_i64(stack.state, PLY, ply)
    set_i64(stack.state, PHASE, phase)
    return reason


@njit(cache=True)
def _result(stack: Any, ply: Any, value: Any, low: Any, high: Any) -> Any:
    set_f64(stack.best, ply, value)
    set_f64(stack.low, ply, low)
    set_f64(stack.high, ply, high)
    return RETURN


@njit(cache=True)
def _visit(stack: Any) -> None:
    set_i64(stack.state, NODES, get_i64(stack.state, NODES) + 1)


# ------------------------------------------------------------------------------- positions


@njit(cache=True)
def _enter(rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, room: Any, ply: Any) -> Any:
    set_i8(stack.phase, ply, ENTER)
    mover, depth = get_i8(stack.mover, ply), get_i64(stack.depth, ply)
    at = pool.form + get_i64(stack.place, ply) * rules.form
    if mover == TERMINAL:
        if utility(rules, at, room.paid) != 0:
            return _STOP + FAULT
        _visit(stack)
        value = get_f64(room.paid, 0)
        return _result(stack, ply, value, value, value)
    if depth <= 0 and mover != CHANCE:
        if judge(rules, numbers, at, room.paid, room) != 0:
            return _STOP + FAULT
        _visit(stack)
        return _result(stack, ply, get_f64(room.paid, 0), options.low, options.high)
    key = hash_form(at, rules.form)
    set_u64(stack.key, ply, key)
    if options.repeats:
        for above in range(ply):
            again = get_i64(stack.depth, above) == depth or depth > ENDLESS // 2
            if get_u64(stack.key, above) == key and again:
                return _STOP + REPEATED
    if mover == CHANCE or mover == options.assumed:
        return _enter_chance(rules, numbers, options, stack, pool, room, ply, at)
    table_move = NO_MOVE
    if options.table and (options.only < 0 or ply > 0):
        meta, kept = probe(options.table, options.shift, key)
        if meta:
            bound = bound_in(meta)
            table_move = move_in(meta)
            above, below = kept >= get_f64(stack.beta, ply), kept <= get_f64(stack.alpha, ply)
            fits = bound == EXACT or (bound == LOWER and above) or (bound == UPPER and below)
            if fits and answers(meta, depth):
                _visit(stack)
                low = kept if proven_in(meta) and bound != UPPER else options.low
                high = kept if proven_in(meta) and bound != LOWER else options.high
                return _result(stack, ply, kept, low, high)
    count = call_i64_ppi(rules.moves, at, room.moves, room.moves_room)
    if count < 0:
        return _STOP + FAULT
    if count > room.moves_room:
        return _STOP + MORE_MOVES
    if ply > 0 or options.only < 0:
        _visit(stack)
    first = get_i64(stack.state, POOL_TOP)
    kept_moves = 0
    for i in range(count):
        move = get_i64(room.moves, i)
        if options.only >= 0 and ply == 0 and move != options.only:
            continue
        slot = first + kept_moves
        set_i64(pool.move, slot, move)
        set_i32(pool.index, slot, i)
        score = float(get_i64(stack.history, mover * HISTORY + (move & (HISTORY - 1))))
        set_f64(pool.score, slot, 1e15 if i == table_move else score)
        kept_moves += 1
    set_i64(stack.first, ply, first)
    set_i32(stack.count, ply, kept_moves)
    set_i32(stack.next, ply, 0)
    set_i32(stack.best_move, ply, NO_MOVE)
    set_i64(stack.state, POOL_TOP, first + kept_moves)
    bad = -np.inf if mover == 0 else np.inf
    _result(stack, ply, bad, bad, bad)
    return NEXT


@njit(cache=True)
def _next_move(rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, room: Any, ply: Any) -> Any:
    """Makes the most promising move that is left; gives ENTER or PROBE for the frame above, or RETURN."""
    set_i8(stack.phase, ply, NEXT)
    first, count = get_i64(stack.first, ply), get_i32(stack.count, ply)
    alpha, beta = get_f64(stack.alpha, ply), get_f64(stack.beta, ply)
    done = get_i32(stack.next, ply) >= get_i32(stack.moves, ply)
    best, slot = -np.inf, -1
    for k in range(first, first + count):
        if get_f64(pool.score, k) > best:
            best, slot = get_f64(pool.score, k), k
    if slot < 0 or done or (options.mode != PLAIN and alpha >= beta):
        _finish(options, stack, pool, ply, slot >= 0)
        return RETURN
    move = get_i64(pool.move, slot)
    at = pool.form + get_i64(stack.place, ply) * rules.form
    top = first + count
    depth = get_i64(stack.depth, ply) - 1
    outcomes = 1
    if may_draw(numbers, move):
        outcomes = call_i64_pipipp(
            rules.outcomes, at, move, room.records, room.outcomes_room, room.table, room.script
        )
        if outcomes == -CAPACITY:
            return _STOP + MORE_OUTCOMES
        if outcomes < 0:
            return _STOP + FAULT
    set_i64(stack.chosen, ply, slot)
    set_i32(stack.next, ply, get_i32(stack.next, ply) + 1)
    set_f64(pool.score, slot, -np.inf)
    if outcomes > 1:
        _push(stack, ply + 1, get_i64(stack.place, ply), CHANCE, depth, alpha, beta, 1 << 30)
        set_f64(stack.reward, ply, 0.0)
        set_i64(stack.first, ply + 1, top)
        _take_outcomes(rules, numbers, pool, room, top, 0, outcomes, 1.0)
        set_u64(stack.key, ply + 1, np.uint64(0))
        return _ready(rules, options, stack, pool, room, ply + 1, outcomes)
    form = pool.form + top * rules.form
    copy_bytes(form, at, rules.form)
    if call_i32_pipp(rules.sample, form, move, room.random, room.rewards) != 0:
        return _STOP + FAULT
    reward = get_f64(room.rewards, 0) if rules.pays else 0.0
    set_f64(stack.reward, ply, reward)
    set_i64(stack.state, POOL_TOP, top + 1)
    mover = call_i32_p(rules.to_move, form)
    if mover < TERMINAL:
        return _STOP + FAULT
    if numbers.discount == 0.0:
        alpha, beta = options.low, options.high
    else:
        alpha, beta = (alpha - reward) / numbers.discount, (beta - reward) / numbers.discount
    _push(stack, ply + 1, top, mover, depth, alpha, beta, 1 << 30)
    return ENTER


@njit(cache=True)
def _merge_move(
    rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, ply: Any, value: Any, low: Any, high: Any
) -> Any:
    set_i64(stack.state, POOL_TOP, get_i64(stack.first, ply) + get_i32(stack.count, ply))
    if get_i64(stack.place, ply + 1) != get_i64(stack.place, ply):  # one outcome: not yet discounted
        reward = get_f64(stack.reward, ply)
        value = reward + numbers.discount * value
        low, high = reward + numbers.discount * low, reward + numbers.discount * high
    mover = get_i8(stack.mover, ply)
    slot = get_i64(stack.chosen, ply)
    first_player = mover == 0
    best = get_f64(stack.best, ply)
    if (value > best) if first_player else (value < best):
        set_f64(stack.best, ply, value)
        set_i32(stack.best_move, ply, get_i32(pool.index, slot))
    if first_player:
        set_f64(stack.low, ply, max(get_f64(stack.low, ply), low))
        set_f64(stack.high, ply, max(get_f64(stack.high, ply), high))
        set_f64(stack.alpha, ply, max(get_f64(stack.alpha, ply), value))
    else:
        set_f64(stack.low, ply, min(get_f64(stack.low, ply), low))
        set_f64(stack.high, ply, min(get_f64(stack.high, ply), high))
        set_f64(stack.beta, ply, min(get_f64(stack.beta, ply), value))
    if options.mode != PLAIN and get_f64(stack.alpha, ply) >= get_f64(stack.beta, ply):
        place = mover * HISTORY + (get_i64(pool.move, slot) & (HISTORY - 1))
        set_i64(stack.history, place, get_i64(stack.history, place) + get_i32(stack.next, ply))
    return NEXT


@njit(cache=True)
def _finish(options: Any, stack: Any, pool: Any, ply: Any, cut: Any) -> None:
    """What a position came to; `cut`: some moves were not searched."""
    set_i64(stack.state, POOL_TOP, get_i64(stack.first, ply))
    first_player = get_i8(stack.mover, ply) == 0
    if cut and first_player:
        set_f64(stack.high, ply, options.high)
    if cut and not first_player:
        set_f64(stack.low, ply, options.low)
    probed = get_i32(stack.moves, ply) == 1
    if not options.table or probed or (options.only >= 0 and ply == 0):
        return
    best, low, high = get_f64(stack.best, ply), get_f64(stack.low, ply), get_f64(stack.high, ply)
    floor, ceiling = get_f64(stack.floor, ply), get_f64(stack.ceiling, ply)
    bound = LOWER if best >= ceiling else UPPER if best <= floor else EXACT
    proven = False
    if low == high:
        best, bound, proven = low, EXACT, True
    elif (bound == LOWER and low >= ceiling) or (bound == UPPER and high <= floor):
        best, proven = low if bound == LOWER else high, True
    store(
        options.table,
        options.shift,
        get_u64(stack.key, ply),
        best,
        bound,
        get_i64(stack.depth, ply),
        proven,
        get_i32(stack.best_move, ply),
        get_i64(stack.state, NODES) - get_i64(stack.before, ply),
    )


# ---------------------------------------------------------------------------------- chance


@njit(cache=True)
def _take_outcomes(
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
def _enter_chance(
    rules: Any, numbers: Any, options: Any, stack: Any, pool: Any, room: Any, ply: Any, at: Any
) -> Any:
    """A position in which chance moves, or a player who is taken to move at random: all that the moves may
    lead to, with the odds of both together. A player's move counts for the depth."""
    by_chance = get_i8(stack.mover, ply) == CHANCE
    count = call_i64_ppi(rules.moves, at, room.moves, room.moves_room)
    if count < 0:
        return _STOP + FAULT
    if count > room.moves_room:
        return _STOP + MORE_MOVES
    total = 1.0
    if by_chance:
        if call_i32_ppip(rules.weights, at, room.moves, count, room.weights) != 0:
            return _STOP + FAULT
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
            return _STOP + POOL_FULL
        if not may_draw(numbers, move):
            copy_bytes(room.form, at, rules.form)
            if call_i32_pipp(rules.sample, room.form, move, room.random, room.rewards) != 0:
                return _STOP + FAULT
            reward = get_f64(room.rewards, 0) if rules.pays else 0.0
            _take_outcome(rules, numbers, pool, first, taken, room.form, odds, reward)
            taken += 1
            continue
        outcomes = call_i64_pipipp(
            rules.outcomes, at, move, room.records, room.outcomes_room, room.table, room.script
        )
        if outcomes == -CAPACITY:
            return _STOP + MORE_OUTCOMES
        if outcomes < 0:
            return _STOP + FAULT
        _take_outcomes(rules, numbers, pool, room, first, taken, outcomes, odds)
        taken += outcomes
    if not by_chance:
        set_i64(stack.depth, ply, get_i64(stack.depth, ply) - 1)
    _visit(stack)
    set_i64(stack.first, ply, first)
    return _ready(rules, options, stack, pool, room, ply, taken)


@njit(cache=True)
def _ready(rules: Any, options: Any, stack: Any, pool: Any, room: Any, ply: Any, count: Any) -> Any:
    """Begins a frame of chance whose outcomes are in the pool: what is known of each without a search.

    A finished game has its utility; under Star2 the table may know a position.
    """
    first = get_i64(stack.first, ply)
    searched, low_rest, high_rest = 0.0, 0.0, 0.0
    for slot in range(first, first + count):
        at = pool.form + slot * rules.form
        mover = call_i32_p(rules.to_move, at)
        if mover < TERMINAL:
            return _STOP + FAULT
        low, high, proven, moves = options.low, options.high, 1, 0
        if mover == TERMINAL:
            if utility(rules, at, room.paid) != 0:
                return _STOP + FAULT
            _visit(stack)
            low = high = get_f64(room.paid, 0)
        elif options.mode == STAR2 and mover >= 0 and get_i64(stack.depth, ply) > 0:
            moves = call_i64_ppi(rules.moves, at, room.moves, room.moves_room)
            if options.table:
                low, high, proven = _known(options, hash_form(at, rules.form), get_i64(stack.depth, ply))
        set_i8(pool.mover, slot, mover)
        set_f64(pool.low, slot, low)
        set_f64(pool.high, slot, high)
        set_i8(pool.proven, slot, proven)
        set_i32(pool.index, slot, moves)
        searched += get_f64(pool.reward, slot)
        if options.mode != PLAIN:
            low_rest += get_f64(pool.score, slot) * low
            high_rest += get_f64(pool.score, slot) * high
    set_i32(stack.count, ply, count)
    set_i32(stack.next, ply, 0)
    set_f64(stack.low_rest, ply, low_rest)
    set_f64(stack.high_rest, ply, high_rest)
    set_i64(stack.state, POOL_TOP, first + count)
    _result(stack, ply, searched, searched, searched)
    return PROBE


@njit(cache=True)
def _known(options: Any, key: Any, depth: Any) -> Any:
    """Between which numbers the table knows a position to lie, and whether that is proven."""
    meta, kept = probe(options.table, options.shift, key)
    if meta == 0 or not answers(meta, depth):
        return options.low, options.high, 1
    bound = bound_in(meta)
    low = kept if bound != UPPER else options.low
    high = kept if bound != LOWER else options.high
    return low, high, 1 if proven_in(meta) else 0


@njit(cache=True)
def _probe(options: Any, stack: Any, pool: Any, ply: Any) -> Any:
    """The next probe, on the stack (ENTER); or RETURN where the bounds already decide, or DRAW."""
    set_i8(stack.phase, ply, PROBE)
    if options.mode == PLAIN:
        return _begin_draws(stack, ply)
    alpha, beta = get_f64(stack.alpha, ply), get_f64(stack.beta, ply)
    low, high = get_f64(stack.low_rest, ply), get_f64(stack.high_rest, ply)
    first, count = get_i64(stack.first, ply), get_i32(stack.count, ply)
    if low >= beta or high <= alpha:
        value = low if low >= beta else high
        proven_low, proven_high = _proven_rest(options, stack, pool, ply, 0)
        set_i64(stack.state, POOL_TOP, first)
        return _result(stack, ply, value, proven_low, proven_high)
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
    _push(stack, ply + 1, slot, mover, get_i64(stack.depth, ply), inner_alpha, inner_beta, 1)
    return ENTER


@njit(cache=True)
def _merge_probe(stack: Any, pool: Any, ply: Any, value: Any, low: Any, high: Any) -> Any:
    """One move bounds its position: from below for the first player, from above for the second."""
    slot = get_i64(stack.first, ply) + get_i32(stack.next, ply)
    set_i64(stack.state, POOL_TOP, get_i64(stack.first, ply) + get_i32(stack.count, ply))
    weight, lowest, highest = get_f64(pool.score, slot), get_f64(pool.low, slot), get_f64(pool.high, slot)
    if get_i8(pool.mover, slot) == 0 and value > lowest:
        value = min(value, highest)
        set_f64(stack.low_rest, ply, get_f64(stack.low_rest, ply) + weight * (value - lowest))
        set_f64(pool.low, slot, value)
        if low < value:
            set_i8(pool.proven, slot, 0)
    if get_i8(pool.mover, slot) == 1 and value < highest:
        value = max(value, lowest)
        set_f64(stack.high_rest, ply, get_f64(stack.high_rest, ply) + weight * (value - highest))
        set_f64(pool.high, slot, value)
        if high > value:
            set_i8(pool.proven, slot, 0)
    set_i32(stack.next, ply, get_i32(stack.next, ply) + 1)
    return PROBE


@njit(cache=True)
def _begin_draws(stack: Any, ply: Any) -> Any:
    set_i32(stack.next, ply, 0)
    return DRAW


@njit(cache=True)
def _proven_rest(options: Any, stack: Any, pool: Any, ply: Any, start: Any) -> Any:
    """What is proven of an expectation whose outcomes from `start` on were not searched."""
    low, high = get_f64(stack.low, ply), get_f64(stack.high, ply)
    first, count = get_i64(stack.first, ply), get_i32(stack.count, ply)
    for slot in range(first + start, first + count):
        known = get_i8(pool.proven, slot) != 0
        low += get_f64(pool.score, slot) * (get_f64(pool.low, slot) if known else options.low)
        high += get_f64(pool.score, slot) * (get_f64(pool.high, slot) if known else options.high)
    return low, high


@njit(cache=True)
def _next_outcome(options: Any, stack: Any, pool: Any, ply: Any) -> Any:
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
            _push(stack, ply + 1, slot, mover, depth, max(alpha, low), min(beta, high), 1 << 30)
            return ENTER
        if weight > 0.0:
            known = get_i8(pool.proven, slot) != 0
            set_f64(stack.best, ply, get_f64(stack.best, ply) + weight * low)
            set_f64(stack.low, ply, get_f64(stack.low, ply) + weight * (low if known else options.low))
            set_f64(stack.high, ply, get_f64(stack.high, ply) + weight * (high if known else options.high))
        i += 1
    set_i64(stack.state, POOL_TOP, first)
    return RETURN


@njit(cache=True)
def _merge_outcome(options: Any, stack: Any, pool: Any, ply: Any, value: Any, low: Any, high: Any) -> Any:
    """Adds an outcome's part; gives RETURN where the rest cannot bring the expectation into the window."""
    first, i = get_i64(stack.first, ply), get_i32(stack.next, ply)
    set_i64(stack.state, POOL_TOP, first + get_i32(stack.count, ply))
    weight = get_f64(pool.score, first + i)
    searched = get_f64(stack.best, ply) + weight * value
    _result(
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
    proven_low, proven_high = _proven_rest(options, stack, pool, ply, i + 1)
    set_i64(stack.state, POOL_TOP, first)
    return _result(stack, ply, searched + rest, proven_low, proven_high)
