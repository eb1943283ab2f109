"""Tournaments between agents: who plays whom, the games, and what the results say. Used by `gdl match`.

Games come in *rounds*: the same chance and the same opening, with every way to share out the seats. So luck
and the advantage of a seat fall on all alike, and the round, not the game, is the unit of the statistics.
Each round has seeds of its own: results do not depend on where rounds are played, by how many, nor on the
order in which they finish.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations, product
from math import ceil, floor, log, log10, sqrt
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gdl.crew.crew import results
from gdl.crew.engine import Engine
from gdl.crew.work import Job
from gdl.diagnostics import Source
from gdl.game import CHANCE, TERMINAL, Game, Number, Traits
from gdl.playing.play import Play
from gdl.playing.results import Estimate, PlayResult, generators, play_out

if TYPE_CHECKING:
    from solvers.agents.agent import Agent


@dataclass(frozen=True, slots=True)
class Pairing:
    """Agents, by number, that meet: one way to share out the seats after another."""

    entrants: tuple[int, ...]
    seatings: tuple[tuple[int, ...], ...]  # per game of a round: the agent in each seat


def round_robin(agents: int, players: int) -> list[Pairing]:
    """Everyone against everyone, seats swapped; in a game for one, each alone.

    With more seats than two, two agents alternate around the table.
    """
    if players == 1:
        return [Pairing((a,), ((a,),)) for a in range(agents)]
    return [
        Pairing(pair, tuple(tuple(pair[(seat + turn) % 2] for seat in range(players)) for turn in range(2)))
        for pair in combinations(range(agents), 2)
    ]


def by_seat(candidates: Sequence[Sequence[int]]) -> list[Pairing]:
    """Every combination of the agents that are named for each seat."""
    return [Pairing(seating, (seating,)) for seating in product(*candidates)]


@dataclass(frozen=True, slots=True)
class Setting:
    """All that a worker needs to play the games of a tournament."""

    source: Source | None  # None: a game that only this process has
    params: Mapping[str, Any]
    engine: str
    agents: tuple[str | Agent, ...]  # as text, which is made an agent for every game anew
    seed: int
    opening: int  # random moves before the agents take over
    longest: int | None  # moves of a play; None: as many as suit the game


@dataclass(frozen=True, slots=True)
class Round:
    """What one round came to: a result per seating."""

    pairing: int
    number: int
    results: tuple[PlayResult, ...]


# --------------------------------------------------------------------------------- playing

Ready = tuple[Game[Any, Any], Setting]
Task = tuple[Pairing, int, int]
"""Who meets whom, the number of the pairing, the number of the round."""


def rounds(
    setting: Setting, game: Game[Any, Any], pairings: Sequence[Pairing], count: int, engine: Engine
) -> Generator[Round, None, None]:
    """The rounds of all pairings in order, wherever they are played.

    An interrupt, and closing the iterator, ends also the games that are being played.
    """
    job = Job(_read, _play, setting, setting.source, own=(game, setting))
    tasks = ((job, (one, index, number)) for number in range(count) for index, one in enumerate(pairings))
    with closing(results(engine, tasks)) as played:
        for _, done in played:
            yield done


def _read(setting: Setting) -> Ready:
    """The game, read and compiled by a worker."""
    from gdl.loading import game_of, load_model

    assert setting.source is not None
    return game_of(load_model(setting.source, setting.params), setting.engine), setting


def _play(ready: Ready, task: Task) -> Round:
    (game, setting), (pairing, index, number) = ready, task
    return play_round(game, setting, pairing, index, number)


def play_round(game: Game[Any, Any], setting: Setting, pairing: Pairing, index: int, number: int) -> Round:
    """One round. Agents are made anew for every game from their texts, so that nothing is carried over."""
    from solvers.agents.agent import Agent
    from solvers.agents.kinds import agent
    from solvers.agents.seated import Seated

    results = []
    # The first agents, in the seats that they are named for, play what `gdl run` plays of the same seed.
    seed = f"{setting.seed} pairing {index}" if index else setting.seed
    for turn, seating in enumerate(pairing.seatings):
        chance, _ = generators(seed, game.players, number + 1)
        _, own = generators(f"{seed} turn {turn}" if turn else seed, game.players, number + 1)
        play: Play[Any, Any] = Play(game, rng=chance)
        _open(play, Random(f"{seed} opening {number}"), setting.opening)
        agents = [
            Seated(made if isinstance(made := setting.agents[who], Agent) else agent(made, game), rng)
            for who, rng in zip(seating, own, strict=True)
        ]
        play_out(play, agents, None, setting.longest)
        results.append(PlayResult.of(play))
    return Round(index, number, tuple(results))


def _open(play: Play[Any, Any], rng: Random, moves: int) -> None:
    """Random moves that do not end the game."""
    while moves and play.to_move != TERMINAL:
        if play.to_move == CHANCE:
            play.draw()
            continue
        play.make(rng.choice(list(play.moves())))
        if play.to_move == TERMINAL:
            play.undo()
            return
        moves -= 1


# -------------------------------------------------------------------------------- scores


def shares(result: PlayResult) -> list[float]:
    """A point for each play: to who got the most, shared where several did."""
    most = max(result.returns)
    winners = result.returns.count(most)
    return [1 / winners if utility == most else 0.0 for utility in result.returns]


def points(pairing: Pairing, played: Round, agent: int) -> float:
    """An agent's points in a round, so that 0.5 is what it would get if all were equal."""
    got, fair = 0.0, 0.0
    for seating, result in zip(pairing.seatings, played.results, strict=True):
        for who, share in zip(seating, shares(result), strict=True):
            if who == agent:
                got += share
                fair += 1 / len(seating)
    return got / (2 * fair)


