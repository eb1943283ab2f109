"""Layers of positions: explored whole while that is cheap, then by some positions of each.

A layer that is not explored is represented by some of its positions, chosen at random (stratified sampling
after Knuth 1975 and Chen 1992, the strata being layers), which tell how many edges leave a position. How many
positions the next layer has then depends on how many edges meet in a position. That number grows steadily
with depth, as more and more orders of the same moves lead to the same position: where stones are set on a
board like the number of stones, where moves also get into each other's way like a power of it below one. So
it is carried on along the power of the depth that fits the layers explored whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, log
from typing import Any, NamedTuple

import numpy as np

from solvers.whole.estimate.stopwatch import Stopwatch
from solvers.whole.kernels.partition import Partition
from solvers.whole.kernels.space import Space

WHOLE = 1_000_000
EDGES = 10_000_000
"""Layers are explored whole while there are no more positions and edges than this in all."""

ASIDE = 0.01
"""The largest share of edges that may lead to a layer explored before, where layers are taken for strata."""

SAMPLE = 2_000
"""Positions that stand for a larger layer."""

DEEPEST = 500


class Layers:
    """The layers of a space that is not yet explored, from its positions on."""

    def __init__(self, space: Space):
        self.space = space
        self.edges = 0
        self.meeting: list[float] = []  # edges per new position, by layer
        self.frontier = (0, space.parts[0].count)  # the last layer, not expanded
        self.degree = 0.0  # edges per position of the layer expanded last, as far as it was
        self._aside = 0

    @property
    def complete(self) -> bool:
        first, last = self.frontier
        return first == last

    @property
    def graded(self) -> bool:
        """Whether edges hardly ever lead to a layer explored before."""
        return self._aside <= ASIDE * self.edges

    @property
    def count(self) -> int:
        return len(self.meeting)

    def take_whole(self, watch: Stopwatch) -> None:
        """Takes layers whole, until there are enough positions, or half of the time is over."""
        part = self.space.parts[0]
        while not self.complete:
            first, last = self.frontier
            leaving = aside = expanded = 0
            for mail, positions in successors(self.space, part.keys[first:last], watch):
                found = np.empty(len(mail), np.uint32)
                part.absorb(mail, len(mail), found)
                leaving += len(mail)
                expanded += positions
                self.degree = leaving / expanded
                aside += int(np.count_nonzero(found < last))
                enough = part.count > WHOLE or self.edges + leaving > EDGES or watch.elapsed > 0.5
                if enough and expanded < last - first:
                    self._aside += aside
                    return
            if expanded < last - first:
                self._aside += aside
                return
            self.edges += leaving
            self._aside += aside
            self.frontier = (last, part.count)
            self.meeting.append(leaving / max(1, part.count - last))


class Found(NamedTuple):
    positions: float
    edges: float
    layers: int
    or_more: bool  # time was over before the last layer


def beyond(whole: Layers, most: float, rng: Any, watch: Stopwatch) -> Found:
    """About how many positions and edges there are in all, given the first layers."""
    space = whole.space
    first, last = whole.frontier
    positions, edges, layer = float(last), float(whole.edges), float(last - first)
    layers = whole.count
    base, power = _trend(whole.meeting)
    sample = chosen(space.parts[0].keys[first:last], SAMPLE, rng)
    while len(sample) and layer >= 1 and layers < DEEPEST and positions < most and not watch.over:
        following, leaving, expanded = Partition(space.compiled.key_words), 0, 0
        for mail, count in successors(space, sample, watch):
            following.absorb(mail, len(mail), np.empty(len(mail), np.uint32))
            leaving += len(mail)
            expanded += count
        edges_of_layer = layer * leaving / max(1, expanded)
        layer = edges_of_layer / max(1.0, base * (layers + 1) ** power)
        sample = chosen(following.keys[: following.count], SAMPLE, rng)
        positions += layer
        edges += edges_of_layer
        layers += 1
    return Found(positions, edges, layers, watch.over)


def _trend(numbers: list[float]) -> tuple[float, float]:
    """b and p such that b * (i + 1)**p fits the second half of some numbers; p is 0 .. 1."""
    half = max(2, len(numbers) // 2)
    at = np.log(np.arange(len(numbers))[-half:] + 1.0)
    logs = [log(number) for number in numbers[-half:]]
    power = float(np.clip(np.polyfit(at, logs, 1)[0], 0.0, 1.0)) if len(at) > 1 else 0.0
    return exp(float(np.mean(logs) - power * np.mean(at))), power


def successors(space: Space, keys: Any, watch: Stopwatch) -> Iterator[tuple[Any, int]]:
    """What follows some positions, with repeats, while there is time: keys with hashes, and of how many
    positions, in batches.
    """
    for batch in watch.expansions(space, np.ascontiguousarray(keys)):
        yield batch.mail[0, : int(batch.mailed[0])].copy(), batch.positions


def chosen(keys: Any, most: int, rng: Any) -> Any:
    """Some of the keys at random, each at most once."""
    if len(keys) <= most:
        return keys.copy()
    return keys[rng.choice(len(keys), most, replace=False)]
