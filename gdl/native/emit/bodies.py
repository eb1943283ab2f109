"""The bodies of moves as functions, and the dispatch from a move's number to its body."""

from __future__ import annotations

from collections.abc import Callable

from gdl.native.emit.logic import unpaid
from gdl.native.emit.moves import Numbering, set_parameters
from gdl.native.emit.scope import POSITION, Callee, ChanceMode, Scope, Unit
from gdl.native.ir.builder import Builder, Value, i32, i64
from gdl.native.layout.values import flatten


def body(unit: Unit, index: int, chance: ChanceMode) -> Callee:
    """The body of a move as a function of the position and the parameters."""
    move = unit.program.model.moves[index]
    facts = unit.program.facts
    draws = facts.body_draws(move.body)
    key = ("move", str(index), chance.name if draws else "")
    known = unit.callee(key)
    if known is not None:
        return known
    faults = facts.can_fault(move.body) or (draws and chance.stops)
    callee = Callee(f"@m{index}{'.' + chance.name if draws else ''}", True, faults, ())
    unit.register(key, callee)
    scope = Scope(unit, Builder(unit.module), POSITION)
    parameters = ["ptr %pos"]
    for parameter in move.parameters:
        parameters += scope.bind_parameter(parameter.slot, parameter.type)
    if draws:
        parameters.append("ptr %chance")
        scope.chance, scope.chance_state = chance, Value("ptr", "%chance")
    if facts.body_pays(move.body):
        parameters.append("ptr %rewards")
        scope.rewards = Value("ptr", "%rewards")
    scope.declare_cells(move.body)
    scope.fail = scope.b.ret
    scope.block(move.body)
    if scope.b.open:
        scope.b.ret(i32(0) if callee.faults else None)
    scope.b.finish(f"define internal fastcc {callee.type} {callee.ref}({', '.join(parameters)}) #0")
    return callee


def perform(scope: Scope, index: int, chance: ChanceMode, state: Value, rewards: Value | None) -> None:
    """Carries out the move whose parameters the slots hold."""
    move = scope.program.model.moves[index]
    facts = scope.program.facts
    arguments: list[Value] = []
    for parameter in move.parameters:
        arguments += flatten(scope.coerce(scope.local(parameter.slot), parameter.type))
    if facts.body_draws(move.body):
        arguments.append(state)
    if facts.body_pays(move.body):
        arguments.append(rewards if rewards is not None else unpaid(scope))
    scope.call(body(scope.unit, index, chance), arguments)


def perform_initial(scope: Scope, chance: ChanceMode, state: Value, rewards: Value) -> None:
    """Carries out `initial`."""
    effect = scope.program.model.initial
    arguments: list[Value] = []
    if effect.draws:
        arguments.append(state)
    if scope.program.facts.pays(effect):
        arguments.append(rewards)
    scope.call(scope.unit.effect(effect, chance), arguments)


def dispatch(scope: Scope, numbering: Numbering, number: Value, then: Callable[[int], None]) -> None:
    """Runs `then` with the family of a move's number, its slots set."""
    b = scope.b
    done = b.label("done")
    for index in reversed(range(len(numbering.bases))):
        here, further = b.label("family"), b.label("further")
        base = i64(numbering.bases[index])
        if index:
            b.branch(b.compare("uge", number, base), here, further)
        b.start(here)
        set_parameters(scope, scope.program.model.moves[index], b.sub(number, base))
        then(index)
        b.br(done)
        if index:
            b.start(further)
    b.start(done)
