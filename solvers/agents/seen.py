"""What a player knows when choosing a move: no agent sees more than its player does.

Where nothing is hidden that is the position. Otherwise it is everything the player has seen in the play
(perfect recall): `seen` alternates what the player observed of each position with who moved between them and
what was shown of the move,

    (observation, (mover, move), observation, (mover, move), .., observation)

and from it follow the positions that are possible.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any, Protocol, runtime_checkable

from gdl.diagnostics.faults import Fault
from gdl.game import CHANCE, Game, Number, Outcome
from solvers.core.refusal import Refusal

MOST_POSITIONS = 10_000
"""When more positions than this are possible at some point, a sample of a fifth of that is followed."""

DRAWN = 20
"""How many outcomes stand for those of a draw that has too many to be listed."""


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

        return View(game, player, tuple(game.moves(position)), everything, position)

    @staticmethod
    def of_play(play: PlayInProgress) -> View:
        """The view of the player to move in a play."""
        game, position = play.game, play.position
        player = game.to_move(position)
        return View(game, player, tuple(game.moves(position)), lambda: play.information(player), position)

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
                "Use an agent for hidden information, such as pimc.",
            )
        return self._position

    def possible(
        self, rng: Random, most: int = MOST_POSITIONS, known: Belief | None = None
    ) -> dict[Any, Number]:
        """The positions that fit everything seen, with their probabilities.

        Chance counts with its probabilities; the other players' moves, whose policies are not known, are
        taken to be uniform. Exact while there are at most `most` positions to follow, else sampled. Empty
        if the play did not begin at the start of the game, or the sample has lost the truth. What is `known`
        from an earlier view of the same play is gone on from, and kept for a later one.
        """
        if not self.game.traits.hidden:
            return {self._position: 1}
        seen = self.seen
        belief, done = (None, 0) if known is None else known.of(self.player, seen)
        if belief is None:
            belief = defaultdict(Fraction)
            for start in starts(self.game, rng, most):
                if self.game.observation(start.position, self.player) == seen[0]:
                    belief[start.position] += start.probability
        rest = seen[done + 1 :]
        for (mover, shown), observation in zip(rest[::2], rest[1::2], strict=True):
            after: dict[Any, Number] = defaultdict(Fraction)
            sampled = len(belief) > most
            for position, weight in (_thinned(belief, most, rng) if sampled else belief).items():
                ways = self._ways(position, mover, shown, observation, rng, sampled)
                for outcome, probability in ways:
                    after[outcome.position] += weight * probability
            belief = _shares(after)
        if known is not None:
            known.keep(self.player, seen, belief)
        return _shares(
            {
                position: weight
                for position, weight in belief.items()
                if self.game.to_move(position) == self.player
                and tuple(self.game.moves(position)) == self.moves
            }
        )

    def _ways(
        self, position: Any, mover: int, shown: Hashable, observation: Hashable, rng: Random, sampled: bool
    ) -> list[tuple[Outcome, Number]]:
        """What may have happened in a position when a move was made that looked like this and led to what was
        observed: all of it, or where that is `sampled` one move that stands for all."""
        game = self.game
        if game.to_move(position) != mover:
            return []
        if mover == CHANCE:
            odds = dict(game.chance(position))
        else:
            legal = game.moves(position)
            odds = dict.fromkeys(legal, Fraction(1, 1 if mover == self.player else len(legal)))
        fitting = {move: p for move, p in odds.items() if self._looks(move, mover) == shown}
        if sampled and len(fitting) > 1:
            moves, weights = list(fitting), [float(p) for p in fitting.values()]
            fitting = {rng.choices(moves, weights)[0]: sum(fitting.values())}
        return [
            (way, p * way.probability)
            for move, p in fitting.items()
            for way in outcomes(game, position, move, rng)
            if game.observation(way.position, self.player) == observation
        ]

    def _looks(self, move: Any, mover: int) -> Hashable:
        if isinstance(self.game, ConcealsMoves):
            return self.game.observed_move(move, self.player, mover)
        shown: Hashable = move
        return shown


class Belief:
    """What each player was found to think possible at their last move, to go on from."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[tuple[Any, ...], dict[Any, Number]]] = {}

    def of(self, player: int, seen: tuple[Any, ...]) -> tuple[dict[Any, Number] | None, int]:
        """The positions that were possible when the player had seen the beginning of this, and how long that
        was; None where the player was not asked in this play."""
        before, belief = self._last.get(player, ((), {}))
        if before and seen[: len(before)] == before:
            return belief, len(before) - 1
        return None, 0

    def keep(self, player: int, seen: tuple[Any, ...], belief: dict[Any, Number]) -> None:
        self._last[player] = seen, belief


def _shares(belief: dict[Any, Number]) -> dict[Any, Number]:
    """The same odds, summing to 1."""
    total = sum(belief.values())
    return {position: weight / total for position, weight in belief.items()}


def _thinned(belief: dict[Any, Number], most: int, rng: Random) -> dict[Any, Number]:
    """A sample that stands for many positions."""
    positions = list(belief)
    count = max(1, most // 5)
    chosen: dict[Any, Number] = defaultdict(Fraction)
    for position in rng.choices(positions, [float(belief[position]) for position in positions], k=count):
        chosen[position] += Fraction(1, count)
    return chosen


def starts(game: Game[Any, Any], rng: Random, most: int) -> Sequence[Outcome]:
    """How the game may begin; some of many ways where there are too many to be listed."""
    return _listed(game.initial, lambda: game.sample_initial(rng), most)  # type: ignore[attr-defined]


def outcomes(game: Game[Any, Any], position: Any, move: Any, rng: Random) -> Sequence[Outcome]:
    """What a move may do; some of many things where there are too many to be listed."""
    return _listed(
        lambda: game.outcomes(position, move),
        lambda: game.sample(position, move, rng),  # type: ignore[attr-defined]
        DRAWN,
    )


def _listed(
    every: Callable[[], Sequence[Outcome]], one: Callable[[], tuple[Any, ...]], count: int
) -> Sequence[Outcome]:
    try:
        return every()
    except Fault as fault:
        if fault.code != "F007":
            raise
        drawn = [one() for _ in range(count)]
        return [Outcome(way[0], Fraction(1, count), way[2]) for way in drawn]
