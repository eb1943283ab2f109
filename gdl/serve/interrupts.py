"""When work may be interrupted: during a long search, which is made for it, and between two steps of others.

Elsewhere an interrupt could hit an import or a compiler, and leave the process with half of it.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_asked = False
_allowed = False


def listen() -> None:
    """From now on interrupts wait until they are allowed."""
    signal.signal(signal.SIGINT, _heard)


def forget() -> None:
    """What was to be interrupted is over."""
    global _asked
    _asked = False


def stop_if_asked() -> None:
    """Raises KeyboardInterrupt where somebody asked for the end of the work."""
    if _asked:
        raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[None]:
    """What is done meanwhile may be interrupted at any point."""
    global _allowed
    stop_if_asked()
    _allowed = True
    try:
        yield
    finally:
        _allowed = False


def _heard(number: int, frame: Any) -> None:
    global _asked
    _asked = True
    if _allowed:
        raise KeyboardInterrupt
