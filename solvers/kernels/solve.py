"""The fast twins of the solvers of whole games: same answers as the textbook ones, over compiled games."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from gdl.game import TERMINAL, Compiled, Game, Outcome
from solvers.kernels import iteration
from solvers.kernels.attraction import NEVER, attract
from solvers.kernels.components import count_cyclic, strong_components
from solvers.kernels.explore import Explored, Watch, explore
from solvers.kernels.graph import PositionGraph, merged
from solvers.kernels.induction import induce, induce_layers
from solvers.kernels.space import Space
from solvers.lookup import Lookup
from solvers.refusal import bad_option, cannot_go_on
from solvers.result import Result, Value, Work
from solvers.solution import opposed, starts_of
from solvers.table import applies, refuse

Report = Callable[[str, float], None]
"""Called during solving with what is being done and the share of it that is done."""

QUOTA = 4_000_000
"""Updates between two looks at the clock and at the keyboard."""

MOST_SWEEPS = 20_000
FEW_SWEEPS = 300
SMALL = 400
"""Components up to this size are handed to the equations of the textbook solver after FEW_SWEEPS sweeps."""


@dataclass
class Watching:
    """What a user sees of a long computation; both may be None."""

    exploring: Watch | None = None
    solving: Report | None = None


@dataclass
class Statistics:
    """What solving a graph came to."""

    positions: int = 0
    edges: int = 0
    choices: int = 0
    laws: int = 0
    layers: int = 0
    components: int = 0
    cyclic_components: int = 0
    largest_component: int = 0
    explore_seconds: float = 0.0
    solve_seconds: float = 0.0
    position_bytes: int = 0
    edge_bytes: int = 0
    updates: int = 0
    hard_components: int = 0
    widest: float = 0.0  # the widest gap between the bounds of any position
    notes: list[str] = field(default_factory=list)

    def as_data(self) -> dict[str, Any]:
        return dict(self.__dict__)


@dataclass
class GraphValues:
    """The values of a solved position graph (solvers.lookup.Values)."""

    game: Game[Any, Any]
    graph: PositionGraph
    low: Any  # per position and column
    high: Any
    distances: Any | None = None

    def __len__(self) -> int:
        return len(self.graph)

    def value(self, position: Any) -> tuple[Value, ...] | None:
        node = self.graph.index(position)
        if node is None:
            return None
        if self.low.shape[1] > 1:
            return tuple(Value.exact(float(x)) for x in self.low[node])
        return opposed(self.game, Value.bounded(float(self.low[node, 0]), float(self.high[node, 0])))

    def distance(self, position: Any) -> int | None:
        if self.distances is None:
            return None
        node = self.graph.index(position)
        return None if node is None or self.distances[node] == NEVER else int(self.distances[node])

    def positions(self) -> Iterator[Any]:
        return (self.graph.position(node) for node in range(len(self.graph)))


@dataclass
class Solved:
    """A solved game with everything that was found on the way."""

    result: Result
    values: GraphValues
    statistics: Statistics


def solve_whole(
    game: Game[Any, Any],
    solver: str,
    at: Any = None,
    *,
    precision: float = 1e-9,
    limit: int | None = None,
    max_memory: int | None = None,
    partitions: int | None = None,
    watching: Watching | None = None,
) -> Solved:
    """Explores and solves a compiled game by backward_induction, retrograde or value_iteration."""
    refuse(solver, game)
    if not precision > 0:
        raise bad_option(f"a precision of {precision} can never be reached", "Use a precision above 0.")
    compiled: Compiled = game.compiled  # type: ignore[attr-defined]
    watching = watching or Watching()
    started = perf_counter()
    starts = starts_of(game, at)
    with ExitStack() as stack:
        space = stack.enter_context(Space(game, compiled, partitions))
        explored = explore(space, starts, limit=limit, max_memory=max_memory, watch=watching.exploring)
        edges, layers = explored.edges, len(explored.layers) - 1
        explore_seconds = explored.seconds
        graph = merged(explored)
        found = Statistics(
            positions=len(graph),
            edges=edges,
            choices=graph.choices,
            laws=len(graph.law_start) - 1,
            layers=layers,
            explore_seconds=explore_seconds,
            position_bytes=graph.position_bytes,
            edge_bytes=graph.edge_bytes,
        )
        values = SOLVE[solver](game, graph, explored, precision, found, watching.solving)
    found.solve_seconds = perf_counter() - started - explore_seconds
    work = Work(perf_counter() - started, positions=len(graph), rounds=None)
    result = Lookup(game, values).result(solver, starts, describe(game, solver, found), work)
    return Solved(result, values, found)


def describe(game: Game[Any, Any], solver: str, found: Statistics) -> str:
    """How the answer was obtained, in one sentence."""
    if solver == "retrograde":
        return f"retrograde analysis of all {found.positions:,} positions"
    if solver == "backward_induction":
        ties = "" if game.traits.zero_sum or game.traits.players == 1 else "; ties go to the first move"
        return f"backward induction over all {found.positions:,} positions{ties}"
    return (
        f"proven bounds iterated over all {found.positions:,} positions, "
        f"{found.components:,} strong components in turn"
    )


# ------------------------------------------------------------------------------- solvers


def _backward_induction(
    game: Game[Any, Any],
    graph: PositionGraph,
    explored: Explored,
    precision: float,
    found: Statistics,
    report: Report | None,
) -> GraphValues:
    discount = float(game.traits.discount)
    if explored.graded:
        induce_layers(graph, explored, discount)
    else:
        order, start = strong_components(graph.row, graph.first, graph.target)
        found.components = len(start) - 1
        if found.components < len(graph) or _has_loop(graph):
            raise comes_back(game, graph, order, start)
        induce(graph, order, discount)
    return GraphValues(game, graph, graph.worth, graph.worth)


def _has_loop(graph: PositionGraph) -> bool:
    order = np.arange(len(graph), dtype=np.uint32)
    start = np.arange(len(graph) + 1, dtype=np.uint32)
    return int(count_cyclic(graph.row, graph.first, graph.target, order, start)[0]) > 0


def comes_back(game: Game[Any, Any], graph: PositionGraph, order: Any, start: Any) -> Exception:
    sizes = np.diff(start.astype(np.int64))
    node = int(order[start[int(np.argmax(sizes))]])
    others = [name for name in ("retrograde", "value_iteration") if applies(name, game) is None]
    return cannot_go_on(
        f"backward_induction needs a game without repeats; in {game.name} a play can come back to "
        f"{game.format_position(graph.position(node))}.",
        f"Use {others[0]}." if others else "Use maxn with a depth, or mcts.",
    )


def _retrograde(
    game: Game[Any, Any],
    graph: PositionGraph,
    explored: Explored,
    precision: float,
    found: Statistics,
    report: Report | None,
) -> GraphValues:
    distances = attract(graph, _endless(game))
    return GraphValues(game, graph, graph.worth, graph.worth, distances)


def _endless(game: Game[Any, Any]) -> float:
    return float(game.traits.endless[0]) if game.traits.endless else 0.0


def _value_iteration(
    game: Game[Any, Any],
    graph: PositionGraph,
    explored: Explored,
    precision: float,
    found: Statistics,
    report: Report | None,
) -> GraphValues:
    from solvers.kernels.bounding import solve_hard

    order, start = strong_components(graph.row, graph.first, graph.target)
    cyclic, largest, longest = count_cyclic(graph.row, graph.first, graph.target, order, start)
    found.components, found.cyclic_components, found.largest_component = len(start) - 1, cyclic, largest
    share = precision / (2 * max(1, longest))
    low = _rounded_utilities(graph, -1)
    high = _rounded_utilities(graph, 1)
    inside = np.full(len(graph), -1, np.int32)
    tally = np.zeros(2, np.int64)
    steps = np.empty(max(1, largest))
    endless, discount = _endless(game), float(game.traits.discount)
    component, total = 0, len(start) - 1
    while True:
        sweeps = FEW_SWEEPS if largest <= SMALL else MOST_SWEEPS
        status, component = iteration.iterate(
            order,
            start,
            component,
            QUOTA,
            low,
            high,
            graph.arrays,
            graph.reward,
            discount,
            share,
            endless,
            inside,
            sweeps,
            steps,
            tally,
        )
        if report is not None:
            report("bounding", float(start[component]) / len(graph))
        if status == iteration.HARD:
            nodes = order[start[component] : start[component + 1]]
            solve_hard(game, graph, nodes, low, high, share)
            found.hard_components += 1
            component += 1
        if status == iteration.FINISHED or component == total:
            break
    found.updates = int(tally[0])
    found.widest = float((high - low).max())
    return GraphValues(game, graph, low.reshape(-1, 1), high.reshape(-1, 1))


def _rounded_utilities(graph: PositionGraph, side: int) -> Any:
    """Utilities of finished games, rounded outwards where they are no whole numbers; 0 elsewhere."""
    worth = graph.worth[:, 0].copy()
    worth[graph.mover != TERMINAL] = 0.0
    fractional = worth != np.rint(worth)
    worth[fractional] = np.nextafter(worth[fractional], side * np.inf)
    return worth


SOLVE = {
    "backward_induction": _backward_induction,
    "retrograde": _retrograde,
    "value_iteration": _value_iteration,
}


def starts_in(graph: PositionGraph, starts: tuple[Outcome, ...]) -> list[int]:
    """The numbers of the positions where play begins."""
    return [node for start in starts if (node := graph.index(start.position)) is not None]
