"""Expressions: names bound, types and intervals inferred, constants folded, sugar removed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gdl.check.coerce import coerce, evaluated, fold, joined, unify
from gdl.check.context import Body, FunctionInfo, LocalName
from gdl.check.domains import binder, domain
from gdl.check.narrowing import key_of
from gdl.check.relations import (
    arithmetic,
    compare,
    contains,
    has_none,
    is_numeric,
    join,
    members_of,
    optional,
    overlap,
    ranges_in,
    without_none,
)
from gdl.check.types import is_type_name, type_of_node
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import (
    BOOL,
    CHANCE,
    NONE,
    Cells,
    Int,
    ListOf,
    Rational,
    SetOf,
    Tuple,
    Type,
    Union,
    ordinal,
)
from gdl.model.walk import is_closed, walk
from gdl.syntax import tree

MAX_NUMBER = 2**62


def expression(body: Body, node: tree.TypeExpr, expected: Type | None = None) -> m.Expr:
    """The typed expression. `expected` only helps to read names such as `empty`, `a1`, `none`, `{..}`."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        body.checker.fail(say.statement_expected(node.span))
    return handler(body, node, expected)


def condition(body: Body, node: tree.Expr) -> m.Expr:
    """An expression that is true or false."""
    expr = expression(body, node, BOOL)
    if expr.type != BOOL:
        body.checker.fail(say.not_a_condition(node.span, expr.type))
    return expr


def number(body: Body, node: tree.Expr, what: str) -> m.Expr:
    expr = expression(body, node)
    if not is_numeric(expr.type):
        body.checker.fail(say.not_a_number(node.span, what, expr.type))
    return expr


# ---------------------------------------------------------------------- names


def _name(body: Body, node: tree.Name, expected: Type | None) -> m.Expr:
    local = body.local(node.id)
    if local is not None:
        return _local(body, local, node.span)
    if literal := _literal(body, node, expected, certain=True):
        return literal
    declaration = body.checker.values.get(node.id)
    if declaration is not None:
        return _global(body, node, body.checker.resolve(declaration, node.span))
    if literal := _literal(body, node, expected, certain=False):
        return literal
    if foreign := say.foreign_name(node.span, node.id):
        body.checker.fail(foreign)
    if node.id in body.checker.effects:
        body.checker.fail(say.effect_as_function(node.span, node.id))
    if is_type_name(body.checker, body, node):
        body.checker.fail(say.unknown_name(node.span, node.id, []))
    body.checker.fail(say.unknown_name(node.span, node.id, known_names(body)))


def known_names(body: Body) -> list[str]:
    return [*body.visible_names(), *body.checker.values, *body.checker.enums]


def _local(body: Body, local: LocalName, span: Span) -> m.Expr:
    local.used = True
    if local.constant is not None:
        return replace(local.constant, span=span)
    if local.type is None:
        from gdl.check.context import Failed

        raise Failed
    return _narrowed(body, m.Local(local.slot, local.name, local.type, span))


def _narrowed(body: Body, expr: m.Expr) -> m.Expr:
    """The place with the type that the facts give it here."""
    known = body.facts.type_of(expr)
    if known == expr.type:
        return expr
    if isinstance(known, Int) and isinstance(expr.type, Int):
        if known.lo == known.hi:
            return m.Const(known.lo, known, expr.span)
        return replace(expr, type=known)  # type: ignore[return-value]
    return m.Convert(expr, known, expr.span)


def _global(body: Body, node: tree.Name, meaning: Any) -> m.Expr:
    match meaning:
        case m.Const():
            return replace(meaning, span=node.span)
        case m.Table():
            body.checker.fail(say.needs_index(node.span, node.id, _index_text(meaning.indices)))
        case m.Variable():
            if meaning.indices:
                body.checker.fail(say.needs_index(node.span, node.id, _index_text(meaning.indices)))
            return read(body, meaning, (), node.span)
        case FunctionInfo():
            return call_function(body, node.id, meaning, (), node.span)
    raise AssertionError(meaning)


