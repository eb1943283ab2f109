"""Pieces on a Ray cluster: one that runs, or one of this computer that is started for them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any

# What Ray says of its workers it writes to standard output, where results are; it is told before the import.
os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")

import ray
from ray.exceptions import NodeDiedError, OutOfMemoryError, WorkerCrashedError

from gdl.crew.engine import Engine, Packed
from gdl.crew.work import perform
from gdl.diagnostics import GameError
from gdl.diagnostics.commands import no_cluster


class Ray(Engine):
    LOST = (WorkerCrashedError, NodeDiedError, OutOfMemoryError)

    def __init__(self, said: str, address: str | None, workers: int):
        self.said = said
        self._ours = not ray.is_initialized()
        if self._ours:
            self._start(address or os.environ.get("RAY_ADDRESS"), workers)
        self.size = max(1, int(ray.cluster_resources().get("CPU", 1)))
        # A worker that is lost is seen here, as everywhere, and not hidden by trying again.
        self._perform: Any = ray.remote(perform).options(max_retries=0)
        self._objects: dict[Future[Any], Any] = {}

    def _start(self, address: str | None, workers: int) -> None:
        quiet: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
        if address is None:
            ray.init(address="local", num_cpus=workers, include_dashboard=False, **quiet)
            return
        try:
            ray.init(address=address, **quiet)
        except (OSError, RuntimeError, ValueError) as error:
            raise GameError([no_cluster(self.said, str(error), "ray start --head")]) from error

    def send(self, packed: Packed) -> Future[Any]:
        asked = self._perform.remote(*packed)
        future: Future[Any] = asked.future()
        self._objects[future] = asked
        future.add_done_callback(self._objects.pop)
        return future

    def give_up(self, waiting: Iterable[Future[Any]]) -> None:
        for future in waiting:
            if (asked := self._objects.get(future)) is not None:
                ray.cancel(asked, force=True)

    def close(self) -> None:
        if self._ours:
            ray.shutdown()
