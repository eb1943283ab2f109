"""What an assignment does to a variable of the position or to a let, and what is known afterwards."""

from __future__ import annotations

from typing import NoReturn

from gdl.check.coerce import coerce
from gdl.check.context import Body
from gdl.check.indexing import indices
from gdl.check.names import example_text
from gdl.check.relations import contains
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import MapOf, Type, Union
from gdl.model.walk import walk
from gdl.syntax import tree


def assigned(
    body: Body, variable: m.Variable, places: tuple[m.Expr, ...], value: m.Expr, span: Span
) -> list[m.Statement]:
    """A variable, or an element of a map, becomes a value."""
    known = value.type
    value = coerce(body, value, variable.type, f"`{variable.name}`")
    body.assigns.add(variable.name)
    body.forget({variable.name})
    # The new value is known as far as its type is: `x = 3` makes x a 3.
    if not any(
        isinstance(part, m.Read) and part.variable == variable.name for p in places for part in walk(p)
    ):
        place = m.Read(variable.name, places, variable.type, span)
        body.facts = body.facts.learn(place, part_of(variable.type, known))
    return [m.Assign(variable.name, places, value, span)]


def assigned_local(
    body: Body, slot: int, name: str, type_: Type, value: m.Expr, span: Span
) -> list[m.Statement]:
    """A typed let becomes a value."""
    known = value.type
    value = coerce(body, value, type_, f"`{name}`")
    body.forget_slots({slot})
    body.facts = body.facts.learn(m.Local(slot, name, type_, span), known)
    return [m.Let(slot, name, value, span)]


def assigned_entry(
    body: Body, slot: int, name: str, of: MapOf, places: tuple[m.Expr, ...], value: m.Expr, span: Span
) -> list[m.Statement]:
    """An entry of a map that a let made becomes a value."""
    known = part_of(of.element, value.type)
    value = coerce(body, value, of.element, f"`{name}`")
    body.forget_slots({slot})
    if not any(isinstance(part, m.Local) and part.slot == slot for p in places for part in walk(p)):
        entry = m.Entry(m.Local(slot, name, of, span), places, of.element, span)
        body.facts = body.facts.learn(entry, known)
    return [m.LetEntry(slot, name, of, places, value, span)]


def part_of(type_: Type, known: Type) -> Type:
    """What is known of a variable that got a value: for a union, which of its parts it is."""
    if isinstance(type_, Union) and not isinstance(known, Union):
        return next((member for member in type_.members if contains(member, known)), known)
    return known


def target_variable(body: Body, name: tree.Name) -> m.Variable:
    declaration = body.checker.values.get(name.id)
    if declaration is None:
        known = [n for n, d in body.checker.values.items() if d.kind == "variable"]
        body.checker.fail(say.assign_unknown(name.span, name.id, known + body.visible_names()))
    if declaration.kind != "variable":
        body.checker.fail(say.assign_to(name.span, name.id, f"it is a {declaration.kind}"))
    if not may_assign(body):
        body.checker.fail(say.assign_here(name.span, body.kind))
    used = declaration.used
    variable: m.Variable = body.checker.resolve(declaration, name.span)
    declaration.used = used  # assigning alone is no use
    return variable


def target_places(body: Body, target: tree.Expr, variable: m.Variable) -> tuple[m.Expr, ...]:
    if isinstance(target, tree.Subscript):
        if not variable.indices:
            body.checker.fail(say.not_indexed(target.span, variable.name))
        return indices(body, target, variable.indices, variable.name)
    if variable.indices:
        refuse_whole(body, target, variable.name, variable.indices)
    return ()


def refuse_whole(body: Body, target: tree.Expr, name: str, types: tuple[Type, ...]) -> NoReturn:
    """A map is changed element by element."""
    letters = "ijklmnopqrstuvwxyz"[: len(types)]
    each = ", ".join(f"{index} in {type_}" for index, type_ in zip(letters, types, strict=False))
    everywhere = f"for {each}: {name}[{', '.join(letters)}] = …"
    body.checker.fail(say.needs_index(target.span, name, example_text(types), everywhere))


def may_assign(body: Body) -> bool:
    return body.kind in ("a move", "an effect", "`initial:`")
