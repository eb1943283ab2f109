"""`gdl solve --certificate` and `gdl verify` at the command line, and files that are no certificates."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.certificates.forging import rewritten
from tests.commands.conftest import Gdl, gdl

__all__ = ["gdl"]  # the fixture


@pytest.fixture
def proof(gdl: Gdl, tmp_path: Path) -> Path:
    path = tmp_path / "pig.gz"
    assert gdl("solve", "pig", "-p", "goal=5", "--exact", "--certificate", path).code == 0
    return path


def test_says_what_it_proved(gdl: Gdl, proof: Path) -> None:
    """Two-goal Pig to 5: 216/271 is the first player's chance to win (Neller & Presser), so 161/271 here."""
    ran = gdl("verify", "pig", "-p", "goal=5", proof)
    assert ran.code == 0 and not ran.complaints
    for part in ("pig, goal=5", "value = 161/271 = 0.5940959409", "every listed move is best, and no other"):
        assert part in ran.out
    data = gdl("verify", "pig", "-p", "goal=5", proof, "--json", "--engine", "native").data
    assert data["verified"] and data["exact"] and data["params"] == {"goal": "5"}
    assert data["values"]["first"] == {"at_least": "161/271", "at_most": "161/271"}
    assert data["positions_with_moves"] == data["positions_with_best_moves_proven"]


def test_bounds_are_rounded_outwards(gdl: Gdl, tmp_path: Path) -> None:
    path = tmp_path / "pig.gz"
    assert gdl("solve", "pig", "-p", "goal=5", "--certificate", path).code == 0
    out = gdl("verify", "pig", "-p", "goal=5", path).out
    words = (
        next(line for line in out.splitlines() if line.strip().startswith("first")).replace(",", "").split()
    )
    low, high = float(words[words.index(">=") + 1]), float(words[words.index("<=") + 1])
    assert low <= 161 / 271 <= high and high - low < 1e-8


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_the_reference_engine_writes_the_same(gdl: Gdl, tmp_path: Path, engine: str) -> None:
    path = tmp_path / "proof.gz"
    assert gdl("solve", "three_players", "--engine", engine, "--certificate", path).code == 0
    ran = gdl("verify", "three_players", path)
    assert ran.code == 0 and "every play ends" in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pig", "-p", "goal=6"], "other parameters"),
        (["tictactoe"], "about pig, not about tictactoe"),
        (["kuhn_poker"], "V005"),
    ],
)
def test_other_rules(gdl: Gdl, proof: Path, arguments: list[str], said: str) -> None:
    ran = gdl("verify", *arguments, proof)
    assert ran.code == 1 and said in ran.err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b'"version": 1', b'"version": 2', "version 2"),
        (b'"kind": "certificate"', b'"kind": "tablebase"', "no certificate"),
        (b'"positions": ', b'"positions": 1', "cut short"),
        (b'"form": "duel"', b'"form": "everybody"', "columns"),
        (b'"form": "duel"', b'"form": "?"', "columns"),
        (b"value,", b"worth,", "columns"),
        (b"161/271", b"161/0", "cannot be read"),
        (b"161/271", b"nan", "cannot be read"),
        (b"161/271", b"1e999", "cannot be read"),
        (b"161/271", b"", "C010"),
        (b"161/271", b"161/272", "V001"),
        (b"161/271", b"161/271,0", "cannot be read"),
        (b"{", b"[", "no certificate"),
    ],
)
def test_changed_texts(gdl: Gdl, proof: Path, old: bytes, new: bytes, said: str) -> None:
    rewritten(proof, old, new)
    for engine in ("reference", "native"):
        ran = gdl("verify", "pig", "-p", "goal=5", proof, "--engine", engine)
        assert ran.code == 1 and said in ran.err, ran.err


def test_damaged_files(gdl: Gdl, proof: Path, tmp_path: Path) -> None:
    data = proof.read_bytes()
    spoiled = bytes([*data[:200], data[200] ^ 1, *data[201:]])
    lines = gzip.decompress(data).splitlines(keepends=True)
    files = {
        "nothing": b"",
        "cut": data[: len(data) // 2],
        "cut at the end": data[:-1],
        "spoiled": spoiled,
        "no gzip": gzip.decompress(data),
        "only facts": gzip.compress(lines[0].rstrip()),
        "no rows": gzip.compress(b"".join(lines[:2])),
        "no text": gzip.compress(b"\xff\xfe\n\xff\xfe\n"),
    }
    for name, contents in files.items():
        path = tmp_path / name
        path.write_bytes(contents)
        ran = gdl("verify", "pig", "-p", "goal=5", path)
        assert ran.code == 1 and "C010" in ran.err, (name, ran.err)
    ran = gdl("verify", "pig", "-p", "goal=5", tmp_path / "not there", "--json")
    assert ran.code == 1 and json.loads(ran.out)["diagnostics"][0]["code"] == "C010"
    assert gdl("verify", "pig", tmp_path).code == 1


def test_refused_before_the_work(gdl: Gdl, tmp_path: Path) -> None:
    ran = gdl("solve", "pig", "--certificate", tmp_path / "no" / "such" / "folder")
    assert ran.code == 1 and "C008" in ran.err and not ran.out
    for options in (["--turns"], ["--drop-edges"], ["--agent", "first=random"], ["--estimate"]):
        ran = gdl("solve", "pig", "-p", "goal=5", *options, "--certificate", tmp_path / "x.gz")
        assert ran.code == 2 and "--certificate" in ran.err
    assert not list(tmp_path.iterdir())
