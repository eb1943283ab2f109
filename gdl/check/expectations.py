"""`expect` lines: known quantities that make a game file its own regression test."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from gdl.check.constants import constant
from gdl.check.context import Checker
from gdl.check.relations import is_numeric
from gdl.diagnostics import wording as say
from gdl.diagnostics.wording.phrases import listing
from gdl.model import nodes as m
from gdl.model.types import Int, Tuple, show_value
from gdl.syntax import tree

QUANTITIES = ("value", "best", "legal", "perft", "positions", "plays")
_POSITIONAL = {"perft": (1, 1), "positions": (0, 1)}


def expectation(checker: Checker, node: tree.Expect) -> m.Expectation:
    quantity = node.quantity.id
    if quantity not in QUANTITIES:
        checker.fail(say.unknown_quantity(node.quantity.span, quantity, QUANTITIES))
    numbers, params = [], {}
    for argument in node.arguments:
        if argument.name is None:
            value = constant(checker, argument.value, "this")
            if not isinstance(value.type, Int) or value.value < 0:
                checker.fail(say.bad_expectation(argument.span, "a depth is a whole number from 0"))
            numbers.append(value.value)
        else:
            params[argument.name] = _param_value(checker, argument)
    least, most = _POSITIONAL.get(quantity, (0, 0))
    if not least <= len(numbers) <= most:
        wanted = "a depth" if most else "parameters of the game only, as in `(size=4)`"
        checker.fail(say.wrong_count(node.quantity.span, f"`{quantity}`", len(numbers), wanted))
    tolerance = None
    if node.tolerance is not None:
        given = constant(checker, node.tolerance, "a tolerance")
        if not is_numeric(given.type) or given.value < 0:
            checker.fail(say.bad_expectation(node.tolerance.span, "a tolerance is a number from 0"))
        tolerance = Fraction(given.value)
    return m.Expectation(
        quantity,
        tuple(numbers),
        params,
        node.start.value if node.start is not None else None,
        tuple(_move_text(checker, move) for move in node.moves),
        node.relation,
        _expected(checker, node),
        tolerance,
        node.slow,
        node.span.text,
        node.span,
    )


def _param_value(checker: Checker, argument: tree.Argument) -> Any:
    """A parameter's value, as text: it is read by the game that it makes."""
    names = [item.name.id for item in checker.file.items if isinstance(item, tree.Param)]
    if argument.name not in names:
        checker.fail(say.unknown_param(argument.name or "", names))
    value = constant(checker, argument.value, f"the parameter `{argument.name}`")
    return show_value(value.type, value.value)


def _expected(checker: Checker, node: tree.Expect) -> Any:
    if node.quantity.id == "best" or (node.quantity.id == "legal" and not _is_number(node.value)):
        moves = node.value.items if isinstance(node.value, tree.SetExpr) else (node.value,)
        return frozenset(_move_text(checker, move) for move in moves)
    value = constant(checker, node.value, "what is expected")
    if node.quantity.id == "value" and isinstance(value.type, Tuple):
        if len(value.value) != checker.players.size:
            wanted = f"one number for each of the {checker.players.size} players"
            checker.fail(say.wrong_count(node.value.span, "the value", len(value.value), wanted))
        return tuple(Fraction(v) for v in value.value)
    if not is_numeric(value.type):
        checker.fail(say.not_a_number(node.value.span, "what is expected", value.type))
    return Fraction(value.value)


def _is_number(node: tree.Expr) -> bool:
    return isinstance(node, tree.Number | tree.Operation | tree.Minus)


def _move_text(checker: Checker, node: Any) -> str:
    name = node.function if isinstance(node, tree.Call) else node
    moves = [item.name.id for item in checker.file.items if isinstance(item, tree.Move)]
    if not isinstance(name, tree.Name) or name.id not in moves:
        text = node.span.text
        hint = f"; the moves are {listing(moves)}" if moves else ""
        checker.fail(say.bad_expectation(node.span, f"`{text}` is no move of the game{hint}"))
    return " ".join(node.span.text.split())
