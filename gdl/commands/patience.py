"""Signs of life on standard error while something takes long."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

FIRST = 2.0
"""Seconds until something is said; the next time takes twice as long."""


@contextmanager
def patience(said: Callable[[], str], always: bool) -> Iterator[None]:
    """Says how far it is, now and then: `always`, or only while nothing changes that could be seen."""
    over = Event()

    def watch() -> None:
        wait, before = FIRST, said()
        while not over.wait(wait):
            now = said()
            if always or now == before:
                sys.stderr.write(f"{now}\n")
                sys.stderr.flush()
                wait *= 2
            before = now

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
