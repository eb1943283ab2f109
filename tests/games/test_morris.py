"""Three men's morris against an independent program: rules in plain Python, and retrograde analysis."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from gdl.exploration import count_positions, perft
from gdl.loading import load

GAME = Path(__file__).parents[2] / "games" / "three_mens_morris.gdl"
EMPTY = -1
ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

Position = tuple[tuple[int, ...], tuple[int, int], int]  # the points, the men in hand, whose turn
START: Position = ((EMPTY,) * 9, (3, 3), 0)


class Oracle:
    """All reachable positions, their successors (None at the end), and who wins them."""

    def __init__(self, hopping: bool):
        self.reach = [
            {q for row in ROWS for i in (0, 1) for q in row[i : i + 2] if p in row[i : i + 2]} - {p}
            for p in range(9)
        ]
        if hopping:
            self.reach = [set(range(9)) - {p} for p in range(9)]
        self.successors: dict[Position, list[Position] | None] = {}
        waiting = [START]
        while waiting:
            position = waiting.pop()
            if position not in self.successors:
                self.successors[position] = self._successors(position)
                waiting.extend(self.successors[position] or ())
        self.values = self._solved()

    def _successors(self, position: Position) -> list[Position] | None:
        board, hand, turn = position
        if any(all(board[p] == 1 - turn for p in row) for row in ROWS):
            return None
        found = []
        free = [p for p in range(9) if board[p] == EMPTY]
        if hand[turn]:
            left = (hand[0] - (turn == 0), hand[1] - (turn == 1))
            found = [(_with(board, {p: turn}), left, 1 - turn) for p in free]
        else:
            own = [p for p in range(9) if board[p] == turn]
            found = [
                (_with(board, {p: EMPTY, q: turn}), hand, 1 - turn)
                for p in own
                for q in free
                if q in self.reach[p]
            ]
        return found or None

    def _solved(self) -> dict[Position, int]:
        """1 where the player to move wins, -1 where the player loses; drawn positions are left out."""
        values = {position: -1 for position, following in self.successors.items() if following is None}
        before: dict[Position, list[Position]] = {}
        unsettled = Counter[Position]()
        for position, following in self.successors.items():
            for successor in following or ():
                before.setdefault(successor, []).append(position)
                unsettled[position] += 1
        settled = list(values)
        for position in settled:  # grows as it is walked
            for predecessor in before.get(position, ()):
                if predecessor in values:
                    continue
                unsettled[predecessor] -= 1
                if values[position] == -1:
                    values[predecessor] = 1
                elif unsettled[predecessor] == 0:
                    values[predecessor] = -1
                else:
                    continue
                settled.append(predecessor)
        return values

    def perft(self, depth: int) -> int:
        layer = Counter({START: 1})
        for _ in range(depth):
            following = Counter[Position]()
            for position, count in layer.items():
                for successor in self.successors[position] or ():
                    following[successor] += count
            layer = following
        return layer.total()


def _with(board: tuple[int, ...], changes: dict[int, int]) -> tuple[int, ...]:
    return tuple(changes.get(p, stands) for p, stands in enumerate(board))


@pytest.mark.parametrize(("hopping", "value", "openings"), [(False, 1, [4]), (True, 0, list(range(9)))])
def test_the_oracle_says_what_the_file_expects(hopping: bool, value: int, openings: list[int]) -> None:
    oracle = Oracle(hopping)
    assert oracle.values.get(START, 0) == value
    first = oracle.successors[START]
    assert first is not None
    assert [p for p, position in enumerate(first) if -oracle.values.get(position, 0) == value] == openings


@pytest.mark.parametrize("hopping", [False, True])
def test_positions_and_plays_are_as_many(hopping: bool) -> None:
    oracle, game = Oracle(hopping), load(GAME, hopping=hopping, engine="reference")
    assert count_positions(game) == len(oracle.successors)
    assert [perft(game, depth) for depth in (6, 7, 8)] == [oracle.perft(depth) for depth in (6, 7, 8)]
