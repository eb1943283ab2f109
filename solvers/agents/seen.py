"""What a player knows when choosing a move: no agent sees more than its player does.

Where nothing is hidden that is the position. Otherwise it is everything the player has seen in the play
(perfect recall): `seen` alternates what the player observed of each position with who moved between them and
what was shown of the move,

    (observation, (mover, move), observation, (mover, move), .., observation)

and from it follow the positions that are possible (`solvers/hidden/worlds.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from gdl.game import Game
from solvers.core.refusal import Refusal


@runtime_checkable
class ConcealsMoves(Protocol):
    """A game that hides parts of some moves from those who do not make them; others show moves whole."""

    def observed_move(self, move: Any, player: int, mover: int) -> Hashable: ...


class PlayInProgress(Protocol):
    """A play as agents are shown it: where it stands, whose move it is, what each player has seen."""

    @property
    def game(self) -> Game[Any, Any]: ...

    @property
    def position(self) -> Any: ...

    def information(self, player: int) -> tuple[Hashable, ...]: ...


@dataclass(frozen=True, slots=True)
class View:
    """What an agent is given to choose a move. `moves` are the legal ones; the player always sees those."""

    game: Game[Any, Any]
    player: int
    moves: tuple[Any, ...]
    _seen: Callable[[], tuple[Any, ...]] = field(repr=False)  # most agents never ask, and it takes long
    _position: Any = field(repr=False)

    @staticmethod
    def of(game: Game[Any, Any], position: Any, seen: tuple[Any, ...] | None = None) -> View:
        """The view of the player to move. Without what was seen, the play is taken to begin here."""
        player = game.to_move(position)

        def everything() -> tuple[Any, ...]:
            return (game.observation(position, player),) if seen is None else seen

        return View(game, player, tuple(game.moves(position)), everything, _open(game, position))

    @staticmethod
    def of_play(play: PlayInProgress) -> View:
        """The view of the player to move in a play."""
        game, position = play.game, play.position
        player = game.to_move(position)
        moves = tuple(game.moves(position))
        return View(game, player, moves, lambda: play.information(player), _open(game, position))

    @property
    def seen(self) -> tuple[Any, ...]:
        """Everything that the player has seen in the play."""
        return self._seen()

    @property
    def position(self) -> Any:
        """The position, where nothing is hidden; refuses to give it away where something is."""
        if self.game.traits.hidden:
            raise Refusal(
                f"in {self.game.name} the position is not known to {self.game.players[self.player]}, "
                "only what was seen.",
                "Use an agent for hidden information, such as ismcts or pimc.",
            )
        return self._position


def _open(game: Game[Any, Any], position: Any) -> Any:
    """The position where everybody sees it: what is hidden is not even handed on."""
    return None if game.traits.hidden else position
