"""What a player knows when choosing a move: no agent sees more than its player does.

Where nothing is hidden that is the position. Otherwise it is the history of what the player has observed,
one observation per position of the play, with the player's own moves between them (perfect recall); and from
it, the positions that are possible.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

from gdl.game import CHANCE, Game, Number
from solvers.chance import ways_of_chance
from solvers.refusal import Refusal

MOST_POSITIONS = 10_000
"""When more positions than this are possible at some point, a random sample of so many is followed."""


class Event(NamedTuple):
    """What a player learns from one move of the play: the own move, or None for another's; what it led to."""

    move: Any
    observation: Hashable


@dataclass(frozen=True, slots=True)
class Memory:
    """All that one player has observed in a play, from its first position on."""

    player: int
    first: Hashable
    events: tuple[Event, ...] = ()

    @staticmethod
    def begin(game: Game[Any, Any], player: int, position: Any) -> Memory:
        return Memory(player, game.observation(position, player))

    def after(self, game: Game[Any, Any], mover: int, move: Any, position: Any) -> Memory:
        """The memory once somebody has moved and the play has reached a position."""
        own = move if mover == self.player else None
        event = Event(own, game.observation(position, self.player))
        return Memory(self.player, self.first, (*self.events, event))


@dataclass(frozen=True, slots=True)
class View:
    """What an agent is given to choose a move. `moves` are the legal ones; the player always sees those."""

    game: Game[Any, Any]
    player: int
    moves: tuple[Any, ...]
    memory: Memory
    _position: Any = field(repr=False)

    @staticmethod
    def of(game: Game[Any, Any], position: Any, memory: Memory | None = None) -> View:
        """The view of the player to move. Without a memory the play is taken to begin here."""
        player = game.to_move(position)
        remembered = Memory.begin(game, player, position) if memory is None else memory
        return View(game, player, tuple(game.moves(position)), remembered, position)

    @property
    def position(self) -> Any:
        """The position, where nothing is hidden; refuses to give it away where something is."""
        if self.game.traits.hidden:
            raise Refusal(
                f"in {self.game.name} the position is not known to {self.game.players[self.player]}, "
                "only what was observed.",
                "Use an agent for hidden information, such as pimc.",
            )
        return self._position

    def possible(self, rng: Random, most: int = MOST_POSITIONS) -> dict[Any, Number]:
        """The positions that fit everything observed, with their probabilities.

        Chance counts with its probabilities; the other players' moves, whose policies are not known, are
        taken to be uniform. Exact while there are at most `most` positions to follow, else sampled. Empty
        if the play did not begin at the start of the game, or the sample has lost the truth.
        """
        if not self.game.traits.hidden:
            return {self._position: 1}
        belief: dict[Any, Number] = defaultdict(Fraction)
        for start in self.game.initial():
            if self.game.observation(start.position, self.player) == self.memory.first:
                belief[start.position] += start.probability
        for event in self.memory.events:
            belief = self._followed(_thinned(belief, most, rng), event)
        fitting = {
            position: weight
            for position, weight in belief.items()
            if self.game.to_move(position) == self.player and tuple(self.game.moves(position)) == self.moves
        }
        total = sum(fitting.values())
        return {position: weight / total for position, weight in fitting.items()}

    def _followed(self, belief: dict[Any, Number], event: Event) -> dict[Any, Number]:
        """The positions that one more move may have led to, given what was observed after it."""
        game, player = self.game, self.player
        after: dict[Any, Number] = defaultdict(Fraction)
        for position, weight in belief.items():
            mover = game.to_move(position)
            if (mover == player) != (event.move is not None) or mover < CHANCE:
                continue
            if mover == CHANCE:
                ways = [(outcome, outcome.probability) for _, outcome in ways_of_chance(game, position)]
            else:
                legal = game.moves(position)
                moves = [event.move] if mover == player and event.move in legal else []
                moves = moves if mover == player else list(legal)
                ways = [
                    (outcome, outcome.probability / len(moves))
                    for move in moves
                    for outcome in game.outcomes(position, move)
                ]
            for outcome, probability in ways:
                if game.observation(outcome.position, player) == event.observation:
                    after[outcome.position] += weight * probability
        return after


def _thinned(belief: dict[Any, Number], most: int, rng: Random) -> dict[Any, Number]:
    if len(belief) <= most:
        return belief
    positions = list(belief)
    chosen: dict[Any, Number] = defaultdict(Fraction)
    for position in rng.choices(positions, [float(belief[position]) for position in positions], k=most):
        chosen[position] += Fraction(1, most)
    return chosen
