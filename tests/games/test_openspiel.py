"""Games that OpenSpiel knows too, played in both at once: the same moves, players, ends and payoffs.

OpenSpiel is an independent implementation of the rules; these tests are skipped where it is not installed.
Each pair says how one of our moves is written over there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gdl.game import TERMINAL
from gdl.loading import load

pyspiel = pytest.importorskip("pyspiel")

GAMES = Path(__file__).parents[2] / "games"

Theirs = Any  # a pyspiel.State
Translate = Callable[[Theirs, "Turn"], int]


@dataclass(frozen=True)
class Turn:
    """One of our moves, as its name and the text of its arguments, in a position."""

    position: Any
    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    ours: str
    theirs: str
    translate: Translate
    params: dict[str, Any] = field(default_factory=dict)
    outcome: Callable[[float], float] = lambda value: value
    """What their first player gets where ours gets this."""
    longest: int | None = None
    """They call it a draw after so many moves, for reasons of their own."""


def square(name: str) -> tuple[int, int]:
    """Row and column from 0: `b3` is (2, 1)."""
    return int(name[1:]) - 1, ord(name[0]) - ord("a")


def sign(value: float) -> float:
    return float((value > 0) - (value < 0))


def by_text(text: Callable[[Turn], str]) -> Translate:
    """The action over there that is written so."""

    def translate(state: Theirs, turn: Turn) -> int:
        wanted = text(turn)
        (action,) = [a for a in state.legal_actions() if state.action_to_string(a) == wanted]
        return int(action)

    return translate


def cell(cols: int) -> Translate:
    def translate(state: Theirs, turn: Turn) -> int:
        row, col = square(turn.arguments[0])
        return row * cols + col

    return translate


def breakthrough(turn: Turn) -> str:
    """Over there the side that moves first starts at the top; captures are starred."""
    start, _, to = turn.arguments
    text = "".join(f"{name[0]}{9 - int(name[1:])}" for name in (start, to))
    return text + ("*" if turn.position["board"][to] != "empty" else "")


def morris(state: Theirs, turn: Turn) -> int:
    points = "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1".split()
    numbers = [points.index(name) for name in turn.arguments]
    return numbers[0] if len(numbers) == 1 else 24 + 24 * numbers[0] + numbers[1]


def line(turn: Turn) -> str:
    row, col = square(turn.name)  # of the paper, on which every other square is a dot or a box
    kind, row, col = ("v" if row % 2 else "h"), row // 2, col // 2
    player = 1 + ["first", "second"].index(turn.position["turn"])
    return f"P{player}({kind},{row},{col})"


PAIRS = [
    Pair("connect_four", "connect_four", lambda state, turn: int(turn.arguments[0])),
    Pair("breakthrough", "breakthrough", by_text(breakthrough)),
    Pair(
        "othello",
        "othello",
        by_text(lambda turn: turn.arguments[0] if turn.arguments else "pass"),
        outcome=sign,
    ),
    Pair("hex", "hex(num_rows=11,num_cols=11)", cell(11)),
    Pair("hex", "hex(num_rows=3,num_cols=5)", cell(5), {"rows": 3, "cols": 5}),
    Pair("gomoku", "gomoku", cell(15)),
    Pair(
        "kalah",
        "mancala",
        lambda state, turn: int(turn.arguments[0]) + 1,
        {"empty_capture": False},
        outcome=sign,
    ),
    Pair("nine_mens_morris", "nine_mens_morris", morris, longest=200),
    Pair("dots_and_boxes", "dots_and_boxes(num_rows=3,num_cols=3,utility_margin=True)", by_text(line)),
    Pair(
        "nim",
        "nim",
        by_text(lambda turn: f"pile:{turn.arguments[0]}, take:{turn.arguments[1]};"),
        {"heap1": 1, "heap2": 3, "heap3": 5, "heap4": 7, "misere": True},
    ),
]


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.ours}-{pair.theirs}")
def test_same_play(pair: Pair, engine: str) -> None:
    ours = load(GAMES / f"{pair.ours}.gdl", engine=engine, **pair.params)
    theirs = pyspiel.load_game(pair.theirs)
    random = Random(f"{pair.ours} {engine}")
    for _ in range(3 if engine == "reference" else 8):
        play_both(pair, ours, theirs.new_initial_state(), random)


def play_both(pair: Pair, game: Any, state: Theirs, random: Random) -> None:
    """One random play to the end, compared at every move."""
    position = game.initial()[0].position
    paid, length = 0.0, 0
    while game.to_move(position) != TERMINAL:
        if length == pair.longest:
            return
        assert not state.is_terminal(), game.show(position)
        assert state.current_player() == game.to_move(position), game.show(position)
        actions = {move: pair.translate(state, turn_of(position, move)) for move in game.moves(position)}
        assert sorted(actions.values()) == sorted(state.legal_actions()), game.show(position)
        move = random.choice(game.moves(position))
        state.apply_action(actions[move])
        (outcome,) = game.outcomes(position, move)
        position, paid, length = outcome.position, paid + float(outcome.rewards[0]), length + 1
    assert state.is_terminal(), game.show(position)
    assert pair.outcome(paid + float(game.utility(position)[0])) == state.returns()[0]


def turn_of(position: Any, move: Any) -> Turn:
    name, _, rest = str(move).partition("(")
    return Turn(position, name, tuple(rest.rstrip(")").split(", ")) if rest else ())


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_go_until_a_position_comes_back(engine: str) -> None:
    """Over there a game is over when a position comes back, or when it has lasted long."""
    game, random = load(GAMES / "go.gdl", engine=engine, komi=0.5), Random(engine)
    for _ in range(5 if engine == "reference" else 50):
        state = pyspiel.load_game("go(board_size=5,komi=0.5)").new_initial_state()
        position = game.initial()[0].position
        while not state.is_terminal() and game.to_move(position) != TERMINAL:
            ours = {
                25 if move.name == "pass" else cell(5)(state, turn_of(position, move)): move
                for move in game.moves(position)
            }
            assert sorted(ours) == sorted(state.legal_actions()), game.show(position)
            action = random.choice(sorted(ours))
            state.apply_action(action)
            (outcome,) = game.outcomes(position, ours[action])
            position = outcome.position
        if game.to_move(position) == TERMINAL:
            assert state.is_terminal()
            assert sign(float(game.utility(position)[0])) == state.returns()[0]


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_checkers_by_single_jumps(engine: str) -> None:
    """Over there a jump over several men is several actions, and games are drawn earlier."""
    game, random = load(GAMES / "checkers.gdl", engine=engine), Random(engine)
    for _ in range(2 if engine == "reference" else 20):
        state = pyspiel.load_game("checkers").new_initial_state()
        position = game.initial()[0].position
        while game.to_move(position) != TERMINAL and not state.is_terminal():
            ours = {"".join(squares_of(move)): move for move in game.moves(position)}
            theirs = dict(whole_moves(state))
            assert set(ours) == set(theirs), game.show(position)
            chosen = random.choice(sorted(ours))
            for action in theirs[chosen]:
                state.apply_action(action)
            (outcome,) = game.outcomes(position, ours[chosen])
            position = outcome.position
        if game.to_move(position) == TERMINAL and game.utility(position)[0] != 0:
            assert state.is_terminal()
            assert state.returns()[0] == game.utility(position)[0]


def squares_of(move: Any) -> list[str]:
    arguments = str(move).partition("(")[2].rstrip(")").split(", ")
    return [text for text in arguments if text[:1].isalpha()]


def whole_moves(
    state: Theirs, so_far: str = "", actions: tuple[int, ...] = ()
) -> list[tuple[str, tuple[int, ...]]]:
    """The squares that a piece comes to, and the actions for it."""
    found = []
    for action in state.legal_actions():
        text = state.action_to_string(action)
        start, to = text[:2], text[2:4]
        path = so_far + to if so_far else start + to
        child = state.child(action)
        if abs(int(start[1]) - int(to[1])) == 2 and child.current_player() == state.current_player():
            found += whole_moves(child, path, (*actions, action))
        else:
            found.append((path, (*actions, action)))
    return found
