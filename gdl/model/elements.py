"""The elements of positions: every entry of every variable, those of tuples by field and of sets by member.

In order: per variable, per field of its type, per entry (row-major), per possible member of a set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

from gdl.game import Axis, Element
from gdl.model.nodes import Model, Variable
from gdl.model.types import (
    Cells,
    Int,
    Player,
    SetOf,
    Tuple,
    Type,
    from_ordinal,
    ordinal,
    show_value,
    values,
)


def elements_of(model: Model) -> list[Element]:
    return [element for variable in model.variables for element in _of_variable(variable)]


def axes_of(variable: Variable) -> tuple[Axis, ...]:
    return tuple(_axis(index) for index in variable.indices)


def ordinals_of(model: Model, state: Sequence[Any]) -> Iterator[int]:
    """The values of all elements, of the values of all variables one after another."""
    at = 0
    for variable in model.variables:
        entries = state[at : at + variable.count]
        at += variable.count
        if not isinstance(variable.type, Tuple):
            columns: Iterable[Sequence[Any]] = (entries,)
        else:
            columns = zip(*(_scalars(variable.type, entry) for entry in entries), strict=True)
        for type_, column in zip(_scalar_types(variable.type), columns, strict=True):
            for entry in column:
                if isinstance(type_, SetOf):
                    yield from (entry >> k & 1 for k in range(type_.element.size))
                else:
                    yield ordinal(type_, entry)


def state_of(model: Model, ordinals: Sequence[int]) -> tuple[Any, ...]:
    """The inverse of `ordinals_of`."""
    rest = iter(ordinals)
    state: list[Any] = []
    for variable in model.variables:
        columns = [
            [_read(type_, rest) for _ in range(variable.count)] for type_ in _scalar_types(variable.type)
        ]
        for row in zip(*columns, strict=True):
            state.append(_nested(variable.type, iter(row)))
    return tuple(state)


def _read(type_: Type, rest: Iterator[int]) -> Any:
    if isinstance(type_, SetOf):
        return sum(next(rest) << k for k in range(type_.element.size))
    return from_ordinal(type_, next(rest))


def _nested(type_: Type, items: Iterator[Any]) -> Any:
    if isinstance(type_, Tuple):
        return tuple(_nested(field, items) for field in type_.fields)
    return next(items)


def _scalar_types(type_: Type) -> list[Any]:
    if isinstance(type_, Tuple):
        return [part for field in type_.fields for part in _scalar_types(field)]
    return [type_]


def _scalars(type_: Type, value: Any) -> list[Any]:
    if isinstance(type_, Tuple):
        return [part for f, v in zip(type_.fields, value, strict=True) for part in _scalars(f, v)]
    return [value]


def _of_variable(variable: Variable) -> Iterator[Element]:
    sizes: list[Any] = list(variable.indices)
    types = _scalar_types(variable.type)
    for part, type_ in enumerate(types):
        for at in product(*(range(index.size) for index in sizes)):
            shown = ", ".join(show_value(i, from_ordinal(i, k)) for i, k in zip(sizes, at, strict=True))
            name = f"{variable.name}[{shown}]" if at else variable.name
            if len(types) > 1:
                name += f".{part}"
            if isinstance(type_, SetOf):
                for member in values(type_.element):
                    yield Element(
                        f"{show_value(type_.element, member)} in {name}", variable.name, part, at, 2, False
                    )
            else:
                ordered = isinstance(type_, Int)
                yield Element(name, variable.name, part, at, int(type_.size), ordered)


def _axis(type_: Any) -> Axis:
    size = int(type_.size)
    match type_:
        case Cells(kind="graph"):
            return Axis("graph", size, chains=type_.chains)
        case Cells():
            return Axis(type_.kind, size, cells=tuple(type_.place(cell) for cell in range(size)))
        case Int():
            return Axis("numbers", size)
        case Player():
            return Axis("players", size)
    return Axis("names", size)
