"""How answers come nearer to the truth: simulations, value iteration, regret minimisation."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from math import inf, isfinite, sqrt
from typing import Any

from gdl.answers import params_of, position_of
from gdl.diagnostics import GameError
from gdl.diagnostics.drawing import nothing_to_plot
from gdl.draw.plots.plot import Chart, Panel, Series
from gdl.game import TERMINAL, Game

SIMULATIONS = 10_000
RUNS = 10
ITERATIONS = 1_000
SWEEPS = 100
REGRET_MINIMISERS = ("cfr", "cfr_plus", "discounted_cfr")
"""What is compared where something is hidden, unless a solver is named."""

NEAR = 1e-9
"""Sweeps end where both iterations are so close together."""


def convergence(
    game: Game[Any, Any],
    solver: str | None = None,
    *,
    at: Any = None,
    simulations: int | None = None,
    iterations: int | None = None,
    runs: int | None = None,
    seed: int = 1,
) -> Chart:
    """How the answer of a solver comes nearer to the truth.

    mcts, flat_monte_carlo   the value and the regret over simulations, means of `runs` searches with 95 %
                             bands, beside the exact value where the game can be solved
    value_iteration          plain sweeps from the lowest and from the highest value there is
    cfr and its variants     exploitability over iterations; all of them together where none is named
    """
    position = position_of(game, at)
    name = (solver or "").partition("(")[0].strip()
    if game.traits.hidden and solver is None:
        return _regrets(game, REGRET_MINIMISERS, position, iterations or ITERATIONS)
    if name == "value_iteration":
        return _sweeps(game, position, iterations or SWEEPS)
    if name.endswith(("cfr", "cfr_plus")) and name != "mccfr":
        return _regrets(game, (name,), position, iterations or ITERATIONS)
    if solver is None or name in ("mcts", "flat_monte_carlo"):
        return _simulations(game, solver or "mcts", position, simulations or SIMULATIONS, runs or RUNS, seed)
    raise GameError(
        [
            nothing_to_plot(
                f"{name} is not drawn as it goes on",
                "mcts, flat_monte_carlo, value_iteration, cfr, cfr_plus, linear_cfr, discounted_cfr and "
                "pcfr_plus are",
            )
        ]
    )


def _title(game: Game[Any, Any], what: str) -> str:
    settings = "".join(f", {name}={value}" for name, value in params_of(game))
    return f"{game.name}{settings}: {what}"


def steps_up_to(most: int) -> list[int]:
    """1, 2, 5, 10, 20, 50 … and the last.

    >>> steps_up_to(300)
    [1, 2, 5, 10, 20, 50, 100, 200, 300]
    """
    found = [k * 10**power for power in range(len(str(most))) for k in (1, 2, 5)]
    return [*(step for step in found if step < most), most]


# ------------------------------------------------------------------------------ simulations


def _simulations(game: Game[Any, Any], solver: str, position: Any, most: int, runs: int, seed: int) -> Chart:
    from gdl.searching import search

    exact = _solved(game, position)
    worths = {} if exact is None else {move.text: move.value for move in exact.moves}
    best = max((float(v.number) for v in worths.values() if v is not None), default=None)
    counts = [count for count in steps_up_to(most) if count >= 10] or [most]
    values: list[list[float]] = []
    regrets: list[list[float]] = []
    for count in counts:
        found = [search(game, solver, at=position, simulations=count, seed=seed + run) for run in range(runs)]
        values.append([float(result.values[0].number) for result in found if result.values[0] is not None])
        if best is not None:
            chosen = [next(move.text for move in result.moves if move.best) for result in found]
            regrets.append([best - float(worths[text].number) for text in chosen if worths[text] is not None])
    x = tuple(float(count) for count in counts)
    bounds = (float(end) for end in game.traits.value_bounds[0])
    series = [_means(f"{solver}, mean of {runs} searches", x, values, *bounds)]
    if exact is not None and exact.values[0] is not None:
        truth = float(exact.values[0].number)
        series.append(Series("solved", (x[0], x[-1]), (truth, truth), look="level"))
    panels = [Panel("value", "simulations", f"value to {game.players[0]}", tuple(series), log_x=True)]
    if regrets:
        who = game.players[0] if exact is None or exact.to_move is None else exact.to_move
        panels.append(
            Panel(
                f"regret of {who}",
                "simulations",
                "lost by the move that is chosen",
                (_means("", x, regrets, 0.0),),
                log_x=True,
                between=None if any(map(any, regrets)) else (-0.05, 1.0),
            )
        )
    notes = [f"bands: 95 % of the mean; seeds {seed} to {seed + runs - 1}"]
    if regrets and not any(map(any, regrets)):
        notes.append("every search chose a best move: there is no regret")
    if exact is None:
        notes.append("the game is too large to be solved: there is nothing to compare with")
    return Chart(_title(game, f"{solver} converges"), tuple(panels), tuple(notes))


def _solved(game: Game[Any, Any], position: Any) -> Any:
    """The exact answer; None where the game is too large for it."""
    from gdl.solving import solve
    from solvers.core.refusal import Refusal

    try:
        return solve(game, at=position)
    except Refusal:
        return None


def _means(
    name: str,
    x: tuple[float, ...],
    samples: Sequence[Sequence[float]],
    least: float = -inf,
    most: float = inf,
) -> Series:
    """Means with the ends of their 95 % intervals, by Student's distribution, where nothing is below `least`
    or above `most`."""
    y, low, high = [], [], []
    for each in samples:
        mean = sum(each) / len(each)
        error = 0.0
        if len(each) > 1:
            variance = sum((value - mean) ** 2 for value in each) / (len(each) - 1)
            error = _student(len(each) - 1) * sqrt(variance / len(each))
        y.append(mean)
        low.append(max(least, mean - error))
        high.append(min(most, mean + error))
    return Series(name, x, tuple(y), tuple(low), tuple(high))


def _student(freedom: int) -> float:
    """The 97.5 % quantile of Student's distribution (the usual table; between its rows, the wider one)."""
    table = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262,
             10: 2.228, 12: 2.179, 15: 2.131, 20: 2.086, 30: 2.042, 60: 2.000}  # fmt: skip
    return table[max(known for known in table if known <= freedom)]


