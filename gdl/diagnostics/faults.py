"""Faults: what can go wrong while a well-formed game is played, in words, and the exception that says so.

Both engines build their faults here, so that the same mistake in a game reads the same wherever it is met:
the function for the kind of fault gives the bare diagnostic, `in_play` adds the position and the move.

    F001  a value outside its range              F004  nothing to draw from, or a negative weight
    F002  probabilities that do not make 1       F005  division by zero
    F003  no legal move, yet the game goes on    F006  the least or greatest of nothing
    F007  more ways for chance to go than can be listed
    F008  more legal moves than can be listed
    F009  a Python class that does not keep what it declares
    F010  a payment too large for the native engine
    F011  a `while` that goes on for longer than it says
    F012  an element that a list does not have
    F013  a list that has no room for another element
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from fractions import Fraction

from gdl.diagnostics.core import Diagnostic, GameError, Severity
from gdl.diagnostics.source import Span


class Fault(GameError):
    """A rule of the game broke while it was played.

    Carries the one diagnostic, and where it is known the position in which the fault arose and the move
    that was being made (None while the initial position is set up or moves are being listed).
    """

    def __init__(
        self, diagnostic: Diagnostic, position: Hashable | None = None, move: Hashable | None = None
    ):
        super().__init__((diagnostic,))
        self.diagnostic = diagnostic
        self.position = position
        self.move = move

    @property
    def code(self) -> str:
        return self.diagnostic.code

    @property
    def span(self) -> Span | None:
        return self.diagnostic.span

    def at(self, position: Hashable, position_text: str, move: Hashable, move_text: str | None) -> Fault:
        """The same fault, knowing where in the play it arose."""
        return Fault(in_play(self.diagnostic, position_text, move_text), position, move)

    def __reduce__(self) -> tuple[type[Fault], tuple[Diagnostic]]:
        # Position and move belong to a game, which stays in its process; the diagnostic has them as text.
        return Fault, (self.diagnostic,)


def in_play(diagnostic: Diagnostic, position: str | None, move: str | None) -> Diagnostic:
    """The diagnostic with the run-time facts: the position, and the move if one was being made."""
    facts = (("position", position), ("move", move))
    known = tuple((name, text) for name, text in facts if text is not None)
    return replace(diagnostic, context=diagnostic.context + known)


def outside_range(what: str, value: str, range_: str, span: Span | None) -> Diagnostic:
    """F001: `what` (a variable, an index, ..) was to become `value`, which `range_` does not hold."""
    return _fault("F001", f"{value} is outside {range_}, the range of {what}", span)


def wrong_sum(total: Fraction, span: Span | None) -> Diagnostic:
    """F002: the probabilities of a `chance:` block sum to `total`, which is not 1."""
    if total < 1:
        rest = f"{1 - total} is missing"
        hint = "an `else:` branch takes whatever the others leave"
    else:
        rest = f"that is {total - 1} too much"
        hint = None
    return _fault("F002", f"the probabilities sum to {total}, not 1; {rest}", span, hint)


def negative_probability(probability: Fraction, span: Span | None) -> Diagnostic:
    """F002: an outcome has a probability below 0."""
    return _fault("F002", f"the probability of this outcome is {probability}, which is negative", span)


def no_move(span: Span | None) -> Diagnostic:
    """F003: the position is not terminal, but nothing is legal in it."""
    return _fault(
        "F003",
        "no move is legal here, yet the game is not over",
        span,
        "let `terminal:` hold here (`… or stuck`), or add a move with `otherwise`, such as a pass",
    )


def nothing_to_draw(name: str, span: Span | None) -> Diagnostic:
    """F004: no candidate satisfies the condition of a draw and has a positive weight."""
    return _fault("F004", f"there is nothing to draw `{name}` from: no candidate is left", span)


def negative_weight(name: str, candidate: str, weight: Fraction, span: Span | None) -> Diagnostic:
    """F004: a candidate of a draw, or a move of chance, has a weight below 0."""
    return _fault("F004", f"the weight of {name} {candidate} is {weight}, which is negative", span)


def no_chance_move(span: Span | None) -> Diagnostic:
    """F004: chance is to move, but each of its moves has weight 0."""
    return _fault("F004", "chance is to move, but every move has weight 0", span)


def division_by_zero(op: str, left: str, span: Span | None) -> Diagnostic:
    """F005: `left op 0` for the operator `/`, `div` or `mod`."""
    return _fault("F005", f"division by zero: `{left} {op} 0`", span)


def nothing_to_choose(kind: str, span: Span | None) -> Diagnostic:
    """F006: `min(..)` or `max(..)` over nothing."""
    return _fault(
        "F006",
        f"`{kind}` of nothing: no value is left to choose from",
        span,
        f"`{kind}(.., default=value)` says what it is then",
    )


def too_many_outcomes(limit: int, span: Span | None) -> Diagnostic:
    """F007: chance can go more ways than an engine is willing to list."""
    return _fault(
        "F007",
        f"chance can go more than {limit:,} ways here: they can be sampled, but not listed",
        span,
    )


def too_many_moves(limit: int, span: Span | None) -> Diagnostic:
    """F008: more moves are legal than an engine is willing to list."""
    return _fault(
        "F008",
        f"more than {limit:,} moves are legal here",
        span,
        "choose one thing after another, in a move each",
    )


def loop_ran_out(limit: str, span: Span | None) -> Diagnostic:
    """F011: after `at most limit` rounds the condition of a `while` still holds."""
    return _fault(
        "F011",
        f"this loop was to end after at most {limit} rounds, but its condition still holds",
        span,
        "let something in its body make the condition false, or give a larger bound",
    )


def no_element(name: str, place: int, count: int, span: Span | None) -> Diagnostic:
    """F012: a list of `count` elements is asked for one that it does not have."""
    if count == 0:
        message = f"`{name}` is empty"
    else:
        elements = "1 element" if count == 1 else f"{count} elements"
        message = f"`{name}` has {elements}, numbered from 0: there is no element {place}"
    return _fault("F012", message, span, f"test it first: `count({name}) > {max(0, place)}`")


def list_full(name: str, longest: int, span: Span | None) -> Diagnostic:
    """F013: a list that is full is given another element."""
    return _fault(
        "F013",
        f"`{name}` is full: it has room for {longest}",
        span,
        f"give it more room, or test it first: `count({name}) < {longest}`",
    )


def bag_full(total: int, longest: int, span: Span | None) -> Diagnostic:
    """F014: a bag becomes larger than its type allows."""
    return _fault(
        "F014",
        f"this bag would hold {total}, and it has room for {longest}",
        span,
        "give it more room in its type, or test `count(…)` first",
    )


def not_in_bag(item: str, there: int, taken: int, span: Span | None) -> Diagnostic:
    """F015: more is taken from a bag than it holds."""
    held = f"no {item}" if there == 0 else f"only {there} of {item}"
    return _fault(
        "F015",
        f"{taken} of {item} {'is' if taken == 1 else 'are'} taken from a bag that holds {held}",
        span,
        "test first that it is there: `x in bag`, or `small <= bag` for several",
    )


def own_game(name: str, message: str, where: str, hint: str | None = None) -> Fault:
    """F009: a game written in Python (gdl.BaseGame) contradicts the protocol, or what it declares."""
    found = _fault("F009", f"{name}: {message}", None, hint)
    return Fault(in_play(found, where or None, None))


def too_large_payment(digits: int, span: Span | None) -> Diagnostic:
    """F010: the native engine has no number for what may be paid, about 10^digits."""
    return _fault(
        "F010",
        f"this may pay about 10^{digits}: the native engine counts up to 10^150",
        span,
        "use the reference engine, whose numbers have any size, or count in a larger unit",
    )


def _fault(code: str, message: str, span: Span | None, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, span, hint=hint)
