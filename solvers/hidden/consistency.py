"""Whether what players see fits together: an information set has one mover and one list of legal moves.

Otherwise a player would learn from the list of legal moves, or from being asked, what `visible to` and
`secret` hide. Two plays show it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gdl.diagnostics.wording.phrases import listing
from gdl.game import CHANCE, Game
from solvers.core.refusal import Refusal

if TYPE_CHECKING:
    from solvers.hidden.game_tree import Node

History = list[tuple[Any, Any]]
"""What happened: moves (None for the start) with the positions they led to."""


SEEN_OR_NOT_ASKED = (
    "Let the player see what makes the difference (`visible to`), or let the guards of moves ask only for "
    "what the player sees."
)


class Inconsistent(Refusal):
    """R004: two plays that a player cannot tell apart, after which different moves are legal."""

    @staticmethod
    def moves(
        game: Game[Any, Any],
        player: int,
        one: tuple[History, tuple[Any, ...]],
        other: tuple[History, tuple[Any, ...]],
    ) -> Inconsistent:
        plays = [
            f"{_play(game, history)}: {listing([game.format_move(move) for move in legal], most=12)}"
            for history, legal in (one, other)
        ]
        return Inconsistent(
            f"{game.players[player]} cannot tell these two plays of {game.name} apart, yet other moves are "
            f"legal after them.\n  {plays[0]}\n  {plays[1]}",
            SEEN_OR_NOT_ASKED,
            "R004",
        )

    @staticmethod
    def worlds(
        game: Game[Any, Any], player: int, legal: tuple[Any, ...], other: Any, there: tuple[Any, ...]
    ) -> Inconsistent:
        """Where a player who has these legal moves thinks a position possible that has others."""
        moves = [listing([game.format_move(move) for move in each], most=12) for each in (legal, there)]
        return Inconsistent(
            f"what is legal in {game.name} tells {game.players[player]} more than was seen: {moves[0]}, but "
            f"in another position that fits what was seen {moves[1]}.\n  `{game.format_position(other)}`",
            f"{SEEN_OR_NOT_ASKED} `gdl explore` shows two plays.",
            "R004",
        )

    @staticmethod
    def turns(
        game: Game[Any, Any], player: int, one: tuple[History, int], other: tuple[History, int]
    ) -> Inconsistent:
        names = ["chance" if mover == CHANCE else game.players[mover] for _, mover in (one, other)]
        plays = [
            f"{_play(game, history)}: {name} is to move"
            for (history, _), name in zip((one, other), names, strict=True)
        ]
        return Inconsistent(
            f"{game.players[player]} cannot tell these two plays of {game.name} apart, yet only after one it "
            f"is the turn of {game.players[player]}.\n  {plays[0]}\n  {plays[1]}",
            "Let the player see whose turn it is.",
            "R004",
        )


def history_of(node: Node | None) -> History:
    """What led to a node."""
    found: History = []
    while node is not None:
        if node.position is not None:
            by = node.by
            if by is None and node.parent is not None:  # chance decided what the move above did
                by = node.parent.by
            found.append((by, node.position))
        node = node.parent
    return found[::-1]


def _play(game: Game[Any, Any], history: History) -> str:
    start = game.format_position(history[0][1])
    moves = [game.format_move(move) for move, _ in history[1:]]
    return f"`{start}`" + (f", then {', '.join(moves)}" if moves else "")