def payment(pairing: Pairing, played: Round, agent: int) -> tuple[Number, float]:
    """What an agent was paid in a round, on average over its seats, and how much of that was cut short."""
    seats = [
        (result.returns[seat], result.rest)
        for seating, result in zip(pairing.seatings, played.results, strict=True)
        for seat, who in enumerate(seating)
        if who == agent
    ]
    return sum(paid for paid, _ in seats) / len(seats), sum(rest for _, rest in seats) / len(seats)


def elo(score: float) -> float:
    """The difference in rating that makes a score between 0 and 1 the expected one."""
    return 400 * log10(score / (1 - score))


def expected(difference: float) -> float:
    """The score that a difference in rating makes the expected one."""
    return 1 / (1 + 10 ** (-difference / 400))


@dataclass(frozen=True, slots=True)
class Score:
    """How one agent did against another: its share of the points, what that means in Elo, and what a play
    paid it, which is another question where stakes differ."""

    games: int
    wins: int
    draws: int
    losses: int
    share: Estimate
    payoff: Estimate

    @property
    def elo(self) -> Difference:
        """What the share of the points says of the difference in Elo."""
        share = self.share
        return Difference(*(_elo_or_none(part) for part in (share.mean, share.low, share.high)))


class Difference(NamedTuple):
    """A difference in Elo, and the ends of its 95 % interval; None where it would be without bounds."""

    elo: float | None
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.elo is not None and self.low is not None and self.high is not None:
            return f"{round(self.elo):+d} ({floor(self.low):+d} .. {ceil(self.high):+d})"
        if self.low is not None:
            return f"{floor(self.low):+d} or more"
        return "no interval: one round" if self.high is None else f"{ceil(self.high):+d} or less"


def _elo_or_none(score: float | None) -> float | None:
    return None if score is None or not 0 < score < 1 else elo(score)