def _index_text(indices: tuple[Type, ...]) -> str:
    return ", ".join(str(i) for i in indices)


def read(body: Body, variable: m.Variable, indices: tuple[m.Expr, ...], span: Span) -> m.Expr:
    if not body.position:
        body.checker.fail(say.not_here(span, variable.name, body.kind))
    body.reads = True
    return _narrowed(body, m.Read(variable.name, indices, variable.type, span))


def _literal(body: Body, node: tree.Name, expected: Type | None, certain: bool) -> m.Const | None:
    """A value known by its name: `true`, `none`, a player, an enum value, a cell.

    With `certain` only what the expected type holds, so that it comes before other meanings.
    """
    name, span, checker = node.id, node.span, body.checker
    if expected is not None:
        for member in members_of(without_none(_element_hint(expected))):
            ordinals = getattr(member, "ordinals", None)
            if ordinals is not None and name in ordinals:
                return m.Const(ordinals[name], member, span)
    if certain:
        return None
    if name in ("true", "false"):
        return m.Const(name == "true", BOOL, span)
    if name == "none":
        return m.Const(0, NONE, span)
    if name == "chance" and body.kind == "`player:`":
        return m.Const(0, CHANCE, span)
    candidates: list[tuple[Any, int]] = [*checker.enums.get(name, ())]
    if not candidates:
        candidates = [*checker.cells.get(name, ())]
    if len(candidates) > 1:
        checker.fail(say.ambiguous_name(span, name, [str(type_) for type_, _ in candidates]))
    if candidates:
        return m.Const(candidates[0][1], candidates[0][0], span)
    return None


def _element_hint(expected: Type) -> Type:
    return expected.element if isinstance(expected, SetOf | ListOf) else expected


def is_open_literal(body: Body, node: tree.TypeExpr) -> bool:
    """Whether a name can only be read with the help of an expected type."""
    return (
        isinstance(node, tree.Name)
        and body.local(node.id) is None
        and node.id not in body.checker.values
        and (node.id in body.checker.enums or node.id in body.checker.cells)
    )


# ------------------------------------------------------------ literals, tuples


def _number(body: Body, node: tree.Number, expected: Type | None) -> m.Expr:
    from gdl.check.relations import type_of

    return m.Const(node.value, type_of(node.value), node.span)


def _string(body: Body, node: tree.String, expected: Type | None) -> m.Expr:
    body.checker.fail(say.text_here(node.span))


def _tuple(body: Body, node: tree.TupleExpr, expected: Type | None) -> m.Expr:
    hints: tuple[Type | None, ...] = (None,) * len(node.items)
    if isinstance(expected, Tuple) and len(expected.fields) == len(node.items):
        hints = expected.fields
    items = tuple(expression(body, item, hint) for item, hint in zip(node.items, hints, strict=True))
    type_ = Tuple(tuple(item.type for item in items), expected.names if isinstance(expected, Tuple) else None)
    return fold(body, m.TupleOf(items, type_, node.span))


def _list(body: Body, node: tree.ListExpr, expected: Type | None) -> m.Expr:
    hint = expected.element if isinstance(expected, ListOf) else None
    if not node.items:
        return m.Const((), ListOf(hint or Int(0, 0), 0), node.span)
    items = [expression(body, item, hint) for item in node.items]
    parts, common = joined(body, items, node.span, hint)
    if not all(isinstance(part, m.Const) for part in parts):
        body.checker.fail(say.list_here(node.span))
    return m.Const(tuple(p.value for p in parts), ListOf(common, len(parts)), node.span)  # type: ignore[union-attr]


def _set(body: Body, node: tree.SetExpr, expected: Type | None) -> m.Expr:
    hint = expected.element if isinstance(expected, SetOf) else None
    if not node.items:
        if hint is None:
            body.checker.fail(say.ambiguous_name(node.span, "{}", ["set of anything"]))
        return m.Const(0, SetOf(hint), node.span)
    items = []
    for item in node.items:
        if isinstance(item, tree.Glyph):
            body.checker.fail(say.text_here(item.glyph.span))
        items.append(expression(body, item, hint))
    parts, element = joined(body, items, node.span, hint)
    element = _set_element(body, element, node.span)
    parts = [coerce(body, part, element, "an element") for part in parts]
    return fold(body, m.SetLiteral(tuple(parts), SetOf(element), node.span))


