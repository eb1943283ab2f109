"""`expect` lines: known quantities that make a game file its own regression test."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import inf
from typing import Any

from gdl.check.constants import constant
from gdl.check.context import Checker
from gdl.check.declarations import coerce_constant, override
from gdl.check.policies import chosen_policy
from gdl.check.relations import is_numeric
from gdl.diagnostics import Diagnostic
from gdl.diagnostics import wording as say
from gdl.diagnostics.wording.phrases import listing
from gdl.model import nodes as m
from gdl.model.types import BOOL, Int, Tuple, show_value
from gdl.reference.notation import move_mistakes, position_mistakes
from gdl.reference.positions import Layout
from gdl.syntax import tree

QUANTITIES = ("value", "cost", "best", "legal", "terminal", "perft", "positions", "plays")
_OPPOSITE = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_POSITIONAL = {"perft": (1, 1), "positions": (0, 1)}


def expectation(checker: Checker, node: tree.Expect) -> m.Expectation:
    quantity = node.quantity.id
    if quantity not in QUANTITIES:
        checker.fail(say.unknown_quantity(node.quantity.span, quantity, QUANTITIES))
    numbers = []
    for argument in node.arguments:
        if argument.name is None:
            value = constant(checker, argument.value, "this")
            if not isinstance(value.type, Int) or value.value < 0:
                checker.fail(say.bad_expectation(argument.span, "a depth is a whole number from 0"))
            numbers.append(value.value)
    least, most = _POSITIONAL.get(quantity, (0, 0))
    if not least <= len(numbers) <= most:
        wanted = "a depth" if most else "parameters of the game and agents of players, as in `(size=4)`"
        checker.fail(say.wrong_count(node.quantity.span, f"`{quantity}`", len(numbers), wanted))
    setting = _setting(checker, quantity, node.arguments)
    _check_relation(checker, node)
    tolerance = None
    if node.tolerance is not None:
        given = constant(checker, node.tolerance, "a tolerance")
        if not is_numeric(given.type) or given.value < 0:
            checker.fail(say.bad_expectation(node.tolerance.span, "a tolerance is a number from 0"))
        tolerance = Fraction(given.value)
    relation, expected = node.relation or "==", _expected(checker, node)
    if quantity == "cost":
        quantity, relation, expected = "value", _OPPOSITE.get(relation, relation), -expected
    return m.Expectation(
        quantity,
        tuple(numbers),
        setting,
        node.start.value if node.start is not None else None,
        tuple(_move_text(checker, move) for move in node.moves),
        relation,
        expected,
        tolerance,
        node.slow,
        node.span.text,
        node.span,
    )


def misread(model: m.Model) -> Iterator[Diagnostic]:
    """What no position or move of the game can be meant by, in lines about the parameters that it has."""
    layout = Layout(model.variables)
    for line in model.expectations:
        if line.params:
            continue  # which may make other boards, and other moves
        found = [] if line.start is None else [*position_mistakes(layout, line.start)]
        expected = sorted(line.value) if isinstance(line.value, frozenset) else ()
        for text in (*line.moves, *expected):
            found.extend(move_mistakes(model.moves, text))
        yield from (diagnostic.quoted_in(line.span) for diagnostic in found)


def _setting(checker: Checker, quantity: str, arguments: tuple[tree.Argument, ...]) -> m.Setting:
    """The named arguments: values of parameters, and agents of players."""
    params, agents = {}, {}
    for argument in arguments:
        if argument.name is None:
            continue
        if argument.name in params or argument.name in agents:
            checker.fail(say.bad_expectation(argument.span, f"`{argument.name}` is given twice"))
        if argument.name in checker.players.ordinals:
            if quantity not in ("value", "cost", "best"):
                message = f"who plays makes no difference to `{quantity}`, only to `value` and `best`"
                checker.fail(say.bad_expectation(argument.span, message))
            chosen_policy(checker, argument.value, checker.players.ordinals[argument.name])
            agents[argument.name] = " ".join(argument.value.span.text.split())
        else:
            params[argument.name] = _param_value(checker, argument)
    return m.Setting(params, agents)


def _check_relation(checker: Checker, node: tree.Expect) -> None:
    quantity = node.quantity.id
    if quantity == "terminal":
        if node.relation not in ("", "=="):
            checker.fail(say.bad_expectation(node.span, "`terminal` is true or false"))
    elif not node.relation:
        message = f"what is `{quantity}` expected to be? Write `{quantity} == …`"
        checker.fail(say.bad_expectation(node.span, message))
    elif node.relation not in ("==", "within") and quantity == "best":
        checker.fail(say.bad_expectation(node.span, "moves are compared by `==`"))


def _param_value(checker: Checker, argument: tree.Argument) -> Any:
    """A parameter's value, as text: it is read by the game that it makes."""
    declared = {item.name.id: item for item in checker.file.items if isinstance(item, tree.Param)}
    item = declared.get(argument.name or "")
    if item is None:
        players = [member.name for member in checker.players.members]
        checker.fail(say.unknown_setting(argument.span, argument.name or "", players, list(declared)))
    value = constant(checker, argument.value, f"the parameter `{argument.name}`")
    shown = show_value(value.type, value.value)
    same_range = item.type is None or not checker.depends_on_params(item.type)
    if same_range and checker.values[item.name.id].state == "done":
        override(checker, item, shown, argument.value.span)
    return shown


