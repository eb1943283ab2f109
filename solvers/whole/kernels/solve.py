"""Solving whole compiled games: the fast twins of the textbook solvers, with the same answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import isinf
from time import perf_counter
from typing import Any

import numpy as np

from gdl.diagnostics.wording.phrases import all_of, amount_of_memory, counted
from gdl.game import Game, Number, Outcome
from gdl.movers import TERMINAL
from solvers.core.combine import opposed
from solvers.core.iteration import FEW_POSITIONS, Infinite, coarse
from solvers.core.lookup import Lookup, Values
from solvers.core.numbers import show_most
from solvers.core.refusal import bad_option, cannot_go_on, unproven
from solvers.core.report import memory_of, speed_shown
from solvers.core.result import Result, Value, Work
from solvers.core.rounding import exact_twin, nearest, outside
from solvers.core.starts import starts_of
from solvers.registry import refuse, repeats
from solvers.views.symmetric import classes_of
from solvers.whole.kernels.backward_induction import FEW_EDGES, cut, induce, induce_exactly, induce_layers
from solvers.whole.kernels.breadth_first import Reached, Watch, reach
from solvers.whole.kernels.checkpoint import Checkpoint
from solvers.whole.kernels.end_components import SMALL
from solvers.whole.kernels.induction_without_edges import SpaceValues, induce_regenerating
from solvers.whole.kernels.position_graph import PositionGraph, merged
from solvers.whole.kernels.retrograde import NEVER, attract
from solvers.whole.kernels.space import Space
from solvers.whole.kernels.strong_components import Condensation, condense, is_cyclic
from solvers.whole.kernels.turns.finding_rests import not_by_turns, why_not
from solvers.whole.kernels.turns.rests import Rests
from solvers.whole.kernels.turns.solve import TurnValues, bound_turns, induce_turns
from solvers.whole.kernels.turns.space import Programs, TurnSpace
from solvers.whole.kernels.value_iteration import Bounds, Report, bound


@dataclass(frozen=True)
class Settings:
    """How a game is to be solved."""

    precision: float = 1e-9
    exact: bool = False  # prove the values in rational arithmetic
    limit: int | None = None  # positions
    max_memory: int | None = None  # bytes
    edges: bool = True  # keep the edges; without, only games without repeats
    partitions: int | None = None
    time: float | None = None  # seconds for value_iteration
    exploring: Watch | None = None
    solving: Report | None = None
    checkpoint: Checkpoint | None = None
    rests: Rests | None = None  # solve by turns: only positions at rest have values of their own


@dataclass
class Statistics:
    """What solving a game came to."""

    positions: int = 0  # by turns: those at rest
    inside: int = 0  # by turns: those of all turns
    symmetries: int = 1  # positions that differ only by one of them are one
    edges: int = 0
    choices: int = 0
    laws: int = 0
    layers: int = 0
    components: int = 0
    cyclic_components: int = 0
    largest_component: int = 0
    hard_components: int = 0
    updates: int = 0
    widest: float = 0.0  # the widest gap between the bounds of any position
    proven: bool = False  # whether values were then proven in rationals, and the bounds are not the answer
    compile_seconds: float = 0.0
    explore_seconds: float = 0.0
    solve_seconds: float = 0.0
    position_bytes: int = 0
    edge_bytes: int = 0
    seconds: float = 0.0  # in all

    def facts(self) -> list[tuple[str, str]]:
        """For people: names, and what is to be said of each."""
        return list(_facts(self))

    def as_data(self) -> dict[str, Any]:
        return dict(self.__dict__)


def _facts(found: Statistics) -> Iterator[tuple[str, str]]:
    speed = speed_shown(found.inside or found.positions, found.explore_seconds)
    if found.inside:
        yield "positions", f"{found.positions:,} at rest, {found.layers:,} turns from the first to the last"
        yield "within turns", f"{found.inside:,}{speed}"
        yield "edges", f"{found.edges:,} between positions at rest"
    else:
        yield "positions", f"{found.positions:,} in {found.layers:,} layers{speed}"
        yield "edges", f"{found.edges:,}"
    if found.symmetries > 1:
        yield "symmetries", f"{found.symmetries}, proven; positions that differ only by them are counted once"
    if found.components:
        largest = counted(found.largest_component, "position")
        cyclic = (
            f"{found.cyclic_components:,} with cycles, of at most {largest}"
            if found.cyclic_components
            else "none with cycles"
        )
        yield "components", f"{found.components:,}, {cyclic}"
    if found.widest:
        where = "before values were proven in rationals" if found.proven else "for every position"
        yield "bounds", f"at most {show_most(found.widest)} apart, {where}"
    yield "memory", memory_of(found.position_bytes, "positions", found.positions)
    if found.edge_bytes and found.inside:
        yield "", f"{amount_of_memory(found.edge_bytes)} for the programs of turns"
    elif found.edge_bytes:
        yield "", memory_of(found.edge_bytes, "edges", found.edges)
    yield (
        "time",
        f"{found.seconds:.3g} s: {found.compile_seconds:.3g} to compile, "
        f"{found.explore_seconds:.3g} to explore, {found.solve_seconds:.3g} to solve",
    )


@dataclass
class GraphValues:
    """The values of a solved position graph (solvers.core.lookup.Values)."""

    game: Game[Any, Any]
    graph: PositionGraph
    low: Any  # per position and column
    high: Any
    distances: Any | None = None
    proven: Sequence[tuple[Number, ...]] | None = None  # exact values, per position and column

    def __len__(self) -> int:
        return len(self.graph)

    def value(self, position: Any) -> tuple[Value, ...] | None:
        node = self.graph.index(position)
        if node is None:
            return None
        if self.proven is not None:
            values = tuple(Value.exact(number) for number in self.proven[node])
        else:
            both = zip(self.low[node].tolist(), self.high[node].tolist(), strict=True)
            values = tuple(Value.bounded(low, high) for low, high in both)
        return values if len(values) > 1 else opposed(self.game, values[0])

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
    values: Values
    statistics: Statistics
    reached: Reached
    graph: PositionGraph | None = None  # where the edges were kept
    lookup: Lookup = field(init=False)

    def __post_init__(self) -> None:
        game = self.reached.space.game
        exact = getattr(self.values, "proven", None) is not None
        self.lookup = Lookup(exact_twin(game) if exact else game, self.values)


def solve_whole(
    game: Game[Any, Any], solver: str, at: Any = None, settings: Settings | None = None
) -> Solved:
    """Explores and solves a compiled game by a solver of whole games.

    Raises Refusal where the solver does not apply or the game is too large, GameError where its rules break.
    A checkpoint stays until its owner removes it, who may have files to write first.
    """
    settings = settings or Settings()
    refuse(solver, game)
    if not settings.precision > 0:
        raise bad_option(
            f"a precision of {settings.precision} can never be reached", "Use a precision above 0."
        )
    started = perf_counter()
    starts = tuple(starts_of(game, at))
    with _space(game, solver, settings) as space:
        found = Statistics(compile_seconds=perf_counter() - started, symmetries=classes_of(game))
        by_turns = isinstance(space, TurnSpace)
        reached = reach(
            space,
            starts,
            edges=solver != "backward_induction" or (settings.edges and not by_turns),
            store=Programs if by_turns else None,
            limit=settings.limit,
            max_memory=settings.max_memory,
            watch=settings.exploring,
            checkpoint=settings.checkpoint,
        )
        found.positions, found.edges = reached.positions, reached.edges
        found.layers, found.explore_seconds = len(reached.layers) - 1, reached.seconds
        found.position_bytes = space.bytes
        began = perf_counter()
        graph, partial = None, False
        if isinstance(space, TurnSpace):
            found.inside = sum(space.inside)
            values: Values = _solve_turns(solver, reached, settings, found, started)
        else:
            values, graph, partial = _solve(game, solver, reached, settings, found, started)
        found.solve_seconds = perf_counter() - began
    found.seconds = perf_counter() - started
    work = Work(found.seconds, positions=found.positions)
    found.proven = proven = getattr(values, "proven", None) is not None
    how = describe(game, solver, found, proven)
    if proven:
        game = exact_twin(game)
        starts = tuple(starts_of(game, at))
    else:
        how += coarse(found.widest, settings.precision, partial)
    result = Lookup(game, values).result(solver, starts, how, work, partial)
    return Solved(replace(result, statistics=found), values, found, reached, graph)


def _space(game: Game[Any, Any], solver: str, settings: Settings) -> Space:
    """Where the positions of a game go: all of them, or those at rest."""
    compiled = game.compiled  # type: ignore[attr-defined]
    if settings.rests is None:
        return Space(game, compiled, settings.partitions)
    reason = why_not(game)
    if reason is None and (settings.exact or solver not in ("backward_induction", "value_iteration")):
        reason = f"{'a proof in rationals' if settings.exact else solver} needs all positions"
    if reason is not None:
        raise not_by_turns(game, reason)
    return TurnSpace(game, compiled, settings.rests, settings.partitions)


def _solve_turns(
    solver: str, reached: Reached, settings: Settings, found: Statistics, started: float
) -> TurnValues:
    if solver == "backward_induction":
        values = induce_turns(reached, settings.solving)
    else:
        found.edge_bytes = reached.kept_bytes
        values, standing = bound_turns(
            reached,
            endless_value(reached.space.game),
            settings.precision,
            deadline=None if settings.time is None else started + settings.time,
            report=settings.solving,
            checkpoint=settings.checkpoint,
        )
        found.updates = standing.updates
        found.widest = max(
            float((high - low).max(initial=0.0)) for low, high in zip(values.low, values.high, strict=True)
        )
    found.position_bytes += sum(array.nbytes for array in values.low)
    return values


def _solve(
    game: Game[Any, Any],
    solver: str,
    reached: Reached,
    settings: Settings,
    found: Statistics,
    started: float,
) -> tuple[Values, PositionGraph | None, bool]:
    if reached.kept is None:
        if solver != "backward_induction":
            raise cannot_go_on(
                f"{solver} needs the edges of {game.name}, which do not fit the memory allowed.",
                "Allow more memory.",
            )
        values = induce_regenerating(reached, settings.solving)
        found.position_bytes += sum(array.nbytes for array in values.numbers)
        return values, None, False
    graph = merged(reached)
    found.choices, found.laws = graph.choices, len(graph.law_start) - 1
    found.position_bytes, found.edge_bytes = graph.position_bytes, graph.edge_bytes
    if solver == "retrograde":
        known = _attracted(game, graph, settings)
        partial = False
    elif solver == "backward_induction":
        known = _induced(game, graph, reached, found)
        partial = False
    else:
        known, partial = _iterated(game, graph, reached.starts, settings, found, started)
    if (settings.exact or solver == "policy_iteration") and not partial and known.proven is None:
        if known.low.shape[1] > 1 and game.traits.rounds:
            raise bad_option(
                f"{game.name} is too large for exact values, and its players are not opposed",
                "Leave --exact out.",
            )
        if known.low.shape[1] > 1:  # floats hold all numbers of the game, but not how starts are drawn
            known.proven = [tuple(Fraction(number) for number in row) for row in known.low.tolist()]
            return known, graph, partial
        from solvers.whole.kernels.policy_iteration import exact_values

        middle = (known.low[:, 0] + known.high[:, 0]) / 2
        known.proven = [(value,) for value in exact_values(game, graph, middle, settings.solving)]
    return known, graph, partial


def _attracted(game: Game[Any, Any], graph: PositionGraph, settings: Settings) -> GraphValues:
    """Values and distances by retrograde analysis, of utilities that floats do not hold by their ranks: those
    that round to one float are told apart. Where many edges make that long, such values are bounds."""
    if not game.traits.rounds:
        distances = attract(graph, endless_value(game), settings.solving)
        return GraphValues(game, graph, graph.worth, graph.worth, distances)
    if graph.edges > FEW_EDGES and not settings.exact:
        distances = attract(graph, endless_value(game), settings.solving)
        low, high = np.nextafter(graph.worth, -np.inf), np.nextafter(graph.worth, np.inf)
        return GraphValues(game, graph, low, high, distances)
    utility = game.compiled.exact.utility  # type: ignore[attr-defined]
    ends = np.flatnonzero(graph.mover == TERMINAL)
    paid = [Fraction(utility(graph.position(int(v)))[0]) for v in ends]
    endless = Fraction(game.traits.endless[0]) if game.traits.endless else Fraction(0)
    numbers = sorted({*paid, endless})
    rank = {number: k for k, number in enumerate(numbers)}
    graph.worth[ends, 0] = [rank[number] for number in paid]
    distances = attract(graph, rank[endless], settings.solving)
    proven = [(numbers[int(k)],) for k in graph.worth[:, 0]]
    graph.worth[:, 0] = [nearest(number) for (number,) in proven]
    low, high = np.nextafter(graph.worth, -np.inf), np.nextafter(graph.worth, np.inf)
    return GraphValues(game, graph, low, high, distances, proven)


def _iterated(
    game: Game[Any, Any],
    graph: PositionGraph,
    starts: Iterable[Outcome],
    settings: Settings,
    found: Statistics,
    started: float,
) -> tuple[GraphValues, bool]:
    """Proven bounds, and whether time ran out; exact values as well in a small game in which no position
    comes back, where floats cannot bring the bounds as close as asked, in a small game, and where some
    positions are worth less or more than any number.
    """
    from solvers.whole.kernels.policy_iteration import exact_values

    try:
        bounds = bounded(game, graph, settings, started=started)
    except Infinite:
        _record_parts(found, condense(graph.row, graph.first, graph.target))
        numbers = exact_values(game, graph, np.zeros(len(graph)), settings.solving)
        for start in starts:
            node = graph.index(start.position)
            if node is not None and isinf(numbers[node]) and not game.traits.minimise:
                raise unproven(game, start.position) from None
        worth = np.array([[float(number)] for number in numbers])
        return GraphValues(game, graph, worth, worth, proven=[(number,) for number in numbers]), False
    record(found, bounds)
    low, high = bounds.low, bounds.high
    if game.traits.whole_values and not bounds.partial and np.array_equal(np.ceil(low), np.floor(high)):
        low = high = np.ceil(low)  # only one whole number lies between
        found.widest = 0.0
    known = GraphValues(game, graph, low.reshape(-1, 1), high.reshape(-1, 1))
    if game.traits.rounds and not bounds.cyclic and not bounds.partial:
        known.proven = induce_exactly(game, graph)
    small = len(graph) <= FEW_POSITIONS and bounds.largest <= SMALL
    if known.proven is None and small and not bounds.partial and found.widest > settings.precision:
        middle = (bounds.low + bounds.high) / 2
        known.proven = [(number,) for number in exact_values(game, graph, middle, settings.solving)]
    return known, bounds.partial


def _induced(game: Game[Any, Any], graph: PositionGraph, reached: Reached, found: Statistics) -> GraphValues:
    discount = float(game.traits.discount)
    parts = None
    if not reached.graded:
        parts = condense(graph.row, graph.first, graph.target)
        _record_parts(found, parts)
        if parts.cyclic:
            raise comes_back(game, graph, parts)
    proven = induce_exactly(game, graph) if game.traits.rounds else None
    low, high = induce_layers(graph, reached, discount) if parts is None else induce(graph, parts, discount)
    if high is not low:
        cut(low, high, game.traits)
    return GraphValues(game, graph, low, high, proven=proven)


def comes_back(game: Game[Any, Any], graph: PositionGraph, parts: Condensation) -> Exception:
    """The refusal of backward induction where positions repeat, naming one that does."""
    order, start = parts.order, parts.start
    cycle = next(
        k
        for k in range(len(parts))
        if is_cyclic(graph.row, graph.first, graph.target, order, int(start[k]), int(start[k + 1]))
    )
    return repeats(game, graph.position(int(order[start[cycle]])))


def bounded(
    game: Game[Any, Any],
    graph: PositionGraph,
    settings: Settings,
    player: int = 0,
    started: float | None = None,
) -> Bounds:
    """Proven bounds of what a player gets; within the time set, if it is said when that began."""
    return bound(
        game,
        graph,
        game.traits.endless[player] if game.traits.endless else 0,
        settings.precision,
        anything=outside(*game.traits.value_bounds[player]),
        deadline=None if settings.time is None or started is None else started + settings.time,
        report=settings.solving,
        checkpoint=settings.checkpoint,
    )


def record(found: Statistics, bounds: Bounds) -> None:
    found.components, found.cyclic_components = bounds.components, bounds.cyclic
    found.largest_component, found.hard_components = bounds.largest, bounds.hard
    found.updates, found.widest = bounds.updates, bounds.widest


def _record_parts(found: Statistics, parts: Condensation) -> None:
    found.components, found.cyclic_components = len(parts), parts.cyclic
    found.largest_component = parts.largest


def endless_value(game: Game[Any, Any], player: int = 0) -> float:
    return float(game.traits.endless[player]) if game.traits.endless else 0.0


def describe(game: Game[Any, Any], solver: str, found: Statistics, proven: bool) -> str:
    """How the answer was obtained, in one sentence."""
    classes = f", one for each class of {found.symmetries} symmetries" if found.symmetries > 1 else ""
    return _described(game, solver, found, proven) + classes


def _described(game: Game[Any, Any], solver: str, found: Statistics, proven: bool) -> str:
    if found.inside:
        what = "backward induction over" if solver == "backward_induction" else "proven bounds iterated over"
        between = f"{found.inside:,} explored in the turns between them"
        return f"{what} {found.positions:,} positions at rest, {between}"
    proof = ", verified in rational arithmetic" if proven else ""
    if solver == "retrograde":
        return f"retrograde analysis of {all_of(found.positions, 'position')}{proof}"
    if solver == "backward_induction":
        ties = "" if game.traits.zero_sum or game.traits.players == 1 else "; ties go to the first move"
        proof = ", in rational arithmetic" if proven else ""
        return f"backward induction over {all_of(found.positions, 'position')}{proof}{ties}"
    if solver == "policy_iteration":
        return f"strategies over {all_of(found.positions, 'position')} from proven bounds{proof}"
    if not found.cyclic_components:
        return f"one pass over {all_of(found.positions, 'position')}, none of which comes back{proof}"
    return (
        f"proven bounds iterated over {all_of(found.positions, 'position')}, "
        f"{counted(found.components, 'strong component')} in turn{proof}"
    )


__all__ = ["GraphValues", "Settings", "Solved", "SpaceValues", "Statistics", "solve_whole"]
