"""What the search of negamax.py works on: a frame for each ply on a stack, and the pool of their children."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvers.machine.kernels import inlined
from solvers.machine.rules import Rules
from solvers.search.kernels.frames import RETURN

EXPAND = 3
"""A phase of its own: children are to be made."""

HITS = 4
"""A place of its own in `state`."""

HISTORY = 1 << 14
"""Entries of the history table for each player."""


class Stack(NamedTuple):
    """One entry per ply of the play being looked at."""

    state: Any  # i64[5]
    result: Any  # f64[3]: value, low, high of what was searched last
    largest: Any  # f64[1]: of what was paid where rewards are, whatever the sign
    place: Any  # i64: the position, in the pool
    mover: Any  # i8
    depth: Any  # i64
    alpha: Any  # f64
    beta: Any  # f64
    floor: Any  # f64: alpha as it was at first
    best: Any  # f64
    low: Any  # f64
    high: Any  # f64
    first: Any  # i64: the first child in the pool
    count: Any  # i32: children that are not finished games
    next: Any  # i32: children that have been searched
    best_move: Any  # i32: the number of the best child in the game's order
    scout: Any  # i8: whether the child is searched with a window of no width
    passing: Any  # i8: whether the child is the position after a null move
    key: Any  # u64: the hash of the position
    before: Any  # i64: nodes visited before this frame
    killers: Any  # i64[2 * plies]
    history: Any  # i64[2 * HISTORY]
    plies: int


class Pool(NamedTuple):
    """Positions: the children of all frames on the stack, one after another."""

    form: Any
    effect: Any  # i64: names what the move changes in the position
    mover: Any  # i8
    index: Any  # i32: in the game's order
    score: Any  # f64: how promising
    reward: Any  # f64: what the move pays the mover of the frame
    key: Any  # u64
    room: int


class Options(NamedTuple):
    table: Any  # u64, or nowhere
    shift: int
    beam: int  # children that are searched, the most promising by evaluation; 0 for all
    evaluate_from: int  # depth from which children are ordered by evaluation
    repeats: int  # whether positions may come back
    null_move: int  # by how much the search after a null move is less deep; 0 for no null moves
    pass_turn: Any  # of the ABI


def stack_of(plies: int, history: Any = None) -> Stack:
    def room(kind: Any) -> Any:
        return np.zeros(plies, kind)

    return Stack(
        state=np.zeros(5, np.int64),
        result=np.zeros(3),
        largest=np.zeros(1),
        place=room(np.int64),
        mover=room(np.int8),
        depth=room(np.int64),
        alpha=room(np.float64),
        beta=room(np.float64),
        floor=room(np.float64),
        best=room(np.float64),
        low=room(np.float64),
        high=room(np.float64),
        first=room(np.int64),
        count=room(np.int32),
        next=room(np.int32),
        best_move=room(np.int32),
        scout=room(np.int8),
        passing=room(np.int8),
        key=room(np.uint64),
        before=room(np.int64),
        killers=np.full(2 * plies, -1, np.int64),
        history=np.zeros(2 * HISTORY, np.int64) if history is None else history,
        plies=plies,
    )


def pool_of(rules: Rules, room: int) -> Pool:
    return Pool(
        form=np.zeros(room * rules.form, np.uint8),
        effect=np.zeros(room, np.int64),
        mover=np.zeros(room, np.int8),
        index=np.zeros(room, np.int32),
        score=np.zeros(room),
        reward=np.zeros(room if rules.pays else 1),
        key=np.zeros(room, np.uint64),
        room=room,
    )


@inlined
def push(stack: Any, ply: Any, place: Any, mover: Any, depth: Any, alpha: Any, beta: Any, key: Any) -> None:
    stack.place[ply] = place
    stack.mover[ply] = mover
    stack.depth[ply] = depth
    stack.alpha[ply] = alpha
    stack.beta[ply] = beta
    stack.key[ply] = key


@inlined
def least(numbers: Any, mover: Any) -> Any:
    """No value is worse for the mover."""
    return numbers.low[0] if mover == 0 else -numbers.high[0]


@inlined
def most(numbers: Any, mover: Any) -> Any:
    return numbers.high[0] if mover == 0 else -numbers.low[0]


@inlined
def frame_result(stack: Any, ply: Any, value: Any, low: Any, high: Any) -> Any:
    stack.best[ply] = value
    stack.low[ply] = low
    stack.high[ply] = high
    return RETURN
