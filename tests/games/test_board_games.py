"""Sim, Lines of Action, Einstein würfelt nicht, Oware and Quoridor against independent programs.

Each is written from the rules in other terms than the game file: masks of lines, sets of men, tuples of
houses, sets of edges that walls close; values by their own theory: plain recursion, or what can be forced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from gdl.exploration import perft
from gdl.game import Game
from gdl.loading import load
from gdl.solving import solve

GAMES = Path(__file__).parents[2] / "games"


def game(name: str, **params: int | str) -> Game[Any, Any]:
    return load(GAMES / f"{name}.gdl", **params)


def count(moves: Callable[[Any], list[Any]], position: Any, depth: int) -> int:
    """Plays of so many moves; `moves` gives the positions that follow, none at the end."""
    following = moves(position)
    return len(following) if depth == 1 else sum(count(moves, after, depth - 1) for after in following)


def forced(edges: dict[Any, list[Any]], mover: Callable[[Any], int], player: int, goal: set[Any]) -> set[Any]:
    """The positions from which a player can force play into a set: added until nothing is."""
    back: dict[Any, list[Any]] = {}
    for here, there in edges.items():
        for after in there:
            back.setdefault(after, []).append(here)
    found, waiting = set(goal), list(goal)
    left = {here: len(there) for here, there in edges.items()}
    while waiting:
        for here in back.get(waiting.pop(), []):
            left[here] -= 1
            if here not in found and (mover(here) == player or left[here] == 0):
                found.add(here)
                waiting.append(here)
    return found


# ---------------------------------------------------------------------------------------- Sim


def sim(points: int) -> int:
    lines = list(combinations(range(points), 2))
    triangles = [
        sum(1 << lines.index(pair) for pair in combinations(corners, 2))
        for corners in combinations(range(points), 3)
    ]

    @cache
    def value(mine: int, yours: int) -> int:
        """To the player to move, after the other has drawn."""
        if any(yours & t == t for t in triangles):
            return 1
        free = [1 << k for k in range(len(lines)) if not (mine | yours) >> k & 1]
        return max((-value(yours, mine | line) for line in free), default=0)

    return value(0, 0)


@pytest.mark.parametrize("points", [3, 4])
def test_sim(points: int) -> None:
    assert solve(game("sim", points=points)).value == sim(points)


def test_sim_with_five_points_is_a_draw() -> None:
    assert sim(5) == 0


# --------------------------------------------------------------------------- Lines of Action

AROUND = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c]


def loa_start(size: int) -> tuple[frozenset[Any], frozenset[Any]]:
    middle = range(1, size - 1)
    return (
        frozenset((r, i) for r in (0, size - 1) for i in middle),
        frozenset((i, c) for c in (0, size - 1) for i in middle),
    )


def loa_grouped(men: frozenset[Any]) -> bool:
    waiting = [next(iter(men))]
    seen = set(waiting)
    while waiting:
        r, c = waiting.pop()
        new = {(r + a, c + b) for a, b in AROUND} & men - seen
        seen |= new
        waiting += new
    return len(seen) == len(men)


def loa_moves(size: int) -> Callable[[Any], list[Any]]:
    def moves(position: Any) -> list[Any]:
        mine, yours = position
        if loa_grouped(mine) or loa_grouped(yours):
            return []
        both, found = mine | yours, []
        for r, c in mine:
            for a, b in AROUND:
                far = sum((r + k * a, c + k * b) in both for k in range(-size, size + 1))
                to = (r + far * a, c + far * b)
                way = [(r + k * a, c + k * b) for k in range(1, far)]
                if all(0 <= x < size for x in to) and to not in mine and not yours & set(way):
                    found.append((yours - {to}, mine - {(r, c)} | {to}))
        return found

    return moves


@pytest.mark.parametrize(("size", "depth"), [(8, 2), (5, 4)])
def test_lines_of_action(size: int, depth: int) -> None:
    expected = count(loa_moves(size), loa_start(size), depth)
    assert perft(game("lines_of_action", size=size), depth) == expected


# ------------------------------------------------------------------------------------ Einstein


def einstein(size: int, rows: int) -> Fraction:
    """The value before the first roll; a side is where its stones stand, counted from its own corner."""
    corner = tuple((i, k) for i in range(rows) for k in range(rows) if i + k < rows)
    stones = len(corner)

    def across(cell: Any) -> Any:
        return None if cell is None else (size - 1 - cell[0], size - 1 - cell[1])

    def chosen(mine: Any, die: int) -> Iterator[int]:
        if mine[die] is not None:
            yield die
            return
        for line in (range(die - 1, -1, -1), range(die + 1, stones)):
            yield from [s for s in line if mine[s] is not None][:1]

    @cache
    def value(mine: Any, yours: Any) -> Fraction:
        """To the player who rolls now."""
        if not any(mine) or (size - 1, size - 1) in yours:
            return Fraction(-1)
        total = Fraction(0)
        for die in range(stones):
            best = Fraction(-1)
            for s in chosen(mine, die):
                for step in ((0, 1), (1, 0), (1, 1)):
                    to = (mine[s][0] + step[0], mine[s][1] + step[1])
                    if max(to) == size:
                        continue
                    me = tuple(to if t == s else None if m == to else m for t, m in enumerate(mine))
                    you = tuple(None if across(m) == to else m for m in yours)
                    best = max(best, -value(you, me))
            total += best
        return total / stones

    return value(corner, corner)


def test_einstein() -> None:
    assert abs(float(solve(game("einstein", size=3, rows=2)).value) - float(einstein(3, 2))) < 1e-9


# --------------------------------------------------------------------------------------- Oware


def oware_moves(position: Any) -> list[tuple[Any, int]]:
    """What follows, seen by the other, with the seeds captured. The first houses are the mover's."""
    half = len(position) // 2
    found = []
    for house in range(half):
        if not position[house]:
            continue
        board = list(position)
        hand, board[house], at = board[house], 0, house
        while hand:
            at = (at + 1) % len(board)
            if at != house:
                board[at] += 1
                hand -= 1
        taken = []
        while at >= half and board[at] in (2, 3):
            taken.append(at)
            at -= 1
        captured = sum(board[k] for k in taken)
        if captured == sum(board[half:]):
            captured, taken = 0, []
        for k in taken:
            board[k] = 0
        found.append((tuple(board[half:] + board[:half]), captured))
    feeding = [(board, captured) for board, captured in found if any(board[:half])]
    return feeding or found


