"""About how many histories a game has, from random plays (Knuth 1975).

A play that chooses uniformly among all that may happen next has met, at each step, one history that stands
for as many as the product of the choices so far; the sum over its steps is right on average.
"""

from __future__ import annotations

from random import Random
from typing import Any

from gdl.game import CHANCE, TERMINAL, Game
from solvers.core.starts import starts_of

PROBES = 200
"""Plays that an estimate comes from."""

LONGEST = 10_000
"""Moves after which a play is given up: then there is no end of histories."""


def histories(game: Game[Any, Any], at: Any = None, probes: int = PROBES, seed: int = 0) -> float:
    """The estimate, from so many plays; more often too low than too high."""
    rng = Random(seed)
    starts = starts_of(game, at)
    return sum(_probe(game, starts, rng) for _ in range(probes)) / probes


def _probe(game: Game[Any, Any], starts: Any, rng: Random) -> float:
    ways = float(len(starts))
    found = ways
    position = rng.choice(starts).position
    for _ in range(LONGEST):
        mover = game.to_move(position)
        if mover == TERMINAL:
            return found
        legal = [move for move, _ in game.chance(position)] if mover == CHANCE else game.moves(position)
        outcomes = game.outcomes(position, rng.choice(legal))
        ways *= len(legal) * len(outcomes)
        found += ways
        position = rng.choice(outcomes).position
    return float("inf")
