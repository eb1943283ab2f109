"""Ctrl-C always works.

The first one asks the command to stop, which answers with what it has so far. Python can pass that on only
between two steps of its own, and a rule that loops through billions of values is one long step in machine
code. So the second one ends the program at once, whatever is running.
Who stops a program together with all that it started (`timeout` does) may signal it twice at the same time:
that is one.
"""

from __future__ import annotations

import os
import signal
from functools import cache
from threading import Thread
from time import monotonic

INTERRUPTED = 130

TWICE = 0.2
"""Seconds within which nobody presses a key again."""

ANEW = b"\0"
"""Says that a command begins. No signal has this number."""


def end_at_the_second() -> None:
    """From now on a second interrupt ends the program; every call counts anew. Only for the main thread."""
    writable = _watcher()
    os.write(writable, ANEW)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)


@cache
def _watcher() -> int:
    """Where signals are noted. All commands of a process share it, for it takes a thread and a pipe."""
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    Thread(target=_watch, args=(readable,), daemon=True).start()
    return writable


def _watch(readable: int) -> None:
    first = None
    while True:
        said = os.read(readable, 1)
        if said == ANEW:
            first = None
        elif said[0] == signal.SIGINT:
            first = first or monotonic()
            if monotonic() - first > TWICE:
                break
    os.write(2, b"\nstopped at once\n")
    os._exit(INTERRUPTED)
