"""Which best moves are told apart in a map: as few kinds as can be read, each with a letter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gdl.draw.plots.plot import Cell, Map

MOST = 8
"""So many kinds can be told apart in a picture."""

ENDS = {1.0: "won by the player to move", 0.0: "drawn", -1.0: "lost"}
OTHERS = "others"
DEPENDS = "depends on more"


@dataclass(frozen=True, slots=True)
class Kinds:
    """Names of kinds with their letters, and the kind of each cell (-1: no move is best)."""

    names: tuple[str, ...]
    letters: tuple[str, ...]
    of: tuple[int, ...]
    numbers: tuple[tuple[int, ...], ...] | None = None  # of each cell, where moves differ by a number alone


def kinds_of(drawn: Map) -> Kinds:
    """The kinds of a map of best moves: the moves that tie, or only their names where those are many."""
    moves = [cell.moves for cell in drawn.cells]
    numbers = _numbers(moves) if len({m for each in moves for m in each}) > MOST else None
    full = [_label(cell, cell.moves) for cell in drawn.cells]
    if len(set(filter(None, full))) > MOST:
        full = [_label(cell, tuple(dict.fromkeys(map(head, cell.moves)))) for cell in drawn.cells]
        if len(set(filter(None, full))) == 1 and numbers is None:
            full = _decided(drawn.cells) or full  # one name for all moves says nothing
    count = Counter(label for label in full if label)
    names = [name for name in dict.fromkeys(full) if name]
    if len(names) > MOST:
        kept = {name for name, _ in count.most_common(MOST - 1)}
        full = [label if not label or label in kept else OTHERS for label in full]
        names = [*(name for name in names if name in kept), OTHERS]
    names.sort(key=lambda name: (name in (OTHERS, DEPENDS), " or " in name))
    place = {name: k for k, name in enumerate(names)}
    return Kinds(
        tuple(names), _letters(names), tuple(place[label] if label else -1 for label in full), numbers
    )


def _decided(cells: Sequence[Cell]) -> list[str]:
    """Whether each cell is won, drawn or lost for the player to move; nothing where it is not decided."""
    if any(cell.value is None or round(cell.value, 9) not in ENDS for cell in cells):
        return []
    return [ENDS[round(cell.value or 0.0, 9)] if cell.moves else "" for cell in cells]


def head(move: str) -> str:
    """`stake` of `stake(5)`."""
    return move.partition("(")[0]


def _label(cell: Cell, moves: Sequence[str]) -> str:
    return DEPENDS if cell.mixed else " or ".join(moves)


def _numbers(moves: Sequence[tuple[str, ...]]) -> tuple[tuple[int, ...], ...] | None:
    """The arguments of moves that are all of one name with one number."""
    found = []
    heads: set[str] = set()
    for each in moves:
        parsed = [re.fullmatch(r"(\w+)\((-?\d+)\)", move) for move in each]
        if any(one is None for one in parsed):
            return None
        heads.update(one[1] for one in parsed if one)
        found.append(tuple(int(one[2]) for one in parsed if one))
    return tuple(found) if len(heads) == 1 else None


def _letters(names: Sequence[str]) -> tuple[str, ...]:
    """A letter for each kind: the first of its name that is still free, or else a digit."""
    taken: list[str] = []
    for name in names:
        if name in (OTHERS, DEPENDS):
            taken.append("?" if name == DEPENDS else "*")
            continue
        if " or " in name and "=" not in taken:
            taken.append("=")
            continue
        wanted = [letter.upper() for letter in re.sub(r"\W|_", "", name)]
        arguments = re.search(r"\((\w)", name)
        if arguments:  # `go(north)` beside `go(east)`: N and E
            wanted.insert(0, arguments[1].upper())
        free = (letter for letter in [*wanted, *"123456789"] if letter not in taken)
        taken.append(next(free, "+"))
    return tuple(taken)
