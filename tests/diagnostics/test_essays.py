"""Every diagnostic has an essay, and the examples in it do what it says.

An essay is a sequence of `gdl` blocks (the file `example.gdl`) and `console` blocks (commands). Commands run
as they come; a `gdl` block that no `console` block follows is checked. The first run must show the
diagnostic, the last one must not, and must succeed. A `gdl` block without a `game` line is completed by
FRAME.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gdl.diagnostics
from gdl.cli import main
from gdl.diagnostics.essays import Essay, essay, essays

ROOT = Path(gdl.diagnostics.__file__).parents[2]

FRAME = """\
game example

players: left, right

position:
    n: 0..9 = 0
    turn: player = left

player: turn

move add when n < 9:
    n += 1
    turn = next(turn)

terminal: n == 9

utility: 1 if turn == left else -1
"""

NEVER = {"T002"}
"""Diagnostics that only a bug of ours can cause."""

IN_PYTHON = {"F009", "P014", "D002", "C011", "C017", "C019", "C020"}
"""Diagnostics that no game file can cause: tests/api and tests/crew show them, tests/draw and tests/lsp
what is not installed."""


def codes() -> set[str]:
    """Every code that a function of the program can give to a diagnostic."""
    found = set()
    for folder in ("gdl", "solvers"):
        for path in (ROOT / folder).rglob("*.py"):
            found |= set(re.findall(r'"([A-Z]\d{3})"', path.read_text(encoding="utf-8")))
    return found


def test_every_code_has_an_essay_and_every_essay_a_code() -> None:
    assert {e.code for e in essays()} == codes()


@pytest.mark.parametrize("found", list(essays()), ids=lambda found: found.code)
def test_essay_is_well_formed(found: Essay) -> None:
    assert found.text.startswith(f"# {found.code}: {found.title}\n\n")
    assert found.title and not found.title.endswith(".")
    assert "`" not in found.title
    prose = re.sub(r"(?ms)^```.*?^```$", "", found.text)
    assert max(map(len, prose.split("\n"))) <= 160


@pytest.mark.parametrize("code", sorted(codes() - NEVER - IN_PYTHON))
def test_examples_do_what_the_essay_says(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = essay(code)
    assert found is not None
    monkeypatch.chdir(tmp_path)
    Path("example.gdl").write_text(FRAME, encoding="utf-8")
    outputs = [_shell(commands) for commands in _runs(found.text)]
    assert len(outputs) >= 2
    assert code in outputs[0][1], outputs[0]
    assert code not in outputs[-1][1], outputs[-1]
    assert outputs[-1][0] == 0, outputs[-1]


def _runs(text: str) -> Iterator[list[str]]:
    """The commands of each example, after its file has been written."""
    blocks = re.findall(r"(?ms)^```(gdl|console)\n(.*?)^```$", text)
    for (kind, block), following in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if kind == "console":
            yield [line.removeprefix("$ ") for line in block.splitlines()]
            continue
        Path("example.gdl").write_text(_completed(block), encoding="utf-8")
        if following[0] != "console":
            yield ["gdl check example.gdl"]


def _completed(block: str) -> str:
    """The block as a whole game: FRAME without the sections that the block has itself."""
    if re.search(r"(?m)^game\b", block) or block.lstrip().startswith("#"):
        return block
    given = set(re.findall(r"(?m)^(\w+)", block))
    frame = re.split(r"\n\n(?=\S)", FRAME)
    sections = [section for section in frame if section.split()[0].rstrip(":") not in given]
    return "\n\n".join([*(section.rstrip("\n") for section in sections), block])


def _shell(commands: list[str]) -> tuple[int, str]:
    """Runs commands, `gdl` in this process; the exit code of the last and everything that was printed."""
    code, printed = 0, ""
    for command in commands:
        code, text = _gdl(shlex.split(command)[1:]) if command.startswith("gdl ") else _other(command)
        printed += text
    return code, printed


def _gdl(arguments: list[str]) -> tuple[int, str]:
    stream = io.StringIO()
    argv, sys.argv = sys.argv, ["gdl", *arguments]
    try:
        with (
            contextlib.redirect_stdout(stream),
            contextlib.redirect_stderr(stream),
            pytest.raises(SystemExit) as left,
        ):
            main()
    finally:
        sys.argv = argv
    assert isinstance(left.value.code, int)
    assert "This is a bug" not in stream.getvalue(), stream.getvalue()
    return left.value.code, stream.getvalue()


def _other(command: str) -> tuple[int, str]:
    if os.name != "posix":
        pytest.skip("needs a POSIX shell")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False, env={**os.environ, "PATH": path}
    )
    return result.returncode, result.stdout + result.stderr


def test_explain_prints_essays(capfd: pytest.CaptureFixture[str]) -> None:
    code, text = _gdl(["explain", "e104"])
    assert code == 0
    assert text == essay("E104").text  # type: ignore[union-attr]
    assert json.loads(_gdl(["explain", "E104", "--json"])[1])["code"] == "E104"


def test_explain_lists_all() -> None:
    code, text = _gdl(["explain"])
    assert code == 0
    assert [line.split()[0] for line in text.splitlines()] == sorted(codes())
    assert set(json.loads(_gdl(["explain", "--json"])[1])) == codes()


@pytest.mark.parametrize("code", ["E999", "nonsense", "../E104", "E104.md", ""])
def test_explain_unknown_code(code: str) -> None:
    exit_code, text = _gdl(["explain", code])
    assert exit_code == 1
    assert "error[C005]" in text
