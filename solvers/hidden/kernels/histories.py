"""The walk over all histories of a compiled game: information sets, sequences and what plays pay.

Depth first with a stack of histories that are still to be expanded, so that memory goes with the
information sets and the ends of plays, and time with the histories. Where room runs out the expansion of
one history is undone, Python makes more, and it is done again. The textbook, `solvers/hidden/game_tree.py`,
does the same in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from gdl.abi import CAPACITY
from gdl.game import Game
from gdl.movers import CHANCE, TERMINAL
from solvers.core.starts import starts_of
from solvers.hidden.consistency import History, Inconsistent
from solvers.hidden.endless import EVERY, Endless
from solvers.hidden.game_tree import game_tree
from solvers.hidden.kernels.observing import fill, lengthen, mix, pack, sight, slot_of
from solvers.hidden.records import too_many_histories
from solvers.hidden.sequences import Known, SequenceForm, assembled, sequence_form_of
from solvers.machine.kernels import kernel, step
from solvers.machine.pointers import as_floats, copy_bytes, pointer_to
from solvers.machine.rules import Machine, may_draw, same_form
from solvers.machine.scratch import MOST_WAYS, too_many
from solvers.machine.types import i64

LIMIT = 200_000_000
"""Histories that are walked at most, unless more are asked for."""

# Why the kernel stopped.
DONE, PORTION, STACK, LINE, ENDS, SETS, PATHS, MOVES, OUTCOMES, BROKEN, ROUND, FAULT = range(12)

# What `counts` counts.
TOP, END, HISTORIES, PATH, WANTED, OTHER, SET = range(7)

# What `Room.now` and `Room.at` hold.
WEIGHT, FACTOR = range(2)
DEPTH, MOVE, OUTCOME, MOVER, CHOICE, FIRST = range(6)


class Stack(NamedTuple):
    """Histories that are still to be expanded."""

    form: Any  # u8[capacity, form]
    hashes: Any  # u64[capacity, players, 2]
    sequence: Any  # i32[capacity, players]: counted for each player
    weight: Any  # f64[capacity]: the probability of chance
    paid: Any  # f64[capacity, players]
    factor: Any  # f64[capacity]: the discount
    depth: Any  # i32[capacity]
    step: Any  # i32[capacity, 2]: the number of the move among the legal ones, and of its outcome


class Rules(NamedTuple):
    """The game that is walked."""

    rules: Any
    numbers: Any
    sight: Any
    circles: int  # whether plays may come back to a position


class Found(NamedTuple):
    """What the walk finds; the tables of one player at a time are kept in one array with a column each."""

    table: Any  # i32[players, slots]: numbers of information sets by hash, -1 for none
    keys: Any  # u64[players, sets, 2]
    legal: Any  # u64[players, sets]: hash of the legal moves
    parent: Any  # i32[players, sets]
    moves: Any  # i32[players, sets]
    first: Any  # i32[players, sets]: the first sequence
    example: Any  # i32[players, sets]: a path that leads there
    sequences: Any  # i64[players]
    path: Any  # i32[paths, 3]: the path before, the move, the outcome
    ends: Any  # i32[ends, players]
    payoff: Any  # f64[ends, players]
    weights: Any  # f64[ends]


class Line(NamedTuple):
    """The history that is being expanded, step by step from the start, with the names of its paths."""

    step: Any  # i32[depth, 2]
    name: Any  # i32[depth]: -1 for none
    form: Any  # u8[depth, form]


class Room(NamedTuple):
    """The history that is being expanded, as on the stack, and scratch."""

    form: Any  # u8[form]
    hashes: Any  # u64[players, 2]
    sequence: Any  # i32[players]
    paid: Any  # f64[players]
    now: Any  # f64: weight, factor
    at: Any  # i32: depth, move, outcome; who moves there, which move is made, its first sequence
    past: Any  # f64[players]
    after: Any  # u8[form]
    random: Any  # u64[1]
    rewards: Any  # f64[players]
    utility: Any  # f64[players]
    moves: Any  # i64[..]
    weights: Any  # i64[2 + 2 * moves]
    records: Any  # u8[outcomes * record]
    table: Any  # u32[4 * outcomes]
    script: Any  # u8[script]


def sequence_form(
    game: Game[Any, Any],
    at: Any = None,
    *,
    limit: int | None = None,
    watch: Callable[[int], None] | None = None,
) -> SequenceForm:
    """The arrays of a game: by machine code where it is compiled, else by the textbook.

    Refuses more than `limit` histories, information sets with different legal moves, and plays that come back
    to a position. `watch` is told
    how many histories were walked, now and then.
    """
    compiled = getattr(game, "compiled", None)
    if compiled is None or not compiled.moves_told:
        return sequence_form_of(game_tree(game, at, limit=limit))
    return _Walk(game, limit or LIMIT, watch).run(at)


class _Walk:
    """One walk: the arrays, which grow as they are needed."""

    def __init__(self, game: Game[Any, Any], limit: int, watch: Callable[[int], None] | None):
        self.game = game
        self.limit = limit
        self.watch = watch
        self.machine = Machine(game)
        self.sight = sight(game)
        rules, players = self.machine.rules, len(game.players)
        self.stack = Stack(
            np.zeros((64, rules.form), np.uint8),
            np.zeros((64, players, 2), np.uint64),
            np.zeros((64, players), np.int32),
            np.zeros(64),
            np.zeros((64, players)),
            np.zeros(64),
            np.zeros(64, np.int32),
            np.zeros((64, 2), np.int32),
        )
        self.found = Found(
            np.full((players, 256), -1, np.int32),
            np.zeros((players, 128, 2), np.uint64),
            np.zeros((players, 128), np.uint64),
            np.zeros((players, 128), np.int32),
            np.zeros((players, 128), np.int32),
            np.zeros((players, 128), np.int32),
            np.zeros((players, 128), np.int32),
            np.ones(players, np.int64),
            np.zeros((256, 3), np.int32),
            np.zeros((256, players), np.int32),
            np.zeros((256, players)),
            np.zeros(256),
        )
        self.line = Line(
            np.zeros((64, 2), np.int32), np.full(64, -1, np.int32), np.zeros((64, rules.form), np.uint8)
        )
        self.counts = np.zeros(SET + players, np.int64)
        self.room = Room(
            np.zeros(rules.form, np.uint8),
            np.zeros((players, 2), np.uint64),
            np.zeros(players, np.int32),
            np.zeros(players),
            np.zeros(2),
            np.zeros(6, np.int32),
            np.zeros(players),
            np.zeros(rules.form, np.uint8),
            np.zeros(1, np.uint64),
            np.zeros(players),
            np.zeros(players),
            np.zeros(64, np.int64),
            np.zeros(130, np.int64),
            np.zeros(16 * rules.record, np.uint8),
            np.zeros(64, np.uint32),
            np.zeros(max(self.machine.sizes.script, 8), np.uint8),
        )

    def run(self, at: Any) -> SequenceForm:
        self.starts = starts_of(self.game, at)
        status = STACK
        while len(self.stack.weight) < len(self.starts) + 1:
            self._grow(STACK)
        for number in reversed(range(len(self.starts))):
            start = self.starts[number]
            self.room.form[:] = self.machine.form(start.position)
            paid = np.array([float(part) for part in start.rewards] or [0.0] * len(self.game.players))
            if _begin(
                self.sight, self.stack, self.counts, self.room.form, float(start.probability), paid, number
            ):
                return self._by_textbook(at)
        portion = 10_000
        while status != DONE:
            began = perf_counter()
            status = walk(
                Rules(
                    self.machine.rules_struct, self.machine.numbers_struct, self.sight,
                    int(not self.game.traits.acyclic),
                ),
                self.stack, self.found, self.line, self.counts, self.room, portion,
            )  # fmt: skip
            if self.counts[HISTORIES] > self.limit:
                raise too_many_histories(self.game, self.limit)
            if status == BROKEN:
                raise self._broken()
            if status == ROUND:
                raise Endless.shown_by(self.game, self._expanded())
            if status == FAULT:
                return self._by_textbook(at)  # says what is wrong, or finds that nothing is
            if status == PORTION:
                if self.watch is not None:
                    self.watch(int(self.counts[HISTORIES]))
                if perf_counter() - began < 0.05:
                    portion *= 2
            elif status != DONE:
                self._grow(status)
        return self._assembled()

    def _by_textbook(self, at: Any) -> SequenceForm:
        return sequence_form_of(game_tree(self.game, at, limit=self.limit))

    def _grow(self, what: int) -> None:
        """Makes room for more of something."""
        found, rules = self.found, self.machine.rules
        if what == STACK:
            self.stack = Stack(*[_doubled(part) for part in self.stack])
            if len(self.stack.weight) > 1 << 26:
                raise too_many_histories(self.game, int(self.counts[HISTORIES]))
        elif what == LINE:
            self.line = Line(*[_doubled(part) for part in self.line])
        elif what == ENDS:
            self.found = found._replace(
                ends=_doubled(found.ends), payoff=_doubled(found.payoff), weights=_doubled(found.weights)
            )
        elif what == SETS:
            sets = {
                name: np.concatenate([getattr(found, name), np.zeros_like(getattr(found, name))], axis=1)
                for name in ("keys", "legal", "parent", "moves", "first", "example")
            }
            players, slots = found.table.shape
            table = np.full((players, 2 * slots), -1, np.int32)
            for player in range(players):
                fill(table[player], sets["keys"][player], int(self.counts[SET + player]))
            self.found = found._replace(table=table, **sets)
        elif what == PATHS:
            self.found = found._replace(path=_doubled(found.path))
        elif what == MOVES:
            size = int(self.counts[WANTED])
            if size > MOST_WAYS:
                raise too_many("moves in a position")
            self.room = self.room._replace(
                moves=np.zeros(2 * size, np.int64), weights=np.zeros(4 * size + 2, np.int64)
            )
        elif what == OUTCOMES:
            size = len(self.room.table)  # four times as many as before
            if size > MOST_WAYS:
                raise too_many("outcomes of a move")
            self.room = self.room._replace(
                records=np.zeros(size * rules.record, np.uint8), table=np.zeros(4 * size, np.uint32)
            )

    def _assembled(self) -> SequenceForm:
        found, ends = self.found, int(self.counts[END])
        counts = [int(count) for count in self.counts[SET:]]
        tables = [
            (found.parent[p, :n].astype(np.int64), found.moves[p, :n].astype(np.int64))
            for p, n in enumerate(counts)
        ]
        path = found.path[: int(self.counts[PATH])].copy()
        examples = [found.example[player, :count].copy() for player, count in enumerate(counts)]
        replay = Replay(self.game, self.starts, path)

        def known(player: int, number: int) -> Known:
            return replay.known(player, int(examples[player][number]))

        form = assembled(
            self.game, tables, found.ends[:ends], found.payoff[:ends], found.weights[:ends],
            int(self.counts[HISTORIES]), known,
        )  # fmt: skip
        return replace(form, keys=np.concatenate([found.keys[p, :n] for p, n in enumerate(counts)]))

    def _broken(self) -> Inconsistent:
        """Two plays after which different moves are legal, though their mover cannot tell them apart."""
        player, number = int(self.counts[WANTED]), int(self.counts[OTHER])
        replay = Replay(self.game, self.starts, self.found.path)
        one = replay.history(int(self.found.example[player, number]))
        other = self._expanded()
        legal = [tuple(self.game.moves(history[-1][1])) for history in (one, other)]
        return Inconsistent.moves(self.game, player, (one, legal[0]), (other, legal[1]))

    def _expanded(self) -> History:
        """The history at which the kernel stopped."""
        steps = self.line.step[: int(self.room.at[DEPTH]) + 1]
        replay = Replay(self.game, self.starts, self.found.path)
        return replay.played([(int(move), int(outcome)) for move, outcome in steps])


def _doubled(array: Any) -> Any:
    return np.concatenate([array, np.zeros_like(array)])


class Replay:
    """Plays that were walked, told as paths: steps, each the number of a move and of its outcome."""

    def __init__(self, game: Game[Any, Any], starts: Any, path: Any):
        self.game = game
        self.starts = starts
        self.path = path
        self._played: dict[int, tuple[History, tuple[tuple[Any, ...], ...]]] = {}

    def known(self, player: int, path: int) -> Known:
        """What a player knows at the end of a path, where it is that player's turn."""
        history, seen = self._at(path)
        return Known(player, seen[player], tuple(self.game.moves(history[-1][1])))

    def history(self, path: int) -> History:
        return self._at(path)[0]

    def played(self, steps: list[tuple[int, int]]) -> History:
        history: History = [(None, self.starts[steps[0][1]].position)]
        for move, outcome in steps[1:]:
            history.append(self._step(history[-1][1], move, outcome))
        return history

    def _step(self, position: Any, move: int, outcome: int) -> tuple[Any, Any]:
        moves = self.game.moves(position)
        return moves[move], self.game.outcomes(position, moves[move])[outcome].position

    def _at(self, path: int) -> tuple[History, tuple[tuple[Any, ...], ...]]:
        names = []
        while path >= 0 and path not in self._played:
            names.append(path)
            path = int(self.path[path, 0])
        for name in reversed(names):
            before, move, outcome = (int(part) for part in self.path[name])
            self._played[name] = self._begun(outcome) if before < 0 else self._longer(before, move, outcome)
        return self._played[names[0] if names else path]

    def _begun(self, outcome: int) -> tuple[History, tuple[tuple[Any, ...], ...]]:
        position = self.starts[outcome].position
        seen = tuple((self.game.observation(position, p),) for p in range(len(self.game.players)))
        return [(None, position)], seen

    def _longer(self, before: int, move: int, outcome: int) -> tuple[History, tuple[tuple[Any, ...], ...]]:
        history, seen = self._played[before]
        mover = self.game.to_move(history[-1][1])
        made, position = self._step(history[-1][1], move, outcome)
        observed = getattr(self.game, "observed_move", None)
        longer = tuple(
            (
                *one,
                (mover, made if observed is None else observed(made, player, mover)),
                self.game.observation(position, player),
            )
            for player, one in enumerate(seen)
        )
        return [*history, (made, position)], longer


