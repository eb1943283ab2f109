"""The same seed gives the same plays, watched, recorded, counted or in a match; another seed gives others."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from tests.judge.generate import Drawn
from tests.judge.graph import OVER, Graph
from tests.judge.hold import Complaint, Verdict, Watch, run_gdl
from tests.judge.oracle import random_length

GAMES = 6

AGENTS = (
    "random",
    "random",
    "random",
    "mcts(simulations=4)",
    "flat_monte_carlo(simulations=6)",
    "best",
    "alphabeta(depth=2)",
)


def judge(drawn: Drawn, random: Random, watch: Watch) -> Verdict:
    """Plays one game of the judge several times by commands."""
    verdict = Verdict()
    engine = random.choice(["native", "native", "reference"])
    agent = random.choice(AGENTS)
    if agent == "best" and engine == "reference" and not drawn.graph.opposed:
        agent = "random"  # the best are a thousand plays in Python for each move
    longest = 60 if agent == "random" else 12  # random moves; some dozen plays are made, and agents think
    if random_length(drawn.graph) > longest:
        return verdict
    seed = random.randrange(10**6)
    with tempfile.TemporaryDirectory() as folder:
        game = Path(folder) / "judged.gdl"
        game.write_text(drawn.text, encoding="utf-8")
        what = f"{agent} on {engine} by gdl run and match --seed {seed}"
        table = _Table(game, drawn.text, engine, agent, verdict, what, watch)
        table.same_seed(seed, drawn.graph)
        if agent == "random":
            table.other_seeds(seed, drawn.graph)
    return verdict


class _Refused(Exception):
    """The agent does not play this game: no matter here, unless it is who plays everything."""


class _Table:
    def __init__(
        self, game: Path, text: str, engine: str, agent: str, verdict: Verdict, what: str, watch: Watch
    ):
        self.watch = watch
        self.game = game
        self.text = text
        self.engine = engine
        self.agent = agent
        self.verdict = verdict
        self.what = what
        # Who thinks may find that it pays to play for ever; the best think for some 30 ms a move.
        self.cut = [] if agent == "random" else ["--longest", "20" if agent == "best" else "200"]

    def complain(self, kind: str, message: str) -> None:
        self.verdict.complaints.append(Complaint(self.what, "plays", self.engine, kind, message))

    def gdl(self, command: str, seed: int, *more: str) -> Any:
        words = [command, str(self.game), "--engine", self.engine, "--seed", str(seed), "--json", *self.cut]
        with self.watch(f"{self.what}: {command}"):
            code, out, err = run_gdl([*words, *more], self.text)
        if code == 1:
            if self.agent == "random":
                self.complain("refusal", f"gdl {command} {' '.join(more)}: {err[-300:]}")
            raise _Refused(err)
        if code != 0:
            self.complain("crash", f"gdl {command} {' '.join(more)}: exit code {code}: {err[-300:]}")
            raise _Refused(err)
        return json.loads(out)

    def same_seed(self, seed: int, graph: Graph) -> None:
        agents = ["-a", self.agent]
        file = self.game.with_suffix(".record")
        try:
            counted = self.gdl("run", seed, *agents, "-n", str(GAMES))
            again = self.gdl("run", seed, *agents, "-n", str(GAMES))
            recorded = self.gdl("run", seed, *agents, "-n", str(GAMES), "--record", str(file))
            if counted["statistics"] != again["statistics"]:
                self.complain("repeatable", "counted twice with one seed, and other results")
            if not _alike(counted["statistics"], recorded["statistics"]):
                self.complain(
                    "recorded", f"counted {counted['statistics']}, recorded {recorded['statistics']}"
                )
            watched = self.gdl("run", seed, *agents)["play"]
            first = json.loads(file.read_text(encoding="utf-8"))["plays"][0]
            if watched["moves"] != first["moves"]:
                self.complain("watched", f"watched {watched['moves']}, recorded {first['moves']}")
            other = [] if len(graph.players) == 1 else ["-a", "random"]
            matches = [self.gdl("match", seed, *agents, *other, "-n", "4", "--jobs", "1") for _ in range(2)]
            if _without_time(matches[0]) != _without_time(matches[1]):
                self.complain("match", "a match twice with one seed, and other results")
            seats = [word for player in graph.players for word in ("-a", f"{player}={self.agent}")]
            (row,) = self.gdl("match", seed, *seats, "-n", str(GAMES), "--jobs", "1")["table"]
            means = [mean["mean"] for mean in row["means"]]
            run = [one["mean"] for one in counted["statistics"]["players"].values()]
            if not _alike(dict(enumerate(means)), dict(enumerate(run))):
                self.complain("match", f"a match by seats pays {means}, a run of the same seed {run}")
        except _Refused:
            return
        self.verdict.seen["plays", "same seed"] += 1
        self.verdict.seen["plays", f"agent {self.agent}"] += 1

    def other_seeds(self, seed: int, graph: Graph) -> None:
        """Random play differs from seed to seed, where it can."""
        if collision(graph) ** (3 * GAMES) > 1e-6:
            return
        told = set()
        file = self.game.with_suffix(".record")
        for other in range(4):
            try:
                self.gdl("run", seed + other, "-a", "random", "-n", str(GAMES), "--record", str(file))
            except _Refused:
                return
            told.add(json.dumps(json.loads(file.read_text(encoding="utf-8"))["plays"]))
        if len(told) < 2:
            self.complain("other seeds", "four seeds, and the same plays")
        self.verdict.seen["plays", "other seeds"] += 1


def collision(graph: Graph) -> float:
    """The probability that two random plays are the same, move by move."""
    same = [1.0] * len(graph.places)
    for _ in range(300):
        for i, place in enumerate(graph.places):
            if place.owner == OVER:
                continue
            odds = [1 / len(place.choices)] * len(place.choices)
            if place.owner < 0:
                odds = [float(choice.weight) for choice in place.choices]
            same[i] = sum(
                odd**2 * sum(float(e.probability) ** 2 * same[e.target] for e in choice.edges)
                for odd, choice in zip(odds, place.choices, strict=True)
            )
    return sum(float(p) ** 2 * same[place] for p, place in graph.starts)


def _alike(one: Any, other: Any) -> bool:
    """Equal, up to the order in which floats were added."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 1e-9 * max(1.0, abs(one))
    return bool(one == other)


def _without_time(data: Any) -> Any:
    if isinstance(data, dict):
        return {
            key: _without_time(value) for key, value in data.items() if "second" not in key and key != "time"
        }
    return [_without_time(each) for each in data] if isinstance(data, list) else data
