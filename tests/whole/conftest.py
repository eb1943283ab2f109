"""`gdl solve` as the tests of commands run it."""

from __future__ import annotations

from tests.commands.conftest import gdl, solve

__all__ = ["gdl", "solve"]
