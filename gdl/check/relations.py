"""How types relate: which contains which, what two have in common, how an interval moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import groupby
from typing import Any

from gdl.model.types import (
    BOOL,
    NONE,
    BagOf,
    Bool,
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
    Unit,
    places_of,
    values,
    whole_of,
)
from gdl.reference.conversion import convert

Numeric = Int | Rational


def optional(type_: Type) -> Type:
    return type_ if has_none(type_) else union_of([type_, NONE])


def has_none(type_: Type) -> bool:
    return type_ == NONE or (isinstance(type_, Union) and NONE in type_.members)


def without_none(type_: Type) -> Type:
    """T for T?; other types unchanged."""
    if isinstance(type_, Union) and NONE in type_.members:
        return union_of([m for m in type_.members if m != NONE])
    return type_


def union_of(types: Iterable[Type]) -> Type:
    """The union, flattened and without repeats; a single type stays itself."""
    members: list[Any] = []
    for type_ in types:
        for member in members_of(type_):
            if member not in members:
                members.append(member)
    return members[0] if len(members) == 1 else Union(tuple(members))


def members_of(type_: Type) -> tuple[Any, ...]:
    return type_.members if isinstance(type_, Union) else (type_,)


def is_numeric(type_: Type) -> bool:
    return isinstance(type_, Int | Rational)


def contains(outer: Type, inner: Type) -> bool:
    """Whether every value of `inner` is a value of `outer`."""
    if outer == inner:
        return True
    match outer, inner:
        case Int(), Int():
            return inner.size == 0 or (outer.lo <= inner.lo and inner.hi <= outer.hi)
        case Rational(), Int() | Rational():
            return outer.lo <= inner.lo and inner.hi <= outer.hi
        case Union(), _:
            return all(any(contains(o, i) for o in outer.members) for i in members_of(inner))
        case _ if places_of(outer) is not None or places_of(inner) is not None:
            return _contains_part(outer, inner)
        case Tuple(), Tuple():
            return len(outer.fields) == len(inner.fields) and all(
                contains(o, i) for o, i in zip(outer.fields, inner.fields, strict=True)
            )
        case SetOf(), SetOf():
            return contains(outer.element, inner.element)
        case BagOf(), BagOf():
            return outer.longest >= inner.longest and contains(outer.element, inner.element)
        case ListOf(), ListOf():
            return contains(outer.element, inner.element)
    return False


def _contains_part(outer: Type, inner: Type) -> bool:
    """`contains` where one of the types is a part of a whole."""
    places = places_of(outer)
    if places is None:
        return contains(outer, whole_of(inner)) or (
            isinstance(inner, Part)
            and all(convert(inner, outer, value) is not None for value in values(inner))
        )
    if whole_of(outer) == whole_of(inner):
        return set(places) >= set(places_of(inner) or range(whole_of(inner).size))  # type: ignore[union-attr]
    if isinstance(inner, Int) and isinstance(whole_of(outer), Int) and inner.size <= len(places):
        return all(convert(inner, outer, value) is not None for value in values(inner))
    return False


def kin(a: Type, b: Type) -> bool:
    """Whether both are one type, or parts of one."""
    return whole_of(a) == whole_of(b)


def overlap(a: Type, b: Type) -> bool:
    """Whether the types have a value in common."""
    one, other = places_of(a), places_of(b)
    if one is not None and other is not None and kin(a, b):
        return not set(one).isdisjoint(other)
    if one is not None or other is not None:
        return overlap(whole_of(a), whole_of(b))
    match a, b:
        case ((Int() | Rational()), (Int() | Rational())):
            return max(a.lo, b.lo) <= min(a.hi, b.hi)
        case Union(), _:
            return any(overlap(m, b) for m in a.members)
        case _, Union():
            return any(overlap(a, m) for m in b.members)
        case Tuple(), Tuple():
            return len(a.fields) == len(b.fields) and all(
                overlap(x, y) for x, y in zip(a.fields, b.fields, strict=True)
            )
        case SetOf(), SetOf():
            return overlap(a.element, b.element)
        case BagOf(), BagOf():
            return overlap(a.element, b.element)
    return a == b


def comparable(a: Type, b: Type) -> bool:
    """Whether values of the types may be compared: numbers always, since ranges depend on parameters."""
    a, b = whole_of(a), whole_of(b)
    match a, b:
        case ((Int() | Rational()), (Int() | Rational())):
            return True
        case Union(), _:
            return any(comparable(m, b) for m in a.members)
        case _, Union():
            return any(comparable(a, m) for m in b.members)
        case Tuple(), Tuple():
            return len(a.fields) == len(b.fields) and all(
                comparable(x, y) for x, y in zip(a.fields, b.fields, strict=True)
            )
        case SetOf(), SetOf():
            return comparable(a.element, b.element)
        case BagOf(), BagOf():
            return comparable(a.element, b.element)
    return a == b


def join(a: Type, b: Type) -> Type | None:
    """The smallest type that holds both, None where they have nothing to do with each other."""
    if contains(a, b):
        return a
    if contains(b, a):
        return b
    if kin(a, b) or (isinstance(whole_of(a), Int) and isinstance(whole_of(b), Int)):
        a, b = whole_of(a), whole_of(b)
    match a, b:
        case Int(), Int():
            return Int(min(a.lo, b.lo), max(a.hi, b.hi))
        case ((Int() | Rational()), (Int() | Rational())):
            return Rational(Fraction(min(a.lo, b.lo)), Fraction(max(a.hi, b.hi)))
        case Tuple(), Tuple() if len(a.fields) == len(b.fields):
            fields = [join(x, y) for x, y in zip(a.fields, b.fields, strict=True)]
            if any(f is None for f in fields):
                return None
            return Tuple(tuple(fields), a.names if a.names == b.names else None)
        case SetOf(), SetOf():
            element = join(a.element, b.element)
            return None if element is None else SetOf(element)
        case BagOf(), BagOf():
            element = join(a.element, b.element)
            return None if element is None else BagOf(element, max(a.longest, b.longest))
        case ListOf(), ListOf():
            element = join(a.element, b.element)
            return None if element is None else ListOf(element, max(a.longest, b.longest))
    if (
        isinstance(a, Union)
        or isinstance(b, Union)
        or {type(a), type(b)} <= {Enum, Unit, Cells, Part, Int}
        or _mixes(a, b)
    ):
        return _join_unions(a, b)
    return None


def _mixes(a: Type, b: Type) -> bool:
    """A value or none, a player or an enum: scalars of different types make a union."""
    scalars = (Enum, Unit, Cells, Part, Int, Tuple)
    return isinstance(a, scalars) and isinstance(b, scalars)


def _join_unions(a: Type, b: Type) -> Type | None:
    members: list[Any] = []
    for member in (*members_of(a), *members_of(b)):
        for i, other in enumerate(members):
            if isinstance(member, Int) and isinstance(other, Int):
                members[i] = join(member, other)
                break
            if isinstance(member, Tuple) and isinstance(other, Tuple):
                merged = join(member, other)
                if merged is None:
                    return None
                members[i] = merged
                break
            if kin(member, other):
                members[i] = join(member, other)
                break
        else:
            if not isinstance(member, Int | Enum | Unit | Cells | Part | Tuple):
                return None
            members.append(member)
    # `none` comes last, whatever the order of the text.
    members.sort(key=lambda m: m == NONE)
    return members[0] if len(members) == 1 else Union(tuple(members))


def convert_value(value: Any, source: Type, target: Type) -> Any:
    """The same value in another type's representation; ValueError where the target lacks it."""
    if isinstance(source, Tuple) and isinstance(target, Cells) and target.rows and len(value) == 2:
        found: Any = target.at(*value)  # a pair of numbers for a cell: `c == (0, 1)`
    else:
        found = convert(source, target, value)
    if found is None:
        raise ValueError(value)
    return found


