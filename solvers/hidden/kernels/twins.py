"""The fast twins of the solvers beside this folder, by name, with the same arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from random import Random
from time import perf_counter
from typing import Any

from gdl.game import Game
from solvers.core.budget import Budget
from solvers.core.leaves import Leaf
from solvers.core.result import Result
from solvers.core.simulations import SIMULATIONS, Kept, limits
from solvers.hidden.equilibrium import ITERATIONS, Report, regret_minimiser
from solvers.hidden.ismcts import C
from solvers.hidden.ismcts import ismcts as textbook_ismcts
from solvers.hidden.kernels.bench import FlatBench
from solvers.hidden.kernels.ismcts import simulated
from solvers.hidden.kernels.mccfr import mccfr
from solvers.hidden.kernels.worlds import CompiledBelief, Forms, fitting, forms_of, positions_of
from solvers.hidden.pimc import averaged
from solvers.hidden.pimc import pimc as textbook_pimc
from solvers.hidden.sequence_form import solved
from solvers.hidden.sequences import Known
from solvers.hidden.worlds import Model, Worlds, belief_of, known_at, nothing_fits
from solvers.machine.fault import KernelFault
from solvers.registry import refuse

MOST = 1000 * ITERATIONS
"""Iterations after which regret minimisation ends in any case, unless more are asked for."""


def _twin(name: str) -> Callable[..., Result]:
    """The same variant as beside this folder, over flat arrays."""
    return regret_minimiser(name, import_module(f"solvers.hidden.{name}").RULE, FlatBench, MOST)


def sequence_form(
    game: Game[Any, Any],
    at: Any = None,
    *,
    exact: bool = False,
    limit: int | None = None,
    report: Report | None = None,
) -> Result:
    refuse("sequence_form", game)
    return solved(FlatBench(game, at, limit, report), exact, at, report)


def ismcts(
    game: Game[Any, Any],
    at: Any = None,
    *,
    simulations: int | None = None,
    time: float | None = None,
    observers: str = "multiple",
    selection: str = "ucb",
    c: float = C,
    against: Mapping[int, Model] | None = None,
    seed: int = 0,
    kept: Kept | None = None,
) -> Result:
    """As beside this folder; where machine code gives up the textbook answers, and says what is wrong."""
    refuse("ismcts", game)
    known = known_at(game, at, Random(seed))
    budget = Budget(None, time)
    try:
        return simulated(
            game, known, worlds_of(game, known, against, seed, kept),
            simulations=limits(simulations, None, time, SIMULATIONS), budget=budget,
            single=observers == "single", regret=selection == "regret", c=c, seed=seed,
        )  # fmt: skip
    except KernelFault:
        return textbook_ismcts(
            game, known, simulations=simulations, time=time, observers=observers, selection=selection, c=c,
            against=against, seed=seed, kept=kept,
        )  # fmt: skip


def pimc(
    game: Game[Any, Any],
    at: Any = None,
    *,
    worlds: int | None = None,
    depth: int | None = None,
    leaf: Leaf | None = None,
    simulations: int | None = None,
    time: float | None = None,
    against: Mapping[int, Model] | None = None,
    seed: int = 0,
    kept: Kept | None = None,
) -> Result:
    """As beside this folder, with worlds found by machine code, which then judges each as well."""
    refuse("pimc", game)
    began = perf_counter()
    rng = Random(seed)
    known = known_at(game, at, rng)
    at_hand = bool(fitting.signatures)
    try:
        found = positions_of(game, worlds_of(game, known, against, seed, kept), seed)
    except KernelFault:
        return textbook_pimc(
            game, known, worlds=worlds, depth=depth, leaf=leaf, simulations=simulations, time=time,
            against=against, seed=seed, kept=kept,
        )  # fmt: skip
    possible = Worlds(*found)
    if time is not None and not at_hand:  # kernels are compiled, or loaded, before time counts
        averaged(game, known, possible, 1, depth, leaf, simulations, 1e-3, Random(seed), seed, began)
        began = perf_counter()
    return averaged(game, known, possible, worlds, depth, leaf, simulations, time, rng, seed, began)


def worlds_of(
    game: Game[Any, Any],
    known: Known,
    against: Mapping[int, Model] | None,
    seed: int,
    kept: Kept | None,
) -> Forms:
    """The worlds that fit what is known, as machine code has them. Models of other players ask for all that
    those have seen, so with models they are found in Python; so they are where kernels give up, since a draw
    has too many outcomes or no play of the sample fits any more."""
    if not against and game.compiled.moves_told:  # type: ignore[attr-defined]
        worlds = _by_kernels(game, known, seed, kept)
        if worlds is not None:
            return worlds
    found = belief_of(game, against, kept).worlds(known, Random(seed))
    if not len(found):
        raise nothing_fits(game, known)
    return forms_of(game, found.positions, found.weights, found.exact)


def _by_kernels(game: Game[Any, Any], known: Known, seed: int, kept: Kept | None) -> Forms | None:
    belief = None if kept is None else kept.compiled_belief
    if belief is None:
        belief = CompiledBelief(game)
        if kept is not None:
            kept.compiled_belief = belief
    try:
        worlds: Forms = belief.worlds(known.player, known.seen, known.moves, seed)
    except KernelFault:
        return None
    if not len(worlds.odds):
        raise nothing_fits(game, known)
    return worlds


cfr = _twin("cfr")
cfr_plus = _twin("cfr_plus")
linear_cfr = _twin("linear_cfr")
discounted_cfr = _twin("discounted_cfr")
pcfr_plus = _twin("pcfr_plus")

__all__ = [
    "cfr", "cfr_plus", "discounted_cfr", "ismcts", "linear_cfr", "mccfr", "pcfr_plus", "pimc",
    "sequence_form",
]  # fmt: skip
