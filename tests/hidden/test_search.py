"""Searches from what a player knows: averages that were computed by other means, in Python and on machine
code."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import gdl
import solvers
from gdl.game import TERMINAL, Game
from gdl.playing.play import Play
from solvers.hidden.game_tree import InformationSet, game_tree
from solvers.hidden.sequences import Known
from solvers.hidden.worlds import Belief
from solvers.views.determinised import Determinised
from tests.hidden.test_worlds import by_histories, known_in, some_sets

ENGINES = ["reference", "native"]


def last_decisions(game: Game[Any, Any], count: int) -> list[tuple[InformationSet, dict[Any, float]]]:
    """Information sets after which nobody chooses any more, with what each move pays on average."""
    tree = game_tree(game)
    found = []
    for one in some_sets(tree, Random(5), 200):
        worlds = by_histories(tree, one)
        pays: dict[Any, float] = dict.fromkeys(one.moves, 0.0)
        over = True
        for position, share in worlds.items():
            for move in one.moves:
                for way in game.outcomes(position, move):
                    over &= game.to_move(way.position) == TERMINAL
                    if over:
                        rewards = way.rewards[one.player] if way.rewards else 0
                        worth = float(game.utility(way.position)[one.player] + rewards)
                        pays[move] += float(share * way.probability) * worth
        if over:
            found.append((one, pays))
        if len(found) == count:
            break
    return found


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["kuhn_poker", "three_player_kuhn"])
def test_the_last_decision_is_worth_its_mean_over_worlds(name: str, engine: str) -> None:
    """Whatever the search: what a move pays then is an expectation, by Bayes' rule."""
    game = gdl.load(name, engine=engine)
    decisions = last_decisions(game, 2)
    assert decisions
    for one, pays in decisions:
        for options in ({}, {"observers": "single"}, {"selection": "regret"}):
            result = solvers.solve(game, "ismcts", known_in(one), simulations=1500, **options)
            assert result.work.rounds == 1500 and sum(move.visits or 0 for move in result.moves) == 1500
            for move in result.moves:
                assert move.value is not None and move.visits
                assert float(move.value.number) == pytest.approx(pays[move.move], abs=8 / move.visits**0.5)
        exact = solvers.solve(game, "pimc", known_in(one))
        for move in exact.moves:
            assert move.value is not None
            assert float(move.value.number) == pytest.approx(pays[move.move], abs=1e-9)
        assert "all" in exact.how and "solved" in exact.how


@pytest.mark.parametrize("engine", ENGINES)
def test_pimc_averages_what_deals_are_worth_when_they_are_open(engine: str) -> None:
    """Each deal solved by backward induction over all its positions."""
    game = gdl.load("two_handed_whist", engine=engine, suits=1, ranks=6)
    play: Play[Any, Any] = Play(game, rng=Random(3))
    while play.to_move < 0:
        play.draw()
    known = Known(play.to_move, play.information(play.to_move), tuple(play.moves()))
    worlds = Belief(game).worlds(known, Random(0))
    means = dict.fromkeys(known.moves, 0.0)
    for position, weight in zip(worlds.positions, worlds.weights, strict=True):
        for move in known.moves:
            (after,) = game.outcomes(position, move)
            rest = solvers.solve(Determinised(game), "backward_induction", after.position).values[
                known.player
            ]
            assert rest is not None
            means[move] += float(weight) * float(rest.number + after.rewards[known.player])
    result = solvers.solve(game, "pimc", known)
    assert len(worlds) == 6 and "all 6 deals" in result.how
    for move in result.moves:
        assert move.value is not None and float(move.value.number) == pytest.approx(means[move.move])
    drawn = solvers.solve(game, "pimc", known, worlds=2, depth=1)
    assert "a sample of" in drawn.how and "1 move deep" in drawn.how


