"""The position space of a compiled game, spread over hash partitions that work at the same time.

A partition owns the positions whose hash falls to it: their keys, the table that finds them, and what is kept
of each. Work goes in rounds of a few phases with a barrier between them:

    expand    every partition expands a batch of its positions; successors go into mail for their owners
    answer    every partition reads its mail and answers each key: a number (new ones are added), or a value
    collect   every partition reads the answers to its own mail

Nobody writes to what another owns, so partitions may as well be processes or machines; here they are
threads that run without the interpreter lock. How many partitions there are, not how fast they ran, decides
how positions are numbered: the same game gives the same numbers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any

import numpy as np

from gdl.game import Compiled, Game
from gdl.movers import CHANCE, TERMINAL
from solvers.core.refusal import TooFine
from solvers.machine.kernels import kernel
from solvers.machine.pointers import Pointer, struct
from solvers.machine.scratch import Sizes, enlarged, scratch
from solvers.whole.kernels import expand as expansion
from solvers.whole.kernels.distributions import Laws
from solvers.whole.kernels.partition import Partition, address_keys

BATCH = 16_384
"""Positions that a partition expands in one round, at most."""

MAIL = 131_072
"""Outcomes of one round and partition, at first."""

SMALL = 16
"""With at most 2 to this positions there is nothing to gain from more than one partition."""


def cores() -> int:
    """How many threads can run at once for this process."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class Batch:
    """What expanding some positions of one partition gives; see expand.py."""

    def __init__(self, partitions: int, words: int, values: int, simple: bool, edges: int = MAIL):
        self._words = words
        self.simple = simple
        self.partitions = partitions
        self.mover = np.empty(BATCH, np.int8)
        self.worth = np.empty((BATCH, values), np.float64)
        self.choices = np.empty(BATCH, np.uint32)
        self.mailed = np.zeros(partitions, np.int64)
        self._before = np.zeros(partitions, np.int64)
        self.counts = np.zeros(expansion.COUNTS, np.int64)
        self.first = 0
        self.answers: Any = None
        self.allocate(edges)

    def allocate(self, edges: int) -> None:
        self.spread = np.empty(edges, np.uint32)
        self.law = np.empty(edges, np.uint32)
        self.owner = np.empty(edges, np.uint8)
        self.mail = np.empty((self.partitions, edges, self._words + 1), np.uint64)
        self.found = np.empty((self.partitions, edges), np.uint32)
        self.struct = struct(
            expansion.Expanded(
                self.mover,
                self.worth,
                self.choices,
                self.spread,
                self.law,
                self.owner,
                self.mail,
                self.mailed,
                self._before,
                self.counts,
                values=self.worth.shape[1],
                partitions=self.partitions,
                choices_room=edges,
                edges_room=edges,
            )
        )

    def make_answers(self, columns: int) -> None:
        """Room for values as answers."""
        shape = (*self.found.shape, columns)
        if self.answers is None or self.answers.shape != shape:
            self.answers = np.empty(shape)

    def collect(self, target: Any) -> None:
        """Puts the answers of all partitions into the order of the edges: number * partitions + partition."""
        if self.partitions == 1:
            target[: self.edges] = self.found[0, : self.edges]
        else:
            _collect(self.owner, self.edges, self.found, target)

    def edges_of_positions(self) -> tuple[Any, Any]:
        """Per position where its edges begin, and how many it has."""
        choices = self.choices[: self.positions].astype(np.int64)
        last = np.cumsum(choices)
        if not self.simple:
            outcomes = np.concatenate([[0], np.cumsum(self.spread[: self.choices_made], dtype=np.int64)])
            return outcomes[last - choices], outcomes[last] - outcomes[last - choices]
        return last - choices, choices

    @property
    def positions(self) -> int:
        return int(self.counts[expansion.POSITIONS])

    @property
    def choices_made(self) -> int:
        return int(self.counts[expansion.CHOICES])

    @property
    def edges(self) -> int:
        return int(self.counts[expansion.EDGES])

    @property
    def bytes(self) -> int:
        arrays = (
            self.mover,
            self.worth,
            self.choices,
            self.spread,
            self.law,
            self.owner,
            self.mail,
            self.found,
        )
        return sum(array.nbytes for array in arrays)


