"""Whole games of self-play on machine code, and learning from them.

A batch of games is played with the weights as they are, each with random numbers of its own; then their
episodes are learned from, one game after another. So several threads can play, and what is learned does not
depend on how many there are.

An episode is the afterstates that were chosen, and between them what was paid. Learning goes backwards
through it with returns of TD(lambda): what the next choice was thought to be worth, mixed with what came of
it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gdl.abi import DREW
from gdl.movers import CHANCE, TERMINAL
from solvers.learning.kernels.choosing import choose, mover_after
from solvers.learning.kernels.judging import LINEAR, context_of, learn_row, read_row
from solvers.machine.kernels import inlined, kernel, step
from solvers.machine.pointers import copy_bytes, records
from solvers.machine.rules import pick_for_chance, random_fraction

# Who plays a side.
LEARNER, RANDOM, OTHER = range(3)


class Batch(NamedTuple):
    """The games of a batch: who plays them, and how they begin."""

    net: Any  # the evaluation that learns
    other: Any  # another one
    who: Any  # i64[players]: the learner, random moves, or the other evaluation
    explore: float  # how often the learner moves at random
    opening: int  # how many moves everybody makes at random first
    initial: int  # the number of the move that begins
    start: Any  # u8: the form from which it does
    seeds: Any  # u64[games]


COURSE = np.dtype(
    [
        ("game", np.int64),  # its number in the batch
        ("plies", np.int64),
        ("steps", np.int64),  # choices that are recorded
        ("recorded", np.int64),  # the place of the last one; -1 before the first
        ("since", np.float64),  # the discount since then
        ("weight", np.float64),  # the discount since the start
        ("move", np.int64),  # the last move of a player
        ("random", np.int64),  # whether it was drawn
        ("drew", np.int64),  # whether chance decides what it does
        ("next", np.int64),  # who moves after it
    ]
)
"""How far a game is."""

course_of = records("course", COURSE, "course", "course_size")


class Work(NamedTuple):
    """Memory of one thread."""

    room: Any
    bench: Any
    desk: Any
    other_desk: Any
    course: Any  # u8: one COURSE
    course_size: int


def work(room: Any, bench: Any, desk: Any, other_desk: Any) -> Work:
    return Work(room, bench, desk, other_desk, np.zeros(COURSE.itemsize, np.uint8), COURSE.itemsize)


class Episodes(NamedTuple):
    """What is kept of a batch of games: `steps` at most of each."""

    steps: int
    lengths: Any  # i64[games]
    rows: Any  # i32[games * steps * width]
    numbers: Any  # f64[games * steps * width]: of features
    contexts: Any  # i64[games * steps]
    turned: Any  # i64[games * steps]
    greedy: Any  # i64[games * steps]: whether the best was chosen
    best: Any  # f64[games * steps * columns]: what the best choice was thought to be worth
    before: Any  # f64[games * steps * columns]: paid by the choice before its draw
    factor: Any  # f64[games * steps]: discount of what follows a choice
    after: Any  # f64[games * steps * columns]: paid from its draw to the next choice
    ends: Any  # f64[games * columns]: what the end was worth
    results: Any  # f64[games * players]: what the play paid in all
    plies: Any  # i64[games]


def episodes(games: int, steps: int, width: int, features: int, columns: int, players: int) -> Episodes:
    every = games * steps
    return Episodes(
        steps=steps,
        lengths=np.zeros(games, np.int64),
        rows=np.zeros(every * width + 1, np.int32),
        numbers=np.zeros(every * features + 1),
        contexts=np.zeros(every, np.int64),
        turned=np.zeros(every, np.int64),
        greedy=np.zeros(every, np.int64),
        best=np.zeros(every * columns),
        before=np.zeros(every * columns),
        factor=np.zeros(every),
        after=np.zeros(every * columns),
        ends=np.zeros(games * columns),
        results=np.zeros(games * players),
        plies=np.zeros(games, np.int64),
    )


# ----------------------------------------------------------------------------------- playing


@kernel
def play_games(rules: Any, numbers: Any, batch: Any, first: Any, last: Any, work: Any, episodes: Any) -> Any:
    """Plays the games of a batch from the first to before the last; gives the status."""
    for game in range(first, last):
        status = _play(rules, numbers, batch, game, work, episodes)
        if status != 0:
            return status
    return 0


@step
def _play(rules: Any, numbers: Any, batch: Any, game: Any, work: Any, episodes: Any) -> Any:
    now, course = work.bench.forms, course_of(work, 0)
    status = _begin(rules, batch, game, work, episodes)
    mover = CHANCE
    while status == 0:
        mover = rules.to_move(now)
        if mover < TERMINAL:
            return mover
        if mover == TERMINAL or course.plies >= rules.longest or course.steps >= episodes.steps:
            break
        course.plies += 1
        if mover == CHANCE:
            status = _play_chance(rules, numbers, batch, work, episodes)
        else:
            status = _play_move(rules, numbers, batch, mover, work, episodes)
    if status != 0:
        return status
    episodes.lengths[game] = course.steps
    episodes.plies[game] = course.plies
    if mover == TERMINAL:
        return _end(rules, batch, work, episodes)
    _cut(rules, numbers, batch, work, episodes)
    return 0


@inlined
def _results(rules: Any, course: Any, episodes: Any) -> Any:
    """What the game has paid so far, per player."""
    return episodes.results + course.game * rules.players


@step
def _begin(rules: Any, batch: Any, game: Any, work: Any, episodes: Any) -> Any:
    room, course, now = work.room, course_of(work, 0), work.bench.forms
    course.game = game
    course.plies = course.steps = 0
    course.recorded = -1
    course.since = course.weight = 1.0
    room.random[0] = batch.seeds[game]
    copy_bytes(now, batch.start, rules.form)
    status = rules.sample(now, batch.initial, room.random, room.rewards)
    results = _results(rules, course, episodes)
    for player in range(rules.players):
        results[player] = room.rewards[player]
    return status


@inlined
def _play_chance(rules: Any, numbers: Any, batch: Any, work: Any, episodes: Any) -> Any:
    room, now = work.room, work.bench.forms
    copy_bytes(room.form, now, rules.form)
    status = pick_for_chance(rules.moves, rules.weights, room.form, room)
    if status != 0:
        return status
    status = rules.sample(now, room.plies[0], room.random, room.rewards)
    if status == 0:
        _pay(rules, numbers, batch.net, work, episodes)
    return status


@inlined
def _play_move(rules: Any, numbers: Any, batch: Any, mover: Any, work: Any, episodes: Any) -> Any:
    """A move of a player; what the learner decides is recorded."""
    room, bench, course, form = work.room, work.bench, course_of(work, 0), rules.form
    now, place = bench.forms, bench.forms + form
    who = RANDOM if course.plies <= batch.opening else batch.who[mover]
    status = _decide(rules, numbers, batch, who, mover, work)
    if status != 0:
        return status
    copy_bytes(now, bench.before, form)
    copy_bytes(place, now, form)
    learning = who == LEARNER
    if learning and not batch.net.expects:
        status = rules.after(place, course.move, room.paid)
        course.drew = 1 if status == DREW else 0
        if status != 0 and status != DREW:
            return status
        course.next = mover_after(rules, batch.net, place, course.drew)
        # A move in the middle of a turn is no place where anything is judged.
        if batch.net.turns and not course.drew and course.next == mover:
            learning = course.random == 0
    status = rules.sample(now, course.move, room.random, room.rewards)
    if status != 0:
        return status
    if learning and batch.net.expects:
        copy_bytes(place, now, form)
        course.drew = 0
        course.next = rules.to_move(now)
        if course.next < TERMINAL:
            return course.next
    if learning:
        return _record(rules, numbers, batch.net, work, episodes)
    _pay(rules, numbers, batch.net, work, episodes)
    return 0


@inlined
def _decide(rules: Any, numbers: Any, batch: Any, who: Any, mover: Any, work: Any) -> Any:
    """Leaves the move in the course of the game, and in bench.before the position in which it is made."""
    room, bench, course = work.room, work.bench, course_of(work, 0)
    status = 0
    if who == LEARNER:
        status = choose(rules, numbers, batch.net, mover, room, bench, work.desk)
    elif who == OTHER:
        status = choose(rules, numbers, batch.other, mover, room, bench, work.other_desk)
    if status != 0:
        return status
    drawn = who == RANDOM
    if who == LEARNER and batch.explore > 0.0 and random_fraction(room.random) < batch.explore:
        drawn = True
    course.random = 1 if drawn else 0
    course.move = bench.chosen[1]
    if drawn:
        copy_bytes(bench.before, bench.forms, rules.form)
        status = rules.pick(bench.forms, room.random, room.plies)
        course.move = room.plies[0]
    return status


@inlined
def _record(rules: Any, numbers: Any, net: Any, work: Any, episodes: Any) -> Any:
    """Records a choice, and what was paid at once; gives the status."""
    room, bench, course, columns = work.room, work.bench, course_of(work, 0), net.columns
    drawn = course.random != 0
    at = course.game * episodes.steps + course.steps
    # What the best choice was worth counts from the last record on, discounted by what lies between.
    for c in range(columns):
        episodes.best[at * columns + c] = course.since * bench.best[c]
        paid = room.paid[c] if drawn else bench.best[columns + c]
        later = (room.rewards[c] - room.paid[c]) / numbers.discount
        if net.expects:  # the position after the draw is judged, and all was paid before it
            paid, later = room.rewards[c], 0.0
        episodes.before[at * columns + c] = course.since * paid
        episodes.after[at * columns + c] = later
    factor = numbers.discount if drawn or net.expects else bench.best[columns + rules.players]
    episodes.factor[at] = course.since * factor
    episodes.greedy[at] = 0 if drawn else 1
    course.recorded = at
    course.steps += 1
    course.since = 1.0
    results = _results(rules, course, episodes)
    for player in range(rules.players):
        results[player] += course.weight * room.rewards[player]
    course.weight *= numbers.discount
    return _record_position(rules, net, at, work, episodes)


@inlined
def _record_position(rules: Any, net: Any, at: Any, work: Any, episodes: Any) -> Any:
    """Records the position after the choice, up to its draw, as a row; gives the status."""
    desk, course = work.desk, course_of(work, 0)
    episodes.turned[at] = 1 if net.exchange != 0 and course.next == 1 else 0
    if not course.drew and course.next == TERMINAL:
        episodes.contexts[at] = -1
        return 0
    episodes.contexts[at] = context_of(net, course.next, course.drew)
    status = read_row(net, work.bench.forms + rules.form, course.next, desk)
    if net.kind == LINEAR:
        for k in range(net.width):
            episodes.numbers[at * net.width + k] = desk.numbers[k]
    else:
        for k in range(net.width):
            episodes.rows[at * net.width + k] = desk.row[k]
    return status


@step
def _pay(rules: Any, numbers: Any, net: Any, work: Any, episodes: Any) -> None:
    """Counts what was paid by a move that is not recorded."""
    rewards, course = work.room.rewards, course_of(work, 0)
    results = _results(rules, course, episodes)
    for player in range(rules.players):
        results[player] += course.weight * rewards[player]
    if course.recorded >= 0:
        for c in range(net.columns):
            episodes.after[course.recorded * net.columns + c] += course.since * rewards[c]
    course.since *= numbers.discount
    course.weight *= numbers.discount


@step
def _end(rules: Any, batch: Any, work: Any, episodes: Any) -> Any:
    """Counts the utilities at the end of a game; gives the status."""
    course, columns, paid = course_of(work, 0), batch.net.columns, work.bench.utility
    status = rules.utility(work.bench.forms, paid)
    results = _results(rules, course, episodes)
    for player in range(rules.players):
        results[player] += course.weight * paid[player]
    for c in range(columns):
        episodes.ends[course.game * columns + c] = course.since * paid[c]
    return status


@step
def _cut(rules: Any, numbers: Any, batch: Any, work: Any, episodes: Any) -> None:
    """A game that was cut is worth what was thought last, or what plays without end are."""
    course, columns = course_of(work, 0), batch.net.columns
    results = _results(rules, course, episodes)
    full = course.steps >= episodes.steps
    for c in range(columns):
        guess = work.bench.best[c] if full else numbers.endless[c]
        episodes.ends[course.game * columns + c] = course.since * guess
        results[c] += course.weight * numbers.endless[c]


# ---------------------------------------------------------------------------------- learning


@kernel
def learn_games(
    net: Any, episodes: Any, games: Any, rate: Any, lambda_: Any, targets: Any, desk: Any, report: Any
) -> Any:
    """Learns from the games of a batch. `report` adds up: squared errors, and how many there were."""
    columns, width = net.columns, net.width
    for game in range(games):
        for c in range(columns):
            targets[c] = episodes.ends[game * columns + c]
        for t in range(episodes.lengths[game] - 1, -1, -1):
            at = game * episodes.steps + t
            for c in range(columns):
                targets[c] += episodes.after[at * columns + c]
            if episodes.contexts[at] >= 0:
                if net.kind == LINEAR:
                    for k in range(width):
                        desk.numbers[k] = episodes.numbers[at * width + k]
                else:
                    for k in range(width):
                        desk.row[k] = episodes.rows[at * width + k]
                turned = episodes.turned[at] != 0
                report[0] += learn_row(net, episodes.contexts[at], turned, targets, rate, desk)
                report[1] += 1.0
            for c in range(columns):
                came = episodes.before[at * columns + c] + episodes.factor[at] * targets[c]
                thought = episodes.best[at * columns + c]
                mixed = thought
                if episodes.greedy[at]:
                    mixed = (1.0 - lambda_) * thought + lambda_ * came
                targets[c] = mixed
    return 0
