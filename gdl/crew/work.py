"""What a worker does with a piece.

A worker is another process, perhaps on another computer: it gets text and numbers, never code of ours. Before
it unpacks anything it holds its own gdl against that of whoever asks: other sources may read a text or draw
random numbers differently, and the answers would not be of one kind. The same for files that a game borrows.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import socket
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from gdl.diagnostics import GameError, Source

Setting = TypeVar("Setting")
Ready = TypeVar("Ready")
Piece = TypeVar("Piece")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Job(Generic[Setting, Ready, Piece, Answer]):
    """What all pieces of a kind have in common. Functions stand at the top of a module, where others find
    them by name."""

    prepare: Callable[[Setting], Ready]  # once for each worker: reads and compiles the game, say
    work: Callable[[Ready, Piece], Answer]
    setting: Setting
    source: Source | None  # the text that it is about; None where nobody but this process has the game
    own: Ready  # what this process has prepared already

    # Made once, as it is sent with every piece: workers come and go, and nobody knows which one has it.
    @cached_property
    def packed(self) -> bytes:
        """What workers get of it."""
        assert self.source is not None, "only what can be read again goes elsewhere"
        return pickle.dumps((self.prepare, self.work, self.setting, self.source, texts(self.source)))

    def here(self, piece: Piece) -> Answer:
        """The piece, done by this process."""
        return self.work(self.own, piece)


AnyJob = Job[Any, Any, Any, Any]


@cache
def identity() -> str:
    """Which gdl this is: its version and a digest of its sources."""
    from importlib.util import find_spec
    from sys import modules

    from gdl.paths import data_directory

    version = modules["gdl"].__version__
    digest = hashlib.sha256()
    for package in ("gdl", "solvers"):
        spec = find_spec(package)
        assert spec is not None and spec.origin is not None
        _count_in(digest, Path(spec.origin).parent, "*.py")
    _count_in(digest, data_directory("grammar"), "*.lark")
    return f"gdl {version}, sources {digest.hexdigest()[:16]}"


def _count_in(digest: Any, folder: Path, pattern: str) -> None:
    for path in sorted(folder.rglob(pattern)):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")


def texts(source: Source) -> str:
    """A digest of a text and of all that it borrows."""
    from gdl.borrowing import read_whole

    read = [source, *read_whole(source).named]
    return hashlib.sha256("\0".join(one.text for one in read).encode()).hexdigest()[:16]


_alone = Lock()
"""Workers with several threads do one piece after the other: games are made for one thread."""


def perform(who: str, job: bytes, piece: bytes) -> tuple[str, Any]:
    """A piece, done by a worker for somebody whose gdl is `who`: how it went, and what came of it.

    Plain data, which any gdl can read, unless both are the same.
    """
    if who != identity():
        return "stranger", (f"{socket.gethostname()}, process {os.getpid()}", identity())
    with _alone:
        try:
            work, ready = _ready(job)
            return "done", work(ready, pickle.loads(piece))
        except GameError as error:
            return "refused", error


@lru_cache(maxsize=4)
def _ready(packed: bytes) -> tuple[Callable[[Any, Any], Any], Any]:
    """The work that a job is, and what it prepared: kept for the pieces to come."""
    from gdl.diagnostics.commands import other_texts

    prepare, work, setting, source, asked = pickle.loads(packed)
    if (found := texts(source)) != asked:
        raise GameError([other_texts(socket.gethostname(), source.name, asked, found)])
    return work, prepare(setting)
