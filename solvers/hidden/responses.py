"""Best responses to what agents do, and how exploitable that is, with the error of agents that draw.

Of an agent that draws there are samples, each a policy that is right on average against anything. A best
response to all of them together gains at least as much from what was drawn as a best response to the truth
would, on average: the upper end comes from it. One to all samples but one, measured in that one, gains no
more than a best response to the truth: the lower end comes from those.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.core.intervals import confidence
from solvers.core.result import Value
from solvers.hidden.equilibrium import Bench, opposed
from solvers.hidden.records import Judgement


@dataclass(frozen=True)
class Behaviour:
    """Policies (f64[S]) of those who have an agent, anything for the others.

    mean     the probabilities, or how often moves were chosen
    drawn    f64[samples, S] where something was drawn: what was chosen each time; None if nothing was
    """

    mean: Any
    drawn: Any | None

    def without(self, sample: int) -> Any:
        """How often moves were chosen in all other samples."""
        assert self.drawn is not None
        count = len(self.drawn)
        return (self.mean * count - self.drawn[sample]) / (count - 1)


@dataclass(frozen=True)
class Judged:
    """What agents are worth. `judgement` is of the policy; None where a player responds best to the others,
    and then nobody asks how exploitable that is."""

    policy: Any
    values: tuple[Value, ...]
    judgement: Judgement | None
    exploitability: Value | None = None  # with its interval, where something was drawn


def judged_behaviour(bench: Bench, behaviour: Behaviour, free: Sequence[int]) -> Judged:
    """Judges policies of agents; of at most one `free` player the best response is found."""
    form = bench.form
    policy = behaviour.mean
    for player in free:
        policy = bench.best_response(policy, player)
    judgement = bench.judge(policy)
    if behaviour.drawn is None:
        values = tuple(
            Value.bounded(float(value) - form.rounding, float(value) + form.rounding)
            for value in judgement.values
        )
        return Judged(policy, values, None if free else judgement)
    samples = _Samples(bench, behaviour)
    if not free:
        worth = samples.worth(lambda other, one: one)
        return Judged(policy, worth, judgement, samples.exploitability(judgement))
    (player,) = free
    low = samples.worth(lambda others, one: samples.answered(others, one, player))
    high = samples.worth(lambda others, one: samples.put(policy, one, player))
    values = tuple(
        Value(float(judgement.values[player]), "estimate", low[player].low, high[player].high)
        if one == player
        else low[one]
        for one in range(form.players)
    )
    if opposed(form) and form.players == 2:
        values = tuple(values[player] if one == player else -values[player] for one in range(2))
    return Judged(policy, values, None)


class _Samples:
    """Statistics over the samples of what agents do."""

    def __init__(self, bench: Bench, behaviour: Behaviour):
        self.bench, self.form = bench, bench.form
        self.samples = [
            (behaviour.without(number), behaviour.drawn[number])  # type: ignore[index]
            for number in range(len(behaviour.drawn))  # type: ignore[arg-type]
        ]

    def worth(self, policy: Callable[[Any, Any], Any]) -> tuple[Value, ...]:
        """What everybody gets on average, from the policy for all other samples and the one."""
        paid = np.array([self.bench.judge(policy(*pair)).values for pair in self.samples], np.float64)
        most = self.form.most
        return tuple(_mean(paid[:, player], (-most, most)) for player in range(self.form.players))

    def answered(self, others: Any, one: Any, player: int) -> Any:
        """A sample with the player's best response to the others put in."""
        return self.put(self.bench.best_response(others, player), one, player)

    def put(self, response: Any, one: Any, player: int) -> Any:
        """A sample with a player's part of another policy."""
        mixed = np.array(one, np.float64)
        own = slice(int(self.form.start[player]), int(self.form.start[player + 1]))
        mixed[own] = response[own]
        return mixed

    def exploitability(self, judgement: Judgement) -> Value:
        """What best responses gain, per player."""
        players = range(self.form.players)
        gains = []
        for others, one in self.samples:
            now = self.bench.judge(one).values
            best = [self.bench.judge(self.answered(others, one, player)).values[player] for player in players]
            gains.append(sum(float(a) - float(b) for a, b in zip(best, now, strict=True)) / len(players))
        most = 2 * self.form.most
        low = _mean(np.array(gains), (-most, most)).low
        seen = float(judgement.exploitability)
        spread = confidence(len(gains), seen, float(np.var(gains)), (0.0, most))
        assert low is not None and spread is not None
        return Value(seen, "estimate", max(0.0, float(low)), spread[1])


def _mean(numbers: Any, bounds: tuple[float, float]) -> Value:
    mean = float(numbers.mean())
    found = confidence(len(numbers), mean, float(numbers.var()), bounds)
    assert found is not None, "several samples of numbers within bounds have an interval"
    return Value(mean, "estimate", *found)
