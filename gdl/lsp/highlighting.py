"""What kind of thing each word of a text is: semantic tokens."""

from __future__ import annotations

from gdl.lsp.analysis import Analysis
from gdl.lsp.names import Occurrence

KINDS = (
    "keyword", "comment", "string", "number", "operator", "type", "enumMember", "variable", "parameter",
    "property", "function", "macro", "method", "namespace",
)  # fmt: skip
MODIFIERS = ("declaration", "readonly", "defaultLibrary")

_OF_SYMBOLS = {
    "param": "parameter",
    "const": "variable",
    "variable": "property",
    "def": "function",
    "feature": "function",
    "function": "function",
    "effect": "method",
    "policy": "method",
    "move": "method",
    "type": "type",
    "player": "enumMember",
    "value": "enumMember",
    "cell": "enumMember",
    "local": "variable",
    "field": "property",
    "quantity": "macro",
    "game": "namespace",
    "file": "namespace",
    "word": "keyword",
}
_OF_TOKENS = {"NUMBER": "number", "STRING": "string", "LONG_STRING": "string", "OP": "operator"}


Words = list[tuple[int, int, str, tuple[str, ...]]]
"""Start, end, kind and modifiers of each word."""


def highlighted(analysis: Analysis) -> Words:
    """Every word, number, text and comment, in order, none over the end of a line."""
    names = {(o.span.start, o.span.end): o for o in analysis.names.all}
    found: Words = []
    for token in analysis.tokens.tokens:
        if token.kind[0] == "_":
            continue
        if token.kind == "NAME":
            occurrence = names.get((token.start, token.end))
            kind = "keyword" if occurrence is None else _OF_SYMBOLS[occurrence.symbol.kind]
            found.append((token.start, token.end, kind, _modifiers(occurrence)))
        else:
            found.append((token.start, token.end, _OF_TOKENS[token.kind], ()))
    found.extend((c.start, c.start + len(c.text), "comment", ()) for c in analysis.tokens.comments)
    inside = [(o.span.start, o.span.end, o) for o in analysis.names.all]
    return _in_lines(analysis.source.text, sorted(_cut(found, inside)))


def _modifiers(occurrence: Occurrence | None) -> tuple[str, ...]:
    if occurrence is None:
        return ()
    symbol = occurrence.symbol
    found = ["declaration"] if occurrence.declares else []
    found += ["readonly"] if symbol.kind in ("const", "param") else []
    return (*found, *(["defaultLibrary"] if symbol.kind == "function" else []))


def _cut(found: Words, names: list[tuple[int, int, Occurrence]]) -> Words:
    """With the names inside of texts (`"pot {pot}"`) as words of their own."""
    result: Words = []
    for start, end, kind, modifiers in found:
        inner = [n for n in names if kind == "string" and start < n[0] and n[1] < end]
        at = start
        for first, last, occurrence in inner:
            result.append((at, first, kind, modifiers))
            result.append((first, last, _OF_SYMBOLS[occurrence.symbol.kind], _modifiers(occurrence)))
            at = last
        result.append((at, end, kind, modifiers))
    return result


def _in_lines(text: str, found: Words) -> Words:
    """Words that run over several lines, such as a description, as one for each line."""
    result: Words = []
    for start, end, kind, modifiers in found:
        at = start
        for line in text[start:end].splitlines(keepends=True):
            stop = at + len(line.rstrip("\r\n"))
            if stop > at:
                result.append((at, stop, kind, modifiers))
            at += len(line)
    return result
