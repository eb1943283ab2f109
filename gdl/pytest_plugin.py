"""Lets pytest run game files: `pytest games/` checks every `.gdl` file and tests each of its `expect` lines.

Lines marked `slow` carry the marker `slow` and run only when `-m` asks for it. Nothing of the program is
imported before a `.gdl` file is met, for every run of pytest loads this plugin.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gdl.model.nodes import Expectation, Model


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: minutes, not seconds; run with `pytest -m slow`")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix != ".gdl":
        return None
    collector: GameFile = GameFile.from_parent(parent, path=file_path)
    return collector


class GameFile(pytest.File):
    """A game file: one item that checks it, and one for each of its expectations."""

    def collect(self) -> Iterator[pytest.Item]:
        yield CheckItem.from_parent(self, name="check")
        from gdl.diagnostics import GameError
        from gdl.loading import load_model, read_source

        try:
            model = load_model(read_source(self.path), {})
        except GameError:
            return  # the check tells what is wrong
        for expectation in model.expectations:
            yield ExpectItem.from_parent(self, name=expectation.text, model=model, expectation=expectation)


class GameItem(pytest.Item):
    """An item whose failures are diagnostics, not tracebacks."""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        from gdl.diagnostics import GameError
        from gdl.diagnostics.render import render

        if isinstance(excinfo.value, GameError):
            return "\n\n".join(render(d) for d in excinfo.value.diagnostics)
        return super().repr_failure(excinfo, style)


class CheckItem(GameItem):
    def runtest(self) -> None:
        from gdl.loading import load_model, read_source

        load_model(read_source(self.path), {})

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.name}: check"


class ExpectItem(GameItem):
    def __init__(self, *, model: Model, expectation: Expectation, **rest: Any):
        super().__init__(**rest)
        self.model = model
        self.expectation = expectation
        if expectation.slow:
            self.add_marker("slow")

    def runtest(self) -> None:
        from gdl.diagnostics import GameError
        from gdl.expectations import Status, examine

        if self.expectation.slow and "slow" not in self.config.option.markexpr:
            pytest.skip("slow: run with `-m slow`")
        verdict = examine(self.model, self.expectation)
        if verdict.status is Status.FAILED:
            raise GameError(verdict.diagnostics)
        if verdict.status is Status.NOT_CHECKED:
            pytest.skip(verdict.message)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.expectation.span.line - 1, f"{self.path.name}: {self.expectation.text}"
