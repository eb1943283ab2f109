"""Expressions: names bound, types and intervals inferred, constants folded, sugar removed.

The kinds of expressions are handled in names.py, arithmetic.py, collections.py, logic.py and calls.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import Any

from gdl.check.context import Body, Checker, Failed
from gdl.check.relations import is_numeric, members_of, type_of, without_none
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import BOOL, Cells, Enum, Int, Part, Player, SetOf, Type, from_ordinal
from gdl.syntax import tree

Handler = Callable[[Body, Any, Type | None], m.Expr]

_HANDLERS: dict[type, Handler] = {}


def handles(node: type) -> Callable[[Handler], Handler]:
    """Registers the function that types one kind of syntax node."""

    def register(handler: Handler) -> Handler:
        _HANDLERS[node] = handler
        return handler

    return register


def expression(body: Body, node: tree.TypeExpr, expected: Type | None = None) -> m.Expr:
    """The typed expression. `expected` only helps to read names such as `empty`, `a1`, `none`, `{..}`."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        body.checker.fail(say.statement_expected(node.span))
    try:
        found = handler(body, node, expected)
    except Failed:
        _report_unknown(body, node)
        raise
    body.checker.meanings.note_type(node.span, found.type)
    return found


def _report_unknown(body: Body, node: tree.TypeExpr) -> None:
    """Where an expression was given up for a name that nobody knows, its other such names.

    Behind any other mistake a name may be unknown only because of it, as a value of a type that failed."""
    checker, whole = body.checker, node.span
    if not any(
        d.code == "E101"
        and d.span
        and d.span.source is whole.source
        and whole.start <= d.span.start < whole.end
        for d in checker.diagnostics
    ):
        return
    bound: set[str] = set()
    names = [*_names(node, bound)]
    elsewhere = {*bound, *checker.types, *checker.effects, *checker.moves, "moves"}  # names of no value
    for name in names:
        told = {diagnostic.span for diagnostic in checker.diagnostics}
        if name.id in elsewhere or name.span in told:
            continue
        known = len(checker.diagnostics), len(checker.obligations)
        with suppress(Failed):
            _HANDLERS[tree.Name](body, name, None)
        unknown = [d for d in checker.diagnostics[known[0] :] if d.code == "E101"]
        checker.diagnostics[known[0] :] = unknown
        del checker.obligations[known[1] :]


def _names(node: object, bound: set[str]) -> Iterator[tree.Name]:
    """The names in an expression that mean values, without those that it binds itself, which are added."""
    match node:
        case tree.Name():
            yield node
        case tree.Binding():
            bound.update(name.id for name in node.names)
        case tree.Attribute():
            yield from _names(node.base, bound)
        case tree.Call(function=tree.Name()):
            yield from _names(node.arguments, bound)
        case tree.GeneratorCall(function=tree.Name()):
            yield from _names((node.generator, node.keyword), bound)
        case tree.After():
            yield from _names(node.body, bound)
        case tree.Comparison():
            yield from _names(node.first, bound)
            yield from _names(tuple(side for op, side, _ in node.tail if not op.startswith("is")), bound)
        case tree.AsType():
            yield from _names(node.operand, bound)
        case tree.Subset():
            if node.binder is not None:
                bound.add(node.binder[0].id)
            yield from _names((node.members, node.condition), bound)
        case tuple():
            for part in node:
                yield from _names(part, bound)
        case Span() | tree.Glyph() | tree.Mixture():
            pass
        case _ if is_dataclass(node):
            for each in fields(node):
                yield from _names(getattr(node, each.name), bound)


def condition(body: Body, node: tree.Expr) -> m.Expr:
    """An expression that is true or false."""
    expr = expression(body, node, BOOL)
    if isinstance(expr.type, Player):
        body.checker.fail(say.player_for_condition(node.span))
    if expr.type != BOOL:
        body.checker.fail(say.not_a_condition(node.span, expr.type))
    return expr


def widened(expr: m.Expr) -> m.Expr:
    """What is known to be one of a part of numbers or tuples, as the number or tuple that it is."""
    if not isinstance(expr.type, Part):
        return expr
    whole = expr.type.whole
    if isinstance(expr, m.Const):
        value = from_ordinal(whole, expr.type.places[expr.value])
        return m.Const(value, type_of(value) if isinstance(whole, Int) else whole, expr.span)
    if isinstance(expr, m.Convert) and expr.operand.type == whole:
        return expr.operand
    if isinstance(whole, Int):
        places = expr.type.places
        whole = Int(whole.lo + places[0], whole.lo + places[-1])
    return m.Convert(expr, whole, expr.span)


def number(body: Body, node: tree.TypeExpr, what: str) -> m.Expr:
    expr = widened(expression(body, node))
    expect_number(body.checker, expr.type, node.span, what)
    return expr


def _number_of(found: Type, text: str) -> str | None:
    """How a number is made of what is none."""
    if isinstance(found, Player | Enum | Cells):
        behind = f"; `next({text})` is the one behind it" if not isinstance(found, Cells) else ""
        return f"`rank({text})` is its number{behind}"
    if isinstance(found, SetOf):
        return f"`x ~ {text}` draws one of them; `count`, `sum`, `min` and `max` make a number of them"
    return None


def expect_number(checker: Checker, found: Type, span: Span, what: str) -> None:
    """Fails unless what stands here is a number; where it may be one, with the test that tells."""
    if is_numeric(found):
        return
    numbers = [member for member in members_of(found) if is_numeric(member)]
    if found == BOOL:
        checker.fail(say.condition_for_number(span, what, -1 if what == "`utility:`" else 0))
    if isinstance(found, Player) and what == "`utility:`":
        checker.fail(say.player_for_utility(span))
    if not numbers:
        checker.fail(say.not_a_number(span, what, found, _number_of(found, span.text)))
    if without_none(found) == numbers[0]:
        checker.fail(say.may_be_none(span, what, found, numbers[0]))
    checker.fail(say.too_wide(span, what, found, numbers[0]))
