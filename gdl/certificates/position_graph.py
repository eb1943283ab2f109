"""The kernel that numbers the positions of a compiled game as it meets them, and lists what follows each.

It is compiled once per machine and serves every game, which comes in as addresses (`Rules`) and sizes
(`Sizes`). Nothing of another file is compiled in: numba, which looks only at this one, keeps it up to date.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba.core import extending

njit: Any = numba.njit  # its types do not tell all that it takes
types: Any = numba.types
intrinsic: Any = extending.intrinsic

DONE, FULL, MORE_MOVES, MORE_OUTCOMES, TOO_MANY, FAULT, OVERFLOW = range(7)
POSITIONS, CHOICES, EDGES, NEEDED, UNEQUAL = range(5)
TERMINAL, CHANCE = -2, -1  # as in gdl/movers.py, which numba would not look at when they change
BATCH = 200_000  # positions between two looks at the keyboard


class Rules(NamedTuple):
    """Where the functions of a game lie, by their names in the ABI; 0 for what it has not."""

    unpack: int
    pack: int
    to_move: int
    moves: int
    weights: int
    sample: int
    outcomes: int


class Sizes(NamedTuple):
    """Of a game: words of a key, players; bytes of a form, a record and a script; where records hold what.

    `capacity` is minus what `outcomes` gives where records do not suffice.
    """

    words: int
    players: int
    form: int
    record: int
    script: int
    at_odds: int
    at_rewards: int
    at_form: int
    capacity: int


class Found(NamedTuple):
    """What has been met: keys by number, their numbers by hash, and per position, choice and outcome ..."""

    keys: Any
    table: Any
    counts: Any
    mover: Any  # ... who moves
    row: Any  # ... where its choices begin
    spread: Any  # ... how many outcomes it has
    target: Any  # ... where it leads
    odds: Any  # numerator and denominator; empty where nothing is left to chance
    rewards: Any  # those of the first player likewise


class Scratch(NamedTuple):
    """Room for one position: its moves, their weights, and what `outcomes` writes and needs."""

    moves: Any
    weights: Any
    records: Any
    slots: Any
    script: Any
    form: Any
    after: Any
    key: Any
    random: Any
    paid: Any


def scratch(sizes: Sizes, moves: int, outcomes: int) -> Scratch:
    return Scratch(
        np.zeros(moves, np.int64),
        np.zeros(2 * moves + 2, np.int64),
        np.zeros(outcomes * sizes.record // 8, np.int64),
        np.zeros(4 * outcomes, np.uint32),
        np.zeros(sizes.script // 8 + 2, np.int64),
        np.zeros(sizes.form // 8 + 1, np.int64),
        np.zeros(sizes.form // 8 + 1, np.int64),
        np.zeros(sizes.words, np.uint64),
        np.ones(4, np.int64),
        np.zeros(sizes.players + 1, np.float64),
    )


def _calling(result: Any) -> Any:
    """A call by address. Pointers and numbers are passed as 64-bit integers; the ABI passes both alike."""

    def call(context: Any, address: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        given = ir.VoidType() if result is types.void else ir.IntType(result.bitwidth)

        def generate(target: Any, builder: Any, signature: Any, values: Any) -> Any:
            at, packed = values
            passed = [builder.extract_value(packed, i) for i in range(len(signature.args[1]))]
            kind = ir.FunctionType(given, [word] * len(passed))
            answer = builder.call(builder.inttoptr(at, kind.as_pointer()), passed)
            return target.get_dummy_value() if result is types.void else answer

        return result(types.int64, types.UniTuple(types.int64, len(arguments))), generate

    return intrinsic(call)


_call, _call_i32, _call_i64 = _calling(types.void), _calling(types.int32), _calling(types.int64)


@njit(cache=True)
def expand(begin: int, rules: Any, sizes: Any, drawing: Any, room: Any, found: Any) -> Any:
    """Expands positions from `begin` on while there are any; how far it came, and why it stopped.

    `drawing` lists ranges of moves that leave something to chance, or pay.
    """
    counts, spread = found.counts, found.spread
    here = begin
    while here < counts[POSITIONS] and here < len(found.mover) and here < begin + BATCH:
        _call(rules.unpack, (found.keys.ctypes.data + here * sizes.words * 8, room.form.ctypes.data))
        who = np.int64(_call_i32(rules.to_move, (room.form.ctypes.data,)))
        status, count = _legal(rules, who, room, counts)
        choices, outcomes = counts[CHOICES], counts[EDGES]
        first = outcomes  # of this choice; all that chance does is one
        for m in range(count):
            if who == CHANCE and room.weights[2 + 2 * m] == 0:
                continue
            if choices >= len(spread):
                status, counts[NEEDED] = FULL, choices
                break
            if who != CHANCE:
                first = outcomes
            status, outcomes = _follow(here, who, m, outcomes, rules, sizes, drawing, room, found)
            if status != DONE:
                break
            if who != CHANCE:
                spread[choices] = outcomes - first
                choices += 1
        if status == DONE and who == CHANCE:
            spread[choices] = outcomes - first
            choices += 1
        if status != DONE:
            return here, status
        found.mover[here] = who
        found.row[here + 1] = choices
        counts[CHOICES], counts[EDGES] = choices, outcomes
        here += 1
    return here, DONE


@njit(cache=True)
def _legal(rules: Any, who: int, room: Any, counts: Any) -> Any:
    """Lists the moves of a position, of chance with their weights; gives a status and how many there are."""
    if who < TERMINAL:
        return FAULT, np.int64(0)
    if who == TERMINAL:
        return DONE, np.int64(0)
    count = _call_i64(rules.moves, (room.form.ctypes.data, room.moves.ctypes.data, len(room.moves)))
    if count <= 0:
        return FAULT, np.int64(0)
    if count > len(room.moves):
        counts[NEEDED] = count
        return MORE_MOVES, np.int64(0)
    if who == CHANCE and _call_i32(
        rules.weights, (room.form.ctypes.data, room.moves.ctypes.data, count, room.weights.ctypes.data)
    ):
        return FAULT, np.int64(0)
    return DONE, count


@njit(cache=True)
def _follow(
    here: int, who: int, m: int, at: int, rules: Any, sizes: Any, drawing: Any, room: Any, found: Any
) -> Any:
    """Enters what a move may lead to, from outcome `at` on; gives a status and where its outcomes end."""
    draws = False
    for d in range(drawing.shape[0]):
        draws = draws or drawing[d, 0] <= room.moves[m] < drawing[d, 1]
    count = _enumerate(room.moves[m], rules, sizes, room) if draws else _play(room.moves[m], rules, room)
    if count < 0:
        return MORE_OUTCOMES if count == -sizes.capacity else FAULT, at
    if at + count > len(found.target):
        found.counts[NEEDED] = at + count
        return FULL, at
    for j in range(count):
        num, den, fits = _odds(who, m, j, draws, sizes, room)
        if not fits:
            return OVERFLOW, at
        if num == 0:
            continue
        form = room.after.ctypes.data
        if draws:
            form = room.records.ctypes.data + j * sizes.record + sizes.at_form
        _call(rules.pack, (form, room.key.ctypes.data))
        target = _number_of(room.key, found)
        if target >= len(found.mover):
            return TOO_MANY, at
        found.target[at] = target
        if len(found.odds):
            found.odds[at, 0] = num
            found.odds[at, 1] = den
        if len(found.rewards):
            _pay(here, at, j, draws, sizes, room, found)
        at += 1
    return DONE, at


@njit(cache=True)
def _enumerate(move: int, rules: Any, sizes: Any, room: Any) -> Any:
    """Writes what a move may lead to as records; how many, or below 0 what failed."""
    capacity = 8 * len(room.records) // sizes.record
    form, records = room.form.ctypes.data, room.records.ctypes.data
    return _call_i64(
        rules.outcomes, (form, move, records, capacity, room.slots.ctypes.data, room.script.ctypes.data)
    )


@njit(cache=True)
def _play(move: int, rules: Any, room: Any) -> Any:
    """Makes a move that leaves nothing to chance and pays nothing, in `after`; 1, or -1 if that failed."""
    room.after[:] = room.form
    failed = _call_i32(
        rules.sample, (room.after.ctypes.data, move, room.random.ctypes.data, room.paid.ctypes.data)
    )
    return np.int64(-1) if failed else np.int64(1)


@njit(cache=True)
def _odds(who: int, m: int, j: int, draws: bool, sizes: Any, room: Any) -> Any:
    """How probable an outcome of move m is, in lowest terms, and whether that fits machine words."""
    num, den, fits = np.int64(1), np.int64(1), True
    if draws:
        at = (j * sizes.record + sizes.at_odds) // 8
        num, den = room.records[at], room.records[at + 1]
    if who == CHANCE:
        num, den, fits = _times(num, den, room.weights[2 + 2 * m], room.weights[3 + 2 * m])
        if fits:
            num, den, fits = _times(num, den, room.weights[1], room.weights[0])
    return num, den, fits


@njit(cache=True)
def _times(a: int, b: int, c: int, d: int) -> Any:
    """(a / b) * (c / d) in lowest terms, and whether it fits."""
    for _ in range(2):
        x, y = a, d
        while y:
            x, y = y, x % y
        if x > 1:
            a, d = a // x, d // x
        a, b, c, d = c, d, a, b
    return a * c, b * d, float(a) * float(c) < 9e18 and float(b) * float(d) < 9e18


@njit(cache=True)
def _pay(here: int, at: int, j: int, draws: bool, sizes: Any, room: Any, found: Any) -> None:
    """Enters what an outcome pays the first player; notes where the second does not lose as much."""
    found.rewards[at, 0] = 0
    found.rewards[at, 1] = 1
    if draws:
        r = (j * sizes.record + sizes.at_rewards) // 8
        found.rewards[at, 0] = room.records[r]
        found.rewards[at, 1] = room.records[r + 1]
        if sizes.players == 2:
            unequal = room.records[r + 2] + room.records[r] or room.records[r + 3] != room.records[r + 1]
            if unequal:
                found.counts[UNEQUAL] = here


@njit(cache=True)
def _number_of(key: Any, found: Any) -> Any:
    """The number of a position, a new one if it has not been met; one too many is met as well."""
    keys, table = found.keys, found.table
    h = np.uint64(0x9E3779B97F4A7C15)
    for i in range(len(key)):
        h = (h ^ key[i]) * np.uint64(0xD6E8FEB86659FD93)
        h ^= h >> np.uint64(32)
    mask = np.uint64(len(table) - 1)
    at = h & mask
    while table[at]:
        known = np.int64(table[at] - 1)
        same = True
        for i in range(len(key)):
            same = same and keys[known, i] == key[i]
        if same:
            return known
        at = (at + np.uint64(1)) & mask
    new = found.counts[POSITIONS]
    if new < len(keys):
        table[at] = new + 1
        for i in range(len(key)):
            keys[new, i] = key[i]
    found.counts[POSITIONS] = new + 1
    return new


@njit(cache=True)
def number(first: Any, found: Any, numbers: Any) -> None:
    """Numbers the positions at which a game begins."""
    for k in range(len(first)):
        numbers[k] = _number_of(first[k], found)
