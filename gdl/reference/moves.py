"""Moves: how the legal ones are found, and what one of them is."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from gdl.diagnostics import faults as wording
from gdl.diagnostics.faults import Fault
from gdl.model import nodes
from gdl.reference.chance import compile_happening
from gdl.reference.closures import Closure, Frame, State
from gdl.reference.conversion import conversion
from gdl.reference.interpret import Interpreter
from gdl.reference.positions import HIDDEN, format_value, is_none

Finder = Callable[[State, Frame, "list[Move]"], None]
"""Appends the legal moves that agree with the parameters chosen so far."""


class Move:
    """A move with its parameters chosen, such as `drop(3)`; hashable, ordered by declaration and values."""

    __slots__ = ("family", "values")

    def __init__(self, family: MoveFamily, values: tuple[Any, ...]):
        self.family = family
        self.values = values

    @property
    def name(self) -> str:
        return self.family.name

    def __hash__(self) -> int:
        return hash((self.family.index, self.values))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Move):
            return self.family.index == other.family.index and self.values == other.values
        return NotImplemented

    def __lt__(self, other: Move) -> bool:
        return (self.family.index, self.values) < (other.family.index, other.values)

    def __str__(self) -> str:
        """`step(b2, b3)`; what is none at the end is left out, but never the first parameter."""
        if self.family.notation is not None:
            return self._by_notation(self.family.notation)
        if not self.values:
            return self.name
        given = list(zip(self.family.parameters, self.values, strict=True))
        while len(given) > 1 and is_none(given[-1][0].type, given[-1][1]):
            given.pop()
        shown = (format_value(parameter.type, value) for parameter, value in given)
        return f"{self.name}({', '.join(shown)})"

    __repr__ = __str__

    def _by_notation(self, notation: tuple[str | int, ...]) -> str:
        parameters, values = self.family.parameters, self.values
        return "".join(
            part if isinstance(part, str) else format_value(parameters[part].type, values[part])
            for part in notation
        )

    def concealed(self) -> Move:
        """The move as seen by those from whom its parameters are hidden."""
        return Move(self.family, (HIDDEN,) * len(self.values))


class _Found(Exception):
    """The first legal move has been found: no more are wanted."""


class _First(list["Move"]):
    def append(self, move: Move) -> None:
        raise _Found


_FIRST = _First()

MAX_MOVES = 1_000_000
"""The most legal moves of a position that are listed."""


class MoveFamily:
    """A declared move: finds the legal choices of its parameters; `body` is what happens when it is made."""

    def __init__(self, declaration: nodes.Move, index: int, interpreter: Interpreter):
        self.index = index
        self.name = declaration.name
        self.parameters = declaration.parameters
        self.otherwise = declaration.otherwise
        self.secret = declaration.secret
        self.notation = declaration.notation
        self.span = declaration.span
        self.body = compile_happening(declaration.body, interpreter)
        self._slots = tuple(parameter.slot for parameter in declaration.parameters)
        self._blank: Frame = [None] * declaration.frame
        self._weight = None if declaration.weight is None else interpreter.expression(declaration.weight)
        self._guards = _all_of(declaration.guards, interpreter)
        self._find = self._compile_finder(interpreter)

    def find(self, state: State, found: list[Move]) -> None:
        """Appends the legal moves of this family, not minding `otherwise`."""
        frame = self._blank.copy()
        if self._guards is None or self._guards(state, frame):
            self._find(state, frame, found)

    def is_legal(self, state: State) -> bool:
        """Whether there is a legal move of this family, not minding `otherwise`."""
        try:
            self.find(state, _FIRST)
        except _Found:
            return True
        return False

    def frame(self, values: tuple[Any, ...]) -> Frame:
        """A fresh frame in which the parameters have the given values."""
        frame = self._blank.copy()
        for slot, value in zip(self._slots, values, strict=True):
            frame[slot] = value
        return frame

    def weight(self, state: State, move: Move) -> Fraction:
        """How much a move weighs when chance is to move."""
        if self._weight is None:
            return Fraction(1)
        weight = Fraction(self._weight(state, self.frame(move.values)))
        if weight < 0:
            raise Fault(wording.negative_weight("the move", f"`{move}`", weight, self.span))
        return weight

    def _compile_finder(self, interpreter: Interpreter) -> Finder:
        """One loop inside another, a parameter each, the last one innermost."""
        find: Finder = self._found
        for parameter in reversed(self.parameters):
            find = _choose(parameter, find, interpreter)
        return find

    def _found(self, state: State, frame: Frame, found: list[Move]) -> None:
        if len(found) >= MAX_MOVES:
            raise Fault(wording.too_many_moves(MAX_MOVES, self.span))
        found.append(Move(self, tuple([frame[slot] for slot in self._slots])))


def _choose(parameter: nodes.MoveParameter, find: Finder, interpreter: Interpreter) -> Finder:
    slot, guards = parameter.slot, _all_of(parameter.guards, interpreter)
    if parameter.domain is None:
        return _compute(parameter, guards, find, interpreter)
    domain = interpreter.domain(parameter.domain)
    if isinstance(parameter.domain, nodes.ListDomain):
        domain = _without_repeats(domain)

    def choose(state: State, frame: Frame, found: list[Move]) -> None:
        for value in domain(state, frame):
            frame[slot] = value
            if guards is None or guards(state, frame):
                find(state, frame, found)

    return choose


def _without_repeats(domain: Closure) -> Closure:
    """A list may name a value twice, but it is one move."""
    return lambda state, frame: dict.fromkeys(domain(state, frame))


def _compute(
    parameter: nodes.MoveParameter, guards: Closure | None, find: Finder, interpreter: Interpreter
) -> Finder:
    """A computed parameter; where its value is none, so that its type does not hold it, nothing is legal."""
    assert parameter.value is not None
    slot, value = parameter.slot, interpreter.expression(parameter.value)
    translate = conversion(parameter.value.type, parameter.type)

    def compute(state: State, frame: Frame, found: list[Move]) -> None:
        result = translate(value(state, frame))
        if result is None:
            return
        frame[slot] = result
        if guards is None or guards(state, frame):
            find(state, frame, found)

    return compute


def _all_of(guards: tuple[nodes.Expr, ...], interpreter: Interpreter) -> Closure | None:
    """Whether all guards hold, tested in order; None if there are none."""
    if not guards:
        return None
    tests = tuple(interpreter.expression(guard) for guard in guards)
    if len(tests) == 1:
        return tests[0]

    def hold(state: State, frame: Frame) -> bool:
        for test in tests:  # noqa: SIM110 (a generator would cost more than the tests)
            if not test(state, frame):
                return False
        return True

    return hold


def describe_parameters(family: MoveFamily | nodes.Move) -> str:
    """`step(from: Square, side: -1..1)`, for messages."""
    if not family.parameters:
        return family.name
    inner = ", ".join(f"{parameter.name}: {parameter.type}" for parameter in family.parameters)
    return f"{family.name}({inner})"
