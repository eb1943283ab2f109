"""Tournaments: who meets whom, what scores mean, when the sequential test stops, and the command itself."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from math import log
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gdl
from gdl.game import Traits
from gdl.playing.matches import (
    Difference,
    Pairing,
    Round,
    Score,
    Sprt,
    by_seat,
    elo,
    expected,
    points,
    ratings,
    round_robin,
    score,
)
from gdl.playing.results import Estimate, PlayResult, generators, play_out
from solvers.agents import kinds
from solvers.agents.seated import Seated

ROOT = Path(__file__).parent.parent.parent


def test_everyone_meets_everyone_with_seats_swapped() -> None:
    pairings = round_robin(3, 2)
    assert [pairing.entrants for pairing in pairings] == [(0, 1), (0, 2), (1, 2)]
    assert pairings[0].seatings == ((0, 1), (1, 0))
    assert round_robin(2, 3)[0].seatings == ((0, 1, 0), (1, 0, 1))
    assert [pairing.seatings for pairing in round_robin(2, 1)] == [((0,),), ((1,),)]
    assert [pairing.seatings[0] for pairing in by_seat([[0, 1], [2]])] == [(0, 2), (1, 2)]


def test_elo_is_the_logistic_scale() -> None:
    """A. Elo, The Rating of Chessplayers, 1978: 400 points are odds of ten to one."""
    assert expected(400) == pytest.approx(10 / 11)
    assert str(elo(0.5)) == "0.0"  # not -0.0, which JSON would show
    assert elo(10 / 11) == pytest.approx(400)


TRAITS = Traits(2, True, *(False,) * 5, utility_bounds=((Fraction(-1), Fraction(1)),) * 2)


def finished(first: float) -> PlayResult:
    return PlayResult((first, -first), 10, True)


def test_scores_count_rounds_as_units() -> None:
    (pairing,) = round_robin(2, 2)
    won_as_both = Round(0, 0, (finished(1), finished(-1)))
    even = Round(0, 1, (finished(1), finished(1)))
    drawn = Round(0, 2, (finished(0), finished(0)))
    assert [points(pairing, done, 0) for done in (won_as_both, even, drawn)] == [1.0, 0.5, 0.5]
    found = score(pairing, [won_as_both, even, drawn], 0, TRAITS)
    assert (found.wins, found.draws, found.losses) == (3, 2, 1)
    assert found.share.mean == pytest.approx(2 / 3)


def test_winning_every_round_is_not_certainty() -> None:
    """Wilson's interval of 5 of 5, with t(0.975, 4) = 2.776, begins at 5 / (5 + 2.776^2)."""
    (pairing,) = round_robin(2, 2)
    found = score(pairing, [Round(0, i, (finished(1), finished(-1))) for i in range(5)], 0, TRAITS)
    least = 5 / (5 + 2.776445**2)
    assert found.share.mean == 1 and found.share.high == 1
    assert found.share.low == pytest.approx(least, abs=1e-3)
    assert found.elo.elo is None and found.elo.high is None
    assert found.elo.low == pytest.approx(elo(least), abs=2)
    even = score(pairing, [Round(0, i, (finished(1), finished(1))) for i in range(2)], 0, TRAITS)
    assert even.share.mean == 0.5 and even.share.error is not None and even.share.error > 0.3


def test_stakes_count_beside_the_score() -> None:
    """It loses four games of five by 1 and wins the fifth by 100: no score, but the better payoff."""
    (pairing,) = round_robin(2, 2)
    games = [finished(-1)] * 4 + [finished(100)]
    played = [Round(0, i, (game, finished(-game.returns[0]))) for i, game in enumerate(games)]
    wide = replace(TRAITS, utility_bounds=((Fraction(-100), Fraction(100)),) * 2)
    found = score(pairing, played, 0, wide)
    assert found.share.mean == pytest.approx(0.2)
    assert found.payoff.mean == pytest.approx((100 - 4) / 5)


def test_three_seats_are_scored_fairly() -> None:
    pairing = Pairing((0, 1), ((0, 1, 0), (1, 0, 1)))
    fair = Round(0, 0, (PlayResult((1, 0, 0), 5, True), PlayResult((1, 0, 0), 5, True)))
    assert points(pairing, fair, 0) + points(pairing, fair, 1) == pytest.approx(1.0)


