"""Plays in which everybody sees what they may: agents at the table, and who else chooses by what is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from gdl.game import CHANCE, TERMINAL, Game
from solvers.agents.agent import Agent
from solvers.agents.seen import ConcealsMoves, View
from solvers.core.rollout import longest_play
from solvers.core.starts import starts_of
from solvers.hidden.game_tree import Seen
from solvers.hidden.sequences import Known


class Table:
    """Plays a game again and again, from its start or from a position."""

    def __init__(self, game: Game[Any, Any], agents: Mapping[int, Agent], at: Any, rng: Random):
        self.game, self.agents, self.rng = game, agents, rng
        self.starts = starts_of(game, at)
        self.odds = [float(start.probability) for start in self.starts]
        self.players = range(len(game.players))

    def play(self, response: Callable[[Known], Any]) -> tuple[list[float], float]:
        """What a play pays everybody, and how much of it was cut off; `response` chooses where nobody's agent
        does."""
        game, rng = self.game, self.rng
        (start,) = rng.choices(self.starts, self.odds)
        position, factor = start.position, 1.0
        paid = [float(part) for part in start.rewards] or [0.0 for _ in self.players]
        seen: list[Seen] = [(game.observation(position, one),) for one in self.players]
        for _ in range(longest_play(game.traits)):
            mover = game.to_move(position)
            if mover == TERMINAL:
                last = game.utility(position)
                return [a + factor * float(b) for a, b in zip(paid, last, strict=True)], 0.0
            move = self._move(position, mover, seen, response)
            outcomes = game.outcomes(position, move)
            (outcome,) = rng.choices(outcomes, [float(one.probability) for one in outcomes])
            position = outcome.position
            for one in self.players:
                shown = game.observed_move(move, one, mover) if isinstance(game, ConcealsMoves) else move
                seen[one] = (*seen[one], (mover, shown), game.observation(position, one))
                if outcome.rewards:
                    paid[one] += factor * float(outcome.rewards[one])
            factor *= float(game.traits.discount)
        return paid, factor

    def _move(self, position: Any, mover: int, seen: list[Seen], response: Callable[[Known], Any]) -> Any:
        game, rng = self.game, self.rng
        if mover == CHANCE:
            moves, odds = zip(*game.chance(position), strict=True)
            return rng.choices(moves, [float(p) for p in odds])[0]
        legal = tuple(game.moves(position))
        if mover not in self.agents:
            return response(Known(mover, seen[mover], legal))
        known = seen[mover]
        return self.agents[mover].choose(View(game, mover, legal, lambda: known, None), rng).move
