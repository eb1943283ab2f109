"""How numbers are printed: what is read back contains what is known, and no digit is there for show."""

from __future__ import annotations

import json
import sys
from fractions import Fraction as F
from math import inf, nan

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gdl.game import Number
from solvers.core.numbers import (
    as_float,
    show,
    show_estimate,
    show_interval,
    show_most,
    show_rate,
    show_rough,
    show_short,
    to_json,
)
from solvers.core.report import odds_together
from solvers.core.result import LineStep, Result, Value, Work, middle
from tests.solvers.reading import last_place, read_back, significant_digits

_patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine

_rationals = st.one_of(
    st.integers(-(10**6), 10**6).map(F),
    st.fractions(max_denominator=1000),
    st.builds(
        lambda n, d, e: F(n, d) * F(10) ** e, st.integers(), st.integers(1, 10**9), st.integers(-40, 40)
    ),
)
_floats = st.floats(allow_nan=False, allow_infinity=False)
_numbers: st.SearchStrategy[Number] = st.one_of(_rationals, _floats)
_near = st.builds(  # two numbers that differ late
    lambda number, share, e: (number, number + abs(number) * share * F(10) ** e),
    _rationals,
    st.fractions(0, 1),
    st.integers(-30, 0),
)


@_patient
@given(st.one_of(st.tuples(_numbers, _numbers), _near))
def test_an_interval_read_back_contains_it_and_shows_the_digits_its_error_justifies(
    ends: tuple[Number, Number],
) -> None:
    low, high = sorted(ends, key=F)
    text = show_interval(low, high)
    said = read_back(text)
    assert said is not None and said[0] <= F(low) and F(high) <= said[1]
    if F(low) == F(high):
        assert text == show(low)
        return
    middle, error = text.split(" ± ")
    assert significant_digits(error) <= 2 and significant_digits(middle) <= 17
    assert significant_digits(middle) <= 12 or last_place(middle) >= -10
    assert "…" not in text and middle != "-0"
    if F(middle):
        assert last_place(middle) >= last_place(error) - (significant_digits(error) == 1)
    # no wider than two digits of error, and those of the middle, make it: ten decimals, or 12 digits, or 17
    size = abs(F(middle))
    rounding = min(size * F(6, 10**12), max(F(6, 10**11), size * F(6, 10**17)))
    widest = (F(high) - F(low)) / 2 * F(116, 100) + rounding
    assert F(error) <= widest


@_patient
@given(st.tuples(_numbers, _numbers, _numbers))
def test_an_estimate_read_back_contains_its_interval(numbers: tuple[Number, Number, Number]) -> None:
    low, number, high = sorted(numbers, key=F)
    if F(low) == F(high):
        return
    said = read_back(show_estimate(number, low, high, "95 %"))
    assert said is not None and said[0] <= F(low) and F(high) <= said[1]
    wide = F(high) - F(low)
    assert said[1] - said[0] <= wide * F(14, 10) + abs(F(number)) * F(1, 10**10)


@pytest.mark.parametrize(
    ("number", "low", "high", "text"),
    [
        (F(37, 100), F(31, 100), F(43, 100), "0.37 ± 0.06 (95 %)"),
        (1, F(83, 100), 1, "1 (95 %: 0.83 .. 1)"),
        (F(1, 3), F(1, 100), F(2, 3), "0.33 ± 0.34 (95 %)"),
        (-1, -1, F(-833, 1000), "-1 (95 %: -1 .. -0.833)"),
        (F(3, 5), F(-337, 10), 1, "0.6 (95 %: -33.7 .. 1)"),
    ],
)
def test_estimates(number: Number, low: Number, high: Number, text: str) -> None:
    assert str(Value(number, "estimate", low, high)) == text


@_patient
@given(_numbers)
def test_an_exact_number_read_back_contains_it(number: Number) -> None:
    for text in (show(number), show_short(number)):
        said = read_back(text)
        assert said is not None and said[0] <= F(number) <= said[1]
        assert text != "-0" and (said[0] == said[1] or "…" in text)
        assert said[1] - said[0] <= abs(F(number)) / 10**11
    assert show(F(number)) == show(number)  # the same text whichever engine found it


@_patient
@given(_numbers)
def test_one_bound_alone_is_not_crossed(number: Number) -> None:
    least, most = read_back(show_interval(number, inf)), read_back(show_interval(-inf, number))
    assert least is not None and most is not None
    assert least[0] <= F(number) <= most[1] and (least[1], most[0]) == (inf, -inf)


@_patient
@given(_numbers, st.integers(1, 6))
def test_the_most_is_rounded_up(number: Number, digits: int) -> None:
    assert 0 <= F(show_most(number, digits)) - F(number) <= abs(F(number)) * F(1, 10 ** (digits - 1))


@_patient
@given(_numbers, st.integers(1, 6))
def test_rough_numbers_are_near(number: Number, digits: int) -> None:
    assert abs(F(show_rough(number, digits)) - F(number)) <= abs(F(number)) * F(1, 2 * 10 ** (digits - 1))


