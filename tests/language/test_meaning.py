"""What expressions and statements mean, on both engines; expected values are worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from gdl.loading import loads

HEAD = """
game meaning
players: a "A", b "B", c
type Cell = grid(3, 4)
type Hexes = hex(3, 3)
type Spot = graph:
    north - east - south - west - north
    east -> hall
type Suit = {clubs, diamonds, hearts, spades}
type Card = (suit: Suit, rank: 1..13)
type Point = 1..24
type From = Point | {bar}
const prices[Suit] = {clubs: 3, diamonds: 5, hearts: 7, spades: 11}
const nested[0..1, 0..2] = [[1, 2, 3], [4, 5, 6]]
const pairs = [(1, 10), (2, 20), (3, 30)]
const shift[x: 0..3, y: 0..3] = x * 10 + y
def double(x: -100..100): 2 * x
def classify(x: 0..9):
    if x < 3:
        return 0
    elif x < 6:
        return 1
    let half = x div 2
    return half
def collatz(start: 1..50):
    let x: 1..200 = start
    let steps: 0..30 = 0
    for i in 1..30:
        if x == 1: break
        x = x div 2 if x mod 2 == 0 else 3 * x + 1
        steps += 1
    return steps
def tally(k: 0..9):
    let found[Suit]: 0..9 = 2
    found[hearts] = k
    return sum(found)
def pips(g: From): 25 if g == bar else g
position:
    n: 0..9 = 7
    board[Cell]: {empty "."} | player = empty
    spot: Spot = north
    hand: set of Suit = {clubs, hearts}
    card: Card = (hearts, 12)
    maybe: Cell?
    f: From = bar
    count_[player]: 0..9 = {a: 1, b: 2, c: 3}
    turn: player = b
effect fill(r: 0..2):
    for x in Cell if x.row == r:
        board[x] = turn
effect raise_(k: 0..9):
    n = min(n + k, 9)
player: turn
move stay:
    n = 0
