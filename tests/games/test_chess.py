"""Chess against published counts and independent programs: python-chess and OpenSpiel, where installed."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from gdl.exploration import perft
from gdl.game import TERMINAL
from gdl.loading import load
from solvers.views.starting_at import StartingAt

CHESS = Path(__file__).parents[2] / "games" / "chess.gdl"
CASTLING = {"Q": ("white", "queen_side"), "K": ("white", "king_side")} | {
    "q": ("black", "queen_side"),
    "k": ("black", "king_side"),
}


def position_text(fen: str) -> str:
    """A position in Forsyth-Edwards notation, as our games write it. En passant squares are not read."""
    placement, side, castling, *_ = fen.split()
    rows = []
    for row in reversed(placement.split("/")):
        squares = "".join("." * int(c) if c.isdigit() else c for c in row)
        rows.append("[" + " ".join(squares) + "]")
    rights = " ".join("true" if letter in castling else "false" for letter in "QKqk")
    return f"board=[{' '.join(rows)}] may_castle=[{rights}] turn={'white' if side == 'w' else 'black'}"


def placement_of(position: Any) -> str:
    """The board in Forsyth-Edwards notation."""
    men = position["board"]
    rows = []
    for row in range(8, 0, -1):
        text = ""
        for col in "abcdefgh":
            man = men[f"{col}{row}"]
            if man == "empty":
                text = text[:-1] + str(int(text[-1]) + 1) if text[-1:].isdigit() else text + "1"
            else:
                text += man
        rows.append(text)
    return "/".join(rows)


# https://www.chessprogramming.org/Perft_Results, positions 3 to 6
@pytest.mark.parametrize(
    ("fen", "counts"),
    [
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", [14, 191, 2812]),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", [6, 264, 9467]),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", [44, 1486]),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", [46, 2079]),
    ],
)
def test_published_perft(fen: str, counts: list[int]) -> None:
    game = load(CHESS, engine="native")
    start = StartingAt(game, game.parse_position(position_text(fen)))
    assert [perft(start, depth) for depth in range(1, len(counts) + 1)] == counts


def play(game: Any, *moves: str) -> Any:
    position = game.initial()[0].position
    for text in moves:
        (outcome,) = game.outcomes(position, game.parse_move(position, text))
        position = outcome.position
    return position


def test_fools_mate() -> None:
    game = load(CHESS, engine="reference")
    end = play(game, "go(f2, f3)", "go(e7, e5)", "go(g2, g4)", "go(d8, h4)")
    assert game.to_move(end) == TERMINAL
    assert game.utility(end) == (-1, 1)


@pytest.mark.parametrize(
    ("fen", "over"),
    [
        ("7k/5Q2/6K1/8/8/8/8/8 b - -", True),  # stalemate
        ("8/8/4k3/8/8/4K3/8/8 w - -", True),  # bare kings
        ("8/8/4k3/8/8/4KN2/8/8 w - -", True),
        ("8/8/4kb2/8/8/4KB2/8/8 w - -", False),  # bishops on both colours
        ("8/8/4kb2/8/8/4K1B1/8/8 w - -", True),  # on one colour
        ("8/8/4kn2/8/8/4KN2/8/8 w - -", False),
        ("8/8/4k3/8/8/4KP2/8/8 w - -", False),
    ],
)
def test_draws_on_the_board(fen: str, over: bool) -> None:
    game = load(CHESS, engine="reference")
    position = game.parse_position(position_text(fen))
    assert (game.to_move(position) == TERMINAL) == over
    if over:
        assert game.utility(position) == (0, 0)


DANCE = ("go(g1, f3)", "go(g8, f6)", "go(f3, g1)", "go(f6, g8)")


def test_threefold_repetition() -> None:
    game = load(CHESS, repetitions=3, engine="reference")
    assert game.to_move(play(game, *DANCE, *DANCE[:3])) != TERMINAL
    end = play(game, *DANCE, *DANCE)
    assert game.to_move(end) == TERMINAL
    assert game.utility(end) == (0, 0)
    assert (
        load(CHESS, engine="reference").to_move(play(load(CHESS, engine="reference"), *DANCE, *DANCE))
        != TERMINAL
    )


def test_men_of_one_kind_may_change_places() -> None:
    """White's knights have changed places, which makes no other position."""
    game = load(CHESS, repetitions=2, engine="reference")
    queens = ["b1, c3", "c3, d5", "d5, f4", "f4, h3"]
    kings = ["g1, f3", "f3, e5", "e5, c4", "c4, a3"]
    white = [*queens, *kings, "h3, g1", "a3, b1"]
    black = ["g8, f6", "f6, g8"] * 5
    moves = [f"go({squares})" for pair in zip(white, black, strict=True) for squares in pair]
    assert game.to_move(play(game, *moves[:-1])) != TERMINAL
    assert game.to_move(play(game, *moves)) == TERMINAL