def score(pairing: Pairing, played: Sequence[Round], agent: int, traits: Traits) -> Score:
    """An agent's score in the rounds of a pairing."""
    wins = draws = games = 0
    for done in played:
        for seating, result in zip(pairing.seatings, done.results, strict=True):
            most = max(result.returns)
            best = {who for who, got in zip(seating, result.returns, strict=True) if got == most}
            wins += best == {agent}
            draws += agent in best and len(best) > 1
            games += 1
    share = Estimate.of([points(pairing, done, agent) for done in played], (0.0, 1.0))
    payoff = Estimate.of_shares([payment(pairing, done, agent) for done in played], traits)
    return Score(games, wins, draws, games - wins - draws, share, payoff)


# ---------------------------------------------------------------------------------- SPRT


@dataclass(frozen=True, slots=True)
class Sprt:
    """Wald's sequential test: is the first agent better by `better` Elo, or only by `worse`?

    With probability 0.95 or so it accepts what is true, where one of the two is. The likelihood of the
    rounds is that of a normal distribution with their variance (Michel Van den Bergh, 'A practical
    introduction to the GSPRT', 2019). The variance of the first few rounds may be small by luck, which would
    decide the test at once: it is counted as if `doubted` rounds more had had the largest one, 1/4.
    """

    worse: float
    better: float

    error = 0.05
    doubted = 4

    def ratio(self, samples: Sequence[float]) -> float:
        """The logarithm of the likelihood ratio of `better` to `worse`."""
        count = len(samples)
        if count < 2:
            return 0.0
        mean = sum(samples) / count
        spread = sum((sample - mean) ** 2 for sample in samples)
        variance = (spread + self.doubted / 4) / (count + self.doubted)
        low, high = expected(self.worse), expected(self.better)
        return count * (high - low) * (2 * mean - low - high) / (2 * variance)

    @property
    def bound(self) -> float:
        return log((1 - self.error) / self.error)

    def verdict(self, samples: Sequence[float]) -> str | None:
        """ "better" or "worse" once the test is decided."""
        ratio = self.ratio(samples)
        return "better" if ratio >= self.bound else "worse" if ratio <= -self.bound else None


# --------------------------------------------------------------------------------- ratings


def ratings(agents: int, scores: Mapping[tuple[int, int], Score]) -> list[float]:
    """Elo of every agent, 0 on average: the likeliest under the model of Bradley and Terry.

    A draw counts as half a win. One more draw in each pairing keeps the numbers finite where a side took
    every point. Hunter 2004, 'MM algorithms for generalized Bradley-Terry models'.
    """
    won = [0.0] * agents
    games: dict[tuple[int, int], int] = {}
    for (a, b), found in scores.items():
        count = found.games + 1
        games[a, b] = count
        won[a] += found.share.mean * found.games + 0.5
        won[b] += (1 - found.share.mean) * found.games + 0.5
    strength = [1.0] * agents
    for _ in range(1000):
        faced = [0.0] * agents
        for (a, b), count in games.items():
            faced[a] += count / (strength[a] + strength[b])
            faced[b] += count / (strength[a] + strength[b])
        new = [w / f if f else 1.0 for w, f in zip(won, faced, strict=True)]
        middle = sum(log10(s) for s in new) / agents
        new = [s / 10**middle for s in new]
        done = all(abs(log10(s) - log10(t)) < 1e-9 for s, t in zip(new, strength, strict=True))
        strength = new
        if done:
            break
    return [400 * log10(s) for s in strength]


def rating_errors(rated: Sequence[float], scores: Mapping[tuple[int, int], Score]) -> list[float]:
    """How far ratings may be wrong: half of each 95 % interval, by the information that the games hold in the
    same model (the inverse of its Laplacian, as only differences are told)."""
    information = np.zeros((len(rated), len(rated)))
    for (a, b), found in scores.items():
        likely = expected(rated[a] - rated[b])
        weight = (found.games + 1) * likely * (1 - likely) * (log(10) / 400) ** 2
        information[[a, b], [a, b]] += weight
        information[[a, b], [b, a]] -= weight
    variances = np.diag(np.linalg.pinv(information))
    return [1.96 * sqrt(max(0.0, float(variance))) for variance in variances]