class Space:
    """Partitions of the positions of a game, and threads to work on them. Use as a context."""

    few = 4_096
    """Work on fewer positions is done before other threads are awake."""

    def __init__(self, game: Game[Any, Any], compiled: Compiled, partitions: int | None = None):
        self.game = game
        self.compiled = compiled
        if partitions is None:
            partitions = 1 if compiled.log2_positions < SMALL else cores()
        self.size = 1 << max(0, (min(partitions, 64) - 1).bit_length())
        traits = game.traits
        self.simple = not traits.chance and not traits.rewards
        self.values = traits.players if traits.players > 1 and not traits.zero_sum else 1
        self.parts = [Partition(compiled.key_words) for _ in range(self.size)]
        self.laws = [Laws() for _ in range(self.size)]
        self.batches = [self._new_batch() for _ in range(self.size)]
        self._needs = Sizes(
            compiled.form_size,
            compiled.key_words,
            compiled.record_size,
            compiled.script_size,
            traits.players,
            chance=bool(traits.chance or compiled.paying),
        )
        self._scratch = [scratch(self._needs, row=4096) for _ in range(self.size)]
        self.rooms = [struct(room) for room in self._scratch]
        self._expander = struct(expansion.expander(compiled, traits))
        self._pool = ThreadPoolExecutor(min(self.size, cores())) if self.size > 1 else None
        self.closed = False  # long work in other threads looks here: the context may be left early
        self._load_kernels()

    def _new_batch(self) -> Batch:
        return Batch(self.size, self.compiled.key_words, self.values, self.simple)

    def _load_kernels(self) -> None:
        """Reads kernels from numba's cache, or compiles them, so that this counts as preparation."""
        self._run_expand(0, 0, 0, self.parts[0].keys)
        batch = self.batches[0]
        self.parts[0].load_kernels(batch.mail[0], batch.found[0])

    def __enter__(self) -> Space:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closed = True
        if self._pool is not None:
            # Kernels write to arrays that must outlive them, so those that run are waited for.
            self._pool.shutdown(wait=True, cancel_futures=True)

    @property
    def told_by(self) -> dict[str, Any] | None:
        """What tells the positions that are kept, None where all are."""
        return None

    @property
    def count(self) -> int:
        return sum(part.count for part in self.parts)

    @property
    def bytes(self) -> int:
        """Memory held for positions and laws; buffers of the rounds not counted."""
        return sum(part.bytes for part in self.parts) + sum(laws.bytes for laws in self.laws)

    def each(
        self, work: Callable[[int], None], count: int | None = None, positions: int | None = None
    ) -> None:
        """Does the work for every partition, or for 0 .. count - 1, at the same time; returns when all are
        done. Where it is known to be about few positions, one after another is faster; outside of the context
        there are no threads.
        """
        count = self.size if count is None else count
        alone = count == 1 or (positions is not None and positions < self.few)
        if self._pool is None or self.closed or alone:
            for p in range(count):
                work(p)
            return
        futures = [self._pool.submit(work, p) for p in range(count)]
        for future in futures:
            future.result()

    # ------------------------------------------------------------------ positions and numbers

    def addressed(self, positions: Iterable[Any]) -> Any:
        """The keys of positions with their hashes, as partitions are asked."""
        raw = bytearray().join(self.compiled.key(position) for position in positions)
        keys = np.frombuffer(raw, np.uint64).reshape(-1, self.compiled.key_words)
        mail = np.empty((len(keys), self.compiled.key_words + 1), np.uint64)
        address_keys(keys, mail)
        return mail

    def add(self, positions: Iterable[Any]) -> None:
        found = np.empty(1, np.uint32)
        for row in self.addressed(positions):
            self.parts[int(row[-1]) & (self.size - 1)].absorb(row.reshape(1, -1), 1, found)

    def find(self, position: Any) -> tuple[int, int] | None:
        """The partition and the number in it of a position; None if it is not here."""
        row = self.addressed([position])
        p = int(row[0, -1]) & (self.size - 1)
        found = np.empty(1, np.uint32)
        self.parts[p].find(row, 1, found)
        return None if found[0] == 0xFFFFFFFF else (p, int(found[0]))

    def position(self, p: int, number: int) -> Any:
        return self.compiled.position(self.parts[p].keys[number].tobytes())

    def positions(self) -> Iterator[Any]:
        """All of them, partition by partition."""
        for p, part in enumerate(self.parts):
            for number in range(part.count):
                yield self.position(p, number)

    # -------------------------------------------------------------------------------- a round

    def expand(self, p: int, first: int, last: int, keys: Any = None) -> None:
        """Expands positions of a partition into its batch, as many as there is room for, at least one.

        Those with the numbers first .. last - 1, or with the given keys in these rows.
        """
        batch = self.batches[p]
        keys = self.parts[p].keys if keys is None else keys
        batch.first = first
        while True:
            batch.mailed[:] = 0
            batch.counts[:] = 0
            if first == last:
                return
            self._run_expand(p, first, last, keys)
            status, needed = batch.counts[expansion.STATUS], int(batch.counts[expansion.NEEDED])
            if status == expansion.FAULT:
                self._explain(self.compiled.position(keys[first + batch.positions].tobytes()))
            else:
                self._make_room(p, status, needed)
            if batch.positions:
                return

    def _make_room(self, p: int, status: int, needed: int) -> None:
        """Gives a partition more of what it ran short of while it expanded positions."""
        batch, laws = self.batches[p], self.laws[p]
        if status == expansion.ODDS_OVERFLOW:
            raise too_fine(self.game)
        if status == expansion.MORE_MOVES:
            self._enlarge(p, moves=2 * needed)
        elif status == expansion.MORE_OUTCOMES:
            self._enlarge(p, outcomes=4 * self._scratch[p].outcomes_room)
        elif status == expansion.MORE_LAWS:
            if needed:
                self._enlarge(p, row=2 * needed)
            else:
                laws.grow()
        elif status == expansion.MAIL_FULL and not batch.positions:
            batch.allocate(2 * max(len(batch.owner), needed))

    def _enlarge(self, p: int, **more: int) -> None:
        self._scratch[p] = enlarged(self._scratch[p], self._needs, **more)
        self.rooms[p] = struct(self._scratch[p])

    def _run_expand(self, p: int, first: int, last: int, keys: Any) -> None:
        expansion.expand(
            self._expander,
            Pointer(keys),
            first,
            min(last, first + BATCH),
            self.rooms[p],
            self.laws[p].struct,
            self.batches[p].struct,
            0,
            0,
            0,
        )

    def _explain(self, position: Any) -> None:
        """Repeats a step on the protocol, which says what is wrong with the rules."""
        game = self.game
        mover = game.to_move(position)
        if mover == TERMINAL:
            game.utility(position)
        elif mover == CHANCE:
            game.chance(position)
        for move in game.moves(position):
            game.outcomes(position, move)
        raise too_fine(game)

    def answer(self, p: int, reply: Callable[[Partition, Any, int, Any], None]) -> None:
        """Reads the mail of a partition, from all, and writes the answers."""
        for batch in self.batches:
            count = int(batch.mailed[p])
            if count:
                reply(self.parts[p], batch.mail[p], count, batch.found[p])


def too_fine(game: Game[Any, Any]) -> Exception:
    return TooFine(
        f"the numbers of {game.name} do not fit machine words, in which solvers of whole games compute.",
        "Use the reference engine, which has numbers of any size, for a small instance.",
        "R002",
    )


def numbers(part: Partition, mail: Any, count: int, found: Any) -> None:
    """The answer of an exploration: the number of each position, new ones added."""
    part.absorb(mail, count, found)


def bases(parts: Sequence[Partition]) -> Any:
    """Where the positions of each partition begin when all are numbered one after another."""
    return np.concatenate([[0], np.cumsum([part.count for part in parts])]).astype(np.int64)


@kernel
def _collect(owner: Any, count: int, found: Any, target: Any) -> None:
    partitions = found.shape[0]
    at = np.zeros(partitions, np.int64)
    for e in range(count):
        p = owner[e]
        target[e] = found[p, at[p]] * partitions + p
        at[p] += 1
