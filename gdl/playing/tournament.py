"""Matches between agents, played and counted: what `gdl match` does, for Python and for the command.

Who is better is told by rounds in which seats are swapped and chance is the same (`matches.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gdl.asking import asked
from gdl.crew.places import chosen, opened
from gdl.diagnostics import GameError, html
from gdl.diagnostics.commands import no_such_player
from gdl.diagnostics.facts import plain, table_lines
from gdl.diagnostics.render import Styled
from gdl.diagnostics.wording.phrases import counted
from gdl.game import Game
from gdl.playing.matches import (
    Pairing,
    Round,
    Score,
    Setting,
    Sprt,
    by_seat,
    points,
    rating_errors,
    ratings,
    round_robin,
    rounds,
    score,
)
from gdl.playing.results import Estimate, Statistics, fresh_seed
from solvers.agents.agent import Agent
from solvers.agents.kinds import agent, no_agent
from solvers.agents.seated import Seated
from solvers.core.frames import frame
from solvers.core.refusal import bad_option
from solvers.registering import known_elsewhere

if TYPE_CHECKING:
    from gdl.diagnostics import Source

Entrant = str | Agent | Seated


@asked
def match(
    game: Game[Any, Any],
    *agents: Entrant,
    games: int = 100,
    seed: int | None = None,
    opening: int = 0,
    sprt: tuple[float, float] | None = None,
    longest: int | None = None,
    jobs: int | None = None,
    on: str | Executor | None = None,
    advance: Callable[[int], None] | None = None,
    players: Mapping[str, Entrant | Sequence[Entrant]] | None = None,
    **named: Entrant | Sequence[Entrant],
) -> Match:
    """Lets agents play against each other and counts: `gdl.match(game, "mcts", "random", games=100, seed=1)`.

    Everyone meets everyone, with the seats swapped and the same chance and opening in both games. With agents
    for named players (`pacman="minimax", ghost=["random", "greedy"]`, or in a mapping `players`) every
    combination plays.

    games      of each pair of agents, at most
    opening    begin with so many random moves
    sprt       (elo0, elo1): stop once the first of two agents is known to be that much better, or not
    longest    stop a play after so many moves
    jobs       processes, 1 unless given; a script that uses several needs `if __name__ == "__main__":`
    on         where games are played, in place of jobs: "dask://host:8786", "ray", "mpi" (docs/scale.md), or
               an executor of `concurrent.futures`
    advance    called with the number of rounds in all, whenever one is over

    Interrupted by Ctrl-C the answer is `partial`.

    >>> import gdl
    >>> found = gdl.match(gdl.load("tictactoe"), "alphabeta", "random", games=20, seed=1)
    >>> found.scores()[0][1].losses
    0
    """
    if games < 1:
        raise bad_option(f"a match of {games} games says nothing", "Let `games` be 1 or more.")
    if sprt is not None and not (len(sprt) == 2 and all(isinstance(one, int | float) for one in sprt)):
        raise bad_option(f"`sprt` of gdl.match cannot be {sprt!r}", "It is two numbers: (elo0, elo1).")
    entry = _entry(game, agents, {**(players or {}), **named})
    if sprt is not None and (entry.named or len(entry.agents) != 2):
        raise bad_option("the test compares two agents")
    source, params = _origin(game)
    setting = Setting(
        source=source,
        params=params,
        engine="reference" if getattr(game, "compiled", None) is None else "native",
        agents=entry.agents,
        seed=fresh_seed() if seed is None else seed,
        opening=opening,
        longest=longest,
    )
    found = Match(game, setting, entry.pairings, entry.named, None if sprt is None else Sprt(*sprt))
    found.play(-(-games // len(entry.pairings[0].seatings)), _place(setting, jobs, on), advance)
    return found


def _place(setting: Setting, jobs: int | None, on: str | Executor | None) -> str | Executor:
    """Where a match is played. What nobody else can have stays here."""
    texts = all(isinstance(one, str) for one in setting.agents)
    if setting.source is not None and texts and known_elsewhere():
        return chosen(on, jobs, 1)
    if on is not None:
        raise bad_option(
            "games and agents that are objects of this program, and what it registered, are played with here",
            "Leave `on` out; or describe the game in a file, name agents by texts, and offer your own by "
            "entry points of a package.",
        )
    return chosen(None, None, 1)


_Table = tuple[Sequence[str], Sequence[Sequence[str]], Sequence[str]]
"""Headings, rows, and the headings of numbers."""


@dataclass
class Match:
    """The games of a match, and what they say. `print` shows what `gdl match` shows."""

    game: Game[Any, Any]
    setting: Setting
    pairings: list[Pairing]
    named: bool  # agents are for named players
    test: Sprt | None = None
    partial: bool = False
    played: list[list[Round]] = field(init=False)

    def __post_init__(self) -> None:
        self.played = [[] for _ in self.pairings]

    @property
    def agents(self) -> list[str]:
        return [str(one) for one in self.setting.agents]

    @property
    def games(self) -> int:
        """How many were played."""
        return sum(len(done.results) for played in self.played for done in played)

    @property
    def unfinished(self) -> int:
        """How many were stopped before their end, as plays that may go on for ever are."""
        each = (result for played in self.played for done in played for result in done.results)
        return sum(not result.finished for result in each)

    def play(self, count: int, on: str | Executor, advance: Callable[[int], None] | None) -> None:
        """Plays so many rounds of each pairing, or as many as the test needs."""
        total = count * len(self.pairings)
        try:
            with (
                opened(on, most=total) as engine,
                closing(rounds(self.setting, self.game, self.pairings, count, engine)) as played,
            ):
                for done in played:
                    self.played[done.pairing].append(done)
                    if advance is not None:
                        advance(total)
                    if self._decided():
                        break
        except KeyboardInterrupt:
            self.partial = True

    def _decided(self) -> bool:
        return self.test is not None and self.test.verdict(self._samples) is not None

    @property
    def _samples(self) -> list[float]:
        pairing = self.pairings[0]
        return [points(pairing, done, pairing.entrants[0]) for done in self.played[0]]

    # -------------------------------------------------------------------------- results

    @property
    def by_payment(self) -> bool:
        """Whether nobody plays against another agent for the same seat: what each is paid is all there is."""
        return self.named or len(self.game.players) == 1

    def scores(self) -> list[tuple[Pairing, Score]]:
        """How the first agent of each pairing did against the second."""
        return [
            (pairing, score(pairing, played, pairing.entrants[0], self.game.traits))
            for pairing, played in zip(self.pairings, self.played, strict=True)
            if played
        ]

    def ratings(self) -> list[float]:
        """Elo of every agent over all games, 0 on average."""
        pairs = {(p.entrants[0], p.entrants[1]): found for p, found in self.scores()}
        return ratings(len(self.agents), pairs)

    def rating_errors(self) -> list[float]:
        """Half of the 95 % interval of every rating."""
        pairs = {(p.entrants[0], p.entrants[1]): found for p, found in self.scores()}
        return rating_errors(self.ratings(), pairs)

    def payments(self) -> list[dict[str, Any]]:
        """What each combination of agents pays: wins of the first player, and the mean of every player."""
        rows = []
        for pairing, played in zip(self.pairings, self.played, strict=True):
            results = [result for done in played for result in done.results]
            means = [
                Estimate.of_returns(results, seat, self.game.traits)
                for seat in range(len(self.game.players) if results else 0)
            ]
            tallies = Statistics.of(results, self.game.traits).tallies if results else ()
            rows.append(
                {
                    "agents": [self.agents[who] for who in pairing.seatings[0]],
                    "games": len(results),
                    "won": tallies[0].wins if tallies else 0,
                    "means": means,
                }
            )
        return rows

    def as_data(self) -> dict[str, Any]:
        """Plain data for `--json`."""
        data: dict[str, Any] = {
            "game": self.game.name,
            "params": _origin(self.game)[1],
            "agents": self.agents,
            "seed": self.setting.seed,
            "opening": self.setting.opening,
            "partial": self.partial,
            "unfinished": self.unfinished,
        }
        if self.by_payment:
            rows = self.payments()
            return data | {
                "table": [row | {"means": [mean.as_data() for mean in row["means"]]} for row in rows]
            }
        data["pairs"] = [
            {
                "agents": [self.agents[who] for who in pairing.entrants],
                "games": found.games,
                "won": found.wins,
                "drawn": found.draws,
                "lost": found.losses,
                "score": found.share.mean,
                **{name: part for name, part in found.share.as_data().items() if name != "mean"},
                "elo": found.elo._asdict(),
                "payoff": found.payoff.as_data(),
            }
            for pairing, found in self.scores()
        ]
        if len(self.agents) > 2:
            data["elo"] = dict(zip(self.agents, self.ratings(), strict=True))
        if self.test is not None:
            samples = self._samples
            data["sprt"] = {
                "elo": [self.test.worse, self.test.better],
                "ratio": self.test.ratio(samples),
                "bound": self.test.bound,
                "verdict": self.test.verdict(samples),
            }
        return data

    def to_frame(self) -> Any:
        """A row for each pairing: a DataFrame of pandas or polars, or else a list of dicts."""
        if self.by_payment:
            return frame(
                dict(zip(self.game.players, row["agents"], strict=True))
                | {"games": row["games"], "won": row["won"]}
                | {
                    f"mean of {name}": mean.mean
                    for name, mean in zip(self.game.players, row["means"], strict=False)
                }
                for row in self.payments()
            )
        return frame(
            {
                "agent": self.agents[pairing.entrants[0]],
                "against": self.agents[pairing.entrants[1]],
                "games": found.games,
                "won": found.wins,
                "drawn": found.draws,
                "lost": found.losses,
                "score": found.share.mean,
                "low": found.share.low,
                "high": found.share.high,
                "elo": found.elo.elo,
                "payoff": found.payoff.mean,
            }
            for pairing, found in self.scores()
        )

    # -------------------------------------------------------------------------- in words

    def __str__(self) -> str:
        return plain(self.report())

    _repr_pretty_ = html.printed

    def _repr_html_(self) -> str:
        headings, rows, numbers = self._payment_table() if self.by_payment else self._score_table()
        parts = [html.table(headings, rows, numbers)]
        if not self.by_payment and len(self.agents) > 2:
            rated = zip(self.ratings(), self.rating_errors(), self.agents, strict=True)
            elo = [
                [one, f"{rating:+.0f} ± {error:.0f}"] for rating, error, one in sorted(rated, reverse=True)
            ]
            parts.append(html.table(["agent", "Elo over all games, 0 on average"], elo))
        if self.test is not None:
            parts.append(html.words(self._verdict(self.test)))
        return html.card(self.game.name, *parts, beside=self._facts())

    def _facts(self) -> str:
        facts = [counted(self.games, "game"), f"seed {self.setting.seed}"]
        facts += ["stopped early"] if self.partial else []
        facts += [f"{self.unfinished:,} of them stopped before the end"] if self.unfinished else []
        return ", ".join(facts)

    def report(self) -> Iterator[Styled]:
        """All that is to be said, line by line."""
        params = "".join(f", {name}={value}" for name, value in _origin(self.game)[1].items())
        yield [(self.game.name, "bold"), (params, ""), (f", {self._facts()}", "dim")]
        yield from self._payment_lines() if self.by_payment else self._score_lines()

    def _payment_lines(self) -> Iterator[Styled]:
        yield from table_lines(*self._payment_table())

    def _payment_table(self) -> _Table:
        players = self.game.players
        won = [f"{players[0]} won"] if len(players) > 1 else []
        numbers = ["games", *won, f"mean of {players[0]}"]
        rows = []
        for row in self.payments():
            cells = [*row["agents"], str(row["games"])]
            if won:
                cells.append(f"{row['won']} ({row['won'] / row['games']:.0%})" if row["games"] else "-")
            rows.append([*cells, str(row["means"][0]) if row["means"] else "-"])
        return [*players, *numbers], rows, numbers

    def _score_table(self) -> _Table:
        headings = ("agent", "against", "won", "drawn", "lost", "score", "Elo", "mean payoff")
        rows = [
            (
                *(self.agents[who] for who in pairing.entrants),
                str(found.wins),
                str(found.draws),
                str(found.losses),
                found.share.percent,
                str(found.elo),
                str(found.payoff),
            )
            for pairing, found in self.scores()
        ]
        return headings, rows, headings[2:]

    def _score_lines(self) -> Iterator[Styled]:
        yield from table_lines(*self._score_table())
        if len(self.agents) > 2:
            yield []
            yield [("Elo over all games, 0 on average:", "")]
            for rating, one in sorted(zip(self.ratings(), self.agents, strict=True), reverse=True):
                yield [(f"  {rating:+7.0f}   {one}", "")]
        if self.test is not None:
            yield []
            yield [(self._verdict(self.test), "")]

    def _verdict(self, test: Sprt) -> str:
        samples = self._samples
        verdict = test.verdict(samples)
        ratio = f"log-likelihood ratio {test.ratio(samples):.2f} of ±{test.bound:.2f}"
        if verdict is None:
            return f"SPRT: undecided between {test.worse:+g} and {test.better:+g} Elo ({ratio})"
        accepted = test.better if verdict == "better" else test.worse
        return f"SPRT: accepted {accepted:+g} Elo after {len(samples)} rounds ({ratio})"


# ------------------------------------------------------------------------ who takes part


@dataclass(frozen=True, slots=True)
class _Entry:
    """Agents for all seats, or for named players."""

    agents: tuple[str | Agent, ...]
    pairings: list[Pairing]
    named: bool


def _entry(
    game: Game[Any, Any],
    everyone: Sequence[Entrant],
    players: Mapping[str, Entrant | Sequence[Entrant]],
) -> _Entry:
    """Who meets whom. Every agent is made once, so that a wrong description is refused before any play."""
    agents: list[str | Agent] = []

    def enter(one: Entrant) -> int:
        agents.append(one.agent if isinstance(one, Seated) else one)
        if isinstance(one, str):
            agent(one, game)
        elif not isinstance(one, Agent | Seated):
            raise no_agent(one)
        return len(agents) - 1

    own: dict[str, list[int]] = {}
    for name, wanted in players.items():
        if name not in game.players:
            raise GameError([no_such_player(name, game.players)])
        several = wanted if isinstance(wanted, Sequence) and not isinstance(wanted, str) else [wanted]
        own[name] = [enter(one) for one in several]
    every = [enter(one) for one in everyone]
    if own:
        missing = [name for name in game.players if not own.get(name, every)]
        if missing:
            raise bad_option(f"nobody plays for `{missing[0]}`")
        return _Entry(tuple(agents), by_seat([[*own.get(name, []), *every] for name in game.players]), True)
    least = 1 if len(game.players) == 1 else 2
    if len(every) < least:
        raise bad_option(f"a match needs {'an agent' if least == 1 else 'two agents'} at least")
    return _Entry(tuple(agents), round_robin(len(every), len(game.players)), False)


def _origin(game: Game[Any, Any]) -> tuple[Source | None, dict[str, str]]:
    """The text of a described game and its parameters, from which other processes can make it again."""
    from gdl.model.parameters import parameters

    model = getattr(game, "model", None)
    return (None, {}) if model is None else (model.source, parameters(model))
