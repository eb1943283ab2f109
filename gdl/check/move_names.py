"""Notations of one's own: `move step(from: Square, d in …, to = from + d) as "{from}-{to}"`.

What is written must be readable: one word, and in no position the same for two legal moves. Which moves are
legal there is not known, so all are compared that could be: parameters range over what does not depend on the
position, or on little of it (`turn`, of which each value is tried), else over their whole type. What the
position and the written parameters decide, as `from = at[s]`, is the same for two moves of one position that
are written alike, so only such pairs are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

from gdl.check.context import Checker
from gdl.check.relations import is_scalar, members_of
from gdl.diagnostics import Diagnostic
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import has_bag, show_value, values
from gdl.model.walk import bound_slots, walk
from gdl.reference.conversion import conversion
from gdl.reference.faults import Fault
from gdl.reference.interpret import Interpreter
from gdl.syntax import tree

MAX_NAMES = 100_000
"""The most moves whose names are compared."""

MAX_SITUATIONS = 8
"""The most positions, as far as moves are called by them, in which that is done."""

_PART = re.compile(r"\{(\w+)\}|[^{}]+")
_APART = re.compile(r"[\s,;()\[\]=\"#]")
"""What cannot stand in a word that is read back."""


def notation(
    checker: Checker, node: tree.String, parameters: Sequence[m.MoveParameter]
) -> tuple[str | int, ...]:
    """The texts of a notation, and the numbers of the parameters between them."""
    names = [parameter.name for parameter in parameters]
    if bag := next((p for p in parameters if p.domain is not None and has_bag(p.type)), None):
        checker.fail(say.bad_notation(node.span, f"`{bag.name}` is no single word but {bag.type}"))
    found: list[str | int] = []
    at = 0
    for match in _PART.finditer(node.value):
        if match.start() != at:
            break
        at = match.end()
        name = match.group(1)
        if name is None:
            if wrong := _APART.search(match.group()):
                checker.fail(say.bad_notation(node.span, f"`{wrong.group()}` would end the word"))
            found.append(match.group())
        elif name not in names:
            checker.fail(say.bad_notation(node.span, f"the move has no parameter `{name}`"))
        elif not all(map(is_scalar, members_of(parameters[names.index(name)].type))):
            type_ = parameters[names.index(name)].type
            checker.fail(say.bad_notation(node.span, f"`{name}` is no single word but {type_}"))
        else:
            found.append(names.index(name))
    if at != len(node.value) or not found:
        checker.fail(say.bad_notation(node.span, "its braces do not match" if found else "there is no text"))
    return tuple(found)


def ambiguous(checker: Checker, moves: Sequence[m.Move]) -> Iterator[Diagnostic]:
    """For each notation that does not tell all moves apart, two that it confuses."""
    told: set[str] = set()
    known = _situational(checker, moves)
    for situation in product(*(values(variable.type) for variable in known)):
        names = _Names(checker, known, situation, moves)
        for move in moves:
            if move.notation is not None and move.name not in told:
                for diagnostic in names.clash(move):
                    told.add(move.name)
                    yield diagnostic


def _situational(checker: Checker, moves: Sequence[m.Move]) -> list[m.Variable]:
    """Variables such as `turn` that parameters of moves look at, with few values altogether: these are tried
    one by one, for in any position they are the same for all moves."""
    read = {
        node.variable
        for move in moves
        if move.notation is not None
        for parameter in move.parameters
        for node in _reads(checker, (parameter.domain, parameter.value))
        if isinstance(node, m.Read)
    }
    found, count = [], 1
    for variable in checker.variables.values():
        single = not variable.indices and variable.length is None and not has_bag(variable.type)
        if variable.name in read and single:
            size = getattr(variable.type, "size", None) or MAX_SITUATIONS + 1
            if count * size <= MAX_SITUATIONS:
                count *= size
                found.append(variable)
    return found


class _Names:
    """What moves are called where some variables have these values."""

    def __init__(
        self,
        checker: Checker,
        known: Sequence[m.Variable],
        situation: tuple[Any, ...],
        moves: Sequence[m.Move],
    ):
        self.checker = checker
        self.known = frozenset(variable.name for variable in known)
        self.situation = situation
        self.interpreter = Interpreter(known, checker.tables, checker.functions, checker.model_effects)
        named = [move for move in moves if move.notation is None or move.parameters]
        self.owners: dict[tuple[Any, ...], tuple[Any, ...]] = {(move.name,): (move.name,) for move in named}
        self.shown: dict[tuple[Any, ...], str] = {(move.name,): f"the move `{move.name}`" for move in moves}
        self.parts: dict[str, tuple[Any, ...]] = {}

    def clash(self, move: m.Move) -> Iterator[Diagnostic]:
        """Two moves that a notation confuses, if there are any; it is noted what the others are called."""
        assert move.notation is not None
        written = [move.parameters[part].slot for part in move.notation if isinstance(part, int)]
        settled = self._settled(move, written)
        for count, frame in enumerate(self._choices(move)):
            if count == MAX_NAMES:
                yield say.bad_notation(move.span, f"there are more than {MAX_NAMES:,} moves to tell apart")
                break
            chosen = (move.name, *(frame[p.slot] for p in move.parameters if p.domain is not None))
            text = _written(move, frame)
            values = (move.name, *(frame[slot] for slot in written))
            # Written alike though of other values, they may be confused whatever the position decides.
            alike = self.parts.setdefault(text, values) == values
            decided = tuple(frame[slot] for slot in settled) if alike else ()
            first = self.owners.setdefault((text,), chosen)
            other = self.owners.setdefault((text, *decided), chosen) if decided else first
            self.shown.setdefault(chosen, f"`{_call(move, frame)}`")
            if other != chosen:
                yield say.ambiguous_notation(move.span, text, self.shown[other], self.shown[chosen])
                break

    def _settled(self, move: m.Move, written: Sequence[int]) -> list[int]:
        """The slots of computed parameters that look at the position, and of the rest at what is written."""
        seen = set(written)
        found = []
        for parameter in move.parameters:
            if parameter.value is None or _is_fixed(self.checker, parameter.value, self.known):
                continue
            bound = bound_slots(parameter.value)
            if all(p.slot in seen | bound for p in walk(parameter.value) if isinstance(p, m.Local)):
                seen.add(parameter.slot)
                found.append(parameter.slot)
        return found

    def _choices(self, move: m.Move) -> Iterator[list[Any]]:
        """Frames with all values that the parameters could have in some such position, perhaps more."""
        steps = [_Step(self, parameter) for parameter in move.parameters]

        def choose(number: int, frame: list[Any]) -> Iterator[list[Any]]:
            if number == len(steps):
                yield frame
                return
            step = steps[number]
            for value in step.values(frame):
                frame[step.parameter.slot] = value
                if step.holds(frame):
                    yield from choose(number + 1, frame)

        yield from choose(0, [None] * move.frame)


def _written(move: m.Move, frame: list[Any]) -> str:
    assert move.notation is not None
    return "".join(
        part if isinstance(part, str) else _shown(move.parameters[part], frame) for part in move.notation
    )


def _call(move: m.Move, frame: list[Any]) -> str:
    return f"{move.name}({', '.join(_shown(p, frame) for p in move.parameters)})"


def _shown(parameter: m.MoveParameter, frame: list[Any]) -> str:
    return show_value(parameter.type, frame[parameter.slot])


class _Step:
    """One parameter: its values and its guards, as far as they do not depend on the position."""

    def __init__(self, names: _Names, parameter: m.MoveParameter):
        checker, interpreter, known = names.checker, names.interpreter, names.known
        self.parameter = parameter
        self._state = names.situation
        self._domain = self._value = None
        if parameter.domain is not None and _is_fixed(checker, parameter.domain, known):
            self._domain = interpreter.domain(parameter.domain)
        if parameter.value is not None and _is_fixed(checker, parameter.value, known):
            self._value = interpreter.expression(parameter.value)
            self._translate = conversion(parameter.value.type, parameter.type)
        self._guards = [interpreter.expression(g) for g in parameter.guards if _is_fixed(checker, g, known)]

    def values(self, frame: list[Any]) -> Iterable[Any]:
        try:
            if self._domain is not None:
                return list(self._domain(self._state, frame))
            if self._value is not None:
                value = self._translate(self._value(self._state, frame))
                return () if value is None else (value,)
        except Fault:
            pass
        return values(self.parameter.type)

    def holds(self, frame: list[Any]) -> bool:
        try:
            return all(guard(self._state, frame) for guard in self._guards)
        except Fault:
            return True


def _is_fixed(checker: Checker, part: Any, known: frozenset[str]) -> bool:
    """Whether nothing but earlier parameters and what is known decides the value."""
    return not any(
        not isinstance(node, m.Read) or node.variable not in known for node in _reads(checker, part)
    )


def _reads(checker: Checker, part: Any) -> Iterator[m.Read | m.After | m.Stuck]:
    """Where the position is looked at, in functions that are called too."""
    for node in walk(part):
        if isinstance(node, m.Read | m.After | m.Stuck):
            yield node
        elif isinstance(node, m.Call):
            yield from _reads(checker, checker.functions[node.function].body)
