"""`gdl test`: holds games to the values that their files say are known."""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.commands.arguments import (
    Json,
    On,
    game_files,
    load_checked,
    print_json,
    print_styled,
    workers,
)

if TYPE_CHECKING:
    from gdl.crew.engine import Engine
    from gdl.expectations import Verdict
    from gdl.model.nodes import Expectation

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
    on: On = None,
    as_json: Json = False,
) -> None:
    """Test the `expect` lines of games.

    A value has to be found by every solver that applies and is done in reasonable time, and all have to
    agree; that one of them refuses is a failure too, unless positions are too many for it or repeat. Where
    something is hidden it is that of an equilibrium; if only play with some regret was found, the line is not
    checked, and counted as such. Lines are tested one after the other unless --on says who works. Exits 1 if
    a line fails or a game cannot be read.
    """
    on = workers(on)
    if not paths:
        if not Path("games").is_dir():
            raise typer.BadParameter("there is no folder `games` here: say what to test", param_hint="PATH")
        paths = ["games"]
    from gdl.crew.places import opened

    shown = _Shown(game_files(paths), slow, line, as_json)
    with opened(on or "processes:1") as engine:
        shown.examine(engine)
    if as_json:
        print_json({"files": shown.files, "counts": shown.counts})
    else:
        summary = _summary(shown.counts, len(shown.files))
        print_styled((summary, "bold red" if _failed(shown.counts) else "bold green"))
    if _failed(shown.counts):
        raise typer.Exit(1)


class _Shown:
    """Files in their order, each with its verdicts as they come, wherever they are found.

    Files are read ahead of what is shown; one is announced when nothing of those before is to come.
    """

    def __init__(self, paths: Sequence[str], slow: bool, line: int | None, as_json: bool):
        self.paths, self.slow, self.line, self.as_json = paths, slow, line, as_json
        self.counts: Counter[str] = Counter()
        self.files: list[dict[str, Any]] = []  # those that were announced
        self._read: deque[tuple[dict[str, Any], int]] = deque()  # the next ones, with how many verdicts
        self._left = 0  # verdicts to come of the last file that was announced

    def examine(self, engine: Engine) -> None:
        from gdl.crew.crew import results

        with closing(results(engine, self._tasks())) as verdicts:
            for _, verdict in verdicts:
                self._left -= 1
                self.counts[verdict.status.value] += 1
                self.files[-1]["verdicts"].append(verdict.as_data())
                if not self.as_json:
                    _show(verdict)
                self._announce()

    def _tasks(self) -> Iterator[tuple[Any, int]]:
        """The expectations of all files, by their numbers."""
        from gdl.diagnostics import GameError

        for path in self.paths:
            file: dict[str, Any] = {"file": path, "diagnostics": [], "verdicts": []}
            try:
                model = load_checked(path, None)
            except GameError as error:
                file["diagnostics"] = error.diagnostics
                self._read.append((file, 0))
                self._announce()
                continue

            from gdl.expectations import job_of

            file["file"] = model.source.name
            numbers = self._numbers(model.expectations)
            self.counts["slow"] += len(model.expectations) - len(numbers) if self.line is None else 0
            self._read.append((file, len(numbers)))
            self._announce()
            job = job_of(model)
            for number in numbers:
                yield job, number

    def _numbers(self, expectations: Sequence[Expectation]) -> list[int]:
        """The expectations that are asked for."""
        lines = [expectation.span.line for expectation in expectations]
        if self.line is None:
            return [k for k, one in enumerate(expectations) if self.slow or not one.slow]
        if self.line not in lines:
            where = f"they are in {', '.join(map(str, lines))}" if lines else "the file has none"
            raise typer.BadParameter(
                f"no expectation stands in line {self.line}: {where}", param_hint="--line"
            )
        return [k for k, line in enumerate(lines) if line == self.line]

    def _announce(self) -> None:
        """Says which file comes, or why it cannot be read; goes on to one that has verdicts to come."""
        from gdl.diagnostics.render import print_diagnostics

        while self._read and not self._left:
            file, self._left = self._read.popleft()
            self.files.append(file)
            if found := file["diagnostics"]:
                self.counts["broken"] += 1
                file["diagnostics"] = [diagnostic.as_data() for diagnostic in found]
                if not self.as_json:
                    print_diagnostics(found, sys.stderr, of=file["file"])
            elif not self.as_json:
                print_styled((file["file"], "bold"))


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
