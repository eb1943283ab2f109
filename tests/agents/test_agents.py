"""Agents from text: what they choose, what they may see, and what is said when the text is wrong."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction as F
from pathlib import Path
from random import Random
from typing import Any

import pytest

import solvers
from gdl.diagnostics import GameError
from gdl.game import CHANCE, TERMINAL, Outcome
from gdl.loading import load
from solvers.agents.agent import Agent
from solvers.agents.kinds import agent, known_agents
from solvers.agents.seated import Seated
from solvers.agents.seen import View
from solvers.agents.syntax import parse_description
from solvers.core.policies import uniform
from solvers.hidden.sequences import Known
from solvers.hidden.worlds import Belief
from solvers.registry import SOLVERS
from tests.solvers.games import Bins, IncAndSquare, Nim, Pig, PythonGame, TicTacToe, duel, sure

GAMES = Path(__file__).parent.parent.parent / "games"

ALONE = sorted({*known_agents()} - {"policy", "learned"})
"""The agents that need no file."""

EQUILIBRIA = {solver.name for solver in SOLVERS.values() if solver.family in ("hidden", "belief")}
"""Those that solve games in which something is hidden, and play by what they have seen."""


class Table:
    """A play as an agent sees it; written here because solvers know no play of their own."""

    def __init__(self, game: Any, position: Any):
        self.game = game
        self.position = position
        self.seen: list[list[Any]] = [[game.observation(position, i)] for i in range(game.traits.players)]

    def information(self, player: int) -> tuple[Any, ...]:
        return tuple(self.seen[player])

    def make(self, move: Any, rng: Random) -> None:
        mover = self.game.to_move(self.position)
        (outcome,) = rng.choices(
            self.game.outcomes(self.position, move),
            [float(way.probability) for way in self.game.outcomes(self.position, move)],
        )
        self.position = outcome.position
        for player, seen in enumerate(self.seen):
            shown = (
                self.game.observed_move(move, player, mover) if hasattr(self.game, "observed_move") else move
            )
            seen += [(mover, shown), self.game.observation(self.position, player)]


def play(game: Any, *texts: str, seed: int = 0) -> tuple[Any, ...]:
    """The utilities after one play between the agents."""
    rng = Random(seed)
    seats = [Seated(agent(text, game), Random(f"{seed} {i}")) for i, text in enumerate(texts)]
    table = Table(game, rng.choice(game.initial()).position)
    while (player := game.to_move(table.position)) != TERMINAL:
        assert player != CHANCE
        move = seats[player].choose(table)
        assert move in game.moves(table.position) and seats[player].why
        table.make(move, rng)
    return tuple(game.utility(table.position))


# ---------------------------------------------------------------- what they do


@pytest.mark.parametrize(
    "text", ["alphabeta", "backward_induction", "retrograde", "policy_iteration", "maxn(depth=9)"]
)
def test_perfect_agents_win_nim(text: str) -> None:
    for seed in range(3):
        assert play(Nim(1, 2, 2), text, "random", seed=seed)[0] == 1
        assert play(Nim(1, 2, 3), "random", text, seed=seed)[1] == 1


@pytest.mark.parametrize("name", ALONE)
def test_every_agent_plays_a_game_it_suits(name: str) -> None:
    text = {
        "mixture": "mixture(1/2: random, 0.5: greedy)",
        "expectimax": "expectimax(against=random, depth=2)",
        "mcts": "mcts(simulations=20)",
        "flat_monte_carlo": "flat_monte_carlo(simulations=20)",
    }.get(name, name)
    chance = name in ("star1", "star2", "expectiminimax", "value_iteration", "policy_iteration", "maxn")
    game = Hand() if name in EQUILIBRIA else Bins(F(1, 2)) if chance else TicTacToe()
    assert len(play(game, text, "random")) == 2


def test_agents_choose_between_ties_at_random() -> None:
    chooser = agent("backward_induction", TicTacToe())
    view = View.of(TicTacToe(), "." * 9)
    rng = Random(1)
    assert len({chooser.choose(view, rng).move for _ in range(200)}) == 9


def test_random_is_uniform() -> None:
    counts = Counter(
        agent("random", TicTacToe()).choose(View.of(TicTacToe(), "." * 9), Random(i)).move for i in range(900)
    )
    assert len(counts) == 9 and min(counts.values()) > 60  # 100 expected, standard deviation 9.4


def test_a_mixture_is_the_mixture_of_its_policies() -> None:
    game = Bins(F(0))
    mixed = agent("mixture(0.8: minimax, 0.2: random)", game).policy()(())
    assert mixed == {"A": F(1, 15), "B": F(13, 15), "C": F(1, 15)}


@pytest.mark.parametrize(
    ("text", "value"),
    [("-1.5e1", F(-15)), ("1e-3", F(1, 1000)), ("2E+2", F(200)), ("- 0.25", F(-1, 4)), ("-3/6", F(-1, 2))],
)
def test_numbers_as_programs_write_them(text: str, value: F) -> None:
    (argument,) = parse_description(f"weights(food_left={text})").arguments
    assert argument.value == value


def test_expectimax_trusts_its_model() -> None:
    """Against a random opponent bin C, worth 5 on average, beats B, worth 2, and A, worth 0."""
    game = Bins(F(0))
    assert agent("expectimax(against=random)", game).policy()(()) == {"C": 1}
    assert agent("minimax", game).policy()(()) == {"B": 1}


def test_agents_with_a_seed_repeat_themselves() -> None:
    view = View.of(TicTacToe(), "." * 9)
    seeded = agent("mcts(simulations=30, seed=5)", TicTacToe())
    assert len({seeded.choose(view, Random(i)).move for i in range(5)}) == 1


def test_agents_say_why() -> None:
    choice = agent("backward_induction", Nim(1, 2)).choose(View.of(Nim(1, 2), ((1, 2), 0)), Random(0))
    assert choice.move == (1, 1) and choice.why == "backward_induction: 1"


def test_a_table_answers_for_positions_off_its_graph() -> None:
    chooser = agent("backward_induction", Nim(1, 2))
    assert chooser.choose(View.of(Nim(1, 2), ((7, 0), 0)), Random(0)).move == (0, 7)


def test_best_is_chosen_for_the_game() -> None:
    assert str(agent("best", TicTacToe())) == "mcts"
    assert str(agent("best", Hand())) == "sequence_form"


# ---------------------------------------------------------------- what they may see


class Hand(PythonGame):
    """One of three cards is dealt to the first player, who says high or low; the second, who sees only that,
    guesses whether the card is the ace (2). The guess is right or wrong: 1 or -1 for the second."""

    name = "hand"
    traits = duel(hidden=True, random_start=True)

    def initial(self) -> Any:
        return [Outcome((card,), F(1, 3), ()) for card in range(3)]

    def to_move(self, position: Any) -> int:
        return TERMINAL if len(position) == 3 else len(position) - 1

    def moves(self, position: Any) -> Any:
        if len(position) == 2:
            return ["ace", "other"]
        return ["high"] if position[0] == 2 else ["low", "high"] if position[0] == 1 else ["low"]

    def outcomes(self, position: Any, move: Any) -> Any:
        return sure((*position, move))

    def utility(self, position: Any) -> Any:
        right = (position[2] == "ace") == (position[0] == 2)
        return (-1, 1) if right else (1, -1)

    def observation(self, position: Any, player: int) -> Any:
        return position if player == 0 else position[1:]


def second_view(card: int, said: str) -> View:
    table = Table(Hand(), (card,))
    table.make(said, Random(0))
    return View.of_play(table)


def possible(view: View, most: int = 100) -> dict[Any, Any]:
    known = Known(view.player, view.seen, view.moves)
    worlds = Belief(view.game, most=most).worlds(known, Random(3))
    return dict(zip(worlds.positions, worlds.weights, strict=True))


def test_possible_positions_follow_from_what_was_seen() -> None:
    """Bayes: the king says high half of the time, the ace always."""
    assert possible(second_view(2, "high")) == {(1, "high"): F(1, 3), (2, "high"): F(2, 3)}
    assert possible(second_view(1, "low")) == {(0, "low"): F(2, 3), (1, "low"): F(1, 3)}


def test_pimc_averages_over_them() -> None:
    chooser = agent("pimc", Hand())
    assert chooser.choose(second_view(1, "high"), Random(0)).move == "ace"
    assert chooser.choose(second_view(1, "low"), Random(0)).move == "other"


def test_pimc_does_not_look() -> None:
    """Whatever the hidden card is, the choice is the same for the same observations and random numbers."""
    chooser = agent("pimc(worlds=1)", Hand())
    for seed in range(20):
        choices = {chooser.choose(second_view(card, "high"), Random(seed)).move for card in (1, 2)}
        assert len(choices) == 1


def test_no_agent_is_given_the_position() -> None:
    with pytest.raises(solvers.Refusal, match="not known to second"):
        _ = second_view(1, "high").position


@pytest.mark.parametrize("name", sorted({*ALONE} - {"random", "best", "mixture", *EQUILIBRIA}))
def test_agents_that_need_to_see_everything_refuse(name: str) -> None:
    with pytest.raises(solvers.Refusal, match="hidden"):
        agent(name, Hand())


def test_mixtures_in_hidden_games() -> None:
    assert play(Hand(), "random", "mixture(1/2: pimc, 1/2: random)") in {(1, -1), (-1, 1)}
    with pytest.raises(solvers.Refusal, match="by what it has observed"):
        agent("pimc", Hand()).policy()


@pytest.mark.parametrize("name", ["mcts(simulations=5)", "flat_monte_carlo", "mixture(1/2: mcts, 1/2: best)"])
def test_agents_that_draw_random_numbers_are_no_policies(name: str) -> None:
    game = TicTacToe()
    with pytest.raises(solvers.Refusal, match=r"no policy to compute with.*gdl solve --simulations"):
        agent(name, game).policy()
    with pytest.raises(solvers.Refusal, match="no policy to compute with"):
        agent(f"expectimax(against={name})", game)


def test_they_are_asked_anew_at_each_move() -> None:
    game = TicTacToe()
    chooser, rng = agent("mcts(simulations=9)", game), Random(1)
    view = View.of(game, game.initial()[0].position)
    assert len({chooser.choose(view, rng).move for _ in range(20)}) > 1


WRONG = {
    "sums to 3": (lambda position, moves: dict.fromkeys(moves[:1], 3), "3 is no probability"),
    "sums to 2": (lambda position, moves: dict.fromkeys(moves[:2], 1), "sum to 2"),
    "no move": (lambda position, moves: {"nonsense": 1}, "'nonsense' is no legal move"),
    "no mapping": (lambda position, moves: moves[0], "mapping of moves to probabilities"),
    "nothing": (lambda position, moves: {}, "sum to 0"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_policies_of_programs_are_checked_with_the_position(wrong: str) -> None:
    game = TicTacToe()
    made, said = WRONG[wrong]

    def policy(position: Any) -> Any:
        return made(position, list(game.moves(position)))

    for solver, options in (
        ("policy_evaluation", {"policies": policy}),
        ("policy_evaluation", {"policies": {0: uniform(game), 1: policy}, "simulations": 5}),
        ("best_response", {"against": policy}),
        ("expectimax", {"against": policy, "depth": 3}),
    ):
        with pytest.raises(solvers.Refusal, match=said) as refused:
            solvers.solve(game, solver, **options)
        assert re.search(r"in '[x.]{9}'", str(refused.value))  # the board


def test_many_possible_positions_are_sampled() -> None:
    assert set(possible(second_view(2, "high"), most=1)) <= {(1, "high"), (2, "high")}


def test_secret_moves_are_not_seen() -> None:
    class Sealed(Hand):
        """What the first player says is not shown."""

        def observed_move(self, move: Any, player: int, mover: int) -> Any:
            return move if player == mover else "something"

        def observation(self, position: Any, player: int) -> Any:
            return position if player == 0 else len(position)

    table = Table(Sealed(), (2,))
    table.make("high", Random(0))
    assert possible(View.of_play(table)) == {
        (0, "low"): F(1, 3),
        (1, "low"): F(1, 6),
        (1, "high"): F(1, 6),
        (2, "high"): F(1, 3),
    }


# ---------------------------------------------------------------- wrong text

MISTAKES = {
    "mctss": ("A002", 1, "did you mean `mcts`"),
    "zzz": ("A002", 1, "known: `random`, `greedy`"),
    "alphabeta(dept=3)": ("A003", 11, "did you mean `depth`"),
    "random(depth=3)": ("A003", 8, "there are none"),
    "alphabeta(depth=x)": ("A004", 11, "a whole number from 1 up"),
    "alphabeta(depth=0)": ("A004", 11, "a whole number from 1 up"),
    "alphabeta(depth=1.5)": ("A004", 11, "not `3/2`"),
    "alphabeta(3)": ("A004", 11, "`name=value`"),
    "mcts(rollout=fast)": ("A004", 6, "`uniform` or `greedy`"),
    "policy_iteration(exact=maybe)": ("A004", 18, "`true` or `false`"),
    "alphabeta(leaf=12)": ("A004", 11, "`weights(feature=number, ..)`"),
    "alphabeta(leaf=wights(centre=1))": ("A004", 16, "did you mean `weights`"),
    "alphabeta(leaf=weights(1))": ("A004", 24, "`feature=number`"),
    "alphabeta(leaf=rollouts(dpth=1))": ("A003", 25, "did you mean `depth`"),
    "alphabeta(leaf=rollouts(1.5))": ("A004", 25, "a whole number"),
    "expectimax(against=3)": ("A004", 12, "an agent"),
    "alphabeta(depth=1, depth=2)": ("A007", 20, "given twice"),
    "mixture(0.5: random)": ("A005", 1, "1/2 is missing"),
    "mixture(0.5: random, 0.7: random)": ("A005", 1, "1/5 is too much"),
    "mixture(random)": ("A005", 9, "weighted agents"),
    "mixture()": ("A005", 1, "1 is missing"),
    "alphabeta(depth=3": ("A001", 18, "expected `,` or `)`, found the end"),
    "alphabeta)": ("A001", 10, "found `)`"),
    "alphabeta(depth=)": ("A001", 17, "found `)`"),
    "a$b": ("A001", 2, "`$` means nothing"),
    "": ("A001", 1, "found the end"),
    "weights(x=1e)": ("A001", 12, "found `e`"),
    "weights(x=1e1000)": ("A001", 12, "found `e1000`"),
    "mixture(1/0: random)": ("A001", 9, "divides by 0"),
    "mixture(" * 30: ("A006", 161, "too deeply"),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes(text: str) -> None:
    code, column, said = MISTAKES[text]
    with pytest.raises(GameError) as raised:
        agent(text, TicTacToe())
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == code and diagnostic.span is not None
    assert diagnostic.span.column == column
    assert said in f"{diagnostic.message} {diagnostic.hint}"


def test_agents_that_do_not_suit_the_game() -> None:
    with pytest.raises(solvers.Refusal, match="without chance"):
        agent("alphabeta(depth=2)", Pig(5))
    with pytest.raises(solvers.Refusal, match="against"):
        agent("expectimax(depth=2)", TicTacToe())
    with pytest.raises(solvers.Refusal, match="no feature"):
        agent("alphabeta(leaf=weights(edge=1))", TicTacToe())


@pytest.mark.parametrize(
    "text",
    [
        "random",
        "mcts(simulations=500, c=3/2)",
        "mixture(4/5: minimax(depth=2), 1/5: random)",
        "alphabeta(depth=2, leaf=rollouts(4, depth=10))",
        "expectimax(against=mixture(1/2: random, 1/2: greedy(leaf=weights(centre=1))), depth=2)",
    ],
)
def test_descriptions_read_back(text: str) -> None:
    assert str(parse_description(text)) == text
    assert parse_description(f"  {text.replace(',', ' ,')}  ").name == parse_description(text).name
    assert isinstance(agent(text, TicTacToe()), Agent) and str(agent(text, TicTacToe())) == text


def test_star_agents_play_dice_games() -> None:
    assert len(play(IncAndSquare(4), "star2(depth=3)", "star1(depth=2)")) == 2


def test_a_search_finishes_small_trees_and_names_its_limit_elsewhere() -> None:
    """Minimax never loses tic-tac-toe, whatever it is answered (von Neumann 1928): so the best answer is
    worth no more than the game, 0."""
    small = load(GAMES / "tictactoe.gdl", engine="native")
    minimax = agent("minimax", small)
    assert str(minimax) == "minimax"
    answer = solvers.solve(small, "best_response", player=1, against=minimax.policy())
    assert answer.values[1] is not None
    assert answer.values[1].number == 0
    large = load(GAMES / "connect_four.gdl", engine="native")
    assert str(agent("alphabeta", large)) == "alphabeta(nodes=5000)"
    assert str(agent("alphabeta(table=0)", large)) == "alphabeta(table=0, nodes=5000)"
    assert str(agent("alphabeta(depth=2)", large)) == "alphabeta(depth=2)"


def test_the_reference_engine_finishes_small_trees_too() -> None:
    assert str(agent("minimax", load(GAMES / "halving.gdl", engine="reference"))) == "minimax"
    large = load(GAMES / "connect_four.gdl", engine="reference")
    assert str(agent("minimax", large)) == "minimax(nodes=5000)"


@pytest.mark.parametrize("weight", ["-10", "1/2", "-1/2", "0.25", "-0.25"])
def test_weights_are_any_numbers(weight: str) -> None:
    game = load(GAMES / "othello.gdl", size=4, engine="reference")
    start = game.initial()[0].position
    chosen = agent(f"greedy(leaf=weights(mobility={weight}))", game)
    assert str(chosen) == f"greedy(leaf=weights(mobility={F(weight)}))"
    assert chosen.policy()(start)


@pytest.mark.parametrize("text", ["mixture(2: random, -1: greedy)", "mcts(c=-1)", "alphabeta(depth=-1)"])
def test_negative_numbers_are_refused_where_they_mean_nothing(text: str) -> None:
    with pytest.raises(GameError):
        agent(text, load(GAMES / "tictactoe.gdl", engine="reference"))
