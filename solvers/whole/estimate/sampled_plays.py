"""How many positions there are where layers do not tell: from random plays.

Plays are made in groups. If a positions were seen by one group only and b by two, there are at least
a^2 / (2 b) that none has seen (Chao 1987, for incidences: that a play comes back to where it was says
nothing). Random play does not get everywhere equally easily, so this bound is too low, and by how much
depends on the game and on how small a part of it the sample is. The game itself tells: near the end of a play
there are positions from which everything that can follow can be counted. Playing from there, until as small
a part of that has been seen as wanted, shows the factor. On logarithmic scales it is nearly a line

    log (true / bound)  =  base + slope * log (true / sightings)

which is taken for the game as a whole too. Where no such positions are found (everything leads back to
everything), the line is what other games show, less steep where the bound grows less with the sample; and
there may be more.

From above, there are hardly more positions than combinations of what was seen: the key is cut into ranges of
bits, so that the product of the numbers of values that each range takes is smallest.
"""

from __future__ import annotations

from math import exp, inf, log
from typing import Any, NamedTuple

import numpy as np

from solvers.whole.estimate.random_steps import random_steps, some_of
from solvers.whole.estimate.sampled_layers import chosen
from solvers.whole.estimate.stopwatch import Stopwatch
from solvers.whole.kernels.partition import Partition, address_keys
from solvers.whole.kernels.space import BATCH, Space

GROUPS = 16
AT_ONCE = 64
"""Groups of plays, and plays at the same time."""

SIGHTINGS = 3_000_000
"""How many positions the plays see, repeats included."""

LATE = 8
LATE_POSITIONS = 300_000
LATE_EDGES = 2_000_000
LONGEST = 5_000
"""Plays whose ends are counted, how many positions and edges at most, and how long such a play may be."""

FEWEST = 10_000
"""Ends with fewer positions than this are not like the game as a whole."""

PARTS = (81, 27, 9, 3, 1)
"""One in so many positions of an end is seen, repeats included."""

BASE, SLOPE = 0.8, 0.45
"""What most games show."""

STEEPEST = 0.65
"""With a slope near 1 the line says nothing: any size fits what was seen."""

FAR = log(50)
"""A game whose sample is so many times sparser than those tried is beyond what the ends tell."""

FLAT = 0.1
"""A bound that grows by a smaller power of the sample is near its end."""

SEEN = 200_000
KEY = 128
WIDEST = 18
RARE = 0.05
"""Of how many positions combinations are made, from keys and ranges of how many bits at most; and the share
of values seen only once above which a range is taken to have many that were not seen."""

_ONES = np.array([bin(mask).count("1") for mask in range(1 << GROUPS)], np.uint8)


class Guess(NamedTuple):
    positions: float
    degree: float  # edges per position
    or_more: bool


class Bound(NamedTuple):
    """What a sample says."""

    sightings: int
    plays: int
    least: float  # there are at least about so many positions


