"""While a call is written: what is called, and which of its parameters comes next."""

from __future__ import annotations

from dataclasses import dataclass

from gdl.lsp.analysis import Analysis
from gdl.lsp.describe import comment
from gdl.lsp.library import LIBRARY
from gdl.syntax.tokens import Token, Tokens


@dataclass(frozen=True, slots=True)
class Signature:
    label: str
    parameters: tuple[str, ...]
    active: int
    about: str | None


def signature_help(analysis: Analysis, offset: int) -> Signature | None:
    """The innermost call whose brackets are open at a place."""
    called = _open_call(analysis.tokens, offset)
    if called is None:
        return None
    name, commas = called
    symbol = analysis.names.globals.get(name)
    if symbol is not None:
        parts = getattr(symbol.node, "formals", None) or getattr(symbol.node, "parameters", None) or ()
        parameters = tuple(" ".join(part.span.text.split()) for part in parts)
        about = comment(analysis, symbol)
    elif name in LIBRARY:
        parameters, about = LIBRARY[name].parameters, LIBRARY[name].about
    else:
        return None
    if not parameters:
        return None
    active = min(commas, len(parameters) - 1)
    return Signature(f"{name}({', '.join(parameters)})", parameters, active, about)


def _open_call(tokens: Tokens, offset: int) -> tuple[str, int] | None:
    """The name before the innermost bracket that is open, and the commas since it.

    A bracket that is never closed ends its line for the parser, but not for whoever is still writing in it.
    """
    text = tokens.source.text
    stack: list[tuple[str | None, int]] = []
    before: Token | None = None
    for token in tokens.tokens:
        if token.end > offset:
            break
        if token.kind == "OP" and token.text in "([{":
            stack.append((before.text if before and before.kind == "NAME" and token.text == "(" else None, 0))
        elif token.kind == "OP" and token.text in ")]}":
            if stack:
                stack.pop()
        elif token.text == "," and stack:
            name, commas = stack[-1]
            stack[-1] = name, commas + 1
        elif token.kind == "_NEWLINE" and "\n" in text[token.end : offset]:
            stack.clear()
        before = token
    return next(((name, commas) for name, commas in reversed(stack) if name is not None), None)
