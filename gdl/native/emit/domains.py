"""Loops over what binders, draws and move parameters range over."""

from __future__ import annotations

from collections.abc import Callable

from gdl.model import nodes
from gdl.model.nodes import Binder, Domain
from gdl.model.types import ListOf, Tuple, Type
from gdl.native.emit.bags import each_within
from gdl.native.emit.lists import ListValue, load_constant
from gdl.native.emit.scope import Scope
from gdl.native.emit.sets import each_bit, element_of, nth_bit
from gdl.native.ir.builder import Value, const, width
from gdl.native.layout.layout import index_size
from gdl.native.layout.memory import from_ordinal, ordinal_ir
from gdl.native.layout.values import Operand, int_ir, scalar_ir

Body = Callable[[Operand], None]


def each(scope: Scope, domain: Domain, body: Body, distinct: bool = False) -> None:
    """Runs `body` with each value of the domain in order. What it ranges over is computed once.

    With `distinct` a value that a list repeats is visited once.
    """
    done = scope.b.label("done")
    match domain:
        case nodes.TypeDomain():
            _each_of_type(scope, domain.element, body)
            return
        case nodes.RangeDomain():
            _each_of_range(scope, domain, body, done)
        case nodes.SetDomain():
            element = element_of(domain.set.type)
            mask = scope.scalar(domain.set)
            each_bit(scope, mask, lambda k: body(from_ordinal(scope, element, k)), done)
        case nodes.ListDomain():
            assert isinstance(domain.sequence.type, ListOf)
            number = scope.scalar(domain.sequence)
            if distinct:
                without_repeats = scope.program.lists.distinct(domain.sequence.type)
                number = load_constant(scope, without_repeats, number, "i32")
            sequence = ListValue(scope, domain.sequence.type, number)
            start, length = sequence.start(), sequence.length()
            count(scope, length, lambda k: body(sequence.element(start, k)))
            return
        case nodes.SubsetsDomain():
            each_within(scope, domain.whole.type, scope.scalar(domain.whole), body, done)
    scope.b.start(done)


def _each_of_type(scope: Scope, element: Type, body: Body) -> None:
    """All values of a type; of a tuple by nested loops, the last field fastest."""
    if isinstance(element, Tuple):
        _each_of_fields(scope, element.fields, (), body)
        return
    size = const(ordinal_ir(element), index_size(element))
    count(scope, size, lambda k: body(from_ordinal(scope, element, k)))


def _each_of_fields(scope: Scope, fields: tuple[Type, ...], chosen: tuple[Operand, ...], body: Body) -> None:
    if not fields:
        body(chosen)
        return
    _each_of_type(scope, fields[0], lambda value: _each_of_fields(scope, fields[1:], (*chosen, value), body))


def _each_of_range(scope: Scope, domain: nodes.RangeDomain, body: Body, done: str) -> None:
    b = scope.b
    lo, hi = _bounds(scope, domain)
    ir = lo.type
    at = b.alloca(ir)
    b.store(lo, at)
    head, inner = b.label("range"), b.label("number")
    b.start(head)
    number = b.load(ir, at)
    b.branch(b.compare("sle", number, hi), inner, done)
    b.start(inner)
    body(b.resize(number, scalar_ir(domain.element)))
    b.store(b.add(number, const(ir, 1)), at)
    b.br(head)


def _bounds(scope: Scope, domain: nodes.RangeDomain) -> tuple[Value, Value]:
    """Both ends of a range, in a type that also holds the number after the last."""
    b = scope.b
    lo, hi = scope.scalar(domain.lo), scope.scalar(domain.hi)
    top = getattr(domain.hi.type, "hi", 0) + 1
    kinds = (lo.type, hi.type, int_ir(0, top))
    ir = max(kinds, key=width)
    return b.resize(lo, ir), b.resize(hi, ir)


def count(scope: Scope, stop: Value, body: Callable[[Value], None]) -> None:
    """Runs `body` with 0, 1, .., stop - 1."""
    b = scope.b
    if stop.const is not None and stop.const <= 0:
        return
    if stop.const == 1:
        body(const(stop.type, 0))
        return
    at = b.alloca(stop.type)
    b.store(const(stop.type, 0), at)
    head, inner, done = b.label("loop"), b.label("item"), b.label("done")
    b.start(head)
    k = b.load(stop.type, at)
    b.branch(b.compare("slt", k, stop), inner, done)
    b.start(inner)
    body(k)
    b.store(b.add(k, const(stop.type, 1)), at)
    b.br(head)
    b.start(done)


def bind(scope: Scope, binder: Binder, value: Operand) -> None:
    """Binds the slots of a binder to a value of its domain."""
    bind_slots(scope, binder.slots, binder.unpack, binder.domain.element, value)


def bind_slots(scope: Scope, slots: tuple[int, ...], unpack: bool, element: Type, value: Operand) -> None:
    """Binds one slot to a value of a type, or with `unpack` one slot to each part of a tuple."""
    if not unpack:
        scope.types[slots[0]] = element
        scope.set_slot(slots[0], value)
        return
    assert isinstance(value, tuple) and isinstance(element, Tuple)
    for slot, item, type_ in zip(slots, value, element.fields, strict=True):
        scope.types[slot] = type_
        scope.set_slot(slot, item)


class Indexed:
    """A domain whose values can be counted and picked by number, without a loop."""

    def __init__(self, scope: Scope, domain: Domain):
        self._scope = scope
        b = scope.b
        match domain:
            case nodes.TypeDomain():
                element = domain.element
                self.length = const(ordinal_ir(element), index_size(element))
                self.at: Callable[[Value], Operand] = lambda k: from_ordinal(scope, element, k)
            case nodes.RangeDomain():
                lo, hi = _bounds(scope, domain)
                ir = scalar_ir(domain.element)
                size = b.add(b.sub(hi, lo), const(lo.type, 1))
                none = b.compare("slt", size, const(lo.type, 0))
                self.length = b.select(none, const(lo.type, 0), size)
                self.at = lambda k: b.resize(b.add(lo, b.resize(k, lo.type)), ir)
            case nodes.SetDomain():
                mask = scope.scalar(domain.set)
                inner = element_of(domain.set.type)
                self.length = b.popcount(mask)
                self.at = lambda k: from_ordinal(scope, inner, nth_bit(scope, mask, b.resize(k, "i32")))
            case nodes.ListDomain():
                assert isinstance(domain.sequence.type, ListOf)
                sequence = ListValue(scope, domain.sequence.type, scope.scalar(domain.sequence))
                start = sequence.start()
                self.length = sequence.length()
                self.at = lambda k: sequence.element(start, k)
            case nodes.SubsetsDomain():
                raise AssertionError("the checker lets nobody draw from subsets")
