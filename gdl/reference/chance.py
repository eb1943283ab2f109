"""Statements that draw, as closures from a world to the worlds that may come of it.

Statements that cannot draw are carried out directly; here are `~`, `chance:`, and the loops, conditions and
effects that have one of them inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import singledispatch
from typing import Any

from gdl.diagnostics import faults as wording
from gdl.diagnostics.faults import Fault
from gdl.model import nodes
from gdl.model.types import show_value
from gdl.reference.closures import BREAK, CONTINUE, Closure, Frame, Number, Scope, State
from gdl.reference.domains import binding
from gdl.reference.worlds import World

Happening = Callable[[World], Sequence[World]]
"""The worlds that come of a world, in the order in which chance is asked. The given world is used up.

A world in which a fault arises ends there, with the fault as its signal, and the others go on: so the first
fault is that of the first way that has one, as if the ways were followed one after another.
"""


def may_draw(block: nodes.Block, scope: Scope) -> bool:
    """Whether any statement of the block, or of what it performs, can draw."""
    return any(_draws(statement, scope) for statement in block)


def _draws(statement: nodes.Statement, scope: Scope) -> bool:
    match statement:
        case nodes.Draw() | nodes.Chance() | nodes.Follow():
            return True
        case nodes.If():
            return may_draw(statement.otherwise, scope) or any(
                may_draw(b, scope) for _, b in statement.branches
            )
        case nodes.For():
            return may_draw(statement.body, scope)
        case nodes.Perform():
            return scope.draws(statement.effect)
        case _:
            return False


def first_fault(worlds: Sequence[World]) -> Fault | None:
    """The fault of the first way that has one."""
    return next((world.signal for world in worlds if isinstance(world.signal, Fault)), None)


def compile_happening(block: nodes.Block, scope: Scope) -> Happening:
    """A block as a happening; statements that follow one another without drawing are done together."""
    parts: list[Happening] = []
    certain: list[nodes.Statement] = []
    for statement in block:
        if _draws(statement, scope):
            if certain:
                parts.append(_certainly(tuple(certain), scope))
                certain = []
            parts.append(_ending_at_faults(compile_drawing(statement, scope)))
        else:
            certain.append(statement)
    if certain or not parts:
        parts.append(_certainly(tuple(certain), scope))
    return parts[0] if len(parts) == 1 else _one_after_another(parts)


def _certainly(block: nodes.Block, scope: Scope) -> Happening:
    action = scope.block(block)

    def happen(world: World) -> Sequence[World]:
        try:
            world.signal = action(world.state, world.frame, world)
        except Fault as fault:
            world.signal = fault
        return (world,)

    return happen


def _ending_at_faults(happening: Happening) -> Happening:
    def happen(world: World) -> Sequence[World]:
        try:
            return happening(world)
        except Fault as fault:
            world.signal = fault
            return (world,)

    return happen


def _one_after_another(parts: list[Happening]) -> Happening:
    def happen(world: World) -> Sequence[World]:
        worlds: Sequence[World] = (world,)
        for part in parts:
            worlds = [
                result for each in worlds for result in (part(each) if each.signal is None else (each,))
            ]
        return worlds

    return happen


@singledispatch
def compile_drawing(node: Any, scope: Scope) -> Happening:
    """The closure of a statement that may draw."""
    raise TypeError(f"no statement that draws: {node!r}")


# ------------------------------------------------------------------------- control


@compile_drawing.register
def _if(node: nodes.If, scope: Scope) -> Happening:
    branches = [(scope.expression(test), compile_happening(body, scope)) for test, body in node.branches]
    otherwise = compile_happening(node.otherwise, scope)

    def choose(world: World) -> Sequence[World]:
        for condition, body in branches:
            if condition(world.state, world.frame):
                return body(world)
        return otherwise(world)

    return choose


@compile_drawing.register
def _for(node: nodes.For, scope: Scope) -> Happening:
    condition = None if node.condition is None else scope.expression(node.condition)
    body = compile_happening(node.body, scope)

    def turn(world: World) -> Sequence[World]:
        """One turn of the loop."""
        if condition is not None and not condition(world.state, world.frame):
            return (world,)
        worlds = body(world)
        for each in worlds:
            if each.signal is CONTINUE:
                each.signal = None
        return worlds

    rounds: Happening = turn
    for binder in reversed(node.binders):
        rounds = _each_value(binder, _ending_at_faults(rounds), scope)

    def loop(world: World) -> Sequence[World]:
        worlds = rounds(world)
        for each in worlds:
            if each.signal is BREAK:
                each.signal = None
        return worlds

    return loop


def _each_value(binder: nodes.Binder, inner: Happening, scope: Scope) -> Happening:
    """What happens for one value after another, in the worlds that have not left the loop."""
    domain, bind = scope.domain(binder.domain), binding(binder)

    def one(world: World, value: Any) -> Sequence[World]:
        if world.signal is not None:
            return (world,)
        bind(world.frame, value)
        return inner(world)

    def happen(world: World) -> Sequence[World]:
        worlds: Sequence[World] = (world,)
        for value in domain(world.state, world.frame):
            worlds = [result for each in worlds for result in one(each, value)]
        return worlds

    return happen


@compile_drawing.register
def _perform(node: nodes.Perform, scope: Scope) -> Happening:
    effect = scope.happening(node.effect)
    body, slots, blank = effect.body, effect.slots, [None] * effect.frame
    arguments = tuple(scope.expression(argument) for argument in node.arguments)

    def perform(world: World) -> Sequence[World]:
        caller = world.frame
        own: Frame = blank.copy()
        for slot, argument in zip(slots, arguments, strict=True):
            own[slot] = argument(world.state, caller)
        world.frame = own
        worlds: Sequence[World] = body(world)
        for each in worlds:
            each.frame = caller.copy()
        return worlds

    return perform


# -------------------------------------------------------------------------- chance


@compile_drawing.register
def _draw(node: nodes.Draw, scope: Scope) -> Happening:
    slot, name, element = node.slot, node.name, node.domain.element
    candidates = _compile_candidates(node, scope)
    target = _target(node)

    def draw(world: World) -> Sequence[World]:
        values, weights = candidates(world.state, world.frame)
        if not values:
            raise Fault(wording.nothing_to_draw(name, node.span))
        worlds = []
        for number, probability in world.chance.ways(values, weights, node.span):
            value = values[number]
            label = None if world.trail is None else f"{target} = {show_value(element, value)}"
            drawn = world.fork(probability, label)
            drawn.frame[slot] = value
            worlds.append(drawn)
        return worlds

    return draw


def _target(node: nodes.Draw | nodes.Chance) -> str:
    """Where the drawn value goes, as it is written: `card[alice]` for `card[alice] ~ Card`."""
    written, draws, _ = node.span.text.partition("~")
    if draws:
        return " ".join(written.split())
    return node.name if isinstance(node, nodes.Draw) else "chance"


def _compile_candidates(node: nodes.Draw, scope: Scope) -> Closure:
    """The values that can be drawn, and their weights (None if all weigh the same)."""
    domain, slot = scope.domain(node.domain), node.slot
    condition = None if node.condition is None else scope.expression(node.condition)
    weight = None if node.weight is None else scope.expression(node.weight)

    def candidates(state: State, frame: Frame) -> tuple[Sequence[Any], list[Number] | None]:
        if condition is None and weight is None:
            return domain(state, frame), None
        values, weights = [], []
        for value in domain(state, frame):
            frame[slot] = value
            if condition is not None and not condition(state, frame):
                continue
            if weight is not None:
                share = weight(state, frame)
                if share < 0:
                    shown = show_value(node.domain.element, value)
                    raise Fault(wording.negative_weight(node.name, shown, share, node.span))
                if share == 0:
                    continue
                weights.append(share)
            values.append(value)
        return values, weights if weight is not None else None

    return candidates


@compile_drawing.register
def _chance(node: nodes.Chance, scope: Scope) -> Happening:
    probabilities = _compile_probabilities(node, scope)
    bodies = [compile_happening(branch.body, scope) for branch in node.branches]
    labels = [_compile_label(node, branch, scope) for branch in node.branches]

    def happen(world: World) -> Sequence[World]:
        shares = probabilities(world.state, world.frame)
        possible = [number for number, share in enumerate(shares) if share]
        weights = [shares[number] for number in possible]
        worlds: list[World] = []
        for number, probability in world.chance.ways(possible, weights, node.span):
            branch = possible[number]
            label = None if world.trail is None else labels[branch](world.state, world.frame)
            worlds.extend(bodies[branch](world.fork(probability, label)))
        return worlds

    return happen


def _compile_label(node: nodes.Chance, branch: nodes.Branch, scope: Scope) -> Closure:
    """What it says of a branch that happened: `b = 2` for `b ~ {2: 9/10, 4: 1/10}` and where all it does is
    `b = a + 1`, `walk(west)` where that is `walk(previous(d))`, else its source."""
    source = " ".join(branch.span.text.split())
    shown: tuple[nodes.Expr, ...]
    match branch.body:
        case (nodes.Let() | nodes.Assign() as given,) if given.span == branch.span:
            target = _target(node).replace("{", "{{").replace("}", "}}")  # a set may be written in it
            form, shown = f"{target} = {{}}", (given.value,)
        case (nodes.Assign(indices=indices) as given,):
            place = f"[{', '.join(['{}'] * len(indices))}]" if indices else ""
            form, shown = f"{given.variable}{place} = {{}}", (*indices, given.value)
        case (nodes.Perform(arguments=arguments) as call,):
            given_to = f"({', '.join(['{}'] * len(arguments))})" if arguments else ""
            form, shown = f"{call.effect}{given_to}", arguments
        case _:
            return lambda state, frame: source
    parts = [(part.type, scope.expression(part)) for part in shown]

    def label(state: State, frame: Frame) -> str:
        try:
            return form.format(*(show_value(type_, value(state, frame)) for type_, value in parts))
        except Fault:  # the branch itself is about to say so
            return source

    return label


def _compile_probabilities(node: nodes.Chance, scope: Scope) -> Closure:
    """The probability of each branch; they sum to exactly 1, or the block is at fault."""
    given = [branch.probability for branch in node.branches]
    stated = [(scope.expression(expr), expr.span) for expr in given if expr is not None]

    def probabilities(state: State, frame: Frame) -> list[Number]:
        shares: list[Number] = []
        for probability, span in stated:
            share = probability(state, frame)
            if share < 0:
                raise Fault(wording.negative_probability(share, span))
            shares.append(share)
        total = Fraction(sum(shares))
        if total > 1 or (total < 1 and len(stated) == len(given)):
            raise Fault(wording.wrong_sum(total, node.span))
        each = iter(shares)
        return [1 - total if expr is None else next(each) for expr in given]

    return probabilities
