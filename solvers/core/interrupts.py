"""What Ctrl-C means to a solver: the end of its work, with an answer or without.

Who asks about one position gets what is known so far. Who asks for move after move, or for the policy of a
whole game, wants all of it to end: an answer that was cut short would be taken for one that was not.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_passed_on: ContextVar[bool] = ContextVar("_passed_on", default=False)


@contextmanager
def interrupts_passed_on() -> Iterator[None]:
    """Solvers that are asked meanwhile do not answer an interrupt, but end with it."""
    before = _passed_on.set(True)
    try:
        yield
    finally:
        _passed_on.reset(before)


def pass_on(end: BaseException) -> None:
    """For solvers that caught what ended their work: raises an interrupt again where no answer is wanted."""
    if isinstance(end, KeyboardInterrupt) and _passed_on.get():
        raise end
