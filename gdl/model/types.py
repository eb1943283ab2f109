"""The finite types of the language, and how a value of each is represented.

Every type is finite and its values have an *ordinal* 0 .. size-1, in the order in which the type lists
them. Both engines, the constants in the Model and the packed keys use these representations:

    type                              value in the Model and the engines
    Bool                              False, True
    Int(lo, hi)                       the integer itself (ordinal = value - lo)
    Rational                          an int or Fraction (never stored in a position)
    Enum, Player, Cells, Unit         the ordinal (an int)
    Union, T?                         the ordinal (an int): the members' ordinals, one member after another
    Part                              the ordinal (an int), counted among the values that belong to it
    Tuple                             a tuple of the fields' values
    SetOf                             an int: bit k is set when the element of ordinal k is in the set
    BagOf                             an int: `width` bits for each element, the lowest for that of ordinal 0,
                                      say how often it is in the bag
    ListOf                            a tuple of values; only constants and rows of tables are such lists
    Text                              a str; only in `show`

In `T?` the value `none` comes last, so a T that is not an Int starting elsewhere than 0 keeps its ordinal.

A subset type is a part of a *whole*: of a board it is a board with holes (Cells), of named values an Enum,
of anything else a Part. Its values are numbered anew; `places` are their ordinals in the whole, ascending.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any


@dataclass(frozen=True)
class Bool:
    size = 2

    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True)
class Int:
    """Whole numbers lo..hi: a declared range, or the interval inferred for an expression."""

    lo: int
    hi: int

    @property
    def size(self) -> int:
        return max(0, self.hi - self.lo + 1)

    def __str__(self) -> str:
        return f"{self.lo}..{self.hi}"


@dataclass(frozen=True)
class Rational:
    """Exact fractions between lo and hi; the type of `/`, probabilities, utilities."""

    lo: Fraction
    hi: Fraction

    def __str__(self) -> str:
        return f"a number from {self.lo} to {self.hi}"


@dataclass(frozen=True)
class Member:
    name: str
    glyph: str | None = None


@dataclass(frozen=True)
class Enum:
    """Named values. Nominal: two declarations are two types even with the same names."""

    name: str
    members: tuple[Member, ...]
    whole: Enum | None = field(default=None, repr=False)
    places: tuple[int, ...] = field(default=(), repr=False)

    @property
    def size(self) -> int:
        return len(self.members)

    @cached_property
    def ordinals(self) -> dict[str, int]:
        return {member.name: i for i, member in enumerate(self.members)}

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Player(Enum):
    """The players of the game, in order; the type `player`."""


@dataclass(frozen=True)
class Unit:
    """The type of exactly one value: `none`, or `chance` as the player to move."""

    name: str
    size = 1

    def __str__(self) -> str:
        return self.name


NONE = Unit("none")
CHANCE = Unit("chance")


@dataclass(frozen=True)
class Cells:
    """The places of a board.

    `grid` and `hex` boards have rows x cols cells, ordinal = row * cols + col, named a1, b1, .. by
    column letter and row number (row 0 is row 1). A `graph` names its cells and lists its lines.

    `offsets` are the steps (row, col) to a side neighbour and `diagonals` the steps to the further ones;
    for a graph both are empty and `adjacent` is given. `chains` are the declared lines of a graph.

    A part of a board keeps the names, rows and columns of the whole, and has holes where it has no cells.
    """

    name: str
    kind: str  # "grid", "hex" or "graph"
    names: tuple[str, ...]
    rows: int = 0
    cols: int = 0
    offsets: tuple[tuple[int, int], ...] = ()
    diagonals: tuple[tuple[int, int], ...] = ()
    adjacent: tuple[tuple[int, ...], ...] = field(default=(), repr=False)  # side neighbours, by ordinal
    chains: tuple[tuple[int, ...], ...] = field(default=(), repr=False)
    whole: Cells | None = field(default=None, repr=False)
    places: tuple[int, ...] = field(default=(), repr=False)

    @property
    def size(self) -> int:
        return len(self.names)

    @cached_property
    def ordinals(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def at(self, row: int, col: int) -> int | None:
        """The ordinal of a cell of a grid or hex board, None off the board."""
        if 0 <= row < self.rows and 0 <= col < self.cols:
            number = row * self.cols + col
            return number if self.whole is None else self._numbers.get(number)
        return None

    def place(self, cell: int) -> tuple[int, int]:
        """The row and column of a cell of a grid or hex board."""
        return divmod(self.places[cell] if self.whole is not None else cell, self.cols)

    @cached_property
    def _numbers(self) -> dict[int, int]:
        """The cells of a part, by their ordinals in the whole."""
        return {place: number for number, place in enumerate(self.places)}

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Part:
    """Some values of a type that is neither a board nor named values: cards of one suit, even numbers."""

    name: str
    whole: Any  # Type, no part itself
    places: tuple[int, ...] = field(repr=False)

    @property
    def size(self) -> int:
        return len(self.places)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Union:
    """Values of any of several types, no value in two of them. `T?` is the union of T and none."""

    members: tuple[Any, ...]  # of Type, flattened: no member is a Union

    @cached_property
    def size(self) -> int:
        return sum(member.size for member in self.members)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The ordinal at which each member's values begin."""
        starts, total = [], 0
        for member in self.members:
            starts.append(total)
            total += member.size
        return tuple(starts)

    def __str__(self) -> str:
        if len(self.members) == 2 and self.members[1] == NONE:
            return f"{self.members[0]}?"
        return " | ".join(str(member) for member in self.members)


