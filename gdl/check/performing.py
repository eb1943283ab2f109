"""Where effects are performed, and what is known there: an effect is judged by the places that perform it.

`move put(i: 0..9) when i < 4: place(i)`: in the body of `place` its parameter is below 4, if no other move
performs it with more. The facts of a place are told in words of the effect: of its parameters, and of the
position as far as no name of the place's own takes part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gdl.check.context import Body, Performed
from gdl.check.narrowing import Facts, Key, key_of
from gdl.check.relations import contains
from gdl.model import nodes as m
from gdl.model.types import Int, Type


def note_performed(body: Body, effect: m.Effect, arguments: tuple[m.Expr, ...]) -> None:
    """Notes a place that performs an effect, unless no play comes there."""
    if not body.facts.impossible:
        noted = Performed(body.effect, _in_words_of(effect, arguments, body.facts))
        body.checker.performed.setdefault(effect.name, []).append(noted)


def known_in_all(places: Sequence[Performed]) -> Facts:
    """What holds wherever an effect is performed."""
    first, *others = (place.facts.types for place in places)
    types = dict(first)
    for other in others:
        types = {key: wider for key, known in types.items() if (wider := _wider(known, other.get(key)))}
    return Facts(types)


def _in_words_of(effect: m.Effect, arguments: tuple[m.Expr, ...], facts: Facts) -> Facts:
    renamed: dict[Key, int] = {}
    found = Facts()
    for formal, argument in zip(effect.formals, arguments, strict=True):
        found = found.learn(m.Local(formal.slot, formal.name, formal.type, argument.span), argument.type)
        key = key_of(argument)
        if isinstance(key, tuple) and key[0] == "local":
            renamed.setdefault(key, formal.slot)
    types = dict(found.types)
    for key, type_ in facts.types.items():
        told = _renamed(key, renamed)
        if told is not None and told not in types:
            types[told] = type_
    return Facts(types)


def _renamed(key: Any, names: Mapping[Key, int]) -> Any:
    """The place with the effect's parameters for the names here; None if it has others."""
    if not isinstance(key, tuple):
        return key
    if len(key) == 2 and key[0] == "local":
        return ("local", names[key]) if key in names else None
    if key and key[0] == "const":
        return key
    parts = tuple(_renamed(part, names) for part in key)
    return None if None in parts else parts


def _wider(one: Type, other: Type | None) -> Type | None:
    """A type for values of both; None if none is known."""
    if other is None:
        return None
    if isinstance(one, Int) and isinstance(other, Int):
        return Int(min(one.lo, other.lo), max(one.hi, other.hi))
    return one if contains(one, other) else other if contains(other, one) else None
