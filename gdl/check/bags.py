"""Bags: what stands in braces where one is wanted, how often an element is in one, sums and differences."""

from __future__ import annotations

from collections.abc import Sequence

from gdl.check.coerce import coerce, fold
from gdl.check.constants import constant, constant_int
from gdl.check.context import Body, Failed
from gdl.check.expressions import expression
from gdl.check.names import narrowed
from gdl.check.relations import contains, join, members_of, overlap
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import BOOL, BagOf, Int, MapOf, SetOf, Type, ordinal
from gdl.syntax import tree


def wanted(expected: Type | None) -> BagOf | None:
    """The bag that an expected type asks for, perhaps among other values."""
    members = () if expected is None else members_of(expected)
    return next((member for member in members if isinstance(member, BagOf)), None)


def literal(body: Body, items: Sequence[tree.Expr], type_: BagOf, span: Span) -> m.Expr:
    """`{6, 6, 1}` where a bag is wanted: repeated elements count."""
    if len(items) > type_.longest:
        body.refuse(say.bag_too_large(span, len(items), type_.longest))
        raise Failed
    element = type_.element
    found = [coerce(body, expression(body, item, element), element, "an element") for item in items]
    return fold(body, m.BagLiteral(tuple(found), type_, span))


def counted(body: Body, node: tree.DictExpr, type_: BagOf) -> m.Expr:
    """`{ace: 4, king: 4}` where a bag is wanted: how often each is in it."""
    found: dict[int, int] = {}
    for key_node, count_node in node.entries:
        key = constant(body.checker, key_node, "an element of a bag", type_.element)
        place = ordinal(type_.element, key.value)
        if place in found:
            body.checker.fail(say.duplicate_key(key_node.span, key_node.span.text))
        found[place] = constant_int(body.checker, count_node, "how often it is in a bag")
        if found[place] < 0:
            body.checker.fail(
                say.never_in_range(count_node.span, "how often it is in a bag", str(found[place]), "0..")
            )
    total = sum(found.values())
    if total > type_.longest:
        body.checker.fail(say.bag_too_large(node.span, total, type_.longest))
    return m.Const(sum(count << place * type_.width for place, count in found.items()), type_, node.span)


def collected(
    body: Body, made: tuple[tuple[m.Binder, ...], m.Expr | None, m.Expr], most: int, type_: BagOf, span: Span
) -> m.Expr:
    """`{e for x in D}` where a bag is wanted, of at most so many values."""
    binders, cond, item = made
    if most > type_.longest:
        body.checker.obligations.append(say.room_in_bag(span, type_.longest))
    return m.Aggregate(
        "bag", binders, cond, coerce(body, item, type_.element, "an element"), None, type_, span
    )


# --------------------------------------------------------------------------- reading


def size(body: Body, bag: m.Expr, span: Span) -> m.Expr:
    """`count(bag)`."""
    assert isinstance(bag.type, BagOf)
    return narrowed(body, fold(body, m.BagSize(bag, Int(0, bag.type.longest), span)))


def count(body: Body, bag: m.Expr, item: m.Expr, span: Span) -> m.Expr:
    """`bag[x]`: how often x is in it."""
    assert isinstance(bag.type, BagOf)
    item = coerce(body, item, bag.type.element, "what is counted in a bag")
    return narrowed(body, fold(body, m.BagCount(bag, item, Int(0, bag.type.longest), span)))


def count_node(body: Body, bag: m.Expr, node: tree.Subscript) -> m.Expr:
    return count(body, bag, _item(body, bag, node), node.span)


def _item(body: Body, bag: m.Expr, node: tree.Subscript) -> m.Expr:
    assert isinstance(bag.type, BagOf)
    if len(node.indices) != 1:
        name = f"`{node.base.span.text}`"
        body.checker.fail(say.wrong_count(node.span, name, len(node.indices), "one element of the bag"))
    return expression(body, node.indices[0], bag.type.element)


def distinct(body: Body, bag: m.Expr, span: Span) -> m.Expr:
    """The set of the elements that are in a bag."""
    assert isinstance(bag.type, BagOf)
    return fold(body, m.Distinct(bag, SetOf(bag.type.element), span))


def within(body: Body, small: m.Expr, large: m.Expr, op: str, span: Span) -> m.Expr:
    """`small <= large`; for `<` they differ, too."""
    inside = fold(body, m.BagWithin(small, large, BOOL, span))
    if op in ("<=", ">="):
        return inside
    differ = fold(body, m.Compare("!=", small, large, BOOL, span))
    return fold(body, m.And((inside, differ), BOOL, span))


def assume_in(body: Body, over: m.Domain, slot: int, name: str, span: Span) -> None:
    """What a name that goes through a bag, or is drawn from one, stands for is in it."""
    if isinstance(over, m.SetDomain) and isinstance(over.set, m.Distinct):
        bag = over.set.operand
        assert isinstance(bag.type, BagOf)
        item = m.Local(slot, name, over.element, span)
        there = m.BagCount(bag, item, Int(0, bag.type.longest), span)
        body.facts = body.facts.learn(there, Int(1, bag.type.longest))


