"""What simulated plays claim, on both engines: proofs, intervals, plays that are cut, drawn starts."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import pytest

import gdl
import solvers
from gdl import load
from gdl.loading import loads
from gdl.playing.play import Play
from gdl.playing.results import Estimate
from solvers.agents.kinds import agent
from solvers.agents.seen import View
from solvers.core.budget import Budget
from solvers.core.rollout import SHORTEST
from solvers.simulation.kernels import mcts as kernel
from solvers.simulation.mcts import Tree
from tests.texts import ROUNDED_TIE, spin

GAMES = Path(__file__).parent.parent.parent / "games"
ENGINES = ("reference", "native")

TIE = """
game tie
players: a, b, c
position:
    x: 0..2 = 0
player: b
move left: x = 1
move right: x = 2
terminal: x > 0
utility(p): 1 if p == b or (p == a) == (x == 1) else 0
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("text", "paid"), [(TIE, [1, 1, 0]), (ROUNDED_TIE, [0.3, 100, 0])])
def test_a_tie_is_broken_in_the_games_order_whatever_was_tried_first(
    engine: str, text: str, paid: list[float]
) -> None:
    """The mover gets the same either way; the first move is played, so the others' values follow from it."""
    for seed in range(8):
        answer = solvers.solve(loads(text, engine=engine), "mcts", seed=seed)
        assert answer.kind == "exact" and "proven" in answer.how
        assert [float(value.number) for value in answer.values if value] == paid
        assert answer.line[0].move == answer.moves[0].text, "the line is the play that pays this"


ROUND = """
game round
players: a, b, c
position:
    x: 0..5 = 0
    turn: player = a
player: turn
move go:
    x = (x + 1) mod 3
    turn = b if turn == a else c if turn == b else a
move stop(k: 3..5): x = k
terminal: x > 2
utility(p): 1 if p == a and x == 3 or p == b and x == 4 or p == c and x == 5 else 0
"""

SPIN = """
game wide
players: a, b
position:
    x: 0..3 = 0
    turn: player = a
player: turn
move spin:
    turn = b if turn == a else a
move stop(k: 1..2):
    x = k
terminal: x > 0
utility: x
endless: -7
{discount}
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("text", "best"),
    [
        (ROUND, "stop(3)"),
        (SPIN.format(discount=""), "stop(2)"),
        (SPIN.format(discount="discount: 9/10"), "stop(2)"),
    ],
)
def test_a_proven_move_is_best_before_one_that_was_tried_more_and_looks_no_better(
    engine: str, text: str, best: str
) -> None:
    """What a move pays that is proven to pay the most that any can is no less than a mean of many plays."""
    game = loads(text, engine=engine)
    for simulations in (100, 200, 500):
        answer = solvers.solve(game, "mcts", simulations=simulations)
        assert [move.text for move in answer.moves if move.best] == [best]
        assert [step.move for step in answer.line] == [best], "the line follows the move that is named"


@pytest.mark.parametrize("options", [{}, {"threads": 2, "parallel": "root"}])
def test_the_line_begins_with_the_move_that_is_named(options: dict[str, Any]) -> None:
    for text in (ROUND, TIE, SPIN.format(discount="")):
        for seed in range(5):
            game = loads(text, engine="native")
            answer = solvers.solve(game, "mcts", simulations=60, seed=seed, **options)
            assert answer.line[0].move in [move.text for move in answer.moves if move.best]


THREE = """
game three
param salt: 0..100 = 0
players: a, b, c
position:
    n: 0..4 = 0
    at: 0..80 = 0
player: a if n == 0 else b if n == 1 or n == 3 else c
move go(k: 0..2) when n < 4:
    at = (3 * at + k) mod 81
    n += 1
terminal: n == 4
def paid(j: 0..2): (at * at + at * j * salt + salt * j + (at + salt) * (at + j) * 7) mod 5
utility(p): (paid(0) if p == a else paid(1) if p == b else paid(2)) mod 3
"""


def test_proofs_of_general_sum_games_are_true() -> None:
    """Three players with few different payments, so that ties are frequent; maxn breaks them in order."""
    for salt in range(8):
        game = loads(THREE, engine="native", salt=salt)
        truth = [value.number for value in solvers.solve(game, "maxn").values if value]
        for seed in range(4):
            answer = solvers.solve(game, "mcts", simulations=5000, seed=seed)
            assert answer.kind == "exact"
            assert [value.number for value in answer.values if value] == truth


FAR = """
game far
param far: 1..20 = 12
players: a, b
position:
    secret: 0..2 = 0 visible to b
    good: bool
    n: 0..20 = 0
    turn: player = b
