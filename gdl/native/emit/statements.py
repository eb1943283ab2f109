"""Statements that change locals and control; assignments are in memory.py, draws in chance.py."""

from __future__ import annotations

from gdl.model import nodes
from gdl.native.emit.domains import bind, each
from gdl.native.emit.scope import Scope, emits
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
    scope.breaks.append(after)

    def body(value: Operand) -> None:
        bind(scope, node.binder, value)
        skip = b.label("skip")
        if node.condition is not None:
            holds = b.label("holds")
            b.branch(scope.scalar(node.condition), holds, skip)
            b.start(holds)
        scope.block(node.body)
        b.start(skip)

    each(scope, node.binder.domain, body)
    b.start(after)
    scope.breaks.pop()


@emits(nodes.Break)
def _break(scope: Scope, node: nodes.Break) -> None:
    scope.b.br(scope.breaks[-1])


@emits(nodes.Return)
def _return(scope: Scope, node: nodes.Return) -> None:
    scope.give(scope.value(node.value))
