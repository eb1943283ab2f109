"""Whist for four, for two, and German whist against an independent program, which plays with lists of cards.

Values for two are found by the linear program of the sequence form (D. Koller, N. Megiddo,
B. von Stengel, 'Fast algorithms for finding randomized strategies in game trees', STOC 1994).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gdl.game import CHANCE, TERMINAL
from gdl.loading import load, load_model, read_source

GAMES = Path(__file__).parents[2] / "games"
SUITS = ["clubs", "diamonds", "hearts", "spades"]

Card = tuple[str, int]

# ------------------------------------------------------------ the independent program


@dataclass(frozen=True)
class Table:
    """Hands by seat, the seat that led and the cards of the trick in order."""

    hands: tuple[frozenset[Card], ...]
    trump: str | None
    leader: int = 0
    trick: tuple[Card, ...] = ()

    @property
    def seat(self) -> int:
        return (self.leader + len(self.trick)) % len(self.hands)

    @property
    def over(self) -> bool:
        return not any(self.hands)

    def choices(self) -> list[Card]:
        hand = self.hands[self.seat]
        following = [card for card in hand if self.trick and card[0] == self.trick[0][0]]
        return sorted(following or hand)

    def play(self, card: Card) -> tuple[Table, int | None]:
        """The table afterwards, and the seat that took the trick if it is complete."""
        hands = tuple(hand - {card} if s == self.seat else hand for s, hand in enumerate(self.hands))
        trick = (*self.trick, card)
        if len(trick) < len(hands):
            return Table(hands, self.trump, self.leader, trick), None
        ranked = [c for c in trick if c[0] == self.trump] or [c for c in trick if c[0] == trick[0][0]]
        best = max(ranked, key=lambda c: c[1])
        winner = (self.leader + trick.index(best)) % len(hands)
        return Table(hands, self.trump, winner), winner

    def drawing(self, winner: int, up: Card, unseen: Card) -> Table:
        """The table when the winner of a trick takes one card and the other of two players another."""
        cards = [up if seat == winner else unseen for seat in (0, 1)]
        hands = tuple(hand | {card} for hand, card in zip(self.hands, cards, strict=True))
        return Table(hands, self.trump, self.leader)


def deck_of(suits: int, ranks: int) -> list[Card]:
    return [(suit, rank) for suit in SUITS[:suits] for rank in range(1, ranks + 1)]


def deals(deck: list[Card], cards: int) -> Iterator[tuple[frozenset[Card], frozenset[Card]]]:
    for first in combinations(deck, cards):
        for second in combinations([card for card in deck if card not in first], cards):
            yield frozenset(first), frozenset(second)


class SequenceForm:
    """The linear program whose optimum is the value of two-handed whist for the leader.

    A sequence is what a player did last and at which information set: the hand that was dealt, and all that
    was played, and what was drawn from the stock in German whist.
    """

    def __init__(self, suits: int, ranks: int, cards: int, trumps: bool, german: bool = False):
        self.sequences: tuple[dict[Any, int], dict[Any, int]] = ({None: 0}, {None: 0})
        self.parents: tuple[dict[Any, int], dict[Any, int]] = ({}, {})  # of information sets
        self.choices: tuple[dict[Any, list[int]], dict[Any, list[int]]] = ({}, {})
        self.pay: defaultdict[tuple[int, int], float] = defaultdict(float)
        deck = deck_of(suits, ranks)
        dealt = list(deals(deck, cards))
        for hands in dealt:
            rest = [card for card in deck if not any(card in hand for hand in hands)]
            stocks = list(permutations(rest)) if german else [()]
            for stock in stocks:
                trump = (stock[0][0] if german else SUITS[suits - 1]) if trumps else None
                seen = [(hand, *stock[:1]) for hand in hands]
                self.follow(Table(hands, trump), seen, stock, (0, 0), 0, 1 / len(dealt) / len(stocks))

    def follow(self, table: Table, seen: Any, stock: tuple[Card, ...], last: tuple[int, int], won: int,
               probability: float) -> None:  # fmt: skip
        if table.over:
            self.pay[last] += probability * won
            return
        seat = table.seat
        known = seen[seat]
        numbers = self.sequences[seat]
        self.parents[seat][known] = last[seat]
        options = [numbers.setdefault((known, card), len(numbers)) for card in table.choices()]
        self.choices[seat][known] = options
        for card, number in zip(table.choices(), options, strict=True):
            after, winner = table.play(card)
            after_all, left, taken = [(*known, card) for known in seen], stock, 0
            if winner is not None and stock:
                up, unseen, *others = stock
                after = after.drawing(winner, up, unseen)
                left = tuple(others)
                after_all = [(*known, *left[:1]) for known in after_all]
                after_all[1 - winner] += (unseen,)
            elif winner is not None:
                taken = 1 if winner == 0 else -1
            sequences = (number, last[1]) if seat == 0 else (last[0], number)
            self.follow(after, after_all, left, sequences, won + taken, probability)

    def value(self) -> float:
        """max over plans x of min over plans y of x A y: maximise q(root) under F'q <= A'x, E x = e."""
        from scipy.optimize import linprog
        from scipy.sparse import coo_array, hstack

        def constraints(seat: int) -> Any:
            rows, columns, entries = [0], [0], [1.0]
            for row, (known, options) in enumerate(self.choices[seat].items(), start=1):
                rows += [row] * (1 + len(options))
                columns += [self.parents[seat][known], *options]
                entries += [-1.0] + [1.0] * len(options)
            shape = 1 + len(self.choices[seat]), len(self.sequences[seat])
            return coo_array((entries, (rows, columns)), shape=shape)

        mine, theirs = constraints(0), constraints(1)
        plans, duals = mine.shape[1], theirs.shape[0]
        pay = coo_array(
            (list(self.pay.values()), tuple(zip(*self.pay, strict=True))), shape=(plans, theirs.shape[1])
        )
        objective = [0.0] * plans + [-1.0] + [0.0] * (duals - 1)
        found = linprog(
            objective,
            A_ub=hstack([-pay.T, theirs.T]),
            b_ub=[0.0] * theirs.shape[1],
            A_eq=hstack([mine, coo_array((mine.shape[0], duals))]),
            b_eq=[1.0] + [0.0] * (mine.shape[0] - 1),
            bounds=[(0, None)] * plans + [(None, None)] * duals,
        )
        assert found.success
        return -float(found.fun)


# ------------------------------------------------------------------------ the tests


def cards_in(text: str) -> list[Card]:
    return [(suit, int(rank)) for suit, rank in re.findall(r"\((\w+), (\d+)\)", text)]


@pytest.mark.parametrize(
    ("name", "seats", "params"),
    [
        ("whist", 4, {"suits": 4, "ranks": 13, "cards": 13}),
        ("whist", 4, {"suits": 3, "ranks": 5, "cards": 3, "trumps": False}),
        ("two_handed_whist", 2, {"suits": 3, "ranks": 6, "cards": 7}),
        ("two_handed_whist", 2, {"suits": 4, "ranks": 3, "cards": 6, "trumps": False}),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_random_plays_are_those_of_the_independent_program(
    name: str, seats: int, params: dict[str, Any], seed: int
) -> None:
    game: Any = load(GAMES / f"{name}.gdl", engine="native", **params)
    rng = Random(seed)
    position = game.initial()[0].position
    hands: list[set[Card]] = [set() for _ in range(seats)]
    dealt = 0
    while game.to_move(position) == CHANCE:
        move = rng.choice(game.moves(position))
        (card,) = cards_in(game.format_move(move))
        hands[dealt % seats].add(card)
        dealt += 1
        (outcome,) = game.outcomes(position, move)
        position = outcome.position
    assert dealt == seats * params["cards"]
    trump = SUITS[params["suits"] - 1] if params.get("trumps", True) else None
    table = Table(tuple(map(frozenset, hands)), trump)
    while not table.over:
        assert game.to_move(position) == table.seat
        moves = {cards_in(game.format_move(move))[0]: move for move in game.moves(position)}
        assert sorted(moves) == table.choices()
        card = rng.choice(table.choices())
        (outcome,) = game.outcomes(position, moves[card])
        table, winner = table.play(card)
        pays = [0 if winner is None else 1 if (s - winner) % 2 == 0 else -1 for s in range(seats)]
        assert list(outcome.rewards) == pays
        position = outcome.position
    assert game.to_move(position) == TERMINAL


def test_nobody_sees_the_cards_of_others() -> None:
    game: Any = load(GAMES / "whist.gdl", suits=1, ranks=4, cards=1, engine="reference")
    dealt = [
        game.parse_position(
            f"hand=[{{(clubs, 1)}} {{(clubs, {a})}} {{(clubs, {b})}} {{(clubs, {c})}}] to_deal=0"
        )
        for a, b, c in ((2, 3, 4), (3, 2, 4), (4, 3, 2))
    ]
    assert len({game.observation(position, 0) for position in dealt}) == 1
    assert len({game.observation(position, 1) for position in dealt}) == 3


EXPECTATIONS = [
    (name, e)
    for name in ("two_handed_whist", "german_whist")
    for e in load_model(read_source(GAMES / f"{name}.gdl")).expectations
    if e.quantity == "value"
]


@pytest.mark.parametrize(("name", "expectation"), EXPECTATIONS, ids=lambda e: getattr(e, "text", e))
def test_values_for_two(name: str, expectation: Any) -> None:
    given = {"suits": 2, "ranks": 3 if name == "german_whist" else 4, "cards": 2} | dict(expectation.params)
    suits, ranks, cards = (int(given[key]) for key in ("suits", "ranks", "cards"))
    value = SequenceForm(suits, ranks, cards, given.get("trumps") != "false", name == "german_whist").value()
    assert value == pytest.approx(float(expectation.value), abs=1e-8)
