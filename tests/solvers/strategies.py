"""Random small games for property tests: trees and graphs, with chance in both of its forms."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

from hypothesis import strategies as st

from gdl.game import CHANCE, TERMINAL
from tests.solvers.games import Node, TableGame

NUMBERS = st.integers(-4, 4).map(F)


@st.composite
def distributions(draw: Any, size: int) -> tuple[F, ...]:
    """Probabilities above 0 that sum to 1."""
    weights = draw(st.lists(st.integers(1, 4), min_size=size, max_size=size))
    return tuple(F(weight, sum(weights)) for weight in weights)


@st.composite
def acyclic_games(
    draw: Any,
    players: int = 2,
    chance: bool = True,
    rewards: bool = False,
    most: int = 14,
    discount: bool = False,
) -> TableGame:
    """Nodes that lead only to later ones; the last few are ends. Transpositions happen."""
    size = draw(st.integers(3, most))
    ends = draw(st.integers(2, max(2, size // 2)))
    nodes = []
    for i in range(size):
        if i >= size - ends:
            nodes.append(_end(draw, players))
            continue
        later = st.integers(i + 1, size - 1)
        nodes.append(_inner(draw, players, later, chance, rewards))
    factor = draw(st.sampled_from([F(1), F(9, 10), F(1, 2)])) if discount else F(1)
    return TableGame(tuple(nodes), count=players, discount=factor)


@st.composite
def cyclic_games(
    draw: Any,
    players: int = 2,
    chance: bool = True,
    most: int = 6,
    discount: bool = False,
    rewards: bool = False,
) -> TableGame:
    """Nodes that lead anywhere, so that plays may go round for ever, which pays `endless`."""
    size = draw(st.integers(2, most))
    ends = draw(st.integers(1, max(1, size // 2)))
    anywhere = st.integers(0, size - 1)
    nodes = [
        _end(draw, players)
        if i >= size - ends
        else _inner(draw, players, anywhere, chance, rewards, widest=2)
        for i in range(size)
    ]
    endless = draw(NUMBERS)
    factor = draw(st.sampled_from([F(9, 10), F(1, 2)])) if discount else F(1)
    both = (endless, -endless)[:players]
    return TableGame(tuple(nodes), count=players, endless=both, discount=factor, acyclic=False)


def _end(draw: Any, players: int) -> Node:
    if players > 2:
        return Node(TERMINAL, utility=tuple(draw(NUMBERS) for _ in range(players)))
    value = draw(NUMBERS)
    return Node(TERMINAL, utility=(value, -value)[:players])


def _inner(draw: Any, players: int, targets: Any, chance: bool, rewards: bool, widest: int = 3) -> Node:
    player = draw(st.integers(-1 if chance else 0, players - 1))
    moves = []
    for _ in range(draw(st.integers(1, widest))):
        ways = draw(st.lists(targets, min_size=1, max_size=3 if chance else 1, unique=True))
        odds = draw(distributions(len(ways)))
        pay = [draw(st.integers(-2, 2).map(F)) if rewards else F(0) for _ in ways]
        moves.append(tuple(zip(odds, ways, pay, strict=True)))
    odds = draw(distributions(len(moves))) if player == CHANCE else ()
    return Node(player, tuple(moves), odds=odds)