def by_plays(space: Space, begin: Any, rng: Any, watch: Stopwatch) -> Guess:
    """About how many positions follow those with the given keys; there may be more where time was over."""
    plays = Plays(space, begin, AT_ONCE, rng, watch)
    bounds = [plays.until(SIGHTINGS // 9), plays.until(SIGHTINGS // 3), plays.until(SIGHTINGS)]
    last = bounds[-1]
    seen = chosen(plays.part.keys[: plays.part.count], SEEN, rng)
    if watch.over:
        return Guess(last.least, plays.degree, True)
    degree = _degree(space, seen[:BATCH], watch)
    growth = log(last.least / bounds[-2].least) / log(last.sightings / bounds[-2].sightings)
    factor = _factor(space, begin, rng, watch)
    size, or_more = (factor or _usual(growth)).applied(last, growth)
    or_more = or_more or (factor is None and growth > FLAT) or watch.over
    most = max(combinations(seen, space.compiled.key_bits), last.least)
    return Guess(min(size, most), degree, or_more and size < most)


class Plays:
    """Random plays from some positions, and what each group of them has seen."""

    def __init__(self, space: Space, begin: Any, at_once: int, rng: Any, watch: Stopwatch):
        self._space = space
        self._watch = watch
        self._begin = begin
        self._rng = rng
        self.part = Partition(space.compiled.key_words)
        self._seen_by = np.zeros(1024, np.uint16)  # a bit for each group
        self._group = np.uint16(1) << (np.arange(at_once) % GROUPS).astype(np.uint16)
        self._now = some_of(begin, at_once, rng)
        self._sightings = self._plays = self._steps = 0

    def until(self, sightings: int) -> Bound:
        """Goes on until so many positions have been seen, repeats included."""
        while self._sightings < sightings and self._steps < sightings and not self._watch.over:
            self._step()
        by = np.bincount(_ONES[self._seen_by[: self.part.count]], minlength=GROUPS + 1)
        unseen = (GROUPS - 1) / GROUPS * float(by[1]) ** 2 / (2 * max(1, int(by[2])))
        return Bound(self._sightings, self._plays, self.part.count + unseen)

    @property
    def degree(self) -> float:
        """How many edges leave the positions that plays came through, on average."""
        return self._sightings / max(1, self._steps)

    def _step(self) -> None:
        onward = []
        at = 0
        for mail, count, after in random_steps(self._space, self._now, self._begin, self._rng, self._watch):
            found = np.empty(len(mail), np.uint32)
            self.part.absorb(mail, len(mail), found)
            self._note(found, np.repeat(self._group[at : at + len(count)], count))
            onward.append(after)
            at += len(count)
            self._sightings += len(mail)
            self._plays += int(np.count_nonzero(count == 0))
        self._steps += at
        self._now = np.concatenate([*onward, self._now[at:]])

    def _note(self, found: Any, groups: Any) -> None:
        if self.part.count > len(self._seen_by):
            room = np.zeros(2 * self.part.count, np.uint16)
            room[: len(self._seen_by)] = self._seen_by
            self._seen_by = room
        np.bitwise_or.at(self._seen_by, found, groups)


# -------------------------------------------------------------------------- how much too low


class Factor(NamedTuple):
    """How many times too low bounds are: a line on logarithmic scales, over true size / sightings."""

    base: float
    slope: float
    reach: float  # the largest log (true / sightings) that was tried

    def applied(self, bound: Bound, growth: float) -> tuple[float, bool]:
        """The size of a game with this bound, which grows like a power of the sightings; or is it more?

        Beyond what was tried the factor falls with more sightings as fast as the bound still grows.
        """
        least, seen = log(bound.least), log(bound.sightings)
        size = (least + self.base - self.slope * seen) / (1 - self.slope)
        if size - seen > self.reach:
            far = min(max(self.slope, growth), STEEPEST)
            size = (least + self.base + (self.slope - far) * self.reach - far * seen) / (1 - far)
        return max(exp(size), bound.least), size - seen > self.reach + FAR


def _usual(growth: float) -> Factor:
    slope = min(max(growth, 0.0), SLOPE)
    return Factor(BASE * slope / SLOPE, slope, log(PARTS[1]))


def _factor(space: Space, begin: Any, rng: Any, watch: Stopwatch) -> Factor | None:
    """By how much bounds are too low, from what follows late positions: lines of the same slope."""
    lines = []
    for _ in range(LATE):
        key, size = _countable(space, begin, rng, watch)
        if size < FEWEST:
            continue
        plays = Plays(space, key, GROUPS, rng, watch)
        bounds = [
            bound for bound in (plays.until(size // part) for part in PARTS) if bound.plays >= 2 * GROUPS
        ]
        if len(bounds) > 1:
            lines.append([(log(size / bound.sightings), log(size / bound.least)) for bound in bounds])
    if len(lines) < 2 or watch.over:
        return None
    centres = [np.mean(line, axis=0) for line in lines]
    off = np.concatenate([np.array(line) - centre for line, centre in zip(lines, centres, strict=True)])
    slope = float(np.clip(off[:, 0] @ off[:, 1] / (off[:, 0] @ off[:, 0]), 0.0, STEEPEST))
    base = float(np.mean([centre[1] - slope * centre[0] for centre in centres]))
    return Factor(base, slope, max(small for line in lines for small, _ in line))


def _countable(space: Space, begin: Any, rng: Any, watch: Stopwatch) -> tuple[Any, int]:
    """The earliest position of a random play from which everything can be counted, and how much that is.

    What follows a position also follows those before it: the count goes on from one to the one before.
    """
    words = space.compiled.key_words
    path = [np.ascontiguousarray(begin[rng.integers(len(begin))].reshape(1, words))]
    while len(path) < LONGEST and not watch.over:
        space.expand(0, 0, 1, path[-1])
        batch = space.batches[0]
        if not batch.edges:
            break
        path.append(batch.mail[0, rng.integers(batch.edges), :words].reshape(1, words).copy())
    part, done, edges = Partition(words), 0, 0
    counted, size = path[-1], 0
    for key in reversed(path):
        mail = np.empty((1, words + 1), np.uint64)
        address_keys(key, mail)
        part.absorb(mail, 1, np.empty(1, np.uint32))
        while done < part.count:
            for batch in watch.expansions(space, part.keys[: part.count].copy(), done):
                mail = batch.mail[0, : batch.edges]
                part.absorb(mail, len(mail), np.empty(len(mail), np.uint32))
                done += batch.positions
                edges += batch.edges
                if part.count > LATE_POSITIONS or edges > LATE_EDGES:
                    return counted, size
            if watch.over:
                return counted, size
        counted, size = key, part.count
    return counted, size


def combinations(keys: Any, bits: int) -> float:
    """How many keys can be put together from ranges of bits with values as in the given ones."""
    if bits > KEY:
        return inf
    least = [0.0]  # logarithms, for the bits before a place
    for end in range(1, bits + 1):
        ways = [least[end - 1] + log(2)]
        for begin in range(max(0, end - WIDEST), end):
            times = np.bincount(_range(keys, begin, end))
            values, once = np.count_nonzero(times), np.count_nonzero(times == 1)
            if once <= RARE * values:
                ways.append(least[begin] + log(values + once))
        least.append(min(ways))
    return exp(least[-1])


def _range(keys: Any, begin: int, end: int) -> Any:
    """The bits begin .. end - 1 of keys, as numbers."""
    word, shift = divmod(begin, 64)
    numbers = keys[:, word] >> np.uint64(shift)
    if end > 64 * (word + 1):
        numbers = numbers | keys[:, word + 1] << np.uint64(64 - shift)
    return (numbers & np.uint64((1 << end - begin) - 1)).astype(np.int64)


def _degree(space: Space, keys: Any, watch: Stopwatch) -> float:
    """How many edges leave a position, on average."""
    positions = edges = 0
    for batch in watch.expansions(space, keys):
        positions += batch.positions
        edges += batch.edges
    return edges / max(1, positions)
