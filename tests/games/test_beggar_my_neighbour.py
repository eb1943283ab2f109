"""Beggar-my-neighbour against an independent program, which plays with strings and deals every deck.

The program is held to published games: how many cards they take, and that one of them never ends.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from gdl.loading import load_model, read_source

GAME = Path(__file__).parents[2] / "games" / "beggar_my_neighbour.gdl"
PRICES = {"J": 1, "Q": 2, "K": 3, "A": 4}


def play(first: str, second: str) -> tuple[int, int | None]:
    """How many cards are played until somebody has none, and who wins; None where it never ends."""
    hands, pile, mover, owed = [first, second], "", 0, 0
    seen: set[tuple[str, str, int]] = set()
    cards = 0
    while hands[mover]:
        if not pile:
            now = hands[0], hands[1], mover
            if now in seen:
                return cards, None
            seen.add(now)
        card, hands[mover] = hands[mover][0], hands[mover][1:]
        pile += card
        cards += 1
        if card in PRICES:
            owed = PRICES[card]
        elif owed > 1:
            owed -= 1
            continue
        elif owed == 1:
            hands[1 - mover] += pile
            pile, owed = "", 0
        mover = 1 - mover
    return cards, 1 - mover


def orders(left: dict[str, int]) -> list[str]:
    """Every order of a deck, equal cards being alike."""
    if not any(left.values()):
        return [""]
    return [card + rest for card in left if left[card] for rest in orders({**left, card: left[card] - 1})]


def mean(suits: int, others: int) -> Fraction:
    decks = orders({"-": others, **dict.fromkeys(PRICES, suits)})
    won = [play(deck[::2], deck[1::2])[1] for deck in decks]
    return Fraction(won.count(0) - won.count(1), len(decks))


@pytest.mark.parametrize(
    ("deal", "cards", "winner"),
    [
        ("------------KAQ----J------/-JQQK---K----JK--QA-A-JA--", 4791, 0),  # Paulhus
        ("-J------Q------AAA-----QQ-/K----JA-----------KQ-K-JJK", 7959, 1),  # Rucklidge
        (
            "---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA",
            474,
            None,
        ),  # Casella: 66 tricks, 62 again and again
    ],
)
def test_the_program_plays_what_is_published(deal: str, cards: int, winner: int | None) -> None:
    first, second = deal.split("/")
    assert play(first, second) == (cards, winner)


EXPECTATIONS = [e for e in load_model(read_source(GAME)).expectations if e.params]


@pytest.mark.parametrize("expectation", EXPECTATIONS, ids=lambda e: e.text)
def test_values_of_small_decks(expectation: Any) -> None:
    given = {name: int(number) for name, number in dict(expectation.params).items()}
    assert mean(**given) == expectation.value
