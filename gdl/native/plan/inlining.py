"""Calls written out: the body of a function with its parameters replaced by the arguments.

Expressions have no effects, so this keeps the value, but under an `after`: there an argument that reads the
position would read another one. It may evaluate an argument more or less often than the call would, so it is
for expressions that cannot fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from itertools import count
from typing import Any

from gdl.model import nodes
from gdl.model.nodes import Block, Expr, Model
from gdl.model.types import Tuple, Type
from gdl.model.walk import walk
from gdl.native.plan.analysis import assigned_slots

_LARGEST = 400
"""Bodies of more nodes than this are not written out."""

_fresh = count(1000)
"""Slots for the binders of bodies written out: beyond those of any frame."""


class Inliner:
    """Writes calls out; remembers the types of the slots it makes up."""

    def __init__(self, model: Model):
        self._model = model
        self.types: dict[int, Type] = {}

    def call(self, call: nodes.Call) -> Expr | None:
        """The call written out one level deep; None where its body is no expression, too large, or looks
        at other positions than its arguments do."""
        function = self._model.functions[call.function]
        if sum(1 for _ in walk(function.body)) > _LARGEST:
            return None
        if _has(function.body, nodes.After) and _has(call.arguments, nodes.Read | nodes.Call | nodes.After):
            return None
        arguments: dict[int, Expr] = {}
        for formal, argument in zip(function.formals, call.arguments, strict=True):
            if argument.type != formal.type:
                argument = nodes.Convert(argument, formal.type, argument.span)
            arguments[formal.slot] = argument
        if not isinstance(function.body, tuple):
            return self._substituted(function.body, arguments)
        if any(len(types) > 1 for types in assigned_slots(function.body).values()):
            return None
        return self._block(function.body, arguments)

    def _block(self, block: Block, known: Mapping[int, Expr]) -> Expr | None:
        """A block of `let`, `if` and `return` as one expression."""
        known = dict(known)
        for number, statement in enumerate(block):
            match statement:
                case nodes.Let():
                    known[statement.slot] = self.substitute(statement.value, known)
                case nodes.Return():
                    return self._substituted(statement.value, known)
                case nodes.If():
                    rest = (*statement.otherwise, *block[number + 1 :])
                    result = self._block(rest, known)
                    for condition, body in reversed(statement.branches):
                        then = self._block(body, known)
                        if result is None or then is None or then.type != result.type:
                            return None
                        test = self.substitute(condition, known)
                        result = nodes.Conditional(test, then, result, then.type, statement.span)
                    return result
                case _:
                    return None
        return None

    def _substituted(self, expr: Expr, known: Mapping[int, Expr]) -> Expr:
        result: Expr = self.substitute(expr, known)
        return result

    def substitute(self, node: Any, known: Mapping[int, Expr]) -> Any:
        """The node with locals replaced; binders inside get slots of their own."""
        if isinstance(node, tuple):
            return tuple(self.substitute(item, known) for item in node)
        match node:
            case nodes.Local():
                return known.get(node.slot, node)
            case nodes.Aggregate():
                inner = dict(known)
                binders = tuple(self._binder(binder, inner) for binder in node.binders)
                return replace(
                    node,
                    binders=binders,
                    condition=self.substitute(node.condition, inner),
                    body=self.substitute(node.body, inner),
                    default=self.substitute(node.default, known),
                )
            case nodes.Reach():
                inner = dict(known)
                binder = self._binder(node.binder, inner)
                starts, within = self.substitute((node.starts, node.within), known)
                around = self.substitute(node.around, inner)
                return replace(node, starts=starts, within=within, binder=binder, around=around)
            case _:
                return rebuilt(node, lambda child: self.substitute(child, known))

    def _binder(self, binder: nodes.Binder, known: dict[int, Expr]) -> nodes.Binder:
        domain = self.substitute(binder.domain, known)
        element = domain.element
        types = element.fields if binder.unpack and isinstance(element, Tuple) else (element,)
        slots = tuple(next(_fresh) for _ in binder.slots)
        for old, new, name, type_ in zip(binder.slots, slots, binder.names, types, strict=True):
            known[old] = nodes.Local(new, name, type_, _span_of(domain))
            self.types[new] = type_
        return replace(binder, slots=slots, domain=domain)


def _has(part: Any, kind: Any) -> bool:
    return any(isinstance(node, kind) for node in walk(part))


def _span_of(domain: Any) -> Any:
    for name in ("set", "sequence", "lo"):
        if hasattr(domain, name):
            return getattr(domain, name).span
    return None


_REBUILT: dict[type, tuple[str, ...]] = {}


def rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """The node with its children changed; the node itself where none changes."""
    kind = type(node)
    names = _REBUILT.get(kind)
    if names is None:
        if not hasattr(node, "__dataclass_fields__") or kind is nodes.Const:
            names = ()
        else:
            skip = {"type", "span", "element", "cells", "name", "names", "slots", "ranges"}
            names = tuple(f.name for f in fields(node) if f.name not in skip)
        _REBUILT[kind] = names
    changes = {}
    for name in names:
        child = getattr(node, name)
        if isinstance(child, tuple) or hasattr(child, "__dataclass_fields__"):
            changed = change(child)
            if changed is not child and changed != child:
                changes[name] = changed
    return replace(node, **changes) if changes else node
