"""What the compiled parts of a game look like: closures over a state and a frame.

Each expression of the Model becomes one Python function of the state (the flat tuple of a position's values,
or the list that a move is changing) and the frame (the slots of the function, effect, move or section).
Each statement becomes one of the same and of the run, which decides draws and collects rewards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Protocol

from gdl.model.nodes import Block, Domain, Expr, Table, Variable

Number = int | Fraction
State = Sequence[Any]
Frame = list[Any]

Closure = Callable[[State, Frame], Any]
"""An expression: its value."""


class Run(Protocol):
    """One execution of a body: decides what chance does and collects what is paid."""

    trail: list[str] | None
    """What chance did so far, in words; None when nobody asks."""

    def pick(self, count: int, weights: Sequence[Number] | None) -> int:
        """The index of one of `count` candidates, by positive weight, or uniformly without weights."""
        ...

    def pay(self, player: int, amount: Number) -> None: ...


class Signal:
    """A statement's way to say that the next one must not run."""


BREAK: Final = Signal()

Action = Callable[[list[Any], Frame, Run], Any]
"""A statement: None to go on, BREAK to leave the loop, or the value that a function returns.

No value of the language is represented by None."""


@dataclass(frozen=True, slots=True)
class CompiledFunction:
    body: Closure
    frame: int
    slots: tuple[int, ...]  # of the formals


@dataclass(frozen=True, slots=True)
class CompiledEffect:
    body: Action
    frame: int
    slots: tuple[int, ...]


class Scope(Protocol):
    """What the names in an expression or statement mean, and how its parts are compiled."""

    def variable(self, name: str) -> tuple[Variable, int]:
        """A position variable and the place of its first element in the state."""
        ...

    def table(self, name: str) -> Table: ...

    def function(self, name: str) -> CompiledFunction: ...

    def effect(self, name: str) -> CompiledEffect: ...

    def expression(self, node: Expr) -> Closure: ...

    def block(self, block: Block) -> Action: ...

    def domain(self, domain: Domain) -> Closure:
        """The values of a domain, as something to iterate over."""
        ...
