"""Where the variables of a position lie: the form that code works on, and the canonical packed key.

    working form (bytes)                                   packed key (bits)
    +--------+-----------+-----------+-----+---------+     +-----------+-----------+--
    | planes | 8-byte .. | 4-byte .. | ..  | 1-byte  |     | element 0 | element 1 | ..   of each variable
    +--------+-----------+-----------+-----+---------+     +-----------+-----------+--

The working form holds the ordinal of every element in 1, 2, 4 or a multiple of 8 bytes (sets as their
bits), tuples as one array per field. Beside a map there may be *planes*: for some of the element
values, one bit per element that says where the map has that value. Planes repeat what the elements say,
so that a test over many elements is one mask operation; every assignment keeps them up to date. Unused
bytes are 0, so two working forms are equal bytes exactly when the positions are equal.

The key takes `bits(type)` bits per element in order of declaration, lowest bits first, in 64-bit words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gdl.model.nodes import Model, Variable
from gdl.model.types import Bool, Int, Tuple, Type, bits
from gdl.native.ir.builder import width
from gdl.native.layout.values import scalar_fields, scalar_items, set_ir


@dataclass(frozen=True, slots=True)
class Leaf:
    """An array with one scalar per element of a variable: `unit` bytes each from `offset` on."""

    type: Type
    offset: int
    unit: int
    key_bits: int

    @property
    def low(self) -> int:
        """What is subtracted from a value before it is stored."""
        return self.type.lo if isinstance(self.type, Int) else 0


@dataclass(frozen=True, slots=True)
class Planes:
    """One bit per element for each of `values` (ordinals), a row of bits per outer index.

    The plane of values[i] starts at offset + i * rows * stride; within it each row (the elements that
    differ in the last index only) takes `stride` bytes and is read as the integer type `ir`.
    """

    values: tuple[int, ...]
    offset: int
    row: int  # elements in a row
    rows: int
    ir: str
    dense: bool  # whether every value of the map has a plane, so that planes can be addressed by value

    @property
    def stride(self) -> int:
        return width(self.ir) // 8

    @property
    def size(self) -> int:
        return len(self.values) * self.rows * self.stride


@dataclass(frozen=True, slots=True)
class Place:
    """Where one variable lies."""

    variable: Variable
    count: int
    leaves: tuple[Leaf, ...]
    planes: Planes | None


class Layout:
    """The layout of all positions of a game; `planes` says which values of which maps get planes."""

    def __init__(self, model: Model, planes: Mapping[str, Iterable[int]]):
        self.model = model
        sizes: list[tuple[int, int, str, int]] = []  # unit, order, variable, leaf number
        for order, variable in enumerate(model.variables):
            for number, leaf in enumerate(scalar_fields(variable.type)):
                sizes.append((-storage_unit(leaf), order, variable.name, number))
        offset = 0
        plane_of: dict[str, Planes] = {}
        for variable in model.variables:
            values = tuple(sorted(planes.get(variable.name, ())))
            if values:
                row = index_size(variable.indices[-1])
                dense = len(values) == variable.type.size  # type: ignore[union-attr]
                made = Planes(values, offset, row, variable.count // row, set_ir(row), dense)
                plane_of[variable.name] = made
                offset = (offset + made.size + 7) // 8 * 8
        by_name = {variable.name: variable for variable in model.variables}
        offsets: dict[tuple[str, int], int] = {}
        for unit, _, name, number in sorted(sizes):
            step = min(-unit, 8)
            offset = (offset + step - 1) // step * step
            offsets[name, number] = offset
            offset += -unit * by_name[name].count
        self.size = max(8, (offset + 7) // 8 * 8)
        self.places: dict[str, Place] = {}
        for variable in model.variables:
            leaves = tuple(
                Leaf(leaf, offsets[variable.name, number], storage_unit(leaf), bits(leaf))
                for number, leaf in enumerate(scalar_fields(variable.type))
            )
            self.places[variable.name] = Place(variable, variable.count, leaves, plane_of.get(variable.name))
        self.key_bits = sum(p.count * leaf.key_bits for p in self.places.values() for leaf in p.leaves)
        self.key_words = max(1, (self.key_bits + 63) // 64)

    def encode(self, values: Sequence[Any]) -> bytes:
        """The working form of a position, given the elements of all variables one after another."""
        form = bytearray(self.size)
        at = 0
        for place in self.places.values():
            elements = values[at : at + place.count]
            at += place.count
            if not isinstance(place.variable.type, Tuple):
                _encode_leaf(form, place.leaves[0], elements)
            else:
                rows = [scalar_items(place.variable.type, value) for value in elements]
                for leaf, column in zip(place.leaves, zip(*rows, strict=True), strict=True):
                    _encode_leaf(form, leaf, column)
            if place.planes:
                _encode_planes(form, place.planes, place.leaves[0], elements)
        return bytes(form)

    def decode(self, form: bytes) -> tuple[Any, ...]:
        """The elements of all variables one after another; the inverse of `encode`."""
        return tuple([value for place in self.places.values() for value in _decode_place(place, form)])


def _encode_leaf(form: bytearray, leaf: Leaf, values: Sequence[Any]) -> None:
    low, unit = leaf.low, leaf.unit
    numbers = [value - low for value in values] if low else values
    end = leaf.offset + unit * len(values)
    if unit == 1:
        form[leaf.offset : end] = bytes(numbers)
    else:
        form[leaf.offset : end] = b"".join([int(n).to_bytes(unit, "little") for n in numbers])


def _encode_planes(form: bytearray, planes: Planes, leaf: Leaf, values: Sequence[Any]) -> None:
    """Each plane row as a number written in binary, the last element's digit first."""
    numbers = [int(value) - leaf.low for value in values]
    at = planes.offset
    for value in planes.values:
        for row in range(planes.rows):
            digits = ["1" if n == value else "0" for n in numbers[row * planes.row : (row + 1) * planes.row]]
            bits = int("".join(reversed(digits)), 2)
            form[at : at + planes.stride] = bits.to_bytes(planes.stride, "little")
            at += planes.stride


def storage_unit(leaf: Type) -> int:
    """The bytes of one stored element."""
    needed = bits(leaf)
    for unit in (1, 2, 4, 8):
        if needed <= 8 * unit:
            return unit
    return (needed + 63) // 64 * 8


def index_size(type_: Type) -> int:
    return int(type_.size)  # type: ignore[union-attr]


def _decode_place(place: Place, form: bytes) -> tuple[Any, ...]:
    columns: list[Sequence[Any]] = []
    for leaf in place.leaves:
        end = leaf.offset + leaf.unit * place.count
        if leaf.unit == 1:
            column: Sequence[Any] = form[leaf.offset : end]
        else:
            column = [
                int.from_bytes(form[at : at + leaf.unit], "little")
                for at in range(leaf.offset, end, leaf.unit)
            ]
        if isinstance(leaf.type, Bool):
            column = [bool(n) for n in column]
        elif leaf.low:
            column = [n + leaf.low for n in column]
        columns.append(column)
    if not isinstance(place.variable.type, Tuple):
        return tuple(columns[0])
    return tuple(_nest(place.variable.type, iter(row)) for row in zip(*columns, strict=True))


def _nest(type_: Any, items: Any) -> Any:
    if isinstance(type_, Tuple):
        return tuple(_nest(field, items) for field in type_.fields)
    return next(items)
