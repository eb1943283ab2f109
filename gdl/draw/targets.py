"""Pictures as files: what can be told of a target before anything is computed, and writing it at last."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from importlib.util import find_spec
from pathlib import Path

from gdl.diagnostics import GameError
from gdl.diagnostics.commands import cannot_write
from gdl.diagnostics.drawing import missing_matplotlib, unknown_format
from gdl.paths import why_unwritable


def check_target(path: Path, formats: Sequence[str], by_matplotlib: Collection[str], instead: str) -> None:
    """Raises GameError where the ending of the name is none of the formats, where matplotlib would be needed
    and is missing (`instead` says what there is without it), or where the file cannot be written: before a
    long computation, rather than after it."""
    suffix = path.suffix.lower()
    if suffix not in formats:
        raise GameError([unknown_format(path.name, path.suffix, formats)])
    if suffix in by_matplotlib and find_spec("matplotlib") is None:
        raise GameError([missing_matplotlib(f"a {suffix} file", instead)])
    if reason := why_unwritable(path):
        raise GameError([cannot_write(str(path), reason)])


def write_target(path: Path, content: bytes) -> None:
    """Writes the file; raises GameError where that cannot be done after all."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise GameError([cannot_write(str(path), error.strerror or str(error))]) from None
