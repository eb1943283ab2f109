"""Choosing a legal move at random, uniformly, without listing all where that can be helped.

Families of at most one chosen parameter become a mask of legal values: a random set bit is a random move. The
others are listed. Guards that cost much are put off: a move is drawn among those that pass the cheap
ones, and only it is tested; if it fails it is struck out and another drawn. The first that passes is uniform
over the legal moves, and the guard of a move that is not drawn is never computed, so a fault in it shows
when moves are listed, not in a playout.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from gdl.model.nodes import Expr, Move
from gdl.native.emit.deciding import random_below
from gdl.native.emit.moves import (
    Numbering,
    chosen_parameters,
    each_legal,
    last_tests,
    number_of,
    set_parameters,
    shortened,
)
from gdl.native.emit.scope import Scope
from gdl.native.emit.sets import nth_bit, singleton
from gdl.native.ir.builder import TRUE, Value, const, i32, i64
from gdl.native.layout.layout import index_size
from gdl.native.layout.memory import ordinal
from gdl.native.layout.values import set_ir

_EXPENSIVE = 150
"""Guards that cost more than this are tested only for the move that was chosen."""

_BUFFER = 32768
"""At most so many moves are kept on the stack while choosing one; beyond, the choice is found again."""

_LARGEST_MASK = 512


def put_off(scope: Scope, move: Move) -> int:
    """How many tests to make last: the expensive end of those made when all parameters are known."""
    tests = last_tests(scope.program.masks.moves(move))
    for k, test in enumerate(tests):
        if scope.program.facts.cost(test) > _EXPENSIVE:
            return len(tests) - k
    return 0


Chosen = Callable[[int], None]


def choose_uniformly(scope: Scope, numbering: Numbering, random: Value, chosen: Chosen, none: str) -> None:
    """Runs `chosen` with the family of a uniformly random legal move, its slots set; where no move is
    legal goes to the label `none`.
    """
    b = scope.b
    moves = scope.program.model.moves
    ordinary = [k for k, move in enumerate(moves) if not move.otherwise]
    last = [k for k, move in enumerate(moves) if move.otherwise]
    if not last:
        _Stage(scope, numbering, ordinary, random).run(chosen, none)
        return
    fallback = b.label("otherwise")
    _Stage(scope, numbering, ordinary, random).run(chosen, fallback)
    b.start(fallback)
    _Stage(scope, numbering, last, random).run(chosen, none)


class _Stage:
    """The choice among some families; with `exhaustive` no guard is put off."""

    def __init__(
        self,
        scope: Scope,
        numbering: Numbering,
        families: list[int],
        random: Value,
        exhaustive: bool = False,
    ):
        self.scope = scope
        self.numbering = numbering
        self.families = families
        self.random = random
        moves = scope.program.model.moves
        self.put_off = {k: 0 if exhaustive else put_off(scope, moves[k]) for k in families}
        self.deferred = {
            k: last_tests(scope.program.masks.moves(moves[k]))[-count:] if count else ()
            for k, count in self.put_off.items()
        }
        self.masked = [k for k in families if _fits_mask(moves[k])]
        self.listed = [k for k in families if k not in self.masked]
        listable = sum(numbering.sizes[k] for k in self.listed)
        self.capacity = max(1, min(_BUFFER, listable))
        self.may_overflow = listable > _BUFFER
        self.entry = "i32" if numbering.total < 1 << 31 else "i64"

    def run(self, chosen: Chosen, none: str) -> None:
        scope, b = self.scope, self.scope.b
        with scope.remembering():
            masks = {k: self._legal_mask(k) for k in self.masked}
            count, buffer = self._list()
        retry = any(self.deferred.values())
        if retry and self.may_overflow:
            self._leave_if_too_many(count, chosen, none)
        cells = {}
        if retry:
            for k, mask in masks.items():
                cells[k] = b.alloca(mask.type)
                b.store(mask, cells[k])
            again = b.label("draw")
            b.start(again)
            masks = {k: b.load(mask.type, cells[k]) for k, mask in masks.items()}
        sizes = {k: b.popcount(mask) for k, mask in masks.items()}
        total = b.load("i32", count) if count else i32(0)
        listed = total
        for size in sizes.values():
            total = b.add(total, size)
        some = b.label("some")
        b.branch(b.compare("eq", total, i32(0)), none, some)
        b.start(some)
        point = random_below(scope, self.random, total)
        for k in self.masked:
            here, further = b.label("here"), b.label("further")
            b.branch(b.compare("ult", point, sizes[k]), here, further)
            b.start(here)
            bit = nth_bit(scope, masks[k], point)
            self._set_masked(k, bit)
            if self.deferred[k]:
                fail = b.label("refused")
                self._test(self.deferred[k], fail)
                chosen(k)
                b.start(fail)
                b.store(b.xor(masks[k], singleton(scope, bit, masks[k].type)), cells[k])
                b.br(again)
            else:
                chosen(k)
            b.start(further)
            point = b.sub(point, sizes[k])
        if not self.listed:
            b.unreachable()
            return
        assert buffer is not None and count is not None
        self._take_listed(point, listed, buffer, count, chosen, again if retry else None)

    def _leave_if_too_many(self, count: Value | None, chosen: Chosen, none: str) -> None:
        """A list longer than the buffer cannot be struck from: then every guard is tested at once."""
        b = self.scope.b
        assert count is not None
        many, fine = b.label("many"), b.label("fine")
        b.branch(b.compare("ugt", b.load("i32", count), i32(self.capacity)), many, fine)
        b.start(many)
        _Stage(self.scope, self.numbering, self.families, self.random, exhaustive=True).run(chosen, none)
        b.start(fine)

    # ------------------------------------------------------------------- masks

    def _legal_mask(self, index: int) -> Value:
        """The legal values of the only chosen parameter; bit 0 for a family without one."""
        scope, b = self.scope, self.scope.b
        masks = scope.program.masks
        move = scope.program.model.moves[index]
        parameters = chosen_parameters(move)
        nest = shortened(masks.moves(move), self.put_off[index])
        ir = set_ir(index_size(parameters[0].type)) if parameters else "i32"
        memory = b.alloca(ir)
        b.store(const(ir, 0), memory)

        def whole() -> None:
            b.store(masks.mask(scope, nest.levels[0]), memory)

        def insert() -> None:
            bit = i32(0)
            if parameters:
                bit = ordinal(scope, parameters[0].type, scope.local(parameters[0].slot))
            b.store(b.or_(b.load(ir, memory), singleton(scope, bit, ir)), memory)

        if len(nest.levels) == 1 and not nest.levels[0].tests and masks.is_available(scope, nest.levels[0]):
            if not nest.tests:
                return masks.mask(scope, nest.levels[0])
            masks.run(scope, nest, whole, 0)
        else:
            masks.run(scope, nest, insert)
        return b.load(ir, memory)

    def _set_masked(self, index: int, bit: Value) -> None:
        scope = self.scope
        move = scope.program.model.moves[index]
        if move.parameters:
            set_parameters(scope, move, scope.b.zext(bit, "i64"))

    def _test(self, guards: Sequence[Expr], fail: str) -> None:
        b = self.scope.b
        for guard in guards:
            fine = b.label("fine")
            b.branch(self.scope.scalar(guard), fine, fail)
            b.start(fine)

    # -------------------------------------------------------------------- lists

    def _list(self) -> tuple[Value | None, Value | None]:
        """Lists the legal moves of the families without a mask; their count may exceed the buffer."""
        if not self.listed:
            return None, None
        scope, b = self.scope, self.scope.b
        count, buffer = b.alloca("i32"), b.alloca(self.entry, self.capacity)
        b.store(i32(0), count)

        def found(index: int) -> None:
            at = b.load("i32", count)
            keep, full = b.label("keep"), b.label("full")
            room = b.compare("ult", at, i32(self.capacity)) if self.may_overflow else TRUE
            b.branch(room, keep, full)
            b.start(keep)
            number = b.resize(number_of(scope, self.numbering, index), self.entry)
            b.store(number, self._place(buffer, at))
            b.start(full)
            b.store(b.add(at, i32(1)), count)

        for k in self.listed:
            each_legal(scope, scope.program.model.moves[k], partial(found, k), self.put_off[k])
        return count, buffer

    def _place(self, buffer: Value, at: Value) -> Value:
        return self.scope.b.offset(buffer, self.scope.b.zext(at, "i64"), int(self.entry[1:]) // 8)

    def _kept(self, place: Value) -> Value:
        return self.scope.b.zext(self.scope.b.load(self.entry, place), "i64")

    def _take_listed(
        self, point: Value, listed: Value, buffer: Value, count: Value, chosen: Chosen, again: str | None
    ) -> None:
        scope, b = self.scope, self.scope.b
        place = self._place(buffer, point)
        chosen_number = self._find_again(point, place) if self.may_overflow else self._kept(place)
        bases = self.numbering.bases
        for k in reversed(self.listed):
            here, further = b.label("here"), b.label("further")
            first = k == self.listed[0]
            inside = TRUE if first else b.compare("uge", chosen_number, i64(bases[k]))
            b.branch(inside, here, further)
            b.start(here)
            set_parameters(scope, scope.program.model.moves[k], b.sub(chosen_number, i64(bases[k])))
            if self.deferred[k]:
                assert again is not None
                fail = b.label("refused")
                self._test(self.deferred[k], fail)
                chosen(k)
                b.start(fail)
                shorter = b.sub(listed, i32(1))
                b.store(b.load(self.entry, self._place(buffer, shorter)), place)
                b.store(shorter, count)
                b.br(again)
            else:
                chosen(k)
            if first:
                return
            b.start(further)

    def _find_again(self, point: Value, place: Value) -> Value:
        """The chosen move of a list that may be longer than the buffer."""
        scope, b = self.scope, self.scope.b
        number = b.alloca("i64")
        kept, lost, have = b.label("kept"), b.label("lost"), b.label("have")
        b.branch(b.compare("ult", point, i32(self.capacity)), kept, lost)
        b.start(kept)
        b.store(self._kept(place), number)
        b.br(have)
        b.start(lost)
        left = b.alloca("i32")
        b.store(point, left)

        def found(index: int) -> None:
            rest = b.load("i32", left)
            b.store(b.sub(rest, i32(1)), left)
            hit, miss = b.label("hit"), b.label("miss")
            b.branch(b.compare("eq", rest, i32(0)), hit, miss)
            b.start(hit)
            b.store(number_of(scope, self.numbering, index), number)
            b.br(have)
            b.start(miss)

        for k in self.listed:
            each_legal(scope, scope.program.model.moves[k], partial(found, k), self.put_off[k])
        b.unreachable()
        b.start(have)
        return b.load("i64", number)


def _fits_mask(move: Move) -> bool:
    """Whether the legal moves of a family are a set of at most one small parameter's values."""
    parameters = chosen_parameters(move)
    if not parameters:
        return True
    if len(parameters) > 1:
        return False
    return index_size(parameters[0].type) <= _LARGEST_MASK
