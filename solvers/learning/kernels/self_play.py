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

from gdl.abi import CAPACITY, DREW
from solvers.learning.kernels.judging import (
    LINEAR,
    context_of,
    learn_row,
    read_row,
    value_of_row,
)
from solvers.machine.kernels import kernel, step
from solvers.machine.pointers import Function, copy_bytes
from solvers.machine.rules import (
    CHANCE,
    TERMINAL,
    Machine,
    hash_form,
    pick_for_chance,
    random_below,
    random_fraction,
)

DEEPEST_TURN = 4
"""Moves of a turn that are looked at together."""

SEEN = 4096
"""Places for positions met within a turn; a power of two."""

MOST_WAYS = 1024
"""Ways to play a turn that are looked at; where there are more, moves are judged one by one."""

# Who plays a side.
LEARNER, RANDOM, OTHER = range(3)


class Play(NamedTuple):
    """What self-play asks of a game: functions, sizes in bytes, and facts."""

    to_move: Any
    moves: Any
    weights: Any
    sample: Any
    pick: Any
    utility: Any
    after: Any
    form: int
    players: int
    longest: int


class Bench(NamedTuple):
    """Where one thread chooses moves."""

    forms: Any  # u8[(DEEPEST_TURN + 2) * form]
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
    chosen: (
        Any  # i64[5]: the last move, whether it draws, the mover afterwards, how many ways; the first move
    )
    utility: Any  # f64[players]
    moves_room: int


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
        form=rules.form,
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
        chosen=np.zeros(5, np.int64),
        utility=np.zeros(players),
        moves_room=moves,
    )


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


# --------------------------------------------------------------------------------- choosing


@step
def choose(rules: Any, numbers: Any, net: Any, mover: Any, room: Any, bench: Any, desk: Any) -> Any:
    """The best way to play the move, or the turn, of the mover in bench.forms; gives the status.

    Leaves in bench.before the position before its last move, in bench.chosen and bench.best what there is to
    know. Among equals the first drawn at random.
    """
    form, players, columns = rules.form, rules.players, net.columns
    deepest = DEEPEST_TURN if net.turns else 1
    bench.turn[0] += 1
    for player in range(players):
        bench.paid[player] = 0.0
    bench.factor[0] = 1.0
    status = _list_moves(rules, bench, 0)
    if status != 0:
        return status
    ways, ties, best = 0, 0, -np.inf
    depth = 0
    while depth >= 0:
        if bench.next[depth] == bench.count[depth]:
            depth -= 1
            continue
        move = bench.moves[depth * bench.moves_room + bench.next[depth]]
        bench.next[depth] += 1
        here, there = bench.forms + depth * form, bench.forms + (depth + 1) * form
        copy_bytes(there, here, form)
        status = rules.after(there, move, bench.utility)
        drawn = 1 if status == DREW else 0
        if status != 0 and not drawn:
            return status
        paid, later = bench.paid + depth * players, bench.paid + (depth + 1) * players
        for player in range(players):
            later[player] = paid[player] + bench.factor[depth] * bench.utility[player]
        bench.factor[depth + 1] = bench.factor[depth] * numbers.discount
        who = 0
        if not drawn or net.sides > 1 or net.exchange:
            who = rules.to_move(there)
        if drawn and who < 0:
            who = 0
        if who < TERMINAL:
            return who
        if not drawn and who == mover and depth + 1 < deepest and ways < MOST_WAYS:
            if _is_new(bench, hash_form(there, form)):
                status = _list_moves(rules, bench, depth + 1)
                if status != 0:
                    return status
                depth += 1
            continue
        if net.turns and depth > 0 and not _is_new(bench, hash_form(there, form)):
            continue
        ways += 1
        if who == TERMINAL:
            status = rules.utility(there, bench.utility)
            if status != 0:
                return status
            for c in range(columns):
                desk.values[c] = bench.utility[c]
        else:
            status = read_row(net, there, who, desk)
            if status != 0:
                return status
            value_of_row(net, context_of(net, who, drawn), net.exchange != 0 and who == 1, desk)
        factor = bench.factor[depth + 1]
        if columns == 1:
            worth = later[0] + factor * desk.values[0]
            if mover == 1:
                worth = -worth
        else:
            worth = later[mover] + factor * desk.values[mover]
        if worth > best:
            ties = 1
        elif worth == best:
            ties += 1
        if worth > best or (worth == best and random_below(room.random, ties) == 0):
            best = worth
            copy_bytes(bench.before, here, form)
            bench.chosen[0] = move
            bench.chosen[1] = drawn
            bench.chosen[2] = who
            bench.chosen[4] = bench.moves[bench.next[0] - 1]
            bench.best[columns + players] = factor
            for c in range(columns):
                bench.best[c] = later[c] + factor * desk.values[c]
            for player in range(players):
                bench.best[columns + player] = later[player]
    bench.chosen[3] = ways
    return 0


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