def oware(houses: int, seeds: int) -> int:
    """What the player to move wins, by the seeds that are left: for each number, where it can be forced."""
    values: dict[Any, int] = {}

    def reached(start: Any) -> dict[Any, list[tuple[Any, int]]]:
        """The positions with as many seeds as the start, and what follows."""
        found: dict[Any, list[tuple[Any, int]]] = {}
        waiting = [start]
        while waiting:
            here = waiting.pop()
            if here in found:
                continue
            found[here] = oware_moves(here) if any(here[:houses]) else []
            waiting += [after for after, captured in found[here] if not captured]
        return found

    def settle(start: Any) -> None:
        layer = {k: v for k, v in reached(start).items() if k not in values}
        for follows in list(layer.values()):
            for after, captured in follows:
                if captured and after not in values:
                    settle(after)
        # Either side may be to move: a node is a board and who wants the amount, 0 the mover, 1 the other.
        total = sum(start)
        edges: dict[Any, list[Any]] = {}
        worth: dict[Any, int] = {}
        for here, follows in layer.items():
            for who in (0, 1):
                edges[here, who] = []
                if not follows:
                    worth[here, who] = -sum(here) if who == 0 else sum(here)
                for number, (after, captured) in enumerate(follows):
                    if captured or after in values:
                        leaf = ("leaf", here, who, number)
                        gain = captured - values[after]
                        worth[leaf] = gain if who == 0 else -gain
                        edges[here, who].append(leaf)
                    else:
                        edges[here, who].append((after, 1 - who))
        known = dict.fromkeys(layer, 0)
        for amount in range(1, total + 1):
            for sign in (1, -1):
                # The one who wants more than 0 must force an end; the other must not be able to.
                player = 0 if sign == 1 else 1
                goal = {node for node, paid in worth.items() if sign * paid >= amount}
                won = forced(edges, lambda node: node[1] if node[0] != "leaf" else 2, player, goal)
                for here in layer:
                    if (here, 0) in won:
                        known[here] = sign * amount
        values.update(known)

    start = (seeds,) * (2 * houses)
    settle(start)
    return values[start]


