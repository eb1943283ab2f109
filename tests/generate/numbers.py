"""Expressions that are numbers, each with the interval in which its values lie.

The intervals are never narrower than those of the checker, which knows more.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from gdl.model.types import Cells, Enum, Int, ListOf, Rational, SetOf, Tuple, Type
from tests.generate import bags, conditions, domains, held_lists, values
from tests.generate.code import ATOM, MINUS, POWER, PRODUCT, SUM, Code, conditional, infix, listed
from tests.generate.scope import Readable, Scope, is_board, is_number, is_whole
from tests.generate.types import number_code

LARGEST = 10_000


class Number(NamedTuple):
    code: Code
    lo: Fraction
    hi: Fraction
    whole: bool

    @property
    def type(self) -> Int | Rational:
        return Int(int(self.lo), int(self.hi)) if self.whole else Rational(self.lo, self.hi)

    def within(self, lo: int, hi: int) -> bool:
        return lo <= self.lo and self.hi <= hi


Kind = Callable[[Scope, int], Number]
"""Makes a number of some kind."""


def constant(value: int | Fraction) -> Number:
    exact = Fraction(value)
    return Number(number_code(exact), exact, exact, exact.denominator == 1)


def number(scope: Scope, depth: int) -> Number:
    """A whole number or a fraction."""
    return scope.choices.one_of(lambda: whole(scope, depth), lambda: fraction(scope, depth))


def whole_in(scope: Scope, range_: Int, depth: int) -> Code:
    """A whole number that certainly lies in the range; one that is not sure to is cut off at its ends."""
    choices = scope.choices
    known = [r for r in scope.of_type(is_whole, depth) if range_.lo <= r.type.lo and r.type.hi <= range_.hi]  # type: ignore[union-attr]
    if depth <= 0 or choices.maybe(3):
        options = [lambda: number_code(Fraction(choices.integer(range_.lo, range_.hi)))]
        if known:
            options.extend([lambda: read(scope, scope.prefer(known), depth - 1)] * 3)
        return choices.one_of(*options)
    found = whole(scope, depth)
    if found.within(range_.lo, range_.hi):
        return found.code
    return _cut_off(scope, found, range_)


def _cut_off(scope: Scope, found: Number, range_: Int) -> Code:
    lo, hi = (number_code(Fraction(end)) for end in (range_.lo, range_.hi))

    def between() -> Code:
        code = found.code
        if found.lo < range_.lo:
            code = Code(f"max({code}, {lo})")
        if found.hi > range_.hi:
            code = Code(f"min({code}, {hi})")
        return code

    def remainder() -> Code:
        rest = infix(found.code, "mod", number_code(Fraction(range_.size)), PRODUCT)
        return infix(rest, "+", lo, SUM) if range_.lo > 0 else rest if range_.lo == 0 else between()

    return scope.choices.one_of(between, remainder)


def read(scope: Scope, readable: Readable, depth: int) -> Code:
    return values.read(scope, readable, depth)


# ---------------------------------------------------------------- whole numbers


def whole(scope: Scope, depth: int) -> Number:
    choices = scope.choices
    known = scope.of_type(is_whole, depth)
    options = [lambda: constant(choices.pick([1, 0, 2, 3, 5, -1, -2]))]
    if known:
        options.extend([lambda: _known(scope, scope.prefer(known), depth)] * 3)
    if depth >= 0 and held_lists.known(scope):
        options.extend([lambda: held_lists.count(scope, depth)] * 2)
    if depth >= 0 and bags.known(scope):
        options.extend([lambda: bags.number(scope, depth)] * 3)
    if depth > 0:
        inner = depth - 1
        options += [
            lambda: _sum(scope, whole(scope, inner), whole(scope, inner)),
            lambda: _product(scope, whole(scope, inner), whole(scope, inner)),
            lambda: _quotient(scope, "div", inner),
            lambda: _quotient(scope, "mod", inner),
            lambda: _negated(whole(scope, inner)),
            lambda: _absolute(whole(scope, inner)),
            lambda: _sign(number(scope, inner)),
            lambda: _rank(scope, inner),
            lambda: _extreme(scope, [whole(scope, inner) for _ in range(choices.pick([2, 2, 3]))]),
            lambda: _power(scope, whole(scope, inner)),
            lambda: _chosen(scope, whole, depth),
            lambda: count(scope, inner),
            lambda: total(scope, inner, whole),
            lambda: extreme_of(scope, inner, whole),
            *[lambda: _size(scope, inner)] * 2,
            lambda: _field(scope, inner),
            lambda: _element(scope, inner),
            lambda: _after(scope, whole, inner),
        ]
    return choices.one_of(*options)


def varying(scope: Scope, depth: int) -> Number:
    """A number that is mostly not the same in all positions."""
    known = [r for r in scope.of_type(is_whole, depth) if r.kind in ("local", "variable")]
    if known and not scope.choices.maybe(4):
        return _known(scope, scope.prefer(known), depth)
    return number(scope, depth)


def _known(scope: Scope, readable: Readable, depth: int) -> Number:
    type_ = readable.type
    assert isinstance(type_, Int | Rational)
    return Number(read(scope, readable, depth - 1), Fraction(type_.lo), Fraction(type_.hi), is_whole(type_))


def _sum(scope: Scope, a: Number, b: Number) -> Number:
    whole_ = a.whole and b.whole
    if scope.choices.maybe():
        return Number(infix(a.code, "-", b.code, SUM), a.lo - b.hi, a.hi - b.lo, whole_)
    return Number(infix(a.code, "+", b.code, SUM), a.lo + b.lo, a.hi + b.hi, whole_)


def _product(scope: Scope, a: Number, b: Number) -> Number:
    ends = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    if max(map(abs, ends)) > LARGEST:
        return _sum(scope, a, b)
    return Number(infix(a.code, "*", b.code, PRODUCT), min(ends), max(ends), a.whole and b.whole)


def _quotient(scope: Scope, op: str, depth: int) -> Number:
    """`div` and `mod` round down; by something that may be zero only where faults are wanted."""
    left = whole(scope, depth)
    divisor = _divisor(scope)
    code = infix(left.code, op, divisor.code, PRODUCT)
    if op == "mod":
        return Number(code, min(Fraction(0), divisor.lo), max(Fraction(0), divisor.hi), True)
    largest = max(abs(left.lo), abs(left.hi))
    return Number(code, -largest - 1, largest + 1, True)


def _divisor(scope: Scope) -> Number:
    choices = scope.choices
    positive = [r for r in scope.of_type(is_whole, -1) if r.type.lo > 0]  # type: ignore[union-attr]
    if scope.risk():
        risky = [r for r in scope.fresh(is_whole) if r.type.lo <= 0 < r.type.hi and r.kind == "variable"]  # type: ignore[union-attr]
        if risky:
            return _known(scope, choices.pick(risky), 0)
    if positive and choices.maybe():
        return _known(scope, choices.pick(positive), 0)
    return constant(choices.pick([2, 3, 1, -2]))


def _negated(a: Number) -> Number:
    return Number(Code(f"-{a.code.at(MINUS)}", MINUS), -a.hi, -a.lo, a.whole)


def _absolute(a: Number) -> Number:
    return Number(Code(f"abs({a.code})"), Fraction(0), max(abs(a.lo), abs(a.hi)), a.whole)


def _sign(a: Number) -> Number:
    return Number(Code(f"sign({a.code})"), Fraction(-1), Fraction(1), True)


def _rank(scope: Scope, depth: int) -> Number:
    """How many values of the type come before one."""
    ordered = [t for t in scope.world.types.values() if isinstance(t, Enum | Cells)]
    type_ = scope.choices.pick([scope.world.players, *ordered])
    inner = values.value(scope, type_, depth, hinted=False)
    return Number(Code(f"rank({inner})"), Fraction(0), Fraction(type_.size - 1), True)


def _extreme(scope: Scope, items: list[Number]) -> Number:
    name = scope.choices.pick(["min", "max"])
    code = Code(f"{name}({listed([item.code for item in items])})")
    lo, hi = min(item.lo for item in items), max(item.hi for item in items)
    return Number(code, lo, hi, all(item.whole for item in items))


def _power(scope: Scope, base: Number) -> Number:
    exponent = scope.choices.pick([2, 1, 0, 3])
    largest = max(abs(base.lo), abs(base.hi), Fraction(1)) ** exponent
    if largest > LARGEST:
        return base
    return Number(Code(f"{base.code.at(ATOM)} ** {exponent}", POWER), -largest, largest, base.whole)


def _chosen(scope: Scope, kind: Kind, depth: int) -> Number:
    test, then, otherwise = conditions.test(scope, depth - 1)
    a, b = kind(then, depth - 1), kind(otherwise, depth - 1)
    return Number(conditional(a.code, test, b.code), min(a.lo, b.lo), max(a.hi, b.hi), a.whole and b.whole)


def _after(scope: Scope, kind: Kind, depth: int) -> Number:
    """A number in the position that an effect would produce."""
    effect = conditions.supposed(scope, depth)
    if effect is None:
        return kind(scope, depth)
    code, then = effect
    found = kind(then, depth)
    return found._replace(code=conditions.after(found.code, code))


def _size(scope: Scope, depth: int) -> Number:
    """How many elements a set, a list or a type has; the total of a map or of a set of numbers."""
    choices = scope.choices
    options = [lambda: constant(1)]
    if sets := scope.of_type(lambda t: isinstance(t, SetOf), depth):
        options += [lambda: _set_size(scope, scope.prefer(sets), depth)] * 3
        if numbers := [r for r in sets if is_whole(r.type.element)]:  # type: ignore[union-attr]
            options.append(lambda: _set_total(scope, choices.pick(numbers), depth))
    if lists := domains.lists(scope, depth):
        options += [lambda: _list_size(choices.pick(lists)())] * 6
    for type_ in scope.world.types.values():
        options.append(lambda t=type_: _type_size(scope, t))  # type: ignore[misc]
    maps = [r for r in scope.of_type(is_number) if r.kind == "variable" and r.takes]
    if maps:
        options.append(lambda: _map_total(choices.pick(maps)))
    return choices.one_of(*options)


def _set_size(scope: Scope, readable: Readable, depth: int) -> Number:
    assert isinstance(readable.type, SetOf)
    return _natural(
        f"count({values.value(scope, readable.type, depth, hinted=False)})", readable.type.element.size
    )


def _set_total(scope: Scope, readable: Readable, depth: int) -> Number:
    """`sum`, or where an empty set may be a fault `min` or `max`, of a set of numbers."""
    assert isinstance(readable.type, SetOf)
    element: Int = readable.type.element
    code = read(scope, readable, depth - 1)
    if scope.risk(2):
        name = scope.choices.pick(["min", "max"])
        return Number(Code(f"{name}({code})"), Fraction(element.lo), Fraction(element.hi), True)
    lo, hi = min(0, element.lo * element.size), max(0, element.hi * element.size)
    return Number(Code(f"sum({code})"), Fraction(lo), Fraction(hi), True)


def _list_size(found: domains.Domain) -> Number:
    return _natural(f"count({found.code})", found.most)


def _type_size(scope: Scope, type_: Type) -> Number:
    name = next(n for n, known in scope.world.types.items() if known == type_)
    size: int = type_.size  # type: ignore[union-attr]
    return Number(Code(f"count({name})"), Fraction(size), Fraction(size), True)


def _map_total(readable: Readable) -> Number:
    type_, count_ = readable.type, 1
    assert isinstance(type_, Int)
    for index in readable.takes:
        count_ *= index.size  # type: ignore[union-attr]
    return Number(
        Code(f"sum({readable.name})"), Fraction(type_.lo * count_), Fraction(type_.hi * count_), True
    )


def _natural(text: str, most: int) -> Number:
    return Number(Code(text), Fraction(0), Fraction(most), True)


def _field(scope: Scope, depth: int) -> Number:
    """`c.row`, `c.col`, or a part of a record."""
    choices = scope.choices
    cells = scope.of_type(is_board, depth)
    if cells and choices.maybe():
        readable = choices.pick(cells)
        board = readable.type
        assert isinstance(board, Cells)
        part, size = choices.pick([("row", board.rows), ("col", board.cols)])
        code = (
            values.value(scope, board, depth, hinted=False)
            if choices.maybe(3)
            else read(scope, readable, depth - 1)
        )
        return _natural(f"{code.at(ATOM)}.{part}", size - 1)
    parts = [
        (record, name, type_)
        for record in scope.of_type(lambda t: isinstance(t, Tuple) and t.names is not None, depth)
        for name, type_ in zip(record.type.names, record.type.fields, strict=True)  # type: ignore[union-attr]
        if isinstance(type_, Int)
    ]
    if not parts:
        return whole(scope, depth)
    record, name, type_ = choices.pick(parts)
    return Number(
        Code(f"{read(scope, record, depth - 1)}.{name}"), Fraction(type_.lo), Fraction(type_.hi), True
    )


def _element(scope: Scope, depth: int) -> Number:
    """One element of a list of numbers."""
    choices = scope.choices
    lists = [
        (lambda r=r: read(scope, r, depth), r.type.element, r.type.longest)  # type: ignore[misc, union-attr]
        for r in scope.of_type(lambda t: isinstance(t, ListOf) and is_whole(t.element), depth)
        if r.kind == "constant"
    ]
    items = sorted({choices.integer(-2, 6) for _ in range(3)})
    written = Code("[" + ", ".join(map(str, items)) + "]")
    code, element, longest = choices.pick([(lambda: written, Int(items[0], items[-1]), len(items)), *lists])
    index = whole_in(scope, Int(0, longest - 1), depth)
    return Number(Code(f"{code()}[{index}]"), Fraction(element.lo), Fraction(element.hi), True)


# ------------------------------------------------------------------- aggregates


def count(scope: Scope, depth: int) -> Number:
    binders = domains.binders(scope, depth)
    test, _, _ = conditions.test(binders.scope, depth)
    return _natural(f"count({test} {binders.text})", binders.most)


def total(scope: Scope, depth: int, kind: Kind) -> Number:
    binders = domains.binders(scope, depth)
    item = kind(binders.scope, depth)
    lo, hi = min(Fraction(0), item.lo * binders.most), max(Fraction(0), item.hi * binders.most)
    return Number(Code(f"sum({item.code} {binders.text})"), lo, hi, item.whole)


def extreme_of(scope: Scope, depth: int, kind: Kind) -> Number:
    """`min` or `max`; with a default where there may be nothing, unless faults are wanted."""
    name = scope.choices.pick(["min", "max"])
    binders = domains.binders(scope, depth)
    item = kind(binders.scope, depth)
    if (binders.least > 0 and scope.choices.maybe()) or scope.risk(3):
        return item._replace(code=Code(f"{name}({item.code} {binders.text})"))
    default = kind(scope, 0)
    code = Code(f"{name}({item.code} {binders.text}, default={default.code})")
    return Number(code, min(item.lo, default.lo), max(item.hi, default.hi), item.whole and default.whole)


# -------------------------------------------------------------------- fractions


def fraction(scope: Scope, depth: int) -> Number:
    """A number that need not be whole; exact, like all numbers."""
    choices = scope.choices
    known = scope.of_type(is_number, depth)
    options = [
        lambda: constant(Fraction(choices.integer(1, 5), choices.integer(2, 4))),
        lambda: _decimal(choices.pick(["0.5", "0.1", "2.25", "1e-1", "1_0.5"])),
    ]
    if known:
        options.append(lambda: _known(scope, scope.prefer(known), depth))
    if depth > 0:
        inner = depth - 1
        options += [
            lambda: _ratio(scope, inner),
            lambda: _sum(scope, fraction(scope, inner), number(scope, inner)),
            lambda: _product(scope, number(scope, inner), fraction(scope, inner)),
            lambda: _negated(fraction(scope, inner)),
            lambda: _absolute(fraction(scope, inner)),
            lambda: _extreme(scope, [number(scope, inner), fraction(scope, inner)]),
            lambda: _power(scope, fraction(scope, inner)),
            lambda: _chosen(scope, number, depth),
            lambda: total(scope, inner, fraction),
            lambda: extreme_of(scope, inner, fraction),
            lambda: _after(scope, fraction, inner),
        ]
    return choices.one_of(*options)


def _decimal(text: str) -> Number:
    exact = Fraction(text)
    return Number(Code(text), exact, exact, False)


def _ratio(scope: Scope, depth: int) -> Number:
    left, divisor = number(scope, depth), _divisor(scope)
    largest = max(abs(left.lo), abs(left.hi))
    return Number(infix(left.code, "/", divisor.code, PRODUCT), -largest, largest, False)


def natural(scope: Scope, depth: int) -> Number:
    """A number that is never negative."""
    found = number(scope, depth)
    return found if found.lo >= 0 else _absolute(found)
