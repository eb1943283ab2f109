"""Which utilities per player are known to cancel: only those that do, and the common ways to write them."""

from __future__ import annotations

import pytest

from gdl.loading import loads

GAME = """
game g
players: a, b
type Result = {{undecided, drawn}} | player
position:
    n: 0..9 = 0
    score[player]: 0..9 = 0
    winner: player?
    result: Result = undecided
    turn: player = a
player: turn
def won(p: player): score[p] == 9
move go when n < 9:
    n += 1
    score[turn] += 1
    winner = turn
    result = turn
    turn = next(turn)
terminal: n == 9
{utility}
"""

CANCEL = [
    "utility(p): 1 if winner == p else -1 if winner == next(p) else 0",
    "utility(p): 0 if winner is none else 1 if winner == p else -1",
    "utility(p): 1 if result == p else -1 if result is player else 0",
    "utility(p): 1 if turn == p else -1",
    "utility(p): 1 if p == turn else -1",
    "utility(p): score[p] - score[next(p)]",
    "utility(p): (score[p] - score[next(p)]) / 2 * 3",
    "utility(p): 1 if score[p] > score[next(p)] else -1 if score[p] < score[next(p)] else 0",
    "utility(p): 0 if score[a] == score[b] else 1 if score[p] > score[next(p)] else -1",
    "utility(p): n if p == a else -n",
    "utility(p): n - 3 if p == a else 3 - n",
    "utility(p): 1 if (p == a) == (n > 5) else -1",
    "utility(p):\n    if won(a) and won(b): return 0\n    if won(p): return 1\n"
    "    if won(next(p)): return -1\n    return 0",
    "utility(p): 1 if n > 3 and turn == p or n <= 3 and turn != p else -1",
]

DO_NOT = [
    "utility(p): 1 if winner == p else 0",
    "utility(p): score[p]",
    "utility(p): 1 if score[p] > score[next(p)] else -1",  # both lose a tie
    "utility(p): 1 if turn == a else -1",
    "utility(p): 1 if won(p) else -1 if won(next(p)) else 0",  # as far as is known, both may have won
    "utility(p): score[p] * (-1 if p == a else 2)",
    "utility(p): 1 if result == p else -1",  # both lose where nobody has won
    "utility(p): n if p == a else -n\nendless(p): 1",
]


@pytest.mark.parametrize("utility", CANCEL)
def test_a_proof_is_found(utility: str) -> None:
    game = loads(GAME.format(utility=utility), engine="reference")
    assert game.traits.zero_sum


@pytest.mark.parametrize("utility", DO_NOT)
def test_nothing_is_claimed_without_a_proof(utility: str) -> None:
    game = loads(GAME.format(utility=utility), engine="reference")
    assert not game.traits.zero_sum
