"""By which variables a game tells that it is at rest.

Games are played at random. A set of variables is good if play comes back to rest again and again, and if
turns have few positions in common: those are explored once for each turn in which they occur. That is tried
out on turns that follow one another. Nothing but speed and memory depends on the choice: what lies between
rests is explored whole (turns.py), and a game that does not come to rest is refused there.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from gdl.game import Compiled, Game
from solvers.core.refusal import Refusal, cannot_go_on
from solvers.core.starts import starts_of
from solvers.whole.estimate.random_steps import random_steps, some_of
from solvers.whole.estimate.stopwatch import Stopwatch
from solvers.whole.kernels.partition import Partition
from solvers.whole.kernels.space import Space
from solvers.whole.kernels.turns.rests import Rests, rests_of
from solvers.whole.kernels.turns.space import TurnBatch, TurnSpace

WALKERS = 64
STEPS = 400
SECONDS = 10.0
"""Games played at random at the same time, for how many moves, and how long at most."""

MOST_VARIABLES = 6
"""Sets are made of so many variables, those that come back to rest most often."""

LONGEST_GAP = 200
"""A game at rest less often is not at rest."""

LONGEST_TURN = 1 << 16
LARGEST = 4_096
"""Positions of a turn at most, and on average."""

TRIED, TURNS, POSITIONS = 4, 64, 300_000
"""Turns are tried from so many rests on, so many after each, with so many positions in all."""

MOST_OFTEN = 4.0
"""A position may occur in so many turns, on average."""


@dataclass(frozen=True)
class TurnSize:
    """What turns are like, on average over those that were tried."""

    positions: float  # of a turn
    rests: float  # to which it leads
    words: float  # of its program
    turns: float  # in which a position occurs

    @property
    def share(self) -> float:
        """Positions for each rest."""
        return self.positions / self.turns


@dataclass(frozen=True)
class Found:
    """Rests, and what turns between them are like."""

    rests: Rests
    size: TurnSize


def why_not(game: Game[Any, Any]) -> str | None:
    """What keeps a game from being solved by turns; None if nothing does."""
    traits = game.traits
    if traits.players > 2 or (traits.players == 2 and not traits.zero_sum):
        return "it is neither for one player nor for two opposed ones"
    if traits.discount != 1:
        return "it discounts every move"
    return None


def not_by_turns(game: Game[Any, Any], reason: str) -> Refusal:
    return cannot_go_on(f"{game.name} cannot be solved by turns: {reason}.", "Solve it without --turns.")


def rests_or_refusal(game: Game[Any, Any], at: Any = None) -> Found:
    """The best way to tell the rests of a compiled game; refuses a game that has none."""
    reason = why_not(game)
    found = find_rests(game, at) if reason is None else None
    if found is None:
        nothing_tells = (
            "no variables tell where turns end, that is, come back to the same values again and again"
        )
        raise not_by_turns(game, reason or nothing_tells)
    return found


def find_rests(game: Game[Any, Any], at: Any = None, seed: int = 0) -> Found | None:
    """The best way to tell the rests of a compiled game; None if there is no good one."""
    compiled: Compiled = game.compiled  # type: ignore[attr-defined]
    rng = np.random.default_rng(seed)
    walks = _walks(game, compiled, at, rng)
    best: Found | None = None
    for rests in _candidates(compiled, walks):
        size = _tried(game, compiled, rests, walks, rng)
        if size is None or size.share < 2 or size.turns > MOST_OFTEN or size.positions > LARGEST:
            continue
        if (
            best is None
            or size.turns < 0.95 * best.size.turns
            or (size.turns < 1.05 * best.size.turns and size.share > best.size.share)
        ):
            best = Found(rests, size)
    return best


def _walks(game: Game[Any, Any], compiled: Compiled, at: Any, rng: Any) -> list[Any]:
    """Games played at random: the keys of their positions, one after another."""
    with Space(game, compiled, 1) as space:
        begin = np.ascontiguousarray(space.addressed(s.position for s in starts_of(game, at))[:, :-1])
        now = some_of(begin, WALKERS, rng)
        plays = [[key] for key in now]
        finished = []
        watch = Stopwatch(SECONDS)
        for _ in range(STEPS):
            steps = [(count, after) for _, count, after in random_steps(space, now, begin, rng, watch)]
            if sum(len(count) for count, _ in steps) < len(now):  # time is over
                break
            over = np.concatenate([count for count, _ in steps]) == 0
            now = np.concatenate([after for _, after in steps])
            for k, key in enumerate(now):
                if over[k]:
                    finished.append(plays[k])
                    plays[k] = []
                plays[k].append(key)
    return [np.array(play) for play in [*finished, *plays]]


def _candidates(compiled: Compiled, walks: list[Any]) -> list[Rests]:
    """Sets of variables that are at rest again and again in every walk; small ones first."""
    everything = np.concatenate(walks)
    resting: list[tuple[float, Rests]] = []
    for name, _, bits in compiled.fields:
        whole = rests_of(compiled, [name], everything[0]) if bits else None
        if whole is None:
            continue
        values, counts = np.unique(everything & whole.mask, axis=0, return_counts=True)
        if len(values) < 2:
            continue
        rests = Rests((name,), whole.mask, values[int(np.argmax(counts))])
        returns = [np.count_nonzero(np.diff(rests.hold(walk).astype(np.int8)) > 0) for walk in walks]
        if sum(returns) >= len(walks):
            resting.append((-float(sum(returns)), rests))
    resting.sort(key=lambda pair: pair[0])
    few = [rests for _, rests in resting[:MOST_VARIABLES]]
    sets = [chosen for size in range(1, len(few) + 1) for chosen in combinations(few, size)]
    joined = [
        Rests(
            tuple(rests.variables[0] for rests in chosen),
            np.bitwise_or.reduce([rests.mask for rests in chosen]),
            np.bitwise_or.reduce([rests.want for rests in chosen]),
        )
        for chosen in sets
    ]
    return [rests for rests in joined if max(_longest_gap(rests.hold(walk)) for walk in walks) <= LONGEST_GAP]


def _longest_gap(at_rest: Any) -> int:
    """The longest run of positions that are not at rest."""
    stops = np.concatenate([[-1], np.flatnonzero(at_rest), [len(at_rest)]])
    return int(np.diff(stops).max()) - 1


def _tried(
    game: Game[Any, Any], compiled: Compiled, rests: Rests, walks: list[Any], rng: Any
) -> TurnSize | None:
    """What turns are like, from some rests on; None where they are too long, or lead back to themselves."""
    everything = np.concatenate(walks)
    known = everything[rests.hold(everything)]
    turns = inside = leaving = words = 0
    different = 0
    with TurnSpace(game, compiled, rests, 1, LONGEST_TURN) as space:
        for k in rng.choice(len(known), min(TRIED, len(known)), replace=False):
            following = Partition.of(known[k : k + 1].copy())
            seen = []
            at = 0
            while at < min(following.count, TURNS) and inside < POSITIONS:
                try:
                    space.expand(0, at, at + 1, following.keys)
                except Refusal:
                    return None
                batch = space.batches[0]
                assert isinstance(batch, TurnBatch)
                found = batch.inside
                seen.append(space.turns[0].arrays.keys[:found].copy())
                following.absorb(batch.mail[0], batch.edges, batch.found[0])
                turns, inside, leaving = turns + 1, inside + found, leaving + batch.edges
                words += int(batch.starts[1])
                at += 1
            if seen:
                different += len(np.unique(np.concatenate(seen), axis=0))
    return TurnSize(inside / turns, leaving / turns, words / turns, inside / different)
