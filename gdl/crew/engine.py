"""What engines have in common: a piece goes in, a future comes out, and it can be told why nothing came."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any, ClassVar

from gdl.crew.work import AnyJob, identity
from gdl.diagnostics import GameError
from gdl.diagnostics.commands import worker_of_another_kind, worker_without_gdl

OURS = ("gdl", "solvers")

Packed = tuple[str, bytes, bytes]
"""The arguments of `perform`."""


class Engine(ABC):
    """Where pieces are done. Opened by `places.opened`, which closes it again."""

    LOST: ClassVar[tuple[type[BaseException], ...]] = ()
    """Errors that say: a worker is gone, and nobody knows what it would have answered."""

    AHEAD: ClassVar[int] = 4
    """So many pieces for each worker are under way, so that none waits for the next one."""

    size: int
    """How many workers there are, as far as is known."""

    @property
    def ahead(self) -> int:
        return self.AHEAD * max(1, self.size)

    def submit(self, job: AnyJob, piece: Any) -> Future[Any]:
        """Begins a piece, now or when a worker is free."""
        return self.send((identity(), job.packed, pickle.dumps(piece)))

    @abstractmethod
    def send(self, packed: Packed) -> Future[Any]:
        """Has `perform` called by a worker."""

    def answer(self, future: Future[Any]) -> Any:
        """What came of a piece. Raises what went wrong, one of LOST if a worker was."""
        try:
            kind, found = future.result()
        except ImportError as error:
            if error.name is not None and error.name.split(".")[0] in OURS:
                raise GameError([worker_without_gdl(str(error), identity())]) from None
            raise
        if kind == "stranger":
            worker, theirs = found
            raise GameError([worker_of_another_kind(worker, theirs, identity())])
        if kind == "refused":
            raise found
        return found

    def was_lost(self, future: Future[Any]) -> bool:
        """Whether a worker was lost that had this piece."""
        return future.done() and not future.cancelled() and isinstance(future.exception(), self.LOST)

    def mend(self, lost: Future[Any]) -> None:  # noqa: B027  most clusters replace their workers themselves
        """Replaces what was lost with this piece. Afterwards all that was lost at once says so."""

    def give_up(self, waiting: Iterable[Future[Any]]) -> None:
        """Ends what is under way as far as that can be done: nobody wants the answers any more."""
        for future in waiting:
            future.cancel()

    def close(self) -> None:  # noqa: B027  what others opened is theirs to close
        """Lets the workers go."""
