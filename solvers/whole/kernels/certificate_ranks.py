"""Ranks of a certificate: how a play that keeps to its bounds gets on (docs/certificates.md).

The least ranks that satisfy the conditions of certificates. Position s has a rank of at most k where

- a choice that gains on the bound needs nothing,
- any other choice may lead to a position of rank below k, or,
- where endless play is worth the bound, it leads to positions of rank at most k only;

one such choice is enough for the player whom the bound helps; for the other, and for chance, all choices must
be such. The third condition speaks of rank k itself: of all sets of positions that support each other the
largest is taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl.certificates.inequalities import Edges
from solvers.machine.kernels import kernel, step
from solvers.machine.types import i64

UNRANKED = -1


def least_ranks(edges: Edges, compared: Any, resting: Any, chooser: int) -> Any:
    """The rank of every position, UNRANKED where there is none: the bound there rests on nothing.

    `compared` holds the sign of what each choice gains on the bound of its position, `resting` says where
    endless play is worth the bound.
    """
    if edges.discount != 1:
        return np.zeros(len(edges.mover), np.int64)
    target = edges.target.astype(np.uint32, copy=False)
    return _rank(edges.mover == chooser, edges.row, edges.first, target, edges.owner, compared, resting)


@kernel
def _rank(chooses: Any, row: Any, first: Any, target: Any, owner: Any, compared: Any, resting: Any) -> Any:
    n = len(chooses)
    rank = np.full(n, UNRANKED, np.int64)
    waiting = np.zeros(n, np.int64)  # choices that are neither gains nor settled by progress
    queue = np.empty(n, np.int64)  # positions in the order of their ranks
    done = 0
    for v in range(n):
        gains = False
        for c in range(row[v], row[v + 1]):
            gains = gains or compared[c] > 0
            waiting[v] += compared[c] == 0
        if gains if chooses[v] else waiting[v] == 0:
            rank[v] = 0
            queue[done] = v
            done += 1
    start, before = _choices_before(row, first, target, compared, rank)
    settled = np.zeros(len(owner), np.bool_)
    standing = np.zeros(len(owner), np.bool_)
    inside = np.zeros(n, np.bool_)
    candidates = np.array([v for v in range(n) if rank[v] < 0 and resting[v]], np.int64)
    k = begin = 0
    arrays = (chooses, row, first, target, owner, compared)
    while True:
        end = done
        if k > 0:  # progress: choices that may lead to positions of the rank before
            for i in range(begin, end):
                for at in range(start[queue[i]], start[queue[i] + 1]):
                    c = before[at]
                    v = owner[c]
                    if rank[v] >= 0 or settled[c]:
                        continue
                    settled[c] = True
                    waiting[v] -= 1
                    if chooses[v] or waiting[v] == 0:
                        rank[v] = k
                        queue[done] = v
                        done += 1
            begin = end
        candidates = candidates[rank[candidates] < 0]
        if len(candidates):
            _support(arrays, rank, candidates, settled, start, before, inside, standing)
            for v in candidates:
                if inside[v]:
                    inside[v] = False
                    rank[v] = k
                    queue[done] = v
                    done += 1
        if k > 0 and done == end:
            return rank
        k += 1


@step
def _choices_before(row: Any, first: Any, target: Any, compared: Any, rank: Any) -> Any:
    """before[start[t] : start[t + 1]]: the choices without gain that may lead from another position to t."""
    n = len(rank)
    start = np.zeros(n + 1, np.int64)
    for fill in range(2):
        if fill:
            for t in range(n):
                start[t + 1] += start[t]
            at = start[:-1].copy()
            before = np.empty(start[n], np.int32)
        for v in range(n):
            if rank[v] >= 0:
                continue
            for c in range(row[v], row[v + 1]):
                if compared[c] != 0:
                    continue
                for e in range(first[c], first[c + 1]):
                    t = i64(target[e])
                    if t != v and fill:
                        before[at[t]] = c
                        at[t] += 1
                    elif t != v:
                        start[t + 1] += 1
    return start, before


@step
def _support(
    arrays: Any,
    rank: Any,
    candidates: Any,
    settled: Any,
    start: Any,
    before: Any,
    inside: Any,
    standing: Any,
) -> None:
    """Marks as `inside` the largest set of candidates where play can rest: it leads to ranks and itself."""
    chooses, row, first, target, owner, compared = arrays
    inside[candidates] = True
    kept = np.zeros(len(rank), np.int64)  # choices that lead to ranks or inside only
    out = np.empty(len(candidates), np.int64)
    left = 0
    for v in candidates:
        broken = False
        for c in range(row[v], row[v + 1]):
            if compared[c] != 0 or settled[c]:
                continue
            stands = True
            for e in range(first[c], first[c + 1]):
                t = i64(target[e])
                stands = stands and (rank[t] >= 0 or inside[t] or t == v)
            standing[c] = stands
            kept[v] += stands
            broken = broken or not stands
        if (kept[v] == 0) if chooses[v] else broken:
            out[left] = v
            left += 1
    for i in range(left):
        inside[out[i]] = False
    # Those that were left out above saw others inside that are not: follow them up.
    i = 0
    while i < left:
        for at in range(start[out[i]], start[out[i] + 1]):
            c = before[at]
            v = owner[c]
            if not inside[v] or not standing[c]:
                continue
            standing[c] = False
            kept[v] -= 1
            if not chooses[v] or kept[v] == 0:
                inside[v] = False
                out[left] = v
                left += 1
        i += 1
