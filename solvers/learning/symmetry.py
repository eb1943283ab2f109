"""Symmetries of the rules: permutations of the elements of positions under which play stays the same.

Candidates come from the indices of variables: boards are turned and mirrored, numbers reversed, two players
change places. Each is tried on positions of random plays: moves must lead to the same positions, with the
same probabilities and payments, in both. That is a trial, not a proof: what survives it lets tables share
their weights, and a symmetry that does not hold after all costs strength, never truth.

Only those count that map the initial positions to themselves: then what is learned of a position serves for
its image, which plays reach as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

from gdl.game import CHANCE, TERMINAL, Axis

TRIED = 40
"""Positions in which every candidate must hold."""

MOST_CANDIDATES = 4096
"""With more, only those that move all variables at once are tried."""

MOST_OUTCOMES = 40
"""Moves looked at in a position."""


@dataclass(frozen=True)
class Symmetry:
    """The image of a position has in element e what the position has in element source[e], its value mapped
    where players change places."""

    source: tuple[int, ...]
    maps: Mapping[int, tuple[int, ...]]
    exchanges: bool  # whether two players change places

    def image(self, ordinals: Sequence[int]) -> tuple[int, ...]:
        found = [ordinals[k] for k in self.source]
        for element, mapped in self.maps.items():
            found[element] = mapped[found[element]]
        return tuple(found)


def symmetries(game: Any, seed: int = 0) -> list[Symmetry]:
    """Those that hold in all positions that were tried, without the one that changes nothing."""
    tried = _positions(game, seed)
    identity = tuple(range(len(game.elements)))
    found = []
    for candidate in candidates(game):
        trivial = candidate.source == identity and not candidate.exchanges
        if not trivial and _holds(game, candidate, tried):
            found.append(candidate)
    return found


def candidates(game: Any) -> Iterator[Symmetry]:
    """Every way to move the indices of each variable, with and without a change of places."""
    axes: Mapping[str, tuple[Axis, ...]] = game.axes
    places = [(name, k, _ways(axis)) for name, own in axes.items() for k, axis in enumerate(own)]
    count = 1
    for _, _, ways in places:
        count *= len(ways)
    same = count > MOST_CANDIDATES
    kinds = {len(ways): ways for _, _, ways in places}
    choices = (
        [tuple(min(k, len(ways) - 1) for _, _, ways in places) for k in range(max(kinds, default=1))]
        if same
        else list(product(*(range(len(ways)) for _, _, ways in places)))
    )
    swaps = (False, True) if game.traits.players == 2 and game.traits.zero_sum else (False,)
    for exchanges, choice in product(swaps, choices):
        moved = {(name, k): ways[c] for (name, k, ways), c in zip(places, choice, strict=True)}
        yield _symmetry(game, axes, moved, exchanges)


def _symmetry(
    game: Any, axes: Mapping[str, tuple[Axis, ...]], moved: Mapping[tuple[str, int], Any], exchanges: bool
) -> Symmetry:
    number: dict[Any, int] = {}
    parts: dict[Any, int] = {}  # members of a set share variable, part and place: counted in order
    keys = []
    for element in game.elements:
        key = (element.variable, element.part, element.at)
        parts[key] = parts.get(key, -1) + 1
        keys.append((*key, parts[key]))
        number[keys[-1]] = len(keys) - 1
    source, maps = [], {}
    for e, element in enumerate(game.elements):
        at = list(element.at)
        for k, axis in enumerate(axes[element.variable]):
            at[k] = moved[element.variable, k][at[k]]
            if exchanges and axis.exchanged:
                at[k] = axis.exchanged[at[k]]
        source.append(number[element.variable, element.part, tuple(at), keys[e][3]])
        if exchanges and element.exchanged:
            maps[e] = element.exchanged
    return Symmetry(tuple(source), maps, exchanges)


def _ways(axis: Axis) -> list[tuple[int, ...]]:
    """How the values of an index may be moved: first not at all."""
    stay = tuple(range(axis.size))
    if axis.kind == "numbers":
        return [stay, stay[::-1]] if axis.size > 1 else [stay]
    if axis.kind not in ("grid", "hex"):
        return [stay]
    number = {cell: k for k, cell in enumerate(axis.cells)}
    rows = max(row for row, _ in axis.cells)
    cols = max(col for _, col in axis.cells)
    found = [stay]
    for turned, up, across in product((False, True), repeat=3):
        moved = []
        for row, col in axis.cells:
            r, c = (rows - row if up else row), (cols - col if across else col)
            moved.append(number.get((c, r) if turned else (r, c)))
        if None not in moved and len(set(moved)) == axis.size and tuple(moved) not in found:
            found.append(tuple(moved))  # type: ignore[arg-type]
    return found


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


def _holds(game: Any, candidate: Symmetry, tried: Sequence[Any]) -> bool:
    if not _same_starts(game, candidate):
        return False
    from gdl.diagnostics import GameError

    try:
        return all(_holds_at(game, candidate, position) for position in tried)
    except GameError:  # an image in which the rules break
        return False


def _same_starts(game: Any, candidate: Symmetry) -> bool:
    starts = {game.ordinals(o.position): float(o.probability) for o in game.initial()}
    images = {candidate.image(ordinals): odds for ordinals, odds in starts.items()}
    return images.keys() == starts.keys() and all(abs(odds - starts[k]) < 1e-9 for k, odds in images.items())


def _holds_at(game: Any, candidate: Symmetry, position: Any) -> bool:
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


def _way(game: Any, position: Any, move: Any, candidate: Symmetry | None) -> tuple[Any, ...]:
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
