"""A partition: the positions whose hash falls to it, their keys and the table that finds them.

    keys[i]        the key of position i, in the order in which positions were found
    slots[s]       0, or  tag | i + 1   where s is the slot of the hash of keys[i] or one of the next ones

    hash           63 ......... 32 31 ........... 8 7 ...... 0
                   slot (scaled)   tag              partition

The table is open addressing with linear probing over any number of slots, filled to at most 4/5. A slot has
32 bits: the number of the position takes as many as the size of the table needs, the rest is a tag from the
hash, so that hardly any key is compared in vain. That is 4 bytes / load per position beside the key itself.

Lookups come in batches, so memory is asked for ahead of its use: the slot of a key some steps before it is
looked up, the key that the slot points to a few steps before it is compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from solvers.kernels.calls import address_of, hash_key, prefetch
from solvers.kernels.types import i64

FULLEST = 0.8
GROWTH = 1.5
_TAG_SHIFT = 8
MISSING = np.uint32(0xFFFFFFFF)

_AHEAD_SLOT = 16
_AHEAD_KEY = 6


class Partition:
    """Positions owned by one worker. `count` of the rows of `keys` are in use."""

    def __init__(self, words: int, room: int = 1024):
        self.words = words
        self.count = 0
        self.keys = np.empty((room, words), np.uint64)
        self._allocate(int(room / FULLEST) + 16)

    def _allocate(self, slots: int) -> None:
        self.slots = np.zeros(slots, np.uint32)
        self.index_bits = int(slots * FULLEST + 2).bit_length()
        if self.index_bits > 32:
            raise MemoryError("more than four thousand million positions in one partition")

    @property
    def room(self) -> int:
        """How many positions the table may hold before it must grow."""
        return int(len(self.slots) * FULLEST)

    def absorb(self, mail: Any, count: int, found: Any) -> None:
        """The numbers of `count` keys, positions added where they are new."""
        at = 0
        while at < count:
            if self.count + 1 > self.room:
                self._rebuild(int(len(self.slots) * GROWTH) + 16)
            if self.count == len(self.keys):
                self.keys = grown(self.keys, self.count, int(self.count * GROWTH) + 1024)
            most = min(self.room, len(self.keys))
            self.count, at = _absorb(
                mail, at, count, self.keys, self.count, most, self.slots, self.index_bits, found
            )

    def load_kernels(self, mail: Any, found: Any) -> None:
        """Makes what the methods call ready, without doing anything."""
        _absorb(mail, 0, 0, self.keys, self.count, self.count, self.slots, self.index_bits, found)
        _fill(self.keys, 0, self.slots, self.index_bits)

    def find(self, mail: Any, count: int, found: Any) -> None:
        """The numbers of keys, MISSING for those that are not here."""
        _find(mail, count, self.keys, self.slots, self.index_bits, found)

    def _rebuild(self, slots: int) -> None:
        self.slots = np.zeros(1, np.uint32)  # the old table goes before the new one comes
        self._allocate(slots)
        _fill(self.keys, self.count, self.slots, self.index_bits)

    @property
    def bytes(self) -> int:
        return self.count * self.words * 8 + self.slots.nbytes

    def trim(self) -> None:
        """Gives back the rows that are not in use."""
        self.keys = grown(self.keys, self.count, self.count)

    @staticmethod
    def of(keys: Any) -> Partition:
        """A partition with given keys, all different."""
        partition = Partition(keys.shape[1], 16)
        partition.keys, partition.count = keys, len(keys)
        partition._rebuild(int(len(keys) / FULLEST) + 16)
        return partition


def grown(array: Any, used: int, size: int) -> Any:
    """The array with room for `size` rows; only rows in use are copied, so only those take memory."""
    larger = np.empty((size, *array.shape[1:]), array.dtype)
    larger[:used] = array[:used]
    return larger


@njit(cache=True, nogil=True, inline="always")
def _slot(h: Any, size: Any) -> Any:
    return ((h >> np.uint64(32)) * size) >> np.uint64(32)


@njit(cache=True, nogil=True, inline="always")
def _tag(h: Any, index_bits: Any) -> Any:
    """The bits of the hash above the number, in place."""
    return np.uint32((np.uint64(h) >> np.uint64(_TAG_SHIFT)) << np.uint64(index_bits))


@njit(cache=True, nogil=True)
def _absorb(
    mail: Any, at: int, end: int, keys: Any, count: int, most: int, slots: Any, index_bits: int, found: Any
) -> Any:
    """Adds keys at .. end - 1 until `most` positions are held; the number of positions, and how far it
    came.
    """
    words = keys.shape[1]
    size = np.uint64(len(slots))
    mask = np.uint32((np.uint64(1) << np.uint64(index_bits)) - np.uint64(1))
    at_slots, at_keys = address_of(slots), address_of(keys)
    while at < end:
        if at + _AHEAD_SLOT < end:
            prefetch(at_slots + i64(_slot(mail[at + _AHEAD_SLOT, words], size)) * 4)
        if at + _AHEAD_KEY < end:
            held = slots[_slot(mail[at + _AHEAD_KEY, words], size)] & mask
            if held:
                prefetch(at_keys + (i64(held) - 1) * words * 8)
        h = mail[at, words]
        s = _slot(h, size)
        tag = _tag(h, index_bits)
        while True:
            entry = slots[s]
            if entry == 0:
                if count == most:
                    return count, at
                for i in range(words):
                    keys[count, i] = mail[at, i]
                count += 1
                slots[s] = tag | np.uint32(count)
                found[at] = np.uint32(count - 1)
                break
            if (entry & ~mask) == tag:
                k = i64(entry & mask) - 1
                same = True
                for i in range(words):
                    if keys[k, i] != mail[at, i]:
                        same = False
                        break
                if same:
                    found[at] = np.uint32(k)
                    break
            s += np.uint64(1)
            if s == size:
                s = np.uint64(0)
        at += 1
    return count, at


@njit(cache=True, nogil=True)
def _find(mail: Any, end: int, keys: Any, slots: Any, index_bits: int, found: Any) -> None:
    words = keys.shape[1]
    size = np.uint64(len(slots))
    mask = np.uint32((np.uint64(1) << np.uint64(index_bits)) - np.uint64(1))
    at_slots, at_keys = address_of(slots), address_of(keys)
    for at in range(end):
        if at + _AHEAD_SLOT < end:
            prefetch(at_slots + i64(_slot(mail[at + _AHEAD_SLOT, words], size)) * 4)
        if at + _AHEAD_KEY < end:
            held = slots[_slot(mail[at + _AHEAD_KEY, words], size)] & mask
            if held:
                prefetch(at_keys + (i64(held) - 1) * words * 8)
        h = mail[at, words]
        s = _slot(h, size)
        tag = _tag(h, index_bits)
        found[at] = np.uint32(0xFFFFFFFF)
        while slots[s]:
            entry = slots[s]
            if (entry & ~mask) == tag:
                k = i64(entry & mask) - 1
                same = True
                for i in range(words):
                    if keys[k, i] != mail[at, i]:
                        same = False
                        break
                if same:
                    found[at] = np.uint32(k)
                    break
            s += np.uint64(1)
            if s == size:
                s = np.uint64(0)


@njit(cache=True, nogil=True)
def _fill(keys: Any, count: int, slots: Any, index_bits: int) -> None:
    size = np.uint64(len(slots))
    at_slots = address_of(slots)
    for k in range(count):
        if k + _AHEAD_SLOT < count:
            prefetch(at_slots + i64(_slot(hash_key(keys[k + _AHEAD_SLOT]), size)) * 4)
        h = hash_key(keys[k])
        s = _slot(h, size)
        while slots[s]:
            s += np.uint64(1)
            if s == size:
                s = np.uint64(0)
        slots[s] = _tag(h, index_bits) | np.uint32(k + 1)


@njit(cache=True, nogil=True)
def address_keys(keys: Any, mail: Any) -> None:
    """Writes keys with their hashes, as partitions want to be asked."""
    words = keys.shape[1]
    for k in range(len(keys)):
        for i in range(words):
            mail[k, i] = keys[k, i]
        mail[k, words] = hash_key(keys[k])
