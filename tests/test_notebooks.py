"""The notebooks of docs/ run, and show what they are kept with.

What is compared is the text of every output: pictures depend on the version of matplotlib, times on the
machine, and of proven bounds the last digits on the number of threads.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nbclient", reason="notebooks are run with the extra `dev`")
pytest.importorskip("ipykernel")

DOCS = Path(__file__).parents[1] / "docs"
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.ipynb")), ids=lambda path: path.name)
def test_notebook_shows_what_it_is_kept_with(path: Path) -> None:
    import nbformat

    kept = nbformat.read(path, as_version=4)
    run = _runner().run(path)
    for cell, fresh in zip(kept.cells, run.cells, strict=True):
        if cell.cell_type == "code":
            assert _said(fresh) == _said(cell), f"run: python docs/run_notebooks.py\n{cell.source}"
    assert sum(len(cell.get("outputs", ())) for cell in kept.cells) >= 10


def _runner() -> Any:
    spec = importlib.util.spec_from_file_location("run_notebooks", DOCS / "run_notebooks.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _said(cell: Any) -> list[tuple[list[str], str]]:
    """Of every output of a cell in which forms it comes, and its text."""
    given = [output.get("data", {}) for output in cell.outputs]
    return [(sorted(forms), _steady(forms.get("text/plain", ""))) for forms in given]


def _steady(text: str) -> str:
    """Without what it took, and with six digits of each number, none of its error."""
    text = re.sub(r" ± \S+", "", text.partition("\nwork\n")[0])
    return NUMBER.sub(lambda found: f"{float(found[0]):.6g}", text)
