"""Truth: `and`, `or`, `not`, comparisons, `is`, `in`, `if .. else`, `after`, `as`."""

from __future__ import annotations

from typing import Any

from gdl.check import bags
from gdl.check.arithmetic import field
from gdl.check.calls import effect_call
from gdl.check.coerce import coerce, fitted, fold, joined, unify
from gdl.check.collections import closed
from gdl.check.context import Body, Failed
from gdl.check.expressions import condition, expression, handles, number, widened
from gdl.check.lists import contained, held
from gdl.check.names import is_open_literal
from gdl.check.narrowing import Facts
from gdl.check.relations import (
    compare,
    contains,
    has_none,
    is_numeric,
    members_of,
    overlap,
    ranges_in,
    without_none,
)
from gdl.check.types import is_type_name, type_of_node
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import BOOL, NONE, BagOf, Cells, Int, ListOf, SetOf, Tuple, Type, Union, places_of
from gdl.model.walk import walk
from gdl.syntax import tree


@handles(tree.Logical)
def _logical(body: Body, node: tree.Logical, expected: Type | None) -> m.Expr:
    """`and` / `or`: each item is read knowing what the earlier ones came to."""
    items: list[m.Expr] = []
    saved = body.facts
    for place, item in enumerate(node.items):
        if asked := _bare_after(item, place):
            asks, effect = asked.body.span.text, asked.effect.span.text
            body.checker.report(say.after_beside(asked.span, node.op, asks, effect))
        expr = condition(body, item)
        body.assume(expr, node.op == "and")
        if isinstance(expr, m.Const) and expr.value == (node.op == "and"):
            continue
        parts = expr.items if isinstance(expr, m.And if node.op == "and" else m.Or) else (expr,)
        items.extend(parts)
    body.facts = saved
    if not items:
        return m.Const(node.op == "and", BOOL, node.span)
    if len(items) == 1:
        return items[0]
    # Not folded where a part decides it: the other parts tell what holds in the branch that is never taken.
    return (m.And if node.op == "and" else m.Or)(tuple(items), BOOL, node.span)


def _bare_after(item: tree.Expr, place: int) -> tree.After | None:
    """The `after`, or `not .. after`, that an item of an `and` or `or` is, unless it stands in brackets.

    Without brackets the first item has the word behind it, the others have it before them.
    """
    inner = item
    while isinstance(inner, tree.Not):
        inner = inner.operand
    if not isinstance(inner, tree.After):
        return None
    text = item.span.source.text
    before, behind = text[: item.span.start].rstrip(), text[item.span.end :].lstrip()
    if behind.startswith(")") if place == 0 else before.endswith("("):
        return None
    if inner is not item and text[: inner.span.start].rstrip().endswith("("):
        return None
    return inner


def tested(body: Body, node: tree.Expr) -> tuple[m.Expr, bool]:
    """The condition of a branch, and whether it has no mistake.

    Of one with a mistake the conjuncts without any are left, so that what it guards is checked all the same.
    """
    try:
        return condition(body, node), True
    except Failed:
        body.checker.given_up += 1
    parts: list[m.Expr] = [m.Local(body.slot(), "unknown", BOOL, node.span)]
    if isinstance(node, tree.Logical) and node.op == "and":
        saved = body.facts
        for item in node.items:
            with body.checker.attempt():
                part = condition(body, item)
                body.assume(part)
                parts.append(part)
        body.facts = saved
    return m.And(tuple(parts), BOOL, node.span), False


def decided(test: m.Expr) -> bool | None:
    """What a condition always is, None where it depends on the position or may fail."""
    match test:
        case m.Const():
            return bool(test.value)
        case m.Not():
            inner = decided(test.operand)
            return None if inner is None else not inner
        case m.And() | m.Or():
            decisive = isinstance(test, m.Or)
            if any(decided(item) is decisive for item in test.items) and is_total(test):
                return decisive
    return None


def is_total(expr: Any) -> bool:
    """Whether evaluating an expression can never fail. Calls are taken to be able to."""
    for part in walk(expr):
        match part:
            case m.Check() | m.Index() | m.Call() | m.After():
                return False
            case m.Arithmetic() if part.op in ("/", "div", "mod"):
                divisor = part.right.type
                if divisor.lo <= 0 <= divisor.hi:  # type: ignore[union-attr]
                    return False
            case m.Aggregate() if part.kind in ("min", "max") and part.default is None:
                return False
            case m.BagOperation(proven=False) | m.BagChange(grows=True) | m.Aggregate(kind="bag"):
                return False
    return True


@handles(tree.Not)
def _not(body: Body, node: tree.Not, expected: Type | None) -> m.Expr:
    operand = condition(body, node.operand)
    if isinstance(operand, m.Not):
        return operand.operand
    return fold(body, m.Not(operand, BOOL, node.span))


