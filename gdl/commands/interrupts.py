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
from threading import Thread
from time import monotonic

INTERRUPTED = 130

TWICE = 0.2
"""Seconds within which nobody presses a key again."""


def end_at_the_second() -> None:
    """From now on a second interrupt ends the program. Only for the main thread."""
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    Thread(target=_watch, args=(readable,), daemon=True).start()


def _watch(readable: int) -> None:
    first = None
    while True:
        if os.read(readable, 1)[0] == signal.SIGINT:
            first = first or monotonic()
            if monotonic() - first > TWICE:
                break
    os.write(2, b"\nstopped at once\n")
    os._exit(INTERRUPTED)