def _set_element(body: Body, element: Type, span: Span) -> Type:
    from gdl.check.types import MAX_ELEMENTS

    if not hasattr(element, "size") or element.size > MAX_ELEMENTS:
        body.checker.fail(say.not_finite(span, f"a set of {element}", MAX_ELEMENTS))
    return element


def _dict(body: Body, node: tree.DictExpr, expected: Type | None) -> m.Expr:
    body.checker.fail(say.not_constant(node.span, "a table `{key: value}`"))


def _range(body: Body, node: tree.Range, expected: Type | None) -> m.Expr:
    """A range as a value is the set of its numbers."""
    lo, hi = expression(body, node.lo), expression(body, node.hi)
    if not (isinstance(lo, m.Const) and isinstance(hi, m.Const) and isinstance(lo.value, int)):
        body.checker.fail(say.not_constant(node.span, "a range used as a set"))
    type_ = type_of_node(body.checker, node)
    _set_element(body, type_, node.span)
    return m.Const((1 << type_.size) - 1, SetOf(type_), node.span)  # type: ignore[union-attr]


def _list_comprehension(body: Body, node: tree.ListComprehension, expected: Type | None) -> m.Expr:
    """Only a constant: unrolled with the reference interpreter, one element at a time."""
    hint = expected.element if isinstance(expected, ListOf) else None
    with body.scope():
        binders, cond, item = generator(body, node.generator, hint)
    aggregate = m.Aggregate("list", binders, cond, item, None, ListOf(item.type, 0), node.span)
    if not is_closed(aggregate):
        body.checker.fail(say.list_here(node.span))
    from gdl.check.constants import evaluate

    found = evaluate(body.checker, aggregate, "a list")
    return replace(found, type=ListOf(item.type, len(found.value)))


def _set_comprehension(body: Body, node: tree.SetComprehension, expected: Type | None) -> m.Expr:
    hint = expected.element if isinstance(expected, SetOf) else None
    with body.scope():
        binders, cond, item = generator(body, node.generator, hint)
        element = hint if hint is not None and contains(hint, item.type) else item.type
        element = _set_element(body, element, node.span)
        item = coerce(body, item, element, "an element")
    return closed(body, m.Aggregate("set", binders, cond, item, None, SetOf(element), node.span))


def generator(
    body: Body, node: tree.Generator, expected: Type | None = None
) -> tuple[tuple[m.Binder, ...], m.Expr | None, m.Expr]:
    """Binders, condition and body; the caller opens the scope."""
    binders = []
    for binding, domain_node in node.binders:
        binders.append(binder(body, binding, domain(body, domain_node), "loop"))
    cond = None
    if node.condition is not None:
        cond = condition(body, node.condition)
        body.assume(cond)
    return tuple(binders), cond, expression(body, node.body, expected)


def closed(body: Body, expr: m.Expr) -> m.Expr:
    """An expression over constants only, evaluated."""
    return evaluated(body, expr) if is_closed(expr) else expr


# ----------------------------------------------------------------- arithmetic


def _operation(body: Body, node: tree.Operation, expected: Type | None) -> m.Expr:
    if node.op in ("|", "&"):
        return _set_operation(body, node.op, node, expected)
    # A long chain `a + b + c` is nested to the left: walk down it without recursion.
    chain = [node]
    while isinstance(chain[-1].left, tree.Operation) and chain[-1].left.op not in ("|", "&"):
        chain.append(chain[-1].left)
    left = expression(body, chain[-1].left, expected if node.op == "-" else None)
    for link in reversed(chain):
        left = operate(body, link.op, left, link.right, link.span)
    return left


