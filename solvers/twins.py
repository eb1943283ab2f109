"""The fast twins of searches and simulations by the names of the textbook solvers, with the same arguments.

A twin runs where the leaf is one that kernels know (`Described`). Where native code gives up, the textbook
version takes over: it says what is wrong with the rules, or goes on with numbers of any size. Searches
without a twin, and values of small trees that floats leave open, are found by the textbook in exact numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from typing import Any

from gdl.diagnostics.wording.phrases import listing
from gdl.game import Game
from solvers.core.leaves import Described, middle_of_utilities
from solvers.core.refusal import Refusal
from solvers.core.result import MoveValue, Result
from solvers.core.rounding import exact_twin
from solvers.machine.fault import KernelFault
from solvers.registry import LEAVES, SOLVERS, Solver

SMALL = 3_000
"""Nodes of a tree that is searched again in rationals: a fraction of a second."""

LEAST = 0.1
"""Seconds that must be left of a limit of time for that."""


def _twin(solver: Solver) -> Callable[..., Result]:
    """The twin, which stands in a module beside the textbook version."""
    textbook: Callable[..., Result] = solver.textbook
    name, own = solver.name, solver.compiled_options
    by_textbook = ("observer", *solver.textbook_options)

    @wraps(textbook)
    def run(game: Game[Any, Any], at: Any = None, **options: Any) -> Result:
        for option in by_textbook:
            if options.get(option) is not None:
                for other in own:
                    if options.get(other) is not None:
                        reason = f"`{other}` of {name} does not go with `{option}`"
                        raise Refusal(reason, "Leave one of them out.", "R003")
                return textbook(exact_twin(game), at, **options)
        twin: Callable[..., Result] | None = solver.twin
        assert twin is not None
        leaf = options.get("leaf")
        shared = {key: value for key, value in options.items() if key not in own}
        known_to_kernels = leaf is None or isinstance(leaf, Described)
        if not known_to_kernels and shared != options:
            (option, *_) = (key for key in options if key in own)
            by_kernels = [known.form for known in LEAVES.values() if known.compiled]
            raise Refusal(
                f"`{option}` of {name} does not go with this leaf, which machine code does not judge by",
                f"Leave it out, or judge by {listing(by_kernels, 'or')}.",
                "R003",
            )
        if known_to_kernels:
            with suppress(KernelFault):
                rehearsed = name, getattr(leaf, "kind", None)
                if rehearsed not in _rehearsed:
                    needed = {key: options[key] for key in ("against", "player", "leaf") if key in options}
                    twin(game, at, nodes=1, **needed)
                    _rehearsed.add(rehearsed)
                found = twin(game, at, **options)
                rounded = found.complete and found.kind != "exact" and (found.work.nodes or 0) <= SMALL
                if not rounded or shared != options:
                    return found
                if leaf is not None and solver.family == "search":  # no leaf counts: judge them without work
                    shared["leaf"] = middle_of_utilities(game)
                if "nodes" in shared:
                    shared["nodes"] = 8 * SMALL  # the textbook may need some more for the same
                if "time" in shared:
                    shared["time"] -= found.work.seconds
                    if shared["time"] < LEAST:
                        return found
                if found.looked is not None:  # further fractions only grow
                    shared["depth"] = found.looked
                exact = textbook(exact_twin(game), at, **shared)
                return _completed(exact, found) if exact.kind == "exact" else found
        return textbook(exact_twin(game) if solver.family == "search" else game, at, **shared)

    return run


def _completed(exact: Result, found: Result) -> Result:
    """An exact answer with what floats have proven of moves that it had to judge: what lies deeper, behind a
    probability as small as a rounding, is open to fractions only."""

    def judged(move: MoveValue) -> bool:
        return move.value is not None and move.value.kind == "estimate"

    known = {move.text: move for move in found.moves if move.value is not None and not judged(move)}
    moves = tuple(known.get(move.text, move) if judged(move) else move for move in exact.moves)
    return replace(exact, moves=moves, how=found.how, work=found.work)


def _in_exact_numbers(solver: Solver) -> Callable[..., Result]:
    """The textbook version of a search that has no twin: ties decide it, and rounding would break them."""
    textbook: Callable[..., Result] = solver.textbook

    @wraps(textbook)
    def run(game: Game[Any, Any], at: Any = None, **options: Any) -> Result:
        return textbook(exact_twin(game), at, **options)

    return run


_rehearsed: set[tuple[str, str | None]] = set()
"""Twins that have run in this process. The first run loads machine code, which is not to count as thinking:
so it is a very short one, before the one that was asked for."""

TWINS: Mapping[str, Callable[..., Result]] = {
    solver.name: _in_exact_numbers(solver) if solver.kernel is None else _twin(solver)
    for solver in SOLVERS.values()
    if solver.ours and solver.family in ("search", "simulation")
}
