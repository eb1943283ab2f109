"""Types that are inferred, shown where they could have been written."""

from __future__ import annotations

from collections.abc import Iterator

from gdl.check.context import LocalName
from gdl.lsp.analysis import Analysis
from gdl.lsp.describe import shown, type_of
from gdl.model.types import Int, MapOf
from gdl.syntax import tree

Hint = tuple[int, str]
"""Where it is shown, and the text."""


def inlay_hints(analysis: Analysis, start: int, end: int) -> list[Hint]:
    """The hints between two places, in order."""
    return sorted(hint for hint in (*_locals(analysis), *_results(analysis)) if start <= hint[0] <= end)


def _locals(analysis: Analysis) -> Iterator[Hint]:
    for found in analysis.names.all:
        local = found.symbol.meaning
        if not found.declares or not isinstance(local, LocalName) or local.type is None:
            continue
        loop = local.kind == "loop" and isinstance(local.type, Int)
        if local.kind in ("let", "draw") or loop:
            declared = analysis.source.text[found.span.end :].lstrip(" ").startswith((":", "["))
            if not declared and not isinstance(local.type, MapOf):
                yield found.span.end, f": {shown(local.type)}"


def _results(analysis: Analysis) -> Iterator[Hint]:
    for symbol in analysis.names.globals.values():
        node = symbol.node
        type_ = type_of(analysis, symbol)
        if type_ is None or symbol.span is None:
            continue
        if isinstance(node, tree.Const) and node.type is None:
            end = node.indices[-1].span.end + 1 if node.indices else symbol.span.end
            yield end, f": {shown(type_)}"
        elif isinstance(node, tree.Def | tree.Feature):
            text, start = analysis.source.text, node.body.span.start
            colon = text.rfind(":", symbol.span.end, start)
            if colon >= 0:
                yield colon, f" -> {shown(type_)}"