@handles(tree.Comparison)
def _comparison(body: Body, node: tree.Comparison, expected: Type | None) -> m.Expr:
    """A chain `a < b == c` is the `and` of its links."""
    links: list[m.Expr] = []
    left_node: tree.TypeExpr = node.first
    saved = body.facts
    for op, right_node, span in node.tail:
        link = _link(body, left_node, op, right_node, Span(span.source, left_node.span.start, span.end))
        body.assume(link)
        links.append(link)
        left_node = right_node
    body.facts = saved
    if len(links) == 1:
        return links[0]
    if any(isinstance(link, m.Const) and not link.value for link in links):
        return m.Const(False, BOOL, node.span)
    rest = tuple(link for link in links if not isinstance(link, m.Const))
    if not rest:
        return m.Const(True, BOOL, node.span)
    return rest[0] if len(rest) == 1 else m.And(rest, BOOL, node.span)


def _link(body: Body, left_node: tree.TypeExpr, op: str, right_node: tree.TypeExpr, span: Span) -> m.Expr:
    if op in ("is", "is not"):
        operand = expression(body, left_node)
        if isinstance(operand.type, SetOf) and isinstance(right_node, tree.Name) and right_node.id == "empty":
            body.checker.fail(say.empty_set(span, left_node.span.text, op == "is not"))
        return _is(body, operand, right_node, op == "is not", span)
    if op in ("in", "not in"):
        if isinstance(right_node, tree.ListExpr) and [type(i) for i in right_node.items] == [tree.Range]:
            body.checker.fail(say.range_in_brackets(right_node.span, right_node.items[0].span.text))
        expr = _in(body, left_node, right_node, span)
        return fold(body, m.Not(expr, BOOL, span)) if op == "not in" else expr
    if is_open_literal(body, left_node) and not is_open_literal(body, right_node):
        right = expression(body, right_node)
        left = expression(body, left_node, right.type)
    elif isinstance(left_node, tree.SetExpr) and not isinstance(right_node, tree.SetExpr):
        right = expression(body, right_node)  # it says whether a set is meant or a bag
        left = expression(body, left_node, right.type if isinstance(right.type, BagOf) else None)
    else:
        left = expression(body, left_node)
        right = expression(body, right_node, left.type)
    if op not in ("==", "!="):
        left, right = widened(left), widened(right)
        _ordered(body, left, op)
        _ordered(body, right, op)
    elif isinstance(left.type, SetOf) and isinstance(right.type, Int) and right_node.span.text == "0":
        body.checker.fail(say.empty_set(span, left_node.span.text, op == "!="))
    left, right = unify(body, left, right, span)
    if op not in ("==", "!="):
        if isinstance(left.type, BagOf):
            small, large = (left, right) if op[0] == "<" else (right, left)
            return bags.within(body, small, large, op, span)
        if isinstance(left.type, SetOf):
            small, large = (left, right) if op[0] == "<" else (right, left)
            return _subset(body, small, large, op, span)
        if isinstance(left.type, Tuple | ListOf):
            body.checker.fail(say.not_ordered(span, left.type))
    expr = fold(body, m.Compare(op, left, right, BOOL, span))
    if not isinstance(expr, m.Const) and is_numeric(left.type):
        truth = compare(op, left.type, right.type)  # type: ignore[arg-type]
        if truth is not None and is_total(left) and is_total(right):
            _warn_always(body, left_node, op, right_node, span, truth)
            return m.Const(truth, BOOL, span)
    return expr


def _ordered(body: Body, side: m.Expr, op: str) -> None:
    """A side of `<` has a place in an order: `none` has none, nor has a name among numbers."""
    what, members = f"each side of `{op}`", members_of(side.type)
    if has_none(side.type):
        body.checker.fail(say.may_be_none(side.span, what, side.type, without_none(side.type)))
    numbers = [member for member in members if isinstance(member, Int)]
    if numbers and len(members) > len(numbers):
        body.checker.fail(say.too_wide(side.span, what, side.type, numbers[0]))


def _subset(body: Body, small: m.Expr, large: m.Expr, op: str, span: Span) -> m.Expr:
    """Whether nothing of the small set is left without the large one; for `<` and `>` they differ, too."""
    left_over = fold(body, m.SetOperation("-", small, large, small.type, span))
    within = fold(body, m.Compare("==", left_over, m.Const(0, small.type, span), BOOL, span))
    if op in ("<=", ">="):
        return within
    differ = fold(body, m.Compare("!=", small, large, BOOL, span))
    return fold(body, m.And((within, differ), BOOL, span))


def _warn_always(
    body: Body, left: tree.TypeExpr, op: str, right: tree.TypeExpr, span: Span, truth: bool
) -> None:
    """A comparison that is decided by ranges, not by the parameters of the game."""
    if body.facts.impossible or not _always_by_range(body, left, right, op):
        return
    if not any(body.checker.depends_on_params(node) for node in (left, right)):
        body.checker.report(say.always(span, truth))