player: turn
secret move hide(k: 0..2) when n == 0 and turn == b:
    secret = k
    turn = a
move well when n == 0 and turn == a:
    good = true
    n = 1
move badly(k: 0..1) when n == 0 and turn == a: n = 1
move wait(k: 0..2) when n > 0:
    n += 1
    turn = b if turn == a else a
terminal: n == far
utility: 1 if good else -1
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("far", [3, 12])
def test_pimc_sees_what_lies_far_ahead(engine: str, far: int) -> None:
    """Only the first move matters, and it shows at the end: three moves later, or twelve of three choices."""
    game = loads(FAR, engine=engine, far=far)
    hide = game.moves(game.initial()[0].position)[1]
    play: Play[Any, Any] = Play(game, rng=Random(0))
    play.make(hide)
    chooser = agent("pimc(worlds=3)", game)
    for seed in range(5):
        choice = chooser.choose(View.of_play(play), Random(seed))
        assert game.format_move(choice.move) == "well"
    how = gdl.search(game, "pimc(worlds=3)", moves=game.format_move(hide)).how
    assert ("solved" if far == 3 else "simulated") in how


def test_a_walk_without_end_stays_within_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Joined positions make a tree with a loop, should a game wrongly be taken to have none."""
    monkeypatch.setattr(kernel, "_check", lambda *_: None)
    answer = solvers.solve(loads(spin(), engine="native"), "mcts", simulations=300, transpositions=True)
    assert answer.kind == "estimate"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_growing_tree_claims_no_confidence(engine: str) -> None:
    game = load(GAMES / "tictactoe.gdl", engine=engine)
    for simulations in (10, 200):
        answer = solvers.solve(game, "mcts", simulations=simulations, seed=1)
        assert all(value is not None and value.low is None for value in answer.values)
        assert "±" not in str(answer.values[0]) and str(answer.values[0]).startswith("about")


@pytest.mark.parametrize("engine", ENGINES)
def test_where_visits_decide_it_is_said(engine: str) -> None:
    game = load(GAMES / "tictactoe.gdl", engine=engine)
    said = 0
    for seed in range(20):
        answer = solvers.solve(game, "mcts", simulations=40, seed=seed)
        means = {move.text: move.value.number for move in answer.moves if move.value}
        (best,) = [move.text for move in answer.moves if move.best]
        assert ("most visited" in answer.how) == (means[best] < max(means.values()))
        said += "most visited" in answer.how
    assert said


SPIN_OR_STOP = """
game spin_or_stop
players: a, b, c
position:
    x: 0..3 = 0
    turn: player = a
player: turn
move spin:
    x = (x + 1) mod 3
    turn = next(turn)
move stop: x = 3
terminal: x == 3
utility(p): 1 if p == turn else 0
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_moves_are_chosen_no_more_often_than_plays_were_made_or_it_is_said_why(engine: str) -> None:
    """A proven move that would be chosen is counted, and the play tries another."""
    answer = solvers.solve(loads(SPIN_OR_STOP, engine=engine), "mcts", simulations=100, seed=1)
    assert sum(move.visits or 0 for move in answer.moves) > 100
    assert "a proven move also counts the plays that tried another" in answer.how
    answer = solvers.solve(load(GAMES / "tictactoe.gdl", engine=engine), "mcts", simulations=100, seed=1)
    assert sum(move.visits or 0 for move in answer.moves) == 100
    assert "also counts" not in answer.how


DRAWN = """
game drawn
players: a
position:
    x: 0..1000
    n: 0..10 = 0
initial: x ~ {1: 1/100, 9: 99/100}
move up:
    n += 1
    x = min(1000, x + 1)
move down:
    n += 1
    x = max(0, x - 1)
terminal: n == 10
utility: x
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("simulations", [1, 2, 3])
def test_a_start_that_was_never_drawn_is_not_made_up(engine: str, simulations: int) -> None:
    """No play from 1 or 9 in ten steps pays more than 19."""
    for seed in range(3):
        answer = solvers.solve(loads(DRAWN, engine=engine), "mcts", simulations=simulations, seed=seed)
        assert answer.kind == "estimate" and 0 <= answer.value <= 19


HALF = """
game half
players: a
position:
    x: 0..40 = 0
    y: 0..40 = 0
    done: bool
initial:
    chance:
        1/2: done = true
        else: pass
move go:
    done = true
    x ~ 1..40
    y ~ 1..40