# ------------------------------------------------------------------------------ kernels


@kernel
def _begin(sight: Any, stack: Any, counts: Any, form: Any, weight: Any, paid: Any, number: Any) -> Any:
    """Puts an initial position on the stack; gives the status."""
    top = counts[TOP]
    at = pointer_to(stack.form) + top * stack.form.shape[1]
    copy_bytes(at, pointer_to(form), stack.form.shape[1])
    pack(sight, at)
    for player in range(paid.shape[0]):
        h, g, status = lengthen(
            sight, i64(-1), i64(-1), at, player, np.uint64(player + 1), np.uint64(player + 1)
        )
        if status != 0:
            return status
        stack.hashes[top, player, 0], stack.hashes[top, player, 1] = h, g
        stack.sequence[top, player] = 0
        stack.paid[top, player] = paid[player]
    stack.weight[top], stack.factor[top], stack.depth[top] = weight, 1.0, 0
    stack.step[top, 0], stack.step[top, 1] = 0, number
    counts[TOP] += 1
    return 0


@kernel
def walk(
    game: Any, stack: Any, found: Any, line: Any, counts: Any,
    room: Any, portion: Any,
) -> Any:  # fmt: skip
    """Expands so many histories, or until something is missing; says why it stopped.

    counts    top of the stack, ends, histories, paths, two numbers for who asks, then the sets of each player
    """
    for _ in range(portion):
        if counts[TOP] == 0:
            return DONE
        counts[TOP] -= 1
        top, ends, histories = counts[TOP], counts[END], counts[HISTORIES]
        _take(stack, room, top)
        status = _expand(game, stack, found, line, counts, room)
        if status in (BROKEN, ROUND):
            return status
        if status != DONE:  # as if nothing had been done, but for information sets, which are found again
            _put_back(stack, room, top)
            counts[TOP], counts[END], counts[HISTORIES] = top + 1, ends, histories
            return status
    return DONE if counts[TOP] == 0 else PORTION


