"""Reading back what was printed: the numbers that a text says are possible, as exact fractions.

Written from the meaning of the text alone (`docs/solvers.md`), so that it can judge how numbers are printed.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import inf

_DECIMAL = r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?…?"
_INTERVAL = re.compile(rf"({_DECIMAL}) ± ({_DECIMAL})(?: \(95 %\))?")
_LOPSIDED = re.compile(rf"({_DECIMAL}) \((?:95 %: )?({_DECIMAL}) \.\. ({_DECIMAL})\)")
_FRACTION = re.compile(rf"(-?\d+/\d+)(?: = ({_DECIMAL}))?")
_EXACT = re.compile(rf"({_DECIMAL})(?: \(a .*\))?")
_HALF_OPEN = re.compile(rf"at (least|most) ({_DECIMAL})")


def read_back(text: str) -> tuple[Fraction | float, Fraction | float] | None:
    """The least and the greatest number that the text allows, infinite where it sets no bound; None where it
    makes no claim (`about 0.37`). Raises ValueError for text that is none of ours."""
    if text.startswith("about ") and re.fullmatch(_DECIMAL, text[6:]):
        return None
    if text == "unknown":
        return -inf, inf
    if found := _INTERVAL.fullmatch(text):
        middle, error = (_exactly(part) for part in found.groups())
        return middle - error, middle + error
    if found := _LOPSIDED.fullmatch(text):
        return _exactly(found[2]), _exactly(found[3])
    if found := _HALF_OPEN.fullmatch(text):
        bound = _exactly(found[2])
        return (bound, inf) if found[1] == "least" else (-inf, bound)
    if found := _FRACTION.fullmatch(text):
        fraction = Fraction(found[1])
        if found[2] is not None:
            low, high = _with_ellipsis(found[2])
            if not low <= fraction <= high:
                raise ValueError(f"{text} contradicts itself")
        return fraction, fraction
    if found := _EXACT.fullmatch(text):
        return _with_ellipsis(found[1])
    raise ValueError(f"`{text}` says nothing that can be read")


def significant_digits(decimal: str) -> int:
    """How many digits a decimal shows from its first to its last that is not 0."""
    digits = re.sub(r"e.*|[-.…]", "", decimal).lstrip("0")
    return len(digits if "." in decimal else digits.rstrip("0"))


def last_place(decimal: str) -> int:
    """The power of ten of the last digit that a decimal shows; final zeros before the point do not count."""
    mantissa, _, exponent = decimal.replace("…", "").partition("e")
    whole, _, after = mantissa.partition(".")
    zeros = 0 if after else len(whole) - len(whole.rstrip("0"))
    return int(exponent or 0) - len(after) + zeros


def _exactly(decimal: str) -> Fraction:
    if "…" in decimal:
        raise ValueError(f"{decimal} goes on")
    return Fraction(decimal)


def _with_ellipsis(decimal: str) -> tuple[Fraction, Fraction]:
    """What a decimal allows whose digits may go on after `…`, away from 0."""
    if "…" not in decimal:
        return (Fraction(decimal),) * 2
    shown = Fraction(decimal.replace("…", ""))
    mantissa, _, exponent = decimal.replace("…", "").partition("e")
    unit = Fraction(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return (shown - unit, shown) if decimal.startswith("-") else (shown, shown + unit)
