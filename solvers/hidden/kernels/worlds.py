"""Worlds that fit what was seen, on machine code: the fast twin of `solvers/hidden/worlds.py`, with other
random numbers.

What was seen is handed over as machine code knows it (`Compiled.seen`, `Compiled.number`), so that comparing
it with what a position shows is comparing words. Positions are working forms all the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from gdl.abi import CAPACITY, c_function
from gdl.game import Game
from gdl.movers import CHANCE
from solvers.core.chance import too_many_ways
from solvers.hidden.consistency import Inconsistent
from solvers.hidden.kernels.observing import Sight, pack, see, shown, sight
from solvers.machine.fault import KernelFault
from solvers.machine.kernels import kernel, step
from solvers.machine.pointers import as_floats, copy_bytes, pointer_to, struct
from solvers.machine.rules import Machine, hash_form, may_draw, random_below, random_fraction, same_form
from solvers.machine.scratch import enlarged, mixed, scratch
from solvers.machine.types import i64

MOST = 20_000
"""While no more worlds than this are possible, all are kept."""

PARTICLES = 1_000
"""How many plays a sample follows."""

RESCUES = 20
"""How often a sample of which nothing fits any more is varied before it is given up."""

VARIED = 10
"""Metropolis-Hastings steps of each play when a sample is rejuvenated, at most."""

# What a kernel may give instead of a number: no room for moves, for outcomes, for ways, for worlds; a fault.
MOVES, OUTCOMES, WAYS, FULL, FAULT = range(-1, -6, -1)

# What is said of a world: somebody else is to move, the player is, the player is and other moves are legal.
NOT_TO_MOVE, FITS, OTHERS_LEGAL = range(3)


class Steps(NamedTuple):
    """What was seen to happen, by the player who asks."""

    mover: Any  # i64[steps]
    shown: Any  # i64[steps]: the number of the move as it was seen
    words: Any  # u64[steps, words]: what was observed then


class Ways(NamedTuple):
    """How a world may go on: a line for each way."""

    move: Any  # i64
    number: Any  # i64: which of the outcomes
    of: Any  # i64: how many there are
    odds: Any  # f64
    form: Any  # u8[.., form]


class Plays(NamedTuple):
    """A sample of plays: what happened at each step, in column 0 how they began."""

    move: Any  # i64[plays, columns]
    number: Any  # i64[plays, columns]
    of: Any  # i64[plays, columns]
    odds: Any  # f64[plays, columns]
    form: Any  # u8[plays, columns, form]


class Forms(NamedTuple):
    """Worlds: their working forms, and their probabilities; `exact`: all of them."""

    forms: Any  # u8[worlds, form]
    odds: Any  # f64[worlds]
    exact: bool


def forms_of(game: Game[Any, Any], positions: Any, odds: Any, exact: bool) -> Forms:
    """Positions with their probabilities, as kernels have them."""
    machine = Machine(game)
    forms = np.array([machine.form(position) for position in positions], np.uint8)
    return Forms(forms, np.array([float(part) for part in odds]), exact)


LISTED = 2_000
"""Of more worlds than this, so many are drawn for Python to look at."""


def positions_of(game: Game[Any, Any], found: Forms, seed: int) -> tuple[Any, Any, bool]:
    """Worlds as positions with their probabilities, and whether these are all."""
    forms, odds, exact = found
    if len(forms) > LISTED:
        drawn = np.random.default_rng(seed).choice(len(forms), LISTED, p=odds)
        numbers, counts = np.unique(drawn, return_counts=True)
        forms, odds, exact = np.ascontiguousarray(forms[numbers]), counts / LISTED, False
    return tuple(_positions(game, forms)), tuple(odds.tolist()), exact


def _positions(game: Game[Any, Any], forms: Any) -> Iterator[Any]:
    code: Any = game.compiled  # type: ignore[attr-defined]
    pack_form = c_function("pack", code.address("pack"))
    key = np.zeros(code.key_words, np.uint64)
    for form in forms:
        pack_form(form.ctypes.data, key.ctypes.data)
        yield code.position(key.tobytes())


class CompiledBelief:
    """What players think possible; asked again in the same play, it goes on from where it was."""

    def __init__(self, game: Game[Any, Any], *, most: int = MOST, particles: int = PARTICLES):
        self.game = game
        self.machine = Machine(game)
        self.sight = sight(game)
        self.most = most
        self.particles = particles
        self._last: dict[int, tuple[tuple[Any, ...], _Every | _Sample]] = {}

    def worlds(self, player: int, seen: tuple[Any, ...], moves: tuple[Any, ...], seed: int) -> Forms:
        """The worlds that fit what was seen in which the player has these moves."""
        before, found = self._last.get(player, ((), None))
        if found is None or seen[: len(before)] != before:
            found = _Every(self, player, seen[0])
            before = seen[:1]
        found.bench.random[0] = mixed(seed)
        steps = _steps(self.game, seen)
        done = len(before) // 2
        while isinstance(found, _Every) and found.count <= self.most and done < len(steps.mover):
            found.follow(steps, done)
            done += 1
        if isinstance(found, _Every) and found.count > self.most:
            found, done = _Sample(found.bench, self.particles), 0
        for k in range(done, len(steps.mover)):
            found.follow(steps, k)
        self._last[player] = seen, found
        return found.bench.those_to_move(*found.forms(), moves, isinstance(found, _Every))


def _steps(game: Game[Any, Any], seen: tuple[Any, ...]) -> Steps:
    code: Any = game.compiled  # type: ignore[attr-defined]
    moved = seen[1::2]
    words = b"".join(code.seen(observation) for observation in seen[::2])
    return Steps(
        np.array([mover for mover, _ in moved], np.int64),
        np.array([code.number(move) for _, move in moved], np.int64),
        np.frombuffer(words, np.uint64).reshape(len(moved) + 1, -1)[1:].copy(),
    )


class Eyes(NamedTuple):
    """The game as one player follows it, with room for one step."""

    rules: Any
    numbers: Any
    sight: Any
    player: int
    ways: Any
    room: Any


class _Bench:
    """What kernels need to follow one player's plays, with rooms that grow."""

    def __init__(self, belief: CompiledBelief, player: int, first: Any):
        machine = self.machine = belief.machine
        self.game = belief.game
        self.sight: Sight = belief.sight
        self.player = player
        self.room = scratch(machine.sizes, 0)
        self.random = self.room.random
        self.space = struct(self.room)
        self.ways = self._ways(256)
        if too_many_ways(belief.game, None, None):  # the textbook draws those that fit
            raise KernelFault
        starts = belief.game.initial()
        fitting = [start for start in starts if belief.game.observation(start.position, player) == first]
        self.start_forms = np.array([machine.form(start.position) for start in fitting], np.uint8)
        self.start_forms = self.start_forms.reshape(len(fitting), machine.rules.form)
        self.start_odds = np.array([float(start.probability) for start in fitting])

    def _ways(self, count: int) -> Ways:
        form = self.machine.rules.form
        move, number, of = (np.zeros(count, np.int64) for _ in range(3))
        return Ways(move, number, of, np.zeros(count), np.zeros((count, form), np.uint8))

    def run(self, function: Any, *more: Any) -> int:
        """What a kernel gives, called again with more room where it asks for it."""
        while True:
            eyes = Eyes(
                self.machine.rules_struct, self.machine.numbers_struct, self.sight, self.player, self.ways,
                self.space,
            )  # fmt: skip
            code: int = function(eyes, *more)
            if code == FAULT:
                raise KernelFault
            if code == WAYS:
                self.ways = self._ways(4 * len(self.ways.move))
            elif code in (MOVES, OUTCOMES):
                wider = {"moves": 4 * self.room.moves_room} if code == MOVES else {}
                wider = wider or {"outcomes": 4 * self.room.outcomes_room}
                self.room = enlarged(self.room, self.machine.sizes, **wider)
                self.space = struct(self.room)
            else:
                return code

    def those_to_move(self, forms: Any, odds: Any, moves: tuple[Any, ...], exact: bool) -> Forms:
        """The worlds in which the player is to choose among these moves."""
        code: Any = self.game.compiled  # type: ignore[attr-defined]
        legal = np.array([code.number(move) for move in moves], np.int64)
        fits = np.zeros(len(forms), np.uint8)
        self.run(fitting, forms, legal, fits)
        other = np.flatnonzero((fits == OTHERS_LEGAL) & (odds > 0))
        if len(other):
            (position,) = _positions(self.game, np.ascontiguousarray(forms[other[:1]]))
            there = tuple(self.game.moves(position))
            raise Inconsistent.worlds(self.game, self.player, moves, position, there)
        kept = (fits == FITS) & (odds > 0)
        forms, odds = np.ascontiguousarray(forms[kept]), odds[kept]
        return Forms(forms, odds / odds.sum() if len(odds) else odds, exact)


