"""Secrets that are given away as they arise: copied at once to a variable that everyone sees.

A secret is a parameter of a `secret move`, or a value that is drawn and put into a variable that not everyone
sees. A copy in a later move, or under a condition, is how games reveal things; one that is always made in the
same move means that there never was a secret. What can only be concluded from a secret is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from gdl.diagnostics import Diagnostic, Label, Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.walk import bare, bound_slots, walk


def leaks(model: m.Model) -> Iterator[Diagnostic]:
    """A warning for each secret that is copied to a public variable, with the path it takes."""
    for move in model.moves:
        body = _Walk(model)
        frame: dict[int, _Secret] = {}
        if move.secret:
            for parameter in move.parameters:
                path = (Label(move.span, f"`{parameter.name}` is hidden: the move is secret"),)
                frame[parameter.slot] = _Secret(parameter.name, path, hidden=True)
        body.block(move.body, frame)
        yield from body.found()
    start = _Walk(model)
    start.block(model.initial.body, {})
    yield from start.found()


@dataclass(eq=False)
class _Secret:
    """A value that players may not know, how it came to where it is, and the places at which all see it."""

    name: str
    path: tuple[Label, ...]
    hidden: bool = False  # whether somebody must not know it
    shown: list[tuple[Span, m.Variable, tuple[Label, ...]]] = field(default_factory=list)


class _Walk:
    """Follows copies through what is surely done in a body: not into tests, outcomes and loops."""

    def __init__(self, model: m.Model):
        self.model = model
        self.variables = {variable.name: variable for variable in model.variables}
        self.stored: dict[Any, tuple[_Secret, tuple[Label, ...]]] = {}  # by the place that holds a copy
        self.secrets: list[_Secret] = []

    def found(self) -> Iterator[Diagnostic]:
        for secret in self.secrets:
            if secret.hidden:
                for span, variable, path in secret.shown:
                    yield say.secret_shown(span, secret.name, variable.name, path)

    def block(self, block: m.Block, frame: dict[int, _Secret]) -> None:
        for statement in block:
            match statement:
                case m.Let():
                    self.keep(statement.slot, statement.value, frame)
                case m.Draw():
                    drawn = Label(statement.span, f"`{statement.name}` is drawn")
                    frame[statement.slot] = _Secret(statement.name, (drawn,))
                case m.Assign():
                    self.assign(statement, frame)
                case m.Perform():
                    effect = self.model.effects[statement.effect]
                    inside: dict[int, _Secret] = {}
                    for formal, argument in zip(effect.formals, statement.arguments, strict=True):
                        if (found := self.copied(argument, frame)) is not None:
                            inside[formal.slot] = found[0]
                    self.block(effect.body, inside)
                case m.If() | m.Chance() | m.For():
                    self.stored.clear()  # it may change any of them
                    for slot in bound_slots(statement):
                        frame.pop(slot, None)

    def keep(self, slot: int, value: m.Expr, frame: dict[int, _Secret]) -> None:
        found = self.copied(value, frame)
        if found is None:
            frame.pop(slot, None)
        else:
            frame[slot] = found[0]

    def assign(self, statement: m.Assign, frame: dict[int, _Secret]) -> None:
        variable = self.variables[statement.variable]
        parts = (*statement.indices, statement.value) if variable.visible is None else (statement.value,)
        for part in parts:
            found = self.copied(part, frame)
            if found is None:
                continue
            secret, path = found
            if secret not in self.secrets:
                self.secrets.append(secret)
            if variable.visible is None:
                secret.shown.append((statement.span, variable, path))
            else:
                secret.hidden = True
        found = self.copied(statement.value, frame)
        for place in [place for place in self.stored if statement.variable in _variables(place)]:
            del self.stored[place]
        if variable.visible is not None and found is not None and not _has_local(statement.indices):
            kept = Label(statement.span, f"`{statement.variable}` keeps it from some players")
            self.stored[_place(statement)] = (found[0], (*found[1], kept))

    def copied(self, expr: m.Expr, frame: dict[int, _Secret]) -> tuple[_Secret, tuple[Label, ...]] | None:
        """The secret that can be told from a value, and the way it came; None if there is none."""
        match expr:
            case m.Local():
                secret = frame.get(expr.slot)
                return None if secret is None else (secret, secret.path)
            case m.Read():
                return None if _has_local(expr.indices) else self.stored.get(_place(expr))
            case m.Convert() | m.Check() | m.Index() | m.Cast() | m.Negate() | m.Field():
                return self.copied(expr.operand, frame)
            case m.Arithmetic(op="+" | "-", right=m.Const()):
                return self.copied(expr.left, frame)
            case m.Arithmetic(op="+" | "-", left=m.Const()):
                return self.copied(expr.right, frame)
            case m.SetOperation(op="|" | "-") | m.BagOperation():
                return self.copied(expr.right, frame)
            case m.BagChange():
                return self.copied(expr.item, frame)
            case m.TupleOf():
                return self.first(expr.items, frame)
            case m.SetLiteral() | m.BagLiteral():
                return self.first(expr.elements, frame)
        return None

    def first(
        self, parts: tuple[m.Expr, ...], frame: dict[int, _Secret]
    ) -> tuple[_Secret, tuple[Label, ...]] | None:
        return next((found for part in parts if (found := self.copied(part, frame)) is not None), None)


def _place(node: m.Read | m.Assign) -> Any:
    """Equal for the same element of the same variable, while what its indices mention does not change."""
    return node.variable, bare(node.indices)


def _has_local(indices: tuple[m.Expr, ...]) -> bool:
    """Whether a place is told by a local, which means another one in another body."""
    return any(isinstance(node, m.Local) for node in walk(indices))


def _variables(place: Any) -> Iterator[str]:
    """The variables that a place mentions: when one of them changes it is another place."""
    for part in place:
        if isinstance(part, str):
            yield part
        elif isinstance(part, tuple):
            yield from _variables(part)
