"""What loops, comprehensions, draws and move parameters range over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import singledispatch
from typing import Any

from gdl.model.nodes import Binder, Const, Expr, ListDomain, RangeDomain, SetDomain, TypeDomain
from gdl.model.types import (
    BagOf,
    Bool,
    BoundedList,
    Int,
    ListOf,
    MapOf,
    Rational,
    Text,
    Tuple,
    Type,
    from_ordinal,
    values,
)
from gdl.reference.closures import Closure, Frame, Scope, State
from gdl.reference.conversion import bits_of

Bindings = Callable[[State, Frame], Iterator[None]]
"""Sets the slots of some binders to each combination of values in turn."""

_KEPT_VALUES = 1 << 16  # types of tuples up to this size are listed once and kept


@singledispatch
def compile_domain(domain: Any, scope: Scope) -> Closure:
    """A closure that gives the values of the domain, in order, as something to iterate over once."""
    raise TypeError(f"no domain: {domain!r}")


@compile_domain.register
def _type_domain(domain: TypeDomain, scope: Scope) -> Closure:
    everything = values_of(domain.element)
    return lambda state, frame: everything


@compile_domain.register
def _range_domain(domain: RangeDomain, scope: Scope) -> Closure:
    if isinstance(domain.lo, Const) and isinstance(domain.hi, Const):
        numbers = range(domain.lo.value, domain.hi.value + 1)
        return lambda state, frame: numbers
    lo, hi = scope.expression(domain.lo), scope.expression(domain.hi)
    return lambda state, frame: range(lo(state, frame), hi(state, frame) + 1)


@compile_domain.register
def _set_domain(domain: SetDomain, scope: Scope) -> Closure:
    element = domain.element
    if isinstance(domain.set, Const):
        elements = _members(element, domain.set.value)
        return lambda state, frame: elements
    members = scope.expression(domain.set)
    return lambda state, frame: _members(element, members(state, frame))


@compile_domain.register
def _list_domain(domain: ListDomain, scope: Scope) -> Closure:
    return scope.expression(domain.sequence)


class _Values:
    """All values of a type too large to keep a list of."""

    def __init__(self, type_: Type):
        self._type = type_

    def __len__(self) -> int:
        assert not isinstance(self._type, Rational | BagOf | ListOf | MapOf | BoundedList | Text)
        return self._type.size

    def __iter__(self) -> Iterator[Any]:
        return values(self._type)

    def __getitem__(self, number: int) -> Any:
        return from_ordinal(self._type, number)


def values_of(type_: Type) -> Iterable[Any]:
    """All values of a finite type, by ordinal; may be iterated over repeatedly, has a length and indexing."""
    assert not isinstance(type_, Rational | BagOf | ListOf | MapOf | BoundedList | Text)
    match type_:
        case Int():
            return range(type_.lo, type_.hi + 1)
        case Bool():
            return (False, True)
        case Tuple():
            return tuple(values(type_)) if type_.size <= _KEPT_VALUES else _Values(type_)
        case _:
            return range(type_.size)


def _members(element: Type, mask: int) -> list[Any]:
    """The elements of a set, by ordinal."""
    match element:
        case Int():
            return [k + element.lo for k in bits_of(mask)]
        case Bool() | Tuple():
            return [from_ordinal(element, k) for k in bits_of(mask)]
        case _:
            return bits_of(mask)


def compile_bindings(binders: tuple[Binder, ...], condition: Expr | None, scope: Scope) -> Bindings:
    """Yields once for each combination that satisfies the condition, the last binder varying fastest."""
    bindings: Bindings = _once if condition is None else _once_if(scope.expression(condition))
    for binder in reversed(binders):
        bindings = _bind(binder, bindings, scope)
    return bindings


def _once(state: State, frame: Frame) -> Iterator[None]:
    yield None


def _once_if(condition: Closure) -> Bindings:
    def bindings(state: State, frame: Frame) -> Iterator[None]:
        if condition(state, frame):
            yield None

    return bindings


def _bind(binder: Binder, inner: Bindings, scope: Scope) -> Bindings:
    domain = scope.domain(binder.domain)
    bind = binding(binder)
    innermost = inner is _once

    def bindings(state: State, frame: Frame) -> Iterator[None]:
        for value in domain(state, frame):
            bind(frame, value)
            if innermost:
                yield None
            else:
                yield from inner(state, frame)

    return bindings


def binding(binder: Binder) -> Callable[[Frame, Any], None]:
    """How a value of the domain reaches the slots of the binder."""
    slots = binder.slots
    if not binder.unpack:
        (slot,) = slots

        def bind(frame: Frame, value: Any) -> None:
            frame[slot] = value

        return bind

    def unpack(frame: Frame, value: Any) -> None:
        for slot, item in zip(slots, value, strict=True):
            frame[slot] = item

    return unpack
