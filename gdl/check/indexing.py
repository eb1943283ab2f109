"""Indices of maps and tables, and cells by their rows and columns."""

from __future__ import annotations

from gdl.check.arithmetic import field
from gdl.check.coerce import coerce, fold
from gdl.check.context import Body
from gdl.check.expressions import expression
from gdl.check.names import index_text
from gdl.check.relations import optional
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import Cells, Int, Tuple, Type
from gdl.syntax import tree


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
            expr = cell_at(
                body, type_, field(body, expr, 0, node.span), field(body, expr, 1, node.span), node.span
            )
        found.append(coerce(body, expr, type_, what))
    if parts or len(found) != len(types):
        wanted = f"{len(types)} ind{'ex' if len(types) == 1 else 'ices'} ({index_text(types)})"
        body.checker.fail(say.wrong_count(node.span, f"`{name}`", len(node.indices), wanted))
    return tuple(found)


def cell_at(body: Body, cells: Cells, row: m.Expr, col: m.Expr, span: Span) -> m.Expr:
    row = coerce(body, row, Int(0, cells.rows - 1), f"the row of a {cells}")
    col = coerce(body, col, Int(0, cells.cols - 1), f"the column of a {cells}")
    found = fold(body, m.Step(cells, None, row, col, optional(cells), span))
    if cells.whole is not None:  # there may be a hole
        return coerce(body, found, cells, f"a {cells}", insist=True)
    return fold(body, m.Convert(found, cells, span))
