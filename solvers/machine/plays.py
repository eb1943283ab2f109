"""How simulated plays go on from a position: at random to the end, or move by move where more is asked.

Random plays to the end are a function of the game's machine code. Plays that prefer good moves, or are
judged after some depth, have a kernel of their own that others call by its address: it is compiled where it
is needed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gdl.abi import CAPACITY, UNFINISHED
from gdl.movers import CHANCE, TERMINAL
from solvers.machine.kernels import called_by_address, step
from solvers.machine.pointers import Callback, Pointer, as_floats, copy_bytes, struct
from solvers.machine.rules import (
    Machine,
    judge,
    may_draw,
    pick_for_chance,
    random_below,
    random_fraction,
    utility,
    worth,
)
from solvers.machine.scratch import scratch

UNIFORM, GREEDY = range(2)


class Plays(NamedTuple):
    """What simulated plays are like. `struct(plays)` is a member of what kernels take."""

    policy: int
    epsilon: float  # how often a greedy play moves at random
    depth: int  # moves of players after which a play is judged; negative for never
    by_moves: Any  # the kernel of plays that are not random to the end; nowhere for those


def plays_of(machine: Machine, rollout: str, epsilon: float, depth: int | None) -> Plays:
    to_the_end = rollout == "uniform" and depth is None
    taken = (
        machine.rules_struct,
        machine.numbers_struct,
        0,
        0.0,
        0,
        Pointer.none(np.uint8),
        Pointer.none(np.float64),
        struct(scratch(machine.sizes)),
    )
    return Plays(
        policy=GREEDY if rollout == "greedy" else UNIFORM,
        epsilon=float(epsilon),
        depth=-1 if depth is None else depth,
        by_moves=Callback(_play_by_moves, taken, needed=not to_the_end),
    )


@step
def play_on(rules: Any, numbers: Any, plays: Any, at: Any, paid: Any, room: Any) -> Any:
    """Plays on from the position at an address, which it changes; `paid` gets what each player is paid.

    Gives the status: UNFINISHED for a play that was cut for its length; then `rest_of_play` says how much
    what is missing would count.
    """
    if plays.by_moves:
        return plays.by_moves(rules, numbers, plays.policy, plays.epsilon, plays.depth, at, paid, room)
    return play_at_random(rules, numbers, rules.longest, at, paid, room)


@step
def play_at_random(rules: Any, numbers: Any, longest: Any, at: Any, paid: Any, room: Any) -> Any:
    """As `play_on`, with random moves to the end, or until so many are made."""
    status = rules.playout(at, room.random, longest, paid, room.plies)
    if status == UNFINISHED:
        _count_rest(rules, numbers, rest_of_play(numbers, room), paid)
    return status


@step
def rest_of_play(numbers: Any, room: Any) -> Any:
    """How much the rest of a play that was cut would count: its discount."""
    return numbers.discount ** room.plies[0]


@step
def _count_rest(rules: Any, numbers: Any, factor: Any, paid: Any) -> None:
    for player in range(rules.players):
        paid[player] += factor * numbers.endless[player]


# ------------------------------------------------------------------------------------ move by move


@called_by_address
def _play_by_moves(
    rules: Any, numbers: Any, policy: Any, epsilon: Any, depth: Any, at: Any, paid: Any, room: Any
) -> Any:
    """As `play_on`, by a policy, and after `depth` moves of players (if not negative) the rest is judged."""
    if policy == UNIFORM and not (rules.pays or rules.discounts or rules.chance_moves):
        if depth > rules.longest:
            return play_at_random(rules, numbers, rules.longest, at, paid, room)
        status = rules.playout(at, room.random, depth, paid, room.plies)
        return judge(rules, numbers, at, paid, room) if status == UNFINISHED else status
    for player in range(rules.players):
        paid[player] = 0.0
    factor = 1.0
    made, left = 0, depth
    while True:
        mover = rules.to_move(at)
        if mover < TERMINAL:
            return mover
        if mover == TERMINAL:
            status = utility(rules, at, room.paid)
            for player in range(rules.players):
                paid[player] += factor * room.paid[player]
            return status
        if made == rules.longest:
            break
        if mover == CHANCE:
            status = pick_for_chance(rules.moves, rules.weights, at, room)
        elif left == 0:
            status = judge(rules, numbers, at, room.paid, room)
            for player in range(rules.players):
                paid[player] += factor * room.paid[player]
            return status
        else:
            left -= 1
            if policy == GREEDY and random_fraction(room.random) >= epsilon:
                status = _pick_greedily(rules, numbers, at, mover, room)
            else:
                status = rules.pick(at, room.random, room.plies)
        if status != 0:
            return status
        status = rules.sample(at, room.plies[0], room.random, room.rewards)
        if status != 0:
            return status
        if rules.pays:
            for player in range(rules.players):
                paid[player] += factor * room.rewards[player]
        factor *= numbers.discount
        made += 1
    room.plies[0] = made
    _count_rest(rules, numbers, factor, paid)
    return UNFINISHED


@step
def _pick_greedily(rules: Any, numbers: Any, at: Any, mover: Any, room: Any) -> Any:
    """Leaves a move of the best expected estimate, any of those that tie, in room.plies[0]."""
    count = rules.moves(at, room.moves, room.moves_room)
    if count < 0 or count > room.moves_room:
        return CAPACITY
    best, tied = -np.inf, 0
    for k in range(count):
        move = room.moves[k]
        estimate, status = _estimate(rules, numbers, at, move, mover, room)
        if status != 0:
            return status
        if estimate > best:
            best, tied = estimate, 0
        if estimate == best:
            tied += 1
            if random_below(room.random, tied) == 0:
                room.plies[0] = move
    return 0


@step
def _estimate(rules: Any, numbers: Any, at: Any, move: Any, mover: Any, room: Any) -> Any:
    """The mover's expected reward and estimate after a move."""
    after = room.form + rules.form
    if not may_draw(numbers.drawing, numbers.drawings, move):
        copy_bytes(after, at, rules.form)
        status = rules.sample(after, move, room.random, room.rewards)
        if status != 0:
            return 0.0, status
        reward = room.rewards[mover] if rules.pays else 0.0
        status = worth(rules, numbers, after, room)
        return reward + numbers.discount * room.paid[mover], status
    capacity = room.outcomes_room
    count = rules.outcomes(at, move, room.records, capacity, room.table, room.script)
    if count < 0:
        return 0.0, -count
    total = 0.0
    for k in range(count):
        record = room.records + k * rules.record
        status = worth(rules, numbers, record + rules.at_form, room)
        if status != 0:
            return 0.0, status
        reward = as_floats(record)[1 + mover]
        total += as_floats(record)[0] * (reward + numbers.discount * room.paid[mover])
    return total, 0
