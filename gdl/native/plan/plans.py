"""Tests of many elements at once: which boolean expressions of a bound name can be computed as a mask.

For `any(board[c] == p for c in Cell if c.row == k)` the planner finds, looking at the Model alone,

    board[c] == p     the plane of p of `board`: a read of memory
    c.row == k        known for each k now: a table of masks

and so on through `and`, `or`, `not`, conditions and calls. A plan says where each bit comes from; masks.py
writes the code. Bits are numbered by the ordinal of the bound name's value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gdl.model.nodes import Expr
from gdl.model.types import Bool, Cells, Enum, Int, Part, Type, Union, Unit


@dataclass(frozen=True, slots=True)
class Uniform:
    """All bits alike: an expression that does not depend on the name."""

    test: Expr


@dataclass(frozen=True, slots=True)
class Plane:
    """Bits of elements of a map that have certain values.

    The element of a bit b is the one `shift` places further in the row, where `mask` has bit b; `moves` holds
    (shift, mask) pairs. The value is one of `values`, or equals `value`, whose ordinal is low..high.
    """

    variable: str
    outer: tuple[Expr, ...]
    moves: tuple[tuple[int, int], ...]
    values: tuple[int, ...]
    value: Expr | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Bits known now for each combination of the keys' values, in mixed-radix order."""

    masks: tuple[int, ...]
    keys: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Members:
    """The bits of a set, moved down by `shift`."""

    members: Expr
    shift: int


@dataclass(frozen=True, slots=True)
class Row:
    """The elements of a list."""

    sequence: Expr
    element: Type


@dataclass(frozen=True, slots=True)
class Single:
    """The one bit of a value."""

    value: Expr
    element: Type


@dataclass(frozen=True, slots=True)
class Every:
    items: tuple[Plan, ...]


@dataclass(frozen=True, slots=True)
class Some:
    items: tuple[Plan, ...]


@dataclass(frozen=True, slots=True)
class Complement:
    item: Plan


@dataclass(frozen=True, slots=True)
class Guarded:
    """The item where the guard holds (it is computed only then), else nothing."""

    guard: Expr
    item: Plan


@dataclass(frozen=True, slots=True)
class Choice:
    condition: Expr
    then: Plan
    otherwise: Plan


Plan = Uniform | Plane | Table | Members | Row | Single | Every | Some | Complement | Guarded | Choice


ALL = Every(())
"""Every bit."""


def planes_of(plan: Plan) -> Iterable[Plane]:
    """The planes that a plan reads."""
    match plan:
        case Plane():
            yield plan
        case Every() | Some():
            for item in plan.items:
                yield from planes_of(item)
        case Complement() | Guarded():
            yield from planes_of(plan.item)
        case Choice():
            yield from planes_of(plan.then)
            yield from planes_of(plan.otherwise)
        case _:
            return


def is_scalar(type_: Type) -> bool:
    return isinstance(type_, Bool | Int | Enum | Cells | Part | Union | Unit)