def drawn_from(over: m.Domain, node: tree.TypeExpr) -> m.Expr | None:
    """The bag from which is drawn; None where a set is, be it that of what is in a bag."""
    called = node.function if isinstance(node, tree.Call) else None
    if isinstance(called, tree.Name) and called.id == "distinct":
        return None
    if isinstance(over, m.SetDomain) and isinstance(over.set, m.Distinct):
        return over.set.operand
    return None


# ---------------------------------------------------------------------------- changing


def operate(
    body: Body, op: str, left: m.Expr, right_node: tree.Expr, span: Span, room: Type | None = None
) -> m.Expr:
    """`left + right`, `left - right`. A sum has the `room` that is given, or else room for both."""
    assert isinstance(left.type, BagOf)
    right = expression(body, right_node, left.type)
    if overlap(left.type.element, right.type):
        body.checker.fail(say.element_for_set(right.span, left.span.text))
    if not isinstance(right.type, BagOf):
        body.checker.fail(
            say.wrong_type(right.span, f"each side of `{op}`", right.type, left.type, hint=_as_bag(right))
        )
    type_ = join(left.type, right.type)
    if type_ is None or op not in ("+", "-"):
        body.checker.fail(say.bag_operation(span, op))
    if op == "+":
        assert isinstance(type_, BagOf)
        given = isinstance(room, BagOf) and contains(room, type_)
        type_ = room if given else BagOf(type_.element, left.type.longest + right.type.longest)
    assert isinstance(type_, BagOf)
    proven = _has_room(body, left, right, type_) if op == "+" else _is_there(body, left, right)
    if not proven:
        left_open = say.room_in_bag(span, type_.longest) if op == "+" else say.in_bag_left_open(span)
        body.checker.obligations.append(left_open)
    left, right = (coerce(body, side, type_, "this bag") for side in (left, right))
    return fold(body, m.BagOperation(op, left, right, proven, type_, span))


def _as_bag(expr: m.Expr) -> str | None:
    return f"write `{{x for x in {expr.span.text}}}`" if isinstance(expr.type, SetOf) else None


def _has_room(body: Body, left: m.Expr, right: m.Expr, type_: BagOf) -> bool:
    """Whether a sum is known to fit."""
    return _most(body, left) + _most(body, right) <= type_.longest


def _most(body: Body, bag: m.Expr) -> int:
    """How many elements a bag has at most, as far as is known."""
    if isinstance(bag, m.BagLiteral):
        return len(bag.elements)
    known = size(body, bag, bag.span).type
    assert isinstance(known, Int)
    return known.hi


def _is_there(body: Body, left: m.Expr, right: m.Expr) -> bool:
    """Whether what is taken away, one element, is known to be there."""
    if not isinstance(right, m.BagLiteral) or len(right.elements) != 1:
        return False
    known = count(body, left, right.elements[0], left.span).type
    return isinstance(known, Int) and known.lo >= 1


def holder(body: Body, node: tree.TypeExpr) -> BagOf | None:
    """The type of the bag that a variable, an element of a map or a let holds; to ask is no use of it."""
    name = node.base if isinstance(node, tree.Subscript) else node
    if not isinstance(name, tree.Name):
        return None
    indexed = isinstance(node, tree.Subscript)
    local = body.local(name.id)
    if local is not None:
        type_ = local.type.element if indexed and isinstance(local.type, MapOf) else local.type
        is_place = indexed == isinstance(local.type, MapOf)
    else:
        declaration = body.checker.values.get(name.id)
        if declaration is None or declaration.kind != "variable":
            return None
        used = declaration.used
        try:
            variable: m.Variable = body.checker.resolve(declaration, name.span)
        finally:
            declaration.used = used
        type_, is_place = variable.type, indexed == bool(variable.indices)
    return type_ if is_place and isinstance(type_, BagOf) else None


def changed(body: Body, bag: m.Expr, node: tree.Assign, new_count: m.Expr, item: m.Expr) -> m.Expr:
    """`bag[x] = n`: the bag in which x is n times."""
    type_ = bag.type
    assert isinstance(type_, BagOf)
    item = coerce(body, item, type_.element, "what is counted in a bag")
    there = coerce(body, new_count, Int(0, type_.longest), f"`{node.target.span.text}`")
    fewer = node.op == "-=" and isinstance(there, m.Check | m.Arithmetic) and _takes(there)
    if not fewer:
        body.checker.obligations.append(say.room_in_bag(node.span, type_.longest))
    return m.BagChange(bag, item, there, not fewer, type_, node.span)


def _takes(expr: m.Expr) -> bool:
    """Whether a difference takes nothing less than 0 away."""
    inner = expr.operand if isinstance(expr, m.Check) else expr
    return (
        isinstance(inner, m.Arithmetic)
        and inner.op == "-"
        and isinstance(inner.left, m.BagCount)
        and isinstance(inner.right.type, Int)
        and inner.right.type.lo >= 0
    )


def counts_of(body: Body, node: tree.Assign, bag: m.Expr) -> tuple[m.Expr, m.Expr]:
    """The item that an assignment counts, and how often it is in the bag before it."""
    assert isinstance(node.target, tree.Subscript)
    item = _item(body, bag, node.target)
    return item, count(body, bag, item, node.target.span)