@dataclass(frozen=True)
class Tuple:
    """A tuple, or a record when its fields have names."""

    fields: tuple[Any, ...]  # of Type
    names: tuple[str, ...] | None = None

    @cached_property
    def size(self) -> int:
        return prod(f.size for f in self.fields)

    def __str__(self) -> str:
        if self.names:
            return "(" + ", ".join(f"{n}: {t}" for n, t in zip(self.names, self.fields, strict=True)) + ")"
        return "(" + ", ".join(str(f) for f in self.fields) + ")"


@dataclass(frozen=True)
class SetOf:
    element: Any  # Type

    @cached_property
    def size(self) -> int:
        return 1 << int(self.element.size)

    def __str__(self) -> str:
        return f"set of {self.element}"


@dataclass(frozen=True)
class BagOf:
    """Bags (multisets) of at most `longest` values: how often each is in it, in no order.

    Its ordinals are numbered as if every count were free, so that counting up they are not all bags: nothing
    goes through all values of such a type.
    """

    element: Any  # Type
    longest: int

    @property
    def width(self) -> int:
        """How many bits a count takes."""
        return self.longest.bit_length()

    @cached_property
    def size(self) -> int:
        return 1 << int(self.element.size) * self.width

    def counts(self, value: int) -> list[int]:
        """How often each element is in a bag, by ordinal."""
        ones = (1 << self.width) - 1
        return [value >> k * self.width & ones for k in range(self.element.size)]

    def holding(self, numbers: Iterable[int]) -> int | None:
        """The bag of the elements that have these ordinals, None where they are too many."""
        listed = list(numbers)
        return sum(1 << k * self.width for k in listed) if len(listed) <= self.longest else None

    def listed(self, value: int) -> Iterator[Any]:
        """The elements by ordinal, each as often as it is in a bag."""
        for number, count in enumerate(self.counts(value)):
            yield from [from_ordinal(self.element, number)] * count

    def __str__(self) -> str:
        return f"bag({self.longest}) of {self.element}"


@dataclass(frozen=True)
class ListOf:
    """A sequence known when the game is compiled, or one row of a table of such sequences."""

    element: Any  # Type
    longest: int

    def __str__(self) -> str:
        return f"list of {self.element}"


@dataclass(frozen=True)
class MapOf:
    """A map that a `let` makes; no value of its own: only its entries are read and set.

    In the reference engine a tuple in row-major order of the indices' ordinals.
    """

    indices: tuple[Any, ...]  # of Type
    element: Any  # Type

    @property
    def count(self) -> int:
        """How many entries."""
        return prod(index.size for index in self.indices)

    def __str__(self) -> str:
        return f"a map of {self.element}"


@dataclass(frozen=True)
class BoundedList:
    """A list of at most `longest` elements that a variable or a let holds; no value of its own.

    In the Model it is two variables: its slots, of which those that are not filled are `blank` (so that equal
    lists are equal positions), and how many of them are filled.
    """

    element: Any  # Type
    longest: int

    def __str__(self) -> str:
        return f"list({self.longest}) of {self.element}"


@dataclass(frozen=True)
class Text:
    def __str__(self) -> str:
        return "text"


BOOL = Bool()
TEXT = Text()

