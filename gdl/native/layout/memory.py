"""Reading and writing the variables of a position, planes included."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gdl.model import nodes
from gdl.model.types import BagOf, Bool, Int, SetOf, Tuple, Type
from gdl.native.emit.scope import Scope, emits
from gdl.native.ir.builder import Value, const, i64, width
from gdl.native.layout.layout import Leaf, Place, Planes, index_size
from gdl.native.layout.values import Operand, flatten, scalar_ir, unflatten


@emits(nodes.Read)
def _read(scope: Scope, node: nodes.Read) -> Operand:
    place = scope.program.layout.places[node.variable]
    index = flat_index(scope, place.variable.indices, [scope.value(e) for e in node.indices])
    return scope.coerce(read_element(scope, place, index), node.type)


@emits(nodes.Assign)
def _assign(scope: Scope, node: nodes.Assign) -> None:
    place = scope.program.layout.places[node.variable]
    indices = [scope.value(e) for e in node.indices]
    write_element(scope, place, indices, scope.value(node.value))


def read_element(scope: Scope, place: Place, index: Value) -> Operand:
    values = [_load(scope, place, leaf, index) for leaf in place.leaves]
    return unflatten(place.variable.type, iter(values))


def _load(scope: Scope, place: Place, leaf: Leaf, index: Value) -> Value:
    b = scope.b
    assert scope.position is not None
    pointer = b.offset(b.offset(scope.position, leaf.offset), index, leaf.unit)
    tag = scope.unit.module.alias_node(place.variable.name)
    raw = b.load(f"i{8 * leaf.unit}", pointer, min(leaf.unit, 8), tag)
    if isinstance(leaf.type, Bool):
        return b.resize(raw, "i1")
    value = b.zext(raw, scalar_ir(leaf.type))
    return b.add(value, const(value.type, leaf.low))


def write_element(scope: Scope, place: Place, indices: Sequence[Operand], value: Operand) -> None:
    b = scope.b
    assert scope.position is not None
    types = place.variable.indices
    index = flat_index(scope, types, indices)
    tag = scope.unit.module.alias_node(place.variable.name)
    items = flatten(scope.coerce(value, place.variable.type))
    if place.planes:
        row = flat_index(scope, types[:-1], indices[:-1])
        column = b.zext(ordinal(scope, types[-1], indices[-1]), "i64")
        _write_planes(scope, place, row, column, index, items[0])
    for leaf, item in zip(place.leaves, items, strict=True):
        pointer = b.offset(b.offset(scope.position, leaf.offset), index, leaf.unit)
        stored = b.sub(item, const(item.type, leaf.low))
        b.store(b.zext(stored, f"i{8 * leaf.unit}"), pointer, min(leaf.unit, 8), tag)


def _write_planes(scope: Scope, place: Place, row: Value, column: Value, index: Value, item: Value) -> None:
    """Clears the element's bit in the plane of its old value and sets it in that of the new one.

    A few planes are each recomputed; many are addressed by value.
    """
    b = scope.b
    planes = place.planes
    assert planes and scope.position is not None
    (leaf,) = place.leaves
    number = b.zext(b.sub(item, const(item.type, leaf.low)), "i32")
    base = b.offset(scope.position, planes.offset)
    word, at, bit = _bit_address(scope, planes, row, column)
    ir = f"i{8 * word}"
    tag = scope.unit.module.alias_node(place.variable.name + " planes")
    clear = b.not_(bit)
    step = planes.rows * planes.stride
    if len(planes.values) <= 3 or not planes.dense:
        for i, value in enumerate(planes.values):
            pointer = b.offset(b.offset(base, i * step), at, word)
            is_value = b.compare("eq", number, const("i32", value))
            old = b.and_(b.load(ir, pointer, word, tag), clear)
            new = b.or_(old, b.select(is_value, bit, const(ir, 0)))
            b.store(new, pointer, word, tag)
        return
    old_item = _load(scope, place, leaf, index)
    old_number = b.zext(b.sub(old_item, const(old_item.type, leaf.low)), "i32")
    for which, keep in ((old_number, False), (number, True)):
        plane = b.sub(b.zext(which, "i64"), i64(planes.values[0]))
        pointer = b.offset(b.offset(base, plane, step), at, word)
        before = b.load(ir, pointer, word, tag)
        b.store(b.or_(before, bit) if keep else b.and_(before, clear), pointer, word, tag)


def _bit_address(scope: Scope, planes: Planes, row: Value, column: Value) -> tuple[int, Value, Value]:
    """The word size, the number of the word in a plane, and the bit that stand for an element."""
    b = scope.b
    if planes.stride <= 8:
        ir = planes.ir
        return planes.stride, row, b.op("shl", const(ir, 1), b.resize(column, ir, signed=False))
    words = planes.stride // 8
    at = b.add(b.mul(row, i64(words)), b.lshr(column, 6))
    return 8, at, b.op("shl", i64(1), b.and_(column, i64(63)))


def read_plane(scope: Scope, place: Place, value: Value | int, row: Value) -> Value:
    """A row of the plane of a value (its ordinal), which must have a plane."""
    b = scope.b
    planes = place.planes
    assert planes and scope.position is not None
    step = planes.rows * planes.stride
    base = b.offset(scope.position, planes.offset)
    if isinstance(value, int):
        base = b.offset(base, planes.values.index(value) * step)
    elif len(planes.values) > 1:
        assert planes.values == tuple(range(planes.values[0], planes.values[-1] + 1))
        base = b.offset(base, b.sub(b.zext(value, "i64"), i64(planes.values[0])), step)
    tag = scope.unit.module.alias_node(place.variable.name + " planes")
    return b.load(planes.ir, b.offset(base, row, planes.stride), min(planes.stride, 8), tag)


def flat_index(scope: Scope, types: Sequence[Type], indices: Sequence[Operand]) -> Value:
    """The row-major number of an element, as i64."""
    b = scope.b
    index = i64(0)
    for type_, operand in zip(types, indices, strict=True):
        place = b.resize(ordinal(scope, type_, operand), "i64", signed=False)
        index = b.add(b.mul(index, i64(index_size(type_))), place)
    return index


def ordinal(scope: Scope, type_: Type, operand: Operand) -> Value:
    """The ordinal of a value of a finite type."""
    b = scope.b
    if isinstance(type_, Tuple):
        assert isinstance(operand, tuple)
        ir = ordinal_ir(type_)
        result = const(ir, 0)
        for field, item in zip(type_.fields, operand, strict=True):
            part = b.zext(ordinal(scope, field, item), ir)
            result = b.add(b.mul(result, const(ir, index_size(field))), part)
        return result
    assert isinstance(operand, Value)
    if isinstance(type_, Int):
        return b.sub(operand, const(operand.type, type_.lo))
    if isinstance(type_, Bool):
        return b.zext(operand, "i32")
    return operand


def from_ordinal(scope: Scope, type_: Type, number: Value) -> Operand:
    """The value of a finite type at an ordinal."""
    b = scope.b
    if isinstance(type_, Tuple):
        items: list[Any] = []
        for field in reversed(type_.fields):
            size = const(number.type, index_size(field))
            rest = b.op("urem", number, size)
            number = b.op("udiv", number, size)
            items.append(from_ordinal(scope, field, rest))
        return tuple(reversed(items))
    ir = scalar_ir(type_)
    if isinstance(type_, Int):
        wide = ir if width(ir) > width(number.type) else number.type
        return b.resize(b.add(b.zext(number, wide), const(wide, type_.lo)), ir)
    if isinstance(type_, Bool):
        return b.resize(number, "i1")
    return b.zext(number, ir)


def ordinal_ir(type_: Type) -> str:
    """A register type for the ordinals of a finite type."""
    if isinstance(type_, SetOf | BagOf):
        return scalar_ir(type_)
    size = index_size(type_)
    bits = max(1, (size - 1).bit_length()) + 1
    return "i32" if bits <= 32 else f"i{(bits + 63) // 64 * 64}"
