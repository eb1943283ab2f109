"""From a policy over information sets to an answer, which claims no more than its judge has measured.

Two opposed players: a policy of one guarantees what a best response to it leaves, so the value of the game
lies between what the two policies guarantee, whatever found them. Others: if nobody gains by leaving it,
the policy is an equilibrium, of which there may be more, worth something else; else its values are only
what this play gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import log
from time import perf_counter
from typing import Any, Protocol

from gdl.game import Game, Number
from solvers.core.interrupts import pass_on
from solvers.core.refusal import bad_option
from solvers.core.result import Result, Value, Work
from solvers.files.checkpoint import CheckpointFile
from solvers.hidden.game_tree import InformationSet, game_tree
from solvers.hidden.judge import best_response, judge
from solvers.hidden.records import Judgement, Rule
from solvers.hidden.regret_matching import RegretMatching
from solvers.hidden.sequences import SequenceForm, sequence_form_of
from solvers.hidden.strategy import Strategy
from solvers.registry import refuse

Report = Callable[[str, float], None]
"""Told what is being done, and what share of it is done."""

ITERATIONS = 1_000
"""Rounds of a textbook solver when nothing else ends it; kernels play 1000 times as many."""

PRECISION = 1e-4
"""How far apart the proven bounds of the value may be, in proportion to the largest payment, when it is not
said."""


class Rounds(Protocol):
    """Tables that learn round by round."""

    rounds: int

    def run(self, rounds: int) -> None: ...

    def kept(self) -> dict[str, Any]:
        """Arrays from which `take_up` goes on, to the same numbers."""
        ...

    def take_up(self, rounds: int, kept: dict[str, Any]) -> None: ...


class Bench(Protocol):
    """The game as a solver works on it: as a tree in Python, or as flat arrays."""

    @property
    def form(self) -> SequenceForm: ...

    def tables(self, rule: Rule, alternating: bool) -> Any: ...

    def judged(self, tables: Any, last: bool) -> tuple[Sequence[Number], Judgement]:
        """The average policy of all rounds, or that of the last one, by sequences, and how good it is."""
        ...

    def judge(self, policy: Any) -> Judgement:
        """How good a policy by sequences is."""
        ...

    def best_response(self, policy: Any, player: int) -> Any:
        """The policy with a best response of a player put in."""
        ...


class TreeBench:
    """Textbook: dicts over a tree of nodes."""

    def __init__(self, game: Game[Any, Any], at: Any, limit: int | None, report: Report | None = None):
        self.tree = game_tree(game, at, limit=limit)
        self.form = sequence_form_of(self.tree)

    def tables(self, rule: Rule, alternating: bool) -> RegretMatching:
        return RegretMatching(self.tree, rule, alternating=alternating)

    def judged(self, tables: RegretMatching, last: bool) -> tuple[list[Number], Judgement]:
        policy: Any = tables.policy if last else tables.average()
        flat: list[Number] = []
        for found in self.tree.information_sets:
            flat.append(1)
            for one in found:
                flat.extend(policy[one])
        return flat, judge(self.tree, policy)

    def judge(self, policy: Sequence[Number]) -> Judgement:
        return judge(self.tree, self._by_set(policy))

    def best_response(self, policy: Sequence[Number], player: int) -> list[Number]:
        flat = list(policy)
        for one, best in best_response(self.tree, self._by_set(policy), player)[1].items():
            first = int(self.form.first[self.form.sets[player] + one.number])
            flat[first : first + len(one.moves)] = [int(move == best) for move in range(len(one.moves))]
        return flat

    def _by_set(self, policy: Sequence[Number]) -> dict[InformationSet, Sequence[Number]]:
        found = {}
        number = 0
        for sets in self.tree.information_sets:
            for one in sets:
                first = int(self.form.first[number])
                found[one] = policy[first : first + len(one.moves)]
                number += 1
        return found


def regret_minimiser(
    name: str, rule: Rule, bench: Callable[..., Bench] = TreeBench, most: int = ITERATIONS
) -> Callable[..., Result]:
    """The solver that is a variant of regret minimisation. It ends after `most` rounds, unless more are
    asked for."""

    def solver(
        game: Game[Any, Any],
        at: Any = None,
        *,
        iterations: int | None = None,
        precision: float | None = None,
        time: float | None = None,
        limit: int | None = None,
        updates: str = "alternating",
        report: Report | None = None,
        checkpoint: CheckpointFile | None = None,
    ) -> Result:
        """Average play of so many iterations, or until the proven bounds of the value are `precision` apart.

        `limit` histories at most; `updates` "alternating" (each player answers what those before learnt in
        the same iteration) or "simultaneous".
        """
        refuse(name, game)
        return minimised(
            name, rule, bench(game, at, limit, report), at=at, iterations=iterations, precision=precision,
            time=time, updates=updates, most=most, report=report, checkpoint=checkpoint,
        )  # fmt: skip

    solver.__name__ = solver.__qualname__ = name
    return solver


def done(first: float, now: float, goal: float) -> float:
    """How much of the way to its goal a number has gone that falls by factors.

    >>> done(1.0, 0.01, 1e-4)
    0.5
    """
    if now <= goal:
        return 1.0
    return max(0.0, log(first / now) / log(first / goal)) if 0 < goal < first else 0.0


def minimised(
    solver: str,
    rule: Rule,
    bench: Bench,
    *,
    most: int,
    at: Any = None,
    iterations: int | None = None,
    precision: float | None = None,
    time: float | None = None,
    updates: str = "alternating",
    report: Report | None = None,
    checkpoint: CheckpointFile | None = None,
) -> Result:
    """The answer of a variant of regret minimisation, which ends after so many rounds, when bounds are as
    near as asked for, when time is over, or at Ctrl-C: then with what is known so far.

    A run that is taken up from its checkpoint ends after the same round, with the same numbers, as one that
    was never interrupted.
    """
    if iterations is not None and iterations < 1:
        raise bad_option(f"{iterations} iterations do nothing", "Use iterations=1 or more.")
    game = bench.form.game
    tables = bench.tables(rule, updates == "alternating")
    tables.run(0)
    keeper = None if checkpoint is None else _Keeper(checkpoint, game, solver, at, updates, tables)
    earlier = tables.rounds
    policy, judged = bench.judged(tables, False)
    began = perf_counter()  # kernels of both are there before time counts
    goal = precision if precision is not None else PRECISION * max(bench.form.most, 1e-12)
    end = most if iterations is None else iterations
    first = max(float(judged.nash_conv), 1e-300)
    stopped = False
    try:
        for check in _checks():
            if check < tables.rounds:
                continue
            left = None if time is None else time - (perf_counter() - began)
            _run(tables, min(check, end) - tables.rounds, left, keeper)
            policy, judged = bench.judged(tables, False)
            if report is not None:
                spent = 0.0 if time is None else (perf_counter() - began) / time
                fallen = 0.0 if iterations is not None else done(first, float(judged.nash_conv), goal)
                exploited = float(judged.exploitability)
                report(
                    f"{solver}: {tables.rounds:,} iterations, exploitability {exploited:.3g}",
                    min(1.0, max(spent, fallen, tables.rounds / end)),
                )
            if tables.rounds >= end or (iterations is None and judged.nash_conv <= goal):
                break
            if time is not None and perf_counter() - began > time:
                break
    except KeyboardInterrupt as interrupt:
        pass_on(interrupt)
        stopped = True
        policy, judged = bench.judged(tables, False)
    if not opposed(bench.form):
        policy, judged = min(
            (policy, judged), bench.judged(tables, True), key=lambda found: found[1].nash_conv
        )
    partial = stopped or (tables.rounds < end if iterations is not None else judged.nash_conv > goal)
    if keeper is not None and partial:
        keeper.keep()
    work = Work(perf_counter() - began, positions=bench.form.histories, rounds=tables.rounds, earlier=earlier)
    return answer(bench.form, solver, policy, judged, work, partial=partial, how="average play of all rounds")


def _checks() -> Iterator[int]:
    """The rounds after which a policy is judged: 1, 2, .., 8, 10, 12, 15, each a fifth of all or less after
    the last. Always the same ones, whatever was interrupted."""
    check = 1
    while True:
        yield check
        check += max(1, check // 4)


class _Keeper:
    """What regret minimisation leaves in its checkpoint, and takes up from it."""

    def __init__(
        self, file: CheckpointFile, game: Game[Any, Any], solver: str, at: Any, updates: str, tables: Rounds
    ):
        start = None if at is None else game.format_position(at)
        self.file, self.game, self.tables = file, game, tables
        self.task = {"solver": solver, "updates": updates, "start": start}
        found = file.load(game, "regrets", self.task)
        if found is not None:
            tables.take_up(*found)

    def keep(self) -> None:
        self.file.save(self.game, "regrets", self.task, self.tables.rounds, self.tables.kept())


PORTION = 0.1
"""Seconds that tables may learn before Python looks at the clock and hears Ctrl-C."""


def _run(tables: Rounds, rounds: int, left: float | None, keeper: _Keeper | None) -> None:
    """Plays rounds in portions; fewer where time runs out."""
    began = perf_counter()
    portion = max(1, rounds // 64)
    while rounds > 0 and (left is None or perf_counter() - began < left):
        now = perf_counter()
        tables.run(min(portion, rounds))
        rounds -= portion
        took = perf_counter() - now
        if took < PORTION / 2:
            portion *= 2
        elif took > PORTION:
            portion = max(1, portion // 2)
        if keeper is not None and keeper.file.due():
            keeper.keep()


def opposed(form: SequenceForm) -> bool:
    """Whether one number says what the game is worth."""
    return (form.players <= 2 and form.game.traits.zero_sum) or form.players == 1


def answer(
    form: SequenceForm,
    solver: str,
    policy: Sequence[Number],
    judged: Judgement,
    work: Work,
    *,
    how: str,
    partial: bool = False,
) -> Result:
    """The answer that a policy and its judge allow."""
    game = form.game
    exact = all(isinstance(number, int) or not isinstance(number, float) for number in judged.best)
    slack: Number = 0 if exact else form.rounding
    values: tuple[Value, ...]
    if form.players == 1:
        values = (Value.bounded(judged.values[0] - slack, judged.best[0] + slack),)
        how = f"{how}, over all that the player may know"
    elif opposed(form):
        value = Value.bounded(-judged.best[1] - slack, judged.best[0] + slack)
        values = (value, -value)
        how = f"{how}, between what the policies of both guarantee against best responses"
    elif judged.nash_conv <= form.players * slack:
        values = tuple(Value.bounded(value - slack, value + slack) for value in judged.values)
        how = f"{how}: nobody gains by leaving it; an equilibrium, and there may be others"
    else:
        values = tuple(Value.estimate(value) for value in judged.values)
        how = f"{how}: what it pays; no equilibrium, since somebody gains by leaving it"
    return Result(
        game=game.name,
        solver=solver,
        values=values,
        players=tuple(game.players),
        how=how,
        work=work,
        partial=partial,
        strategy=Strategy(form, policy, judged, work.rounds),
    )