def _always_by_range(body: Body, left: tree.TypeExpr, right: tree.TypeExpr, op: str) -> bool:
    """Whether the comparison is decided even without the facts that hold here."""
    checker = body.checker
    known = len(checker.diagnostics), len(checker.obligations)
    saved, body.facts = body.facts, Facts()
    try:
        sides = [expression(body, left).type, expression(body, right).type]
    except Failed:  # only the facts give it a meaning
        return False
    finally:
        body.facts = saved
        del checker.diagnostics[known[0] :], checker.obligations[known[1] :]
    return all(is_numeric(side) for side in sides) and compare(op, *sides) is not None  # type: ignore[arg-type]


def _is(body: Body, operand: m.Expr, type_node: tree.TypeExpr, negated: bool, span: Span) -> m.Expr:
    """`x is T`. Where the facts already decide it, a constant."""
    target = _member_type(body, operand, type_node, negated)
    if contains(target, operand.type):
        return m.Const(not negated, BOOL, span)
    if not overlap(target, operand.type):
        base = operand.operand if isinstance(operand, m.Convert) else operand
        if overlap(target, base.type):
            return m.Const(negated, BOOL, span)
        body.checker.fail(say.never_equal(span, operand.type, target))
    if isinstance(operand.type, Int) and isinstance(target, Int):
        inside = _between(body, operand, target, span)
        return fold(body, m.Not(inside, BOOL, span)) if negated else inside
    test = is_in_type(body, operand, target, span)
    return fold(body, m.Not(test, BOOL, span)) if negated else test


def is_in_type(body: Body, operand: m.Expr, target: Type, span: Span) -> m.Expr:
    """Whether a value is one of a type that holds some of those that it may have, and not all."""
    part = target if contains(operand.type, target) else None
    if isinstance(operand.type, Int | Tuple):
        found = fold(body, m.Cast(operand, Union((target, NONE)), operand.span))
        return fold(body, m.Is(found, ((0, target.size),), BOOL, span, part))  # type: ignore[union-attr]
    ranges = ranges_in(operand.type, target)
    assert ranges is not None
    whole = isinstance(operand.type, Union) and not any(places_of(t) for t in members_of(target))
    return fold(body, m.Is(operand, ranges, BOOL, span, None if whole else part))


def _member_type(body: Body, tested: m.Expr, node: tree.TypeExpr, negated: bool) -> Any:
    """The type behind `is`; a name of an enum value stands for just that value where it is a type alone."""
    checker = body.checker
    if isinstance(node, tree.Name) and not is_type_name(checker, body, node) and node.id != "none":
        for member in members_of(tested.type):
            if getattr(member, "size", 0) == 1 and node.id in getattr(member, "ordinals", {}):
                return member
        named = {*checker.enums, *checker.cells, *checker.values, "true", "false"}
        if node.id in named or body.local(node.id):
            checker.fail(say.value_behind_is(node.span, tested.span, node.id, negated))
    if isinstance(node, tree.Number):
        checker.fail(say.value_behind_is(node.span, tested.span, node.span.text, negated))
    return type_of_node(body.checker, node)


def _between(body: Body, operand: m.Expr, range_: Int, span: Span) -> m.Expr:
    parts: list[m.Expr] = []
    known = operand.type
    assert isinstance(known, Int)
    if known.lo < range_.lo:
        parts.append(
            m.Compare(">=", operand, m.Const(range_.lo, Int(range_.lo, range_.lo), span), BOOL, span)
        )
    if known.hi > range_.hi:
        parts.append(
            m.Compare("<=", operand, m.Const(range_.hi, Int(range_.hi, range_.hi), span), BOOL, span)
        )
    if not parts:
        return m.Const(True, BOOL, span)
    if isinstance(operand, m.Const):
        return m.Const(range_.lo <= operand.value <= range_.hi, BOOL, span)
    return parts[0] if len(parts) == 1 else m.And(tuple(parts), BOOL, span)


