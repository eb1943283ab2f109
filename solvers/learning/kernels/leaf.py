"""A learned evaluation as machine code with the signature of `evaluate`, for the kernels of searches."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gdl.movers import CHANCE, TERMINAL
from solvers.learning.evaluation import Evaluation
from solvers.learning.kernels import choosing
from solvers.learning.kernels.choosing import choose
from solvers.learning.kernels.judging import context_of, desk, net_of, read_row, value_of_row
from solvers.machine.binding import Bound
from solvers.machine.kernels import called_by_address, step
from solvers.machine.pointers import atomic_add, copy_bytes, struct
from solvers.machine.rules import Machine
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
    play = choosing.play_of(machine)
    given = Given(
        struct(play), machine.numbers_struct, struct(net_of(game, evaluation)), np.zeros(1, np.int64)
    )
    if evaluation.by_moves:
        rooms: list[Any] = [
            desk(evaluation),
            choosing.bench(machine, evaluation.columns, MOVES),
            scratch(machine.sizes, moves=MOVES, outcomes=1),
        ]
        bound = Bound(judge_by_moves, struct(given), rooms)
    else:
        bound = Bound(judge_position, struct(given), [desk(evaluation)])
    bound.machine = machine  # type: ignore[attr-defined]  # keeps the code of the game alive
    return bound


@called_by_address
def judge_position(given: Any, form: Any, out: Any, desk: Any) -> Any:
    """Each player's estimate of a position that is not over, as it is; gives the status."""
    mover = given.play.to_move(form)
    if mover < TERMINAL:
        return mover
    return _judge_row(given, form, mover, out, desk)


@called_by_address
def judge_by_moves(given: Any, form: Any, out: Any, desk: Any, bench: Any, room: Any) -> Any:
    """The same by what moves make of the position: where they draw, what they leave behind was learned."""
    play, net = given.play, given.net
    mover = play.to_move(form)
    if mover < TERMINAL:
        return mover
    if mover == CHANCE:
        return _judge_row(given, form, mover, out, desk)
    bench.turn[0] = atomic_add(given.turns, 0, 2)
    copy_bytes(bench.forms, form, play.form)
    status = choose(play, given.numbers, net, mover, room, bench, desk)
    _tell(given, bench.best, out)
    return status


@step
def _judge_row(given: Any, form: Any, mover: Any, out: Any, desk: Any) -> Any:
    net = given.net
    status = read_row(net, form, mover, desk)
    value_of_row(net, context_of(net, mover, net.draws), net.exchange != 0 and mover == 1, desk)
    _tell(given, desk.values, out)
    return status


@step
def _tell(given: Any, values: Any, out: Any) -> None:
    """What is known per column, per player."""
    for c in range(given.net.columns):
        out[c] = values[c]
    if given.net.columns == 1 and given.play.players == 2:
        out[1] = -out[0]
