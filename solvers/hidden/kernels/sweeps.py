"""Sweeps over the sequence form: how probably players get somewhere, what their sequences gain, best
responses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from solvers.hidden.records import Judgement
from solvers.hidden.sequences import SequenceForm
from solvers.machine.kernels import kernel
from solvers.machine.types import i64


class Arrays(NamedTuple):
    """The arrays of a `SequenceForm`, as there."""

    start: Any
    sets: Any
    first: Any
    moves: Any
    parent: Any
    row: Any
    others: Any
    pays: Any


def arrays(form: SequenceForm) -> Arrays:
    return Arrays(*[getattr(form, name) for name in Arrays._fields])


def judge(form: SequenceForm, policy: Any) -> Judgement:
    """What everybody gets if all follow a policy (f64[S]: probabilities of the moves), and how much each
    player could get instead against the others."""
    values, best = np.zeros(form.players), np.zeros(form.players)
    _judge(arrays(form), policy, values, best)
    return Judgement(tuple(map(float, values)), tuple(map(float, best)))


def best_response(form: SequenceForm, policy: Any, player: int) -> Any:
    """The policy with a best response of one player to the others put in: pure, the first of equally good
    moves."""
    answer = policy.copy()
    made = arrays(form)
    reach, gain = np.zeros(form.sequences), np.zeros(form.sequences)
    for other in range(form.players):
        reaches(made, policy, reach, other)
    gains(made, reach, gain, player)
    best_from(made, gain, answer, player, 1)
    return answer


@kernel
def reaches(form: Any, policy: Any, reach: Any, player: Any) -> None:
    """How probably the player's own moves make each sequence: the product of their probabilities."""
    first, moves, parent = form.first, form.moves, form.parent
    reach[form.start[player]] = 1.0
    for i in range(form.sets[player], form.sets[player + 1]):
        above = reach[parent[i]]
        for s in range(first[i], first[i] + moves[i]):
            reach[s] = above * policy[s]


@njit(cache=True, fastmath={"reassoc", "contract"})
def gains(form: Any, reach: Any, gain: Any, player: Any) -> None:
    """What ends right after each sequence of the player pay, weighted with chance and the others' moves."""
    row, others, pays = form.row, form.others, form.pays
    width = others.shape[1]
    for s in range(form.start[player], form.start[player + 1]):
        total = 0.0
        if width == 1:
            for k in range(row[s], row[s + 1]):
                total += pays[k] * reach[others[k, 0]]
        else:
            for k in range(row[s], row[s + 1]):
                term = pays[k]
                for q in range(width):
                    term *= reach[others[k, q]]
                total += term
        gain[s] = total


@kernel
def best_from(form: Any, gain: Any, policy: Any, player: Any, write: Any) -> Any:
    """The most that the player can get, from the gains, which get those of what comes after added."""
    first, moves, parent = form.first, form.moves, form.parent
    for i in range(form.sets[player + 1] - 1, form.sets[player] - 1, -1):
        best = first[i]
        for s in range(first[i] + 1, first[i] + moves[i]):
            if gain[s] > gain[best]:
                best = s
        gain[parent[i]] += gain[best]
        if write:
            for s in range(first[i], first[i] + moves[i]):
                policy[s] = 1.0 if s == best else 0.0
    return gain[form.start[player]]


@kernel
def _judge(form: Any, policy: Any, values: Any, best: Any) -> None:
    reach, gain = np.zeros(form.start[-1]), np.zeros(form.start[-1])
    for player in range(values.shape[0]):
        reaches(form, policy, reach, player)
    for player in range(values.shape[0]):
        gains(form, reach, gain, player)
        for s in range(form.start[player], form.start[player + 1]):
            values[player] += reach[s] * gain[s]
        best[player] = best_from(form, gain, policy, player, i64(0))
