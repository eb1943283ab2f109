"""Choosing a move, or a whole turn, by an evaluation, on machine code.

Every way to play is made up to its first draw and judged there; where moves of a turn are looked at together,
they are followed move by move, each position of the turn once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gdl.abi import CAPACITY, DREW
from gdl.movers import TERMINAL
from solvers.learning.kernels.judging import context_of, read_row, value_of_row
from solvers.machine.kernels import inlined, kernel, step
from solvers.machine.pointers import Function, as_floats, copy_bytes
from solvers.machine.rules import Machine, hash_form, random_below

DEEPEST_TURN = 4
"""Moves of a turn that are looked at together."""

SEEN = 4096
"""Places for positions met within a turn; a power of two."""

OUTCOMES = 4096
"""Of a move that is judged by them, so many are looked at; with more it is refused."""

MOST_WAYS = 1024
"""Ways to play a turn that are looked at; where there are more, moves are judged one by one."""


class Play(NamedTuple):
    """What choosing and self-play ask of a game: functions, sizes in bytes, and facts."""

    to_move: Any
    moves: Any
    weights: Any
    sample: Any
    pick: Any
    utility: Any
    after: Any
    outcomes: Any
    form: int
    record: int
    at_form: int
    players: int
    longest: int


class Bench(NamedTuple):
    """Where one thread chooses moves."""

    forms: Any  # u8[(DEEPEST_TURN + 2) * form]: the position, and those that moves of its turn lead to
    moves: Any  # i64[(DEEPEST_TURN + 1) * room]
    count: Any  # i64[DEEPEST_TURN + 1]
    next: Any  # i64[DEEPEST_TURN + 1]
    paid: Any  # f64[(DEEPEST_TURN + 2) * players]
    factor: Any  # f64[DEEPEST_TURN + 2]
    seen: Any  # u64[SEEN]
    seen_in: Any  # i64[SEEN]: the turn in which
    turn: Any  # i64[1]
    before: Any  # u8[form]: the position before the last move of the best way
    best: Any  # f64[columns + players + 1]: its value per column; paid before; the factor
    chosen: Any  # i64[2]: its first move, its last
    utility: Any  # f64[players]
    moves_room: int


def play_of(machine: Machine) -> Play:
    rules = machine.rules
    return Play(
        to_move=rules.to_move,
        moves=rules.moves,
        weights=rules.weights,
        sample=rules.sample,
        pick=rules.pick,
        utility=rules.utility,
        after=Function("after", machine.code.address("after")),
        outcomes=rules.outcomes,
        form=rules.form,
        record=rules.record,
        at_form=rules.at_form,
        players=rules.players,
        longest=rules.longest,
    )


def bench(machine: Machine, columns: int, moves: int = 1024) -> Bench:
    form, players = machine.rules.form, machine.rules.players
    return Bench(
        forms=np.zeros((DEEPEST_TURN + 2) * form, np.uint8),
        moves=np.zeros((DEEPEST_TURN + 1) * moves, np.int64),
        count=np.zeros(DEEPEST_TURN + 1, np.int64),
        next=np.zeros(DEEPEST_TURN + 1, np.int64),
        paid=np.zeros((DEEPEST_TURN + 2) * players),
        factor=np.zeros(DEEPEST_TURN + 2),
        seen=np.zeros(SEEN, np.uint64),
        seen_in=np.zeros(SEEN, np.int64),
        turn=np.zeros(1, np.int64),
        before=np.zeros(form, np.uint8),
        best=np.zeros(columns + players + 1),
        chosen=np.zeros(2, np.int64),
        utility=np.zeros(players),
        moves_room=moves,
    )


@kernel
def choose_once(
    rules: Any, numbers: Any, net: Any, form: Any, mover: Any, room: Any, bench: Any, desk: Any
) -> Any:
    """As `choose`, for a form; gives the status."""
    copy_bytes(bench.forms, form, rules.form)
    return choose(rules, numbers, net, mover, room, bench, desk)


@step
def choose(rules: Any, numbers: Any, net: Any, mover: Any, room: Any, bench: Any, desk: Any) -> Any:
    """The best way to play the move, or the turn, of the mover in bench.forms; gives the status.

    Leaves in bench.before the position before its last move, in bench.chosen and bench.best what there is to
    know. Among equals the first drawn at random.
    """
    if net.expects:
        return _choose_by_outcomes(rules, numbers, net, mover, room, bench, desk)
    deepest = DEEPEST_TURN if net.turns else 1
    ways, ties, best = 0, 0, -np.inf
    depth = 0
    status = _begin(rules, bench)
    while depth >= 0 and status == 0:
        if bench.next[depth] == bench.count[depth]:
            depth -= 1
            continue
        status, drawn, who = _make_next(rules, numbers, net, bench, depth)
        if status != 0:
            return status
        goes_on = not drawn and who == mover and depth + 1 < deepest and ways < MOST_WAYS
        if (goes_on or (net.turns and depth > 0)) and not _is_new(rules, bench, depth + 1):
            continue
        if goes_on:
            depth += 1
            status = _list_moves(rules, bench, depth)
            continue
        ways += 1
        there = bench.forms + (depth + 1) * rules.form
        status = judge_form(rules, net, there, drawn, who, bench, desk)
        worth = _worth(rules, net, bench, depth, mover, desk)
        if worth > best:
            ties = 1
        elif worth == best:
            ties += 1
        if worth > best or (worth == best and random_below(room.random, ties) == 0):
            best = worth
            _keep(rules, net, bench, depth, desk)
    return status


@step
def _choose_by_outcomes(
    rules: Any, numbers: Any, net: Any, mover: Any, room: Any, bench: Any, desk: Any
) -> Any:
    """The same where a move is worth the mean over its outcomes; who chose knows no more of it than that."""
    status = _begin(rules, bench)
    ties, best = 0, -np.inf
    for k in range(bench.count[0]):
        if status != 0:
            return status
        move = bench.moves[k]
        status = _expect(rules, numbers, net, move, room, bench, desk)
        worth = desk.sums[0]
        if net.columns == 1:
            worth = -worth if mover == 1 else worth
        else:
            worth = desk.sums[mover]
        if worth > best:
            ties = 1
        elif worth == best:
            ties += 1
        if worth > best or (worth == best and random_below(room.random, ties) == 0):
            best = worth
            bench.chosen[0] = bench.chosen[1] = move
            for c in range(net.columns):
                bench.best[c] = desk.sums[c]
    copy_bytes(bench.before, bench.forms, rules.form)
    return status


@step
def _expect(rules: Any, numbers: Any, net: Any, move: Any, room: Any, bench: Any, desk: Any) -> Any:
    """Leaves in desk.sums what is expected of a move, per column; gives the status."""
    count = rules.outcomes(bench.forms, move, room.records, room.outcomes_room, room.table, room.script)
    if count < 0:
        return -count
    mean = bench.paid  # of no use otherwise where moves are judged so
    for c in range(net.columns):
        mean[c] = 0.0
    for k in range(count):
        record = room.records + k * rules.record
        odds, there = as_floats(record)[0], record + rules.at_form
        who = rules.to_move(there)
        if who < TERMINAL:
            return who
        status = judge_form(rules, net, there, 0, who, bench, desk)
        if status != 0:
            return status
        for c in range(net.columns):
            mean[c] += odds * (as_floats(record)[1 + c] + numbers.discount * desk.values[c])
    for c in range(net.columns):
        desk.sums[c] = mean[c]
    return 0


@inlined
def _begin(rules: Any, bench: Any) -> Any:
    bench.turn[0] += 1
    for player in range(rules.players):
        bench.paid[player] = 0.0
    bench.factor[0] = 1.0
    return _list_moves(rules, bench, 0)


@step
def _list_moves(rules: Any, bench: Any, depth: Any) -> Any:
    count = rules.moves(
        bench.forms + depth * rules.form, bench.moves + depth * bench.moves_room, bench.moves_room
    )
    if count < 0:
        return -count
    if count > bench.moves_room:
        return CAPACITY
    bench.count[depth] = count
    bench.next[depth] = 0
    return 0


@inlined
def _make_next(rules: Any, numbers: Any, net: Any, bench: Any, depth: Any) -> Any:
    """Makes the next move at a depth, up to its first draw: (status, whether it draws, who moves then).

    Who moves is 0 where it does not matter."""
    players = rules.players
    move = bench.moves[depth * bench.moves_room + bench.next[depth]]
    bench.next[depth] += 1
    here = bench.forms + depth * rules.form
    there = here + rules.form
    copy_bytes(there, here, rules.form)
    status = rules.after(there, move, bench.utility)
    drawn = 1 if status == DREW else 0
    if status != 0 and not drawn:
        return status, drawn, 0
    paid, later = bench.paid + depth * players, bench.paid + (depth + 1) * players
    for player in range(players):
        later[player] = paid[player] + bench.factor[depth] * bench.utility[player]
    bench.factor[depth + 1] = bench.factor[depth] * numbers.discount
    who = mover_after(rules, net, there, drawn)
    return (who if who < TERMINAL else 0), drawn, who


@inlined
def mover_after(rules: Any, net: Any, there: Any, drawn: Any) -> Any:
    """Who moves after a move, as evaluations see it: 0 where they do not look, or chance has not decided."""
    if drawn and net.sides <= 1 and not net.exchange:
        return 0
    who = rules.to_move(there)
    return 0 if drawn and who < 0 else who


@inlined
def _is_new(rules: Any, bench: Any, depth: Any) -> Any:
    """Whether a position was not met in this turn before; where there is no room left, it counts as new."""
    hashed = hash_form(bench.forms + depth * rules.form, rules.form)
    slot = np.int64(hashed & np.uint64(SEEN - 1))
    for _ in range(16):
        if bench.seen_in[slot] != bench.turn[0]:
            bench.seen_in[slot] = bench.turn[0]
            bench.seen[slot] = hashed
            return True
        if bench.seen[slot] == hashed:
            return False
        slot = (slot + 1) & (SEEN - 1)
    return True


@step
def judge_form(rules: Any, net: Any, there: Any, drawn: Any, who: Any, bench: Any, desk: Any) -> Any:
    """Leaves in desk.values what a form is worth, per column; gives the status."""
    if who == TERMINAL:
        status = rules.utility(there, bench.utility)
        for c in range(net.columns):
            desk.values[c] = bench.utility[c]
        return status
    status = read_row(net, there, who, desk)
    value_of_row(net, context_of(net, who, drawn), net.exchange != 0 and who == 1, desk)
    return status


@inlined
def _worth(rules: Any, net: Any, bench: Any, depth: Any, mover: Any, desk: Any) -> Any:
    """What the way is worth to the mover, with what is paid on it."""
    later, factor = bench.paid + (depth + 1) * rules.players, bench.factor[depth + 1]
    if net.columns == 1:
        worth = later[0] + factor * desk.values[0]
        return -worth if mover == 1 else worth
    return later[mover] + factor * desk.values[mover]


@inlined
def _keep(rules: Any, net: Any, bench: Any, depth: Any, desk: Any) -> None:
    """Keeps the way whose last move was just made at a depth as the best so far."""
    columns, players = net.columns, rules.players
    later, factor = bench.paid + (depth + 1) * players, bench.factor[depth + 1]
    copy_bytes(bench.before, bench.forms + depth * rules.form, rules.form)
    bench.chosen[0] = bench.moves[bench.next[0] - 1]
    bench.chosen[1] = bench.moves[depth * bench.moves_room + bench.next[depth] - 1]
    for c in range(columns):
        bench.best[c] = later[c] + factor * desk.values[c]
    for player in range(players):
        bench.best[columns + player] = later[player]
    bench.best[columns + players] = factor