def operate(body: Body, op: str, left: m.Expr, right_node: tree.Expr, span: Span) -> m.Expr:
    if isinstance(left.type, SetOf):
        right = expression(body, right_node, left.type)
        return set_operation(body, op, left, right, span)
    right = expression(body, right_node)
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
        if not is_numeric(side.type):
            body.checker.fail(say.not_a_number(side.span, f"each side of `{op}`", side.type))
    a, b = left.type, right.type
    assert isinstance(a, Int | Rational) and isinstance(b, Int | Rational)
    if op in ("div", "mod", "**") and not (isinstance(a, Int) and isinstance(b, Int)) and op != "**":
        wrong = left if not isinstance(a, Int) else right
        body.checker.fail(say.fraction_for_whole(wrong.span, f"each side of `{op}`", "whole numbers"))
    if op in ("/", "div", "mod"):
        if isinstance(right, m.Const) and right.value == 0 and not body.facts.impossible:
            body.checker.fail(say.zero_divisor(span))
        if b.lo <= 0 <= b.hi:
            body.checker.obligations.append(say.divisor_left_open(right.span))
    if op == "**" and not (isinstance(right, m.Const) and isinstance(b, Int) and 0 <= b.lo <= 1000):
        body.checker.fail(say.negative_exponent(right.span))
    type_ = arithmetic(op, a, b)
    if op not in ("div", "mod") and isinstance(type_, Rational):
        from gdl.check.coerce import as_rational

        left, right = as_rational(body, left), right if op == "**" else as_rational(body, right)
    expr = fold(body, m.Arithmetic(op, left, right, type_, span))
    if not isinstance(expr, m.Const) and max(abs(type_.lo), abs(type_.hi)) >= MAX_NUMBER:
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
        from gdl.check.relations import type_of

        value = operand.value[index]
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
        items = tuple(negate(body, field(body, operand, i, span), span) for i in range(len(operand.type.fields)))
        return fold(body, m.TupleOf(items, Tuple(tuple(i.type for i in items)), span))
    if not is_numeric(operand.type):
        body.checker.fail(say.not_a_number(operand.span, "what follows `-`", operand.type))
    assert isinstance(operand.type, Int | Rational)
    return fold(body, m.Negate(operand, type(operand.type)(-operand.type.hi, -operand.type.lo), span))  # type: ignore[arg-type]


def _minus(body: Body, node: tree.Minus, expected: Type | None) -> m.Expr:
    return negate(body, expression(body, node.operand), node.span)


def _set_operation(body: Body, op: str, node: tree.Operation, expected: Type | None) -> m.Expr:
    left = expression(body, node.left, expected)
    right = expression(body, node.right, left.type if isinstance(left.type, SetOf) else expected)
    return set_operation(body, op, left, right, node.span)


def set_operation(body: Body, op: str, left: m.Expr, right: m.Expr, span: Span) -> m.Expr:
    if op == "+":
        op = "|"
    for side in (left, right):
        if not isinstance(side.type, SetOf):
            body.checker.fail(say.wrong_type(side.span, f"each side of `{op}`", side.type, "a set"))
    common = join(left.type, right.type)
    if common is None or op not in ("|", "&", "-"):
        body.checker.fail(say.never_equal(span, left.type, right.type))
    if op in ("&", "-"):
        common = left.type if contains(left.type, right.type) else common
    left, right = (coerce(body, side, common, "this set") for side in (left, right))
    return fold(body, m.SetOperation(op, left, right, common, span))


# ---------------------------------------------------------- logic, comparison


def _logical(body: Body, node: tree.Logical, expected: Type | None) -> m.Expr:
    """`and` / `or`: each item is read knowing what the earlier ones came to."""
    items: list[m.Expr] = []
    saved = body.facts
    for item in node.items:
        expr = condition(body, item)
        body.assume(expr, node.op == "and")
        if isinstance(expr, m.Const):
            if expr.value == (node.op == "or"):
                items.append(expr)
                break
            continue
        parts = expr.items if isinstance(expr, m.And if node.op == "and" else m.Or) else (expr,)
        items.extend(parts)
    body.facts = saved
    if not items:
        return m.Const(node.op == "and", BOOL, node.span)
    if isinstance(items[-1], m.Const) and all(_is_total(item) for item in items):
        return replace(items[-1], span=node.span)
    if len(items) == 1:
        return items[0]
    return (m.And if node.op == "and" else m.Or)(tuple(items), BOOL, node.span)


