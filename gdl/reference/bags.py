"""Bags as closures: how often each element is in one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from gdl.diagnostics import faults as wording
from gdl.diagnostics.faults import Fault
from gdl.model import nodes
from gdl.model.types import BagOf, SetOf, Type, from_ordinal, show_value
from gdl.reference.closures import Closure, Frame, Scope, State
from gdl.reference.conversion import bits_of
from gdl.reference.domains import compile_domain
from gdl.reference.expressions import compile_expression, ordinal_of


def bag_type(type_: Type) -> BagOf:
    assert isinstance(type_, BagOf)
    return type_


@compile_expression.register
def _literal(node: nodes.BagLiteral, scope: Scope) -> Closure:
    type_ = bag_type(node.type)
    ordinals = tuple(ordinal_of(type_.element, scope.expression(item)) for item in node.elements)
    return lambda state, frame: type_.holding([item(state, frame) for item in ordinals])


@compile_expression.register
def _operation(node: nodes.BagOperation, scope: Scope) -> Closure:
    type_ = bag_type(node.type)
    left, right = scope.expression(node.left), scope.expression(node.right)

    def add(state: State, frame: Frame) -> int:
        a, b = left(state, frame), right(state, frame)
        total = sum(type_.counts(a)) + sum(type_.counts(b))
        if total > type_.longest:
            raise Fault(wording.bag_full(total, type_.longest, node.span))
        return int(a + b)

    def subtract(state: State, frame: Frame) -> int:
        a, b = left(state, frame), right(state, frame)
        for number, (there, taken) in enumerate(zip(type_.counts(a), type_.counts(b), strict=True)):
            if taken > there:
                item = show_value(type_.element, from_ordinal(type_.element, number))
                raise Fault(wording.not_in_bag(item, there, taken, node.span))
        return int(a - b)

    return add if node.op == "+" else subtract


@compile_expression.register
def _size(node: nodes.BagSize, scope: Scope) -> Closure:
    operand, type_ = scope.expression(node.operand), bag_type(node.operand.type)
    return lambda state, frame: sum(type_.counts(operand(state, frame)))


@compile_expression.register
def _count(node: nodes.BagCount, scope: Scope) -> Closure:
    bag, type_ = scope.expression(node.bag), bag_type(node.bag.type)
    number = ordinal_of(type_.element, scope.expression(node.item))

    def count(state: State, frame: Frame) -> int:
        counts = type_.counts(bag(state, frame))
        return counts[number(state, frame)]

    return count


@compile_expression.register
def _change(node: nodes.BagChange, scope: Scope) -> Closure:
    bag, type_ = scope.expression(node.bag), bag_type(node.type)
    number, count = ordinal_of(type_.element, scope.expression(node.item)), scope.expression(node.count)

    def change(state: State, frame: Frame) -> int:
        before = bag(state, frame)
        k, there = number(state, frame), count(state, frame)
        counts = type_.counts(before)
        total = sum(counts) - counts[k] + there
        if total > type_.longest:
            raise Fault(wording.bag_full(total, type_.longest, node.span))
        return int(before + (there - counts[k] << k * type_.width))

    return change


@compile_expression.register
def _within(node: nodes.BagWithin, scope: Scope) -> Closure:
    small, large, type_ = (
        scope.expression(node.small),
        scope.expression(node.large),
        bag_type(node.small.type),
    )

    def within(state: State, frame: Frame) -> bool:
        pairs = zip(type_.counts(small(state, frame)), type_.counts(large(state, frame)), strict=True)
        return all(few <= many for few, many in pairs)

    return within


@compile_expression.register
def _distinct(node: nodes.Distinct, scope: Scope) -> Closure:
    operand, type_ = scope.expression(node.operand), bag_type(node.operand.type)

    def distinct(state: State, frame: Frame) -> int:
        counts = type_.counts(operand(state, frame))
        return sum(1 << number for number, count in enumerate(counts) if count)

    return distinct


@compile_domain.register
def _subsets_domain(domain: nodes.SubsetsDomain, scope: Scope) -> Closure:
    whole, type_ = scope.expression(domain.whole), domain.whole.type

    def subsets(state: State, frame: Frame) -> Iterator[Any]:
        parts = _parts(type_, whole(state, frame))
        return (sum(chosen) for chosen in product(*parts))

    return subsets


def _parts(type_: Type, value: int) -> list[range]:
    """What each element may add to a set or bag within one, the last element first: it varies slowest."""
    if isinstance(type_, SetOf):
        return [range(0, (1 << k) + 1, 1 << k) for k in reversed(bits_of(value))]
    bag = bag_type(type_)
    one = [1 << k * bag.width for k in range(bag.element.size)]
    return [
        range(0, count * unit + 1, unit)
        for count, unit in zip(bag.counts(value)[::-1], one[::-1], strict=True)
    ]
