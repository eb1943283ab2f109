"""`gdl run`: playing, counting, recording and replaying."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from gdl.game import Traits
from gdl.playing.results import Estimate, PlayResult, Statistics

EXACT = ("--engine", "reference")
"""Small games need not be compiled."""

# ------------------------------------------------------------------------- one play


@pytest.mark.parametrize("engine", [EXACT, ()], ids=["reference", "native"])
def test_a_play_is_shown_move_by_move(gdl, nim: Path, engine: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("run", *engine, nim, "--seed", "1", "--agent", "alphabeta")
    assert ran.code == 0
    assert not ran.complaints
    lines = ran.out.splitlines()
    assert lines[0] == "stones, stones=4, seed 1"
    # Four stones are won for the player to move, by taking one.
    assert "  1. left: take(1)" in lines
    assert lines[-1] == "left gets 1, right gets -1"


def test_chance_is_named_with_its_probability(gdl, coin: Path) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("run", *EXACT, coin, "--moves", "toss", "--seed", "3")
    assert ran.code == 0
    assert "(1/2)" in ran.out
    assert "  1. one: toss" in ran.out


TWO_DICE = """
game two_dice
players: one
position:
    rolled[1..2]: 0..2 = 0
move roll:
    a ~ 1..2
    b ~ 1..2
    rolled[1] = (1 if a == 1 else 0) + (1 if b == 1 else 0)
    rolled[2] = 2 - rolled[1]
