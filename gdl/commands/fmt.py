"""`gdl fmt`: rewrites game files in canonical form."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.commands.arguments import STANDARD_INPUT, Json, game_files, print_json, read_game, rewrite
from gdl.loading import find_game

if TYPE_CHECKING:
    from gdl.diagnostics import Diagnostic


def fmt(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH", help="Game files, folders of them, or - for standard input."),
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit 1 if a file would change.")
    ] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Change nothing; show what would change.")] = False,
    as_json: Json = False,
) -> None:
    """Rewrite game files in canonical form.

    Only white space changes: comments are kept and the game stays the same. A file that does not parse is
    left as it is, and what is wrong with it is shown. Standard input is written to standard output.
    """
    from gdl.diagnostics.render import print_diagnostics

    results = [_format(path) for path in _files(paths)]
    for result in results:
        if result.changed and not check and not diff:
            result.write()
        if as_json:
            continue
        if result.diagnostics:
            print_diagnostics(result.diagnostics, sys.stderr)
        elif diff:
            sys.stdout.write(result.diff())
        elif result.name == STANDARD_INPUT and not check:
            sys.stdout.write(result.after)
        elif result.changed:
            typer.echo(f"{result.name}: {'would be formatted' if check else 'formatted'}")
    if as_json:
        print_json({"files": [result.as_data() for result in results]})
    if any(result.diagnostics or (check and result.changed) for result in results):
        raise typer.Exit(1)


@dataclass(frozen=True)
class _Formatted:
    name: str
    before: str
    after: str
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def changed(self) -> bool:
        return self.before != self.after

    def write(self) -> None:
        if self.name != STANDARD_INPUT:
            rewrite(Path(self.name), self.after)

    def diff(self) -> str:
        before, after = (text.splitlines(keepends=True) for text in (self.before, self.after))
        lines = unified_diff(before, after, self.name, f"{self.name} (formatted)")
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
        )

    def as_data(self) -> dict[str, Any]:
        return {
            "file": self.name,
            "changed": self.changed,
            "diagnostics": [diagnostic.as_data() for diagnostic in self.diagnostics],
        }


def _files(paths: list[str]) -> list[str]:
    return [path if path == STANDARD_INPUT else str(find_game(path)) for path in game_files(paths)]


def _format(path: str) -> _Formatted:
    from gdl.diagnostics import GameError
    from gdl.syntax.format import format_text

    try:
        source = read_game(path)
        text = format_text(source)
    except GameError as error:
        return _Formatted(path, "", "", error.diagnostics)
    return _Formatted(path, source.text, text)
