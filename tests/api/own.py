"""What tests of the API share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from solvers import registering
from solvers.registry import AGENTS, LEAVES, SOLVERS


@contextmanager
def forgotten() -> Iterator[None]:
    """Whatever is registered meanwhile is forgotten afterwards."""
    tables = (SOLVERS, LEAVES, AGENTS)
    before = [dict(table) for table in tables]
    try:
        yield
    finally:
        for table, was in zip(tables, before, strict=True):
            table.clear()  # type: ignore[attr-defined]
            table.update(was)  # type: ignore[attr-defined]
        registering._by_call.clear()