terminal: done
utility: x + y
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("limits", [{"time": 1e-9}, {"nodes": 1}, {"simulations": 1}])
def test_no_number_without_a_play(engine: str, limits: dict[str, Any]) -> None:
    """Half of the starts are over and pay nothing: what the other half pays is found by a play, and no play
    is spent on what is known. Any play from there pays from 2 to 80."""
    for seed in range(5):
        answer = solvers.solve(loads(HALF, engine=engine), "mcts", seed=seed, **limits)
        assert answer.work.rounds and answer.kind == "estimate"
        assert 1 <= answer.value <= 40


def test_a_search_that_is_interrupted_before_its_first_play_has_no_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(kernel.Search, "_simulate", interrupt)
    monkeypatch.setattr(Tree, "simulate", interrupt)
    for engine in ENGINES:
        answer = solvers.solve(loads(HALF, engine=engine), "mcts")
        assert answer.values == (None,) and answer.partial and "0 simulations" in answer.how
        assert "value" not in str(answer)


LONG = """
game long
players: a
position:
    n: 0..20000 = 0
move go:
    n += 1
    PAYS
terminal: n == 20000
utility: WORTH
"""

EXIT = """
game exit
players: a
position:
    over: bool
move go:
    chance:
        1/20000: over = true
        else: pass
terminal: over
utility: 1
"""

SPIN = """
game spin
players: a
position:
    x: 0..1 = 0
    over: bool
move go: x = 1 - x
terminal: over
utility: 1
discount: 99999/100000
endless: 5
"""


def plays(game: Any, solver: str, count: int) -> Any:
    return solvers.solve(game, solver, simulations=count, seed=1)