@step
def _take(stack: Any, room: Any, top: Any) -> None:
    """Copies a history from the stack, where those after it will stand."""
    form = stack.form.shape[1]
    copy_bytes(pointer_to(room.form), pointer_to(stack.form) + top * form, form)
    for player in range(room.sequence.shape[0]):
        room.hashes[player, 0], room.hashes[player, 1] = (
            stack.hashes[top, player, 0],
            stack.hashes[top, player, 1],
        )
        room.sequence[player] = stack.sequence[top, player]
        room.paid[player] = stack.paid[top, player]
    room.now[WEIGHT], room.now[FACTOR] = stack.weight[top], stack.factor[top]
    room.at[DEPTH], room.at[MOVE], room.at[OUTCOME] = stack.depth[top], stack.step[top, 0], stack.step[top, 1]


@step
def _put_back(stack: Any, room: Any, top: Any) -> None:
    form = stack.form.shape[1]
    copy_bytes(pointer_to(stack.form) + top * form, pointer_to(room.form), form)
    for player in range(room.sequence.shape[0]):
        stack.hashes[top, player, 0], stack.hashes[top, player, 1] = (
            room.hashes[player, 0],
            room.hashes[player, 1],
        )
        stack.sequence[top, player] = room.sequence[player]
        stack.paid[top, player] = room.paid[player]
    stack.weight[top], stack.factor[top] = room.now[WEIGHT], room.now[FACTOR]
    stack.depth[top], stack.step[top, 0], stack.step[top, 1] = room.at[DEPTH], room.at[MOVE], room.at[OUTCOME]


