"""`gdl match`: lets agents play against each other and says who is better, and how sure that is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.commands.arguments import (
    Engine,
    EngineName,
    GameName,
    Json,
    LongestPlay,
    Params,
    console,
    load_checked,
    print_json,
    print_styled,
    read_game,
    read_params,
)
from gdl.commands.solutions import parameters, parameters_shown
from gdl.diagnostics.wording.phrases import counted

if TYPE_CHECKING:
    from gdl.game import Game
    from gdl.playing.matches import Pairing, Round, Score, Sprt


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
        int, typer.Option("--games", "-n", metavar="N", min=1, help="Games for each pair of agents, at most.")
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
    longest: LongestPlay = None,
    engine: EngineName = Engine.NATIVE,
    as_json: Json = False,
) -> None:
    """Let agents play against each other.

    Everyone meets everyone, with the seats swapped and the same chance and opening in both games. Shows wins,
    draws and losses, the score with its 95 % interval, the difference in Elo, and what a game paid the agent
    on average, which says something else where stakes differ. With agents for named players
    (`-a pacman=minimax -a ghost=random`) every combination plays, and the table shows what it pays.
    """
    from gdl.loading import game_of
    from gdl.playing.matches import Setting, cores
    from gdl.playing.results import fresh_seed

    model = load_checked(game, params)
    described = game_of(model, engine.value)
    entry = _Entry(described, agent or [])
    entry.check(described)
    setting = Setting(
        source=read_game(game) if game != "-" else model.source,
        params=read_params(params),
        engine=engine.value,
        agents=tuple(entry.agents),
        seed=fresh_seed() if seed is None else seed,
        opening=opening,
        longest=longest,
    )
    test = _read_sprt(sprt, entry)
    rounds = -(-games // len(entry.pairings[0].seatings))
    tournament = _Tournament(described, setting, entry, test, rounds, jobs or cores())
    tournament.play(quiet=as_json)
    if as_json:
        print_json(tournament.as_data())
    elif tournament.games or not tournament.partial:
        tournament.show()
    if tournament.partial:
        raise KeyboardInterrupt


class _Entry:
    """Who takes part: agents for all seats, or agents for named players."""

    def __init__(self, game: Game[Any, Any], wishes: Sequence[str]):
        from gdl.diagnostics import GameError
        from gdl.diagnostics.commands import no_such_player
        from gdl.playing.matches import by_seat, round_robin

        self.agents: list[str] = []
        per_player: dict[str, list[int]] = {}
        everyone: list[int] = []
        for wish in wishes:
            before, equals, after = wish.partition("=")
            player = before.strip() if equals and before.strip().isidentifier() else None
            if player is not None and player not in game.players:
                raise GameError([no_such_player(player, game.players)])
            (everyone if player is None else per_player.setdefault(player, [])).append(len(self.agents))
            self.agents.append((after if player else wish).strip())
        self.by_seat = bool(per_player)
        if self.by_seat:
            missing = [name for name in game.players if not per_player.get(name, everyone)]
            if missing:
                raise typer.BadParameter(f"nobody plays for `{missing[0]}`", param_hint="--agent")
            self.pairings = by_seat([[*per_player.get(name, []), *everyone] for name in game.players])
        else:
            least = 1 if len(game.players) == 1 else 2
            if len(everyone) < least:
                raise typer.BadParameter(
                    f"a match needs {'an agent' if least == 1 else 'two agents'} at least",
                    param_hint="--agent",
                )
            self.pairings = round_robin(len(everyone), len(game.players))

    def check(self, game: Game[Any, Any]) -> None:
        """Makes every agent once, so that a wrong description is refused before anything is played."""
        from solvers.agents.kinds import agent

        for description in self.agents:
            agent(description, game)


def _read_sprt(text: str | None, entry: _Entry) -> Sprt | None:
    from gdl.playing.matches import Sprt

    if text is None:
        return None
    if entry.by_seat or len(entry.agents) != 2:
        raise typer.BadParameter("the test compares two agents", param_hint="--sprt")
    try:
        worse, better = (float(part) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"`{text}` is not of the form ELO0,ELO1", param_hint="--sprt") from None
    if worse >= better:
        raise typer.BadParameter("ELO0 is less than ELO1", param_hint="--sprt")
    return Sprt(worse, better)


class _Tournament:
    """Plays and counts."""

    def __init__(
        self, game: Game[Any, Any], setting: Any, entry: _Entry, test: Sprt | None, rounds: int, jobs: int
    ):
        self.game = game
        self.setting = setting
        self.entry = entry
        self.test = test
        self.rounds = rounds
        self.jobs = jobs
        self.played: list[list[Round]] = [[] for _ in entry.pairings]
        self.partial = False

    # -------------------------------------------------------------------------- playing

    def play(self, quiet: bool) -> None:
        """Plays all rounds; those that are played when an interrupt comes are kept, as `partial`."""
        from contextlib import closing

        from gdl.playing.matches import rounds

        pairings = self.entry.pairings
        total = self.rounds * len(pairings)
        jobs = min(self.jobs, total)
        try:
            with (
                _Progress(total, quiet) as advance,
                closing(rounds(self.setting, self.game, pairings, self.rounds, jobs, self._enough)) as played,
            ):
                for done in played:
                    self.played[done.pairing].append(done)
                    advance()
        except KeyboardInterrupt:
            self.partial = True

    @property
    def games(self) -> int:
        return sum(len(done.results) for played in self.played for done in played)

    def _enough(self, done: Round) -> bool:
        return self.test is not None and self.test.verdict(self._samples) is not None

    @property
    def _samples(self) -> list[float]:
        from gdl.playing.matches import points

        pairing = self.entry.pairings[0]
        return [points(pairing, done, pairing.entrants[0]) for done in self.played[0]]

    # -------------------------------------------------------------------------- results

    def show(self) -> None:
        stopped = ", stopped early" if self.partial else ""
        print_styled(
            (self.game.name, "bold"),
            (parameters_shown(self.game.model), ""),  # type: ignore[attr-defined]
            (f", {counted(self.games, 'game')}, seed {self.setting.seed}{stopped}", "dim"),
        )
        if self.entry.by_seat or len(self.game.players) == 1:
            self._show_payments()
        else:
            self._show_scores()

    def _show_payments(self) -> None:
        """What each combination of agents pays: wins of the first player, and the mean of every player."""
        from rich.table import Table

        table = Table(box=None, pad_edge=False)
        for name in self.game.players:
            table.add_column(name)
        table.add_column("games", justify="right")
        if len(self.game.players) > 1:
            table.add_column(f"{self.game.players[0]} won", justify="right")
        table.add_column(f"mean of {self.game.players[0]}", justify="right")
        for row in self._payments():
            won = f"{row['won']} ({row['won'] / row['games']:.0%})" if row["games"] else "-"
            cells = [*row["agents"], str(row["games"])]
            cells += [won] if len(self.game.players) > 1 else []
            table.add_row(*cells, row["shown"])
        console().print(table)

    def _payments(self) -> list[dict[str, Any]]:
        from gdl.playing.results import Estimate, Statistics

        rows = []
        for pairing, played in zip(self.entry.pairings, self.played, strict=True):
            results = [result for done in played for result in done.results]
            means = [
                Estimate.of_returns(results, seat, self.game.traits)
                for seat in range(len(self.game.players) if results else 0)
            ]
            tallies = Statistics.of(results, self.game.traits).tallies if results else ()
            rows.append(
                {
                    "agents": [self.entry.agents[who] for who in pairing.seatings[0]],
                    "games": len(results),
                    "won": tallies[0].wins if tallies else 0,
                    "means": [mean.as_data() for mean in means],
                    "shown": str(means[0]) if means else "-",
                }
            )
        return rows

    def _show_scores(self) -> None:
        from rich.table import Table

        table = Table(box=None, pad_edge=False)
        for heading in ("agent", "against", "won", "drawn", "lost", "score", "Elo", "mean payoff"):
            table.add_column(heading, justify="left" if heading in ("agent", "against") else "right")
        for pairing, found in self._scores():
            a, b = (self.entry.agents[who] for who in pairing.entrants)
            table.add_row(
                a,
                b,
                str(found.wins),
                str(found.draws),
                str(found.losses),
                found.share.percent,
                str(found.elo),
                str(found.payoff),
            )
        console().print(table)
        if len(self.entry.agents) > 2:
            order = sorted(zip(self._ratings(), self.entry.agents, strict=True), reverse=True)
            typer.echo("\nElo over all games, 0 on average:")
            for rating, agent in order:
                typer.echo(f"  {rating:+7.0f}   {agent}")
        if self.test is not None:
            typer.echo(f"\n{self._verdict()}")

    def _verdict(self) -> str:
        assert self.test is not None
        samples = self._samples
        verdict = self.test.verdict(samples)
        ratio = f"log-likelihood ratio {self.test.ratio(samples):.2f} of ±{self.test.bound:.2f}"
        if verdict is None:
            return f"SPRT: undecided between {self.test.worse:+g} and {self.test.better:+g} Elo ({ratio})"
        accepted = self.test.better if verdict == "better" else self.test.worse
        return f"SPRT: accepted {accepted:+g} Elo after {len(samples)} rounds ({ratio})"

    def _scores(self) -> list[tuple[Pairing, Score]]:
        from gdl.playing.matches import score

        return [
            (pairing, score(pairing, played, pairing.entrants[0], self.game.traits))
            for pairing, played in zip(self.entry.pairings, self.played, strict=True)
            if played
        ]

    def _ratings(self) -> list[float]:
        from gdl.playing.matches import ratings

        pairs = {(p.entrants[0], p.entrants[1]): found for p, found in self._scores()}
        return ratings(len(self.entry.agents), pairs)

    def as_data(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "game": self.game.name,
            "params": parameters(self.game.model),  # type: ignore[attr-defined]
            "agents": self.entry.agents,
            "seed": self.setting.seed,
            "opening": self.setting.opening,
            "partial": self.partial,
        }
        if self.entry.by_seat or len(self.game.players) == 1:
            rows = self._payments()
            return data | {"table": [{k: v for k, v in row.items() if k != "shown"} for row in rows]}
        data["pairs"] = [
            {
                "agents": [self.entry.agents[who] for who in pairing.entrants],
                "games": found.games,
                "won": found.wins,
                "drawn": found.draws,
                "lost": found.losses,
                "score": found.share.mean,
                **{name: part for name, part in found.share.as_data().items() if name != "mean"},
                "elo": found.elo._asdict(),
                "payoff": found.payoff.as_data(),
            }
            for pairing, found in self._scores()
        ]
        if len(self.entry.agents) > 2:
            data["elo"] = dict(zip(self.entry.agents, self._ratings(), strict=True))
        if self.test is not None:
            samples = self._samples
            data["sprt"] = {
                "elo": [self.test.worse, self.test.better],
                "ratio": self.test.ratio(samples),
                "bound": self.test.bound,
                "verdict": self.test.verdict(samples),
            }
        return data


class _Progress:
    """A bar on standard error where that is a terminal."""

    def __init__(self, total: int, quiet: bool):
        self.total = total
        self.bar: Any = None
        if not quiet and sys.stderr.isatty():
            from rich.progress import Progress

            self.bar = Progress(console=console(stderr=True), transient=True)

    def __enter__(self) -> Callable[[], None]:
        if self.bar is None:
            return lambda: None
        self.bar.start()
        task = self.bar.add_task("playing", total=self.total)
        return lambda: self.bar.advance(task)

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()
