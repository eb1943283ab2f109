"""`gdl test` held to the truth: it passes a file that states its value, and fails one that states another."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from math import isfinite
from pathlib import Path
from random import Random

from tests.judge.generate import Drawn
from tests.judge.hold import Complaint, Verdict, Watch, games_of, run_gdl
from tests.judge.oracle import Real, Truth

SHARE = 0.1
"""Of the games this is asked of so many: all solvers answer twice."""


def judge(drawn: Drawn, random: Random, watch: Watch) -> Verdict:
    """Adds a line `expect value == …` to a game of the judge, a true one and a false one."""
    verdict = Verdict()
    values = None if random.random() > SHARE else _values(drawn)
    if values is None:
        return verdict
    lines = [(values, 0), ([values[0] + random.choice([1, Fraction(1, 1000)]), *values[1:]], 1)]
    for stated, due in lines:
        text = f"{drawn.text}\nexpect value == {_written(stated)}\n"
        with tempfile.TemporaryDirectory() as folder:
            game = Path(folder) / "stated.gdl"
            game.write_text(text, encoding="utf-8")
            with watch(f"gdl test of {'the true' if due == 0 else 'a false'} value"):
                code, out, err = run_gdl(["test", str(game)], drawn.text)
        if code != due:
            said = f"expect value == {_written(stated)}: exit code {code}: {(out + err)[-600:]}"
            verdict.complaints.append(Complaint("gdl test", "gdl test", "-", f"exit {code}", said))
    verdict.seen["solver", "gdl test"] += 1
    return verdict


def _values(drawn: Drawn) -> list[Real] | None:
    """What `expect value` speaks of: the first player's where interests are opposed, else everybody's."""
    graph, truth = drawn.graph, Truth(drawn.graph)
    if truth.values is None or truth.pays_for_ever("duel"):
        return None
    traits = games_of(drawn.text)["reference"].traits
    duel = traits.players == 1 or traits.zero_sum  # others may be opposed without the rules showing it
    if not duel and graph.cyclic([place for _, place in graph.starts]):
        return None
    count = 1 if graph.opposed else len(graph.players)
    values = [truth.at_start([each[p] for each in truth.values]) for p in range(count)]
    return values if all(isfinite(value) for value in values) else None


def _written(values: list[Real]) -> str:
    texts = [str(value) for value in values]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
