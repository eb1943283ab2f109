"""Tables for Python: of pandas or polars, whichever is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def frame(rows: Iterable[Mapping[str, Any]]) -> Any:
    """A DataFrame of pandas, or else of polars, or else a list of dicts."""
    listed = [dict(row) for row in rows]
    for library in ("pandas", "polars"):
        if find_spec(library) is not None:
            return import_module(library).DataFrame(listed)
    return listed
