"""What a condition tells about the values it mentions.

`if to is Point`, `f == bar`, `filled[c] < height`: inside the branch the type of `to`, `f` or `filled[c]` is
narrower. A fact is a type for a *place*: a local, or a position variable (or map of a let) with indices that
are themselves places or constants. Facts are immutable; a change of the position drops those it may have
spoiled.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any

from gdl.check.relations import contains, is_numeric, meet, members_of, minus, union_of
from gdl.diagnostics import Span
from gdl.model import nodes as m
from gdl.model.types import Int, Rational, Type, Union, member_of

Key = Hashable

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def key_of(expr: m.Expr) -> Key | None:
    """The place that an expression reads, None if it is not a place."""
    match expr:
        case m.Convert():
            return key_of(expr.operand)
        case m.Const():
            return ("const", expr.value)
        case m.Local():
            return ("local", expr.slot)
        case m.Read():
            return _compound("read", expr.variable, expr.indices)
        case m.Lookup():
            return _compound("lookup", expr.table, expr.indices)
        case m.Call():
            return _compound("call", expr.function, expr.arguments)
        case m.Entry():
            return _compound("entry", "", (expr.map, *expr.indices))
        case m.BagCount():
            return _compound("bag count", "", (expr.bag, expr.item))
        case m.BagSize():
            return _compound("bag size", "", (expr.operand,))
        case m.Field():
            inner = key_of(expr.operand)
            return None if inner is None else ("field", expr.index, inner)
        case m.Cycle():
            inner = key_of(expr.operand)
            return None if inner is None else ("cycle", expr.by, inner)
    return None


def _compound(kind: str, name: str, parts: tuple[m.Expr, ...]) -> Key | None:
    keys = tuple(key_of(part) for part in parts)
    return None if None in keys else (kind, name, keys)


class Facts:
    """Narrower types of places."""

    def __init__(
        self,
        types: Mapping[Key, Type] | None = None,
        impossible: bool = False,
        origins: Mapping[Key, Span] | None = None,
    ):
        self.types: Mapping[Key, Type] = types or {}
        self.origins: Mapping[Key, Span] = origins or {}  # where a type was learnt last, to tell people
        self.impossible = impossible  # the assumptions contradict each other

    def type_of(self, expr: m.Expr) -> Type:
        """The type of a place as far as is known."""
        if self.types:
            key = key_of(expr)
            if key is not None and key in self.types:
                return self.types[key]
        return expr.type

    def origin_of(self, expr: m.Expr) -> Span | None:
        """The place from which the narrower type of a place comes."""
        return self.origins.get(key_of(expr))

    def assume(self, condition: m.Expr, truth: bool) -> Facts:
        match condition:
            case m.Const():
                return Facts(self.types, self.impossible or bool(condition.value) != truth, self.origins)
            case m.Not():
                return self.assume(condition.operand, not truth)
            case m.And() if truth:
                return self._all(condition.items, True)
            case m.Or() if not truth:
                return self._all(condition.items, False)
            case m.Compare():
                op = condition.op if truth else _OPPOSITE[condition.op]
                facts = self._compare(condition.left, op, condition.right)
                return facts._compare(condition.right, _MIRRORED[op], condition.left)
            case m.Is():
                return self._is(condition, truth)
            case m.Contains() if truth:
                return self._contains(condition)
        return self

    def _all(self, items: tuple[m.Expr, ...], truth: bool) -> Facts:
        facts = self
        for item in items:
            facts = facts.assume(item, truth)
        return facts

    def learn(self, place: m.Expr, type_: Type) -> Facts:
        """The place is known to be of this type too."""
        base = place
        while isinstance(base, m.Convert):
            base = base.operand
        key = key_of(base)
        if key is None or isinstance(base, m.Const):
            return self
        known = self.type_of(base)
        if isinstance(known, Int) and isinstance(type_, Int):
            type_ = Int(max(known.lo, type_.lo), min(known.hi, type_.hi))
            if type_.size == 0:
                return Facts(self.types, True, self.origins)
        elif not contains(known, type_) or known == type_:
            return self
        origins = self.origins if type_ == known else {**self.origins, key: place.span}
        return Facts({**self.types, key: type_}, self.impossible, origins)

    def _compare(self, place: m.Expr, op: str, other: m.Expr) -> Facts:
        bound = self.type_of(other)
        known = self.type_of(place)
        if isinstance(known, Int) and is_numeric(bound):
            return self.learn(place, _bounded(known, op, bound))
        if isinstance(place.type, Union):
            inner = place
            while isinstance(inner, m.Convert):
                inner = inner.operand
            known = self.type_of(inner)
            value = _single_value(other)
            if op == "==":
                return self.learn(inner, meet(known, _known_members(other)))
            if op == "!=" and value is not None and value.size == 1:
                return self.learn(inner, minus(known, value))
        return self

    def _is(self, condition: m.Is, truth: bool) -> Facts:
        if condition.part is not None and truth:
            place = condition.operand.operand if isinstance(condition.operand, m.Cast) else condition.operand
            return self.learn(place, condition.part)
        union = condition.operand.type
        if not isinstance(union, Union) or isinstance(condition.operand, m.Cast):
            return self
        inside: list[Any] = []
        outside: list[Any] = []
        for member, start in zip(union.members, union.starts, strict=True):
            hit = any(lo <= start and start + member.size <= hi for lo, hi in condition.ranges)
            (inside if hit else outside).append(member)
        kept = inside if truth else outside
        if not kept:
            return self
        return self.learn(condition.operand, union_of(kept))

    def _contains(self, condition: m.Contains) -> Facts:
        """`x in {6, 7}`: between the least and the greatest element."""
        if not isinstance(condition.set, m.Const) or not condition.set.value:
            return self
        element = condition.set.type.element  # type: ignore[union-attr]
        if isinstance(element, Int) and isinstance(condition.item.type, Int):
            bits: int = condition.set.value
            lo = element.lo + (bits & -bits).bit_length() - 1
            return self.learn(condition.item, Int(lo, element.lo + bits.bit_length() - 1))
        return self

    def forget(self, variables: set[str] | frozenset[str] | None) -> Facts:
        """Without what a change of these variables (None: of any) may have spoiled, calls among it."""
        if variables is not None and not variables:
            return self

        def spoiled(key: Any) -> bool:
            if not isinstance(key, tuple):
                return False
            if key and key[0] == "call":
                return True
            if key and key[0] == "read" and (variables is None or key[1] in variables):
                return True
            return any(spoiled(part) for part in key)

        kept = {k: t for k, t in self.types.items() if not spoiled(k)}
        return Facts(kept, self.impossible, self.origins)

    def forget_slots(self, slots: set[int]) -> Facts:
        def spoiled(key: Any) -> bool:
            if not isinstance(key, tuple):
                return False
            if len(key) == 2 and key[0] == "local" and key[1] in slots:
                return True
            return any(spoiled(part) for part in key)

        kept = {k: t for k, t in self.types.items() if not spoiled(k)}
        return Facts(kept, self.impossible, self.origins)


def _bounded(known: Int, op: str, bound: Any) -> Int:
    """The part of an interval for which `x op y` is possible for some y of the bound."""
    below, above = _floor(bound.hi), _ceiling(bound.lo)
    match op:
        case "<":
            return Int(known.lo, min(known.hi, _ceiling(bound.hi) - 1))
        case "<=":
            return Int(known.lo, min(known.hi, below))
        case ">":
            return Int(max(known.lo, _floor(bound.lo) + 1), known.hi)
        case ">=":
            return Int(max(known.lo, above), known.hi)
        case "==":
            return Int(max(known.lo, above), min(known.hi, below))
    if bound.lo == bound.hi:  # != a known number: only the ends can be cut off
        return Int(known.lo + (known.lo == bound.lo), known.hi - (known.hi == bound.lo))
    return known


def _floor(value: int | Fraction) -> int:
    return int(value // 1)


def _ceiling(value: int | Fraction) -> int:
    return -int(-value // 1)


def _single_value(expr: m.Expr) -> Any:
    """The member type of the single value that a constant of a union is, None if it is not constant."""
    if isinstance(expr, m.Const) and isinstance(expr.type, Union):
        return member_of(expr.type, expr.value)[0]
    return None


def _known_members(expr: m.Expr) -> Type:
    """The narrowest type known for the value of an expression that was widened to a union."""
    single = _single_value(expr)
    if single is not None:
        return single  # type: ignore[no-any-return]
    while isinstance(expr, m.Convert):
        expr = expr.operand
    return union_of(members_of(expr.type))


__all__ = ["Facts", "Key", "Rational", "key_of"]
