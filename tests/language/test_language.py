"""Small files with their expected result inside: `good/` must load, `bad/` must give just its diagnostics."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gdl.diagnostics import Severity, Source, wording
from gdl.loading import diagnose

HERE = Path(__file__).parent
EXPECT = re.compile(r"# expect: ([A-Z]\d+) line (\d+)")


def _source(path: Path) -> Source:
    return Source(path.name, path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", sorted((HERE / "good").glob("*.gdl")), ids=lambda p: p.stem)
def test_good(path: Path) -> None:
    model, diagnostics = diagnose(_source(path))
    assert model is not None, [str(d) for d in diagnostics]


@pytest.mark.parametrize("path", sorted((HERE / "bad").glob("*.gdl")), ids=lambda p: p.stem)
def test_bad(path: Path) -> None:
    source = _source(path)
    expected = sorted((code, int(line)) for code, line in EXPECT.findall(source.text))
    assert expected, "a bad file starts with `# expect: CODE line N`"
    model, diagnostics = diagnose(source)
    found = sorted((d.code, d.span.line if d.span else 0) for d in diagnostics)
    assert found == expected, [f"{d} ({d.hint})" for d in diagnostics]
    only_warnings = all(d.severity is Severity.WARNING for d in diagnostics)
    assert (model is not None) == only_warnings


# Codes about files as such and about parameters, which no text of a game can cause.
ELSEWHERE = {"S001", "S002", "S004", "S005", "E112", "E113"}


def test_every_code_has_a_bad_file() -> None:
    files = Path(wording.__file__).parent.glob("*.py")
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    codes = set(re.findall(r'\b(?:error|warning)\(\s*"([SEW]\d+)"', text))
    assert len(codes) > 100
    covered = {
        code
        for path in (HERE / "bad").glob("*.gdl")
        for code, _ in EXPECT.findall(path.read_text(encoding="utf-8"))
    }
    assert codes - covered - ELSEWHERE == set()
