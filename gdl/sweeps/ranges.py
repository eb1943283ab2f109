"""Ranges of parameters as people write them: `n=1..20`, `heads=0..1 step 1/10`, `naturals=plain,beat`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from gdl.diagnostics import GameError
from gdl.diagnostics.drawing import bad_range

MOST_POINTS = 100_000

_NUMBER = r"-?\d+(?:\.\d+|/\d+)?"
_RANGE = re.compile(rf"\s*({_NUMBER})\s*\.\.\s*({_NUMBER})\s*(?:(?:step|:)\s*({_NUMBER})\s*)?")


def read_ranges(texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The values of every parameter, as texts that the game reads, in the order in which they are written.

    >>> read_ranges(["n=1..3", "heads=0..1 step 1/2", "naturals=plain, beat"])
    {'n': ('1', '2', '3'), 'heads': ('0', '1/2', '1'), 'naturals': ('plain', 'beat')}
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise GameError([bad_range(text, "it has no name and `=`")])
        if name in found:
            raise GameError([bad_range(text, f"`{name}` has one already")])
        found[name] = read_values(values, text)
    return found


def read_values(values: Any, text: str = "") -> tuple[str, ...]:
    """The values that a range or a list stands for; of Python also a sequence, or a single value."""
    if not isinstance(values, str):
        several = values if isinstance(values, Iterable) else [values]
        return tuple(str(value) for value in several)
    text = text or values
    found = _RANGE.fullmatch(values)
    if found is None:
        if ".." in values:
            raise GameError([bad_range(text, "a range goes from a number to a number")])
        listed = tuple(value.strip() for value in values.split(","))
        if not all(listed):
            raise GameError([bad_range(text, "a value is missing")])
        return listed
    try:
        low, high = Fraction(found[1]), Fraction(found[2])
        step = Fraction(found[3]) if found[3] else Fraction(1)
    except ZeroDivisionError:
        raise GameError([bad_range(text, "a number has the denominator 0")]) from None
    if step <= 0:
        raise GameError([bad_range(text, "its step is not above 0")])
    if found[3] is None and not (low.denominator == high.denominator == 1):
        raise GameError([bad_range(text, "between fractions it needs a step")])
    if high < low:
        raise GameError([bad_range(text, f"{found[2]} is less than {found[1]}")])
    count = int((high - low) / step) + 1
    if count > MOST_POINTS:
        raise GameError([bad_range(text, f"it has {count:,} values, and {MOST_POINTS:,} at most are tried")])
    return tuple(str(low + k * step) for k in range(count))


def points_of(ranges: Mapping[str, tuple[str, ...]]) -> list[dict[str, str]]:
    """Every combination, the last parameter fastest."""
    count = prod(len(values) for values in ranges.values())
    if not ranges or count > MOST_POINTS:
        text = " ".join(f"{name}={values[0]}…" for name, values in ranges.items())
        reason = f"{count:,} combinations are too many" if ranges else "there is none"
        raise GameError([bad_range(text, reason)])
    return [dict(zip(ranges, values, strict=True)) for values in product(*ranges.values())]
