"""Permutations of a position: every atom goes to another one, perhaps with another value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

Values = tuple[int, ...]
"""What becomes of the value of each ordinal."""


@dataclass(frozen=True)
class Permutation:
    """Atom `a` goes to atom `to[a]`, and its ordinal k becomes `by[a][k]` (None: it stays as it is).

    `players` says who takes whose part; where players change parts, so do their payments.
    """

    to: tuple[int, ...]
    by: tuple[Values | None, ...]
    players: Values
    name: str = field(default="", compare=False)

    @property
    def is_identity(self) -> bool:
        still = all(place == a for a, place in enumerate(self.to)) and all(v is None for v in self.by)
        return still and not self.swaps

    @property
    def swaps(self) -> bool:
        """Whether players change parts."""
        return any(p != k for k, p in enumerate(self.players))

    def then(self, other: Permutation) -> Permutation:
        """This one, and then the other."""
        by = []
        for a, place in enumerate(self.to):
            mine, theirs = self.by[a], other.by[place]
            both: Values | None
            if mine is None or theirs is None:
                both = mine if theirs is None else theirs
            else:
                both = tuple(theirs[k] for k in mine)
            by.append(None if both is None or all(v == k for k, v in enumerate(both)) else both)
        to = tuple(other.to[place] for place in self.to)
        return Permutation(to, tuple(by), tuple(other.players[p] for p in self.players))


def generated(generators: Sequence[Permutation], most: int) -> tuple[Permutation, ...]:
    """The group that permutations generate, the identity first; of at most so many, from as many generators
    as fit.
    """
    if not generators:
        return ()
    first = generators[0]
    identity = Permutation(
        tuple(range(len(first.to))), (None,) * len(first.to), tuple(range(len(first.players))), "identity"
    )
    group: dict[Permutation, None] = {identity: None}
    kept: list[Permutation] = []
    for generator in generators:
        if generator in group:
            continue
        larger = _closed([*kept, generator], identity, most)
        if larger is not None:
            group, kept = dict.fromkeys(larger), [*kept, generator]
    return tuple(group)


def _closed(generators: Iterable[Permutation], identity: Permutation, most: int) -> list[Permutation] | None:
    generators = list(generators)
    found = {identity: None}
    waiting = [identity]
    while waiting:
        here = waiting.pop()
        for generator in generators:
            there = here.then(generator)
            if there not in found:
                if len(found) >= most:
                    return None
                found[there] = None
                waiting.append(there)
    return list(found)
