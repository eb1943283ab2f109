"""`gdl run`: plays a game out, once for people to watch or many times to count."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.commands.arguments import (
    Engine,
    FastEngine,
    Json,
    LongestPlay,
    MovesFirst,
    Params,
    StartsAt,
    console,
    load_checked,
    number,
    play_by,
    print_facts,
    print_json,
    print_styled,
    read_params,
)
from gdl.diagnostics.wording.phrases import counted

if TYPE_CHECKING:
    from gdl.game import Game, Number
    from gdl.model.nodes import Model
    from gdl.playing.play import Play, Step
    from gdl.playing.records import Recording
    from gdl.playing.results import PlayResult, Statistics
    from gdl.playing.seats import Seat


def run(
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="A game file, the name of a game, or - for standard input."),
    ] = None,
    params: Params = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            "-a",
            metavar="[PLAYER=]AGENT",
            help="Who plays: a solver with its options, `random` or `human`. May be repeated.",
        ),
    ] = None,
    games: Annotated[
        int, typer.Option("--games", "-n", metavar="N", min=1, help="Play so many games and count.")
    ] = 1,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="Make chance and agents repeatable.")
    ] = None,
    at: StartsAt = None,
    moves: MovesFirst = None,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE", help="Write what happens to this file.")
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option("--replay", metavar="FILE", help="Play a recording again and verify every move."),
    ] = None,
    longest: LongestPlay = None,
    engine: FastEngine = None,
    as_json: Json = False,
) -> None:
    """Play a game out.

    Shows every position, every move and what chance does with its probability, and what the players get.
    Without --agent the best solver that applies plays for everyone. With --games it counts: mean utility
    with a 95 % confidence interval, wins, draws and losses, and how long the games were. A seed gives the
    same games whether they are watched, recorded or counted.
    """
    if replay is not None:
        _replay(game, params, replay, engine, as_json)
        return
    if game is None:
        raise typer.BadParameter("say which game to run", param_hint="GAME")
    from gdl.playing.seats import NoMoreInput, take_seats

    model = load_checked(game, params)
    described = play_by(model, engine)
    seats = take_seats(described, wishes(agent or []))
    if record is not None:
        _check_recordable(record)
    runner = _Runner(model, described, seats, seed, at, moves, longest)
    runner.record = record is not None
    try:
        if games == 1:
            runner.watch_one(quiet=as_json)
        else:
            runner.count(games, quiet=as_json)
    except NoMoreInput:
        sys.stderr.write("\nno more input: the play is left unfinished\n")
        raise typer.Exit(130) from None
    if record is not None:
        _save(runner.recording(), record)
    if as_json:
        print_json(runner.as_data())
    if runner.partial:
        raise KeyboardInterrupt


def wishes(agents: Sequence[str]) -> dict[str | None, str]:
    """`x=alphabeta` by player; `random` under None, for everyone without a wish of their own."""
    wanted: dict[str | None, str] = {}
    for wish in agents:
        before, equals, after = wish.partition("=")
        # `x=alphabeta` names a player, `alphabeta(depth=4)` does not.
        player = before.strip() if equals and before.strip().isidentifier() else None
        if player in wanted:
            whom = f"`{player}`" if player else "everyone"
            raise typer.BadParameter(f"{whom} is given two agents", param_hint="--agent")
        wanted[player] = (after if player else wish).strip()
    return wanted


class _Runner:
    """One or many plays from the same start, by the same agents, with seeds that follow from one."""

    def __init__(
        self,
        model: Model,
        game: Game[Any, Any],
        seats: list[Seat],
        seed: int | None,
        start: str | None,
        moves: str | None,
        longest: int | None,
    ):
        from gdl.playing.results import fresh_seed
        from solvers.core.rollout import longest_play

        self.model = model
        self.game = game
        self.seats = seats
        self.seed = fresh_seed() if seed is None else seed
        self.start = None if start is None else game.parse_position(start)
        self.moves = moves or ""
        self.longest = longest_play(game.traits) if longest is None else longest
        self.record = False
        self.watched = False  # one play, not many to be counted
        self.partial = False  # whether an interrupt came before all games were played
        self.recorded: list[Any] = []
        self.results: list[PlayResult] = []

    # ------------------------------------------------------------------------ playing

    def generators(self, number_: int) -> tuple[Random, list[Random]]:
        from gdl.playing.results import generators

        return generators(self.seed, self.game.players, number_)

    def play(self, number_: int, watch: Watching | None = None) -> None:
        """Makes a play move by move, to be shown or recorded."""
        from gdl.playing.play import Play
        from gdl.playing.records import record
        from gdl.playing.results import PlayResult, make_typed, play_out

        chance, own = self.generators(number_)
        play: Play[Any, Any] = Play(self.game, self.start, rng=chance)
        agents = [seat.sit_down(rng) for seat, rng in zip(self.seats, own, strict=True)]
        if watch is not None:
            watch.begin(play)
        step = None if watch is None else watch.step
        make_typed(play, self.moves, step)
        play_out(play, agents, step, self.longest)
        self.results.append(PlayResult.of(play))
        if self.record or watch is not None:
            self.recorded.append(record(play))
        if watch is not None:
            watch.end(play, self.results[-1])

    def watch_one(self, quiet: bool) -> None:
        from gdl.commands.patience import patience

        if not quiet:
            _introduce(self)
        self.watched = True
        watching = _Silent() if quiet else Watching(self.viewer)
        if self.people:
            self.play(1, watching)
            return
        with patience(lambda: f"thinking about move {watching.count + 1} …", always=False):
            self.play(1, watching)

    def count(self, games: int, quiet: bool) -> None:
        if not quiet:
            _introduce(self)
        from gdl.commands.patience import patience
        from gdl.playing.counting import Plays

        agents = [seat.agent for seat in self.seats if seat.agent is not None]
        plays = None
        if not self.record and not self.people:
            plays = Plays(self.game, agents, self.seed, self.longest, self.start, self.moves)
        played = _progress(games)
        try:
            with patience(
                lambda: f"{len(self.results):,} of {games:,} games played …", not sys.stderr.isatty()
            ):
                for number_ in played:
                    if plays is None:
                        self.play(number_)
                    else:
                        self.results.append(plays.result(number_))
        except KeyboardInterrupt:
            if not self.results:
                raise
            self.partial = True
        if not quiet:
            _show_statistics(self.game, self.statistics)

    @property
    def viewer(self) -> int | None:
        """The player through whose eyes the play is shown: a person playing where something is hidden."""
        return self.people[0] if self.people and self.game.traits.hidden else None

    @property
    def people(self) -> list[int]:
        return [player for player, seat in enumerate(self.seats) if seat.is_human]

    # ------------------------------------------------------------------------ results

    @property
    def statistics(self) -> Statistics:
        from gdl.playing.results import Statistics

        return Statistics.of(self.results, self.game.traits)

    def recording(self) -> Recording:
        from gdl.playing.records import Recording

        return Recording(
            game=self.model.name,
            file=self.model.source.name,
            params={name: str(value) for name, value in _params(self.model)},
            agents={seat.name: seat.description for seat in self.seats},
            seed=self.seed,
            plays=tuple(self.recorded),
        )

    def as_data(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "game": self.model.name,
            "params": dict(_params(self.model)),
            "agents": {seat.name: {"agent": seat.description, "reason": seat.reason} for seat in self.seats},
            "seed": self.seed,
        }
        if self.watched:
            return data | {"play": self.recorded[0].model_dump(mode="json")}
        statistics = _statistics_data(self.game, self.statistics)
        return data | {"partial": self.partial, "statistics": statistics}


def _params(model: Model) -> Iterator[tuple[str, str]]:
    from gdl.model.types import show_value

    return ((p.name, show_value(p.type, p.value)) for p in model.parameters)


# --------------------------------------------------------------------------- watching


class Watching:
    """Shows a play as it happens; with a viewer, only what that player sees."""

    def __init__(self, viewer: int | None):
        self.viewer = viewer
        self.count = 0
        self.odds: list[Number] = []  # of all that chance did so far

    def begin(self, play: Play[Any, Any]) -> None:
        from solvers.core.rounding import exact_twin

        if play.start.label and self.viewer is None:
            typer.echo(f"start: {self.chance(play.start, exact_twin(play.game), None)}")
        self.show(play)

    def step(self, play: Play[Any, Any], step: Step[Any, Any]) -> None:
        from solvers.core.rounding import exact_twin

        self.count += 1
        game: Any = play.game
        assert step.mover is not None
        who = "chance" if step.mover < 0 else game.players[step.mover]
        move = step.move
        if self.viewer is not None and hasattr(game, "observed_move"):
            move = game.observed_move(move, self.viewer, step.mover)
        probability = chance = ""
        before = play.before
        exact = exact_twin(game)
        if step.mover < 0:
            odds = dict(exact.chance(before))[step.move]
            self.odds.append(odds)
            probability = f"   ({number(odds)})"
        if step.label and self.viewer is None:
            chance = f"   {self.chance(step, exact, before)}"
        paid = _paid(game, step)
        print_styled(
            (f"{self.count:>3}. ", "dim"),
            (f"{who}: ", ""),
            (game.format_move(move), "bold"),
            (probability + chance, "cyan"),
            (f"   pays {paid}" if paid else "", "green"),
        )
        self.show(play)

    def show(self, play: Play[Any, Any]) -> None:
        game: Any = play.game
        picture = (
            game.show(play.position)
            if self.viewer is None
            else game.show_observation(play.position, self.viewer)
        )
        for line in picture.rstrip("\n").split("\n"):
            typer.echo(f"     {line}".rstrip())

    def chance(self, step: Step[Any, Any], exact: Any, before: Any) -> str:
        """What chance did, and how probable what is seen of it was: all ways to draw the same count.

        Where there are too many ways to list them, nothing is said about that. `before` is None at the start.
        """
        from gdl.diagnostics.faults import Fault
        from solvers.core.chance import too_many_ways
        from solvers.core.lines import Explains, one_of

        if too_many_ways(exact, before, step.move):
            return step.label
        try:
            if isinstance(exact, Explains):
                ways = (
                    exact.explain_initial() if before is None else exact.explain_outcomes(before, step.move)
                )
            else:
                ways = exact.initial() if before is None else exact.outcomes(before, step.move)
        except Fault as fault:
            if fault.code != "F007":
                raise
            return step.label
        same = [way for way in ways if (way.position, way.rewards) == (step.position, step.rewards)]
        labels = dict.fromkeys([step.label, *(label for way in same for label in getattr(way, "labels", ()))])
        odds = sum(way.probability for way in same)
        self.odds.append(odds)
        return f"{one_of(list(labels))} ({number(odds)})"

    def end(self, play: Play[Any, Any], result: PlayResult) -> None:
        from solvers.core.report import odds_together

        got = zip(play.game.players, result.returns, strict=True)
        typer.echo()
        if not result.finished:
            typer.echo(f"stopped after {counted(result.length, 'move')}; a play without end counts as")
        print_styled((", ".join(f"{player} gets {number(utility)}" for player, utility in got), "bold"))
        if self.viewer is None and (product := odds_together(self.odds)):
            typer.echo(f"chance does all of this with probability {product}")


class _Silent(Watching):
    """Shows nothing, but counts."""

    def __init__(self) -> None:
        super().__init__(None)

    def begin(self, play: Play[Any, Any]) -> None:
        pass

    def step(self, play: Play[Any, Any], step: Step[Any, Any]) -> None:
        self.count += 1

    def end(self, play: Play[Any, Any], result: PlayResult) -> None:
        pass


def _paid(game: Game[Any, Any], step: Step[Any, Any]) -> str:
    paid = zip(game.players, step.rewards, strict=True) if any(step.rewards) else ()
    return ", ".join(f"{player} {number(reward)}" for player, reward in paid if reward)


def _introduce(runner: _Runner) -> None:
    params = ", ".join(f"{name}={value}" for name, value in _params(runner.model))
    print_styled(
        (runner.model.name, "bold"), (f", {params}" if params else "", ""), (f", seed {runner.seed}", "dim")
    )
    print_facts(
        [
            (seat.name, seat.description + (f"   ({seat.reason})" if seat.reason else ""))
            for seat in runner.seats
        ]
    )
    typer.echo()


# ----------------------------------------------------------------------------- counting


def _progress(games: int) -> Iterator[int]:
    """1..games, with a bar on standard error where that is a terminal."""
    if not sys.stderr.isatty():
        yield from range(1, games + 1)
        return
    from rich.progress import track

    yield from track(range(1, games + 1), "playing", console=console(stderr=True), transient=True)


def _show_statistics(game: Game[Any, Any], found: Statistics) -> None:
    rows = []
    for player, name in enumerate(game.players):
        text = f"mean utility {found.returns[player]}"
        if found.returns[player].error is None:
            text += f" (no interval: {_no_interval(found)})"
        if found.tallies:
            tally = found.tallies[player]
            text += f"   {tally.wins:,} won, {tally.draws:,} drawn, {tally.losses:,} lost"
        rows.append((name, text))
    length = f"{found.length} moves, from {found.shortest:,} to {found.longest:,}"
    if found.shortest == found.longest:
        length = f"{counted(found.longest, 'move')} each"
    rows.append(("length", length + (f"; {found.unfinished:,} stopped" if found.unfinished else "")))
    print_facts(rows, f"{counted(found.games, 'game')} (± or .. gives a 95 % confidence interval)")


def _no_interval(found: Statistics) -> str:
    """Why the mean of payments comes without one."""
    if found.games == 1:
        return "one game"
    unbounded = "no bounds of payments are known"
    return f"{unbounded}, and games were stopped" if found.unfinished else f"{unbounded}, and all were equal"


def _statistics_data(game: Game[Any, Any], found: Statistics) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "games": found.games,
        "unfinished": found.unfinished,
        "players": {
            name: {
                **found.returns[player].as_data(),
                **(asdict(found.tallies[player]) if found.tallies else {}),
            }
            for player, name in enumerate(game.players)
        },
        "length": {
            **found.length.as_data(),
            "shortest": found.shortest,
            "longest": found.longest,
        },
    }


# ---------------------------------------------------------------------------- recordings


def _check_recordable(path: Path) -> None:
    """Raises GameError before anything is played if the recording cannot be written afterwards."""
    from gdl.diagnostics import GameError
    from gdl.diagnostics.commands import cannot_write
    from gdl.paths import why_unwritable

    if reason := why_unwritable(path):
        raise GameError([cannot_write(str(path), reason)])


def _save(recording: Recording, path: Path) -> None:
    from gdl.diagnostics import GameError
    from gdl.diagnostics.commands import cannot_write

    try:
        recording.save(path)
    except OSError as error:
        raise GameError([cannot_write(str(path), error.strerror or str(error))]) from None


def _replay(
    game: str | None, params: list[str] | None, path: Path, engine: Engine | None, as_json: bool
) -> None:
    from gdl.commands.arguments import read_game
    from gdl.loading import load_model
    from gdl.playing.records import load_recording, verify

    recording = load_recording(path)
    model = load_model(read_game(game or recording.file), recording.params | read_params(params))
    verify(play_by(model, engine), recording, str(path))
    moves = sum(len(play.moves) for play in recording.plays)
    if as_json:
        print_json(
            {"game": model.name, "file": str(path), "plays": len(recording.plays), "moves": moves, "ok": True}
        )
    else:
        plays = len(recording.plays)
        typer.echo(f"{path}: {counted(plays, 'play')}, {counted(moves, 'move')}, all as recorded")
