"""Numbers, steps on a board, and sets: `+ - * / div mod ** | &`."""

from __future__ import annotations

from gdl.check import bags
from gdl.check.coerce import as_rational, coerce, fold
from gdl.check.context import Body
from gdl.check.expressions import expect_number, expression, handles, widened
from gdl.check.habits import joined_text
from gdl.check.relations import (
    arithmetic,
    contains,
    has_none,
    is_numeric,
    join,
    optional,
    overlap,
    simplest,
    type_of,
    without_none,
)
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import BagOf, Cells, Int, Rational, SetOf, Tuple, Type
from gdl.syntax import tree

MAX_NUMBER = 2**62
MAX_EXPONENT = 1000


@handles(tree.Number)
def _number(body: Body, node: tree.Number, expected: Type | None) -> m.Expr:
    return m.Const(node.value, type_of(node.value), node.span)


@handles(tree.Operation)
def _operation(body: Body, node: tree.Operation, expected: Type | None) -> m.Expr:
    if node.op in ("|", "&"):
        return _set_operation(body, node.op, node, expected)
    if node.op == "+" and (joined := joined_text(node)):
        body.checker.fail(say.text_joined(node.span, joined))
    # A long chain `a + b + c` is nested to the left: walk down it without recursion.
    chain = [node]
    while isinstance(chain[-1].left, tree.Operation) and chain[-1].left.op not in ("|", "&"):
        chain.append(chain[-1].left)
    hint = without_none(expected) if expected is not None else None  # a set, or the cell to step from
    left = expression(body, chain[-1].left, hint if isinstance(hint, SetOf | BagOf | Cells) else None)
    for link in reversed(chain):
        left = operate(body, link.op, left, link.right, link.span, hint)
    return left


def operate(
    body: Body, op: str, left: m.Expr, right_node: tree.Expr, span: Span, wanted: Type | None = None
) -> m.Expr:
    if isinstance(left.type, BagOf):
        return bags.operate(body, op, left, right_node, span, wanted)
    if isinstance(left.type, SetOf):
        right = expression(body, right_node, left.type)
        return set_operation(body, op, left, right, span)
    left, right = widened(left), widened(expression(body, right_node))
    cell = without_none(left.type)
    if isinstance(cell, Cells) and op in ("+", "-") and isinstance(right.type, Tuple):
        return step(body, left, right, op, span)
    if isinstance(left.type, Tuple) and isinstance(right.type, Tuple) and op in ("+", "-"):
        return _tuple_arithmetic(body, op, left, right, span)
    if isinstance(right.type, Tuple) and op == "*" and is_numeric(left.type):
        return _scaled(body, left, right, span)
    return number_operation(body, op, left, right, span)


def number_operation(body: Body, op: str, left: m.Expr, right: m.Expr, span: Span) -> m.Expr:
    for side in (left, right):
        what = f"each argument of `{op}`" if op in ("min", "max") else f"each side of `{op}`"
        expect_number(body.checker, side.type, side.span, what)
    a, b = left.type, right.type
    assert isinstance(a, Int | Rational) and isinstance(b, Int | Rational)
    if op in ("div", "mod", "**") and not (isinstance(a, Int) and isinstance(b, Int)) and op != "**":
        wrong = left if not isinstance(a, Int) else right
        body.checker.fail(say.fraction_for_whole(wrong.span, f"each side of `{op}`", "whole numbers"))
    if op in ("/", "div", "mod"):
        if isinstance(right, m.Const) and right.value == 0:
            body.refuse(say.zero_divisor(span))
        if b.lo <= 0 <= b.hi:
            body.leave_open(say.divisor_left_open(right.span))
    if op == "**" and not (isinstance(b, Int) and b.lo >= 0 and b.hi <= MAX_EXPONENT):
        body.checker.fail(say.bad_exponent(right.span, MAX_EXPONENT))
    type_ = arithmetic(op, a, b)
    if op not in ("div", "mod") and isinstance(type_, Rational):
        left, right = as_rational(body, left), right if op == "**" else as_rational(body, right)
    expr = fold(body, m.Arithmetic(op, left, right, type_, span))
    if not isinstance(expr, m.Const) and (type_.lo <= -MAX_NUMBER or type_.hi >= MAX_NUMBER):
        body.checker.fail(say.too_large_number(span))
    return expr


