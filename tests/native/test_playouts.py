"""Random playouts: their statistics, their seeds, their faults, and threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from math import sqrt
from pathlib import Path

import pytest

from gdl.diagnostics import GameError, Source
from gdl.loading import load_model, read_source
from gdl.native.engine import NativeGame, seed_state

HERE = Path(__file__).parent
GAMES = HERE.parents[1] / "games"


def native(path: Path) -> NativeGame:
    return NativeGame(load_model(read_source(path)))


def of_text(text: str) -> NativeGame:
    return NativeGame(load_model(Source("<text>", text)))


def test_tictactoe_at_random() -> None:
    """X wins 58.49 %, O 28.81 %, mean length 7.6262 (exact by enumeration of all plays)."""
    games = 400_000
    result = native(GAMES / "tictactoe.gdl").playouts(games, seed=7)
    assert result.finished == games
    mean, variance = 0.584920634920635 - 0.28809523809523807, 1 - 0.126984126984127
    assert abs(result.means[0] - mean) < 5 * sqrt(variance / games)
    assert result.means[1] == -result.means[0]
    assert abs(result.plies / games - 7.626190476190476) < 5 * sqrt(1.5 / games)


@pytest.mark.parametrize(
    ("name", "plies", "share"), [("breakthrough", 64.1, 0.5092), ("connect_four", 21.31, 0.5572)]
)
def test_published_means(name: str, plies: float, share: float) -> None:
    """Mean length, and the first player's share of the points, as the Regular Games test suite gives them."""
    games = 50_000
    result = native(GAMES / f"{name}.gdl").playouts(games, seed=3)
    assert abs(result.plies / games - plies) < 0.15
    assert abs((result.means[0] + 1) / 2 - share) < 0.012


def test_same_seed_same_games() -> None:
    game = native(GAMES / "pig.gdl")
    assert game.playouts(1000, seed=5) == game.playouts(1000, seed=5)
    assert game.playouts(1000, seed=5).plies != game.playouts(1000, seed=6).plies
    assert game.playout(seed=9) == game.playout(seed=9)


def test_streams_are_apart() -> None:
    assert len({seed_state(seed, stream) for seed in range(100) for stream in range(100)}) == 10_000


def test_from_a_position() -> None:
    game = native(GAMES / "tictactoe.gdl")
    nearly = game.parse_position("board=[x x empty o o empty empty empty empty] turn=x")
    result = game.playouts(60_000, seed=1, start=nearly)
    assert result.finished == 60_000
    assert 1 < result.plies / 60_000 < 5


def test_limit() -> None:
    game = of_text(
        "game endless\nplayers: a\nposition:\n    n: 0..1 = 0\n"
        "move flip:\n    n = 1 - n\nterminal: false\nutility: 0\nendless: 3\n"
    )
    assert game.playouts(10, seed=1, limit=100).finished == 0
    assert game.playout(seed=1, limit=100) == ((3.0,), 100)


def test_rewards_and_discount() -> None:
    """1 per move for 3 moves at discount 1/2 is 1 + 1/2 + 1/4, and 8 after 3 moves is worth 1."""
    game = of_text(
        "game paid\nplayers: a\ndiscount: 1/2\nposition:\n    n: 0..3 = 0\n"
        "move go:\n    n += 1\n    reward 1\nterminal: n == 3\nutility: 8\n"
    )
    assert game.playout(seed=1) == ((2.75,), 3)


@pytest.mark.parametrize("seed", range(5))
def test_fault_in_a_playout(seed: int) -> None:
    """A playout that breaks the rules ends in the diagnostic, with the position and the move."""
    game = native(HERE / "games" / "faults.gdl")
    with pytest.raises(GameError) as caught:
        game.playouts(1000, seed=seed)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code.startswith("F")
    assert dict(diagnostic.context)["position"]


def test_no_legal_move_in_a_playout() -> None:
    with pytest.raises(GameError) as caught:
        native(HERE / "games" / "stuck.gdl").playouts(1000, seed=1)
    assert caught.value.diagnostics[0].code == "F003"


