"""Ranks of a certificate: how a play that keeps to its bounds gets on (docs/certificates.md).

The least ranks that satisfy the conditions of `gdl.verify`. Position s has a rank of at most k where

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

from gdl.inequalities import Edges

UNRANKED = -1


def least_ranks(edges: Edges, compared: Any, resting: Any, chooser: int) -> Any:
    """The rank of every position, UNRANKED where there is none: the bound there rests on nothing.

    `compared` holds the sign of what each choice gains on the bound of its position, `resting` says where
    endless play is worth the bound.
    """
    if edges.discount != 1:
        return np.zeros(len(edges.mover), np.int64)
    return _Ranking(edges, compared, resting, chooser).run()


class _Ranking:
    """Rank by rank. `waiting` counts, for positions of others and of chance, choices that are not settled."""

    def __init__(self, edges: Edges, compared: Any, resting: Any, chooser: int):
        n = len(edges.mover)
        self.resting = resting
        self.chooses = edges.mover == chooser
        self.rank = np.full(n, UNRANKED, np.int64)
        self.waiting = np.bincount(edges.owner[compared == 0], minlength=n)
        gains = np.zeros(n, bool)
        gains[edges.owner[compared > 0]] = True
        self.rank[np.where(self.chooses, gains, self.waiting == 0)] = 0
        # Only choices that gain nothing, of positions that need a rank for them, are looked at from here on.
        choice = np.flatnonzero((compared == 0) & (self.rank[edges.owner] < 0))
        self.owner = edges.owner[choice]
        self.settled = np.zeros(len(choice), bool)
        sizes = edges.first[choice + 1] - edges.first[choice]
        edge = np.repeat(edges.first[choice] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        self.choice, self.target = np.repeat(np.arange(len(choice)), sizes), edges.target[edge]
        other = self.target != self.owner[self.choice]
        self.choice, self.target = self.choice[other], self.target[other]
        back = np.argsort(self.target, kind="stable")
        self.before = self.choice[
            back
        ]  # the choices that may lead to a position: before[start[v] : start[v + 1]]
        self.start = np.concatenate([[0], np.cumsum(np.bincount(self.target, minlength=n))])

    def run(self) -> Any:
        k = 0
        joined = np.concatenate([np.flatnonzero(self.rank == 0), self.supporting()])
        self.rank[joined] = 0
        while len(joined) and (self.rank < 0).any():
            k += 1
            progress = self.progressing(joined)
            self.rank[progress] = k
            rest = self.supporting()
            self.rank[rest] = k
            joined = np.concatenate([progress, rest])
        return self.rank

    def leading_to(self, positions: Any) -> Any:
        """The choices that may lead to one of the positions, each once."""
        sizes = self.start[positions + 1] - self.start[positions]
        at = np.repeat(self.start[positions] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        return np.unique(self.before[at])

    def progressing(self, lower: Any) -> Any:
        """The positions that are settled by choices that may lead to one that has just got a rank."""
        choices = self.leading_to(lower)
        choices = choices[~self.settled[choices] & (self.rank[self.owner[choices]] < 0)]
        self.settled[choices] = True
        owners = self.owner[choices]
        np.subtract.at(self.waiting, owners, 1)
        owners = np.unique(owners)
        return owners[self.chooses[owners] | (self.waiting[owners] == 0)]

    def supporting(self) -> Any:
        """The largest set of positions without a rank where play can rest: it leads to no others without."""
        inside = (self.rank < 0) & self.resting
        if not inside.any():
            return np.empty(0, np.int64)
        mine = inside[self.owner] & ~self.settled
        broken = np.zeros(len(self.owner), bool)
        whole = np.bincount(self.owner[mine], minlength=len(self.rank))  # choices that keep inside
        leaves = (self.rank[self.target] < 0) & ~inside[self.target]
        new = np.unique(self.choice[leaves])
        new = new[mine[new]]
        while len(new):
            broken[new] = True
            owners = self.owner[new]
            np.subtract.at(whole, owners, 1)
            owners = np.unique(owners)
            out = owners[inside[owners] & (~self.chooses[owners] | (whole[owners] == 0))]
            inside[out] = False
            new = self.leading_to(out)
            new = new[mine[new] & ~broken[new]]
        # A player whom the bound helps and who has no choice that keeps it can rest nowhere.
        return np.flatnonzero(inside & (~self.chooses | (whole > 0)))
