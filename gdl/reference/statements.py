"""Statements that do not draw, as closures: one function per kind of node.

A statement changes the state (a list) and its frame in place, and answers None to go on, BREAK to leave the
innermost loop, CONTINUE to go on with its next round, or the value that the function returns.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from gdl.diagnostics import faults as wording
from gdl.diagnostics.faults import Fault
from gdl.model import nodes
from gdl.reference.closures import BREAK, CONTINUE, Action, Frame, Run, Scope
from gdl.reference.domains import compile_bindings
from gdl.reference.expressions import compile_place


@singledispatch
def compile_statement(node: Any, scope: Scope) -> Action:
    """The closure that carries a statement out."""
    raise TypeError(f"no statement: {node!r}")


def compile_block(block: nodes.Block, scope: Scope) -> Action:
    """The statements one after another, until one of them says stop."""
    actions = tuple(compile_statement(statement, scope) for statement in block)
    if len(actions) == 1:
        return actions[0]

    def run_all(state: list[Any], frame: Frame, run: Run) -> Any:
        for action in actions:
            signal = action(state, frame, run)
            if signal is not None:
                return signal
        return None

    return run_all


# ------------------------------------------------------------------------ changes


@compile_statement.register
def _assign(node: nodes.Assign, scope: Scope) -> Action:
    variable, offset = scope.variable(node.variable)
    place = compile_place(variable.indices, node.indices, offset, scope)
    value = scope.expression(node.value)

    if isinstance(place, int):

        def assign(state: list[Any], frame: Frame, run: Run) -> None:
            state[place] = value(state, frame)

        return assign

    def assign_element(state: list[Any], frame: Frame, run: Run) -> None:
        where = place(state, frame)
        state[where] = value(state, frame)

    return assign_element


@compile_statement.register
def _let(node: nodes.Let, scope: Scope) -> Action:
    slot, value = node.slot, scope.expression(node.value)

    def let(state: list[Any], frame: Frame, run: Run) -> None:
        frame[slot] = value(state, frame)

    return let


@compile_statement.register
def _let_entry(node: nodes.LetEntry, scope: Scope) -> Action:
    slot, value = node.slot, scope.expression(node.value)
    place = compile_place(node.of.indices, node.indices, 0, scope)

    def let_entry(state: list[Any], frame: Frame, run: Run) -> None:
        where = place if isinstance(place, int) else place(state, frame)
        entries = frame[slot]  # a tuple, since worlds that part share it
        frame[slot] = (*entries[:where], value(state, frame), *entries[where + 1 :])

    return let_entry


@compile_statement.register
def _reward(node: nodes.Reward, scope: Scope) -> Action:
    player, amount = scope.expression(node.player), scope.expression(node.amount)

    def reward(state: list[Any], frame: Frame, run: Run) -> None:
        who = player(state, frame)
        run.pay(who, amount(state, frame))

    return reward


@compile_statement.register
def _perform(node: nodes.Perform, scope: Scope) -> Action:
    effect = scope.effect(node.effect)
    body, slots, blank = effect.body, effect.slots, [None] * effect.frame
    arguments = tuple(scope.expression(argument) for argument in node.arguments)

    def perform(state: list[Any], frame: Frame, run: Run) -> None:
        own: Frame = blank.copy()
        for slot, argument in zip(slots, arguments, strict=True):
            own[slot] = argument(state, frame)
        body(state, own, run)

    return perform


# ------------------------------------------------------------------------ control


@compile_statement.register
def _if(node: nodes.If, scope: Scope) -> Action:
    branches = tuple((scope.expression(condition), scope.block(body)) for condition, body in node.branches)
    otherwise = scope.block(node.otherwise)

    def choose(state: list[Any], frame: Frame, run: Run) -> Any:
        for condition, body in branches:
            if condition(state, frame):
                return body(state, frame, run)
        return otherwise(state, frame, run)

    return choose


@compile_statement.register
def _for(node: nodes.For, scope: Scope) -> Action:
    rounds, body = compile_bindings(node.binders, node.condition, scope), scope.block(node.body)

    def loop(state: list[Any], frame: Frame, run: Run) -> Any:
        for _ in rounds(state, frame):
            signal = body(state, frame, run)
            if signal is BREAK:
                break
            if signal is not None and signal is not CONTINUE:
                return signal
        return None

    return loop


@compile_statement.register
def _break(node: nodes.Break, scope: Scope) -> Action:
    return lambda state, frame, run: BREAK


@compile_statement.register
def _continue(node: nodes.Continue, scope: Scope) -> Action:
    return lambda state, frame, run: CONTINUE


@compile_statement.register
def _run_out(node: nodes.RunOut, scope: Scope) -> Action:
    def run_out(state: list[Any], frame: Frame, run: Run) -> None:
        raise Fault(wording.loop_ran_out(node.limit, node.span))

    return run_out


@compile_statement.register
def _return(node: nodes.Return, scope: Scope) -> Action:
    value = scope.expression(node.value)
    return lambda state, frame, run: value(state, frame)
