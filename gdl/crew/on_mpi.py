"""Pieces on the ranks of `mpiexec`: rank 0 asks, all others work and never come back from here.

Ranks live and die together: where one is killed, `mpiexec` ends the others.
"""

from __future__ import annotations

import atexit
import signal
import sys
from concurrent.futures import Executor, Future
from functools import cache
from typing import Any

from mpi4py import MPI
from mpi4py.futures import MPICommExecutor

from gdl.crew.engine import Engine, Packed
from gdl.crew.work import perform
from gdl.diagnostics import GameError
from gdl.diagnostics.commands import no_ranks


class Mpi(Engine):
    def __init__(self) -> None:
        self._executor = _enlisted()
        self.size = MPI.COMM_WORLD.size - 1

    def send(self, packed: Packed) -> Future[Any]:
        return self._executor.submit(perform, *packed)


@cache
def _enlisted() -> Executor:
    """The executor of rank 0. The other ranks work until that one ends, and end with it."""
    if MPI.COMM_WORLD.size < 2:
        raise GameError([no_ranks()])
    if MPI.COMM_WORLD.rank:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # rank 0 decides what it means
        with MPICommExecutor(MPI.COMM_WORLD, root=0):
            pass
        sys.exit(0)
    ranks: Any = MPICommExecutor(MPI.COMM_WORLD, root=0)
    executor: Executor = ranks.__enter__()
    atexit.register(ranks.__exit__, None, None, None)
    return executor
