"""E1: names that mean nothing here, or two things."""

from __future__ import annotations

from collections.abc import Sequence

from gdl.diagnostics.core import Diagnostic, Label
from gdl.diagnostics.fixes import replace
from gdl.diagnostics.source import Span
from gdl.diagnostics.wording.phrases import did_you_mean, error, guesses, listing, near


def unknown_name(span: Span, name: str, known: Sequence[str]) -> Diagnostic:
    return error(
        "E101",
        span,
        f"`{name}` is not known here",
        did_you_mean(name, known),
        fixes=guesses(span, name, known),
    )


_FOREIGN_NAMES = {
    "True": "true",
    "False": "false",
    "None": "none",
    "null": "none",
    "nil": "none",
    "self": "the position variable itself",
    "random": "x ~ 1..6",
    "randint": "x ~ 1..6",
    "choice": "x ~ domain",
    "print": "show:",
    "range": "0..n-1",
    "len": "count",
    "floor": "div",
    "int": "0..9",
    "float": "a fraction such as 1/2",
    "string": "{a, b, c}",
    "boolean": "bool",
}
_SAME = frozenset(["True", "False", "None", "null", "nil", "len", "boolean"])
"""Those that mean just the same as what is written instead."""


def foreign_name(span: Span, name: str) -> Diagnostic | None:
    """The advice for a name that means something in other languages."""
    if name not in _FOREIGN_NAMES:
        return None
    instead = _FOREIGN_NAMES[name]
    fixes = (replace(span, instead, safe=True),) if name in _SAME else ()
    return error("E102", span, f"`{name}` is not part of the language", f"write `{instead}`", fixes=fixes)


def unknown_outcomes(span: Span, names: Sequence[str], drawn: str, known: Sequence[str]) -> Diagnostic:
    """Names among the values of a draw that is given to the new name `drawn`."""
    if near(names[0], known):
        return unknown_name(span, names[0], known)
    return error(
        "E101",
        span,
        f"{listing(names)} {'is' if len(names) == 1 else 'are'} not known here",
        f"values with names come from a type: `type {drawn.capitalize()} = {{{', '.join(names)}}}`",
    )


def ambiguous_name(span: Span, name: str, types: Sequence[str]) -> Diagnostic:
    return error(
        "E103",
        span,
        f"`{name}` may be a {' or a '.join(types)}; nothing here decides which",
        f"write {' or '.join(f'`{t}({name})`' for t in types)}",
        fixes=tuple(replace(span, f"{t}({name})") for t in types if t.isidentifier()),
    )


def declared_twice(span: Span, name: str, earlier: Span) -> Diagnostic:
    return error(
        "E104",
        span,
        f"`{name}` is declared twice",
        "rename one of them",
        Label(earlier, "first declared here"),
    )


def section_twice(span: Span, keyword: str, earlier: Span) -> Diagnostic:
    return error(
        "E105", span, f"`{keyword}` is given twice", "keep one of them", Label(earlier, "first given here")
    )


def recursion(span: Span, kind: str, name: str, declared: Span) -> Diagnostic:
    return error(
        "E106",
        span,
        f"`{name}` is defined by itself: every {kind} must end",
        "end with moves, or with `random`" if kind == "policy" else "use a bounded `for` instead",
        Label(declared, f"`{name}` is declared here"),
    )


def unknown_type(span: Span, name: str, known: Sequence[str]) -> Diagnostic:
    return error(
        "E107",
        span,
        f"there is no type `{name}`",
        did_you_mean(name, known),
        fixes=guesses(span, name, known),
    )


def unknown_function(span: Span, name: str, known: Sequence[str]) -> Diagnostic:
    return error(
        "E108",
        span,
        f"there is no function `{name}`",
        did_you_mean(name, known),
        fixes=guesses(span, name, known),
    )


def unknown_effect(span: Span, name: str, known: Sequence[str]) -> Diagnostic:
    match = near(name, known)
    hint = (
        f"did you mean `{match}`?"
        if match
        else "a statement assigns (`x = 1`), draws (`x ~ 1..6`) or performs an effect"
    )
    return error("E109", span, f"there is no effect `{name}`", hint, fixes=guesses(span, name, known))


def unknown_field(span: Span, name: str, type_: object, known: Sequence[str]) -> Diagnostic:
    hint = f"it has {listing(known)}" if known else None
    return error(
        "E110",
        span,
        f"a value of type {type_} has no `.{name}`",
        hint,
        fixes=guesses(span, name, known),
    )


def not_here(span: Span, name: str, where: str) -> Diagnostic:
    return error(
        "E111", span, f"`{name}` reads the position, but {where} is fixed before any position exists"
    )


def unknown_param(name: str, known: Sequence[str]) -> Diagnostic:
    hint = did_you_mean(name, known) if known else "this game has no parameters"
    if known and hint and "known here" not in hint:
        hint += f" The parameters are {listing(known)}."
    return error("E112", None, f"the game has no parameter `{name}`", hint)


def bad_param(name: str, value: str, wanted: str, span: Span | None = None) -> Diagnostic:
    return error("E113", span, f"`{value}` is no value for the parameter `{name}`", f"give {wanted}")