class _Every:
    """All worlds, with their weights."""

    def __init__(self, belief: CompiledBelief, player: int, first: Any):
        self.bench = _Bench(belief, player, first)
        self.most = belief.most
        self._forms = self.bench.start_forms
        self._odds = self.bench.start_odds
        self.count = len(self._odds)

    def follow(self, steps: Steps, k: int) -> None:
        room = 256
        while True:
            forms = np.zeros((room, self.bench.machine.rules.form), np.uint8)
            odds = np.zeros(room)
            table = np.full(2 * room, -1, np.int32)
            count = self.bench.run(
                follow_all, steps.mover[k], steps.shown[k], steps.words[k], self._forms, self._odds,
                forms, odds, table,
            )  # fmt: skip
            if count != FULL:
                break
            room *= 4
            if room > 8 * self.most + 1024:
                self.count = self.most + 1
                return
        total = odds[:count].sum()
        self._forms, self._odds, self.count = forms[:count], odds[:count] / (total or 1.0), count

    def forms(self) -> tuple[Any, Any]:
        return self._forms, self._odds


class _Sample:
    """Plays that fit; the worlds are those of the last column."""

    def __init__(self, bench: _Bench, count: int):
        self.bench = bench
        self.count = count if len(bench.start_odds) else 0
        self.weights = np.ones(self.count)
        self.length = 1
        self.open: list[int] = [0] if len(bench.start_odds) > 1 else []
        self.plays = self._plays(64)
        bench.run(begin, bench.start_forms, bench.start_odds, self.plays)

    def _plays(self, columns: int) -> Plays:
        return _empty_plays(self.count, columns, self.bench.machine.rules.form)

    def follow(self, steps: Steps, k: int) -> None:
        if self.length == self.plays.move.shape[1]:
            wider = self._plays(2 * self.length)
            for new, old in zip(wider, self.plays, strict=True):
                new[:, : self.length] = old
            self.plays = wider
        several = np.zeros(1, np.int64)
        for _ in range(RESCUES):
            weights = np.zeros(self.count)
            alive = self.bench.run(extend, steps, k, self.plays, self.weights, weights, several)
            if alive:
                break
            self._vary(steps)
        else:
            self.count = 0
        if not self.count:  # nothing fits: the textbook searches for a play that does
            raise KernelFault
        self.weights = weights / weights.max()
        self.length += 1
        if several[0]:
            self.open.append(k + 1)
        if self.weights.sum() ** 2 < (self.weights**2).sum() * self.count / 2:
            chosen = np.zeros(self.count, np.int64)
            resampled(self.weights, chosen, self.bench.space)
            self.plays = Plays(*(np.ascontiguousarray(part[chosen]) for part in self.plays))
            self.weights = np.ones(self.count)
            self._vary(steps)

    def _vary(self, steps: Steps) -> None:
        if self.open:
            rows = _empty_plays(1, self.plays.move.shape[1], self.bench.machine.rules.form)
            choices = np.array(self.open, np.int64)
            starts = self.bench.start_forms, self.bench.start_odds
            self.bench.run(vary, steps, *starts, choices, self.length, self.plays, rows)

    def forms(self) -> tuple[Any, Any]:
        """The worlds, equal ones once."""
        last = np.ascontiguousarray(self.plays.form[:, self.length - 1])
        forms, inverse = np.unique(last, axis=0, return_inverse=True)
        return forms, np.bincount(inverse.reshape(-1), self.weights, len(forms))