terminal: rolled[1] + rolled[2] == 2
utility: rolled[2]
"""


@pytest.mark.parametrize("engine", [EXACT, ()], ids=["reference", "native"])
def test_the_probability_is_that_of_what_is_seen(gdl, tmp_path: Path, engine: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    """A one and a two, in either order, come up with probability 1/2; two ones with 1/4."""
    file = tmp_path / "two_dice.gdl"
    file.write_text(TWO_DICE)
    for seed in range(6):
        out = gdl("run", *engine, file, "--agent", "random", "--seed", str(seed)).out
        mixed = "a = 1, b = 2" in out or "a = 2, b = 1" in out
        assert (" or … (1/2)" if mixed else "(1/4)") in out
        assert mixed or "or …" not in out


@pytest.mark.parametrize(
    "agent",
    [
        "mcts(simulations=20)",
        "flat_monte_carlo(simulations=20)",
        "mcts(simulations=20, rollout_depth=1, leaf=rollouts(2))",
        "alphabeta(depth=1, leaf=rollouts(2))",
        "mixture(1/4: random, 3/4: greedy(leaf=rollouts(2)))",
        "expectimax(against=random, depth=1, leaf=rollouts(2))",
    ],
)
@pytest.mark.parametrize("engine", [EXACT, ()], ids=["reference", "native"])
def test_agents_that_draw_play_the_same_watched_recorded_or_counted(  # type: ignore[no-untyped-def]
    gdl, tmp_path: Path, agent: str, engine: tuple[str, ...]
) -> None:
    arguments = ("run", *engine, "tictactoe", "--agent", agent, "--games", "6", "--json", "--seed")
    means = set()
    for seed in ("1", "2", "3"):
        counted = gdl(*arguments, seed).data["statistics"]
        recorded = gdl(*arguments, seed, "--record", tmp_path / "plays.json").data["statistics"]
        assert counted == recorded
        plays = json.loads((tmp_path / "plays.json").read_text())["plays"]
        first = gdl("run", *engine, "tictactoe", "--agent", agent, "--json", "--seed", seed).data["play"]
        assert first["moves"] == plays[0]["moves"]
        assert len({str(play["moves"]) for play in plays}) > 1  # fresh random numbers in every play
        means.add(str(counted))
    assert len(means) > 1


def test_without_agents_the_best_solver_plays_and_says_why(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    data = gdl("run", *EXACT, nim, "--json").data
    assert set(data["agents"]) == {"left", "right"}
    assert all(agent["reason"] for agent in data["agents"].values())
    assert isinstance(data["seed"], int)


def test_agents_per_player(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    data = gdl("run", *EXACT, nim, "--agent", "left=minimax(depth=3)", "--agent", "random", "--json").data
    assert {name: agent["agent"] for name, agent in data["agents"].items()} == {
        "left": "minimax(depth=3)",
        "right": "random",
    }
    assert not any(agent["reason"] for agent in data["agents"].values())


@pytest.mark.parametrize(
    ("agents", "code", "said"),
    [
        (["middle=random"], 1, "error[C007]"),
        (["left=alfabeta"], 1, "error[A002]"),
        (["alphabeta(depht=2)"], 1, "error[A003]"),
        (["left=random", "left=minimax"], 2, "two agents"),
        (["random", "minimax"], 2, "two agents"),
        (["left="], 1, "error[A001]"),
    ],
)
def test_bad_agents(gdl, nim: Path, agents: list[str], code: int, said: str) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("run", *EXACT, nim, *(part for agent in agents for part in ("--agent", agent)))
    assert ran.code == code
    assert said in ran.err
    assert not ran.out


def test_a_solver_that_does_not_apply_refuses(gdl, coin: Path) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("run", *EXACT, coin, "--agent", "alphabeta")
    assert ran.code == 1
    assert "error[R001]" in ran.err


@pytest.mark.parametrize("agent", ["random", "mcts(simulations=50)"])
def test_a_seed_makes_it_repeatable(gdl, coin: Path, agent: str) -> None:  # type: ignore[no-untyped-def]
    first = gdl("run", *EXACT, coin, "--agent", agent, "--seed", "5", "--games", "20", "--json").out
    assert gdl("run", *EXACT, coin, "--agent", agent, "--seed", "5", "--games", "20", "--json").out == first
    others = {
        gdl("run", *EXACT, coin, "--agent", agent, "--seed", str(n), "--games", "20", "--json").out
        for n in range(9)
    }
    assert len(others) > 1


# ------------------------------------------------------------------------ other starts


def test_from_a_position(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    data = gdl("run", *EXACT, nim, "--at", "heap=1 turn=right", "--agent", "random", "--json").data
    assert [move["player"] for move in data["play"]["moves"]] == ["right"]
    assert data["play"]["returns"] == ["-1", "1"]


def test_moves_first(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    data = gdl("run", *EXACT, nim, "--moves", "take(2) take(1)", "--agent", "random", "--json").data
    assert [move["move"] for move in data["play"]["moves"]] == ["take(2)", "take(1)", "take(1)"]


@pytest.mark.parametrize(
    ("moves", "code"),
    [
        ("take(3)", "P003"),
        ("take(2) take(2) take(1)", "P010"),
        ("take", "P008"),
        ("grab(1)", "P006"),
        ("take(1", "P004"),
        ("[heads] take(1)", "C009"),
        ("take(1) [heads]", "C009"),
    ],
)
def test_bad_moves(gdl, nim: Path, moves: str, code: str) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("run", *EXACT, nim, "--moves", moves, "--json")
    assert ran.code == 1
    assert ran.data["diagnostics"][0]["code"] == code


def test_an_illegal_move_names_the_legal_ones(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("run", *EXACT, nim, "--moves", "take(2) take(1) take(2)", "--agent", "random")
    assert ran.code == 1
    assert "legal here: `take(1)`" in ran.err


@pytest.mark.parametrize(("position", "code"), [("heap=9", "P003"), ("hepa=1", "P001"), ("heap", "P004")])
def test_bad_positions(gdl, nim: Path, position: str, code: str) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("run", *EXACT, nim, "--at", position)
    assert ran.code == 1
    assert f"error[{code}]" in ran.err


def test_what_chance_does_can_be_said(gdl, write) -> None:  # type: ignore[no-untyped-def]
    path = write(
        "game die\nplayers: one\nposition:\n    n: 0..6 = 0\n"
        "move roll:\n    face ~ 1..6\n    n = face\nterminal: n > 0\nutility: n\n"
    )
    for face in (1, 6):
        data = gdl("run", *EXACT, path, "--moves", f"roll [face={face}]", "--json").data
        assert data["play"]["returns"] == [str(face)]
        assert data["play"]["moves"][0]["probability"] == "1/6"
    ran = gdl("run", *EXACT, path, "--moves", "roll [face=7]")
    assert ran.code == 1
    assert "error[C009]" in ran.err


# --------------------------------------------------------------------------- counting


def test_many_games(gdl, coin: Path) -> None:  # type: ignore[no-untyped-def]
    data = gdl("run", *EXACT, coin, "--agent", "random", "--games", "400", "--seed", "1", "--json").data
    found = data["statistics"]
    assert found["games"] == 400
    # Either move is worth 1/2, so the mean is, too.
    assert abs(found["players"]["one"]["mean"] - 0.5) < 2 * found["players"]["one"]["error"]
    # All were of the same length, which says nothing about how long others may be.
    length = {"mean": 1.0, "error": None, "low": None, "high": None}
    assert found["length"] == length | {"shortest": 1, "longest": 1}
    text = gdl("run", *EXACT, coin, "--agent", "random", "--games", "400", "--seed", "1").out
    assert "400 games" in text
    assert "mean utility" in text


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("pig", ["-p", "goal=12", "--agent", "greedy"]),  # draws within a move
        ("pig", ["-p", "goal=12", "--agent", "random", "--moves", "roll [face=3]"]),
        ("gridworld", ["--agent", "random"]),  # rewards and a discount
        ("kuhn_poker", ["--agent", "random"]),  # hidden, random start
        ("royal_game_of_ur", ["--agent", "random", "--longest", "40"]),  # weights
        ("nim", ["--agent", "alphabeta(depth=1)"]),
        ("tictactoe", ["--agent", "x=mixture(0.5: random, 0.5: alphabeta(depth=1))", "--agent", "o=random"]),
    ],
)
def test_a_seed_gives_the_same_games_however_they_are_made(  # type: ignore[no-untyped-def]
    gdl, tmp_path: Path, game: str, options: list[str]
) -> None:
    """Counted in machine code, recorded move by move, or on the other engine."""
    command = ("run", game, *options, "--games", "12", "--seed", "3", "--json")
    counted = gdl(*command).data["statistics"]
    recorded = gdl(*command, "--record", tmp_path / "plays.json").data["statistics"]
    exact = gdl(*command, *EXACT).data["statistics"]
    for other in (recorded, exact):
        assert other["length"] == counted["length"]
        assert other["unfinished"] == counted["unfinished"]
        for player, found in counted["players"].items():
            assert other["players"][player] == pytest.approx(found)


def test_a_fault_among_many_games_is_explained(gdl, write) -> None:  # type: ignore[no-untyped-def]
    path = write(
        "game broken\nplayers: a\nposition:\n    n: 0..3 = 0\n"
        "move go:\n    k ~ 1..2\n    n += k\nterminal: n == 3\nutility: 0\n"
    )
    ran = gdl("run", path, "--agent", "random", "--games", "50", "--seed", "1")
    assert ran.code == 1
    assert "F001" in ran.err and "n=2" in ran.err and "go" in ran.err


def test_wins_and_losses(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    # Against best play from four stones the second player never wins.
    arguments = ("--agent", "left=alphabeta", "--agent", "right=random", "--games", "30", "--json")
    players = gdl("run", *EXACT, nim, *arguments).data["statistics"]["players"]
    left, right = players["left"], players["right"]
    assert (left["mean"], left["wins"], left["draws"], left["losses"]) == (1.0, 30, 0, 0)
    assert (right["mean"], right["wins"], right["draws"], right["losses"]) == (-1.0, 0, 0, 30)
    # All of 30 plays won: Wilson's interval with t(0.975, 29) = 2.045 begins at 30 / (30 + 2.045^2).
    assert left["low"] == pytest.approx(2 * 30 / (30 + 2.04523**2) - 1, abs=1e-3) and left["high"] == 1


def test_a_play_without_end_is_stopped(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    nim.write_text(nim.read_text().replace("heap -= n", "heap = stones - n + n - stones + heap"))
    ran = gdl("run", *EXACT, nim, "--agent", "random", "--longest", "25")
    assert ran.code == 0
    assert "stopped after 25 moves" in ran.out
    data = gdl("run", *EXACT, nim, "--agent", "random", "--longest", "25", "--games", "3", "--json").data
    assert data["statistics"]["unfinished"] == 3


def test_confidence_intervals() -> None:
    # Two samples 0 and 1: s = sqrt(1/2), t(0.975, 1) = 12.706, so 12.706 * sqrt(1/2) / sqrt(2) = 6.353.
    assert Estimate.of([0, 1]).error == pytest.approx(6.353, abs=1e-3)
    # t(0.975, 9) = 2.262157 (any table of Student's distribution); ten samples 0..9: s = 3.02765.
    assert Estimate.of(range(10)).error == pytest.approx(2.262157 * 3.0276504 / 10**0.5, abs=2e-4)
    assert Estimate.of([3]).error is None


def test_tallies_of_three_players() -> None:
    plays = [PlayResult((1, 0, 0), 2, True), PlayResult((1, 1, 0), 4, True), PlayResult((0, 0, 0), 3, False)]
    found = Statistics.of(plays, traits(3))
    assert [(t.wins, t.draws, t.losses) for t in found.tallies] == [(1, 2, 0), (0, 2, 1), (0, 1, 2)]
    assert (found.shortest, found.longest, found.unfinished) == (2, 4, 1)


def test_partners_win_and_draw_together() -> None:
    """First and third get the same in every play, as partners do; nobody draws with a partner."""
    paid = [(1, -1, 1, -1), (0, 0, 0, 0), (-1, 1, -1, 1)]
    found = Statistics.of([PlayResult(returns, 5, True) for returns in paid], traits(4))
    assert [(t.wins, t.draws, t.losses) for t in found.tallies] == [(1, 1, 1)] * 4
    everyone = Statistics.of([PlayResult((2, 2), 5, True)] * 3, traits(2))
    assert [(t.wins, t.draws, t.losses) for t in everyone.tallies] == [(0, 3, 0)] * 2


def test_a_play_that_is_stopped_widens_the_interval_to_all_it_may_pay() -> None:
    plays = [PlayResult((1,), 5, True)] * 50 + [PlayResult.stopped((0,), 10, traits(1))] * 50
    found = Estimate.of_returns(plays, 0, traits(1))
    assert found.mean == 0.5 and found.low is not None and found.low < 0.5 and found.high == 1


def traits(players: int) -> Traits:
    """Of a game that pays from -1 to 1, about which nothing else is known."""
    bounds = ((Fraction(-1), Fraction(1)),) * players
    return Traits(players, *(False,) * 6, utility_bounds=bounds)


# -------------------------------------------------------------------------- recordings


@pytest.mark.parametrize("games", [1, 5])
def test_record_and_replay(gdl, coin: Path, tmp_path: Path, games: int) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "plays.json"
    assert gdl("run", *EXACT, coin, "--agent", "random", "--games", games, "--record", file).code == 0
    recorded = json.loads(file.read_text())
    assert recorded["game"] == "coin"
    assert len(recorded["plays"]) == games
    ran = gdl("run", *EXACT, "--replay", file)
    assert ran.code == 0
    assert "all as recorded" in ran.out
    assert gdl("run", *EXACT, coin, "--replay", file, "--json").data["ok"]


def test_parameters_are_recorded(gdl, nim: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "play.json"
    assert gdl("run", *EXACT, nim, "-p", "stones=7", "--agent", "random", "--record", file).code == 0
    assert gdl("run", *EXACT, nim, "--replay", file).code == 0
    ran = gdl("run", *EXACT, nim, "--replay", file, "-p", "stones=3")
    assert ran.code == 1
    assert "error[C003]" in ran.err


CHANGES = {
    "the player to move": ("player: turn", "player: next(turn)"),
    "the move": ("move take(n: 1..2)", "move take(n: 2..2)"),
    "where the move leads": ("heap -= n", "heap = max(heap - n - 1, 0)"),
    "what it pays": ("    heap -= n", "    reward 1\n    heap -= n"),
    "what the players get": ("1 if turn == right else -1", "2 if turn == right else -2"),
    "whether the game is over": ("terminal: heap == 0", "terminal: heap == 0 and turn == right"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_first_difference_is_named(gdl, nim: Path, tmp_path: Path, what: str) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "play.json"
    assert gdl("run", *EXACT, nim, "--moves", "take(1) take(1) take(1) take(1)", "--record", file).code == 0
    old, new = CHANGES[what]
    assert old in nim.read_text()
    nim.write_text(nim.read_text().replace(old, new))
    ran = gdl("run", *EXACT, nim, "--replay", file)
    assert ran.code == 1
    assert "error[C003]" in ran.err
    assert f"{what} differs" in ran.err


def test_a_changed_probability_is_noticed(gdl, coin: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "play.json"
    assert gdl("run", *EXACT, coin, "--moves", "toss", "--record", file).code == 0
    coin.write_text(coin.read_text().replace("1/2:  face", "1/3:  face"))
    ran = gdl("run", *EXACT, coin, "--replay", file)
    assert ran.code == 1
    assert "the probability differs" in ran.err
    assert "recorded: 1/2" in ran.err


@pytest.mark.parametrize("text", ["", "{}", "[]", "game coin", '{"format": "gdl playthrough 9"}', "\x00"])
def test_bad_recordings(gdl, coin: Path, tmp_path: Path, text: str) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "play.json"
    file.write_text(text)
    ran = gdl("run", *EXACT, coin, "--replay", file)
    assert ran.code == 1
    assert "error[C002]" in ran.err


def test_recordings_that_cannot_be_read_or_written(gdl, coin: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert "error[C002]" in gdl("run", *EXACT, coin, "--replay", tmp_path / "nowhere.json").err
    ran = gdl("run", *EXACT, coin, "--agent", "random", "--record", tmp_path / "no" / "where.json")
    assert ran.code == 1
    assert "error[C008]" in ran.err


# ------------------------------------------------------------------------------ people


def test_a_person_plays(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    agents = ("--agent", "left=human", "--agent", "right=random")
    ran = gdl("run", *EXACT, nim, "-p", "stones=2", *agents, stdin="?\ntake(9)\ngrab(1)\n\ntake(2)\n")
    assert ran.code == 0
    assert "take(1)  take(2)" in ran.err
    assert "error[P003]" in ran.err
    assert "error[P006]" in ran.err
    assert ran.out.rstrip().endswith("left gets 1, right gets -1")


def test_a_person_leaves(gdl, nim: Path) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("run", *EXACT, nim, "--agent", "human", stdin="take(1)\n")
    assert ran.code == 130
    assert "unfinished" in ran.err


SECRET = """\
game secret
players: dealer, guesser
position:
    card[p: player]: 1..6 = 1 visible to p
    guess: 1..6?
