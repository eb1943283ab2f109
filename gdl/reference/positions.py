"""Positions and observations: flat tuples of values that know their names.

    position["board"]      {"a1": "x", "b1": "empty", ..}
    position["turn"]       "o"
    str(position)          board=[x empty ..] turn=o

Identity is the tuple of values, never its display text.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from gdl.model.nodes import Variable
from gdl.model.types import (
    NONE,
    BagOf,
    Bool,
    Int,
    SetOf,
    Tuple,
    Type,
    Union,
    from_ordinal,
    member_of,
    show_value,
)
from gdl.reference.conversion import bits_of
from gdl.reference.domains import values_of

if TYPE_CHECKING:
    from gdl.reference.engine import ReferenceGame


class Hidden:
    """What a player sees in place of a value that is not shown. There is one; it sorts before all values."""

    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        return other is not self

    def __le__(self, other: object) -> bool:
        return True

    def __gt__(self, other: object) -> bool:
        return False

    def __ge__(self, other: object) -> bool:
        return other is self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hidden)

    def __hash__(self) -> int:
        return hash(Hidden)

    def __repr__(self) -> str:
        return "?"


HIDDEN: Final = Hidden()


class Layout:
    """Where the variables of a game lie in a flat tuple of values."""

    def __init__(self, variables: tuple[Variable, ...]):
        self.variables = {variable.name: variable for variable in variables}
        self.places: dict[str, slice] = {}
        offset = 0
        for variable in variables:
            self.places[variable.name] = slice(offset, offset + variable.count)
            offset += variable.count
        self.size = offset
        self.defaults: tuple[Any, ...] = tuple(value for v in variables for value in v.default)

    @property
    def names(self) -> list[str]:
        """The variables as the game names them: a list is one."""
        return [variable.name for variable in self.variables.values() if variable.counts is None]

    def format(self, values: tuple[Any, ...], names: Container[str] | None = None) -> str:
        """The canonical line: `name=value` for each variable (or for those of some names), maps as bracketed
        lists in row-major order."""
        return " ".join(
            self._format_variable(self.variables[name], values)
            for name in self.names
            if names is None or name in names
        )

    def lists(self, variable: Variable, values: tuple[Any, ...]) -> list[tuple[Any, ...] | Hidden]:
        """The lists of which a variable is the slots, one per combination of the indices before the last."""
        assert variable.length is not None
        slots, counts = values[self.places[variable.name]], values[self.places[variable.length]]
        room = len(slots) // len(counts)
        return [
            HIDDEN if count is HIDDEN else tuple(slots[number * room : number * room + count])
            for number, count in enumerate(counts)
        ]

    def _format_variable(self, variable: Variable, values: tuple[Any, ...]) -> str:
        if variable.length is not None:
            shown = [f"[{format_list(variable.type, found)}]" for found in self.lists(variable, values)]
            return f"{variable.name}=" + (f"[{' '.join(shown)}]" if len(variable.indices) > 1 else shown[0])
        elements = [format_value(variable.type, value) for value in values[self.places[variable.name]]]
        return f"{variable.name}=" + (f"[{' '.join(elements)}]" if variable.indices else elements[0])

    def differences(self, before: tuple[Any, ...], after: tuple[Any, ...]) -> Iterator[tuple[str, str]]:
        """What changed from one position to another: `board[a1]` and its new value."""
        for name, place in self.places.items():
            if before[place] == after[place]:
                continue
            variable = self.variables[name]
            elements = zip(element_indices(variable), before[place], after[place], strict=True)
            for combination, old, new in elements:
                if old != new:
                    indices = zip(variable.indices, combination, strict=True)
                    key = ", ".join(show_value(type_, index) for type_, index in indices)
                    yield f"{name}[{key}]" if key else name, format_value(variable.type, new)

    def plain(self, values: tuple[Any, ...], name: str) -> Any:
        """A variable in plain Python: its value, or a dict from index (a tuple if several) to value."""
        variable = self.variables[name]
        if variable.length is not None:
            lists = [
                found if isinstance(found, Hidden) else tuple(plain_value(variable.type, v) for v in found)
                for found in self.lists(variable, values)
            ]
            outer = variable.indices[:-1]
            return dict(zip(_plain_indices(variable, outer), lists, strict=True)) if outer else lists[0]
        elements = [plain_value(variable.type, value) for value in values[self.places[name]]]
        if not variable.indices:
            return elements[0]
        return dict(zip(_plain_indices(variable, variable.indices), elements, strict=True))


def format_value(type_: Type, value: Any) -> str:
    return "?" if value is HIDDEN else show_value(type_, value)


def format_list(type_: Type, elements: tuple[Any, ...] | Hidden) -> str:
    """`a b c`, the elements of a list in order."""
    if isinstance(elements, Hidden):
        return "?"
    return " ".join(format_value(type_, element) for element in elements)


def is_none(type_: Type, value: Any) -> bool:
    """Whether a value is the `none` of an optional type."""
    return isinstance(type_, Union) and value is not HIDDEN and member_of(type_, value)[0] == NONE


def plain_value(type_: Type, value: Any) -> Any:
    """A value as Python people expect it: numbers and bools, names as text, None, tuples and frozensets;
    a bag is the tuple of its elements in order."""
    if value is HIDDEN or isinstance(type_, Bool | Int):
        return value
    match type_:
        case Union():
            member, inner = member_of(type_, value)
            return None if member == NONE else plain_value(member, inner)
        case Tuple():
            return tuple(plain_value(t, v) for t, v in zip(type_.fields, value, strict=True))
        case SetOf():
            return frozenset(
                plain_value(type_.element, from_ordinal(type_.element, k)) for k in bits_of(value)
            )
        case BagOf():
            return tuple(plain_value(type_.element, element) for element in type_.listed(value))
        case _:
            return show_value(type_, value)


def _plain_indices(variable: Variable, indices: tuple[Type, ...]) -> Iterator[Any]:
    for combination in element_indices(variable, indices):
        named = [plain_value(t, v) for t, v in zip(indices, combination, strict=True)]
        yield named[0] if len(named) == 1 else tuple(named)


def element_indices(variable: Variable, indices: tuple[Type, ...] | None = None) -> Iterator[tuple[Any, ...]]:
    """The index values of each element of a map, in row-major order; or of the first of its indices alone."""
    return product(*(values_of(index) for index in (variable.indices if indices is None else indices)))


class Position:
    """A position of a game: immutable, hashable, ordered, equal when all values are."""

    __slots__ = ("_hash", "game", "mover", "values")

    values: tuple[Any, ...]  # the elements of all variables, flat
    game: ReferenceGame
    mover: int | None  # the answer of `game.to_move`, once somebody has asked

    def __init__(self, values: tuple[Any, ...], game: ReferenceGame):
        self.values = values
        self.game = game
        self.mover = None
        self._hash = hash(values)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Position):
            return self.values == other.values
        return NotImplemented

    def __lt__(self, other: Position) -> bool:
        return self.values < other.values

    def __le__(self, other: Position) -> bool:
        return self.values <= other.values

    def __gt__(self, other: Position) -> bool:
        return self.values > other.values

    def __ge__(self, other: Position) -> bool:
        return self.values >= other.values

    def __getitem__(self, name: str) -> Any:
        """The value of a variable in plain Python; raises KeyError."""
        return self.game.layout.plain(self.values, name)

    def __str__(self) -> str:
        return self.game.layout.format(self.values)

    def __repr__(self) -> str:
        return f"<{self.game.name}: {self}>"

    def show(self) -> str:
        """The position drawn for people."""
        return self.game.show(self)

    def _repr_svg_(self) -> str:
        return self.game.svg(self)


class Observation:
    """What one player sees of a position: its values, HIDDEN in place of those not shown."""

    __slots__ = ("game", "player", "values")

    def __init__(self, values: tuple[Any, ...], player: int, game: ReferenceGame):
        self.values = values
        self.player = player
        self.game = game

    def __hash__(self) -> int:
        return hash((self.player, self.values))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Observation):
            return self.player == other.player and self.values == other.values
        return NotImplemented

    def __lt__(self, other: Observation) -> bool:
        return (self.player, self.values) < (other.player, other.values)

    def unlike(self, other: Observation) -> int:
        """In how many parts two observations of one player differ; of sets and bags every member counts."""
        layout, differing = self.game.layout, 0
        for name, place in layout.places.items():
            by_member = isinstance(layout.variables[name].type, SetOf | BagOf)
            for mine, theirs in zip(self.values[place], other.values[place], strict=True):
                if mine != theirs:
                    both_seen = mine is not HIDDEN and theirs is not HIDDEN
                    differing += (mine ^ theirs).bit_count() if by_member and both_seen else 1
        return differing

    def __getitem__(self, name: str) -> Any:
        """The value of a variable in plain Python, HIDDEN where not seen; raises KeyError."""
        return self.game.layout.plain(self.values, name)

    def __str__(self) -> str:
        return self.game.layout.format(self.values)

    def __repr__(self) -> str:
        return f"<{self.game.name}, seen by {self.game.players[self.player]}: {self}>"
