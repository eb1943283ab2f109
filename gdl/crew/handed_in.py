"""Pieces on an executor of the caller, who also closes it and mends it."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any

from gdl.crew.engine import Engine, Packed
from gdl.crew.processes import cores
from gdl.crew.work import perform
from gdl.diagnostics import GameError
from gdl.diagnostics.commands import executor_broken


class HandedIn(Engine):
    def __init__(self, executor: Executor):
        self.executor = executor
        # Executors do not say how many work for them, but for a private name that most of them have.
        known = getattr(executor, "_max_workers", None)
        self.size = known if isinstance(known, int) else cores()

    def send(self, packed: Packed) -> Future[Any]:
        try:
            return self.executor.submit(perform, *packed)
        except RuntimeError as error:  # it is closed, or broken
            raise GameError([executor_broken(type(self.executor).__name__, str(error))]) from error

    def answer(self, future: Future[Any]) -> Any:
        try:
            return super().answer(future)
        except BrokenExecutor as error:
            raise GameError([executor_broken(type(self.executor).__name__, str(error))]) from error
