"""Game files below tests/ are material for tests, not games with expectations of their own."""

from __future__ import annotations

import pytest

collect_ignore_glob = ["*.gdl"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Slow tests run only when `-m` asks for them, as the slow lines of game files do."""
    if "slow" not in config.option.markexpr:
        for item in items:
            if item.get_closest_marker("slow") is not None:
                item.add_marker(pytest.mark.skip(reason="slow: run with `-m slow`"))
