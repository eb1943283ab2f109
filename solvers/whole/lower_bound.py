"""How many positions a game has at least, by random plays: for graphs made in Python, of any game.

If a positions were seen by one play only and b by two, there are about a^2 / (2 b) or more that none has seen
(Chao 1987, for incidences: that a play comes back to where it was says nothing). Where positions tell how
many moves were made, each number of moves is counted by itself, which bounds the sum more tightly. Compiled
games have better estimates (`solvers.whole.estimate`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from random import Random
from time import thread_time

SIGHTINGS = 40_000
SECONDS = 3.0
"""How many positions the plays see, repeats included, and how long that may take."""

LONGEST = 200
"""Plays are cut after so many steps, so that there are many of them."""

Follow = Callable[[Hashable], Sequence[Hashable]]
"""Some positions that may follow a position: none where the game is over."""


def positions_at_least(starts: Iterable[Hashable], follow: Follow, seed: int = 0) -> float:
    """A bound that is nearly always below the true number; the same for the same seed, given the time."""
    began = thread_time()
    rng = Random(seed)
    first = list(starts)
    plays: Counter[Hashable] = Counter()  # how many plays saw a position
    depth: dict[Hashable, int] = {}
    graded = True
    sightings = 0
    while sightings < SIGHTINGS and thread_time() - began < SECONDS:
        position = rng.choice(first)
        met = set()
        for step in range(LONGEST):
            sightings += 1
            met.add(position)
            graded = graded and depth.setdefault(position, step) == step
            following = follow(position)
            if not following:
                break
            position = rng.choice(following)
        plays.update(met)
    layers: dict[int, Counter[int]] = {}
    for position, count in plays.items():
        layers.setdefault(depth[position] if graded else 0, Counter())[count] += 1
    unseen = sum(seen[1] * (seen[1] - 1) / (2 * (seen[2] + 1)) for seen in layers.values())
    return len(plays) + unseen
