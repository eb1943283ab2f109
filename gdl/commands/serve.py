"""`gdl serve`: games in a browser."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from gdl.commands.arguments import Json, game_files, print_json


def serve(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GAME", help="Game files, folders of them or names; all games of gdl without."
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option("--port", metavar="N", min=0, max=65535, help="Where to listen; 0 takes a free one."),
    ] = 8642,
    host: Annotated[
        str,
        typer.Option("--host", metavar="ADDRESS", help="Which address to listen at: this computer alone."),
    ] = "127.0.0.1",
    thinking: Annotated[
        int | None,
        typer.Option(
            "--processes", metavar="N", min=1, help="Processes for agents and analyses; the cores without."
        ),
    ] = None,
    memory: Annotated[
        str, typer.Option("--memory", metavar="SIZE", help="What each process may use: `2GB`.")
    ] = "2GB",
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="DIR",
            help="Write pages of those games that can be solved, for a plain file server, and end.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Read, play and analyse games in a browser.

    Serves a page on this computer until it is interrupted: the rules in an editor, the board beside it, and
    what every move is worth. Several people can join one play by its link, each seeing what their player
    sees. Nothing is stored: a link or a file keeps a play or a changed game.
    """
    from gdl.diagnostics import GameError
    from gdl.diagnostics.commands import cannot_listen, extra_missing
    from gdl.loading import find_game
    from gdl.loading import games as all_games
    from gdl.serve.offered import Offer
    from solvers.core.memory import bytes_of

    paths = [find_game(path) for path in game_files(games)] if games else list(all_games().values())
    offer = Offer.of(paths)
    if export is not None:
        from gdl.serve.exporting import export_pages

        written = export_pages(offer, export, lambda name, what: typer.echo(f"{name}: {what}", err=True))
        if as_json:
            print_json(written)
            return
        for game in written["games"]:
            typer.echo(f"{game['name']}: {game['positions']:,} positions")
        typer.echo(f"open {written['index']} by a file server: python3 -m http.server -d {export}")
        return
    try:
        from gdl.serve.app import Settings
        from gdl.serve.app import serve as serve_pages
    except ImportError as error:
        raise GameError([extra_missing("`gdl serve`", str(error.name), "serve")]) from None
    from gdl.crew.processes import cores

    settings = Settings(thinking=thinking or max(2, cores()), memory=bytes_of(memory))

    def started(address: str) -> None:
        if as_json:
            print_json({"address": address, "games": list(offer.games)})
        else:
            typer.echo(f"{address}  ({len(offer.games)} games; Ctrl-C ends it)")
        sys.stdout.flush()
        if open_page:
            import webbrowser

            webbrowser.open(address)

    try:
        with suppress(KeyboardInterrupt):  # that is how it ends
            serve_pages(offer, host, port, settings, started)
    except OSError as error:
        raise GameError([cannot_listen(host, port, error.strerror or str(error))]) from None
