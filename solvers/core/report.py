"""A result for people, line by line: what `gdl solve` and `gdl search` print, and `print(result)`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gdl.diagnostics.facts import facts_lines
from gdl.diagnostics.render import Styled
from gdl.diagnostics.wording.phrases import amount_of_memory, counted
from gdl.game import Number
from solvers.core.numbers import show_rate, show_rough, show_short

if TYPE_CHECKING:
    from solvers.core.result import MoveValue, Result, Value

LINE_SHOWN = 40
"""Moves of the principal line that are shown."""

FACTORS = 12
"""Of a product that is written out."""

_MANY = 1000
"""With fewer things than this, what each takes is hidden by what all take together: room taken in one piece,
time to get going."""


def report(result: Result) -> Iterator[Styled]:
    """All that is to be said of a result."""
    given = "".join(f", {name}={value}" for name, value in result.params)
    yield [(result.game, "bold"), (given, "")]
    why = f": {result.reason}" if result.reason else ""
    facts = [("solver", result.solver + why), ("how", result.how)]
    yield from facts_lines([*facts, (f"{result.to_move} sees", result.known)] if result.known else facts)
    known = [(p, shown(result, v)) for p, v in zip(result.players, result.values, strict=True) if v]
    what = "cost" if result.costs else "value"
    yield from facts_lines(known, what + (" (stopped early)" if result.partial else ""))
    if result.strategy is not None:
        yield from facts_lines(list(result.strategy.facts()), "how good it is")
        for title, rows in result.strategy.tables():
            yield from facts_lines(list(rows), title)
    moves = [(("* " if move.best else "  ") + move.text, worth(result, move)) for move in result.moves]
    yield from facts_lines(moves, f"moves of {result.to_move} ({legend(result)})")
    yield from _line(result)
    yield from facts_lines(list(work_facts(result)), "work")
    yield from facts_lines([(file.kind, f"{file.file}{file.says}") for file in result.written], "written")


def shown(result: Result, value: Value) -> str:
    """A value, or the cost that is its opposite."""
    return str(-value if result.costs else value)


def worth(result: Result, move: MoveValue) -> str:
    """What is known of a move."""
    if move.value is not None:
        text = shown(result, move.value)
    else:
        text = "not tried" if move.visits == 0 else "not better"
    if move.values:
        each = zip(result.players, move.values, strict=True)
        text = ", ".join(f"{player} {shown(result, value)}" for player, value in each)
    if move.distance is not None:
        text += f"   ends in {move.distance:,}"
    if move.probability is not None:
        text += f"   played with {move.probability:.3g}"
    if move.visits is not None:
        text += f"   {counted(move.visits, 'play')}"
    return text


def legend(result: Result) -> str:
    """What the mark of moves means."""
    starred = [move for move in result.moves if move.best]
    means = [move.value.number for move in result.moves if move.value is not None]
    by_visits = any(
        move.visits is not None and move.value is not None and move.value.number < max(means)
        for move in starred
    )
    mark = "* tried most, though its mean is not the highest" if by_visits else "* best"
    pruned = any(move.value is None and move.visits is None and not move.values for move in result.moves)
    return mark + ("; not better: than these; whether as good or worse is left open" if pruned else "")


def _line(result: Result) -> Iterator[Styled]:
    steps = [f"{step.player}: {step}" for step in result.line[:LINE_SHOWN]]
    yield from facts_lines([(str(k), step) for k, step in enumerate(steps, 1)], line_title(result))
    if more := len(result.line) - len(steps):
        yield [(f"  … and {more:,} more", "")]
    if product := odds_together([step.probability for step in result.line]):
        yield [(f"  all of it has the probability {product}", "")]


def odds_together(odds: Sequence[Number]) -> str:
    """The probability of several things that chance does one after the other, as a product; nothing unless it
    does two or more."""
    factors = [one for one in odds if one != 1]
    if len(factors) < 2:
        return ""
    together = math.prod(factors)
    rounded = any(isinstance(one, float) for one in factors)
    shown = show_rough(together) if rounded else show_short(together)
    if rounded or len(factors) > FACTORS:
        return shown
    return f"{' · '.join(map(str, factors))} = {shown}"


def line_title(result: Result) -> str:
    uncertain = any(step.probability != 1 for step in result.line)
    followed = ", following the likeliest outcome of chance, the first of equals" if uncertain else ""
    return "principal line" + followed


def work_facts(result: Result) -> Iterator[tuple[str, str]]:
    """What the answer took."""
    work = result.work
    if result.statistics is not None:
        yield from result.statistics.facts()
        return
    if result.strategy is not None:
        if work.positions is not None:
            yield "histories", f"{work.positions:,}"
        if work.rounds is not None:
            earlier = f", {work.earlier:,} of them before this run" if work.earlier else ""
            speed = speed_shown(work.rounds - work.earlier, work.seconds)
            yield "iterations", f"{work.rounds:,}{earlier}{speed}"
    elif work.nodes is None and result.seed is None and work.positions:
        yield "positions", f"{work.positions:,}"
    elif work.rounds is not None:
        # Plays are drawn by a seed; whoever has none goes round all positions.
        name = "simulations" if result.seed is not None else "rounds"
        yield name, f"{work.rounds:,}{speed_shown(work.rounds, work.seconds)}"
    if work.nodes is not None:
        yield "nodes", f"{work.nodes:,}{speed_shown(work.nodes, work.seconds)}"
    yield "time", f"{work.seconds:.3g} s"
    if result.seed is not None:
        yield "seed", str(result.seed)
    # A search sees a part of the game only: what the checker left to the engines may go wrong elsewhere.
    if result.unproven and result.kind != "estimate":
        places = "1 place is" if result.unproven == 1 else f"{result.unproven} places are"
        yield "rules", f"{places} not proven safe, only checked where the search went (gdl check --verbose)"


def speed_shown(count: int, seconds: float) -> str:
    """`, 1,230,000 per second`, where that says something."""
    return f", {show_rate(count / seconds)} per second" if count >= _MANY and seconds else ""


def memory_of(size: float, what: str, count: int) -> str:
    """`186 kB for positions, 141 bytes each`."""
    each = f", {size / count:.3g} bytes each" if count >= _MANY else ""
    return f"{amount_of_memory(size)} for {what}{each}"
