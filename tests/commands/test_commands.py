"""What each command prints, and how it exits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gdl.cli import COMMANDS, main
from gdl.commands import plot
from gdl.diagnostics import Source
from gdl.syntax.format import format_text
from tests.texts import LEAK

# ---------------------------------------------------------------------- the program itself


def test_help_lists_all_commands(gdl) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("--help")
    assert ran.code == 0
    assert all(f"\n  {command} " in ran.out for command in COMMANDS)


HEAVY = {"numpy", "numba", "llvmlite", "rich.console", "pydantic", "solvers.registry"}


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--help"], {*HEAVY, "lark", "gdl.check", "gdl.reference"}),
        (["check", "tictactoe"], HEAVY),
        (["check", "pig", "--json", "-p", "goal=20"], HEAVY),
    ],
)
def test_what_is_quick_loads_nothing_heavy(arguments: list[str], heavy: set[str]) -> None:
    script = (
        f"import sys; sys.argv = {['gdl', *arguments]}\n"
        "from gdl.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"loaded = {heavy} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_values_of_options_are_still_converted(gdl) -> None:  # type: ignore[no-untyped-def]
    wrong = gdl("run", "nim", "--seed", "one")
    assert wrong.code == 2 and "--seed" in wrong.err
    assert gdl("run", "nim", "--seed", "1", "--json").code == 0


KINDS_OF_PLOT = [f"plot {kind.__name__}" for kind in plot.KINDS]


@pytest.mark.parametrize("command", [*(name for name in COMMANDS if name != "plot"), *KINDS_OF_PLOT])
def test_every_command_has_help_and_json(gdl, command: str) -> None:  # type: ignore[no-untyped-def]
    ran = gdl(*command.split(), "--help")
    assert ran.code == 0
    assert "--json" in ran.out


def test_version(gdl) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("--version")
    assert ran.code == 0
    assert ran.out.strip()[0].isdigit()


@pytest.mark.parametrize(
    "arguments",
    [
        ["chek"],
        ["check"],
        ["check", "--nonsense"],
        ["info"],
        ["run"],
        ["explore", "pig", "--depth", "x"],
        ["new"],
    ],
)
def test_bad_usage(gdl, arguments: list[str]) -> None:  # type: ignore[no-untyped-def]
    ran = gdl(*arguments)
    assert ran.code == 2
    assert not ran.out
    assert "Usage: gdl" in ran.err


def test_misspelt_command_is_suggested(gdl) -> None:  # type: ignore[no-untyped-def]
    assert "'check'" in gdl("chek").err


def test_our_bugs_are_called_so(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("gdl.commands.arguments.read_game", broken)
    monkeypatch.setattr(sys, "argv", ["gdl", "info", "pig"])
    monkeypatch.delenv("GDL_DEBUG", raising=False)
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 70
    out, err = capfd.readouterr()
    assert not out
    assert "bug in gdl" in err
    assert "ZeroDivisionError: oops" in err
    assert "Traceback" not in err
    monkeypatch.setenv("GDL_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main()


def test_interruption(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gdl.commands.arguments.read_game", interrupted)
    monkeypatch.setattr(sys, "argv", ["gdl", "info", "pig"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 130
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes")
@pytest.mark.parametrize("arguments", [["explain"], ["--help"], ["fmt", "-"]])
def test_nobody_reads_on(arguments: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        result = subprocess.run(
            [sys.executable, "-c", "from gdl.cli import main; main()", *arguments],
            stdout=closed,
            stderr=subprocess.PIPE,
            input="game g\n" * 2,
            text=True,
            check=False,
        )
    assert "Traceback" not in result.stderr
    assert "BrokenPipe" not in result.stderr
    assert result.returncode in (1, 128 + signal.SIGPIPE)


def test_a_terminal_without_unicode(nim: Path) -> None:
    text = nim.read_text(encoding="utf-8").replace("stones; whoever", "stönes … whoever")
    nim.write_text(text, encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-c", "from gdl.cli import main; main()", "info", str(nim)],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    assert result.returncode == 0
    assert b"st?nes" in result.stdout


# ----------------------------------------------------------------------------- check


def test_check_a_good_game(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("check", nim)
    assert ran.code == 0
    assert ran.out == f"{nim}: no problem\n"
    assert not ran.err


def test_check_shows_all_errors_at_once(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    text = nim.read_text().replace("heap == 0", "heep == 0").replace("next(turn)", "nxt(turn)")
    nim.write_text(text)
    ran = gdl("check", nim)
    assert ran.code == 1
    assert not ran.out
    assert "error[E101]" in ran.err
    assert "error[E108]" in ran.err
    assert "did you mean `heap`?" in ran.err
    assert ran.err.rstrip().endswith(f"2 errors in {nim}")


def test_check_json(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    nim.write_text(nim.read_text().replace("heap == 0", "heep == 0"))
    ran = gdl("check", nim, "--json")
    assert ran.code == 1
    (file,) = ran.data["files"]
    (diagnostic,) = file["diagnostics"]
    assert diagnostic["code"] == "E101"
    assert (diagnostic["place"]["line"], diagnostic["place"]["column"]) == (18, 11)


def test_check_warnings(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    nim.write_text(nim.read_text() + "\ndef spare: heap > 1\n")
    ran = gdl("check", nim)
    assert ran.code == 0
    assert "warning[W101]" in ran.err
    assert gdl("check", nim, "--strict").code == 1


def test_check_verbose_lists_what_is_left(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    assert "note[" not in gdl("check", nim).err
    ran = gdl("check", nim, "--verbose")
    assert ran.code == 0
    assert "note[O106]" in ran.err


def test_check_many(gdl, nim: Path, coin: Path) -> None:  # type: ignore[no-untyped-def]
    coin.write_text("game coin\nplayers one\n")
    ran = gdl("check", nim.parent)
    assert ran.code == 1
    assert "stones.gdl: no problem" in ran.out
    assert "coin.gdl" in ran.err


def test_check_standard_input(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("check", "-", stdin=nim.read_text())
    assert ran.code == 0
    assert ran.out == "<stdin>: no problem\n"


def test_order_of_sections_means_nothing(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    facts = gdl("info", nim, "--json").data
    blocks = nim.read_text().split("\n\n")
    nim.write_text("\n\n".join(reversed(blocks)) + "\n")
    again = gdl("info", nim, "--json").data
    for key in ("players", "moves", "variables", "parameters", "bits", "class", "utility_bounds"):
        assert again[key] == facts[key]


# ------------------------------------------------------------------------------ info


def test_info_names_the_seven_parts(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("info", nim)
    assert ran.code == 0
    for part in ("positions", "moves", "transitions", "start", "end", "utility", "player"):
        assert part in ran.out
    assert "two-player zero-sum deterministic game of perfect information" in ran.out
    assert "heap: 0..4" in ran.out


def test_info_as_data(gdl, nim: Path, coin: Path) -> None:  # type: ignore[no-untyped-def]
    data = gdl("info", nim, "-p", "stones=20", "--json").data
    assert data["players"] == ["left", "right"]
    assert data["parameters"] == [
        {
            "name": "stones",
            "value": "20",
            "default": "4",
            "range": "1..20",
            "takes": "a whole number from 1 to 20",
        }
    ]
    assert data["bits"] == 5 + 1  # 21 heaps and 2 players
    assert data["moves_at_most"] == 2
    assert data["log2_positions_at_most"] == pytest.approx(5.392317)  # log2(42)
    assert data["acyclic"] and data["zero_sum"] and not data["chance"] and not data["hidden"]
    data = gdl("info", coin, "--json").data
    assert data["chance"]
    assert data["utility_bounds"] == [["0", "1"]]
    assert data["class"] == "one-player stochastic game of perfect information"


# --------------------------------------------------------------------------- explore


def test_explore_counts(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    # Compositions of 4 into ones and twos: 5 plays; heaps 0..4 with either player, as far as reachable.
    data = gdl("explore", nim, "--json").data
    assert data["complete"]
    assert data["plays"] == 5
    assert data["longest"] == 4
    assert data["perft"] == [1, 2, 4, 4, 1]
    assert data["repeats"] is False
    text = gdl("explore", nim).out
    assert "complete plays" in text
    assert "broken rules" in text


def test_explore_to_a_limit(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    data = gdl("explore", nim, "--depth", "1", "--json").data
    assert not data["complete"]
    assert data["plays"] is None


def test_explore_finds_the_shortest_way_to_a_fault(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    nim.write_text(nim.read_text().replace("when n <= heap", "when heap > 0"))
    ran = gdl("explore", nim)
    assert ran.code == 1
    assert "error[F001]" in ran.err
    assert "shortest play" in ran.err
    (violation,) = gdl("explore", nim, "--json").data["violations"]
    # From 4 stones the shortest way to one stone and a move of two takes two moves.
    assert len(violation["play"]) == 2
    assert violation["move"] == "take(2)"


def test_explore_counts_information_sets_that_break(gdl, write) -> None:  # type: ignore[no-untyped-def]
    """What right may say tells what left chose: that is a broken rule, and words and diagnostic agree."""
    ran = gdl("explore", leak := write(LEAK))
    assert ran.code == 1 and "error[R004]" in ran.err
    facts = {line.strip()[:16].strip(): line.strip()[16:].strip() for line in ran.out.splitlines()}
    assert facts["broken rules"] == "1" and facts["information sets"].startswith("broken")
    native = gdl("explore", leak, "--engine", "native").out
    assert "not verified here" in native
    assert "a rule breaks (R004): `gdl explore` shows where" in gdl("info", leak).out


def test_info_counts_information_sets(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    """Kuhn (1950): three cards, and for each player two things that may have happened before a decision.
    Liar's dice has more histories than somebody waits for."""
    assert "alice 6, bob 6; 54 histories" in gdl("info", "kuhn_poker").out
    data = gdl("info", "kuhn_poker", "--json").data
    assert data["information_sets"] == {"alice": 6, "bob": 6} and data["histories"] == 54
    assert "not counted here beyond 2,000 histories: see `gdl explore`" in gdl("info", "liars_dice").out
    assert gdl("info", "liars_dice", "--json").data["information_sets"] is None
    assert "information sets" not in gdl("info", nim).out