def _empty_plays(count: int, columns: int, form: int) -> Plays:
    move, number, of = (np.zeros((count, columns), np.int64) for _ in range(3))
    return Plays(move, number, of, np.ones((count, columns)), np.zeros((count, columns, form), np.uint8))


# ---------------------------------------------------------------------------- how a world goes on


@step
def looks(sight: Any, form: Any, player: Any, words: Any) -> Any:
    """Whether a player sees just this of a position."""
    pack(sight, form)
    if see(sight, form, player) != 0:
        return False
    k = 0
    while k < words.shape[0] and sight.words[k] == words[k]:
        k += 1
    return k == words.shape[0]


@step
def ways_on(eyes: Any, form: Any, mover: Any, seen: Any, words: Any) -> Any:
    """All that may have happened in a world, by what was seen of it: how many ways, or what is missing."""
    rules, numbers, sight, player, ways, room = eyes
    if rules.to_move(form) != mover:
        return 0
    count = rules.moves(form, room.moves, room.moves_room)
    if count < 0 or count > room.moves_room:
        return FAULT if count < 0 else MOVES
    if mover == CHANCE and rules.weights(form, room.moves, count, room.weights) != 0:
        return FAULT
    found = 0
    for k in range(count):
        move = room.moves[k]
        if shown(sight, move, mover == player) != seen:
            continue
        odds = _odds(room, k, count, mover, player)
        outcomes = i64(1)
        if may_draw(numbers.drawing, numbers.drawings, move):
            outcomes = rules.outcomes(form, move, room.records, room.outcomes_room, room.table, room.script)
            if outcomes < 0:
                return OUTCOMES if -outcomes == CAPACITY else FAULT
        for number in range(outcomes):
            if found == ways.move.shape[0]:
                return WAYS
            after = pointer_to(ways.form) + found * rules.form
            p = _made(rules, room, form, move, number, outcomes, after)
            if p < 0.0:
                return FAULT
            if p * odds > 0.0 and looks(sight, after, player, words):
                ways.move[found], ways.number[found], ways.of[found] = move, number, outcomes
                ways.odds[found] = p * odds
                found += 1
    return found


