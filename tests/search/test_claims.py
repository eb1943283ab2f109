"""What searches say they know, held to the truth: small games in which it is easy to claim too much."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import pytest

import solvers
from gdl.diagnostics import GameError
from gdl.loading import load
from gdl.loading import loads as loads_anew
from gdl.playing.play import Play
from gdl.playing.results import make_typed
from solvers import twins
from solvers.agents.kinds import agent, search_described
from solvers.agents.seen import View
from solvers.core.budget import Budget
from solvers.core.leaves import rollout_mean
from solvers.core.refusal import Refusal, Repeats
from solvers.core.result import Result
from solvers.core.root_search import Backup
from solvers.core.trampoline import run
from solvers.core.windows import Window
from solvers.machine.rules import Machine
from solvers.machine.scratch import MOST_WAYS, enlarged, scratch
from solvers.search.star1 import Possible
from solvers.search.star2 import Star2
from solvers.search.transposition_table import Entry, Table
from tests.texts import ROUNDED_TIE, spin

GAMES = Path(__file__).parent.parent.parent / "games"
ENGINES = ("native", "reference")
SEARCHES = ("alphabeta", "minimax", "expectiminimax", "star1", "star2", "maxn", "paranoid")


@cache
def loads(text: str, engine: str) -> Any:
    return loads_anew(text, engine=engine)


def search(text: str, game: Any, **options: Any) -> Result:
    """As `gdl search --solver TEXT` does it."""
    solver, described = search_described(text, game)
    answer: Result = solver.load()(game, None, **described, **options)
    return answer


# ------------------------------------------------------------------------- between which numbers values lie


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("solver", SEARCHES)
def test_a_discount_of_nothing_leaves_nothing(solver: str, engine: str) -> None:
    """Whatever is played comes too late to count: the window behind a discount of 0 is no closed one."""
    game = loads(
        "game never\nplayers: a\nposition:\n    x: 0..1 = 0\nmove on: x = 0\n"
        "terminal: x == 1 - x\nutility: 0\ndiscount: 0\nendless: 3\n",
        engine,
    )
    (value,) = search(f"{solver}(depth=3)", game).values
    assert value is not None and value.number == 0, str(value)
    try:
        (value,) = search(solver, game).values
    except Repeats:
        return
    assert value is not None and value.number == 0, str(value)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("solver", ["alphabeta", "minimax"])
def test_what_comes_behind_a_discount_of_nothing_has_no_bounds_and_needs_none(
    solver: str, engine: str
) -> None:
    """The second move pays b a third of 10^15 at once, and nothing later counts."""
    game = loads(
        "game once\nplayers: a, b\nposition:\n    x: 0..1 = 0\nplayer: b\nmove stop: x = 1\n"
        "move go:\n    reward -1000000000000000/3\n    x = 0\nterminal: x >= 1\nutility: 5\ndiscount: 0\n",
        engine,
    )
    found = search(f"{solver}(depth=6)", game)
    assert [move.text for move in found.moves if move.best] == ["go"]
    (value, _) = found.values
    assert value is not None
    assert float(value.number) == pytest.approx(-1e15 / 3)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("solver", [*SEARCHES, "mcts"])
@pytest.mark.parametrize("utility", ["x - 3", "0"])
def test_endless_play_may_pay_more_than_any_end(solver: str, engine: str, utility: str) -> None:
    """To spin for ever pays 1, so no search that stops somewhere has proven the 0 of the best end."""
    answer = search(solver, loads(spin(utility), engine=engine), **_little(solver))
    value = answer.values[0]
    assert value is not None and value.kind != "exact"
    if value.kind == "bounded":
        assert value.low is not None and value.high is not None
        assert value.low <= 1 <= value.high
    spinning = answer.moves[0]
    assert spinning.value is None or spinning.value.kind != "exact"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("solver", ["alphabeta", "minimax", "star2"])
def test_beside_a_proven_value_only_proven_moves_are_best(solver: str, engine: str) -> None:
    """To stop pays 0, the most there is. To go on looks as good where the search ends, and costs 9."""
    text = """
