"""The same value in another type: `Convert`, `Cast`, `Check` and what they share.

Nearly always this adds a constant, and whether the other type holds the value is a range test.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from gdl.model import nodes
from gdl.model.types import (
    NONE,
    BagOf,
    Cells,
    Enum,
    Int,
    ListOf,
    Part,
    Rational,
    SetOf,
    Tuple,
    Type,
    Union,
    places_of,
    whole_of,
)
from gdl.model.types import from_ordinal as value_at
from gdl.model.types import ordinal as ordinal_of
from gdl.native.emit.bags import convert_bag
from gdl.native.emit.lists import load_constant
from gdl.native.emit.logic import constant
from gdl.native.emit.numbers import as_whole, constant_ratio, ratio_of
from gdl.native.emit.scope import Scope, emits
from gdl.native.ir.builder import FALSE, TRUE, Value, const, width
from gdl.native.layout.layout import index_size
from gdl.native.layout.memory import from_ordinal, ordinal, ordinal_ir
from gdl.native.layout.values import Operand, Ratio, flatten, registers, scalar_ir, unflatten
from gdl.reference.conversion import convert as convert_value
from gdl.reference.conversion import shifts


@emits(nodes.Convert)
def _convert(scope: Scope, node: nodes.Convert) -> Operand:
    if isinstance(node.operand, nodes.Const):
        value = convert_value(node.operand.type, node.type, node.operand.value)
        if value is not None:
            return constant(scope, node.type, value)
    return convert(scope, scope.value(node.operand), node.operand.type, node.type)[1]


@emits(nodes.Cast)
def _cast(scope: Scope, node: nodes.Cast) -> Operand:
    inside, result = convert(scope, scope.value(node.operand), node.operand.type, node.type)
    none = constant(scope, node.type, none_of(node.type))
    return choose(scope, inside, result, none, node.type)


@emits(nodes.Check)
def _check(scope: Scope, node: nodes.Check) -> Operand:
    inside, result = convert(scope, scope.value(node.operand), node.operand.type, node.type)
    scope.check(scope.b.not_(inside), "range", node.span)
    return result


@emits(nodes.Index)
def _index(scope: Scope, node: nodes.Index) -> Operand:
    place, limit = scope.scalar(node.operand), scope.scalar(node.limit)
    wide = place.type if width(place.type) >= width(limit.type) else limit.type
    b = scope.b
    scope.check(b.compare("uge", b.resize(place, wide), b.resize(limit, wide)), "list", node.span)
    return scope.coerce(place, node.type)


def none_of(type_: Union) -> int:
    """The ordinal of `none` in T?."""
    return int(type_.starts[type_.members.index(NONE)])


def choose(scope: Scope, condition: Value, then: Operand, otherwise: Operand, type_: Type) -> Operand:
    pairs = zip(flatten(scope.coerce(then, type_)), flatten(scope.coerce(otherwise, type_)), strict=True)
    return unflatten(type_, iter([scope.b.select(condition, x, y) for x, y in pairs]))


def convert(scope: Scope, operand: Operand, source: Type, target: Type) -> tuple[Value, Operand]:
    """Whether `target` holds the value, and the value there (anything where it does not)."""
    if source == target:
        return TRUE, operand
    if shifts(source, target):
        assert isinstance(operand, Value)
        return _translate(scope, operand, source, target)
    b = scope.b
    match source, target:
        case Union(), _:
            return _from_union(scope, operand, source, target)
        case _, Union():
            return _to_union(scope, operand, source, target)
        case ((Enum() | Cells() | Part()), _) if source.whole is not None:
            assert isinstance(operand, Value)
            number = load_constant(scope, source.places, operand, ordinal_ir(source.whole))
            return convert(scope, from_ordinal(scope, source.whole, number), source.whole, target)
        case (_, (Enum() | Cells() | Part())) if target.whole is not None:
            return _into_part(scope, *convert(scope, operand, source, target.whole), target)
        case ((Int() | Rational()), Int()):
            if isinstance(operand, Ratio):
                return as_whole(scope, operand, target)
            assert isinstance(operand, Value)
            return _translate(scope, operand, source, target)
        case ((Int() | Rational()), Rational()):
            return TRUE, ratio_of(scope, operand, source)
        case Tuple(), Tuple() if len(source.fields) == len(target.fields):
            assert isinstance(operand, tuple)
            inside, items = TRUE, []
            for item, s, t in zip(operand, source.fields, target.fields, strict=True):
                fine, value = convert(scope, item, s, t)
                inside = b.and_(inside, fine)
                items.append(value)
            return inside, tuple(items)
        case SetOf(), SetOf():
            assert isinstance(operand, Value)
            return _convert_set(scope, operand, source, target)
        case BagOf(), BagOf():
            assert isinstance(operand, Value)
            return convert_bag(scope, operand, source, target)
        case ListOf(), ListOf():
            assert isinstance(operand, Value)
            return TRUE, _convert_list(scope, operand, source, target)
        case _:
            return FALSE, nothing(scope, target)


def nothing(scope: Scope, type_: Type) -> Operand:
    """Registers of a type whose contents do not matter."""
    values = [const(ir, 0) for ir in registers(type_)]
    if isinstance(type_, Rational):
        return constant_ratio(scope, 0)
    return unflatten(type_, iter(values))


class _Piece(NamedTuple):
    """Register values first..last of one type are, with `shift` added, those of the other."""

    first: int
    last: int
    shift: int


def _into_part(
    scope: Scope, inside: Value, operand: Operand, part: Enum | Cells | Part
) -> tuple[Value, Operand]:
    """A value of the whole, if it is `inside` at all, as one of the part."""
    b = scope.b
    whole, places = whole_of(part), places_of(part)
    assert places is not None
    number = ordinal(scope, whole, scope.coerce(operand, whole))
    numbers = {place: k for k, place in enumerate(places)}
    table = [numbers.get(place, -1) for place in range(index_size(whole))]
    found = load_constant(scope, table, b.select(inside, number, const(number.type, 0)), scalar_ir(part))
    return b.and_(inside, b.compare("sge", found, const(found.type, 0))), found


def _atoms(type_: Any) -> list[tuple[Any, int]]:
    if isinstance(type_, Union):
        return list(zip(type_.members, type_.starts, strict=True))
    return [(type_, type_.lo if isinstance(type_, Int) else 0)]


def _pieces(source: Type, target: Type) -> Iterator[_Piece]:
    for a, a_start in _atoms(source):
        for c, c_start in _atoms(target):
            if isinstance(a, Int) and isinstance(c, Int):
                lo, hi = max(a.lo, c.lo), min(a.hi, c.hi)
                if lo <= hi:
                    a_offset, c_offset = a_start - a.lo, c_start - c.lo
                    yield _Piece(lo + a_offset, hi + a_offset, c_offset - a_offset)
            elif a == c:
                yield _Piece(a_start, a_start + a.size - 1, c_start - a_start)


def ordinal_pieces(source: Type, target: Type) -> list[_Piece]:
    """How register values translate, where both types' values are plain whole numbers; else nothing."""
    if not shifts(source, target):
        return []
    return list(_pieces(source, target))


