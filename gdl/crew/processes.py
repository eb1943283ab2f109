"""Pieces on processes of this computer: how many there may be, how they begin, and how they end."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any
from weakref import WeakKeyDictionary

from gdl.crew.engine import Engine, Packed
from gdl.crew.work import perform


class Processes(Engine):
    """A pool of processes. One that is killed takes the pool with it; a new pool does its pieces again."""

    LOST = (BrokenProcessPool,)

    def __init__(self, size: int):
        self.size = size
        self._pool = self._new_pool()
        self._pool_of: WeakKeyDictionary[Future[Any], ProcessPoolExecutor] = WeakKeyDictionary()

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.size, get_context("spawn"), set_up_process)

    def send(self, packed: Packed) -> Future[Any]:
        with deaf():  # processes are started by this
            try:
                future = self._pool.submit(perform, *packed)
            except BrokenProcessPool:
                self._renew()
                future = self._pool.submit(perform, *packed)
        self._pool_of[future] = self._pool
        return future

    def mend(self, lost: Future[Any]) -> None:
        if self._pool_of[lost] is self._pool:
            self._renew()

    def _renew(self) -> None:
        self._pool.shutdown(wait=True)  # then all that it was asked for says that it is lost
        self._pool = self._new_pool()

    def give_up(self, waiting: Iterable[Future[Any]]) -> None:
        # What is under way is not waited for. The pool then gives up what it was asked for by itself; it
        # would complain about anything that is cancelled meanwhile.
        for process in list((self._pool._processes or {}).values()):
            process.terminate()

    def close(self) -> None:
        self._pool.shutdown(wait=True)


def cores() -> int:
    """How many processes can work at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def set_up_process() -> None:
    """Prepares a process that works for another: it hears no Ctrl-C, and ends with that one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; one decides what it means
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Ends this process when the one that started it is gone, which may leave without a word."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


@contextmanager
def deaf() -> Iterator[None]:
    """Processes that are started meanwhile never hear an interrupt; to this one it comes afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
