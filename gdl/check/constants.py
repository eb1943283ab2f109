"""What is known when the game is compiled: bounds, tables, defaults."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

from gdl.check.coerce import coerce
from gdl.check.context import Body, Checker, Formula
from gdl.check.expressions import expression, widened
from gdl.check.relations import convert_value, is_numeric, join, simplest, type_of
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import Cells, Int, ListOf, Type, ordinal, show_value, values
from gdl.model.walk import bound_slots, is_closed, walk
from gdl.reference.faults import Fault
from gdl.syntax import tree

MAX_ENTRIES = 200_000  # of a table, and elements of a map


def constant(checker: Checker, node: tree.Expr, what: str, expected: Type | None = None) -> m.Const:
    """The value of an expression that must not depend on the position."""
    body = Body(checker, what, position=False)
    expr = expression(body, node, expected)
    if expected is not None:
        expr = coerce(body, expr, expected, what)
    return evaluate(checker, expr, what)


def evaluate(checker: Checker, expr: m.Expr, what: str) -> m.Const:
    if isinstance(expr, m.Const):
        return expr
    if not is_closed(expr) and not _only_calls(expr):
        checker.fail(say.not_constant(expr.span, what))
    try:
        value = simplest(checker.compute(expr))
    except Fault as fault:
        checker.fail(say.constant_fault(expr.span, fault.diagnostics[0].message))
    return m.Const(value, type_of(value) if is_numeric(expr.type) else expr.type, expr.span)


def _only_calls(expr: m.Expr) -> bool:
    """Closed but for calls: in a constant these are calls of functions that read no position."""
    bound = bound_slots(expr)
    return not any(
        isinstance(part, m.Read | m.After | m.Stuck) or (isinstance(part, m.Local) and part.slot not in bound)
        for part in walk(expr)
    )


def constant_int(checker: Checker, node: tree.Expr, what: str) -> int:
    value = constant(checker, node, what)
    if not isinstance(value.type, Int):
        checker.fail(say.wrong_type(node.span, what, value.type, "whole numbers"))
    return int(value.value)


def table(
    checker: Checker,
    name: str,
    node: tree.Expr,
    indices: tuple[tree.Index, ...],
    types: tuple[Type, ...],
    element: Type | None,
) -> m.Table | Formula:
    """A constant with indices: a table, or what computes an entry where it is asked for if a table would be
    too large or take too long."""
    what = f"the table `{name}`"
    if not _is_formula(node, indices):
        return m.Table(name, types, *table_values(checker, node, indices, types, element, what))
    body, expr = _formula(checker, node, indices, types, element, what)
    if _count(types) <= MAX_ENTRIES:
        entries = _tabulated(checker, body, expr, types, optional=True)
        if entries is not None:
            return m.Table(name, types, *_of_one_type(checker, node, entries, element))
    expr = widened(expr)
    formals = tuple(
        m.Formal(index.name.id if index.name else "", slot, type_)
        for slot, (index, type_) in enumerate(zip(indices, types, strict=True))
    )
    return Formula(m.Function(name, formals, body.frame, expr, expr.type, node.span), types)


def table_values(
    checker: Checker,
    node: tree.Expr,
    indices: tuple[tree.Index, ...],
    types: tuple[Type, ...],
    element: Type | None,
    what: str,
) -> tuple[tuple[Any, ...], Type]:
    """The entries of a table in row-major order, and their type (given, or the smallest that fits).

    The entries are a formula over named indices, a nested `{key: ..}` or `[..]` with one level per
    index (a grid may take two levels, rows of columns), or one value for all.
    """
    count = _count(types)
    if count > MAX_ENTRIES:
        names = (f"{name}: {i.span.text}" for name, i in zip("abcdefgh", indices, strict=False))
        formals = ", ".join(names)
        checker.fail(say.table_too_large(node.span, what, count, MAX_ENTRIES, formals))
    if _is_formula(node, indices):
        body, expr = _formula(checker, node, indices, types, element, what)
        entries = _tabulated(checker, body, expr, types) or []
    else:
        entries = _by_nesting(checker, node, list(types), element, what)
    return _of_one_type(checker, node, entries, element)


def _count(types: tuple[Type, ...]) -> int:
    count = 1
    for type_ in types:
        count *= type_.size  # type: ignore[union-attr]
    return count


def _is_formula(node: tree.Expr, indices: tuple[tree.Index, ...]) -> bool:
    return any(index.name for index in indices) and not isinstance(node, tree.DictExpr)


def _of_one_type(
    checker: Checker, node: tree.Expr, entries: list[m.Const], element: Type | None
) -> tuple[tuple[Any, ...], Type]:
    """The entries as values of the type that is given, or of the smallest that holds them all."""
    if element is None:
        element = entries[0].type
        for entry in entries[1:]:
            common = join(element, entry.type)
            if common is None:
                checker.fail(say.no_common_type(node.span, element, entry.type, entries[0].span, entry.span))
            element = common
    converted = tuple(
        e.value if e.type == element else convert_value(e.value, e.type, element) for e in entries
    )
    return converted, element


def _formula(
    checker: Checker,
    node: tree.Expr,
    indices: tuple[tree.Index, ...],
    types: tuple[Type, ...],
    element: Type | None,
    what: str,
) -> tuple[Body, m.Expr]:
    """An entry by its indices, which are the first slots of the body."""
    body = Body(checker, what, position=False)
    for index, type_ in zip(indices, types, strict=True):
        if index.name is not None:
            body.declare(index.name, type_, "parameter")
        else:
            body.slot()
    expr = expression(body, node, element)
    if element is not None:
        expr = coerce(body, expr, element, what)
    return body, expr


def _tabulated(
    checker: Checker, body: Body, expr: m.Expr, types: tuple[Type, ...], optional: bool = False
) -> list[m.Const] | None:
    """The entries of a formula; None if that takes too long and they are `optional`."""
    entries: list[m.Const] = []
    keys = list(product(*(values(t) for t in types)))
    try:
        for computed in checker.tabulate(expr, body.frame, keys, optional):
            value = simplest(computed)
            entries.append(m.Const(value, type_of(value) if is_numeric(expr.type) else expr.type, expr.span))
    except Fault as fault:
        where = ", ".join(show_value(t, v) for t, v in zip(types, keys[len(entries)], strict=True))
        checker.fail(say.constant_fault(expr.span, f"at [{where}], {fault.diagnostics[0].message}"))
    return entries if len(entries) == len(keys) else None


def _by_nesting(
    checker: Checker, node: tree.Expr, types: list[Type], element: Type | None, what: str
) -> list[m.Const]:
    if not types:
        return [constant(checker, node, what, element)]
    first, rest = types[0], types[1:]
    size: int = first.size  # type: ignore[union-attr]
    if isinstance(node, tree.DictExpr):
        return _by_keys(checker, node, first, rest, element, what)
    if isinstance(node, tree.ListExpr) and not (not rest and _is_entry(node, element)):
        if isinstance(first, Cells) and first.rows and len(node.items) == first.rows and _nested(node):
            lengths = Counter(first.place(cell)[0] for cell in range(size))
            rows = [(row, lengths[number]) for number, row in enumerate(node.items)]
            return [e for row, length in rows for e in _row(checker, row, length, rest, element, what)]
        return _row(checker, node, size, rest, element, what)
    if isinstance(node, tree.ListComprehension) and (rest or not isinstance(element, ListOf)):
        return _by_comprehension(checker, node, types, what)
    entries = _by_nesting(checker, node, rest, element, what)
    return entries * size


def _by_comprehension(
    checker: Checker, node: tree.ListComprehension, types: list[Type], what: str
) -> list[m.Const]:
    """`[2 * i for i in 0..3]`, whose elements are lists themselves where there are several indices."""
    made = constant(checker, node, what)
    found = [(made.value, made.type)]
    for type_ in types:
        size: int = type_.size  # type: ignore[union-attr]
        nested = []
        for elements, of in found:
            if not isinstance(of, ListOf):
                checker.fail(say.wrong_count(node.span, what, 1, f"{size} entries for each of these"))
            if len(elements) != size:
                checker.fail(say.wrong_count(node.span, what, len(elements), f"{size} entries here"))
            nested += [(element, of.element) for element in elements]
        found = nested
    return [m.Const(value, type_of(value) if is_numeric(of) else of, node.span) for value, of in found]


def _is_entry(node: tree.ListExpr, element: Type | None) -> bool:
    """Whether a list is one entry, and not a list of entries that are lists."""
    if not isinstance(element, ListOf):
        return False
    return not node.items or not _nested(node) or isinstance(element.element, ListOf)


def _nested(node: tree.ListExpr) -> bool:
    return all(isinstance(item, tree.ListExpr) for item in node.items)


def _row(
    checker: Checker, node: tree.Expr, size: int, rest: list[Type], element: Type | None, what: str
) -> list[m.Const]:
    if not isinstance(node, tree.ListExpr):
        return _by_nesting(checker, node, rest, element, what) * size
    if len(node.items) != size:
        checker.fail(say.wrong_count(node.span, what, len(node.items), f"{size} entries here"))
    return [e for item in node.items for e in _by_nesting(checker, item, rest, element, what)]


def _by_keys(
    checker: Checker, node: tree.DictExpr, first: Type, rest: list[Type], element: Type | None, what: str
) -> list[m.Const]:
    found: dict[int, list[m.Const]] = {}
    for key_node, value_node in node.entries:
        key = constant(checker, key_node, "a key", first)
        number = ordinal(first, key.value)
        if number in found:
            checker.fail(say.duplicate_key(key_node.span, key_node.span.text))
        found[number] = _by_nesting(checker, value_node, rest, element, what)
    size: int = first.size  # type: ignore[union-attr]
    missing = [show_value(first, v) for i, v in enumerate(values(first)) if i not in found]
    if missing:
        checker.fail(say.missing_entries(node.span, missing))
    return [entry for i in range(size) for entry in found[i]]
