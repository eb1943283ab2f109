"""Walking over the Model: the parts of any node, in the order of evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from gdl.model import nodes as m

_LEAVES = frozenset(["type", "span", "name", "slot", "value_type", "element", "cells", "of"])


_PARTS: dict[type, tuple[str, ...]] = {}


def _parts(cls: type) -> tuple[str, ...]:
    """The names of the fields that may hold nodes."""
    if cls not in _PARTS:
        _PARTS[cls] = tuple(f.name for f in fields(cls) if f.name not in _LEAVES)
    return _PARTS[cls]


def children(node: Any) -> Iterator[Any]:
    """The expressions, statements, binders and domains directly inside a node, or a tuple of such."""
    if isinstance(node, tuple):
        yield from _nodes(node)
        return
    for name in _parts(type(node)):
        yield from _nodes(getattr(node, name))


def _nodes(part: Any) -> Iterator[Any]:
    if isinstance(part, tuple):
        for item in part:
            yield from _nodes(item)
    elif type(part) in _NODE_CLASSES:
        yield part


def walk(node: Any) -> Iterator[Any]:
    """The node and everything inside it, outermost first; calls are not followed."""
    if not isinstance(node, tuple):
        yield node
    # `children`, written out: much of the time of the checker goes by here.
    stack = list(children(node))[::-1]
    while stack:
        top = stack.pop()
        kind = type(top)
        if kind in _NODE_CLASSES:
            yield top
            stack.extend([getattr(top, name) for name in _parts(kind)[::-1]])
        elif isinstance(top, tuple):
            stack.extend(top[::-1])


def bound_slots(node: Any) -> set[int]:
    """The slots that binders, lets and draws inside a node give values to."""
    slots: set[int] = set()
    for part in walk(node):
        if isinstance(part, m.Binder):
            slots.update(part.slots)
        elif isinstance(part, m.Let | m.LetEntry | m.Draw):
            slots.add(part.slot)
        elif isinstance(part, m.Pattern):
            slots.update(part.slots)
    return slots


def bare(part: Any) -> Any:
    """A node without places in the text and inferred types, to compare two occurrences."""
    if isinstance(part, tuple):
        return tuple(bare(p) for p in part)
    if hasattr(part, "__dataclass_fields__"):
        names = [f.name for f in fields(part) if f.name not in ("span", "type")]
        return (type(part), *(bare(getattr(part, name)) for name in names))
    return part


def is_closed(node: Any) -> bool:
    """Whether an expression has the same value always: it reads no position and no outer local."""
    bound = bound_slots(node)
    for part in walk(node):
        if isinstance(part, m.Read | m.Call | m.After | m.Stuck):
            return False
        if isinstance(part, m.Local) and part.slot not in bound:
            return False
    return True


_NODE_CLASSES = frozenset(
    cls
    for cls in vars(m).values()
    if isinstance(cls, type)
    and cls.__module__.startswith(m.__name__)
    and hasattr(cls, "__dataclass_fields__")
)


def assigned_variables(model: m.Model, body: m.Block) -> set[str]:
    """The position variables that a block may change, itself or through the effects it performs."""
    found: set[str] = set()
    effects: set[str] = set()
    waiting = [body]
    while waiting:
        for part in walk(waiting.pop()):
            if isinstance(part, m.Assign):
                found.add(part.variable)
            elif isinstance(part, m.Perform) and part.effect not in effects:
                effects.add(part.effect)
                waiting.append(model.effects[part.effect].body)
    return found
