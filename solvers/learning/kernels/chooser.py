"""Choosing moves by an evaluation, one move or one turn ahead, on machine code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvers.core.refusal import cannot_go_on
from solvers.learning.evaluation import Evaluation
from solvers.learning.kernels import choosing
from solvers.learning.kernels.judging import desk, net_of
from solvers.machine.pointers import Pointer, struct
from solvers.machine.rules import Machine
from solvers.machine.scratch import scratch

MOVES = 4096
"""Of a position, so many are looked at; with more it is refused."""


class Chosen(NamedTuple):
    """The best way on: its first move, and its last with the form before it; per player what it is worth."""

    first: int
    last: int
    before: Any
    worth: tuple[float, ...]


class Chooser:
    """Chooses for a game by an evaluation; not for several threads at once."""

    def __init__(self, game: Any, evaluation: Evaluation, seed: int = 0):
        self.machine = Machine(game, plays=True)
        self.columns = evaluation.columns
        outcomes = choosing.OUTCOMES if evaluation.expects else 1
        self._net = struct(net_of(game, evaluation))
        self._play = struct(choosing.play_of(self.machine))
        self._bench = choosing.bench(self.machine, evaluation.columns, MOVES)
        self._rooms = (
            struct(scratch(self.machine.sizes, seed, moves=MOVES, outcomes=outcomes)),
            struct(self._bench),
            struct(desk(evaluation)),
        )

    def best(self, form: Any, mover: int) -> Chosen:
        status = choosing.choose_once(
            self._play, self.machine.numbers_struct, self._net, Pointer(form), mover, *self._rooms
        )
        if status != 0:
            raise cannot_go_on("the moves of this position cannot all be judged.")
        bench = self._bench
        found = bench.best[: self.columns].tolist()
        if self.columns == 1 and self.machine.rules.players == 2:
            found.append(-found[0])
        first, last = bench.chosen.tolist()
        return Chosen(first, last, np.array(bench.before), tuple(found))
