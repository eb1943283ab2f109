"""`visible to`: who sees which element of a position variable."""

from __future__ import annotations

from gdl.check.coerce import coerce, fold
from gdl.check.context import Body, Checker
from gdl.check.expressions import condition, expression
from gdl.check.logic import membership
from gdl.check.relations import is_numeric
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import BOOL, SetOf, Type
from gdl.syntax import tree


def visibility(checker: Checker, node: tree.Variable, types: tuple[Type, ...]) -> m.Visibility | None:
    """The condition under which a player sees an element; None where everyone always does.

    The text behind `visible to` is a player, a set of players, `everyone`, `nobody`, or a conditional
    expression of these; names of indices stand for the element's indices.
    """
    body = Body(checker, "`visible to`")
    slots = []
    for index, type_ in zip(node.indices, types, strict=True):
        slots.append(body.declare(index.name, type_, "parameter").slot if index.name else body.slot())
    viewer = body.slot()
    assert node.visible is not None
    seen = _seen(body, node.visible, viewer)
    if isinstance(seen, m.Const) and seen.value:
        return None
    return m.Visibility(body.frame, tuple(slots), viewer, seen)


def _seen(body: Body, node: tree.Expr, viewer: int) -> m.Expr:
    checker = body.checker
    players = checker.players
    me = m.Local(viewer, "viewer", players, node.span)
    if isinstance(node, tree.Name) and body.local(node.id) is None and node.id not in checker.values:
        if node.id == "everyone":
            return m.Const(True, BOOL, node.span)
        if node.id == "nobody":
            return m.Const(False, BOOL, node.span)
        if node.id not in checker.enums:
            checker.fail(say.visibility_index(node.span, node.id))
    if isinstance(node, tree.Conditional):
        test = condition(body, node.condition)
        then, otherwise = _seen(body, node.then, viewer), _seen(body, node.otherwise, viewer)
        if isinstance(test, m.Const):
            return then if test.value else otherwise
        return m.Conditional(test, then, otherwise, BOOL, node.span)
    expr = expression(body, node, players)
    if isinstance(expr.type, SetOf) and expr.type.element == players:
        return membership(body, me, expr, node.span)
    if expr.type != players or is_numeric(expr.type):
        checker.fail(say.bad_visibility(node.span, f"a value of type {expr.type}"))
    return fold(body, m.Compare("==", me, coerce(body, expr, players, "who sees it"), BOOL, node.span))
