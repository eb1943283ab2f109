"""What numba does not offer by itself: calling machine code by address, hashing keys, fetching ahead.

Functions of a game are called with addresses (of arrays, of functions) as plain integers. The calls cost
what a call through a pointer costs in C; kernels that use them can be cached, since no address is compiled
into them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import core, extending, njit, types

intrinsic: Any = extending.intrinsic  # numba types the calls, mypy cannot
cgutils: Any = core.cgutils

_I64 = ir.IntType(64)
_POINTER = ir.IntType(8).as_pointer()


def _code(result: Any, kinds: str) -> Any:
    """Code that calls the first argument, an address, with the others: p a pointer, i a 64-bit integer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, *given = arguments
        parameters = [_POINTER if kind == "p" else _I64 for kind in kinds]
        function = ir.FunctionType(result, parameters).as_pointer()
        passed = [
            builder.inttoptr(value, _POINTER) if kind == "p" else value
            for kind, value in zip(kinds, given, strict=True)
        ]
        answer = builder.call(builder.inttoptr(address, function), passed)
        return context.get_dummy_value() if isinstance(result, ir.VoidType) else answer

    return generate


_VOID, _I32 = ir.VoidType(), ir.IntType(32)


@intrinsic
def call_void_pp(typing: Any, f: Any, a: Any, b: Any) -> Any:
    return types.void(types.int64, types.int64, types.int64), _code(_VOID, "pp")


@intrinsic
def call_i32_p(typing: Any, f: Any, a: Any) -> Any:
    return types.int32(types.int64, types.int64), _code(_I32, "p")


@intrinsic
def call_i32_pp(typing: Any, f: Any, a: Any, b: Any) -> Any:
    return types.int32(types.int64, types.int64, types.int64), _code(_I32, "pp")


@intrinsic
def call_i32_pip(typing: Any, f: Any, a: Any, b: Any, c: Any) -> Any:
    return types.int32(*[types.int64] * 4), _code(_I32, "pip")


