"""Proven bounds of every value, one strong component after another.

For each component a number eta is paid to Max for every step, on top of the game, and values are iterated
until they hardly change. If then one step from everywhere leads strictly lower even with all roundings
against us, they are a bound from above: Min, who plays what looks best by them, makes them a
supermartingale that falls by some margin at every step and is bounded from below, so the play leaves the
component, and Max gets no more. In the same way with -eta from below. (Optimistic value iteration,
Hartmanns & Kaminski 2020, with the strictness that makes it sound where plays may go round for ever.)

Where a player wants to stay for ever this cannot succeed: the numbers creep on by eta. Such components are
left to `end_components.py`, which deflates end components.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gdl.movers import TERMINAL
from solvers.machine.kernels import kernel, step, woven
from solvers.machine.types import i64
from solvers.whole.kernels.strong_components import is_cyclic

ROUNDING = 2.0**-53

# What became of a run over components.
FINISHED, PAUSED, HARD, LARGE = range(4)

STALLED = 60
"""Sweeps without a smaller change after which a component is called hard."""

SHRINKING = 0.999
"""A change counts as smaller if it is at most this share of the smallest one before."""

ATTEMPTS = 12


def outwards(utilities: Any, side: int, whole: bool) -> Any:
    """Utilities, rounded up (side 1) or down (-1) unless they are `whole` numbers that floats hold.

    A fraction was rounded three times: numerator, denominator, quotient.
    """
    unsure = np.abs(utilities) >= 2.0**53 if whole else utilities != 0
    return np.where(unsure, utilities + side * 4 * ROUNDING * np.abs(utilities), utilities)


class Equations(NamedTuple):
    """What each position is worth by those that its choices lead to."""

    graph: Any  # PositionGraph.arrays
    reward: Any  # f64[laws, 2]: the expected reward of each law and its error (PositionGraph.paid)
    discount: float


# What a pair of bounds is good for.
ONCE_MORE, GOOD, USELESS = range(3)


@woven
def worth_of(c: int, values: Any, equations: Any) -> Any:
    """What a choice is worth by the given values, and a bound of the rounding error."""
    _mover, _row, first, law, target, law_start, odds = equations.graph
    reward, discount = equations.reward, equations.discount
    if len(first) == 0:
        value = discount * values[target[c]]
        return value, 0.0 if discount == 1.0 else 4.0 * ROUNDING * abs(value)
    at = law_start[law[c]]
    lo, hi = i64(first[c]), i64(first[c + 1])
    total = 0.0
    size = 0.0
    for e in range(lo, hi):
        term = odds[at] * values[target[e]]
        total += term
        size += abs(term)
        at += 1
    paid, error = reward[law[c], 0], reward[law[c], 1]
    if hi - lo == 1 and paid == 0.0 and error == 0.0 and discount == 1.0:
        return total, 0.0
    return paid + discount * total, (12.0 + (hi - lo)) * ROUNDING * (abs(paid) + size) + error


@woven
def best_of(v: int, values: Any, equations: Any, side: float) -> float:
    """The value of a position one step back, rounded up (side 1), down (-1) or not (0)."""
    mover, row, _first, _law, _target, _law_start, _odds = equations.graph
    best = 0.0
    start = i64(row[v])
    for c in range(start, i64(row[v + 1])):
        value, error = worth_of(c, values, equations)
        value += side * error
        if c == start or (value < best if mover[v] == 1 else value > best):
            best = value
    return best


@kernel
def sweep(lo: int, hi: int, values: Any, equations: Any, extra: float, steps: Any) -> Any:
    """Updates positions lo .. hi - 1 in place, with `extra` per step.

    `steps` remembers the change of each number. Gives the largest change, and what extrapolation needs: the
    product of these changes with those of the sweep before, and of those with themselves.
    """
    change = along = across = 0.0
    for v in range(lo, hi):
        value = best_of(v, values, equations, 0.0) + extra
        step = value - values[v]
        change = max(change, abs(step))
        values[v] = value
        along += step * steps[v]
        across += steps[v] * steps[v]
        steps[v] = step
    return change, along, across


@woven
def leap(turn: int, along: float, across: float) -> float:
    """By how many times the last change numbers are carried on after a sweep, 0 for not at all.

    Every third sweep they are carried on to where their changes, which shrink by nearly the same factor each
    time, would lead (Aitken 1926): where all play passes through one position, as at the end of a turn, that
    is the solution at once. Only speed depends on it.
    """
    if turn != 2 or not across > 0.0:
        return 0.0
    factor = along / across
    return factor / (1.0 - factor) if 0.0 < factor < 0.99999 else 0.0


@kernel
def carry_on(size: int, values: Any, factor: float, steps: Any) -> None:
    """Moves every number on by `factor` times its last change."""
    for v in range(size):
        values[v] += factor * steps[v]


@step
def _settle(size: int, values: Any, equations: Any, extra: float, sweeps: int, steps: Any) -> Any:
    """Iterates with `extra` per step until hardly anything changes; whether it did, and the sweeps that it
    took.
    """
    smallest = np.inf
    since = 0
    for count in range(sweeps):
        change, along, across = sweep(i64(0), size, values, equations, extra, steps)
        if change <= abs(extra) / 4:
            return True, count + 1
        factor = leap(count % 3, along, across)
        if factor:
            carry_on(size, values, factor, steps)
        if change < SHRINKING * smallest:
            smallest = change
            since = 0
        else:
            since += 1
            if since > STALLED:
                return False, count + 1
    return False, sweeps


@kernel
def passes(lo: int, hi: int, values: Any, equations: Any, side: float) -> bool:
    """Whether one step from each of the positions leads strictly inwards, rounding included."""
    for v in range(lo, hi):  # noqa: SIM110 (numba has no generators here)
        if not side * best_of(v, values, equations, side) < side * values[v]:
            return False
    return True


@kernel
def measure(size: int, low: Any, high: Any) -> Any:
    """The widest gap between bounds, and the largest number among them."""
    widest = scale = 0.0
    for v in range(size):
        widest = max(widest, high[v] - low[v])
        scale = max(scale, max(abs(high[v]), abs(low[v])))
    return widest, scale


@kernel
def judge(sound: bool, gap: float, wanted: float, scale: float, most: int, eta: float) -> Any:
    """What to do with bounds that settled with eta per step, and the next eta if they are not good enough."""
    finest = 4.0 * (12.0 + most) * ROUNDING * scale
    if not sound:
        return (USELESS, eta) if eta >= finest else (ONCE_MORE, 2 * finest)
    if gap <= wanted or eta / 8 < finest:
        return GOOD, eta
    return ONCE_MORE, eta / 8


@kernel
def cut_out(nodes: Any, local: Any, graph: Any) -> Any:
    """A component as a graph of its own: (graph, exits, most).

    Its positions are 0 .. m - 1 in the order of `nodes`, side by side in memory, which is what makes sweeps
    fast; then come the exits, the positions that it leads to, once for each edge. `most` is the largest
    number of outcomes of a choice. `local` must be -1 everywhere, and is so again afterwards.
    """
    mover, row, first, law, target, law_start, odds = graph
    m = len(nodes)
    choices = edges = 0
    for i in range(m):
        v = i64(nodes[i])
        local[v] = i
        lo, hi = i64(row[v]), i64(row[v + 1])
        choices += hi - lo
        edges += i64(first[hi]) - i64(first[lo]) if len(first) else hi - lo
    own_mover = np.empty(m, mover.dtype)
    own_row = np.zeros(m + 1, row.dtype)
    own_first = np.zeros(choices + 1 if len(first) else 0, first.dtype)
    own_law = np.empty(choices if len(first) else 0, law.dtype)
    own_target = np.empty(edges, target.dtype)
    exits = np.empty(edges, target.dtype)
    left = k = at = 0
    most = 1
    for i in range(m):
        v = i64(nodes[i])
        own_mover[i] = mover[v]
        for c in range(i64(row[v]), i64(row[v + 1])):
            lo, hi = c, c + 1
            if len(first):
                lo, hi = i64(first[c]), i64(first[c + 1])
                own_law[k] = law[c]
                own_first[k + 1] = at + hi - lo
                most = max(most, hi - lo)
            for e in range(lo, hi):
                t = local[target[e]]
                if t < 0:
                    exits[left] = target[e]
                    own_target[at] = m + left
                    left += 1
                else:
                    own_target[at] = t
                at += 1
            k += 1
        own_row[i + 1] = k
    for i in range(m):
        local[nodes[i]] = -1
    return (own_mover, own_row, own_first, own_law, own_target, law_start, odds), exits[:left].copy(), most


@kernel
def numbers_of(nodes: Any, exits: Any, values: Any) -> Any:
    """The values of a component that has been cut out, and of its exits."""
    m = len(nodes)
    own = np.empty(m + len(exits))
    for i in range(m):
        own[i] = values[nodes[i]]
    for i in range(len(exits)):
        own[m + i] = values[exits[i]]
    return own


@step
def _solve_component(size: int, low: Any, high: Any, equations: Any, aim: Any, most: int, steps: Any) -> Any:
    """Bounds of a component with cycles at most `aim.share` further apart than those of its exits, or as
    rounding allows.

    Gives whether it succeeded and how many sweeps it took.
    """
    used = 0
    outside = measure(len(low) - size, low[size:], high[size:])[0]
    high[:size] = aim.start
    eta = aim.share / 8
    for attempt in range(ATTEMPTS):
        settled, took = _settle(size, high, equations, eta, aim.sweeps, steps)
        used += took
        if not settled:
            return False, used
        if attempt == 0:
            low[:size] = high[:size] - outside
        settled, took = _settle(size, low, equations, -eta, aim.sweeps, steps)
        used += took
        if not settled:
            return False, used
        sound = passes(i64(0), size, high, equations, 1.0) and passes(i64(0), size, low, equations, -1.0)
        gap, scale = measure(size, low, high)
        verdict, eta = judge(sound, gap, outside + aim.share, scale, most, eta)
        if verdict != ONCE_MORE:
            return verdict == GOOD, used
    return False, used


class Components(NamedTuple):
    """Component c is order[starts[c] : starts[c + 1]]; gone through are those in `which`, or all if it is
    empty."""

    order: Any  # u32
    starts: Any  # i64
    which: Any


class Aim(NamedTuple):
    """How close bounds shall come: by `share` for each component, in so many sweeps, beginning at `start`."""

    share: float
    start: float
    sweeps: int


class Room(NamedTuple):
    """Room for one thread."""

    local: Any  # i32 per position: for cut_out
    steps: Any  # f64 per position of the largest component that is solved here
    tally: Any  # i64[1]: updates so far


@kernel
def iterate(
    components: Any,
    at: int,
    end: int,
    quota: int,
    low: Any,
    high: Any,
    equations: Any,
    aim: Any,
    room: Any,
) -> Any:
    """Goes through components at .. end - 1; stops at a hard one, at one too large for the room, or after
    about `quota` updates. Gives why it stopped and where.
    """
    mover, row, first, _law, target, _law_start, _odds = equations.graph
    order, starts, which = components
    while at < end:
        component = i64(which[at]) if len(which) else at
        lo, hi = i64(starts[component]), i64(starts[component + 1])
        v = i64(order[lo])
        if hi - lo == 1 and mover[v] == TERMINAL:
            at += 1
            continue
        updates = i64(1)
        if not is_cyclic(row, first, target, order, lo, hi):
            low[v] = best_of(v, low, equations, -1.0)
            high[v] = best_of(v, high, equations, 1.0)
        elif hi - lo > len(room.steps):
            return LARGE, at
        else:
            done, updates = _bound_component(order[lo:hi], low, high, equations, aim, room)
            if not done:
                room.tally[0] += updates
                return HARD, at
        quota -= updates
        room.tally[0] += updates
        at += 1
        if quota < 0:
            return PAUSED, at
    return FINISHED, at


@step
def _bound_component(nodes: Any, low: Any, high: Any, equations: Any, aim: Any, room: Any) -> Any:
    """Bounds a component with cycles, cut out as a graph of its own; whether it succeeded, and updates."""
    size = len(nodes)
    graph, exits, most = cut_out(nodes, room.local, equations.graph)
    own = Equations(graph, equations.reward, equations.discount)
    own_low, own_high = numbers_of(nodes, exits, low), numbers_of(nodes, exits, high)
    done, used = _solve_component(size, own_low, own_high, own, aim, most, room.steps)
    if done:
        for i in range(size):
            low[nodes[i]], high[nodes[i]] = own_low[i], own_high[i]
    return done, used * size
