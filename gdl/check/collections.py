"""Tuples, lists, sets and comprehensions."""

from __future__ import annotations

from dataclasses import replace

from gdl.check import bags
from gdl.check.coerce import coerce, evaluated, fold, joined
from gdl.check.constants import evaluate
from gdl.check.context import Body
from gdl.check.domains import binder, domain, rounds
from gdl.check.expressions import condition, expression, handles
from gdl.check.habits import record_parts
from gdl.check.relations import contains, members_of
from gdl.check.types import MAX_ELEMENTS, type_of_node
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import Int, ListOf, SetOf, Tuple, Type, whole_of
from gdl.model.walk import is_closed
from gdl.syntax import tree


@handles(tree.String)
def _string(body: Body, node: tree.String, expected: Type | None) -> m.Expr:
    checker, name = body.checker, node.value
    if name in {*checker.enums, *checker.cells, *checker.values, "true", "false", "none"} or body.local(name):
        checker.fail(say.text_for_name(node.span, name))
    checker.fail(say.text_here(node.span))


@handles(tree.TupleExpr)
def _tuple(body: Body, node: tree.TupleExpr, expected: Type | None) -> m.Expr:
    hints: tuple[Type | None, ...] = (None,) * len(node.items)
    names = None
    for member in members_of(expected) if expected is not None else ():
        member = whole_of(member)
        if isinstance(member, Tuple) and len(member.fields) == len(node.items):
            hints, names = member.fields, member.names
    items = tuple(expression(body, item, hint) for item, hint in zip(node.items, hints, strict=True))
    type_ = Tuple(tuple(item.type for item in items), names)
    return fold(body, m.TupleOf(items, type_, node.span))


@handles(tree.ListExpr)
def _list(body: Body, node: tree.ListExpr, expected: Type | None) -> m.Expr:
    hint = expected.element if isinstance(expected, ListOf) else None
    if not node.items:
        return m.Const((), ListOf(hint or Int(0, 0), 0), node.span)
    items = [expression(body, item, hint) for item in node.items]
    parts, common = joined(body, items, node.span, hint)
    parts = [closed(body, part) for part in parts]
    if not all(isinstance(part, m.Const) for part in parts):
        body.checker.fail(say.list_here(node.span) if body.position else say.list_of_loop(node.span))
    return m.Const(tuple(p.value for p in parts), ListOf(common, len(parts)), node.span)  # type: ignore[union-attr]


@handles(tree.SetExpr)
def _set(body: Body, node: tree.SetExpr, expected: Type | None) -> m.Expr:
    if (bag := bags.wanted(expected)) is not None:
        return bags.literal(body, [_element(body, item) for item in node.items], bag, node.span)
    hint = expected.element if isinstance(expected, SetOf) else None
    if not node.items:
        if hint is None:
            body.checker.fail(say.ambiguous_name(node.span, "{}", ["set of anything"]))
        return m.Const(0, SetOf(hint), node.span)
    items = [expression(body, _element(body, item), hint) for item in node.items]
    parts, element = joined(body, items, node.span, hint)
    element = set_element(body, element, node.span)
    parts = [coerce(body, part, element, "an element") for part in parts]
    return fold(body, m.SetLiteral(tuple(parts), SetOf(element), node.span))


def _element(body: Body, node: tree.Expr | tree.Glyph) -> tree.Expr:
    if isinstance(node, tree.Glyph):
        body.checker.fail(say.text_here(node.glyph.span))
    return node


def set_element(body: Body, element: Type, span: Span) -> Type:
    if not hasattr(element, "size") or element.size > MAX_ELEMENTS:
        body.checker.fail(say.not_finite(span, f"a set of {element}", MAX_ELEMENTS))
    return element


@handles(tree.DictExpr)
def _dict(body: Body, node: tree.DictExpr, expected: Type | None) -> m.Expr:
    if (bag := bags.wanted(expected)) is not None:
        return bags.counted(body, node, bag)
    if (record := record_parts(body.checker, node, expected)) is not None:
        body.checker.fail(say.record_in_braces(node.span, *record))
    body.checker.fail(say.not_constant(node.span, "a table `{key: value}`"))


@handles(tree.Mixture)
def _mixture(body: Body, node: tree.Mixture, expected: Type | None) -> m.Expr:
    body.checker.fail(say.mixture_here(node.span))


@handles(tree.Range)
def _range(body: Body, node: tree.Range, expected: Type | None) -> m.Expr:
    """A range as a value is the set of its numbers."""
    lo, hi = expression(body, node.lo), expression(body, node.hi)
    if not (isinstance(lo, m.Const) and isinstance(hi, m.Const) and isinstance(lo.value, int)):
        body.checker.fail(say.not_constant(node.span, "a range used as a set"))
    type_ = type_of_node(body.checker, node)
    set_element(body, type_, node.span)
    return m.Const((1 << type_.size) - 1, SetOf(type_), node.span)  # type: ignore[union-attr]


@handles(tree.ListComprehension)
def _list_comprehension(body: Body, node: tree.ListComprehension, expected: Type | None) -> m.Expr:
    """Only a constant: unrolled with the reference interpreter, one element at a time."""
    hint = expected.element if isinstance(expected, ListOf) else None
    with body.scope():
        binders, cond, item = generator(body, node.generator, hint)
    aggregate = m.Aggregate("list", binders, cond, item, None, ListOf(item.type, 0), node.span)
    if not is_closed(aggregate):
        body.checker.fail(say.list_here(node.span) if body.position else say.list_of_loop(node.span))
    found = evaluate(body.checker, aggregate, "a list")
    return replace(found, type=ListOf(item.type, len(found.value)))


@handles(tree.SetComprehension)
def _set_comprehension(body: Body, node: tree.SetComprehension, expected: Type | None) -> m.Expr:
    if (bag := bags.wanted(expected)) is not None:
        with body.scope():
            made = generator(body, node.generator, bag.element)
            return closed(body, bags.collected(body, made, rounds(made[0])[1], bag, node.span))
    hint = expected.element if isinstance(expected, SetOf) else None
    with body.scope():
        binders, cond, item = generator(body, node.generator, hint)
        element = hint if hint is not None and contains(hint, item.type) else item.type
        element = set_element(body, element, node.span)
        item = coerce(body, item, element, "an element")
    return closed(body, m.Aggregate("set", binders, cond, item, None, SetOf(element), node.span))


@handles(tree.Subset)
def _subset(body: Body, node: tree.Subset, expected: Type | None) -> m.Expr:
    """`{c in Cell if ..}` is short for `{c for c in Cell if ..}`."""
    if node.binder is None:
        body.checker.fail(say.not_a_subset(node.members.span))
    name, over = node.binder
    binders = ((tree.Binding((name,), False, name.span), over),)
    made = tree.Generator(name, binders, node.condition, node.span)  # type: ignore[arg-type]
    return _set_comprehension(body, tree.SetComprehension(made, node.span), expected)


def generator(
    body: Body, node: tree.Generator, expected: Type | None = None
) -> tuple[tuple[m.Binder, ...], m.Expr | None, m.Expr]:
    """Binders, condition and body; the caller opens the scope."""
    binders = []
    for binding, domain_node in node.binders:
        binders.append(binder(body, binding, domain(body, domain_node, loop=True), "loop"))
    cond = None
    if node.condition is not None:
        cond = condition(body, node.condition)
        body.assume(cond)
    return tuple(binders), cond, expression(body, node.body, expected)


def closed(body: Body, expr: m.Expr) -> m.Expr:
    """An expression over constants only, evaluated."""
    return evaluated(body, expr) if is_closed(expr) else expr
