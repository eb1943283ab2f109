"""Every solver refuses what it cannot do, with the reason in the words of the game and a way out."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from random import Random
from typing import Any

import pytest

import gdl
import solvers
from gdl.diagnostics import GameError
from gdl.loading import load, loads
from solvers.core.policies import uniform
from solvers.core.refusal import TooLarge
from solvers.plan import plan_play
from solvers.registry import SOLVERS, applicable, applies, choose, find
from solvers.views.delegate import Delegate
from solvers.whole.lower_bound import positions_at_least
from tests.solvers.games import (
    Bins,
    CountUp,
    GridWorld,
    IncAndSquare,
    Nim,
    Node,
    Pig,
    TableGame,
    TicTacToe,
    end,
    to,
)


class With(Delegate):
    """A game with some traits changed."""

    def __init__(self, base: Any, **changes: Any):
        super().__init__(base)
        self.changes = changes

    @property
    def traits(self) -> Any:
        return replace(self.base.traits, **self.changes)


GENERAL_SUM = With(Nim(2, 1), zero_sum=False)
THREE = TableGame((Node(0, (to(1), to(2))), end(1, 2, 3), end(3, 2, 1)), count=3)
HIDDEN = With(TicTacToe(), hidden=True)
REWARDED = With(TicTacToe(), rewards=True)
DISCOUNTED = With(TicTacToe(), discount=F(1, 2))
UNBOUNDED = With(IncAndSquare(3), utility_bounds=())

DUELS = [name for name, solver in SOLVERS.items() if solver.players == (1, 2)]
SEERS = [name for name, solver in SOLVERS.items() if not solver.hidden]


def refused(name: str, game: Any) -> solvers.Refusal:
    """The refusal that `applies` gives is the one that solving raises."""
    refusal = applies(name, game)
    assert refusal is not None
    with pytest.raises(solvers.Refusal) as raised:
        SOLVERS[name].load()(game)
    assert str(raised.value) == str(refusal)
    assert isinstance(refusal, GameError) and refusal.diagnostics[0].code == "R001"
    return refusal


@pytest.mark.parametrize("name", ["alphabeta", "minimax", "retrograde"])
def test_chance(name: str) -> None:
    refusal = refused(name, Pig(10))
    assert refusal.reason == f"{name} needs a game without chance; pig draws in `roll` (line 22)."
    assert "value_iteration" in str(refusal.suggestion)


def test_the_words_for_alphabeta_on_pig() -> None:
    assert str(applies("alphabeta", Pig(10))) == (
        "alphabeta needs a game without chance; pig draws in `roll` (line 22). Use star2 or value_iteration."
    )


@pytest.mark.parametrize("name", DUELS)
def test_three_players(name: str) -> None:
    assert "needs one or two players; table has 3" in refused(name, THREE).reason


@pytest.mark.parametrize("name", DUELS)
def test_interests_that_are_not_opposed(name: str) -> None:
    assert "sum to zero" in refused(name, GENERAL_SUM).reason


@pytest.mark.parametrize("name", SEERS)
def test_hidden_information(name: str) -> None:
    refusal = refused(name, HIDDEN)
    assert "something is hidden" in refusal.reason and "pimc" in str(refusal.suggestion)


@pytest.mark.parametrize("name", ["star1", "star2", "retrograde"])
def test_rewards(name: str) -> None:
    assert "rewards on the way" in refused(name, REWARDED).reason


def test_discount() -> None:
    assert "discounts by 1/2" in refused("retrograde", DISCOUNTED).reason


@pytest.mark.parametrize("name", ["star1", "star2"])
def test_unknown_bounds(name: str) -> None:
    assert "needs bounds" in refused(name, UNBOUNDED).reason


@pytest.mark.parametrize("name", ["expectiminimax", "star1", "star2", "maxn", "backward_induction"])
def test_repeats_are_found_while_solving(name: str) -> None:
    """The rules of pig do not say that positions come back; the plays do."""
    with pytest.raises(solvers.Refusal, match="come back to") as raised:
        solvers.solve(Pig(3), name)
    assert raised.value.code == "R002" and "value_iteration" in str(raised.value)
    if name != "backward_induction":  # of commands only `gdl solve` has solvers of whole games
        assert "`gdl solve`, in Python value_iteration" in str(raised.value)


def test_a_game_without_repeats_need_not_say_so() -> None:
    for name in ("minimax", "alphabeta", "backward_induction", "maxn"):
        assert solvers.solve(With(Nim(1, 2, 3), acyclic=False), name).value == -1


def test_chance_that_never_stops() -> None:
    """A depth does not help where only chance moves."""
    coin = Node(-1, (to(0), to(1)), odds=(F(1, 2), F(1, 2)))
    game = TableGame((coin, end(1)), acyclic=False)
    with pytest.raises(solvers.Refusal, match="chance can move for ever"):
        solvers.solve(game, "expectiminimax", depth=3)
    assert solvers.solve(game, "policy_iteration").value == 1


@pytest.mark.parametrize("name", ["expectimax", "best_response"])
def test_unknown_opponents(name: str) -> None:
    with pytest.raises(solvers.Refusal, match="also played by o") as raised:
        solvers.solve(TicTacToe(), name)
    assert "against" in str(raised.value.suggestion)


def test_too_many_positions() -> None:
    for name in (
        "backward_induction",
        "retrograde",
        "value_iteration",
        "policy_iteration",
        "policy_evaluation",
    ):
        with pytest.raises(solvers.Refusal, match="more than 100 positions"):
            solvers.solve(TicTacToe(), name, limit=100)


def test_unknown_solver() -> None:
    with pytest.raises(solvers.Refusal, match="Did you mean `alphabeta`"):
        solvers.solve(Nim(1), "alphabetta")
    with pytest.raises(solvers.Refusal, match=r"Known: .*value_iteration"):
        find("stockfish")


def test_unknown_option() -> None:
    with pytest.raises(solvers.Refusal, match="Did you mean `depth`"):
        solvers.solve(Nim(1), "minimax", dept=3)
    with pytest.raises(solvers.Refusal, match="Its options: `limit`"):
        solvers.solve(Nim(1), "retrograde", colour="red")


@pytest.mark.parametrize(
    "name, options",
    [
        ("minimax", {"depth": 0}),
        ("minimax", {"nodes": 0}),
        ("alphabeta", {"time": 0}),
        ("value_iteration", {"precision": 0}),
        ("mcts", {"simulations": 0}),
        ("mcts", {"c": -1}),
        ("mcts", {"rollout": "clever"}),
        ("flat_monte_carlo", {"epsilon": 2}),
        ("policy_evaluation", {"simulations": 1}),
        ("policy_evaluation", {"policies": {}}),
    ],
)
def test_options_that_make_no_sense(name: str, options: dict[str, Any]) -> None:
    with pytest.raises(solvers.Refusal) as raised:
        solvers.solve(Nim(1, 2), name, **options)
    assert raised.value.code == "R003"


# ---------------------------------------------------------------- choosing


@pytest.mark.parametrize(
    "game, solver",
    [
        (TicTacToe(), "backward_induction"),
        (THREE, "backward_induction"),
        (Bins(F(1, 2)), "backward_induction"),
        (With(Nim(1), acyclic=False), "retrograde"),
        (Pig(5), "value_iteration"),
        (GridWorld(), "value_iteration"),
        (With(THREE, acyclic=False), "backward_induction"),
    ],
)
def test_choice_for_solving(game: Any, solver: str) -> None:
    name, reason = choose(game)
    assert name == solver and reason
    assert applies(name, game) is None


def test_small_games_are_solved_before_they_are_played() -> None:
    assert plan_play(CountUp(3)).solver == choose(CountUp(3))[0]
    assert plan_play(HIDDEN).solver == "pimc"


def test_choice_for_playing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvers.plan.SMALL", 0)
    judged = replace(THREE, count=2, nodes=(Node(0, (to(1),)), end(1)), estimates=(F(0), F(0)))
    assert plan_play(judged).solver == "alphabeta"
    assert plan_play(TicTacToe()).solver == "mcts"
    assert plan_play(CountUp(3)).solver == "mcts"
    assert plan_play(HIDDEN).solver == "pimc"


def test_hidden_games_have_solvers_of_their_own() -> None:
    assert choose(HIDDEN)[0] in ("sequence_form", "cfr_plus")  # with HiGHS, and without
    assert choose(With(GENERAL_SUM, hidden=True))[0] == "cfr_plus"
    assert choose(HIDDEN, "search")[0] == "ismcts"


def test_the_chosen_solver_says_why() -> None:
    assert "chosen because" in solvers.solve(Nim(1, 2)).how
    assert "chosen because" not in solvers.solve(Nim(1, 2), "minimax").how


@pytest.mark.parametrize(
    "game", [TicTacToe(), Pig(3), GridWorld(), THREE, GENERAL_SUM, With(THREE, acyclic=False)]
)
def test_suggestions_apply(game: Any) -> None:
    """Whatever a refusal suggests is not itself refused."""
    for name in SOLVERS:
        refusal = applies(name, game)
        if refusal is not None and refusal.suggestion:
            use, _, condition = refusal.suggestion.removeprefix("Use ").partition(" if no play of it can ")
            for word in use.rstrip(".").split(" or "):
                assert applies(word, game) is None
            opposed = game.traits.players == 1 or game.traits.zero_sum
            assert bool(condition) == (not game.traits.acyclic and not opposed)


def test_applicable_lists_what_applies() -> None:
    names = [solver.name for solver in applicable(Pig(3))]
    assert "star2" in names and "alphabeta" not in names


ROUND = """
game round
players: a, b, c
position:
    x: 0..3 = 0
    turn: player = a
