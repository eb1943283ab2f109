"""A graph in layers: every line leads down, few lines cross, and neighbours stand near each other.

Sugiyama, Tagawa & Toda, 'Methods for visual understanding of hierarchical system structures', 1981, in three
steps: layers by the longest way from the root, an order within layers by the means of neighbours, and places
as near to those of neighbours as the order and the widths allow.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Arc = tuple[int, int]
Neighbours = Mapping[int, list[tuple[int, float]]]
"""Of each vertex those on the layer above, or below, with the weights of the links."""

SWEEPS = 16
"""Over all layers, down and up, to order them and to place them ..."""

STRAIGHTENING = 60
"""... and with both neighbours at once, until lines that pass many layers are nearly upright."""


@dataclass(frozen=True, slots=True)
class Link:
    """A line from a layer to the next one; the heavier, the more upright it shall be."""

    upper: int
    lower: int
    weight: float = 1.0


def closes_cycle(arcs: Iterable[Arc], more: Sequence[Arc]) -> list[bool]:
    """Of more arcs, taken one by one, those that would close a cycle with the ones before.

    >>> closes_cycle([(1, 2), (2, 3)], [(1, 3), (3, 1), (2, 2)])
    [False, True, True]
    """
    below: defaultdict[int, list[int]] = defaultdict(list)
    for a, b in arcs:
        below[a].append(b)
    found = []
    for a, b in more:
        waiting, seen = [b], {b}
        while waiting and a not in seen:
            fresh = [c for c in below[waiting.pop()] if c not in seen]
            seen.update(fresh)
            waiting += fresh
        found.append(a in seen)
        if a not in seen:
            below[a].append(b)
    return found


def ranks(root: int, arcs: Sequence[Arc]) -> dict[int, int]:
    """The longest way from the root to each vertex, over arcs without a cycle.

    >>> ranks(1, [(1, 2), (1, 3), (2, 3)])
    {1: 0, 2: 1, 3: 2}
    """
    below: defaultdict[int, list[int]] = defaultdict(list)
    missing: defaultdict[int, int] = defaultdict(int)
    for a, b in arcs:
        below[a].append(b)
        missing[b] += 1
    found = {root: 0}
    waiting = [root]
    while waiting:
        here = waiting.pop()
        for there in below[here]:
            found[there] = max(found.get(there, 0), found[here] + 1)
            missing[there] -= 1
            if not missing[there]:
                waiting.append(there)
    return found


def ordered(layers: Sequence[Sequence[int]], links: Sequence[Link]) -> list[list[int]]:
    """The layers with their vertices in an order in which few links cross: the best one that was seen while
    they were sorted by the means of their neighbours, downwards and upwards in turn. Where nothing crosses
    the order stays as it is."""
    up, down = _neighbours(links)
    best = [list(layer) for layer in layers]
    fewest = _crossings(best, down)
    current = [list(layer) for layer in best]
    for sweep in range(SWEEPS):
        if not fewest:
            break
        if sweep % 2 == 0:
            for k in range(1, len(current)):
                current[k] = _sorted(current[k], current[k - 1], up)
        else:
            for k in reversed(range(len(current) - 1)):
                current[k] = _sorted(current[k], current[k + 1], down)
        crossings = _crossings(current, down)
        if crossings < fewest:
            fewest, best = crossings, [list(layer) for layer in current]
    return best


def _sorted(layer: Sequence[int], beside: Sequence[int], near: Neighbours) -> list[int]:
    """A layer by the means of its neighbours in the layer beside it; what has none keeps its share."""
    place = {vertex: i for i, vertex in enumerate(beside)}
    share = len(beside) / max(1, len(layer))
    means = {}
    for i, vertex in enumerate(layer):
        places = [place[other] for other, _ in near.get(vertex, ())]
        means[vertex] = sum(places) / len(places) if places else i * share
    return sorted(layer, key=means.__getitem__)


def placed(
    layers: Sequence[Sequence[int]],
    links: Sequence[Link],
    widths: Mapping[int, tuple[float, float]],
    gap: float,
) -> dict[int, float]:
    """The middle of every vertex, from 0: in order, as far apart as their widths to both sides and a gap
    say, and as near to the means of their neighbours as that allows."""
    up, down = _neighbours(links)
    x: dict[int, float] = {}
    for layer in layers:
        for vertex, apart in zip(layer, _offsets(layer, widths, gap), strict=True):
            x[vertex] = apart
    for sweep in range(SWEEPS + STRAIGHTENING):
        straighten = sweep >= SWEEPS
        for layer in layers:
            _pull(layer, [up, down] if straighten else [up], x, widths, gap)
        for layer in reversed(layers):
            _pull(layer, [up, down] if straighten else [down], x, widths, gap)
    least = min(x[vertex] - widths[vertex][0] for vertex in x)
    return {vertex: at - least for vertex, at in x.items()}


def _neighbours(links: Iterable[Link]) -> tuple[Neighbours, ...]:
    """Of each vertex those above, and those below, with the weights of the links."""
    up: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    down: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    for link in links:
        up[link.lower].append((link.upper, link.weight))
        down[link.upper].append((link.lower, link.weight))
    return up, down


def _crossings(layers: Sequence[Sequence[int]], down: Neighbours) -> int:
    """How many pairs of links cross."""
    count = 0
    for upper, lower in pairwise(layers):
        place = {vertex: i for i, vertex in enumerate(lower)}
        ends: list[int] = []  # of the links further to the left
        for vertex in upper:
            mine = sorted(place[other] for other, _ in down.get(vertex, ()))
            count += sum(len(ends) - bisect_left(ends, end + 1) for end in mine)
            for end in mine:
                insort(ends, end)
    return count


def _offsets(layer: Sequence[int], widths: Mapping[int, tuple[float, float]], gap: float) -> list[float]:
    """Where the middles of a layer are, when all stand as far to the left as they can."""
    xs = [0.0] if layer else []
    for a, b in pairwise(layer):
        xs.append(xs[-1] + widths[a][1] + gap + widths[b][0])
    return xs


def _pull(
    layer: Sequence[int],
    sides: Sequence[Neighbours],
    x: dict[int, float],
    widths: Mapping[int, tuple[float, float]],
    gap: float,
) -> None:
    """Moves a layer to where its neighbours are: the least squares among all places that keep the order and
    the distances, by pooling neighbours that push each other (isotonic regression)."""
    offsets = _offsets(layer, widths, gap)
    pools: list[tuple[float, float, int]] = []  # mean, weight, how many vertices
    for vertex, offset in zip(layer, offsets, strict=True):
        near = [pair for side in sides for pair in side.get(vertex, ())]
        weight = sum(w for _, w in near)
        wish = sum(x[other] * w for other, w in near) / weight if weight else x[vertex]
        mean, weight, count = wish - offset, weight or 0.01, 1
        while pools and pools[-1][0] > mean:
            other_mean, other_weight, other_count = pools.pop()
            mean = (mean * weight + other_mean * other_weight) / (weight + other_weight)
            weight, count = weight + other_weight, count + other_count
        pools.append((mean, weight, count))
    means = [mean for mean, _, count in pools for _ in range(count)]
    for vertex, mean, offset in zip(layer, means, offsets, strict=True):
        x[vertex] = mean + offset
