"""Whether a game fits memory, before it is explored: refused early where it will not, with an estimate.

Where only all positions together would not fit, those between turns may (docs/decisions/turns.md).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

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

_CAUTION = 4
"""What takes more than this part of the memory, by an estimate, may not fit; turns are tried instead."""


class Sized(NamedTuple):
    settings: Settings
    why: str = ""  # why only positions between turns are kept, if so


def sized(
    game: Game[Any, Any],
    solver: str,
    at: Any,
    settings: Settings,
    turns: bool | None = None,
    report: Report | None = None,
) -> Sized:
    """The settings with a limit of memory; by turns where that was asked for, or where all positions might
    not fit. Raises Refusal for a game that will not fit.

    With a limit of positions nothing is estimated.
    """
    if settings.max_memory is None:
        settings = replace(settings, max_memory=int(DEFAULT_MEMORY * available_memory()))
    if turns:
        return Sized(replace(settings, rests=rests_or_refusal(game, at).rests))
    memory = settings.max_memory or 0
    compiled: Any = game.compiled  # type: ignore[attr-defined]
    certainly = 2.0 ** min(compiled.log2_positions, 1000) * bytes_per_position(game, 4)
    if settings.limit is not None or certainly <= memory:
        return Sized(settings)
    size = estimate(game, at, report=report)
    if size.complete:
        return Sized(settings)
    per_edge = 0 if not settings.edges or game.traits.acyclic else 6
    needed = size.positions * bytes_per_position(game, 0) + size.edges * per_edge
    room = memory / _FAR_MORE if size.or_more else memory
    if needed <= room / _CAUTION:
        return Sized(settings)
    fitting = None if turns is False or settings.exact else _fitting_rests(game, solver, at, size, room)
    if fitting is None:
        if needed <= room:
            return Sized(settings)
        raise _too_large(game, size, needed, memory)
    why = (
        f"only positions between turns are kept, told by {fitting.describe()}, since all of them would "
        f"take about {amount_of_memory(needed)}"
    )
    return Sized(replace(settings, rests=fitting), why)


def bytes_per_position(game: Game[Any, Any], edges: int) -> float:
    """About how much memory a position takes, with so many edges."""
    words: int = game.compiled.key_words  # type: ignore[attr-defined]
    return 8.0 * words + 16 + 6 * edges


def about(size: Estimate) -> str:
    return f"about {size.positions:.2g}" + (" or more" if size.or_more else "")


def _fitting_rests(game: Game[Any, Any], solver: str, at: Any, size: Estimate, memory: float) -> Rests | None:
    """Rests that fit memory, as far as can be told; None where there are none."""
    if solver not in ("backward_induction", "value_iteration") or why_not(game) is not None:
        return None
    found = find_rests(game, at)
    if found is None:
        return None
    each = bytes_per_position(game, 0)
    if solver == "value_iteration":
        each += 4 * found.size.words + 48
    return found.rests if size.positions / found.size.share * each <= memory else None


def _too_large(game: Game[Any, Any], size: Estimate, needed: float, memory: float) -> Exception:
    most = f", and no more than {show_most(size.most, 3)}" if size.most < 1e18 else ""
    return TooLarge(
        f"{game.name} has {about(size)} positions by sampling{most}. To solve it whole would take about "
        f"{amount_of_memory(needed)}{', probably far more' if size.or_more else ''}; "
        f"{amount_of_memory(memory)} are allowed.",
        f"{search_instead(game)} Or choose smaller parameters, start nearer the end (`--at`, in Python "
        "`at=`) or allow more memory (`--max-memory`); a limit (`--limit`, `limit=`) explores up to so many "
        "positions anyway.",
        "R002",
    )
