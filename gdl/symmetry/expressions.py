"""The values of expressions, as terms over the atoms of a position."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import inf
from typing import Any

from gdl.diagnostics import Span
from gdl.diagnostics.faults import Fault
from gdl.model import nodes as m
from gdl.model.types import (
    NONE,
    Bool,
    Int,
    ListOf,
    MapOf,
    Rational,
    SetOf,
    Tuple,
    Type,
    from_ordinal,
    ordinal,
    values,
)
from gdl.reference.conversion import convert
from gdl.reference.interpret import Interpreter
from gdl.reference.structures import neighbour_masks
from gdl.symmetry.terms import NOWHERE, SMALL, Term, Terms, TooLarge

MOST_CASES = 4_000
"""Values of a type, or entries of a table, that are told apart."""


class MayBreak(Exception):
    """A rule that is not proven to hold in every position."""

    def __init__(self, span: Span):
        self.span = span


# A value is a term, or one of these where it has parts.


class Record(tuple[Any, ...]):
    """The fields of a tuple."""


class Members(tuple[Term, ...]):
    """A set: for each value of the element type whether it is in."""


class Items(tuple[Any, ...]):
    """A list, or the entries of a map."""


Frame = dict[int, Any]


class Expressions(ABC):
    """Values in a position whose elements are terms. What blocks of statements do is left to who inherits."""

    def __init__(self, model: m.Model, terms: Terms, known: Mapping[int, Any] | None = None):
        self.model = model
        self.terms = terms
        self._given = known or {}
        self.interpreter = Interpreter(model.variables, model.tables, model.functions, model.effects)
        self.path: list[Term] = []
        self._numbers = {variable.name: k for k, variable in enumerate(model.variables)}
        self._starts: list[int] = []
        start = 0
        for variable in model.variables:
            self._starts.append(start)
            start += variable.count
        self.start: list[Any] = self._initial_state()
        self.state = self.start

    def _initial_state(self) -> list[Any]:
        """The position as it is: every element made of its atoms."""
        parts: list[Any] = []
        number = 0

        def made(type_: Type) -> Any:
            nonlocal number
            if isinstance(type_, Tuple):
                return Record(made(part) for part in type_.fields)
            if isinstance(type_, SetOf):
                bits = Members(self.terms.atom(number + k) for k in range(type_.element.size))
                number += len(bits)
                return bits
            number += 1
            if number - 1 in self._given:
                return self.terms.const(self._given[number - 1])
            return self.terms.atom(number - 1)

        for variable in self.model.variables:
            parts += [made(variable.type) for _ in range(variable.count)]
        return parts

    @abstractmethod
    def body(self, body: m.Expr | m.Block, frame: Frame) -> Any:
        """The value of a section or function."""

    @abstractmethod
    def after(self, node: m.After, frame: Frame) -> Any:
        """The value of an expression after an effect."""

    @property
    @abstractmethod
    def legal(self) -> list[Term]:
        """Where each move is legal in the position as it is."""

    # -------------------------------------------------------------------------------- domains

    def domain(self, domain: m.Domain, frame: Frame) -> Iterator[tuple[Any, Term]]:
        """What may be in a domain, and where it is."""
        terms = self.terms
        match domain:
            case m.TypeDomain():
                for value in self._listed(domain.element):
                    yield self.known(domain.element, value), terms.true
            case m.RangeDomain():
                lo, hi = self.value(domain.lo, frame), self.value(domain.hi, frame)
                if terms.nowhere in (lo, hi):
                    return
                if terms.is_const(lo) and terms.is_const(hi):
                    for number in range(terms.value(lo), terms.value(hi) + 1):
                        yield terms.const(number), terms.true
                    return
                for number in self._listed(domain.element):
                    here = terms.const(number)
                    above = terms.not_(terms.less(here, lo))
                    yield here, terms.all([above, terms.not_(terms.less(hi, here))])
            case m.SetDomain():
                members = self.value(domain.set, frame)
                for k, inside in enumerate(members):
                    yield self.known(domain.element, from_ordinal(domain.element, k)), inside
            case m.ListDomain():
                for item in self.value(domain.sequence, frame):
                    yield item, terms.true

    def _listed(self, type_: Type) -> Iterator[Any]:
        if getattr(type_, "size", inf) > MOST_CASES:
            raise TooLarge
        return values(type_)

    def rounds(self, binders: tuple[m.Binder, ...], condition: m.Expr | None, frame: Frame) -> Iterator[Term]:
        """Binds each combination of values in turn, and gives where it is one."""
        if not binders:
            yield self.terms.true if condition is None else self.value(condition, frame)
            return
        first, *others = binders
        for value, where in list(self.domain(first.domain, frame)):
            if where == self.terms.false:
                continue
            if first.unpack:
                frame.update(zip(first.slots, value, strict=True))
            else:
                frame[first.slots[0]] = value
            self.path.append(where)
            for inner in self.rounds(tuple(others), condition, frame):
                yield self.terms.all([where, inner])
            self.path.pop()

    # ----------------------------------------------------------------------------- expressions

    def known(self, type_: Type, value: Any) -> Any:
        """A value that is known, in parts."""
        self.terms.work()
        if value is NOWHERE:
            return self.terms.nowhere
        if isinstance(type_, Tuple):
            return Record(self.known(part, item) for part, item in zip(type_.fields, value, strict=True))
        if isinstance(type_, SetOf):
            return Members(self.terms.const(bool(value >> k & 1)) for k in range(type_.element.size))
        if isinstance(type_, ListOf):
            return Items(self.known(type_.element, item) for item in value)
        return self.terms.const(value)

    def plain(self, type_: Type, value: Any) -> Any:
        """The value of something known; None where it is not."""
        if isinstance(value, Record):
            assert isinstance(type_, Tuple)
            parts = [self.plain(part, item) for part, item in zip(type_.fields, value, strict=True)]
            return None if None in parts else tuple(parts)
        if isinstance(value, Members):
            if not all(self.terms.is_const(bit) for bit in value):
                return None
            return sum(1 << k for k, bit in enumerate(value) if self.terms.value(bit))
        if isinstance(value, Items):
            element = getattr(type_, "element", None)
            items = [self.plain(element, item) for item in value]  # type: ignore[arg-type]
            return None if None in items else tuple(items)
        return self.terms.value(value) if self.terms.is_const(value) else None

    def choice(self, condition: Term, then: Any, otherwise: Any, lenient: bool = False) -> Any:
        """One of two values of the same shape; `lenient` where shapes may differ, for then only one is ever
        read.
        """
        if condition == self.terms.true or otherwise is None:
            return then
        if condition == self.terms.false:
            return otherwise
        if isinstance(then, int) and isinstance(otherwise, int):
            return self.terms.ite(condition, then, otherwise)
        if type(then) is not type(otherwise) or len(then) != len(otherwise):
            if lenient:
                return then
            raise TooLarge
        return type(then)(self.choice(condition, a, b) for a, b in zip(then, otherwise, strict=True))

    def fault(self, condition: Term, span: Span) -> None:
        if self.terms.all([*self.path, condition]) != self.terms.false:
            raise MayBreak(span)

    def unary(
        self, type_: Type, value: Any, function: Callable[[Any], Any], result: Type | None = None
    ) -> Any:
        """A function of a value of a finite type."""
        plain = self.plain(type_, value)
        if plain is NOWHERE:
            return self.terms.nowhere
        if plain is not None:
            return self.known(Bool() if result is None else result, function(plain))
        if isinstance(value, Record):
            return self._of_parts(type_, value, function, result)
        size = getattr(type_, "size", SMALL + 1)
        if not isinstance(value, int) or size > SMALL or isinstance(result, Tuple | SetOf):
            raise TooLarge
        return self.terms.mapped(value, function, values(type_))

    def _of_parts(
        self, type_: Type, value: Record, function: Callable[[Any], Any], result: Type | None
    ) -> Any:
        """A function of a tuple of which some fields are not known."""
        assert isinstance(type_, Tuple)
        if type_.size > SMALL:
            raise TooLarge
        found: Any = None
        for each in values(type_):
            parts = zip(type_.fields, value, each, strict=True)
            here = self.terms.all([self.same(kind, item, self.known(kind, v)) for kind, item, v in parts])
            if here == self.terms.false:
                continue
            answer = self.known(Bool() if result is None else result, function(each))
            found = answer if found is None else self.choice(here, answer, found)
        return found

    def same(self, type_: Type, one: Any, other: Any) -> Term:
        """Whether two values of a type are equal."""
        if isinstance(one, int):
            return self.terms.equal(one, other)
        return self.terms.all([self.same(type_, a, b) for a, b in zip(one, other, strict=True)])

    def value(self, node: m.Expr, frame: Frame) -> Any:
        """The value of an expression, in parts, as terms."""
        terms = self.terms
        terms.work()
        match node:
            case m.Const():
                return self.known(node.type, node.value)
            case m.Local():
                return frame[node.slot]
            case m.Read():
                number = self._numbers[node.variable]
                variable, start = self.model.variables[number], self._starts[number]
                indices = [self.value(index, frame) for index in node.indices]
                return self.selected(variable.indices, indices, self.state[start : start + variable.count])
            case m.Lookup():
                return self.lookup(node, frame)
            case m.Arithmetic():
                return self.arithmetic(node, self.value(node.left, frame), self.value(node.right, frame))
            case m.Negate():
                return terms.sum([(self.value(node.operand, frame), -1)])
            case m.Absolute():
                operand = self.value(node.operand, frame)
                return terms.unordered("max", [operand, terms.sum([(operand, -1)])])
            case m.Compare():
                return self.compare(node, self.value(node.left, frame), self.value(node.right, frame))
            case m.And() | m.Or():
                return self.connected(node, frame)
            case m.Not():
                return terms.not_(self.value(node.operand, frame))
            case m.Conditional():
                return self.conditional(node, frame)
            case m.Call():
                function = self.model.functions[node.function]
                arguments = [self.value(argument, frame) for argument in node.arguments]
                inner = {f.slot: value for f, value in zip(function.formals, arguments, strict=True)}
                return self.body(function.body, inner)
            case m.After():
                return self.after(node, frame)
            case m.Stuck():
                if self.state != self.start:
                    raise TooLarge  # asked of another position than the one at hand
                return terms.not_(terms.any(self.legal))
            case m.TupleOf():
                return Record(self.value(item, frame) for item in node.items)
            case m.Field():
                return self.value(node.operand, frame)[node.index]
            case m.Fill():
                assert isinstance(node.type, MapOf)
                return Items([self.value(node.value, frame)] * node.type.count)
            case m.Entry():
                assert isinstance(node.map.type, MapOf)
                indices = [self.value(index, frame) for index in node.indices]
                return self.selected(node.map.type.indices, indices, self.value(node.map, frame))
            case m.SetLiteral() | m.SetOperation() | m.SetSize() | m.Contains() | m.Flood() | m.Reach():
                return self.of_sets(node, frame)
            case m.Element():
                return self.element(node, frame)
            case m.Length():
                return terms.const(len(self.value(node.sequence, frame)))
            case m.Aggregate():
                return self.aggregate(node, frame)
            case m.Step():
                return self.step(node, frame)
            case m.Index():
                operand, limit = self.value(node.operand, frame), self.value(node.limit, frame)
                self.fault(terms.less(operand, terms.zero), node.span)
                self.fault(terms.not_(terms.less(operand, limit)), node.span)
                return operand
            case m.Convert() | m.Cast() | m.Check() | m.Is() | m.Cycle() | m.Rank() | m.Ranked():
                return self.translated(node, self.value(node.operand, frame))
            case _:
                raise TooLarge

    def translated(self, node: Any, value: Any) -> Any:
        """A value in another type, or asked of its type."""
        source, target = node.operand.type, node.type
        if isinstance(node, m.Convert | m.Check) and (source == target or isinstance(target, Rational)):
            return value
        if isinstance(source, Int) and isinstance(target, Int) and isinstance(node, m.Convert):
            return value  # the same number
        if isinstance(value, Record) and isinstance(node, m.Convert) and isinstance(target, Tuple):
            parts = zip(source.fields, target.fields, value, strict=True)
            return Record(self.moved(a, b, item) for a, b, item in parts)
        if isinstance(value, Members) and isinstance(node, m.Convert) and isinstance(target, SetOf):
            return self._set_moved(source.element, target.element, value)
        if isinstance(value, Items) and isinstance(node, m.Convert) and isinstance(target, ListOf):
            return Items(self.moved(source.element, target.element, item) for item in value)
        if isinstance(node, m.Check):
            self.fault(self.unary(source, value, lambda v: convert(source, target, v) is None), node.span)
            return self.moved(source, target, value)

        if isinstance(node, m.Convert):
            return self.moved(source, target, value)

        def computed(v: Any) -> Any:
            return self.interpreter.evaluate(replace(node, operand=m.Const(v, source, node.span)))

        return self.unary(source, value, computed, None if isinstance(node, m.Is) else target)

    def moved(self, source: Type, target: Type, value: Any) -> Any:
        if source == target or isinstance(target, Rational):
            return value

        def translated(v: Any) -> Any:
            found = convert(source, target, v)
            return NOWHERE if found is None else found

        return self.unary(source, value, translated, target)

    def _set_moved(self, source: Type, target: Type, members: Members) -> Members:
        bits = [self.terms.false] * target.size  # type: ignore[union-attr]
        for k, inside in enumerate(members):
            found = convert(source, target, from_ordinal(source, k))
            if found is not None:
                bits[ordinal(target, found)] = inside
        return Members(bits)

    def places(self, variable: str, indices: tuple[m.Expr, ...], frame: Frame) -> list[tuple[int, Term]]:
        """The elements of a variable that may be meant, and where each is."""
        number = self._numbers[variable]
        declared = self.model.variables[number]
        start = self._starts[number]
        return [(start + at, where) for at, where in self.entries(declared.indices, indices, frame)]

    def entries(
        self, types: tuple[Type, ...], indices: tuple[m.Expr, ...], frame: Frame
    ) -> list[tuple[int, Term]]:
        """The places of a map that may be meant, in row-major order, and where each is."""
        found = [(0, [self.terms.true])]
        for type_, index in zip(types, indices, strict=True):
            value = self.value(index, frame)
            size: int = type_.size  # type: ignore[union-attr]
            plain = self.plain(type_, value)
            if plain is not None and not _within(type_, plain):
                return []
            if plain is not None:
                at = ordinal(type_, plain)
                found = [(place * size + at, where) for place, where in found]
                continue
            if size > MOST_CASES:
                raise TooLarge
            ways = [(k, self.same(type_, value, self.known(type_, v))) for k, v in enumerate(values(type_))]
            self.terms.work(len(found) * len(ways))
            found = [
                (place * size + k, [*where, here])
                for (place, where), (k, here) in product(found, ways)
                if here != self.terms.false
            ]
        return [
            (place, condition)
            for place, where in found
            if (condition := self.terms.all(where)) != self.terms.false
        ]

    def selected(self, types: Sequence[Type], indices: Sequence[Any], elements: Sequence[Any]) -> Any:
        """The element of a map, given in row-major order, that the indices mean."""
        if not types:
            (element,) = elements
            return element
        first: Any = types[0]
        width = len(elements) // first.size
        plain = self.plain(first, indices[0])
        if plain is not None and not _within(first, plain):
            return self._nothing_like(elements[0])
        if plain is not None:
            at = ordinal(first, plain) * width
            return self.selected(types[1:], indices[1:], elements[at : at + width])
        rows = {
            value: self.selected(types[1:], indices[1:], elements[k * width : (k + 1) * width])
            for k, value in enumerate(values(first))
        }
        if isinstance(indices[0], int):
            return self.by_case(indices[0], rows)
        result = None
        for value, row in rows.items():
            here = self.same(first, indices[0], self.known(first, value))
            if here != self.terms.false:
                result = row if result is None else self.choice(here, row, result)
        return result

    def _nothing_like(self, value: Any) -> Any:
        if isinstance(value, int):
            return self.terms.nowhere
        return type(value)(self._nothing_like(part) for part in value)

    def by_case(self, term: Term, rows: Mapping[Any, Any]) -> Any:
        """One of some values of the same shape, by the value of a term."""
        some = next(iter(rows.values()))
        if isinstance(some, int):
            return self.terms.case(term, rows)
        if any(type(row) is not type(some) or len(row) != len(some) for row in rows.values()):
            raise TooLarge
        return type(some)(
            self.by_case(term, {value: row[k] for value, row in rows.items()}) for k in range(len(some))
        )

    def lookup(self, node: m.Lookup, frame: Frame) -> Any:
        table = self.model.tables[node.table]
        indices = [self.value(index, frame) for index in node.indices]
        if all(self.plain(t, i) is not None for t, i in zip(table.indices, indices, strict=True)):
            at = 0
            for type_, index in zip(table.indices, indices, strict=True):
                at = at * type_.size + ordinal(type_, self.plain(type_, index))  # type: ignore[union-attr]
            return self.known(table.type, table.values[at])
        if len(table.values) > MOST_CASES:
            raise TooLarge
        return self.selected(
            table.indices, indices, [self.known(table.type, value) for value in table.values]
        )

    def arithmetic(self, node: m.Arithmetic, left: Term, right: Term) -> Term:
        terms = self.terms
        match node.op:
            case "+":
                return terms.sum([(left, 1), (right, 1)])
            case "-":
                return terms.sum([(left, 1), (right, -1)])
            case "*":
                return terms.product(left, right)
        if node.op in ("div", "mod", "/"):
            self.fault(terms.equal(right, terms.zero), node.span)

        def computed(a: Any, b: Any) -> Any:
            if node.op in ("div", "mod", "/") and b == 0:
                return 0  # never reached
            operands = (m.Const(a, node.left.type, node.span), m.Const(b, node.right.type, node.span))
            try:
                return self.interpreter.evaluate(replace(node, left=operands[0], right=operands[1]))
            except Fault:
                raise MayBreak(node.span) from None

        found = terms.pair(left, right, computed)
        if found is not None:
            return found
        if node.op in ("min", "max"):
            return terms.unordered(node.op, [left, right])
        return terms.ordered(node.op, left, right)

    def compare(self, node: m.Compare, left: Any, right: Any) -> Term:
        terms = self.terms
        if node.op in ("==", "!="):
            equal = self.same(node.left.type, left, right)
            return equal if node.op == "==" else terms.not_(equal)
        if not isinstance(left, int):
            if isinstance(left, Members) and node.op in ("<=", ">="):
                small, large = (left, right) if node.op == "<=" else (right, left)
                return terms.all(terms.any([terms.not_(a), b]) for a, b in zip(small, large, strict=True))
            raise TooLarge
        if node.op in ("<", ">"):
            return terms.less(left, right) if node.op == "<" else terms.less(right, left)
        return terms.not_(terms.less(right, left) if node.op == "<=" else terms.less(left, right))

    def connected(self, node: m.And | m.Or, frame: Frame) -> Term:
        """`and`, `or`: later parts are asked only where the earlier ones leave it open."""
        both = isinstance(node, m.And)
        found: list[Term] = []
        depth = len(self.path)
        for item in node.items:
            part = self.value(item, frame)
            if part == (self.terms.false if both else self.terms.true):
                found = [part]
                break
            found.append(part)
            self.path.append(part if both else self.terms.not_(part))
        del self.path[depth:]
        return self.terms.all(found) if both else self.terms.any(found)

    def conditional(self, node: m.Conditional, frame: Frame) -> Any:
        condition = self.value(node.condition, frame)
        if self.terms.is_const(condition):
            return self.value(node.then if self.terms.value(condition) else node.otherwise, frame)
        self.path.append(condition)
        then = self.value(node.then, frame)
        self.path[-1] = self.terms.not_(condition)
        otherwise = self.value(node.otherwise, frame)
        self.path.pop()
        return self.choice(condition, then, otherwise)

    def of_sets(self, node: Any, frame: Frame) -> Any:
        terms = self.terms
        element: Any
        match node:
            case m.SetLiteral():
                element = node.type.element  # type: ignore[union-attr]
                bits = [terms.false] * element.size
                for item in node.elements:
                    value = self.value(item, frame)
                    plain = self.plain(element, value)
                    for k, v in enumerate(values(element)):
                        if plain is None or v == plain:
                            here = self.same(element, value, self.known(element, v))
                            bits[k] = terms.any([bits[k], here])
                return Members(bits)
            case m.SetOperation():
                left, right = self.value(node.left, frame), self.value(node.right, frame)
                return Members(
                    terms.any([a, b])
                    if node.op == "|"
                    else terms.all([a, b if node.op == "&" else terms.not_(b)])
                    for a, b in zip(left, right, strict=True)
                )
            case m.SetSize():
                return terms.count(self.value(node.operand, frame))
            case m.Contains():
                item, members = self.value(node.item, frame), self.value(node.set, frame)
                element = node.set.type.element  # type: ignore[union-attr]
                return terms.any(
                    terms.all(
                        [inside, self.same(element, item, self.known(element, from_ordinal(element, k)))]
                    )
                    for k, inside in enumerate(members)
                    if inside != terms.false
                )
            case m.Flood():
                around = neighbour_masks(node.cells)
                starts, within = self.value(node.starts, frame), self.value(node.within, frame)
                size = range(len(within))
                edges = [(j, k, terms.true) for j in size for k in size if around[j] >> k & 1]
                return Members(terms.reached(list(zip(starts, within, strict=True)), edges))
            case _:
                starts, within = self.value(node.starts, frame), self.value(node.within, frame)
                (slot,) = node.binder.slots
                element = node.binder.domain.element
                near = [
                    self.value(node.around, {**frame, slot: self.known(element, v)}) for v in values(element)
                ]
                edges = [(j, k, where) for j, row in enumerate(near) for k, where in enumerate(row)]
                return Members(terms.reached(list(zip(starts, within, strict=True)), edges))

    def element(self, node: m.Element, frame: Frame) -> Any:
        sequence, index = self.value(node.sequence, frame), self.value(node.index, frame)
        if self.terms.is_const(index):
            at = self.terms.value(index)
            if at is NOWHERE or not 0 <= at < len(sequence):
                raise TooLarge  # in a branch that is never taken
            return sequence[at]
        return self.by_case(index, dict(enumerate(sequence)))

    def step(self, node: m.Step, frame: Frame) -> Any:
        cells, terms = node.cells, self.terms
        none = convert(NONE, node.type, 0)
        cell = None if node.cell is None else self.value(node.cell, frame)
        rows, cols = self.value(node.rows, frame), self.value(node.cols, frame)
        if terms.nowhere in (cell, rows, cols):
            return terms.nowhere
        if all(part is None or terms.is_const(part) for part in (cell, rows, cols)):
            row, col = (0, 0) if cell is None else cells.place(terms.value(cell))
            found = cells.at(row + terms.value(rows), col + terms.value(cols))
            return terms.const(none if found is None else found)
        result = terms.const(none)
        starts = [(0, 0, terms.true)]
        if cell is not None:
            starts = [
                (*cells.place(k), here)
                for k in range(cells.size)
                if (here := terms.equal(cell, terms.const(k))) != terms.false
            ]
        for row, col, here in starts:
            for target in range(cells.size):
                to_row, to_col = cells.place(target)
                there = terms.all(
                    [
                        here,
                        terms.equal(rows, terms.const(to_row - row)),
                        terms.equal(cols, terms.const(to_col - col)),
                    ]
                )
                if there != terms.false:
                    result = terms.ite(there, terms.const(target), result)
        return result

    def aggregate(self, node: m.Aggregate, frame: Frame) -> Any:
        terms = self.terms
        inner = dict(frame)
        found: list[tuple[Term, Any]] = []
        for where in self.rounds(node.binders, node.condition, inner):
            if where == terms.false:
                continue
            self.path.append(where)
            body = self.value(node.body, inner)
            self.path.pop()
            found.append((where, body))
        match node.kind:
            case "any":
                return terms.any(terms.all([where, body]) for where, body in found)
            case "all":
                return terms.all(terms.any([terms.not_(where), body]) for where, body in found)
            case "count":
                return terms.count(terms.all([where, body]) for where, body in found)
            case "sum":
                return terms.sum((terms.ite(where, body, terms.zero), 1) for where, body in found)
            case "set":
                return self.collected(node, found)
            case "first":
                result: Any = self.known(node.type, convert(NONE, node.type, 0))
                for where, body in reversed(found):
                    result = self.choice(where, self.moved(node.body.type, node.type, body), result)
                return result
            case "min" | "max":
                return self.extreme(node, found, frame)
            case _:
                raise TooLarge

    def collected(self, node: m.Aggregate, found: Sequence[tuple[Term, Any]]) -> Members:
        assert isinstance(node.type, SetOf)
        element = node.type.element
        bits: list[list[Term]] = [[] for _ in range(element.size)]
        for where, body in found:
            plain = self.plain(element, body)
            for k, v in enumerate(values(element)):
                if plain is None or v == plain:
                    here = self.same(element, body, self.known(element, v))
                    bits[k].append(self.terms.all([where, here]))
        return Members(self.terms.any(parts) for parts in bits)

    def extreme(self, node: m.Aggregate, found: Sequence[tuple[Term, Any]], frame: Frame) -> Any:
        terms = self.terms
        there = terms.any(where for where, _ in found)
        if node.default is None:
            self.fault(terms.not_(there), node.span)
        if all(where == terms.true for where, _ in found) and found:
            return terms.unordered(node.kind, [body for _, body in found])
        default = terms.zero if node.default is None else self.value(node.default, frame)
        pairs = tuple(sorted((where, body) for where, body in found))
        return terms.ordered(node.kind + " of", default, *(part for pair in pairs for part in pair))


def _within(type_: Type, value: Any) -> bool:
    """Whether a value belongs to a type; in a branch that is never taken it may not."""
    return value is not NOWHERE and 0 <= ordinal(type_, value) < type_.size  # type: ignore[union-attr]
