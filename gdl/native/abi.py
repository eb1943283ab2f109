"""The exported functions of a native game, for callers in Python, numba or C.

`NativeGame.functions[name]` is a Python callable, `NativeGame.functions.address(name)` the address of the
same C function. Nothing allocates, nothing keeps state, every function may be called by several threads at
once; memory belongs to the caller. Positions are *working forms*: `layout.size` bytes, aligned to 8, as
layout.py says.
Moves are numbers (moves.py); the number after the last, `numbering.total`, stands for `initial`.

    int32  to_move(const pos*)                      player, -1 chance, -2 over; below: -16 - status
    int64  moves(const pos*, int64* out, int64 capacity)
                                                    how many moves are legal (more than the capacity: only
                                                    that many are written), or -status
    int32  weights(const pos*, const int64* moves, int64 count, int64* out)
                                                    numerator and denominator: of the total, then of each
    int64  outcomes(const pos*, int64 move, record* out, int64 capacity, uint32* table, script*)
                                                    how many outcomes (outcomes.py: records, merged, in order
                                                    of draws), or -status; `table` holds 4 * capacity numbers,
                                                    `script` script_size() bytes; neither need be cleared
    int32  sample(pos*, int64 move, uint64* random, double* rewards)
                                                    makes a move in place, chance decided at random
    int32  pick(const pos*, uint64* random, int64* out)
                                                    a uniformly random legal move
    int32  pass_turn(pos*)                          hands the turn on and changes nothing else; NO_MOVE where
                                                    the turn is no variable
    int32  utility(const pos*, double* out)         per player
    int32  evaluate(const pos*, double* out)        per player
    int32  features(const pos*, double* out)        in order of declaration
    int32  visible(const pos*, int32 player, uint8* out)
                                                    per element of the position: whether the player sees it
    void   pack(const pos*, uint64* key)            layout.key_words words
    void   unpack(const uint64* key, pos*)
    uint64 hash(const uint64* key)
    int32  playout(pos*, uint64* random, int64 limit, double* returns, int64* plies)
                                                    random moves to the end, in place; at the limit,
                                                    UNFINISHED and what was paid so far
    int32  playouts(const pos* start or null, int64 games, uint64* random, int64 limit,
                    double* sums, int64* counts)    adds to: sum and sum of squares of returns, per player;
                                                    games finished, moves made

A status is 0 where all went well. `playout` and `playouts` discount as the game says. `random` is the state
of a generator: one 64-bit counter (`seed_state(seed, stream)` makes one).
"""

from __future__ import annotations

from gdl.native.emit.exports import EXPORTS
from gdl.native.emit.scope import CAPACITY, NO_MOVE, OVERFLOW, TOO_MANY, UNFINISHED
from gdl.reference.random_bits import INCREMENT

STATUS = {
    OVERFLOW: "a fraction does not fit two 64-bit integers: ask the reference engine",
    CAPACITY: "the caller's buffer is too small",
    NO_MOVE: "no move is legal, yet the game is not over",
    TOO_MANY: "chance can go more ways, or more moves are legal, than are listed",
    UNFINISHED: "the playout reached its limit",
}
"""Statuses with a meaning of their own. Others are faults of the rules: 1 + the index in `program.sites`."""


def jump(state: int, steps: int) -> int:
    """The state of a generator so many 64-bit numbers later."""
    return (state + steps * INCREMENT) & (1 << 64) - 1


__all__ = ["EXPORTS", "STATUS", "jump"]
