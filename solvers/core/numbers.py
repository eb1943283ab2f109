"""Numbers for people and for programs: text that claims no more than is known.

    3/8 = 0.375            exactly this
    1/3 = 0.333333333333…  exactly the fraction; the decimals go on
    0.96251125375 ± 3e-15  somewhere in this interval: read back as decimals, it contains the bounds given
    at least 1             no upper bound is known
    0.37 ± 0.06 (95 %)     an estimate with its confidence interval
    1 (95 %: 0.83 .. 1)    the same, where the interval reaches much farther to one side
    0.4692                 rough: four digits of a number of which no error is known

Digits follow the error: an interval shows no digit of its middle beyond the second digit of its error. The
error is rounded up, and counts the rounding of the middle. No number has more than 12 significant digits
unless it is whole and short enough to be written out, or the middle of an interval that is known to the tenth
decimal: then up to 17, so that what was proven to 1e-9 does not look coarser.
"""

from __future__ import annotations

import json
from fractions import Fraction
from math import isfinite, log10, nextafter
from typing import Any

from gdl.diagnostics.wording.phrases import counted
from gdl.game import Number

DIGITS = 12
"""Significant digits of decimals."""

MOST_DIGITS = 17
FINEST = -10
"""Significant digits of a large number that is known well, down to which place."""

ERROR_DIGITS = 2
"""Significant digits of an error."""

ROUGH_DIGITS = 4
"""Significant digits where no error is known."""

LONGEST_FRACTION = 24
"""Fractions and whole numbers of more characters than this are not written out."""

PIECE_DIGITS = 4000
PIECE = 10**PIECE_DIGITS
"""Python writes out no more than 4,300 digits at a time."""

UNKNOWN = "unknown"


def show(number: Number) -> str:
    """An exact number: short fractions with their decimals, long ones as decimals that say they go on."""
    if not finite(number):
        return UNKNOWN
    exact = Fraction(number)
    short = show_short(exact, LONGEST_FRACTION)
    if "/" in short:
        return f"{short} = {_cut(exact)}"
    if "…" not in short:
        return short
    if exact.denominator == 1:
        return f"{short} (a whole number of {counted(digits_of(exact.numerator), 'digit')})"
    return f"{short} (a fraction, its denominator has {counted(digits_of(exact.denominator), 'digit')})"


def show_short(number: Number, longest: int = DIGITS) -> str:
    """An exact number in few characters: a fraction if it is short, else decimals that say if they go on."""
    if not finite(number):
        return UNKNOWN
    exact = Fraction(number)
    if digits_of(exact.numerator) + digits_of(exact.denominator) > longest + 1:
        return _cut(exact)
    return str(exact) if len(str(exact)) <= longest else _cut(exact)


def show_interval(low: Number, high: Number) -> str:
    """Somewhere from low to high, which may be infinite: `middle ± error`, `at least ..`, `at most ..`."""
    if low == high:
        return show(low)
    if finite(low) and finite(high):
        middle = (Fraction(low) + Fraction(high)) / 2
        return _middle_and_error(middle, Fraction(high) - middle)
    if finite(low):
        return f"at least {_decimal(*_rounded(Fraction(low), DIGITS, up=False))}"
    if finite(high):
        return f"at most {_decimal(*_rounded(Fraction(high), DIGITS, up=True))}"
    return UNKNOWN


def show_estimate(number: Number, low: Number, high: Number, confidence: str = "", unit: str = "") -> str:
    """An estimate with its interval: `0.37 ± 0.06`, or `1 (0.83 .. 1)` where it is far from the middle.

    `confidence` says how sure the interval is, unless that is said elsewhere; `unit` follows every number.
    """
    if not (finite(number) and finite(low) and finite(high)):
        return UNKNOWN
    exact, least, most = Fraction(number), Fraction(low), Fraction(high)
    error = max(exact - least, most - exact)
    sure = f" ({confidence})" if confidence else ""
    if 5 * error <= 3 * (most - least):
        return f"{_middle_and_error(exact, error, unit)}{sure}"
    place = _place_for(exact, (most - least) / 2)
    if nearer := min(
        exact - least, most - exact
    ):  # not rounded to the end, or beyond it, if that can be told
        place = max(place - ERROR_DIGITS, min(place, _leading(nearer)))
    middle = _decimal(round(exact / _power(place)), place)
    left, right = (
        _decimal(_whole(end / _power(place), up), place) for end, up in ((least, False), (most, True))
    )
    return f"{middle}{unit} ({f'{confidence}: ' if confidence else ''}{left}{unit} .. {right}{unit})"


def show_most(number: Number, digits: int = ERROR_DIGITS) -> str:
    """A number that is rounded up, for `at most ..`."""
    return _decimal(*_rounded(Fraction(number), digits, up=True)) if finite(number) else UNKNOWN


def show_rough(number: Number, digits: int = ROUGH_DIGITS) -> str:
    """A number of which no error is known: a few digits, but every digit before the point."""
    if not finite(number):
        return UNKNOWN
    exact = Fraction(number)
    place = _leading(exact) - digits + 1
    if _leading(exact) < DIGITS:
        place = min(place, 0)
    return _decimal(round(exact / _power(place)), place)


