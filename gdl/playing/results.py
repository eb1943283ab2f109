"""Playing a game out: agents make the moves, chance does its part, and the result is counted.

Used by `gdl run`. An agent is anything with `choose(play) -> move`; see `solvers.agents.agent`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from random import Random
from typing import Any, Protocol

from gdl.diagnostics import GameError
from gdl.diagnostics import commands as wording
from gdl.game import CHANCE, Number, Traits
from gdl.playing.play import Play, Step
from gdl.transition_table import said_outcome, typed_moves
from solvers.core.graph import rational
from solvers.core.lines import Explains
from solvers.core.numbers import finite
from solvers.core.result import Value
from solvers.core.rollout import longest_play, worth_of_rest
from solvers.core.rounding import nearest, to_float
from solvers.core.samples import Sample


class Chooses(Protocol):
    """What plays for a player."""

    def choose(self, play: Play[Any, Any]) -> Any:
        """A legal move for the player to move."""
        ...


Watch = Callable[[Play[Any, Any], Step[Any, Any]], None]
"""Told of every move as it is made, and before it of the start."""


def play_out(
    play: Play[Any, Any], agents: Sequence[Chooses], watch: Watch | None = None, longest: int | None = None
) -> None:
    """Makes moves until the game is over, or the play has `longest` moves (by default, as many as are taken
    for one that never ends)."""
    if longest is None:
        longest = longest_play(play.game.traits)
    while not play.finished and len(play) < longest:
        step = play.draw() if play.to_move == CHANCE else play.make(agents[play.to_move].choose(play))
        if watch is not None:
            watch(play, step)


# ------------------------------------------------------------------------ moves as text


def make_typed(play: Play[Any, Any], text: str, watch: Watch | None = None) -> None:
    """Makes the moves that a user typed, such as `roll [face=3] hold`; chance does what is said in brackets.

    Raises GameError that names what would be possible.
    """
    for move, said in typed_moves(text):
        if said is None:
            _check_settled(play, move)
            step = play.make(move)
        else:
            legal = play.game.parse_move(play.position, move)
            step = play.make(legal, said_outcome(play.game, play.position, legal, said).position)
        if watch is not None:
            watch(play, step)


def _check_settled(play: Play[Any, Any], text: str) -> None:
    """Raises GameError where nobody says or draws what chance makes of a move."""
    game: Any = play.game
    if play.rng is not None or not game.traits.chance:
        return
    move = game.parse_move(play.position, text)
    if len(game.outcomes(play.position, move)) > 1:
        ways = game.explain_outcomes(play.position, move) if isinstance(game, Explains) else ()
        labels = [label for way in ways for label in way.labels]
        raise GameError([wording.chance_decides(game.format_move(move), labels)])


# --------------------------------------------------------------------------- statistics


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with the ends of its 95 % confidence interval, None where there is none."""

    mean: float
    low: float | None = None
    high: float | None = None

    @staticmethod
    def of(samples: Sequence[Number], bounds: tuple[float, float] = (-inf, inf)) -> Estimate:
        """The mean of independent samples that lie between bounds."""
        sample = Sample(1)
        for number in samples:
            sample.add_play([number])
        return Estimate._from(sample.within(0, bounds), samples)

    @staticmethod
    def of_returns(plays: Sequence[PlayResult], player: int, traits: Traits) -> Estimate:
        """What plays pay a player. Those that were stopped may go on to pay anything there is."""
        sample = Sample(1)
        for play in plays:
            sample.add_play([play.returns[player]], play.rest)
        low, high = traits.value_bounds[player]
        return Estimate._from(
            sample.within(0, (nearest(low), nearest(high)), to_float(worth_of_rest(traits)[player])),
            [play.returns[player] for play in plays],
        )

    @staticmethod
    def of_shares(paid: Sequence[tuple[Number, float]], traits: Traits) -> Estimate:
        """What was paid to somebody who sat in all seats in turn, each time with what counts of the rest."""
        sample = Sample(1)
        for amount, rest in paid:
            sample.add_play([amount], rest)
        bounds = [(nearest(low), nearest(high)) for low, high in traits.value_bounds]
        rests = [to_float(rest) for rest in worth_of_rest(traits)]
        ends = min(low for low, _ in bounds), max(high for _, high in bounds)
        return Estimate._from(sample.within(0, ends, sum(rests) / len(rests)), [amount for amount, _ in paid])

    @staticmethod
    def _from(value: Value, samples: Sequence[Number]) -> Estimate:
        """With the mean of the samples, summed exactly: that of equal payments is what each of them is."""
        ends = [None if end is None else float(end) for end in (value.low, value.high)]
        summed = all(map(finite, samples))
        mean = sum((Fraction(one) for one in samples), Fraction(0)) / len(samples) if summed else value.number
        return Estimate(float(mean), *ends)

    @property
    def error(self) -> float | None:
        """How far the farther end of the interval is from the mean."""
        if self.low is None or self.high is None:
            return None
        return max(self.mean - self.low, self.high - self.mean)

    def as_data(self) -> dict[str, float | None]:
        return {"mean": self.mean, "error": self.error, "low": self.low, "high": self.high}

    @property
    def percent(self) -> str:
        """A share of something, with its interval."""
        from solvers.core.numbers import show_estimate, show_rough

        if self.low is None or self.high is None:
            return f"{show_rough(100 * self.mean)}%"
        return show_estimate(100 * self.mean, 100 * self.low, 100 * self.high, unit="%")

    def __str__(self) -> str:
        """`mean ± error`, or the ends of an interval that reaches farther to one side than to the other."""
        from solvers.core.numbers import show_estimate, show_rough

        if self.low is None or self.high is None:
            return show_rough(self.mean)
        # As the decimals they stand for: a float beside a bound is not that much more than the bound.
        return show_estimate(rational(self.mean), rational(self.low), rational(self.high))


