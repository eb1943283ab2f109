"""What a printed value claims: the text of an answer read back as a set of numbers."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

NUMBER = r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?"

ENDLESS = {"infinite": inf, "-infinite": -inf}
"""Words for what rewards without end come to."""


@dataclass(frozen=True, slots=True)
class Claim:
    """That the value lies between two numbers; `proven` is False where the text says "about" or "95 %"."""

    low: Fraction | float
    high: Fraction | float
    proven: bool = True
    middle: Fraction | None = None

    def holds(self, truth: Any) -> bool:
        return self.low <= truth <= self.high


class Unreadable(Exception):
    """The text is no value that the judge knows how to read."""


def claim_of(text: str) -> Claim:
    """The claim of a printed value. Raises Unreadable, and for inf and nan in particular.

    3/8 = 0.375         exactly; the decimal is the fraction, rounded or cut at its last digit
    0.375               exactly that
    0.3333…, 6.75…e+15  cut: the next digits are not shown; also behind a fraction
    0.2311 ± 3.6e-11    no further away than that
    at least 1, at most 1, between 0 and 1, 0 to 1, ≈ 0.3333
    about …, … (95 %)   no claim, but a finite number
    infinite, -infinite exactly more, or less, than any number
    """
    text = text.strip()
    if re.search(r"\b(inf|nan|infinity)\b", text, re.IGNORECASE):
        raise Unreadable(f"`{text}` is no number")
    if text in ENDLESS:
        return Claim(ENDLESS[text], ENDLESS[text])
    if text == "unknown":
        return Claim(-inf, inf)
    estimate = "about" in text or "95 %" in text or "95%" in text
    bare = text.replace("(95 %)", "").replace("about", "").strip()
    bare = re.sub(r"\s+(after|from|of|over|by|in|\(|;|,\s).*$", "", bare).strip()
    found = _read(bare)
    return Claim(found.low, found.high, not estimate, found.middle) if estimate else found


def _read(text: str) -> Claim:
    if match := re.fullmatch(r"at least (\S+)(?: = .*)?", text):
        return Claim(_read(match[1]).low, inf)
    if match := re.fullmatch(r"at most (\S+)(?: = .*)?", text):
        return Claim(-inf, _read(match[1]).high)
    if match := re.fullmatch(r"(?:between|from) (.+) (?:and|to) (.+)", text):
        return Claim(_read(match[1]).low, _read(match[2]).high)
    if match := re.fullmatch(rf"({NUMBER}) ± ({NUMBER})", text):
        middle, error = _number(match[1]), _number(match[2])
        return Claim(middle - error, middle + error, True, middle)
    if match := re.fullmatch(r"(-?\d+/\d+) = (.+)", text):
        fraction = Fraction(match[1])
        decimal = match[2].strip()
        if not _decimal(decimal, rounded=True).holds(fraction):
            raise Unreadable(f"`{text}`: the decimal is not the fraction")
        return Claim(fraction, fraction)
    if re.fullmatch(r"-?\d+/\d+", text):
        return Claim(Fraction(text), Fraction(text))
    return _decimal(text)


def _decimal(text: str, rounded: bool = False) -> Claim:
    near = rounded
    if text.startswith("≈"):
        near, text = True, text[1:].strip()
    cut = "…" in text
    text = text.replace("…", "")
    if not re.fullmatch(NUMBER, text):
        raise Unreadable(f"`{text}` is not written like a value")
    number, unit = _number(text), _unit(text)
    if cut:
        return Claim(number - unit, number) if text.startswith("-") else Claim(number, number + unit)
    return Claim(number - unit / 2, number + unit / 2) if near else Claim(number, number, True, number)


def _number(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))


def _unit(text: str) -> Fraction:
    """One in the last digit that is shown."""
    mantissa, _, exponent = text.partition("e")
    return Fraction(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def strict_json(text: str) -> Any:
    """JSON as the standard has it: NaN and Infinity are none."""

    def refuse(word: str) -> Any:
        raise Unreadable(f"`{word}` is no JSON")

    return json.loads(text, parse_constant=refuse)