def test_lost_castling_rights_make_another_position() -> None:
    game = load(CHESS, repetitions=2, engine="reference")
    opening = ("go(g1, f3)", "go(g8, f6)")
    rooks = ("go(h1, g1)", "go(h8, g8)", "go(g1, h1)", "go(g8, h8)")
    assert game.to_move(play(game, *opening, *rooks, *rooks[:1])) != TERMINAL
    assert game.to_move(play(game, *opening, *rooks, *rooks[:2])) == TERMINAL


def test_en_passant_makes_another_position() -> None:
    game = load(CHESS, repetitions=2, engine="reference")
    opening = ("go(e2, e4)", "go(g8, f6)", "go(e4, e5)", "go(d7, d5)")
    knights = ("go(g1, f3)", "go(f6, g8)", "go(f3, g1)", "go(g8, f6)")
    assert game.to_move(play(game, *opening, *knights)) != TERMINAL
    assert game.to_move(play(game, *opening, *knights, *knights[:1])) == TERMINAL


def test_fifty_moves() -> None:
    game = load(CHESS, fifty=2, engine="reference")
    assert game.to_move(play(game, *DANCE[:3])) != TERMINAL
    assert game.to_move(play(game, *DANCE)) == TERMINAL
    assert game.to_move(play(game, *DANCE[:3], "go(e7, e6)")) != TERMINAL


def uci(move: Any) -> str:
    rest = str(move).partition("(")[2]
    first, second, *kind = rest.rstrip(")").split(", ")
    return (
        first + second + ({"queen": "q", "rook": "r", "bishop": "b", "knight": "n"}[kind[0]] if kind else "")
    )


@pytest.mark.parametrize("seed", range(5))
def test_same_play_as_python_chess(seed: int) -> None:
    chess = pytest.importorskip("chess")
    game = load(CHESS, engine="native")
    position, board, random = game.initial()[0].position, chess.Board(), Random(seed)
    while game.to_move(position) != TERMINAL:
        ours = {}
        for move in game.moves(position):
            if move.name == "castle":
                rank = 1 if board.turn else 8
                ours[f"e{rank}{'g' if 'king' in str(move) else 'c'}{rank}"] = move
            else:
                ours[uci(move)] = move
        assert set(ours) == {move.uci() for move in board.legal_moves}, board.fen()
        text = random.choice(sorted(ours))
        (outcome,) = game.outcomes(position, ours[text])
        position = outcome.position
        board.push_uci(text)
        assert placement_of(position) == board.board_fen()
    assert (
        board.is_checkmate()
        or board.is_stalemate()
        or board.is_insufficient_material()
        or board.is_fifty_moves()
    )
    assert (game.utility(position)[0] != 0) == board.is_checkmate()


@pytest.mark.parametrize("seed", range(3))
def test_same_play_as_openspiel(seed: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = load(CHESS, engine="native", repetitions=3)
    position, state, random = (
        game.initial()[0].position,
        pyspiel.load_game("chess").new_initial_state(),
        Random(seed),
    )
    while game.to_move(position) != TERMINAL:
        assert not state.is_terminal(), state
        ours = {}
        for move in game.moves(position):
            (outcome,) = game.outcomes(position, move)
            ours[placement_of(outcome.position)] = outcome.position
        theirs = {str(state.child(action)).split()[0]: action for action in state.legal_actions()}
        assert set(ours) == set(theirs), state
        chosen = random.choice(sorted(ours))
        position = ours[chosen]
        state.apply_action(theirs[chosen])
    assert state.is_terminal(), state
    assert float(game.utility(position)[0]) == state.returns()[1]  # over there black is player 0
