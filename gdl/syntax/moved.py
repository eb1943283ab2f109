"""A piece of the syntax tree that stands elsewhere, in another text."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from gdl.diagnostics import Source, Span

Node = TypeVar("Node")


def moved(node: Node, source: Source, by: int) -> Node:
    """The same node with every span `by` characters further on in `source`."""

    def move(part: Any) -> Any:
        kind = type(part)
        if kind is Span:
            return Span(source, part.start + by, part.end + by)
        if kind is tuple:
            return tuple([move(item) for item in part])
        names = _fields(kind)
        return part if names is None else kind(*(move(getattr(part, name)) for name in names))

    result: Node = move(node)
    return result


_FIELDS: dict[type, tuple[str, ...] | None] = {}


def _fields(kind: type) -> tuple[str, ...] | None:
    """The fields of a class of nodes, None for plain values."""
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None
    return _FIELDS[kind]
