"""Which permutations are worth trying: turns and reflections of boards, like things in another order,
players who change parts.

A candidate says what becomes of the values of each type. Whole numbers have no type of their own, so for
those that number the elements of maps it says what becomes of each *axis*: a variable and which of its
indices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, product

from gdl.model import nodes as m
from gdl.model.types import (
    Bool,
    Cells,
    Enum,
    Int,
    Part,
    Player,
    SetOf,
    Tuple,
    Type,
    Union,
    whole_of,
)
from gdl.symmetry.grounding import Atom, atoms_of
from gdl.symmetry.permutation import Permutation, Values

MOST = 400
"""Candidates that are tried."""

MOST_AUTOMORPHISMS = 200
LARGEST_GRAPH = 64


@dataclass(frozen=True)
class _Candidate:
    name: str
    types: Mapping[Type, Values] = field(default_factory=dict)  # what becomes of values, by type
    numbers: Mapping[Int, Values] = field(
        default_factory=dict
    )  # of whole numbers, on every axis of that type
    held: bool = False  # whether variables that hold such numbers change with them
    axes: Mapping[tuple[int, int], Values] = field(default_factory=dict)  # of a single axis
    exchanged: Mapping[int, tuple[int, ...]] = field(
        default_factory=dict
    )  # the axes of a variable in another order
    pairs: bool = (
        False  # whether an element of a pair of like things goes to that with them in the same order
    )


def candidates(model: m.Model) -> Iterator[Permutation]:
    """Permutations to be tried, the simplest first, each with a name."""
    atoms = atoms_of(model)
    numbered = {atom: k for k, atom in enumerate(_places(atoms))}
    seen: set[Permutation] = set()
    for candidate in _described(model):
        found = _permutation(model, atoms, numbered, candidate)
        if found is None or found.is_identity or found in seen:
            continue
        seen.add(found)
        yield found
        if len(seen) >= MOST:
            return


def _places(atoms: tuple[Atom, ...]) -> list[tuple[int, int, int]]:
    return [(atom.variable, atom.element, atom.field) for atom in atoms]


def _described(model: m.Model) -> Iterator[_Candidate]:
    boards = _wholes(model, Cells)
    axes: dict[Int, list[tuple[int, int]]] = {}
    for number, variable in enumerate(model.variables):
        for k, index in enumerate(variable.indices):
            if isinstance(index, Int) and index.size > 1:
                axes.setdefault(index, []).append((number, k))
    upside_down = {type_: tuple(reversed(range(type_.size))) for type_ in axes}
    alone = [_Candidate("")]
    turned = [
        _Candidate(f"{board}: {name}", types={board: moved})
        for board in boards
        if isinstance(board, Cells)
        for name, moved in automorphisms(board)
    ]
    swap = [_players_swapped(model)] if len(model.players.members) == 2 else []
    reversals = [
        {type_: upside_down[type_] for type_ in some}
        for count in range(min(len(axes), 3) + 1)
        for some in combinations(axes, count)
    ]
    parts: list[dict[Type, Values]] = [{}]
    parts += [{model.players: moved} for moved in swap]
    for part in parts:
        tail = ", players swapped" if part else ""
        for base, reverse in product([*alone, *turned], reversals):
            name = base.name or (" and ".join(f"{t} reversed" for t in reverse))
            yield _Candidate(name + tail if name else tail[2:], types={**base.types, **part}, numbers=reverse)
    for type_ in _wholes(model, Enum):
        if isinstance(type_, Enum) and not isinstance(type_, Player):
            for k in range(min(type_.size, 12) - 1):
                names = [type_.members[j].name for j in (k, k + 1)]
                yield _Candidate(f"{names[0]} for {names[1]}", types={type_: _transposed(type_.size, k)})
    for numbers in axes:
        for k in range(min(numbers.size, 12) - 1):
            moved = _transposed(numbers.size, k)
            name = f"{numbers.lo + k} for {numbers.lo + k + 1} of {numbers}"
            for held, pairs in product((False, True), repeat=2):
                yield _Candidate(name, numbers={numbers: moved}, held=held, pairs=pairs)
    for number, variable in enumerate(model.variables):
        for k in range(len(variable.indices) - 1):
            if variable.indices[k] == variable.indices[k + 1]:
                order = list(range(len(variable.indices)))
                order[k], order[k + 1] = order[k + 1], order[k]
                yield _Candidate(
                    f"indices {k + 1} and {k + 2} of {variable.name} exchanged",
                    exchanged={number: tuple(order)},
                )
        for k, index in enumerate(variable.indices):
            if isinstance(index, Int) and index in upside_down and len(variable.indices) > 1:
                yield _Candidate(
                    f"index {k + 1} of {variable.name} reversed", axes={(number, k): upside_down[index]}
                )


def _wholes(model: m.Model, kind: type) -> list[Type]:
    """The types of a kind that positions are made of, in order."""
    found: dict[Type, None] = {}
    for variable in model.variables:
        for type_ in [*variable.indices, variable.type]:
            for part in _made_of(type_):
                if isinstance(whole_of(part), kind):
                    found[whole_of(part)] = None
    return list(found)


def _made_of(type_: Type) -> Iterator[Type]:
    match type_:
        case Tuple():
            for part in type_.fields:
                yield from _made_of(part)
        case Union():
            for part in type_.members:
                yield from _made_of(part)
        case SetOf():
            yield from _made_of(type_.element)
        case _:
            yield type_


def _players_swapped(model: m.Model) -> Values:
    return tuple(reversed(range(len(model.players.members))))


def _transposed(size: int, k: int) -> Values:
    order = list(range(size))
    order[k], order[k + 1] = order[k + 1], order[k]
    return tuple(order)


# -------------------------------------------------------------------------- boards


def automorphisms(cells: Cells) -> Iterator[tuple[str, Values]]:
    """Turns and reflections of a board that keep neighbours neighbours, by name."""
    if cells.kind == "graph":
        yield from _of_graph(cells)
        return
    last_row, last_col = cells.rows - 1, cells.cols - 1
    ways: dict[str, Callable[[int, int], tuple[int, int]]] = {
        "columns mirrored": lambda r, c: (r, last_col - c),
        "rows mirrored": lambda r, c: (last_row - r, c),
        "half turn": lambda r, c: (last_row - r, last_col - c),
    }
    if cells.rows == cells.cols:
        ways |= {
            "mirrored in the diagonal": lambda r, c: (c, r),
            "mirrored in the other diagonal": lambda r, c: (last_col - c, last_row - r),
            "quarter turn": lambda r, c: (c, last_row - r),
            "three quarters of a turn": lambda r, c: (last_col - c, r),
        }
    near = _neighbours(cells)
    for name, way in ways.items():
        found = [cells.at(*way(*cells.place(cell))) for cell in range(cells.size)]
        if None in found:
            continue
        moved = tuple(cell for cell in found if cell is not None)
        if all({moved[k] for k in near[cell]} == near[moved[cell]] for cell in range(cells.size)):
            yield name, moved


def _neighbours(cells: Cells) -> list[set[int]]:
    if cells.kind == "graph":
        return [set(near) for near in cells.adjacent]
    found = []
    for cell in range(cells.size):
        row, col = cells.place(cell)
        around = {cells.at(row + r, col + c) for r, c in cells.offsets}
        found.append({k for k in around if k is not None})
    return found


def _of_graph(cells: Cells) -> Iterator[tuple[str, Values]]:
    """Automorphisms of a graph with its lines, found cell by cell."""
    if cells.size > LARGEST_GRAPH:
        return
    near = _neighbours(cells)
    lines = {frozenset(chain) for chain in cells.chains}
    order = _connected_order(near)
    count = 0

    def extended(k: int, moved: dict[int, int]) -> Iterator[dict[int, int]]:
        if k == len(order):
            yield dict(moved)
            return
        cell = order[k]
        taken = set(moved.values())
        for image in range(cells.size):
            if image in taken or len(near[image]) != len(near[cell]):
                continue
            if all((moved[other] in near[image]) == (other in near[cell]) for other in order[:k]):
                moved[cell] = image
                yield from extended(k + 1, moved)
                del moved[cell]

    for found in extended(0, {}):
        if lines and {frozenset(found[c] for c in line) for line in lines} != lines:
            continue
        image = tuple(found[cell] for cell in range(cells.size))
        if image != tuple(range(cells.size)):
            count += 1
            yield f"automorphism {count}", image
            if count >= MOST_AUTOMORPHISMS:
                return


def _connected_order(near: list[set[int]]) -> list[int]:
    """Cells in an order in which each has as many neighbours before it as can be."""
    order: list[int] = []
    left = set(range(len(near)))
    while left:
        best = max(sorted(left), key=lambda cell: len(near[cell] & set(order)))
        order.append(best)
        left.remove(best)
    return order


# --------------------------------------------------------------------- permutations


def _permutation(
    model: m.Model,
    atoms: tuple[Atom, ...],
    numbered: Mapping[tuple[int, int, int], int],
    candidate: _Candidate,
) -> Permutation | None:
    """What a candidate does to the atoms of a position; None where it does not fit the types."""
    to: list[int] = [0] * len(atoms)
    by: list[Values | None] = [None] * len(atoms)
    of_elements = [_elements(model, number, candidate) for number in range(len(model.variables))]
    of_values = [_values(variable.type, candidate) for variable in model.variables]
    for k, atom in enumerate(atoms):
        elements = of_elements[atom.variable]
        parts = of_values[atom.variable]
        if elements is None or parts is None:
            return None
        place, values = parts[atom.field]
        to[k] = numbered[atom.variable, elements[atom.element], place]
        by[k] = values
    players = candidate.types.get(model.players, tuple(range(len(model.players.members))))
    return Permutation(tuple(to), tuple(by), players, candidate.name)


def _elements(model: m.Model, number: int, candidate: _Candidate) -> list[int] | None:
    """Where each element of a variable goes."""
    variable = model.variables[number]
    sizes = [index.size for index in variable.indices]  # type: ignore[union-attr]
    moves: list[Values | None] = []
    for k, index in enumerate(variable.indices):
        if (number, k) in candidate.axes:
            moves.append(candidate.axes[number, k])
        elif isinstance(index, Int):
            moves.append(candidate.numbers.get(index))
        else:
            try:
                moves.append(_moved(index, candidate))
            except _DoesNotFit:
                return None
    order = candidate.exchanged.get(number, tuple(range(len(sizes))))
    found = []
    for digits in product(*(range(size) for size in sizes)):
        turned = [digit if way is None else way[digit] for digit, way in zip(digits, moves, strict=True)]
        if candidate.pairs and len(digits) == 2 and sizes[0] == sizes[1] and digits[0] != digits[1]:
            turned.sort(reverse=digits[0] > digits[1])
        place = 0
        for k in order:
            place = place * sizes[k] + turned[k]
        found.append(place)
    return found


def _values(type_: Type, candidate: _Candidate) -> list[tuple[int, Values | None]] | None:
    """For each scalar of a value: where it goes among them, and what becomes of its own values."""
    try:
        return list(_scalars(type_, candidate, 0))
    except _DoesNotFit:
        return None


def _scalars(type_: Type, candidate: _Candidate, at: int) -> Iterator[tuple[int, Values | None]]:
    if isinstance(type_, Tuple):
        for part in type_.fields:
            found = list(_scalars(part, candidate, at))
            yield from found
            at += len(found)
    elif isinstance(type_, SetOf):
        moved = _moved(type_.element, candidate)
        for k in range(type_.element.size):
            yield at + (k if moved is None else moved[k]), None
    else:
        yield at, _moved(type_, candidate)


class _DoesNotFit(Exception):
    pass


def _moved(type_: Type, candidate: _Candidate) -> Values | None:
    """What becomes of the values of a type, by ordinal; None where they stay."""
    match type_:
        case Int():
            return candidate.numbers.get(type_) if candidate.held else None
        case Bool():
            return None
        case Enum() | Cells() | Part():
            whole = whole_of(type_)
            moved = candidate.types.get(whole)
            if moved is None or whole == type_:
                return moved
            places = {place: k for k, place in enumerate(type_.places)}
            found = [places.get(moved[place]) for place in type_.places]
            if None in found:
                raise _DoesNotFit
            return tuple(k for k in found if k is not None)
        case Union():
            parts: list[int] = []
            changed = False
            for member, start in zip(type_.members, type_.starts, strict=True):
                moved = _moved(member, candidate)
                changed = changed or moved is not None
                parts += [start + (k if moved is None else moved[k]) for k in range(member.size)]
            return tuple(parts) if changed else None
        case _:
            return None
