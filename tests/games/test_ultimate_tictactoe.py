"""The independent program for ultimate tic-tac-toe, from which the expectations of the file are."""

from __future__ import annotations

import pytest

ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
DRAWN = 3  # a small board that is full; 0 is open, 1 and 2 are the players

Cells = tuple[int, ...]


def has_row(cells: Cells, player: int) -> bool:
    return any(all(cells[i] == player for i in row) for row in ROWS)


def perft(boards: tuple[Cells, ...], results: Cells, sent: int | None, player: int, depth: int) -> int:
    """The number of ways to go on for so many moves, `player` first, on the board that the last move says."""
    if depth == 0:
        return 1
    if has_row(results, 3 - player) or all(results):
        return 0
    total = 0
    for b in range(9) if sent is None else [sent]:
        if results[b]:
            continue
        for c in range(9):
            if boards[b][c]:
                continue
            cells = (*boards[b][:c], player, *boards[b][c + 1 :])
            result = player if has_row(cells, player) else DRAWN if all(cells) else 0
            now = (*results[:b], result, *results[b + 1 :])
            following = None if now[c] else c
            total += perft((*boards[:b], cells, *boards[b + 1 :]), now, following, 3 - player, depth - 1)
    return total


@pytest.mark.parametrize(("depth", "known"), [(1, 81), (2, 720), (3, 6336), (4, 55080)])
def test_the_program_says_what_the_file_expects(depth: int, known: int) -> None:
    assert perft(((0,) * 9,) * 9, (0,) * 9, None, 1, depth) == known
