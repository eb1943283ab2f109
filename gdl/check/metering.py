"""How much work the constants of a file may make: a stranger's text must not keep the checker busy for hours.

Loops are bounded by their types, but loops in loops, or functions that call functions twice each, multiply to
any amount. Time would be a bound that depends on the machine, so steps are counted instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from gdl.model.nodes import Domain, Effect, Function, Table
from gdl.reference.closures import Closure, CompiledFunction, Frame, State
from gdl.reference.interpret import Interpreter

MAX_STEPS = 400_000


class Exhausted(Exception):
    """The constants of this file take more steps than they may."""


class MeteredInterpreter(Interpreter):
    """The interpreter of constants: every round of a loop, call of a function and table entry is a step."""

    def __init__(
        self, tables: Mapping[str, Table], functions: Mapping[str, Function], effects: Mapping[str, Effect]
    ):
        super().__init__(tables=tables, functions=functions, effects=effects)
        self._left = MAX_STEPS

    def step(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise Exhausted

    @contextmanager
    def spare(self) -> Iterator[None]:
        """Gives up, in silence, what takes all steps that are left: half of them are given back.

        So it costs little to try, however often.
        """
        before = self._left
        try:
            yield
        except Exhausted:
            self._left = before // 2

    def domain(self, domain: Domain) -> Closure:
        all_values = super().domain(domain)

        def metered(state: State, frame: Frame) -> Iterator[Any]:
            for value in all_values(state, frame):
                self.step()
                yield value

        return metered

    def compile_function(self, function: Function) -> CompiledFunction:
        compiled = super().compile_function(function)
        inner = compiled.body

        def body(state: State, frame: Frame) -> Any:
            self.step()
            return inner(state, frame)

        return CompiledFunction(body, compiled.frame, compiled.slots)