@dataclass(frozen=True, slots=True)
class Tally:
    """How many plays a player won (got more than everyone else), drew (shared the most) and lost.

    Partners win together: those who got the same in every play, where not everyone did.
    """

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
    def of(plays: Sequence[PlayResult], traits: Traits) -> Statistics:
        players = range(traits.players)
        lengths = [play.length for play in plays]
        teams = _teams(plays)
        return Statistics(
            games=len(plays),
            unfinished=sum(not play.finished for play in plays),
            returns=tuple(Estimate.of_returns(plays, player, traits) for player in players),
            tallies=tuple(_tally(plays, player, teams) for player in players) if len(players) > 1 else (),
            length=Estimate.of(lengths),
            shortest=min(lengths),
            longest=max(lengths),
        )


@dataclass(frozen=True, slots=True)
class PlayResult:
    """What one play came to. A play that was stopped is worth what an endless one is.

    `rest` is 0 for a finished play; what else a play that was stopped would pay counts so much, its discount.
    """

    returns: tuple[Number, ...]
    length: int
    finished: bool
    rest: float = 0.0

    @staticmethod
    def of(play: Play[Any, Any]) -> PlayResult:
        """Of a compiled game in doubles, in the order of `gdl.playing.counting`: the same plays come to the
        same whether they are counted or recorded."""
        traits = play.game.traits
        if getattr(play.game, "compiled", None) is None:
            if play.finished:
                return PlayResult(play.returns, len(play), True)
            return PlayResult.stopped(play.rewards, len(play), traits)
        paid, factor = play.paid_in_doubles()
        if not play.finished:
            return PlayResult.stopped(paid, len(play), traits)
        return PlayResult.ended(paid, factor, play.game.utility(play.position), len(play))

    @staticmethod
    def ended(paid: Sequence[float], factor: float, utility: Sequence[Number], length: int) -> PlayResult:
        """A play that came to its end after so many moves, which paid so much on the way."""
        returns = (amount + factor * float(final) for amount, final in zip(paid, utility, strict=True))
        return PlayResult(tuple(returns), length, True)

    @staticmethod
    def stopped(rewards: Sequence[Number], length: int, traits: Traits) -> PlayResult:
        """A play that was stopped after so many moves, which paid these rewards."""
        rest = worth_of_rest(traits)
        paid = tuple(reward + more for reward, more in zip(rewards, rest, strict=True))
        return PlayResult(paid, length, False, float(traits.discount) ** length)


def _teams(plays: Sequence[PlayResult]) -> list[int]:
    """For each player, the first one who got the same in every play; everyone alone where all did."""
    columns = list(zip(*(play.returns for play in plays), strict=True))
    teams = [columns.index(column) for column in columns]
    return teams if any(teams) else list(range(len(columns)))


def _tally(plays: Sequence[PlayResult], player: int, teams: Sequence[int]) -> Tally:
    wins = draws = 0
    for play in plays:
        most = max(play.returns)
        if play.returns[player] == most:
            best = {team for team, amount in zip(teams, play.returns, strict=True) if amount == most}
            draws, wins = draws + (len(best) > 1), wins + (len(best) == 1)
    return Tally(wins, draws, len(plays) - wins - draws)


def generators(seed: int | str, players: Sequence[str], number: int) -> tuple[Random, list[Random]]:
    """The random numbers of one of many plays, counted from 1: those of chance, and each player's own."""
    return Random(f"{seed} chance {number}"), [Random(f"{seed} {name} {number}") for name in players]


def fresh_seed() -> int:
    """A seed for people who gave none; it is always shown."""
    return Random().randrange(1_000_000)
