"""`gdl explain`: what a diagnostic means, why it exists and how to mend its cause."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from gdl.commands.arguments import Json, console, print_json


def explain(
    code: Annotated[
        str | None, typer.Argument(metavar="CODE", help="A code such as E104; all without.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Explain a diagnostic, with examples.

    Without a code, list all diagnostics.
    """
    from gdl.diagnostics import GameError
    from gdl.diagnostics.commands import no_such_code
    from gdl.diagnostics.essays import essay, essays

    if code is None:
        titles = {e.code: e.title for e in essays()}
        if as_json:
            print_json(titles)
        else:
            typer.echo("\n".join(f"{code}  {title}" for code, title in titles.items()))
        return
    found = essay(code.strip().upper())
    if found is None:
        raise GameError([no_such_code(code, [e.code for e in essays()])])
    if as_json:
        print_json({"code": found.code, "title": found.title, "text": found.text})
    elif sys.stdout.isatty():
        from rich.markdown import Markdown

        console().print(Markdown(found.text))
    else:
        typer.echo(found.text.rstrip("\n"))
