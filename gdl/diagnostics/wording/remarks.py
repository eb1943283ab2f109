"""W: warnings; O: what is left to the engines."""

from __future__ import annotations

from gdl.diagnostics.core import Diagnostic, Label
from gdl.diagnostics.fixes import replace
from gdl.diagnostics.source import Span
from gdl.diagnostics.wording.phrases import left_open, warning

# ------------------------------------------------------------------ W: warnings


def unused_global(span: Span, kind: str, name: str) -> Diagnostic:
    return warning("W101", span, f"the {kind} `{name}` is never used", "remove it, or use it")


def unused_local(span: Span, kind: str, name: str) -> Diagnostic:
    return warning(
        "W102",
        span,
        f"`{name}` is never used",
        f"remove it, or call it `_{name}`",
        fixes=(replace(span, f"_{name}", safe=True, title=f"call it `_{name}`"),),
    )


def shadowed_local(span: Span, name: str, earlier: Span) -> Diagnostic:
    return warning(
        "W103",
        span,
        f"`{name}` hides another `{name}`",
        "rename one of them",
        Label(earlier, "the other one"),
    )


def shadowed_global(span: Span, name: str, kind: str, earlier: Span) -> Diagnostic:
    return warning(
        "W104",
        span,
        f"`{name}` hides the {kind} `{name}`",
        "rename one of them",
        Label(earlier, "declared here"),
    )


def always(span: Span, truth: bool) -> Diagnostic:
    return warning("W105", span, f"this is always {'true' if truth else 'false'}")


def unreachable(span: Span) -> Diagnostic:
    return warning("W106", span, "this is never reached")


def never_legal(span: Span, name: str) -> Diagnostic:
    return warning("W107", span, f"the move `{name}` is never legal")


def never_assigned(span: Span, name: str, indices: str = "") -> Diagnostic:
    """`indices`: of one element, if it is a map."""
    target = f"{name}[{indices}]" if indices else name
    return warning(
        "W108",
        span,
        f"`{name}` never changes",
        f"change it in a move, as in `{target} = …`, or make it a `const`",
    )


def turn_never_changes(span: Span, name: str, player: str) -> Diagnostic:
    return warning(
        "W108",
        span,
        f"`{name}` never changes: it is always the turn of {player}",
        f"end the moves with `{name} = next({name})`",
    )


def end_never_changes(span: Span, name: str, example: str, terminal: Span) -> Diagnostic:
    return warning(
        "W108",
        span,
        f"`{name}` never changes, and `terminal:` waits for it",
        f"change it in a move, as in `{name} = {example}`",
        Label(terminal, "asked here"),
    )


def assigned_only(span: Span, name: str) -> Diagnostic:
    return warning(
        "W101",
        span,
        f"`{name}` is given values, but nothing reads it",
        "remove it: it only makes several positions of one; or read it in a guard or in `utility:`",
    )


def never_ends(span: Span) -> Diagnostic:
    return warning(
        "W111",
        span,
        "`terminal:` never holds, so no play ends",
        "ask for what a position can be; `endless:` says what a play without end is worth",
    )


def after_beside(span: Span, word: str, asked: str, effect: str) -> Diagnostic:
    return warning(
        "W109",
        span,
        f"only `{asked}` is asked after `{effect}`: `after` binds tighter than `{word}`",
        f"write `({' '.join(span.text.split())})`, or put all that is meant into brackets before `after`",
        fixes=(replace(span, f"({span.text})", safe=True, title="put it into brackets"),),
    )


def secret_shown(span: Span, name: str, variable: str, path: tuple[Label, ...]) -> Diagnostic:
    return warning(
        "W110",
        span,
        f"everyone sees `{variable}`, and so the secret `{name}`",
        f"write `visible to …` behind `{variable}` in `position:`, or reveal it in a later move",
        *path,
    )


# ------------------------------------------------------------------ O: left to the engines


def range_left_open(span: Span, what: str, found: object, wanted: object) -> Diagnostic:
    return left_open("O101", span, f"{what} must be within {wanted}; the checker only knows {found}")


def sum_left_open(span: Span) -> Diagnostic:
    return left_open("O102", span, "the probabilities must sum to 1; that depends on the position")


def draw_left_open(span: Span) -> Diagnostic:
    return left_open("O103", span, "there must be something to draw; that depends on the position")


def divisor_left_open(span: Span) -> Diagnostic:
    return left_open("O104", span, "the divisor must not be 0; that depends on the position")


def choice_left_open(span: Span, kind: str) -> Diagnostic:
    return left_open(
        "O105",
        span,
        f"`{kind}` needs at least one value; that depends on the position",
        f"`{kind}(…, default=0)` gives a value for none",
    )


def rounds_left_open(span: Span) -> Diagnostic:
    return left_open("O107", span, "the loop must end after so many rounds; that depends on the position")


def element_left_open(span: Span, name: str) -> Diagnostic:
    return left_open("O108", span, f"`{name}` must have this element; that depends on the position")


def room_left_open(span: Span, name: str, longest: int) -> Diagnostic:
    return left_open(
        "O109", span, f"`{name}` must have room for another; the checker knows of no bound below {longest}"
    )


def room_in_bag(span: Span, longest: int) -> Diagnostic:
    return left_open(
        "O110", span, f"the bag must have room; the checker knows of no bound at or below {longest}"
    )


def in_bag_left_open(span: Span) -> Diagnostic:
    return left_open("O110", span, "what is taken must be in the bag; that depends on the position")


def moves_left_open(span: Span) -> Diagnostic:
    return left_open("O106", span, "every position that is not terminal must have a legal move")
