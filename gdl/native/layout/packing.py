"""The packed key of a position, its inverse, and its hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from gdl.abi import definition
from gdl.native.emit.domains import count as each_number
from gdl.native.emit.moves import Numbering
from gdl.native.emit.scope import POSITION, Scope, Unit
from gdl.native.ir.builder import Builder, Value, const, i64
from gdl.native.layout.layout import Layout, Leaf, Place

KEY = Value("ptr", "%key")


class Chunk(NamedTuple):
    """Up to 64 bits of the key that come from neighbouring bytes of the working form.

    `elements` elements of `unit` bytes at `source`, of which the low `bits` bits each are kept.
    """

    source: int
    unit: int
    elements: int
    bits: int
    key_bit: int

    @property
    def mask(self) -> int:
        return sum(((1 << self.bits) - 1) << (8 * self.unit * k) for k in range(self.elements))


class Field(NamedTuple):
    """Where a field of a variable lies in the key: `place.count` elements of `leaf.key_bits` bits each."""

    variable: str
    place: Place
    leaf: Leaf
    first: int  # bit

    @property
    def bits(self) -> int:
        return self.place.count * self.leaf.key_bits


def fields(layout: Layout) -> Iterator[Field]:
    """The key in order, per variable, per field: the one place that knows where bits lie."""
    at = 0
    for name, place in layout.places.items():
        for leaf in place.leaves:
            yield Field(name, place, leaf, at)
            at += place.count * leaf.key_bits


VERSION = 1
"""Of whatever the fields do not tell: how the elements of a field lie among its bits, and what they mean.
Raised when that changes."""


def packing(layout: Layout) -> str:
    """Names the way in which positions are packed: files of keys that were packed in another are refused."""
    drawn = [(f.variable, f.first, f.place.count, f.leaf.key_bits) for f in fields(layout)]
    return f"{VERSION}.{hashlib.sha256(repr(drawn).encode()).hexdigest()[:16]}"


def chunks(layout: Layout) -> Iterator[Chunk]:
    """The key in order: the elements of its fields, as many at once as a word of memory holds."""
    for field in fields(layout):
        yield from _leaf_chunks(field.place, field.leaf, field.first)


def _leaf_chunks(place: Place, leaf: Leaf, at: int) -> Iterator[Chunk]:
    if leaf.key_bits == 0:
        return
    if leaf.unit > 8:
        for element in range(place.count):
            left = leaf.key_bits
            for word in range(leaf.unit // 8):
                take = min(64, left)
                source = leaf.offset + element * leaf.unit + 8 * word
                yield Chunk(source, 8, 1, take, at + element * leaf.key_bits + 64 * word)
                left -= take
        return
    together = 8 // leaf.unit
    for first in range(0, place.count, together):
        elements = min(together, place.count - first)
        source = leaf.offset + first * leaf.unit
        yield Chunk(source, leaf.unit, elements, leaf.key_bits, at + first * leaf.key_bits)


def write_pack(unit: Unit, numbering: Numbering) -> None:
    """`pack`: the key of a position."""
    scope = Scope(unit, Builder(unit.module), POSITION)
    b = scope.b
    words = unit.program.layout.key_words
    so_far = [i64(0)] * words
    for chunk in chunks(unit.program.layout):
        raw = _load(scope, chunk)
        value = _compress(scope, raw, chunk)
        word, bit = divmod(chunk.key_bit, 64)
        so_far[word] = b.or_(so_far[word], b.shl(value, bit))
        if bit + chunk.elements * chunk.bits > 64:
            so_far[word + 1] = b.or_(so_far[word + 1], b.lshr(value, 64 - bit))
    for k, value in enumerate(so_far):
        b.store(value, b.offset(KEY, 8 * k), 8)
    b.ret()
    b.finish(definition("pack"))


def _load(scope: Scope, chunk: Chunk) -> Value:
    """The bytes of a chunk as a word, nothing read beyond them."""
    b = scope.b
    result = i64(0)
    done, size = 0, chunk.elements * chunk.unit
    while done < size:
        piece = max(p for p in (1, 2, 4, 8) if p <= size - done)
        raw = b.load(f"i{8 * piece}", b.offset(POSITION, chunk.source + done), 1)
        result = b.or_(result, b.shl(b.zext(raw, "i64"), 8 * done))
        done += piece
    return result


def _store(scope: Scope, chunk: Chunk, value: Value) -> None:
    b = scope.b
    done, size = 0, chunk.elements * chunk.unit
    while done < size:
        piece = max(p for p in (1, 2, 4, 8) if p <= size - done)
        part = b.resize(b.lshr(value, 8 * done), f"i{8 * piece}")
        b.store(part, b.offset(POSITION, chunk.source + done), 1)
        done += piece


def _compress(scope: Scope, raw: Value, chunk: Chunk) -> Value:
    """The kept bits of the elements side by side."""
    b = scope.b
    if chunk.elements == 1:
        return b.and_(raw, i64((1 << chunk.bits) - 1))
    if scope.program.fast_bits:
        ref = scope.unit.module.declare("llvm.x86.bmi.pext.64", "i64 @(i64, i64)")
        return b.call("i64", ref, [raw, i64(chunk.mask)])
    result = i64(0)
    for k in range(chunk.elements):
        part = b.and_(b.lshr(raw, 8 * chunk.unit * k), i64((1 << chunk.bits) - 1))
        result = b.or_(result, b.shl(part, chunk.bits * k))
    return result


def _expand(scope: Scope, value: Value, chunk: Chunk) -> Value:
    """The inverse of `_compress`."""
    b = scope.b
    if chunk.elements == 1:
        return b.and_(value, i64((1 << chunk.bits) - 1))
    if scope.program.fast_bits:
        ref = scope.unit.module.declare("llvm.x86.bmi.pdep.64", "i64 @(i64, i64)")
        return b.call("i64", ref, [value, i64(chunk.mask)])
    result = i64(0)
    for k in range(chunk.elements):
        part = b.and_(b.lshr(value, chunk.bits * k), i64((1 << chunk.bits) - 1))
        result = b.or_(result, b.shl(part, 8 * chunk.unit * k))
    return result


def write_unpack(unit: Unit, numbering: Numbering) -> None:
    """`unpack`: the position of a key, planes included."""
    scope = Scope(unit, Builder(unit.module), POSITION)
    b = scope.b
    layout = unit.program.layout
    for at in range(0, layout.size, 8):
        b.store(i64(0), b.offset(POSITION, at), 8)
    words = [b.load("i64", b.offset(KEY, 8 * k), 8) for k in range(layout.key_words)]
    for chunk in chunks(layout):
        word, bit = divmod(chunk.key_bit, 64)
        value = b.lshr(words[word], bit)
        if bit + chunk.elements * chunk.bits > 64:
            value = b.or_(value, b.shl(words[word + 1], 64 - bit))
        _store(scope, chunk, _expand(scope, value, chunk))
    for place in layout.places.values():
        if place.planes:
            _fill_planes(scope, place)
    b.ret()
    b.finish(definition("unpack"))


def _fill_planes(scope: Scope, place: Place) -> None:
    """Sets the bit of every element in the plane of its value."""
    b = scope.b
    planes = place.planes
    assert planes is not None
    (leaf,) = place.leaves
    step = planes.rows * planes.stride
    slots = {value: k for k, value in enumerate(planes.values)}
    size = max(planes.values) + 2
    which = [slots.get(value, len(planes.values)) for value in range(size)]

    def element(index: Value) -> None:
        raw = b.load(f"i{8 * leaf.unit}", b.offset(b.offset(POSITION, leaf.offset), index, leaf.unit), 1)
        number = b.zext(raw, "i64")
        capped = b.select(b.compare("ult", number, i64(size)), number, i64(size - 1))
        table = scope.unit.module.array(2, which)
        slot = b.zext(b.load("i16", b.offset(table, capped, 2), 2), "i64")
        keep, skip = b.label("keep"), b.label("skip")
        b.branch(b.compare("ult", slot, i64(len(planes.values))), keep, skip)
        b.start(keep)
        row, column = b.op("udiv", index, i64(planes.row)), b.op("urem", index, i64(planes.row))
        byte = b.add(b.mul(slot, i64(step)), b.mul(row, i64(planes.stride)))
        pointer = b.offset(b.offset(POSITION, planes.offset), b.add(byte, b.lshr(column, 3)))
        bit = b.op("shl", const("i32", 1), b.resize(b.and_(column, i64(7)), "i32"))
        b.store(b.or_(b.load("i8", pointer, 1), b.resize(bit, "i8")), pointer, 1)
        b.start(skip)

    each_number(scope, i64(place.count), element)


def write_hash(unit: Unit, numbering: Numbering) -> None:
    """`hash`: 64 well-mixed bits of a key, for open addressing.

    Each word is folded in by a 64x64 -> 128 multiplication whose halves are combined, so that every bit
    of the key moves about half the bits of the hash.
    """
    scope = Scope(unit, Builder(unit.module), None)
    b = scope.b
    state = i64(0x9E3779B97F4A7C15)
    for k in range(unit.program.layout.key_words):
        word = b.load("i64", b.offset(KEY, 8 * k), 8)
        state = _fold(scope, b.xor(word, state), i64(0xA0761D6478BD642F))
    state = _fold(scope, b.xor(state, i64(0xE7037ED1A0B428DB)), i64(0x8EBC6AF09C88C6E3))
    b.ret(state)
    b.finish(definition("hash"))


def _fold(scope: Scope, a: Value, c: Value) -> Value:
    b = scope.b
    product = b.mul(b.zext(a, "i128"), b.zext(c, "i128"))
    return b.xor(b.resize(product, "i64"), b.resize(b.lshr(product, 64), "i64"))