def _is_total(expr: m.Expr) -> bool:
    return is_total(expr)


def is_total(expr: Any) -> bool:
    """Whether evaluating an expression can never fail. Calls are taken to be able to."""
    for part in walk(expr):
        match part:
            case m.Check() | m.Call() | m.After():
                return False
            case m.Arithmetic() if part.op in ("/", "div", "mod"):
                divisor = part.right.type
                if divisor.lo <= 0 <= divisor.hi:  # type: ignore[union-attr]
                    return False
            case m.Aggregate() if part.kind in ("min", "max") and part.default is None:
                return False
    return True


def _not(body: Body, node: tree.Not, expected: Type | None) -> m.Expr:
    operand = condition(body, node.operand)
    if isinstance(operand, m.Not):
        return operand.operand
    return fold(body, m.Not(operand, BOOL, node.span))


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
        return _is(body, expression(body, left_node), right_node, op == "is not", span)
    if op in ("in", "not in"):
        expr = _in(body, left_node, right_node, span)
        return fold(body, m.Not(expr, BOOL, span)) if op == "not in" else expr
    if is_open_literal(body, left_node) and not is_open_literal(body, right_node):
        right = expression(body, right_node)
        left = expression(body, left_node, right.type)
    else:
        left = expression(body, left_node)
        right = expression(body, right_node, left.type)
    left, right = unify(body, left, right, span)
    if op not in ("==", "!=") and not is_numeric(left.type) and isinstance(left.type, Tuple | SetOf | ListOf):
        if isinstance(left.type, SetOf) and op in ("<=", "<", ">=", ">"):
            body.checker.fail(say.not_ordered(span, left.type))
        body.checker.fail(say.not_ordered(span, left.type))
    expr = fold(body, m.Compare(op, left, right, BOOL, span))
    if not isinstance(expr, m.Const) and is_numeric(left.type):
        truth = compare(op, left.type, right.type)  # type: ignore[arg-type]
        if truth is not None and is_total(left) and is_total(right):
            _warn_always(body, left_node, right_node, span, truth)
            return m.Const(truth, BOOL, span)
    return expr


def _warn_always(body: Body, left: tree.TypeExpr, right: tree.TypeExpr, span: Span, truth: bool) -> None:
    """A comparison that is decided by ranges, not by the parameters of the game."""
    if body.facts.impossible or body.facts.types:
        return
    names = {part for node in (left, right) for part in _names_in(node.span.text)}
    if not names & body.checker.param_names:
        body.checker.report(say.always(span, truth))


def _names_in(text: str) -> set[str]:
    import re

    return set(re.findall(r"[^\W\d]\w*", text))


def _is(body: Body, operand: m.Expr, type_node: tree.TypeExpr, negated: bool, span: Span) -> m.Expr:
    """`x is T`. Where the facts already decide it, a constant."""
    target = _member_type(body, operand.type, type_node)
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
    assert isinstance(operand.type, Union)
    ranges = ranges_in(operand.type, target)
    assert ranges is not None
    test = fold(body, m.Is(operand, ranges, BOOL, span))
    return fold(body, m.Not(test, BOOL, span)) if negated else test


def _member_type(body: Body, operand: Type, node: tree.TypeExpr) -> Type:
    """The type behind `is`; a name of an enum value stands for just that value where it is a type alone."""
    if isinstance(node, tree.Name) and not is_type_name(body.checker, body, node) and node.id != "none":
        for member in members_of(operand):
            if getattr(member, "size", 0) == 1 and node.id in getattr(member, "ordinals", {}):
                return member
        known = [str(member) for member in members_of(operand)]
        if node.id in body.checker.enums:
            body.checker.fail(say.unknown_type(node.span, node.id, known))
    return type_of_node(body.checker, node)