@step
def _is_new(bench: Any, hashed: Any) -> Any:
    """Whether a position was not met in this turn before; where there is no room left, it counts as new."""
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


@kernel
def choose_once(
    rules: Any, numbers: Any, net: Any, form: Any, mover: Any, room: Any, bench: Any, desk: Any
) -> Any:
    """As `choose`, for a form; gives the status."""
    copy_bytes(bench.forms, form, rules.form)
    return choose(rules, numbers, net, mover, room, bench, desk)


# ----------------------------------------------------------------------------------- playing


@kernel
def play_games(
    rules: Any,
    numbers: Any,
    net: Any,
    other: Any,
    who: Any,
    explore: Any,
    opening: Any,
    initial: Any,
    start: Any,
    seeds: Any,
    first: Any,
    last: Any,
    room: Any,
    bench: Any,
    desk: Any,
    other_desk: Any,
    episodes: Any,
) -> Any:
    """Plays the games of a batch from the first to before the last; gives the status.

    who        per player: the learner, random moves, or the other evaluation
    explore    how often the learner moves at random
    opening    how many moves everybody makes at random first
    start      the form from which `initial`, a move's number, begins
    """
    for game in range(first, last):
        room.random[0] = seeds[game]
        status = _play(
            rules,
            numbers,
            net,
            other,
            who,
            explore,
            opening,
            initial,
            start,
            game,
            room,
            bench,
            desk,
            other_desk,
            episodes,
        )
        if status != 0:
            return status
    return 0


