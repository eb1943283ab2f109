"""E1: names that mean nothing here, or two things."""

from __future__ import annotations

import re
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


def type_as_value(span: Span, name: str) -> Diagnostic:
    written = f"{{x for x in {name}}}"
    return error(
        "E101",
        span,
        f"`{name}` is a type, and here a value is wanted",
        f"the set of all its values is `{written}`; some of them: `{{x for x in {name} if …}}`",
        fixes=(replace(span, written),),
    )


_NO_FRACTIONS = (
    "write a range of whole numbers, such as `0..100` for hundredths; only payoffs and chance have fractions"
)

_FOREIGN_NAMES = {
    "True": "write `true`",
    "False": "write `false`",
    "None": "write `none`",
    "null": "write `none`",
    "nil": "write `none`",
    "self": "write the position variable itself",
    "print": "write `show:`",
    "int": "write a range, such as `0..9`",
    "integer": "write a range, such as `0..9`",
    "Int": "write a range, such as `0..9`",
    "number": "write a range, such as `0..9`",
    "float": _NO_FRACTIONS,
    "double": _NO_FRACTIONS,
    "str": "write named values, such as `{red, green}`",
    "string": "write named values, such as `{red, green}`",
    "String": "write named values, such as `{red, green}`",
    "boolean": "write `bool`",
    "Bool": "write `bool`",
    "list": "write `set of T`, or a map with numbered places: `x[1..9]: T?`",
    "array": "write a map: `x[0..9]: T`",
    "dict": "write a map: `x[Key]: T`",
    "no_moves": "write `stuck`",
    "no_legal_moves": "write `stuck`",
    "stalemate": "write `stuck`",
}
"""What names of other languages, and of rules on paper, are here."""

_FOREIGN_FUNCTIONS = {
    "len": "count",
    "size": "count",
    "length": "count",
    "cardinality": "count",
    "index": "rank",
    "ord": "rank",
    "ordinal": "rank",
    "other": "next",
    "opponent": "next",
    "enemy": "next",
    "opposite": "next",
    "next_player": "next",
    "adjacent": "neighbours",
    "neighbors": "neighbours",
    "adjacents": "neighbours",
    "exists": "any",
    "some": "any",
    "forall": "all",
    "every": "all",
}
"""Functions that only go by another name."""

_FOREIGN_CALLS = {
    "random": "draw it first: `x ~ 1..6`",
    "randint": "draw it first: `x ~ 1..6`",
    "rand": "draw it first: `x ~ 1..6`",
    "randrange": "draw it first: `x ~ 0..5`",
    "choice": "draw it first: `x ~ domain`",
    "shuffle": "draw one at a time: `x ~ Card where it not in drawn`",
    "range": "write a range, such as `0..n - 1`: both ends are in it",
    "floor": "`a div b` divides and rounds down",
    "round": "`a div b` divides and rounds down",
    "int": "`a div b` divides and rounds down",
    "pow": "write `a ** b`",
    "sorted": "write `count`, `min` or `max` of a set: sets have no order of their own",
    "can_move": "write `not stuck`",
    "has_moves": "write `not stuck`",
    "no_moves": "write `stuck`",
}
"""Calls that are written otherwise."""


_STATEMENTS = "a statement assigns (`x = 1`), draws (`x ~ 1..6`) or performs an effect"

_TURNING = frozenset("switch next swap switch_turn next_turn switch_player next_player change_turn".split())
"""What would give the turn to another player."""


def foreign_name(span: Span, name: str) -> Diagnostic | None:
    """The advice for a name that means something in other languages."""
    hint = _FOREIGN_NAMES.get(name) or _FOREIGN_CALLS.get(name)
    if hint is None and (die := re.fullmatch(r"d([1-9]\d*)", name)):
        hint = f"write `1..{die[1]}`"
    if hint is None:
        return None
    exact = re.fullmatch(r"write `([a-z]+|1\.\.\d+)`", hint)
    fixes = (replace(span, exact[1], safe=True),) if exact else ()
    return error("E102", span, f"`{name}` is not part of the language", hint, fixes=fixes)


def foreign_function(span: Span, name: str) -> Diagnostic | None:
    """The advice for a function that is called otherwise here."""
    if name not in _FOREIGN_FUNCTIONS:
        hint = _FOREIGN_CALLS.get(name)
        return error("E102", span, f"there is no function `{name}`", hint) if hint else None
    instead = _FOREIGN_FUNCTIONS[name]
    return error(
        "E102",
        span,
        f"there is no function `{name}`; it is called `{instead}`",
        f"write `{instead}`",
        fixes=(replace(span, instead, safe=name == "len"),),
    )


def foreign_range(span: Span, written: str) -> Diagnostic:
    return error(
        "E102",
        span,
        "a range is written `lo..hi`, both ends included",
        f"write `{written}`",
        fixes=(replace(span, written, safe=True),),
    )


def other_player(span: Span, turn: str) -> Diagnostic:
    """`turn = opponent`."""
    return error(
        "E101",
        span,
        f"`{span.text}` is not known here",
        f"the other player is `next({turn})`",
        fixes=(replace(span, f"next({turn})"),),
    )


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
    match = near(name, known)
    return error(
        "E108",
        span,
        f"there is no function `{name}`",
        f"did you mean `{match}`?" if match else f"`def {name}(…): …` declares one",
        fixes=guesses(span, name, known),
    )


def needs_binder(span: Span, name: str) -> Diagnostic:
    """`any(moves)`."""
    return error(
        "E108",
        span,
        f"`{name}` goes through values, and has to be told which",
        f"write `{name}({'e' if name == 'first' else 'condition'} for x in …)`",
    )


def unknown_effect(span: Span, name: str, known: Sequence[str]) -> Diagnostic:
    match = near(name, known)
    hint = (
        f"did you mean `{match}`?"
        if match
        else "write `turn = next(turn)` with the variable that says whose turn it is"
        if name in _TURNING
        else _FOREIGN_CALLS.get(name, _STATEMENTS)
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
