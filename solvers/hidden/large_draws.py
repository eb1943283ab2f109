"""Outcomes of chance that fit what was seen, where they are too many to be listed: hands dealt from a deck.

A *way* is what was drawn, one draw after another. The first way that fits is found by changing one draw at
a time for as long as it comes nearer to what was seen. Which of its draws are *seen* then shows where each
is changed: what is seen changes with it, or not. Other ways keep what was drawn in these, and draw all the
others anew, with the weights of importance sampling. From there Metropolis-Hastings steps go on that draw
one thing anew (Wingate, Stuhlmueller & Goodman 2011) and give what was there before to the draw from which
it was taken: so cards change hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from gdl.game import Number

TRIED = 4_000
"""Ways that are looked at for the first one that fits."""

LOOKED = 12
"""Changes by which a draw shows whether it is seen."""

FREE = object()
"""What a draw that is to be made anew keeps."""


class Drawing(NamedTuple):
    """What was drawn, and where that leads; `weight`: how much it counts among ways that were found alike."""

    position: Any
    seen: Any
    drawn: tuple[Any, ...]
    shares: tuple[Number, ...]  # the probability of what was drawn, for each draw
    candidates: tuple[Sequence[Any], ...]
    odds: tuple[Sequence[Number], ...]  # of the candidates
    weight: float

    @property
    def probability(self) -> Number:
        product: Number = 1
        for share in self.shares:
            product *= share
        return product


class Pattern(NamedTuple):
    """What ways that fit have in common: what was drawn where that is seen, else FREE; and for each draw what
    must be left for later ones."""

    kept: tuple[Any, ...]
    left: tuple[frozenset[Any], ...]


class LargeDraw:
    """The outcomes of a move, or (None, None) the starts, that look to a player as what was seen."""

    def __init__(self, game: Any, player: int, seen: Any):
        self.game = game
        self.player = player
        self.seen = seen
        self.pattern: Pattern | None = None  # of the first way that was found

    def ways(self, position: Any, move: Any, count: int, rng: Random) -> list[Drawing]:
        """So many ways, drawn; none where none is found that fits."""
        found = [] if self.pattern is None else self._alike(position, move, count, rng)
        if found:
            return found
        first = self._fitting(position, move, rng)
        if first is None:
            return []
        self.pattern = self._pattern_of(first, position, move, rng)
        found = self._alike(position, move, count, rng)
        while len(found) < count:
            way = rng.choice(found) if found else first
            for _ in way.drawn:
                way = self.varied(way, position, move, rng)
            found.append(way._replace(weight=1.0))
        return found

    def varied(self, way: Drawing, position: Any, move: Any, rng: Random) -> Drawing:
        """A Metropolis-Hastings step: one draw anew, or the same way."""
        at = rng.randrange(len(way.drawn))
        (value,) = rng.choices(way.candidates[at], [float(share) for share in way.odds[at]])
        other = self._changed(way, position, move, at, value)
        if other is None or other.seen != self.seen:
            return way
        ratio = 1.0
        for k, (after, before) in enumerate(zip(other.shares, way.shares, strict=True)):
            if k != at:
                ratio *= float(after) / float(before)
        return other if rng.random() < ratio else way

    def again(self, way: Drawing, position: Any, move: Any) -> Drawing | None:
        """The same draws from another position; None where that does not fit."""
        other = self._made(position, move, way.drawn, None, None)
        return other if other is not None and other.seen == self.seen else None

    # ------------------------------------------------------------------------- the first that fits

    def _fitting(self, position: Any, move: Any, rng: Random) -> Drawing | None:
        """Changes one draw at a time, for as long as that comes nearer to what was seen."""
        now = self._made(position, move, (), None, rng)
        assert now is not None
        tried = 0
        while now.seen != self.seen and tried < TRIED:
            nearer = False
            for at in rng.sample(range(len(now.drawn)), len(now.drawn)):
                values = [value for value in now.candidates[at] if value != now.drawn[at]]
                for value in rng.sample(values, len(values)):
                    other = self._changed(now, position, move, at, value)
                    tried += 1
                    if other is None:
                        continue
                    if self._unlike(other) < self._unlike(now):
                        now, nearer = other, True
                        break
                    if self._unlike(other) > self._unlike(now) or other.seen == now.seen:
                        break  # it was right, or is not seen
            if not nearer:
                now = self._made(position, move, self._shaken(now, rng), None, rng) or now
                tried += 1
        return now if now.seen == self.seen else None

    def _shaken(self, way: Drawing, rng: Random) -> tuple[Any, ...]:
        return tuple(FREE if rng.random() < 0.3 else value for value in way.drawn)

    def _unlike(self, way: Drawing) -> int:
        found: int = way.seen.unlike(self.seen)
        return found

    def _changed(self, way: Drawing, position: Any, move: Any, at: int, value: Any) -> Drawing | None:
        """The same draws but for one; who would have drawn what that takes gets what it gave up."""
        wished = (*way.drawn[:at], value, *way.drawn[at + 1 :])
        other = self._made(position, move, wished, way.drawn[at], None)
        return other if other is not None and len(other.drawn) == len(way.drawn) else None

    # ---------------------------------------------------------------------------- the others

    def _pattern_of(self, way: Drawing, position: Any, move: Any, rng: Random) -> Pattern:
        kept = [value if self._is_seen(way, position, move, at, rng) else FREE
                for at, value in enumerate(way.drawn)]  # fmt: skip
        left = []
        for at, value in enumerate(way.drawn):
            later = range(at + 1, len(kept))
            taken = [k for k in later if kept[k] is not FREE and value not in way.candidates[k]]
            left.append(frozenset(kept[k] for k in taken))
        return Pattern(tuple(kept), tuple(left))

    def _is_seen(self, way: Drawing, position: Any, move: Any, at: int, rng: Random) -> bool:
        """Whether no change of a draw led elsewhere without being seen."""
        values = [value for value in way.candidates[at] if value != way.drawn[at]]
        for value in rng.sample(values, min(LOOKED, len(values))):
            other = self._changed(way, position, move, at, value)
            if other is not None and other.seen == self.seen and other.position != way.position:
                return False
        return True

    def _alike(self, position: Any, move: Any, count: int, rng: Random) -> list[Drawing]:
        """Ways of the pattern that fit: at most so many, and none where nearly none fits."""
        assert self.pattern is not None
        found: list[Drawing] = []
        for tried in range(4 * count):
            if len(found) == count or (tried >= 20 and not found):
                break
            way = self._made(position, move, self.pattern.kept, None, rng, self.pattern.left)
            if way is not None and way.seen == self.seen:
                found.append(way)
        return found

    # -------------------------------------------------------------------------------- one way

    def _made(
        self,
        position: Any,
        move: Any,
        wished: Sequence[Any],
        instead: Any,
        rng: Random | None,
        left: Sequence[frozenset[Any]] = (),
    ) -> Drawing | None:
        """The way in which these are drawn. Where one of them cannot be drawn, `instead` is, once; where
        nothing is wished for, it is drawn by `rng`. None where none of that can be."""
        drawn: list[Any] = []
        shares: list[Number] = []
        candidates: list[Sequence[Any]] = []
        offered: list[Sequence[Number]] = []
        weight = 1.0
        unused = [instead]

        def decide(values: Sequence[Any], odds: Sequence[Number]) -> int:
            nonlocal weight
            k = len(drawn)
            wish = wished[k] if k < len(wished) else FREE
            if wish is FREE:
                if rng is None:
                    raise _Unlike
                kept = left[k] if k < len(left) else frozenset()
                pairs = zip(values, odds, strict=True)
                free = [0.0 if value in kept else float(share) for value, share in pairs]
                total = sum(free)
                if not total:
                    raise _Unlike
                (number,) = rng.choices(range(len(values)), free)
                weight *= total
            else:
                if wish not in values:
                    wish = unused.pop() if unused else None
                    if wish is None or wish not in values:
                        raise _Unlike
                number = values.index(wish)
                if left:
                    weight *= float(odds[number])
            drawn.append(values[number])
            shares.append(odds[number])
            candidates.append(values)
            offered.append(odds)
            return number

        try:
            outcome = self.game.decided(position, move, decide)
        except _Unlike:
            return None
        seen = self.game.observation(outcome.position, self.player)
        return Drawing(
            outcome.position, seen, tuple(drawn), tuple(shares), tuple(candidates), tuple(offered), weight
        )


class _Unlike(Exception):
    """What is wished for cannot be drawn."""
