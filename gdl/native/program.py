"""A Model made ready for code generation, and its modules compiled as they are asked for."""

from __future__ import annotations

from threading import RLock
from typing import Any

from gdl.abi import c_function
from gdl.model import nodes
from gdl.model.nodes import Model
from gdl.model.types import Int
from gdl.model.walk import walk
from gdl.native.emit import (  # noqa: F401 (each registers the nodes it writes)
    aggregates,
    bags,
    boards,
    chance,
    conversion,
    logic,
    maps,
    numbers,
    sets,
    statements,
)
from gdl.native.emit.exports import EXPORTS
from gdl.native.emit.lists import Lists
from gdl.native.emit.masks import Masks
from gdl.native.emit.moves import Numbering
from gdl.native.emit.scope import Program, Unit
from gdl.native.ir.jit import Code, compiled, has_fast_bits
from gdl.native.layout.layout import Layout
from gdl.native.plan.analysis import Facts, model_roots


def program_of(model: Model) -> Program:
    """What all modules of a game share: the layout, the pools of lists, the facts."""
    facts = Facts(model)
    masks = Masks(model, facts)
    layout = Layout(model, masks.planes)
    whole = all(
        isinstance(part.amount.type, Int)
        for root in model_roots(model)
        for part in walk(root)
        if isinstance(part, nodes.Reward)
    )
    return Program(model, facts, layout, Lists(model), masks, [], {}, whole, has_fast_bits())


class Functions:
    """The exported functions of a game, each compiled in a module of its own when first used.

    A module holds what its function needs and no more, so the first answer comes soon, and a game of
    which only playouts are wanted never pays for the enumeration of outcomes.
    """

    def __init__(self, model: Model):
        self.program = program_of(model)
        self.numbering = Numbering(model)
        self._codes: dict[str, Code] = {}
        self._callables: dict[str, Any] = {}
        self._lock = RLock()

    def text(self, name: str) -> str:
        """The module of an exported function, before optimisation."""
        unit = Unit(self.program)
        EXPORTS[name](unit, self.numbering)
        return str(unit.module)

    def address(self, name: str) -> int:
        """The address of an exported function, for callers in native code. Valid while this object lives."""
        with self._lock:
            if name not in self._codes:
                self._codes[name] = compiled(self.text(name))
            return self._codes[name].address(name)

    def __getitem__(self, name: str) -> Any:
        """An exported function as a Python callable; it runs without the interpreter lock."""
        if name not in self._callables:
            self._callables[name] = c_function(name, self.address(name))
        return self._callables[name]
