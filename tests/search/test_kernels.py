"""Search kernels against their textbook twins: the same value and best moves, never an unproven proof."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import solvers
from gdl import load
from gdl.game import CHANCE, TERMINAL
from gdl.loading import loads
from gdl.playing.play import Play
from solvers.agents.kinds import agent
from solvers.core.leaves import weighted_features
from solvers.core.policies import uniform
from solvers.core.refusal import Refusal
from solvers.core.result import Result, tie
from solvers.registry import SOLVERS
from tests.generate import game_of_seed

GAMES = Path(__file__).parent.parent.parent / "games"

SMALL: list[tuple[str, dict[str, Any], list[int | None]]] = [
    ("tictactoe", {}, [1, 2, 3]),
    ("misere_tictactoe", {}, [2]),
    ("connect_four", {"width": 4, "height": 3}, [1, 3, 4]),
    ("breakthrough", {"rows": 4, "cols": 3, "pawn_rows": 1}, [2, 3]),
    ("othello", {"size": 4}, [1, 3]),
    ("halving", {}, [1, 2, None]),
    ("nim", {}, [1, 2]),
    ("bins", {}, [1, 2, None]),
    ("inc_and_square", {}, [1, 2, 3, None]),
    ("chance_tree", {}, [1, None]),
    ("pig", {"goal": 8}, [1, 2]),
    ("piglet", {}, [2, 3]),
    ("gridworld", {}, [1, 2]),
    ("gamblers_problem", {}, [1]),
    ("snakes_and_ladders", {}, [1, 2]),
    ("pacman", {"time": 4}, [2, 3]),
    ("dots_and_boxes", {}, [1]),
]
DUELS = ("alphabeta", "minimax", "expectiminimax", "star1", "star2")


@cache
def native(name: str, params: tuple[tuple[str, Any], ...] = ()) -> Any:
    return load(GAMES / f"{name}.gdl", engine="native", **dict(params))


def textbook(name: str) -> Any:
    return SOLVERS[name].textbook


def in_rationals(solver: str, game: Any, at: Any = None, **options: Any) -> Result:
    """The textbook's answer in exact numbers."""
    answer: Result = textbook(solver)(game.compiled.exact, at, **options)
    return answer


