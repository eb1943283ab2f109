"""Matches as diagrams: scores with error bars, ratings, and what is paid."""

from __future__ import annotations

from typing import Any

from gdl.answers import params_of
from gdl.diagnostics import GameError
from gdl.diagnostics.drawing import nothing_to_plot
from gdl.draw.plots.plot import Chart, Panel, Series
from gdl.playing.tournament import Match


def match_plot(match: Match) -> Chart:
    """Scores of all pairs with their 95 % intervals, and Elo; what each combination is paid where agents play
    for named players, or alone."""
    if not match.games:
        raise GameError([nothing_to_plot("no game was finished", "Play some: --games N.")])
    settings = "".join(f", {name}={value}" for name, value in params_of(match.game))
    agents = list(dict.fromkeys(match.agents))
    between = " – ".join(agents) if len(agents) == 2 else f"a match of {len(agents)} agents"
    title = f"{match.game.name}{settings}: {between}"
    notes = (f"{match.games:,} games, seed {match.setting.seed}; 95 % intervals",)
    return Chart(title, _payments(match) if match.by_payment else _scores(match), notes)


def _scores(match: Match) -> tuple[Panel, ...]:
    found = match.scores()
    names = tuple(
        f"{match.agents[pairing.entrants[0]]} – {match.agents[pairing.entrants[1]]}\n"
        f"+{score.wins} ={score.draws} -{score.losses}"
        for pairing, score in found
    )
    shares = [score.share for _, score in found]
    points = Series(
        "", names, tuple(s.mean for s in shares), tuple(s.low for s in shares), tuple(s.high for s in shares),
        "bars",
    )  # fmt: skip
    even = Series("even", (names[0], names[-1]), (0.5, 0.5), look="level")
    panels = [
        Panel("score of the first agent", "", "share of points", (points, even), between=(0.0, 1.05)),
    ]
    if len(found) == 1:
        panels.append(_tally(found[0][1]))
    if len(match.agents) > 2:
        ratings = match.ratings()
        order = sorted(range(len(ratings)), key=lambda k: -ratings[k])
        errors = match.rating_errors()
        rated = Series(
            "", tuple(match.agents[k] for k in order), tuple(ratings[k] for k in order),
            tuple(ratings[k] - errors[k] for k in order), tuple(ratings[k] + errors[k] for k in order),
            "bars",
        )  # fmt: skip
        panels.append(Panel("Elo, 0 on average", "", "Elo", (rated,)))
    else:
        elo = [score.elo for _, score in found]
        known = Series(
            "",
            names,
            tuple(e.elo for e in elo),
            tuple(e.low for e in elo),
            tuple(e.high for e in elo),
            "bars",
        )
        if elo[0].elo is not None:
            panels.append(Panel("difference in Elo", "", "Elo", (known,)))
    return tuple(panels)


def _tally(score: Any) -> Panel:
    counts = (float(score.wins), float(score.draws), float(score.losses))
    series = Series("", ("won", "drawn", "lost"), counts, look="bars")
    return Panel("games of the first agent", "", "games", (series,))


def _payments(match: Match) -> tuple[Panel, ...]:
    rows = match.payments()
    names = tuple(" – ".join(row["agents"]) for row in rows)
    panels = []
    for seat, player in enumerate(match.game.players):
        means = [row["means"][seat] for row in rows]
        series = Series(
            "", names, tuple(m.mean for m in means), tuple(m.low for m in means),
            tuple(m.high for m in means), "bars",
        )  # fmt: skip
        panels.append(Panel(f"what {player} is paid", "", "mean", (series,)))
        if match.game.traits.zero_sum and len(match.game.players) == 2:
            break
    return tuple(panels)
