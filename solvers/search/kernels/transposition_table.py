"""The transposition table of search kernels: two words an entry, shared between threads without locks.

    word 0    meta ^ value bits              meta   check | work | depth | bound | proven | move
    word 1    value bits (f64)                        41      5      7       2        1       8

An entry that two threads wrote halves of does not give its check when the words are put together (Hyatt &
Mann 2002), so it is not found. Four entries share a cache line; the bucket is named by the high bits of the
hash, the check by the low ones. A wrong position passes the check once in 2^39 probes of a full bucket.

Values are the mover's. `depth` is how many moves ahead was looked, 127 for 127 and more; `proven` says that
no judged position influenced the bound, `work` is log2 of the nodes that it cost: of a full bucket the
cheapest entry makes way.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.machine.bits import bits_of, float_of
from solvers.machine.kernels import inlined, step
from solvers.machine.pointers import prefetch

LOWER, UPPER, EXACT = 1, 2, 3
"""The value is at least, at most, or just what the entry says."""

ENDLESS = 1 << 40
"""A depth that is never used up."""

DEEPEST = 127
NO_MOVE = 255
BUCKET = 4
_CHECK = (1 << 41) - 1


def table_of(entries: int) -> Any:
    """An empty table with room for about so many entries (a power of two), at least one bucket."""
    buckets = 1 << max(0, (max(entries, 1) // BUCKET).bit_length() - 1)
    words = np.zeros(2 * BUCKET * buckets + 8, np.uint64)
    start = (-words.ctypes.data // 8) % 8  # buckets begin where cache lines do
    return words[start : start + 2 * BUCKET * buckets]


def shift_of(table: Any) -> int:
    """64 - log2(buckets)."""
    return 65 - (len(table) // (2 * BUCKET)).bit_length()


@inlined
def bucket_of(table: Any, shift: Any, key: Any) -> Any:
    """The words of the bucket of a hash; `shift` is 64 - log2(buckets)."""
    return table + np.int64((key >> np.uint64(1)) >> np.uint64(shift - 1)) * (2 * BUCKET)


@inlined
def fetch(table: Any, shift: Any, key: Any) -> None:
    prefetch(bucket_of(table, shift, key))


@inlined
def probe(table: Any, shift: Any, key: Any) -> Any:
    """The meta and the value that are kept for a hash; (0, 0.0) where nothing is."""
    bucket = bucket_of(table, shift, key)
    check = key & np.uint64(_CHECK)
    for i in range(BUCKET):
        value = bucket[2 * i + 1]
        meta = bucket[2 * i] ^ value
        if meta >> np.uint64(23) == check and meta & np.uint64(0x7FFFFF) != 0:
            return meta, float_of(value)
    return np.uint64(0), 0.0


@inlined
def bound_in(meta: Any) -> Any:
    return np.int64((meta >> np.uint64(9)) & np.uint64(3))


@inlined
def depth_in(meta: Any) -> Any:
    return np.int64((meta >> np.uint64(11)) & np.uint64(127))


@inlined
def proven_in(meta: Any) -> Any:
    return (meta >> np.uint64(8)) & np.uint64(1) != 0


@inlined
def move_in(meta: Any) -> Any:
    return np.int64(meta & np.uint64(255))


@inlined
def answers(meta: Any, depth: Any) -> Any:
    """Whether a search to that depth would find the same as the entry (as search/transposition_table.py)."""
    kept = depth_in(meta)
    wanted = min(depth, DEEPEST)
    return (kept == wanted and wanted < DEEPEST) or (proven_in(meta) and kept <= wanted)


@step
def store(
    table: Any,
    shift: Any,
    key: Any,
    value: Any,
    bound: Any,
    depth: Any,
    proven: Any,
    move: Any,
    nodes: Any,
) -> None:
    """Keeps what a search found. The same position's entry is replaced, else the cheapest of the bucket."""
    bucket = bucket_of(table, shift, key)
    check = key & np.uint64(_CHECK)
    work = 0
    while nodes > 1 and work < 31:
        nodes >>= 1
        work += 1
    victim, cheapest = 0, np.uint64(1 << 40)
    for i in range(BUCKET):
        kept = bucket[2 * i] ^ bucket[2 * i + 1]
        if kept >> np.uint64(23) == check:
            victim = i
            break
        cost = (kept >> np.uint64(18)) & np.uint64(31)
        if kept & np.uint64(0x7FFFFF) == 0:
            cost = np.uint64(0)
        if cost < cheapest:
            victim, cheapest = i, cost
    meta = check << np.uint64(23)
    meta |= np.uint64(work) << np.uint64(18)
    meta |= np.uint64(min(depth, DEEPEST)) << np.uint64(11)
    meta |= np.uint64(bound) << np.uint64(9)
    meta |= np.uint64(proven) << np.uint64(8)
    meta |= np.uint64(move if move < NO_MOVE else NO_MOVE)
    bits = bits_of(value)
    bucket[2 * victim] = meta ^ bits
    bucket[2 * victim + 1] = bits
