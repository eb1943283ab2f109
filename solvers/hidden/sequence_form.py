"""Equilibria of two opposed players as a linear program over sequences (Koller, Megiddo & von Stengel 1996).

A player's *plan* x gives every sequence the probability of the player's own moves: the plan of an
information set adds up to that of the sequence before it. The payment is x'Ay for plans x and y. The first
player looks for

    the greatest q[start]  with  what y can make of it bounded by q, one number per information set of the
    other:
                                 for each sequence s of the other,  q[set of s] - (q of the sets right after
                                 s) <= (A'x)[s]

and the multipliers of these inequalities are the other's plan. HiGHS solves it; the policies are then
judged by their best responses like those of any other solver. With `exact` the vertex that it found is
computed again in fractions, and the judge works in fractions as well: the value is proven if no best
response gains anything at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from time import perf_counter
from typing import Any

import numpy as np

from gdl.game import Game, Number
from solvers.core.refusal import Refusal, cannot_go_on
from solvers.core.result import Result, Work
from solvers.core.rounding import exact_twin
from solvers.hidden.equilibrium import Bench, Report, TreeBench, answer
from solvers.hidden.exact_vertex import payments, solve_exactly
from solvers.hidden.game_tree import GameTree, InformationSet, game_tree
from solvers.hidden.judge import best_response, judge
from solvers.hidden.linear_program import Program, program
from solvers.hidden.records import Judgement
from solvers.hidden.sequences import SequenceForm, sequence_form_of
from solvers.registry import refuse

SIMPLEX = 5_000
"""Sequences up to which the simplex method is used; larger programs by an interior point and crossover."""

NOTHING = 1e-11
"""A plan with less than this is one that rounding left: the information set is not reached by own play."""


def sequence_form(
    game: Game[Any, Any],
    at: Any = None,
    *,
    exact: bool = False,
    limit: int | None = None,
    report: Report | None = None,
) -> Result:
    """An equilibrium of two opposed players, and the value to about 1e-12; with `exact` as a fraction."""
    refuse("sequence_form", game)
    return solved(TreeBench(game, at, limit), exact, at, report)


def solved(bench: Bench, exact: bool, at: Any, report: Report | None) -> Result:
    """The answer for a game that is listed already."""
    began = perf_counter()
    if report is not None:
        report("solving the linear program", 0.0)
    form = bench.form
    if exact:
        form, policy, judged = _in_fractions(form.game, at)
        how = "an equilibrium from a linear program, verified in fractions"
    else:
        policy, judged = _in_floats(bench)
        how = "an equilibrium from a linear program"
    if form.players == 1:
        how = "best play, in fractions" if exact else "best play"
    work = Work(perf_counter() - began, positions=form.histories)
    return answer(form, "sequence_form", policy, judged, work, how=how)


def _in_floats(bench: Bench) -> tuple[Any, Judgement]:
    form = bench.form
    if form.players == 1:
        policy = bench.best_response(form.uniform(), 0)
        return policy, bench.judge(policy)
    solution = _optimised(form, program(form)).getSolution()
    middle = int(form.start[1])
    duals = np.array(solution.row_dual)[: form.sequences - middle]
    plans = np.concatenate([np.array(solution.col_value)[:middle], np.abs(duals)])
    policy = form.uniform()
    for number in range(form.information_sets):
        first = int(form.first[number])
        part = slice(first, first + int(form.moves[number]))
        shares = np.maximum(plans[part], 0.0)
        if shares.sum() > NOTHING:
            policy[part] = shares / shares.sum()
    return policy, bench.judge(policy)


def _optimised(form: SequenceForm, made: Program) -> Any:
    """HiGHS with the solution of a program, at a vertex."""
    try:
        import highspy
    except ImportError:
        raise Refusal(
            "linear programs are solved by HiGHS, which is not installed.",
            'Install it (`pip install "gdl-games[lp]"`), or use cfr_plus.',
            "R002",
        ) from None
    order = np.lexsort((made.rows, made.columns))
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = made.width, made.height
    cost = np.zeros(made.width)
    cost[made.objective] = -1.0  # HiGHS minimises
    lowest = np.zeros(made.width)
    lowest[made.objective :] = -np.inf
    model.col_cost_, model.col_lower_, model.col_upper_ = cost, lowest, np.full(made.width, np.inf)
    low, high = np.zeros(made.height), np.zeros(made.height)
    high[: made.inequalities] = np.inf
    low[made.inequalities] = high[made.inequalities] = 1.0
    model.row_lower_, model.row_upper_ = low, high
    model.a_matrix_.start_ = np.searchsorted(made.columns[order], np.arange(made.width + 1)).astype(np.int32)
    model.a_matrix_.index_ = made.rows[order].astype(np.int32)
    model.a_matrix_.value_ = made.values[order]
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("solver", "simplex" if form.sequences <= SIMPLEX else "ipm")
    highs.passModel(model)
    highs.run()
    status = highs.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        words = highs.modelStatusToString(status)
        raise cannot_go_on(
            f"HiGHS did not solve the linear program of {form.game.name}: {words}.", "Use cfr_plus."
        )
    return highs


# ----------------------------------------------------------------------------- in fractions


def _in_fractions(game: Game[Any, Any], at: Any) -> tuple[SequenceForm, list[Number], Judgement]:
    """An equilibrium in fractions: the vertex at which HiGHS ended, computed anew."""
    tree = game_tree(exact_twin(game), at)
    form = sequence_form_of(tree)
    if form.players == 1:
        policy, chosen = {}, best_response(tree, {}, 0)[1]
        for one, move in chosen.items():
            policy[one] = [Fraction(int(move == k)) for k in range(len(one.moves))]
        return form, _flat(tree, policy), judge(tree, policy)
    made = program(form)
    basis = _optimised(form, made).getBasis()
    basic = [str(status).endswith("kBasic") for status in basis.col_status]
    tight = [not str(status).endswith("kBasic") for status in basis.row_status]
    plan, multipliers = solve_exactly(made, payments(tree, form), basic, tight)
    middle = int(form.start[1])
    plans = [*plan[:middle], *(abs(part) for part in multipliers[: form.sequences - middle])]
    policy, number = {}, 0
    for found in tree.information_sets:
        for one in found:
            first = int(form.first[number])
            shares = [max(part, Fraction(0)) for part in plans[first : first + len(one.moves)]]
            total = sum(shares)
            policy[one] = [part / total if total else Fraction(1, len(shares)) for part in shares]
            number += 1
    judged = judge(tree, policy)
    if judged.nash_conv != 0:
        raise cannot_go_on(
            f"the vertex that HiGHS found is not optimal: {float(judged.nash_conv):.3g} can be gained.",
            "Solve without --exact; the value then lies between proven bounds.",
        )
    return form, _flat(tree, policy), judged


def _flat(tree: GameTree, policy: Mapping[InformationSet, Sequence[Number]]) -> list[Number]:
    flat: list[Number] = []
    for found in tree.information_sets:
        flat += [1, *(probability for one in found for probability in policy[one])]
    return flat
