"""A vertex of the linear program in fractions: which unknowns are 0 and which inequalities are tight is
known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction

from solvers.core.refusal import cannot_go_on
from solvers.hidden.game_tree import GameTree, Node
from solvers.hidden.linear_program import Program
from solvers.hidden.sequences import SequenceForm

Row = dict[int, Fraction]


def payments(tree: GameTree, form: SequenceForm) -> dict[tuple[int, int], Fraction]:
    """What the first player is paid, times the probability of chance, by the sequences of both (from 0
    each)."""
    first = [int(form.first[number]) for number in range(form.information_sets)]
    middle, sets = int(form.start[1]), int(form.sets[1])
    found: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    waiting: list[tuple[Node, int, int, Fraction]] = [(tree.root, 0, 0, Fraction(1))]
    while waiting:
        node, own, other, weight = waiting.pop()
        if node.payoff:
            found[own, other] += weight * Fraction(node.payoff[0])
        for place, after in enumerate(node.after):
            if node.information is None:
                odds = Fraction(node.odds[place]) if node.odds else Fraction(1)
                waiting.append((after, own, other, weight * odds))
            elif node.information.player == 0:
                waiting.append((after, first[node.information.number] + place, other, weight))
            else:
                move = first[sets + node.information.number] - middle + place
                waiting.append((after, own, move, weight))
    return found


def solve_exactly(
    made: Program,
    paid: Mapping[tuple[int, int], Fraction],
    basic: Sequence[bool],
    tight: Sequence[bool],
) -> tuple[list[Fraction], list[Fraction]]:
    """The unknowns at the vertex, and the multipliers of the rows.

    The tight rows determine the basic unknowns, all others are 0; the basic unknowns' columns determine the
    multipliers of the tight rows, all others are 0.
    """
    entries: dict[tuple[int, int], Fraction] = {
        (row, column): Fraction(int(value))
        for row, column, value in zip(
            made.rows.tolist(), made.columns.tolist(), made.values.tolist(), strict=True
        )
        if column >= made.objective or row >= made.inequalities
    }
    entries |= {(other, own): value for (own, other), value in paid.items()}
    unknowns = [column for column in range(made.width) if basic[column]]
    rows = [row for row in range(made.height) if tight[row]]
    by_row: dict[int, Row] = {row: {} for row in rows}
    by_column: dict[int, Row] = {column: {} for column in unknowns}
    for (row, column), value in entries.items():
        if value and row in by_row and column in by_column:
            by_row[row][column] = value
            by_column[column][row] = value
    right = {row: Fraction(int(row == made.inequalities)) for row in rows}
    cost = {column: Fraction(int(column == made.objective)) for column in unknowns}
    plan, multipliers = solved(by_row, right), solved(by_column, cost)
    return (
        [plan.get(column, Fraction(0)) for column in range(made.width)],
        [multipliers.get(row, Fraction(0)) for row in range(made.height)],
    )


def solved(rows: dict[int, Row], right: dict[int, Fraction]) -> dict[int, Fraction]:
    """The solution of sparse equations by elimination, always with a row that has the fewest entries.

    >>> one = Fraction(1)
    >>> solved({0: {0: one, 1: one}, 1: {1: 2 * one}}, {0: one, 1: one})
    {0: Fraction(1, 2), 1: Fraction(1, 2)}
    """
    holds: dict[int, set[int]] = defaultdict(set)
    for number, row in rows.items():
        for column in row:
            holds[column].add(number)
    order = []
    left = set(rows)
    while left:
        number = min(left, key=lambda one: (len(rows[one]), one))
        row = rows[number]
        if not row:
            raise cannot_go_on("the vertex of the linear program is not determined in fractions.")
        pivot = min(row, key=lambda column: (len(holds[column]), column))
        left.discard(number)
        order.append((number, pivot))
        for other in list(holds[pivot] & left):
            changed = rows[other]
            factor = changed[pivot] / row[pivot]
            for column, value in row.items():
                new = changed.get(column, Fraction(0)) - factor * value
                if new:
                    changed[column] = new
                    holds[column].add(other)
                elif column in changed:
                    del changed[column]
                    holds[column].discard(other)
            right[other] -= factor * right[number]
    found: dict[int, Fraction] = {}
    for number, pivot in reversed(order):
        row = rows[number]
        rest = sum((value * found[column] for column, value in row.items() if column != pivot), Fraction(0))
        found[pivot] = (right[number] - rest) / row[pivot]
    return dict(sorted(found.items()))
