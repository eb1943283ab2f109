"""Legal moves: listing them, and choosing one at random without listing where that can be helped.

A move is numbered: the families (declared moves) one after another, within a family the parameters that
range over a domain as digits of a mixed-radix number, the last one fastest. Computed parameters follow from
the others.

    number = base[family] + (.. (ordinal of first) * size of second + ordinal of second ..)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

from gdl.model.nodes import Expr, Model, Move, MoveParameter, Stuck
from gdl.native.emit.conversion import convert
from gdl.native.emit.scope import POSITION, Callee, Scope, Unit, emits
from gdl.native.ir.builder import FALSE, TRUE, Builder, Value, i32, i64
from gdl.native.layout.layout import index_size
from gdl.native.layout.memory import from_ordinal, ordinal
from gdl.native.layout.values import Operand
from gdl.native.plan.nests import Nest


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


@emits(Stuck)
def _stuck(scope: Scope, node: Stuck) -> Operand:
    """A call of the function that looks for a legal move; it has slots of its own."""
    (none,) = scope.call(_stuck_function(scope.unit), [])
    return none


def _stuck_function(unit: Unit) -> Callee:
    """Whether no move is legal: it ends with the first that is."""
    key = ("stuck", "", "")
    known = unit.callee(key)
    if known is not None:
        return known
    callee = Callee("@stuck", True, unit.program.facts.listing_faults(), ("i1",))
    unit.register(key, callee)
    scope = Scope(unit, Builder(unit.module), POSITION)
    b = scope.b

    def give(status: Value, none: Value) -> None:
        b.ret(b.pack(callee.type, [status, none]) if callee.faults else none)

    scope.fail = lambda status: give(status, FALSE)
    with scope.remembering():
        for move in unit.program.model.moves:
            each_legal(scope, move, lambda: give(i32(0), FALSE))
    give(i32(0), TRUE)
    b.finish(f"define internal fastcc {callee.type} {callee.ref}(ptr %pos) #0")
    return callee


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
        scope.types[parameter.slot] = parameter.type
        scope.set_slot(parameter.slot, scope.coerce(value, parameter.type))


def write_list(
    scope: Scope, numbering: Numbering, found: Callable[[int], None], empty: Callable[[], Value]
) -> None:
    """All legal moves: the ordinary families, and where those have none (`empty`) the `otherwise` ones."""
    b = scope.b
    moves = scope.program.model.moves
    with scope.remembering():
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
