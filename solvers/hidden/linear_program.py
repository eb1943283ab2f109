"""The linear program of the sequence form, as a sparse matrix; what it says is in `sequence_form.py`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvers.hidden.sequences import SequenceForm


class Program(NamedTuple):
    """The linear program: maximise column `objective`; columns are x, then q; rows first the inequalities."""

    rows: Any  # i64[entries]
    columns: Any  # i64[entries]
    values: Any  # f64[entries]
    inequalities: int  # rows that are >= 0; then one that is 1, then those that are 0
    height: int
    width: int
    objective: int


def program(form: SequenceForm) -> Program:
    """The linear program of the first player."""
    middle, sets = int(form.start[1]), int(form.sets[1])
    other = form.sequences - middle
    entries: list[tuple[Any, Any, Any]] = []
    count = int(form.row[middle])
    own = np.repeat(np.arange(middle), np.diff(form.row[: middle + 1]))
    entries.append((form.others[:count, 0] - middle, own, form.pays[:count]))
    entries.append((np.array([0]), np.array([middle]), np.array([-1.0])))
    for first, moves, parent, of_other in (
        (form.first[sets:] - middle, form.moves[sets:], form.parent[sets:] - middle, True),
        (form.first[:sets], form.moves[:sets], form.parent[:sets], False),
    ):
        number = np.arange(len(first))
        sequence = np.repeat(first - np.cumsum(moves) + moves, moves) + np.arange(int(moves.sum()))
        its_set = np.repeat(number, moves)
        if of_other:
            entries.append((sequence, middle + 1 + its_set, -np.ones(len(sequence))))
            entries.append((parent, middle + 1 + number, np.ones(len(number))))
        else:
            entries.append((other + 1 + its_set, sequence, np.ones(len(sequence))))
            entries.append((other + 1 + number, parent, -np.ones(len(number))))
    entries.append((np.array([other]), np.array([0]), np.array([1.0])))
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    width = middle + 1 + form.information_sets - sets
    return Program(rows, columns, values, other, other + 1 + sets, width, middle)
