"""Expressions of the Model as closures: one function per kind of node.

Evaluation is left to right and stops at the first fault. Numbers are exact: `int` or `Fraction`.
The special cases (a constant operand, a single index) only save time: the interpreter judges hundreds
of thousands of positions, and these are what boards are made of.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from functools import singledispatch
from typing import Any

from gdl.diagnostics import faults as wording
from gdl.diagnostics.faults import Fault
from gdl.model import nodes
from gdl.model.nodes import Expr
from gdl.model.types import (
    NONE,
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
    ordinal,
    show_value,
)
from gdl.reference.closures import SUPPOSED, Closure, Frame, Scope, State
from gdl.reference.conversion import constant_shift, conversion, convert


@singledispatch
def compile_expression(node: Any, scope: Scope) -> Closure:
    """The closure that computes an expression."""
    raise TypeError(f"no expression: {node!r}")


# --------------------------------------------------------------------------- names


@compile_expression.register
def _const(node: nodes.Const, scope: Scope) -> Closure:
    value = node.value
    return lambda state, frame: value


@compile_expression.register
def _local(node: nodes.Local, scope: Scope) -> Closure:
    slot = node.slot
    return lambda state, frame: frame[slot]


@compile_expression.register
def _read(node: nodes.Read, scope: Scope) -> Closure:
    variable, offset = scope.variable(node.variable)
    place = compile_place(variable.indices, node.indices, offset, scope)
    if isinstance(place, int):
        return lambda state, frame: state[place]
    return lambda state, frame: state[place(state, frame)]


@compile_expression.register
def _lookup(node: nodes.Lookup, scope: Scope) -> Closure:
    table = scope.table(node.table)
    entries = table.values
    place = compile_place(table.indices, node.indices, 0, scope)
    if isinstance(place, int):
        entry = entries[place]
        return lambda state, frame: entry
    return lambda state, frame: entries[place(state, frame)]


def compile_place(
    types: tuple[Type, ...], indices: tuple[Expr, ...], offset: int, scope: Scope
) -> Closure | int:
    """Where an element of a map lies: row-major from `offset`. A number where the indices are constant."""
    terms: list[tuple[Closure, int]] = []
    stride = 1
    for type_, index in zip(reversed(types), reversed(indices), strict=True):
        assert not isinstance(type_, Rational | ListOf | MapOf | BoundedList | Text)
        if isinstance(index, nodes.Const):
            offset += stride * ordinal(type_, index.value)
        elif isinstance(type_, Int):
            offset -= stride * type_.lo
            terms.append((scope.expression(index), stride))
        else:
            terms.append((ordinal_of(type_, scope.expression(index)), stride))
        stride *= type_.size
    terms.reverse()
    return _sum_of_terms(terms, offset)


def _sum_of_terms(terms: list[tuple[Closure, int]], offset: int) -> Closure | int:
    if not terms:
        return offset
    if len(terms) == 1:
        ((only, stride),) = terms
        if stride == 1:
            return lambda state, frame: only(state, frame) + offset
        return lambda state, frame: only(state, frame) * stride + offset
    if len(terms) == 2:
        (first, first_stride), (second, second_stride) = terms
        return lambda state, frame: (
            first(state, frame) * first_stride + second(state, frame) * second_stride + offset
        )

    def place(state: State, frame: Frame) -> int:
        total = offset
        for index, stride in terms:
            total += index(state, frame) * stride
        return total

    return place


def ordinal_of(type_: Type, value: Closure) -> Closure:
    """The ordinal of a computed value; most values are their own."""
    match type_:
        case Int():
            lo = type_.lo
            return value if lo == 0 else lambda state, frame: value(state, frame) - lo
        case Tuple():
            return lambda state, frame: ordinal(type_, value(state, frame))
        case _:
            return value


# ------------------------------------------------------------------------- numbers


@compile_expression.register
def _arithmetic(node: nodes.Arithmetic, scope: Scope) -> Closure:
    left, right = scope.expression(node.left), scope.expression(node.right)
    if node.op in _TOTAL:
        total = _TOTAL[node.op]
        return lambda state, frame: total(left(state, frame), right(state, frame))
    partial = _PARTIAL[node.op]

    def divide(state: State, frame: Frame) -> Any:
        dividend, divisor = left(state, frame), right(state, frame)
        try:
            return partial(dividend, divisor)
        except ZeroDivisionError:
            raise Fault(wording.division_by_zero(node.op, str(dividend), node.span)) from None

    return divide


def _power(base: int | Fraction, exponent: int) -> int | Fraction:
    """Exact also for negative exponents, where Python would turn to floating point."""
    return base**exponent if exponent >= 0 else Fraction(base) ** exponent


_TOTAL: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "min": min,
    "max": max,
}

_PARTIAL: dict[str, Callable[[Any, Any], Any]] = {
    "/": Fraction,
    "div": operator.floordiv,
    "mod": operator.mod,
    "**": _power,
}


@compile_expression.register
def _negate(node: nodes.Negate, scope: Scope) -> Closure:
    operand = scope.expression(node.operand)
    return lambda state, frame: -operand(state, frame)


@compile_expression.register
def _absolute(node: nodes.Absolute, scope: Scope) -> Closure:
    operand = scope.expression(node.operand)
    return lambda state, frame: abs(operand(state, frame))


@compile_expression.register
def _cycle(node: nodes.Cycle, scope: Scope) -> Closure:
    operand, by, type_ = scope.expression(node.operand), node.by, node.type
    assert not isinstance(type_, Rational | ListOf | MapOf | BoundedList | Text)
    size = type_.size
    match type_:
        case Int():
            lo = type_.lo
            return lambda state, frame: (operand(state, frame) - lo + by) % size + lo
        case Bool() | Tuple():
            return lambda state, frame: from_ordinal(
                type_, (ordinal(type_, operand(state, frame)) + by) % size
            )
        case _:
            return lambda state, frame: (operand(state, frame) + by) % size


@compile_expression.register
def _rank(node: nodes.Rank, scope: Scope) -> Closure:
    return ordinal_of(node.operand.type, scope.expression(node.operand))


@compile_expression.register
def _ranked(node: nodes.Ranked, scope: Scope) -> Closure:
    number, type_ = scope.expression(node.operand), node.type
    return lambda state, frame: from_ordinal(type_, number(state, frame))


@compile_expression.register
def _fill(node: nodes.Fill, scope: Scope) -> Closure:
    assert isinstance(node.type, MapOf)
    value, count = scope.expression(node.value), node.type.count
    return lambda state, frame: (value(state, frame),) * count


@compile_expression.register
def _entry(node: nodes.Entry, scope: Scope) -> Closure:
    assert isinstance(node.map.type, MapOf)
    entries = scope.expression(node.map)
    place = compile_place(node.map.type.indices, node.indices, 0, scope)
    if isinstance(place, int):
        return lambda state, frame: entries(state, frame)[place]
    return lambda state, frame: entries(state, frame)[place(state, frame)]


# --------------------------------------------------------------------------- truth


@compile_expression.register
def _stuck(node: nodes.Stuck, scope: Scope) -> Closure:
    return lambda state, frame: scope.stuck(state)


@compile_expression.register
def _compare(node: nodes.Compare, scope: Scope) -> Closure:
    left, right = scope.expression(node.left), scope.expression(node.right)
    if isinstance(node.right, nodes.Const):
        constant = node.right.value
        if node.op == "==":
            return lambda state, frame: left(state, frame) == constant
        if node.op == "!=":
            return lambda state, frame: left(state, frame) != constant
    if node.op == "==":
        return lambda state, frame: left(state, frame) == right(state, frame)
    test = _COMPARISONS[node.op]
    return lambda state, frame: test(left(state, frame), right(state, frame))


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@compile_expression.register
def _and(node: nodes.And, scope: Scope) -> Closure:
    items = tuple(scope.expression(item) for item in node.items)
    if len(items) == 2:
        first, second = items
        return lambda state, frame: first(state, frame) and second(state, frame)

    def conjunction(state: State, frame: Frame) -> bool:
        for item in items:  # noqa: SIM110 (a generator would cost more than the items)
            if not item(state, frame):
                return False
        return True

    return conjunction


@compile_expression.register
def _or(node: nodes.Or, scope: Scope) -> Closure:
    items = tuple(scope.expression(item) for item in node.items)
    if len(items) == 2:
        first, second = items
        return lambda state, frame: first(state, frame) or second(state, frame)

    def disjunction(state: State, frame: Frame) -> bool:
        for item in items:  # noqa: SIM110 (a generator would cost more than the items)
            if item(state, frame):
                return True
        return False

    return disjunction


@compile_expression.register
def _not(node: nodes.Not, scope: Scope) -> Closure:
    operand = scope.expression(node.operand)
    return lambda state, frame: not operand(state, frame)


@compile_expression.register
def _conditional(node: nodes.Conditional, scope: Scope) -> Closure:
    condition = scope.expression(node.condition)
    then, otherwise = scope.expression(node.then), scope.expression(node.otherwise)
    return lambda state, frame: then(state, frame) if condition(state, frame) else otherwise(state, frame)


@compile_expression.register
def _is(node: nodes.Is, scope: Scope) -> Closure:
    operand, ranges = scope.expression(node.operand), node.ranges
    if len(ranges) == 1:
        ((start, stop),) = ranges
        return lambda state, frame: start <= operand(state, frame) < stop

    def within(state: State, frame: Frame) -> bool:
        value = operand(state, frame)
        return any(start <= value < stop for start, stop in ranges)

    return within


# --------------------------------------------------------------------------- calls


@compile_expression.register
def _call(node: nodes.Call, scope: Scope) -> Closure:
    function = scope.function(node.function)
    body, blank = function.body, [None] * function.frame
    arguments = tuple(scope.expression(argument) for argument in node.arguments)
    slots = function.slots
    if not arguments:
        return lambda state, frame: body(state, blank.copy())

    def call(state: State, frame: Frame) -> Any:
        own: Frame = blank.copy()
        for slot, argument in zip(slots, arguments, strict=True):
            own[slot] = argument(state, frame)
        return body(state, own)

    return call


@compile_expression.register
def _after(node: nodes.After, scope: Scope) -> Closure:
    effect, then = scope.effect(node.effect), scope.expression(node.body)
    arguments = tuple(scope.expression(argument) for argument in node.arguments)

    def after(state: State, frame: Frame) -> Any:
        own: Frame = [None] * effect.frame
        for slot, argument in zip(effect.slots, arguments, strict=True):
            own[slot] = argument(state, frame)
        supposed = list(state)
        effect.body(supposed, own, SUPPOSED)
        return then(supposed, frame)

    return after


# ------------------------------------------------------------------- other types


@compile_expression.register
def _convert(node: nodes.Convert, scope: Scope) -> Closure:
    operand, source = scope.expression(node.operand), node.operand.type
    shift = constant_shift(source, node.type)
    if shift == 0:
        return operand
    if shift is not None:
        return lambda state, frame: operand(state, frame) + shift
    translate = conversion(source, node.type)
    return lambda state, frame: translate(operand(state, frame))


@compile_expression.register
def _cast(node: nodes.Cast, scope: Scope) -> Closure:
    operand = scope.expression(node.operand)
    translate = conversion(node.operand.type, node.type)
    none = convert(NONE, node.type, 0)

    def cast(state: State, frame: Frame) -> Any:
        value = translate(operand(state, frame))
        return none if value is None else value

    return cast


@compile_expression.register
def _index(node: nodes.Index, scope: Scope) -> Closure:
    operand, limit = scope.expression(node.operand), scope.expression(node.limit)

    def index(state: State, frame: Frame) -> Any:
        place, end = operand(state, frame), limit(state, frame)
        if 0 <= place < end:
            return place
        if node.grows:
            raise Fault(wording.list_full(node.what, end, node.span))
        raise Fault(wording.no_element(node.what, place, end, node.span))

    return index


@compile_expression.register
def _check(node: nodes.Check, scope: Scope) -> Closure:
    operand, source = scope.expression(node.operand), node.operand.type
    translate = conversion(source, node.type)

    def check(state: State, frame: Frame) -> Any:
        given = operand(state, frame)
        value = translate(given)
        if value is None:
            shown = show_value(source, given)
            raise Fault(wording.outside_range(node.what, shown, str(node.type), node.span))
        return value

    return check
