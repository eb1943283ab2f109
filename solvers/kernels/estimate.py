"""How many positions a game has, before they are all visited.

From above: no more than combinations of values. Small games are counted. Else by sampling:

Where no position comes back, layers are explored whole while that is cheap. From then on a layer is
represented by some of its positions, chosen at random (stratified sampling after Knuth 1975 and Chen 1992,
the strata being layers), which tell how many edges leave a position. How many positions the next layer has
then depends on how many edges meet in a position: that number grows steadily with depth, as more and more
orders of the same moves lead to the same position, so it is carried on along the line that fits the layers
explored whole. The result is right in the order of magnitude, not more.

Where positions may repeat, layers say little about what comes later. Random walks are made instead, and what
they see tells how much they have not seen: if f1 positions were seen once and f2 twice, there are at least
f1^2 / (2 f2) more (Chao 1984). Walks do not get everywhere equally easily, so this is too low, and grows with
the number of sightings, ever more slowly. On logarithmic scales its growth is nearly a parabola, whose top is
the answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, inf, log
from typing import Any

import numpy as np

from gdl.game import Game, Outcome
from solvers.kernels.partition import Partition
from solvers.kernels.space import BATCH, Space
from solvers.solution import starts_of

WHOLE = 1_000_000
"""Layers are explored whole while there are no more positions than this in all."""

SAMPLE = 5_000
"""Positions that stand for a larger layer."""

LAYERS = 500

WALKS = 500
SIGHTINGS = 3_000_000
"""Random walks at the same time, and how many positions they see, repeats included."""

FURTHEST = 10
"""Growth is carried on no further than for so many triplings of the sample."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """About how many positions and edges there are; `complete`: counted, not estimated."""

    positions: float
    edges: float
    most: float  # no more positions than this
    layers: int  # explored or sampled
    complete: bool

    def as_data(self) -> dict[str, Any]:
        return {
            "positions": self.positions,
            "edges": self.edges,
            "positions_at_most": self.most if self.most < inf else None,
            "layers": self.layers,
            "complete": self.complete,
        }


def estimate(game: Game[Any, Any], at: Any = None, seed: int = 0) -> Estimate:
    """The size of the position graph of a compiled game, in a few seconds."""
    rng = np.random.default_rng(seed)
    compiled = game.compiled  # type: ignore[attr-defined]
    most = 2.0**compiled.log2_positions if compiled.log2_positions < 1023 else inf
    with Space(game, compiled, 1) as space:
        part = space.parts[0]
        space.add(start.position for start in starts_of(game, at))
        first, last = 0, part.count
        edges = 0
        meeting: list[float] = []  # edges per new position, by layer
        while first < last and part.count <= WHOLE:
            leaving = 0
            for mail in _successors(space, part.keys[first:last]):
                part.absorb(mail, len(mail), np.empty(len(mail), np.uint32))
                leaving += len(mail)
            edges += leaving
            first, last = last, part.count
            meeting.append(leaving / max(1, last - first))
        layers = len(meeting)
        if first == last:
            return Estimate(part.count, edges, most, layers, True)
        if not game.traits.acyclic:
            seen, degree = _by_walks(space, starts_of(game, at), rng)
            guess = min(max(float(part.count), seen), most)
            return Estimate(guess, degree * guess, most, layers, False)
        positions, total_edges, layer = float(part.count), float(edges), float(last - first)
        base, slope = _trend(meeting)
        sample = _chosen(part.keys[first:last], rng)
        while len(sample) and layer >= 1 and layers < LAYERS and positions < most:
            following, leaving = Partition(compiled.key_words), 0
            for mail in _successors(space, sample):
                following.absorb(mail, len(mail), np.empty(len(mail), np.uint32))
                leaving += len(mail)
            edges_of_layer = layer * leaving / len(sample)
            layer = edges_of_layer / max(1.0, base + slope * layers)
            sample = _chosen(following.keys[: following.count], rng)
            positions += layer
            total_edges += edges_of_layer
            layers += 1
        return Estimate(min(positions, most), total_edges, most, layers, False)


def _by_walks(space: Space, starts: Iterable[Outcome], rng: Any) -> tuple[float, float]:
    """About how many positions there are, and how many edges leave one."""
    words = space.compiled.key_words
    begin = np.ascontiguousarray(space.addressed(start.position for start in starts)[:, :words])
    part, times = Partition(words), np.zeros(0, np.int64)
    walkers = begin[rng.integers(len(begin), size=WALKS)]
    guesses: list[float] = []
    steps = sightings = 0
    for wanted in (SIGHTINGS // 9, SIGHTINGS // 3, SIGHTINGS):
        while sightings < wanted and steps < wanted:
            onward = []
            at = 0
            while at < len(walkers):
                space.expand(0, at, len(walkers), walkers)
                batch = space.batches[0]
                at += batch.positions
                seen = batch.mail[0, : int(batch.mailed[0])].copy()
                found = np.empty(len(seen), np.uint32)
                part.absorb(seen, len(seen), found)
                times = np.append(times, np.zeros(part.count - len(times), np.int64))
                np.add.at(times, found, 1)
                start, count = batch.edges_of_positions()
                chosen = start + (rng.random(len(start)) * count).astype(np.int64)
                onward.append(seen[chosen[count > 0], :words])
                sightings += len(seen)
            steps += len(walkers)
            walkers = np.concatenate(onward)
            again = rng.integers(len(begin), size=WALKS - len(walkers))  # for those whose game is over
            walkers = np.ascontiguousarray(np.concatenate([walkers, begin[again]]))
        once, twice = int(np.count_nonzero(times == 1)), int(np.count_nonzero(times == 2))
        guesses.append(part.count + once**2 / (2 * max(1, twice)))
    return _top(guesses), sightings / steps


def _top(guesses: list[float]) -> float:
    """Where guesses from samples of which each is three times the one before are going."""
    first, second, third = map(log, guesses)
    rise = third - second
    if rise <= 0:
        return guesses[-1]
    fall = max((second - first) - rise, rise / FURTHEST)
    return exp(third + rise * rise / (2 * fall))


def _trend(numbers: list[float]) -> tuple[float, float]:
    """The line through the second half of some numbers; it does not fall."""
    half = max(2, len(numbers) // 2)
    at = np.arange(len(numbers))[-half:]
    if len(at) < 2:
        return numbers[-1], 0.0
    slope, base = np.polyfit(at, numbers[-half:], 1)
    return (float(base), float(slope)) if slope > 0 else (float(np.mean(numbers[-half:])), 0.0)


def _successors(space: Space, keys: Any) -> Any:
    """What follows some positions, with repeats: keys with hashes, in batches."""
    at = 0
    keys = np.ascontiguousarray(keys)
    while at < len(keys):
        space.expand(0, at, min(len(keys), at + BATCH), keys)
        batch = space.batches[0]
        at += batch.positions
        yield batch.mail[0, : int(batch.mailed[0])].copy()


def _chosen(keys: Any, rng: Any) -> Any:
    """Some of the keys at random, each at most once."""
    if len(keys) <= SAMPLE:
        return keys.copy()
    return keys[rng.choice(len(keys), SAMPLE, replace=False)]