def show_rate(number: float) -> str:
    """A measured speed or size: three digits, with thousands set off."""
    if not finite(number):
        return UNKNOWN
    exact = Fraction(number)
    place = _leading(exact) - 2
    count = round(exact / _power(place)) * _power(place)
    return f"{count.numerator:,}" if count.denominator == 1 else _decimal(round(count / _power(place)), place)


def to_json(data: Any, indent: int | None = None) -> str:
    """Data as JSON, which has no infinite numbers: null stands for them. Other objects become text."""
    return json.dumps(_finite(data), indent=indent, ensure_ascii=False, allow_nan=False, default=str)


def as_float(number: Number | None, towards: float | None = None) -> float | None:
    """The float nearest to a number, or the nearest one that is not short of it towards -inf or inf.

    None where it is none that JSON could carry: no number at all, infinite, or too large.
    """
    if number is None or not finite(number):
        return None
    try:
        nearest = float(number)
    except OverflowError:
        return None
    if towards is not None and (nearest > number if towards < 0 else nearest < number):
        nearest = nextafter(nearest, towards)
    return nearest if isfinite(nearest) else None


def digits_of(number: int) -> int:
    """How many decimal digits a whole number has. Python writes out no more than some thousand of them."""
    number = abs(number)
    guess = int(number.bit_length() * log10(2))  # the digits, or one less
    return guess + (number >= 10**guess) if number else 1


def written_out(number: Number) -> str:
    """A fraction with all its digits, however many."""
    exact, parts = Fraction(number), []
    for part in (exact.numerator, exact.denominator):
        pieces, left = [], abs(part)
        while left >= PIECE:
            left, piece = divmod(left, PIECE)
            pieces.append(f"{piece:0{PIECE_DIGITS}}")
        parts.append("".join([str(left), *reversed(pieces)]))
    whole = ("-" if exact < 0 else "") + parts[0]
    return whole if exact.denominator == 1 else f"{whole}/{parts[1]}"


def finite(number: Number) -> bool:
    """Whether it is neither infinite nor no number at all; fractions of any size are."""
    return not isinstance(number, float) or isfinite(number)


# ----------------------------------------------------------------- decimals: count * 10^place


def _middle_and_error(middle: Fraction, error: Fraction, unit: str = "") -> str:
    if not error:
        return f"{_cut(middle)}{unit} ± 0{unit}"
    place = _place_for(middle, error)
    while True:
        count = round(middle / _power(place))
        off = abs(middle - count * _power(place))
        shown, at = _rounded(error + off, ERROR_DIGITS, up=True)
        if at <= place:
            return f"{_decimal(count, place)}{unit} ± {_decimal(shown, at)}{unit}"
        place = at  # rounding up made the error one digit longer


def _place_for(number: Fraction, error: Fraction) -> int:
    """The last place of a number that its error justifies."""
    justified = _leading(error) - ERROR_DIGITS + 1
    if not number:
        return justified
    shown = min(_leading(number) - DIGITS + 1, max(FINEST, _leading(number) - MOST_DIGITS + 1))
    return max(justified, shown)


def _rounded(number: Fraction, digits: int, up: bool) -> tuple[int, int]:
    """A number of so many significant digits, not below or not above: (count, place)."""
    place = _leading(number) - digits + 1
    count = _whole(number / _power(place), up)
    if len(str(abs(count))) > digits:  # 9.99 became 10.0
        count, place = count // 10, place + 1
    return count, place


def _whole(number: Fraction, up: bool) -> int:
    return -(-number.numerator // number.denominator) if up else number.numerator // number.denominator


def _cut(number: Fraction) -> str:
    """Decimals; `…` where those of the number go on."""
    place = _leading(number) - DIGITS + 1
    scaled = abs(number) / _power(place)
    count = scaled.numerator // scaled.denominator
    more = scaled.denominator != 1
    return _decimal(-count if number < 0 else count, place, more)


def _decimal(count: int, place: int, more: bool = False) -> str:
    """count * 10^place in decimals; `more` says that digits were left off, so that none is dropped here."""
    if not more:
        while count and count % 10 == 0:
            count, place = count // 10, place + 1
    if not count:
        return "0"
    sign, digits = "-" if count < 0 else "", str(abs(count))
    exponent = len(digits) + place - 1
    ellipsis = "…" if more else ""
    if -4 <= exponent < DIGITS:
        if place >= 0:
            return sign + digits + "0" * place + ellipsis
        digits = digits.rjust(1 - place, "0")
        return f"{sign}{digits[:place]}.{digits[place:]}{ellipsis}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{exponent:+03d}{ellipsis}"


def _leading(number: Fraction) -> int:
    """The place of the first digit: 0 for 1..9, -1 for tenths; 0 for 0."""
    if not number:
        return 0
    numerator, denominator = abs(number.numerator), number.denominator
    guess = digits_of(numerator) - digits_of(denominator)
    return guess if numerator >= _power(guess) * denominator else guess - 1


def _power(exponent: int) -> Fraction:
    return Fraction(10) ** exponent


def _finite(data: Any) -> Any:
    if isinstance(data, float):
        return data if isfinite(data) else None
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return data
