"""`gdl check`: everything that is wrong with game files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from gdl.commands.arguments import Json, Params, game_files, load_checked, print_json

if TYPE_CHECKING:
    from gdl.diagnostics import Diagnostic


def check(
    games: Annotated[
        list[str],
        typer.Argument(
            metavar="GAME", help="Game files, folders of them, names of games, or - for standard input."
        ),
    ],
    params: Params = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also list what only playing the game can show.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 for warnings, too.")] = False,
    as_json: Json = False,
) -> None:
    """Find everything that is wrong with games, without playing them.

    All problems are shown at once. What cannot be decided without playing (a value that may leave its range,
    say) is left to the engines, which detect it; --verbose lists it, and `gdl explore` plays everything.
    """
    from gdl.diagnostics import Severity
    from gdl.diagnostics.render import print_diagnostics

    failed = False
    files = []
    for game in game_files(games):
        name, found = _diagnose(game, params, verbose)
        severities = {d.severity for d in found}
        bad = Severity.ERROR in severities or (strict and Severity.WARNING in severities)
        failed = failed or bad
        if as_json:
            files.append({"file": name, "ok": not bad, "diagnostics": [d.as_data() for d in found]})
        elif found:
            print_diagnostics(found, sys.stderr, of=name)
        if not as_json and not bad:
            typer.echo(f"{name}: {'no error' if severities else 'no problem'}")
    if as_json:
        print_json({"ok": not failed, "files": files})
    if failed:
        raise typer.Exit(1)


def _diagnose(game: str, params: list[str] | None, verbose: bool) -> tuple[str, tuple[Diagnostic, ...]]:
    """The name under which a game is known, and what there is to say about it."""
    from gdl.diagnostics import GameError, sort_diagnostics

    try:
        model = load_checked(game, params)
    except GameError as error:
        names = [d.span.source.name for d in error.diagnostics if d.span]
        return names[0] if names else game, error.diagnostics
    found = [*model.warnings, *(model.obligations if verbose else ())]
    return model.source.name, sort_diagnostics(found)
