"""The shape of a game: how many moves there are, how long plays are, how they end, how many positions there
are at each depth."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from gdl.answers import params_of
from gdl.diagnostics import GameError
from gdl.diagnostics.drawing import nothing_to_plot
from gdl.diagnostics.wording.phrases import counted
from gdl.draw.plots.plot import Chart, Panel, Series
from gdl.draw.plots.text import number
from gdl.game import Game

PLAYS = 300
MOVES = 20_000
"""Made in all plays together, unless the caller says how many plays there are: long games have fewer."""

LONGEST = 2_000
"""Moves of a play; longer ones are stopped and counted."""

POSITIONS = 30_000
"""Explored for the number of positions at each depth."""

MOST_OUTCOMES = 9
BINS = 30


def shape(
    game: Game[Any, Any], *, plays: int | None = None, seed: int = 1, positions: int = POSITIONS
) -> Chart:
    """Branching by depth, lengths and outcomes of random plays, and positions by depth, counted."""
    from gdl.exploration import explore

    branching: dict[int, list[int]] = defaultdict(list)
    lengths: list[int] = []
    ends: list[tuple[float, ...]] = []
    for n in range(plays or PLAYS):
        length, paid = _one_play(game, seed * 1_000_003 + n, branching)
        lengths.append(length)
        if paid is not None:
            ends.append(paid)
        if plays is None and sum(lengths) > MOVES:
            break
    if not any(lengths):
        raise GameError(
            [
                nothing_to_plot(
                    f"every play of {game.name} is over before a move",
                    "begin otherwise: see `initial:` and `terminal:`",
                )
            ]
        )
    found = explore(game, max_positions=positions)
    settings = "".join(f", {name}={value}" for name, value in params_of(game))
    notes = [f"{counted(len(lengths), 'random play')}, seed {seed}; means with the least and the most"]
    if stopped := len(lengths) - len(ends):
        notes.append(f"{counted(stopped, 'play')} of them stopped after {LONGEST:,} moves")
    known = len(found.first_met) if found.complete else max(1, len(found.first_met) - 1)
    met = found.first_met[:known]
    notes.append(
        f"all {found.positions:,} positions"
        if found.complete
        else f"positions by depth as far as {found.positions:,} of them go: complete to depth {known - 1}"
    )
    depths = tuple(float(depth) for depth in range(len(met)))
    by_depth = Series("", depths, tuple(map(float, met)), look="bars" if len(met) <= 40 else "line")
    panels = (
        _branching(branching),
        _lengths(lengths),
        _outcomes(game, ends),
        Panel(
            "positions, by the fewest moves", "moves from the start", "positions", (by_depth,),
            log_y=len(met) > 1 and max(met) > 50 * max(1, min(met)),
        ),
    )  # fmt: skip
    return Chart(f"{game.name}{settings}: shape", panels, tuple(notes))


def _one_play(
    game: Game[Any, Any], seed: int, branching: dict[int, list[int]]
) -> tuple[int, tuple[float, ...] | None]:
    """A random play: its moves, and what it pays; None if it was stopped."""
    from random import Random

    from gdl.game import CHANCE
    from gdl.playing.play import Play

    rng = Random(seed)
    play: Play[Any, Any] = Play(game, rng=rng)
    depth = 0
    while not play.finished:
        if depth == LONGEST:
            return depth, None
        if play.to_move == CHANCE:
            play.draw()
            continue
        moves = list(play.moves())
        branching[depth].append(len(moves))
        play.make(rng.choice(moves))
        depth += 1
    return depth, tuple(float(paid) for paid in play.returns)


def _branching(branching: dict[int, list[int]]) -> Panel:
    enough = min(5, len(branching[0]))  # the last moves of the longest plays say little
    depths = sorted(depth for depth, counts in branching.items() if len(counts) >= enough)
    means = tuple(sum(branching[d]) / len(branching[d]) for d in depths)
    least, most = (tuple(float(end(branching[d])) for d in depths) for end in (min, max))
    series = Series("", tuple(map(float, depths)), means, least, most)
    return Panel("legal moves", "moves from the start", "moves to choose from", (series,))


def _lengths(lengths: list[int]) -> Panel:
    low, high = min(lengths), max(lengths)
    width = max(1, -(-(high - low + 1) // BINS))
    counts = Counter(low + (length - low) // width * width for length in lengths)
    starts = range(low, high + 1, width)
    # A bar stands over the middle of its numbers.
    x = tuple(start + (width - 1) / 2 for start in starts)
    shares = tuple(counts[start] / len(lengths) for start in starts)
    mean = sum(lengths) / len(lengths)
    title = f"length of plays: {number(mean)} on average, {low:,} to {high:,}"
    what = "moves" if width == 1 else f"moves, by {width}"
    return Panel(title, what, "share of plays", (Series("", x, shares, look="bars"),))


def _outcomes(game: Game[Any, Any], ends: list[tuple[float, ...]]) -> Panel:
    opposed = game.traits.zero_sum or game.traits.players == 1
    counts = Counter(end[:1] if opposed else end for end in ends)
    who = f"what {game.players[0]} gets" if opposed else "what the players get"
    if len(counts) <= MOST_OUTCOMES or not opposed:
        shown = sorted(counts, key=lambda end: -counts[end])[:MOST_OUTCOMES]
        names = tuple(", ".join(map(number, end)) for end in sorted(shown))
        shares = tuple(counts[end] / len(ends) for end in sorted(shown))
        return Panel("outcomes", who, "share of plays", (Series("", names, shares, look="bars"),))
    low, high = min(counts)[0], max(counts)[0]
    width = (high - low) / BINS or 1.0
    bins = Counter(min(BINS - 1, int((end[0] - low) / width)) for end in ends)
    x = tuple(low + (k + 0.5) * width for k in range(BINS))
    shares = tuple(bins[k] / len(ends) for k in range(BINS))
    return Panel("outcomes", who, "share of plays", (Series("", x, shares, look="bars"),))
