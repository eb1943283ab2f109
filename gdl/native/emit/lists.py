"""Lists: constants, or rows of constant tables.

A list in a register is its number in the pool of its kind: lists whose elements take the same registers
share a pool. The pool keeps, for each list, where its elements start and how many there are; the elements
of all lists of a pool lie one after another, one array per register of an element. Equal lists have one
number, so lists are equal when their numbers are. An element that is itself a list is a number again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

from gdl.model import nodes
from gdl.model.nodes import Model
from gdl.model.types import ListOf, Rational, Tuple, Type, ordinal
from gdl.model.walk import walk
from gdl.native.emit.scope import Scope, emits
from gdl.native.ir.builder import Value, const
from gdl.native.layout.memory import flat_index
from gdl.native.layout.values import Operand, registers, unflatten
from gdl.native.plan.analysis import model_roots
from gdl.reference.conversion import constant_shift, convert


class Pool:
    """All lists whose elements take the same registers."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[Any, ...], int] = {}
        self.rows: list[tuple[tuple[int, ...], ...]] = []  # per list, per element, per register
        self.values: list[tuple[Any, ...]] = []  # per list, its elements as the Model has them

    def insert(self, rows: tuple[tuple[int, ...], ...], value: tuple[Any, ...]) -> int:
        """The number of a list; a new one if it is not in the pool yet."""
        number = self.numbers.get(rows)
        if number is None:
            number = self.numbers[rows] = len(self.rows)
            self.rows.append(rows)
            self.values.append(value)
        return number

    @cached_property
    def lengths(self) -> list[int]:
        return [len(row) for row in self.rows]

    @cached_property
    def starts(self) -> list[int]:
        return [0, *accumulate(self.lengths)][:-1]

    @cached_property
    def columns(self) -> list[list[int]]:
        """One array per register, of the elements of all lists; code is written when no list can be added."""
        return [list(column) for column in zip(*(e for row in self.rows for e in row), strict=True)]


class Lists:
    """The pools of a program, filled from every constant and table of the Model."""

    def __init__(self, model: Model):
        self.pools: dict[tuple[str, ...], Pool] = {}
        self._distinct: dict[int, list[int]] = {}
        self._falling: dict[ListOf, list[int]] = {}
        self._masks: dict[tuple[ListOf, Type], list[int]] = {}
        self._converted: dict[tuple[ListOf, ListOf], list[int]] = {}
        for table in model.tables.values():
            if _has_list(table.type):
                for value in table.values:
                    self.items(table.type, value)
        for root in model_roots(model):
            for part in walk(root):
                if isinstance(part, nodes.Const) and _has_list(part.type):
                    self.items(part.type, part.value)
        for root in model_roots(model):
            for part in walk(root):
                if isinstance(part, nodes.Convert | nodes.Cast | nodes.Check):
                    source, target = part.operand.type, part.type
                    if isinstance(source, ListOf) and isinstance(target, ListOf):
                        self.converted(source, target)

        for move in model.moves:
            for parameter in move.parameters:
                if isinstance(parameter.domain, nodes.ListDomain):
                    assert isinstance(parameter.domain.sequence.type, ListOf)
                    self.distinct(parameter.domain.sequence.type)

    def pool(self, type_: ListOf) -> Pool:
        return self.pools.setdefault(tuple(registers(type_.element)), Pool())

    def number(self, type_: ListOf, value: Sequence[Any]) -> int:
        """The number of a list; a new one if it is not in its pool yet."""
        rows = tuple(tuple(self.items(type_.element, element)) for element in value)
        return self.pool(type_).insert(rows, tuple(value))

    def masks(self, type_: ListOf, element: Type) -> list[int]:
        """For each list of a pool the set of its elements; 0 for lists of other types in the pool."""
        key = (type_, element)
        if key not in self._masks:
            size = element.size  # type: ignore[union-attr]
            low = ordinal(element, 0)
            result = []
            for row in self.pool(type_).rows:
                numbers = {entry[0] + low for entry in row}
                fits = all(0 <= number < size for number in numbers)
                result.append(sum(1 << number for number in numbers) if fits else 0)
            self._masks[key] = result
        return self._masks[key]

    def distinct(self, type_: ListOf) -> list[int]:
        """For each list of a pool the number of the same list without its repetitions."""
        pool = self.pool(type_)
        if id(pool) not in self._distinct:
            numbers = []
            for rows, value in zip(list(pool.rows), list(pool.values), strict=True):
                kept = dict(zip(rows, value, strict=True))
                if len(kept) == len(rows):
                    numbers.append(pool.numbers[rows])
                else:
                    numbers.append(pool.insert(tuple(kept), tuple(kept.values())))
            self._distinct[id(pool)] = [*numbers, *range(len(numbers), len(pool.rows))]
        return self._distinct[id(pool)]

    def falling(self, type_: ListOf) -> list[int]:
        """For each list of a pool whether its elements go down (1) or up (0)."""
        if type_ not in self._falling:
            rows = self.pool(type_).rows
            self._falling[type_] = [int(len(row) > 1 and row[0] > row[1]) for row in rows]
        return self._falling[type_]

    def represents_alike(self, source: Type, target: Type) -> bool:
        """Whether elements of both types take the same registers with the same contents."""
        return registers(source) == registers(target) and constant_shift(source, target) == 0

    def converted(self, source: ListOf, target: ListOf) -> list[int]:
        """For each list of a pool the number of its counterpart in another type (0 if it has none)."""
        key = (source, target)
        if key not in self._converted:
            numbers = []
            for value in list(self.pool(source).values):
                try:
                    there = convert(source, target, value)
                except (TypeError, ValueError, IndexError):  # a list of another type with the same registers
                    there = None
                numbers.append(0 if there is None else self.number(target, there))
            self._converted[key] = numbers
        return self._converted[key]

    def items(self, type_: Type, value: Any) -> list[int]:
        """The registers of a constant as numbers."""
        match type_:
            case ListOf():
                return [self.number(type_, value)]
            case Tuple():
                return [n for f, v in zip(type_.fields, value, strict=True) for n in self.items(f, v)]
            case Rational():
                return [value.numerator, value.denominator]
            case _:
                return [int(value)]