def _between(body: Body, operand: m.Expr, range_: Int, span: Span) -> m.Expr:
    parts: list[m.Expr] = []
    known = operand.type
    assert isinstance(known, Int)
    if known.lo < range_.lo:
        parts.append(m.Compare(">=", operand, m.Const(range_.lo, Int(range_.lo, range_.lo), span), BOOL, span))
    if known.hi > range_.hi:
        parts.append(m.Compare("<=", operand, m.Const(range_.hi, Int(range_.hi, range_.hi), span), BOOL, span))
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
    if isinstance(item.type, Union) and overlap(item.type, element):
        ranges = ranges_in(item.type, element)
        assert ranges is not None
        test = m.Is(item, ranges, BOOL, span)
        inner = m.Convert(item, element, item.span)
        return m.And((test, m.Contains(inner, group, BOOL, span)), BOOL, span)
    body.checker.fail(say.never_equal(span, item.type, element))


def _in_list(body: Body, item: m.Expr, sequence: m.Expr, span: Span) -> m.Expr:
    assert isinstance(sequence.type, ListOf)
    slot = body.slot()
    element = m.Local(slot, "it", sequence.type.element, span)
    left, right = unify(body, item, element, span)
    test = m.Compare("==", left, right, BOOL, span)
    binder_ = m.Binder((slot,), ("it",), m.ListDomain(sequence, sequence.type.element))
    return closed(body, m.Aggregate("any", (binder_,), None, test, None, BOOL, span))


def _conditional(body: Body, node: tree.Conditional, expected: Type | None) -> m.Expr:
    test = condition(body, node.condition)
    with body.assuming(test, True):
        then = expression(body, node.then, expected)
    with body.assuming(test, False):
        # `none`, `empty`, .. on the one side may need the type of the other.
        otherwise = expression(body, node.otherwise, expected if expected is not None else then.type)
    (then, otherwise), common = joined(body, [then, otherwise], node.span, expected)
    if isinstance(test, m.Const):
        chosen = then if test.value else otherwise
        return chosen
    return m.Conditional(test, then, otherwise, common, node.span)


def _after(body: Body, node: tree.After, expected: Type | None) -> m.Expr:
    from gdl.check.statements import effect_call

    name, arguments, info = effect_call(body, node.effect, after=True)
    if info.effect.draws:
        body.checker.fail(say.draws_under_after(node.effect.span, name, info.effect.span))
    saved = body.facts
    body.forget(info.assigns)
    expr = expression(body, node.body, expected)
    body.facts = saved
    body.reads = True
    return m.After(name, arguments, expr, expr.type, node.span)


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
    if is_numeric(operand.type) and isinstance(inner, Int) or overlap(operand.type, inner):
        assert isinstance(target, Union)
        return fold(body, m.Cast(operand, target, node.span))
    body.checker.fail(say.wrong_type(node.span, "this", operand.type, target))


# ------------------------------------------------------- calls, maps, records