# ------------------------------------------------------------------------------ test


def test_test_passes(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("test", nim)
    assert ran.code == 0, ran.err
    assert ran.out.count("passed      expect") == 4
    assert ran.out.rstrip().endswith("4 passed in 1 file")
    verdicts = gdl("test", nim, "--json").data["files"][0]["verdicts"]
    assert [v["status"] for v in verdicts] == ["passed"] * 4
    assert len(verdicts[0]["how"]) >= 3  # several solvers agree


def test_test_fails(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    nim.write_text(nim.read_text().replace("expect plays == 5", "expect plays == 6"))
    ran = gdl("test", nim)
    assert ran.code == 1
    assert "error[T001]" in ran.err
    assert "finds 5" in ran.err
    assert "3 passed, 1 failed" in ran.out


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("expect value == 1/2", True),
        ("expect value == 0.5", True),
        ("expect value == 0.50000001", False),
        ("expect value within 1/100 of 0.505", True),
        ("expect value within 1/1000 of 0.505", False),
        ("expect best == {toss, keep}", True),
        ("expect best == toss", False),
        ("expect legal == 2", True),
        ("expect legal == {toss, keep}", True),
        ("expect legal == {toss}", False),
        ('expect legal from "face=heads" == 0', True),
        ("expect legal after keep == 0", True),
        ("expect value after keep == 1/2", True),
        ('expect value from "face=heads" == 1', True),
        ("expect positions == 4", True),
        ("expect positions(1) == 3", True),
        ("expect positions(1) == 4", False),
        ("expect perft(1) == 3", True),
        ("expect plays == 3", True),
    ],
)
def test_every_kind_of_expectation(gdl, coin: Path, line: str, holds: bool) -> None:  # type: ignore[no-untyped-def]
    coin.write_text(coin.read_text() + f"\n{line}\n")
    ran = gdl("test", coin)
    assert ran.code == (0 if holds else 1), ran.err


