"""Solving games in which something is hidden, and judging agents there: what `gdl solve` does with them.

The game is walked once; how large it is then decides between a linear program and regret minimisation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from math import inf
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from gdl.answers import AnyGame, described, params_of
from gdl.progress import progress_shown

if TYPE_CHECKING:
    from solvers.agents.agent import Agent
    from solvers.core.refusal import Refusal, TooLarge
    from solvers.core.result import Result
    from solvers.files.checkpoint import CheckpointFile
    from solvers.hidden.equilibrium import Bench, Report
    from solvers.hidden.sequences import SequenceForm
    from solvers.registry import Solver

LINEAR = 60_000
"""Sequences up to which a linear program is solved; beyond, and without HiGHS, regrets are minimised."""

IN_FRACTIONS = ("sequence_form", "support_enumeration")
"""Solvers whose answer may be a fraction."""


def equilibrium(
    game: AnyGame,
    solver: str | None,
    position: Any,
    *,
    exact: bool,
    precision: float | None,
    limit: int | None,
    time: float | None,
    progress: bool | None,
    policy: Path | None,
    checkpoint: CheckpointFile | None = None,
) -> Result:
    """Play that nobody gains by leaving, with its value; `policy` is a file for what everybody does.

    `solver` may have options: "cfr(updates=simultaneous, iterations=1000)". A checkpoint stays where the
    answer is not what was asked for yet.
    """
    from solvers.agents.kinds import solver_described

    wished = {
        name: value
        for name, value in (("precision", precision), ("limit", limit), ("time", time))
        if value is not None
    }
    reason = ""
    if exact and solver is None and len(game.players) > 2:
        raise _no_fraction(game)
    with progress_shown(progress) as (_, report):
        if solver is None:
            bench = _walked(game, position, limit, exact, report)
            wished.pop("limit", None)
            if bench is None:
                reason = "too many histories to walk, so plays are sampled"
                result = _sampled(game, position, time, report, checkpoint)
            else:
                solver, reason = chosen(bench.form, exact, time is not None)
                if exact and solver not in IN_FRACTIONS:
                    raise _no_fraction(game)
                if solver != "sequence_form" and getattr(game, "compiled", None) is not None:
                    bench = _by_kernels(bench, game, position, limit, report)
                result = _by(solver, bench, position, exact, wished, report, checkpoint)
        else:
            entry, written = solver_described(solver, game, lambda one: one.family == "hidden")
            used = {**({"exact": True} if exact else {}), **wished, **written}
            entry.check_options(used)
            if checkpoint is not None:
                used["checkpoint"] = _kept_by(entry, checkpoint)
            result = entry.load()(game, position, **used, report=report)
    result = described(game, position, result, reason)
    if checkpoint is not None and not result.partial:
        checkpoint.remove()
    return result if policy is None else _written(game, result, policy)


def _no_fraction(game: AnyGame) -> Refusal:
    from solvers.core.refusal import Refusal

    why = "it has more than two players" if len(game.players) > 2 else "interests in it differ"
    return Refusal(
        f"no solver finds an equilibrium of {game.name} in fractions: {why}.",
        "Leave out --exact: the average play of regret minimisation then tells what leaving it gains.",
    )


def _kept_by(entry: Solver, checkpoint: CheckpointFile) -> CheckpointFile:
    from solvers.core.refusal import bad_option

    if "iterations" not in entry.options:
        raise bad_option(
            f"{entry.name} works in one step, of which nothing is left in between",
            "Solve without a checkpoint, or with cfr_plus.",
        )
    return checkpoint


def chosen(form: SequenceForm, exact: bool = False, timed: bool = False) -> tuple[str, str]:
    """The solver for a game that was walked, and why; `timed`: it must end in time."""
    size = f"{form.histories:,} histories and {form.information_sets:,} information sets"
    if form.players == 1:
        return "sequence_form", f"{size}; one player, whose best play follows from the ends backwards"
    if form.players == 2 and not form.game.traits.zero_sum and not timed and few_supports(form):
        return "support_enumeration", f"{size}; interests differ, and all that players may plan is listed"
    if form.players > 2 or not form.game.traits.zero_sum:
        return "cfr_plus", f"{size}; interests differ, so play without regret is looked for"
    if exact:
        return "sequence_form", f"{size}; a fraction was asked for"
    if timed:
        return "discounted_cfr", f"{size}; time is limited, and regrets can be minimised for any time"
    if form.sequences > LINEAR:
        return "discounted_cfr", f"{size} are too many for a linear program"
    if find_spec("highspy") is None:
        return "cfr_plus", f"{size}; HiGHS, which would solve a linear program, is not installed"
    return "sequence_form", f"{size}; interests are opposed, and a linear program is small enough"


FEW = 1_000
"""Pairs of supports up to which equilibria of two whose interests differ are looked for by them."""


def few_supports(form: SequenceForm) -> bool:
    """Whether two players have so few plans that all supports can be looked at."""
    from solvers.hidden.support_enumeration import count_of_plans, supports

    if form.information_sets > 20:
        return False
    counts = []
    for player in range(2):
        low, high = int(form.sets[player]), int(form.sets[player + 1])
        places = {
            int(form.first[number]) + move: (number - low, move)
            for number in range(low, high)
            for move in range(int(form.moves[number]))
        }
        parents = [places.get(int(form.parent[number])) for number in range(low, high)]
        counts.append(count_of_plans([int(count) for count in form.moves[low:high]], parents))
    return max(counts) <= 12 and supports(*counts) <= FEW


def bench_of(
    game: AnyGame, position: Any, limit: int | None, report: Report, histories: float = inf
) -> Bench:
    """The game walked once, as solvers of hidden information work on it; where it has about so few histories
    that compiling does not repay itself, in Python."""
    if getattr(game, "compiled", None) is not None:
        from solvers.hidden.kernels.bench import FlatBench, repays_compiling

        if repays_compiling(histories):
            return FlatBench(game, position, limit, report)
    from solvers.hidden.equilibrium import TreeBench

    return TreeBench(game, position, limit)


SAMPLED, SAMPLING = 1_000_000, 10.0
"""Where histories are too many to walk: the positions of one sample up to which plays are sampled, and for
how many seconds if that is not said."""


def _walked(game: AnyGame, position: Any, limit: int | None, exact: bool, report: Report) -> Bench | None:
    """The game walked, or None where it is to be sampled: it has too many histories, and each sample is
    small."""
    from solvers.core.refusal import TooLarge
    from solvers.hidden.records import too_many_histories
    from solvers.hidden.sizing import external_sample, histories

    about = histories(game, position)
    too_large = too_many_histories(game, limit or WALKED, about)
    if about <= (limit or WALKED):
        try:
            return bench_of(game, position, limit or WALKED, report, about)
        except TooLarge as error:
            too_large = error
    compiled = getattr(game, "compiled", None) is not None
    if exact or not compiled or external_sample(game, position) > SAMPLED:
        raise too_large
    return None


def _sampled(
    game: AnyGame, position: Any, time: float | None, report: Report, checkpoint: CheckpointFile | None
) -> Result:
    from solvers.registry import find

    given = SAMPLING if time is None else time
    result: Result = find("mccfr").load()(game, position, time=given, report=report, checkpoint=checkpoint)
    return result


def _by_kernels(bench: Bench, game: AnyGame, position: Any, limit: int | None, report: Report) -> Bench:
    """The game as kernels work on it: rounds by the thousand repay compiling."""
    from solvers.hidden.kernels.bench import FlatBench

    return bench if isinstance(bench, FlatBench) else FlatBench(game, position, limit, report)


def _by(
    solver: str,
    bench: Bench,
    position: Any,
    exact: bool,
    wished: Mapping[str, Any],
    report: Report,
    checkpoint: CheckpointFile | None,
) -> Result:
    if solver == "sequence_form":
        from solvers.hidden.sequence_form import solved

        return solved(bench, exact, position, report)
    if solver == "support_enumeration":
        from solvers.core.refusal import Refusal
        from solvers.hidden.support_enumeration import support_enumeration

        try:
            return support_enumeration(bench.form.game, position, report=report)
        except Refusal:
            if exact:
                raise
            solver = "cfr_plus"  # no equilibrium has supports of the same size
    from solvers.hidden.equilibrium import ITERATIONS, minimised

    compiled = getattr(bench.form.game, "compiled", None) is not None
    return minimised(
        solver,
        import_module(f"solvers.hidden.{solver}").RULE,
        bench,
        most=ITERATIONS * (1000 if compiled else 1),
        at=position,
        report=report,
        checkpoint=checkpoint,
        **wished,
    )


def _written(game: AnyGame, result: Result, path: Path) -> Result:
    from solvers.core.result import Written
    from solvers.files.information_file import save

    strategy: Any = result.strategy
    rows = save(game, strategy, path, result.solver, {"params": dict(params_of(game)), "from": result.start})
    written = Written("policy", str(path), f", {rows:,} information sets", rows)
    return replace(result, written=(*result.written, written))


# ------------------------------------------------------------------------- against agents

QUESTIONS, LEAST, MOST = 5_000, 20, 200
"""Agents that draw are asked about so many questions, and at each information set not less and not more often
than this."""

WALKED = 20_000_000
"""Histories up to which a best response is found among all of them."""


def against(
    game: AnyGame,
    agents: Mapping[int, Agent],
    position: Any,
    *,
    limit: int | None,
    simulations: int | None,
    seed: int,
    progress: bool | None,
    reason: str,
) -> Result:
    """What agents are worth by what they know, and how exploitable that is; one player without an agent
    responds best to the others.

    Over all histories, where an agent draws from so many choices at every information set. Where there are
    too many histories, and with `simulations` where a player has no agent, by a response that is learnt.
    """
    from solvers.hidden.endless import Endless
    from solvers.hidden.sizing import histories

    free = [player for player in range(len(game.players)) if player not in agents]
    try:
        large = histories(game, position) > (limit or WALKED)
    except Endless:
        if not free:
            raise
        large = True  # plays are cut, and a response is learnt from them
    with progress_shown(progress) as (_, report):
        if large and not free:
            raise _too_large_to_judge(game)
        if free and (large or simulations is not None):
            from solvers.hidden.sampled_response import sampled_response

            result = sampled_response(
                game, agents, free[0], position, plays=simulations or PLAYS, seed=seed, report=report
            )
        else:
            result = _over_all_histories(game, agents, position, limit, seed, report)
    return described(game, position, result, reason)


PLAYS = 20_000
"""From how many plays a response is learnt and measured, if it is not said."""


def _too_large_to_judge(game: AnyGame) -> TooLarge:
    from solvers.core.refusal import TooLarge

    return TooLarge(
        f"{game.name} has too many histories to find best responses among all of them.",
        "Leave one player without --agent: then a response is learnt from plays. Or estimate what agents are "
        "worth against each other, with --simulations.",
        "R002",
    )


def _over_all_histories(
    game: AnyGame, agents: Mapping[int, Agent], position: Any, limit: int | None, seed: int, report: Report
) -> Result:
    from solvers.agents.behaviour import behaviour
    from solvers.core.result import Result, Work
    from solvers.hidden.responses import judged_behaviour
    from solvers.hidden.strategy import Strategy

    began = perf_counter()
    bench = bench_of(game, position, limit, report)
    form = bench.form

    def watch(asked: int) -> None:
        report(f"asking agents: {asked:,} of {form.information_sets:,} information sets", 0.0)

    samples = min(max(QUESTIONS // form.information_sets, LEAST), MOST)
    found = behaviour(form, agents, samples, seed, watch)
    free = [player for player in range(form.players) if player not in agents]
    told = judged_behaviour(bench, found, free)
    policy = list(map(float, told.policy))
    responder = free[0] if free else None
    how = "over all histories" if not free else f"a best response of {game.players[free[0]]}, by what is seen"
    if found.drawn is not None:
        how += f"; agents that draw were asked {samples} times at every information set"
    return Result(
        game=game.name,
        solver="best_response" if free else "policy_evaluation",
        values=told.values,
        players=tuple(game.players),
        how=how,
        work=Work(perf_counter() - began, positions=form.histories),
        strategy=Strategy(form, policy, told.judgement, within=told.exploitability, responder=responder),
        seed=None if found.drawn is None else seed,
    )
