"""Which permutations of a position leave the rules as they are? Proven on the rules written out, never
tested.

the Model ─> candidates.py: turns of boards, like things in another order, players who change parts
          ─> grounding.py: every part of the rules as terms (terms.py) over the atoms of a position;
             what an expression is worth: expressions.py
          ─> proof.py: the terms are the same after the permutation, or this line breaks it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gdl.diagnostics import Span
from gdl.model import nodes as m
from gdl.model.digest import digest
from gdl.symmetry.candidates import candidates
from gdl.symmetry.grounding import MOST_TERMS, MayBreak, ground
from gdl.symmetry.permutation import Permutation, generated
from gdl.symmetry.proof import Broken, broken
from gdl.symmetry.terms import TooLarge

MOST_SYMMETRIES = 48
"""A larger group is used in part: each symmetry is another key to compare."""


@dataclass(frozen=True)
class Symmetries:
    """What is known of the symmetries of a game.

    `group` are permutations that leave the rules, and the part of each player, as they are; a closed group
    with the identity first, or empty. `swaps` are those in which players change parts. `refused` are those
    that were tried and not proven, each with the part of the rules that breaks it.
    """

    generators: tuple[Permutation, ...] = ()
    group: tuple[Permutation, ...] = ()
    swaps: tuple[Permutation, ...] = ()
    refused: tuple[tuple[Permutation, Broken], ...] = ()
    why_not: str | None = None  # why none was looked for
    where: Span | None = None


def symmetries(model: m.Model, terms: int = MOST_TERMS) -> Symmetries:
    """The symmetries of a game that can be proven; found once for each Model. Rules that take more terms
    than that when they are written out are left alone."""
    name = digest(model), terms
    if name not in _FOUND:
        _FOUND[name] = _found(model, terms, MOST_SYMMETRIES)
    return _FOUND[name]


_FOUND: dict[tuple[str, int], Symmetries] = {}


def _found(model: m.Model, terms: int, most: int) -> Symmetries:
    tried = candidates(model)
    first = next(tried, None)
    if first is None:
        return Symmetries(why_not="nothing in a position could change places")
    try:
        written = ground(model, terms)
    except MayBreak as error:
        return Symmetries(why_not="a rule is not proven to hold everywhere", where=error.span)
    except (TooLarge, RecursionError):
        return Symmetries(why_not="the rules are too large to be written out")
    generators: list[Permutation] = []
    swaps: list[Permutation] = []
    refused: list[tuple[Permutation, Broken]] = []
    group: Sequence[Permutation] = ()
    candidate: Permutation | None = first
    while candidate is not None:
        if candidate not in group and not (candidate.swaps and swaps):
            try:
                found = broken(model, written, candidate)
            except TooLarge:
                break
            if found is not None:
                refused.append((candidate, found))
            elif candidate.swaps:
                swaps.append(candidate)
            else:
                generators.append(candidate)
                group = generated(generators, most)
        candidate = next(tried, None)
    return Symmetries(tuple(generators), tuple(group), tuple(swaps), tuple(refused))


__all__ = ["Broken", "Permutation", "Symmetries", "symmetries"]
