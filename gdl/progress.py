"""What a long computation is at, told on standard error while it runs."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from gdl.diagnostics.wording.phrases import amount_of_memory

EVERY = 5.0
"""Seconds between two lines where there is no terminal to write one line over and over."""


@contextmanager
def progress_shown(shown: bool | None = None) -> Iterator[tuple[Any, Any]]:
    """What is being done: on standard error, and whenever it is interrupted.

    Gives what to call while exploring and while solving. `shown` None: only where that is a terminal.
    """
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
            if not sys.stderr.isatty() or shown is False:
                update = _now_and_then() if shown else _nothing
                yield exploring, solving
                return
            from rich.console import Console

            with Console(file=sys.stderr, highlight=False).status("compiling …") as status:
                update = status.update
                yield exploring, solving
    except KeyboardInterrupt:
        if last:
            sys.stderr.write(f"\nstopped while {last}\n")
        raise


def _now_and_then() -> Callable[[str], None]:
    before = monotonic()

    def update(text: str) -> None:
        nonlocal before
        if monotonic() - before >= EVERY:
            before = monotonic()
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()

    return update


def _nothing(_: str) -> None:
    """Where nobody watches."""


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