def ranges_in(type_: Type, target: Type) -> tuple[tuple[int, int], ...] | None:
    """The ranges of ordinals that make up `target` in a union, or in a whole; None where nothing is meant."""
    wanted = members_of(target)
    found: list[tuple[int, int]] = []
    starts = type_.starts if isinstance(type_, Union) else (0,)
    for member, start in zip(members_of(type_), starts, strict=True):
        for want in wanted:
            if contains(want, member):
                found.append((start, start + member.size))
            elif contains(member, want) and isinstance(member, Int):
                lo = start + want.lo - member.lo
                found.append((lo, lo + want.size))
            elif kin(member, want) and overlap(member, want):
                found.extend(_stretches(start, member, want))
    return tuple(found) or None


def _stretches(start: int, member: Type, want: Type) -> Iterator[tuple[int, int]]:
    """Where the values of `want` lie among those of `member`, which begins at an ordinal of a union."""
    found = [start + k for k, value in enumerate(values(member)) if convert(member, want, value) is not None]
    for _, run in groupby(enumerate(found), key=lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in run]
        yield numbers[0], numbers[-1] + 1


def minus(union: Type, removed: Type) -> Type:
    """The members of a union that are not (wholly) in `removed`."""
    left = [m for m in members_of(union) if not contains(removed, m)]
    return union_of(left) if left else union


