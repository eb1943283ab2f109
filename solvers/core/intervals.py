"""Confidence intervals of means of plays, honest also where few plays were made or hardly any differ.

The interval is Wilson's (1927), for any payments between known bounds. He asks of two-valued outcomes which
true means would make the one that was seen unremarkable, with the variance that outcomes of *that* mean have.
Here a mean above the one that was seen is what comes of mixing what was seen with the highest payment there
is, which changes the variance too:

    n d^2 <= z^2 (1 - w) (s^2 + w (high - mean)^2),    d = true - seen = w (high - mean)

and likewise below. Where only the two bounds are ever paid this is Wilson's interval itself. Where all plays
paid the same it still leaves room for what was not seen: about 4 of `count` parts on either side.

Where no bounds are known it is Student's interval, and plays that all paid the same tell nothing.
"""

from __future__ import annotations

from math import isfinite, pi, sqrt, tan
from statistics import NormalDist

OUTSIDE = 0.025
"""The probability with which the truth lies beyond either end of a 95 % interval."""


def confidence(
    count: int, mean: float, variance: float, bounds: tuple[float, float]
) -> tuple[float, float] | None:
    """The ends of a 95 % confidence interval around a mean of `count` samples; None where there is none.

    `variance` is the mean of the squared distances from the mean.
    """
    if count < 2:
        return None
    low, high = bounds
    if not (isfinite(low) and isfinite(high)):
        if variance == 0:
            return None
        spread = sqrt(variance / (count - 1))
        return mean - student(count - 1) * spread, mean + student(count - 1) * spread
    down = _reach(count, variance, mean - low, student(count - 1))
    up = _reach(count, variance, high - mean, student(count - 1))
    return max(mean - down, low), min(mean + up, high)


def _reach(count: int, variance: float, room: float, quantile: float) -> float:
    """The largest d of the inequality above, where the payments go on for `room`."""
    if room <= 0:
        return 0.0
    square = quantile * quantile
    linear = square * (room - variance / room)
    root = sqrt(linear * linear + 4 * (count + square) * square * variance)
    return min((linear + root) / (2 * (count + square)), room)


def student(degrees: int, outside: float = OUTSIDE) -> float:
    """What a variable of Student's distribution exceeds with probability `outside` (below 1/2).

    The expansion of Cornish and Fisher (Abramowitz & Stegun 1964, 26.7.5), exact for 1 and 2 degrees.
    """
    if degrees == 1:
        return tan(pi * (0.5 - outside))
    if degrees == 2:
        return (1 - 2 * outside) / sqrt(2 * outside * (1 - outside))
    z = NormalDist().inv_cdf(1 - outside)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return float(sum(term / degrees**power for power, term in enumerate(terms)))
