"""An expression that stands outside of the file, read with the names of its game."""

from __future__ import annotations

from gdl.check.context import Body, Checker, Failed
from gdl.check.expressions import expression
from gdl.diagnostics import Diagnostic, GameError, Source, sort_diagnostics
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.syntax import parse_expression
from gdl.syntax.tokens import tokenize


def asked(checker: Checker, source: Source) -> m.Section:
    """What `source`, which is not empty, asks of a position of a game without mistakes. Raises GameError."""
    tokens = tokenize(source)
    if tokens.diagnostics:
        raise GameError(tokens.diagnostics)
    node = parse_expression(source, 0, len(source.text))
    if isinstance(node, Diagnostic):
        raise GameError([node])
    known = len(checker.diagnostics)
    body = Body(checker, "an expression")
    try:
        expr = expression(body, node)
    except Failed:
        raise GameError(sort_diagnostics(checker.diagnostics[known:])) from None
    except RecursionError:
        raise GameError([say.nested_too_deeply(node.span)]) from None
    return m.Section(body.frame, expr, expr.type, node.span)
