"""All reachable positions of a compiled game, layer by layer, with or without the edges between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from gdl.game import Outcome
from solvers.core.refusal import TooLarge
from solvers.registry import search_instead
from solvers.whole.kernels.checkpoint import Checkpoint
from solvers.whole.kernels.partition import grown
from solvers.whole.kernels.space import Batch, Space, bases, numbers

DEFAULT_MEMORY = 0.7
"""Share of the memory that is free at the start which may be used unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is."""

    positions: int
    frontier: int
    edges: int
    layer: int
    seconds: float
    bytes: int

    @property
    def speed(self) -> float:
        return self.positions / self.seconds if self.seconds else 0.0


_UNKNOWN_MEMORY = 8 << 30

Watch = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Reached:
    """The reachable positions of a game. `space` holds their keys.

    `layers[k][p]` is how many positions of partition p can be reached in at most k moves. `graded`: every
    edge leads from one layer to the next, so no position comes back.
    """

    space: Space
    starts: tuple[Outcome, ...]
    layers: list[list[int]]
    graded: bool
    edges: int
    seconds: float
    kept: list[Any] | None  # per partition its Store, where edges are kept

    @property
    def positions(self) -> int:
        return self.space.count

    @property
    def kept_bytes(self) -> int:
        return sum(kept.bytes for kept in self.kept) if self.kept is not None else 0


class Store(Protocol):
    """What is kept of the expansion of the positions of one partition."""

    def append(self, batch: Batch) -> None: ...

    @property
    def bytes(self) -> int: ...


class Kept:
    """The edges of the positions of one partition, in order (Store)."""

    def __init__(self, simple: bool, values: int):
        self.simple = simple
        self.positions = self.choices = self.edges = 0
        self.mover = np.empty(1024, np.int8)
        self.worth = np.empty((1024, values), np.float64)
        self.degree = np.empty(1024, np.uint32)
        self.spread = np.empty(0 if simple else 1024, np.uint32)
        self.law = np.empty(0 if simple else 1024, np.uint32)
        self.target = np.empty(4096, np.uint32)

    def append(self, batch: Batch) -> None:
        n, c, e = batch.positions, batch.choices_made, batch.edges
        at = self.positions
        for name in ("mover", "worth", "degree"):
            self._make_room(name, at, n)
        self._make_room("target", self.edges, e)
        self.mover[at : at + n] = batch.mover[:n]
        self.worth[at : at + n] = batch.worth[:n]
        self.degree[at : at + n] = batch.choices[:n]
        if not self.simple:
            self._make_room("spread", self.choices, c)
            self._make_room("law", self.choices, c)
            self.spread[self.choices : self.choices + c] = batch.spread[:c]
            self.law[self.choices : self.choices + c] = batch.law[:c]
        batch.collect(self.target[self.edges :])
        self.positions += n
        self.choices += c
        self.edges += e

    def _make_room(self, name: str, used: int, more: int) -> None:
        array = getattr(self, name)
        if used + more > len(array):
            setattr(self, name, grown(array, used, used + more))

    @property
    def bytes(self) -> int:
        per_position = 1 + 4 + self.worth.shape[1] * 8
        return self.positions * per_position + self.choices * (0 if self.simple else 8) + 4 * self.edges


def reach(
    space: Space,
    starts: Iterable[Outcome],
    *,
    edges: bool = True,
    store: Callable[[], Store] | None = None,
    limit: int | None = None,
    max_memory: int | None = None,
    watch: Watch | None = None,
    checkpoint: Checkpoint | None = None,
    enough: int | None = None,
    depth: int | None = None,
) -> Reached:
    """All positions that can be reached from the starts, layer by layer; or until there are `enough`, or as
    far as `depth` moves lead: then the last ones found are not expanded.

    Edges are kept in what `store` makes, Kept if not given. Refuses beyond `limit` positions or `max_memory`
    bytes; in a game without repeats edges are let go first when memory runs out. `watch` is called after
    every round. With a checkpoint, what was found is saved from time to time and at the end, except for
    stores of another kind, which are filled again.
    """
    started = perf_counter()
    starts = tuple(starts)
    size = space.size
    names = sorted(space.compiled.key(start.position).hex() for start in starts)
    earlier = None if checkpoint is None else checkpoint.load_positions(space, names)
    saved = store is None
    kept: list[Any] | None
    if earlier is not None:
        kept, done, layers = earlier["kept_arrays"], earlier["done"], earlier["layers"]
        graded, n_edges = earlier["graded"], earlier["edges"]
    else:
        space.add(start.position for start in starts)
        kept = [Kept(space.simple, space.values) for _ in space.parts] if edges and saved else None
        done, layers = [0] * size, [[0] * size, [part.count for part in space.parts]]
        graded, n_edges = True, 0
    if store is not None and edges:
        kept, done, n_edges = [store() for _ in space.parts], [0] * size, 0
    while sum(done) < space.count:
        if (enough is not None and space.count >= enough) or (depth is not None and len(layers) - 2 >= depth):
            break
        ends = layers[-1]
        backward = [False] * size

        def expand(p: int, ends: list[int] = ends) -> None:
            space.expand(p, done[p], ends[p])

        def answer(p: int, ends: list[int] = ends, backward: list[bool] = backward) -> None:
            space.answer(p, numbers)
            for batch in space.batches:
                count = int(batch.mailed[p])
                if count and int(batch.found[p, :count].min()) < ends[p]:
                    backward[p] = True

        def collect(p: int, kept: list[Any] | None = kept) -> None:
            if kept is not None:
                kept[p].append(space.batches[p])

        positions = sum(ends) - sum(done)
        space.each(expand, positions=positions)
        space.each(answer, positions=positions)
        if kept is not None:
            space.each(collect, positions=positions)
        for p, batch in enumerate(space.batches):
            done[p] += batch.positions
            n_edges += batch.edges
        graded = graded and not any(backward)
        held = space.bytes + (sum(k.bytes for k in kept) if kept else 0)
        progress = Progress(
            space.count, space.count - sum(done), n_edges, len(layers) - 2, perf_counter() - started, held
        )
        if watch is not None:
            watch(progress)
        if kept is not None and max_memory is not None and held > max_memory and space.game.traits.acyclic:
            kept = None
        else:
            _check(space, progress, limit, max_memory)
        if done == ends:
            layers.append([part.count for part in space.parts])
        if checkpoint is not None and (checkpoint.due() or sum(done) == space.count):
            checkpoint.save_positions(space, kept if saved else None, done, layers, graded, n_edges, names)
    found = [part.count for part in space.parts]
    if layers[-1] != found:
        layers.append(found)  # the exploration stopped within a layer
    if layers[-1] == layers[-2]:
        layers.pop()
    return Reached(space, starts, layers, graded, n_edges, perf_counter() - started, kept)


def _check(space: Space, progress: Progress, limit: int | None, max_memory: int | None) -> None:
    name = space.game.name
    reason = None
    if limit is not None and progress.positions > limit:
        reason = f"{name} has more than {limit:,} positions, the limit for solving it whole."
    elif max_memory is not None and progress.bytes > max_memory:
        reason = (
            f"{name} does not fit {max_memory / 1e9:.3g} GB: {progress.positions:,} positions and "
            f"{progress.edges:,} edges were found, and {progress.frontier:,} were yet to be expanded."
        )
    if reason is not None:
        raise TooLarge(
            reason,
            f"{search_instead(space.game)} Or raise the limit (`--limit`, in Python `limit=`), or choose a "
            "smaller instance.",
            "R002",
        )


def available_memory() -> int:
    """Bytes of memory that are free now, as far as the system tells."""
    try:
        facts = Path("/proc/meminfo").read_text()
    except OSError:
        return _UNKNOWN_MEMORY
    found = [line.split()[1] for line in facts.splitlines() if line.startswith("MemAvailable:")]
    return int(found[0]) * 1024 if found else _UNKNOWN_MEMORY


__all__ = ["Kept", "Progress", "Reached", "available_memory", "bases", "reach"]
