"""Whether a game fits memory, before it is explored: with an estimate, and why not where it will not.

Where only all positions together would not fit, those between turns may (docs/decisions/turns.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from gdl.diagnostics.wording.phrases import amount_of_memory
from gdl.game import Game
from solvers.core.numbers import show_most
from solvers.core.refusal import TooLarge
from solvers.registry import search_instead
from solvers.whole.estimate.estimate import Estimate, estimate
from solvers.whole.estimate.stopwatch import Report
from solvers.whole.kernels.breadth_first import DEFAULT_MEMORY, available_memory
from solvers.whole.kernels.solve import Settings
from solvers.whole.kernels.turns.finding_rests import find_rests, rests_or_refusal, why_not
from solvers.whole.kernels.turns.rests import Rests

_FAR_MORE = 10
"""A game that may have more positions than an estimate says is taken to have so many times as many."""

USUAL_SPEED, LOOKED_UP = 8e6, 1e-7
"""Edges that are followed in a second where nothing was measured, and what it takes to look one up in a table
that does not fit the cache (docs/solving.md)."""

_CAUTION = 4
"""What takes more than this part of the memory, by an estimate, may not fit; turns are tried instead."""


KnownBy = Literal["limit", "types", "counting", "sampling"]
"""What tells how large a game is: a limit that was given, so that nothing was looked at; the types of its
variables, which allow no more; all positions, counted; or a sample of them."""


@dataclass(frozen=True, slots=True)
class Sized:
    """How large a compiled game is, and the settings that fit it; or why none do."""

    settings: Settings
    known_by: KnownBy
    positions: float | None = None  # about; by the types: no more than this
    or_more: bool = False
    memory: float | None = None  # bytes, likewise
    seconds: float | None = None  # to solve it, likewise
    why: str = ""  # why only positions between turns are kept, if so
    refusal: TooLarge | None = None


def sized(
    game: Game[Any, Any],
    solver: str,
    at: Any,
    settings: Settings,
    turns: bool | None = None,
    report: Report | None = None,
) -> Sized:
    """The settings with a limit of memory; by turns where that was asked for, or where all positions might
    not fit.

    In two stages: where all that the types allow fits, and where turns or a limit of positions are given,
    nothing is explored. Else a sample tells.
    """
    if settings.max_memory is None:
        settings = replace(settings, max_memory=int(DEFAULT_MEMORY * available_memory()))
    memory = settings.max_memory or 0
    most = 2.0 ** min(game.compiled.log2_positions, 1000)  # type: ignore[attr-defined]
    certainly = most * bytes_per_position(game, 4)
    if turns:
        return Sized(replace(settings, rests=rests_or_refusal(game, at).rests), "types", most)
    if settings.limit is not None:
        return Sized(settings, "limit", float(settings.limit))
    if certainly <= memory:
        return Sized(settings, "types", most, memory=certainly, seconds=_seconds(4 * most, USUAL_SPEED))
    size = estimate(game, at, report=report)
    known_by: KnownBy = "counting" if size.complete else "sampling"
    needed = memory_needed(game, size, edges=settings.edges and not game.traits.acyclic)
    seconds = _seconds(size.edges, size.speed or USUAL_SPEED)
    found = Sized(settings, known_by, size.positions, size.or_more, needed, seconds)
    room = memory / _FAR_MORE if size.or_more else memory
    if size.complete or needed <= room / _CAUTION:
        return found
    fitting = None if turns is False or settings.exact else _fitting_rests(game, solver, at, size, room)
    if fitting is None:
        return found if needed <= room else replace(found, refusal=_too_large(game, size, needed, memory))
    rests, kept = fitting
    why = (
        f"only positions between turns are kept, told by {rests.describe()}, since all of them would "
        f"take about {amount_of_memory(needed)}"
    )
    return replace(found, settings=replace(settings, rests=rests), memory=kept, why=why)


def memory_needed(game: Game[Any, Any], size: Estimate, edges: bool = True) -> float:
    """About how many bytes all positions take; in games without repeats edges can be let go."""
    return size.positions * bytes_per_position(game, 0) + (6 * size.edges if edges else 0)


def _seconds(edges: float, speed: float) -> float:
    """About how long: every edge is followed and looked up, and solving takes about half as long again."""
    return 1.5 * edges * (1 / speed + LOOKED_UP)


def bytes_per_position(game: Game[Any, Any], edges: int) -> float:
    """About how much memory a position takes, with so many edges."""
    words: int = game.compiled.key_words  # type: ignore[attr-defined]
    return 8.0 * words + 16 + 6 * edges


def about(size: Estimate) -> str:
    return f"about {size.positions:.2g}" + (" or more" if size.or_more else "")


def _fitting_rests(
    game: Game[Any, Any], solver: str, at: Any, size: Estimate, memory: float
) -> tuple[Rests, float] | None:
    """Rests that fit memory, as far as can be told, and what they take; None where there are none."""
    if solver not in ("backward_induction", "value_iteration") or why_not(game) is not None:
        return None
    found = find_rests(game, at)
    if found is None:
        return None
    each = bytes_per_position(game, 0)
    if solver == "value_iteration":
        each += 4 * found.size.words + 48
    needed = size.positions / found.size.share * each
    return (found.rests, needed) if needed <= memory else None


def _too_large(game: Game[Any, Any], size: Estimate, needed: float, memory: float) -> TooLarge:
    most = f", and no more than {show_most(size.most, 3)}" if size.most < 1e18 else ""
    return TooLarge(
        f"{game.name} has {about(size)} positions by sampling{most}. To solve it whole would take about "
        f"{amount_of_memory(needed)}{', probably far more' if size.or_more else ''}; "
        f"{amount_of_memory(memory)} are allowed.",
        f"{search_instead(game)} Or choose smaller parameters, start nearer the end (`--at`, in Python "
        "`at=`) or allow more memory (`--memory`); a limit (`--limit`, `limit=`) explores up to so many "
        "positions anyway.",
        "R002",
    )