def _tuple_arithmetic(body: Body, op: str, left: m.Expr, right: m.Expr, span: Span) -> m.Expr:
    assert isinstance(left.type, Tuple) and isinstance(right.type, Tuple)
    if len(left.type.fields) != len(right.type.fields):
        body.checker.fail(say.never_equal(span, left.type, right.type))
    items = tuple(
        number_operation(body, op, field(body, left, i, span), field(body, right, i, span), span)
        for i in range(len(left.type.fields))
    )
    return fold(body, m.TupleOf(items, Tuple(tuple(i.type for i in items), left.type.names), span))


def _scaled(body: Body, factor: m.Expr, vector: m.Expr, span: Span) -> m.Expr:
    assert isinstance(vector.type, Tuple)
    items = tuple(
        number_operation(body, "*", factor, field(body, vector, i, span), span)
        for i in range(len(vector.type.fields))
    )
    return fold(body, m.TupleOf(items, Tuple(tuple(i.type for i in items)), span))


def field(body: Body, operand: m.Expr, index: int, span: Span) -> m.Expr:
    assert isinstance(operand.type, Tuple)
    if isinstance(operand, m.TupleOf):
        return operand.items[index]
    type_ = operand.type.fields[index]
    if isinstance(operand, m.Const):
        value = simplest(operand.value[index])
        return m.Const(value, type_of(value) if is_numeric(type_) else type_, span)
    return m.Field(operand, index, type_, span)


def step(body: Body, cell: m.Expr, offset: m.Expr, op: str, span: Span) -> m.Expr:
    """`cell + (rows, cols)`: a cell or none."""
    cells = without_none(cell.type)
    assert isinstance(cells, Cells) and isinstance(offset.type, Tuple)
    if has_none(cell.type):
        body.checker.fail(say.may_be_none(cell.span, "the cell to step from", cell.type, cells))
    if not cells.rows:
        body.checker.fail(say.not_a_board(cell.span, "stepping", f"the places of the graph {cells}"))
    if len(offset.type.fields) != 2 or not all(isinstance(f, Int) for f in offset.type.fields):
        body.checker.fail(say.wrong_type(offset.span, "a step", offset.type, "(rows, columns)"))
    rows, cols = (field(body, offset, i, span) for i in (0, 1))
    if op == "-":
        rows, cols = (negate(body, part, span) for part in (rows, cols))
    return fold(body, m.Step(cells, cell, rows, cols, optional(cells), span))


def negate(body: Body, operand: m.Expr, span: Span) -> m.Expr:
    if isinstance(operand.type, Tuple):
        items = tuple(
            negate(body, field(body, operand, i, span), span) for i in range(len(operand.type.fields))
        )
        return fold(body, m.TupleOf(items, Tuple(tuple(i.type for i in items)), span))
    expect_number(body.checker, operand.type, operand.span, "what follows `-`")
    assert isinstance(operand.type, Int | Rational)
    return fold(body, m.Negate(operand, type(operand.type)(-operand.type.hi, -operand.type.lo), span))  # type: ignore[arg-type]


@handles(tree.Minus)
def _minus(body: Body, node: tree.Minus, expected: Type | None) -> m.Expr:
    return negate(body, widened(expression(body, node.operand)), node.span)


def _set_operation(body: Body, op: str, node: tree.Operation, expected: Type | None) -> m.Expr:
    left = expression(body, node.left, expected)
    right = expression(body, node.right, left.type if isinstance(left.type, SetOf) else expected)
    return set_operation(body, op, left, right, node.span)


def set_operation(body: Body, op: str, left: m.Expr, right: m.Expr, span: Span) -> m.Expr:
    if isinstance(left.type, BagOf) or isinstance(right.type, BagOf):
        body.checker.fail(say.bag_operation(span, op))
    if isinstance(left.type, SetOf) and overlap(left.type.element, right.type):
        body.checker.fail(say.element_for_set(right.span, left.span.text))
    for side in (left, right):
        if not isinstance(side.type, SetOf):
            body.checker.fail(say.wrong_type(side.span, f"each side of `{op}`", side.type, "a set"))
    if op == "+":
        op = "|"
    common = join(left.type, right.type)
    if common is None or op not in ("|", "&", "-"):
        body.checker.fail(say.never_equal(span, left.type, right.type))
    if op in ("&", "-"):
        common = left.type if contains(left.type, right.type) else common
    left, right = (coerce(body, side, common, "this set") for side in (left, right))
    return fold(body, m.SetOperation(op, left, right, common, span))