def agree(kernel: Result, book: Result) -> None:
    """Where the textbook proves a value, the kernel does; rounding, and only that, is left open. A kernel may
    prove more, by the bounds of values, and then names only what is proven."""
    for ours, theirs in zip(kernel.values, book.values, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is None or theirs is None:
            continue
        assert ours.number == pytest.approx(float(theirs.number), abs=1e-9)
        if ours.kind == "exact":
            assert ours.number == theirs.number
        if ours.kind == "bounded":
            assert ours.low is not None and ours.high is not None
            assert ours.low <= ours.number <= ours.high
        if theirs.kind == "exact":
            assert ours.low is not None and ours.high is not None
            assert ours.low <= theirs.number <= ours.high
            assert ours.high - ours.low <= 1e-9 * max(1, abs(theirs.number))
    assert kernel.best == book.best or (kernel.complete > book.complete and {*kernel.best} <= {*book.best})


@pytest.mark.parametrize("solver", DUELS)
@pytest.mark.parametrize(("name", "params", "depths"), SMALL, ids=[name for name, _, _ in SMALL])
def test_kernels_answer_as_the_textbook(
    name: str, params: dict[str, Any], depths: list[int | None], solver: str
) -> None:
    game = native(name, tuple(params.items()))
    refusal = solvers.applies(solver, game)
    for depth in depths:
        if refusal is not None:
            with pytest.raises(Refusal):
                solvers.solve(game, solver, depth=depth)
            continue
        agree(solvers.solve(game, solver, depth=depth), in_rationals(solver, game, depth=depth))


@pytest.mark.parametrize(
    ("name", "params", "depths"),
    [case for case in SMALL if case[0] not in ("three_players", "nim")],
    ids=[name for name, _, _ in SMALL if name not in ("three_players", "nim")],
)
def test_expectimax_answers_as_the_textbook(
    name: str, params: dict[str, Any], depths: list[int | None]
) -> None:
    """Against a random opponent, for each player, also where the opponent moves first."""
    game = native(name, tuple(params.items()))
    against = uniform(game) if game.traits.players > 1 else None
    for depth in depths:
        for player in range(game.traits.players):
            options = {"depth": depth, "player": player, "against": against}
            agree(solvers.solve(game, "expectimax", **options), in_rationals("expectimax", game, **options))


def test_expectimax_against_other_models_is_the_textbooks() -> None:
    game = native("tictactoe")
    model = agent("mixture(0.8: minimax(depth=1), 0.2: random)", game).policy()
    kernel = solvers.solve(game, "expectimax", against=model, depth=2)
    book = textbook("expectimax")(game, against=model, depth=2)
    assert kernel.value == pytest.approx(float(book.value), abs=1e-9)
    assert kernel.best == book.best


@pytest.mark.parametrize("seed", range(12))
def test_kernels_agree_on_generated_games(seed: int) -> None:
    game = loads(game_of_seed(seed, faults=False), engine="native")
    start = game.initial()[0].position
    for solver in DUELS:
        if solvers.applies(solver, game) is None:
            for depth in (1, 2):
                agree(
                    solvers.solve(game, solver, start, depth=depth),
                    in_rationals(solver, game, start, depth=depth),
                )


def test_proven_bounds_hold_the_true_value() -> None:
    """At a depth that proves little, the bounds still hold what the whole tree says."""
    game = native("connect_four", (("width", 4), ("height", 4)))
    rng = Random(3)
    for _ in range(10):
        play: Play[Any, Any] = Play(game, rng=rng)
        while len(play.history) < 7 and not play.finished:
            play.make(rng.choice(list(play.moves())))
        if play.finished:
            continue
        whole = solvers.solve(game, "alphabeta", play.position)
        assert whole.kind == "exact"
        for depth in range(1, 7):
            part = solvers.solve(game, "alphabeta", play.position, depth=depth)
            value = part.values[0]
            assert value is not None
            if value.kind == "exact":
                assert tie(value.number, whole.value)
            elif value.kind == "bounded":
                assert value.low is not None and value.high is not None
                assert value.low <= whole.value <= value.high


@pytest.mark.parametrize(
    ("width", "height", "value"),
    [(4, 4, 0), (5, 4, 0), (4, 5, 0), pytest.param(5, 5, 0, marks=pytest.mark.slow),
     pytest.param(6, 4, -1, marks=pytest.mark.slow), pytest.param(6, 5, 0, marks=pytest.mark.slow)],
)  # fmt: skip
def test_connect_four_boards_have_the_published_values(width: int, height: int, value: int) -> None:
    """J. Tromp, 'John's Connect Four Playground'."""
    game = native("connect_four", (("width", width), ("height", height)))
    answer = solvers.solve(game, "alphabeta", table=1 << 22)
    assert (answer.value, answer.kind) == (value, "exact")


def test_pruning_saves_nodes_and_keeps_the_value() -> None:
    """Star1 and Star2 visit fewer nodes than expectiminimax from depth 3 on, Star2 no more than Star1."""
    game = native("pig", (("goal", 20),))
    for depth in range(1, 6):
        plain, first, second = (
            solvers.solve(game, name, depth=depth) for name in ("expectiminimax", "star1", "star2")
        )
        assert first.value == pytest.approx(plain.value, abs=1e-9)
        assert second.value == pytest.approx(plain.value, abs=1e-9)
        counts = [answer.work.nodes or 0 for answer in (plain, first, second)]
        if depth >= 3:
            assert counts[1] < counts[0]
            assert counts[2] <= counts[1]


def beam_value(game: Any, leaf: Any, position: Any, depth: int, beam: int) -> float:
    """The first player's value where only some moves count: those after which `leaf` is best, and those that
    end the game."""
    player = game.to_move(position)
    if player == TERMINAL:
        return float(game.utility(position)[0])
    if depth == 0:
        return float(leaf(position)[0])
    after = [game.outcomes(position, move)[0].position for move in game.moves(position)]
    over = [child for child in after if game.to_move(child) == TERMINAL]
    going_on = [child for child in after if game.to_move(child) != TERMINAL]
    going_on.sort(key=lambda child: leaf(child)[player], reverse=True)
    values = [beam_value(game, leaf, child, depth - 1, beam) for child in over + going_on[:beam]]
    return max(values) if player == 0 else min(values)


@pytest.mark.parametrize("beam", [1, 2, 3])
def test_a_beam_searches_the_most_promising_moves_and_is_told_as_heuristic(beam: int) -> None:
    """All moves at the root, and below it those of the best evaluation."""
    game = native("othello", (("size", 4),))
    leaf = weighted_features(game, {"mobility": 1, "corners_held": 5})
    rng = Random(beam)
    for _ in range(6):
        play: Play[Any, Any] = Play(game, rng=rng)
        for _ in range(4):
            play.make(rng.choice(list(play.moves())))
        player = play.to_move
        values = [
            beam_value(game, leaf, game.outcomes(play.position, move)[0].position, 3, beam)
            for move in play.moves()
        ]
        answer = solvers.solve(game, "alphabeta", play.position, depth=4, leaf=leaf, beam=beam)
        assert answer.value == pytest.approx(max(values) if player == 0 else min(values))
        assert "heuristic" in answer.how
        whole = solvers.solve(game, "alphabeta", play.position)
        value = answer.values[0]
        assert value is not None
        if value.kind != "estimate":
            assert value.low is not None and value.high is not None
            assert value.low <= whole.value <= value.high


def test_options_of_kernels_are_refused_elsewhere() -> None:
    game = load(GAMES / "tictactoe.gdl", engine="reference")
    with pytest.raises(Refusal, match="compiled games only"):
        solvers.solve(game, "mcts", threads=2)
    with pytest.raises(Refusal, match="no option"):
        solvers.solve(game, "alphabeta", simulations=2)


@pytest.mark.parametrize(
    ("name", "solver"), [("three_mens_morris", "alphabeta"), ("pig", "expectiminimax"), ("pig", "star2")]
)
def test_searching_to_the_end_of_a_game_that_may_repeat_is_refused(name: str, solver: str) -> None:
    with pytest.raises(Refusal, match="come back"):
        solvers.solve(native(name), solver)


@pytest.mark.parametrize("engine", ["kernel", "textbook"])
@pytest.mark.parametrize(
    ("solver", "name", "params", "depth"),
    [
        ("alphabeta", "connect_four", {"width": 4, "height": 3}, 4),
        ("alphabeta", "breakthrough", {"rows": 4, "cols": 3, "pawn_rows": 1}, 3),
        ("star1", "piglet", {}, 3),
        ("star1", "inc_and_square", {}, 3),
        ("star2", "piglet", {}, 3),
        ("star2", "inc_and_square", {}, 3),
    ],
)
def test_every_move_has_the_value_that_a_search_without_pruning_finds(
    solver: str, name: str, params: dict[str, Any], depth: int, engine: str
) -> None:
    game = native(name, tuple(params.items()))
    search = textbook(solver) if engine == "textbook" else SOLVERS[solver].load()
    every = search(game, depth=depth, every=True)
    plain = textbook("expectiminimax")(game, depth=depth)
    assert [move.text for move in every.moves if move.best] == [
        move.text for move in plain.moves if move.best
    ]
    for found, true in zip(every.moves, plain.moves, strict=True):
        assert found.value is not None and true.value is not None
        assert tie(float(found.value.number), float(true.value.number))


@pytest.mark.parametrize("solver", ["alphabeta", "star2"])
def test_node_budgets_are_kept(solver: str) -> None:
    game = native("connect_four")
    answer = solvers.solve(game, solver, nodes=20_000)
    assert answer.partial
    assert answer.kind != "exact"
    assert answer.work.nodes is not None
    assert answer.work.nodes <= 22_000
    assert answer.best


LATE_TIE = """game late_tie
players: a
position:
    t: 0..3 = 0
move slow when t < 2: t += 1
move stop: t = 3
terminal: t >= 2
utility: 1 if t == 3 else 0
"""


@pytest.mark.parametrize("solver", DUELS)
def test_a_move_that_is_as_good_only_later_is_named_beside_a_proven_one(solver: str) -> None:
    """`stop` proves the value one move ahead; `slow`, two moves ahead, pays no less."""
    answer = solvers.solve(loads(LATE_TIE, engine="native"), solver, nodes=10_000)
    assert (answer.kind, answer.value) == ("exact", 1)
    assert [move.text for move in answer.moves if move.best] == ["slow", "stop"]


ROUND_AND_ROUND = """game round_and_round
players: a
position:
    v: 0..2 = 1
    done: bool
move back: v = max(v - 1, 0)
move on:
    chance:
        1/(10**9): v = 0
        else: v = min(v + 1, 2)
move stop: done = true
terminal: done or v == 2
utility: 3
endless: -5
"""


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_judgement_that_looks_as_good_as_the_best_hides_no_proof(engine: str) -> None:
    """Unfinished positions are judged as 3, the most that can be had. That proves nothing, and in rationals a
    search that looks on for a proof would meet ever larger fractions."""
    answer = solvers.solve(loads(ROUND_AND_ROUND, engine=engine), "star2", nodes=200)
    assert (answer.kind, answer.value) == ("exact", 3)
    assert [move.text for move in answer.moves if move.best] == ["back", "on", "stop"]
    assert answer.line[0].move in ("back", "on", "stop")


@pytest.mark.parametrize("name", ["yahtzee", "backgammon"])
def test_node_budgets_are_kept_where_one_move_has_thousands_of_outcomes(name: str) -> None:
    """Not even the first depth fits: the moves are judged all the same."""
    game = native(name)
    play: Play[Any, Any] = Play(game, rng=Random(1))
    while play.to_move == CHANCE:
        play.draw()
    answer = solvers.solve(game, "expectiminimax", play.position, nodes=30_000)
    assert answer.partial
    assert answer.work.nodes is not None
    assert answer.work.nodes <= 33_000
    assert answer.best


def test_every_position_of_tictactoe_is_judged_as_by_exact_solving() -> None:
    """Alpha-beta and backward induction, two different methods, agree wherever the game goes on."""
    game = native("tictactoe")
    solved = solvers.solve(load(GAMES / "tictactoe.gdl", engine="reference"), "backward_induction")
    assert solved.policy is not None
    reference = load(GAMES / "tictactoe.gdl", engine="reference")
    rng = Random(5)
    for _ in range(8):
        play: Play[Any, Any] = Play(reference, rng=rng)
        for _ in range(rng.randrange(1, 8)):
            if reference.to_move(play.position) == TERMINAL:
                break
            text = game.format_position(play.position)
            answer = solvers.solve(game, "alphabeta", game.parse_position(text))
            assert tie(answer.value, solved.policy.value(play.position)[0].number)
            best = {reference.format_move(move) for move in solved.policy.best(play.position)}
            assert {game.format_move(move) for move in answer.best} == best
            play.make(rng.choice(list(play.moves())))


def test_options_of_kernels_do_not_go_with_leaves_that_kernels_do_not_know() -> None:
    game = load("tictactoe", engine="native")
    with pytest.raises(Refusal, match="`beam` of alphabeta does not go with this leaf"):
        solvers.solve(game, "alphabeta", depth=2, beam=2, leaf=lambda position: (0, 0))


def test_where_native_code_gives_up_its_own_options_do_not_matter() -> None:
    """Numbers that do not fit machine words are searched by the textbook, which knows no null moves."""
    game = loads(
        """
game fine
players: a, b
position:
    x: 0..2 = 0
    turn: player = a
player: turn
move go:
    x = 1
    turn = next(turn)
move wait:
    x = 2
    turn = next(turn)
terminal: x > 0
utility: 1/(3**45) if x == 1 else 0
""",
        engine="native",
    )
    found = solvers.solve(game, "alphabeta", depth=2, null_move=1)
    assert found.best == (game.parse_move(game.initial()[0].position, "go"),)
