"""The reachable positions of a game as a graph, for solvers that look at all of them.

Positions are numbered in the order in which they are found. A position in which chance moves has one choice,
nobody's, whose edges are everything that chance may do.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from random import Random
from time import thread_time
from typing import Any

from gdl.game import CHANCE, TERMINAL, Game, Number, Outcome
from solvers.core.graph import Choice, Edge, Graph, rational
from solvers.core.numbers import show_rate
from solvers.core.refusal import TooLarge
from solvers.core.rounding import is_rational
from solvers.registry import search_instead
from solvers.whole.lower_bound import positions_at_least

LIMIT = 1_000_000
"""Positions that are looked at where the caller sets no limit: minutes of work, in Python."""

FIRST_LOOK = 2.0
"""After so many seconds of this thread's own time it is asked for the first time how long this will take."""

LONGEST = 300.0
"""Seconds that exploring may take where the caller sets no limit."""

FAR_BEYOND = 2
"""So many times LIMIT by sampling, which may be a little off."""

READ_AS_DECIMALS = "; floats in the game were read as the decimals they stand for"
"""What an answer says that was found in a rationalised graph."""


def reachable_graph(
    game: Game[Any, Any],
    starts: Iterable[Outcome],
    limit: int | None = None,
    choices_of: Callable[[Any, int], Sequence[tuple[Any, Number]]] | None = None,
) -> Graph:
    """All positions that can be reached, breadth first. Refuses when there are more than `limit`.

    Without one LIMIT holds, and a game that has far more positions by sampling, or would take more than
    LONGEST, is refused early.
    With `choices_of` the players' moves are made with given probabilities (a policy for everybody): then
    every position has one choice at most.
    """
    positions: list[Hashable] = []
    index: dict[Hashable, int] = {}
    players: list[int] = []
    choices: list[tuple[Choice, ...]] = []
    utilities: list[tuple[Number, ...] | None] = []
    starts = list(starts)
    most = LIMIT if limit is None else limit
    began, look, size = thread_time(), FIRST_LOOK, 0.0

    def number(position: Hashable) -> int:
        if position not in index:
            if len(positions) >= most:
                raise _too_large(game, f"more than {most:,} positions, the limit for solving it whole.")
            index[position] = len(positions)
            positions.append(position)
        return index[position]

    def choice(move: Any, position: Any, weighted: Iterable[tuple[Any, Number]]) -> Choice:
        edges = [
            Edge(number(outcome.position), _both(probability, outcome.probability), outcome.rewards)
            for way, probability in weighted
            for outcome in game.outcomes(position, way)
            if probability > 0 and outcome.probability > 0
        ]
        return Choice(move, tuple(edges))

    for start in starts:
        number(start.position)
    done = 0
    while done < len(positions):
        if limit is None and (spent := thread_time() - began) > look:
            if look == FIRST_LOOK:
                size = sampled_size(game, starts, choices_of)
                began = thread_time() - spent  # what sampling took says nothing about speed
            _refuse_to_go_on(game, size, len(positions), done / spent)
            look *= 2
        position: Any = positions[done]
        done += 1
        player = game.to_move(position)
        players.append(player)
        utilities.append(game.utility(position) if player == TERMINAL else None)
        if player == TERMINAL:
            choices.append(())
        elif player == CHANCE:
            choices.append((choice(None, position, game.chance(position)),))
        elif choices_of is not None:
            choices.append((choice(None, position, choices_of(position, player)),))
        else:
            choices.append(tuple(choice(move, position, [(move, 1)]) for move in game.moves(position)))
    return Graph(positions, index, players, choices, utilities)


def _both(probability: Number, of_outcome: Number) -> Number:
    """The probability of two things in a row. Floats are read before they are multiplied, for their product
    is another decimal: 0.1 * 0.9 is 0.09000000000000001."""
    if probability == 1 or is_rational(probability, of_outcome):
        return probability * of_outcome
    return rational(probability) * rational(of_outcome)


def sampled_size(
    game: Game[Any, Any],
    starts: Iterable[Outcome],
    choices_of: Callable[[Any, int], Sequence[tuple[Any, Number]]] | None = None,
) -> float:
    """How many positions there are at least, by random plays; `choices_of` as for `reachable_graph`."""
    rng = Random(0)

    def follow(position: Any) -> Sequence[Hashable]:
        """What one move may lead to, any that is possible."""
        player = game.to_move(position)
        if player == TERMINAL:
            return ()
        if player == CHANCE:
            ways = [move for move, _ in game.chance(position)]
        elif choices_of is not None:
            ways = [move for move, probability in choices_of(position, player) if probability > 0]
        else:
            ways = list(game.moves(position))
        outcomes = game.outcomes(position, rng.choice(ways))
        return [outcome.position for outcome in outcomes if outcome.probability > 0]

    return positions_at_least([start.position for start in starts], follow)


def far_too_large(game: Game[Any, Any], size: float) -> TooLarge | None:
    """The refusal of a game of about so many positions, by sampling, or more; None where it may fit."""
    if size <= FAR_BEYOND * LIMIT:
        return None
    return _too_large(
        game,
        f"about {size:.2g} positions or more, by sampling; to solve it whole in Python {LIMIT:,} are the "
        "limit.",
    )