Type = (
    Bool
    | Int
    | Rational
    | Enum
    | Unit
    | Cells
    | Part
    | Union
    | Tuple
    | SetOf
    | BagOf
    | ListOf
    | MapOf
    | BoundedList
    | Text
)


def whole_of(type_: Type) -> Type:
    """The type of which this one is a part; one that is no part is its own whole."""
    return getattr(type_, "whole", None) or type_


def places_of(type_: Type) -> tuple[int, ...] | None:
    """The ordinals in the whole of the values of a part, None for what is no part."""
    return type_.places if isinstance(type_, Enum | Cells | Part) and type_.whole is not None else None


def ordinal(type_: Type, value: Any) -> int:
    """The ordinal of a value in a finite type."""
    match type_:
        case Int():
            return int(value) - type_.lo
        case Tuple():
            result = 0
            for field_type, item in zip(type_.fields, value, strict=True):
                result = result * field_type.size + ordinal(field_type, item)
            return result
        case _:
            return int(value)


def from_ordinal(type_: Type, number: int) -> Any:
    """The value of a finite type at an ordinal; the inverse of `ordinal`."""
    match type_:
        case Bool():
            return bool(number)
        case Int():
            return number + type_.lo
        case Tuple():
            items = []
            for field_type in reversed(type_.fields):
                number, rest = divmod(number, field_type.size)
                items.append(from_ordinal(field_type, rest))
            return tuple(reversed(items))
        case _:
            return number


def blank(type_: Type) -> Any:
    """The value before any is given: none, false, the empty set; else the first of the type."""
    if isinstance(type_, Union) and NONE in type_.members:
        return type_.starts[type_.members.index(NONE)]
    if isinstance(type_, Tuple):
        return tuple(blank(f) for f in type_.fields)
    return from_ordinal(type_, 0)


def has_bag(type_: Type) -> bool:
    """Whether a value of the type is a bag or holds one: then nothing goes through all its values."""
    match type_:
        case Tuple():
            return any(map(has_bag, type_.fields))
        case Union():
            return any(map(has_bag, type_.members))
        case SetOf():
            return has_bag(type_.element)
        case _:
            return isinstance(type_, BagOf)


def values(type_: Type) -> Iterator[Any]:
    """All values of a finite type, by ordinal."""
    assert not isinstance(type_, Rational | BagOf | ListOf | MapOf | BoundedList | Text)
    return (from_ordinal(type_, i) for i in range(type_.size))


def member_of(union: Union, number: int) -> tuple[Any, Any]:
    """The member type of a union that holds an ordinal, and the value in that member."""
    for member, start in zip(union.members, union.starts, strict=True):
        if start <= number < start + member.size:
            return member, from_ordinal(member, number - start)
    raise ValueError(f"{number} is not an ordinal of {union}")


def bits(type_: Type) -> int:
    """How many bits a packed value takes."""
    if isinstance(type_, SetOf):
        return int(type_.element.size)
    if isinstance(type_, BagOf):
        return int(type_.element.size) * type_.width
    if isinstance(type_, Tuple):
        return sum(bits(f) for f in type_.fields)
    assert not isinstance(type_, Rational | ListOf | MapOf | BoundedList | Text)
    return int(type_.size - 1).bit_length()


def show_value(type_: Type, value: Any, glyphs: bool = False) -> str:
    """A value in the words of the game; with `glyphs`, as it is drawn on a board."""
    match type_:
        case Bool():
            return "true" if value else "false"
        case Enum():
            member: Member = type_.members[value]
            return member.glyph if glyphs and member.glyph is not None else member.name
        case Unit():
            return type_.name
        case Cells():
            return str(type_.names[value])
        case Part():
            return show_value(type_.whole, from_ordinal(type_.whole, type_.places[value]), glyphs)
        case Union():
            member_type, inner = member_of(type_, value)
            return show_value(member_type, inner, glyphs)
        case Tuple():
            return "(" + ", ".join(show_value(t, v) for t, v in zip(type_.fields, value, strict=True)) + ")"
        case SetOf():
            inside = [v for k, v in enumerate(values(type_.element)) if value >> k & 1]
            return "{" + ", ".join(show_value(type_.element, v) for v in inside) + "}"
        case BagOf():
            return "{" + ", ".join(show_value(type_.element, v) for v in type_.listed(value)) + "}"
        case ListOf():
            return "[" + ", ".join(show_value(type_.element, v) for v in value) + "]"
        case _:
            return str(value)