@intrinsic
def call_i32_pipp(typing: Any, f: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    return types.int32(*[types.int64] * 5), _code(_I32, "pipp")


@intrinsic
def call_i32_ppip(typing: Any, f: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    return types.int32(*[types.int64] * 5), _code(_I32, "ppip")


@intrinsic
def call_i64_ppi(typing: Any, f: Any, a: Any, b: Any, c: Any) -> Any:
    return types.int64(*[types.int64] * 4), _code(_I64, "ppi")


@intrinsic
def call_i64_pipipp(typing: Any, f: Any, a: Any, b: Any, c: Any, d: Any, e: Any, g: Any) -> Any:
    return types.int64(*[types.int64] * 7), _code(_I64, "pipipp")


@intrinsic
def prefetch(typing: Any, address: Any) -> Any:
    """Asks for a cache line that will be read soon."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(_VOID, [_POINTER, _I32, _I32, _I32])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        pointer = builder.inttoptr(arguments[0], _POINTER)
        builder.call(function, [pointer, _I32(0), _I32(3), _I32(1)])
        return context.get_dummy_value()

    return types.void(types.int64), generate


@njit(cache=True, inline="always")
def address_of(array: Any) -> Any:
    return np.int64(array.ctypes.data)


@njit(cache=True, inline="always")
def hash_key(key: Any) -> Any:
    """64 well-mixed bits of a key: the low ones name the partition, the middle the tag, the high the slot."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for i in range(key.shape[0]):
        h = (h ^ key[i]) * np.uint64(0xD6E8FEB86659FD93)
        h ^= h >> np.uint64(32)
    h *= np.uint64(0xD6E8FEB86659FD93)
    h ^= h >> np.uint64(29)
    h *= np.uint64(0x9E3779B97F4A7C15)
    return h ^ (h >> np.uint64(32))


@intrinsic
def call_i32_ppipp(typing: Any, f: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    return types.int32(*[types.int64] * 6), _code(_I32, "ppipp")


@intrinsic
def call_i32_ppp(typing: Any, f: Any, a: Any, b: Any, c: Any) -> Any:
    return types.int32(*[types.int64] * 4), _code(_I32, "ppp")


@intrinsic
def call_i32_pippipp(typing: Any, f: Any, a: Any, b: Any, c: Any, d: Any, e: Any, g: Any, h: Any) -> Any:
    return types.int32(*[types.int64] * 8), _code(_I32, "pippipp")


# Memory that several threads share. Addresses again; every operation is sequentially consistent.


def _update(operation: str, kind: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], kind.as_pointer())
        return builder.atomic_rmw(operation, pointer, arguments[1], "seq_cst")

    return generate


@intrinsic
def atomic_add_i32(typing: Any, address: Any, amount: Any) -> Any:
    """Adds, and gives what was there before."""
    return types.int32(types.int64, types.int32), _update("add", _I32)


@intrinsic
def atomic_add_i64(typing: Any, address: Any, amount: Any) -> Any:
    return types.int64(types.int64, types.int64), _update("add", _I64)


@intrinsic
def atomic_add_f64(typing: Any, address: Any, amount: Any) -> Any:
    return types.float64(types.int64, types.float64), _update("fadd", ir.DoubleType())


@intrinsic
def compare_and_swap_i32(typing: Any, address: Any, expected: Any, new: Any) -> Any:
    """Stores `new` where `expected` stands, and gives what was there before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], _I32.as_pointer())
        pair = builder.cmpxchg(pointer, arguments[1], arguments[2], "seq_cst", "seq_cst")
        return builder.extract_value(pair, 0)

    return types.int32(types.int64, types.int32, types.int32), generate


@intrinsic
def copy_bytes(typing: Any, target: Any, source: Any, size: Any) -> Any:
    """Copies `size` bytes from one address to another; they do not overlap."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to, given, size = arguments
        pointers = builder.inttoptr(to, _POINTER), builder.inttoptr(given, _POINTER)
        cgutils.raw_memcpy(builder, *pointers, size, 1, align=8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def load_f64(typing: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(arguments[0], ir.DoubleType().as_pointer()))

    return types.float64(types.int64), generate


@intrinsic
def load_u64(typing: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(arguments[0], _I64.as_pointer()))

    return types.uint64(types.int64), generate


# Arrays as addresses: item `i` of the numbers that lie from an address on. Unlike arrays of numba, addresses
# cost nothing to hand on.


def _item(kind: Any, wide: Any = None) -> Any:
    """Code that reads an item, widened to 64 bits where it is a smaller integer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        base = builder.inttoptr(arguments[0], kind.as_pointer())
        value = builder.load(builder.gep(base, [arguments[1]]))
        return value if wide is None else builder.sext(value, wide)

    return generate


def _item_set(kind: Any, narrow: bool = False) -> Any:
    """Code that writes an item, and gives nothing."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        base = builder.inttoptr(arguments[0], kind.as_pointer())
        value = builder.trunc(arguments[2], kind) if narrow else arguments[2]
        builder.store(value, builder.gep(base, [arguments[1]]))
        return context.get_dummy_value()

    return generate


_I8, _F64 = ir.IntType(8), ir.DoubleType()


@intrinsic
def get_i8(typing: Any, array: Any, i: Any) -> Any:
    return types.int64(types.int64, types.int64), _item(_I8, _I64)


@intrinsic
def get_i32(typing: Any, array: Any, i: Any) -> Any:
    return types.int64(types.int64, types.int64), _item(_I32, _I64)


@intrinsic
def get_i64(typing: Any, array: Any, i: Any) -> Any:
    return types.int64(types.int64, types.int64), _item(_I64)


@intrinsic
def get_u64(typing: Any, array: Any, i: Any) -> Any:
    return types.uint64(types.int64, types.int64), _item(_I64)


@intrinsic
def get_f64(typing: Any, array: Any, i: Any) -> Any:
    return types.float64(types.int64, types.int64), _item(_F64)


@intrinsic
def set_i8(typing: Any, array: Any, i: Any, value: Any) -> Any:
    return types.void(types.int64, types.int64, types.int64), _item_set(_I8, narrow=True)


@intrinsic
def set_i32(typing: Any, array: Any, i: Any, value: Any) -> Any:
    return types.void(types.int64, types.int64, types.int64), _item_set(_I32, narrow=True)


@intrinsic
def set_i64(typing: Any, array: Any, i: Any, value: Any) -> Any:
    return types.void(types.int64, types.int64, types.int64), _item_set(_I64)


@intrinsic
def set_u64(typing: Any, array: Any, i: Any, value: Any) -> Any:
    return types.void(types.int64, types.int64, types.uint64), _item_set(_I64)


@intrinsic
def set_f64(typing: Any, array: Any, i: Any, value: Any) -> Any:
    return types.void(types.int64, types.int64, types.float64), _item_set(_F64)


def pointers(arrays: Any) -> Any:
    """A NamedTuple of arrays as the same NamedTuple of their addresses; numbers stay as they are.

    Valid while the arrays live.
    """
    return type(arrays)(*[part.ctypes.data if isinstance(part, np.ndarray) else part for part in arrays])


@intrinsic
def bits_of(typing: Any, number: Any) -> Any:
    """The bits of a double."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], _I64)

    return types.uint64(types.float64), generate


@intrinsic
def float_of(typing: Any, bits: Any) -> Any:
    """The double that has these bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], _F64)

    return types.float64(types.uint64), generate
