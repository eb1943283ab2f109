"""A solved game as columns: for every position the value of each variable, who moves, and what it is worth.

A million positions are held as arrays of numbers; positions and moves are made into objects, and texts, only
where they are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gdl.diagnostics import GameError
from gdl.diagnostics.drawing import nothing_to_plot
from gdl.draw.plots.plot import Label
from gdl.game import TERMINAL, Game
from gdl.model.types import Cells, Int, Player, Tuple, from_ordinal, ordinal, show_value

if TYPE_CHECKING:
    from gdl.model.nodes import Variable


@dataclass(frozen=True)
class Column:
    """One number for every position: the ordinal of the value of a variable, or of an element of a map."""

    name: str  # "pot", "banked[first]"
    type: Any
    numbers: Any  # int64, one per position

    @property
    def readable(self) -> bool:
        """Whether it can be an axis; tuples and sets cannot."""
        return hasattr(self.type, "size") and not isinstance(self.type, Tuple) and self.type.size < 1 << 31

    @property
    def is_number(self) -> bool:
        return isinstance(self.type, Int)

    @property
    def is_player(self) -> bool:
        return isinstance(self.type, Player)

    @property
    def is_place(self) -> bool:
        """Whether it is a square of a board that can be drawn."""
        return isinstance(self.type, Cells) and self.type.rows > 0

    def label(self, number: int) -> Label:
        if isinstance(self.type, Int):
            return number + self.type.lo
        return show_value(self.type, from_ordinal(self.type, number))

    @cached_property
    def present(self) -> list[int]:
        """The ordinals that positions have, in order."""
        return [int(number) for number in np.unique(self.numbers)]


@dataclass(frozen=True)
class Solved:
    """All positions that were solved, by number."""

    game: Game[Any, Any]
    columns: tuple[Column, ...]
    mover: Any  # int8: the player, or a code below 0
    worth: Any  # float64: to the player to move; else to the first player
    position: Callable[[int], Any]
    best_moves: Callable[[int], Sequence[Any]]
    how: str
    start: int  # the number of the position at the start, of the first one where chance decides
    by_length: bool = False  # of moves that tie, the best are those that win soonest or lose latest

    def __len__(self) -> int:
        return len(self.mover)

    def best(self, number: int) -> tuple[str, ...]:
        """The texts of the moves that tie for best; none where no player moves."""
        if self.mover[number] < 0:
            return ()
        return tuple(self.game.format_move(move) for move in self.best_moves(number))


def solved_positions(game: Game[Any, Any], at: Any = None, *, limit: int | None = None) -> Solved:
    """Solves a game and keeps every position. Raises Refusal where it is too large, GameError where something
    is hidden or positions have no variables."""
    model = getattr(game, "model", None)
    if game.traits.hidden:
        raise GameError(
            [
                nothing_to_plot(
                    f"{game.name} has hidden information: no move is best in a position alone",
                    f"`gdl solve {game.name}` says what to play by what is known; "
                    "`gdl plot convergence` shows how that is found",
                )
            ]
        )
    if model is None:
        raise GameError(
            [
                nothing_to_plot(
                    f"{game.name} is a class of its own: its positions have no variables to draw over",
                    "describe it in a file, or draw the rows of a result with your own axes",
                )
            ]
        )
    if getattr(game, "compiled", None) is not None:
        found = _by_kernels(game, model.variables, at, limit)
        if found is not None:
            return found
    return _by_textbook(game, model.variables, at, limit)


def _by_kernels(game: Any, variables: Sequence[Variable], at: Any, limit: int | None) -> Solved | None:
    """From the arrays of machine code; None where the numbers of the game do not fit machine words."""
    from solvers.core.refusal import TooFine
    from solvers.core.starts import starts_of
    from solvers.plan import follow_whole, plan_whole
    from solvers.whole.kernels.best_choices import best_choices
    from solvers.whole.kernels.solve import GraphValues, Settings, solve_whole

    settings = Settings(limit=limit)
    follow: Any = follow_whole  # here an answer comes with its graph
    try:
        solved = follow(
            lambda steps: plan_whole(game, steps, at, settings, turns=False),
            lambda plan: solve_whole(game, plan.solver, at, plan.settings),
        )
    except TooFine:
        return None
    graph, values = solved.graph, solved.values
    if graph is None or not isinstance(values, GraphValues):
        raise GameError(
            [
                nothing_to_plot(
                    f"{game.name} is too large: its moves do not fit memory beside its positions",
                    "make it smaller by a parameter (`-p`), or begin later with `--from`",
                )
            ]
        )
    columns = _unpacked(graph.keys(), game.compiled.fields, variables)
    mover = graph.mover
    middle = (values.low + values.high) / 2
    if middle.shape[1] == 1:
        worth = middle[:, 0] * np.where(mover == 1, -1.0, 1.0)
    else:
        worth = middle[np.arange(len(mover)), np.maximum(mover, 0)]
    marked = best_choices(graph, values.low, values.high, game.traits.discount, values.proven)

    def best(number: int) -> list[Any]:
        position = graph.position(number)
        if values.distances is not None:
            return list(solved.lookup.best(position))
        start = int(graph.row[number])
        return [move for k, move in enumerate(game.moves(position)) if marked[start + k]]

    start = graph.index(next(iter(starts_of(game, at))).position)
    assert start is not None, "the search for positions began there"
    return Solved(game, columns, mover, worth, graph.position, best, solved.result.how, start,
                  values.distances is not None)  # fmt: skip


def _unpacked(keys: Any, fields: Sequence[tuple[str, int, int]], variables: Sequence[Variable]) -> Any:
    """A column for each element of each variable from the packed keys of positions."""
    places = {name: (first, bits) for name, first, bits in fields}
    found = []
    for variable in variables:
        first, bits = places.get(variable.name, (0, 0))
        each = bits // variable.count
        for k, name in enumerate(element_names(variable)):
            found.append(Column(name, variable.type, _bits(keys, first + k * each, each)))
    return tuple(found)


def _bits(keys: Any, first: int, count: int) -> Any:
    """The bits of every key as numbers; of very wide values only the lowest 62, which tell no more apart."""
    count = min(count, 62)
    word, at = divmod(first, 64)
    if count == 0:
        return np.zeros(len(keys), np.int64)
    found = keys[:, word] >> np.uint64(at)
    if at + count > 64:
        found = found | (keys[:, word + 1] << np.uint64(64 - at))
    return (found & np.uint64((1 << count) - 1)).astype(np.int64)


def element_names(variable: Variable) -> list[str]:
    """`pot`, or `banked[first]` and `banked[second]`."""
    from gdl.reference.positions import element_indices

    if not variable.indices:
        return [variable.name]
    return [
        f"{variable.name}[{', '.join(show_value(t, v) for t, v in zip(variable.indices, each, strict=True))}]"
        for each in element_indices(variable)
    ]


def _by_textbook(game: Any, variables: Sequence[Variable], at: Any, limit: int | None) -> Solved:
    """From the objects of a textbook solver."""
    from gdl.solving import solve
    from solvers.core.rounding import exact_twin
    from solvers.core.starts import starts_of

    exact: Any = exact_twin(game)
    result = solve(exact, at=at, limit=limit)
    policy = result.policy
    assert policy is not None, f"{result.solver} visits every position"
    positions: list[Any] = list(policy.positions)
    movers = [exact.to_move(position) for position in positions]
    worth = [
        float(policy.value(position)[max(mover, 0)].number)
        for position, mover in zip(positions, movers, strict=True)
    ]
    columns = []
    at_element = 0
    for variable in variables:
        for name in element_names(variable):
            numbers = [ordinal(variable.type, position.values[at_element]) for position in positions]
            columns.append(Column(name, variable.type, np.array([n & (1 << 62) - 1 for n in numbers])))
            at_element += 1
    return Solved(
        exact,
        tuple(columns),
        np.array(movers, np.int8),
        np.array(worth),
        positions.__getitem__,
        lambda number: policy.best(positions[number]) if movers[number] != TERMINAL else (),
        result.how,
        positions.index(next(iter(starts_of(exact, at))).position),
        result.solver == "retrograde",
    )
