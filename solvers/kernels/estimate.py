"""How many positions a game has, before they are all visited.

From above: no more than combinations of values. By sampling: layers are explored whole while that is cheap.
From then on a layer is represented by some of its positions, chosen at random (stratified sampling after
Knuth 1975 and Chen 1992, the strata being layers), which tell how many edges leave a position. How many
positions the next layer has then depends on how many edges meet in a position: that number grows steadily
with depth, as more and more orders of the same moves lead to the same position, so it is carried on along
the line that fits the layers explored whole. The result is right in the order of magnitude, not more.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from gdl.game import Game
from solvers.kernels.partition import Partition
from solvers.kernels.space import BATCH, Space
from solvers.solution import starts_of

WHOLE = 300_000
"""Layers are explored whole while there are no more positions than this in all."""

SAMPLE = 5_000
"""Positions that stand for a larger layer."""

LAYERS = 500


@dataclass(frozen=True, slots=True)
class Estimate:
    """About how many positions and edges there are; `complete`: counted, not estimated."""

    positions: float
    edges: float
    most: float  # no more positions than this
    layers: int
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
    """The size of the position graph of a compiled game, in about a second."""
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
