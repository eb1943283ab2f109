"""What stands under the pointer: its declaration, its size, its comment, what is known of it here and why."""

from __future__ import annotations

from gdl.diagnostics import Span
from gdl.lsp.analysis import Analysis
from gdl.lsp.describe import comment, shown, signature, size
from gdl.lsp.library import LIBRARY

QUANTITIES = {
    "value": "What the position is worth to the first player (or to each) under best play.",
    "cost": "What it costs the first player under best play: the opposite of the value, perhaps `infinite`.",
    "best": "The moves of best play.",
    "legal": "The legal moves, or how many there are.",
    "terminal": "Whether the game is over.",
    "perft": "How many sequences of so many moves there are.",
    "positions": "How many positions can be reached, within so many moves if a number is given.",
    "plays": "How many plays there are.",
}


def hover(analysis: Analysis, offset: int) -> tuple[str, Span] | None:
    """The text (Markdown) for a place and the name or expression that it is about."""
    found = analysis.at(offset)
    if found is None:
        return _expression(analysis, offset)
    symbol = found.symbol
    lines = []
    if symbol.kind not in ("word", "quantity", "field", "game", "file"):
        lines.append(f"```gdl\n{signature(analysis, symbol)}\n```")
    here = _known_here(analysis, found.span)
    if here is not None:
        lines.append(here)
    if (about := size(analysis, symbol)) is not None:
        lines.append(about)
    if (said := comment(analysis, symbol)) is not None:
        lines.append(said)
    if symbol.kind == "function":
        lines.append(LIBRARY[symbol.name].about)
    if symbol.kind == "quantity" and symbol.name in QUANTITIES:
        lines.append(QUANTITIES[symbol.name])
    if symbol.kind == "game" and analysis.model is not None and analysis.model.doc:
        lines.append(analysis.model.doc)
    return ("\n\n".join(lines), found.span) if lines else _expression(analysis, offset)


def _known_here(analysis: Analysis, span: Span) -> str | None:
    """The narrower type that facts give a name, or the element it is the map of, and where they come from."""
    if analysis.checker is None:
        return None
    meanings = analysis.checker.meanings
    for (start, end), narrowing in meanings.narrowings.items():
        whole = start == span.start and (
            end == span.end or analysis.source.text[span.end : span.end + 1] == "["
        )
        type_ = meanings.types.get((start, end))
        if not whole or type_ is None or type_ == narrowing.declared:
            continue
        text = analysis.source.text[start:end]
        why = ""
        if narrowing.origin is not None:
            line = narrowing.origin.line
            why = f", from line {line}: `{analysis.source.line(line).strip()}`"
        return f"here `{text}` is `{shown(type_)}`, not any `{shown(narrowing.declared)}`{why}"
    return None


def _expression(analysis: Analysis, offset: int) -> tuple[str, Span] | None:
    """The type of the smallest expression around a place."""
    if analysis.checker is None:
        return None
    around = [
        (end - start, start, end) for start, end in analysis.checker.meanings.types if start <= offset < end
    ]
    if not around:
        return None
    _, start, end = min(around)
    return f"`{shown(analysis.checker.meanings.types[start, end])}`", analysis.span(start, end)
