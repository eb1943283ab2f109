"""The interpreter: names and nodes of the Model to closures.

It needs no whole Model: the checker evaluates constants with it while the Model is still being made, so it
takes the declarations as mappings that may still be growing and looks a name up when it is first met.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from gdl.model.nodes import Block, Domain, Effect, Expr, Function, Policy, Section, Table, Variable
from gdl.reference import (  # noqa: F401 (they register their kinds of nodes)
    aggregates,
    bags,
    choices,
    structures,
)
from gdl.reference.chance import Happening, compile_happening
from gdl.reference.closures import SUPPOSED, Action, Closure, CompiledEffect, CompiledFunction, Frame, State
from gdl.reference.domains import compile_domain
from gdl.reference.expressions import compile_expression
from gdl.reference.statements import compile_block


class Interpreter:
    """Compiles expressions and statements to closures, each function and effect once.

    A state is flat: the elements of all variables one after another, in the order of `variables`.
    """

    def __init__(
        self,
        variables: Sequence[Variable] = (),
        tables: Mapping[str, Table] | None = None,
        functions: Mapping[str, Function] | None = None,
        effects: Mapping[str, Effect] | None = None,
        policies: Mapping[str, Policy] | None = None,
    ):
        self._tables = {} if tables is None else tables
        self._declared_functions = {} if functions is None else functions
        self._declared_effects = {} if effects is None else effects
        self._declared_policies = {} if policies is None else policies
        self._functions: dict[str, CompiledFunction] = {}
        self._effects: dict[str, CompiledEffect[Action]] = {}
        self._happenings: dict[str, CompiledEffect[Happening]] = {}
        self._policies: dict[str, CompiledEffect[Happening]] = {}
        self._variables: dict[str, tuple[Variable, int]] = {}
        self.stuck: Callable[[State], bool] = (
            _no_moves  # given by the engine, whose moves need this interpreter
        )
        offset = 0
        for variable in variables:
            self._variables[variable.name] = (variable, offset)
            offset += variable.count

    def evaluate(self, expr: Expr, locals: Sequence[Any] | None = None) -> Any:
        """The value of an expression that reads no position; `locals` are the first slots of its frame.

        Raises Fault, without a position, where the expression has no value.
        """
        frame: Frame = [*(locals or ())]
        frame.extend([None] * (frame_size(expr) - len(frame)))
        return self.expression(expr)((), frame)

    def section(self, section: Section) -> Closure:
        """A section as a closure that makes its own frame, whatever frame it is given."""
        body, blank = self._body(section.body), [None] * section.frame
        return lambda state, frame: body(state, blank.copy())

    def function(self, name: str) -> CompiledFunction:
        compiled = self._functions.get(name)
        if compiled is None:
            compiled = self._functions[name] = self.compile_function(self._declared_functions[name])
        return compiled

    def compile_function(self, function: Function) -> CompiledFunction:
        body = self._body(function.body)
        return CompiledFunction(
            body if function.formals else _remembering(body), function.frame, _slots(function)
        )

    def draws(self, effect: str) -> bool:
        return self._declared_effects[effect].draws

    def effect(self, name: str) -> CompiledEffect[Action]:
        compiled = self._effects.get(name)
        if compiled is None:
            effect = self._declared_effects[name]
            compiled = CompiledEffect(self.block(effect.body), effect.frame, _slots(effect))
            self._effects[name] = compiled
        return compiled

    def happening(self, name: str) -> CompiledEffect[Happening]:
        compiled = self._happenings.get(name)
        if compiled is None:
            compiled = self._happenings[name] = self.compile_happening(self._declared_effects[name])
        return compiled

    def compile_happening(self, effect: Effect) -> CompiledEffect[Happening]:
        return CompiledEffect(compile_happening(effect.body, self), effect.frame, _slots(effect))

    def policy(self, name: str) -> CompiledEffect[Happening]:
        """A policy; slot 0 of its frame is for the player to move."""
        compiled = self._policies.get(name)
        if compiled is None:
            policy = self._declared_policies[name]
            body = compile_happening(policy.body, self)
            compiled = self._policies[name] = CompiledEffect(body, policy.frame, (0, *_slots(policy)))
        return compiled

    def variable(self, name: str) -> tuple[Variable, int]:
        return self._variables[name]

    def table(self, name: str) -> Table:
        return self._tables[name]

    def expression(self, node: Expr) -> Closure:
        return compile_expression(node, self)

    def domain(self, domain: Domain) -> Closure:
        return compile_domain(domain, self)

    def block(self, block: Block) -> Action:
        return compile_block(block, self)

    def _body(self, body: Expr | Block) -> Closure:
        """An expression, or a block that always returns; it changes nothing but its own frame."""
        if not isinstance(body, tuple):
            return self.expression(body)
        action = self.block(body)
        return lambda state, frame: action(state, frame, SUPPOSED)  # type: ignore[arg-type]


def _no_moves(state: State) -> bool:
    raise AssertionError("nothing asks for moves while there are none")


def _remembering(body: Closure) -> Closure:
    """Without arguments a function depends on the position alone, so its last answer is kept.

    Only for the tuple of a position, which cannot change, not for the list that a move is changing.
    """
    last: tuple[State | None, Any] = (None, None)  # one object, so that threads see both or neither

    def call(state: State, frame: Frame) -> Any:
        nonlocal last
        known, value = last
        if state is known:
            return value
        value = body(state, frame)
        if isinstance(state, tuple):
            last = (state, value)
        return value

    return call


def _slots(declaration: Function | Effect | Policy) -> tuple[int, ...]:
    return tuple(formal.slot for formal in declaration.formals)


_NO_SLOTS = {"type", "element", "cells", "span", "value"}  # fields without locals or binders in them


def frame_size(node: Any) -> int:
    """How many slots the locals and binders of an expression need."""
    size = 0
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending.extend(part)
        elif is_dataclass(part):
            slots = (*getattr(part, "slots", ()), getattr(part, "slot", -1))
            size = max(size, *(slot + 1 for slot in slots))
            pending.extend(getattr(part, f.name) for f in fields(part) if f.name not in _NO_SLOTS)
    return size