game trap
players: a, b
position:
    x: 0..2 = 0
player: a if x == 0 else b
move stop when x == 0: x = 2
move go_on when x == 0: x = 1
move wait when x == 1: pass
terminal: x == 2
utility: 0
endless: -9
"""
    answer = search(solver, loads(text, engine=engine), depth=3)
    if answer.kind == "exact":
        assert [move.text for move in answer.moves if move.best] == ["stop"]
    assert answer.value == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_random_opponent_uses_up_moves(engine: str) -> None:
    """Who stays where they are, at random, is not chance that moves for ever."""
    text = """
game idle
players: a, b
position:
    x: 0..1 = 0
player: b
move stay: pass
move leave: x = 1
terminal: x == 1
utility: 1
"""
    game = loads(text, engine=engine)
    solver, options = search_described("expectimax(against=random)", game)
    answer = solver.load()(game, None, player=0, depth=3, **options)
    value = answer.values[0]
    assert value is not None
    assert Fraction(7, 8) <= value.number <= 1  # has left after three moves, but for one play of eight


def _little(solver: str) -> dict[str, int]:
    return {"simulations": 50} if solver == "mcts" else {"depth": 4}


CONSTANT = """
game constant
players: a
position:
    x: 0..2 = 0
move go: x ~ 1..2
move wait when x == 0: x = {after}
terminal: x > 0
utility: 3
{endless}
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("solver", ["expectiminimax", "star1", "star2", "maxn", "paranoid"])
def test_where_all_ends_are_worth_the_same_so_is_the_game(solver: str, engine: str) -> None:
    answer = search(solver, loads(CONSTANT.format(after=1, endless=""), engine=engine))
    assert (answer.value, answer.kind) == (3, "exact")
    assert len(answer.best) == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_a_loop_changes_nothing_where_all_is_worth_the_same(engine: str) -> None:
    game = loads(CONSTANT.format(after=0, endless="endless: 3"), engine=engine)
    answer = search("star2", game, depth=3)
    assert answer.value == 3
    assert len(answer.best) == 2


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("solver", ["alphabeta", "minimax", "paranoid"])
def test_all_moves_are_best_where_no_play_can_pay_anything_else(solver: str, engine: str) -> None:
    """7/10, which is no float: settled in fractions, one move ahead, where two of the moves go on."""
    text = """
game same
players: a, b
position:
    x: 0..3 = 0
player: b if x == 0 else a
move one when x == 0: x = 1
move two when x == 0: x = 2
move end: x = 3
terminal: x == 3
utility: 7/10
"""
    for limits in ({"depth": 1}, {"time": 3}):
        answer = search(solver, loads(text, engine=engine), **limits)
        assert answer.kind == "exact"
        assert len(answer.best) == 3


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("solver", ["alphabeta", "expectiminimax"])
def test_rewards_without_end_are_bounded_from_one_side(solver: str, engine: str) -> None:
    text = """
game pay
players: a
position:
    x: 0..1 = 0
move stop: x = 1
move go: reward 1
terminal: x == 1
utility: 0
"""
    answer = search(solver, loads(text, engine=engine), depth=2)
    value = answer.values[0]
    assert value is not None and value.kind != "exact"
    assert abs(value.number) < inf
    if engine == "native":
        assert (value.kind, value.low, value.high) == ("bounded", 1, inf)
    assert [move.text for move in answer.moves if move.best] == ["go"]


