"""Bounds on random stochastic games with cycles, against exact values by strategy iteration in rationals."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gdl.game import CHANCE, TERMINAL, Traits
from solvers.core.graph import Choice, Edge, Graph
from solvers.whole.kernels.position_graph import PositionGraph
from solvers.whole.kernels.value_iteration import bound
from solvers.whole.policy_iteration import strategy_values


def stub(endless: int, discount: Fraction = Fraction(1)) -> Any:
    traits = Traits(
        2, True, True, False, False, False, False, discount, endless=(Fraction(endless), Fraction(-endless))
    )
    return SimpleNamespace(traits=traits, name="random", players=("max", "min"), format_position=str)


@st.composite
def graphs(draw: Any) -> Graph:
    """Up to 7 positions and 3 ends; choices lead anywhere, so end components abound."""
    inner = draw(st.integers(1, 7))
    ends = draw(st.integers(1, 3))
    players, choices = [], []
    for _ in range(inner):
        player = draw(st.sampled_from([0, 1, CHANCE]))
        players.append(player)
        made = []
        for number in range(1 if player == CHANCE else draw(st.integers(1, 3))):
            targets = draw(st.lists(st.integers(0, inner + ends - 1), min_size=1, max_size=3, unique=True))
            weights = [draw(st.integers(1, 4)) for _ in targets]
            edges = tuple(
                Edge(t, Fraction(w, sum(weights)), ()) for t, w in zip(targets, weights, strict=True)
            )
            made.append(Choice(number, edges))
        choices.append(tuple(made))
    utilities = [None] * inner + [(Fraction(draw(st.integers(-3, 3))),) for _ in range(ends)]
    size = inner + ends
    return Graph(range(size), {i: i for i in range(size)}, players + [TERMINAL] * ends,
                 choices + [()] * ends, utilities)  # fmt: skip


class Threads:
    """As much of a space as solving needs."""

    def __init__(self, size: int):
        self.size = size
        self.game = stub(0)

    def position(self, p: int, number: int) -> int:
        return number

    def each(self, work: Callable[[int], None], count: int | None = None) -> None:
        with ThreadPoolExecutor(self.size) as pool:
            list(pool.map(work, range(self.size if count is None else count)))


def arrays(graph: Graph, threads: int = 1) -> PositionGraph:
    """The same graph for kernels."""
    law: list[int] = []
    target: list[int] = []
    odds: list[float] = []
    exact: list[int] = []
    row, first, law_start = [0], [0], [0]
    for choices in graph.choices:
        for choice in choices:
            for edge in choice.edges:
                target.append(edge.target)
                odds.append(float(edge.probability))
                exact += [Fraction(edge.probability).numerator, Fraction(edge.probability).denominator]
            law.append(len(law))
            first.append(len(target))
            law_start.append(len(target))
        row.append(len(law))
    worth = np.array([[float(u[0]) if u else 0.0] for u in graph.utilities])
    space: Any = Threads(threads)
    return PositionGraph(
        space,
        np.array([0, len(graph)]),
        np.array(graph.players, np.int8),
        worth,
        np.array(row, np.uint32),
        np.array(first, np.uint32),
        np.array(law, np.uint32),
        np.array(target, np.uint32),
        np.array(law_start),
        np.array(odds),
        np.zeros((max(1, len(law)), 1)),
        np.zeros((max(1, len(law)), 1)),
        np.array(exact, np.int64),
        2 * np.array(law_start),
    )


SMALL_IS_LARGE = {"end_components.SMALL": 0, "value_iteration.NARROW": 1}

WAYS = {
    "textbook for small components": {},
    "kernels only": {"end_components.SMALL": 0},
    "levels at the same time": SMALL_IS_LARGE | {"value_iteration.QUOTA": 1},
    "large components in blocks": SMALL_IS_LARGE | {"value_iteration.LARGE": 1},
}


@pytest.fixture(params=WAYS)
def threads(request: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    """Sizes such that even the smallest components are solved in the given way; the number of threads."""
    way = WAYS[request.param]
    for name, value in way.items():
        monkeypatch.setattr(f"solvers.whole.kernels.{name}", value)
    return 3 if "value_iteration.NARROW" in way else 1


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graph=graphs(), endless=st.integers(-2, 2))
def test_bounds_hold_and_meet(threads: int, graph: Graph, endless: int) -> None:
    found = bound(stub(endless), arrays(graph, threads), float(endless), 1e-6)
    for i, value in enumerate(strategy_values(stub(endless), graph)):
        assert found.low[i] <= float(value) + 1e-12
        assert found.high[i] >= float(value) - 1e-12
    assert found.widest <= 1e-6


@settings(max_examples=50, deadline=None)
@given(graph=graphs())
def test_discount(graph: Graph) -> None:
    game = stub(0, Fraction(9, 10))
    found = bound(game, arrays(graph), 0.0, 1e-9)
    for i, value in enumerate(strategy_values(game, graph)):
        assert found.low[i] - 1e-12 <= float(value) <= found.high[i] + 1e-12
    assert found.widest <= 1e-9
