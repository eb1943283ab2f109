"""Whatever is given as a game: a diagnostic, exit 1, nothing else on standard output, no traceback."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

HEAD = "game g\nplayers: a, b\nposition:\n    x: 0..3 = 0\nplayer: a\nterminal: x == 3\nutility: x\n"
MOVE = "move m:\n    x += 1\n"

BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "S003"),
    "only blanks": (b"  \n\n\t\n", "S003"),
    "only a comment": (b"# nothing\n", "S003"),
    "binary": (bytes(range(256)) * 4, "S002"),
    "not UTF-8": (b"game caf\xe9\n", "S002"),
    "a line of 10 MB": (b"game " + b"x" * 10_000_000, "S004"),
    "a line of 1 MB": (b"game g\nutility: " + b"1+" * 500_000 + b"1\n", "S005"),
    "brackets 10,000 deep": (HEAD.encode() + b"def d: " + b"(" * 9_000 + b"1" + b")" * 9_000, "S006"),
    "blocks 10,000 deep": (
        HEAD.encode() + b"move m:\n" + b"".join(b" " * n + b"if x == 0:\n" for n in range(1, 600)), "S006",
    ),
    "sections given twice": ((HEAD + MOVE + "terminal: x == 2\n").encode(), "E105"),
    "a huge range": ((HEAD + MOVE).replace("0..3", "0..10**30").encode(), "E2"),
    "a huge number": ((HEAD + MOVE).replace("0..3", "0..9**9**9").encode(), "E"),
    "an endless string": (b'game g\n"""never closed', "S012"),
}  # fmt: skip

COMMANDS = [["check"], ["info"], ["run"], ["explore"], ["test"], ["fmt", "--check"]]
SYNTAX_ONLY = {
    "sections given twice",
    "a huge range",
    "a huge number",
}  # the formatter does not look at these


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("kind", BAD)
def test_bad_file(gdl, tmp_path: Path, command: list[str], kind: str) -> None:  # type: ignore[no-untyped-def]
    if command[0] == "fmt" and kind in SYNTAX_ONLY:
        pytest.skip("well-formed text")
    text, code = BAD[kind]
    path = tmp_path / "bad.gdl"
    path.write_bytes(text)
    ran = gdl(*command, path)
    assert ran.code == 1
    assert f"error[{code}" in ran.err
    assert len(ran.err) < 20_000
    if command[0] != "test":  # which ends with a count of what was tested
        assert not ran.out


@pytest.mark.parametrize("kind", BAD)
def test_bad_standard_input(gdl, kind: str) -> None:  # type: ignore[no-untyped-def]
    text, code = BAD[kind]
    ran = gdl("check", "-", "--json", stdin=text)
    assert ran.code == 1
    assert not ran.data["ok"]
    assert any(d["code"].startswith(code) for d in ran.data["files"][0]["diagnostics"])
    assert not ran.err


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_missing_file(gdl, tmp_path: Path, command: list[str]) -> None:  # type: ignore[no-untyped-def]
    ran = gdl(*command, tmp_path / "nowhere.gdl")
    assert ran.code == 1
    assert "error[S001]" in ran.err
    assert "nowhere.gdl" in ran.err


@pytest.mark.parametrize("command", [["info"], ["run"], ["explore"]], ids=lambda command: command[0])
def test_folder(gdl, tmp_path: Path, command: list[str]) -> None:  # type: ignore[no-untyped-def]
    ran = gdl(*command, tmp_path)
    assert ran.code == 1
    assert "error[S001]" in ran.err


@pytest.mark.parametrize("command", [["check"], ["test"], ["fmt"]], ids=lambda command: command[0])
def test_folder_without_games(gdl, tmp_path: Path, command: list[str]) -> None:  # type: ignore[no-untyped-def]
    ran = gdl(*command, tmp_path)
    assert ran.code == 2
    assert "no .gdl file" in ran.err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(gdl, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "secret.gdl"
    path.write_text("game g\n")
    path.chmod(0)
    ran = gdl("check", path)
    assert ran.code == 1
    assert "error[S001]" in ran.err


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX devices")
def test_a_name_that_cannot_be_a_file(gdl) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("check", "a" * 5000 + ".gdl")
    assert ran.code == 1
    assert "error[S001]" in ran.err


def test_unknown_game_suggests(gdl) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("check", "tictactow")
    assert ran.code == 1
    assert "error[C001]" in ran.err


# ---------------------------------------------------------------------------- parameters


def test_parameter_that_makes_a_type_empty(gdl, write) -> None:  # type: ignore[no-untyped-def]
    path = write("param n = 3\n" + (HEAD + MOVE).replace("0..3", "1..n").replace("= 0\n", "= 1\n"))
    assert gdl("check", path).code == 0
    ran = gdl("check", path, "-p", "n=0")
    assert ran.code == 1
    assert "error[E213]" in ran.err


def test_unknown_parameter_lists_the_known(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("info", nim, "-p", "stonse=3")
    assert ran.code == 1
    assert "error[E112]" in ran.err
    assert "`stones`" in ran.err


@pytest.mark.parametrize("value", ["many", "", "1.5", "0", "21", "-1", "10**99", "1/2", "9" * 5000])
def test_bad_value_of_a_parameter(gdl, nim: Path, value: str) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("info", nim, "-p", f"stones={value}")
    assert ran.code == 1
    assert "error[E113]" in ran.err
    assert not ran.out


@pytest.mark.parametrize("given", [["-p", "stones"], ["-p", "=3"], ["-p", "stones=3", "-p", "stones=4"]])
def test_parameters_that_are_bad_usage(gdl, nim: Path, given: list[str]) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("info", nim, *given)
    assert ran.code == 2
    assert not ran.out
