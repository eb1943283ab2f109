"""`gdl eval`, `perft`, `list`, `watch`, `lsp`, `check --fix`: what people ask while they write a game."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Gdl
from tests.texts import STONES

# ---------------------------------------------------------------------------- eval


def test_eval_at_the_start_after_moves_and_at_a_position(gdl: Any) -> None:
    assert gdl("eval", "tictactoe", "count(board[c] == empty for c in Cell)").out == "9\n"
    ran = gdl("eval", "tictactoe", "count(board[c] == empty for c in Cell)", "--moves", "place(a1) place(b2)")
    assert ran.out == "7\n"
    assert gdl("eval", "pig", "banked[first] / 3", "--at", "banked=[4, 0]").out == "4/3\n"
    assert gdl("eval", "pig", "goal", "-p", "goal=30").out == "30\n"


def test_eval_asks_whether_anyone_can_move(gdl: Any, write: Any) -> None:
    assert gdl("eval", write(STONES), "stuck").out == "false\n"
    assert gdl("eval", write(STONES), "stuck", "--at", "n=0").out == "true\n"


def test_eval_of_a_start_that_is_drawn(gdl: Any) -> None:
    """Three cards, each as likely to be dealt first."""
    ran = gdl("eval", "kuhn_poker", "card[alice]", "--json")
    assert {v["probability"] for v in ran.data["values"]} == {"1/3"}
    assert len(ran.data["values"]) == 3
    assert ran.data["value"] is None
    assert (
        sum(line.split()[0] == "1/3" for line in gdl("eval", "kuhn_poker", "card[alice]").out.splitlines())
        == 3
    )


def test_eval_as_data(gdl: Any) -> None:
    data = gdl("eval", "tictactoe", "turn", "--moves", "place(a1)", "--json").data
    assert (data["value"], data["type"], data["expression"]) == ("o", "player", "turn")
    assert "a1=x" in data["position"] or "board=[x" in data["position"]


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("bord[a1]", "E101"),
        ("board", "E210"),
        ("(1 + ", "S009"),
        ("1 2", "S100"),
        ("1 +", "S107"),
        ("turn = x", "S102"),
        ("a1 || b1", "S014"),
        ("1 / 0", "E303"),
        ("\u00a7", "S015"),
        ("-" * 3000 + "1", "S006"),
    ],
)
def test_eval_of_what_is_no_expression(gdl: Any, expression: str, code: str) -> None:
    ran = gdl("eval", "tictactoe", "--json", "--", expression)
    assert ran.code == 1
    assert [d["code"] for d in ran.data["diagnostics"]] == [code]


def test_eval_needs_an_expression_and_a_game(gdl: Any, write: Any) -> None:
    assert gdl("eval", "tictactoe", " ").code == 2
    assert "C001" in gdl("eval", "tictactoo", "1").err
    assert "E101" in gdl("eval", write(STONES.replace("n == 0", "m == 0")), "n").err
    assert "P" in gdl("eval", "tictactoe", "1", "--moves", "place(z9)").err
    fault = gdl("eval", write(STONES), "1 div n", "--at", "n=0")
    assert fault.code == 1 and "F" in fault.err


# --------------------------------------------------------------------------- perft


def test_perft_of_chess(gdl: Any) -> None:
    """https://www.chessprogramming.org/Perft_Results."""
    assert gdl("perft", "chess", "2", "--json").data["plays"] == 400
    data = gdl("perft", "chess", "3", "--divide", "--json").data
    assert data["plays"] == 8_902
    assert len(data["by_move"]) == 20
    assert data["by_move"]["go(e2, e4)"] == 600  # python-chess and others give the same share
    assert data["by_move"]["go(a2, a3)"] == 380


def test_perft_begins_where_it_is_told(gdl: Any, write: Any) -> None:
    """Three stones: 1+1+1, 1+2, 2+1."""
    game = write(STONES)
    assert gdl("perft", game, "0").out.startswith("1 play of 0")
    assert [gdl("perft", game, str(n), "--json").data["plays"] for n in (1, 2, 3, 4)] == [2, 3, 1, 0]
    assert gdl("perft", game, "1", "--moves", "take(1)", "--json").data["plays"] == 2
    assert gdl("perft", game, "1", "--at", "n=1", "--engine", "reference", "--json").data["plays"] == 1
    assert gdl("perft", game, "2", "--divide", "--json").data["by_move"] == {"take(1)": 2, "take(2)": 1}
    assert gdl("perft", game, "2", "--divide", "--at", "n=0", "--json").data["by_move"] == {}


def test_perft_refuses(gdl: Any) -> None:
    assert gdl("perft", "tictactoe", "0", "--divide").code == 2
    assert gdl("perft", "tictactoe", "--", "-1").code == 2
    assert gdl("perft", "tictactoe", "many").code == 2
    assert "drawn at random" in gdl("perft", "kuhn_poker", "1", "--divide").err


# ---------------------------------------------------------------------------- list


def test_list_of_files(gdl: Any, write: Any) -> None:
    folder = write(STONES).parent
    write("game broken\n", "broken.gdl")
    ran = gdl("list", folder)
    assert ran.code == 1
    assert "E501" in ran.err or "error" in ran.err
    (line,) = [line for line in ran.out.splitlines() if line.startswith("stones")]
    assert "zero-sum" in line and "5 bits" in line and "left, right" in line  # 4 bits of n, 1 of turn
    data = gdl("list", folder, "--json").data
    assert [game["name"] for game in data["games"]] == ["stones"]
    assert data["games"][0]["class"] == "two-player zero-sum deterministic game of perfect information"
    assert [Path(broken["file"]).name for broken in data["broken"]] == ["broken.gdl"]