def test_chance_between_the_moves_of_an_expectation(gdl, coin: Path) -> None:  # type: ignore[no-untyped-def]
    coin.write_text(coin.read_text() + "\nexpect legal after toss == 0\n")
    ran = gdl("test", coin)
    assert ran.code == 1
    assert "error[T003]" in ran.err


def test_slow_lines_wait_for_slow(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    nim.write_text(nim.read_text() + "expect slow value(stones=9) == -1\n")
    assert "1 slow not tested" in gdl("test", nim).out
    assert "5 passed" in gdl("test", nim, "--slow").out


def test_hidden_values_are_checked_by_equilibria(gdl, write) -> None:  # type: ignore[no-untyped-def]
    pennies = """game pennies
players: left, right
position:
    side[p: player]: {heads, tails}? visible to p
player: left if side[left] is none else right
secret move put(s: {heads, tails}):
    if side[left] is none:
        side[left] = s
    else:
        side[right] = s
terminal: side[left] is not none and side[right] is not none
utility: 1 if side[left] == side[right] else -1
expect value == 0
"""
    ran = gdl("test", write(pennies, "pennies.gdl"))
    assert ran.code == 0 and "sequence_form" in ran.out
    ran = gdl("test", write(pennies.replace("value == 0", "value == 1"), "pennies.gdl"))
    assert ran.code == 1 and "T001" in ran.err


def test_best_moves_of_hidden_games_cannot_be_tested(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    text = nim.read_text().replace("heap: 0..stones = stones", "heap: 0..stones = stones visible to left")
    nim.write_text(text)
    ran = gdl("test", nim)
    assert ran.code == 1 and "depends on what the player has seen" in ran.err


def test_a_refusal_is_a_failure(gdl, nim: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """A solver that says that a game has no value contradicts those that find it."""
    from solvers.core.refusal import cannot_go_on
    from solvers.whole import value_iteration

    def refuse(*_: object, **__: object) -> None:
        raise cannot_go_on("rewards can be collected for ever.")

    monkeypatch.setattr(value_iteration, "value_iteration", refuse)
    ran = gdl("test", nim)
    assert ran.code == 1
    assert "rewards can be collected for ever" in ran.err


def test_counts_that_take_long_are_made_by_machine_code(gdl, write) -> None:  # type: ignore[no-untyped-def]
    """Whether the line is marked `slow` or not. 197,281 plays: chessprogramming.org/Perft_Results."""
    from gdl.commands.arguments import read_game

    text = read_game("chess").text.split("\nexpect ")[0]
    ran = gdl("test", write(text + "\nexpect perft(4) == 197281\n", "chess.gdl"))
    assert ran.code == 0 and "1 passed" in ran.out


def test_a_fault_is_a_failure(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    nim.write_text(nim.read_text().replace("when n <= heap", "when heap > 0"))
    ran = gdl("test", nim)
    assert ran.code == 1
    assert "error[F001]" in ran.err


# ------------------------------------------------------------------------------- fmt


def test_fmt_rewrites_in_place(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    canonical = nim.read_text()
    assert gdl("fmt", "--check", nim).code == 0
    nim.write_text(
        canonical.replace("    heap -= n", "  heap  -=  n").replace("    turn = next", "  turn = next")
    )
    before = nim.read_text()
    ran = gdl("fmt", "--check", nim)
    assert ran.code == 1
    assert "would be formatted" in ran.out
    ran = gdl("fmt", "--diff", nim)
    assert ran.code == 0
    assert "-  heap  -=  n\n" in ran.out
    assert "+    heap -= n\n" in ran.out
    assert nim.read_text() == before
    ran = gdl("fmt", nim)
    assert ran.code == 0
    assert nim.read_text() == canonical
    assert gdl("fmt", nim).out == ""


def test_fmt_standard_input(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("fmt", "-", stdin=nim.read_text().replace("heap -= n", "heap  -=  n"))
    assert ran.code == 0
    assert ran.out == nim.read_text()


def test_fmt_leaves_broken_files_alone(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    nim.write_text(nim.read_text().replace("heap == 0", "heap =="))
    before = nim.read_text()
    ran = gdl("fmt", nim)
    assert ran.code == 1
    assert "error[S107]" in ran.err
    assert nim.read_text() == before


def test_fmt_keeps_line_ends_and_permissions(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    text = nim.read_text()
    nim.write_bytes(text.replace("heap -= n", "heap-=n").replace("\n", "\r\n").encode())
    nim.chmod(0o640)
    assert gdl("fmt", nim).code == 0
    assert nim.read_bytes() == text.replace("\n", "\r\n").encode()
    assert nim.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in nim.parent.iterdir()] == [nim.name]


def test_fmt_json(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("fmt", "--check", "--json", nim)
    assert ran.data == {"files": [{"file": str(nim), "changed": False, "diagnostics": []}]}


# ------------------------------------------------------------------------------- new


def test_new_game_checks_clean_and_is_canonical(gdl, tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    assert gdl("new", "my_game").code == 0
    path = tmp_path / "my_game.gdl"
    text = path.read_text()
    assert "game my_game\n" in text
    assert format_text(Source("my_game.gdl", text)) == text
    assert gdl("check", "--strict", path).code == 0
    assert gdl("explore", path).code == 0
    assert gdl("test", path).code == 0


def test_new_like_another(gdl, nim: Path, tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    ran = gdl("new", "other", "--like", nim, "--json")
    assert ran.data == {"file": "other.gdl", "like": str(nim)}
    assert Path("other.gdl").read_text() == nim.read_text().replace("game stones", "game other")
    assert gdl("new", "third", "--like", "nosuchgame").code == 1


def test_new_never_overwrites(gdl, nim: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(nim.parent)
    before = nim.read_text()
    ran = gdl("new", "stones")
    assert ran.code == 1
    assert "error[C004]" in ran.err
    assert nim.read_text() == before


@pytest.mark.parametrize("name", ["4inarow", "my-game", "a b", "..", ".gdl"])
def test_new_needs_a_name(gdl, tmp_path: Path, monkeypatch, name: str) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    ran = gdl("new", name)
    assert ran.code == 1
    assert "error[C006]" in ran.err
    assert not list(tmp_path.iterdir())


def test_diagnostics_as_data(gdl) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("info", "nowhere.gdl", "--json")
    assert ran.code == 1
    assert not ran.err
    assert json.loads(ran.out)["diagnostics"][0]["code"] == "S001"
