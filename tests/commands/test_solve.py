"""`gdl solve` at the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


def test_says_what_it_found_and_how(solve: Run) -> None:
    code, out, _ = solve("tictactoe")
    assert code == 0
    for part in ("backward_induction", "no position comes back", "5,478", "* place(b2)", "principal line"):
        assert part in out


def test_json(solve: Run) -> None:
    code, out, _ = solve("gridworld", "--json")
    data = json.loads(out)
    assert code == 0
    assert data["values"]["agent"]["value"] == pytest.approx(0.705308219178, abs=1e-9)
    assert data["values"]["agent"]["low"] <= 0.705308219178 + 1e-12
    assert data["best"] == ["go(north)"]
    assert data["statistics"]["positions"] == 11


def test_exact_and_at(solve: Run) -> None:
    code, out, _ = solve("piglet", "-p", "goal=2", "--exact")
    assert code == 0 and "1/7" in out
    code, out, _ = solve("gridworld", "--at", "at=d1", "--json")
    assert json.loads(out)["values"]["agent"]["value"] == pytest.approx(0.387924911213, abs=1e-9)


def test_files_are_written_queried_and_played(solve: Run, tmp_path: Path) -> None:
    table, policy = tmp_path / "pig.table", tmp_path / "pig.parquet"
    code, out, _ = solve("pig", "-p", "goal=10", "--save", table, "--policy", policy)
    assert code == 0 and str(table) in out and str(policy) in out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pig.parquet", "pig.table"]
    code, out, _ = solve("pig", "-p", "goal=10", "--load", table, "--json")
    looked_up = json.loads(out)
    assert looked_up["values"]["first"]["value"] == pytest.approx(2 * 0.709424322598303 - 1, abs=1e-9)
    code, out, _ = solve("pig", "-p", "goal=10", "--load", policy)
    assert code == 0 and "roll" in out
    code, out, err = solve("pig", "--load", table)
    assert code == 1 and "C010" in err and "other parameters" in err
    code, out, err = solve(
        "pig",
        "-p",
        "goal=10",
        "-a",
        f"first=policy:{policy}",
        "-a",
        "second=random",
        "--seed",
        "1",
        command="run",
    )
    assert code == 0, err


def test_best_responses_and_evaluations(solve: Run) -> None:
    _, out, _ = solve("pig", "-p", "goal=6", "-a", "second=random", "--json")
    best = json.loads(out)["values"]["first"]["value"]
    _, out, _ = solve("pig", "-p", "goal=6", "-a", "first=random", "-a", "second=random", "--json")
    both = json.loads(out)["values"]
    assert best > both["first"]["value"] == pytest.approx(-both["second"]["value"])
    _, out, _ = solve(
        "pig", "-p", "goal=6", "-a", "first=random", "-a", "second=random", "--simulations", "4000", "--json"
    )
    estimate = json.loads(out)["values"]["first"]
    assert estimate["kind"] == "estimate"
    spread = estimate["high"] - estimate["low"]
    assert abs(estimate["value"] - both["first"]["value"]) < 2 * spread


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_policies_where_something_is_hidden(solve: Run, engine: str) -> None:
    """Kuhn's poker with random players. By hand: of two cards the higher wins as often as it loses, so only
    folding matters. Alice folds after check and bet (1/2 * 1/2 * 1/2) and bob after a bet (1/2 * 1/2), each
    for the ante of 1: 1/4 - 1/8."""
    both = ("kuhn_poker", "--engine", engine, "-a", "alice=random", "-a", "bob=random", "--json")
    code, out, _ = solve(*both)
    assert code == 0 and json.loads(out)["values"]["alice"]["exact"] == "1/8"
    code, out, _ = solve(*both, "--simulations", "2000", "--seed", "5")
    estimate = json.loads(out)
    assert code == 0 and estimate["seed"] == 5
    assert estimate["values"]["alice"]["low"] <= 0.125 <= estimate["values"]["alice"]["high"]


@pytest.mark.parametrize("agent", ["mcts(simulations=10)", "flat_monte_carlo(simulations=10)"])
def test_agents_that_are_no_policies_are_worth_what_they_play(solve: Run, agent: str) -> None:
    both = ("tictactoe", "-a", f"x={agent}", "-a", f"o={agent}")
    code, _, err = solve(*both)
    assert code == 1 and "no policy to compute with" in err and "--simulations" in err
    code, _, err = solve("tictactoe", "-a", f"o={agent}")
    assert code == 1 and "no policy to compute with" in err
    found = [json.loads(solve(*both, "--simulations", "20", "--seed", seed, "--json")[1]) for seed in "123"]
    assert len({answer["values"]["x"]["value"] for answer in found}) > 1


def test_a_strategy_file_against_an_opponent_model(solve: Run, tmp_path: Path) -> None:
    """Exactly and by Monte Carlo; a best response does at least as well as the file."""
    path = tmp_path / "t.parquet"
    solve("tictactoe", "--policy", path)
    model = ["-a", "o=mixture(0.8: minimax(depth=2), 0.2: random)"]
    pair = ["tictactoe", "-a", f"x=policy:{path}", *model, "--json"]
    exact = json.loads(solve(*pair)[1])["values"]["x"]
    estimate = json.loads(solve(*pair, "--simulations", "60")[1])["values"]["x"]
    best = json.loads(solve("tictactoe", *model, "--json")[1])["values"]["x"]
    assert 0 <= exact["value"] <= best["value"] <= 1
    assert abs(estimate["value"] - exact["value"]) <= 2 * (estimate["high"] - estimate["low"])


@pytest.mark.parametrize("name", ["tictactoe", "pig", "three_mens_morris", "three_players", "gridworld"])
def test_exploring_natively_counts_the_same(solve: Run, name: str) -> None:
    arguments = [name, "--json", "--positions", "20000", *(["-p", "goal=10"] if name == "pig" else [])]
    _, out, _ = solve(*arguments, command="explore")
    reference = json.loads(out)
    code, out, _ = solve(*arguments, "--engine", "native", command="explore")
    native = json.loads(out)
    assert code == 0
    for what in ("complete", "positions", "first_met", "repeats"):
        assert native[what] == reference[what], what
    ends = {end["positions"] for end in reference["terminal"]}
    assert {end["positions"] for end in native["terminal"]} == ends
    code, out, _ = solve(*arguments[:1], *arguments[4:], "--engine", "native", command="explore")
    assert ("bytes each" in out) == (native["edges"] >= 1000)  # a few share room of a fixed size
    assert ("per second" in out) == (native["positions"] >= 1000)  # else it is the time to get going
    for part in ("positions", "edges", " for edges"):
        assert part in out


def test_exploring_natively_stops_and_finds_broken_rules(solve: Run, tmp_path: Path) -> None:
    _, out, _ = solve("connect_four", "--engine", "native", "--depth", "5", "--json", command="explore")
    assert json.loads(out)["first_met"] == [1, 7, 49, 238, 1120, 4263]  # Tromp
    path = tmp_path / "broken.gdl"
    path.write_text(
        "game broken\nplayers: one\nposition:\n    x: 0..3 = 0\n"
        "move up:\n    x += 1\nterminal: false\nutility: 0\n"
    )
    code, _, err = solve(path, "--engine", "native", command="explore")
    assert code == 1 and "shortest play" in err


def test_too_large_is_said_early(solve: Run) -> None:
    code, _, err = solve("connect_four", "--memory", "2GB")
    assert code == 1
    for part in ("R002", "about", "positions by sampling", "2 GB are allowed", "--memory", "gdl search"):
        assert part in err


def test_the_textbook_solvers_on_the_exact_engine(solve: Run) -> None:
    code, out, _ = solve("piglet", "-p", "goal=2", "--engine", "reference", "--exact", "--json")
    assert code == 0
    assert json.loads(out)["values"]["first"]["exact"] == "1/7"


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_the_reason_is_that_of_the_solver_named(solve: Run, engine: str) -> None:
    _, out, _ = solve("piglet", "-p", "goal=2", "--engine", engine, "--exact", "--json")
    found = json.loads(out)
    assert "a fraction was asked for" in found["reason"]
    assert ("bounds are iterated" in found["reason"]) == (found["solver"] == "value_iteration")


WIDE = """
game wide
players: a
position:
    over: bool
