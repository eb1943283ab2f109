"""Backward induction without edges: successors are generated again when they are needed.

For games without repeats whose edges do not fit memory. Positions are taken level by level from the last
one; the partitions expand theirs, ask the owners of the successors for values, and combine the answers.
Beside its key a position takes its value and its place in the table. Where floats round, that is two values
for each column: the least and the greatest that it may be.

In a graded game the layers of the exploration are the levels. Otherwise levels are found by counting, for
every position, the edges that lead to it, and taking those off from the starts on (Kahn 1962).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gdl.game import Game
from gdl.movers import TERMINAL
from solvers.core.combine import opposed
from solvers.core.result import Value
from solvers.machine.kernels import kernel, woven
from solvers.machine.types import i64
from solvers.registry import repeats
from solvers.whole.kernels.backward_induction import cut, rounding, settle
from solvers.whole.kernels.breadth_first import Reached
from solvers.whole.kernels.partition import Partition
from solvers.whole.kernels.space import BATCH, Space

Report = Callable[[str, float], None]
Combine = Callable[[int, Any, Any], None]
Levels = list[list[Any]]
"""Per level and partition the numbers of its positions: a range, or an array."""


@dataclass
class SpaceValues:
    """The values of a space whose edges were not kept (solvers.core.lookup.Values)."""

    game: Game[Any, Any]
    space: Space
    numbers: list[Any]  # per partition one row per position: values, or least and then greatest ones

    def __len__(self) -> int:
        return self.space.count

    def value(self, position: Any) -> tuple[Value, ...] | None:
        found = self.space.find(position)
        if found is None:
            return None
        row = self.numbers[found[0]][found[1]].tolist()
        both = zip(row[: self.space.values], row[-self.space.values :], strict=True)
        values = tuple(Value.bounded(low, high) for low, high in both)
        return values if len(values) > 1 else opposed(self.game, values[0])

    def distance(self, position: Any) -> int | None:
        return None

    def positions(self) -> Iterator[Any]:
        return self.space.positions()


def induce_regenerating(
    reached: Reached, report: Report | None = None, combine: Combine | None = None
) -> SpaceValues:
    """The value of every position of a game without repeats; refuses if there are any.

    `combine(p, numbers, values)` makes the values of the batch of a partition from the answers to its mail.
    """
    space = reached.space
    levels = layers_as_levels(reached) if reached.graded else kahn_levels(reached, report)
    columns = space.values * (2 if space.game.traits.rounds else 1)
    values = [np.empty((part.count, columns)) for part in space.parts]
    done = 0
    for level in reversed(levels):
        positions = sum(len(numbers) for numbers in level)
        for batch_keys in batches(space, level):

            def expand(p: int, batch_keys: list[Any] = batch_keys) -> None:
                numbers, _ = batch_keys[p]
                space.expand(p, 0, len(numbers), keys_of(space.parts[p], numbers))
                space.batches[p].make_answers(columns)

            def answer(p: int) -> None:
                for batch in space.batches:
                    count = int(batch.mailed[p])
                    if count:
                        space.parts[p].find(batch.mail[p], count, batch.found[p])
                        _gather(batch.found[p], count, values[p], batch.answers[p])

            def collect(p: int, batch_keys: list[Any] = batch_keys) -> None:
                numbers, advance = batch_keys[p]
                n = space.batches[p].positions
                here = _as_array(numbers[:n])
                if combine is None:
                    _combine_batch(space, p, here, values[p])
                else:
                    combine(p, here, values[p])
                advance(n)

            space.each(expand, positions=positions)
            space.each(answer, positions=positions)
            space.each(collect, positions=positions)
        done += positions
        if report is not None:
            report("valuing", done / max(1, space.count))
    if columns > space.values:
        for rows in values:
            cut(rows[:, : space.values], rows[:, space.values :], space.game.traits)
    return SpaceValues(space.game, space, values)


def keys_of(part: Partition, numbers: Any) -> Any:
    """The keys of some positions, one after another."""
    if isinstance(numbers, range):
        return part.keys[numbers.start : numbers.stop]
    return part.keys[numbers]


def _as_array(numbers: Any) -> Any:
    if isinstance(numbers, range):
        return np.arange(numbers.start, numbers.stop)  # asarray would go through the range one by one
    return np.asarray(numbers, np.int64)


def batches(space: Space, level: list[Any]) -> Iterator[list[Any]]:
    """The positions of a level in batches: per partition the numbers to take now, and what to call when
    done.
    """
    at = [0] * space.size

    def advance(p: int) -> Callable[[int], None]:
        def by(count: int) -> None:
            at[p] += count

        return by

    while any(at[p] < len(numbers) for p, numbers in enumerate(level)):
        yield [(numbers[at[p] : at[p] + BATCH], advance(p)) for p, numbers in enumerate(level)]


def layers_as_levels(reached: Reached) -> Levels:
    return [
        [range(lo, hi) for lo, hi in zip(before, after, strict=True)]
        for before, after in zip(reached.layers, reached.layers[1:], strict=False)
    ]


def kahn_levels(reached: Reached, report: Report | None = None) -> Levels:
    """Levels such that every edge leads from one to a later one; refuses where positions come back."""
    space = reached.space
    waiting = [np.zeros(part.count, np.uint32) for part in space.parts]
    _pass_over(space, [range(part.count) for part in space.parts], waiting, None)
    level: list[Any] = [np.flatnonzero(w == 0).astype(np.uint32) for w in waiting]
    levels: Levels = []
    done = 0
    while any(len(numbers) for numbers in level):
        levels.append(level)
        done += sum(len(numbers) for numbers in level)
        ready: list[list[Any]] = [[] for _ in space.parts]
        _pass_over(space, level, waiting, ready)
        level = [np.concatenate(found) if found else np.empty(0, np.uint32) for found in ready]
        if report is not None:
            report("ordering", done / space.count)
    if done < space.count:
        p = next(p for p, w in enumerate(waiting) if (w > 0).any())
        position = space.position(p, int(np.flatnonzero(waiting[p] > 0)[0]))
        raise repeats(space.game, position, "on the way to")
    return levels


def _pass_over(space: Space, level: list[Any], waiting: list[Any], ready: list[list[Any]] | None) -> None:
    """Counts the edges from the positions of a level, or takes them off and notes who waits for none any
    more.
    """
    positions = sum(len(numbers) for numbers in level)
    for batch_keys in batches(space, level):

        def expand(p: int, batch_keys: list[Any] = batch_keys) -> None:
            numbers, advance = batch_keys[p]
            space.expand(p, 0, len(numbers), keys_of(space.parts[p], numbers))
            advance(space.batches[p].positions)

        def answer(p: int) -> None:
            for batch in space.batches:
                count = int(batch.mailed[p])
                if count:
                    space.parts[p].find(batch.mail[p], count, batch.found[p])
                    if ready is None:
                        _count(batch.found[p], count, waiting[p])
                    else:
                        free = np.empty(count, np.uint32)
                        ready[p].append(free[: _take_off(batch.found[p], count, waiting[p], free)])

        space.each(expand, positions=positions)
        space.each(answer, positions=positions)


def _combine_batch(space: Space, p: int, numbers: Any, values: Any) -> None:
    """The values of the positions that partition p has expanded, from the answers to its mail."""
    batch, laws, traits = space.batches[p], space.laws[p], space.game.traits
    asked = Asked(
        batch.mover, batch.worth, batch.choices, batch.spread, batch.law, batch.owner, batch.answers
    )
    n = batch.positions
    if not traits.rounds:
        _best_of(n, asked, numbers, values)
        return
    terms = Terms(
        laws.start,
        laws.data,
        space.simple,
        traits.players if traits.rewards else 0,
        traits.whole,
        float(traits.discount),
    )
    _combine(n, asked, terms, numbers, values)


class Asked(NamedTuple):
    """Positions of a batch that were expanded, and what the owners of their successors answered."""

    mover: Any
    worth: Any
    choices: Any
    spread: Any
    law: Any
    owner: Any
    answers: Any  # f64[partitions, .., columns]


class Terms(NamedTuple):
    """How values follow from those of the successors: odds, payments, the discount."""

    law_start: Any
    law_data: Any
    simple: bool  # each choice has one outcome, and nothing is paid
    payees: int  # players who are paid on the way; 0 where none is
    whole: bool  # utilities are whole numbers
    discount: float


@kernel
def _count(found: Any, count: int, waiting: Any) -> None:
    for k in range(count):
        waiting[found[k]] += np.uint32(1)


@kernel
def _take_off(found: Any, count: int, waiting: Any, free: Any) -> int:
    n = 0
    for k in range(count):
        waiting[found[k]] -= np.uint32(1)
        if waiting[found[k]] == 0:
            free[n] = found[k]
            n += 1
    return n


@kernel
def _gather(found: Any, count: int, values: Any, answers: Any) -> None:
    for k in range(count):
        for i in range(values.shape[1]):
            answers[k, i] = values[found[k], i]


@kernel
def _best_of(n: int, asked: Any, numbers: Any, values: Any) -> None:
    """The values of a batch of positions where values are only handed on."""
    mover, worth, choices, _spread, _law, owner, answers = asked
    columns = values.shape[1]
    at = np.zeros(answers.shape[0], np.int64)
    best = np.empty(columns)
    e = 0
    for b in range(n):
        if mover[b] == TERMINAL:
            for i in range(columns):
                values[numbers[b], i] = worth[b, i]
            continue
        mine = mover[b] if columns > 1 else 0
        sign = -1.0 if columns == 1 and mover[b] == 1 else 1.0
        for k in range(choices[b]):
            p = i64(owner[e])
            if k == 0 or sign * answers[p, at[p], mine] > sign * best[mine]:
                for i in range(columns):
                    best[i] = answers[p, at[p], i]
            at[p] += 1
            e += 1
        for i in range(columns):
            values[numbers[b], i] = best[i]


@kernel
def _combine(n: int, asked: Any, terms: Any, numbers: Any, values: Any) -> None:
    """The values of a batch of positions from the values of what follows them, enclosed."""
    mover, worth, choices, spread, _law, _owner, answers = asked
    columns = values.shape[1] // 2
    at = np.zeros(answers.shape[0], np.int64)
    room = 1
    for b in range(n):
        room = max(room, i64(choices[b]))
    least, most, size = np.empty((room, columns)), np.empty((room, columns)), np.empty(columns)
    c = e = 0
    for b in range(n):
        here = values[numbers[b]]
        who = mover[b]
        if who == TERMINAL:
            for i in range(columns):
                here[i], here[columns + i] = _rounded_apart(worth[b, i], terms.whole)
            continue
        for k in range(choices[b]):
            outcomes = 1 if terms.simple else i64(spread[c])
            _enclose(c, e, outcomes, asked, terms, at, least[k], most[k], size)
            e += outcomes
            c += 1
        settle(who, i64(choices[b]), least, most, here[:columns], here[columns:])


@woven
def _rounded_apart(utility: float, whole: bool) -> Any:
    """The least and the most that a utility may be; whole numbers are exact where floats hold them."""
    if utility == 0.0 or (whole and abs(utility) < 2.0**53):
        return utility, utility
    return np.nextafter(utility, -np.inf), np.nextafter(utility, np.inf)


@woven
def _enclose(
    c: int, first: int, outcomes: int, asked: Any, terms: Any, at: Any, least: Any, most: Any, size: Any
) -> None:
    """What a choice is worth at least and at most, per column, by the answers to its outcomes from `first`
    on; `at` says how many answers of each partition have been read."""
    _mover, _worth, _choices, _spread, law, owner, answers = asked
    law_start, law_data, simple, payees, _whole, discount = terms
    columns = len(size)
    width = 2 + 2 * payees
    row = 0 if simple else law_start[law[c]]
    least[:] = most[:] = size[:] = 0.0
    sure = outcomes == 1 and discount == 1.0
    for e in range(first, first + outcomes):
        p = owner[e]
        odds = 1.0 if simple else law_data[row] / law_data[row + 1]
        for i in range(columns):
            paid = law_data[row + 2 + 2 * i] / law_data[row + 3 + 2 * i] if payees else 0.0
            sure = sure and paid == 0.0
            low, high = answers[p, at[p], i], answers[p, at[p], columns + i]
            least[i] += odds * (paid + discount * low)
            most[i] += odds * (paid + discount * high)
            size[i] += odds * (abs(paid) + max(abs(low), abs(high)))
        at[p] += 1
        row += width
    if not sure:
        for i in range(columns):
            error = rounding(outcomes) * size[i]
            least[i] -= error
            most[i] += error
