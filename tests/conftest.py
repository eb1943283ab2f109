"""Game files below tests/ are material for tests, not games with expectations of their own."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

collect_ignore_glob = ["*.gdl"]


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As for commands that a shell starts in the background. What tests start would ignore Ctrl-C too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


os.environ["GDL_COMPILE"] = "always"  # else answers would look different once kernels are compiled


def pytest_configure(config: pytest.Config) -> None:
    """With several workers the tests of a file stay with one of them: they share what is compiled."""
    if getattr(config.option, "dist", None) == "load":
        config.option.dist = "loadfile"


@pytest.fixture(scope="session", autouse=True)
def _nothing_kept(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Games are solved anew: what an earlier version kept on this machine must not answer for this one."""
    from solvers.files import best_moves

    folder: Path = tmp_path_factory.mktemp("solved")
    best_moves.cache_directory = lambda: folder  # type: ignore[assignment]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Slow tests run only when `-m` asks for them, as the slow lines of game files do."""
    if "slow" not in config.option.markexpr:
        for item in items:
            if item.get_closest_marker("slow") is not None:
                item.add_marker(pytest.mark.skip(reason="slow: run with `-m slow`"))
