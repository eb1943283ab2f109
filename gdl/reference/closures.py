"""What the compiled parts of a game look like: closures over a state and a frame.

Each expression of the Model becomes one Python function of the state (the flat tuple of a position's values,
or the list that a move is changing) and the frame (the slots of the function, effect, move or section).
Each statement becomes one of the same and of the run, which collects rewards. Statements that draw become
functions from a world to worlds: see `gdl.reference.chance`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Generic, Protocol, TypeVar

from gdl.model.nodes import Block, Domain, Expr, Table, Variable

Number = int | Fraction
State = Sequence[Any]
Frame = list[Any]

Closure = Callable[[State, Frame], Any]
"""An expression: its value."""


class Run(Protocol):
    """One execution of a body: collects what is paid on the way."""

    def pay(self, player: int, amount: Number) -> None: ...


class _Supposed:
    """A run that only supposes: nobody is paid."""

    def pay(self, player: int, amount: Number) -> None:
        pass


SUPPOSED: Final[Run] = _Supposed()


class Signal:
    """A statement's way to say that the next one must not run."""


BREAK: Final = Signal()
CONTINUE: Final = Signal()

Action = Callable[[list[Any], Frame, Run], Any]
"""A statement: None to go on, BREAK to leave the loop, CONTINUE for its next round, or the value that a
function returns.

No value of the language is represented by None."""


@dataclass(frozen=True, slots=True)
class CompiledFunction:
    body: Closure
    frame: int
    slots: tuple[int, ...]  # of the formals


B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class CompiledEffect(Generic[B]):
    body: B
    frame: int
    slots: tuple[int, ...]


class Scope(Protocol):
    """What the names in an expression or statement mean, and how its parts are compiled."""

    def variable(self, name: str) -> tuple[Variable, int]:
        """A position variable and the place of its first element in the state."""
        ...

    def table(self, name: str) -> Table: ...

    def function(self, name: str) -> CompiledFunction: ...

    def draws(self, effect: str) -> bool:
        """Whether an effect can draw."""
        ...

    def stuck(self, state: State) -> bool:
        """Whether no move is legal in a state."""
        ...

    def effect(self, name: str) -> CompiledEffect[Action]:
        """An effect that does not draw."""
        ...

    def happening(self, name: str) -> CompiledEffect[Any]:
        """An effect that may draw; its body is a `gdl.reference.chance.Happening`."""
        ...

    def policy(self, name: str) -> CompiledEffect[Any]:
        """A policy, likewise; its first slot is for the player to move."""
        ...

    def expression(self, node: Expr) -> Closure: ...

    def block(self, block: Block) -> Action: ...

    def domain(self, domain: Domain) -> Closure:
        """The values of a domain, as something to iterate over."""
        ...
