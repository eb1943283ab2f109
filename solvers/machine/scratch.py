"""Scratch: the memory in which one thread works on one position at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvers.core.refusal import Refusal, cannot_go_on


class Sizes(NamedTuple):
    """How much room the parts of a game need: bytes, of keys words."""

    form: int
    words: int
    record: int
    script: int
    players: int
    features: int = 0  # that a leaf weighs
    chance: bool = True  # whether there are weights, and outcomes to list


class Scratch(NamedTuple):
    """Room that one thread needs beside its search; grows between calls of a kernel."""

    random: Any  # u64[1]: of moves and plays
    form: Any  # u8[3 * form]
    key: Any  # u64[words]
    paid: Any  # f64[players]
    rewards: Any  # f64[players]
    values: Any  # f64[features and players]
    moves: Any  # i64[..]
    weights: Any  # i64[2 + 2 * moves]
    records: Any  # u8[capacity * record]
    table: Any  # u32[4 * capacity]
    script: Any  # u8[script]
    plies: Any  # i64[1]
    row: Any  # i64[..]: the law of a choice (distributions.py)
    moves_room: int
    outcomes_room: int
    row_room: int


def scratch(sizes: Sizes, seed: int = 0, moves: int = 256, outcomes: int = 64, row: int = 1) -> Scratch:
    """Fresh scratch; `seed` is any number, mixed here."""
    outcomes = outcomes if sizes.chance else 1
    return Scratch(
        random=np.array([mixed(seed)], np.uint64),
        form=np.zeros(3 * sizes.form, np.uint8),
        key=np.zeros(sizes.words, np.uint64),
        paid=np.zeros(sizes.players),
        rewards=np.zeros(sizes.players),
        values=np.zeros(sizes.features + sizes.players),
        moves=np.zeros(moves, np.int64),
        weights=np.zeros(2 + 2 * moves if sizes.chance else 1, np.int64),
        records=np.zeros(outcomes * sizes.record, np.uint8),
        table=np.zeros(4 * outcomes, np.uint32),
        script=np.zeros(max(sizes.script, 8), np.uint8),
        plies=np.zeros(1, np.int64),
        row=np.zeros(row, np.int64),
        moves_room=moves,
        outcomes_room=outcomes,
        row_room=row,
    )


MOST_WAYS = 1 << 22
"""Moves of a position, or outcomes of a move, for which a search makes room at most; it is made in steps of
four times as much."""


def too_many(what: str) -> Refusal:
    return cannot_go_on(
        f"there are more than {MOST_WAYS // 4:,} {what}, too many to look at each.",
        "Split the choice into several moves, one after another.",
    )


def enlarged(room: Scratch, sizes: Sizes, moves: int = 0, outcomes: int = 0, row: int = 0) -> Scratch:
    """The same scratch with room for more; the state of its random numbers is kept.

    Refuses (R002) what would fill memory with the moves of one position.
    """
    for count, what in ((moves, "moves in a position"), (outcomes, "outcomes of a move")):
        if count > MOST_WAYS:
            raise too_many(what)
    bigger = scratch(
        sizes,
        0,
        max(moves, room.moves_room),
        max(outcomes, room.outcomes_room),
        max(row, room.row_room),
    )
    return bigger._replace(random=room.random)


def mixed(seed: int) -> int:
    """A seed as 64 well-mixed bits (SplitMix64)."""
    z = (seed * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) & (1 << 64) - 1
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & (1 << 64) - 1
    z = (z ^ z >> 27) * 0x94D049BB133111EB & (1 << 64) - 1
    return z ^ z >> 31
