"""`gdl match`: lets agents play against each other and says who is better, and how sure that is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.commands.arguments import (
    FastEngine,
    GameName,
    Json,
    LongestPlay,
    On,
    Params,
    console,
    load_checked,
    play_by,
    print_json,
    print_styled,
    workers,
)

if TYPE_CHECKING:
    from gdl.commands.arguments import AnyGame


def match(
    game: GameName,
    params: Params = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            "-a",
            metavar="[PLAYER=]AGENT",
            help="An agent that takes part: a solver with its options, or `random`. Repeat it.",
        ),
    ] = None,
    games: Annotated[
        int,
        typer.Option(
            "--games",
            "-n",
            metavar="N",
            min=1,
            help="Games for each pair of agents, one more where seats could not be swapped otherwise.",
        ),
    ] = 100,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="The same seed gives the same games.")
    ] = None,
    opening: Annotated[
        int, typer.Option("--opening", metavar="N", min=0, help="Begin with so many random moves.")
    ] = 0,
    sprt: Annotated[
        str | None,
        typer.Option(
            "--sprt",
            metavar="ELO0,ELO1",
            help="Stop once the first agent is known to be that much better, or not.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", metavar="N", min=1, help="Processes; all cores unless given."),
    ] = None,
    on: On = None,
    longest: LongestPlay = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Compute what policies of named players are worth; nothing is played."),
    ] = False,
    engine: FastEngine = None,
    as_json: Json = False,
) -> None:
    """Let agents play against each other.

    Everyone meets everyone, with the seats swapped and the same chance and opening in both games. Shows wins,
    draws and losses, the score with its 95 % interval, the difference in Elo, and what a game paid the agent
    on average, which says something else where stakes differ. With agents for named players
    (`-a pacman=minimax -a ghost=random`) every combination plays, and the table shows what it pays; with
    --exact it is computed over all positions instead, and `best` is a best response to the others.
    """
    from gdl.crew.processes import cores
    from gdl.playing import tournament

    on = workers(on, jobs)
    described = play_by(load_checked(game, params), engine)
    everyone, players = read_wishes(described.players, agent or [])
    if exact:
        _show_exact(described, everyone, players, as_json)
        return
    with _Progress(quiet=as_json) as advance:
        found = tournament.match(
            described,
            *everyone,
            games=games,
            seed=seed,
            opening=opening,
            sprt=_read_sprt(sprt),
            longest=longest,
            jobs=None if on is not None else jobs or cores(),
            on=on,
            advance=advance,
            players=players,
        )
    if as_json:
        print_json(found.as_data())
    elif found.games or not found.partial:
        for line in found.report():
            print_styled(*line)
    if found.partial:
        raise KeyboardInterrupt


def _show_exact(game: AnyGame, everyone: list[str], players: dict[str, list[str]], as_json: bool) -> None:
    from gdl.evaluating import policy_table

    seats = {name: [*players.get(name, []), *everyone] for name in game.players}
    if unknown := next((name for name in players if name not in game.players), None):
        from gdl.diagnostics import GameError
        from gdl.diagnostics.commands import no_such_player

        raise GameError([no_such_player(unknown, game.players)])
    table = policy_table(game, seats)
    if as_json:
        print_json(table.as_data())
        return
    for line in table.report():
        print_styled(*line)


def read_wishes(players: Sequence[str], wishes: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """The agents for all seats, and those for named players. Their order is that of the wishes."""
    everyone: list[str] = []
    named: dict[str, list[str]] = {}
    for wish in wishes:
        before, equals, after = wish.partition("=")
        # `x=alphabeta` names a player, `alphabeta(depth=4)` does not.
        if equals and before.strip().isidentifier():
            named.setdefault(before.strip(), []).append(after.strip())
        else:
            everyone.append(wish.strip())
    missing = [name for name in players if not named.get(name) and not everyone]
    if named and missing:
        raise typer.BadParameter(f"nobody plays for `{missing[0]}`", param_hint="--agent")
    least = 1 if len(players) == 1 else 2
    if not named and len(everyone) < least:
        raise typer.BadParameter(
            f"a match needs {'an agent' if least == 1 else 'two agents'} at least", param_hint="--agent"
        )
    return everyone, named


def _read_sprt(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        worse, better = (float(part) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"`{text}` is not of the form ELO0,ELO1", param_hint="--sprt") from None
    if worse >= better:
        raise typer.BadParameter("ELO0 is less than ELO1", param_hint="--sprt")
    return worse, better


class _Progress:
    """A bar on standard error where that is a terminal."""

    def __init__(self, quiet: bool):
        self.bar: Any = None
        self.task: Any = None
        if not quiet and sys.stderr.isatty():
            from rich.progress import Progress

            self.bar = Progress(console=console(stderr=True), transient=True)

    def __enter__(self) -> Callable[[int], None] | None:
        if self.bar is None:
            return None
        self.bar.start()
        return self._advance

    def _advance(self, total: int) -> None:
        if self.task is None:
            self.task = self.bar.add_task("playing", total=total)
        self.bar.advance(self.task)

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()