def _expected(checker: Checker, node: tree.Expect) -> Any:
    if node.value is None:
        return True
    if node.quantity.id == "terminal":
        return bool(
            coerce_constant(checker, constant(checker, node.value, "what is expected"), BOOL, "it").value
        )
    if node.quantity.id == "value" and (other := _other_value(node.value)) is not None:
        return _setting(checker, "value", other)
    if node.quantity.id == "best" or (node.quantity.id == "legal" and not _is_number(node.value)):
        moves = node.value.items if isinstance(node.value, tree.SetExpr) else (node.value,)
        return frozenset(_move_text(checker, move) for move in moves)
    if node.quantity.id == "cost" and isinstance(node.value, tree.Name) and node.value.id == "infinite":
        return inf
    value = constant(checker, node.value, "what is expected")
    if node.quantity.id == "value" and isinstance(value.type, Tuple):
        if len(value.value) != checker.players.size:
            wanted = f"one number for each of the {checker.players.size} players"
            checker.fail(say.wrong_count(node.value.span, "the value", len(value.value), wanted))
        return tuple(Fraction(v) for v in value.value)
    if not is_numeric(value.type):
        checker.fail(say.not_a_number(node.value.span, "what is expected", value.type))
    return Fraction(value.value)


def _other_value(node: tree.Expr) -> tuple[tree.Argument, ...] | None:
    """The arguments of `value(..)` where what is expected is another value of the game."""
    name = node.function if isinstance(node, tree.Call) else node
    if not isinstance(name, tree.Name) or name.id != "value":
        return None
    return node.arguments if isinstance(node, tree.Call) else ()


def _is_number(node: tree.Expr) -> bool:
    return isinstance(node, tree.Number | tree.Operation | tree.Minus)


def _move_text(checker: Checker, node: Any) -> str:
    if isinstance(node, tree.String):  # in a notation of its own
        return node.value
    name = node.function if isinstance(node, tree.Call) else node
    moves = [item.name.id for item in checker.file.items if isinstance(item, tree.Move)]
    if not isinstance(name, tree.Name) or name.id not in moves:
        text = node.span.text
        others = f"; the moves are {listing(moves)}" if moves else ""
        quoted = any(isinstance(item, tree.Move) and item.notation is not None for item in checker.file.items)
        checker.fail(say.no_expected_move(node.span, f"`{text}` is no move of the game{others}", quoted))
    return " ".join(node.span.text.split())
