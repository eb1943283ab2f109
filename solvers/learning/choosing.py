"""The ways in which a player can go on: each move, or each turn of several moves, with what it is worth."""

from __future__ import annotations

from typing import Any

from gdl.game import TERMINAL
from solvers.learning.evaluation import Judge

DEEPEST_TURN = 4
"""Moves of a turn that are looked at together."""


def ways(game: Any, judge: Judge, position: Any) -> list[tuple[Any, tuple[float, ...]]]:
    """The first move of each way on, with each player's estimate of where it leads before chance is asked."""
    if judge.evaluation.expects:
        return [(move, _expected(game, judge, position, move)) for move in game.moves(position)]
    mover = game.to_move(position)
    deepest = DEEPEST_TURN if judge.evaluation.turns else 1
    discount = float(game.traits.discount)
    found = []
    # first move, position, what was paid so far, discount, moves made
    nothing = (0.0,) * game.traits.players
    waiting: list[tuple[Any, Any, tuple[float, ...], float, int]] = [(None, position, nothing, 1.0, 0)]
    seen = set()
    while waiting:
        first, here, paid, factor, made = waiting.pop()
        for move in game.moves(here):
            after, drawn, more = game.afterstate(here, move)
            begun = move if first is None else first
            so_far = tuple(a + factor * float(b) for a, b in zip(paid, more or nothing, strict=True))
            if not drawn and made + 1 < deepest and game.to_move(after) == mover != TERMINAL:
                if after not in seen:
                    seen.add(after)
                    waiting.append((begun, after, so_far, factor * discount, made + 1))
                continue
            rest = judge.after(after, drawn)
            worth = tuple(a + factor * discount * b for a, b in zip(so_far, rest, strict=True))
            found.append((begun, worth))
    return found


def _expected(game: Any, judge: Judge, position: Any, move: Any) -> tuple[float, ...]:
    """Each player's estimate of a move: the mean over its outcomes."""
    discount = float(game.traits.discount)
    nothing = (0.0,) * game.traits.players
    total: tuple[float, ...] = nothing
    for outcome in game.outcomes(position, move):
        rest = judge.after(outcome.position, False)
        paid = outcome.rewards or nothing
        odds = float(outcome.probability)
        total = tuple(t + odds * (float(p) + discount * r) for t, p, r in zip(total, paid, rest, strict=True))
    return total
