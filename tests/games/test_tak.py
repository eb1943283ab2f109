"""Tak against an independent program, which knows a stack as a word, and a move by the board behind it.

Stones are letters, W and B: in a word the last lies on top, and `|` or `^` behind it makes it a wall or a
capstone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gdl

GAME = Path(__file__).parents[2] / "games" / "tak.gdl"
WAYS = {"north": (1, 0), "east": (0, 1), "south": (-1, 0), "west": (0, -1)}
Board = dict[tuple[int, int], str]


def fills(total: int, squares: int) -> Iterator[tuple[int, ...]]:
    """The ways to drop so many stones on so many squares, at least one on each."""
    if squares == 1:
        yield (total,)
    for first in range(1, total - squares + 2):
        if squares > 1:
            yield from ((first, *rest) for rest in fills(total - first, squares - 1))


class Tak:
    def __init__(self, size: int):
        self.size = size
        self.board: Board = {(r, c): "" for r in range(size) for c in range(size)}
        flats, caps = {3: (10, 0), 4: (15, 0), 5: (21, 1)}[size]
        self.flats, self.caps = {"W": flats, "B": flats}, {"W": caps, "B": caps}
        self.turns = 0

    def mover(self) -> str:
        return "WB"[self.turns % 2]

    def name(self, cell: tuple[int, int]) -> str:
        return f"{'abcde'[cell[1]]}{cell[0] + 1}"

    def moves(self) -> dict[str, tuple[Board, str]]:
        """The boards that moves lead to, and what is taken from the supply: the stone and its kind."""
        me, found = self.mover(), {}
        for cell, stack in self.board.items():
            if not stack:
                stone = me if self.turns > 1 else "BW"[self.turns]
                kinds = ["", "|", "^"] if self.turns > 1 else [""]
                for kind in kinds:
                    if (self.caps if kind == "^" else self.flats)[stone]:
                        name = {"": "", "|": "S", "^": "C"}[kind] + self.name(cell)
                        found[name] = (self.board | {cell: stone + kind}, stone + kind)
            elif self.turns > 1 and stack.rstrip("|^")[-1] == me:
                found |= {name: (board, "") for name, board in self.slides(cell, stack)}
        return found

    def slides(self, cell: tuple[int, int], stack: str) -> Iterator[tuple[str, Board]]:
        mark = stack[-1] if stack[-1] in "|^" else ""
        stones = stack.rstrip("|^")
        for way, (dr, dc) in WAYS.items():
            for taken in range(1, min(self.size, len(stones)) + 1):
                for squares in range(1, self.size):
                    path = [(cell[0] + i * dr, cell[1] + i * dc) for i in range(1, squares + 1)]
                    if not all(place in self.board for place in path):
                        continue
                    for drops in fills(taken, squares):
                        marks = [self.board[place][-1:] for place in path]
                        crushed = marks[-1] == "|" and mark == "^" and drops[-1] == 1
                        if "^" in marks or "|" in marks[:-1] or (marks[-1] == "|" and not crushed):
                            continue
                        after, hand = dict(self.board), stones[-taken:]
                        after[cell] = stones[:-taken]
                        for place, n in zip(path, drops, strict=True):
                            after[place] = after[place].rstrip("|") + hand[:n]
                            hand = hand[n:]
                        after[path[-1]] += mark
                        yield f"{self.name(cell)}-{way}-{''.join(map(str, drops)):0<4}", after

    def play(self, board: Board, laid: str) -> None:
        self.board = board
        self.turns += 1
        if laid:
            (self.caps if laid[-1] == "^" else self.flats)[laid[0]] -= 1

    def road(self, stone: str) -> bool:
        paved = {
            cell
            for cell, stack in self.board.items()
            if stack and stack[-1] != "|" and stack.rstrip("^")[-1] == stone
        }
        for axis in (0, 1):
            reached = [cell for cell in paved if cell[axis] == 0]
            for r, c in reached:
                beside = [(r + dr, c + dc) for dr, dc in WAYS.values()]
                reached += [cell for cell in beside if cell in paved and cell not in reached]
            if any(cell[axis] == self.size - 1 for cell in reached):
                return True
        return False

    def result(self) -> int | None:
        """What white gets if the game is over."""
        last = "BW"[self.turns % 2]
        for stone in (last, self.mover()):
            if self.road(stone):
                return 1 if stone == "W" else -1
        if all(self.board.values()) or any(self.flats[s] + self.caps[s] == 0 for s in "WB"):
            tops = [stack[-1] for stack in self.board.values() if stack]
            difference = tops.count("W") - tops.count("B")
            return (difference > 0) - (difference < 0)
        return None


@pytest.mark.parametrize(
    ("size", "engine", "plays"),
    [(3, "reference", 12), (3, "native", 150), (4, "native", 60), (5, "native", 25)],
)
def test_plays_are_those_of_the_program(size: int, engine: str, plays: int) -> None:
    game: Any = gdl.load(GAME, engine=engine, size=size)
    random = Random(size)
    ends = set()
    for _ in range(plays):
        tak, position = Tak(size), game.initial()[0].position
        while (result := tak.result()) is None:
            legal = {game.format_move(move): move for move in game.moves(position)}
            moves = tak.moves()
            assert set(legal) == set(moves), tak.board
            name = random.choice(sorted(moves))
            if random.random() < 0.7:  # stones on the board make roads and fill it: most plays would be long
                name = random.choice(sorted(n for n in moves if "-" not in n))
            (outcome,) = game.outcomes(position, legal[name])
            tak.play(*moves[name])
            position = outcome.position
        assert not game.moves(position)
        assert game.utility(position)[0] == result
        ends.add(result)
    assert {1, -1} <= ends


@pytest.mark.parametrize(("depth", "count"), [(1, 87), (2, 6155)])
def test_plays_from_a_position_on_which_programs_agree(depth: int, count: int) -> None:
    """d3, c3, c4, 1d3<, 1c4-, Sc4 in the notation of tournaments."""
    game: Any = gdl.load(GAME, size=5)
    position = game.initial()[0].position
    for name in ("d3", "c3", "c4", "d3-west-1000", "c4-south-1000", "Sc4"):
        (outcome,) = game.outcomes(position, game.parse_move(position, name))
        position = outcome.position

    def plays(position: Any, depth: int) -> int:
        moves = game.moves(position)
        return (
            len(moves)
            if depth == 1
            else sum(plays(game.outcomes(position, m)[0].position, depth - 1) for m in moves)
        )

    assert plays(position, depth) == count
