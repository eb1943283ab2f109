"""Saying no: a solver that does not apply gives the reason in the words of the game, and an alternative."""

from __future__ import annotations

from typing import Any

from gdl.diagnostics import Diagnostic, GameError, Severity
from gdl.game import Game


class Refusal(GameError):
    """A solver that does not apply to a game, or cannot go on.

    `reason` is a sentence about this game; `suggestion` says what to use instead, where there is something.
    R001: the traits of the game rule the solver out. R002: found out while solving (a position repeats,
    there are too many positions, a reward can be collected for ever). R003: an option makes no sense.
    """

    def __init__(self, reason: str, suggestion: str | None = None, code: str = "R001"):
        self.reason = reason
        self.suggestion = suggestion
        self.code = code
        super().__init__((Diagnostic(code, Severity.ERROR, reason, hint=suggestion),))

    def __str__(self) -> str:
        if not self.suggestion:
            return self.reason
        stop = "" if self.reason.endswith((".", "?", "!")) else "."
        return f"{self.reason}{stop} {self.suggestion}"

    def __reduce__(self) -> tuple[type[Refusal], tuple[str, str | None, str]]:
        return type(self), (self.reason, self.suggestion, self.code)


class Repeats(Refusal):
    """R002: positions come back where the solver needs a game without repeats; others do not mind."""


class TooLarge(Refusal):
    """R002: more positions than a limit or memory allows."""


class TooFine(Refusal):
    """R002: numbers do not fit the machine words of compiled games; rationals have any size."""


def bad_option(reason: str, suggestion: str | None = None) -> Refusal:
    """R003: the options contradict each other or themselves."""
    return Refusal(reason, suggestion, "R003")


def cannot_go_on(reason: str, suggestion: str | None = None) -> Refusal:
    """R002: what the traits could not tell beforehand."""
    return Refusal(reason, suggestion, "R002")


def unproven(game: Game[Any, Any], position: Any, swinging: bool = False) -> Refusal:
    """The refusal of a game among whose positions there may be none of a value; `swinging`: see `swings`."""
    why = (
        "payments there may go up and down without end, and such a play has no value"
        if swinging
        else "rewards there may be collected for ever"
    )
    return cannot_go_on(
        f"no strategies could be proven optimal in {game.name} among positions such as "
        f"{game.format_position(position)}: {why}.",
        "Give the game a discount below 1.",
    )
