"""Symmetries of the rules: permutations of the elements of positions under which play stays the same.

They are proven where the rules can be written out (`gdl/symmetry/`). Where they cannot, those worth trying
are tried on positions of random plays: moves must lead to the same positions, with the same probabilities and
payments, in both. That is a trial, not a proof: what survives it lets tables share their weights, and a
symmetry that does not hold after all costs strength, never truth.

Only those count that map the initial positions to themselves: then what is learned of a position serves for
its image, which plays reach as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from gdl.game import CHANCE, TERMINAL, ElementSymmetry

TRIED = 40
"""Positions in which every candidate must hold."""

MOST_OUTCOMES = 40
"""Moves looked at in a position."""


def symmetries(game: Any, seed: int = 0) -> list[ElementSymmetry]:
    """Those that are proven, or hold in all positions that were tried, without the one that changes
    nothing."""
    found, proven = game.compiled.element_symmetries()
    if proven:
        return [symmetry for symmetry in found if _same_starts(game, symmetry)]
    tried = _positions(game, seed)
    return [candidate for candidate in found if _holds(game, candidate, tried)]


def _positions(game: Any, seed: int) -> list[Any]:
    """Positions of random plays, from all stages of play."""
    rng = Random(seed)
    found: list[Any] = []
    plays: list[list[Any]] = []
    for _ in range(6):
        position = _drawn(game.initial(), rng)
        play = []
        for _ in range(300):
            mover = game.to_move(position)
            play.append(position)
            if mover == TERMINAL:
                break
            if mover == CHANCE:
                ways = game.chance(position)
                move = rng.choices([m for m, _ in ways], [float(p) for _, p in ways])[0]
            else:
                move = rng.choice(game.moves(position))
            position = _drawn(game.outcomes(position, move), rng)
        plays.append(play)
    for play in plays:
        found.append(play[-1])
        found += [rng.choice(play) for _ in range(TRIED // len(plays))]
    rng.shuffle(found)
    return found


def _drawn(outcomes: Sequence[Any], rng: Random) -> Any:
    return rng.choices(outcomes, [float(o.probability) for o in outcomes])[0].position


def _holds(game: Any, candidate: ElementSymmetry, tried: Sequence[Any]) -> bool:
    if not _same_starts(game, candidate):
        return False
    from gdl.diagnostics import GameError

    try:
        return all(_holds_at(game, candidate, position) for position in tried)
    except GameError:  # an image in which the rules break
        return False


def _same_starts(game: Any, candidate: ElementSymmetry) -> bool:
    starts = {game.ordinals(o.position): float(o.probability) for o in game.initial()}
    images = {candidate.image(ordinals): odds for ordinals, odds in starts.items()}
    return images.keys() == starts.keys() and all(abs(odds - starts[k]) < 1e-9 for k, odds in images.items())


def _holds_at(game: Any, candidate: ElementSymmetry, position: Any) -> bool:
    """Whether play goes on from the image of a position as the image of how it goes on from there."""
    image = game.composed(candidate.image(game.ordinals(position)))
    mover, other = game.to_move(position), game.to_move(image)
    wanted = 1 - mover if candidate.exchanges and mover >= 0 else mover
    if other != wanted:
        return False
    if mover == TERMINAL:
        paid, seen = game.utility(position), game.utility(image)
        return tuple(paid[::-1] if candidate.exchanges else paid) == tuple(seen)
    moves, others = game.moves(position), game.moves(image)
    if len(moves) != len(others):
        return False
    if len(moves) > MOST_OUTCOMES:  # too many to compare all; enough others are compared
        return True
    return sorted(_way(game, position, move, candidate) for move in moves) == sorted(
        _way(game, image, move, None) for move in others
    )


def _way(game: Any, position: Any, move: Any, candidate: ElementSymmetry | None) -> tuple[Any, ...]:
    """What may come of a move, as it is seen in the image."""
    found = []
    for outcome in game.outcomes(position, move):
        ordinals = game.ordinals(outcome.position)
        rewards = tuple(float(r) for r in outcome.rewards or ())
        if candidate is not None:
            ordinals = candidate.image(ordinals)
            rewards = rewards[::-1] if candidate.exchanges else rewards
        found.append((ordinals, round(float(outcome.probability), 9), rewards))
    return tuple(sorted(found))
