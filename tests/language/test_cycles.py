"""When a play is proven to visit no position twice: sets that surely grow or shrink."""

from __future__ import annotations

import pytest

from gdl.loading import loads

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
    acyclic: bool = loads(GAME.format(moves=moves), engine="reference").traits.acyclic
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


COUNTERS = """game counters
players: solo
position:
    v[0..1]: 0..3 = 0
    i: 0..1 = 0
    done: bool
{moves}
move stop:
    v[1] += 1
    done = true
terminal: done
utility: v[0] - v[1]
"""


@pytest.mark.parametrize(
    "moves",
    [
        # v[k] = v[i] + 1 with k not i: from v=[1 0] two moves lead back to v=[1 0]
        "effect bump(k: 0..1):\n    i = 1 - i\n    v[k] = v[i] + 1\n    i = 1 - i\nmove go: bump(i)",
        # the same argument, one call deeper
        "effect bump(k: 0..1):\n    i = 1 - i\n    v[k] = v[i] + 1\n    i = 1 - i\n"
        "effect twice(k: 0..1): bump(k)\nmove go: twice(i)",
        # an argument that reads the position through a def
        "def here: i\neffect bump(k: 0..1):\n    i = 1 - i\n    v[k] = v[here] + 1\n    i = 1 - i\n"
        "move go: bump(here)",
        # v[t] was 0 for another t: with v=[0 1] and i=0 the move changes nothing
        "move go:\n    let t: 0..1 = i\n    if v[t] == 0:\n"
        "        for k in 0..0: t = 1 - t\n        v[t] = 1\n    else:\n        v[t] += 1",
        "move go:\n    let t: 0..1 = i\n    if v[t] == 0:\n"
        "        if i == 0: t = 1\n        v[t] = 1\n    else:\n        v[t] += 1",
    ],
)
def test_a_name_means_what_it_meant_when_it_was_given(moves: str) -> None:
    assert not loads(COUNTERS.format(moves=moves), engine="reference").traits.acyclic


@pytest.mark.parametrize(
    "moves",
    [
        "effect bump(k: 0..1):\n    i = 1 - i\n    v[k] = v[k] + 1\nmove go: bump(i)",
        "effect bump(k: 0..1): v[k] += 1\nmove go: bump(i)",
    ],
)
def test_an_argument_is_the_same_place_all_through_the_effect(moves: str) -> None:
    assert loads(COUNTERS.format(moves=moves), engine="reference").traits.acyclic
