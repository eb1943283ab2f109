"""Turns: from one rest of a game to the next ones, written as small programs.

Many games come to rest between turns: the dice are put away, the total of the turn is zero, the half-played
move is complete (rests.py says how such positions are told). What happens in between, all rolls and all ways
of playing them, is a graph without cycles of which only the ends matter. Its value is a formula over the
values of the rests that it leads to:

    value of a rest  =  1/36 max(rest 5, rest 9) + 2/36 max(rest 7, rest 9, won) + ..

The formula is kept as a program, a row of 32-bit words. Its nodes stand one after another, each after those
that it needs, the value of the whole last:

    MAX  count | reference ..            the best for the first player
    MIN  count | reference ..            the best for the second
    MEAN count | law | reference ..      the expectation; rewards are part of the law (distributions.py)

    reference                            a rest, an earlier node, or a constant (a utility)

Positions within a turn are expanded by the kernel that expands whole games (expand.py), found again through a
table that is emptied after every turn, and forgotten.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gdl.movers import CHANCE, TERMINAL
from solvers.machine.bits import bits_of, hash_key
from solvers.machine.kernels import kernel, step, woven
from solvers.machine.pointers import pointer_to, struct
from solvers.machine.types import i64
from solvers.whole.kernels import expand as expansion
from solvers.whole.kernels.bellman import ROUNDING, outwards
from solvers.whole.kernels.expand import expand

# Nodes of programs, by the two high bits of their first word.
MAX, MIN, MEAN = range(3)

# References, by their two high bits.
REST, NODE, CONSTANT = range(3)

TAG = 30
NUMBER = (1 << TAG) - 1

# Why a batch of turns ended, beside the reasons of expand.py.
TURN_FULL, ROUND_TRIP, NO_ROOM, MORE_CONSTANTS = range(expansion.REASONS, expansion.REASONS + 4)

# What a batch came to, by place in the array of counts; the first ones are those of expand.py.
INSIDE = expansion.COUNTS
COUNTS = expansion.COUNTS + 1

_NEW, _OPEN, _CLOSED = range(3)

# What stands for a reference to a position within a turn as long as there is none.
UNWRITTEN, PART = -1, -2


class Turn(NamedTuple):
    """The positions of one turn, as arrays."""

    keys: Any  # u64[positions, words]
    mover: Any  # i8[positions]
    worth: Any  # f64[positions, 1]
    choices: Any  # u32[positions]: how many
    row: Any  # i64[positions + 1]: the first of them
    spread: Any  # u32[choices]: how many outcomes
    law: Any  # u32[choices]
    plain: Any  # bool[choices]: whether it has one outcome and pays nothing
    first: Any  # i64[choices + 1]: the first outcome
    target: Any  # i64[edges]: a position of the turn, or -1 - the number of a rest
    owner: Any  # u8[edges]
    mail: Any  # u64[1, edges, words + 1]
    rests: Any  # u64[edges, words + 1]: their keys
    slots: Any  # i32: a table of both
    used: Any  # i64: its slots that are in use
    order: Any  # i64[positions]: them, each after those that it leads to
    state: Any  # i64[positions]: how far the search for that order is with each
    stack: Any  # i64[positions]: those that it, or the writing of a node, is at
    at: Any  # i64[positions]: by place on the stack, the outcome that is next
    via: Any  # i64[positions]: who moves in all positions that lead to it, see `_simplify`
    refer: Any  # i64[positions]: how programs refer to it
    same: Any  # i64[positions]: itself, or the position that it is sure to lead to
    seen: Any  # i64[positions + edges]: per position and rest the last node that refers to it


class Programs(NamedTuple):
    """What a batch of turns comes to (TurnBatch)."""

    words: Any  # u32: the programs
    starts: Any  # i64[turns + 1]: where each begins
    owner: Any  # u8: the partition of each rest that they refer to
    mail: Any  # u64[partitions, .., words + 1]: keys of rests for each
    mailed: Any  # i64[partitions]: how many
    counts: Any  # i64


class Room:
    """Memory in which one thread works on one turn at a time."""

    def __init__(self, words: int, positions: int = 4096, edges: int = 32_768):
        self._words = words
        self.allocate(positions, edges)

    def allocate(self, positions: int, edges: int) -> None:
        words = self._words
        self.positions, self.edges = positions, edges
        self.arrays = Turn(
            keys=np.empty((positions, words), np.uint64),
            mover=np.empty(positions, np.int8),
            worth=np.empty((positions, 1), np.float64),
            choices=np.empty(positions, np.uint32),
            row=np.zeros(positions + 1, np.int64),
            spread=np.empty(edges, np.uint32),
            law=np.empty(edges, np.uint32),
            plain=np.zeros(edges, np.bool_),
            first=np.zeros(edges + 1, np.int64),
            target=np.empty(edges, np.int64),
            owner=np.empty(edges, np.uint8),
            mail=np.empty((1, edges, words + 1), np.uint64),
            rests=np.empty((edges, words + 1), np.uint64),
            slots=np.zeros(1 << (2 * (positions + edges)).bit_length(), np.int32),
            used=np.empty(positions + edges, np.int64),
            order=np.zeros(positions, np.int64),
            state=np.zeros(positions, np.int64),
            stack=np.zeros(positions, np.int64),
            at=np.zeros(positions, np.int64),
            via=np.zeros(positions, np.int64),
            refer=np.zeros(positions, np.int64),
            same=np.zeros(positions, np.int64),
            seen=np.zeros(positions + edges, np.int64),
        )
        self.struct = struct(
            expansion.Expanded(
                mover=self.arrays.mover,
                worth=self.arrays.worth,
                choices=self.arrays.choices,
                spread=self.arrays.spread,
                law=self.arrays.law,
                owner=self.arrays.owner,
                mail=self.arrays.mail,
                mailed=np.zeros(1, np.int64),
                before=np.zeros(1, np.int64),
                counts=np.zeros(expansion.COUNTS, np.int64),
                values=1,
                partitions=1,
                choices_room=edges,
                edges_room=edges,
            )
        )


class Constants:
    """The values of finished games of one partition, each kept once."""

    def __init__(self) -> None:
        self._allocate(1024)

    def _allocate(self, size: int) -> None:
        self.data = np.empty(size, np.float64)
        self.slots = np.zeros(4 * size, np.int32)
        self.count = np.zeros(1, np.int64)

    def grow(self) -> None:
        """Twice the room."""
        known = self.numbers
        self._allocate(2 * len(self.data))
        for number in known:
            constant(number, self.data, self.slots, self.count)

    @property
    def numbers(self) -> Any:
        return self.data[: self.count[0]]

    def rounded(self, side: float, whole: bool) -> Any:
        """The constants, rounded up (side 1), down (-1) or not (0); `whole` numbers that floats hold stay."""
        return outwards(self.numbers, int(side), whole) if side else self.numbers


@kernel
def constant(number: float, data: Any, slots: Any, count: Any) -> Any:
    """The place of a constant, kept now if it is new; -1 if there is no room for it."""
    size = len(slots)
    bits = bits_of(number)
    s = i64((bits * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)) % size
    while slots[s]:
        if bits_of(data[slots[s] - 1]) == bits:
            return i64(slots[s]) - 1
        s = (s + 1) % size
    n = count[0]
    if n == len(data):
        return -1
    data[n] = number
    slots[s] = n + 1
    count[0] = n + 1
    return i64(n)


@step
def _at_rest(key: Any, mask: Any, want: Any) -> bool:
    off = np.uint64(0)
    for i in range(len(mask)):
        off |= (key[i] & mask[i]) ^ want[i]
    return bool(off == 0)


@woven
def _note_choices(
    begin: int, end: int, game: Any, laws: Any, spread: Any, law: Any, first: Any, plain: Any
) -> None:
    """Where the outcomes of choices begin, and whether a choice has but one and pays nothing."""
    players = game.players if game.pays else 0
    for c in range(begin, end):
        outcomes = 1 if game.simple else i64(spread[c])
        first[c + 1] = first[c] + outcomes
        paid = False
        if players and outcomes == 1:
            pays = laws.start[i64(law[c])] + 2
            for i in range(pays, pays + 2 * players, 2):
                paid = paid or laws.data[i] != 0
        plain[c] = outcomes == 1 and not paid


@step
def _positions(game: Any, start: Any, rest: Any, scratch: Any, laws: Any, room: Any, expanded: Any) -> Any:
    """All positions of the turn that begins with the key `start`: (status, positions, rests).

    They are found through a table whose slots hold 0, 1 + the number of a position within the turn, or -1 -
    the number of a rest. Its search is written out in the loop: a function would count the references to
    arrays that it is given, by atomic operations which took a third of the time.
    """
    mask, want = rest
    keys, choices, row, spread, law = room.keys, room.choices, room.row, room.spread, room.law
    plain, first, target, mail, rests = room.plain, room.first, room.target, room.mail[0], room.rests
    slots, used = room.slots, room.used
    words = keys.shape[1]
    all_keys, counts = pointer_to(keys), expanded.counts
    for i in range(words):
        keys[0, i] = start[i]
    n_used, found, done, n_rests = i64(0), i64(1), i64(0), i64(0)
    last_slot = len(slots) - 1
    if not _at_rest(keys[0], mask, want):  # else it is the end of the turn where it comes up again
        s = i64(hash_key(all_keys, words) >> np.uint64(32)) & last_slot
        slots[s] = 1
        used[0] = s
        n_used = 1
    status = expansion.DONE
    row[0] = first[0] = 0
    while done < found and status == expansion.DONE:
        c, e = row[done], first[row[done]]
        expanded.mailed[0] = 0
        expand(game, all_keys, done, found, scratch, laws, expanded, done, c, e)
        if counts[expansion.POSITIONS] == 0:
            status = (
                TURN_FULL if counts[expansion.STATUS] == expansion.MAIL_FULL else counts[expansion.STATUS]
            )
            break
        for _ in range(counts[expansion.POSITIONS]):
            row[done + 1] = row[done] + choices[done]
            done += 1
        _note_choices(c, c + counts[expansion.CHOICES], game, laws, spread, law, first, plain)
        for k in range(counts[expansion.EDGES]):
            s = i64(mail[k, words] >> np.uint64(32)) & last_slot
            held = slots[s]
            while held:
                off = np.uint64(0)
                for i in range(words):
                    off |= mail[k, i] ^ (keys[held - 1, i] if held > 0 else rests[-held - 1, i])
                if off == 0:
                    break
                s = (s + 1) & last_slot
                held = slots[s]
            if held == 0:
                off = np.uint64(0)
                for i in range(words):
                    off |= (mail[k, i] & mask[i]) ^ want[i]
                if off == 0:
                    if n_rests == len(rests):
                        status = TURN_FULL
                        break
                    for i in range(words + 1):
                        rests[n_rests, i] = mail[k, i]
                    n_rests += 1
                    held = -n_rests
                else:
                    if found == len(keys):
                        status = TURN_FULL
                        break
                    for i in range(words):
                        keys[found, i] = mail[k, i]
                    found += 1
                    held = found
                slots[s] = held
                used[n_used] = s
                n_used += 1
            target[e + k] = held - 1 if held > 0 else held
    for k in range(n_used):
        slots[used[k]] = 0
    return status, found, n_rests


@step
def _in_order(found: int, room: Any) -> bool:
    """Puts the positions of a turn into an order in which each stands after those it leads to; whether there
    is one.
    """
    row, first, target = room.row, room.first, room.target
    order, state, stack, at = room.order, room.state, room.stack, room.at
    state[:found] = _NEW
    n = 0
    depth = 1
    stack[0], at[0], state[0] = 0, first[row[0]], _OPEN
    while depth:
        v = stack[depth - 1]
        if at[depth - 1] < first[row[v + 1]]:
            t = target[at[depth - 1]]
            at[depth - 1] += 1
            if t >= 0:
                if state[t] == _OPEN:
                    return False
                if state[t] == _NEW:
                    stack[depth], at[depth], state[t] = t, first[row[t]], _OPEN
                    depth += 1
        else:
            state[v] = _CLOSED
            order[n] = v
            n += 1
            depth -= 1
    return True


@woven
def _reference(t: int, mail_from: int, same: Any, refer: Any) -> int:
    """How a program refers to the target of an outcome: to rests by their place among those of the batch."""
    return mail_from - t - 1 if t < 0 else refer[same[t]]


@step
def _simplify(found: int, constants: Any, room: Any, mail_from: int) -> int:
    """What becomes of the positions of a turn in its program.

    same[v] is v, or the position that v is sure to lead to; refer[v] says how to refer to v where it needs no
    node: a rest that it is sure to lead to, or what a finished game is worth. Else it is UNWRITTEN, and v
    will be a node of its own, or PART: a player's position that only moves of the same player lead to, and so
    becomes part of the nodes in which these moves are.
    """
    mover, worth, row, plain = room.mover, room.worth, room.row, room.plain
    first, target = room.first, room.target
    order, via, refer, same = room.order, room.via, room.refer, room.same
    known, known_slots, known_count = constants
    for k in range(found):
        v = order[k]
        refer[v], same[v], via[v] = UNWRITTEN, v, TERMINAL
        if mover[v] == TERMINAL:
            number = constant(worth[v, 0], known, known_slots, known_count)
            if number < 0:
                return MORE_CONSTANTS
            refer[v] = (CONSTANT << TAG) | number
        elif v > 0 and row[v + 1] - row[v] == 1 and plain[row[v]]:
            t = target[first[row[v]]]
            if t < 0:
                refer[v] = mail_from - t - 1
            else:
                same[v] = same[t]
    for k in range(found):
        v = order[k]
        if same[v] != v or refer[v] != UNWRITTEN:
            continue
        for c in range(row[v], row[v + 1]):
            mine = mover[v] >= 0 and plain[c]
            for e in range(first[c], first[c + 1]):
                if target[e] >= 0:
                    t = same[target[e]]
                    first_way = via[t] == TERMINAL
                    via[t] = mover[v] if mine and (first_way or via[t] == mover[v]) else CHANCE
    for k in range(found - 1):  # all but the first position of the turn, which is the last in order
        v = order[k]
        if via[v] == mover[v] and same[v] == v and refer[v] == UNWRITTEN and mover[v] >= 0:
            refer[v] = PART
    return expansion.DONE


@woven
def _write_mean(
    c: int, law: Any, first: Any, target: Any, same: Any, refer: Any, mail_from: int, words: Any, at: int
) -> int:
    """Writes the node of a choice with several outcomes, or with rewards; where it ends."""
    words[at] = (MEAN << TAG) | (first[c + 1] - first[c])
    words[at + 1] = law[c]
    at += 2
    for e in range(first[c], first[c + 1]):
        words[at] = _reference(target[e], mail_from, same, refer)
        at += 1
    return at


@step
def _write(found: int, n_rests: int, room: Any, mail_from: int, words: Any, at: int) -> int:
    """Writes the program of a turn from words[at] on; where it ends, or -1 if there is no room for it."""
    mover, row, law, plain = room.mover, room.row, room.law, room.plain
    first, target = room.first, room.target
    order, stack, seen, refer, same = room.order, room.stack, room.seen, room.refer, room.same
    seen[: found + n_rests] = -1
    n = 0
    for k in range(found):
        v = order[k]
        if v > 0 and (same[v] != v or refer[v] != UNWRITTEN):
            continue
        if mover[v] == CHANCE:
            if at + first[row[v] + 1] - first[row[v]] + 2 > len(words):
                return -1
            at = _write_mean(row[v], law, first, target, same, refer, mail_from, words, at)
        else:
            # References of the node are gathered at the end of `words`, the last first: nodes of choices that
            # are chances themselves must be written before it.
            gathered = len(words)
            depth = 1
            stack[0] = v
            while depth:
                depth -= 1
                x = stack[depth]
                for c in range(row[x], row[x + 1]):
                    if at + first[c + 1] - first[c] + 3 > gathered:
                        return -1
                    if plain[c]:
                        t = target[first[c]]
                        place = found - t - 1 if t < 0 else same[t]
                        if seen[place] == v:
                            continue
                        seen[place] = v
                        if t >= 0 and refer[place] == PART:
                            stack[depth] = place
                            depth += 1
                            continue
                        reference = _reference(t, mail_from, same, refer)
                    else:
                        at = _write_mean(c, law, first, target, same, refer, mail_from, words, at)
                        reference = (NODE << TAG) | n
                        n += 1
                    gathered -= 1
                    words[gathered] = reference
            if mover[v] == TERMINAL:
                gathered -= 1
                words[gathered] = refer[v]
            size = len(words) - gathered
            if v > 0 and size == 1:
                refer[v] = words[gathered]
                continue
            if at + size + 1 > gathered:
                return -1
            words[at] = ((MIN if mover[v] == 1 else MAX) << TAG) | size
            for i in range(size):
                words[at + 1 + i] = words[len(words) - 1 - i]
            at += size + 1
        refer[v] = (NODE << TAG) | n
        n += 1
    return at


@kernel
def expand_turns(
    game: Any,
    rest: Any,
    keys: Any,
    number: int,
    scratch: Any,
    laws: Any,
    constants: Any,
    room: Any,
    expanded: Any,
    programs: Any,
) -> None:
    """Writes the programs of the turns that begin with so many keys, as far as there is room;
    `counts` says how far. That of turn b is words[starts[b]] .. words[starts[b + 1] - 1].

    Programs refer to rests by their place in `owner`; their keys go into the mail for the partitions that own
    them. A turn is written whole or not at all.
    """
    words, starts, owner, mail, mailed, counts = programs
    post = np.uint64(mail.shape[0] - 1)
    width = mail.shape[2]
    rests = room.rests
    edges = at = inside = i64(0)
    status = expansion.DONE
    starts[0] = 0
    done = 0
    for b in range(number):
        status, found, n_rests = _positions(game, keys + b * game.words, rest, scratch, laws, room, expanded)
        if status != expansion.DONE:
            break
        if not _in_order(found, room):
            status = ROUND_TRIP
            break
        if edges + n_rests > len(owner):
            status = NO_ROOM
            break
        status = _simplify(found, constants, room, edges)
        if status != expansion.DONE:
            break
        after = _write(found, n_rests, room, edges, words, at)
        if after < 0:
            status = NO_ROOM
            break
        at = after
        for k in range(n_rests):
            p = i64(rests[k, width - 1] & post)
            for i in range(width):
                mail[p, mailed[p], i] = rests[k, i]
            mailed[p] += 1
            owner[edges + k] = p
        edges += n_rests
        inside += found
        done += 1
        starts[done] = at
    counts[expansion.POSITIONS] = done
    counts[expansion.CHOICES] = 0
    counts[expansion.EDGES] = edges
    counts[expansion.STATUS] = status
    counts[expansion.NEEDED] = expanded.counts[expansion.NEEDED]
    counts[INSIDE] = inside


# ----------------------------------------------------------------------------- reading programs


@woven
def _referred(r: Any, values: Any, nodes: Any, constants: Any) -> Any:
    """What a reference is worth."""
    tag, i = r >> TAG, r & NUMBER
    return (values if tag == REST else nodes if tag == NODE else constants)[i]


class Reading(NamedTuple):
    """What programs are read with, beside the values of rests. Kernels get pointers, since references to
    arrays would be counted for every program.
    """

    constants: Any
    law_start: Any
    odds: Any
    reward: Any
    nodes: Any  # room for the values of the nodes of one program


@step
def value_of(words: Any, at: int, end: int, values: Any, reading: Any, side: float) -> float:
    """The value of the program in words at .. end - 1, by the values of rests; rounded up (side 1), down (-1)
    or not (0). Both are pointers.
    """
    constants, nodes = reading.constants, reading.nodes
    value = 0.0
    n = 0
    while at < end:
        kind, count = words[at] >> TAG, words[at] & NUMBER
        at += 1
        if kind == MEAN:
            law = words[at]
            odds = reading.odds + reading.law_start[law]
            at += 1
            total = size = 0.0
            for k in range(count):
                term = odds[k] * _referred(words[at + k], values, nodes, constants)
                total += term
                size += abs(term)
            paid = reading.reward[law]
            value = total
            if count > 1 or paid != 0.0:
                value = paid + total + side * (12.0 + count) * ROUNDING * (2.0 * abs(paid) + size)
        else:
            value = _referred(words[at], values, nodes, constants)
            for k in range(at + 1, at + count):
                x = _referred(words[k], values, nodes, constants)
                if x < value if kind == MIN else x > value:
                    value = x
        at += count
        nodes[n] = value
        n += 1
    return value


@kernel
def values_of(words: Any, starts: Any, values: Any, reading: Any, side: float, out: Any) -> None:
    """The values of all programs."""
    program, known = pointer_to(words), pointer_to(values)
    for b in range(len(starts) - 1):
        out[b] = value_of(program, i64(starts[b]), i64(starts[b + 1]), known, reading, side)


@kernel
def readdress(lo: int, hi: int, words: Any, address: Any) -> None:
    """Lets programs in words[lo:hi] refer to rests by address[i] instead of i."""
    at = lo
    while at < hi:
        head = i64(words[at])
        count = head & NUMBER
        at += 2 if head >> TAG == MEAN else 1
        for k in range(at, at + count):
            r = i64(words[k])
            if r >> TAG == REST:
                words[k] = address[r]
        at += count
