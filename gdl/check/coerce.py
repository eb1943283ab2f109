"""Making an expression fit a type: conversions that cannot fail, checks at run time, or a mistake."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from gdl.check.context import Body
from gdl.check.relations import (
    comparable,
    contains,
    convert_value,
    has_none,
    is_numeric,
    join,
    kin,
    overlap,
    simplest,
    type_of,
    without_none,
)
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import (
    BagOf,
    Cells,
    Int,
    ListOf,
    Rational,
    SetOf,
    Tuple,
    Type,
    Union,
    places_of,
    show_value,
    whole_of,
)
from gdl.model.walk import children
from gdl.reference.conversion import convert
from gdl.reference.faults import Fault


def fold(body: Body, expr: m.Expr) -> m.Expr:
    """The constant that an expression of constants is; an expression that would fail stays as it is."""
    if isinstance(expr, m.Const) or not all(isinstance(part, m.Const) for part in children(expr)):
        return expr
    return evaluated(body, expr)


def evaluated(body: Body, expr: m.Expr) -> m.Expr:
    """A closed expression as a constant, if it has a value at all."""
    try:
        value = simplest(body.checker.compute(expr))
    except Fault:
        return expr
    return m.Const(value, type_of(value) if is_numeric(expr.type) else expr.type, expr.span)


def coerce(body: Body, expr: m.Expr, target: Type, what: str, insist: bool = False) -> m.Expr:
    """The expression as a value of `target`.

    A whole number that may lie outside is checked at run time, one that must lie outside is a mistake.
    With `insist` (`Point(x)`) other values that may lie outside are checked at run time too.
    `what` names what the value is for.
    """
    source = expr.type
    if source == target:
        return expr
    if isinstance(expr, m.Const):
        return _constant(body, expr, target, what)
    if isinstance(source, Int) and isinstance(target, Int):
        if contains(target, source):
            return expr
        return _check(body, expr, target, what)
    if isinstance(target, Rational) and is_numeric(source):
        return m.Convert(expr, target, expr.span) if isinstance(source, Int) else expr
    if isinstance(source, Rational) and isinstance(target, Int):
        body.checker.fail(say.fraction_for_whole(expr.span, what, target))
    if contains(target, source):
        if isinstance(source, Tuple) and isinstance(target, Tuple) and _same_representation(source, target):
            return expr
        if isinstance(source, ListOf):
            return expr
        return fold(body, m.Convert(expr, target, expr.span))
    if isinstance(target, Union):
        member = _overlapping_number(source, target, any_=body.facts.impossible)
        if member is not None:
            return m.Convert(_check(body, expr, member, what), target, expr.span)
    if isinstance(target, Tuple) and isinstance(source, Tuple) and len(target.fields) == len(source.fields):
        return _fields(body, expr, target, what, insist)
    if isinstance(whole_of(target), Int) and isinstance(whole_of(source), Int):
        insist = True  # numbers may be outside, as with ranges
    if isinstance(source, BagOf) and isinstance(target, BagOf) and contains(target.element, source.element):
        insist = True  # it may be too large
    if insist and overlap(source, target):
        body.leave_open(say.range_left_open(expr.span, what, source, target))
        return m.Check(expr, what, target, expr.span)
    if has_none(source) and not has_none(target) and overlap(without_none(source), target):
        body.checker.fail(say.may_be_none(expr.span, what, source, target))
    if (isinstance(source, Union) or kin(source, target)) and overlap(source, target):
        body.checker.fail(say.too_wide(expr.span, what, source, target))
    body.checker.fail(say.wrong_type(expr.span, what, source, target, hint=_cell_hint(source, target)))


def _constant(body: Body, expr: m.Const, target: Type, what: str) -> m.Expr:
    try:
        value = convert_value(expr.value, expr.type, target)
    except ValueError:
        return _constant_outside(body, expr, target, what)
    kept = type_of(value) if isinstance(target, Int) else target
    return replace(expr, value=value, type=kept)


def _constant_outside(body: Body, expr: m.Const, target: Type, what: str) -> m.Expr:
    if isinstance(expr.type, Rational) and isinstance(target, Int):
        body.checker.fail(say.fraction_for_whole(expr.span, what, target))
    number = target if isinstance(target, Int) else _overlapping_number(expr.type, target, any_=True)
    if isinstance(expr.type, Int) and isinstance(number, Int):
        body.refuse(say.never_in_range(expr.span, what, str(expr.value), number))
        return m.Check(expr, what, number, expr.span)
    shown = show_value(expr.type, expr.value)
    hint = _cell_hint(expr.type, target)
    body.checker.fail(say.wrong_type(expr.span, what, expr.type, target, shown, hint))


def _overlapping_number(source: Type, target: Type, any_: bool = False) -> Int | None:
    if not isinstance(target, Union) or not isinstance(source, Int):
        return None
    for member in target.members:
        if isinstance(member, Int) and (any_ or overlap(member, source)):
            return member
    return None


def _check(body: Body, expr: m.Expr, target: Int, what: str) -> m.Expr:
    source = expr.type
    assert isinstance(source, Int)
    if not overlap(source, target):
        body.refuse(say.never_in_range(expr.span, what, str(source), target))
    body.leave_open(say.range_left_open(expr.span, what, source, target))
    return m.Check(expr, what, target, expr.span)


def _same_representation(source: Tuple, target: Tuple) -> bool:
    return all(
        s == t or (isinstance(s, Int) and isinstance(t, Int))
        for s, t in zip(source.fields, target.fields, strict=True)
    )


def _fields(body: Body, expr: m.Expr, target: Tuple, what: str, insist: bool) -> m.Expr:
    assert isinstance(expr.type, Tuple)
    if isinstance(expr, m.TupleOf):
        parts: tuple[m.Expr, ...] = expr.items
    else:
        parts = tuple(m.Field(expr, i, t, expr.span) for i, t in enumerate(expr.type.fields))
    items = tuple(coerce(body, p, t, what, insist) for p, t in zip(parts, target.fields, strict=True))
    return m.TupleOf(items, target, expr.span)


def unify(body: Body, left: m.Expr, right: m.Expr, span: Span) -> tuple[m.Expr, m.Expr]:
    """Both sides of a comparison in one type."""
    if is_numeric(left.type) and is_numeric(right.type):
        if isinstance(left.type, Int) and isinstance(right.type, Int):
            return left, right
        return as_rational(body, left), as_rational(body, right)
    common = _pair_with_cell(body, left, right) or join(left.type, right.type)
    if common is None or not comparable(left.type, right.type):
        body.checker.fail(say.never_equal(span, left.type, right.type))
    return coerce(body, left, common, "this side"), coerce(body, right, common, "this side")


def _pair_with_cell(body: Body, left: m.Expr, right: m.Expr) -> Type | None:
    """`c == (0, 1)` compares a cell with a pair of numbers."""
    for cell, pair in ((left, right), (right, left)):
        if isinstance(cell.type, Cells) and isinstance(pair, m.Const) and isinstance(pair.type, Tuple):
            return cell.type
    return None


def as_rational(body: Body, expr: m.Expr) -> m.Expr:
    if isinstance(expr.type, Int):
        target = Rational(Fraction(expr.type.lo), Fraction(expr.type.hi))
        if isinstance(expr, m.Const):
            return replace(expr, type=target)
        return m.Convert(expr, target, expr.span)
    return expr


def joined(
    body: Body, parts: list[m.Expr], span: Span, expected: Type | None = None
) -> tuple[list[m.Expr], Type]:
    """Several expressions in one type: the expected one if it holds them all, else the smallest."""
    parts = [fitted(part, expected) for part in parts]
    if expected is not None and not is_numeric(expected) and all(contains(expected, p.type) for p in parts):
        common: Type | None = expected
    else:
        common = parts[0].type
        for part in parts[1:]:
            common = join(common, part.type)
            if common is None:
                body.checker.fail(
                    say.no_common_type(span, parts[0].type, part.type, parts[0].span, part.span)
                )
    assert common is not None
    return [coerce(body, p, common, "this value") for p in parts], common


def fitted(expr: m.Expr, expected: Type | None) -> m.Expr:
    """A constant as a value of the expected type, where a subset is in it: its own type does not say that
    it lies in the subset."""
    if expected is None or not isinstance(expr, m.Const) or not _has_subset(expected):
        return expr
    value = convert(expr.type, expected, expr.value)
    return expr if value is None else m.Const(value, expected, expr.span)


def _has_subset(type_: Type) -> bool:
    match type_:
        case Tuple():
            return any(map(_has_subset, type_.fields))
        case Union():
            return any(map(_has_subset, type_.members))
        case SetOf() | BagOf():
            return _has_subset(type_.element)
        case _:
            return places_of(type_) is not None


def element_of(type_: Type) -> Any:
    return type_.element if isinstance(type_, SetOf | BagOf | ListOf) else None


def _cell_hint(source: Type, target: Type) -> str | None:
    """A pair of numbers where a cell is wanted is mostly its row and column, counted from 1."""
    if isinstance(target, Cells) and target.rows and isinstance(source, Tuple) and len(source.fields) == 2:
        return f"rows and columns count from 0: the last cell is ({target.rows - 1}, {target.cols - 1})"
    return None
