"""Statements that change locals and control; assignments are in memory.py, draws in chance.py."""

from __future__ import annotations

from gdl.model import nodes
from gdl.native.emit.domains import bind, each
from gdl.native.emit.scope import Scope, emits
from gdl.native.ir.builder import TRUE
from gdl.native.layout.values import Operand


@emits(nodes.Let)
def _let(scope: Scope, node: nodes.Let) -> None:
    scope.set_slot(node.slot, scope.value(node.value))


@emits(nodes.If)
def _if(scope: Scope, node: nodes.If) -> None:
    b = scope.b
    end = b.label("end")
    for condition, block in node.branches:
        yes, no = b.label("then"), b.label("else")
        b.branch(scope.scalar(condition), yes, no)
        b.start(yes)
        scope.block(block)
        b.br(end)
        b.start(no)
    scope.block(node.otherwise)
    b.start(end)


@emits(nodes.For)
def _for(scope: Scope, node: nodes.For) -> None:
    b = scope.b
    after = b.label("after")

    def values(number: int) -> None:
        """All values of the binders from this one on."""
        if number == len(node.binders):
            turn()
            return
        binder = node.binders[number]

        def body(value: Operand) -> None:
            bind(scope, binder, value)
            values(number + 1)

        each(scope, binder.domain, body)

    def turn() -> None:
        skip = b.label("skip")
        if node.condition is not None:
            holds = b.label("holds")
            b.branch(scope.scalar(node.condition), holds, skip)
            b.start(holds)
        scope.loops.append((after, skip))
        scope.block(node.body)
        scope.loops.pop()
        b.start(skip)

    values(0)
    b.start(after)


@emits(nodes.Break)
def _break(scope: Scope, node: nodes.Break) -> None:
    scope.b.br(scope.loops[-1][0])


@emits(nodes.Continue)
def _continue(scope: Scope, node: nodes.Continue) -> None:
    scope.b.br(scope.loops[-1][1])


@emits(nodes.RunOut)
def _run_out(scope: Scope, node: nodes.RunOut) -> None:
    scope.check(TRUE, "loop", node.span)


@emits(nodes.Return)
def _return(scope: Scope, node: nodes.Return) -> None:
    scope.give(scope.value(node.value))
