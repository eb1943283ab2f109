"""What a program gives to a function of the library, held against what the function takes.

The types that stand in its signature are what it takes: a value of another kind is refused with the name of
the argument, before it goes wrong somewhere inside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from inspect import Parameter, signature
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from gdl.game import Game

Given = ParamSpec("Given")
Found = TypeVar("Found")


def _is_whole(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Integral)


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and bool(value == value)


KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "str": ("text", lambda value: isinstance(value, str)),
    "int": ("a whole number", _is_whole),
    "float": ("a number", _is_number),
    "bool": ("True or False", lambda value: isinstance(value, bool)),
    "Path": ("a path", lambda value: isinstance(value, Path)),
    "None": ("None", lambda value: value is None),
    "AnyGame": ("a game", lambda value: isinstance(value, Game)),
    "Game": ("a game", lambda value: isinstance(value, Game)),
    "Mapping": ("a mapping of names", lambda value: isinstance(value, Mapping)),
    "Sequence": ("a list", lambda value: isinstance(value, Sequence) and not isinstance(value, str)),
    "tuple": ("a tuple", lambda value: isinstance(value, tuple)),
}
"""What is said of a type as it is written in a signature, and whether a value is of that type."""


def asked(function: Callable[Given, Found], name: str | None = None) -> Callable[Given, Found]:
    """The function, which refuses arguments of another kind than its signature says; of types that are not in
    KINDS it judges for itself. `name` is what programs call it, where that is not its own."""

    known_as = function.__name__ if name is None else name

    @cache
    def judged() -> tuple[list[str], dict[str, tuple[str, ...]]]:
        parameters = signature(function).parameters
        written = {name: _kinds(str(one.annotation)) for name, one in parameters.items()
                   if one.kind not in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)}  # fmt: skip
        named = [name for name, one in parameters.items() if one.kind is Parameter.POSITIONAL_OR_KEYWORD]
        return named, {name: types for name, types in written.items() if KINDS.keys() >= set(types)}

    @wraps(function)
    def checked(*args: Given.args, **kwargs: Given.kwargs) -> Found:
        in_order, known = judged()
        for argument, value in (*zip(in_order, args, strict=False), *kwargs.items()):
            if argument in known and not any(KINDS[kind][1](value) for kind in known[argument]):
                _refuse(known_as, argument, value, known[argument])
        return function(*args, **kwargs)

    return checked


def position_meant(game: Game[Any, Any], at: Any) -> Any:
    """A position, or what its text says; None for the start. Of a described game what is no position is
    refused; those of a game in Python may be anything."""
    if isinstance(at, str) and not isinstance(game.initial()[0].position, str):
        return game.parse_position(at)
    if at is not None and hasattr(game, "model") and type(at).__module__ == "builtins":
        from solvers.core.refusal import bad_option

        hint = "Give its text, as `gdl moves` shows it, or the position of a play."
        raise bad_option(f"{at!r} is no position of {game.name}", hint)
    return at


def _kinds(annotation: str) -> tuple[str, ...]:
    """The types of a union, of containers only which: `tuple` of `tuple[float, float] | None`."""
    whole = annotation
    while (shorter := re.sub(r"\[[^\[\]]*\]", "", whole)) != whole:
        whole = shorter
    return tuple(part.strip() for part in whole.split("|"))


def _refuse(function: str, name: str, value: Any, kinds: tuple[str, ...]) -> None:
    from solvers.core.refusal import bad_option

    if kinds[0] in ("AnyGame", "Game"):
        named = value if isinstance(value, str) and value else "tictactoe"
        raise bad_option(f"{value!r} is no game", f'Load one: `gdl.load("{named}")`.')
    expected = " or ".join(KINDS[kind][0] for kind in kinds if kind != "None")
    raise bad_option(f"`{name}` of gdl.{function} cannot be {value!r}", f"It is {expected}.")


__all__ = ["asked", "position_meant"]
