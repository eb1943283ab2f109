"""What tests cost: `python -m pytest -p tests.seconds` ends with the CPU seconds of each file.

They are those of the process and of what it started and waited for; with `-n` those of all workers. What a
fixture of the session takes counts for the file that needs it first, and so does compiling a kernel.
"""

from __future__ import annotations

import resource
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

SHOWN = 25


class Seconds:
    """Used so far when a phase of a test was last reported, and by each file."""

    def __init__(self) -> None:
        self.last = _used()
        self.by_file: Counter[str] = Counter()

    @pytest.hookimpl
    def pytest_collection_finish(self) -> None:
        self.last = _used()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        report = yield
        now = _used()
        report.cpu_seconds, self.last = now - self.last, now
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.by_file[report.nodeid.partition("::")[0]] += report.cpu_seconds

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.section(f"CPU seconds by file, {sum(self.by_file.values()):,.0f} in all")
        for file, seconds in self.by_file.most_common(SHOWN):
            terminalreporter.line(f"{seconds:8.1f} {file}")


def _used() -> float:
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in spent)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Seconds())
