"""The tree of a game as its rules make it, without a search: positions, moves, chance, utilities at the ends.

Where something is hidden it says what the player to move has seen (perfect recall): nodes at which that is
equal are one information set.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from gdl.draw.tree.tree import Worth
from gdl.game import CHANCE, TERMINAL, Game, Outcome
from gdl.trees.twigs import Twig, Words
from solvers.agents.seen import ConcealsMoves
from solvers.core.chance import ways_of_chance

Seen = tuple[tuple[Hashable, ...], ...]
"""What each player has seen so far; nothing is noted where nothing is hidden."""


class PlainTree:
    """Grows twigs by the rules; `faint` for what a search never looked at."""

    def __init__(self, words: Words, faint: bool = False):
        self.words = words
        self.game = words.game
        self.faint = faint
        self.hides = words.game.traits.hidden and not faint

    def root(self, at: Any, depth: float) -> Twig:
        if at is not None:
            return self.position(at, depth, self._first(at))
        starts = self.words.starts()
        if len(starts) == 1:
            return self.root(starts[0][1].position, depth)

        def grow() -> list[Twig]:
            return [
                self._reached(said, outcome, depth, self._first(outcome.position)) for said, outcome in starts
            ]

        return Twig("chance", mover="chance", grow=grow)

    def position(self, position: Any, depth: float, seen: Seen = ()) -> Twig:
        player = self.game.to_move(position)
        twig = Twig(
            self.words.kind(player), position, self.words.name(player), max(player, 0), faint=self.faint
        )
        if player == TERMINAL:
            return replace(twig, worth=Worth(self.words.shown(self.game.utility(position))))
        if player >= 0 and self.hides:
            twig = replace(twig, information=(player, seen[player]), seen=seen)
        if player == CHANCE:
            return replace(twig, grow=lambda: self._chance(position, depth, seen))
        if depth <= 0:
            return replace(twig, cut_off=True)
        return replace(twig, grow=lambda: self._moves(position, player, depth - 1, seen))

    def _moves(self, position: Any, player: int, depth: float, seen: Seen) -> list[Twig]:
        return [self.move(position, move, player, depth, seen) for move in self.game.moves(position)]

    def move(self, position: Any, move: Any, player: int, depth: float, seen: Seen = ()) -> Twig:
        """A move, and what it leads to: a position, or chance."""
        ways = self.words.outcomes(position, move)
        name = self.game.format_move(move)
        if len(ways) == 1:
            outcome = ways[0][1]
            twig = self.position(outcome.position, depth, self._more(seen, player, move, outcome.position))
            return replace(twig, label=name, paid=self.words.paid(outcome))

        def grow() -> list[Twig]:
            return [
                self._reached(said, outcome, depth, self._more(seen, player, move, outcome.position))
                for said, outcome in ways
            ]

        return Twig("chance", mover="chance", label=name, faint=self.faint, grow=grow)

    def _chance(self, position: Any, depth: float, seen: Seen) -> list[Twig]:
        found = []
        for move, probability in self.game.chance(position):
            for said, outcome in self.words.outcomes(position, move):
                name = self.game.format_move(move)
                after = self._more(seen, CHANCE, move, outcome.position)
                both = Outcome(outcome.position, probability * outcome.probability, outcome.rewards)
                found.append(self._reached(f"{name} {said}".strip(), both, depth, after))
        return found

    def _reached(self, said: str, outcome: Outcome, depth: float, seen: Seen) -> Twig:
        twig = self.position(outcome.position, depth, seen)
        return replace(twig, label=said, probability=outcome.probability, paid=self.words.paid(outcome))

    # ------------------------------------------------------------ what players have seen

    def _first(self, position: Any) -> Seen:
        if not self.hides:
            return ()
        return tuple((self.game.observation(position, i),) for i in range(self.game.traits.players))

    def _more(self, seen: Seen, mover: int, move: Any, position: Any) -> Seen:
        if not self.hides:
            return ()
        game = self.game
        conceals = isinstance(game, ConcealsMoves)
        return tuple(
            (
                *before,
                (mover, game.observed_move(move, player, mover) if conceals else move),  # type: ignore[attr-defined]
                game.observation(position, player),
            )
            for player, before in enumerate(seen)
        )


def deepest_within(game: Game[Any, Any], at: Any, most: int) -> float:
    """How many moves deep a tree may be drawn without more than `most` positions, at least one; inf where the
    whole tree has no more. Chance does not count for the depth."""
    level: Sequence[Any] = [at] if at is not None else [start.position for start in game.initial()]
    count, depth = 0, 0
    while level:
        following: list[Any] = []
        waiting = list(level)
        moving: list[Any] = []
        while waiting:  # chance moves on at the same depth
            position = waiting.pop()
            player = game.to_move(position)
            count += 1
            if player == CHANCE and count <= most:
                waiting.extend(way.position for _, way in ways_of_chance(game, position))
            elif player >= 0:
                moving.append(position)
        if count > most:
            return max(depth - 1, 1)
        for position in moving:
            for move in game.moves(position):
                following.extend(outcome.position for outcome in game.outcomes(position, move))
            if count + len(following) > most:
                return max(depth, 1)
        level = following
        depth += 1
    return inf