def test_ratings_follow_from_all_games() -> None:
    even = Score(100, 50, 0, 50, Estimate(0.5), Estimate(0))
    strong = Score(100, 90, 0, 10, Estimate(0.9), Estimate(0.8))
    found = ratings(3, {(0, 1): even, (0, 2): strong, (1, 2): strong})
    assert found[0] == pytest.approx(found[1], abs=1)
    assert found[0] - found[2] == pytest.approx(elo(90.5 / 101), abs=1)
    assert sum(found) == pytest.approx(0, abs=1e-6)


def test_the_sequential_test_decides_for_what_is_true() -> None:
    """Wald 1945: with errors of 5 % the bounds are ±ln 19, and most tests accept the truth."""
    test = Sprt(0, 100)
    assert test.bound == pytest.approx(log(19))
    right = 0
    for seed in range(200):
        rng = Random(seed)
        truth = expected(100) if seed % 2 else 0.5
        samples: list[float] = []
        while (verdict := test.verdict(samples)) is None:
            samples.append((float(rng.random() < truth) + float(rng.random() < truth)) / 2)
        right += verdict == ("better" if seed % 2 else "worse")
    assert right >= 180  # 190 are expected; less than 180 would be three standard deviations below


def match(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-c", "from gdl.cli import main; main()", "match", *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    data: dict[str, Any] = json.loads(done.stdout)
    return data


def test_the_same_seed_gives_the_same_games_on_any_number_of_processes() -> None:
    arguments = ["tictactoe", "-a", "random", "-a", "alphabeta(depth=2)", "-n", "8", "--seed", "4"]
    alone, together = match(*arguments, "-j", "1"), match(*arguments, "-j", "2")
    assert alone == together
    (pair,) = alone["pairs"]
    assert pair["won"] + pair["drawn"] + pair["lost"] == pair["games"] == 8


@pytest.mark.parametrize("agent", ["random", "mcts(simulations=5)"])
def test_a_match_by_seats_plays_what_a_run_of_the_same_seed_plays(agent: str) -> None:
    game = gdl.load("tictactoe")
    found = gdl.match(game, x=agent, o=agent, games=6, seed=4, jobs=1)
    plays = []
    for number in range(1, 7):
        chance, own = generators(4, game.players, number)
        play: gdl.Play[Any, Any] = gdl.Play(game, rng=chance)
        play_out(play, [Seated(kinds.agent(agent, game), rng) for rng in own])
        plays.append(play.returns)
    assert [done.results[0].returns for done in found.played[0]] == plays


def test_a_match_says_how_many_plays_were_stopped() -> None:
    """Worth 100,000 by 1 / (1 - 99999/100000); no play is followed that far."""
    game = gdl.loads(
        "game cut\nplayers: a\nposition:\n    x: 0..2 = 0\nmove spin:\n    x = 1 - x\n    reward 1\n"
        "terminal: x == 2\nutility: 0\ndiscount: 99999/100000\n"
    )
    found = gdl.match(game, "random", games=2, seed=1, jobs=1)
    assert found.as_data()["unfinished"] == 2
    assert "2 of them stopped before the end" in str(found)


def test_agents_of_players_make_a_table() -> None:
    found = match(
        "tictactoe", "-a", "x=random", "-a", "x=alphabeta(depth=3)", "-a", "o=random", "-n", "4", "-j", "1"
    )
    assert [row["agents"] for row in found["table"]] == [
        ["random", "random"],
        ["alphabeta(depth=3)", "random"],
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tictactoe", "-a", "random"], "two agents"),
        (["tictactoe", "-a", "random", "-a", "alphabetta"], "did you mean"),
        (["tictactoe", "-a", "random", "-a", "alphabeta(depht=2)"], "depth"),
        (["tictactoe", "-a", "y=random", "-a", "random"], "y"),
        (["tictactoe", "-a", "random", "-a", "random", "--sprt", "5"], "ELO0,ELO1"),
        (["pig", "-a", "random", "-a", "alphabeta(depth=2)"], "chance"),
    ],
)
def test_bad_matches_are_refused_before_anything_is_played(arguments: list[str], said: str) -> None:
    command = [sys.executable, "-c", "from gdl.cli import main; main()", "match", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode in (1, 2)
    assert said.lower() in done.stderr.lower()
    assert "Traceback" not in done.stderr


def test_one_round_has_no_interval_and_says_so() -> None:
    assert str(Difference(0.0, None, None)) == "no interval: one round"