# --------------------------------------------------------------------------- value iteration


def _sweeps(game: Any, position: Any, most: int) -> Chart:
    """Plain value iteration over all positions at once, from below and from above."""
    import numpy as np

    from gdl.loading import game_of
    from solvers.core.starts import starts_of
    from solvers.plan import plan_whole
    from solvers.whole.kernels.solve import Settings, solve_whole

    if getattr(game, "compiled", None) is None and getattr(game, "model", None) is not None:
        game = game_of(game.model, "native")
    if getattr(game, "compiled", None) is None:
        raise GameError([nothing_to_plot(f"{game.name} is not compiled", "Describe it in a file.")])
    plan = plan_whole(game, "value_iteration", position, Settings(), turns=False).kept()
    solved = solve_whole(game, plan.solver, position, plan.settings)
    graph: Any = solved.graph
    starts = [(graph.index(s.position), float(s.probability)) for s in starts_of(game, position)]
    lowest, highest = (float(end) for end in game.traits.value_bounds[0])
    endless = float(game.traits.endless[0]) if game.traits.endless else 0.0
    sides = {"from below": lowest, "from above": highest}
    if not (isfinite(lowest) and isfinite(highest)):  # rewards on the way: no bounds to begin from
        sides = {f"from {endless:g}": endless}
    step = _Bellman(graph, float(game.traits.discount))
    over = graph.mover == TERMINAL
    now = {name: np.where(over, graph.worth[:, 0], first) for name, first in sides.items()}
    lines: dict[str, list[float]] = {name: [] for name in sides}
    for sweep in range(most + 1):
        for name, values in now.items():
            lines[name].append(sum(odds * float(values[node]) for node, odds in starts))
        if sweep == most or (len(now) == 2 and abs(lines["from above"][-1] - lines["from below"][-1]) < NEAR):
            break
        now = {name: step(values) for name, values in now.items()}
    x = tuple(float(k) for k in range(len(next(iter(lines.values())))))
    value = solved.result.values[0]
    assert value is not None
    truth = float(value.number)
    series = [Series(name, x, tuple(numbers)) for name, numbers in lines.items()]
    series.append(Series("solved", (x[0], x[-1]), (truth, truth), look="level"))
    panels = [Panel("value of the start", "sweeps", f"value to {game.players[0]}", tuple(series))]
    notes = [f"every sweep updates all {len(graph):,} positions"]
    if len(sides) == 2:
        gaps = [high - low for low, high in zip(lines["from below"], lines["from above"], strict=True)]
        shown = tuple(gap if gap > 0 else None for gap in gaps)
        panels.append(Panel("how far apart", "sweeps", "gap", (Series("", x, shown),), log_y=gaps[-1] < 0.1))
        if gaps[-1] > 1e-3:
            notes.append(
                "plain sweeps need not meet where play can go on for ever; "
                "`gdl solve` proves bounds by other means as well"
            )
    return Chart(_title(game, "value iteration converges"), tuple(panels), tuple(notes))