@step
def _expand(
    game: Any, stack: Any, found: Any, line: Any, counts: Any,
    room: Any,
) -> Any:  # fmt: skip
    """Puts what may come after the history in `room` on the stack, or notes what it paid."""
    rules = game.rules
    depth = i64(room.at[DEPTH])
    if depth >= line.name.shape[0]:
        counts[WANTED] = depth
        return LINE
    line.step[depth, 0], line.step[depth, 1] = room.at[MOVE], room.at[OUTCOME]
    line.name[depth] = -1
    form = pointer_to(room.form)
    if game.circles:
        copy_bytes(pointer_to(line.form) + depth * rules.form, form, rules.form)
        if depth % EVERY == 0 and _been_there(rules, line, form, depth):
            return ROUND
    mover = rules.to_move(form)
    counts[HISTORIES] += 1
    if mover < TERMINAL:
        return FAULT
    if mover == TERMINAL:
        return _note_end(rules, found, counts, room, form, room.sequence, room.now[WEIGHT], room.now[FACTOR])
    count = rules.moves(form, pointer_to(room.moves), room.moves.shape[0])
    if count <= 0:
        return FAULT
    if count > room.moves.shape[0]:
        counts[WANTED] = count
        return MOVES
    first = i64(-1)
    if mover == CHANCE:
        given = pointer_to(room.weights)
        if rules.weights(form, pointer_to(room.moves), count, given) != 0 or room.weights[0] <= 0:
            return FAULT
    else:
        number, status = _information_set(found, line, counts, room, mover, count)
        if status != DONE:
            return status
        first = i64(found.first[mover, number])
    room.at[MOVER], room.at[FIRST] = mover, first
    if counts[TOP] + count > stack.weight.shape[0]:
        return STACK
    for k in range(count - 1, -1, -1):
        weight = room.now[WEIGHT]
        if mover == CHANCE:
            total = room.weights[0] / room.weights[1]
            weight *= room.weights[2 + 2 * k] / room.weights[3 + 2 * k] / total
            if weight == 0.0:
                continue
        status = _make(game, stack, found, counts, room, k, weight)
        if status != DONE:
            return status
    return DONE