# ----------------------------------------------------------------------------------------- leaves by plays


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("depth", [1, 2])
def test_means_of_random_plays_lie_between_the_utilities(engine: str, depth: int) -> None:
    game = load(GAMES / "tictactoe.gdl", engine=engine)
    answer = search("alphabeta(leaf=rollouts(20))", game, depth=depth)
    assert answer.kind == "estimate"
    assert -1 <= answer.value <= 1
    assert answer.best


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "text",
    [
        "alphabeta(depth=1, leaf=rollouts(2))",
        "greedy(leaf=rollouts(2))",
        "mixture(1/2: random, 1/2: greedy(leaf=rollouts(2)))",
    ],
)
def test_an_agent_whose_leaf_draws_is_no_policy(engine: str, text: str) -> None:
    game = load(GAMES / "tictactoe.gdl", engine=engine)
    with pytest.raises(Refusal, match="its leaf draws random numbers for every move"):
        agent(text, game).policy()
    with pytest.raises(Refusal, match="its leaf draws"):
        agent(f"expectimax(depth=1, against={text})", game)
    view = View.of(game, game.initial()[0].position)
    assert len({agent(text, game).choose(view, Random(seed)).move for seed in range(30)}) > 2


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "text", ["alphabeta(depth=2, leaf={})", "minimax(depth=1, leaf={})", "greedy(leaf={})"]
)
def test_a_leaf_with_a_seed_of_its_own_says_the_same_of_a_position_always(engine: str, text: str) -> None:
    """Whatever was asked before, and whichever agent of that description is asked."""
    game = load(GAMES / "tictactoe.gdl", engine=engine)
    start = game.initial()[0].position
    after = [game.outcomes(start, move)[0].position for move in game.moves(start)]
    described = text.format("rollouts(3, seed=5)")
    forward, backward = agent(described, game).policy(), agent(described, game).policy()
    found = [forward(position) for position in after]
    assert found == [backward(position) for position in reversed(after)][::-1]
    other = agent(text.format("rollouts(3, seed=6)"), game).policy()
    assert found != [other(position) for position in after]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_seeded_leaf_does_not_depend_on_the_way_to_a_position(engine: str) -> None:
    """One move ahead from either of two positions lies the same third."""
    game = load(GAMES / "tictactoe.gdl", engine=engine)

    def value(moves: str) -> object:
        play: Play[object, object] = Play(game)
        make_typed(play, moves)
        last = play.moves()[0]
        result = solvers.solve(game, "minimax", play.position, depth=1, leaf=leaf)
        return next(found.value for found in result.moves if found.move == last)

    leaf = rollout_mean(game, 5, None, 3)
    names = [game.format_move(move) for move in game.moves(game.initial()[0].position)]
    assert value(f"{names[4]} {names[8]} {names[2]}") == value(f"{names[2]} {names[8]} {names[4]}")


@pytest.mark.parametrize("engine", ENGINES)
def test_the_seed_of_rollouts_decides_the_plays(engine: str) -> None:
    game = load(GAMES / "tictactoe.gdl", engine=engine)
    found = {
        seed: [search(f"minimax(leaf=rollouts(7, seed={seed}))", game, depth=1).value for _ in range(2)]
        for seed in range(5)
    }
    assert all(first == again for first, again in found.values())
    assert len({first for first, _ in found.values()}) > 1


@pytest.mark.parametrize("engine", ENGINES)
def test_rollouts_that_are_cut_pay_nothing_more(engine: str) -> None:
    """As in the textbook, whose plays pay what they have paid when their depth is used up."""
    text = """
game long
players: a
position:
    n: 0..30 = 0
    good: bool = true
move go: n += 1
terminal: n == 30
utility: 1 if good else 0
"""
    game = loads(text, engine=engine)
    assert search("minimax(leaf=rollouts(4, depth=3))", game, depth=1).value == 0
    assert search("minimax(leaf=rollouts(4))", game, depth=1).value == 1


# -------------------------------------------------------------------------------------------------- floats


