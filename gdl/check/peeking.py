"""Policies in games with hidden information: do they look only at what their player sees?

What a policy reads, itself or in the functions it calls, must be visible to the player to move. Who that is,
the text says: `mover`, the expression behind `player:`, or the player of `policy .. for white`. What
`visible to` asks beside that has to be tested before it is read:

    card[p: player]: Card visible to everyone if shown else p

    card[mover]                        seen
    card[next(mover)]                  not seen
    card[next(mover)] if shown else ..      seen
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from gdl.diagnostics import Diagnostic, Label
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.walk import bare, bound_slots, children

_MOVER = "the player to move"

Symbol = Any
"""A value as far as it is known: nested tuples, equal where two expressions surely have the same value."""


def peeks(model: m.Model) -> Iterator[Diagnostic]:
    """A mistake for each place at which a policy may see what its player does not."""
    hidden = {v.name: v for v in model.variables if v.visible is not None}
    if not hidden:
        return
    told: set[Any] = set()
    for policy in model.policies.values():
        for span, variable, path in _Look(model, hidden, policy).peeks():
            if (span, policy.name) not in told:
                told.add((span, policy.name))
                yield say.peeking(span, variable.name, variable.span, path)


@dataclass(frozen=True)
class _Place:
    """Where evaluation is: what the slots hold, what has been tested, and the calls that led here."""

    slots: Mapping[int, Symbol]
    known: frozenset[tuple[Symbol, bool]] = frozenset()
    path: tuple[Label, ...] = ()
    frame: int = 0
    elsewhere: bool = False  # in the position after an effect, where another player may be to move

    def given(self, test: Symbol, truth: bool) -> _Place:
        return replace(self, known=self.known | {(test, truth)})


class _Look:
    def __init__(self, model: m.Model, hidden: Mapping[str, m.Variable], policy: m.Policy):
        self.model, self.hidden, self.policy = model, hidden, policy
        body = model.player.body
        self.turn = None if isinstance(body, tuple) else bare(_unwrapped(body))
        self.frames = self.values = 0
        self.done: set[Any] = set()

    def peeks(self) -> Iterator[tuple[Any, m.Variable, tuple[Label, ...]]]:
        yield from self.block(self.policy.body, _Place({0: _MOVER}))

    # ---------------------------------------------------------------- statements

    def block(self, block: m.Block, place: _Place) -> Iterator[Any]:
        for statement in block:
            match statement:
                case m.If():
                    inside = place
                    for test, body in statement.branches:
                        yield from self.expression(test, inside)
                        yield from self.block(body, self.assuming(test, True, inside))
                        inside = self.assuming(test, False, inside)
                    yield from self.block(statement.otherwise, inside)
                    place = self.forgetting(statement, place)
                case m.For():
                    place = self.forgetting(statement, place)
                    for binder in statement.binders:
                        yield from self.parts(binder, place)
                    inside = place
                    if statement.condition is not None:
                        yield from self.expression(statement.condition, place)
                        inside = self.assuming(statement.condition, True, place)
                    yield from self.block(statement.body, inside)
                case m.Let():
                    yield from self.expression(statement.value, place)
                    value = self.symbol(statement.value, place)
                    place = replace(place, slots={**place.slots, statement.slot: value})
                case m.Chance():
                    for branch in statement.branches:
                        if branch.probability is not None:
                            yield from self.expression(branch.probability, place)
                        yield from self.block(branch.body, place)
                    place = self.forgetting(statement, place)
                case m.Return():
                    yield from self.expression(statement.value, place)
                case _:
                    place = self.forgetting(statement, place)
                    yield from self.parts(statement, place)

    def forgetting(self, node: Any, place: _Place) -> _Place:
        """What is known after slots have got values that are not followed."""
        self.values += 1
        unknown = {slot: ("unknown", self.values, slot) for slot in bound_slots(node)}
        return replace(place, slots={**place.slots, **unknown})

    # --------------------------------------------------------------- expressions

    def parts(self, node: Any, place: _Place) -> Iterator[Any]:
        for part in children(node):
            yield from self.expression(part, place)

    def expression(self, node: Any, place: _Place) -> Iterator[Any]:
        match node:
            case m.Read():
                yield from self.parts(node, place)
                variable = self.hidden.get(node.variable)
                if variable is not None and not self.sees(variable, node, place):
                    yield node.span, variable, place.path
            case m.Conditional():
                yield from self.expression(node.condition, place)
                yield from self.expression(node.then, self.assuming(node.condition, True, place))
                yield from self.expression(node.otherwise, self.assuming(node.condition, False, place))
            case m.And() | m.Or():
                for item in node.items:
                    yield from self.expression(item, place)
                    place = self.assuming(item, isinstance(node, m.And), place)
            case m.Call():
                yield from self.parts(node, place)
                yield from self.call(node, self.model.functions[node.function], place)
            case m.After():
                for argument in node.arguments:
                    yield from self.expression(argument, place)
                yield from self.expression(node.body, replace(place, known=frozenset(), elsewhere=True))
            case m.Reach():
                yield from self.parts(node, self.forgetting(node, place))
            case m.Aggregate():
                place = self.forgetting(node, place)
                for binder in node.binders:
                    yield from self.parts(binder, place)
                if node.condition is not None:
                    yield from self.expression(node.condition, place)
                    place = self.assuming(node.condition, True, place)
                yield from self.expression(node.body, place)
                if node.default is not None:
                    yield from self.expression(node.default, place)
            case _:
                yield from self.parts(node, place)

    def call(self, node: m.Call, function: m.Function, place: _Place) -> Iterator[Any]:
        given = [self.symbol(argument, place) for argument in node.arguments]
        if (key := (function.name, tuple(given), place.known, place.elsewhere)) in self.done:
            return
        self.done.add(key)
        self.frames += 1
        slots = {formal.slot: value for formal, value in zip(function.formals, given, strict=True)}
        path = (*place.path, Label(node.span, f"`{function.name}` is called here"))
        inside = replace(place, slots=slots, path=path, frame=self.frames)
        body = function.body
        yield from self.block(body, inside) if isinstance(body, tuple) else self.expression(body, inside)

    # ------------------------------------------------------------- what is known

    def assuming(self, test: m.Expr, truth: bool, place: _Place) -> _Place:
        if isinstance(test, m.And if truth else m.Or):
            for item in test.items:
                place = self.assuming(item, truth, place)
            return place
        if isinstance(test, m.Not):
            return self.assuming(test.operand, not truth, place)
        return place.given(self.symbol(test, place), truth)

    def symbol(self, expr: Any, place: _Place) -> Symbol:
        """What is known of the value of an expression."""
        expr = _unwrapped(expr)
        if isinstance(expr, m.Local):
            return place.slots.get(expr.slot, ("local", place.frame, expr.slot))
        if isinstance(expr, m.Const):
            mine = expr.type == self.model.players and expr.value == self.policy.player
            return _MOVER if mine else ("const", str(expr.type), expr.value)
        if not place.elsewhere and bare(expr) == self.turn:
            return _MOVER
        if isinstance(expr, tuple):
            return tuple(self.symbol(part, place) for part in expr)
        if not hasattr(expr, "__dataclass_fields__"):
            return expr
        names = [f.name for f in fields(expr) if f.name not in ("span", "type")]
        moment = ("after", id(expr)) if place.elsewhere else ()
        return (type(expr).__name__, *moment, *(self.symbol(getattr(expr, name), place) for name in names))

    def sees(self, variable: m.Variable, node: m.Read, place: _Place) -> bool:
        """Whether the player to move surely sees the element that is read."""
        seen = variable.visible
        assert seen is not None
        indices = (self.symbol(index, place) for index in node.indices)
        slots = {**dict(zip(seen.index_slots, indices, strict=True)), seen.viewer_slot: _MOVER}
        return self.holds(seen.condition, replace(place, slots=slots, frame=-1))

    def holds(self, test: m.Expr, place: _Place) -> bool:
        """Whether a condition surely holds."""
        if (self.symbol(test, place), True) in place.known:
            return True
        match test:
            case m.Const():
                return bool(test.value)
            case m.And():
                return all(self.holds(item, place) for item in test.items)
            case m.Or():
                return any(self.holds(item, place) for item in test.items)
            case m.Conditional():
                truth = self.symbol(test.condition, place)
                then = (truth, False) in place.known or self.holds(test.then, place)
                return then and ((truth, True) in place.known or self.holds(test.otherwise, place))
            case m.Compare(op="=="):
                return bool(self.symbol(test.left, place) == self.symbol(test.right, place))
            case m.Contains(set=m.SetLiteral() as group):
                item = self.symbol(test.item, place)
                return any(self.symbol(each, place) == item for each in group.elements)
        return False


def _unwrapped(expr: Any) -> Any:
    """The expression without conversions, which do not change what it is about."""
    while isinstance(expr, m.Convert | m.Check):
        expr = expr.operand
    return expr
