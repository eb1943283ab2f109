"""Permutations of the elements of a position (`gdl/model/elements.py`), of permutations of its atoms.

Both are the numbers that a position is made of; elements lie by field first, atoms by entry first.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdl.game import ElementSymmetry
from gdl.model import nodes as m
from gdl.model.types import SetOf, Tuple, Type
from gdl.symmetry import symmetries
from gdl.symmetry.candidates import candidates
from gdl.symmetry.permutation import Permutation


def element_symmetries(model: m.Model) -> tuple[list[ElementSymmetry], bool]:
    """The symmetries of a game without the identity, and True: they are proven. Where its rules cannot be
    written out, so that nothing can be proven, those that are worth trying, and False."""
    known = symmetries(model)
    found: Iterable[Permutation] = (*known.group, *known.swaps)
    proven = known.why_not is None
    if not proven:
        found = candidates(model)
    place = _element_of_atom(model)
    return [_of_elements(p, place) for p in found if not p.is_identity], proven


def _of_elements(permutation: Permutation, place: list[int]) -> ElementSymmetry:
    source = [0] * len(place)
    maps = {}
    for atom, image in enumerate(permutation.to):
        source[place[image]] = place[atom]
        by = permutation.by[atom]
        if by is not None:
            maps[place[image]] = by
    return ElementSymmetry(tuple(source), maps, permutation.swaps)


def _element_of_atom(model: m.Model) -> list[int]:
    found: list[int] = []
    for variable in model.variables:
        first = len(found)
        widths = _widths(variable.type)
        starts = [first + variable.count * sum(widths[:k]) for k in range(len(widths))]
        for entry in range(variable.count):
            for start, width in zip(starts, widths, strict=True):
                found += range(start + entry * width, start + (entry + 1) * width)
    return found


def _widths(type_: Type) -> list[int]:
    """How many elements each field of a type is."""
    if isinstance(type_, Tuple):
        return [width for part in type_.fields for width in _widths(part)]
    return [type_.element.size if isinstance(type_, SetOf) else 1]