def meet(union: Type, kept: Type) -> Type:
    """The members of a union that have values in `kept`."""
    left = [k if contains(m, k) else m for m in members_of(union) for k in members_of(kept) if overlap(m, k)]
    return union_of(left) if left else union


# ------------------------------------------------------------------ intervals


def number_type(lo: Any, hi: Any, exact: bool) -> Numeric:
    return Int(int(lo), int(hi)) if exact else Rational(Fraction(lo), Fraction(hi))


def arithmetic(op: str, a: Numeric, b: Numeric) -> Numeric:
    """The interval of `a op b`. Divisors are taken to be non-zero."""
    whole = isinstance(a, Int) and isinstance(b, Int)
    match op:
        case "+":
            return number_type(a.lo + b.lo, a.hi + b.hi, whole)
        case "-":
            return number_type(a.lo - b.hi, a.hi - b.lo, whole)
        case "*":
            products = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
            return number_type(min(products), max(products), whole)
        case "min":
            return number_type(min(a.lo, b.lo), min(a.hi, b.hi), whole)
        case "max":
            return number_type(max(a.lo, b.lo), max(a.hi, b.hi), whole)
        case "/":
            quotients = [Fraction(x) / d for x in (a.lo, a.hi) for d in _divisors(b)]
            return number_type(min(quotients), max(quotients), False)
        case "div":
            floors = [x // d for x in (a.lo, a.hi) for d in _divisors(b)]
            return number_type(min(floors), max(floors), True)
        case "mod":
            return _mod(a, b)
        case "**":
            # The powers of a negative number alternate: the exponents next to the ends count too.
            exponents = {y for y in (b.lo, b.lo + 1, b.hi - 1, b.hi) if b.lo <= y <= b.hi}
            powers = [Fraction(x) ** int(y) for x in (a.lo, a.hi) for y in exponents]
            if a.lo < 0 < a.hi:
                powers.append(Fraction(0))
            return number_type(min(powers), max(powers), whole)
    raise ValueError(op)


def _divisors(b: Numeric) -> list[Any]:
    """The divisors at which a quotient is extreme: the ends, and those next to zero for whole numbers."""
    ends = [d for d in (b.lo, b.hi) if d != 0]
    if isinstance(b, Int):
        ends += [d for d in (-1, 1) if b.lo <= d <= b.hi]
    elif b.lo <= 0 <= b.hi:
        # A fraction may come arbitrarily close to zero; its inverse is bounded only by what we can store.
        ends += [Fraction(-1, 10**9), Fraction(1, 10**9)]
    return ends or [1]


def _mod(a: Numeric, b: Numeric) -> Int:
    lo = min(0, b.lo + 1)
    hi = max(0, b.hi - 1)
    if b.lo == b.hi and b.lo > 0 and a.lo // b.lo == a.hi // b.lo:
        return Int(int(a.lo % b.lo), int(a.hi % b.lo))
    if b.lo > 0 and a.lo >= 0:
        hi = min(hi, int(a.hi))
    return Int(int(lo), int(hi))


def compare(op: str, a: Numeric, b: Numeric) -> bool | None:
    """What `a op b` always is, None where it depends."""
    match op:
        case "<":
            return True if a.hi < b.lo else False if a.lo >= b.hi else None
        case "<=":
            return True if a.hi <= b.lo else False if a.lo > b.hi else None
        case ">":
            return compare("<", b, a)
        case ">=":
            return compare("<=", b, a)
        case "==":
            if a.lo == a.hi == b.lo == b.hi:
                return True
            return False if a.hi < b.lo or b.hi < a.lo else None
        case "!=":
            equal = compare("==", a, b)
            return None if equal is None else not equal
    raise ValueError(op)


def type_of(value: Any) -> Type:
    """The type of a number or truth value."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return Int(value, value)
    if isinstance(value, Fraction):
        return Int(int(value), int(value)) if value.denominator == 1 else Rational(value, value)
    raise TypeError(value)


def simplest(value: Any) -> Any:
    """A number as an int where it is whole, as constants of an interval of whole numbers must be."""
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value


def is_scalar(type_: Type) -> bool:
    return isinstance(type_, Bool | Int | Enum | Unit | Cells | Part | Union)
