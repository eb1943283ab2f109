"""Any text in any field of a file is refused with a diagnostic, or is another spelling of the same number."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import solvers
from gdl.certificates import inequalities
from gdl.certificates.verify import verify
from gdl.diagnostics import GameError
from solvers.core.refusal import Refusal
from solvers.files import certificate as writer
from solvers.files.certificate import certificate_of_result, write
from tests.texts import loaded

ROUND = """
game round
players: a, b
position:
    x: 0..4 = 0
player: b if x == 1 else a
move spin when x == 0: x = 1
move out when x == 0: x = 2
move back when x == 1: x = 0
move leave when x == 1: x = 3
terminal: x >= 2
utility: 0 if x == 2 else 2 / 3
endless: -1
"""

MANY = """
game many
players: a, b, c
position:
    x: 0..3 = 0
player: b if x == 1 else a
move go(k: 1..3) when x < k: x = k
terminal: x >= 2
utility(p): x if p == a else 1
"""

TEXTS = [
    "-1", "7", "9" * 18, "9" * 30, "-" + "9" * 30, "9" * 5000, "nan", "inf", "-inf", "1e999", "-1e999",
    "1e308", "-1e308", "", "text", "½", "１", "0x", "0x" + "f" * 4000, "-0x" + "f" * 300_000, "0x1/0x0",
    "1/0", "1/-2", "/", "1/2/3", "null", "true", "1_0", "5e-1", '"1"', "1,1", "\0", "\ud800", "7 7",
    "1" + "0" * 400, "1/" + "7" * 4000,
]  # fmt: skip


def lines_of(text: str, path: Path) -> list[str]:
    game = loaded(text, "reference")
    write(certificate_of_result(game, solvers.solve(game, solvers.choose(game)[0])), path)
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def spoiled(lines: list[str]) -> Iterator[list[str]]:
    for at, line in enumerate(lines[2:], 2):
        fields = line.split(",")
        for k, field in enumerate(fields):
            for text in TEXTS:
                if text != field:
                    yield [*lines[:at], ",".join([*fields[:k], text, *fields[k + 1 :]]), *lines[at + 1 :]]


def code_of(game: Any, path: Path, lines: list[str]) -> str:
    """The code of what is said, which can be printed."""
    path.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(errors="surrogatepass"), 1))
    with pytest.raises(GameError) as refused:
        verify(game, path)
    assert str(refused.value).encode()
    return str(refused.value.diagnostics[0].code)


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("text", [ROUND, MANY], ids=["duel", "everybody"])
def test_any_text_in_any_field(text: str, engine: str, tmp_path: Path) -> None:
    game, path = loaded(text, engine), tmp_path / "proof.gz"
    codes = {code_of(game, path, lines) for lines in spoiled(lines_of(text, path))}
    assert codes <= {"C010", "V001", "V002", "V003"}


WRONG = [
    True,
    False,
    0,
    -1,
    4.0,
    1.0,
    float("nan"),
    1e400,
    10**30,
    "",
    "1",
    "\ud800",
    "\x1b[31m",
    [],
    {"a": 1},
]


@pytest.mark.parametrize("name", ["kind", "version", "game", "digest", "form", "from", "positions"])
def test_facts_of_other_kinds(name: str, tmp_path: Path) -> None:
    game, path = loaded(ROUND, "reference"), tmp_path / "proof.gz"
    head, *rest = lines_of(ROUND, path)
    for value in WRONG:
        assert code_of(game, path, [json.dumps({**json.loads(head), name: value}), *rest]) == "C010"


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        ({"version": True}, "its `version` is true, not a whole number"),
        ({"version": "1"}, 'its `version` is "1", not a whole number'),
        ({"version": None}, "its `version` is null, not a whole number"),
        ({"version": 2}, "it has version 2, and this program reads version 1"),
        ({"positions": 4.0}, "its `positions` is 4.0, not a whole number"),
        ({"params": 3}, "its `params` is 3, not parameters by their names"),
        ({"solver": 3}, "its `solver` is 3, not a text"),
        ({"from": 3}, "its `from` is 3, not the text of a position or null"),
        ({"from": ""}, "its `from` is no position of round: it is empty"),
        ({"from": "x=9"}, "its `from` is no position of round"),
    ],
)
def test_what_is_said_of_facts(fact: dict[str, Any], said: str, tmp_path: Path) -> None:
    game, path = loaded(ROUND, "reference"), tmp_path / "proof.gz"
    head, *rest = lines_of(ROUND, path)
    path.write_bytes(gzip.compress("\n".join([json.dumps({**json.loads(head), **fact}), *rest, ""]).encode()))
    with pytest.raises(GameError) as refused:
        verify(game, path)
    assert said in refused.value.diagnostics[0].message


@pytest.mark.parametrize("head", ["[" * 100_000, '{"a":' * 100_000, "", "null", "1"])
def test_first_lines_that_are_none(head: str, tmp_path: Path) -> None:
    game, path = loaded(ROUND, "reference"), tmp_path / "proof.gz"
    assert code_of(game, path, [head, *lines_of(ROUND, path)[1:]]) == "C010"


def test_more_than_can_be_numbered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Places among choices are kept in 32 bits: the writer and the native check refuse what has more."""
    from gdl.certificates import verify_native

    assert inequalities.MOST < 2**31 - 1
    path = tmp_path / "proof.gz"
    lines_of(ROUND, path)
    reference, native = loaded(ROUND, "reference"), loaded(ROUND, "native")
    for most in (3, 2):  # of 4 positions with 4 moves
        monkeypatch.setattr(verify_native, "MOST", most)
        with pytest.raises(GameError, match="V005") as refused:
            verify(native, path)
        assert "--engine reference" in refused.value.diagnostics[0].message
    assert verify(reference, path).exact
    monkeypatch.setattr(writer, "MOST", 3)
    with pytest.raises(Refusal, match="too many to be ranked"):
        certificate_of_result(reference, solvers.solve(reference, "policy_iteration"))
