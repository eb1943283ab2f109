"""A partition: the positions whose hash falls to it, their keys and the table that finds them.

    keys[i]        the key of position i, in the order in which positions were found
    slots[s]       0, or  tag | i + 1   where s is the slot of the hash of keys[i] or one of the next ones

    hash           63 ......... 32 31 ........... 8 7 ...... 0
                   slot (scaled)   tag              partition

The table is open addressing with linear probing over any number of slots, filled to at most 4/5. A slot has
32 bits: the number of the position takes as many as the size of the table needs, the rest is a tag from the
hash, so that hardly any key is compared in vain. That is 4 bytes / load per position beside the key itself.

Lookups come in batches, so memory is asked for ahead of its use: the slot of a key some steps before it is
probed from, and the key that this probe comes to a few steps before it is compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.machine.bits import hash_key
from solvers.machine.kernels import kernel, woven
from solvers.machine.pointers import pointer_to, prefetch
from solvers.machine.types import i64

FULLEST = 0.8
GROWTH = 1.5
"""Of the table, whose slots are all in use."""

ROOMY = 8
"""Of arrays that are filled from the front: the system gives memory where something is written, so that room
costs addresses only, and copying all that there is into new memory becomes rare.
"""

_TAG_SHIFT = 8
MISSING = np.uint32(0xFFFFFFFF)

_AHEAD_SLOT = 16
_AHEAD_KEY = 6
_RING = 16
"""More than a key is ahead, a power of 2."""


class Partition:
    """Positions owned by one worker. `count` of the rows of `keys` are in use."""

    def __init__(self, words: int, room: int = 1024):
        self.words = words
        self.count = 0
        self.keys = np.empty((room, words), np.uint64)
        self._table = np.empty(0, np.uint32)
        self._allocate(int(room / FULLEST) + 16)

    def _allocate(self, slots: int) -> None:
        if slots > len(self._table):
            self._table = self.slots = np.empty(0, np.uint32)  # the old one goes before the new one comes
            self._table = roomy(slots, (), np.uint32)
        self.slots = self._table[:slots]
        self.slots[:] = 0
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
                self.keys = grown(self.keys, self.count, self.count + 1)
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
        _absorb(mail, 0, count, self.keys, self.count, 0, self.slots, self.index_bits, found)

    def _rebuild(self, slots: int) -> None:
        self._allocate(slots)
        _fill(self.keys, self.count, self.slots, self.index_bits)

    @property
    def bytes(self) -> int:
        return self.count * self.words * 8 + self.slots.nbytes

    @staticmethod
    def of(keys: Any) -> Partition:
        """A partition with given keys, all different."""
        partition = Partition(keys.shape[1], 16)
        partition.keys, partition.count = keys, len(keys)
        partition._rebuild(int(len(keys) / FULLEST) + 16)
        return partition


def grown(array: Any, used: int, size: int) -> Any:
    """The array with room for `size` rows and more, of which those in use are copied."""
    larger = roomy(size, array.shape[1:], array.dtype)
    larger[:used] = array[:used]
    return larger


def roomy(size: int, row: tuple[int, ...], kind: Any) -> Any:
    """An array of at least `size` rows, and many more if the system gives addresses that easily."""
    try:
        return np.empty((ROOMY * size, *row), kind)
    except MemoryError:
        return np.empty((int(GROWTH * size), *row), kind)


@woven
def _slot(h: Any, size: Any) -> Any:
    return ((h >> np.uint64(32)) * size) >> np.uint64(32)


@woven
def _tag(h: Any, index_bits: Any) -> Any:
    """The bits of the hash above the number, in place."""
    return np.uint32((np.uint64(h) >> np.uint64(_TAG_SHIFT)) << np.uint64(index_bits))


@woven
def _probe(slots: Any, s: Any, size: Any, tag: Any, mask: Any) -> Any:
    """The first slot from s on that is free or may hold the key with this tag."""
    while slots[s] != 0 and (slots[s] & ~mask) != tag:
        s += np.uint64(1)
        if s == size:
            s = np.uint64(0)
    return s


@kernel
def _absorb(
    mail: Any, at: int, end: int, keys: Any, count: int, most: int, slots: Any, index_bits: int, found: Any
) -> Any:
    """Adds keys at .. end - 1 until `most` positions are held; the number of positions, and how far it
    came. With `most` 0 nothing is added, and keys that are not here are MISSING.
    """
    words = keys.shape[1]
    size = np.uint64(len(slots))
    mask = np.uint32((np.uint64(1) << np.uint64(index_bits)) - np.uint64(1))
    all_slots, all_keys = pointer_to(slots), pointer_to(keys)
    # Where the probe of each of the next keys has come to. Slots do not get free again, so that it can go on
    # from there, whatever was added meanwhile.
    probed = np.empty(_RING, np.uint64)
    for k in range(at - _AHEAD_SLOT, end):
        if k + _AHEAD_SLOT < end:
            prefetch(all_slots + i64(_slot(mail[k + _AHEAD_SLOT, words], size)))
        later = k + _AHEAD_KEY
        if at <= later < end:
            h = mail[later, words]
            s = _probe(slots, _slot(h, size), size, _tag(h, index_bits), mask)
            probed[later & (_RING - 1)] = s
            if slots[s]:
                prefetch(all_keys + (i64(slots[s] & mask) - 1) * words)
        if k < at:
            continue
        s = probed[k & (_RING - 1)]
        tag = _tag(mail[k, words], index_bits)
        while True:
            s = _probe(slots, s, size, tag, mask)
            entry = slots[s]
            if entry == 0:
                if most == 0:
                    found[k] = MISSING
                    break
                if count == most:
                    return count, k
                for i in range(words):
                    keys[count, i] = mail[k, i]
                count += 1
                slots[s] = tag | np.uint32(count)
                found[k] = np.uint32(count - 1)
                break
            held = i64(entry & mask) - 1
            same = True
            for i in range(words):
                if keys[held, i] != mail[k, i]:
                    same = False
                    break
            if same:
                found[k] = np.uint32(held)
                break
            s += np.uint64(1)
            if s == size:
                s = np.uint64(0)
    return count, end


@kernel
def _fill(keys: Any, count: int, slots: Any, index_bits: int) -> None:
    """Enters all keys, which are different, into slots that are free."""
    size = np.uint64(len(slots))
    all_slots, all_keys, words = pointer_to(slots), pointer_to(keys), keys.shape[1]
    hashes = np.empty(_RING, np.uint64)
    for later in range(count + _AHEAD_SLOT):
        k = later - _AHEAD_SLOT
        if k >= 0:
            h = hashes[k & (_RING - 1)]
            s = _slot(h, size)
            while slots[s]:
                s += np.uint64(1)
                if s == size:
                    s = np.uint64(0)
            slots[s] = _tag(h, index_bits) | np.uint32(k + 1)
        if later < count:
            h = hash_key(all_keys + later * words, words)
            hashes[later & (_RING - 1)] = h
            prefetch(all_slots + i64(_slot(h, size)))


@kernel
def address_keys(keys: Any, mail: Any) -> None:
    """Writes keys with their hashes, as partitions want to be asked."""
    words, all_keys = keys.shape[1], pointer_to(keys)
    for k in range(len(keys)):
        for i in range(words):
            mail[k, i] = keys[k, i]
        mail[k, words] = hash_key(all_keys + k * words, words)