player: turn
move spin when x < 2:
    x = 1 - x
    turn = next(turn)
move stop(k: 2..3): x = k
terminal: x >= 2
utility(p): x if p == a else 1 if p == b else 3 - x
"""


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("name", ["maxn", "paranoid", "backward_induction"])
def test_repeats_among_three_players_lead_to_what_works(name: str, engine: str) -> None:
    """Nothing solves such a game whole, so no solver of whole games is named."""
    game = loads(ROUND, engine=engine)
    with pytest.raises(solvers.Refusal) as refused:
        solvers.solve(game, name)
    named = [solver for solver in SOLVERS if solver in str(refused.value.suggestion).replace("`", "")]
    assert named
    for other in named:
        assert applies(other, game) is None and SOLVERS[other].family != "graph"
    limits = {"simulations": 50} if "mcts" in named else {"depth": 3}
    assert solvers.solve(game, "mcts" if "mcts" in named else "maxn", **limits) is not None


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_that_nothing_settles_a_game_is_said_at_once(engine: str) -> None:
    """Not after looking for a proof, and not by way of a solver that refuses as well."""
    game = loads(ROUND, engine=engine)
    for name in ("maxn", "mcts", "backward_induction"):
        with pytest.raises(solvers.Refusal, match="No solver settles such a game; `gdl search`"):
            gdl.solve(game, name, time=1000 if name != "backward_induction" else None)
    for name in ("retrograde", "value_iteration", "policy_iteration"):
        with pytest.raises(solvers.Refusal, match="If one can, no solver settles the game"):
            gdl.solve(game, name)
    assert gdl.solve(game, "paranoid").kind == "exact"
    for name in ("maxn", "mcts"):  # from here no play comes back
        assert gdl.solve(game, name, at="x=2 turn=a").values[0].number == 2


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("solver", ["value_iteration", "policy_iteration"])
def test_payments_that_go_up_and_down_without_end_have_no_value(engine: str, solver: str) -> None:
    """Nothing is collected for ever: 1, 0, 1, 0, .. and `endless` on top of which of them?"""
    text = """
