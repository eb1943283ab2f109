"""How many positions a game has, before they are all visited.

From above: no more than combinations of values. Small games are counted. Else by sampling: layer by layer
(sampled_layers.py) where play only leads to new layers, else by random plays (sampled_plays.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from gdl.game import Game
from solvers.core.starts import starts_of
from solvers.whole.estimate.sampled_layers import Layers, beyond
from solvers.whole.estimate.sampled_plays import by_plays
from solvers.whole.estimate.stopwatch import Report, Stopwatch
from solvers.whole.kernels.space import Space


@dataclass(frozen=True, slots=True)
class Estimate:
    """About how many positions and edges there are; `complete`: counted, not estimated."""

    positions: float
    edges: float
    most: float  # no more positions than this
    layers: int  # explored or sampled
    complete: bool
    or_more: bool = False  # what was sampled is too little of the game to tell where it ends
    speed: float = 0.0  # edges that the rules followed in a second of work

    def as_data(self) -> dict[str, Any]:
        return {
            "positions": self.positions,
            "edges": self.edges,
            "positions_at_most": self.most if self.most < inf else None,
            "layers": self.layers,
            "complete": self.complete,
            "or_more": self.or_more,
        }


SECONDS = 10.0
"""An estimate takes no longer than this, and a little: nearly all games need less."""


def estimate(
    game: Game[Any, Any],
    at: Any = None,
    seed: int = 0,
    seconds: float = SECONDS,
    report: Report | None = None,
) -> Estimate:
    """The size of the position graph of a compiled game, in a few seconds."""
    rng = np.random.default_rng(seed)
    compiled = game.compiled  # type: ignore[attr-defined]
    most = 2.0**compiled.log2_positions if compiled.log2_positions < 1023 else inf
    starts = tuple(starts_of(game, at))
    with Space(game, compiled, 1) as space:
        space.add(start.position for start in starts)
        watch = Stopwatch(seconds, report)
        whole = Layers(space)
        whole.take_whole(watch)
        seen = float(space.count)
        if whole.complete:
            return Estimate(seen, whole.edges, most, whole.count, True, False, watch.speed)
        if whole.graded and game.traits.acyclic:
            found = beyond(whole, most, rng, watch)
            positions = min(found.positions, most)
            or_more = found.or_more and positions < most
            return Estimate(positions, found.edges, most, found.layers, False, or_more, watch.speed)
        begin = np.ascontiguousarray(space.addressed(start.position for start in starts)[:, :-1])
        guess = by_plays(space, begin, rng, watch)
        positions = min(max(seen, guess.positions), most)
        or_more = guess.or_more and positions < most
        edges = (guess.degree or whole.degree) * positions
        return Estimate(positions, edges, most, whole.count, False, or_more, watch.speed)