@step
def _play(
    rules: Any,
    numbers: Any,
    net: Any,
    other: Any,
    who: Any,
    explore: Any,
    opening: Any,
    initial: Any,
    start: Any,
    game: Any,
    room: Any,
    bench: Any,
    desk: Any,
    other_desk: Any,
    episodes: Any,
) -> Any:
    columns, players, form = net.columns, rules.players, rules.form
    now = bench.forms
    copy_bytes(now, start, form)
    status = rules.sample(now, initial, room.random, room.rewards)
    if status != 0:
        return status
    results = episodes.results + game * players
    for player in range(players):
        results[player] = room.rewards[player]
    steps, plies, weight = 0, 0, 1.0
    since = 1.0  # the discount since the last recorded choice
    recorded = -1
    while True:
        mover = rules.to_move(now)
        if mover < TERMINAL:
            return mover
        if mover == TERMINAL or plies >= rules.longest or steps >= episodes.steps:
            break
        plies += 1
        if mover == CHANCE:
            copy_bytes(room.form, now, form)
            status = pick_for_chance(rules.moves, rules.weights, room.form, room)
            if status != 0:
                return status
            status = rules.sample(now, room.plies[0], room.random, room.rewards)
            if status != 0:
                return status
            since, weight = _pay(
                rules, numbers, net, episodes, game, recorded, results, since, weight, room.rewards
            )
            continue
        player_kind = RANDOM if plies <= opening else who[mover]
        if player_kind == LEARNER:
            status = choose(rules, numbers, net, mover, room, bench, desk)
        elif player_kind == OTHER:
            status = choose(rules, numbers, other, mover, room, bench, other_desk)
        if status != 0:
            return status
        random_move = player_kind == RANDOM
        if player_kind == LEARNER and explore > 0.0 and random_fraction(room.random) < explore:
            random_move = True
        if random_move:
            status = rules.pick(now, room.random, room.plies)
            if status != 0:
                return status
            move = room.plies[0]
            copy_bytes(bench.before, now, form)
        else:
            move = bench.chosen[0]
        copy_bytes(now, bench.before, form)
        learning = player_kind == LEARNER
        drawn, after_mover = 0, mover
        place = bench.forms + form
        copy_bytes(place, now, form)
        if learning:
            status = rules.after(place, move, room.paid)
            drawn = 1 if status == DREW else 0
            if status != 0 and not drawn:
                return status
            after_mover = 0
            if not drawn or net.sides > 1 or net.exchange:
                after_mover = rules.to_move(place)
            if drawn and after_mover < 0:
                after_mover = 0
            # A move in the middle of a turn is no place where anything is judged.
            if net.turns and not drawn and after_mover == mover:
                learning = not random_move
        status = rules.sample(now, move, room.random, room.rewards)
        if status != 0:
            return status
        if learning:
            at = game * episodes.steps + steps
            # What the best choice was worth counts from the last record on, discounted by what lies between.
            for c in range(columns):
                episodes.best[at * columns + c] = since * bench.best[c]
                paid = bench.best[columns + c] if not random_move else room.paid[c]
                episodes.before[at * columns + c] = since * paid
                episodes.after[at * columns + c] = (room.rewards[c] - room.paid[c]) / numbers.discount
            episodes.greedy[at] = 0 if random_move else 1
            factor = bench.best[columns + players] if not random_move else numbers.discount
            episodes.factor[at] = since * factor
            terminal = not drawn and after_mover == TERMINAL
            episodes.contexts[at] = -1 if terminal else context_of(net, after_mover, drawn)
            turned = net.exchange != 0 and after_mover == 1
            episodes.turned[at] = 1 if turned else 0
            if not terminal:
                status = read_row(net, place, after_mover, desk)
                if status != 0:
                    return status
                if net.kind == LINEAR:
                    for k in range(net.width):
                        episodes.numbers[at * net.width + k] = desk.numbers[k]
                else:
                    for k in range(net.width):
                        episodes.rows[at * net.width + k] = desk.row[k]
            recorded = at
            steps += 1
            since = 1.0
            for player in range(players):
                results[player] += weight * room.rewards[player]
            weight *= numbers.discount
        else:
            since, weight = _pay(
                rules, numbers, net, episodes, game, recorded, results, since, weight, room.rewards
            )
    episodes.lengths[game] = steps
    episodes.plies[game] = plies
    if mover == TERMINAL:
        status = rules.utility(now, bench.utility)
        if status != 0:
            return status
        for player in range(players):
            results[player] += weight * bench.utility[player]
        for c in range(columns):
            episodes.ends[game * columns + c] = since * bench.utility[c]
    else:  # cut: as good as was thought, or as plays without end are
        for c in range(columns):
            guess = numbers.endless[c]
            if steps >= episodes.steps:
                guess = bench.best[c]
            episodes.ends[game * columns + c] = since * guess
            results[c] += weight * numbers.endless[c]
    return 0


@step
def _pay(
    rules: Any,
    numbers: Any,
    net: Any,
    episodes: Any,
    game: Any,
    recorded: Any,
    results: Any,
    since: Any,
    weight: Any,
    rewards: Any,
) -> Any:
    """Counts what was paid since the last record; gives the discounts from there and from the start on."""
    for player in range(rules.players):
        results[player] += weight * rewards[player]
    if recorded >= 0:
        for c in range(net.columns):
            episodes.after[recorded * net.columns + c] += since * rewards[c]
    return since * numbers.discount, weight * numbers.discount


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
