"""Whether two utilities cancel in every position, proven from their text.

`utility: e` makes the second player's utility -e, but people also write `utility(p): 1 if turn == p else -1`.
The two players' utilities are compared case by case: conditions split the positions, and in each case both
are sums of multiples of unknown numbers (`score[first]`, a count) that must cancel term by term. Cases that
no position falls into may be looked at too, so a proof holds and a missing proof says nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from gdl.check.relations import is_numeric
from gdl.model import nodes as m
from gdl.model.types import Bool, Enum, Int, Player, Type, Union

MAX_CASES = 2_000

Cases = Mapping[Any, frozenset[Any]]
"""For each thing that conditions ask about, by its key: which answers are still possible."""

Terms = Mapping[Any, Fraction]
"""A sum: the multiple of each unknown number, by its key; () stands for 1."""

_ORDERS = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "=", "!=": "<>"}
_MIRRORED = str.maketrans("<>", "><")
_HOLDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


class _Unproven(Exception):
    """Beyond what is looked at here, or too many cases."""


def cancel(first: m.Expr | m.Block, second: m.Expr | m.Block) -> bool:
    """Whether the two values sum to 0 in every position."""
    try:
        count = 0
        for cases, one in _value(first, {}):
            for _, other in _value(second, cases):
                count += 1
                if count > MAX_CASES or any(_plus(one, other, 1).values()):
                    return False
    except _Unproven:
        return False
    return True


# ---------------------------------------------------------------------------- values


def _value(body: m.Expr | m.Block, cases: Cases) -> Iterator[tuple[Cases, Terms]]:
    """The value in each case, with what is then known."""
    match body:
        case tuple():
            yield from _returned(body, cases)
        case m.Const():
            yield cases, {(): Fraction(body.value)}
        case m.Convert():
            yield from _value(body.operand, cases)
        case m.Conditional():
            for known, holds in _truth(body.condition, cases):
                yield from _value(body.then if holds else body.otherwise, known)
        case m.Negate():
            for known, terms in _value(body.operand, cases):
                yield known, _plus({}, terms, -1)
        case m.Arithmetic(op="+" | "-"):
            for known, left in _value(body.left, cases):
                for further, right in _value(body.right, known):
                    yield further, _plus(left, right, 1 if body.op == "+" else -1)
        case (
            m.Arithmetic(op="*", left=m.Const() as factor, right=operand)
            | m.Arithmetic(op="*", left=operand, right=m.Const() as factor)
        ):
            for known, terms in _value(operand, cases):
                yield known, _plus({}, terms, factor.value)
        case m.Arithmetic(op="/", right=m.Const() as divisor) if divisor.value:
            for known, terms in _value(body.left, cases):
                yield known, _plus({}, terms, 1 / Fraction(divisor.value))
        case _:
            yield cases, {_key(body): Fraction(1)}


def _returned(block: m.Block, cases: Cases) -> Iterator[tuple[Cases, Terms]]:
    """The value that a block of `if` and `return` returns."""
    match block:
        case (m.Return() as last, *_):
            yield from _value(last.value, cases)
        case (m.If() as choice, *rest):
            for known, taken in _branch(choice, cases):
                yield from _returned((*taken, *rest), known)
        case _:
            raise _Unproven  # a loop or a `let` would have to be followed


def _branch(choice: m.If, cases: Cases) -> Iterator[tuple[Cases, m.Block]]:
    pending = [(cases, 0)]
    while pending:
        known, number = pending.pop()
        if number == len(choice.branches):
            yield known, choice.otherwise
            continue
        condition, body = choice.branches[number]
        for further, holds in _truth(condition, known):
            if holds:
                yield further, body
            else:
                pending.append((further, number + 1))


def _plus(left: Terms, right: Terms, factor: int | Fraction) -> Terms:
    total = dict(left)
    for key, multiple in right.items():
        total[key] = total.get(key, Fraction(0)) + multiple * factor
    return total


# ------------------------------------------------------------------------ conditions


def _truth(test: m.Expr, cases: Cases) -> Iterator[tuple[Cases, bool]]:
    """Whether a condition holds, in each case in which it might or might not."""
    match test:
        case m.Const():
            yield cases, bool(test.value)
        case m.Not():
            for known, holds in _truth(test.operand, cases):
                yield known, not holds
        case m.And() | m.Or():
            yield from _all_hold(test.items, isinstance(test, m.And), cases)
        case m.Compare(left=asked, right=m.Const(value=value)) if _is_small(asked.type):
            yield from _split_values(cases, asked, lambda v: _HOLDS[test.op](v, value))
        case m.Compare(left=m.Const(value=value), right=asked) if _is_small(asked.type):
            yield from _split_values(cases, asked, lambda v: _HOLDS[test.op](value, v))
        case m.Is(operand=asked, ranges=ranges) if _is_small(asked.type):
            yield from _split_values(cases, asked, lambda v: any(lo <= v < hi for lo, hi in ranges))
        case m.Compare():
            left, right, orders = _key(test.left), _key(test.right), _ORDERS[test.op]
            if repr(right) < repr(left):
                left, right, orders = right, left, orders.translate(_MIRRORED)
            yield from _split(cases, ("order", left, right), frozenset("<=>"), frozenset(orders))
        case _:
            yield from _split(cases, _key(test), frozenset((False, True)), frozenset((True,)))


def _all_hold(items: tuple[m.Expr, ...], conjunction: bool, cases: Cases) -> Iterator[tuple[Cases, bool]]:
    """An `and`, item by item; or an `or`, whose items all fail or one does not."""
    if not items:
        yield cases, conjunction
        return
    for known, holds in _truth(items[0], cases):
        if holds is conjunction:
            yield from _all_hold(items[1:], conjunction, known)
        else:
            yield known, holds


def _split_values(
    cases: Cases, asked: m.Expr, condition: Callable[[Any], bool]
) -> Iterator[tuple[Cases, bool]]:
    """By the value of an expression of few values."""
    type_ = asked.type
    possible = range(type_.lo, type_.hi + 1) if isinstance(type_, Int) else range(type_.size)  # type: ignore[union-attr]
    kind = "" if isinstance(type_, Int) else str(type_)
    yield from _split(
        cases, ("value", kind, _key(asked)), frozenset(possible), frozenset(filter(condition, possible))
    )


def _split(
    cases: Cases, key: Any, answers: frozenset[Any], wanted: frozenset[Any]
) -> Iterator[tuple[Cases, bool]]:
    """The cases in which the answer is one of those wanted, and those in which it is not."""
    possible = cases.get(key, answers)
    for remaining, holds in ((possible & wanted, True), (possible - wanted, False)):
        if remaining:
            yield {**cases, key: remaining}, holds


def _is_small(type_: Type) -> bool:
    return isinstance(type_, Int | Enum | Player | Bool | Union) and type_.size <= 64


def _key(part: Any) -> Any:
    """Equal for expressions that have the same value in the same position."""
    if isinstance(part, m.Convert):
        return _key(part.operand)
    if isinstance(part, m.Const):
        return part.value if is_numeric(part.type) else (str(part.type), part.value)
    if isinstance(part, tuple):
        return tuple(_key(item) for item in part)
    if is_dataclass(part) and not isinstance(part, type):
        own = (getattr(part, f.name) for f in fields(part) if f.name not in ("span", "type"))
        return (type(part).__name__, *(_key(value) for value in own))
    return part
