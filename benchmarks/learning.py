"""What learning comes to: `python benchmarks/learning.py 2048`, or another of these:

    2048           at least 45 % of games reach 2048 after 60 CPU seconds, at least 90 % after 10 CPU minutes
    backgammon     at least 0 points a game against pubeval, one ply, within 10 CPU minutes
    connect_four   alphabeta with what was learned beats alphabeta and mcts in the same time, 60 % each
    truth          values and moves against exact ones on games that can be solved
    ship           makes the evaluations that come with the program anew (games/learned.json)
    speed          positions learned a second, 2048 beside the same algorithm written for that game alone: 0.3

Seconds are CPU seconds of learning; measuring does not count.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import gdl
from solvers.learning.kernels.learner import Learner
from solvers.learning.making import chosen_kind, method_for, new_evaluation

sys.path.insert(0, str(Path(__file__).parent))


def learner_for(game: Any, seed: int = 1) -> tuple[Learner, Any]:
    learner = Learner(game, new_evaluation(game, chosen_kind(game, None), seed=seed), seed)
    return learner, method_for(game, learner.evaluation, None, None, None)


def marks(game: Any, seconds: float, first: float, measure: Any) -> None:
    """Learns, and measures whenever the CPU seconds of learning have doubled, and at the end."""
    learner, method = learner_for(game)
    spent, due = 0.0, first
    learner.learn(method.rate, method.lambda_, method.explore)  # compiles
    while spent < seconds:
        began = process_time()
        learner.learn(method.rate_at(learner.games), method.lambda_, method.explore)
        spent += process_time() - began
        if spent >= due or spent >= seconds:
            due *= 2
            speed = learner.positions / spent
            print(f"{spent:7.1f} s  {learner.games:8,} games  {speed:9,.0f} positions/s  {measure(learner)}")
            sys.stdout.flush()


def of_2048(seconds: float) -> None:
    def measure(learner: Learner) -> str:
        results, _ = learner.match([0], 400)
        share = results[:, 0].mean()
        return f"{100 * share:.1f} ± {100 * np.sqrt(share * (1 - share) / 400):.1f} % reach 2048"

    marks(gdl.load("2048"), seconds, 15, measure)


def of_backgammon(seconds: float, pubeval_file: str) -> None:
    from pubeval import Pubeval, points_per_game

    game = gdl.load("backgammon")
    pubeval = Pubeval(game, Path(pubeval_file))

    def measure(learner: Learner) -> str:
        mean, error = points_per_game(game, learner.evaluation, pubeval, 1000, 1)
        return f"{mean:+.3f} ± {error:.3f} points a game against pubeval"

    marks(game, seconds, 8, measure)


def of_connect_four(file: str, thinking: float, games: int) -> None:
    game = gdl.load("connect_four")
    own = f"alphabeta(time={thinking}, leaf=learned:{file})"
    for other in (f"alphabeta(time={thinking})", f"mcts(time={thinking})"):
        print(gdl.match(game, own, other, games=games, opening=2, seed=1))
        sys.stdout.flush()


SOLVABLE: dict[str, dict[str, Any]] = {
    "tictactoe": {},
    "connect_four": {"width": 4, "height": 4},
    "pig": {"goal": 50},
    "hypergammon": {"men": 1},
    "gridworld": {},
    "blackjack": {},
}


def of_truth(seconds: float) -> None:
    for name, params in SOLVABLE.items():
        print(name, params)
        against_truth(gdl.load(name, **params), seconds)


def against_truth(game: Any, seconds: float) -> None:
    """Over positions of random plays: the mean distance to the exact value, in units of the range, and the
    share of moves chosen that are best."""
    from random import Random

    from solvers.learning.choosing import ways
    from solvers.learning.evaluation import Judge

    truth = gdl.solve(game).policy
    assert truth is not None
    rng = Random(1)
    sample: list[Any] = []
    while len(sample) < 400:
        play = gdl.Play(game, seed=rng.randrange(1 << 30))
        while not play.finished:
            if play.to_move < 0:
                play.draw()
                continue
            sample.append(play.position)
            play.make(rng.choice(game.moves(play.position)))
    sample = rng.sample(sample, 400)
    exact = [float(truth.value(position)[0].number) for position in sample]
    span = max(exact) - min(exact) or 1.0

    def measure(learner: Learner) -> str:
        judge = Judge(game, learner.evaluation)
        errors, right = [], []
        for position, value in zip(sample, exact, strict=True):
            mover = game.to_move(position)
            best = max(ways(game, judge, position), key=lambda way, mover=mover: way[1][mover])  # type: ignore[misc]
            errors.append(abs(best[1][0] - value) / span)
            right.append(best[0] in truth(position))
        return f"error {np.mean(errors):.3f}, {100 * np.mean(right):.1f} % of moves best"

    marks(game, seconds, seconds / 16, measure)


def of_speed(seconds: float) -> None:
    for name in ("connect_four", "backgammon", "2048"):
        learner, method = learner_for(gdl.load(name))
        learner.learn(method.rate, method.lambda_, method.explore)
        learner.positions, began = 0, process_time()
        while process_time() - began < seconds:
            learner.learn(method.rate_at(learner.games), method.lambda_, method.explore)
        speed = learner.positions / (process_time() - began)
        print(f"{name:14} {speed:9,.0f} positions learned a second")
        if name == "2048":
            from learning_2048 import positions_per_second

            alone = positions_per_second(seconds)
            print(f"{'2048 alone':14} {alone:9,.0f} : a ratio of {speed / alone:.2f} (goal 0.3)")


def ship(names: list[str]) -> None:
    """Makes the evaluations that come with the program anew, by the commands that made them."""
    import json
    import shlex
    import subprocess

    root = Path(__file__).parents[1]
    table = root / "games" / "learned.json"
    rows = json.loads(table.read_text(encoding="utf-8"))
    for row in rows:
        if not names or row["game"] in names:
            words = [sys.executable, "-m", *shlex.split(row["command"])]
            subprocess.run(words, cwd=root, check=True)
            row["digest"] = gdl.load(row["game"]).digest
    table.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["ship", *names]:
            ship(names)
        case ["2048", *rest]:
            of_2048(float(rest[0]) if rest else 600)
        case ["backgammon", file, *rest]:
            of_backgammon(float(rest[0]) if rest else 600, file)
        case ["connect_four", file, *rest]:
            of_connect_four(file, float(rest[0]) if rest else 0.1, int(rest[1]) if rest[1:] else 200)
        case ["truth", *rest]:
            of_truth(float(rest[0]) if rest else 16)
        case ["speed", *rest]:
            of_speed(float(rest[0]) if rest else 10)
        case _:
            print(__doc__)