move go:
    chance:
        1/3: over = true
        else: pass
terminal: over
utility: 9007199254740993
"""


def test_bounds_that_are_not_the_answer_are_told_as_such(solve: Run, tmp_path: Path) -> None:
    """Floats hold no odd number of this size, rationals do."""
    path = tmp_path / "wide.gdl"
    path.write_text(WIDE)
    code, out, _ = solve(path)
    assert code == 0 and "a   9007199254740993\n" in out
    assert "apart, before values were proven in rationals" in out
    _, out, _ = solve("piglet", "-p", "goal=3")
    assert "apart, for every position" in out


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (["pig", "--solver", "retrograde"], 1, "needs a game without chance"),
        (["pig", "--solver", "alphabeta"], 1, "needs a game without chance"),
        (["pig", "--solver", "star2", "--time", "0.1"], 1, "did not prove the value of pig in 0.1 s"),
        (["pig", "--solver", "star2(depht=2)"], 1, "did you mean `depth`"),
        (["pig", "--solver", "flat_monte_carlo"], 1, "never proves"),
        (["tictactoe", "--solver", "retrograde", "--time", "1"], 1, "retrograde has no option `time`"),
        (["tictactoe", "--solver", "alphabeta", "--save", "t"], 1, "does not visit all positions"),
        (["pig", "--memory", "much"], 1, "is no size of memory"),
        (["pig", "--max-memory", "2"], 2, "it is called --memory now"),
        (["pig", "--epsilon=1"], 2, "it is called --precision now"),
        (["pig", "--from", "t"], 2, "it is called --load now"),
        (["pig", "--solver", "best_response"], 1, "needs policies"),
        (["pig", "--solver", "valueiteration"], 1, "value_iteration"),
        (["kuhn_poker", "--solver", "policy_evaluation"], 1, "gdl solve --agent"),
        (["kuhn_poker", "--solver", "minimax"], 1, "gdl solve kuhn_poker --agent alice=… --agent bob=…"),
        (["pig", "--precision", "0"], 2, "use a number above 0"),
        (["pig", "--precision", "nan"], 2, "use a number above 0"),
        (["pig", "--resume"], 2, "--resume needs"),
        (["kuhn_poker", "--save", "kuhn.table"], 1, "`policy` writes what to play by what is known"),
        (["kuhn_poker", "--solver", "cfr", "--limit", "10"], 1, "more than 10 histories"),
        (["pig", "-a", "third=random"], 1, "C007"),
        (["pig", "-a", "random"], 2, "PLAYER=AGENT"),
        (["pig", "--load", "nowhere.table"], 1, "C010"),
        (["pig", "-p", "goal=5", "--save", "/nowhere/at/all"], 1, "C008"),
        (["pig", "--at", "nonsense"], 1, ""),
    ],
)
def test_bad_input(solve: Run, arguments: list[str], code: int, part: str) -> None:
    found, _, err = solve(*arguments)
    assert found == code, err
    assert part in err


@pytest.mark.slow
def test_a_game_that_might_not_fit_is_solved_by_turns(solve: Run) -> None:
    found = []
    for option in (("--memory", "400MB"), ("--no-turns",)):
        code, out, err = solve("royal_game_of_ur", "-p", "pieces=3", "--json", *option)
        assert code == 0, err
        found.append(json.loads(out))
    by_turns, whole = found
    assert "only positions between turns are kept, told by `roll`" in by_turns["reason"]
    assert by_turns["statistics"]["positions"] < whole["statistics"]["positions"] / 4
    assert by_turns["values"]["light"]["low"] <= whole["values"]["light"]["high"]
    assert whole["values"]["light"]["low"] <= by_turns["values"]["light"]["high"]


@pytest.mark.slow
def test_a_game_that_may_be_far_larger_than_its_estimate_is_refused(solve: Run) -> None:
    code, _, err = solve("cant_stop", "--memory", "16GB")
    assert code == 1
    assert "or more positions by sampling" in err and "probably far more" in err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--policy", "hypergammon.parquet"], "--policy lists all positions"),
        (["--agent", "black=random"], "--agent needs all positions"),
        (["--exact"], "a proof in rationals needs all positions"),
    ],
)
def test_what_needs_all_positions_says_so(solve: Run, arguments: list[str], reason: str) -> None:
    code, _, err = solve("hypergammon", "-p", "men=1", "--turns", *arguments)
    assert code in (1, 2)
    assert reason in " ".join(err.replace("│", " ").split())


def test_a_game_that_does_not_come_to_rest_says_so(solve: Run) -> None:
    code, _, err = solve("gridworld", "--turns")
    assert code == 1
    assert "no variables tell where turns end" in " ".join(err.split())


def test_by_turns_says_what_was_kept(solve: Run) -> None:
    code, out, _ = solve("hypergammon", "-p", "men=1", "--turns")
    assert code == 0
    for part in ("positions at rest", "explored in the turns between them", "for the programs of turns"):
        assert part in " ".join(out.split())


def test_agents_are_answered_on_the_reference_engine_too(solve: Run) -> None:
    """The textbook solvers say what the kernels say, in fractions."""
    for given in (["-a", "first=random"], ["-a", "first=random", "-a", "second=random"]):
        answers = [
            json.loads(solve("piglet", "-p", "goal=3", *given, "--engine", engine, "--json")[1])["values"]
            for engine in ("reference", "native")
        ]
        assert answers[0]["second"]["exact"] is not None
        assert answers[0]["second"]["value"] == pytest.approx(answers[1]["second"]["value"], abs=1e-9)
