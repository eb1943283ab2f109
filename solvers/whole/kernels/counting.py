"""Counting plays and positions of compiled games, by the kernels that solvers explore with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gdl.game import Game
from solvers.whole.kernels.breadth_first import DEFAULT_MEMORY, available_memory, reach
from solvers.whole.kernels.partition import Partition
from solvers.whole.kernels.position_graph import merged
from solvers.whole.kernels.space import Space
from solvers.whole.kernels.strong_components import edges_from, strong_components

_SAFE = 1 << 62
"""Sums that stay below this are made in machine words."""


def plays_of_length(game: Game[Any, Any], layer: Mapping[Any, int], depth: int) -> int:
    """How many plays go on for exactly `depth` moves, at least one, from positions that so many lead to."""
    with Space(game, game.compiled, 1) as space:  # type: ignore[attr-defined]
        keys, counts = _first(space, layer)
        for _ in range(depth - 1):
            keys, counts = _next(space, keys, counts)
        total = at = 0
        while at < len(keys):
            space.expand(0, at, len(keys), keys)
            batch = space.batches[0]
            leaving = batch.edges_of_positions()[1]
            here = counts[at : at + batch.positions]
            total += sum(int(n) * int(edges) for n, edges in zip(here, leaving, strict=True))
            at += batch.positions
    return total


def positions_after(game: Game[Any, Any], layer: Mapping[Any, int], depth: int) -> int:
    """How many positions plays of exactly `depth` moves from these positions lead to."""
    with Space(game, game.compiled, 1) as space:  # type: ignore[attr-defined]
        keys, counts = _first(space, layer)
        for _ in range(depth):
            keys, counts = _next(space, keys, counts)
    return len(keys)


def positions(game: Game[Any, Any]) -> int:
    """How many positions can be reached. Raises Refusal where they do not fit memory."""
    with Space(game, game.compiled) as space:  # type: ignore[attr-defined]
        memory = int(DEFAULT_MEMORY * available_memory())
        return reach(space, game.initial(), edges=False, max_memory=memory).positions


def plays(game: Game[Any, Any]) -> int | None:
    """How many complete plays there are; None if a play can repeat a position."""
    with Space(game, game.compiled) as space:  # type: ignore[attr-defined]
        memory = int(DEFAULT_MEMORY * available_memory())
        reached = reach(space, game.initial(), max_memory=memory)
        graph = merged(reached)
    order, start = strong_components(graph.row, graph.first, graph.target)
    if len(start) - 1 < len(graph):
        return None
    found = [1] * len(graph)
    for v in order.tolist():
        lo, hi = edges_from(graph.row, graph.first, v)
        if lo < hi:
            after = graph.target[lo:hi].tolist()
            if v in after:
                return None
            found[v] = sum(found[t] for t in after)
    return sum(found[graph.index(outcome.position) or 0] for outcome in reached.starts)


def _first(space: Space, layer: Mapping[Any, int]) -> tuple[Any, Any]:
    """The keys of positions, and how many plays lead to each."""
    keys = np.ascontiguousarray(space.addressed(layer)[:, :-1])
    return keys, _numbers(list(layer.values()), sum(layer.values()))


def _numbers(counts: Any, most: int) -> Any:
    return np.array(counts, np.int64 if most < _SAFE else object)


def _next(space: Space, keys: Any, counts: Any) -> tuple[Any, Any]:
    """The same one move on."""
    part = Partition(space.compiled.key_words)
    sums = _numbers([0] * 1024, 0)
    whole = at = 0
    while at < len(keys):
        space.expand(0, at, len(keys), keys)
        batch = space.batches[0]
        mail = batch.mail[0, : int(batch.mailed[0])]
        here, leaving = counts[at : at + batch.positions], batch.edges_of_positions()[1]
        found = np.empty(len(mail), np.uint32)
        part.absorb(mail, len(mail), found)
        if part.count > len(sums):
            sums = np.concatenate([sums, np.zeros(2 * part.count - len(sums), sums.dtype)])
        whole += len(mail) * int(here.max())
        if whole >= _SAFE:
            sums = sums.astype(object)
        np.add.at(sums, found, np.repeat(here, leaving))
        at += batch.positions
    return part.keys[: part.count], sums[: part.count]