@step
def _odds(room: Any, k: Any, count: Any, mover: Any, player: Any) -> Any:
    """The probability of a move: of chance by its weights, of others all alike."""
    if mover == player:
        return 1.0
    if mover == CHANCE:
        share = room.weights[2 + 2 * k] / room.weights[3 + 2 * k]
        return share / (room.weights[0] / room.weights[1])
    return 1.0 / count


@step
def _made(rules: Any, room: Any, form: Any, move: Any, number: Any, outcomes: Any, after: Any) -> Any:
    """Writes where an outcome of a move leads, of several a listed one; gives its probability, or -1."""
    if outcomes > 1:
        record = room.records + number * rules.record
        copy_bytes(after, record + rules.at_form, rules.form)
        return as_floats(record)[0]
    copy_bytes(after, form, rules.form)
    return 1.0 if rules.sample(after, move, room.random, room.rewards) == 0 else -1.0


@step
def again(
    eyes: Any, form: Any, mover: Any, seen: Any, words: Any, move: Any, number: Any, of: Any, after: Any
) -> Any:
    """The same move with the same outcome in another world: its probability, 0 where that does not fit what
    was seen, or what is missing."""
    rules, numbers, sight, player, room = eyes.rules, eyes.numbers, eyes.sight, eyes.player, eyes.room
    if rules.to_move(form) != mover or shown(sight, move, mover == player) != seen:
        return 0.0
    count = rules.moves(form, room.moves, room.moves_room)
    if count < 0 or count > room.moves_room:
        return float(FAULT if count < 0 else MOVES)
    if mover == CHANCE and rules.weights(form, room.moves, count, room.weights) != 0:
        return float(FAULT)
    k = 0
    while k < count and room.moves[k] != move:
        k += 1
    if k == count:
        return 0.0
    odds = _odds(room, k, count, mover, player)
    outcomes = i64(1)
    if may_draw(numbers.drawing, numbers.drawings, move):
        outcomes = rules.outcomes(form, move, room.records, room.outcomes_room, room.table, room.script)
        if outcomes < 0:
            return float(OUTCOMES if -outcomes == CAPACITY else FAULT)
    if outcomes != of:
        return 0.0
    p = _made(rules, room, form, move, number, outcomes, after)
    if p < 0.0:
        return float(FAULT)
    return p * odds if looks(sight, after, player, words) else 0.0


# ------------------------------------------------------------------------------------- all worlds


