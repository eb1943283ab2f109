"""2048 alone, straight in numba: the same tables and the same learning as `gdl learn 2048`, and nothing else.

The yardstick of `benchmarks/learning.py speed`: what the generic learner loses by knowing the game as data.
"""

from __future__ import annotations

from time import process_time
from typing import Any

import numba
import numpy as np

njit: Any = numba.njit(cache=True)
GOAL = 11


def groups() -> tuple[Any, Any, Any]:
    """Per lookup its cells and where its table begins: 2 x 3 windows and lines of four, in all 8 images."""
    cell = np.arange(16).reshape(4, 4)
    views = []
    for k in range(4):
        views += [np.rot90(cell, k), np.rot90(cell, k)[:, ::-1]]
    shapes = [
        [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)],
        [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)],
        [(0, 0), (0, 1), (0, 2), (0, 3)],
        [(1, 0), (1, 1), (1, 2), (1, 3)],
        [(0, 0), (1, 1), (2, 2), (3, 3)],
    ]
    cells, starts, lengths, at = [], [], [], 0
    for shape in shapes:
        images = {tuple(int(view[r, c]) for r, c in shape) for view in views}
        for image in sorted(images):
            cells.append([*image, *[0] * (6 - len(image))])
            lengths.append(len(image))
            starts.append(at)
        at += (GOAL + 1) ** len(shape)
    return np.array(cells), np.array(lengths), np.array([*starts, at])


@njit
def slide(board: Any, direction: int, out: Any) -> bool:
    moved = False
    for line in range(4):
        to, last = 0, 0
        for k in range(4):
            out_k = _cell(direction, line, k)
            out[out_k] = 0
        for k in range(4):
            tile = board[_cell(direction, line, k)]
            if tile == 0:
                continue
            if last == tile:
                out[_cell(direction, line, to - 1)] = tile + 1
                last = 0
                moved = True
            else:
                out[_cell(direction, line, to)] = tile
                moved = moved or to != k
                last = tile
                to += 1
    return moved


@njit
def _cell(direction: int, line: int, k: int) -> int:
    if direction == 0:
        return 4 * k + line
    if direction == 1:
        return 4 * line + 3 - k
    if direction == 2:
        return 4 * (3 - k) + line
    return 4 * line + k


@njit
def value(board: Any, cells: Any, lengths: Any, starts: Any, weights: Any, active: Any) -> float:
    total = 0.0
    for i in range(len(lengths)):
        index = 0
        for j in range(lengths[i]):
            index = index * 12 + board[cells[i, j]]
        active[i] = starts[i] + index
        total += weights[active[i]]
    return 1 / (1 + np.exp(-total))


@njit
def appear(board: Any) -> None:
    free = 0
    for k in range(16):
        free += board[k] == 0
    n = np.random.randint(free)
    for k in range(16):
        if board[k] == 0:
            if n == 0:
                board[k] = 1 if np.random.random() < 0.9 else 2
                return
            n -= 1


@njit
def play_and_learn(
    games: int, cells: Any, lengths: Any, starts: Any, weights: Any, errors: Any, sizes: Any, rate: float
) -> int:
    boards = np.zeros((5000, 16), np.int64)
    thought = np.zeros(5000)
    active = np.zeros(len(lengths), np.int64)
    after, best = np.zeros(16, np.int64), np.zeros(16, np.int64)
    learned = 0
    for _ in range(games):
        board = np.zeros(16, np.int64)
        appear(board)
        appear(board)
        steps, end = 0, 0.0
        while steps < 5000:
            top = -1.0
            for direction in range(4):
                if slide(board, direction, after):
                    won = False
                    for k in range(16):
                        won = won or after[k] == GOAL
                    worth = 1.0 if won else value(after, cells, lengths, starts, weights, active)
                    if worth > top:
                        top = worth
                        best[:] = after
            if top < 0:
                break
            thought[steps] = top
            boards[steps] = best
            steps += 1
            board[:] = best
            if top == 1.0:
                end = 1.0
                break
            appear(board)
        target = end
        for t in range(steps - 1, -1, -1):
            if t < steps - 1 or end == 0.0:
                error = target - value(boards[t], cells, lengths, starts, weights, active)
                learned += 1
                for i in range(len(lengths)):
                    w = active[i]
                    own = abs(errors[w]) / sizes[w] if sizes[w] > 0 else 1.0
                    weights[w] += rate * error / len(lengths) * own
                    errors[w] += error
                    sizes[w] += abs(error)
            target = 0.5 * thought[t] + 0.5 * target
    return learned


def positions_per_second(seconds: float) -> float:
    cells, lengths, starts = groups()
    size = int(starts[-1])
    weights, errors, sizes = (np.zeros(size, np.float32) for _ in range(3))
    given = cells, lengths, starts, weights, errors, sizes, 3.0
    play_and_learn(1, *given)
    began, learned = process_time(), 0
    while process_time() - began < seconds:
        learned += play_and_learn(8, *given)
    return learned / (process_time() - began)
