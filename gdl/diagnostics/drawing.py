"""The wording of problems with pictures: one function per code.

D001  a format that nobody draws      D003  a tree that is too large
D002  a part that is not installed
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl.diagnostics.core import Diagnostic, Severity
from gdl.diagnostics.wording.phrases import listing, near


def unknown_format(name: str, ending: str, known: Sequence[str]) -> Diagnostic:
    match = near(ending, known) if ending else None
    hint = f"did you mean `{match}`? " if match else ""
    said = (
        f"`{ending}` is no kind of picture" if ending else "it has no ending that says which kind of picture"
    )
    return _error("D001", f"{name} cannot be drawn: {said}", f"{hint}known are {listing(known)}")


def missing_extra(what: str, package: str, extra: str) -> Diagnostic:
    return _error(
        "D002",
        f"{what} needs {package}, which is not installed",
        f"`pip install {package}`, or gdl with its extra: `pip install 'gdl-games[{extra}]'`; "
        "an .svg file needs neither",
    )


def tree_too_large(limit: int, what: str, hint: str) -> Diagnostic:
    return _error("D003", f"{what} has more than {limit:,} positions", hint)


def _error(code: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, hint=hint)
