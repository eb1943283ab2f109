"""Small files with their expected result inside: `good/` must load, `bad/` must give just its diagnostics.

A bad file starts with comments:

    # expect: CODE line N       a diagnostic; there are no others
    # says: words               what the help of a diagnostic says
    # instead: N: text          line N if the help is followed (`\n`: a line more); then all is well
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gdl.diagnostics import Severity, Source, wording
from gdl.diagnostics.fixes import apply
from gdl.loading import diagnose

HERE = Path(__file__).parent
EXPECT = re.compile(r"# expect: ([A-Z]\d+) line (\d+)")
SAYS = re.compile(r"^# says: (.*)$", re.MULTILINE)
INSTEAD = re.compile(r"^# instead: (\d+): (.*)$", re.MULTILINE)

BAD = sorted((HERE / "bad").glob("*.gdl"))
FOLLOWED = [path for path in BAD if SAYS.search(path.read_text(encoding="utf-8"))]


def _source(path: Path) -> Source:
    return Source(path.name, path.read_text(encoding="utf-8"), path)


@pytest.mark.parametrize("path", sorted((HERE / "good").glob("*.gdl")), ids=lambda p: p.stem)
def test_good(path: Path) -> None:
    model, diagnostics = diagnose(_source(path))
    assert model is not None, [str(d) for d in diagnostics]


@pytest.mark.parametrize("path", BAD, ids=lambda p: p.stem)
def test_bad(path: Path) -> None:
    source = _source(path)
    expected = sorted((code, int(line)) for code, line in EXPECT.findall(source.text))
    assert expected, "a bad file starts with `# expect: CODE line N`"
    model, diagnostics = diagnose(source)
    found = sorted((d.code, d.span.line if d.span else 0) for d in diagnostics)
    assert found == expected, [f"{d} ({d.hint})" for d in diagnostics]
    assert set(SAYS.findall(source.text)) <= {d.hint for d in diagnostics}
    only_warnings = all(d.severity is Severity.WARNING for d in diagnostics)
    assert (model is not None) == only_warnings


@pytest.mark.parametrize("path", FOLLOWED, ids=lambda p: p.stem)
def test_help_that_is_followed_mends_the_file(path: Path) -> None:
    """By the first fix of each diagnostic, or where none can be made of the words alone, by hand."""
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    for number, line in INSTEAD.findall(text):
        lines[int(number) - 1] = line.replace("\\n", "\n")
    if text == "\n".join(lines):
        _, diagnostics = diagnose(_source(path))
        assert all(d.fixes for d in diagnostics)
        text, made = apply(text, [d.fixes[0] for d in diagnostics])
        assert made == len(diagnostics)
        lines = text.split("\n")
    model, left = diagnose(Source("mended.gdl", "\n".join(lines)))
    assert model is not None and left == (), [f"{d} ({d.hint})" for d in left]


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
