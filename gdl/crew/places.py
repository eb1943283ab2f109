"""Where pieces are done, as `--on` and `on=` say it.

processes    processes:4            of this computer; 1: this one, one piece after the other
dask         dask:4                 a Dask cluster of this computer, started for the pieces
dask://HOST:PORT                    one that runs; dask:FILE.json: by the file of its scheduler
ray          ray:4                  a Ray cluster of this computer, or the one that RAY_ADDRESS names
ray://HOST:PORT                     one that runs
mpi                                 the ranks of `mpiexec`
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gdl.diagnostics import GameError
from gdl.diagnostics.commands import extra_missing, no_such_place
from solvers.core.refusal import bad_option

if TYPE_CHECKING:
    from gdl.crew.engine import Engine

WAYS = ("processes:4", "dask", "dask://HOST:PORT", "dask:FILE.json", "ray", "ray://HOST:PORT", "mpi")
MOST = 100_000
"""Workers of one computer."""


@dataclass(frozen=True, slots=True)
class Place:
    """A text of `--on`, read."""

    said: str
    engine: str
    workers: int | None = None
    address: str | None = None


def read_place(said: str) -> Place:
    """The place that a text names; raises GameError."""
    text = said.strip()
    if counted := re.fullmatch(r"(processes|dask|ray)(?::([1-9][0-9]*))?", text):
        workers = None if counted[2] is None else int(counted[2])
        if workers is None or workers <= MOST:
            return Place(said, counted[1], workers)
        raise GameError([no_such_place(said, WAYS, f"nobody has {counted[2]} processes")])
    if text == "mpi":
        return Place(said, text)
    if named := re.fullmatch(r"(dask|ray)://([^\s:/]+|\[[0-9a-fA-F:.]+\]):([0-9]{1,5})", text):
        scheme = "tcp" if named[1] == "dask" else "ray"
        return Place(said, named[1], address=f"{scheme}://{named[2]}:{named[3]}")
    if filed := re.fullmatch(r"dask:(.+\.json)", text):
        return Place(said, "dask", address=filed[1])
    reason = "an address is a host and a port" if "://" in text else None
    raise GameError([no_such_place(said, WAYS, reason)])


def chosen(on: str | Executor | None, jobs: int | None, usual: int) -> str | Executor:
    """Where to work: what was said, or as many processes as usual."""
    if on is None:
        return f"processes:{usual if jobs is None else jobs}"
    if jobs is not None:
        raise bad_option("`jobs` and `on` both say who works", 'Say how many with `on`: "processes:4".')
    return on


def enlist(said: str) -> None:
    """Refuses a text that names no place. Under `mpiexec` only rank 0 comes back: the others work for it."""
    if read_place(said).engine == "mpi":
        _engine(read_place(said), None)


@contextmanager
def opened(on: str | Executor, most: int | None = None) -> Iterator[Engine]:
    """The engine that does pieces there, `most` at once if it is started for them."""
    if isinstance(on, Executor):
        from gdl.crew.handed_in import HandedIn

        yield HandedIn(on)
        return
    if not isinstance(on, str):
        raise GameError([no_such_place(repr(on), WAYS, "it is neither a text nor an executor")])
    engine = _engine(read_place(on), most)
    try:
        yield engine
    finally:
        engine.close()


def _engine(place: Place, most: int | None) -> Engine:
    from gdl.crew.engine import OURS
    from gdl.crew.processes import Processes, cores

    workers = place.workers or cores()
    if most is not None:
        workers = max(1, min(workers, most))
    try:
        match place.engine:
            case "processes" if workers == 1:
                from gdl.crew.here import Here

                return Here()
            case "processes":
                return Processes(workers)
            case "dask":
                from gdl.crew.on_dask import Dask

                return Dask(place.said, place.address, workers)
            case "ray":
                from gdl.crew.on_ray import Ray

                return Ray(place.said, place.address, workers)
            case _:
                from gdl.crew.on_mpi import Mpi

                return Mpi()
    except ImportError as error:
        package = {"dask": "distributed", "ray": "ray", "mpi": "mpi4py"}.get(place.engine)
        if package is None or (error.name or "").split(".")[0] in OURS:
            raise
        raise GameError([extra_missing(f"`--on {place.said}`", package, "cluster")]) from error
