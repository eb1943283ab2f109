"""Learning on machine code: batches of self-play, and what is learned from them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from gdl.abi import CAPACITY, UNFINISHED
from solvers.core.refusal import cannot_go_on
from solvers.learning.evaluation import Evaluation
from solvers.learning.kernels import choosing, self_play
from solvers.learning.kernels.choosing import OUTCOMES
from solvers.learning.kernels.judging import desk, net_of
from solvers.machine.fault import KernelFault
from solvers.machine.pointers import Pointer, Struct, struct
from solvers.machine.rules import Machine
from solvers.machine.scratch import mixed, scratch

LONGEST = 5000
"""Choices of a game that are learned from at most."""

OPENING = 4
"""Random moves with which games begin that measure strength, where nothing else makes them differ."""

FEW, BATCH = 256, 8
"""So many games are learned from one by one, later ones in batches."""


class Learner:
    """An evaluation that learns from self-play. Everything follows from the seed and the number of games."""

    def __init__(self, game: Any, evaluation: Evaluation, seed: int = 0, threads: int = 1):
        self.game = game
        self.evaluation = evaluation
        self.seed = seed
        self.threads = threads
        self.machine = Machine(game, plays=True)
        # Without chance two evaluations would play the same game again and again.
        self.opening = 0 if game.traits.chance or game.traits.players == 1 else OPENING
        self.games = 0
        self.positions = 0
        size = next(iter(evaluation.weights.values())).size if evaluation.kind == "tuples" else 1
        self.coherence = {"errors": np.zeros(size, np.float32), "sizes": np.zeros(size, np.float32)}
        self.net = struct(net_of(game, evaluation, self.coherence))
        self._play = struct(choosing.play_of(self.machine))
        self._longest = min(LONGEST, self.machine.rules.longest)
        width = len(evaluation.features) or len(evaluation.view.levels)
        self._episodes = self_play.episodes(
            BATCH, self._longest, width, len(evaluation.features), evaluation.columns, game.traits.players
        )
        self._episodes_struct = struct(self._episodes)
        self._desk = struct(desk(evaluation))
        self._rooms = [self._room(evaluation) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._start = np.frombuffer(game.compiled.blank, np.uint8).copy()
        self._report = np.zeros(2)
        self._targets = np.zeros(evaluation.columns)

    def _room(self, evaluation: Evaluation, moves: int = 4096) -> Struct:
        """Memory of one thread."""
        parts = (
            scratch(self.machine.sizes, moves=moves, outcomes=OUTCOMES if evaluation.expects else 1),
            choosing.bench(self.machine, evaluation.columns, moves),
            desk(evaluation),
            desk(evaluation),
        )
        return struct(self_play.work(*map(struct, parts)))

    def learn(self, rate: float, lambda_: float, explore: float) -> float:
        """Plays a batch and learns from it; gives the mean of squared errors."""
        batch = 1 if self.games < FEW else BATCH
        seeds = self.seeds(self.games, batch)
        self._run(self.net, self._play_all(), explore, 0, seeds)
        self._report[:] = 0
        self_play.learn_games(
            self.net,
            self._episodes_struct,
            batch,
            float(rate),
            float(lambda_),
            Pointer(self._targets),
            self._desk,
            Pointer(self._report),
        )
        self.games += batch
        self.positions += int(self._report[1])
        return float(self._report[0] / max(1.0, self._report[1]))

    def seeds(self, first: int, count: int, stream: int = 0) -> Any:
        """The random numbers of games, by their number."""
        base = mixed(self.seed * 4 + stream)
        return np.array([mixed(base + number) for number in range(first, first + count)], np.uint64)

    def _play_all(self) -> Any:
        return np.zeros(self.machine.rules.players, np.int64)

    def _run(self, other: Any, who: Any, explore: float, opening: int, seeds: Any) -> None:
        count = len(seeds)
        batch = self_play.Batch(
            net=self.net,
            other=other,
            who=who,
            explore=float(explore),
            opening=opening,
            initial=self.game.compiled.move_numbers,
            start=self._start,
            seeds=seeds,
        )
        given = struct(batch)
        share = -(-count // self.threads)

        def run(thread: int) -> int:
            first, last = thread * share, min(count, (thread + 1) * share)
            if first >= last:
                return 0
            status: int = self_play.play_games(
                self._play,
                self.machine.numbers_struct,
                given,
                first,
                last,
                self._rooms[thread],
                self._episodes_struct,
            )
            return status

        found = [run(0)] if self._pool is None else list(self._pool.map(run, range(self.threads)))
        for status in found:
            if status == CAPACITY:
                raise cannot_go_on("too many moves, or outcomes of a move, for all to be judged.")
            if status not in (0, UNFINISHED):
                raise KernelFault

    def match(self, who: list[int], games: int, other: Any = None, stream: int = 1) -> tuple[Any, Any]:
        """What games between the evaluation, random moves and another evaluation paid, [games, players]; and
        how many moves they took."""
        players = self.game.traits.players
        results, plies = np.zeros((games, players)), np.zeros(games, np.int64)
        seeds = self.seeds(0, games, stream)
        for first in range(0, games, BATCH):
            part = np.ascontiguousarray(seeds[first : first + BATCH])
            self._run(self.net if other is None else other, np.array(who, np.int64), 0.0, self.opening, part)
            found = self._episodes.results.reshape(BATCH, players)[: len(part)]
            results[first : first + BATCH] = found
            plies[first : first + BATCH] = self._episodes.plies[: len(part)]
        return results, plies
