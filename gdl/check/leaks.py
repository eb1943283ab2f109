"""Secrets that are given away as they arise: copied at once to a variable that everyone sees.

A secret is a parameter of a `secret move`, or a value that is drawn and put into a variable that not everyone
sees. A copy in a later move is how games reveal things; one that is made in the same move, always, in some
branch or in a round of a loop, means that there never was a secret, or not in that case. Two who choose
secretly show their choices once both have chosen: a branch that looks at what was hidden before reveals, and
is left alone. Neither is there a secret where a value is drawn and shown in one branch, and kept in another.

What decides says as much as a copy: `last = 1 if h == 2 else 0`, what is assigned where `h == 2` was tested,
and what is done as often as `h` says, tell `h`. Only tests of the secret itself against a constant, or
against what a loop counts, are looked at; what else can be concluded from a secret is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from gdl.diagnostics import Diagnostic, Label, Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.walk import bare, bound_slots, children, walk


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


@dataclass(frozen=True)
class _Copy:
    """An element of a variable that holds a secret, and the way the secret came there."""

    variable: str
    indices: tuple[m.Expr, ...]
    secret: _Secret
    path: tuple[Label, ...]

    def changed_by(self, assigned: m.Assign) -> bool:
        """Whether it may hold something else, or be another element, after an assignment."""
        reads = (node.variable for node in walk(self.indices) if isinstance(node, m.Read))
        if assigned.variable in reads:
            return True
        apart = any(
            isinstance(mine, m.Const) and isinstance(its, m.Const) and mine.value != its.value
            for mine, its in zip(self.indices, assigned.indices, strict=False)
        )
        return self.variable == assigned.variable and not apart


class _Walk:
    """Follows copies through what is surely done in a body, and in each branch and round by itself."""

    def __init__(self, model: m.Model):
        self.model = model
        self.variables = {variable.name: variable for variable in model.variables}
        self.stored: dict[Any, _Copy] = {}  # by the place
        self.secrets: list[_Secret] = []
        self.told: tuple[tuple[_Secret, Label], ...] = ()  # what decided that this is done
        self.counted: frozenset[int] = frozenset()  # the locals that loops around this count

    def found(self) -> Iterator[Diagnostic]:
        for secret in self.secrets:
            if secret.hidden:
                for span, variable, path in secret.shown:
                    yield say.secret_shown(span, secret.name, variable.name, path)

    def block(self, block: m.Block, frame: dict[int, _Secret]) -> None:
        for statement in block:
            match statement:
                case m.Let():
                    found = self.copied(statement.value, frame)
                    self.bind(statement.slot, None if found is None else found[0], frame)
                case m.Draw():
                    drawn = Label(statement.span, f"`{statement.name}` is drawn")
                    self.bind(statement.slot, _Secret(statement.name, (drawn,)), frame)
                case m.Assign():
                    self.assign(statement, frame)
                case m.Perform():
                    effect = self.model.effects[statement.effect]
                    inside: dict[int, _Secret] = {}
                    for formal, argument in zip(effect.formals, statement.arguments, strict=True):
                        if (found := self.copied(argument, frame)) is not None:
                            inside[formal.slot] = found[0]
                    self.forget(_locals)  # the locals of an effect are others
                    self.block(effect.body, inside)
                    self.forget(_locals)
                case m.If() | m.Chance() | m.For():
                    for body, told in self.bodies(statement, frame):
                        within = _Walk(self.model)
                        within.counted = self.counted | frozenset(_counted(statement))
                        known: dict[int, _Secret] = {}
                        if not self.reveals(body):
                            within.told = (*self.told, *told)
                            known = {slot: secret for slot, secret in frame.items() if secret.hidden}
                            hidden = ((at, copy) for at, copy in self.stored.items() if copy.secret.hidden)
                            within.stored = dict(hidden)
                        within.block(body, known)
                        self.secrets += (secret for secret in within.secrets if secret not in self.secrets)
                    if isinstance(statement, m.If):
                        self.told += tuple(self.leaving(statement, frame))
                    self.forget_changed_in(statement)
                    for slot in bound_slots(statement):
                        frame.pop(slot, None)

    def bodies(
        self, statement: m.If | m.Chance | m.For, frame: dict[int, _Secret]
    ) -> Iterator[tuple[m.Block, list[tuple[_Secret, Label]]]]:
        """What may be done or not, or several times, with the secrets that decide whether it is."""
        match statement:
            case m.If():
                told = []
                for test, body in statement.branches:
                    if (secret := self.tested(test, frame)) is not None and secret.hidden:
                        told.append((secret, Label(test.span, f"`{secret.name}` decides what is done")))
                    yield body, list(told)
                yield statement.otherwise, told
            case m.Chance():
                yield from ((branch.body, []) for branch in statement.branches)
            case m.For():
                yield statement.body, list(self.repeating(statement, frame))

    def repeating(self, loop: m.For, frame: dict[int, _Secret]) -> Iterator[tuple[_Secret, Label]]:
        """The secrets that say how often a loop is done, or for which of its values."""
        for binder in loop.binders:
            domain = binder.domain
            parts = (domain.lo, domain.hi) if isinstance(domain, m.RangeDomain) else children(domain)
            for part in parts:
                found = self.copied(part, frame)
                if found is not None and found[0].hidden:
                    yield found[0], Label(loop.span, f"`{found[0].name}` says how often this is done")
        if loop.condition is not None:
            counted = self.counted | frozenset(_counted(loop))
            secret = self.tested(loop.condition, frame, counted)
            if secret is not None and secret.hidden:
                yield secret, Label(loop.condition.span, f"`{secret.name}` decides what is done")

    def leaving(self, statement: m.If, frame: dict[int, _Secret]) -> Iterator[tuple[_Secret, Label]]:
        """The secrets that decide whether a loop goes on behind a statement."""
        for test, body in statement.branches:
            secret = self.tested(test, frame)
            if secret is not None and secret.hidden and any(isinstance(node, m.Break) for node in walk(body)):
                yield secret, Label(test.span, f"`{secret.name}` decides whether this goes on")

    def tested(
        self, test: m.Expr, frame: dict[int, _Secret], counted: frozenset[int] | None = None
    ) -> _Secret | None:
        """The secret that is held against a constant, or against what a loop counts."""
        counted = self.counted if counted is None else counted
        match test:
            case m.Compare(left=side, right=other) if _is_known(other, counted):
                found = self.copied(side, frame)
            case m.Compare(left=other, right=side) if _is_known(other, counted):
                found = self.copied(side, frame)
            case m.Is(operand=side):
                found = self.copied(side, frame)
            case m.Not():
                return self.tested(test.operand, frame, counted)
            case _:
                return None
        return None if found is None else found[0]

    def reveals(self, body: m.Block) -> bool:
        """Whether it looks at what was hidden before: then it shows what it shows on purpose."""
        hidden = {name for name, variable in self.variables.items() if variable.visible is not None}
        return any(
            node.variable in hidden and _place(node) not in self.stored
            for node in walk(body)
            if isinstance(node, m.Read)
        )

    def bind(self, slot: int, secret: _Secret | None, frame: dict[int, _Secret]) -> None:
        """The local becomes a secret, or something that is none."""
        self.forget(lambda copy: slot in _locals(copy))
        if secret is None:
            frame.pop(slot, None)
        else:
            frame[slot] = secret

    def forget(self, changed: Callable[[_Copy], object]) -> None:
        """Drops the copies that are no longer known to be where they were."""
        self.stored = {place: copy for place, copy in self.stored.items() if not changed(copy)}

    def forget_changed_in(self, statement: m.If | m.Chance | m.For) -> None:
        """Drops the copies that what may be done may change; an effect may change any."""
        for node in walk(statement):
            if isinstance(node, m.Perform):
                self.stored.clear()
            elif isinstance(node, m.Assign):
                self.forget(partial(_Copy.changed_by, assigned=node))

    def assign(self, statement: m.Assign, frame: dict[int, _Secret]) -> None:
        variable = self.variables[statement.variable]
        public = variable.visible is None
        parts = (*statement.indices, statement.value) if public else (statement.value,)
        for part in parts:
            found = self.copied(part, frame)
            if found is None or (not public and _takes_out(part)):
                continue
            secret, path = found
            if secret not in self.secrets:
                self.secrets.append(secret)
            if public:
                secret.shown.append((statement.span, variable, path))
            else:
                secret.hidden = True
        if public:
            for secret, label in self.told:
                if secret not in self.secrets:
                    self.secrets.append(secret)
                secret.shown.append((statement.span, variable, (*secret.path, label)))
        found = self.copied(statement.value, frame)
        self.forget(lambda copy: copy.changed_by(statement))
        if not public and found is not None:
            secret, path = found
            kept = Label(statement.span, f"`{statement.variable}` keeps it from some players")
            copy = _Copy(statement.variable, statement.indices, secret, (*path, kept))
            self.stored[_place(statement)] = copy

    def copied(self, expr: m.Expr, frame: dict[int, _Secret]) -> tuple[_Secret, tuple[Label, ...]] | None:
        """The secret that can be told from a value, and the way it came; None if there is none."""
        match expr:
            case m.Local():
                secret = frame.get(expr.slot)
                return None if secret is None else (secret, secret.path)
            case m.Read():
                copy = self.stored.get(_place(expr))
                return None if copy is None else (copy.secret, copy.path)
            case m.Convert() | m.Check() | m.Index() | m.Cast() | m.Negate() | m.Field():
                return self.copied(expr.operand, frame)
            case m.Arithmetic(op="+" | "-", right=m.Const()):
                return self.copied(expr.left, frame)
            case m.Arithmetic(op="+" | "-", left=m.Const()):
                return self.copied(expr.right, frame)
            case m.Conditional():
                for part in (expr.then, expr.otherwise):
                    if (found := self.copied(part, frame)) is not None:
                        return found
                secret = self.tested(expr.condition, frame)
                return None if secret is None else (secret, secret.path)
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


def _counted(statement: m.If | m.Chance | m.For) -> set[int]:
    """The locals that take one value of a loop after the other."""
    return (
        {slot for binder in statement.binders for slot in binder.slots}
        if isinstance(statement, m.For)
        else set()
    )


def _is_known(expr: m.Expr, counted: frozenset[int]) -> bool:
    """Whether all players know a value: a constant, or what a loop is at."""
    while isinstance(expr, m.Convert | m.Check):
        expr = expr.operand
    return isinstance(expr, m.Const) or (isinstance(expr, m.Local) and expr.slot in counted)


def _takes_out(value: m.Expr) -> bool:
    """Whether something leaves a set or a bag: a card that is turned up from a hidden deck is no secret."""
    match value:
        case m.SetOperation() | m.BagOperation():
            return value.op == "-"
        case m.BagChange():
            return not value.grows
    return False


def _locals(copy: _Copy) -> set[int]:
    """The locals that tell a place: they mean others in another body."""
    return {node.slot for node in walk(copy.indices) if isinstance(node, m.Local)}
