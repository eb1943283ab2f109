"""Pieces on a Dask cluster: one that runs, or one of this computer that is started for them.

Dask gives the pieces of a worker that is gone to another one, and replaces the worker where it started it.
"""

from __future__ import annotations

import logging
from concurrent.futures import CancelledError, Future
from time import monotonic
from typing import Any

from distributed import Client, KilledWorker, LocalCluster
from distributed.comm import CommClosedError

from gdl.crew.engine import Engine, Packed
from gdl.crew.processes import deaf
from gdl.crew.work import perform
from gdl.diagnostics import GameError
from gdl.diagnostics.commands import cluster_gone, cluster_without_workers, no_cluster

SECONDS = 10
"""So long a scheduler may take to answer, and then to have a worker."""

FRESH = 1.0
"""Seconds after which is asked anew how many workers there are."""


class Dask(Engine):
    LOST = (KilledWorker,)

    def __init__(self, said: str, address: str | None, workers: int):
        """`address` of the scheduler, or the file in which it wrote that; None: workers of this computer."""
        self.said = said
        self._cluster: Any = None
        self._client = self._own(workers) if address is None else self._connected(address)
        self._executor = self._client.get_executor(pure=False)
        self._counted = (0.0, 0)
        if not self._has_workers():
            scheduler = self._client.scheduler.address
            self.close()
            raise GameError([cluster_without_workers(said, f"dask worker {scheduler}")])

    def _own(self, workers: int) -> Any:
        with deaf():
            self._cluster = LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0",
                silence_logs=logging.ERROR,
            )  # fmt: skip
            return Client(self._cluster)

    def _connected(self, address: str) -> Any:
        as_file = address.endswith(".json")
        told: dict[str, Any] = {"scheduler_file": address} if as_file else {"address": address}
        try:
            return Client(**told, timeout=SECONDS)
        except (OSError, ValueError) as error:  # a TimeoutError is an OSError
            raise GameError(
                [no_cluster(self.said, str(error) or "nobody answers", "dask scheduler")]
            ) from error

    def _has_workers(self) -> bool:
        try:
            self._client.wait_for_workers(1, timeout=SECONDS)
        except TimeoutError:
            return False
        return True

    @property
    def size(self) -> int:  # type: ignore[override]  # workers come and go
        when, count = self._counted
        if monotonic() - when > FRESH:
            count = len(self._client.nthreads())
            self._counted = monotonic(), count
        return count

    def send(self, packed: Packed) -> Future[Any]:
        return self._executor.submit(perform, *packed)  # type: ignore[no-any-return]

    def answer(self, future: Future[Any]) -> Any:
        try:
            return super().answer(future)
        except (CancelledError, CommClosedError) as error:
            raise GameError([cluster_gone(self.said)]) from error

    def close(self) -> None:
        self._client.close(timeout=SECONDS)
        if self._cluster is not None:
            self._cluster.close(timeout=SECONDS)
