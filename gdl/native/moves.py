"""Legal moves: listing them, and choosing one at random without listing where that can be helped.

A move is numbered: the families (declared moves) one after another, within a family the parameters that
range over a domain as digits of a mixed-radix number, the last one fastest. Computed parameters follow from
the others.

    number = base[family] + (.. (ordinal of first) * size of second + ordinal of second ..)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from gdl.model import nodes
from gdl.model.nodes import Expr, Model, Move, MoveParameter
from gdl.native.chance import random_below
from gdl.native.conversion import convert
from gdl.native.domains import each
from gdl.native.ir import TRUE, Value, const, i32, i64
from gdl.native.layout import index_size
from gdl.native.memory import from_ordinal, ordinal
from gdl.native.scope import Scope
from gdl.native.sets import each_bit, nth_bit, singleton
from gdl.native.values import Operand, set_ir


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


def each_legal(scope: Scope, move: Move, found: Callable[[], None], deferred: Sequence[Expr] = ()) -> None:
    """Runs `found` for each legal choice of parameters, which the slots then hold.

    Guards in `deferred` are not tested. `otherwise` is the caller's business.
    """
    after_guards(
        scope,
        without(move.guards, deferred),
        lambda: _choose(scope, move.parameters, found, deferred),
    )


def without(guards: Sequence[Expr], removed: Sequence[Expr]) -> list[Expr]:
    """The guards that are not among the removed ones (the very same nodes)."""
    gone = {id(guard) for guard in removed}
    return [guard for guard in guards if id(guard) not in gone]


def after_guards(scope: Scope, guards: Sequence[Expr], then: Callable[[], None]) -> None:
    b = scope.b
    skip = b.label("illegal")
    for guard in guards:
        fine = b.label("legal")
        b.branch(scope.scalar(guard), fine, skip)
        b.start(fine)
    then()
    b.start(skip)


def _choose(
    scope: Scope, parameters: Sequence[MoveParameter], found: Callable[[], None], deferred: Sequence[Expr]
) -> None:
    if not parameters:
        found()
        return
    b = scope.b
    parameter, rest = parameters[0], parameters[1:]
    guards = without(parameter.guards, deferred)

    def chosen(value: Operand) -> None:
        scope.set_slot(parameter.slot, scope.coerce(value, parameter.type))
        after_guards(scope, guards, lambda: _choose(scope, rest, found, deferred))

    if parameter.domain is None:
        compute(scope, parameter, chosen)
        return
    quick = scope.program.masks.guard_mask(scope, parameter)
    if quick is None:
        each(scope, parameter.domain, chosen)
        return
    mask, element_at, tested = quick
    guards = without(guards, tested)
    done = b.label("done")
    each_bit(scope, mask, lambda k: chosen(element_at(k)), done)
    b.start(done)


def compute(scope: Scope, parameter: MoveParameter, then: Callable[[Operand], None]) -> None:
    """Runs `then` with the value of a computed parameter, unless it has none."""
    b = scope.b
    assert parameter.value is not None
    value = scope.value(parameter.value)
    inside, result = convert(scope, value, parameter.value.type, parameter.type)
    some, none = b.label("some"), b.label("none")
    b.branch(inside, some, none)
    b.start(some)
    then(result)
    b.start(none)


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


def deferred_guards(scope: Scope, move: Move) -> tuple[Expr, ...]:
    """The guards to test last: the expensive end of those that come after all parameters are known."""
    guards = move.parameters[-1].guards if move.parameters else move.guards
    facts = scope.program.facts
    for k, guard in enumerate(guards):
        if facts.cost(guard) > _EXPENSIVE:
            return guards[k:]
    return ()


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
        self.deferred = {k: deferred_guards(scope, moves[k]) for k in families}
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
        move = scope.program.model.moves[index]
        parameters = chosen_parameters(move)
        ir = set_ir(index_size(parameters[0].type)) if parameters else "i32"
        memory = b.alloca(ir)
        b.store(const(ir, 0), memory)
        deferred = self.deferred[index]

        def whole_mask() -> None:
            if len(move.parameters) == 1:
                quick = scope.program.masks.guard_mask(scope, parameters[0])
                if quick is not None:
                    mask, element_at, tested = quick
                    rest = without(parameters[0].guards, (*deferred, *tested))
                    b.store(mask, memory)
                    if rest:
                        self._refine(parameters[0], mask, element_at, rest, memory)
                    return
            _choose(scope, move.parameters, insert, deferred)

        def insert() -> None:
            bit = i32(0)
            if parameters:
                bit = ordinal(scope, parameters[0].type, scope.local(parameters[0].slot))
            b.store(b.or_(b.load(ir, memory), singleton(scope, bit, ir)), memory)

        after_guards(scope, without(move.guards, deferred), whole_mask)
        return b.load(ir, memory)

    def _refine(
        self,
        parameter: MoveParameter,
        mask: Value,
        element_at: Callable[[Value], Operand],
        guards: list[Expr],
        memory: Value,
    ) -> None:
        """Strikes out the values for which a guard fails."""
        scope, b = self.scope, self.scope.b
        done = b.label("refined")

        def test(bit: Value) -> None:
            scope.set_slot(parameter.slot, scope.coerce(element_at(bit), parameter.type))
            fail, fine = b.label("refused"), b.label("fine")
            self._test(guards, fail)
            b.br(fine)
            b.start(fail)
            rest = b.xor(b.load(mask.type, memory), singleton(scope, bit, mask.type))
            b.store(rest, memory)
            b.start(fine)

        each_bit(scope, mask, test, done)
        b.start(done)

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

            each_legal(scope, scope.program.model.moves[k], found, self.deferred[k])
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

            each_legal(scope, scope.program.model.moves[k], found, self.deferred[k])
        b.unreachable()
        b.start(have)


def _fits_mask(move: Move) -> bool:
    """Whether the legal moves of a family are a set of at most one small parameter's values."""
    parameters = chosen_parameters(move)
    if not parameters:
        return True
    if len(parameters) > 1 or isinstance(parameters[0].domain, nodes.ListDomain):
        return False
    return index_size(parameters[0].type) <= _LARGEST_MASK