def test_two_threads_at_once() -> None:
    """The same functions, called by two threads, give what they give one after the other."""
    game = native(GAMES / "connect_four.gdl")
    alone = [game.playouts(20_000, seed=seed) for seed in (1, 2)]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda seed: game.playouts(20_000, seed=seed), (1, 2)))
    assert together == alone


def test_threads_compile_at_once() -> None:
    """A function that is first asked for by several threads is compiled once and serves all."""
    game = native(GAMES / "tictactoe.gdl")
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: game.playouts(100, seed=1), range(4)))
    assert len({result.plies for result in results}) == 1


def test_uniform_choice_among_listed_moves() -> None:
    """Each of the moves with two parameters is equally likely, also where the last guard is put off."""
    game = of_text(
        "game pairs\nplayers: a\ntype Cell = grid(4, 4)\n"
        "position:\n    picked: set of Cell\n    sum_of: 0..30 = 0\n    k: 0..1 = 0\n"
        "def far(a: Cell, b: Cell):\n"
        "    return count(c.row < a.row and c.col < b.col for c in Cell) > 3 after put(a, b)\n"
        "effect put(a: Cell, b: Cell):\n    picked = {a, b}\n"
        "move pick(a: Cell, b: Cell) when a < b and far(a, b):\n"
        "    put(a, b)\n    sum_of = a.row + b.col\n    k = 1\n"
        "terminal: k == 1\nutility: sum_of\n"
    )
    start = game.initial()[0].position
    exact = [game.outcomes(start, move)[0].position["sum_of"] for move in game.moves(start)]
    mean = sum(exact) / len(exact)
    spread = sqrt(sum((x - mean) ** 2 for x in exact) / len(exact))
    result = game.playouts(200_000, seed=2)
    assert abs(result.means[0] - mean) < 5 * spread / sqrt(200_000)


def test_what_is_remembered_is_forgotten_when_the_position_changes() -> None:
    """A costly call without arguments, made for every candidate of two parameters, changes with each move."""
    game = of_text(
        "game turns\nplayers: a\ntype Cell = grid(5, 5)\n"
        "position:\n    lit[Cell]: bool\n    k: 0..6 = 0\n    bad: bool\n"
        "def even: sum(c.row for c in Cell if lit[c]) mod 4 < 2 and k mod 2 == 0\n"
        "move step(a: 0..4, b: 0..4) when (a < b) == even:\n"
        "    if (a < b) != (k mod 2 == 0 and even): bad = true\n"
        "    lit[a, b] = true\n    k += 1\n"
        "terminal: k == 6\nutility: 1 if bad else 0\n"
    )
    assert game.playouts(2000, seed=1).means == (0.0,)


def test_fractions_beyond_the_registers_in_a_playout() -> None:
    """Rewards whose sum needs more than 64 bits are paid all the same."""
    game = of_text(
        "game precise\nplayers: a\nposition:\n    n: 0..2 = 0\n"
        "move go(k: 0..1):\n    n += 1\n    for i in 1..9:\n        reward 1 / (100000 + 7 * i + k)\n"
        "terminal: n == 2\nutility: 0\n"
    )
    parts = [sum(1 / (100000 + 7 * i + k) for i in range(1, 10)) for k in range(2)]
    (total,), plies = game.playout(seed=1)
    assert plies == 2
    assert 2 * min(parts) - 1e-12 <= total <= 2 * max(parts) + 1e-12
    assert game.playouts(5, seed=1).finished == 5


def test_fault_of_a_weighted_chance_move() -> None:
    """The moves before the fault are repeated exactly, whoever makes them."""
    game = of_text(
        "game weighed\nplayers: a\nposition:\n    n: 0..9 = 0\n    left: 0..3 = 3\n"
        "player: chance if n mod 2 == 0 else a\n"
        "move roll(k: 1..3) when n mod 2 == 0 weight k:\n    n += 1\n    left -= 1 if k == 3 else 0\n"
        "move go when n mod 2 == 1:\n    n += 1\n"
        "terminal: n == 9\nutility: 0\n"
    )
    with pytest.raises(GameError) as caught:
        game.playouts(10_000, seed=1)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "F001"
    assert "left=0" in dict(diagnostic.context)["position"]
    assert dict(diagnostic.context)["move"] == "roll(3)"
