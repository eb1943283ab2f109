"""What decides between the possibilities of the generator: a `random.Random`, seeded or driven by hypothesis.

Hypothesis shrinks every number it chooses towards the least, so the simplest possibility always comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Choices:
    def __init__(self, random: Random):
        self._random = random

    def integer(self, lo: int, hi: int) -> int:
        """A whole number lo..hi, both included."""
        return lo if lo == hi else self._random.randrange(lo, hi + 1)

    def pick(self, items: Sequence[T]) -> T:
        return items[self.integer(0, len(items) - 1)]

    def one_of(self, *makers: Callable[[], T]) -> T:
        """What one of the makers makes; each is a possibility, only the chosen one is carried out."""
        return self.pick(makers)()

    def maybe(self, times: int = 2) -> bool:
        """True one time in so many."""
        return self.integer(1, times) == times

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in any order; as they are where nothing else is wanted."""
        left, found = list(items), []
        while left:
            found.append(left.pop(self.integer(0, len(left) - 1)))
        return found

    def subset(self, items: Sequence[T], least: int = 0) -> list[T]:
        """Some of the items, in their order."""
        kept = [item for item in items if self.maybe()]
        return kept if len(kept) >= least else list(items[:least])