@_patient
@given(_numbers, st.sampled_from([-inf, inf]))
def test_floats_are_rounded_outwards(number: Number, towards: float) -> None:
    found = as_float(number, towards)
    assert found is None or (F(found) <= F(number) if towards < 0 else F(found) >= F(number))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (F(3, 8), "3/8 = 0.375"),
        (0.375, "3/8 = 0.375"),
        (F(1, 3), "1/3 = 0.333333333333…"),
        (F(-2, 3), "-2/3 = -0.666666666666…"),
        (F(1, 10**10), "1/10000000000 = 1e-10"),
        (-0.0, "0"),
        (12345, "12345"),
        (10**30, "1e+30"),
        (10**30 + 1, "1.00000000000e+30… (a whole number of 31 digits)"),
        (F(4999999999999, 5 * 10**12), "0.999999999999… (a fraction, its denominator has 13 digits)"),
        (inf, "unknown"),
        (nan, "unknown"),
    ],
)
def test_exact_numbers(number: Number, text: str) -> None:
    assert show(number) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (1, 2, "1.5 ± 0.5"),
        (0, 10, "5 ± 5"),
        (-1, 1, "0 ± 1"),
        (F(-1, 10**20), F(1, 10**20), "0 ± 1e-20"),
        (206.4 - 346, 206.4 + 346, "210 ± 350"),
        (0.461538461538 - 0.418, 0.461538461538 + 0.418, "0.46 ± 0.42"),
        (F(12345469, 1000), F(12345531, 1000), "12345.5 ± 0.031"),
        (F(49995, 10**5), F(50005, 10**5), "0.5 ± 5e-05"),
        (F(9005, 1000), F(9204, 1000), "9.1 ± 0.11"),
        (1, inf, "at least 1"),
        (-inf, F(1, 3), "at most 0.333333333334"),
        (F(-1, 3), inf, "at least -0.333333333334"),
        (-inf, inf, "unknown"),
    ],
)
def test_intervals(low: Number, high: Number, text: str) -> None:
    assert show_interval(low, high) == text


def test_no_claim_is_made_without_an_error() -> None:
    assert show_rough(F(1, 3)) == "0.3333" and show_rough(12345.6) == "12346" and show_rough(-0.0) == "0"
    assert read_back(str(Value.estimate(0.37))) is None and str(Value.estimate(0.37)) == "about 0.37"
    assert show_rate(2885.47) == "2,890" and show_rate(1234567.0) == "1,230,000" and show_rate(0.5) == "0.5"


def test_values_of_one_bound() -> None:
    """A search with rewards proved that `go` pays 1 at least; how much more is not known."""
    value = Value.bounded(1, inf)
    assert str(value) == "at least 1" and str(-value) == "at most -1"
    assert value.as_data() == {"value": 1.0, "exact": None, "kind": "bounded", "low": 1.0, "high": None}
    assert str(Value.bounded(-inf, inf)) == "unknown"


def test_json_has_no_infinite_numbers_and_the_printed_middle() -> None:
    value = Value(1, "bounded", 1, 2)  # whatever the solver takes for its best guess
    result = Result("g", "s", (value, Value.bounded(-inf, 3)), ("a", "b"), "how", Work(inf))
    data = json.loads(result.to_json(), parse_constant=pytest.fail)
    assert data["values"]["a"]["value"] == 1.5 and str(value) == "1.5 ± 0.5"
    assert data["values"]["b"]["low"] is None and data["work"]["seconds"] is None
    assert json.loads(to_json({"x": [nan, (inf, F(1, 3))]})) == {"x": [None, [None, "1/3"]]}
    assert Value.exact(10**400).as_data()["value"] is None
    assert Value.exact(10**400).as_data()["exact"] == str(10**400)


def test_steps_say_what_chance_did() -> None:
    assert str(LineStep("a", "roll", F(1, 6), "face = 3")) == "roll [face = 3] (1/6)"
    assert str(LineStep("a", "roll", 1 / 6)) == "roll (0.1667)" and str(LineStep("a", "hold", 1)) == "hold"


def test_numbers_of_more_digits_than_python_writes_at_once() -> None:
    """The probability of a play of ten thousand moves; Python knows the digits, once allowed to."""
    tiny = F(-(10**9000) - 7, 3**20000)
    assert show_short(tiny).startswith("-3.757") and show_short(tiny).endswith("e-543…")
    assert "9,543 digits" in show(tiny)
    data = Value.exact(tiny).as_data()["exact"]
    allowed = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(0)
        assert data == str(tiny)
    finally:
        sys.set_int_max_str_digits(allowed)
    assert odds_together([F(1, 3)] * 10_000).endswith("e-4772…")


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_halfway_between_floats_is_what_the_fractions_say(low: float, high: float) -> None:
    halfway = middle(low, high)
    assert isinstance(halfway, float) and halfway == float((F(low) + F(high)) / 2)
