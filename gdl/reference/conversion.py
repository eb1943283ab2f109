"""The same value in another type's representation: what `Convert`, `Cast`, `Check` and `first` share.

A value belongs to two types when it is the same number, the same named value of the same enum, the same
cell, or made of such parts. The types represent it differently (in `Point | {bar}` point 3 has ordinal 2),
so it is translated. Nearly always that is the addition of a constant, perhaps on part of the type only.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from gdl.model.types import (
    BagOf,
    Cells,
    Enum,
    Int,
    ListOf,
    Part,
    Rational,
    SetOf,
    Text,
    Tuple,
    Type,
    Union,
    Unit,
    from_ordinal,
    member_of,
    ordinal,
    places_of,
    values,
    whole_of,
)

Conversion = Callable[[Any], Any]
"""A value of one type to the same value of another, or None where the other does not hold it."""


def conversion(source: Type, target: Type) -> Conversion:
    """How values of `source` become values of `target`."""
    if source == target:
        return lambda value: value
    if not shifts(source, target):
        if isinstance(source, Enum | Cells | Part):
            return {value: convert(source, target, value) for value in values(source)}.get
        return lambda value: convert(source, target, value)
    pieces = list(_pieces(source, target))
    if len(pieces) == 1:
        first, last, shift = pieces[0]
        return lambda value: value + shift if first <= value <= last else None

    def piecewise(value: int) -> int | None:
        for first, last, shift in pieces:
            if first <= value <= last:
                return value + shift
        return None

    return piecewise


def constant_shift(source: Type, target: Type) -> int | None:
    """What to add to any value of `source` that `target` holds; None where it is not so simple."""
    if source == target:
        return 0
    if isinstance(source, Int | Rational) and isinstance(target, Rational):
        return 0
    if not shifts(source, target):
        return None
    found = {shift for _, _, shift in _pieces(source, target)}
    return found.pop() if len(found) == 1 else None


def shifts(source: Type, target: Type) -> bool:
    """Whether all values of both are plain whole numbers, and translating one is the addition of a constant,
    perhaps on part of the type only. A part of a whole numbers its values anew, so there it is not.
    """
    return (
        _is_ordinal(source)
        and _is_ordinal(target)
        and not any(
            a.type != b.type
            and (places_of(a.type) or places_of(b.type))
            and (whole_of(a.type) == whole_of(b.type) or isinstance(whole_of(a.type), Int))
            for a in _atoms(source)
            for b in _atoms(target)
        )
    )


def convert(source: Type, target: Type, value: Any) -> Any:
    """One value of `source` as a value of `target`, None where `target` does not hold it."""
    if source == target:
        return value
    if isinstance(source, Union):
        member, inner = member_of(source, value)
        return convert(member, target, inner)
    if (places := places_of(source)) is not None:
        whole = whole_of(source)
        return convert(whole, target, from_ordinal(whole, places[value]))
    if (places := places_of(target)) is not None:
        inner = convert(source, whole_of(target), value)
        return None if inner is None else _found(places, ordinal(whole_of(target), inner))
    match source, target:
        case _, Union():
            for member, start in zip(target.members, target.starts, strict=True):
                inner = convert(source, member, value)
                if inner is not None:
                    return start + ordinal(member, inner)
            return None
        case Int() | Rational(), Int():
            return int(value) if value == int(value) and target.lo <= value <= target.hi else None
        case Int() | Rational(), Rational():
            return value
        case Tuple(), Tuple() if len(source.fields) == len(target.fields):
            return _all(convert(s, t, v) for s, t, v in zip(source.fields, target.fields, value, strict=True))
        case ListOf(), ListOf():
            return _all(convert(source.element, target.element, v) for v in value)
        case SetOf(), SetOf():
            return _convert_set(source, target, value)
        case BagOf(), BagOf():
            inside = _all(convert(source.element, target.element, v) for v in source.listed(value))
            return None if inside is None else target.holding(ordinal(target.element, v) for v in inside)
        case Text(), Text():
            return value
        case _:
            return None


def _found(places: tuple[int, ...], place: int) -> int | None:
    number = bisect_left(places, place)
    return number if number < len(places) and places[number] == place else None


def _all(items: Iterator[Any]) -> tuple[Any, ...] | None:
    collected = tuple(items)
    return None if None in collected else collected


def _convert_set(source: SetOf, target: SetOf, members: int) -> int | None:
    result = 0
    for k in bits_of(members):
        element = convert(source.element, target.element, from_ordinal(source.element, k))
        if element is None:
            return None
        result |= 1 << ordinal(target.element, element)
    return result


def bits_of(mask: int) -> list[int]:
    """The positions of the one-bits of a mask, ascending."""
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return found


# ---------------------------------------------------------- types whose values are plain whole numbers


class _Piece(NamedTuple):
    """Values first..last of one type are, with `shift` added, values of the other."""

    first: int
    last: int
    shift: int


class _Atom(NamedTuple):
    """A type that is not a union, and the whole number that represents its first value."""

    type: Any
    start: int


def _is_ordinal(type_: Type) -> bool:
    """Whether the type's values are plain whole numbers, so that translating one is an addition."""
    if isinstance(type_, Union):
        return not any(isinstance(member, Tuple | SetOf | BagOf) for member in type_.members)
    return isinstance(type_, Int | Enum | Unit | Cells | Part)


def _atoms(type_: Any) -> list[_Atom]:
    match type_:
        case Union():
            return [_Atom(m, start) for m, start in zip(type_.members, type_.starts, strict=True)]
        case Int():
            return [_Atom(type_, type_.lo)]
        case _:
            return [_Atom(type_, 0)]


def _pieces(source: Type, target: Type) -> Iterator[_Piece]:
    for a in _atoms(source):
        for b in _atoms(target):
            if isinstance(a.type, Int) and isinstance(b.type, Int):
                lo, hi = max(a.type.lo, b.type.lo), min(a.type.hi, b.type.hi)
                if lo <= hi:
                    a_offset, b_offset = a.start - a.type.lo, b.start - b.type.lo
                    yield _Piece(lo + a_offset, hi + a_offset, b_offset - a_offset)
            elif a.type == b.type:
                yield _Piece(a.start, a.start + a.type.size - 1, b.start - a.start)
