"""Pages that are written by a program are as the program would write them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def test_commands_page_is_fresh() -> None:
    spec = importlib.util.spec_from_file_location("generate_commands", DOCS / "generate_commands.py")
    assert spec and spec.loader
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    fresh = generator.page()
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert page == fresh, "run: python docs/generate_commands.py"
