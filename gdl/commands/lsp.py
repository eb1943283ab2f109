"""`gdl lsp`: what editors start to show mistakes, types and names while a game is written."""

from __future__ import annotations

from typing import Annotated

import typer

from gdl.commands.arguments import print_json


def lsp(
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Speak over standard input and output, as is done anyway.")
    ] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="Only say which requests are answered, as JSON, and leave.")
    ] = False,
) -> None:
    """Serve an editor by the language server protocol.

    Editors start it themselves and speak with it over standard input and output; docs/editors.md says how to
    tell yours. It needs the extra `lsp`.
    """
    from gdl.diagnostics import GameError
    from gdl.diagnostics.commands import extra_missing

    try:
        import pygls.lsp.server  # noqa: F401
    except ImportError:
        raise GameError([extra_missing("the language server", "pygls", "lsp")]) from None
    from gdl.lsp.server import make_server, serve

    if not as_json:
        serve()
        return
    answers = make_server().protocol.fm
    print_json({"methods": sorted(answers.features), "commands": sorted(answers.commands)})
