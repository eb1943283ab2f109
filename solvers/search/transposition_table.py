"""A transposition table of fixed size: what has been learnt of positions already searched."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from gdl.game import Number


class Entry(NamedTuple):
    """low <= value <= high when looking `depth` moves ahead; `complete`: no judged leaf was met."""

    position: Hashable
    depth: float
    low: Number
    high: Number
    move: Any  # the best move or the one that caused a cut; None where nothing is known
    complete: bool = False

    def answers(self, depth: float) -> bool:
        """Whether a search to that depth would find the same.

        A deeper search may judge otherwise, so it does not answer for a shallower one: the table changes
        the work of a search, never its value. A complete one answers for all that look further.
        """
        return self.depth == depth or (self.complete and self.depth < depth)


class Table:
    """`size` slots. An entry is replaced by any newer one about the same position, which sharpens it if it is
    as deep; of two positions that share a slot the one that was searched deeper stays, with some favour to
    the newer one."""

    def __init__(self, size: int, favour: int = 2):
        self.size = size
        self.favour = favour  # how many moves shallower the newer one may be
        self.slots: list[Entry | None] = [None] * size

    def get(self, position: Hashable) -> Entry | None:
        if not self.size:
            return None
        entry = self.slots[hash(position) % self.size]
        return entry if entry is not None and entry.position == position else None

    def put(self, entry: Entry) -> None:
        if not self.size:
            return
        slot = hash(entry.position) % self.size
        old = self.slots[slot]
        if old is not None:
            if old.position == entry.position:
                entry = _sharpened(old, entry)
            elif old.depth > entry.depth + self.favour:
                return
        self.slots[slot] = entry


def _sharpened(old: Entry, new: Entry) -> Entry:
    move = new.move if new.move is not None else old.move
    if old.depth != new.depth or old.complete != new.complete:
        return new._replace(move=move)
    low, high = max(old.low, new.low), min(old.high, new.high)
    if low > high:  # a leaf that draws anew judged otherwise this time: the two have nothing in common
        return new._replace(move=move)
    return new._replace(low=low, high=high, move=move)
