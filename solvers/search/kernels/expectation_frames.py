"""What the search of expectation.py works on: frames on a stack, and the pool of what may follow them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvers.machine.kernels import step
from solvers.machine.rules import Rules
from solvers.machine.types import i64
from solvers.search.kernels.frames import NODES, RETURN

PROBE, DRAW = 3, 4
"""Phases of its own: of a frame of chance."""

PLAIN, STAR1, STAR2 = range(3)

DEEPEST, WIDEST = 4, 5
"""Places of its own in `state`."""

ALL_MOVES, ONE_MOVE = i64(1 << 30), i64(1)
"""How many moves a frame searches at most."""

HISTORY = 1 << 12

FEWEST_MOVES = 4
"""A probe costs the search of one move; where there are few, searching them all costs little more."""


class Stack(NamedTuple):
    """One entry per ply, chance counted. For a position `best` is its value so far; for chance it is the
    part of the expectation that was searched, and low_rest, high_rest bound the part that was not."""

    state: Any  # i64[6]; DEEPEST and WIDEST: the plies on the stack and the outcomes of a draw at most
    result: Any  # f64[3]: value, low, high of what was searched last
    largest: Any  # f64[1]: of what was paid, rewards and utilities, whatever the sign
    place: Any  # i64
    phase: Any  # i8: what a frame does when a result comes back
    mover: Any  # i8
    depth: Any  # i64
    alpha: Any  # f64
    beta: Any  # f64
    floor: Any  # f64: alpha as it was at first
    ceiling: Any  # f64: beta as it was at first
    best: Any  # f64
    low: Any  # f64
    high: Any  # f64
    low_rest: Any  # f64
    high_rest: Any  # f64
    inner_alpha: Any  # f64: the window of the outcome being searched
    inner_beta: Any  # f64
    first: Any  # i64
    count: Any  # i32
    next: Any  # i32
    moves: Any  # i32: how many moves to search at most; 1 for a probe
    reward: Any  # f64: of the move being searched
    best_move: Any  # i32
    chosen: Any  # i64: the slot of the move being searched
    key: Any  # u64
    before: Any  # i64
    history: Any  # i64[2 * HISTORY]
    plies: int


class Pool(NamedTuple):
    """Moves of positions, and outcomes of chance, of all frames on the stack."""

    form: Any
    move: Any  # i64
    index: Any  # i32
    score: Any  # f64: of a move, how promising; of an outcome, its weight in the expectation
    reward: Any  # f64
    low: Any  # f64: of an outcome, between which numbers its search would lie
    high: Any  # f64
    least: Any  # f64: of an outcome, between which numbers its value is proven to lie
    most: Any  # f64
    mover: Any  # i8
    room: int


class Options(NamedTuple):
    mode: int
    table: Any
    shift: int
    repeats: int
    only: int  # the move to which the search of the root is limited, or -1
    assumed: int  # the player whose moves are all equally likely, or -1
    low: float  # no value is less
    high: float
    slack: float  # proven bounds that are no further apart than this meet: rounding keeps them apart


def stack_of(plies: int) -> Stack:
    integers = ("place", "depth", "first", "chosen", "before")
    small = {"phase": np.int8, "mover": np.int8, "key": np.uint64}
    small |= dict.fromkeys(("count", "next", "moves", "best_move"), np.int32)
    small |= dict.fromkeys(integers, np.int64)
    fixed = {
        "state": np.zeros(6, np.int64),
        "result": np.zeros(3),
        "largest": np.zeros(1),
        "history": np.zeros(2 * HISTORY, np.int64),
        "plies": plies,
    }
    parts = {name: np.zeros(plies, small.get(name, np.float64)) for name in Stack._fields}
    return Stack(**(parts | fixed))  # type: ignore[arg-type]


def pool_of(rules: Rules, room: int) -> Pool:
    return Pool(
        form=np.zeros(room * rules.form, np.uint8),
        move=np.zeros(room, np.int64),
        index=np.zeros(room, np.int32),
        score=np.zeros(room),
        reward=np.zeros(room),
        low=np.zeros(room),
        high=np.zeros(room),
        least=np.zeros(room),
        most=np.zeros(room),
        mover=np.zeros(room, np.int8),
        room=room,
    )


@step
def push(stack: Any, ply: Any, place: Any, mover: Any, depth: Any, alpha: Any, beta: Any, moves: Any) -> None:
    stack.place[ply] = place
    stack.mover[ply] = mover
    stack.depth[ply] = depth
    stack.alpha[ply] = alpha
    stack.beta[ply] = beta
    stack.floor[ply] = alpha
    stack.ceiling[ply] = beta
    stack.moves[ply] = moves
    stack.before[ply] = stack.state[NODES]
    stack.state[DEEPEST] = max(stack.state[DEEPEST], ply)


@step
def frame_result(stack: Any, ply: Any, value: Any, low: Any, high: Any) -> Any:
    stack.best[ply] = value
    stack.low[ply] = low
    stack.high[ply] = high
    return RETURN


@step
def visit(stack: Any) -> None:
    stack.state[NODES] += 1


@step
def pay(stack: Any, amount: Any) -> None:
    """Remembers how large payments are, for the error of sums of them."""
    stack.largest[0] = max(stack.largest[0], abs(amount))
