"""Showing solutions: the value, the moves, the line, what it cost, and progress meanwhile."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from gdl.commands.arguments import console, print_facts, print_styled
from gdl.diagnostics.wording.phrases import amount_of_memory, counted

if TYPE_CHECKING:
    from gdl.model.nodes import Model
    from solvers.core.result import Result
    from solvers.whole.kernels.solve import Statistics

LINE_SHOWN = 40


def in_words(game: Any, position: Any, result: Result) -> Result:
    """The answer about a position (None for the start), its line with what chance did on the way."""
    from dataclasses import replace

    from solvers.core.lines import explained

    return replace(result, line=explained(game, position, result.line))


def show_result(model: Model | None, game: Any, result: Result, reason: str) -> None:
    print_styled((game.name, "bold"), (parameters_shown(model) if model else "", ""))
    facts = [("solver", result.solver + (f": {reason}" if reason else "")), ("how", result.how)]
    print_facts(facts)
    known = [
        (player, str(value)) for player, value in zip(result.players, result.values, strict=True) if value
    ]
    print_facts(known, "value" + (" (stopped early)" if result.partial else ""))
    if result.moves:
        rows = []
        for move in result.moves:
            text = str(move.value)
            if move.value is None:
                text = "not tried" if move.visits == 0 else "not better"
            if move.values:
                text = ", ".join(f"{p} {v}" for p, v in zip(result.players, move.values, strict=True))
            if move.distance is not None:
                text += f"   ends in {move.distance:,}"
            if move.visits is not None:
                text += f"   {counted(move.visits, 'play')}"
            rows.append((("* " if move.best else "  ") + move.text, text))
        print_facts(rows, f"moves of {result.to_move} ({_legend(result)})")
    if result.line:
        steps = [f"{step.player}: {step}" for step in result.line[:LINE_SHOWN]]
        more = len(result.line) - len(steps)
        uncertain = any(step.probability != 1 for step in result.line)
        followed = ", following the likeliest outcome of chance, the first of equals" if uncertain else ""
        title = "principal line" + followed
        print_facts([(str(k), step) for k, step in enumerate(steps, 1)], title)
        if more:
            typer.echo(f"  … and {more:,} more")


def _legend(result: Result) -> str:
    """What the mark of moves means."""
    starred = [move for move in result.moves if move.best]
    means = [float(move.value.number) for move in result.moves if move.value is not None]
    by_visits = any(
        move.visits is not None and move.value is not None and float(move.value.number) < max(means)
        for move in starred
    )
    return "* tried most, though its mean is not the highest" if by_visits else "* best"


def work_done(result: Result, found: Statistics) -> Iterator[tuple[str, str]]:
    from solvers.core.numbers import show_most

    visited = found.inside or found.positions
    speed = speed_shown(visited, found.explore_seconds)
    if found.inside:
        yield "positions", f"{found.positions:,} at rest, {found.layers:,} turns from the first to the last"
        yield "within turns", f"{found.inside:,}{speed}"
        yield "edges", f"{found.edges:,} between positions at rest"
    else:
        yield "positions", f"{found.positions:,} in {found.layers:,} layers{speed}"
        yield "edges", f"{found.edges:,}"
    if found.components:
        cyclic = (
            f"{found.cyclic_components:,} with cycles, of at most {found.largest_component:,} positions"
            if found.cyclic_components
            else "none with cycles"
        )
        yield "components", f"{found.components:,}, {cyclic}"
    if found.widest:
        yield "bounds", f"at most {show_most(found.widest)} apart, for every position"
    yield "memory", memory_of(found.position_bytes, "positions", found.positions)
    if found.edge_bytes and found.inside:
        yield "", f"{amount_of_memory(found.edge_bytes)} for the programs of turns"
    elif found.edge_bytes:
        yield "", memory_of(found.edge_bytes, "edges", found.edges)
    yield (
        "time",
        f"{result.work.seconds:.3g} s: {found.compile_seconds:.3g} to compile, "
        f"{found.explore_seconds:.3g} to explore, {found.solve_seconds:.3g} to solve",
    )


@contextmanager
def progress_shown() -> Iterator[tuple[Any, Any]]:
    """What is being done: on standard error where that is a terminal, and whenever it is interrupted."""
    last = ""
    update: Callable[[str], None] = _nothing

    def exploring(progress: Any) -> None:
        nonlocal last
        interrupts.raise_missed()
        last = (
            f"exploring: {progress.positions:,} positions, {progress.frontier:,} to go, "
            f"layer {progress.layer}, "
            f"{progress.speed / 1e6:.2f} million/s, {amount_of_memory(progress.bytes)}"
        )
        update(last)

    def solving(what: str, share: float) -> None:
        nonlocal last
        interrupts.raise_missed()
        last = f"{what}: {100 * share:.0f} %"
        update(last)

    try:
        with _Interrupts() as interrupts:
            if not sys.stderr.isatty():
                yield exploring, solving
                return
            with console(stderr=True).status("compiling …") as status:
                update = status.update
                yield exploring, solving
    except KeyboardInterrupt:
        if last:
            sys.stderr.write(f"\nstopped while {last}\n")
        raise


class _Interrupts:
    """Remembers Ctrl-C: one that comes while a kernel is compiled may be lost, since LLVM calls Python back
    from where exceptions cannot pass.
    """

    def __enter__(self) -> _Interrupts:
        self._pressed = False
        self._before: Any = None
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _press(self, *_: object) -> None:
        self._pressed = True
        raise KeyboardInterrupt

    def raise_missed(self) -> None:
        """Raises KeyboardInterrupt if there was one."""
        if self._pressed:
            raise KeyboardInterrupt


def _nothing(_: str) -> None:
    """Where nobody watches."""


def branching_shown(least: int, mean: float, most: int) -> str:
    """`1 to 9, 4.986 on average`."""
    from solvers.core.numbers import show_rough

    return f"{least:,}" if least == most else f"{least:,} to {most:,}, {show_rough(mean)} on average"


def parameters_shown(model: Model) -> str:
    """`, goal=20, faces=6`, to follow the name of a game; nothing where it has no parameters."""
    return "".join(f", {name}={value}" for name, value in parameters(model).items())


def parameters(model: Model) -> dict[str, str]:
    from gdl.model.types import show_value

    return {p.name: show_value(p.type, p.value) for p in model.parameters}


_MANY = 1000
"""With fewer things than this, what each takes is hidden by what all take together: room taken in one piece,
time to get going."""


def speed_shown(count: int, seconds: float) -> str:
    """`, 1,230,000 per second`, where that says something."""
    from solvers.core.numbers import show_rate

    return f", {show_rate(count / seconds)} per second" if count >= _MANY and seconds else ""


def memory_of(size: float, what: str, count: int) -> str:
    """`186 kB for positions, 141 bytes each`."""
    each = f", {size / count:.3g} bytes each" if count >= _MANY else ""
    return f"{amount_of_memory(size)} for {what}{each}"
