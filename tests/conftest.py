"""Game files below tests/ are material for tests, not games with expectations of their own."""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

collect_ignore_glob = ["*.gdl"]


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As for commands that a shell starts in the background. What tests start would ignore Ctrl-C too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


os.environ["GDL_COMPILE"] = "always"  # else answers would look different once kernels are compiled


LONGEST = (
    "tests/test_quality.py",
    "tests/test_notebooks.py",
    "tests/conformance/test_laws.py",
    "tests/native/test_agreement.py",
    "tests/test_lectures.py",
    "tests/certificates/test_expectations.py",
    "tests/whole/test_turns.py",
    "tests/whole/test_agreement.py",
    "tests/whole/test_faults.py",
    "tests/machine/test_one_signature.py",
    "tests/api/test_examples.py",
    "tests/laws/test_coverage.py",
    "tests/diagnostics/test_essays.py",
    "tests/api/test_api.py",
    "tests/judge/test_judge.py",
    "tests/commands/test_interrupts.py",
)
"""Workers begin with these files, so that none has a long one left when the others are done: those that take
longest (`python -m pytest -p tests.seconds`), the sooner the fewer tests share out what they take."""


def pytest_configure(config: pytest.Config) -> None:
    """With several workers the tests of a file stay with one of them: they share what is compiled. Files are
    not ordered by how many tests they have, which puts those last that are few and long."""
    if getattr(config.option, "dist", None) == "load":
        config.option.dist = "loadfile"
        config.option.loadscopereorder = False


def pytest_collection_finish() -> None:
    """What is there when tests begin stays, and most of what they make goes by itself: to look for garbage
    as often as Python does by default takes a sixth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # as the program does for itself


@pytest.fixture(scope="session", autouse=True)
def _nothing_kept(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Games are solved anew: what an earlier version kept on this machine must not answer for this one."""
    from solvers.files import best_moves

    folder: Path = tmp_path_factory.mktemp("solved")
    best_moves.cache_directory = lambda: folder  # type: ignore[assignment]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Slow tests run only when `-m` asks for them, as slow lines of games do. Long files come first."""
    if hasattr(config, "workerinput"):
        places = {ROOT / file: place for place, file in enumerate(LONGEST)}
        items.sort(key=lambda item: places.get(item.path, len(places)))
    if "slow" not in config.option.markexpr:
        for item in items:
            if item.get_closest_marker("slow") is not None:
                item.add_marker(pytest.mark.skip(reason="slow: run with `-m slow`"))
