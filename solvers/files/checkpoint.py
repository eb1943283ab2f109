"""A file in which a long computation leaves what it has, now and then, to be taken up again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from solvers.files.container import bad_file, identity, read_arrays, write_arrays

EVERY = 120.0
"""Seconds between two checkpoints."""


class CheckpointFile:
    """Where a computation leaves what it has; `resume`: whether it takes up what is there."""

    def __init__(self, path: Path, resume: bool = False, every: float | None = None):
        self.path = path
        self.resume = resume
        self.every = EVERY if every is None else every
        self.unfinished = False  # whether the answer came before the computation was done
        self._last = monotonic()

    def due(self) -> bool:
        """Whether the last one is long ago."""
        return monotonic() - self._last >= self.every

    def remove(self) -> None:
        """The computation is done, and what it found is kept; one that only ran out of time can go on."""
        if not self.unfinished:
            self.path.unlink(missing_ok=True)

    def save(
        self, game: Any, kind: str, task: Mapping[str, Any], done: Any, arrays: Mapping[str, Any]
    ) -> None:
        """Keeps the arrays; `task` says what is computed, `done` how far it is. Raises GameError."""
        write_arrays(self.path, kind, {**identity(game), "task": dict(task), "done": done}, arrays)
        self._last = monotonic()

    def load(self, game: Any, kind: str, task: Mapping[str, Any]) -> tuple[Any, dict[str, Any]] | None:
        """How far it was, and the arrays; None where there is nothing to take up. Raises GameError for a file
        about something else, naming what differs."""
        if not self.resume or not self.path.exists():
            return None
        facts, arrays = read_arrays(self.path, kind, game)
        for name, wanted in task.items():
            found = facts["task"].get(name)
            if found != wanted:
                raise bad_file(
                    self.path,
                    f"its {name} was {found}, and now it is {wanted}",
                    f"go on with {name} {found}, or begin anew without --resume",
                )
        return facts["done"], arrays
