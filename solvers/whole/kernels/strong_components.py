"""Strong components of the position graph (Tarjan 1972), without recursion, and the order of work on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.machine.kernels import kernel, woven
from solvers.machine.types import i64


@woven
def edges_from(row: Any, first: Any, v: int) -> Any:
    """The range of outcomes of all choices of a position."""
    if len(first):
        return i64(first[row[v]]), i64(first[row[v + 1]])
    return i64(row[v]), i64(row[v + 1])


@kernel
def strong_components(row: Any, first: Any, target: Any) -> Any:
    """(order, start): positions by component, each component after those that it leads to.

    Component k is order[start[k] : start[k + 1]], in the order in which the search was done with the
    positions: what follows a position stands before it, except along the edges that close a cycle.
    """
    n = len(row) - 1
    unseen = np.uint32(0xFFFFFFFF)
    met = np.full(n, unseen, np.uint32)  # when a position was first met; 0xFFFFFFFE once it is done
    done = np.uint32(0xFFFFFFFE)
    low = np.empty(n, np.uint32)
    stack = np.empty(n, np.uint32)
    path = np.empty(n, np.uint32)
    edge = np.empty(n, np.int64)  # by depth of the path: the next outcome to follow
    left = np.empty(n, np.uint32)  # positions that are done with, but whose component is not
    order = np.empty(n, np.uint32)
    starts = np.empty(n + 1, np.uint32)
    on_stack = placed = parts = leaving = 0
    clock = np.uint32(0)
    for root in range(n):
        if met[root] != unseen:
            continue
        depth = 0
        path[0] = root
        edge[0] = edges_from(row, first, root)[0]
        met[root] = low[root] = clock
        clock += np.uint32(1)
        stack[on_stack] = root
        on_stack += 1
        while depth >= 0:
            v = i64(path[depth])
            e, end = edge[depth], edges_from(row, first, v)[1]
            descended = False
            while e < end:
                t = i64(target[e])
                e += 1
                if met[t] == unseen:
                    edge[depth] = e
                    depth += 1
                    path[depth] = t
                    edge[depth] = edges_from(row, first, t)[0]
                    met[t] = low[t] = clock
                    clock += np.uint32(1)
                    stack[on_stack] = t
                    on_stack += 1
                    descended = True
                    break
                if met[t] != done and met[t] < low[v]:
                    low[v] = met[t]
            if descended:
                continue
            left[leaving] = v
            leaving += 1
            depth -= 1
            if depth >= 0:
                u = path[depth]
                if low[v] < low[u]:
                    low[u] = low[v]
            if low[v] == met[v]:
                starts[parts] = placed
                parts += 1
                size = 0
                while True:
                    on_stack -= 1
                    w = stack[on_stack]
                    met[w] = done
                    size += 1
                    if w == v:
                        break
                leaving -= size
                for k in range(size):
                    order[placed] = left[leaving + k]
                    placed += 1
    starts[parts] = placed
    return order, starts[: parts + 1].copy()


@kernel
def is_cyclic(row: Any, first: Any, target: Any, order: Any, lo: int, hi: int) -> bool:
    """Whether a play can come back to a position of the component order[lo:hi]."""
    if hi - lo > 1:
        return True
    v = i64(order[lo])
    e, end = edges_from(row, first, v)
    for k in range(e, end):  # noqa: SIM110 (numba has no generators here)
        if i64(target[k]) == v:
            return True
    return False


@dataclass(frozen=True, slots=True)
class Condensation:
    """The strong components of a graph and how they hang together.

    Level k is which[level_start[k] : level_start[k + 1]]: components that lead to lower levels only, so that
    they can be solved at the same time.
    """

    order: Any  # see strong_components
    start: Any
    which: Any
    level_start: Any
    cyclic: int  # components with cycles
    largest: int  # the size of the largest of these
    longest: int  # how many of these a play can meet, at most

    def __len__(self) -> int:
        return len(self.start) - 1


def condense(row: Any, first: Any, target: Any) -> Condensation:
    order, start = strong_components(row, first, target)
    which, level_start, cyclic, largest, longest = _survey(row, first, target, order, start)
    return Condensation(order, start, which, level_start, int(cyclic), int(largest), int(longest))


@kernel
def _survey(row: Any, first: Any, target: Any, order: Any, start: Any) -> Any:
    unset = np.uint32(0xFFFFFFFF)
    parts = len(start) - 1
    # By position: its level, and the longest chain of components with cycles from there on.
    known = np.full((len(row) - 1, 2), unset, np.uint32)
    count = np.zeros(parts + 1, np.int64)
    cyclic = largest = longest = deepest = i64(0)
    for k in range(parts):
        lo, hi = i64(start[k]), i64(start[k + 1])
        level = chain = np.uint32(0)
        comes_back = hi - lo > 1
        for i in range(lo, hi):
            e, end = edges_from(row, first, i64(order[i]))
            for j in range(e, end):
                t = target[j]
                if known[t, 0] == unset:  # this component's own
                    comes_back = True
                    continue
                if known[t, 0] >= level:
                    level = np.uint32(known[t, 0] + np.uint32(1))
                chain = max(chain, known[t, 1])
        if comes_back:
            chain = np.uint32(chain + np.uint32(1))
            cyclic += 1
            largest = max(largest, hi - lo)
        for i in range(lo, hi):
            known[order[i], 0], known[order[i], 1] = level, chain
        count[level] += 1
        deepest = max(deepest, i64(level))
        longest = max(longest, i64(chain))
    level_start = np.zeros(deepest + 2, np.int64)
    for k in range(deepest + 1):
        level_start[k + 1] = level_start[k] + count[k]
    at = level_start[:-1].copy()
    which = np.empty(parts, np.uint32)
    for k in range(parts):
        level = known[order[start[k]], 0]
        which[at[level]] = k
        at[level] += 1
    return which, level_start, cyclic, largest, longest


@kernel
def stages(which: Any, level_start: Any, start: Any, narrow: int) -> Any:
    """Where stages begin in `which`, and whether each is wide.

    A wide stage is one level with at least `narrow` positions, whose components are independent; others
    are several levels one after another, not worth being shared out.
    """
    begin = [i64(0) for _ in range(0)]
    wide = [False for _ in range(0)]
    for k in range(len(level_start) - 1):
        size = i64(0)
        for i in range(level_start[k], level_start[k + 1]):
            size += i64(start[which[i] + 1]) - i64(start[which[i]])
        if size >= narrow or not wide or wide[-1]:
            begin.append(level_start[k])
            wide.append(size >= narrow)
    return np.array(begin, np.int64), np.array(wide, np.bool_)
