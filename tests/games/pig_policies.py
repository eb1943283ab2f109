"""Pig against somebody who holds at n points, worked out turn by turn: an independent program.

A is what the best player wins with at the start of an own turn, B at the start of the other's turn; both by
the scores. A turn of the other is a distribution over what it banks. A(i, j) and B(i, j) depend on each
other, since both may roll a 1 at once; all else is known when scores are gone through from the top.
"""

from __future__ import annotations

from functools import cache


def turn(goal: int, n: int, score: int) -> dict[int, float]:
    """How probably a player who holds at n banks how much in a turn."""
    found: dict[int, float] = {}

    def go(pot: int, p: float) -> None:
        if pot and (pot >= n or score + pot >= goal):
            found[pot] = found.get(pot, 0) + p
            return
        found[0] = found.get(0, 0) + p / 6
        for face in range(2, 7):
            go_later[pot + face] = go_later.get(pot + face, 0) + p / 6

    go_later = {0: 1.0}
    while go_later:
        pot = min(go_later)
        go(pot, go_later.pop(pot))
    return found


def best_against_holding(goal: int, n: int) -> tuple[float, float]:
    """The probability that the best player wins, moving first and moving second."""
    turns = cache(lambda j: turn(goal, n, j))
    a: dict[tuple[int, int], float] = {}
    b: dict[tuple[int, int], float] = {}
    for total in range(2 * goal - 2, -1, -1):
        for i in range(max(0, total - goal + 1), min(goal, total + 1)):
            j = total - i
            banks = turns(j)
            sure = sum(p * a[i, j + k] for k, p in banks.items() if k and j + k < goal)
            mine = 0.5
            for _ in range(200):
                theirs = sure + banks[0] * mine
                better = _turn_value(goal, i, j, b, theirs)
                if abs(better - mine) < 1e-15:
                    break
                mine = better
            a[i, j], b[i, j] = mine, sure + banks[0] * mine
    return a[0, 0], b[0, 0]


def _turn_value(goal: int, i: int, j: int, b: dict[tuple[int, int], float], after_nothing: float) -> float:
    """What a turn is worth if a 1 is worth `after_nothing`: f[k] with k points in the pot."""
    f = [1.0] * (goal - i + 7)  # from the goal on it is won
    for k in range(goal - i - 1, -1, -1):
        roll = (after_nothing + f[k + 2] + f[k + 3] + f[k + 4] + f[k + 5] + f[k + 6]) / 6
        f[k] = max(roll, b[i + k, j]) if k else roll
    return f[0]


def both_hold(goal: int, n: int, m: int) -> float:
    """The probability that the first player wins, who holds at n, against one who holds at m."""
    first, second = cache(lambda i: turn(goal, n, i)), cache(lambda j: turn(goal, m, j))
    a: dict[tuple[int, int], float] = {}
    for total in range(2 * goal - 2, -1, -1):
        for i in range(max(0, total - goal + 1), min(goal, total + 1)):
            j = total - i
            fixed, same = 0.0, 0.0
            for k, p in first(i).items():
                if i + k >= goal:
                    fixed += p
                    continue
                for other, q in second(j).items():
                    if j + other >= goal:
                        continue
                    if k or other:
                        fixed += p * q * a[i + k, j + other]
                    else:
                        same += p * q
            a[i, j] = fixed / (1 - same)
    return a[0, 0]
