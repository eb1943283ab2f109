"""Tests of constant lines: groups of lines that are translates of one another are tested all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gdl.model.types import Type
from gdl.native.emit.bits import write
from gdl.native.emit.domains import count
from gdl.native.emit.lists import load_constant
from gdl.native.emit.scope import Scope
from gdl.native.ir.builder import FALSE, TRUE, Value, const, i32
from gdl.native.layout.values import Operand
from gdl.native.plan.plans import Plan


@dataclass(frozen=True, slots=True)
class Lines:
    """A test of lines: constant sets of elements, of which each must lie all (or partly) in a mask."""

    element: Type
    test: Plan  # of one element
    lines: tuple[int, ...]
    inner: str  # "all" or "any"


_FEW_GROUPS = 12


def write_lines(scope: Scope, kind: str, lines: Lines) -> Operand:
    """How many lines lie in the mask, or whether any, or whether all do."""
    b = scope.b
    mask = write(scope, lines.test, lines.element)
    if kind != "count" and kind == lines.inner:
        union = 0
        for line in lines.lines:
            union |= line
        wanted = const(mask.type, union)
        if kind == "any":
            return b.compare("ne", b.and_(mask, wanted), const(mask.type, 0))
        return b.compare("eq", b.and_(mask, wanted), wanted)
    if lines.inner == "any":  # a line is touched unless it lies in the complement
        mask = b.not_(mask)
        if kind == "all":
            return b.not_(_contained(scope, mask, lines))
        count = _count_contained(scope, mask, lines)
        return b.sub(i32(len(lines.lines)), count)
    if kind == "any":
        return _contained(scope, mask, lines)
    return _count_contained(scope, mask, lines)


def _translates(lines: Iterable[int]) -> dict[tuple[int, ...], int]:
    """Lines grouped by shape: the distances from the first element, and the set of first elements."""
    groups: dict[tuple[int, ...], int] = {}
    for line in lines:
        elements = [k for k in range(line.bit_length()) if line >> k & 1]
        shape = tuple(k - elements[0] for k in elements)
        groups[shape] = groups.get(shape, 0) | 1 << elements[0]
    return groups


def _starts(scope: Scope, mask: Value, shape: tuple[int, ...], starts: int) -> Value:
    """The first elements of the lines of one shape that lie in the mask."""
    b = scope.b
    result = b.and_(mask, const(mask.type, starts))
    for distance in shape[1:]:
        result = b.and_(result, b.lshr(mask, distance))
    return result


def _contained(scope: Scope, mask: Value, lines: Lines) -> Value:
    """Whether any line lies in the mask."""
    b = scope.b
    if 0 in lines.lines:
        return TRUE
    groups = _translates(lines.lines)
    if len(groups) <= max(_FEW_GROUPS, len(lines.lines) // 4):
        found = const(mask.type, 0)
        for shape, starts in groups.items():
            found = b.or_(found, _starts(scope, mask, shape, starts))
        return b.compare("ne", found, const(mask.type, 0))
    result, end = b.alloca("i1"), b.label("decided")
    b.store(FALSE, result)

    def test(line: Value) -> None:
        hit, miss = b.label("hit"), b.label("miss")
        b.branch(b.compare("eq", b.and_(mask, line), line), hit, miss)
        b.start(hit)
        b.store(TRUE, result)
        b.br(end)
        b.start(miss)

    _each_line(scope, mask.type, lines, test)
    b.start(end)
    return b.load("i1", result)


def _count_contained(scope: Scope, mask: Value, lines: Lines) -> Value:
    b = scope.b
    total = i32(lines.lines.count(0))
    solid = [line for line in lines.lines if line]
    groups = _translates(solid)
    distinct = len(set(solid)) == len(solid)
    if distinct and len(groups) <= max(_FEW_GROUPS, len(solid) // 4):
        for shape, starts in groups.items():
            total = b.add(total, b.popcount(_starts(scope, mask, shape, starts)))
        return total
    memory = b.alloca("i32")
    b.store(i32(0), memory)

    def tally(line: Value) -> None:
        inside = b.zext(b.compare("eq", b.and_(mask, line), line), "i32")
        b.store(b.add(b.load("i32", memory), inside), memory)

    _each_line(scope, mask.type, lines, tally)
    return b.load("i32", memory)


def _each_line(scope: Scope, ir: str, lines: Lines, body: Callable[[Value], None]) -> None:
    count(scope, i32(len(lines.lines)), lambda k: body(load_constant(scope, lines.lines, k, ir)))