def _refuse_to_go_on(game: Game[Any, Any], size: float, found: int, speed: float) -> None:
    """Refuses where there are far too many positions, or those found already will take too long."""
    if (refusal := far_too_large(game, size)) is not None:
        raise refusal
    if found / speed > LONGEST:
        raise _too_large(
            game,
            f"{found:,} positions and more; in Python, at {show_rate(speed)} a second, they would take "
            f"{found / speed / 60:.0f} minutes and more, and {LONGEST / 60:.0f} are the limit.",
        )


def _too_large(game: Game[Any, Any], has: str) -> TooLarge:
    return TooLarge(
        f"{game.name} has {has}",
        f"{search_instead(game)} Or choose a smaller instance, start nearer the end (`--at`, in Python "
        "`at=`) or set a limit of positions (`--limit`, `limit=`), up to which they are looked at anyway.",
        "R002",
    )


def components(size: int, successors: Callable[[int], Iterable[int]]) -> list[list[int]]:
    """The strongly connected components, each after those that it leads to (Tarjan 1972, iterative)."""
    order = [-1] * size  # when a node was first met
    low = [0] * size  # the earliest node known to be reachable from it
    on_stack = [False] * size
    stack: list[int] = []
    found: list[list[int]] = []
    clock = 0
    for root in range(size):
        if order[root] >= 0:
            continue
        work = [(root, iter(successors(root)))]
        order[root] = low[root] = clock
        clock += 1
        stack.append(root)
        on_stack[root] = True
        while work:
            node, rest = work[-1]
            for target in rest:
                if order[target] < 0:
                    order[target] = low[target] = clock
                    clock += 1
                    stack.append(target)
                    on_stack[target] = True
                    work.append((target, iter(successors(target))))
                    break
                if on_stack[target]:
                    low[node] = min(low[node], order[target])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == order[node]:
                    component = []
                    while True:
                        member = stack.pop()
                        on_stack[member] = False
                        component.append(member)
                        if member == node:
                            break
                    found.append(component)
    return found


def graph_components(graph: Graph) -> list[list[int]]:
    return components(len(graph), graph.successors)


def is_cyclic(graph: Graph, component: Sequence[int]) -> bool:
    """Whether a play can come back to a position of the component."""
    return len(component) > 1 or component[0] in graph.successors(component[0])


def position_that_comes_back(game: Game[Any, Any], starts: Iterable[Outcome], limit: int) -> Any:
    """One to which a play can come back; None where there is none, or too many positions to look at."""
    try:
        graph = reachable_graph(game, starts, limit)
    except TooLarge:
        return None
    cycles = (part for part in graph_components(graph) if is_cyclic(graph, part))
    cycle = next(cycles, None)
    return None if cycle is None else graph.positions[min(cycle)]


def end_components(
    nodes: Iterable[int], choices: Callable[[int], Sequence[tuple[int, frozenset[int]]]]
) -> list[dict[int, set[int]]]:
    """The maximal end components: sets of positions that some choices never leave and connect.

    `choices(node)` lists (name, targets). Each component is given as its nodes with the names of the
    choices that stay inside. De Alfaro 1997: split into strong components, drop what leaves, repeat.
    """
    found = []
    pending = [set(nodes)]
    while pending:
        region = pending.pop()
        staying = _staying(region, choices)
        if not staying:
            continue
        numbering = {node: i for i, node in enumerate(staying)}
        names = list(staying)
        targets = {
            node: [numbering[t] for name, ts in choices(node) if name in kept for t in ts]
            for node, kept in staying.items()
        }
        parts = components(len(names), lambda i, names=names, targets=targets: targets[names[i]])  # type: ignore[misc]
        if len(parts) == 1:
            found.append(staying)
        else:
            pending.extend({names[i] for i in part} for part in parts)
    return found


def _staying(
    region: set[int], choices: Callable[[int], Sequence[tuple[int, frozenset[int]]]]
) -> dict[int, set[int]]:
    """The part of a region that can stay in itself for ever, with the choices that do."""
    region = set(region)
    while True:
        staying = {node: {name for name, targets in choices(node) if targets <= region} for node in region}
        leaving = {node for node, kept in staying.items() if not kept}
        if not leaving:
            return staying
        region -= leaving


def rationalised(graph: Graph) -> Graph:
    """The graph with rationals for floats, probabilities made to sum to 1.

    A float means the decimal that it is written as: 0.1 is a tenth.
    """
    if graph.rational:
        return graph
    choices = []
    for old in graph.choices:
        new = []
        for choice in old:
            probabilities = [rational(edge.probability) for edge in choice.edges]
            whole = sum(probabilities)
            edges = [
                Edge(edge.target, probability / whole, tuple(rational(reward) for reward in edge.rewards))
                for edge, probability in zip(choice.edges, probabilities, strict=True)
            ]
            new.append(Choice(choice.move, tuple(edges)))
        choices.append(tuple(new))
    utilities = [None if u is None else tuple(rational(x) for x in u) for u in graph.utilities]
    return Graph(graph.positions, graph.index, graph.players, choices, utilities)