@pytest.mark.parametrize("engine", ENGINES)
def test_rounding_breaks_no_tie_between_players(engine: str) -> None:
    """Both moves pay the mover 3/10, so the first is played, whatever 1/10 + 2/10 is in floats."""
    answer = search("maxn", loads(ROUNDED_TIE, engine=engine))
    assert [value.number for value in answer.values if value] == [Fraction(3, 10), 100, 0]
    assert answer.kind == "exact"
    assert [[value.number for value in move.values] for move in answer.moves] == [
        [Fraction(3, 10), 100, 0],
        [Fraction(3, 10), 0, 50],
    ]
    assert len(answer.best) == 2


CLOSE = """
game close
players: a
position:
    x: 0..2 = 0
move better: x = 1
move worse: x = 2
terminal: x > 0
utility: {better} if x == 1 else {worse}
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("solver", ["alphabeta", "expectiminimax", "star2", "maxn"])
@pytest.mark.parametrize(
    ("better", "worse"), [("1000000000", "999999999 + 1/2"), ("1/2000000000", "0"), ("1/3", "333/1000")]
)
def test_only_the_best_of_two_close_moves_is_best(solver: str, engine: str, better: str, worse: str) -> None:
    answer = search(solver, loads(CLOSE.format(better=better, worse=worse), engine=engine))
    assert [move.text for move in answer.moves if move.best] == ["better"]
    assert (answer.value, answer.kind) == (Fraction(better), "exact")


NARROW = """
game narrow
players: a
position:
    x: 0..1 = 0
move wait:
    chance:
        1/5: x = 1
        else: pass
terminal: x == 1
utility: 1000000001
endless: 2000000001/2
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("solver", ["star1", "star2", "expectiminimax"])
def test_the_only_move_is_best_though_sums_are_rounded_past_every_value(solver: str, engine: str) -> None:
    answer = search(solver, loads(NARROW, engine=engine), depth=3)
    assert [move.text for move in answer.moves if move.best] == ["wait"]
    assert answer.value <= 1000000001


CLOSE_TO_ENDLESS = """
game close_to_endless
players: a, b
position:
    x: 0..1 = 0
player: a
move wait: pass
move stop: x = 1
terminal: x == 1
utility: 1000000000000000
endless: 1000000000000001
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("solver", ["alphabeta", "minimax", "star1", "star2", "expectiminimax"])
def test_numbers_that_are_only_handed_on_are_told_apart(solver: str, engine: str) -> None:
    answer = search(solver, loads(CLOSE_TO_ENDLESS, engine=engine), depth=4)
    assert answer.kind != "exact"


PAID_BEFORE = """
game paid_before
players: a
position:
    x: 0..2 = 0
move go:
    reward 1
    x = 1
terminal: x > 0
utility: 1/2000000000
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("solver", ["alphabeta", "minimax"])
def test_what_an_end_pays_is_not_the_nearest_float(solver: str, engine: str) -> None:
    game = loads(PAID_BEFORE, engine=engine)
    answer = solvers.solve(game, solver, at=game.parse_position("x=2"))
    assert answer.kind != "exact" or answer.value == Fraction(1, 2000000000)


THIRDS = """
game thirds
players: a, b
position:
    n: 0..{last} = 0
    won: 0..{last} = 0
player: a if n mod 2 == 0 else b
move safe:
    chance:
        1/3: won = min(won + 1, {last})
        else: pass
    n += 1
move bold:
    chance:
        1/10: won = min(won + 2, {last})
        2/10: won = max(won - 1, 0)
        else: pass
    n += 1
terminal: n == {last}
utility: won / 7
{discount}
"""