@step
def _been_there(rules: Any, line: Any, form: Any, depth: Any) -> Any:
    """Whether the history has been at its position before."""
    before = depth - 1
    while before >= 0 and not same_form(pointer_to(line.form) + before * rules.form, form, rules.form):
        before -= 1
    return before >= 0


@step
def _information_set(found: Any, line: Any, counts: Any, room: Any, mover: Any, count: Any) -> Any:
    """The number of the mover's information set, and DONE or why there is none."""
    legal = np.uint64(count)
    for k in range(count):
        legal = mix(legal, np.uint64(room.moves[k]))
    h, g = room.hashes[mover, 0], room.hashes[mover, 1]
    keys = found.keys[mover]
    slot = slot_of(found.table[mover], keys, h, g)
    number = i64(found.table[mover, slot])
    if number >= 0:
        if found.legal[mover, number] != legal or found.parent[mover, number] != room.sequence[mover]:
            counts[WANTED], counts[OTHER] = mover, number
            return number, BROKEN
        return number, DONE
    number = counts[SET + mover]
    depth = i64(room.at[DEPTH])
    if number == keys.shape[0]:
        return number, SETS
    if counts[PATH] + depth + 1 > found.path.shape[0]:
        return number, PATHS
    keys[number, 0], keys[number, 1] = h, g
    found.table[mover, slot] = number
    found.legal[mover, number] = legal
    found.parent[mover, number] = room.sequence[mover]
    found.moves[mover, number] = count
    found.first[mover, number] = found.sequences[mover]
    found.sequences[mover] += count
    found.example[mover, number] = _named(found, line, counts, depth)
    counts[SET + mover] += 1
    return number, DONE


