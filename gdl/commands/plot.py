"""`gdl plot`: diagrams of a game, one command for each kind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.commands.arguments import (
    GameName,
    Json,
    LongestPlay,
    MovesFirst,
    Params,
    load_checked,
    print_json,
    read_game,
    read_params,
)
from gdl.commands.sweep import Jobs, Ranges, Seed, SweepAgents, SweepPlays, SweepSolver

if TYPE_CHECKING:
    from gdl.draw.plots.plot import Plot
    from gdl.game import Game

Out = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="FILE", help="Write a file: .png .svg .pdf, or .csv .json .txt. Text if not given."
    ),
]
Csv = Annotated[bool, typer.Option("--csv", help="Print what is drawn, separated by commas.")]
Dark = Annotated[bool, typer.Option("--dark", help="A picture on dark ground.")]
Variable = Annotated[
    str | None,
    typer.Option(
        "--x", metavar="VARIABLE", help="Across: `pot`, `banked[first]`, `pot=0..30`. Chosen if not given."
    ),
]
Downwards = Annotated[str | None, typer.Option("--y", metavar="VARIABLE", help="Upwards, in the same way.")]
Slices = Annotated[
    str | None, typer.Option("--slices", metavar="VARIABLE", help="A picture for each of its values.")
]
Fixed = Annotated[
    str | None,
    typer.Option("--at", metavar="VALUES", help="Only positions with these values: `turn=second pot=0`."),
]
From = Annotated[
    str | None, typer.Option("--from", metavar="POSITION", help="Solve from this position: `name=value …`.")
]
Seeded = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, help="The same seed gives the same picture.")
]


def policy(
    game: GameName,
    params: Params = None,
    x: Variable = None,
    y: Downwards = None,
    slices: Slices = None,
    z: Annotated[
        str | None,
        typer.Option("--z", metavar="VARIABLE", help="A surface: from which value on another move is best."),
    ] = None,
    at: Fixed = None,
    start: From = None,
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="POLICY",
            help="Mark where this policy of the file may play otherwise. Repeat it.",
        ),
    ] = None,
    out: Out = None,
    dark: Dark = False,
    csv: Csv = False,
    as_json: Json = False,
) -> None:
    """Draw the best move over variables of the position.

    The game is solved. Variables that do not matter are left out, two others are chosen as axes, and the rest
    stays as at the start of the game, unless you say otherwise.
    """
    from gdl.plots.maps import policy_map

    _check(out)
    drawn = policy_map(
        _load(game, params), x=x, y=y, slices=slices, z=z, at=at, start=start, policies=over or ()
    )
    _show(drawn, out, dark, csv, as_json)


def value(
    game: GameName,
    params: Params = None,
    x: Variable = None,
    y: Downwards = None,
    slices: Slices = None,
    at: Fixed = None,
    start: From = None,
    out: Out = None,
    dark: Dark = False,
    csv: Csv = False,
    as_json: Json = False,
) -> None:
    """Draw what positions are worth over variables of the position, to the player to move."""
    from gdl.plots.maps import value_map

    _check(out)
    drawn = value_map(_load(game, params), x=x, y=y, slices=slices, at=at, start=start)
    _show(drawn, out, dark, csv, as_json)


def sweep(
    game: GameName,
    ranges: Ranges,
    params: Params = None,
    solver: SweepSolver = None,
    agent: SweepAgents = None,
    simulations: SweepPlays = None,
    seed: Seed = None,
    score: Annotated[
        bool, typer.Option("--score", help="The share of wins of the first player, draws counted half.")
    ] = False,
    jobs: Jobs = None,
    out: Out = None,
    dark: Dark = False,
    csv: Csv = False,
    as_json: Json = False,
) -> None:
    """Draw the value of a game over its parameters; `gdl sweep` gives the table."""
    from gdl.commands.sweep import read_agents, sweep_progress
    from gdl.plots.sweeps import sweep_plot
    from gdl.sweeps import sweep as sweeping
    from gdl.sweeps.ranges import read_ranges

    _check(out)
    with sweep_progress(quiet=as_json) as advance:
        found = sweeping.sweep(
            read_game(game), read_ranges(ranges), params=read_params(params), solver=solver,
            agents=read_agents(agent), simulations=simulations, seed=seed, jobs=jobs, advance=advance,
        )  # fmt: skip
    if found.partial:
        raise KeyboardInterrupt
    _show(sweep_plot(found, score=score), out, dark, csv, as_json)


def convergence(
    game: GameName,
    params: Params = None,
    solver: Annotated[
        str | None,
        typer.Option(
            "--solver",
            metavar="SOLVER",
            help="mcts, flat_monte_carlo, value_iteration, cfr, cfr_plus, linear_cfr, …",
        ),
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="POSITION", help="From here: `name=value …`.")
    ] = None,
    moves: MovesFirst = None,
    simulations: Annotated[
        int | None, typer.Option("--simulations", metavar="N", min=10, help="The most; 10,000 if not given.")
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            "--iterations", metavar="N", min=1, help="1,000 of cfr, 100 of value_iteration if not given."
        ),
    ] = None,
    runs: Annotated[
        int | None, typer.Option("--runs", metavar="N", min=1, help="Searches of each size; 10 if not given.")
    ] = None,
    seed: Seeded = 1,
    out: Out = None,
    dark: Dark = False,
    csv: Csv = False,
    as_json: Json = False,
) -> None:
    """Draw how a solver comes nearer to the truth.

    Of simulations the value and the regret, beside the exact value; of value iteration plain sweeps from
    below and from above; where something is hidden, how far play by regret minimisation can be exploited.
    """
    from gdl.answers import position_of
    from gdl.plots.convergence import convergence as converging

    _check(out)
    described = _load(game, params)
    drawn = converging(
        described, solver, at=position_of(described, at, moves), simulations=simulations,
        iterations=iterations, runs=runs, seed=seed,
    )  # fmt: skip
    _show(drawn, out, dark, csv, as_json)


def shape(
    game: GameName,
    params: Params = None,
    plays: Annotated[
        int | None,
        typer.Option(
            "--plays", metavar="N", min=1, help="Random plays; 300 if not given, fewer of long games."
        ),
    ] = None,
    seed: Seeded = 1,
    out: Out = None,
    dark: Dark = False,
    csv: Csv = False,
    as_json: Json = False,
) -> None:
    """Draw the shape of a game: legal moves by depth, lengths and outcomes of plays, positions by depth."""
    from gdl.plots.shape import shape as shaped

    _check(out)
    _show(shaped(_load(game, params), plays=plays, seed=seed), out, dark, csv, as_json)


def match(
    game: GameName,
    params: Params = None,
    agent: Annotated[
        list[str] | None,
        typer.Option("--agent", "-a", metavar="[PLAYER=]AGENT", help="An agent that takes part. Repeat it."),
    ] = None,
    games: Annotated[
        int, typer.Option("--games", "-n", metavar="N", min=1, help="Games for each pair of agents.")
    ] = 100,
    seed: Seed = None,
    jobs: Jobs = None,
    longest: LongestPlay = None,
    out: Out = None,
    dark: Dark = False,
    csv: Csv = False,
    as_json: Json = False,
) -> None:
    """Let agents play and draw their scores with error bars, and Elo; `gdl match` gives the table."""
    from gdl.commands.match import read_wishes
    from gdl.crew.processes import cores
    from gdl.playing import tournament
    from gdl.plots.matches import match_plot

    _check(out)
    described = _load(game, params)
    everyone, players = read_wishes(described.players, agent or [])
    found = tournament.match(
        described, *everyone, games=games, seed=seed, longest=longest, jobs=jobs or cores(), players=players
    )
    if found.partial:
        raise KeyboardInterrupt
    _show(match_plot(found), out, dark, csv, as_json)


def game(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="Of `gdl run GAME --record FILE`.")],
    play: Annotated[
        int, typer.Option("--play", metavar="N", min=1, help="Which one of several in the file.")
    ] = 1,
    simulations: Annotated[
        int,
        typer.Option(
            "--simulations",
            metavar="N",
            min=10,
            help="In each position, where the game is too large to be solved.",
        ),
    ] = 3_000,
    seed: Seeded = 1,
    out: Out = None,
    dark: Dark = False,
    csv: Csv = False,
    as_json: Json = False,
) -> None:
    """Draw the chance to win over the moves of a recorded play."""
    from gdl.plots.recorded import recorded_plot

    _check(out)
    _show(recorded_plot(record, play=play, simulations=simulations, seed=seed), out, dark, csv, as_json)


def learning(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An evaluation of `gdl learn --save`.")],
    out: Out = None,
    dark: Dark = False,
    csv: Csv = False,
    as_json: Json = False,
) -> None:
    """Draw how an evaluation got stronger while it learned."""
    from gdl.plots.learned import learning_curve

    _check(out)
    _show(learning_curve(file), out, dark, csv, as_json)


KINDS = (policy, value, sweep, convergence, shape, match, game, learning)
"""In the order of `gdl plot --help`."""


def plot() -> None:
    """Draw best moves, values, parameters, convergence, the shape of a game, matches and plays."""


def _load(name: str, params: list[str] | None) -> Game[Any, Any]:
    from gdl.loading import fastest

    return fastest(load_checked(name, params))[0]


def _check(out: Path | None) -> None:
    from gdl.draw.plots.files import check_target

    if out is not None:
        check_target(out)


def _show(drawn: Plot, out: Path | None, dark: bool, csv: bool, as_json: bool) -> None:
    if out is not None:
        drawn.save(out, dark=dark)
    if as_json:
        print_json(drawn.as_data())
    elif csv:
        typer.echo(drawn.csv(), nl=False)
    elif out is None:
        typer.echo(drawn.text())
    else:
        typer.echo(f"{out} written")