def _has_list(type_: Type) -> bool:
    if isinstance(type_, Tuple):
        return any(_has_list(field) for field in type_.fields)
    return isinstance(type_, ListOf)


# ------------------------------------------------------------------------- code


def load_constant(scope: Scope, numbers: Sequence[int], index: Value, ir: str) -> Value:
    """An entry of a constant array, in the register type `ir`."""
    b = scope.b
    if index.const is not None and 0 <= index.const < len(numbers):
        return const(ir, numbers[index.const])
    array, unit, signed = scope.unit.module.stored(numbers, ir)
    raw = b.load(f"i{8 * unit}", b.offset(array, b.zext(index, "i64"), unit), min(unit, 8))
    return b.resize(raw, ir, signed)


class ListValue:
    """A list in the code being written: its length and its elements."""

    def __init__(self, scope: Scope, type_: ListOf, number: Value):
        self._scope = scope
        self._type = type_
        self._pool = scope.program.lists.pool(type_)
        self._number = number

    def length(self) -> Value:
        return load_constant(self._scope, self._pool.lengths, self._number, "i32")

    def start(self) -> Value:
        """Where the elements begin: to be computed once, before a loop."""
        return load_constant(self._scope, self._pool.starts, self._number, "i64")

    def element(self, start: Value, index: Value) -> Operand:
        b = self._scope.b
        at = b.add(start, b.zext(index, "i64"))
        kinds = registers(self._type.element)
        values = []
        for k, ir in enumerate(kinds):
            column = self._pool.columns[k] if self._pool.columns else [0]
            values.append(load_constant(self._scope, column, at, ir))
        return unflatten(self._type.element, iter(values))


@emits(nodes.Element)
def _element(scope: Scope, node: nodes.Element) -> Operand:
    assert isinstance(node.sequence.type, ListOf)
    sequence = ListValue(scope, node.sequence.type, scope.scalar(node.sequence))
    start = sequence.start()
    index = scope.scalar(node.index)
    return scope.coerce(sequence.element(start, index), node.type)


@emits(nodes.Length)
def _length(scope: Scope, node: nodes.Length) -> Operand:
    assert isinstance(node.sequence.type, ListOf)
    return scope.coerce(ListValue(scope, node.sequence.type, scope.scalar(node.sequence)).length(), node.type)


@emits(nodes.Lookup)
def _lookup(scope: Scope, node: nodes.Lookup) -> Operand:
    table = scope.program.model.tables[node.table]
    index = flat_index(scope, table.indices, [scope.value(e) for e in node.indices])
    columns = scope.program.table_columns(node.table)
    kinds = registers(table.type)
    values = [load_constant(scope, columns[k], index, ir) for k, ir in enumerate(kinds)]
    return scope.coerce(unflatten(table.type, iter(values)), node.type)