def test_list_of_nothing(gdl: Any, tmp_path: Path) -> None:
    assert gdl("list", tmp_path).code == 2
    assert gdl("list", tmp_path / "none.gdl").code == 1


# --------------------------------------------------------------------------- watch


@contextmanager
def watching(path: Path) -> Iterator[Any]:
    """`gdl watch --json` in a process of its own; gives what it says next."""
    process = subprocess.Popen(
        [sys.executable, "-m", "gdl", "watch", str(path), "--json", "--time", "0.2"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield lambda: json.loads(process.stdout.readline())  # type: ignore[union-attr]
    finally:
        process.terminate()
        process.wait(30)


def test_watch_says_what_a_save_changed(write: Any) -> None:
    """Three stones are lost by who begins, four are won."""
    path = write(STONES)
    with watching(path) as said:
        first = said()
        assert (first["ok"], first["changes"], first["value"]) == (True, [], "left -1, right 1")
        path.write_text(STONES.replace("terminal: n == 0", "terminal: m == 0"), encoding="utf-8")
        broken = said()
        assert [d["code"] for d in broken["diagnostics"]] == ["E101"]
        assert not broken["ok"]
        other = path.with_suffix(".new")  # as editors do that replace the file
        other.write_text(STONES.replace("0..9 = 3", "0..20 = 4"), encoding="utf-8")
        other.replace(path)
        mended = said()
        assert "value: left -1, right 1 \u2192 left 1, right -1" in mended["changes"]
        assert "expect value == -1: passed \u2192 failed" in mended["changes"]
        assert any(change.startswith("size: 5 bits") for change in mended["changes"])


def test_watch_speaks_of_costs_where_the_game_does(gdl: Any, write: Any) -> None:
    steps = "game steps\nplayers: me\nposition:\n    n: 0..9 = 5\nmove up when n < 9: n += 1\n"
    path = write(steps + "terminal: n == 9\nminimise: moves\n")
    assert "cost   me 4" in gdl("watch", path, "--once", "--time", "0.2").out


def test_watch_once(gdl: Any, write: Any) -> None:
    ran = gdl("watch", write(STONES), "--once", "--time", "0.2")
    assert ran.code == 0
    assert "1 of 1 expectations hold" in ran.out
    assert gdl("watch", write(STONES.replace("== -1", "== 1")), "--once", "--time", "0.2").code == 1
    assert gdl("watch", "-").code == 2
    assert "C001" in gdl("watch", "nosuchgame").err


# ------------------------------------------------------------------- check, test, lsp


def test_check_fix_rewrites_the_file(gdl: Any, write: Any) -> None:
    path = write(STONES.replace("when k <= n:", "when k <= n && true").replace("next(turn)", "next turn"))
    ran = gdl("check", "--fix", path)
    assert "3 mistakes mended" in ran.out
    assert path.read_text(encoding="utf-8") == STONES.replace("k <= n:", "k <= n and true:")
    assert gdl("check", "--fix", "--json", path).data["files"][0]["fixed"] == 0


def test_check_fix_leaves_guesses_and_standard_input(gdl: Any, write: Any) -> None:
    text = STONES.replace("next(turn)", "next(trun)")
    path = write(text)
    assert gdl("check", "--fix", path).code == 1
    assert path.read_text(encoding="utf-8") == text
    assert gdl("check", "--fix", "-", stdin=STONES).code == 2
    assert gdl("check", "--fix", path.with_name("none.gdl")).code == 1


def test_one_line_is_tested(gdl: Any, write: Any) -> None:
    path = write(STONES + "expect value == 1\n")
    assert gdl("test", path, "--line", "12").code == 0
    failed = gdl("test", path, "--line", "13", "--json")
    assert [v["status"] for v in failed.data["files"][0]["verdicts"]] == ["failed"]
    assert "they are in 12, 13" in gdl("test", path, "--line", "1").err


def test_without_its_extra_lsp_says_what_to_install(gdl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygls.lsp.server", None)
    ran = gdl("lsp")
    assert ran.code == 1
    assert "C011" in ran.err
    assert "pip install 'gdl-games[lsp]'" in ran.err


def test_lsp_says_what_it_answers(gdl: Any) -> None:
    data = gdl("lsp", "--json").data
    assert {"textDocument/hover", "textDocument/rename", "textDocument/codeAction"} <= set(data["methods"])
    assert data["commands"] == ["gdl.test"]


def test_a_sweep_that_has_nothing_to_go_on_with_says_so(gdl: Gdl, tmp_path: Path) -> None:
    """The table that is there is finished: it does not say from which rules its rows come."""
    out = tmp_path / "halving.csv"
    assert not gdl("sweep", "halving", "start=1..2", "-j", "1", "--out", out).complaints
    again = gdl("sweep", "halving", "start=1..3", "-j", "1", "--out", out, "--resume")
    assert again.code == 0 and "all points are computed" in again.complaints
    assert len(out.read_text().splitlines()) == 1 + 3
