"""What a policy says, as closures: moves as statements, and policies that others follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from gdl.model import nodes
from gdl.reference.chance import compile_drawing, first_fault
from gdl.reference.closures import Action, Closure, CompiledEffect, Frame, Scope, State
from gdl.reference.statements import compile_statement
from gdl.reference.worlds import EveryWay, World

if TYPE_CHECKING:
    from gdl.reference.moves import Move


class Deciding(EveryWay):
    """Every way for chance to go while a policy chooses among the legal moves."""

    __slots__ = ("legal",)

    def __init__(self, legal: Sequence[Move]):
        super().__init__()
        self.legal = legal


@dataclass(frozen=True, slots=True)
class Chosen:
    """The signal of a policy that is done: one of these moves, each with the same probability."""

    moves: Sequence[Move]


def decide(
    policy: CompiledEffect[Any], arguments: Sequence[Any], state: State, mover: int, legal: Sequence[Move]
) -> dict[Move, Fraction]:
    """The probabilities of the legal moves, in their order, those of probability 0 left out. Raises Fault."""
    frame: Frame = [None] * policy.frame
    for slot, value in zip(policy.slots, (mover, *arguments), strict=True):
        frame[slot] = value
    worlds = policy.body(World(list(state), frame, 0, Deciding(legal)))
    if fault := first_fault(worlds):
        raise fault
    shares = dict.fromkeys(legal, Fraction(0))
    for world in worlds:
        moves = world.signal.moves if isinstance(world.signal, Chosen) else legal
        for move in moves:
            shares[move] += world.probability / len(moves)
    return {move: share for move, share in shares.items() if share}


@compile_statement.register
def _play(node: nodes.Play, scope: Scope) -> Action:
    patterns: dict[int, list[tuple[tuple[int, ...], Closure | None]]] = {}
    for pattern in node.patterns:
        test = None if pattern.test is None else scope.expression(pattern.test)
        patterns.setdefault(pattern.move, []).append((pattern.slots, test))

    def fits(move: Move, state: State, frame: Frame) -> bool:
        for slots, test in patterns.get(move.family.index, ()):
            for slot, value in zip(slots, move.values, strict=True):
                frame[slot] = value
            if test is None or test(state, frame):
                return True
        return False

    def play(state: list[Any], frame: Frame, run: Any) -> Chosen | None:
        legal = run.chance.legal
        fitting = [move for move in legal if fits(move, state, frame)] if patterns else legal
        return Chosen(fitting) if fitting else None

    return play


@compile_drawing.register
def _follow(node: nodes.Follow, scope: Scope) -> Any:
    policy = scope.policy(node.policy)
    body, slots, blank = policy.body, policy.slots, [None] * policy.frame
    arguments = tuple(scope.expression(argument) for argument in node.arguments)

    def follow(world: World) -> Sequence[World]:
        own: Frame = blank.copy()
        given = (world.frame[0], *(argument(world.state, world.frame) for argument in arguments))
        for slot, value in zip(slots, given, strict=True):
            own[slot] = value
        world.frame = own
        worlds: Sequence[World] = body(world)
        for each in worlds:
            if each.signal is None:
                each.signal = Chosen(world.chance.legal)  # type: ignore[attr-defined]
        return worlds

    return follow
