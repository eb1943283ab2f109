"""What `for`, quantifiers, draws and move parameters range over."""

from __future__ import annotations

from collections.abc import Iterable

from gdl.check.context import Body
from gdl.check.expressions import expect_number, expression, widened
from gdl.check.lists import Numbers, held, numbers
from gdl.check.relations import is_numeric
from gdl.check.types import is_type_name, type_of_node
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import BOOL, BagOf, Int, ListOf, SetOf, Tuple, Type, has_bag
from gdl.syntax import tree

MAX_VALUES = 1_000_000


def domain(body: Body, node: tree.TypeExpr, loop: bool = False) -> m.Domain:
    """A type, a range, a set or a list; in a loop or a comprehension also a list that a variable holds."""
    if _is_type(body, node):
        return type_domain(body, type_of_node(body.checker, node), node)
    if isinstance(node, tree.Range):
        return _range(body, node)
    if (of := held(body, node)) is not None:
        if not loop:
            body.checker.fail(say.list_as_domain(node.span, of.name))
        return numbers(body, of, node.span)
    if (whole := _whole(body, node)) is not None:
        return m.SubsetsDomain(whole, whole.type)
    expr = expression(body, node)
    if isinstance(expr.type, SetOf):
        return m.SetDomain(expr, expr.type.element)
    if isinstance(expr.type, BagOf):
        return m.SetDomain(m.Distinct(expr, SetOf(expr.type.element), node.span), expr.type.element)
    if isinstance(expr.type, ListOf):
        return m.ListDomain(expr, expr.type.element)
    body.checker.fail(say.not_iterable(node.span, expr.type))


def _whole(body: Body, node: tree.TypeExpr) -> m.Expr | None:
    """The set or bag whose subsets are meant by `subsets(..)`."""
    if not isinstance(node, tree.Call) or not isinstance(node.function, tree.Name):
        return None
    if node.function.id != "subsets" or "subsets" in body.checker.values:
        return None
    if len(node.arguments) != 1 or node.arguments[0].name is not None:
        body.checker.fail(say.wrong_count(node.span, "`subsets`", len(node.arguments), "a set or a bag"))
    whole = expression(body, node.arguments[0].value)
    if not isinstance(whole.type, SetOf | BagOf):
        body.checker.fail(say.wrong_type(whole.span, "`subsets`", whole.type, "a set or a bag"))
    return whole


def type_domain(body: Body, type_: Type, node: tree.TypeExpr) -> m.TypeDomain:
    if has_bag(type_):
        body.checker.fail(say.bag_elsewhere(node.span, "something to go through"))
    size = getattr(type_, "size", None)
    if size is None or size > MAX_VALUES:
        body.checker.fail(say.not_finite(node.span, f"the domain {type_}", MAX_VALUES))
    return m.TypeDomain(type_)


def _is_type(body: Body, node: tree.TypeExpr) -> bool:
    if isinstance(
        node,
        tree.OptionalType | tree.UnionType | tree.SetType | tree.BagType | tree.RecordType | tree.GraphType,
    ):
        return True
    if isinstance(node, tree.Operation) and node.op == "|":
        return _is_type(body, node.left)
    return is_type_name(body.checker, body, node)


def _range(body: Body, node: tree.Range) -> m.Domain:
    lo, hi = widened(expression(body, node.lo)), widened(expression(body, node.hi))
    for bound in (lo, hi):
        if not isinstance(bound.type, Int):
            if is_numeric(bound.type):
                body.checker.fail(say.fraction_for_whole(bound.span, "a bound", "whole numbers"))
            expect_number(body.checker, bound.type, bound.span, "a bound")
    assert isinstance(lo.type, Int) and isinstance(hi.type, Int)
    element = Int(lo.type.lo, max(lo.type.lo, hi.type.hi))
    if element.size > MAX_VALUES:
        body.checker.fail(say.not_finite(node.span, "this range", MAX_VALUES))
    if isinstance(lo, m.Const) and isinstance(hi, m.Const) and lo.value <= hi.value:
        return m.TypeDomain(Int(lo.value, hi.value))
    return m.RangeDomain(lo, hi, element)


def binder(body: Body, binding: tree.Binding, over: m.Domain, kind: str) -> m.Binder:
    """Declares the names of a binding in the innermost scope."""
    assume_some(body, over, binding.span)
    if isinstance(over, Numbers):
        return _elements(body, binding, over, kind)
    if not binding.unpack:
        local = body.declare(binding.names[0], over.element, kind)
        return m.Binder((local.slot,), (local.name,), over)
    element = over.element
    if not isinstance(element, Tuple) or len(element.fields) != len(binding.names):
        wanted = len(element.fields) if isinstance(element, Tuple) else 1
        body.checker.fail(
            say.wrong_count(binding.span, "this pattern", len(binding.names), f"{wanted} names")
        )
    locals_ = [
        body.declare(name, type_, kind) for name, type_ in zip(binding.names, element.fields, strict=True)
    ]
    return m.Binder(tuple(x.slot for x in locals_), tuple(x.name for x in locals_), over, unpack=True)


def _elements(body: Body, binding: tree.Binding, over: Numbers, kind: str) -> m.Binder:
    """Names for the elements of a list that a variable holds: they are read where the names stand."""
    element = over.of.type.element
    if not binding.unpack:
        local = body.declare(binding.names[0], element, kind)
        local.stands_for = over.bind(body, local.slot, binding.span)
        return m.Binder((local.slot,), (local.name,), over.plain)
    if not isinstance(element, Tuple) or len(element.fields) != len(binding.names):
        count = len(element.fields) if isinstance(element, Tuple) else 1
        body.checker.fail(say.wrong_count(binding.span, "this pattern", len(binding.names), f"{count} names"))
    number_ = body.slot()
    for i, (name, type_) in enumerate(zip(binding.names, element.fields, strict=True)):
        whole = over.bind(body, number_, binding.span)
        body.declare(name, type_, kind).stands_for = m.Field(whole, i, type_, binding.span)
    return m.Binder((number_,), ("_",), over.plain)


def assume_some(body: Body, over: m.Domain, span: Span) -> None:
    """There is a value: where the domain is empty under these parameters, what follows is never done."""
    if size_bounds(over)[1] == 0:
        body.assume(m.Const(False, BOOL, span))


def rounds(binders: Iterable[m.Binder]) -> tuple[int, int]:
    """The least and the greatest number of combinations of values."""
    least, most = 1, 1
    for bound in binders:
        low, high = size_bounds(bound.domain)
        least, most = least * low, most * high
    return least, most


def size_bounds(over: m.Domain) -> tuple[int, int]:
    """The least and the greatest number of values."""
    match over:
        case m.TypeDomain():
            size: int = over.element.size  # type: ignore[union-attr]
            return size, size
        case m.ListDomain(sequence=m.Const() as constant):
            return len(constant.value), len(constant.value)
        case m.ListDomain():
            assert isinstance(over.sequence.type, ListOf)
            return 0, over.sequence.type.longest
        case m.SetDomain(set=m.Const() as constant):
            return constant.value.bit_count(), constant.value.bit_count()
        case m.SubsetsDomain(whole=whole):
            assert isinstance(whole.type, SetOf | BagOf)
            longest = whole.type.element.size if isinstance(whole.type, SetOf) else whole.type.longest
            return 1, 1 << longest
        case m.RangeDomain():
            lo, hi = over.lo.type, over.hi.type
            assert isinstance(lo, Int) and isinstance(hi, Int)
            return max(0, hi.lo - lo.hi + 1), max(0, hi.hi - lo.lo + 1)
    return 0, over.element.size  # type: ignore[union-attr]
