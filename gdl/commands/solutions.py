"""Showing solutions: the value, the moves, the line, what it cost, and progress meanwhile."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from gdl.commands.arguments import console, number, print_facts, print_styled

if TYPE_CHECKING:
    from gdl.model.nodes import Model
    from solvers.kernels.solve import Statistics
    from solvers.result import Result

LINE_SHOWN = 40


def show_result(model: Model | None, game: Any, result: Result, reason: str) -> None:
    from solvers.numbers import show_short

    params = ", ".join(f"{name}={value}" for name, value in parameters(model).items()) if model else ""
    print_styled((game.name, "bold"), (f", {params}" if params else "", ""))
    facts = [("solver", result.solver + (f": {reason}" if reason else "")), ("how", result.how)]
    print_facts(facts)
    known = [
        (player, str(value)) for player, value in zip(result.players, result.values, strict=True) if value
    ]
    print_facts(known, "value" + (" (stopped early)" if result.partial else ""))
    if result.moves:
        rows = []
        for move in result.moves:
            text = "?" if move.value is None else str(move.value)
            if move.distance is not None:
                text += f"   ends in {move.distance:,}"
            if move.visits is not None:
                text += f"   {move.visits:,} plays"
            rows.append((("* " if move.best else "  ") + move.text, text))
        print_facts(rows, f"moves of {result.to_move} (* best)")
    if result.line:
        steps = [
            f"{step.player}: {step.move}"
            + ("" if step.probability == 1 else f" [{show_short(step.probability)}]")
            for step in result.line[:LINE_SHOWN]
        ]
        more = len(result.line) - len(steps)
        uncertain = any(step.probability != 1 for step in result.line)
        title = "principal line" + (", following the likeliest outcomes" if uncertain else "")
        print_facts([(str(k), step) for k, step in enumerate(steps, 1)], title)
        if more:
            typer.echo(f"  … and {more:,} more")


def work_done(result: Result, found: Statistics) -> Iterator[tuple[str, str]]:
    visited = found.inside or found.positions
    speed = visited / found.explore_seconds if found.explore_seconds else 0.0
    if found.inside:
        yield "positions", f"{found.positions:,} at rest, {found.layers:,} turns from the first to the last"
        yield "within turns", f"{found.inside:,}, {number(speed)} per second"
        yield "edges", f"{found.edges:,} between positions at rest"
    else:
        yield "positions", f"{found.positions:,} in {found.layers:,} layers, {number(speed)} per second"
        yield "edges", f"{found.edges:,}"
    if found.components:
        yield (
            "components",
            f"{found.components:,}, of which {found.cyclic_components:,} have cycles; "
            f"the largest of these has {found.largest_component:,} positions",
        )
    if found.widest:
        yield "bounds", f"at most {found.widest:.2g} apart, for every position"
    per_position = found.position_bytes / max(1, found.positions)
    yield "memory", f"{amount_of_memory(found.position_bytes)} for positions, {per_position:.3g} bytes each"
    if found.edge_bytes:
        per_edge = found.edge_bytes / max(1, found.edges)
        what = "the programs of turns" if found.inside else "edges"
        each = f", {per_edge:.3g} bytes each" if not found.inside else ""
        yield "", f"{amount_of_memory(found.edge_bytes)} for {what}{each}"
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


def parameters(model: Model) -> dict[str, str]:
    from gdl.model.types import show_value

    return {p.name: show_value(p.type, p.value) for p in model.parameters}


def amount_of_memory(size: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} PB"
