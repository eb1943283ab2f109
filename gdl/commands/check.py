"""`gdl check`: everything that is wrong with game files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gdl.commands.arguments import (
    STANDARD_INPUT,
    Json,
    Params,
    game_files,
    load_checked,
    print_json,
    read_game,
    read_params,
    rewrite,
)

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
    fix: Annotated[
        bool,
        typer.Option("--fix", help="Mend what can only have been meant in one way, then show the rest."),
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 for warnings, too.")] = False,
    as_json: Json = False,
) -> None:
    """Find everything that is wrong with games, without playing them.

    All problems are shown at once. What cannot be decided without playing (a value that may leave its range,
    say) is left to the engines, which detect it; --verbose lists it, and `gdl explore` plays everything.

    With --json each diagnostic carries its fixes as edits; --fix makes those that are safe (`&&` is `and`),
    never guesses such as names that look alike.
    """
    from gdl.diagnostics import Severity
    from gdl.diagnostics.render import print_diagnostics
    from gdl.diagnostics.wording.phrases import counted

    if fix and STANDARD_INPUT in games:
        raise typer.BadParameter("standard input cannot be changed: name a file", param_hint="--fix")
    failed = False
    files = []
    for game in game_files(games):
        mended = _mend(game, params) if fix else 0
        name, found = _diagnose(game, params, verbose)
        severities = {d.severity for d in found}
        bad = Severity.ERROR in severities or (strict and Severity.WARNING in severities)
        failed = failed or bad
        if as_json:
            diagnostics = [d.as_data() for d in found]
            files.append(
                {
                    "file": name,
                    "ok": not bad,
                    **({"fixed": mended} if fix else {}),
                    "diagnostics": diagnostics,
                }
            )
            continue
        if mended:
            typer.echo(f"{name}: {counted(mended, 'mistake')} mended")
        if found:
            print_diagnostics(found, sys.stderr, of=name)
        if not bad:
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
        own = (
            n for n in names if game == STANDARD_INPUT or Path(n).stem == Path(game).stem
        )  # not a borrowed file
        return next(own, game), error.diagnostics
    found = [*model.warnings, *(model.obligations if verbose else ())]
    return model.source.name, sort_diagnostics(found)


def _mend(game: str, params: list[str] | None) -> int:
    """Makes the safe fixes of a game in its file, and those that come to light then; how many."""
    from gdl.diagnostics import GameError
    from gdl.diagnostics.commands import cannot_write
    from gdl.loading import find_game, mend

    try:
        source = read_game(game)
    except GameError:
        return 0  # said when it is checked
    text, mended = mend(source, read_params(params))
    if mended:
        try:
            rewrite(Path(find_game(game)), text)
        except OSError as error:
            raise GameError([cannot_write(source.name, error.strerror or str(error))]) from None
    return mended