@pytest.mark.parametrize("discount", ["", "discount: 9/10"])
@pytest.mark.parametrize("solver", ["expectiminimax", "star1", "star2"])
def test_what_floats_round_is_counted(monkeypatch: pytest.MonkeyPatch, solver: str, discount: str) -> None:
    text = THIRDS.format(last=5, discount=discount)
    exact = search(solver, loads(text, engine="reference"))
    assert exact.kind == "exact"
    game = loads(text, engine="native")
    small = search(solver, game)
    assert (small.value, small.kind, small.best) == (exact.value, "exact", exact.best)
    monkeypatch.setattr(twins, "SMALL", -1)  # as if the tree were too large for rationals
    large = search(solver, game)
    for ours, truth in zip(large.values, exact.values, strict=True):
        assert ours is not None and truth is not None
        assert ours.kind == "bounded" and ours.low is not None and ours.high is not None
        assert ours.low <= truth.number <= ours.high
        assert ours.high - ours.low < 1e-12
    assert large.best == exact.best


def test_payments_that_cancel_leave_the_rounding_of_the_large_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
game cancel
players: a
position:
    x: 0..2 = 0
move go:
    chance:
        1/2: reward 1000000000000001/3
        else: reward -1000000000000000/3
    x += 1
terminal: x == 2
utility: 0
"""
    monkeypatch.setattr(twins, "SMALL", -1)
    (value,) = search("expectiminimax", loads(text, engine="native")).values
    assert value is not None and value.low is not None and value.high is not None
    assert value.low <= Fraction(1, 3) <= value.high


def test_star2_proves_what_star1_proves() -> None:
    """2048 on a board of 2 x 2 up to 16, by every play: 0.96251125375."""
    game = load(GAMES / "2048.gdl", engine="native", rows=2, cols=2, target=16)
    for solver in ("star1", "star2"):
        answer = search(solver, game)
        assert (answer.value, answer.kind) == (Fraction("0.96251125375"), "exact")
        assert "judged" not in answer.how


PROBED = """
game probed
players: a
position:
    x: 0..2 = 0
move draw: x ~ 0..1
move stay: pass
move stop(k: 1..2): x = 2
terminal: x == 2
utility: 0 if x < 2 else x - 3
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("solver", ["expectiminimax", "star1", "star2"])
def test_a_probe_that_comes_back_is_refused_like_a_search_that_does(solver: str, engine: str) -> None:
    with pytest.raises(Repeats):
        search(solver, loads(PROBED, engine=engine))
    assert search(solver, loads(PROBED, engine=engine), depth=3).value is not None


# ------------------------------------------------------------------------------ starts, budgets, many moves

DRAWN = """
game drawn
players: a
position:
    x: 0..150 = 0
    y: 0..150 = 0
    over: bool
initial: over ~ {true: 1/2, false: 1/2}
move go:
    x ~ 1..150
    y ~ 1..150
    over = true
terminal: over
utility: x + y
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("solver", ["star1", "star2", "expectiminimax", "expectimax", "maxn"])
def test_a_start_that_is_over_is_worth_its_utility(solver: str, engine: str) -> None:
    """Half of the starts are over, and the move of the others has more outcomes than the budget allows."""
    game = loads(DRAWN, engine=engine)
    answer = search(solver, game, nodes=10)
    assert answer.partial and answer.kind != "exact"
    assert 0 <= answer.value <= 150
    if engine == "native" and solver != "maxn":
        assert search(solver, game, time=0.01).work.seconds < 1


ONE_OF_THREE = """
game one_of_three
players: a, b
position:
    x: 0..5 = 0
player: b if x == 1 else a
move pass when x == 0: x = 1
move stop when x == 0: x = 2
move go(k: 3..5) when x == 1: x = k
terminal: x >= 2
utility: 1 if x == 2 or x == 5 else 0
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("limit", [{"depth": 9}, {"nodes": 1000}])
def test_a_random_opponent_draws_though_the_game_does_not(engine: str, limit: dict[str, Any]) -> None:
    """Whole utilities that are merely handed on are never rounded; the mean of three of them is."""
    answer = search("expectimax(against=random)", loads(ONE_OF_THREE, engine=engine), **limit)
    values = [move.value for move in answer.moves]
    for value, true in zip([answer.values[0], *values], [1, Fraction(1, 3), 1], strict=True):
        assert value is not None and value.low is not None and value.high is not None
        assert value.low <= true <= value.high
    assert answer.best == (answer.moves[1].move,)


