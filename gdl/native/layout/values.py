"""How the values of the language's types are held in registers.

type                          registers
Bool                          i1
Int                           i32, i64 or a wider multiple of 64, as the interval needs: the number
Enum, Player, Cells, Union..  likewise, of the ordinals
SetOf                         i32, i64, or a wider multiple of 64: bit k is the element of ordinal k
BagOf                         likewise, `width` bits for each element
ListOf                        i32: the number of a list in the pool of its kind (see lists.py)
MapOf                         ptr: the address of its entries (see maps.py)
Rational                      two i64, numerator and positive denominator (see numbers.py)
Tuple                         its fields, one after another
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gdl.model.types import BagOf, Bool, Int, ListOf, MapOf, Rational, SetOf, Tuple, Type, bits
from gdl.native.ir.builder import Value

UNBOUNDED = (1 << 63) - 1
"""The largest numerator or denominator of a rational number in registers."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """num / den with den > 0, both i64; |num| <= top and den <= bottom are known when compiling."""

    num: Value
    den: Value
    top: int = UNBOUNDED
    bottom: int = UNBOUNDED


Operand = Value | Ratio | tuple[Any, ...]
"""A value in registers; a tuple holds one Operand per field."""


def int_ir(lo: int, hi: int) -> str:
    """The narrowest of the register types that holds lo..hi with a sign."""
    bits = max(lo.bit_length() if lo >= 0 else (-lo - 1).bit_length(), hi.bit_length()) + 1
    return "i32" if bits <= 32 else f"i{(bits + 63) // 64 * 64}"


def set_ir(elements: int) -> str:
    return "i32" if elements <= 32 else f"i{(elements + 63) // 64 * 64}"


def scalar_ir(type_: Type) -> str:
    """The register type of a value that takes one register."""
    match type_:
        case Bool():
            return "i1"
        case Int():
            return int_ir(type_.lo, type_.hi)
        case SetOf():
            return set_ir(type_.element.size)
        case BagOf():
            return set_ir(bits(type_))
        case ListOf():
            return "i32"
        case MapOf():
            return "ptr"
        case _:
            assert not isinstance(type_, Rational | Tuple), type_
            return int_ir(0, max(0, type_.size - 1))  # type: ignore[union-attr]


def registers(type_: Type) -> list[str]:
    """The register types of any value."""
    match type_:
        case Rational():
            return ["i64", "i64"]
        case Tuple():
            return [ir for field in type_.fields for ir in registers(field)]
        case _:
            return [scalar_ir(type_)]


def flatten(operand: Operand) -> list[Value]:
    if isinstance(operand, Value):
        return [operand]
    if isinstance(operand, Ratio):
        return [operand.num, operand.den]
    return [value for item in operand for value in flatten(item)]


def unflatten(type_: Type, values: Iterator[Value]) -> Operand:
    match type_:
        case Rational():
            return Ratio(next(values), next(values))
        case Tuple():
            return tuple(unflatten(field, values) for field in type_.fields)
        case _:
            return next(values)


def scalar_fields(type_: Type) -> list[Type]:
    """The types of the single values that make up a stored value."""
    if isinstance(type_, Tuple):
        return [leaf for field in type_.fields for leaf in scalar_fields(field)]
    return [type_]


def scalar_items(type_: Type, value: Any) -> list[Any]:
    """The single values that make up a value of the Model, as `scalar_fields` lists their types."""
    if isinstance(type_, Tuple):
        return [leaf for f, v in zip(type_.fields, value, strict=True) for leaf in scalar_items(f, v)]
    return [value]
