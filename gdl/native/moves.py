"""Legal moves: listing them, and choosing one at random without listing where that can be helped.

A move is numbered: the families (declared moves) one after another, within a family the parameters that
range over a domain as digits of a mixed-radix number, the last one fastest. Computed parameters follow from
the others.

    number = base[family] + (.. (ordinal of first) * size of second + ordinal of second ..)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from gdl.model.nodes import Expr, Model, Move, MoveParameter
from gdl.native.chance import random_below
from gdl.native.conversion import convert
from gdl.native.ir import TRUE, Value, const, i32, i64
from gdl.native.layout import index_size
from gdl.native.memory import from_ordinal, ordinal
from gdl.native.nests import Nest
from gdl.native.scope import Scope
from gdl.native.sets import nth_bit, singleton
from gdl.native.values import set_ir


@dataclass(frozen=True)
class Numbering:
    """How the moves of a game are numbered."""

    model: Model

    @cached_property
    def sizes(self) -> list[int]:
        """How many numbers each family has."""
        result = []
        for move in self.model.moves:
            size = 1
            for parameter in chosen_parameters(move):
                size *= index_size(parameter.type)
            result.append(size)
        return result

    @cached_property
    def bases(self) -> list[int]:
        return [sum(self.sizes[:k]) for k in range(len(self.sizes))]

    @property
    def total(self) -> int:
        return sum(self.sizes)


def chosen_parameters(move: Move) -> list[MoveParameter]:
    """The parameters that range over a domain."""
    return [parameter for parameter in move.parameters if parameter.domain is not None]


# ------------------------------------------------------------------------ listing


def each_legal(scope: Scope, move: Move, found: Callable[[], None], put_off: int = 0) -> None:
    """Runs `found` for each legal choice of parameters, which the slots then hold.

    The last `put_off` tests are left out. `otherwise` is the caller's business.
    """
    nest = scope.program.masks.moves(move)
    scope.program.masks.run(scope, shortened(nest, put_off), found)


def shortened(nest: Nest, put_off: int) -> Nest:
    """The nest without its last tests."""
    if not put_off:
        return nest
    if not nest.levels:
        return replace(nest, tests=nest.tests[:-put_off])
    last = nest.levels[-1]
    return replace(nest, levels=(*nest.levels[:-1], replace(last, tests=last.tests[:-put_off])))


def last_tests(nest: Nest) -> tuple[Expr, ...]:
    return nest.levels[-1].tests if nest.levels else nest.tests


def number_of(scope: Scope, numbering: Numbering, index: int) -> Value:
    """The number (i64) of the move whose parameters the slots hold."""
    b = scope.b
    move = scope.program.model.moves[index]
    number = i64(0)
    for parameter in chosen_parameters(move):
        digit = b.zext(ordinal(scope, parameter.type, scope.local(parameter.slot)), "i64")
        number = b.add(b.mul(number, i64(index_size(parameter.type))), digit)
    return b.add(number, i64(numbering.bases[index]))


def set_parameters(scope: Scope, move: Move, number: Value, computed: bool = True) -> None:
    """Sets the slots of the parameters from a number within the family; the move is legal."""
    b = scope.b
    digits: dict[int, Value] = {}
    for parameter in reversed(chosen_parameters(move)):
        size = index_size(parameter.type)
        if parameter is chosen_parameters(move)[0]:
            digits[parameter.slot] = number
        else:
            digits[parameter.slot] = b.op("urem", number, i64(size))
            number = b.op("udiv", number, i64(size))
    for parameter in move.parameters:
        if parameter.domain is not None:
            value = from_ordinal(scope, parameter.type, digits[parameter.slot])
        else:
            assert parameter.value is not None
            made = scope.value(parameter.value)
            value = convert(scope, made, parameter.value.type, parameter.type)[1]
        scope.set_slot(parameter.slot, scope.coerce(value, parameter.type))


def write_list(
    scope: Scope, numbering: Numbering, found: Callable[[int], None], empty: Callable[[], Value]
) -> None:
    """All legal moves: the ordinary families, and where those have none (`empty`) the `otherwise` ones."""
    b = scope.b
    moves = scope.program.model.moves
    scope.memo = {}
    for index, move in enumerate(moves):
        if not move.otherwise:
            each_legal(scope, move, partial(found, index))
    if any(move.otherwise for move in moves):
        more, done = b.label("otherwise"), b.label("listed")
        b.branch(empty(), more, done)
        b.start(more)
        for index, move in enumerate(moves):
            if move.otherwise:
                each_legal(scope, move, partial(found, index))
        b.start(done)
    scope.memo = None


# --------------------------------------------------------------- choosing at random

_EXPENSIVE = 150
"""Guards that cost more than this are tested only for the move that was chosen."""

_BUFFER = 65536
"""At most so many moves are kept in memory while choosing one; beyond, the choice is found again."""

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

    Families of at most one chosen parameter become a mask of legal values. The others are listed. Then a
    number is drawn. If the guards put off turn out to fail, that move is struck out and another is drawn,
    which is uniform over the legal ones.
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
    """The choice among some families."""

    def __init__(self, scope: Scope, numbering: Numbering, families: list[int], random: Value):
        self.scope = scope
        self.numbering = numbering
        self.random = random
        moves = scope.program.model.moves
        self.put_off = {k: put_off(scope, moves[k]) for k in families}
        self.deferred = {
            k: last_tests(scope.program.masks.moves(moves[k]))[-count:] if count else ()
            for k, count in self.put_off.items()
        }
        self.masked = [k for k in families if _fits_mask(moves[k])]
        self.listed = [k for k in families if k not in self.masked]
        self.capacity = max(1, min(_BUFFER, sum(numbering.sizes[k] for k in self.listed)))

    def run(self, chosen: Chosen, none: str) -> None:
        scope, b = self.scope, self.scope.b
        scope.memo = {}
        masks = {k: self._legal_mask(k) for k in self.masked}
        count, buffer = self._list()
        scope.memo = None
        retry = any(self.deferred.values())
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
        count, buffer = b.alloca("i32"), b.alloca("i64", self.capacity)
        b.store(i32(0), count)
        for k in self.listed:

            def found(k: int = k) -> None:
                at = b.load("i32", count)
                if self.capacity < _BUFFER:
                    self._keep(buffer, at, k)
                else:
                    keep, full = b.label("keep"), b.label("full")
                    b.branch(b.compare("ult", at, i32(self.capacity)), keep, full)
                    b.start(keep)
                    self._keep(buffer, at, k)
                    b.start(full)
                b.store(b.add(at, i32(1)), count)

            each_legal(scope, scope.program.model.moves[k], found, self.put_off[k])
        return count, buffer

    def _keep(self, buffer: Value, at: Value, index: int) -> None:
        b = self.scope.b
        b.store(number_of(self.scope, self.numbering, index), b.offset(buffer, b.zext(at, "i64"), 8), 8)

    def _take_listed(
        self, point: Value, listed: Value, buffer: Value, count: Value, chosen: Chosen, again: str | None
    ) -> None:
        scope, b = self.scope, self.scope.b
        place = b.offset(buffer, b.zext(point, "i64"), 8)
        number = b.alloca("i64")
        if self.capacity < _BUFFER:
            b.store(b.load("i64", place, 8), number)
        else:
            self._find_again(point, place, number)
        chosen_number = b.load("i64", number)
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
                last = b.load("i64", b.offset(buffer, b.zext(shorter, "i64"), 8), 8)
                b.store(last, place, 8)
                b.store(shorter, count)
                b.br(again)
            else:
                chosen(k)
            if first:
                return
            b.start(further)

    def _find_again(self, point: Value, place: Value, number: Value) -> None:
        """The chosen move of a list that may be longer than the buffer."""
        scope, b = self.scope, self.scope.b
        kept, lost, have = b.label("kept"), b.label("lost"), b.label("have")
        b.branch(b.compare("ult", point, i32(self.capacity)), kept, lost)
        b.start(kept)
        b.store(b.load("i64", place, 8), number)
        b.br(have)
        b.start(lost)
        left = b.alloca("i32")
        b.store(point, left)
        for k in self.listed:

            def found(k: int = k) -> None:
                rest = b.load("i32", left)
                b.store(b.sub(rest, i32(1)), left)
                hit, miss = b.label("hit"), b.label("miss")
                b.branch(b.compare("eq", rest, i32(0)), hit, miss)
                b.start(hit)
                b.store(number_of(scope, self.numbering, k), number)
                b.br(have)
                b.start(miss)

            each_legal(scope, scope.program.model.moves[k], found, self.put_off[k])
        b.unreachable()
        b.start(have)


def _fits_mask(move: Move) -> bool:
    """Whether the legal moves of a family are a set of at most one small parameter's values."""
    parameters = chosen_parameters(move)
    if not parameters:
        return True
    if len(parameters) > 1:
        return False
    return index_size(parameters[0].type) <= _LARGEST_MASK