DRAWN_SPIN = """
game spin
players: a, b
position:
    x: 0..1 = 0
initial:
    x ~ {0: 2/3, 1: 1/3}
player: a
move spin when x == 0: x = 0
terminal: x == 1
utility: -1
endless: -2
"""


@pytest.mark.parametrize("solver", ["alphabeta", "minimax", "expectiminimax", "star1", "star2"])
def test_the_draw_of_the_start_is_rounded_too(solver: str) -> None:
    value = search(solver, loads(DRAWN_SPIN, engine="native"), depth=3).values[0]
    assert value is not None and value.low is not None and value.high is not None
    assert value.kind == "bounded" and value.low <= Fraction(-5, 3) <= value.high


def test_room_for_moves_does_not_grow_without_end() -> None:
    sizes = Machine(load(GAMES / "tictactoe.gdl", engine="native")).sizes
    with pytest.raises(Refusal, match="moves in a position"):
        enlarged(scratch(sizes), sizes, moves=4 * MOST_WAYS)


# ------------------------------------------------------------------------------------------- what is shown


@pytest.mark.parametrize(
    ("name", "solver"), [("tictactoe", "minimax"), ("tictactoe", "alphabeta"), ("bins", "star2")]
)
def test_principal_lines_go_as_far_as_was_looked(name: str, solver: str) -> None:
    """On machine code as in the textbook; every move of it is legal where it is made."""
    game = load(GAMES / f"{name}.gdl", engine="native")
    answer = search(solver, game, depth=3)
    book = search(solver, load(GAMES / f"{name}.gdl", engine="reference"), depth=3)
    assert len(answer.line) == len(book.line) > 1
    assert answer.work.nodes == search(solver, game, depth=3).work.nodes


def test_without_a_table_none_is_claimed() -> None:
    for engine in ENGINES:
        game = load(GAMES / "tictactoe.gdl", engine=engine)
        assert "without a transposition table" in search("alphabeta(table=0)", game, depth=2).how


# ---------------------------------------------------------------------------------- moves with many outcomes

MANY = """
game many
players: a, b
position:
    x: 0..400 = 0
    y: 0..400 = 0
initial:
    chance:
        1/2: x = 1
        else: pass
player: a
move go:
    x ~ 1..400
    y ~ 1..400
terminal: x > 0
utility: x - y
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", ["star1", "star2", "expectiminimax", "expectimax(against=random)"])
def test_limits_bind_where_one_move_has_many_outcomes(engine: str, text: str) -> None:
    """To list all 160,000 takes the reference engine seconds: it is not begun, or ended."""
    game = loads(MANY, engine)
    few = search(text, game, nodes=10)
    assert (few.work.nodes or 0) <= 1_000
    short = search(text, game, time=0.01)
    assert short.work.seconds < 2
    for answer in (few, short) if engine == "reference" else (few,):  # machine code may be done in that time
        assert answer.partial and "the limit allowed only one outcome" in answer.how
        assert answer.kind != "exact"


@pytest.mark.parametrize("engine", ENGINES)
def test_many_ways_that_come_to_few_outcomes_are_listed(engine: str) -> None:
    """Five dice fall in 7,776 ways and have 26 sums."""
    rolls = "\n".join("    d ~ 1..6\n    s += d\n    d = 1" for _ in range(5))
    text = f"game dice\nplayers: a\nposition:\n    s: 0..30 = 0\n    d: 1..6 = 1\nmove roll:\n{rolls}\n"
    game = loads(text + "terminal: s > 0\nutility: s\n", engine)
    answer = search("expectimax", game, nodes=40)
    assert answer.value == Fraction(35, 2) and not answer.partial


def test_moves_of_chance_beyond_the_limit_are_refused_in_plays_too() -> None:
    """To add up 10^9 weights would take seconds for each play."""
    text = """