def is_total(source: Type, target: Type) -> bool:
    """Whether the target holds every value of the source."""
    if source == target or isinstance(target, Rational):
        return True
    if not shifts(source, target) and isinstance(source, Enum | Cells | Part):
        return all(convert_value(source, target, value) is not None for value in range(source.size))
    held = sum(last - first + 1 for first, last, _ in ordinal_pieces(source, target))
    return held > 0 and held == source.size  # type: ignore[union-attr]


def _translate(scope: Scope, value: Value, source: Type, target: Type) -> tuple[Value, Operand]:
    """Between types whose values are plain whole numbers."""
    b = scope.b
    ir = scalar_ir(target)
    wide = ir if width(ir) > width(value.type) else value.type
    value = b.resize(value, wide)
    inside, result = FALSE, const(wide, 0)
    low, high = _span(source)
    pieces = _joined(sorted(_pieces(source, target)))
    for number, (first, last, shift) in enumerate(pieces):
        if first <= low and last >= high:
            within = TRUE
        else:
            offset = b.sub(value, const(wide, first))
            within = b.compare("ule", offset, const(wide, last - first))
        moved = b.add(value, const(wide, shift))
        result = moved if number == 0 else b.select(within, moved, result)
        inside = b.or_(inside, within)
    return inside, b.resize(result, ir)


