"""`show:`: boards and lines of text with `{expression}` in them."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

from gdl.check import lists
from gdl.check.context import Body, Checker
from gdl.check.expressions import expression
from gdl.check.names import bind_arguments, note_call, read
from gdl.diagnostics import Diagnostic, Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import Cells, ListOf
from gdl.syntax import parse_expression, tree


def show(checker: Checker, node: tree.Show) -> m.Show:
    body = Body(checker, "`show:`")
    with body.scope():
        viewer = None if node.argument is None else body.declare(node.argument, checker.players, "parameter")
        lines = []
        for line in node.lines:
            with checker.attempt():
                lines.append(m.ShowLine(tuple(_parts(body, line))))
    return m.Show(body.frame, tuple(lines), None if viewer is None else viewer.slot)


def _parts(body: Body, node: tree.Expr) -> list[str | m.Expr | m.ShowList | m.ShowBoard]:
    if isinstance(node, tree.String):
        return _interpolated(body, node)
    return [_shown(body, node)]


def _shown(body: Body, node: tree.Expr) -> m.Expr | m.ShowList | m.ShowBoard:
    board = _board(body, node, flip=False)
    if board is not None:
        return board
    if (of := lists.held(body, node)) is not None:
        return _list(body, of, node.span)
    expr = expression(body, node)
    if isinstance(expr.type, ListOf):
        body.checker.fail(say.cannot_show(node.span, expr.type))
    return expr


def _list(body: Body, of: lists.Held, span: Span) -> m.ShowList:
    slot = body.slot()
    place = m.Local(slot, "place", of.places, span)
    return m.ShowList(slot, lists.count(body, of, span), lists.slot(body, of, place, span))


def _board(body: Body, node: tree.Expr, flip: bool) -> m.ShowBoard | None:
    """A map over the cells of a board, perhaps inside `flip( )`, or several inside `above( )`: a variable, or
    a `def` of a cell, which is given what it takes behind that."""
    if _is_call_of(node, "flip", body):
        if len(node.arguments) == 1:
            board = _board(body, node.arguments[0].value, True)
            if board is not None:
                return board
        body.checker.fail(say.picture_without_board(node.span, "flip"))
    if _is_call_of(node, "above", body):
        return _lines(body, node, flip)
    called = node.function if isinstance(node, tree.Call) else node
    given = node.arguments if isinstance(node, tree.Call) else ()
    if not isinstance(called, tree.Name) or body.local(called.id) is not None:
        return None
    declaration = body.checker.values.get(called.id)
    if declaration is None:
        return None
    if declaration.kind == "variable" and isinstance(node, tree.Name):
        variable: m.Variable = body.checker.resolve(declaration, node.span)
        if variable.length is not None:
            return _board_of_lists(body, variable, node, flip)
        if len(variable.indices) == 1 and isinstance(variable.indices[0], Cells):
            cells = variable.indices[0]
            slot = body.slot()
            value = read(body, variable, (m.Local(slot, "cell", cells, node.span),), node.span)
            return m.ShowBoard(cells, slot, value, flip)
    elif declaration.kind == "def":
        info = body.checker.resolve(declaration, node.span)
        name, formals = called.id, info.function.formals
        if len(formals) == len(given) + 1 and isinstance(formals[0].type, Cells):
            rest = bind_arguments(body, name, formals[1:], given, node.span, info.function.span)
            note_call(body, name, info, node.span)
            slot = body.slot()
            place = m.Local(slot, "cell", formals[0].type, node.span)
            call = m.Call(name, (place, *rest), info.function.type, node.span)
            return m.ShowBoard(formals[0].type, slot, call, flip)
    return None


def _is_call_of(node: tree.Expr, name: str, body: Body) -> TypeGuard[tree.Call]:
    """Whether a picture is asked for, and not a `def` of the same name."""
    called = isinstance(node, tree.Call) and isinstance(node.function, tree.Name) and node.function.id == name
    return called and name not in body.checker.values


def _lines(body: Body, node: tree.Call, flip: bool) -> m.ShowBoard:
    """`above(a, b)`: boards of the same cells, one drawn on each line of a square."""
    if len(node.arguments) < 2:
        body.checker.fail(say.picture_of_few(node.span, "above"))
    drawn: m.ShowBoard | None = None
    for argument in reversed(node.arguments):
        board = _board(body, argument.value, flip)
        if board is None:
            body.checker.fail(say.picture_without_board(argument.value.span, "above"))
        if drawn is not None and board.cells != drawn.cells:
            body.checker.fail(say.pictures_of_boards(argument.value.span, board.cells, drawn.cells))
        flipped = board.flip or (drawn is not None and drawn.flip)
        drawn = replace(_under(board, drawn), flip=flipped)
    assert drawn is not None
    return drawn


def _under(board: m.ShowBoard, lower: m.ShowBoard | None) -> m.ShowBoard:
    """A board, which may have several lines itself, with others below them."""
    return replace(board, below=lower if board.below is None else _under(board.below, lower))


def _board_of_lists(body: Body, variable: m.Variable, node: tree.Name, flip: bool) -> m.ShowBoard | None:
    """A list on each cell, drawn as a stack."""
    if len(variable.indices) != 2 or not isinstance(variable.indices[0], Cells):
        return None
    cells = variable.indices[0]
    slot = body.slot()
    of = lists.Held(node.id, lists.list_type(variable), variable, (m.Local(slot, "cell", cells, node.span),))
    return m.ShowBoard(cells, slot, _list(body, of, node.span), flip)


def _interpolated(body: Body, node: tree.String) -> list[str | m.Expr | m.ShowList | m.ShowBoard]:
    """`"pot {pot}"` as text and expressions; `{{` and `}}` are braces."""
    text, start = node.value, node.span.start + 1
    parts: list[str | m.Expr | m.ShowList | m.ShowBoard] = []
    plain, i = "", 0
    while i < len(text):
        if text.startswith(("{{", "}}"), i):
            plain += text[i]
            i += 2
        elif text[i] == "}":
            body.checker.fail(say.bad_interpolation(Span(node.span.source, start + i, start + i + 1)))
        elif text[i] == "{":
            end = _closing(text, i)
            if end is None:
                body.checker.fail(say.bad_interpolation(Span(node.span.source, start + i, start + i + 1)))
            inner = parse_expression(node.span.source, start + i + 1, start + end)
            if isinstance(inner, Diagnostic):
                body.checker.fail(inner)
            if plain:
                parts.append(plain)
            plain, i = "", end + 1
            body.checker.meanings.note_inside(inner)
            parts.append(_shown(body, inner))
        else:
            plain += text[i]
            i += 1
    if plain or not parts:
        parts.append(plain)
    return parts


def _closing(text: str, opening: int) -> int | None:
    depth = 0
    for i in range(opening, len(text)):
        if text[i] == "{":
            depth += 1
        elif text[i] == "}":
            depth -= 1
            if depth == 0:
                return i
    return None
