"""Sections and per-player functions, as the exported functions use them."""

from __future__ import annotations

from dataclasses import replace

from gdl.model.nodes import Const, Function, Or, Section, Stuck
from gdl.model.types import Player
from gdl.native.emit.numbers import ratio_of
from gdl.native.emit.scope import Scope
from gdl.native.ir.builder import Value, const, i64
from gdl.native.layout.values import Operand, Ratio, unflatten


def section(scope: Scope, part: Section) -> Operand:
    """The value of a section."""
    if isinstance(part.body, Const):
        return scope.value(part.body)
    name = f"section at {scope.unit.place(part.span)}"
    function = Function(name, (), part.frame, part.body, part.type, part.span)
    return unflatten(part.type, iter(scope.call(scope.unit.function(function), [])))


def terminal(scope: Scope) -> Value:
    return truth(scope, scope.program.model.terminal)


def truth(scope: Scope, part: Section) -> Value:
    """The value of a section that is true or false."""
    holds = section(scope, part)
    assert isinstance(holds, Value)
    return holds


def without_stuck(terminal: Section) -> tuple[Section, bool]:
    """`terminal:` without its last `or stuck`, and whether it has one: looking for a move tells."""
    body = terminal.body
    if isinstance(body, Or) and isinstance(body.items[-1], Stuck):
        first = body.items[:-1]
        rest = first[0] if len(first) == 1 else replace(body, items=first)
        # At another place, so that it is another function.
        return replace(terminal, body=rest, span=rest.span), True
    if isinstance(body, Stuck):
        return replace(terminal, body=Const(False, body.type, body.span)), True
    return terminal, False


def mover(scope: Scope) -> Value:
    """The player to move, -1 for chance; the position is not terminal."""
    b = scope.b
    model = scope.program.model
    player = section(scope, model.player)
    assert isinstance(player, Value)
    if isinstance(model.player.type, Player):
        return player
    chance = b.compare("eq", player, const(player.type, len(model.players.members)))
    return b.select(chance, const(player.type, -1), player)


def per_player(scope: Scope, function: Function, player: Value) -> Operand:
    """A function of the player, such as `utility`."""
    return unflatten(function.type, iter(scope.call(scope.unit.function(function), [player])))


def weight_of(scope: Scope, index: int) -> Ratio:
    """The weight of a move of chance whose parameters the slots hold, checked not to be negative."""
    move = scope.program.model.moves[index]
    if move.weight is None:
        return Ratio(i64(1), i64(1), 1, 1)
    weight = ratio_of(scope, scope.value(move.weight), move.weight.type)
    scope.check(scope.b.compare("slt", weight.num, i64(0)), "weight", move.span)
    return weight