@pytest.mark.parametrize("solver", ["mcts", "flat_monte_carlo", "policy_evaluation"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_play_that_must_end_is_not_cut(engine: str, solver: str) -> None:
    worth = LONG.replace("    PAYS\n", "").replace("WORTH", "1")
    paid = LONG.replace("PAYS", "reward 1").replace("WORTH", "0")
    for text, truth in ((worth, 1), (paid, 20_000)):
        answer = plays(loads(text, engine=engine), solver, 2)
        assert answer.value == truth and "cut" not in answer.how


@pytest.mark.parametrize("solver", ["flat_monte_carlo", "policy_evaluation"])
@pytest.mark.parametrize("engine", ENGINES)
def test_what_plays_that_were_cut_may_be_worth_widens_the_interval(engine: str, solver: str) -> None:
    """The game is surely left, and so worth 1; most plays are cut before that."""
    answer = plays(loads(EXIT, engine=engine), solver, 12)
    (value,) = answer.values
    assert value is not None and value.low is not None and value.high is not None
    assert value.low < 1 <= value.high and "cut before their end" in answer.how


@pytest.mark.parametrize("solver", ["mcts", "flat_monte_carlo", "policy_evaluation"])
@pytest.mark.parametrize("engine", ENGINES)
def test_endless_play_pays_nothing_where_later_payments_are_discounted(engine: str, solver: str) -> None:
    answer = plays(loads(SPIN, engine=engine), solver, 3)
    assert answer.value == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_rewards_of_plays_that_are_cut_count(engine: str) -> None:
    """Each move pays 1, and play never ends: a play that is cut after 10,000 moves was paid so much."""
    paid = "move go:\n    x = 1 - x\n    reward 1"
    text = SPIN.replace("discount: 99999/100000\n", "").replace("move go: x = 1 - x", paid)
    answer = plays(loads(text, engine=engine), "flat_monte_carlo", 2)
    assert answer.value == 10_000 + 1 + 5 and answer.values[0].low is None


CLOSE = """
game close
players: a
position:
    x: 0..2 = 0
move go(k: 1..2): x = k
terminal: x > 0
utility: 9007199254740991 + x
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_no_move_pays_enough_that_floats_take_for_the_best(engine: str) -> None:
    """The two ends are one float: only the other one pays as much as any utility can."""
    for seed in range(4):
        answer = solvers.solve(loads(CLOSE, engine=engine), "mcts", seed=seed)
        assert answer.kind == "exact" and answer.value == 2**53 + 1
        assert answer.best == (answer.moves[1].move,)


TENTHS = """
game tenths
players: a
position:
    x: 0..2 = 0
move go(k: 1..2): x = k
terminal: x > 0
utility: x / 10
discount: 1/2
"""


def test_a_leaf_of_python_proves_fractions_too() -> None:
    """A leaf that no kernel knows: the textbook's tree grows over machine code, whose numbers are floats."""
    game = loads(TENTHS, engine="native")
    answer = solvers.solve(game, "mcts", rollout_depth=1, leaf=lambda position: (0,))
    assert answer.kind == "exact" and answer.value == Fraction(1, 10)
    assert [move.value.number for move in answer.moves if move.value] == [Fraction(1, 20), Fraction(1, 10)]


ROUND = """
game round
players: a
position:
    x: 0..1 = 0
    over: bool
move go: x = 1 - x
move leave:
    chance:
        1/34867844010000000000000000: over = true
        else: x = 1 - x
terminal: over
utility: 1
"""


@pytest.mark.parametrize("solver", ["mcts", "flat_monte_carlo", "policy_evaluation"])
@pytest.mark.parametrize("engine", ENGINES)
def test_many_plays_that_never_end_are_cut_ever_sooner(engine: str, solver: str) -> None:
    """The odds fit no machine word, so that both engines play move by move."""
    game, began = loads(ROUND, engine=engine), process_time()
    answer = plays(game, solver, 100)
    assert process_time() - began < 10 and "100 of them were cut" in answer.how


SURE = """
game sure
players: a
position:
    x: 0..2 = 0
player: a if x == 0 else chance
move stop when x == 0: x = 2
move risk when x == 0: x = 1
move again when x == 1 weight 1: x = 1
move back when x == 1 weight 1: x = 0
terminal: x == 2
utility: 2/3
"""


def test_a_proof_does_not_follow_what_has_no_end() -> None:
    """To stop pays as much as anything can; what chance may do for ever after the other move is left out."""
    for seed in range(6):
        value = solvers.solve(loads(SURE, engine="native"), "mcts", simulations=2, seed=seed).values[0]
        assert value is not None
        assert value.kind == "estimate" or value.low <= Fraction(2, 3) <= value.high  # type: ignore[operator]


# ------------------------------------------------------------------------------------- plays without end

SPINS = """
game spins
players: a
position:
    x: 0..2 = 0
move spin: x = 1 - x if x < 2 else 2
move turn: x = 0 if x < 2 else 2
terminal: x == 2
utility: x
"""


def test_plays_without_end_are_cut_sooner_and_sooner_in_the_tree_too() -> None:
    """Twice a thousand plays of 10,000 moves each would be twenty million."""
    search = kernel.Search(loads(SPINS, engine="native"), seed=1)
    first = search.search(None, 1000, Budget())
    assert "1,000 of them were cut" in first.how
    assert search.longest == SHORTEST


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("solver", ["mcts", "flat_monte_carlo"])
@pytest.mark.parametrize("discount", ["1/2", "9/10"])
def test_what_follows_after_floats_have_run_out_of_discount_is_not_missed(
    solver: str, engine: str, discount: str
) -> None:
    """(9/10)^7073 is less than any float: a play of so many moves has been paid all that counts."""
    game = loads(f"{SPINS}discount: {discount}\n", engine=engine)
    answer = solvers.solve(game, solver, simulations=3, seed=1)
    assert "cut" not in answer.how and answer.value == 0


def test_equal_payments_have_the_mean_that_each_of_them_is() -> None:
    """20 halves of 10^-9, which floats do not sum exactly; nothing beyond what can be paid is printed."""
    traits = loads(SPIN.format(discount="")).traits
    bounded = replace(traits, utility_bounds=((0, Fraction(1, 2 * 10**9)), (-Fraction(1, 2 * 10**9), 0)))
    found = Estimate.of_shares([(Fraction(1, 2 * 10**9), 0.0)] * 20, replace(bounded, endless=(0, 0)))
    assert found.mean == 5e-10 and found.high == 5e-10
    assert str(found).endswith(".. 5e-10)") or str(found).endswith(".. 5.00e-10)")


def test_a_start_of_which_a_discount_of_nothing_tells_nothing_has_no_number() -> None:
    """One play, from one of two starts: what it paid counts nothing, seen from the draw."""
    game = loads(
        "game drawn\nplayers: a, b\nposition:\n    x: 0..2 = 0\ninitial:\n    x ~ {0: 5/7, 1: 2/7}\n"
        "player: a\nmove go when x == 0: x = 2\nterminal: x >= 1\nutility: 1\ndiscount: 0\n",
        engine="native",
    )
    for seed in range(8):
        found = solvers.solve(game, "mcts", simulations=1, seed=seed)
        assert all(value is None or 0 <= value.number <= 1 for value in found.values[:1])