def _in(body: Body, item_node: tree.TypeExpr, set_node: tree.TypeExpr, span: Span) -> m.Expr:
    checker = body.checker
    if is_type_name(checker, body, set_node):
        return _is(body, expression(body, item_node), set_node, False, span)
    if isinstance(set_node, tree.Range):
        lo, hi = number(body, set_node.lo, "a bound"), number(body, set_node.hi, "a bound")
        item = number(body, item_node, "what is compared with numbers")
        parts = [
            fold(body, m.Compare(op, *unify(body, item, bound, span), BOOL, span))
            for op, bound in ((">=", lo), ("<=", hi))
        ]
        if all(isinstance(p, m.Const) for p in parts):
            return m.Const(all(p.value for p in parts), BOOL, span)  # type: ignore[union-attr]
        return m.And(tuple(parts), BOOL, span)
    if (of := held(body, set_node)) is not None:
        return contained(body, expression(body, item_node, of.type.element), of, span)
    if is_open_literal(body, item_node):
        group = expression(body, set_node)
        item = expression(body, item_node, group.type)
    else:
        item = expression(body, item_node)
        hint = SetOf(without_none(item.type)) if not is_numeric(item.type) else None
        if isinstance(set_node, tree.SetExpr) and hint is not None:
            hint = SetOf(item.type)
        group = expression(body, set_node, hint)
    if isinstance(group.type, ListOf):
        return _in_list(body, item, group, span)
    if isinstance(group.type, BagOf):
        return _in_bag(body, item, group, span)
    if not isinstance(group.type, SetOf):
        checker.fail(say.not_iterable(group.span, group.type))
    return membership(body, item, group, span)


def membership(body: Body, item: m.Expr, group: m.Expr, span: Span) -> m.Expr:
    assert isinstance(group.type, SetOf)
    element = group.type.element
    if isinstance(item.type, Int) and isinstance(element, Int):
        return fold(body, m.Contains(item, group, BOOL, span))
    if contains(element, item.type):
        return fold(body, m.Contains(coerce(body, item, element, "the item"), group, BOOL, span))
    if overlap(item.type, element):
        test = is_in_type(body, item, element, span)
        inner = m.Convert(item, element, item.span)
        return m.And((test, m.Contains(inner, group, BOOL, span)), BOOL, span)
    body.checker.fail(say.never_equal(span, item.type, element))


def _in_bag(body: Body, item: m.Expr, bag: m.Expr, span: Span) -> m.Expr:
    assert isinstance(bag.type, BagOf)
    if not contains(bag.type.element, item.type):
        return membership(body, item, bags.distinct(body, bag, span), span)
    return fold(
        body, m.Compare(">", bags.count(body, bag, item, span), m.Const(0, Int(0, 0), span), BOOL, span)
    )


def _in_list(body: Body, item: m.Expr, sequence: m.Expr, span: Span) -> m.Expr:
    assert isinstance(sequence.type, ListOf)
    slot = body.slot()
    element = m.Local(slot, "it", sequence.type.element, span)
    left, right = unify(body, item, element, span)
    test = m.Compare("==", left, right, BOOL, span)
    binder_ = m.Binder((slot,), ("it",), m.ListDomain(sequence, sequence.type.element))
    return closed(body, m.Aggregate("any", (binder_,), None, test, None, BOOL, span))


@handles(tree.Conditional)
def _conditional(body: Body, node: tree.Conditional, expected: Type | None) -> m.Expr:
    test = condition(body, node.condition)
    with body.assuming(test, True):
        then = expression(body, node.then, expected)
    with body.assuming(test, False):
        # `none`, `empty`, .. on the one side may need the type of the other.
        otherwise = expression(body, node.otherwise, expected if expected is not None else then.type)
    parts, common = joined(body, [then, otherwise], node.span, expected)
    truth = decided(test)
    if truth is not None:  # the branch that is never taken does not widen the type
        return then if truth else otherwise
    return m.Conditional(test, parts[0], parts[1], common, node.span)


@handles(tree.After)
def _after(body: Body, node: tree.After, expected: Type | None) -> m.Expr:
    name, arguments, info = effect_call(body, node.effect, after=True)
    if info.effect.draws:
        body.checker.fail(say.draws_under_after(node.effect.span, name, info.effect.span))
    saved = body.facts
    body.forget(info.assigns)
    expr = fitted(expression(body, node.body, expected), expected)
    body.facts = saved
    body.reads = True
    return m.After(name, arguments, expr, expr.type, node.span)


@handles(tree.AsType)
def _as_type(body: Body, node: tree.AsType, expected: Type | None) -> m.Expr:
    """`x as T?`: none outside T; `x as T` must be certain."""
    target = type_of_node(body.checker, node.type)
    operand = expression(body, node.operand, target)
    if not has_none(target):
        return coerce(body, operand, target, "this")
    inner = without_none(target)
    if isinstance(inner, Cells) and isinstance(operand.type, Tuple) and inner.rows:
        zero = operand
        rows, cols = (field(body, zero, i, node.span) for i in (0, 1))
        return fold(body, m.Step(inner, None, rows, cols, target, node.span))
    if contains(target, operand.type):
        return coerce(body, operand, target, "this")
    if (is_numeric(operand.type) and isinstance(inner, Int)) or overlap(operand.type, inner):
        assert isinstance(target, Union)
        return fold(body, m.Cast(operand, target, node.span))
    body.checker.fail(say.wrong_type(node.span, "this", operand.type, target))
