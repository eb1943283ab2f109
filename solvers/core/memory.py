"""Sizes of memory: one word, `memory`, means the same for commands, Python and agents."""

from __future__ import annotations

import re
from fractions import Fraction
from math import inf
from typing import TypeGuard

from solvers.core.refusal import Refusal, bad_option


def bytes_of(memory: str | float | Fraction) -> int:
    """A size of memory: bytes, or text such as "2GB" or "500 MB".

    >>> bytes_of("2GB"), bytes_of("1.5 MiB"), bytes_of(10_000)
    (2000000000, 1572864, 10000)
    """
    found = re.fullmatch(r"\s*([\d.]+(?:[eE]\d+)?)\s*([kKMGT]?)(i?)B?\s*", str(memory))
    try:
        number = float(found[1]) if found else 0.0
    except ValueError:
        number = 0.0
    if found is None or not 0 < number < inf:
        raise bad_option(f"{memory!r} is no size of memory", 'Give bytes, or a text such as "2GB".')
    return int(number * (1024 if found[3] else 1000) ** " KMGT".index(found[2].upper() or " "))


def is_size(memory: object) -> TypeGuard[str | float | Fraction]:
    """Whether something is a size that `bytes_of` reads."""
    if isinstance(memory, bool) or not isinstance(memory, str | int | float | Fraction):
        return False
    try:
        bytes_of(memory)
    except Refusal:
        return False
    return True
