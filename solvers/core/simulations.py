"""What solvers by simulated plays say of their plays, and how many they make unless they are told."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from gdl.diagnostics.wording.phrases import counted
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
