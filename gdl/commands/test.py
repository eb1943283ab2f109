"""`gdl test`: holds games to the values that their files say are known."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.commands.arguments import Json, game_files, load_checked, print_json, print_styled

if TYPE_CHECKING:
    from gdl.expectations import Verdict

_STYLES = {"passed": "green", "failed": "bold red", "not checked": "yellow"}


def test(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH", help="Game files, folders of them, or names of games; ./games without."
        ),
    ] = None,
    slow: Annotated[
        bool, typer.Option("--slow", help="Also test lines marked `slow`; may take minutes.")
    ] = False,
    line: Annotated[
        int | None,
        typer.Option(
            "--line", metavar="N", min=1, help="Test only the expectation in this line, slow or not."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Test the `expect` lines of games.

    A value has to be found by every solver that applies and is done in reasonable time, and all have to
    agree; that one of them refuses is a failure too, unless positions are too many for it or repeat. Where
    something is hidden it is that of an equilibrium; if only play with some regret was found, the line is not
    checked, and counted as such. Exits 1 if a line fails or a game cannot be read.
    """
    if not paths:
        if not Path("games").is_dir():
            raise typer.BadParameter("there is no folder `games` here: say what to test", param_hint="PATH")
        paths = ["games"]
    counts: Counter[str] = Counter()
    files = [_test(path, slow, line, counts, as_json) for path in game_files(paths)]
    if as_json:
        print_json({"files": files, "counts": counts})
    else:
        print_styled((_summary(counts, len(files)), "bold red" if _failed(counts) else "bold green"))
    if _failed(counts):
        raise typer.Exit(1)


def _test(path: str, slow: bool, line: int | None, counts: Counter[str], as_json: bool) -> dict[str, Any]:
    """Tests one file, showing each verdict as it comes."""
    from gdl.diagnostics import GameError
    from gdl.diagnostics.render import print_diagnostics

    try:
        model = load_checked(path, None)
    except GameError as error:
        counts["broken"] += 1
        if not as_json:
            print_diagnostics(error.diagnostics, sys.stderr, of=path)
        return {"file": path, "diagnostics": [d.as_data() for d in error.diagnostics], "verdicts": []}

    from gdl.expectations import examine, examine_all

    if not as_json:
        print_styled((model.source.name, "bold"))
    verdicts = []
    chosen = None if line is None else [e for e in model.expectations if e.span.line == line]
    if chosen == []:
        lines = ", ".join(str(e.span.line) for e in model.expectations)
        where = f"they are in {lines}" if lines else "the file has none"
        raise typer.BadParameter(f"no expectation stands in line {line}: {where}", param_hint="--line")
    for verdict in examine_all(model, slow=slow) if chosen is None else (examine(model, e) for e in chosen):
        counts[verdict.status.value] += 1
        verdicts.append(verdict.as_data())
        if not as_json:
            _show(verdict)
    counts["slow"] += len(model.expectations) - len(verdicts) if line is None else 0
    return {"file": model.source.name, "diagnostics": [], "verdicts": verdicts}


def _show(verdict: Verdict) -> None:
    from gdl.diagnostics.render import print_diagnostics

    how = f"{_names(verdict.how)}; {verdict.seconds:.1f} s"
    remark = verdict.message if verdict.status == "not checked" else how
    print_styled(
        (f"  {verdict.status.value:<11}", _STYLES[verdict.status.value]),
        (f" {verdict.expectation.text}", ""),
        (f"   ({remark})", "dim"),
    )
    if verdict.diagnostics:
        sys.stdout.flush()
        print_diagnostics(verdict.diagnostics, sys.stderr)


def _names(how: tuple[str, ...]) -> str:
    """`alphabeta, star2, star1 and 8 more`."""
    return ", ".join(how) if len(how) <= 4 else f"{', '.join(how[:3])} and {len(how) - 3} more"


def _failed(counts: Counter[str]) -> bool:
    return bool(counts["failed"] or counts["broken"])


def _summary(counts: Counter[str], files: int) -> str:
    parts = [f"{counts['passed']} passed"]
    parts += [f"{counts[status]} {status}" for status in ("failed", "not checked") if counts[status]]
    if counts["slow"]:
        parts.append(f"{counts['slow']} slow not tested")
    if counts["broken"]:
        parts.append(f"{counts['broken']} cannot be read")
    return f"{', '.join(parts)} in {files} file{'s' if files != 1 else ''}"
