"""`gdl search`: limits, positions, what an answer says, and what is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from solvers.machine.portions import Pace

ROOT = Path(__file__).parent.parent.parent
LARGE = ("connect_four", "-p", "width=7", "-p", "height=6")


def test_a_small_game_is_searched_to_its_end(gdl: Any, nim: Path) -> None:
    """Multiples of three are lost for the player to move; four are won by taking one (Bouton 1901)."""
    data = gdl("search", nim, "--json").data
    assert (data["solver"], data["kind"]) == ("alphabeta", "exact")
    assert [move["move"] for move in data["moves"] if move["best"]] == ["take(1)"]
    assert not data["partial"]


def test_chance_is_searched_too(gdl: Any, coin: Path) -> None:
    data = gdl("search", coin, "--json").data
    assert data["kind"] == "exact"
    assert data["values"]["one"]["value"] == pytest.approx(0.5)
    assert all(move["best"] for move in data["moves"])


def test_positions_and_moves_say_where(gdl: Any, nim: Path) -> None:
    by_moves = gdl("search", nim, "--moves", "take(1)", "--json").data
    by_position = gdl("search", nim, "--at", "heap=3 turn=right", "--json").data
    assert by_moves["at"] == by_position["at"]
    assert by_moves["values"] == by_position["values"]
    assert by_moves["values"]["right"]["value"] == -1


def test_leaves_may_come_from_a_tablebase(gdl: Any, tmp_path: Path) -> None:
    """One move ahead and then the truth: all that tic-tac-toe is known for (every reply to a corner but the
    middle loses)."""
    table = tmp_path / "known.tb"
    assert gdl("solve", "tictactoe", "--save", table, "--json").code == 0
    search = f"alphabeta(depth=1, leaf=tablebase:{table})"
    data = gdl("search", "tictactoe", "--moves", "place(a1)", "--solver", search, "--json").data
    assert [move["move"] for move in data["moves"] if move["best"]] == ["place(b2)"]
    assert data["kind"] != "exact"
    assert gdl("search", "nim", "--solver", search).code == 1


def test_what_is_shown(gdl: Any, nim: Path) -> None:
    ran = gdl("search", nim, "--solver", "mcts(simulations=40, seed=3)")
    assert ran.code == 0
    for word in ("plays", "simulations", "seed", "* take(1)"):
        assert word in ran.out


def test_limits_are_kept(gdl: Any) -> None:
    by_nodes = gdl("search", *LARGE, "--nodes", "20000", "--json").data
    assert by_nodes["partial"]
    assert by_nodes["kind"] != "exact"
    assert by_nodes["work"]["nodes"] <= 22_000
    by_depth = gdl("search", *LARGE, "--depth", "3", "--json").data
    assert not by_depth["partial"]
    assert "3 moves ahead" in by_depth["how"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--solver", "alphabetta"], "A002", "did you mean `alphabeta`"),
        (["--solver", "retrograde"], "A002", "`flat_monte_carlo`"),
        (["--solver", "alphabeta(depht=3)"], "A003", "did you mean `depth`"),
        (["--solver", "mcts", "--depth", "3"], "R003", "`rollout_depth`"),
        (["--solver", "maxn(leaf=evaluation)"], "A004", "`tablebase`"),
        (["--moves", "take(9)"], "P003", ""),
        (["--at", "heap"], "P00", ""),
    ],
)
def test_mistakes(gdl: Any, nim: Path, arguments: list[str], code: str, said: str) -> None:
    ran = gdl("search", nim, *arguments)
    assert ran.code == 1
    assert f"error[{code}" in ran.err
    assert said in ran.err
    assert not ran.out


def test_a_search_that_does_not_apply_refuses(gdl: Any, coin: Path) -> None:
    ran = gdl("search", coin, "--solver", "alphabeta")
    assert ran.code == 1
    assert "error[R001]" in ran.err
    assert "star2" in ran.err


ENDLESS = ["alphabeta", "star2", "mcts(simulations=1000000000)", "mcts(simulations=1000000000, threads=2)"]


@pytest.mark.parametrize("solver", ENDLESS)
def test_an_interrupt_ends_a_search_with_an_answer(
    gdl: Any, monkeypatch: pytest.MonkeyPatch, solver: str
) -> None:
    """A real SIGINT, sent while the kernel runs."""
    portions = 0
    portion = Pace.portion

    def interrupted(pace: Pace) -> int:
        nonlocal portions
        portions += 1
        if portions == 30:
            Timer(0.005, os.kill, (os.getpid(), signal.SIGINT)).start()
        return portion(pace)

    monkeypatch.setattr(Pace, "portion", interrupted)
    ran = gdl("search", *LARGE, "--solver", solver, "--json")
    assert ran.code == 0
    assert ran.data["partial"]
    assert ran.data["kind"] != "exact"
    assert any(move["best"] for move in ran.data["moves"])


def test_an_interrupt_while_looking_for_a_proof_is_answered_by_plays(
    gdl: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    portion, portions = Pace.portion, 0

    def interrupted(pace: Pace) -> int:
        nonlocal portions
        portions += 1
        if portions == 5:
            raise KeyboardInterrupt
        return portion(pace)

    monkeypatch.setattr(Pace, "portion", interrupted)
    began = time.monotonic()
    ran = gdl("search", *LARGE, "--time", "300", "--json")
    assert time.monotonic() - began < 100
    assert (ran.code, ran.data["partial"], ran.data["solver"]) == (0, True, "mcts")


def test_the_usual_limit_is_said(gdl: Any, nim: Path) -> None:
    ran = gdl("search", nim)
    assert "no limit is given: 3 s" in ran.err and "within 3 s, as no limit is given" in ran.out
    assert "no limit" not in gdl("search", nim, "--nodes", "1000").err


def test_plans_are_shown(gdl: Any, nim: Path) -> None:
    data = gdl("search", nim, "--plan", "--json").data
    assert data["steps"][0]["solver"] == "alphabeta"
    assert data["question"] == "search" and data["seconds"] == 3
    ran = gdl("solve", nim, "--plan")
    assert ran.code == 0 and "backward_induction" in ran.out and "by the types of the variables" in ran.out
    assert gdl("solve", nim, "--plan", "--json").data["known_by"] == "types"
    assert gdl("solve", nim, "--plan", "--engine", "reference", "--json").data["known_by"] == "counting"
    assert gdl("run", nim, "--from", "heap=1").code == 2


@pytest.mark.slow
@pytest.mark.parametrize("solver", ENDLESS)
def test_ctrl_c_in_a_process_of_its_own(solver: str) -> None:
    command = [sys.executable, "-c", "from gdl.cli import main; main()", "search", *LARGE]
    process = subprocess.Popen(
        [*command, "--solver", solver, "--time", "600", "--json"], stdout=subprocess.PIPE, cwd=ROOT
    )
    _wait_for_work(process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    assert json.loads(out)["partial"]


def _wait_for_work(process: subprocess.Popen[bytes]) -> None:
    """Until the process has used more CPU time than it needs to begin its search."""
    ticks = os.sysconf("SC_CLK_TCK")
    seconds = 0.0
    while seconds < 12 and process.poll() is None:
        time.sleep(0.1)
        fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        seconds = (int(fields[11]) + int(fields[12])) / ticks


def test_payments_without_end_are_at_least_something(gdl: Any, tmp_path: Path) -> None:
    game = tmp_path / "pay.gdl"
    game.write_text(
        "game pay\nplayers: a\nposition:\n    x: 0..1 = 0\nmove stop: x = 1\nmove go: reward 1\n"
        "terminal: x == 1\nutility: 0\n"
    )
    assert "at least 1" in gdl("search", game, "--depth", "2").out
    text = gdl("search", game, "--depth", "2", "--json").out
    assert "Infinity" not in text
    assert json.loads(text)["values"]["a"]["high"] is None


def test_rules_that_were_not_proven_safe_are_named(gdl: Any, tmp_path: Path) -> None:
    """The fault of climbing too far lies deeper than the search looked, and it says that it need not know."""
    game = tmp_path / "ladder.gdl"
    game.write_text(
        "game ladder\nplayers: a\nposition:\n    n: 0..3 = 0\n    over: bool\nmove stop: over = true\n"
        "move climb: n += 1\nterminal: over\nutility: 1\n"
    )
    assert "1 place is not proven safe" in gdl("search", game, "--depth", "2").out
    assert gdl("search", game, "--depth", "2", "--json").data["not_proven_safe"] == 1


def test_reasons_are_true(gdl: Any, coin: Path) -> None:
    """One player has nobody to be opposed to; that positions repeat is said only where it is so."""
    assert "opposed" not in gdl("search", coin).out
    assert "may repeat" not in gdl("solve", "halving").out


def test_every_players_value_of_a_move_is_shown(gdl: Any) -> None:
    shown = gdl("search", "three_players", "--solver", "maxn")
    data = gdl("search", "three_players", "--solver", "maxn", "--json").data
    assert shown.code == 0
    best = next(move for move in data["moves"] if move["best"])
    assert [value["exact"] for value in best["values"]] == [
        data["values"][player]["exact"] for player in data["values"]
    ]
    assert ", ".join(f"{player} {value['exact']}" for player, value in data["values"].items()) in shown.out


def test_what_pruning_leaves_open_is_explained(gdl: Any, tmp_path: Path) -> None:
    file = tmp_path / "much_or_little.gdl"
    file.write_text(
        "game much_or_little\nplayers: a\nposition:\n    x: 0..3 = 0\nmove much: x = 3\nmove some: x = 2\n"
        "move little: x = 1\nterminal: x > 0\nutility: x\n"
    )
    shown = gdl("search", file, "--engine", "reference").out
    assert "some     not better" in shown and "whether as good or worse is left open" in shown
    assert "not better" not in gdl("search", file, "--engine", "reference", "--solver", "minimax").out


def test_a_seed_makes_simulations_repeatable(gdl: Any) -> None:
    found = [gdl("search", "nim", "--solver", "mcts", "--simulations", "20", "--seed", n, "--json").data
             for n in ("7", "7")]  # fmt: skip
    assert found[0]["seed"] == 7 and found[0]["moves"] == found[1]["moves"]
    ran = gdl("search", "nim", "--solver", "alphabeta", "--seed", "7")
    assert ran.code == 1 and "`seed` of alphabeta says nothing" in ran.err


def test_numbers_that_machine_code_cannot_hold_are_left_to_the_reference_engine(
    gdl: Any, tmp_path: Path
) -> None:
    game = tmp_path / "large.gdl"
    game.write_text(
        "game large\nplayers: a\nposition:\n    x: 0..1 = 0\nmove go: x = 1\nterminal: x == 1\n"
        "utility: 10**400\n"
    )
    for command in ("search", "solve", "run"):
        found = gdl(command, game)
        assert found.code == 0 and "1e+400" in found.out
        assert "played by the reference engine" in found.err and "(line 7)" in found.err
        named = gdl(command, game, "--engine", "native")
        assert named.code == 1 and "F010" in named.err