@pytest.mark.parametrize(("houses", "seeds"), [(2, 1), (2, 2), (3, 1)])
def test_oware(houses: int, seeds: int) -> None:
    assert solve(game("oware", houses=houses, seeds=seeds, longest="none")).value == oware(houses, seeds)


def test_oware_counts() -> None:
    def moves(position: Any) -> list[Any]:
        return [after for after, _ in oware_moves(position)] if any(position[:6]) else []

    assert perft(game("oware"), 4) == count(moves, (4,) * 12, 4)


# ------------------------------------------------------------------------------------ Quoridor


def quoridor_moves(size: int) -> Callable[[Any], list[Any]]:
    """A position: both pawns (the mover's first), walls left, walls, and which row the mover wants."""

    def closed(walls: Any) -> set[Any]:
        """The pairs of squares between which a wall stands."""
        edges = set()
        for r, c, way in walls:
            for k in (0, 1):
                edges.add(((r, c + k), (r + 1, c + k)) if way == "-" else ((r + k, c), (r + k, c + 1)))
        return edges | {(b, a) for a, b in edges}

    def around(cell: Any, shut: set[Any]) -> list[Any]:
        r, c = cell
        cells = [(r + 1, c), (r, c + 1), (r - 1, c), (r, c - 1)]
        return [n for n in cells if all(0 <= x < size for x in n) and (cell, n) not in shut]

    def gets_there(cell: Any, row: int, shut: set[Any]) -> bool:
        seen, waiting = {cell}, [cell]
        while waiting:
            new = [n for n in around(waiting.pop(), shut) if n not in seen]
            seen |= set(new)
            waiting += new
        return any(r == row for r, _ in seen)

    def moves(position: Any) -> list[Any]:
        me, you, mine, yours, walls, row = position
        if you[0] == size - 1 - row or me[0] == row:
            return []
        shut = closed(walls)
        targets = set()
        for n in around(me, shut):
            if n != you:
                targets.add(n)
                continue
            behind = (2 * n[0] - me[0], 2 * n[1] - me[1])
            beyond = around(n, shut)
            targets |= {behind} if behind in beyond else {b for b in beyond if b != me}
        found = [(you, to, yours, mine, walls, size - 1 - row) for to in targets]
        for r in range(size - 1) if mine else ():
            for c in range(size - 1):
                for way, (dr, dc) in (("-", (0, 1)), ("|", (1, 0))):
                    near = {(r, c, "-"), (r, c, "|"), (r + dr, c + dc, way), (r - dr, c - dc, way)}
                    more = walls | {(r, c, way)}
                    if near & walls:
                        continue
                    shut = closed(more)
                    if gets_there(me, row, shut) and gets_there(you, size - 1 - row, shut):
                        found.append((you, me, yours, mine - 1, more, size - 1 - row))
        return found

    return moves


def quoridor_start(size: int, walls: int) -> Any:
    return (0, size // 2), (size - 1, size // 2), walls, walls, frozenset(), size - 1


def quoridor(size: int, walls: int) -> int:
    moves, start = quoridor_moves(size), quoridor_start(size, walls)
    edges: dict[Any, list[Any]] = {}
    waiting = [start]
    while waiting:
        here = waiting.pop()
        if here not in edges:
            edges[here] = moves(here)
            waiting += edges[here]
    for sign, far in ((1, size - 1), (-1, 0)):
        # After a move onto the far side the other is to move, and nothing follows.
        goal = {p for p in edges if p[1][0] == far and p[5] != far}
        player = 1 if sign == 1 else -1
        if start in forced(edges, lambda p: 1 if p[5] == size - 1 else -1, player, goal):
            return sign
    return 0


def test_quoridor() -> None:
    assert solve(game("quoridor", size=3, walls=1)).value == quoridor(3, 1)
    assert perft(game("quoridor", size=5), 2) == count(quoridor_moves(5), quoridor_start(5, 2), 2)