@step
def _named(found: Any, line: Any, counts: Any, depth: Any) -> Any:
    """The name of the path to the history that is being expanded; those on the way get names too."""
    k = depth
    while k > 0 and line.name[k] < 0 and line.name[k - 1] < 0:
        k -= 1
    for d in range(k, depth + 1):
        if line.name[d] < 0:
            name = counts[PATH]
            found.path[name, 0] = -1 if d == 0 else line.name[d - 1]
            found.path[name, 1], found.path[name, 2] = line.step[d, 0], line.step[d, 1]
            line.name[d] = name
            counts[PATH] += 1
    return line.name[depth]


@step
def _make(
    game: Any, stack: Any, found: Any, counts: Any, room: Any, k: Any, weight: Any,
) -> Any:  # fmt: skip
    """All that move number k may lead to."""
    rules, numbers = game.rules, game.numbers
    room.at[CHOICE] = k
    form, move = pointer_to(room.form), room.moves[k]
    if not may_draw(numbers.drawing, numbers.drawings, move):
        after = pointer_to(room.after)
        copy_bytes(after, form, rules.form)
        rewards = pointer_to(room.rewards)
        if rules.sample(after, move, pointer_to(room.random), rewards) != 0:
            return FAULT
        return _push(game, stack, found, counts, room, after, i64(0), weight, rewards)
    capacity = room.table.shape[0] // 4
    records = pointer_to(room.records)
    many = rules.outcomes(form, move, records, capacity, pointer_to(room.table), pointer_to(room.script))
    if many == -CAPACITY:
        return OUTCOMES
    if many < 0:
        return FAULT
    for outcome in range(many - 1, -1, -1):
        record = records + outcome * rules.record
        status = _push(
            game, stack, found, counts, room, record + rules.at_form, outcome,
            weight * as_floats(record)[0], as_floats(record) + 1,
        )  # fmt: skip
        if status != DONE:
            return status
    return DONE


@step
def _push(
    game: Any, stack: Any, found: Any, counts: Any, room: Any, after: Any, outcome: Any, weight: Any,
    rewards: Any,
) -> Any:  # fmt: skip
    """Puts the position at an address, to which a move led, on the stack; notes a finished play at once."""
    rules, discount, sight = game.rules, game.numbers.discount, game.sight
    mover, k, first = i64(room.at[MOVER]), i64(room.at[CHOICE]), i64(room.at[FIRST])
    players = room.sequence.shape[0]
    own = room.sequence[mover] if mover >= 0 else 0
    over = rules.to_move(after)
    if over < TERMINAL:
        return FAULT
    if over == TERMINAL:
        counts[HISTORIES] += 1
        if mover >= 0:
            room.sequence[mover] = first + k
        for player in range(players):
            room.past[player] = room.paid[player]
            if rules.pays:
                room.paid[player] += room.now[FACTOR] * rewards[player]
        status = _note_end(
            rules, found, counts, room, after, room.sequence, weight, room.now[FACTOR] * discount
        )
        for player in range(players):
            room.paid[player] = room.past[player]
        if mover >= 0:
            room.sequence[mover] = own
        return status
    top = counts[TOP]
    if top == stack.weight.shape[0]:
        return STACK
    copy_bytes(pointer_to(stack.form) + top * rules.form, after, rules.form)
    pack(sight, after)
    for player in range(players):
        h, g, status = lengthen(
            sight, mover, room.moves[k], after, player, room.hashes[player, 0], room.hashes[player, 1]
        )
        if status != 0:
            return FAULT
        stack.hashes[top, player, 0], stack.hashes[top, player, 1] = h, g
        stack.sequence[top, player] = first + k if player == mover else room.sequence[player]
        stack.paid[top, player] = room.paid[player]
        if rules.pays:
            stack.paid[top, player] += room.now[FACTOR] * rewards[player]
    stack.weight[top], stack.factor[top] = weight, room.now[FACTOR] * discount
    stack.depth[top], stack.step[top, 0], stack.step[top, 1] = room.at[DEPTH] + 1, k, outcome
    counts[TOP] += 1
    return DONE


@step
def _note_end(
    rules: Any, found: Any, counts: Any, room: Any, form: Any, sequence: Any, weight: Any, factor: Any
) -> Any:
    """Notes what a finished play pays in all."""
    end = counts[END]
    if end == found.weights.shape[0]:
        return ENDS
    if rules.utility(form, pointer_to(room.utility)) != 0:
        return FAULT
    for player in range(sequence.shape[0]):
        found.ends[end, player] = sequence[player]
        found.payoff[end, player] = room.paid[player] + factor * room.utility[player]
    found.weights[end] = weight
    counts[END] += 1
    return DONE
