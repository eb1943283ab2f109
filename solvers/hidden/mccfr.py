"""Monte Carlo CFR (Lanctot, Waugh, Zinkevich & Bowling 2009): regrets from sampled plays; the tree is never
built.

External sampling tries all moves of one player, and draws those of the others and of chance. Outcome
sampling plays single plays, and weighs what it learns with how improbable they were.
"""

from __future__ import annotations

from random import Random
from time import perf_counter
from typing import Any

from gdl.game import CHANCE, TERMINAL, Game
from solvers.agents.seen import ConcealsMoves
from solvers.core.interrupts import pass_on
from solvers.core.refusal import bad_option
from solvers.core.result import Result, Work
from solvers.core.starts import starts_of
from solvers.files.checkpoint import CheckpointFile
from solvers.hidden.equilibrium import ITERATIONS, Report, TreeBench, answer
from solvers.hidden.game_tree import Seen
from solvers.hidden.records import EXPLORING, iterations_of
from solvers.hidden.regret_matching import matched
from solvers.hidden.sizing import histories
from solvers.registry import refuse


def mccfr(
    game: Game[Any, Any],
    at: Any = None,
    *,
    iterations: int | None = None,
    time: float | None = None,
    sampling: str = "external",
    seed: int = 0,
    limit: int | None = None,
    report: Report | None = None,
    checkpoint: CheckpointFile | None = None,
) -> Result:
    """Average play after so many iterations; in one, every player learns from one sample.

    How good it is is measured afterwards over the whole tree; refuses where that has more than `limit`
    histories.
    """
    refuse("mccfr", game)
    if checkpoint is not None:
        raise bad_option("only compiled games leave checkpoints of samples", 'Load it with engine="native".')
    rounds = iterations_of(iterations, time, ITERATIONS)
    histories(game, at)  # which refuses plays that go round: a sample of them would have no end
    began = perf_counter()
    sampler = Sampler(game, at, Random(seed), outcome=sampling == "outcome")
    stopped = False
    try:
        while sampler.rounds < rounds and (time is None or perf_counter() - began < time):
            sampler.run()
    except KeyboardInterrupt as interrupt:
        pass_on(interrupt)
        stopped = True
    bench = TreeBench(game, at, limit)
    policy: list[float] = []
    for found in bench.tree.information_sets:
        policy.append(1.0)
        for one in found:
            policy += sampler.average(one.player, one.seen, len(one.moves))
    work = Work(perf_counter() - began, positions=bench.form.histories, rounds=sampler.rounds)
    how = f"average play of {sampling} sampling"
    return answer(bench.form, "mccfr", policy, bench.judge(policy), work, how=how, partial=stopped)


class Sampler:
    """Regrets and sums of what was played, by player and what was seen."""

    def __init__(self, game: Game[Any, Any], at: Any, rng: Random, *, outcome: bool):
        self.game = game
        self.starts = starts_of(game, at)
        self.rng = rng
        self.outcome = outcome
        self.rounds = 0
        self.regret: dict[tuple[int, Seen], list[float]] = {}
        self.sums: dict[tuple[int, Seen], list[float]] = {}

    def run(self) -> None:
        """One iteration: a sample for each player."""
        self.rounds += 1
        for player in range(len(self.game.players)):
            (start,) = self.rng.choices(self.starts, [float(one.probability) for one in self.starts])
            everyone = range(len(self.game.players))
            seen = tuple((self.game.observation(start.position, one),) for one in everyone)
            self.visit(start.position, seen, player, 1.0, 1.0)

    def average(self, player: int, seen: Seen, moves: int) -> list[float]:
        sums = self.sums.get((player, seen), [0.0] * moves)
        total = sum(sums)
        return [part / total for part in sums] if total > 0 else [1 / moves] * moves

    def visit(self, position: Any, seen: tuple[Seen, ...], player: int, own: float, drawn: float) -> float:
        """What the player gets from here on, by a sample that is right on average.

        own      the probability of the player's own moves that led here
        drawn    the probability with which the sample made them
        """
        game = self.game
        mover = game.to_move(position)
        if mover == TERMINAL:
            return float(game.utility(position)[player])
        if mover == CHANCE:
            moves, odds = zip(*game.chance(position), strict=True)
            (move,) = self.rng.choices(moves, [float(p) for p in odds])
            return self.after(position, move, seen, player, own, drawn)
        moves = tuple(game.moves(position))
        key = mover, seen[mover]
        regret = self.regret.setdefault(key, [0.0] * len(moves))
        sums = self.sums.setdefault(key, [0.0] * len(moves))
        policy = matched(regret)
        if mover != player:
            if not self.outcome and mover == (player + 1) % len(game.players):
                for k, p in enumerate(policy):
                    sums[k] += p
            (chosen,) = self.rng.choices(range(len(moves)), policy)
            return self.after(position, moves[chosen], seen, player, own, drawn)
        if not self.outcome:
            worth = [self.after(position, move, seen, player, own, drawn) for move in moves]
        else:
            tried = [EXPLORING / len(moves) + (1 - EXPLORING) * p for p in policy]
            for k, p in enumerate(policy):
                sums[k] += own / drawn * p
            (chosen,) = self.rng.choices(range(len(moves)), tried)
            worth = [0.0] * len(moves)
            came = drawn * tried[chosen]
            value = self.after(position, moves[chosen], seen, player, own * policy[chosen], came)
            worth[chosen] = value / tried[chosen]
        mean = sum(p * value for p, value in zip(policy, worth, strict=True))
        weight = 1 / drawn if self.outcome else 1.0
        for k, value in enumerate(worth):
            regret[k] += weight * (value - mean)
        return mean

    def after(
        self, position: Any, move: Any, seen: tuple[Seen, ...], player: int, own: float, drawn: float
    ) -> float:
        """What the player gets from a move on."""
        game = self.game
        mover = game.to_move(position)
        outcomes = game.outcomes(position, move)
        (outcome,) = self.rng.choices(outcomes, [float(one.probability) for one in outcomes])
        longer = tuple(
            (
                *before,
                (
                    mover,
                    game.observed_move(move, one, mover) if isinstance(game, ConcealsMoves) else move,
                ),
                game.observation(outcome.position, one),
            )
            for one, before in enumerate(seen)
        )
        paid = float(outcome.rewards[player]) if outcome.rewards else 0.0
        return paid + float(game.traits.discount) * self.visit(outcome.position, longer, player, own, drawn)
