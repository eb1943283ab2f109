"""The examples in docstrings and in docs/python.md are run."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.api.own import forgotten

ROOT = Path(__file__).parents[2]

PAGE = ROOT / "docs" / "python.md"

MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for folder in ("gdl", "solvers")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if ">>> " in path.read_text("utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    with forgotten():
        found = doctest.testmod(import_module(name))
    assert found.attempted and not found.failed


def test_page() -> None:
    """Blocks share their names; those without prompts are run as they are."""
    names: dict[str, Any] = {"__name__": "page"}
    runner = doctest.DocTestRunner()
    with forgotten():
        for number, block in enumerate(
            re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
        ):
            if not block.startswith(">>>"):
                exec(compile(block, f"block {number}", "exec"), names)
                continue
            test = doctest.DocTestParser().get_doctest(block, names, f"block {number}", str(PAGE), 0)
            runner.run(test, clear_globs=False)
            names.update(test.globs)
    assert runner.tries and not runner.failures
