"""A learned evaluation as machine code with the signature of `evaluate`, for the kernels of searches."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvers.learning.evaluation import Evaluation
from solvers.learning.kernels import self_play
from solvers.learning.kernels.judging import context_of, desk, net_of, read_row, value_of_row
from solvers.learning.kernels.self_play import choose
from solvers.machine.binding import Bound
from solvers.machine.kernels import called_by_address
from solvers.machine.pointers import atomic_add, copy_bytes, struct
from solvers.machine.rules import CHANCE, TERMINAL, Machine
from solvers.machine.scratch import scratch

MOVES = 512
"""Of a position that is judged by its moves, so many may be legal."""


class Given(NamedTuple):
    play: Any
    numbers: Any
    net: Any
    turns: Any  # i64[1]: numbers for turns, so that what lies on the stack from earlier ones does not count


def code_of(game: Any, evaluation: Evaluation) -> Bound:
    """Valid while it lives."""
    machine = Machine(game, plays=True)
    play = self_play.play_of(machine)
    given = Given(
        struct(play), machine.numbers_struct, struct(net_of(game, evaluation)), np.zeros(1, np.int64)
    )
    moves = MOVES if evaluation.by_moves else 1
    rooms = [
        desk(evaluation),
        self_play.bench(machine, evaluation.columns, moves),
        scratch(machine.sizes, moves=moves, outcomes=1),
    ]
    bound = Bound(judge_form, struct(given), rooms)
    bound.machine = machine  # type: ignore[attr-defined]  # keeps the code of the game alive
    return bound


@called_by_address
def judge_form(given: Any, form: Any, out: Any, desk: Any, bench: Any, room: Any) -> Any:
    """Each player's estimate of a position that is not over; gives the status."""
    play, net = given.play, given.net
    mover = play.to_move(form)
    if mover < TERMINAL:
        return mover
    if net.by_moves and mover != CHANCE:
        bench.turn[0] = atomic_add(given.turns, 0, 2)
        copy_bytes(bench.forms, form, play.form)
        status = choose(play, given.numbers, net, mover, room, bench, desk)
        for c in range(net.columns):
            out[c] = bench.best[c]
    else:
        status = read_row(net, form, mover, desk)
        value_of_row(net, context_of(net, mover, net.draws), net.exchange != 0 and mover == 1, desk)
        for c in range(net.columns):
            out[c] = desk.values[c]
    if net.columns == 1 and play.players == 2:
        out[1] = -out[0]
    return status
