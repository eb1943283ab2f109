"""The functions of a compiled game, for callers in Python, numba or C: their names, types and statuses.

Everything that writes, calls or binds them reads this table: the code generator
(`gdl/native/emit/exports.py`), Python (`gdl/native/program.py`), kernels (`solvers/machine/pointers.py`).

Nothing allocates, nothing keeps state, every function may be called by several threads at once; memory
belongs to the caller. Positions are *working forms*: `form_size` bytes, aligned to 8
(`gdl/native/layout/layout.py`). Moves are numbers (`gdl/native/emit/moves.py`); the number after the last
stands for `initial`. `random` is the state of a generator: one 64-bit counter.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final, NamedTuple


class Parameter(NamedTuple):
    """`mode` says what is done with memory: const (only read), out (nobody else refers to it), or nothing."""

    name: str
    type: str  # a number, or a pointer (with a star) to numbers or bytes: i32 i64, u8* u32* u64* i64* f64*
    mode: str = ""


class Function(NamedTuple):
    result: str
    parameters: tuple[Parameter, ...]
    contract: str


def _function(text: str, contract: str) -> Function:
    """Of `result: [mode] type name, ..`."""
    result, _, taken = text.partition(": ")
    words = [part.split() for part in taken.split(", ")]
    parameters = tuple(Parameter(part[-1], part[-2], part[0] if len(part) == 3 else "") for part in words)
    return Function(result, parameters, contract)


FUNCTIONS: Final[dict[str, Function]] = {
    "to_move": _function(
        "i32: const u8* pos",
        "the player, CHANCE or TERMINAL (gdl/movers.py); -16 - status where that cannot be said",
    ),
    "moves": _function(
        "i64: const u8* pos, out i64* out, i64 capacity",
        "how many moves are legal (of more than the capacity only that many are written), or -status",
    ),
    "weights": _function(
        "i32: const u8* pos, i64* moves, i64 count, out i64* out",
        "numerator and denominator: of the total, then of each move",
    ),
    "policy": _function(
        "i32: const u8* pos, i32 which, const i64* arguments, const i64* moves, i64 count, out i64* out, "
        "out u8* script",
        "what a declared policy does, by its number: numerator and denominator of the probability of each "
        "of the legal moves; its arguments are ordinals of their types",
    ),
    "outcomes": _function(
        "i64: const u8* pos, i64 move, out u8* out, i64 capacity, out u32* table, out u8* script",
        "how many outcomes (records, merged, in order of draws), or -status; `table` holds 4 * capacity "
        "numbers, `script` script_size bytes; neither need be cleared",
    ),
    "sample": _function(
        "i32: u8* pos, i64 move, out u64* random, out f64* rewards",
        "makes a move in place, chance decided at random",
    ),
    "after": _function(
        "i32: u8* pos, i64 move, out f64* rewards",
        "makes a move in place up to its first draw: then DREW, the position and rewards as they are there",
    ),
    "pick": _function("i32: const u8* pos, out u64* random, out i64* out", "a uniformly random legal move"),
    "pass_turn": _function(
        "i32: u8* pos", "hands the turn on and changes nothing else; NO_MOVE where the turn is no variable"
    ),
    "utility": _function("i32: const u8* pos, out f64* out", "per player"),
    "evaluate": _function("i32: const u8* pos, out f64* out", "per player"),
    "features": _function("i32: const u8* pos, out f64* out", "in order of declaration"),
    "visible": _function(
        "i32: const u8* pos, i32 player, out u8* out",
        "per element of the position: whether the player sees it",
    ),
    "pack": _function("void: const u8* pos, out u64* key", "key_words words, equal where positions are"),
    "canonical": _function(
        "void: const u8* pos, out u64* key",
        "the least key of the positions that are the same but for a symmetry",
    ),
    "unpack": _function("void: const u64* key, out u8* pos", "the form of a key"),
    "hash": _function("i64: const u64* key", "64 mixed bits of a key"),
    "playout": _function(
        "i32: out u8* pos, out u64* random, i64 limit, out f64* returns, out i64* plies",
        "random moves to the end, in place, discounted; at the limit UNFINISHED and what was paid so far",
    ),
    "playouts": _function(
        "i32: const u8* start, i64 games, out u64* random, i64 limit, out f64* sums, out i64* counts",
        "adds to: sum and sum of squares of returns, per player; games finished, moves made. `start` may be "
        "null",
    ),
}

# Statuses: 0 where all went well; these; or a fault of the rules: 1 + the index of the place that breaks.

OVERFLOW: Final = 0x7FFF0001
"""A fraction outgrew its registers; the reference engine must do this one."""

CAPACITY: Final = 0x7FFF0002
"""The caller's buffer is too small."""

NO_MOVE: Final = 0x7FFF0003
"""No move is legal, yet the game is not over (F003)."""

TOO_MANY: Final = 0x7FFF0004
"""Chance can go more ways (F007), or more moves are legal (F008), than are listed."""

UNFINISHED: Final = 0x7FFF0005
"""A playout reached its limit of moves."""

DREW: Final = 0x7FFF0006
"""A move was made up to its first draw, and not further."""


def definition(name: str, linkage: str = "") -> str:
    """How LLVM begins the definition of a function."""
    modes = {"const": " readonly", "out": " noalias", "": ""}
    function = FUNCTIONS[name]
    parameters = ", ".join(
        f"{'ptr' if part.type.endswith('*') else part.type}{modes[part.mode]} %{part.name}"
        for part in function.parameters
    )
    return f"define {linkage} {function.result} @{name}({parameters}) #0"


_C_TYPES = {"void": None, "i32": ctypes.c_int32, "i64": ctypes.c_int64}


def c_function(name: str, address: int) -> Any:
    """The function at an address as a Python callable; it releases the interpreter lock while it runs."""
    function = FUNCTIONS[name]
    kinds: list[Any] = [_C_TYPES.get(part.type, ctypes.c_void_p) for part in function.parameters]
    return ctypes.CFUNCTYPE(_C_TYPES[function.result], *kinds)(address)
