"""Comprehensions as closures: `any`, `all`, `count`, `sum`, `min`, `max`, `set` and `first`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gdl.diagnostics import faults as wording
from gdl.diagnostics.faults import Fault
from gdl.model.nodes import Aggregate
from gdl.model.types import NONE, BagOf, SetOf, ordinal
from gdl.reference.closures import Closure, Frame, Scope, State
from gdl.reference.conversion import conversion, convert
from gdl.reference.domains import Bindings, compile_bindings
from gdl.reference.expressions import compile_expression


@compile_expression.register
def _aggregate(node: Aggregate, scope: Scope) -> Closure:
    if node.kind in ("any", "all") and len(node.binders) == 1 and not node.binders[0].unpack:
        return _quantifier(node, scope)
    bindings = compile_bindings(node.binders, node.condition, scope)
    return _KINDS[node.kind](node, bindings, scope.expression(node.body), scope)


def _quantifier(node: Aggregate, scope: Scope) -> Closure:
    """`any` and `all` over one name, written out because boards are made of them."""
    (binder,) = node.binders
    (slot,) = binder.slots
    domain, body = scope.domain(binder.domain), scope.expression(node.body)
    condition = None if node.condition is None else scope.expression(node.condition)
    decisive = node.kind == "any"  # the body that settles it
    undecided = not decisive

    def unconditional(state: State, frame: Frame) -> bool:
        for frame[slot] in domain(state, frame):  # noqa: B020 (binds one slot)
            if (not body(state, frame)) is undecided:
                return decisive
        return undecided

    def conditional(state: State, frame: Frame) -> bool:
        assert condition is not None
        for frame[slot] in domain(state, frame):  # noqa: B020 (binds one slot)
            if condition(state, frame) and (not body(state, frame)) is undecided:
                return decisive
        return undecided

    return unconditional if condition is None else conditional


def _any(node: Aggregate, bindings: Bindings, body: Closure, scope: Scope) -> Closure:
    return lambda state, frame: any(body(state, frame) for _ in bindings(state, frame))


def _all(node: Aggregate, bindings: Bindings, body: Closure, scope: Scope) -> Closure:
    return lambda state, frame: all(body(state, frame) for _ in bindings(state, frame))


def _count(node: Aggregate, bindings: Bindings, body: Closure, scope: Scope) -> Closure:
    return lambda state, frame: sum([1 for _ in bindings(state, frame) if body(state, frame)])


def _sum(node: Aggregate, bindings: Bindings, body: Closure, scope: Scope) -> Closure:
    return lambda state, frame: sum([body(state, frame) for _ in bindings(state, frame)])


def _extreme(node: Aggregate, bindings: Bindings, body: Closure, scope: Scope) -> Closure:
    choose = min if node.kind == "min" else max
    default = None if node.default is None else scope.expression(node.default)

    def extreme(state: State, frame: Frame) -> Any:
        found = [body(state, frame) for _ in bindings(state, frame)]
        if found:
            return choose(found)
        if default is None:
            raise Fault(wording.nothing_to_choose(node.kind, node.span))
        return default(state, frame)

    return extreme


def _set(node: Aggregate, bindings: Bindings, body: Closure, scope: Scope) -> Closure:
    assert isinstance(node.type, SetOf)
    element = node.type.element

    def collect(state: State, frame: Frame) -> int:
        mask = 0
        for _ in bindings(state, frame):
            mask |= 1 << ordinal(element, body(state, frame))
        return mask

    return collect


def _bag(node: Aggregate, bindings: Bindings, body: Closure, scope: Scope) -> Closure:
    type_ = node.type
    assert isinstance(type_, BagOf)

    def collect(state: State, frame: Frame) -> int:
        found: list[int] = []
        for _ in bindings(state, frame):
            found.append(ordinal(type_.element, body(state, frame)))
            if len(found) > type_.longest:
                raise Fault(wording.bag_full(len(found), type_.longest, node.span))
        return type_.holding(found) or 0

    return collect


def _list(node: Aggregate, bindings: Bindings, body: Closure, scope: Scope) -> Closure:
    """Only in constants: a list is known when the game is compiled."""
    return lambda state, frame: tuple([body(state, frame) for _ in bindings(state, frame)])


def _first(node: Aggregate, bindings: Bindings, body: Closure, scope: Scope) -> Closure:
    found, none = conversion(node.body.type, node.type), convert(NONE, node.type, 0)

    def first(state: State, frame: Frame) -> Any:
        for _ in bindings(state, frame):
            return found(body(state, frame))
        return none

    return first


_KINDS: dict[str, Callable[[Aggregate, Bindings, Closure, Scope], Closure]] = {
    "any": _any,
    "all": _all,
    "count": _count,
    "sum": _sum,
    "min": _extreme,
    "max": _extreme,
    "set": _set,
    "bag": _bag,
    "list": _list,
    "first": _first,
}
