"""Whether `initial:` gives every variable a value, on every way through it, and reads none before.

The body is followed as it runs, with what is known without chance: the values of locals, the rounds of loops,
the outcome of tests. What a draw decides is not known; then both ways of a test are followed, and a variable
has a value only if it has one on both. An element of a map that only chance decides counts for none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from gdl.check.context import Checker
from gdl.check.metering import Exhausted, MeteredInterpreter
from gdl.diagnostics import Diagnostic, Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import ordinal, show_value, values
from gdl.model.walk import bound_slots, children, walk
from gdl.reference.faults import Fault

Given = dict[str, int]
"""Of each variable that starts without a value: which elements surely have one by now, as bits."""

Frame = list[Any]
"""The values of the locals, None where one is not known."""


def mistakes(checker: Checker, initial: m.Effect, variables: Iterable[m.Variable]) -> list[Diagnostic]:
    """What is wrong with the values that `initial:` gives to these variables, which have none before.

    Nothing is said of a body that takes too many steps to follow.
    """
    walk_ = _Start(checker, {variable.name: variable for variable in variables})
    try:
        given = walk_.block(initial.body, dict.fromkeys(walk_.variables, 0), [None] * initial.frame)
    except Exhausted:
        return []
    if given is None:  # a loop that never ends in time: no play begins
        return walk_.found
    for name, variable in walk_.variables.items():
        if given[name] != walk_.all_of(name):
            walk_.report(say.left_without_value, name, walk_.missing(name, given), variable.span)
    return walk_.found


class _Start:
    def __init__(self, checker: Checker, variables: dict[str, m.Variable]):
        self.checker = checker
        self.variables = variables
        self.found: list[Diagnostic] = []
        self._said: set[str] = set()
        self._breaks: list[list[Given]] = []
        self._continues: list[list[Given]] = []
        self._interpreter = MeteredInterpreter(checker.tables, checker.functions, checker.model_effects)
        self._free: dict[int, tuple[Any, frozenset[int] | None]] = {}

    def report(self, wording: Any, name: str, element: str, span: Span) -> None:
        if name not in self._said:  # the first is the cause of the others
            self._said.add(name)
            self.found.append(wording(span, element, self.variables[name].span))

    def all_of(self, name: str) -> int:
        return (1 << self.variables[name].count) - 1

    def missing(self, name: str, given: Given) -> str:
        """The first element that may have no value."""
        variable = self.variables[name]
        if not variable.indices:
            return name
        keys = product(*(values(index) for index in variable.indices))
        key = next(key for number, key in enumerate(keys) if not given[name] >> number & 1)
        shown = (show_value(type_, value) for type_, value in zip(variable.indices, key, strict=True))
        return f"{name}[{', '.join(shown)}]"

    # ----------------------------------------------------------------- statements

    def block(self, block: m.Block, given: Given, frame: Frame) -> Given | None:
        """What has a value after the block; None if it is left."""
        for statement in block:
            self._interpreter.step()
            following = self.statement(statement, given, frame)
            if following is None:
                return None
            given = following
        return given

    def statement(self, statement: m.Statement, given: Given, frame: Frame) -> Given | None:
        match statement:
            case m.Assign():
                self.read((statement.indices, statement.value), given, frame)
                return self.assign(statement, given, frame)
            case m.Let():
                self.read(statement.value, given, frame)
                frame[statement.slot] = self.value(statement.value, frame)
            case m.Draw():
                self.read(statement.domain, given, frame)
                frame[statement.slot] = None
                self.read((statement.condition, statement.weight), given, frame)
            case m.If():
                return self.choose(statement, given, frame)
            case m.Chance():
                for branch in statement.branches:
                    self.read(branch.probability, given, frame)
                return self.one_of([branch.body for branch in statement.branches], given, frame)
            case m.For():
                return self.loop(statement, given, frame)
            case m.Perform():
                self.read(statement.arguments, given, frame)
                effect = self.checker.model_effects[statement.effect]
                return self.block(effect.body, given, self.called(effect, statement.arguments, frame))
            case m.Break():
                self._breaks[-1].append(given)
                return None
            case m.Continue():
                self._continues[-1].append(given)
                return None
            case m.RunOut():
                return None
            case m.LetEntry():
                self.read((statement.indices, statement.value), given, frame)
                frame[statement.slot] = None
            case m.Return():
                self.read(statement.value, given, frame)
                return None
        return given

    def assign(self, statement: m.Assign, given: Given, frame: Frame) -> Given:
        if statement.variable not in self.variables:
            return given
        element = self.element(statement, frame)
        if element is None:
            return given
        return {**given, statement.variable: given[statement.variable] | 1 << element}

    def choose(self, statement: m.If, given: Given, frame: Frame) -> Given | None:
        ways: list[m.Block] = []
        for condition, body in statement.branches:
            self.read(condition, given, frame)
            truth = self.value(condition, frame)
            if truth is not False:
                ways.append(body)
            if truth:
                break
        else:
            ways.append(statement.otherwise)
        return self.one_of(ways, given, frame)

    def one_of(self, ways: list[m.Block], given: Given, frame: Frame) -> Given | None:
        if len(ways) == 1:
            return self.block(ways[0], given, frame)
        frames = [frame.copy() for _ in ways]
        after = [self.block(way, given, inside) for way, inside in zip(ways, frames, strict=True)]
        for slot, known in enumerate(zip(*frames, strict=True)):
            frame[slot] = known[0] if all(value == known[0] for value in known) else None
        return _common([found for found in after if found is not None])

    def loop(self, statement: m.For, given: Given, frame: Frame) -> Given | None:
        self._breaks.append([])
        now = self.rounds(statement, 0, given, frame)
        ended = self._breaks.pop()
        if ended:
            self.forget(statement, frame)  # it is not known in which round the loop ended
        return _common(ended + ([] if now is None else [now]))

    def rounds(self, statement: m.For, number: int, given: Given, frame: Frame) -> Given | None:
        """What has a value after all rounds for the values that the binders before this one have."""
        if number == len(statement.binders):
            return self.round(statement, given, frame)
        binder = statement.binders[number]
        self.read(binder.domain, given, frame)
        values = self.values(binder.domain, frame)
        if values is None:  # perhaps none
            self.forget(statement, frame)
            self.bind(binder, None, frame)
            now = self.rounds(statement, number + 1, given, frame)
            self.forget(statement, frame)
            return given if now is None else _common([given, now])
        for value in values:
            self.bind(binder, value, frame)
            now = self.rounds(statement, number + 1, given, frame)
            if now is None:
                return None
            given = now
        return given

    def round(self, statement: m.For, given: Given, frame: Frame) -> Given | None:
        self._continues.append([])
        truth: bool | None = True
        if statement.condition is not None:
            self.read(statement.condition, given, frame)
            truth = self.value(statement.condition, frame)
        ways: list[m.Block] = [statement.body, ()] if truth is None else [statement.body] if truth else [()]
        now = self.one_of(ways, given, frame)
        continued = self._continues.pop()
        if continued:
            self.forget(statement, frame)  # nor whether the round came to its end
        return _common(continued + ([] if now is None else [now]))

    def forget(self, statement: m.For, frame: Frame) -> None:
        for slot in bound_slots(statement):
            frame[slot] = None

    def called(self, declared: m.Effect | m.Function, arguments: tuple[m.Expr, ...], frame: Frame) -> Frame:
        inside: Frame = [None] * declared.frame
        for formal, argument in zip(declared.formals, arguments, strict=True):
            inside[formal.slot] = self.value(argument, frame)
        return inside

    def bind(self, binder: m.Binder, value: Any, frame: Frame) -> None:
        parts = value if binder.unpack and value is not None else [value] * len(binder.slots)
        for slot, part in zip(binder.slots, parts, strict=True):
            frame[slot] = part

    # ---------------------------------------------------------------- expressions

    def read(self, part: Any, given: Given, frame: Frame) -> None:
        """Reports what an expression, a domain or several of them read too early."""
        if all(given[name] == self.all_of(name) for name in self.variables):
            return
        match part:
            case None:
                return
            case tuple():
                for item in part:
                    self.read(item, given, frame)
                return
            case m.Read() if part.variable in self.variables:
                self.look(part, given, frame)
            case m.Conditional():
                self.read(part.condition, given, frame)
                truth = self.value(part.condition, frame)
                self.read(part.then if truth is not False else None, given, frame)
                self.read(part.otherwise if not truth else None, given, frame)
                return
            case m.And() | m.Or():
                for item in part.items:
                    self.read(item, given, frame)
                    if self.value(item, frame) is isinstance(part, m.Or):
                        return
                return
            case m.Call():
                function = self.checker.functions[part.function]
                self.read(part.arguments, given, frame)
                self.body(function, given, self.called(function, part.arguments, frame))
                return
            case m.After():
                self.read(part.arguments, given, frame)
                effect = self.checker.model_effects[part.effect]
                after = self.block(effect.body, given, self.called(effect, part.arguments, frame))
                self.read(part.body, given if after is None else after, frame)
                return
            case m.Reach():
                self.read((part.starts, part.within), given, frame)
                inner = frame.copy()
                self.bind(part.binder, None, inner)
                self.read(part.around, given, inner)
                return
            case m.Aggregate():
                self.aggregate(part, 0, given, frame.copy())
                self.read(part.default, given, frame)
                return
        for child in children(part):
            self.read(child, given, frame)

    def body(self, function: m.Function, given: Given, frame: Frame) -> None:
        self._interpreter.step()
        if isinstance(function.body, tuple):
            self.block(function.body, given, frame)
        else:
            self.read(function.body, given, frame)

    def look(self, part: m.Read, given: Given, frame: Frame) -> None:
        element = self.element(part, frame)
        has = given[part.variable]
        wanted = self.all_of(part.variable) if element is None else 1 << element
        if has & wanted != wanted:
            partly = {part.variable: has | (self.all_of(part.variable) ^ wanted)}
            self.report(say.read_before_value, part.variable, self.missing(part.variable, partly), part.span)

    def aggregate(self, part: m.Aggregate, number: int, given: Given, frame: Frame) -> None:
        if number == len(part.binders):
            self.read(part.condition, given, frame)
            if part.condition is None or self.value(part.condition, frame) is not False:
                self.read(part.body, given, frame)
            return
        binder = part.binders[number]
        self.read(binder.domain, given, frame)
        rounds = self.values(binder.domain, frame)
        for value in [None] if rounds is None else rounds:
            self.bind(binder, value, frame)
            self.aggregate(part, number + 1, given, frame)

    # --------------------------------------------------------------- what is known

    def element(self, place: m.Read | m.Assign, frame: Frame) -> int | None:
        """Which element of a map a place is, counted in row-major order; None where that is not known."""
        number = 0
        for index, type_ in zip(place.indices, self.variables[place.variable].indices, strict=True):
            value = self.value(index, frame)
            if value is None:
                return None
            number = number * type_.size + ordinal(type_, value)  # type: ignore[union-attr]
        return number

    def value(self, expr: m.Expr, frame: Frame) -> Any:
        """The value of an expression that depends on known locals alone, else None; no value is None."""
        if not self.is_known(expr, frame):
            return None
        try:
            return self._interpreter.evaluate(expr, frame)
        except Fault:
            return None

    def values(self, domain: m.Domain, frame: Frame) -> list[Any] | None:
        if not self.is_known(domain, frame):
            return None
        try:
            return list(self._interpreter.domain(domain)((), frame.copy()))
        except Fault:
            return None

    def is_known(self, part: Any, frame: Frame) -> bool:
        if id(part) not in self._free:  # the part is kept, so that its number is not given to another
            self._free[id(part)] = (part, frozenset(self.free_slots(part)) if self.is_fixed(part) else None)
        free = self._free[id(part)][1]
        return free is not None and all(frame[slot] is not None for slot in free)

    def is_fixed(self, part: Any) -> bool:
        """Whether nothing but locals decides the value: no position is looked at."""
        return not any(
            isinstance(node, m.Read | m.After)
            or (isinstance(node, m.Call) and not self.is_fixed(self.checker.functions[node.function].body))
            for node in walk(part)
        )

    def free_slots(self, part: Any) -> Iterator[int]:
        bound = bound_slots(part)
        for node in walk(part):
            if isinstance(node, m.Local) and node.slot not in bound:
                yield node.slot


def _common(ways: list[Given]) -> Given | None:
    """What has a value whichever way was taken; None if there is none."""
    if not ways:
        return None
    return {name: _all(way[name] for way in ways) for name in ways[0]}


def _all(bits: Iterable[int]) -> int:
    result = -1
    for some in bits:
        result &= some
    return result
