"""Frozen records that are made quickly: there are some two hundred kinds of syntax and Model nodes.

A dataclass with slots whose equality, hash and text are shared instead of compiled for each class, which is
most of the time that a dataclass takes to be made. That no field is assigned to is left to the type checker.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """The class as a frozen record of its annotated fields."""
    if cls.__doc__ is None:
        cls.__doc__ = ""  # else one is made of the signature, at ten times the price
    made: Any = dataclass(slots=True, eq=False, repr=False)(cls)
    names: tuple[str, ...] = made.__match_args__
    if len(names) > 1:
        values: Any = attrgetter(*names)
    else:

        def values(self: Any) -> tuple[Any, ...]:
            return tuple(getattr(self, name) for name in names)

    def equal(self: Any, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is made else NotImplemented

    def hashed(self: Any) -> int:
        return hash(values(self))

    def text(self: Any) -> str:
        shown = (f"{name}={value!r}" for name, value in zip(names, values(self), strict=True))
        return f"{made.__qualname__}({', '.join(shown)})"

    made.__eq__, made.__hash__, made.__repr__ = equal, hashed, text
    return made  # type: ignore[no-any-return]
