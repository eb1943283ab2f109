"""The independent program for amazons on the smallest board, from which the expectations of the file are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

SIZE = 4
DIRECTIONS = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc]

Square = tuple[int, int]
Squares = frozenset[Square]
State = tuple[Squares, Squares, Squares]  # the queens of the player to move, those of the other, the arrows
START: State = (
    frozenset({(0, 1), (0, 2), (1, 0), (1, 3)}),
    frozenset({(3, 1), (3, 2), (2, 0), (2, 3)}),
    frozenset(),
)


def flights(start: Square, blocked: Squares) -> Iterator[Square]:
    for dr, dc in DIRECTIONS:
        row, col = start[0] + dr, start[1] + dc
        while 0 <= row < SIZE and 0 <= col < SIZE and (row, col) not in blocked:
            yield row, col
            row, col = row + dr, col + dc


def following(state: State) -> list[State]:
    own, other, arrows = state
    found = []
    for queen in own:
        rest = own - {queen}
        for to in flights(queen, own | other | arrows):
            for target in flights(to, rest | other | arrows):
                found.append((other, rest | {to}, arrows | {target}))
    return found


@cache
def wins(state: State) -> bool:
    """Whether the player to move wins."""
    return any(not wins(successor) for successor in following(state))


def oracle_perft(depth: int) -> int:
    layer = {START: 1}
    for _ in range(depth):
        next_layer: dict[State, int] = {}
        for state, count in layer.items():
            for successor in following(state):
                next_layer[successor] = next_layer.get(successor, 0) + count
        layer = next_layer
    return sum(layer.values())


def test_the_program_says_what_the_file_expects() -> None:
    assert [oracle_perft(depth) for depth in (1, 2, 3)] == [88, 4336, 139500]


@pytest.mark.slow
def test_the_first_player_loses_on_the_smallest_board() -> None:
    assert not wins(START)
