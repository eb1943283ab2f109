"""Solving whole games by turns: only positions at rest have values of their own.

A game without repeats is solved by backward induction, its turns explored again when they are needed. Where
positions may repeat, the programs of all turns are kept (turn_programs.py) and swept until their values are
proven bounds: the proof is the one of bellman.py, a turn being the step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np

from gdl.game import Game
from solvers.core.combine import opposed
from solvers.core.refusal import cannot_go_on
from solvers.core.result import Value
from solvers.core.rounding import outside
from solvers.machine.kernels import kernel
from solvers.machine.pointers import pointer_to, struct
from solvers.machine.types import i64
from solvers.whole.kernels.blocks import Blocks, Standing
from solvers.whole.kernels.breadth_first import Reached
from solvers.whole.kernels.checkpoint import Checkpoint
from solvers.whole.kernels.induction_without_edges import induce_regenerating
from solvers.whole.kernels.space import bases
from solvers.whole.kernels.turns import turn_programs
from solvers.whole.kernels.turns.space import Programs, TurnSpace, addresses
from solvers.whole.kernels.turns.turn_programs import Reading, value_of

MOST_SWEEPS = 20_000

Report = Callable[[str, float], None]


class TurnValues:
    """The values of rests; those of other positions are made from them (solvers.core.lookup.Values)."""

    def __init__(self, game: Game[Any, Any], space: TurnSpace, low: list[Any], high: list[Any]):
        self.game, self.space = game, space
        self.low, self.high = low, high  # per partition; the same object where values are exact

    def __len__(self) -> int:
        return self.space.count

    def value(self, position: Any) -> tuple[Value, ...] | None:
        found = self.space.bounds_at(position, self.low, self.high)
        if found is None:
            return None
        value = Value.exact(found[0]) if self.low is self.high else Value.bounded(*found)
        return opposed(self.game, value)

    def distance(self, position: Any) -> int | None:
        return None

    def positions(self) -> Iterator[Any]:
        """The positions at rest, and those in which play began."""
        return self.space.positions()


def induce_turns(reached: Reached, report: Report | None) -> TurnValues:
    """The value of every rest of a game without repeats."""
    space = reached.space
    assert isinstance(space, TurnSpace)
    values = induce_regenerating(reached, report, space.combine)
    low = [rows[:, 0] for rows in values.numbers]
    high = [rows[:, 1] for rows in values.numbers] if space.game.traits.rounds else low
    return TurnValues(space.game, space, low, high)


def bound_turns(
    reached: Reached,
    endless: float,
    precision: float,
    *,
    deadline: float | None,
    report: Report | None,
    checkpoint: Checkpoint | None,
) -> tuple[TurnValues, Standing]:
    """Proven bounds of the value of every rest, at most `precision` apart as far as floats allow."""
    space = reached.space
    assert isinstance(space, TurnSpace)
    blocks = TurnBlocks(reached)
    standing = _resumed(blocks, space, checkpoint)
    if standing is None:
        standing = Standing(0, precision / 128)  # small at once: a second attempt costs more
        blocks.high[:] = endless

    def look(standing: Standing) -> None:
        if report is not None:
            report(f"bounding, sweep {standing.sweep + 1}", blocks.settled(standing))
        if checkpoint is not None and checkpoint.due():
            arrays = {"low": blocks.low, "high": blocks.high}
            checkpoint.save_bounds(
                space, "value_iteration by turns", {"standing": standing.as_data()}, arrays
            )
        if deadline is not None and perf_counter() > deadline:
            raise cannot_go_on(
                f"the time is over, and {space.game.name} is not solved.", "Allow more time, or go without."
            )

    if not blocks.solve(precision / 2, MOST_SWEEPS, look, standing):
        raise cannot_go_on(
            f"no bounds can be proven for {space.game.name} by turns: somebody may want to play for ever.",
            "Solve it without --turns.",
        )
    base = bases(space.parts)
    least, most = outside(*space.game.traits.value_bounds[0])
    np.maximum(blocks.low, least, out=blocks.low)
    np.minimum(blocks.high, most, out=blocks.high)
    low, high = ([values[lo:hi] for lo, hi in pairwise(base)] for values in (blocks.low, blocks.high))
    return TurnValues(space.game, space, low, high), standing


def _resumed(blocks: TurnBlocks, space: TurnSpace, checkpoint: Checkpoint | None) -> Standing | None:
    earlier = None if checkpoint is None else checkpoint.load_bounds(space, "value_iteration by turns")
    if earlier is None or len(earlier[1]["low"]) != len(blocks.low):
        return None
    step, arrays = earlier
    blocks.low[:], blocks.high[:] = arrays["low"], arrays["high"]
    return Standing(**step["standing"])


class TurnBlocks(Blocks):
    """The rests of a game, each partition a block; they are swept from the last one found to the first."""

    def __init__(self, reached: Reached):
        space, kept = reached.space, reached.kept
        assert isinstance(space, TurnSpace) and kept is not None
        self._space = space
        address = addresses(space)
        self._programs: list[list[tuple[int, Any, Any]]] = []
        self._readings: list[dict[float, Reading]] = []
        most = 1
        base = bases(space.parts)
        for p, programs in enumerate(kept):
            assert isinstance(programs, Programs)
            nodes = np.empty(programs.longest)
            at = int(base[p])
            mine = []
            for words, starts in programs.finish(address):
                mine.append((at, words, starts))
                most = max(most, int(_roundings(words, starts, nodes)))
                at += len(starts) - 1
            self._programs.append(mine[::-1])
            self._readings.append({side: space.reading(p, nodes, side) for side in (-1.0, 0.0, 1.0)})
        size = space.count
        blocks = [(int(lo), int(hi)) for lo, hi in pairwise(base)]
        super().__init__(size, np.zeros(size), np.zeros(size), blocks, most, space.each)

    def sweep(self, block: int, values: Any, extra: float, steps: Any) -> tuple[float, float, float]:
        reading = struct(self._readings[block][0.0])
        change = along = across = 0.0
        for at, words, starts in self._programs[block]:
            if self._space.closed:
                break
            found = _sweep(at, words, starts, values, reading, extra, steps)
            change, along, across = max(change, found[0]), along + found[1], across + found[2]
        return change, along, across

    def passes(self, block: int, values: Any, side: float) -> bool:
        reading = struct(self._readings[block][side])
        return all(
            _passes(at, words, starts, values, reading, side) for at, words, starts in self._programs[block]
        )

    def settled(self, standing: Standing) -> float:
        """About which share of the sweeps is done: changes shrink by a factor at a time."""
        if not 0 < standing.smallest < 1:
            return 0.0
        return min(1.0, float(np.log(standing.smallest) / np.log(standing.eta / 4)))


@kernel
def _sweep(at: int, words: Any, starts: Any, values: Any, reading: Any, extra: float, steps: Any) -> Any:
    """bellman.sweep over the programs of rests at .., from the last one to the first."""
    program, known = pointer_to(words), pointer_to(values)
    change = along = across = 0.0
    for b in range(len(starts) - 2, -1, -1):
        v = at + b
        lo, hi = i64(starts[b]), i64(starts[b + 1])
        value = extra + value_of(program, lo, hi, known, reading, 0.0)
        step = value - values[v]
        change = max(change, abs(step))
        values[v] = value
        along += step * steps[v]
        across += steps[v] * steps[v]
        steps[v] = step
    return change, along, across


@kernel
def _passes(at: int, words: Any, starts: Any, values: Any, reading: Any, side: float) -> bool:
    """bellman.passes over programs."""
    program, known = pointer_to(words), pointer_to(values)
    for b in range(len(starts) - 1):
        lo, hi = i64(starts[b]), i64(starts[b + 1])
        if not side * value_of(program, lo, hi, known, reading, side) < side * values[at + b]:
            return False
    return True


@kernel
def _roundings(words: Any, starts: Any, nodes: Any) -> float:
    """The largest number of roundings one after another in any of the programs."""
    most = 0.0
    for b in range(len(starts) - 1):
        at, n = i64(starts[b]), 0
        while at < starts[b + 1]:
            head = i64(words[at])
            kind, count = head >> turn_programs.TAG, head & turn_programs.NUMBER
            at += 2 if kind == turn_programs.MEAN else 1
            longest = 0.0
            for k in range(at, at + count):
                r = i64(words[k])
                if r >> turn_programs.TAG == turn_programs.NODE:
                    longest = max(longest, nodes[r & turn_programs.NUMBER])
            nodes[n] = longest + (count + 12.0 if kind == turn_programs.MEAN else 0.0)
            most = max(most, nodes[n])
            n += 1
            at += count
    return most
