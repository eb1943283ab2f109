"""What messages are made of: severity, lists of names, names that were perhaps meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gdl.diagnostics.core import Diagnostic, Label, Severity
from gdl.diagnostics.fixes import Fix, guess
from gdl.diagnostics.source import Span


def error(
    code: str,
    span: Span | None,
    message: str,
    hint: str | None = None,
    *labels: Label,
    fixes: tuple[Fix, ...] = (),
) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, span, labels, hint, fixes=fixes)


def warning(
    code: str, span: Span, message: str, hint: str | None = None, *labels: Label, fixes: tuple[Fix, ...] = ()
) -> Diagnostic:
    return Diagnostic(code, Severity.WARNING, message, span, labels, hint, fixes=fixes)


def left_open(code: str, span: Span, message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code, Severity.NOTE, message, span, (), hint)


def near(name: str, known: Iterable[str]) -> str | None:
    """The known name that the author may have meant: a slip of the keys, not another word of like letters."""
    from difflib import get_close_matches

    names = list(known)
    matches = get_close_matches(name, names, n=1, cutoff=0.7)
    if matches or len(name) < 3:
        return matches[0] if matches else None
    return next((other for other in names if _swapped(name, other)), None)


def _swapped(one: str, other: str) -> bool:
    """Whether two neighbouring letters changed places: `wno`, `won`."""
    differ = [i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b]
    return (
        len(one) == len(other)
        and len(differ) == 2
        and differ[1] == differ[0] + 1
        and one[differ[0]] == other[differ[1]]
        and one[differ[1]] == other[differ[0]]
    )


def listing(names: Iterable[str], last: str = "and", most: int = 12) -> str:
    """`a`, `b` and `c`."""
    quoted = [f"`{name}`" for name in names]
    if len(quoted) > most:
        quoted = [*quoted[:most], f"{len(quoted) - most} more"]
    if len(quoted) <= 1:
        return "".join(quoted)
    return ", ".join(quoted[:-1]) + f" {last} {quoted[-1]}"


def did_you_mean(name: str, known: Sequence[str]) -> str | None:
    if match := near(name, known):
        return f"did you mean `{match}`?"
    return f"known here: {listing(known)}" if known and len(known) <= 12 else None


def guesses(span: Span | None, name: str, known: Iterable[str]) -> tuple[Fix, ...]:
    """The fix that puts the known name there that the author may have meant."""
    return guess(span, name, near(name, known))


def amount_of_memory(size: float) -> str:
    """`1.2 MB`."""
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} PB"


def counted(number: int, thing: str) -> str:
    """`1 play`, `2,000 plays`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def all_of(number: int, thing: str) -> str:
    """`the only position`, `all 2,000 positions`."""
    return f"the only {thing}" if number == 1 else f"all {number:,} {thing}s"
