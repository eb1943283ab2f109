"""Notations of one's own: `move step(from: Square, d in …, to = from + d) as "{from}-{to}"`.

What is written must be readable: one word, and in no position the same for two legal moves. Which moves are
legal there is not known, so all are compared that could be: parameters range over what does not depend on the
position, else over their whole type. What the position and the written parameters decide, as `from = at[s]`,
is the same for two moves of one position that are written alike, so only such pairs are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
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
    owners: dict[tuple[Any, ...], tuple[Any, ...]] = {(move.name,): (move.name,) for move in moves}
    shown: dict[tuple[Any, ...], str] = {(move.name,): f"the move `{move.name}`" for move in moves}
    parts: dict[str, tuple[Any, ...]] = {}
    for move in moves:
        if move.notation is None:
            continue
        if not move.parameters:
            owners.pop((move.name,))
        written = [move.parameters[part].slot for part in move.notation if isinstance(part, int)]
        settled = _settled(checker, move, written)
        for count, frame in enumerate(_choices(checker, move)):
            if count == MAX_NAMES:
                yield say.bad_notation(move.span, f"there are more than {MAX_NAMES:,} moves to tell apart")
                break
            chosen = (move.name, *(frame[p.slot] for p in move.parameters if p.domain is not None))
            text = _written(move, frame)
            values = (move.name, *(frame[slot] for slot in written))
            # Written alike though of other values, they may be confused whatever the position decides.
            alike = parts.setdefault(text, values) == values
            decided = tuple(frame[slot] for slot in settled) if alike else ()
            first = owners.setdefault((text,), chosen)
            other = owners.setdefault((text, *decided), chosen) if decided else first
            shown.setdefault(chosen, f"`{_call(move, frame)}`")
            if other != chosen:
                yield say.ambiguous_notation(move.span, text, shown[other], shown[chosen])
                break


def _settled(checker: Checker, move: m.Move, written: Sequence[int]) -> list[int]:
    """The slots of computed parameters that look at the position, but else at nothing that is not written."""
    known = set(written)
    found = []
    for parameter in move.parameters:
        if parameter.value is None or _is_fixed(checker, parameter.value):
            continue
        bound = bound_slots(parameter.value)
        if all(p.slot in known | bound for p in walk(parameter.value) if isinstance(p, m.Local)):
            known.add(parameter.slot)
            found.append(parameter.slot)
    return found


def _written(move: m.Move, frame: list[Any]) -> str:
    assert move.notation is not None
    return "".join(
        part if isinstance(part, str) else _shown(move.parameters[part], frame) for part in move.notation
    )


def _call(move: m.Move, frame: list[Any]) -> str:
    return f"{move.name}({', '.join(_shown(p, frame) for p in move.parameters)})"


def _shown(parameter: m.MoveParameter, frame: list[Any]) -> str:
    return show_value(parameter.type, frame[parameter.slot])


def _choices(checker: Checker, move: m.Move) -> Iterator[list[Any]]:
    """Frames with all values that the parameters could have in some position, perhaps more."""
    interpreter = Interpreter((), checker.tables, checker.functions, checker.model_effects)
    steps = [_Step(checker, interpreter, parameter) for parameter in move.parameters]

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


class _Step:
    """One parameter: its values and its guards, as far as they do not depend on the position."""

    def __init__(self, checker: Checker, interpreter: Interpreter, parameter: m.MoveParameter):
        self.parameter = parameter
        self._domain = self._value = None
        if parameter.domain is not None and _is_fixed(checker, parameter.domain):
            self._domain = interpreter.domain(parameter.domain)
        if parameter.value is not None and _is_fixed(checker, parameter.value):
            self._value = interpreter.expression(parameter.value)
            self._translate = conversion(parameter.value.type, parameter.type)
        self._guards = [interpreter.expression(g) for g in parameter.guards if _is_fixed(checker, g)]

    def values(self, frame: list[Any]) -> Iterable[Any]:
        try:
            if self._domain is not None:
                return list(self._domain((), frame))
            if self._value is not None:
                value = self._translate(self._value((), frame))
                return () if value is None else (value,)
        except Fault:
            pass
        return values(self.parameter.type)

    def holds(self, frame: list[Any]) -> bool:
        try:
            return all(guard((), frame) for guard in self._guards)
        except Fault:
            return True


def _is_fixed(checker: Checker, part: Any) -> bool:
    """Whether nothing but earlier parameters decides the value: no position is looked at."""
    return not any(
        isinstance(node, m.Read | m.After | m.Stuck)
        or (isinstance(node, m.Call) and not _is_fixed(checker, checker.functions[node.function].body))
        for node in walk(part)
    )