game swing
players: a
position:
    up: bool = true
move go:
    reward 1 if up else -1
    up = not up
terminal: false
utility: 0
endless: 3
"""
    game = loads(text, engine=engine)
    with pytest.raises(solvers.Refusal, match="up and down without end, and such a play has no value"):
        solvers.solve(game, solver)
    collecting = loads(text.replace("1 if up else -1", "1"), engine=engine)
    with pytest.raises(solvers.Refusal, match="collected for ever"):
        solvers.solve(collecting, solver)


def test_graphs_in_python_that_would_take_hours_are_refused_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """By sampling, long before the limit of positions; with a limit they are looked at up to there."""
    monkeypatch.setattr("solvers.whole.graph.FIRST_LOOK", 0.1)
    game = load("connect_four", engine="reference")
    with pytest.raises(TooLarge, match=r"about \S+ positions or more, by sampling") as refusal:
        solvers.solve(game)
    assert "`at=`" in str(refusal.value) and "`limit=`" in str(refusal.value)
    with pytest.raises(TooLarge, match="more than 3,000 positions"):
        solvers.solve(game, limit=3000)


def test_graphs_in_python_that_are_slow_to_make_are_refused_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvers.whole.graph.FIRST_LOOK", 0.1)
    monkeypatch.setattr("solvers.whole.graph.LONGEST", 1.0)
    monkeypatch.setattr("solvers.whole.lower_bound.SIGHTINGS", 100)
    with pytest.raises(TooLarge, match=r"positions and more; in Python, at .* a second, they would take"):
        solvers.solve(load("connect_four", engine="reference"))


@pytest.mark.parametrize("count", [30_000, 200_000])
def test_bounds_by_sampling_are_below_the_truth(count: int) -> None:
    """Also where plays come back: steps of any length round a circle."""
    rng = Random(1)

    def follow(position: Any) -> list[Any]:
        return [(position + rng.randrange(count)) % count]

    assert count / 10 < positions_at_least([0], follow) < 1.2 * count


def test_policies_are_given_by_number_or_by_name() -> None:
    game = TicTacToe()
    policy = uniform(game)
    first, second = game.players
    for solver, option, given in (
        ("policy_evaluation", "policies", {0: policy, 1: policy}),
        ("best_response", "against", {1: policy}),
    ):
        named = {game.players[player]: each for player, each in given.items()}
        found = [solvers.solve(game, solver, **{option: each}).values for each in (given, named)]
        assert found[0] == found[1]
        with pytest.raises(
            solvers.Refusal, match=f"no player `nobody`. Its players: `{first}` and `{second}`"
        ):
            solvers.solve(game, solver, **{option: {"nobody": policy}})
