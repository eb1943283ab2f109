"""Engines that tests share: to start one takes seconds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gdl.crew.engine import Engine
from gdl.crew.places import opened

ROOT = Path(__file__).parents[2]

MODULES = {"dask": "distributed", "ray": "ray", "mpi": "mpi4py"}


def needs(place: str) -> None:
    """Skips a test where the extra is not installed."""
    if (module := MODULES.get(place.partition(":")[0])) is not None:
        pytest.importorskip(module, reason="the extra `cluster` is not installed")


@pytest.fixture(scope="session", params=["processes:2", "dask:2", "ray:2"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Two workers of every kind that a test can start within its process."""
    needs(request.param)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(ROOT)  # where workers find what tests ask of them
    with opened(request.param) as engine:
        yield engine
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before
