"""About how many histories a game has, and how many positions one sample visits, from random plays
(Knuth 1975).

A play that chooses uniformly among all that may happen next has met, at each step, one history that stands
for as many as the product of the choices so far; the sum over its steps is right on average. Where only the
choices of one player count, it is what external sampling visits, which tries all moves of that player.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from gdl.game import CHANCE, TERMINAL, Game
from solvers.core.starts import starts_of
from solvers.hidden.consistency import History
from solvers.hidden.endless import Endless

PROBES = 200
"""Plays that an estimate comes from."""

LONGEST = 10_000
"""Moves after which a play is given up: then there is no end of histories."""


def histories(game: Game[Any, Any], at: Any = None, probes: int = PROBES, seed: int = 0) -> float:
    """The estimate, from so many plays; more often too low than too high. Refuses where one of them comes
    back to a position, and so may go on for ever."""
    rng = Random(seed)
    starts = starts_of(game, at)
    total = 0.0
    for _ in range(probes):
        ways = float(len(starts))
        total += ways
        for _, legal, outcomes in _play(game, starts, rng):
            ways *= legal * outcomes
            total += ways
    return total / probes


def external_sample(game: Game[Any, Any], at: Any = None, probes: int = PROBES, seed: int = 0) -> float:
    """About how many positions external sampling visits in one sample, of the player who has most."""
    rng = Random(seed)
    starts = starts_of(game, at)
    totals = [0.0] * len(game.players)
    for _ in range(probes):
        ways = [1.0] * len(game.players)
        for mover, legal, _ in _play(game, starts, rng):
            if mover >= 0:
                ways[mover] *= legal
            totals = [total + own for total, own in zip(totals, ways, strict=True)]
    return max(totals) / probes


def _play(game: Game[Any, Any], starts: Any, rng: Random) -> Iterator[tuple[int, float, float]]:
    """A play at random: who moves, among how many moves, and how many outcomes the one that is made has."""
    position = rng.choice(starts).position
    history: History = [(None, position)]
    met = {position}
    for _ in range(LONGEST):
        mover = game.to_move(position)
        if mover == TERMINAL:
            return
        legal = [move for move, _ in game.chance(position)] if mover == CHANCE else game.moves(position)
        move = rng.choice(legal)
        outcomes = game.outcomes(position, move)
        yield mover, len(legal), len(outcomes)
        position = rng.choice(outcomes).position
        history.append((move, position))
        if position in met:
            raise Endless.shown_by(game, history)
        met.add(position)
    yield CHANCE, float("inf"), 1
