"""When a play is proven to visit no position twice: sets that surely grow or shrink."""

from __future__ import annotations

import pytest

from gdl.load import loads

GAME = """game sets
players: solo
type Card = 1..4
position:
    hand[1..2]: set of Card = {{1, 2}}
    at: 1..2 = 1
{moves}
terminal: hand[1] == {{}}
utility: 0
"""


def proven(moves: str) -> bool:
    acyclic: bool = loads(GAME.format(moves=moves)).traits.acyclic
    return acyclic


@pytest.mark.parametrize(
    "moves",
    [
        "move play(c in hand[at]):\n    hand[at] -= {c}",
        "move play(c: Card) when c in hand[at]:\n    hand[at] -= {c}\n    at = 3 - at",
        "move take(c: Card) when c not in hand[at]:\n    hand[at] += {c}",
        "effect lose(c: Card):\n    hand[at] -= {c}\nmove play(c in hand[at]):\n    lose(c)",
        "move play(c in hand[1]):\n    if c > 2: hand[1] -= {c}\n    else: hand[1] -= {1, c}",
    ],
)
def test_an_element_goes_that_was_there_or_comes_that_was_not(moves: str) -> None:
    assert proven(moves)


@pytest.mark.parametrize(
    "moves",
    [
        "move play(c: Card):\n    hand[at] -= {c}",  # may not be there
        "move play(c in hand[at]):\n    hand[at] += {c}",
        "move play(c in hand[at]):\n    at = 3 - at\n    hand[at] -= {c}",  # another set
        "move play(c in hand[1]):\n    hand[2] -= {c}",
        "move play(c in hand[1]):\n    hand[1] = {c}\n    hand[1] -= {c}\n    hand[1] = {1, 2}",
        "move play(c in hand[1]):\n    for i in 1..2:\n        hand[i] += {c}\n        hand[1] -= {c}",
        "move play(c in hand[1]):\n    if c > 2:\n        hand[1] -= {c}",
        "move play(c in hand[1]):\n    hand[1] -= {c}\nmove take(c: Card) when c not in hand[1]:\n"
        "    hand[1] += {c}",
    ],
)
def test_otherwise_nothing_is_claimed(moves: str) -> None:
    assert not proven(moves)
