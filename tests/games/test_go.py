"""Go on tiny boards against an independent program: rules on frozen sets of points, solved by attractors."""

from __future__ import annotations

from collections import deque
from pathlib import Path

import pytest

from gdl.exploration import count_positions, perft
from gdl.loading import load

GAME = Path(__file__).parents[2] / "games" / "go.gdl"

Point = tuple[int, int]
Stones = frozenset[Point]
State = tuple[Stones, Stones, Point | None, int, int]  # black, white, ko, passes, whose turn (0 is black)


class Oracle:
    def __init__(self, rows: int, cols: int):
        self.points = frozenset((r, c) for r in range(rows) for c in range(cols))
        self.start: State = (frozenset(), frozenset(), None, 0, 0)
        self.successors: dict[State, list[State]] = {}
        waiting: list[State] = [self.start]
        while waiting:
            state = waiting.pop()
            if state not in self.successors:
                self.successors[state] = self.moves(state)
                waiting.extend(self.successors[state])
        self.before: dict[State, list[State]] = {}
        for state, following in self.successors.items():
            for successor in following:
                self.before.setdefault(successor, []).append(state)
        self.scores = {s: self.score(s) for s, following in self.successors.items() if not following}

    def around(self, points: Stones) -> Stones:
        found = {(r + dr, c + dc) for r, c in points for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0))}
        return (self.points & found) - points

    def group(self, point: Point, stones: Stones) -> Stones:
        group = frozenset({point})
        while more := self.around(group) & stones:
            group |= more
        return group

    def moves(self, state: State) -> list[State]:
        black, white, ko, passes, turn = state
        if passes == 2:
            return []
        found: list[State] = [(black, white, None, passes + 1, 1 - turn)]
        for point in self.points - black - white - {ko}:
            own, other = (white, black)[1 - turn] | {point}, (white, black)[turn]
            taken: Stones = frozenset()
            for neighbour in self.around(frozenset({point})) & other:
                group = self.group(neighbour, other)
                if not self.around(group) - own - other:
                    taken |= group
            other -= taken
            mine = self.group(point, own)
            liberties = self.around(mine) - own - other
            if liberties:
                fought = len(taken) == 1 and len(mine) == 1 and liberties == taken
                pair = (own, other) if turn == 0 else (other, own)
                found.append((*pair, next(iter(taken)) if fought else None, 0, 1 - turn))
        return found

    def score(self, state: State) -> int:
        black, white = state[:2]
        empty = self.points - black - white
        total = len(black) - len(white)
        while empty:
            region = self.group(next(iter(empty)), empty)
            empty -= region
            borders = self.around(region)
            total += len(region) * (bool(borders & black) - bool(borders & white))
        return total

    def value(self) -> int:
        """With best play; a play that never ends counts 0."""
        size = len(self.points)
        return max(value for value in range(-size, size + 1) if self.black_gets(value))

    def black_gets(self, amount: int) -> bool:
        """Whether black can make sure of so much: more than 0 must be forced, the rest white must refute."""
        forcing = 0 if amount > 0 else 1
        goal = {state for state, score in self.scores.items() if (score >= amount) == (forcing == 0)}
        return (self.start in self.attractor(goal, forcing)) == (forcing == 0)

    def attractor(self, goal: set[State], player: int) -> set[State]:
        """Where the player can force the play into the goal."""
        left = {state: len(following) for state, following in self.successors.items()}
        found, waiting = set(goal), deque(goal)
        while waiting:
            for state in self.before.get(waiting.popleft(), ()):
                left[state] -= 1
                if state not in found and (state[4] == player or left[state] == 0):
                    found.add(state)
                    waiting.append(state)
        return found

    def perft(self, depth: int) -> int:
        layer = {self.start: 1}
        for _ in range(depth):
            following: dict[State, int] = {}
            for state, count in layer.items():
                for successor in self.successors[state]:
                    following[successor] = following.get(successor, 0) + count
            layer = following
        return sum(layer.values())


@pytest.mark.parametrize(("rows", "cols", "value"), [(1, 1, 0), (1, 2, 0), (1, 3, 3), (1, 4, 4), (2, 2, 0)])
def test_the_oracle_says_what_the_file_expects(rows: int, cols: int, value: int) -> None:
    assert Oracle(rows, cols).value() == value


@pytest.mark.parametrize(("rows", "cols"), [(1, 3), (1, 5), (2, 2), (2, 3)])
def test_positions_and_plays_are_as_many(rows: int, cols: int) -> None:
    oracle, game = Oracle(rows, cols), load(GAME, rows=rows, cols=cols, engine="reference")
    assert count_positions(game) == len(oracle.successors)
    assert [perft(game, depth) for depth in (3, 5, 7)] == [oracle.perft(depth) for depth in (3, 5, 7)]
