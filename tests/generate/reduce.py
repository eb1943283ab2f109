"""Makes a game in which something fails as short as it gets, keeping the failure.

Hypothesis shrinks the choices behind a game, which takes it minutes for a text of 80 lines. Here the text
itself is cut: whole items, then statements with what hangs on them, then expressions, each replaced by one of
its parts or by the simplest values there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from gdl.diagnostics import Source, Span
from gdl.syntax import parse, tree

SIMPLEST = ("0", "1", "true", "false", "none", "{}")


def reduced(text: str, fails: Callable[[str], bool]) -> str:
    """The shortest text found for which `fails` still holds; it must hold for the given one.

    `fails` is asked about texts that are no games too, and should say False of them.
    """
    assert fails(text)
    tried = {text}
    progress = True
    while progress:
        progress = False
        for candidates in (_without_items, _without_statements, _simpler_expressions, _shorter_lists):
            while (shorter := _first(candidates(text), fails, tried)) is not None:
                text, progress = shorter, True
    return text


def _first(candidates: Iterator[str], fails: Callable[[str], bool], tried: set[str]) -> str | None:
    for candidate in candidates:
        if candidate not in tried:
            tried.add(candidate)
            if fails(candidate):
                return candidate
    return None


def _without_items(text: str) -> Iterator[str]:
    items = text.rstrip("\n").split("\n\n")
    for i in range(len(items)):
        yield "\n\n".join(items[:i] + items[i + 1 :]) + "\n"


def _without_statements(text: str) -> Iterator[str]:
    """Each line left out with the block below it, or the line alone and its block moved to its place."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if not line.startswith(" "):
            continue
        end = i + 1
        while end < len(lines) and lines[end].startswith(" ") and _depth(lines[end]) > _depth(line):
            end += 1
        yield "\n".join(lines[:i] + lines[end:])
        if end > i + 1:
            yield "\n".join(lines[:i] + [inner[4:] for inner in lines[i + 1 : end]] + lines[end:])
        else:
            yield "\n".join([*lines[:i], " " * _depth(line) + "pass", *lines[end:]])


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _simpler_expressions(text: str) -> Iterator[str]:
    """Expressions, the longest first, replaced by a part of theirs or by a simple value."""
    spans = sorted(set(_spans(text)), key=lambda span: span[0] - span[1])
    for start, end in spans:
        inside = [(a, b) for a, b in spans if start <= a and b <= end and (a, b) != (start, end)]
        parts = [text[a:b] for a, b in inside]
        for part in dict.fromkeys([*SIMPLEST, *sorted(parts, key=len)]):
            if len(part) < end - start:
                yield f"{text[:start]}{part}{text[end:]}"
                if not part.isalnum() and len(part) + 2 < end - start:
                    yield f"{text[:start]}({part}){text[end:]}"


def _shorter_lists(text: str) -> Iterator[str]:
    """Elements of lists, sets and tables, parameters and arguments left out."""
    for start, end in set(_spans(text)):
        if text[end : end + 2] == ", ":
            yield text[:start] + text[end + 2 :]
        if text[start - 2 : start] == ", ":
            yield text[: start - 2] + text[end:]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where expressions, parameters and clauses stand."""
    file, _ = parse(Source("", text))
    stack: list[Any] = list(file.items)
    while stack:
        part = stack.pop()
        if isinstance(part, tuple | list):
            stack.extend(part)
        elif is_dataclass(part) and not isinstance(part, Span | Source):
            if not isinstance(part, tree.Block) and part not in file.items:
                yield part.span.start, part.span.end
            stack.extend(getattr(part, f.name) for f in fields(part) if f.name != "span")
