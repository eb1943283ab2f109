"""Playing a game out: agents make the moves, chance does its part, and the result is counted.

Used by `gdl run`. An agent is anything with `choose(play) -> move`; see `solvers.agents`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from random import Random
from typing import Any, Protocol, runtime_checkable

from gdl.diagnostics import GameError
from gdl.diagnostics import commands as wording
from gdl.game import CHANCE, Number
from gdl.play import Play, Step
from gdl.reference.notation import parse_moves

LONGEST = 10_000
"""A play of more moves than this is taken for one that never ends."""


class Chooses(Protocol):
    """What plays for a player."""

    def choose(self, play: Play[Any, Any]) -> Any:
        """A legal move for the player to move."""
        ...


Watch = Callable[[Play[Any, Any], Step[Any, Any]], None]
"""Told of every move as it is made, and before it of the start."""


def play_out(
    play: Play[Any, Any], agents: Sequence[Chooses], watch: Watch | None = None, longest: int = LONGEST
) -> None:
    """Makes moves until the game is over, or the play has `longest` moves."""
    while not play.finished and len(play) < longest:
        step = play.draw() if play.to_move == CHANCE else play.make(agents[play.to_move].choose(play))
        if watch is not None:
            watch(play, step)


# ------------------------------------------------------------------------ moves as text


def make_typed(play: Play[Any, Any], text: str, watch: Watch | None = None) -> None:
    """Makes the moves that a user typed, such as `roll [face=3] hold`; chance does what is said in brackets.

    Raises GameError that names what would be possible.
    """
    before, *rest = re.split(r"\[([^\[\]]*)\]", text)
    labels = [*rest[::2], None]
    for part, label in zip([before, *rest[1::2]], labels, strict=True):
        moves = parse_moves(part)
        if label is not None and not moves:
            raise GameError([wording.chance_without_move(label)])
        for number, move in enumerate(moves, 1):
            said = label if number == len(moves) else None
            step = play.make(move) if said is None else _make_with(play, move, said.strip())
            if watch is not None:
                watch(play, step)


def _make_with(play: Play[Any, Any], text: str, label: str) -> Step[Any, Any]:
    game: Any = play.game
    move = game.parse_move(play.position, text)
    labels = []
    for outcome in game.explain_outcomes(play.position, move) if isinstance(game, Explains) else ():
        if _bare(label) in map(_bare, outcome.labels):
            return play.make(move, outcome.position)
        labels += outcome.labels
    raise GameError([wording.no_such_outcome(text, label, labels)])


def _bare(label: str) -> str:
    return "".join(label.split())


@runtime_checkable
class Explains(Protocol):
    """A game that can say what chance did to bring an outcome about."""

    def explain_outcomes(self, position: Any, move: Any) -> Sequence[Any]: ...


# --------------------------------------------------------------------------- statistics


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with half the width of its 95 % confidence interval (None for a single play)."""

    mean: float
    error: float | None

    @staticmethod
    def of(samples: Sequence[Number]) -> Estimate:
        count = len(samples)
        mean = float(sum(samples)) / count
        if count < 2:
            return Estimate(mean, None)
        variance = sum((float(sample) - mean) ** 2 for sample in samples) / (count - 1)
        return Estimate(mean, _student(count - 1) * sqrt(variance / count))

    def __str__(self) -> str:
        from solvers.numbers import show_interval, show_rough

        if self.error is None:
            return show_rough(self.mean)
        mean, error = Fraction(self.mean), Fraction(self.error)
        return show_interval(mean - error, mean + error)


@dataclass(frozen=True, slots=True)
class Tally:
    """How many plays a player won (got more than everyone else), drew (shared the most) and lost."""

    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """What many plays came to."""

    games: int
    unfinished: int
    returns: tuple[Estimate, ...]  # per player
    tallies: tuple[Tally, ...]  # per player; none in a game for one
    length: Estimate
    shortest: int
    longest: int

    @staticmethod
    def of(plays: Sequence[PlayResult]) -> Statistics:
        per_player = list(zip(*(play.returns for play in plays), strict=True))
        lengths = [play.length for play in plays]
        return Statistics(
            games=len(plays),
            unfinished=sum(not play.finished for play in plays),
            returns=tuple(Estimate.of(samples) for samples in per_player),
            tallies=tuple(_tally(plays, player) for player in range(len(per_player)))
            if len(per_player) > 1
            else (),
            length=Estimate.of(lengths),
            shortest=min(lengths),
            longest=max(lengths),
        )


@dataclass(frozen=True, slots=True)
class PlayResult:
    """What one play came to. A play that was stopped is worth what an endless one is."""

    returns: tuple[Number, ...]
    length: int
    finished: bool

    @staticmethod
    def of(play: Play[Any, Any]) -> PlayResult:
        if play.finished:
            return PlayResult(play.returns, len(play), True)
        endless: tuple[Number, ...] = play.game.traits.endless or (0,) * len(play.game.players)
        paid = tuple(reward + rest for reward, rest in zip(play.rewards, endless, strict=True))
        return PlayResult(paid, len(play), False)


def _tally(plays: Sequence[PlayResult], player: int) -> Tally:
    wins = draws = 0
    for play in plays:
        most = max(play.returns)
        if play.returns[player] == most:
            shared = play.returns.count(most) > 1
            draws, wins = draws + shared, wins + (not shared)
    return Tally(wins, draws, len(plays) - wins - draws)


def _student(degrees: int) -> float:
    """The 97.5 % quantile of Student's distribution (Cornish-Fisher expansion; exact for 1 and 2 degrees).

    Abramowitz & Stegun 1964, 26.7.5.
    """
    if degrees == 1:
        return 12.706204736
    if degrees == 2:
        return 4.302652730
    z = 1.959963985
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return float(sum(term / degrees**power for power, term in enumerate(terms)))


def fresh_seed() -> int:
    """A seed for people who gave none; it is always shown."""
    return Random().randrange(1_000_000)