class _Bellman:
    """One update of every position of a graph in compressed rows (`solvers.whole.kernels.position_graph`)."""

    def __init__(self, graph: Any, discount: float):
        import numpy as np

        self.graph, self.discount = graph, discount
        row = graph.row.astype(np.int64)
        self.choosing = np.flatnonzero(np.diff(row))
        self.starts = row[self.choosing]
        self.sign = np.where(graph.mover == 1, -1.0, 1.0)
        self.of_choice = np.repeat(self.sign, np.diff(row))
        if not graph.simple:
            first = graph.first.astype(np.int64)
            law = graph.law.astype(np.int64)
            within = np.arange(len(graph.target)) - np.repeat(first[:-1], np.diff(first))
            at = np.repeat(graph.law_start.astype(np.int64)[law], np.diff(first)) + within
            self.odds, self.first, self.paid = graph.odds[at], first[:-1], graph.reward[law, 0]

    def __call__(self, values: Any) -> Any:
        import numpy as np

        graph = self.graph
        reached = values[graph.target]
        if graph.simple:
            worth = self.discount * reached
        else:
            worth = self.paid + self.discount * np.add.reduceat(self.odds * reached, self.first)
        found = values.copy()
        best = np.maximum.reduceat(worth * self.of_choice, self.starts)
        found[self.choosing] = best * self.sign[self.choosing]
        return found


# ------------------------------------------------------------------------ regret minimisation


def _regrets(game: Any, solvers: Sequence[str], position: Any, most: int) -> Chart:
    from gdl.equilibria import bench_of
    from solvers.registry import refuse

    for solver in solvers:
        refuse(solver, game)
    bench = bench_of(game, position, None, lambda what, share: None)
    series = []
    for solver in solvers:
        tables = bench.tables(import_module(f"solvers.hidden.{solver}").RULE, True)
        points: list[tuple[float, float]] = []
        for count in steps_up_to(most):
            tables.run(count - tables.rounds)
            exploited = float(bench.judged(tables, False)[1].exploitability)
            points.append((float(count), max(exploited, 0.0)))
        known = tuple(y if 0 < y < inf else None for _, y in points)
        series.append(Series(solver, tuple(x for x, _ in points), known))
    form = bench.form
    notes = (
        f"exploitability of average play, by best responses over all {form.histories:,} histories",
        "what a best response gains, on average over the players; 0 is an equilibrium",
    )
    panel = Panel("", "iterations", "exploitability", tuple(series), log_x=True, log_y=True)
    return Chart(_title(game, "regret minimisation converges"), (panel,), notes)
