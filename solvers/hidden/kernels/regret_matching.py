"""Counterfactual regret minimisation over flat arrays: the textbook's rounds, in the textbook's order.

A round of a player reads the probability of every end once and touches each own sequence twice: gains come
from the ends, go up the information sets while regrets are learnt, and the new probabilities come down again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvers.hidden.kernels.sweeps import arrays, gains, reaches
from solvers.hidden.records import Rule
from solvers.hidden.sequences import SequenceForm
from solvers.machine.kernels import kernel, step


class Law(NamedTuple):
    """What a variant differs in (`Rule` in records.py)."""

    alpha: float
    beta: float
    gamma: float
    plus: bool
    predictive: bool


class Tables(NamedTuple):
    """f64[S] each: an entry for every sequence."""

    policy: Any
    regret: Any
    sums: Any
    reach: Any
    gain: Any


class FlatRegretMatching:
    """The tables of all players, f64[S] each: an entry for every sequence."""

    def __init__(self, form: SequenceForm, rule: Rule, *, alternating: bool = True):
        self.form = form
        self.rounds = 0
        self._arrays = arrays(form)
        self._law = Law(float(rule.alpha), float(rule.beta), float(rule.gamma), rule.plus, rule.predictive)
        self._alternating = alternating
        self.policy = form.uniform()
        self.regret = np.zeros(form.sequences)
        self.sums = np.zeros(form.sequences)
        self._reach = np.ones(form.sequences)
        self._gain = np.zeros(form.sequences)
        self._reached()

    def _reached(self) -> None:
        for player in range(self.form.players):
            reaches(self._arrays, self.policy, self._reach, player)

    def run(self, rounds: int) -> None:
        _run(
            self._arrays, self._law, self._alternating, self.rounds, rounds,
            Tables(self.policy, self.regret, self.sums, self._reach, self._gain),
        )  # fmt: skip
        self.rounds += rounds

    def kept(self) -> dict[str, Any]:
        return {"policy": self.policy, "regret": self.regret, "sums": self.sums}

    def take_up(self, rounds: int, kept: dict[str, Any]) -> None:
        self.rounds = rounds
        self.policy, self.regret, self.sums = kept["policy"], kept["regret"], kept["sums"]
        self._reached()

    def average(self) -> Any:
        """What was played on average: f64[S]."""
        policy = self.form.uniform()
        _shares(self._arrays, self.sums, policy)
        return policy


@kernel
def _run(form: Any, law: Any, alternating: Any, done: Any, rounds: Any, tables: Any) -> None:
    policy, regret, sums, reach, gain = tables
    alpha, beta, gamma, plus, predictive = law
    players = form.start.shape[0] - 1
    for t in range(done + 1, done + rounds + 1):
        weight = float(t) ** gamma
        keep = _discount(alpha, t)
        keep_negative = _discount(beta, t)
        for player in range(players):
            gains(form, reach, gain, player)
            for s in range(form.start[player] + 1, form.start[player + 1]):
                sums[s] += weight * reach[s]
            _learn(form, player, keep, keep_negative, plus, predictive, policy, regret, gain)
            if alternating:
                reaches(form, policy, reach, player)
        if not alternating:
            for player in range(players):
                reaches(form, policy, reach, player)


@step
def _discount(exponent: Any, t: Any) -> Any:
    if exponent == np.inf:
        return 1.0
    power = float(t) ** exponent
    return power / (power + 1.0)


@step
def _learn(
    form: Any, player: Any, keep: Any, keep_negative: Any, plus: Any, predictive: Any, policy: Any, regret:
    Any, gain: Any,
) -> None:  # fmt: skip
    """Goes up the information sets: adds to regrets, makes the next policy of each, hands its worth on."""
    first, moves, parent = form.first, form.moves, form.parent
    for i in range(form.sets[player + 1] - 1, form.sets[player] - 1, -1):
        low, high = first[i], first[i] + moves[i]
        mean = 0.0
        for s in range(low, high):
            mean += policy[s] * gain[s]
        gain[parent[i]] += mean
        total = 0.0
        for s in range(low, high):
            now = gain[s] - mean
            value = regret[s] + now
            if value > 0.0:
                value *= keep
            elif plus:
                value = 0.0
            else:
                value *= keep_negative
            regret[s] = value
            if predictive:
                value += now
            value = max(value, 0.0)
            policy[s] = value
            total += value
        if total > 0.0:
            share = 1.0 / total
            for s in range(low, high):
                policy[s] *= share
        else:
            for s in range(low, high):
                policy[s] = 1.0 / moves[i]


@kernel
def _shares(form: Any, sums: Any, policy: Any) -> None:
    for i in range(form.first.shape[0]):
        total = 0.0
        for s in range(form.first[i], form.first[i] + form.moves[i]):
            total += sums[s]
        if total > 0.0:
            for s in range(form.first[i], form.first[i] + form.moves[i]):
                policy[s] = sums[s] / total
