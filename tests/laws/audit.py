"""The reference engine, checking every value it computes against the type that the checker inferred for it.

The intervals in the Model let engines leave out range checks. Here each is put to the test: the value of
every expression that is evaluated, in every position that is met, must lie in the expression's type.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any
from unittest.mock import patch

from gdl.model.nodes import Expr, Model
from gdl.model.types import Bool, Int, ListOf, MapOf, Rational, Text, Tuple, Type
from gdl.reference import engine
from gdl.reference.closures import Closure, Frame, State
from gdl.reference.engine import ReferenceGame
from gdl.reference.interpret import Interpreter


def audited(model: Model) -> ReferenceGame:
    """The game of a Model; AssertionError where a value lies outside its type."""
    with patch.object(engine, "Interpreter", _Auditor):
        return ReferenceGame(model)


class _Auditor(Interpreter):
    def expression(self, node: Expr) -> Closure:
        compute, type_ = super().expression(node), node.type

        def checked(state: State, frame: Frame) -> Any:
            value = compute(state, frame)
            assert holds(type_, value), (
                f"line {node.span.line}: `{node.span.text}` is {value!r}, "
                f"but the checker inferred {type_} for this {type(node).__name__}"
            )
            return value

        return checked


def holds(type_: Type, value: Any) -> bool:
    """Whether a value is one of the type, represented as `gdl.model.types` says."""
    match type_:
        case Bool():
            return isinstance(value, bool)
        case Int():
            return type(value) is int and type_.lo <= value <= type_.hi
        case Rational():
            return type(value) in (int, Fraction) and type_.lo <= value <= type_.hi
        case Tuple():
            return (
                isinstance(value, tuple)
                and len(value) == len(type_.fields)
                and all(map(holds, type_.fields, value))
            )
        case ListOf():
            fits = isinstance(value, tuple) and len(value) <= type_.longest
            return fits and all(holds(type_.element, item) for item in value)
        case MapOf():
            fits = isinstance(value, tuple) and len(value) == type_.count
            return fits and all(holds(type_.element, item) for item in value)
        case Text():
            return isinstance(value, str)
        case _:
            return type(value) is int and 0 <= value < type_.size
