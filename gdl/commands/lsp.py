"""`gdl lsp`: what editors start to show mistakes, types and names while a game is written."""

from __future__ import annotations

from typing import Annotated

import typer


def lsp(
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Speak over standard input and output, as is done anyway.")
    ] = True,
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
    from gdl.lsp.server import serve

    serve()
