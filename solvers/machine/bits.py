"""The bits of numbers and keys."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending, njit, types

intrinsic: Any = extending.intrinsic  # numba types the calls, mypy cannot


@njit(cache=True, inline="always")
def hash_key(key: Any, words: Any) -> Any:
    """64 well-mixed bits of a key: the low ones name the partition, the middle the tag, the high the slot."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for i in range(words):
        h = (h ^ key[i]) * np.uint64(0xD6E8FEB86659FD93)
        h ^= h >> np.uint64(32)
    h *= np.uint64(0xD6E8FEB86659FD93)
    h ^= h >> np.uint64(29)
    h *= np.uint64(0x9E3779B97F4A7C15)
    return h ^ (h >> np.uint64(32))


@intrinsic
def bits_of(typing: Any, number: Any) -> Any:
    """The bits of a double."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.uint64(types.float64), generate


@intrinsic
def float_of(typing: Any, bits: Any) -> Any:
    """The double that has these bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.uint64), generate
