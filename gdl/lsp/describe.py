"""Symbols in words: their declaration on one line, their size, the comment that belongs to them."""

from __future__ import annotations

from gdl.check.context import Declaration, EffectInfo, Formula, FunctionInfo, LocalName
from gdl.check.meanings import NamedValue
from gdl.lsp.analysis import Analysis
from gdl.lsp.library import LIBRARY
from gdl.lsp.names import Symbol
from gdl.model import nodes as m
from gdl.model.types import Type, bits
from gdl.syntax import tree

LONGEST = 60
"""Of longer types only the beginning is shown."""


def signature(analysis: Analysis, symbol: Symbol) -> str:
    """`board[Square]: Man`, `def attacked(s: Square, by: player): bool`, `let t: Square?`."""
    node, meaning = symbol.node, symbol.meaning
    match symbol.kind:
        case "local":
            assert isinstance(meaning, LocalName)
            type_ = "" if meaning.type is None else f": {shown(meaning.type)}"
            return f"{meaning.kind} {meaning.name}{type_}"
        case "player" | "value" | "cell":
            assert isinstance(meaning, NamedValue)
            return f"{symbol.name}: {meaning.type}"
        case "function":
            known = LIBRARY[symbol.name]
            return f"{symbol.name}({', '.join(known.parameters)}): {known.result}"
        case "variable" | "const":
            indices = f"[{', '.join(_text(index) for index in node.indices)}]" if node.indices else ""
            prefix = "const " if symbol.kind == "const" else ""
            return f"{prefix}{symbol.name}{indices}: {_result(analysis, symbol)}"
        case "param":
            return f"param {symbol.name}: {_result(analysis, symbol)} = {_text(node.default)}"
        case "type":
            return f"type {symbol.name} = {_text(node.type)}"
        case "def" | "effect" | "policy" | "feature":
            formals = ", ".join(_text(formal) for formal in getattr(node, "formals", ()))
            result = _result(analysis, symbol)
            return f"{symbol.kind} {symbol.name}" + (f"({formals})" if formals else "") + result
        case "move":
            parameters = ", ".join(_text(parameter) for parameter in node.parameters)
            return f"move {symbol.name}" + (f"({parameters})" if parameters else "")
    return f"{symbol.kind} {symbol.name}"


def size(analysis: Analysis, symbol: Symbol) -> str | None:
    """What a variable takes of a position, or how many values a type has."""
    found = _declaration(analysis, symbol)
    result = found.result if found is not None else None
    if isinstance(result, m.Variable):
        each = bits(result.type)
        if result.count == 1:
            return f"{_bits(each)} of the position"
        return f"{result.count} × {_bits(each)} = {_bits(result.count * each)} of the position"
    if symbol.kind == "type" and result is not None and hasattr(result, "size"):
        return f"{result.size:,} value{'s' if result.size != 1 else ''}, {_bits(bits(result))}"
    return None


def comment(analysis: Analysis, symbol: Symbol) -> str | None:
    """The comment behind the first line of a declaration, or the lines of comment right above it."""
    if symbol.span is None:
        return None
    source = analysis.source
    line = symbol.span.line
    by_line = {source.line_column(c.start)[0]: c for c in analysis.tokens.comments}
    if line in by_line:
        return by_line[line].text.lstrip("# ")
    above: list[str] = []
    while (line := line - 1) in by_line and by_line[line].alone:
        above.insert(0, by_line[line].text.lstrip("# "))
    return "\n".join(above) or None


def type_of(analysis: Analysis, symbol: Symbol) -> Type | None:
    """The declared type of what a symbol stands for, None where it has none."""
    if isinstance(symbol.meaning, LocalName | NamedValue):
        return symbol.meaning.type
    found = _declaration(analysis, symbol)
    match found.result if found is not None else None:
        case m.Const() | m.Variable() | m.Table() as result:
            return result.type
        case FunctionInfo() | Formula() as result:
            return result.function.type
    return None


def shown(type_: object) -> str:
    text = str(type_)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _result(analysis: Analysis, symbol: Symbol) -> str:
    found = _declaration(analysis, symbol)
    match found.result if found is not None else None:
        case m.Const() | m.Variable() | m.Table() as result:
            return shown(result.type)
        case Formula() as formula:
            return shown(formula.function.type)
        case FunctionInfo() as result:
            return f": {shown(result.function.type)}"
        case EffectInfo() as effect:
            return f"    # changes {', '.join(sorted(effect.assigns))}" if effect.assigns else ""
    type_ = getattr(symbol.node, "type", None)
    return "" if type_ is None else _text(type_)


def _declaration(analysis: Analysis, symbol: Symbol) -> Declaration | None:
    checker = analysis.checker
    if checker is None:
        return None
    tables = {"type": checker.types, "effect": checker.effects, "policy": checker.policies}
    found = tables.get(symbol.kind, checker.values).get(symbol.name)
    return found if found is not None and found.kind == symbol.kind and found.state == "done" else None


def _text(node: tree.TypeExpr | tree.Index | tree.Formal | tree.MoveParameter) -> str:
    return " ".join(node.span.text.split())


def _bits(number: int) -> str:
    return f"{number:,} bit{'s' if number != 1 else ''}"
