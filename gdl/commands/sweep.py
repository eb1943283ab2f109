"""`gdl sweep`: what a game is worth as its parameters change, as a table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from gdl.commands.arguments import (
    GameName,
    Json,
    On,
    Params,
    print_json,
    read_game,
    read_params,
    workers,
)

Ranges = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME=RANGE",
        help="`n=1..20`, `n=0..100 step 10`, `heads=0..1 step 1/10`, `naturals=plain,beat`.",
    ),
]
SweepSolver = Annotated[
    str | None,
    typer.Option("--solver", metavar="SOLVER", help="Of whole games, or a search: `mcts(simulations=1000)`."),
]
SweepAgents = Annotated[
    list[str] | None,
    typer.Option(
        "--agent", "-a", metavar="PLAYER=AGENT", help="Play by this agent in place of best play. Repeat it."
    ),
]
SweepPlays = Annotated[
    int | None,
    typer.Option(
        "--simulations", metavar="N", min=1, help="Let the agents make so many plays at every point."
    ),
]
Seed = Annotated[int | None, typer.Option("--seed", metavar="N", min=0, help="Of plays and of simulations.")]
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", metavar="N", min=1, help="Processes; all cores unless given.")
]


def sweep(
    game: GameName,
    ranges: Ranges,
    params: Params = None,
    solver: SweepSolver = None,
    agent: SweepAgents = None,
    simulations: SweepPlays = None,
    seed: Seed = None,
    exact: Annotated[bool, typer.Option("--exact", help="Answer with fractions.")] = False,
    jobs: Jobs = None,
    on: On = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the table: .csv .json .parquet .txt say how."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on with a sweep to the same file that was stopped, not finished."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Solve a game for every combination of parameters.

    Several ranges make a grid. A point that is refused has no value and says why. The score is the share of
    wins of the first player, draws counted half, where plays pay from -1 to 1. `gdl plot sweep` draws it.
    """
    from gdl.sweeps import sweep as sweeping
    from gdl.sweeps.ranges import read_ranges

    on = workers(on, jobs)
    if resume and out is None:
        raise typer.BadParameter(
            "only a sweep to a file can go on: name it with --out", param_hint="--resume"
        )
    if resume and out is not None and not sweeping.journal_of(out).exists():
        typer.echo(f"no sweep to {out} was stopped: all points are computed", err=True)
    replaced = out is not None and out.exists()
    with sweep_progress(quiet=as_json) as advance:
        found = sweeping.sweep(
            read_game(game), read_ranges(ranges), params=read_params(params), solver=solver,
            agents=read_agents(agent), simulations=simulations, seed=seed, exact=exact, jobs=jobs,
            on=on, out=out, resume=resume, advance=advance,
        )  # fmt: skip
    if as_json:
        print_json(found.as_data())
    elif out is None or found.partial:
        typer.echo(found.text())
    else:
        before = ", in place of the file that was there" if replaced else ""
        typer.echo(f"{out} written, {len(found.rows):,} rows{before}")
    if found.partial:
        if out is not None:
            typer.echo(f"{len(found.rows)} of {found.total} points are done; --resume goes on", err=True)
        raise KeyboardInterrupt


def read_agents(wishes: list[str] | None) -> dict[str, str]:
    """Players with their agents."""
    found = {}
    for wish in wishes or ():
        player, equals, agent = wish.partition("=")
        if not equals or not player.strip().isidentifier():
            raise typer.BadParameter(f"`{wish}` is not of the form PLAYER=AGENT", param_hint="--agent")
        found[player.strip()] = agent.strip()
    return found


@contextmanager
def sweep_progress(quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on standard error where that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import Progress

    from gdl.commands.arguments import console

    with Progress(console=console(stderr=True), transient=True) as bar:
        task = bar.add_task("sweeping", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
