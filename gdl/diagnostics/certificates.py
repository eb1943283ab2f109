"""The wording of certificates that do not prove what they claim: one function per code.

V001  a bound that does not follow             V004  positions that are not those of the game
V002  a play that is not shown to end          V005  a game that has no such certificate
V003  moves that are not the best
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl.diagnostics.core import Diagnostic, Severity

_HINT = "the certificate proves nothing: solve the game again"


def bound_fails(position: str, claim: str, inequality: str, move: str | None = None) -> Diagnostic:
    """`claim` names the bound, such as `value >= 3/8`; the inequality does not hold."""
    where = f"`{claim}` does not follow" + (f" after `{move}`" if move else "")
    return _refused("V001", where, position, inequality)


def rank_fails(position: str, what: str, claimed: int, needed: int | None, why: str) -> Diagnostic:
    """Nothing shows that plays come to an end, or that endless play is no worse than claimed.

    `needed` is the rank that the moves of the position need, None where no rank would do.
    """
    if needed is None:
        reason = f"the proof {what} may rest on a play that never ends ({why})"
        return _refused("V002", reason, position, f"rank = {claimed}, but no rank would do")
    reason = f"the proof {what} has a wrong rank ({why})"
    return _refused("V002", reason, position, f"rank = {claimed}, where the moves need rank = {needed}")


def moves_fail(position: str, listed: Sequence[str], proven: Sequence[str]) -> Diagnostic:
    return _refused(
        "V003",
        "the moves listed are not those that the values make best",
        position,
        f"listed: {' '.join(listed) or 'none'}; best: {' '.join(proven) or 'none'}",
    )


def positions_differ(claimed: int, reason: str, position: str | None = None) -> Diagnostic:
    context = (("position", position),) if position is not None else ()
    return Diagnostic(
        "V004",
        Severity.ERROR,
        f"the certificate has {claimed:,} positions, {reason}",
        hint=_HINT,
        context=context,
    )


def not_certifiable(game: str, reason: str) -> Diagnostic:
    return Diagnostic("V005", Severity.ERROR, f"{game} has no certificate of this kind: {reason}")


def no_game_to_verify(given: object) -> Diagnostic:
    hint = "load the game that the certificate is about, with its parameters"
    return Diagnostic("V005", Severity.ERROR, f"{given!r} has no certificate: it is no game", hint=hint)


def _refused(code: str, message: str, position: str, inequality: str) -> Diagnostic:
    return Diagnostic(
        code,
        Severity.ERROR,
        message,
        hint=_HINT,
        context=(("position", position), ("fails", inequality)),
    )