def _joined(pieces: list[_Piece]) -> list[_Piece]:
    """Neighbouring pieces with the same shift as one."""
    result: list[_Piece] = []
    for piece in pieces:
        if result and result[-1].last + 1 == piece.first and result[-1].shift == piece.shift:
            result[-1] = _Piece(result[-1].first, piece.last, piece.shift)
        else:
            result.append(piece)
    return result


def _span(type_: Any) -> tuple[int, int]:
    return (type_.lo, type_.hi) if isinstance(type_, Int) else (0, type_.size - 1)


def _from_union(scope: Scope, operand: Operand, source: Union, target: Type) -> tuple[Value, Operand]:
    b = scope.b
    assert isinstance(operand, Value)
    inside, result = FALSE, nothing(scope, target)
    for member, start in zip(source.members, source.starts, strict=True):
        number = b.sub(operand, const(operand.type, start))
        here = b.compare("ult", number, const(operand.type, member.size))
        fine, value = convert(scope, from_ordinal(scope, member, number), member, target)
        fine = b.and_(here, fine)
        inside = b.or_(inside, fine)
        result = choose(scope, fine, value, result, target)
    return inside, result


def _to_union(scope: Scope, operand: Operand, source: Type, target: Union) -> tuple[Value, Operand]:
    b = scope.b
    ir = scalar_ir(target)
    inside, result = FALSE, const(ir, 0)
    for member, start in zip(target.members, target.starts, strict=True):
        fine, value = convert(scope, operand, source, member)
        if fine.const == 0:
            continue
        number = b.zext(ordinal(scope, member, scope.coerce(value, member)), ir)
        result = b.select(fine, b.add(number, const(ir, start)), result)
        inside = b.or_(inside, fine)
    return inside, result


def _convert_set(scope: Scope, value: Value, source: SetOf, target: SetOf) -> tuple[Value, Operand]:
    """Bits move by the differences of their elements' ordinals; those without a place must be clear."""
    b = scope.b
    moves: dict[int, int] = {}
    for k in range(source.element.size):
        there = convert_value(source.element, target.element, value_at(source.element, k))
        if there is not None:
            shift = ordinal_of(target.element, there) - k
            moves[shift] = moves.get(shift, 0) | 1 << k
    ir = scalar_ir(target)
    wide = ir if width(ir) > width(value.type) else value.type
    value = b.zext(value, wide)
    result, known = const(wide, 0), 0
    for shift, mask in moves.items():
        part = b.and_(value, const(wide, mask))
        result = b.or_(result, b.shl(part, shift) if shift >= 0 else b.lshr(part, -shift))
        known |= mask
    lost = b.and_(value, const(wide, ~known & ((1 << source.element.size) - 1)))
    return b.compare("eq", lost, const(wide, 0)), b.resize(result, ir)


def _convert_list(scope: Scope, number: Value, source: ListOf, target: ListOf) -> Value:
    """Lists of the pool that are of the source type, each as its counterpart of the target type."""
    lists = scope.program.lists
    if lists.represents_alike(source.element, target.element):
        return number
    return load_constant(scope, lists.converted(source, target), number, "i32")
