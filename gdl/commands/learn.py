"""`gdl learn`: an evaluation of positions, learned from self-play."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.commands.arguments import (
    GameName,
    Json,
    Params,
    load_checked,
    play_by,
    print_json,
    print_styled,
)

if TYPE_CHECKING:
    from solvers.learning.kernels.training import Training


def learn(
    game: GameName,
    params: Params = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="linear (weights of the declared features), tuples (tables over groups of elements of the "
            "position) or network (one hidden layer); chosen if not given.",
        ),
    ] = None,
    games: Annotated[
        int | None, typer.Option("--games", metavar="N", min=1, help="Learn from so many games.")
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(
            "--time", metavar="S", min=0.001, help="Learn for so many CPU seconds; 60 without a limit."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Of all that is random.")] = 0,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="Write the evaluation, for `leaf=learned:FILE`."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Take up what a run with the same --save left when it was killed."),
    ] = False,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            metavar="N",
            min=1,
            max=256,
            help="Play by so many threads, all cores if not given; what is learned does not depend on it.",
        ),
    ] = None,
    units: Annotated[
        int | None,
        typer.Option("--units", metavar="N", min=1, max=4096, help="Of the hidden layer of a network."),
    ] = None,
    rate: Annotated[
        float | None, typer.Option("--rate", metavar="R", help="How fast weights change.")
    ] = None,
    trace: Annotated[
        float | None,
        typer.Option(
            "--lambda", metavar="L", help="Of TD(lambda): 0 learns from the next choice, 1 from the end."
        ),
    ] = None,
    explore: Annotated[
        float | None, typer.Option("--explore", metavar="P", help="How often a move is random.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option("--against", metavar="AGENT", help="Play 100 games against an agent at the end."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Learn an evaluation of positions from self-play.

    Plays the game against itself and learns what positions are worth, by temporal differences. Shows how
    strong it gets, keeps the best, and writes a small file that searches and agents use: `--solver
    "alphabeta(leaf=learned:FILE)"`, or `learned:FILE` as an agent. A run that was killed goes on with
    `--resume` as if nothing had happened.
    """
    from gdl.crew.processes import cores
    from gdl.learning import learn as learn_it

    model = load_checked(game, params)
    described: Any = play_by(model, None)
    said = [game, *(f"-p {shlex.quote(p)}" for p in params or ())]
    for name, value in (("kind", kind), ("games", games), ("time", time), ("seed", seed), ("units", units),
                        ("rate", rate), ("lambda", trace), ("explore", explore), ("save", save)):  # fmt: skip
        if value is not None:
            said.append(f"--{name} {value}")
    found = learn_it(
        described,
        kind,
        games=games,
        time=time,
        seed=seed,
        save=save,
        resume=resume,
        threads=cores() if threads is None else threads,
        units=units,
        rate=rate,
        lambda_=trace,
        explore=explore,
        against=tuple(against or ()),
        command="gdl learn " + " ".join(said),
        report=_tell,
    )
    if as_json:
        print_json(found.as_data())
    else:
        for line in found.report():
            print_styled(*line)


def _tell(training: Training) -> None:
    last = training.curve[-1]
    mean, error = last.random
    best = "" if last.best is None else f", {last.best[0]:+.3g} ± {last.best[1]:.2g} against the best so far"
    alone = training.learner.game.traits.players == 1
    typer.echo(
        f"{last.games:,} games, {last.seconds:.1f} s: {mean:.3g} ± {error:.2g}"
        f"{'' if alone else ' against random moves'}{best}{' *' if last.kept else ''}",
        err=True,
    )