def _call(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
    from gdl.check import library

    if not isinstance(node.function, tree.Name):
        body.checker.fail(say.not_a_call(node.function.span))
    name = node.function.id
    declaration = body.checker.values.get(name)
    if declaration is not None and declaration.kind in ("def", "feature"):
        info = body.checker.resolve(declaration, node.span)
        return call_function(body, name, info, node.arguments, node.span)
    if name in library.FUNCTIONS:
        return library.FUNCTIONS[name](body, node, expected)
    if name in body.checker.types or name == "player":
        return _insist(body, node)
    if declaration is not None and declaration.kind in ("variable", "const"):
        body.checker.fail(say.needs_index(node.span, name, ", ".join(a.value.span.text for a in node.arguments)))
    if name in body.checker.effects:
        body.checker.fail(say.effect_as_function(node.span, name))
    if foreign := say.foreign_name(node.function.span, name):
        body.checker.fail(foreign)
    known = [n for n, d in body.checker.values.items() if d.kind == "def"] + sorted(library.FUNCTIONS)
    body.checker.fail(say.unknown_function(node.function.span, name, known))


def _insist(body: Body, node: tree.Call) -> m.Expr:
    """`Point(x)`: x, which must be a Point; `Cell(row, col)` too."""
    assert isinstance(node.function, tree.Name)
    target = type_of_node(body.checker, node.function)
    arguments = [expression(body, a.value, target) for a in node.arguments]
    if isinstance(target, Cells) and len(arguments) == 2:
        return cell_at(body, target, arguments[0], arguments[1], node.span)
    if isinstance(target, Tuple) and len(arguments) == len(target.fields):
        items = tuple(
            coerce(body, a, t, "this field") for a, t in zip(arguments, target.fields, strict=True)
        )
        return fold(body, m.TupleOf(items, target, node.span))
    if len(arguments) != 1:
        body.checker.fail(say.wrong_count(node.span, f"`{target}`", len(arguments), "one value"))
    return coerce(body, arguments[0], target, "this", insist=True)


def call_function(
    body: Body, name: str, info: FunctionInfo, arguments: tuple[tree.Argument, ...], span: Span
) -> m.Expr:
    function = info.function
    values = bind_arguments(body, name, function.formals, arguments, span, function.span)
    if info.reads:
        if not body.position:
            body.checker.fail(say.not_here(span, name, body.kind))
        body.reads = True
    call = m.Call(name, values, function.type, span)
    if not info.reads and all(isinstance(v, m.Const) for v in values):
        return evaluated(body, call)
    return _narrowed(body, call)


def bind_arguments(
    body: Body,
    name: str,
    formals: tuple[m.Formal, ...],
    arguments: tuple[tree.Argument, ...],
    span: Span,
    declared: Span,
) -> tuple[m.Expr, ...]:
    """Arguments by position, then by name, each of its formal's type."""
    given: dict[str, tree.Expr] = {}
    names = [formal.name for formal in formals]
    for i, argument in enumerate(arguments):
        key = argument.name
        if key is None:
            if i >= len(formals):
                wanted = f"{len(formals)} argument{'s' if len(formals) != 1 else ''}"
                body.checker.fail(say.wrong_count(span, f"`{name}`", len(arguments), wanted, declared))
            key = names[i]
        elif key not in names:
            body.checker.fail(say.unknown_keyword(argument.span, key, name))
        given[key] = argument.value
    if len(given) != len(formals) or len(given) != len(arguments):
        wanted = f"{len(formals)} argument{'s' if len(formals) != 1 else ''}"
        body.checker.fail(say.wrong_count(span, f"`{name}`", len(arguments), wanted, declared))
    return tuple(
        coerce(body, expression(body, given[f.name], f.type), f.type, f"`{f.name}` of `{name}`") for f in formals
    )


def _generator_call(body: Body, node: tree.GeneratorCall, expected: Type | None) -> m.Expr:
    from gdl.check import library

    if not isinstance(node.function, tree.Name):
        body.checker.fail(say.not_a_call(node.function.span))
    name = node.function.id
    if name not in library.AGGREGATES:
        body.checker.fail(say.unknown_function(node.function.span, name, sorted(library.AGGREGATES)))
    return library.aggregate(body, name, node, expected)


def _subscript(body: Body, node: tree.Subscript, expected: Type | None) -> m.Expr:
    if isinstance(node.base, tree.Name) and body.local(node.base.id) is None:
        declaration = body.checker.values.get(node.base.id)
        if declaration is not None:
            meaning = body.checker.resolve(declaration, node.base.span)
            if isinstance(meaning, m.Variable):
                if not meaning.indices:
                    body.checker.fail(say.not_indexed(node.span, node.base.id))
                return read(body, meaning, indices(body, node, meaning.indices, node.base.id), node.span)
            if isinstance(meaning, m.Table):
                found = indices(body, node, meaning.indices, node.base.id)
                return lookup(body, meaning, found, node.span)
    base = expression(body, node.base)
    if isinstance(base.type, ListOf) and len(node.indices) == 1:
        index = expression(body, node.indices[0])
        index = coerce(body, index, Int(0, max(0, base.type.longest - 1)), "the index of a list")
        return fold(body, m.Element(base, index, base.type.element, node.span))
    body.checker.fail(say.not_indexed(node.span, node.base.span.text))


def lookup(body: Body, table: m.Table, found: tuple[m.Expr, ...], span: Span) -> m.Expr:
    expr = m.Lookup(table.name, found, table.type, span)
    return fold(body, expr) if found else expr


def indices(body: Body, node: tree.Subscript, types: tuple[Type, ...], name: str) -> tuple[m.Expr, ...]:
    """One expression per index; a grid's cell may be given as row and column."""
    what = f"an index of `{name}`"
    parts = list(node.indices)
    surplus = len(parts) - len(types)
    found: list[m.Expr] = []
    for type_ in types:
        if not parts:
            break
        expr = expression(body, parts.pop(0), type_)
        if surplus > 0 and isinstance(type_, Cells) and type_.rows and isinstance(expr.type, Int) and parts:
            surplus -= 1
            expr = cell_at(body, type_, expr, expression(body, parts.pop(0)), node.span)
        elif isinstance(type_, Cells) and isinstance(expr.type, Tuple) and type_.rows:
            expr = cell_at(body, type_, field(body, expr, 0, node.span), field(body, expr, 1, node.span), node.span)
        found.append(coerce(body, expr, type_, what))
    if parts or len(found) != len(types):
        wanted = f"{len(types)} ind{'ex' if len(types) == 1 else 'ices'} ({_index_text(types)})"
        body.checker.fail(say.wrong_count(node.span, f"`{name}`", len(node.indices), wanted))
    return tuple(found)


def cell_at(body: Body, cells: Cells, row: m.Expr, col: m.Expr, span: Span) -> m.Expr:
    row = coerce(body, row, Int(0, cells.rows - 1), f"the row of a {cells}")
    col = coerce(body, col, Int(0, cells.cols - 1), f"the column of a {cells}")
    found = fold(body, m.Step(cells, None, row, col, optional(cells), span))
    return fold(body, m.Convert(found, cells, span))


def _attribute(body: Body, node: tree.Attribute, expected: Type | None) -> m.Expr:
    base, name = expression(body, node.base), node.name.id
    type_ = base.type
    if isinstance(type_, Tuple) and type_.names and name in type_.names:
        return field(body, base, type_.names.index(name), node.span)
    if isinstance(type_, Cells) and type_.rows and name in ("row", "col"):
        size = type_.rows if name == "row" else type_.cols
        result = Int(0, size - 1)
        cols = type_.cols
        part = (lambda c: c // cols) if name == "row" else (lambda c: c % cols)
        count = type_.size
        table = body.checker.table(
            f"{type_}.{name}", (type_,), lambda: tuple(part(c) for c in range(count)), result
        )
        return _narrowed(body, fold(body, m.Lookup(table, (base,), result, node.span)))
    if has_none(type_) and not isinstance(without_none(type_), Union):
        body.checker.fail(say.may_be_none(base.span, f"what has `.{name}`", type_, without_none(type_)))
    known = type_.names if isinstance(type_, Tuple) and type_.names else ("row", "col") if isinstance(type_, Cells) else ()
    body.checker.fail(say.unknown_field(node.name.span, name, type_, known))


_HANDLERS: dict[type, Callable[..., m.Expr]] = {
    tree.Name: _name,
    tree.Number: _number,
    tree.String: _string,
    tree.Operation: _operation,
    tree.Minus: _minus,
    tree.Comparison: _comparison,
    tree.Logical: _logical,
    tree.Not: _not,
    tree.Conditional: _conditional,
    tree.After: _after,
    tree.AsType: _as_type,
    tree.Range: _range,
    tree.Call: _call,
    tree.GeneratorCall: _generator_call,
    tree.Subscript: _subscript,
    tree.Attribute: _attribute,
    tree.TupleExpr: _tuple,
    tree.ListExpr: _list,
    tree.SetExpr: _set,
    tree.DictExpr: _dict,
    tree.ListComprehension: _list_comprehension,
    tree.SetComprehension: _set_comprehension,
}

__all__ = ["condition", "expression", "key_of", "number", "ordinal", "read"]
