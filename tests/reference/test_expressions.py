"""Each kind of expression, evaluated as the checker does: without a position and without a whole Model."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from gdl.model import nodes as n
from gdl.model.types import (
    BOOL,
    NONE,
    Cells,
    Enum,
    Int,
    ListOf,
    Member,
    SetOf,
    Tuple,
    Type,
    Union,
    from_ordinal,
)
from gdl.reference.conversion import constant_shift, conversion, convert
from gdl.reference.faults import Fault
from gdl.reference.interpret import Interpreter
from tests.reference.models import (
    ANY_INT,
    ANY_NUMBER,
    SPAN,
    aggregate,
    arithmetic,
    call,
    check,
    compare,
    const,
    either,
    function,
    grid,
    local,
    optional,
    players,
)

SUITS = Enum("Suit", (Member("clubs"), Member("hearts"), Member("spades")))
POINT = Int(1, 24)
FROM = Union((POINT, Enum("From", (Member("bar"),))))
CELLS = grid(3, 4)
DIGITS = SetOf(Int(3, 9))


def value_of(expr: n.Expr, *locals_: Any, **scope: Any) -> Any:
    return Interpreter(**scope).evaluate(expr, list(locals_))


@pytest.mark.parametrize(
    ("left", "op", "right", "expected"),
    [
        (7, "+", 5, 12),
        (7, "-", 9, -2),
        (-4, "*", 3, -12),
        (7, "div", 2, 3),
        (-7, "div", 2, -4),  # rounds down, not towards zero
        (7, "mod", 3, 1),
        (-7, "mod", 3, 2),
        (7, "mod", -3, -2),
        (1, "/", 3, Fraction(1, 3)),
        (Fraction(1, 2), "/", Fraction(3, 4), Fraction(2, 3)),
        (Fraction(7, 2), "div", 1, 3),
        (2, "**", 10, 1024),
        (2, "**", -2, Fraction(1, 4)),
        (Fraction(1, 2), "**", 2, Fraction(1, 4)),
        (3, "min", 5, 3),
        (3, "max", Fraction(7, 2), Fraction(7, 2)),
    ],
)
def test_arithmetic_is_exact(left: Any, op: str, right: Any, expected: Any) -> None:
    result = value_of(arithmetic(const(left), op, const(right), ANY_NUMBER))
    assert result == expected
    assert not isinstance(result, float)


@pytest.mark.parametrize("op", ["/", "div", "mod"])
def test_division_by_zero_is_a_fault(op: str) -> None:
    with pytest.raises(Fault, match="division by zero") as caught:
        value_of(arithmetic(const(1), op, const(0)))
    assert caught.value.code == "F005"
    assert caught.value.span == SPAN


def test_negative_and_absolute() -> None:
    assert value_of(n.Negate(const(5), ANY_INT, SPAN)) == -5
    assert value_of(n.Absolute(const(Fraction(-1, 2)), ANY_NUMBER, SPAN)) == Fraction(1, 2)


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("==", (False, True, False)),
        ("!=", (True, False, True)),
        ("<", (True, False, False)),
        ("<=", (True, True, False)),
        (">", (False, False, True)),
        (">=", (False, True, True)),
    ],
)
def test_comparisons(op: str, expected: tuple[bool, ...]) -> None:
    assert tuple(value_of(compare(const(k), op, const(2))) for k in (1, 2, 3)) == expected
    assert tuple(value_of(compare(local(0), op, local(1)), k, 2) for k in (1, 2, 3)) == expected


def fails() -> n.Expr:
    """A truth value that must not be asked for."""
    return compare(arithmetic(const(1), "div", const(0)), "==", const(1))


@pytest.mark.parametrize("more", [0, 1])
def test_logic_evaluates_no_more_than_it_needs(more: int) -> None:
    yes, no = const(True, BOOL), const(False, BOOL)
    assert value_of(n.And((*[yes] * more, no, fails()), BOOL, SPAN)) is False
    assert value_of(n.Or((*[no] * more, yes, fails()), BOOL, SPAN)) is True
    assert value_of(n.And((yes,) * (2 + more), BOOL, SPAN)) is True
    assert value_of(n.Or((no,) * (2 + more), BOOL, SPAN)) is False
    assert value_of(n.Not(no, BOOL, SPAN)) is True
    assert value_of(either(yes, const(1), arithmetic(const(1), "/", const(0)))) == 1
    assert value_of(either(no, arithmetic(const(1), "/", const(0)), const(2))) == 2


def test_functions_have_their_own_frames() -> None:
    double = function("double", arithmetic(local(0), "*", const(2)), ANY_INT, type_=ANY_INT)
    functions = {"double": double}
    total = arithmetic(call("double", const(5), type_=ANY_INT), "+", local(0))
    assert value_of(total, 100, functions=functions) == 110


def test_names_are_looked_up_when_first_met() -> None:
    functions: dict[str, n.Function] = {}
    interpreter = Interpreter(functions=functions)
    functions["seven"] = function("seven", const(7), type_=ANY_INT)
    assert interpreter.evaluate(call("seven", type_=ANY_INT)) == 7


def test_block_functions_return_from_inside_loops() -> None:
    first_big = function(
        "first_big",
        (
            n.For(
                (n.Binder((1,), ("k",), n.RangeDomain(const(0), const(9), ANY_INT)),),
                None,
                (n.If(((compare(local(1), ">", local(0)), (n.Return(local(1), SPAN),)),), (), SPAN),),
                SPAN,
            ),
            n.Return(const(-1), SPAN),
        ),
        ANY_INT,
        type_=ANY_INT,
    )
    functions = {"first_big": first_big}
    assert value_of(call("first_big", const(6), type_=ANY_INT), functions=functions) == 7
    assert value_of(call("first_big", const(9), type_=ANY_INT), functions=functions) == -1


def test_tables_are_row_major() -> None:
    table = n.Table("t", (Int(1, 2), SUITS), (10, 11, 12, 20, 21, 22), ANY_INT)
    for row in (1, 2):
        for suit in range(3):
            lookup = n.Lookup("t", (local(0, Int(1, 2)), local(1, SUITS)), ANY_INT, SPAN)
            fixed = n.Lookup("t", (const(row), const(suit, SUITS)), ANY_INT, SPAN)
            mixed = n.Lookup("t", (const(row), local(1, SUITS)), ANY_INT, SPAN)
            for expr in (lookup, fixed, mixed):
                assert value_of(expr, row, suit, tables={"t": table}) == 10 * row + suit


def test_tables_by_three_indices_and_by_tuples() -> None:
    bit, pair = Int(0, 1), Tuple((Int(1, 2), Int(5, 7)))
    cube = n.Table("cube", (bit, bit, bit), tuple(range(8)), ANY_INT)
    lookup = n.Lookup("cube", (local(0), local(1), local(2)), ANY_INT, SPAN)
    assert value_of(lookup, 1, 0, 1, tables={"cube": cube}) == 5
    table = n.Table("pairs", (pair,), tuple(range(6)), ANY_INT)
    assert value_of(n.Lookup("pairs", (local(0, pair),), ANY_INT, SPAN), (2, 6), tables={"pairs": table}) == 4


# ------------------------------------------------------------------------- conversion


@pytest.mark.parametrize(
    ("source", "target", "pairs"),
    [
        (POINT, FROM, {1: 0, 24: 23}),
        (Int(-5, 40), FROM, {-5: None, 0: None, 1: 0, 24: 23, 25: None}),
        (FROM, POINT, {0: 1, 23: 24, 24: None}),
        (FROM, optional(POINT), {0: 0, 24: None}),
        (optional(POINT), Union((*FROM.members, NONE)), {0: 0, 24: 25}),
        (SUITS, optional(SUITS), {0: 0, 2: 2}),
        (optional(SUITS), SUITS, {2: 2, 3: None}),
        (SUITS, POINT, {0: None}),
        (Union((Int(0, 2), Int(7, 9))), Int(2, 8), {0: None, 2: 2, 3: 7, 5: None}),
        (Tuple((Int(0, 9), BOOL)), Tuple((Int(0, 3), BOOL)), {(3, True): (3, True), (4, True): None}),
        (
            Tuple((Int(0, 1), Int(0, 9))),
            Union((Tuple((Int(0, 1), Int(0, 3))), NONE)),
            {(1, 2): 6, (1, 4): None},
        ),
        (SetOf(Int(0, 9)), SetOf(Int(1, 4)), {0b110: 0b11, 0b1: None}),
        (ListOf(Int(0, 9), 3), ListOf(optional(Int(1, 9)), 3), {(1, 9): (0, 8), (0,): None}),
        (ANY_NUMBER, Int(0, 4), {Fraction(4, 2): 2, Fraction(1, 2): None, Fraction(5): None}),
        (Int(0, 4), ANY_NUMBER, {3: 3}),
        (Union((BOOL, NONE)), BOOL, {0: False, 1: True, 2: None}),
        (BOOL, Union((SUITS, BOOL)), {False: 3, True: 4}),
    ],
)
def test_conversion_keeps_the_value(source: Type, target: Type, pairs: dict[Any, Any]) -> None:
    fast = conversion(source, target)
    for value, expected in pairs.items():
        assert convert(source, target, value) == expected
        assert fast(value) == expected
        shift = constant_shift(source, target)
        if shift is not None and expected is not None:
            assert value + shift == expected


def test_conversion_gives_real_truth_values() -> None:
    assert convert(Union((BOOL, NONE)), BOOL, 1) is True


def test_cast_gives_none_outside() -> None:
    target = optional(POINT)
    none = 24
    assert [value_of(n.Cast(const(k, Int(-5, 40)), target, SPAN)) for k in (-5, 1, 24, 25)] == [
        none,
        0,
        23,
        none,
    ]


def test_check_is_a_fault_outside() -> None:
    assert value_of(check(const(24, Int(0, 40)), POINT, "`point`")) == 24
    with pytest.raises(Fault, match=r"25 is outside 1\.\.24, the range of `point`") as caught:
        value_of(check(const(25, Int(0, 40)), POINT, "`point`"))
    assert caught.value.code == "F001"
    with pytest.raises(Fault, match="none is outside"):
        value_of(check(const(24, optional(POINT)), POINT, "`point`"))


def test_is_tests_ordinal_ranges() -> None:
    def holds(value: int, *ranges: tuple[int, int]) -> bool:
        answer = value_of(n.Is(const(value, FROM), ranges, BOOL, SPAN))
        assert isinstance(answer, bool)
        return answer

    assert [holds(k, (0, 24)) for k in (0, 23, 24)] == [True, True, False]
    assert [holds(k, (0, 2), (24, 25)) for k in (1, 2, 24)] == [True, False, True]


@pytest.mark.parametrize("type_", [SUITS, POINT, BOOL, FROM, CELLS, Tuple((Int(0, 1), SUITS))], ids=str)
def test_cycle_goes_round_every_type(type_: Any) -> None:
    for by in (1, -1):
        value = start = from_ordinal(type_, 0)
        seen = []
        for _ in range(type_.size):
            seen.append(value)
            value = value_of(n.Cycle(local(0, type_), by, type_, SPAN), value)
        assert value == start
        assert len(set(seen)) == type_.size


# ----------------------------------------------------------------------------- boards


def test_step_leaves_the_board_as_none() -> None:
    none = CELLS.size
    type_ = optional(CELLS)

    def step(cell: str, rows: int, cols: int) -> int:
        start = const(CELLS.ordinals[cell], CELLS)
        return int(value_of(n.Step(CELLS, start, const(rows), const(cols), type_, SPAN)))

    assert step("a1", 1, 1) == CELLS.ordinals["b2"]
    assert step("d3", -2, -3) == CELLS.ordinals["a1"]
    assert [step("a1", -1, 0), step("a1", 0, -1), step("d1", 0, 1), step("a3", 1, 0)] == [none] * 4
    at = n.Step(CELLS, None, const(2), const(3), type_, SPAN)
    assert value_of(at) == CELLS.ordinals["d3"]
    assert value_of(n.Step(CELLS, None, const(3), const(0), type_, SPAN)) == none


def cells_set(*names: str) -> int:
    return sum(1 << CELLS.ordinals[name] for name in names)


def test_flood_stays_inside() -> None:
    within = cells_set("a1", "b1", "b2", "d1", "d3")
    type_ = SetOf(CELLS)

    def flood(*starts: str) -> int:
        return int(
            value_of(n.Flood(CELLS, const(cells_set(*starts), type_), const(within, type_), type_, SPAN))
        )

    assert flood("a1") == cells_set("a1", "b1", "b2")
    assert flood("d3", "a2") == cells_set("d3")  # a2 is not inside, so nothing grows from it
    assert flood("a1", "d1") == cells_set("a1", "b1", "b2", "d1")
    assert flood() == 0


def test_flood_on_hexagons_and_graphs() -> None:
    hexes = grid(2, 2, "hex")
    both = SetOf(hexes)
    b1_a2 = 1 << hexes.ordinals["b1"] | 1 << hexes.ordinals["a2"]  # neighbours on hexagons, not on squares
    starts = const(1 << hexes.ordinals["b1"], both)
    assert value_of(n.Flood(hexes, starts, const(b1_a2, both), both, SPAN)) == b1_a2
    ring = Cells("Ring", "graph", ("p", "q", "r"), adjacent=((1,), (2,), (0,)))
    three = SetOf(ring)
    assert value_of(n.Flood(ring, const(1, three), const(0b011, three), three, SPAN)) == 0b011
    assert value_of(n.Flood(ring, const(1, three), const(0b101, three), three, SPAN)) == 0b001  # one way only


# -------------------------------------------------------------- tuples, sets and lists


def test_tuples_and_lists() -> None:
    pair = n.TupleOf((const(3), const(True, BOOL)), Tuple((ANY_INT, BOOL)), SPAN)
    assert value_of(pair) == (3, True)
    assert value_of(n.Field(pair, 0, ANY_INT, SPAN)) == 3
    numbers = const((5, 6, 7), ListOf(ANY_INT, 3))
    assert value_of(n.Element(numbers, const(2), ANY_INT, SPAN)) == 7
    assert value_of(n.Length(numbers, ANY_INT, SPAN)) == 3


def test_sets() -> None:
    def digits(*numbers: int) -> n.SetLiteral:
        return n.SetLiteral(tuple(const(k) for k in numbers), DIGITS, SPAN)

    def both(op: str) -> int:
        return int(value_of(n.SetOperation(op, digits(3, 4, 5), digits(5, 9, 9), DIGITS, SPAN)))

    assert value_of(digits(3, 9)) == 0b1000001
    assert both("|") == value_of(digits(3, 4, 5, 9))
    assert both("&") == value_of(digits(5))
    assert both("-") == value_of(digits(3, 4))
    assert value_of(n.SetSize(digits(3, 5, 5), ANY_INT, SPAN)) == 2
    inside = [value_of(n.Contains(const(k), digits(3, 9), BOOL, SPAN)) for k in (-1, 2, 3, 4, 9, 10, 99)]
    assert inside == [False, False, True, False, True, False, False]


# --------------------------------------------------------------------- comprehensions

ONE_TO_SIX = n.RangeDomain(const(1), const(6), ANY_INT)


def test_aggregates() -> None:
    odd = compare(arithmetic(local(0), "mod", const(2)), "==", const(1))
    square = arithmetic(local(0), "*", local(0))
    assert value_of(aggregate("any", 0, ONE_TO_SIX, odd)) is True
    assert value_of(aggregate("all", 0, ONE_TO_SIX, odd)) is False
    assert value_of(aggregate("count", 0, ONE_TO_SIX, odd, ANY_INT)) == 3
    assert value_of(aggregate("sum", 0, ONE_TO_SIX, square, ANY_INT, odd)) == 1 + 9 + 25
    assert value_of(aggregate("max", 0, ONE_TO_SIX, square, ANY_INT, odd)) == 25
    assert value_of(aggregate("min", 0, ONE_TO_SIX, n.Negate(square, ANY_INT, SPAN), ANY_INT)) == -36
    assert value_of(aggregate("set", 0, ONE_TO_SIX, local(0), SetOf(Int(1, 6)), odd)) == 0b010101
    assert value_of(aggregate("all", 0, ONE_TO_SIX, odd, condition=odd)) is True
    assert value_of(aggregate("any", 0, ONE_TO_SIX, odd, condition=n.Not(odd, BOOL, SPAN))) is False


def test_aggregates_over_nothing() -> None:
    nothing = n.RangeDomain(const(1), const(0), ANY_INT)
    assert value_of(aggregate("any", 0, nothing, fails())) is False
    assert value_of(aggregate("all", 0, nothing, fails())) is True
    assert value_of(aggregate("sum", 0, nothing, local(0), ANY_INT)) == 0
    assert value_of(aggregate("max", 0, nothing, local(0), ANY_INT, default=const(-1))) == -1
    for kind in ("min", "max"):
        with pytest.raises(Fault, match="of nothing") as caught:
            value_of(aggregate(kind, 0, nothing, local(0), ANY_INT))
        assert caught.value.code == "F006"


def test_first_is_optional() -> None:
    type_ = optional(Int(1, 6))

    def first_above(limit: int) -> int:
        above = compare(local(0), ">", const(limit))
        return int(value_of(aggregate("first", 0, ONE_TO_SIX, local(0, Int(1, 6)), type_, above)))

    assert first_above(3) == 3  # the value 4, whose ordinal in 1..6 is 3
    assert first_above(6) == 6  # none


def test_quantifiers_stop_when_decided() -> None:
    harmless_at_one = compare(arithmetic(const(6), "div", arithmetic(local(0), "-", const(2))), "<", const(0))
    assert value_of(aggregate("any", 0, ONE_TO_SIX, harmless_at_one)) is True  # would divide by 0 at 2
    with pytest.raises(Fault):
        value_of(aggregate("all", 0, ONE_TO_SIX, harmless_at_one))


def test_several_binders_vary_the_last_fastest_and_may_depend_on_earlier_ones() -> None:
    outer = n.Binder((0,), ("i",), n.RangeDomain(const(1), const(3), ANY_INT))
    inner = n.Binder((1,), ("j",), n.RangeDomain(const(1), local(0), ANY_INT))
    pair = n.TupleOf((local(0), local(1)), Tuple((ANY_INT, ANY_INT)), SPAN)
    decimal = arithmetic(arithmetic(const(10), "*", local(0)), "+", local(1))
    total = n.Aggregate("sum", (outer, inner), None, decimal, None, ANY_INT, SPAN)
    assert value_of(total) == 11 + 21 + 22 + 31 + 32 + 33
    wanted = compare(arithmetic(local(0), "+", local(1)), "==", const(4))
    first = n.Aggregate(
        "first", (outer, inner), wanted, pair, None, optional(Tuple((Int(1, 3), Int(1, 3)))), SPAN
    )
    assert value_of(first) == 4  # (2, 2) comes before (3, 1)


def test_binders_unpack_tuples() -> None:
    pairs = const(((1, 5), (2, 6)), ListOf(Tuple((ANY_INT, ANY_INT)), 2))
    binder = n.Binder((0, 1), ("a", "b"), n.ListDomain(pairs, ANY_INT), unpack=True)
    product = arithmetic(local(0), "*", local(1))
    assert value_of(n.Aggregate("sum", (binder,), None, product, None, ANY_INT, SPAN)) == 17


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        (n.TypeDomain(Int(2, 4)), (2, 3, 4)),
        (n.TypeDomain(BOOL), (False, True)),
        (n.TypeDomain(players("x", "o")), (0, 1)),
        (n.TypeDomain(FROM), tuple(range(25))),
        (n.TypeDomain(Tuple((Int(0, 1), Int(5, 6)))), ((0, 5), (0, 6), (1, 5), (1, 6))),
        (n.SetDomain(const(0b101, DIGITS), Int(3, 9)), (3, 5)),
        (n.SetDomain(local(1, DIGITS), Int(3, 9)), (3, 9)),
        (n.SetDomain(const(0b10, SetOf(BOOL)), BOOL), (True,)),
        (n.ListDomain(const((4, 2, 4), ListOf(ANY_INT, 3)), ANY_INT), (4, 2, 4)),
        (n.RangeDomain(const(2), local(2), ANY_INT), (2, 3)),
    ],
)
def test_domains_in_their_order(domain: n.Domain, expected: tuple[Any, ...]) -> None:
    values = Interpreter().domain(domain)((), [None, 0b1000001, 3])
    assert tuple(values) == expected


def test_large_types_of_tuples_are_not_listed() -> None:
    huge = Tuple((Int(0, 9_999), Int(0, 9_999)))
    any_found = aggregate(
        "any", 0, n.TypeDomain(huge), compare(n.Field(local(0, huge), 1, ANY_INT, SPAN), "==", const(3))
    )
    assert value_of(any_found) is True
