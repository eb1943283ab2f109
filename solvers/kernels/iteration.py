"""Proven bounds of every value, one strong component after another.

For each component a number eta is paid to Max for every step, on top of the game, and values are iterated
until they hardly change. If then one step from everywhere leads strictly lower even with all roundings
against us, they are a bound from above: Min, who plays what looks best by them, makes them a
supermartingale that falls by some margin at every step and is bounded from below, so the play leaves the
component, and Max gets no more. In the same way with -eta from below. (Optimistic value iteration,
Hartmanns & Kaminski 2020, with the strictness that makes it sound where plays may go round for ever.)

Where a player wants to stay for ever this cannot succeed: the numbers creep on by eta. Such components are
left to `bounding.py`, which deflates end components.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from solvers.kernels.components import is_cyclic
from solvers.kernels.types import i64

TERMINAL = -2
ROUNDING = 2.0**-53

# What became of a run over components.
FINISHED, PAUSED, HARD = range(3)

_STALLED = 60
"""Sweeps without a smaller change after which a component is called hard."""


@njit(cache=True, nogil=True, inline="always")
def worth_of(c: int, values: Any, graph: Any, reward: Any, discount: float) -> Any:
    """What a choice is worth by the given values, and a bound of the rounding error."""
    _mover, _row, first, law, target, law_start, odds = graph
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
    paid = reward[law[c], 0]
    if hi - lo == 1 and paid == 0.0 and discount == 1.0:
        return total, 0.0
    return paid + discount * total, (8.0 + (hi - lo)) * ROUNDING * (2.0 * abs(paid) + size)


@njit(cache=True, nogil=True, inline="always")
def best_of(v: int, values: Any, graph: Any, reward: Any, discount: float, side: float) -> float:
    """The value of a position one step back, rounded up (side 1), down (-1) or not (0)."""
    mover, row, _first, _law, _target, _law_start, _odds = graph
    best = 0.0
    start = i64(row[v])
    for c in range(start, i64(row[v + 1])):
        value, error = worth_of(c, values, graph, reward, discount)
        value += side * error
        if c == start or (value < best if mover[v] == 1 else value > best):
            best = value
    return best


@njit(cache=True, nogil=True)
def _settle(
    nodes: Any,
    values: Any,
    graph: Any,
    reward: Any,
    discount: float,
    side: float,
    eta: float,
    sweeps: int,
    steps: Any,
) -> Any:
    """Iterates with eta per step until hardly anything changes; whether it did, and the sweeps that it took.

    Every third sweep the numbers are carried on to where their changes, which shrink by nearly the same
    factor each time, would lead (Aitken 1926): where all play passes through one position, as at the end of
    a turn, that is the solution at once. Only speed depends on it. `steps[k]` remembers the change of each
    number.
    """
    size = len(nodes)
    smallest = np.inf
    since = 0
    for sweep in range(sweeps):
        change = 0.0
        along = across = 0.0
        turn = sweep % 3
        for i in range(size):
            v = i64(nodes[i])
            value = best_of(v, values, graph, reward, discount, 0.0) + side * eta
            step = value - values[v]
            change = max(change, abs(step))
            values[v] = value
            if turn == 2:
                along += step * steps[i]
                across += steps[i] * steps[i]
            steps[i] = step
        if change <= eta / 4:
            return True, sweep + 1
        if turn == 2 and across > 0.0:
            factor = along / across
            if 0.0 < factor < 0.99999:
                factor /= 1.0 - factor
                for i in range(size):
                    values[nodes[i]] += factor * steps[i]
        if change < 0.999 * smallest:
            smallest = change
            since = 0
        else:
            since += 1
            if since > _STALLED:
                return False, sweep + 1
    return False, sweeps


@njit(cache=True, nogil=True)
def passes(nodes: Any, values: Any, graph: Any, reward: Any, discount: float, side: float) -> bool:
    """Whether one step from everywhere leads strictly inwards, rounding included."""
    for i in range(len(nodes)):
        v = i64(nodes[i])
        if not side * best_of(v, values, graph, reward, discount, side) < side * values[v]:
            return False
    return True


@njit(cache=True, nogil=True)
def _gap(nodes: Any, low: Any, high: Any) -> float:
    widest = 0.0
    for i in range(len(nodes)):
        widest = max(widest, high[nodes[i]] - low[nodes[i]])
    return widest


@njit(cache=True, nogil=True)
def _outside(nodes: Any, low: Any, high: Any, graph: Any, inside: Any, mark: int) -> Any:
    """The widest gap of the positions that the component leads to, and the most outcomes of a choice."""
    _mover, row, first, _law, target, _law_start, _odds = graph
    widest = 0.0
    most = 1
    for i in range(len(nodes)):
        v = nodes[i]
        for c in range(i64(row[v]), i64(row[v + 1])):
            lo, hi = c, c + 1
            if len(first):
                lo, hi = i64(first[c]), i64(first[c + 1])
            most = max(most, hi - lo)
            for e in range(lo, hi):
                t = target[e]
                if inside[t] != mark:
                    widest = max(widest, high[t] - low[t])
    return widest, most


@njit(cache=True, nogil=True)
def _solve_component(
    nodes: Any,
    low: Any,
    high: Any,
    graph: Any,
    reward: Any,
    discount: float,
    share: float,
    start: float,
    outside: float,
    most: int,
    sweeps: int,
    steps: Any,
) -> Any:
    """Bounds of a component with cycles at most `outside + share` apart, or as rounding allows.

    Gives whether it succeeded and how many sweeps it took.
    """
    used = 0
    for i in range(len(nodes)):
        high[nodes[i]] = start
    eta = share / 8
    for attempt in range(12):
        settled, took = _settle(nodes, high, graph, reward, discount, 1.0, eta, sweeps, steps)
        used += took
        if not settled:
            return False, used
        if attempt == 0:
            for i in range(len(nodes)):
                low[nodes[i]] = high[nodes[i]] - outside
        settled, took = _settle(nodes, low, graph, reward, discount, -1.0, eta, sweeps, steps)
        used += took
        if not settled:
            return False, used
        scale = 0.0
        for i in range(len(nodes)):
            scale = max(scale, max(abs(high[nodes[i]]), abs(low[nodes[i]])))
        finest = 4.0 * (8.0 + most) * ROUNDING * scale
        sound = passes(nodes, high, graph, reward, discount, 1.0) and passes(
            nodes, low, graph, reward, discount, -1.0
        )
        if not sound:
            if eta >= finest:
                return False, used
            eta = 2 * finest
            continue
        if _gap(nodes, low, high) <= outside + share or eta / 8 < finest:
            return True, used
        eta /= 8
    return False, used


@njit(cache=True, nogil=True)
def iterate(
    order: Any,
    starts: Any,
    component: int,
    quota: int,
    low: Any,
    high: Any,
    graph: Any,
    reward: Any,
    discount: float,
    share: float,
    endless: float,
    inside: Any,
    sweeps: int,
    steps: Any,
    tally: Any,
) -> Any:
    """Goes through components from `component` on; stops at a hard one, or after about `quota` updates.

    Gives why it stopped and where. `inside[v]` is the mark of the component of v; `steps` has room for the
    largest component. tally: updates, most sweeps.
    """
    mover, row, first, _law, target, _law_start, _odds = graph
    while component < len(starts) - 1:
        lo, hi = i64(starts[component]), i64(starts[component + 1])
        v = i64(order[lo])
        if hi - lo == 1 and mover[v] == TERMINAL:
            component += 1
            continue
        if not is_cyclic(row, first, target, order, lo, hi):
            low[v] = best_of(v, low, graph, reward, discount, -1.0)
            high[v] = best_of(v, high, graph, reward, discount, 1.0)
            quota -= 1
            tally[0] += 1
        else:
            nodes = order[lo:hi]
            for i in range(lo, hi):
                inside[order[i]] = component
            outside, most = _outside(nodes, low, high, graph, inside, component)
            done, used = _solve_component(
                nodes, low, high, graph, reward, discount, share, endless, outside, most, sweeps, steps
            )
            quota -= used * (hi - lo)
            tally[0] += used * (hi - lo)
            tally[1] = max(tally[1], used)
            if not done:
                return HARD, component
        component += 1
        if quota < 0:
            return PAUSED, component
    return FINISHED, component
