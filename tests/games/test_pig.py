"""Pig against players who hold at some number of points, by an independent program."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import gdl
from gdl.loading import load_model, read_source
from tests.games.pig_policies import best_against_holding, both_hold

GAME = Path(__file__).parents[2] / "games" / "pig.gdl"
EXPECTATIONS = [
    e for e in load_model(read_source(GAME)).expectations if e.setting.agents and e.relation == "within"
]
best_against = cache(best_against_holding)


@pytest.mark.parametrize("expectation", EXPECTATIONS, ids=lambda e: e.text)
def test_policies(expectation: Any) -> None:
    """The winning probabilities of the file; those against best play to 100 to the digits of the paper."""
    agents = {p: int(text[len("hold_at(") : -1]) for p, text in expectation.setting.agents.items()}
    goal = int(expectation.params.get("goal", 100))
    if goal == 100 and len(agents) == 1:  # computing it takes ten seconds; Neller and Presser, 2004
        wins = {"second": 0.5874, "first": 1 - 0.5224}[next(iter(agents))]
        assert float(expectation.value) == pytest.approx(2 * wins - 1, abs=1e-4)
        return
    match agents:
        case {"first": n, "second": m}:
            wins = both_hold(goal, n, m)
        case {"second": n}:
            wins = best_against(goal, n)[0]
        case _:
            wins = 1 - best_against(goal, agents["first"])[1]
    assert float(expectation.value) == pytest.approx(2 * wins - 1, abs=1e-12)


WAVERING = """
policy wavering(n: 1..9):
    chance:
        n / 10: hold
        1/20:   roll
        else:   random
"""


def test_policies_on_machine_code_are_those_of_the_engine() -> None:
    """The odds of a whole graph, which a kernel asks for, against the exact engine."""
    import numpy as np

    from solvers.core.starts import starts_of
    from solvers.policies.kernels.fixed_policies import odds_of
    from solvers.whole.kernels.breadth_first import reach
    from solvers.whole.kernels.position_graph import merged
    from solvers.whole.kernels.space import Space

    text = GAME.read_text(encoding="utf-8") + WAVERING
    native, exact = gdl.loads(text, goal=7), gdl.loads(text, goal=7, engine="reference")
    with Space(native, native.compiled, 1) as space:
        graph = merged(reach(space, tuple(starts_of(native, None))))
        names = {0: "hold_at(4)", 1: "wavering(3)"}
        odds = odds_of(native, graph, {player: native.policy(name) for player, name in names.items()})
        for node in np.flatnonzero(graph.mover >= 0):
            position = exact.parse_position(native.format_position(graph.position(int(node))))
            found = exact.policy(names[int(graph.mover[node])])(position)
            wanted = [float(found.get(move, 0)) for move in exact.moves(position)]
            assert odds[int(graph.row[node]) : int(graph.row[node + 1])].tolist() == wanted