@kernel
def follow_all(
    eyes: Any,
    mover: Any,
    seen: Any,
    words: Any,
    forms: Any,
    odds: Any,
    out_forms: Any,
    out_odds: Any,
    table: Any,
) -> Any:
    """All worlds one step later, equal ones joined; gives how many."""
    rules, ways = eyes.rules, eyes.ways
    count = 0
    mask = np.uint64(table.shape[0] - 1)
    for k in range(table.shape[0]):
        table[k] = -1
    into = pointer_to(out_forms)
    for world in range(forms.shape[0]):
        form = pointer_to(forms) + world * rules.form
        found = ways_on(eyes, form, mover, seen, words)
        if found < 0:
            return found
        for k in range(found):
            after = pointer_to(ways.form) + k * rules.form
            slot = np.int64(hash_form(after, rules.form) & mask)
            while table[slot] >= 0 and not same_form(into + table[slot] * rules.form, after, rules.form):
                slot = np.int64(np.uint64(slot + 1) & mask)
            if table[slot] < 0:
                if count == out_odds.shape[0]:
                    return FULL
                table[slot] = count
                copy_bytes(into + count * rules.form, after, rules.form)
                out_odds[count] = 0.0
                count += 1
            out_odds[table[slot]] += odds[world] * ways.odds[k]
    return count


@kernel
def fitting(eyes: Any, forms: Any, legal: Any, fits: Any) -> Any:
    """Marks the worlds in which the player is to move, by whether just these moves are legal."""
    rules, player, room = eyes.rules, eyes.player, eyes.room
    for world in range(forms.shape[0]):
        form = pointer_to(forms) + world * rules.form
        if rules.to_move(form) != player:
            continue
        count = rules.moves(form, room.moves, room.moves_room)
        if count < 0 or count > room.moves_room:
            return FAULT if count < 0 else MOVES
        k = 0
        while k < count and count == legal.shape[0] and room.moves[k] == legal[k]:
            k += 1
        fits[world] = FITS if k == count else OTHERS_LEGAL
    return 0


# -------------------------------------------------------------------------------- a sample of plays


@step
def _drawn(odds: Any, count: Any, random: Any) -> Any:
    """A number drawn by odds that need not sum to 1."""
    total = 0.0
    for k in range(count):
        total += odds[k]
    point = random_fraction(random) * total
    for k in range(count):
        point -= odds[k]
        if point < 0.0:
            return k
    return count - 1


@kernel
def begin(eyes: Any, forms: Any, odds: Any, plays: Any) -> Any:
    """How each play began, drawn."""
    rules, room = eyes.rules, eyes.room
    for play in range(plays.move.shape[0]):
        start = _drawn(odds, odds.shape[0], room.random)
        form = pointer_to(forms) + start * rules.form
        _put(rules, plays, play, i64(0), i64(-1), start, odds.shape[0], odds[start], form)
    return 0


@step
def _at(rules: Any, plays: Any, play: Any, column: Any) -> Any:
    """Where the position of a play stands."""
    return pointer_to(plays.form) + (play * plays.form.shape[1] + column) * rules.form


@step
def _put(
    rules: Any, plays: Any, play: Any, column: Any, move: Any, number: Any, of: Any, odds: Any, form: Any
) -> None:
    plays.move[play, column], plays.number[play, column], plays.of[play, column] = move, number, of
    plays.odds[play, column] = odds
    copy_bytes(_at(rules, plays, play, column), form, rules.form)


@kernel
def extend(eyes: Any, steps: Any, k: Any, plays: Any, before: Any, weights: Any, several: Any) -> Any:
    """Goes on with every play by one step, and weighs it; gives how many could go on."""
    rules, ways, room = eyes.rules, eyes.ways, eyes.room
    alive = 0
    words = steps.words[k]
    for play in range(plays.move.shape[0]):
        weights[play] = 0.0
        if before[play] <= 0.0:
            continue
        form = _at(rules, plays, play, k)
        found = ways_on(eyes, form, steps.mover[k], steps.shown[k], words)
        if found < 0:
            return found
        if found == 0:
            continue
        total = 0.0
        for way in range(found):
            total += ways.odds[way]
        way = _drawn(ways.odds, found, room.random)
        after = pointer_to(ways.form) + way * rules.form
        _put(rules, plays, play, k + 1, ways.move[way], ways.number[way], ways.of[way], ways.odds[way], after)
        weights[play] = before[play] * total
        alive += 1
        if found > 1:
            several[0] = 1
    return alive