game weighted
players: a
position:
    n: 0..2 = 0
player: chance if n == 0 else a
move go(i: 0..99999, j: 0..9999) weight i + 1 when n == 0 and i != 3: n = 1
move stop when n == 1: n = 2
terminal: n == 2
utility: n
"""
    with pytest.raises(GameError, match="1,000,000 moves"):
        search("flat_monte_carlo", loads(text, engine="native"), simulations=2)


def test_bounds_at_chance_prove_no_more_than_they_are_proven() -> None:
    """Star1's steps from bounds that are given. A cut counts on the bounds of what it leaves out, so these
    must be proven; and where they decide before a search, no search within an empty window may sharpen them.
    """
    game: Any = loads(
        """
game pair
players: a
position:
    x: 0..3 = 0
move least when x == 0: x = 1
move most when x == 0: x = 2
move draw when x == 0: x ~ {1: 1/2, 2: 1/2}
terminal: x > 0
utility: x - 1
""",
        engine="reference",
    )
    start = game.initial()[0]
    half = Fraction(1, 2)

    def within(alpha: Fraction, first: Possible, second: Possible) -> Backup:
        step = Star2(game, Budget(None, None)).expectation_within([first, second], 9, Window(alpha, 2), 0)
        found: Backup = run(step)
        return found

    open_ = Possible(start, half, 0, 2)
    assert within(Fraction(3, 2), open_, Possible(start, half, 0, half, complete=False)).complete is False
    assert within(Fraction(3, 2), open_, Possible(start, half, 0, half)).complete is True
    decided = within(Fraction(3, 2), open_, Possible(start, half, 0, 1))
    assert decided.value == Fraction(3, 2) and decided.complete  # not 1/2, from the first move alone
    table = Table(8)
    table.put(Entry(start.position, 1, 1, 2, None))
    table.put(Entry(start.position, 1, -1, 0, None))  # by a leaf that drew anew
    entry = table.get(start.position)
    assert entry is not None and (entry.low, entry.high) == (-1, 0)


@pytest.mark.parametrize("solver", ["star1", "star2", "expectiminimax"])
def test_a_move_that_only_floats_have_proven_is_named_beside_the_exact_value(solver: str) -> None:
    """What lies behind a probability of 10^-16 is a rounding to floats; fractions have to look deeper."""
    game = loads(
        """
game slip
players: a
position:
    x: 0..3 = 0
move sure when x == 0: x = 3
move slip when x == 0: x ~ {1: 1/10**16, 3: 1 - 1/10**16}
move up when x == 1: x = 3
move down when x == 1: x = 2
terminal: x >= 2
utility: x
""",
        "native",
    )
    for options in ({}, {"depth": 1}, {"depth": 9}, {"nodes": 1000}):
        found = search(solver, game, **options)
        (value,) = found.values
        assert value is not None and value.low <= 3 <= value.high, options
        assert {move.text for move in found.moves if move.best} == {"sure", "slip"}, options


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("solver", ["alphabeta", "star1", "star2"])
def test_values_beside_each_other_among_floats_leave_no_closed_window(solver: str, engine: str) -> None:
    """No float lies between what the end pays and what play for ever does, which b prefers: the value is
    2^53 - 1, and nobody has proven 2^53."""
    text = """
game tight
players: a, b
position:
    x: 0..1 = 0
player: b
move end when x == 0: x = 1
move wait when x == 0: pass
terminal: x == 1
utility: 9007199254740992
endless: 9007199254740991
"""
    leaf = "leaf=rollouts(5, depth=2)"
    entry, options = search_described(f"{solver}(nodes=30, {leaf})", loads(text, engine=engine))
    (first, *_) = entry.load()(loads(text, engine=engine), None, **options).values
    assert first.low is None or first.low <= 2**53 - 1
    assert first.kind != "exact" or first.number == 2**53 - 1
