"""Plays that come back to a position: then there is no end of histories, and nothing can be found by listing
them. One such play shows it."""

from __future__ import annotations

from typing import Any

from gdl.game import Game
from solvers.core.refusal import Refusal
from solvers.hidden.consistency import History

EVERY = 8
"""At so many moves, and twice, three times .. as many, a walk looks whether it was at a position before: a
play without end cannot avoid that, and others lose no time."""


class Endless(Refusal):
    """R002: a play comes back to a position, from where it may go on as before."""

    @staticmethod
    def shown_by(game: Game[Any, Any], history: History) -> Endless:
        """The refusal, with a play whose last position was there before."""
        again = game.format_position(history[-1][1])
        places = [number for number, (_, position) in enumerate(history) if position == history[-1][1]]
        moves = [game.format_move(move) for move, _ in history[1:]]
        before, circle = moves[: places[-2]], moves[places[-2] :]
        after = f"after {', '.join(before)} " if before else ""
        return Endless(
            f"{game.name} has no end of histories: {after}the moves {', '.join(circle)} lead from a position "
            f"to the same again, `{again}`, and each round is another history.",
            "Let plays end (in a text by `limit 20 moves: 0`), or search what to do from what is known "
            "(`gdl search`).",
            "R002",
        )
