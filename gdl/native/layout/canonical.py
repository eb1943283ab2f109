"""`canonical`: the least of the keys of all positions that are the same but for a symmetry of the rules.

The elements of the position are read once. For each symmetry they are put where it moves them, which gives
the key of the position it makes, and the least key so far is kept:

    key of g s:   element a of s, its value mapped, at the bits of element to[a]
"""

from __future__ import annotations

from typing import NamedTuple

from gdl.abi import definition
from gdl.model.types import SetOf
from gdl.native.emit.moves import Numbering
from gdl.native.emit.scope import POSITION, Scope, Unit
from gdl.native.ir.builder import Builder, Value, i64
from gdl.native.layout.layout import Layout
from gdl.native.layout.packing import KEY, fields
from gdl.symmetry import Permutation, symmetries


class _Bits(NamedTuple):
    """Where an atom lies: `bits` bits at `shift` of the word of `unit` bytes at `source`; in the key from
    `key_bit` on.
    """

    source: int
    unit: int
    shift: int
    bits: int
    key_bit: int


def write_canonical(unit: Unit, numbering: Numbering) -> None:
    scope = Scope(unit, Builder(unit.module), POSITION)
    b = scope.b
    layout = unit.program.layout
    atoms = _atoms(layout)
    loaded = [_load(scope, atom) for atom in atoms]
    least: list[Value] | None = None
    stay = Permutation(tuple(range(len(atoms))), (None,) * len(atoms), ())
    for permutation in symmetries(unit.program.model).group or (stay,):
        words = _moved(scope, atoms, loaded, permutation, layout.key_words)
        least = words if least is None else _smaller(scope, words, least)
    assert least is not None
    for k, word in enumerate(least):
        b.store(word, b.offset(KEY, 8 * k), 8)
    b.ret()
    b.finish(definition("canonical"))


def _atoms(layout: Layout) -> list[_Bits]:
    """The atoms of a position (gdl.symmetry.grounding.atoms_of) in order."""
    by_variable: dict[str, list[list[_Bits]]] = {}
    for field in fields(layout):
        leaf, count = field.leaf, field.place.count
        elements = by_variable.setdefault(field.variable, [[] for _ in range(count)])
        for k in range(count):
            source, key_bit = leaf.offset + k * leaf.unit, field.first + k * leaf.key_bits
            if not isinstance(leaf.type, SetOf):
                elements[k].append(_Bits(source, leaf.unit, 0, leaf.key_bits, key_bit))
                continue
            for bit in range(leaf.key_bits):
                word, shift = divmod(bit, 64)
                elements[k].append(_Bits(source + 8 * word, min(leaf.unit, 8), shift, 1, key_bit + bit))
    return [atom for elements in by_variable.values() for element in elements for atom in element]


def _load(scope: Scope, atom: _Bits) -> Value:
    b = scope.b
    raw = b.zext(b.load(f"i{8 * atom.unit}", b.offset(POSITION, atom.source), 1), "i64")
    return b.and_(b.lshr(raw, atom.shift), i64((1 << atom.bits) - 1))


def _moved(
    scope: Scope, atoms: list[_Bits], loaded: list[Value], permutation: Permutation, count: int
) -> list[Value]:
    """The words of the key of what a permutation makes of the position."""
    b = scope.b
    words = [i64(0)] * count
    for atom, value, to, by in zip(atoms, loaded, permutation.to, permutation.by, strict=True):
        if atom.bits == 0:
            continue
        if by is not None:
            table = scope.unit.module.array(4, by)
            value = b.zext(b.load("i32", b.offset(table, value, 4), 4), "i64")
        word, bit = divmod(atoms[to].key_bit, 64)
        words[word] = b.or_(words[word], b.shl(value, bit))
        if bit + atom.bits > 64:
            words[word + 1] = b.or_(words[word + 1], b.lshr(value, 64 - bit))
    return words


def _smaller(scope: Scope, one: list[Value], other: list[Value]) -> list[Value]:
    """The lesser of two keys, compared from the first word on."""
    b = scope.b
    less = b.compare("ult", one[-1], other[-1])
    for a, c in zip(reversed(one[:-1]), reversed(other[:-1]), strict=True):
        less = b.or_(b.compare("ult", a, c), b.and_(b.compare("eq", a, c), less))
    return [b.select(less, a, c) for a, c in zip(one, other, strict=True)]
