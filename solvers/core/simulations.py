"""What solvers by simulated plays say of their plays, and how many they make unless they are told."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple

from gdl.diagnostics.wording.phrases import counted
from gdl.game import Number
from solvers.core.refusal import bad_option
from solvers.core.result import MoveValue

SIMULATIONS = 1000
"""Plays that are simulated where there is no other limit."""


def limits(simulations: int | None, nodes: int | None, time: float | None, default: int) -> float:
    """How many simulations: the number asked for, no limit under another budget, else the default."""
    if simulations is not None and simulations < 1:
        raise bad_option(f"{simulations} simulations say nothing", "Use 1 or more.")
    return simulations if simulations is not None else default if nodes is None and time is None else inf


class Kept:
    """What a solver keeps for the next move of the same play: the tree, for `reuse`; where something is
    hidden what is thought possible, in Python and by machine code."""

    def __init__(self) -> None:
        self.tree: Any = None
        self.belief: Any = None
        self.compiled_belief: Any = None


class Tried(NamedTuple):
    """What simulated plays know of a move: what it is worth to its player, its mean or what is proven, and
    None where there is neither."""

    visits: int
    worth: Number | None
    proven: bool


def favourite(moves: Sequence[Tried]) -> int:
    """Which move of a position that is not proven counts as best: the most visited one ("robust child") of
    those that are not proven, unless a proven one is worth as much. A proof weighs more than visits: that a
    move was tried most says that it was worth a look, not that it is better than what is known."""
    surest = max(
        (at for at, move in enumerate(moves) if move.proven), key=lambda at: _worth(moves[at]), default=None
    )
    tried = [at for at, move in enumerate(moves) if not move.proven and move.worth is not None]
    most = max(tried, key=lambda at: (moves[at].visits, _worth(moves[at])), default=None)
    if most is None or (surest is not None and _worth(moves[surest]) >= _worth(moves[most])):
        return surest or 0
    return most


def _worth(move: Tried) -> Number:
    assert move.worth is not None, "what is proven or was tried is worth something"
    return move.worth


def by_simulations(done: int) -> str:
    return f"UCT with {counted(done, 'simulation')}"


def of_cut_plays(cut: int) -> str:
    """What an answer says of plays that did not come to their end."""
    if not cut:
        return ""
    return (
        "; 1 of them was cut before its end" if cut == 1 else f"; {cut:,} of them were cut before their end"
    )


def of_proven_moves(moves: Sequence[MoveValue], simulations: int) -> str:
    """What an answer says where moves were chosen more often than plays were simulated."""
    proven = any(move.value is not None and move.value.kind != "estimate" for move in moves)
    if not proven or sum(move.visits or 0 for move in moves) <= simulations:
        return ""
    return "; a proven move also counts the plays that tried another, to learn more, where it was chosen"


def of_visits(moves: Sequence[MoveValue]) -> str:
    """What an answer says where the best move is not the one with the highest mean."""
    means = [move.value.number for move in moves if move.value is not None]
    best = [move.value.number for move in moves if move.best and move.value is not None]
    return "; the most visited move counts as best" if best and max(best) < max(means) else ""