PENNIES = """game pennies
players: a, b
type Side = {heads, tails}
position:
    mine: Side? visible to a
    yours: Side? visible to b
    turn: player = a
player: turn
secret move choose(s: Side) when turn == a:
    mine = s
    turn = b
secret move guess(s: Side) when turn == b: yours = s
terminal: yours is not none
utility: (3 if mine == heads else 1) if mine == yours else -2
"""


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("seed", range(4))
def test_a_world_that_one_move_settles_tells_what_the_others_pay_too(engine: str, seed: int) -> None:
    """By hand: heads pays b -3 or 2, tails 2 or -1, and 2 is the most there is."""
    game = gdl.loads(PENNIES, engine=engine)
    found = gdl.search(game, "pimc", moves="choose(heads)", simulations=500, seed=seed)
    assert [(move.text, move.value and move.value.number) for move in found.moves] == [
        ("guess(heads)", -0.5),
        ("guess(tails)", 0.5),
    ]


def test_a_model_of_the_others_weighs_worlds() -> None:
    """If alice bets with a king only, bob knows what she has."""
    game = gdl.load("kuhn_poker")

    def honest(known: Known) -> dict[Any, float]:
        king = "king" in str(known.seen[-1]["card"])
        wanted = "bet" if king else "check"
        return {move: float(game.format_move(move) == wanted) for move in known.moves}

    play: Play[Any, Any] = Play(
        game,
        outcome=next(
            k for k, start in enumerate(game.initial()) if "card=[king queen]" in str(start.position)
        ),
    )
    play.make("bet")
    known = Known(1, play.information(1), tuple(play.moves()))
    for most in (100, 0):
        worlds = Belief(game, {0: honest}, most=most).worlds(known, Random(0))
        assert worlds.positions == (play.position,)
    for solver in ("pimc", "ismcts"):
        result = solvers.solve(game, solver, known, against={0: honest}, **_few(solver))
        assert [game.format_move(move) for move in result.best] == ["fold"]
        assert "the only deal " in result.how


def _few(solver: str) -> dict[str, int]:
    return {"simulations": 200} if solver == "ismcts" else {}


def test_budgets_are_kept() -> None:
    game = gdl.load("phantom_tictactoe")
    assert (solvers.solve(game, "ismcts", time=0.05).work.rounds or 0) < 10_000_000
    assert solvers.solve(game, "ismcts", simulations=7).work.rounds == 7
    assert solvers.solve(game, "pimc", time=0.01, worlds=3).moves


def test_the_same_seed_gives_the_same_answer() -> None:
    game = gdl.load("leduc_poker")
    for solver in ("ismcts", "pimc"):
        answers = [gdl.search(game, solver, simulations=300, seed=4, moves="raise") for _ in range(2)]
        assert answers[0].moves == answers[1].moves and answers[0].known == answers[1].known


def test_what_did_not_begin_at_the_start_is_refused() -> None:
    game = gdl.load("kuhn_poker")
    later = game.outcomes(game.initial()[0].position, game.moves(game.initial()[0].position)[0])[0].position
    for solver in ("pimc", "ismcts"):
        with pytest.raises(solvers.Refusal, match="no play of kuhn_poker was found"):
            gdl.search(game, solver, at=later)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_sample_does_not_wear_out(compiled: bool) -> None:
    """Few plays, many shots: nearly every guess of where the ships lie has been refuted."""
    game = gdl.load("battleships", rows=5, cols=5)
    play: Play[Any, Any] = Play(game, rng=Random(6))
    rng = Random(6)
    while len(play) < 34 and not play.finished:
        play.make(rng.choice(play.moves()))
    known = Known(play.to_move, play.information(play.to_move), tuple(play.moves()))
    every = {str(position) for position in Belief(game).worlds(known, rng).positions}
    if compiled:
        from solvers.hidden.kernels.worlds import CompiledBelief, positions_of

        belief = CompiledBelief(game, most=0, particles=20)
        found, _, exact = positions_of(game, belief.worlds(known.player, known.seen, known.moves, 1), 1)
    else:
        worlds = Belief(game, most=0, particles=20).worlds(known, rng)
        found, exact = worlds.positions, worlds.exact
    assert not exact and found and {str(position) for position in found} <= every
