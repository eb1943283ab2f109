"""The one way through which independent pieces go, wherever they are done."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, TypeVar

from gdl.crew.engine import Engine
from gdl.crew.work import Job
from gdl.diagnostics import GameError
from gdl.diagnostics.commands import workers_lost

Piece = TypeVar("Piece")
Answer = TypeVar("Answer")

PATIENCE = 3
"""So many losses one after the other, with no piece done in between, are no accident."""


def results(
    engine: Engine, tasks: Iterable[tuple[Job[Any, Any, Piece, Answer], Piece]], *, ordered: bool = True
) -> Generator[tuple[Piece, Answer], None, None]:
    """Every piece with what came of it: in the order of the pieces, or as they are done.

    Pieces are taken as they are needed, a few ahead. Those of a worker that was lost are done again. Closing
    the iterator, an interrupt and an error give up what is under way.
    """
    rest = iter(tasks)
    waiting: dict[Future[Any], tuple[Job[Any, Any, Piece, Answer], Piece]] = {}
    losses = 0
    try:
        while True:
            while len(waiting) < engine.ahead and (task := next(rest, None)) is not None:
                waiting[engine.submit(*task)] = task
            if not waiting:
                return
            for future in _finished(waiting, ordered):
                try:
                    answer = engine.answer(future)
                except engine.LOST as lost:
                    losses += 1
                    if losses > PATIENCE:
                        raise GameError([workers_lost(losses, str(lost))]) from lost
                    engine.mend(future)
                    waiting = {
                        engine.submit(*task) if engine.was_lost(one) else one: task
                        for one, task in waiting.items()
                    }
                    break
                losses = 0
                yield waiting.pop(future)[1], answer
    except BaseException:
        engine.give_up(waiting)
        raise


def _finished(waiting: dict[Future[Any], Any], ordered: bool) -> Iterable[Future[Any]]:
    """Futures that are done: the first one, or all that are."""
    if not ordered:
        return wait(waiting, return_when=FIRST_COMPLETED).done
    first = next(iter(waiting))
    wait([first])
    return [first]