terminal: true
"""

VALUES: list[tuple[str, Any]] = [
    # numbers
    ("7 div 2", 3),
    ("-7 div 2", -4),
    ("-7 mod 3", 2),
    ("7 mod -3", -2),
    ("7 / 2", Fraction(7, 2)),
    ("1/2 + 1/3", Fraction(5, 6)),
    ("0.1 + 0.2", Fraction(3, 10)),
    ("1e-3 * 1000", 1),
    ("2 ** 10", 1024),
    ("-2 ** 2", -4),
    ("2 + 3 * 4", 14),
    ("(2 + 3) * 4", 20),
    ("10 - 3 - 2", 5),
    ("12 / 2 / 3", 2),
    ("abs(-3)", 3),
    ("abs(n - 9)", 2),
    ("min(3, 1, 2)", 1),
    ("max(n, 8, 2)", 8),
    ("double(n) + double(-1)", 12),
    ("1_000 + 1", 1001),
    # logic and comparison
    ("1 if n == 7 and not n > 7 else 0", 1),
    ("1 if 5 < n <= 7 else 0", 1),
    ("1 if n in {1, 7} else 0", 1),
    ("1 if n in 2..6 else 0", 0),
    ("1 if n not in 2..6 else 0", 1),
    ("1 if turn in {a, c} else 0", 0),
    ("1 if hearts > diamonds else 0", 1),
    ("1 if false or n == 7 else 0", 1),
    ("3 if n == 1 else 4 if n == 7 else 5", 4),
    # unions, optionals
    ("1 if f == bar else 2", 1),
    ("pips(f)", 25),
    ("pips(24)", 24),
    ("1 if maybe is none else 0", 1),
    ("1 if (n - 20) as Point? is none else 0", 1),
    ("1 if (n + 1) as Point? == 8 else 0", 1),
    ("1 if f is Point else 2", 2),
    ("1 if f is not Point else 2", 1),
    ("1 if board[a1] is player else 0", 0),
    ("1 if board[0, 1] == empty else 0", 1),
    ("Point(n)", 7),
    # players, order
    ("1 if next(turn) == c else 0", 1),
    ("1 if next(next(turn)) == a else 0", 1),
    ("1 if previous(turn) == a else 0", 1),
    ("1 if next(spades) == clubs else 0", 1),
    ("prices[next(hearts)]", 11),
    # tables, lists, tuples
    ("prices[hearts]", 7),
    ("nested[1, 2]", 6),
    ("sum(nested[i, j] for i in 0..1, j in 0..2)", 21),
    ("sum(y for (x, y) in pairs if x > 1)", 50),
    ("count(pairs)", 3),
    ("shift[2, 3]", 23),
    ("prices[card.suit] * card.rank", 84),
    ("1 if card == (hearts, 12) else 0", 1),
    ("sum([2, 3, 5])", 10),
    ("max([2, 3, 5])", 5),
    # sets
    ("count(hand)", 2),
    ("count(hand | {spades})", 3),
    ("count(hand & {spades, clubs})", 1),
    ("count(hand - {clubs})", 1),
    ("sum(prices[s] for s in hand)", 10),
    ("count({x mod 3 for x in 0..9})", 3),
    ("1 if hand == {hearts, clubs} else 0", 1),
    ("1 if spades in hand else 0", 0),
    ("1 if {clubs} <= hand else 0", 1),
    ("1 if {clubs, spades} <= hand else 0", 0),
    ("1 if hand <= hand else 0", 1),
    ("1 if hand < hand else 0", 0),
    ("1 if hand > {hearts} else 0", 1),
    ("1 if hand >= {hearts, spades} else 0", 0),
    ("1 if {} < hand else 0", 1),
    ("count({x for x in Cell if x.row == 0})", 4),
    # comprehensions
    ("count(x mod 2 == 0 for x in 0..9)", 5),
    ("sum(x * y for x in 1..3, y in 1..3)", 36),
    ("sum(x for x in 1..n)", 28),
    ("max(x * x - 3 * x for x in 0..9)", 54),
    ("min(abs(x - 4) for x in {1, 9})", 3),
    ("max(x for x in 1..0, default=42)", 42),
    ("1 if any(x == n for x in 0..9) else 0", 1),
    ("1 if all(x == n for x in 5..4) else 0", 1),
    ("sum(count_)", 6),
    ("sum(prices)", 26),
    ("sum(nested)", 21),
    ("sum(shift)", 264),  # 10 times 0 + 1 + 2 + 3 for each of four, and the same once
    ("tally(5)", 11),
    ("tally(n)", 13),
    ("count(Cell)", 12),
    ("sum(count_[p] for p in player if p != turn)", 4),
    ("1 if first(x for x in 0..9 if x * x > 50) == 8 else 0", 1),
    ("1 if first(x for x in 0..9 if x > 20) is none else 0", 1),
    # boards
    ("sum(1 for x in neighbours(Cell(b2)))", 4),
    ("sum(1 for x in neighbours(Cell(a1)))", 2),
    ("sum(1 for x in surrounding(Cell(b2)))", 8),
    ("count(lines(Cell, 3))", 14),
    ("sum(1 for li in lines(Cell, 3, a1))", 3),
    ("count(directions(Hexes))", 6),
    ("sum(1 for x in ray(Cell(a1), (0, 1)))", 3),
    ("sum(1 for x in ray(Cell(a1), (1, 1)))", 2),
    ("Cell(d3).row * 10 + Cell(d3).col", 23),
    ("1 if Cell(0, 0) + (2, 3) == Cell(2, 3) else 0", 1),
    ("1 if Cell(0, 0) + (-1, 0) is none else 0", 1),
    ("sum(1 for s in neighbours(east))", 3),
    ("sum(1 for s in neighbours(hall))", 0),
    ("count(reachable(spot, {x for x in Spot}))", 5),
    ("count(reachable(hall, {x for x in Spot}))", 1),
    ("count(reachable(Cell(0, 0), {x for x in Cell if x.row != 1}))", 4),
    ("1 if connected(Cell(0, 0), Cell(2, 3), {x for x in Cell if x.row != 1}) else 0", 0),
    ("1 if connected(Cell(0, 0), Cell(2, 3), {x for x in Cell if x.col != 1 or x.row == 2}) else 0", 1),
    # hypothetical positions
    ("count(board[x] == b for x in Cell)", 0),
    ("(count(board[x] == b for x in Cell) after fill(1))", 4),
    ("(n after raise_(1)) * 100 + n", 807),
    ("1 if (n == 9 after raise_(5)) and n == 7 else 0", 1),
    # functions
    ("classify(2) * 100 + classify(5) * 10 + classify(9)", 14),
    ("collatz(6)", 8),
]


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(("text", "value"), VALUES, ids=lambda x: str(x))
def test_value(text: str, value: Any, engine: str) -> None:
    game = loads(HEAD + f"utility(p): {text}\n", engine=engine)
    (start,) = game.initial()
    found = game.utility(start.position)[0]
    assert found == (value if engine == "reference" else float(value))
