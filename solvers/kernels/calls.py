"""What numba does not offer by itself: calling machine code by address, hashing keys, fetching ahead.

Functions of a game are called with addresses (of arrays, of functions) as plain integers. The calls cost what a
call through a pointer costs in C; kernels that use them can be cached, since no address is compiled into them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

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


@njit(cache=True)
def hash_key(key: Any) -> Any:
    """64 well-mixed bits of a key: its low bits name the partition, the middle the tag, the high ones the slot."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for i in range(key.shape[0]):
        h = (h ^ key[i]) * np.uint64(0xD6E8FEB86659FD93)
        h ^= h >> np.uint64(32)
    h *= np.uint64(0xD6E8FEB86659FD93)
    h ^= h >> np.uint64(29)
    h *= np.uint64(0x9E3779B97F4A7C15)
    return h ^ (h >> np.uint64(32))
