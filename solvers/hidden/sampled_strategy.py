"""What was learnt from samples where the information sets are too many to list: it is asked by what is known,
and shown as far as plays of it come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from time import perf_counter
from typing import Any

from gdl.game import Game
from solvers.core.result import Value
from solvers.core.samples import Sample
from solvers.hidden.sequences import Known
from solvers.hidden.strategy import SHOWN, Row, tables_of
from solvers.hidden.table import Table
from solvers.hidden.words import Words

SHORT = 200, 3.0
"""Plays, and seconds, to say what the policy is worth and to show some of it."""

LONG = 20_000, 30.0
"""Plays, and seconds, to list what a file says."""


@dataclass(frozen=True)
class SampledStrategy:
    """A policy over information sets of which only those that samples met are known.

    odds      from what is known to the probabilities of the moves; None where no sample came
    counts    information sets of each player that samples met
    rounds    samples that found it
    """

    game: Game[Any, Any]
    at: Any
    odds: Callable[[Known], Sequence[float] | None]
    counts: tuple[int, ...]
    rounds: int
    seed: int = 0
    judgement: None = None  # nobody has measured how good it is

    def lookup(self) -> Callable[[Known], Sequence[float] | None]:
        return self.odds

    def entries(self) -> Iterator[tuple[Known, Sequence[float]]]:
        """The information sets that plays come to: of the policy, and in every second play of somebody who
        does anything against it, so that the others' answers are listed too."""
        met: dict[tuple[int, Any], Known] = {}
        table = Table(self.game, {}, self.at, rng := Random(self.seed))
        plays, seconds = LONG
        began = perf_counter()
        for number in range(plays):
            anything = (number // 2) % len(self.game.players) if number % 2 else None
            table.play(lambda known, other=anything: self._move(known, rng, met, other))  # type: ignore[misc]
            if perf_counter() - began > seconds:
                break
        for known in met.values():
            odds = self.odds(known)
            if odds is not None:
                yield known, odds

    def values(self) -> tuple[Value, ...]:
        """What the policy pays everybody if all follow it, with 95 % intervals."""
        sample = self._played[0]
        return tuple(sample.value(player, self.game.traits) for player in range(len(self.game.players)))

    @cached_property
    def _played(self) -> tuple[Sample, list[Known]]:
        """What some plays of the policy paid, and what was known in them, the most frequent first."""
        sample = Sample(len(self.game.players))
        met: dict[tuple[int, Any], Known] = {}
        often: Counter[tuple[int, Any]] = Counter()
        table = Table(self.game, {}, self.at, rng := Random(self.seed))
        plays, seconds = SHORT
        began = perf_counter()

        def move(known: Known) -> Any:
            often[known.player, known.seen] += 1
            return self._move(known, rng, met, None)

        for _ in range(plays):
            sample.add_play(*table.play(move))
            if perf_counter() - began > seconds:
                break
        ordered = sorted(met, key=lambda key: (len(key[1]), -often[key]))
        return sample, [met[key] for key in ordered]

    def _move(
        self, known: Known, rng: Random, met: dict[tuple[int, Any], Known], anything: int | None
    ) -> Any:
        """A move by the policy; any where it does not say, and of a player who does anything."""
        met.setdefault((known.player, known.seen), known)
        odds = None if known.player == anything else self.odds(known)
        return rng.choice(known.moves) if odds is None else rng.choices(known.moves, odds)[0]

    def rows(self, most: int | None = SHOWN) -> Iterator[Row]:
        """What is known early in plays of the policy, player by player; at most so many of each."""
        every = self._played[1]
        words = Words(self.game, [(known.player, known.seen) for known in every])
        for player, name in enumerate(self.game.players):
            own = [known for known in every if known.player == player]
            for known in own[:most]:
                odds = self.odds(known)
                if odds is not None:
                    moves = dict(zip(map(self.game.format_move, known.moves), odds, strict=True))
                    yield Row(name, words.text(player, known.seen), moves, 1.0)

    # ------------------------------------------------------------------ for people

    def facts(self) -> list[tuple[str, str]]:
        player = self.game.players[-1]
        return [
            (
                "exploitability",
                "not measured, for there are too many histories; with `--policy FILE`, and then "
                f"`--agent {player}=policy:FILE`, a response to it is learnt",
            )
        ]

    def tables(self) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        return tables_of(self.game.players, self.rows(), self.counts)

    def as_data(self) -> dict[str, Any]:
        return {
            "information_sets": dict(zip(self.game.players, self.counts, strict=True)),
            "histories": None,
            "iterations": self.rounds,
            "exploitability": None,
            "exploitability_within": None,
            "nash_conv": None,
            "policy": [row.as_data() for row in self.rows()],
        }