@kernel
def resampled(weights: Any, chosen: Any, room: Any) -> None:
    """Systematic resampling: each number about as often as its weight says."""
    count = chosen.shape[0]
    total = 0.0
    for k in range(count):
        total += weights[k]
    each = total / count
    point = random_fraction(room.random) * each
    number, left = 0, weights[0]
    for k in range(count):
        while point >= left and number < count - 1:
            point -= left
            number += 1
            left = weights[number]
        chosen[k] = number
        point += each


@kernel
def vary(
    eyes: Any, steps: Any, starts: Any, start_odds: Any, choices: Any, length: Any, plays: Any, rows: Any
) -> Any:
    """Changes every play by Metropolis-Hastings steps: one hidden choice is drawn anew, or two are exchanged;
    the rest stays, and all of it still looks as what was seen."""
    room = eyes.room
    for play in range(plays.move.shape[0]):
        for _ in range(min(VARIED, choices.shape[0])):
            first = choices[random_below(room.random, choices.shape[0])]
            second = first
            if random_below(room.random, i64(2)) == 0:
                second = choices[random_below(room.random, choices.shape[0])]
            if first > second:
                first, second = second, first
            status = _varied(
                eyes, steps, starts, start_odds, length, plays, rows,
                play, first, second,
            )  # fmt: skip
            if status < 0:
                return status
    return 0


@step
def _varied(
    eyes: Any,
    steps: Any,
    starts: Any,
    start_odds: Any,
    length: Any,
    plays: Any,
    rows: Any,
    play: Any,
    first: Any,
    second: Any,
) -> Any:
    rules, room = eyes.rules, eyes.room
    exchange = first != second
    at = first  # the first column that is played again as it was, or as the other one was
    if exchange:
        same = (
            plays.move[play, first] == plays.move[play, second]
            and plays.number[play, first] == plays.number[play, second]
        )
        if first == 0 or same:
            return 0
    else:
        status = _draw_anew(eyes, steps, starts, start_odds, plays, rows, play, first)
        if status <= 0:
            return status
        at = first + 1
    ratio = 1.0
    joined = length
    for column in range(at, length):
        before = _at(rules, rows, i64(0), column - 1)
        if column == at and exchange:
            before = _at(rules, plays, play, column - 1)
        elif column > second and same_form(before, _at(rules, plays, play, column - 1), rules.form):
            joined = column
            break
        source = column
        if exchange and column in (first, second):
            source = second if column == first else first
        k = column - 1
        move, number, of = plays.move[play, source], plays.number[play, source], plays.of[play, source]
        odds = again(
            eyes, before, steps.mover[k], steps.shown[k], steps.words[k],
            move, number, of, _at(rules, rows, i64(0), column),
        )  # fmt: skip
        if odds <= 0.0:
            return np.int64(odds)
        rows.move[0, column], rows.number[0, column], rows.of[0, column] = move, number, of
        rows.odds[0, column] = odds
        ratio *= odds / plays.odds[play, column]
    if random_fraction(room.random) < ratio:
        for column in range(first, joined):
            _put(
                rules, plays, play, column, rows.move[0, column], rows.number[0, column], rows.of[0, column],
                rows.odds[0, column], _at(rules, rows, i64(0), column),
            )  # fmt: skip
    return 0


@step
def _draw_anew(
    eyes: Any, steps: Any, starts: Any, start_odds: Any, plays: Any, rows: Any, play: Any, at: Any
) -> Any:
    """Draws something else for one column; 1 if it is something else, 0 if not, or what is missing."""
    rules, ways, room = eyes.rules, eyes.ways, eyes.room
    if at == 0:
        start = _drawn(start_odds, start_odds.shape[0], room.random)
        form = pointer_to(starts) + start * rules.form
        _put(rules, rows, i64(0), i64(0), i64(-1), start, start_odds.shape[0], start_odds[start], form)
    else:
        k = at - 1
        found = ways_on(
            eyes, _at(rules, plays, play, k), steps.mover[k],
            steps.shown[k], steps.words[k],
        )  # fmt: skip
        if found <= 0:
            return found
        way = _drawn(ways.odds, found, room.random)
        form = pointer_to(ways.form) + way * rules.form
        _put(rules, rows, i64(0), at, ways.move[way], ways.number[way], ways.of[way], ways.odds[way], form)
    return 0 if same_form(_at(rules, rows, i64(0), at), _at(rules, plays, play, at), rules.form) else 1
