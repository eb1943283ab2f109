"""Exploration: known numbers of positions, memory, limits, and stopping cleanly.

The numbers of Connect Four positions are from J. Tromp's Connect Four page and OEIS A212693.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import gdl
from gdl.game import Compiled
from solvers.core.refusal import Refusal
from solvers.whole.kernels import expand as kernel
from solvers.whole.kernels.breadth_first import Progress, Reached, reach
from solvers.whole.kernels.position_graph import merged
from solvers.whole.kernels.solve import Settings, solve_whole
from solvers.whole.kernels.space import Space


def reached(name: str, partitions: int = 2, edges: bool = True, **params: Any) -> Reached:
    game = gdl.load(name, engine="native", **params)
    with Space(game, game.compiled, partitions) as space:
        return reach(space, game.initial(), edges=edges)


def test_native_games_are_compiled_games() -> None:
    assert isinstance(gdl.load("pig", engine="native").compiled, Compiled)


@pytest.mark.parametrize("partitions", [1, 2, 4])
@pytest.mark.parametrize(
    ("width", "height", "positions"), [(3, 3, 869), (4, 3, 12_031), (4, 4, 161_029), (5, 3, 158_911)]
)
def test_positions_of_connect_four(width: int, height: int, positions: int, partitions: int) -> None:
    found = reached("connect_four", partitions, width=width, height=height)
    assert found.positions == positions
    assert found.graded


def test_layers_of_connect_four() -> None:
    """OEIS A212693: positions after n plies on the board of 7 x 6."""
    game = gdl.load("connect_four", engine="native")
    with Space(game, game.compiled, 2) as space, pytest.raises(Refusal):
        reach(space, game.initial(), edges=False, limit=100_000, watch=(seen := []).append)
    by_layer: dict[int, int] = {}
    for progress in seen:
        by_layer[progress.layer] = progress.positions
    totals = [1, *(by_layer[layer] for layer in sorted(by_layer))]
    assert [after - before for before, after in pairwise(totals)][:7] == [
        7,
        49,
        238,
        1120,
        4263,
        16422,
        54859,
    ]


@pytest.mark.parametrize("name", ["pig", "connect_four"])
def test_memory_without_edges(name: str) -> None:
    """At most 16 bytes beside the key, value included, once buffers of fixed size do not count."""
    params = {"goal": 60} if name == "pig" else {"width": 5, "height": 3}
    found = reached(name, edges=False, **params)
    words = found.space.compiled.key_words
    tables = sum(part.bytes for part in found.space.parts)
    assert tables / found.positions + 8 <= 8 * words + 16


def test_limit_and_memory_are_refused_with_the_reason() -> None:
    game = gdl.load("connect_four", engine="native", width=5, height=4)
    with pytest.raises(Refusal, match="more than 50,000 positions"):
        solve_whole(game, "retrograde", settings=Settings(limit=50_000))
    with pytest.raises(Refusal, match="does not fit"):
        solve_whole(game, "retrograde", settings=Settings(max_memory=2_000_000))


def test_edges_are_let_go_when_memory_runs_out() -> None:
    game = gdl.load("connect_four", engine="native", width=4, height=4)
    tight = solve_whole(game, "backward_induction", settings=Settings(max_memory=4_500_000))
    assert tight.graph is None
    assert tight.result.value == 0


def test_an_interrupt_stops_the_threads() -> None:
    game = gdl.load("connect_four", engine="native", width=5, height=4)

    def interrupt(progress: Progress) -> None:
        if progress.positions > 50_000:
            raise KeyboardInterrupt

    with Space(game, game.compiled, 2) as space, pytest.raises(KeyboardInterrupt):
        reach(space, game.initial(), watch=interrupt)
    assert space._pool is not None and space._pool._shutdown


def test_probabilities_are_kept_once() -> None:
    graph = merged(reached("pig", goal=30))
    assert len(graph.law_start) - 1 <= 8
    assert graph.edges > 50_000


@pytest.mark.parametrize(
    ("name", "params"),
    [("pig", {"goal": 25}), ("royal_game_of_ur", {"pieces": 1}), ("three_mens_morris", {})],
)
@pytest.mark.parametrize("partitions", [2, 8])
def test_graphs_do_not_depend_on_partitions(name: str, params: dict[str, Any], partitions: int) -> None:
    one, many = (merged(reached(name, count, **params)) for count in (1, partitions))
    for part in ("mover", "row", "first", "target"):
        assert np.array_equal(getattr(one, part), getattr(many, part))
    over = one.mover == kernel.TERMINAL
    assert np.array_equal(one.worth[over], many.worth[over])
    assert np.array_equal(one.keys(), many.keys())
    for node in range(0, len(one), 97):
        assert many.index(many.position(node)) == node
        assert many.key(node) == one.key(node)