initial:
    card[dealer] ~ 1..6
player: guesser
move say(g: 1..6):
    guess = g
terminal: guess is not none
utility: -1 if guess == card[dealer] else 1
"""


def test_a_person_sees_only_what_they_may(gdl, write) -> None:  # type: ignore[no-untyped-def]
    path = write(SECRET)
    assert (
        len(
            {
                gdl("run", *EXACT, path, "--agent", "random", "--seed", str(n)).out.split("say")[0]
                for n in range(12)
            }
        )
        > 1
    )
    seen = {
        gdl("run", *EXACT, path, "--agent", "guesser=human", "--seed", "7", stdin="say(1)\n").out.split(
            "1. guesser"
        )[0]
        for n in range(3)
    }
    for n in range(12):
        ran = gdl(
            "run",
            path,
            "--agent",
            "dealer=random",
            "--agent",
            "guesser=human",
            "--seed",
            str(n),
            stdin="say(1)\n",
        )
        seen.add(ran.out.split("1. guesser")[0].replace(f"seed {n}", "seed"))
    pictures = {text.split("\n\n", 1)[1] for text in seen}
    assert len(pictures) == 1


UNBOUNDED = """
game unbounded
players: a
position:
    over: bool
move go:
    reward 1
move stop:
    over = true
terminal: over
utility: 0
"""


def test_a_mean_without_an_interval_says_why(gdl) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("run", "-", "-a", "greedy", "-n", "3", "--longest", "5", stdin=UNBOUNDED)
    assert ran.code == 0, ran.err
    assert "(no interval: no bounds of payments are known, and games were stopped)" in ran.out


def test_where_to_record_is_checked_before_playing(gdl, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    for path in (tmp_path / "nowhere" / "r", tmp_path):
        ran = gdl("run", "nim", "-a", "random", "--record", path)
        assert ran.code == 1 and "error[C008]" in ran.err
        assert not ran.out
