"""Laws: the probabilities and rewards of the outcomes of a choice, each kept once.

A die has the same six sixths wherever it is rolled, so choices share their laws. A law is a row of exact
numbers, for each outcome `num, den` of its probability and, in games with rewards, `num, den` of each
player's reward.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from solvers.core.rounding import UNIT
from solvers.machine.kernels import kernel, woven
from solvers.machine.pointers import struct


class LawTable(NamedTuple):
    """Laws as kernels see them."""

    start: Any  # i64
    data: Any  # i64
    slots: Any  # u32
    count: Any  # i64[1]
    certain: Any  # i64[1]: the law of one outcome and no reward, or -1 before it has come up
    start_room: int
    data_room: int
    slots_room: int


class Laws:
    """The laws of one partition: law i is data[start[i] : start[i + 1]], found through open addressing.

    `struct` is what kernels take.
    """

    def __init__(self) -> None:
        self.count, self._certain = np.zeros(1, np.int64), np.full(1, -1, np.int64)
        self._allocate(np.zeros(1025, np.int64), np.empty(16384, np.int64), 4096)

    def _allocate(self, start: Any, data: Any, slots: int) -> None:
        self.start, self.data, self.slots = start, data, np.zeros(slots, np.uint32)
        self.struct = struct(
            LawTable(start, data, self.slots, self.count, self._certain, len(start), len(data), slots)
        )

    def grow(self) -> None:
        """Twice the room."""
        self._allocate(
            np.concatenate([self.start, np.zeros(len(self.start) - 1, np.int64)]),
            np.concatenate([self.data, np.empty(len(self.data), np.int64)]),
            2 * len(self.slots),
        )
        _refill(self.start, self.data, self.slots, self.count[0])

    @staticmethod
    def of(start: Any, data: Any) -> Laws:
        """Laws with given rows."""
        laws = Laws()
        count = len(start) - 1
        while count + 1 >= len(laws.start) or len(data) > len(laws.data) or 2 * count >= len(laws.slots):
            laws.grow()
        laws.start[: count + 1] = start
        laws.data[: len(data)] = data
        laws.count[0] = count
        _refill(laws.start, laws.data, laws.slots, count)
        return laws

    @property
    def bytes(self) -> int:
        return int(self.start.nbytes + self.data.nbytes + self.slots.nbytes)


def expected_reward(table: Any, start: Any, player: int) -> tuple[Any, Any]:
    """Per law the expected reward of a player, and how far from it rounding may have led.

    `table` has a row for each outcome, those of law i from start[i] on. Where rewards cancel, nothing would
    be left of a sum in floats, so they are summed without rounding.
    """
    paid = (table[:, 0] / table[:, 1]) * (table[:, 2 + 2 * player] / table[:, 3 + 2 * player])
    total = np.add.reduceat(paid, start[:-1])
    size = np.add.reduceat(np.abs(paid), start[:-1])
    # Each term was rounded up to seven times, numerators and denominators included.
    error = (np.diff(start) + 8) * UNIT * size
    for law in np.flatnonzero(size > 1.5 * np.abs(total)):
        rows = table[start[law] : start[law + 1]].tolist()
        exact = sum(
            Fraction(row[0], row[1]) * Fraction(row[2 + 2 * player], row[3 + 2 * player]) for row in rows
        )
        total[law] = float(exact)
        error[law] = UNIT * abs(total[law])
    return total, error


@woven
def _hash(data: Any, first: int, last: int) -> Any:
    h = np.uint64(0x9E3779B97F4A7C15)
    for i in range(first, last):
        h = (h ^ np.uint64(data[i])) * np.uint64(0xD6E8FEB86659FD93)
        h ^= h >> np.uint64(32)
    return h


@woven
def law_of(row: Any, length: int, laws: Any) -> Any:
    """The number of a law, kept now if it is new; -1 if there is no room for it."""
    start, data, slots = laws.start, laws.data, laws.slots
    mask = np.uint64(laws.slots_room - 1)
    at = _hash(row, 0, length) & mask
    while slots[at]:
        law = slots[at] - 1
        first = start[law]
        if start[law + 1] - first == length:
            same = True
            for i in range(length):
                if data[first + i] != row[i]:
                    same = False
                    break
            if same:
                return law
        at = (at + np.uint64(1)) & mask
    n = laws.count[0]
    first = start[n]
    if n + 1 >= laws.start_room or first + length > laws.data_room or 2 * n >= laws.slots_room:
        return -1
    for i in range(length):
        data[first + i] = row[i]
    start[n + 1] = first + length
    slots[at] = n + 1
    laws.count[0] = n + 1
    return n


@kernel
def _refill(start: Any, data: Any, slots: Any, count: int) -> None:
    mask = np.uint64(len(slots) - 1)
    for law in range(count):
        at = _hash(data, start[law], start[law + 1]) & mask
        while slots[at]:
            at = (at + np.uint64(1)) & mask
        slots[at] = np.uint32(law + 1)
