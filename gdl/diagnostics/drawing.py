"""The wording of problems with pictures: one function per code.

D001  a format that nobody draws      D004  a variable that positions do not have
D002  a part that is not installed    D005  nothing of this kind to plot
D003  a tree that is too large        D006  a range that cannot be read
D007  a picture that is too large
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl.diagnostics.core import Diagnostic, Severity
from gdl.diagnostics.wording.phrases import listing, near


def unknown_format(name: str, ending: str, known: Sequence[str], thing: str = "picture") -> Diagnostic:
    match = near(ending, known) if ending else None
    hint = f"did you mean `{match}`? " if match else ""
    said = (
        f"`{ending}` is no kind of {thing}" if ending else f"it has no ending that says which kind of {thing}"
    )
    return _error(
        "D001",
        f"{name} cannot be {'drawn' if thing == 'picture' else 'written'}: {said}",
        f"{hint}known are {listing(known)}",
    )


def missing_matplotlib(what: str, instead: str) -> Diagnostic:
    return _error(
        "D002",
        f"{what} needs matplotlib, which is not installed",
        f"`pip install matplotlib`, or gdl with its extra: `pip install 'gdl-games[plot]'`; {instead}",
    )


def tree_too_large(limit: int, what: str, hint: str) -> Diagnostic:
    return _error("D003", f"{what} has more than {limit:,} positions", hint)


def picture_too_large(kind: str, width: int, height: int, unit: str, most: int) -> Diagnostic:
    return _error(
        "D007",
        f"as a {kind} file this tree would be {width:,} by {height:,} {unit}, more than {most:,} on a side",
        "`--nodes N` draws less of it; an .svg file may be as large as it likes",
    )


def no_such_variable(name: str, known: Sequence[str]) -> Diagnostic:
    match = near(name, known)
    hint = f"did you mean `{match}`? " if match else ""
    return _error("D004", f"positions have no variable `{name}`", f"{hint}they have {listing(known)}")


def no_such_value(name: str, value: str, known: Sequence[str]) -> Diagnostic:
    few = [*known[:6], "…", known[-1]] if len(known) > 8 else list(known)
    return _error(
        "D004",
        f"no position that is drawn has {name}={value}",
        f"`{name}` is one of {', '.join(few)} there" if known else "nothing is left: fix fewer variables",
    )


def nothing_to_plot(message: str, hint: str) -> Diagnostic:
    return _error("D005", message, hint)


def cells_are_no_axes(game: str, x: str, y: str) -> Diagnostic:
    return nothing_to_plot(
        "positions differ by what stands on the cells of a board, of which no two make axes that tell much, "
        "and moves name no single cell",
        f'`gdl solve {game}` lists what each move is worth; `--x "{x}" --y "{y}"` draws cells all the same',
    )


def bad_range(text: str, reason: str) -> Diagnostic:
    return _error(
        "D006",
        f"`{text}` is no range of a parameter: {reason}",
        "write `n=1..20`, `n=0..100 step 10`, `heads=0..1 step 1/10` or `naturals=plain,beat`",
    )


def _error(code: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, hint=hint)
