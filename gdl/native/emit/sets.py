"""Sets: bits in a register. Bits beyond the elements are always 0."""

from __future__ import annotations

from collections.abc import Callable

from gdl.model import nodes
from gdl.model.types import Int, SetOf, Type
from gdl.native.emit.scope import Scope, emits
from gdl.native.ir import runtime
from gdl.native.ir.builder import Value, const, i32, i64, width
from gdl.native.layout.memory import flat_index, ordinal
from gdl.native.layout.values import Operand, scalar_ir


def element_of(type_: Type) -> Type:
    assert isinstance(type_, SetOf)
    element: Type = type_.element
    return element


def size_of(type_: Type) -> int:
    return int(element_of(type_).size)  # type: ignore[union-attr]


def singleton(scope: Scope, number: Value, ir: str) -> Value:
    """The set of the one element with an ordinal."""
    b = scope.b
    if number.const is not None:
        return const(ir, 1 << number.const)
    if width(ir) <= 64:
        return b.op("shl", const(ir, 1), b.zext(number, ir))
    # Shifting a wide 1 by a variable amount is slow: put the word where it belongs instead.
    words = width(ir) // 64
    number = b.zext(number, "i64")
    bit = b.op("shl", i64(1), b.and_(number, i64(63)))
    which = b.lshr(number, 6)
    result = const(ir, 0)
    for word in range(words):
        part = b.select(b.compare("eq", which, i64(word)), bit, i64(0))
        result = b.or_(result, b.shl(b.zext(part, ir), 64 * word))
    return result


def contains(scope: Scope, mask: Value, number: Value) -> Value:
    """Whether the bit of an ordinal is set; the ordinal is within the set's bits."""
    b = scope.b
    if number.const is not None:
        return b.resize(b.lshr(mask, number.const), "i1")
    if width(mask.type) <= 64:
        return b.resize(b.op("lshr", mask, b.zext(number, mask.type)), "i1")
    number = b.zext(number, "i64")
    which = b.lshr(number, 6)
    chosen = i64(0)
    for word in range(width(mask.type) // 64):
        part = b.resize(b.lshr(mask, 64 * word), "i64")
        chosen = b.select(b.compare("eq", which, i64(word)), part, chosen)
    return b.resize(b.op("lshr", chosen, b.and_(number, i64(63))), "i1")


@emits(nodes.SetLiteral)
def _set_literal(scope: Scope, node: nodes.SetLiteral) -> Operand:
    ir, element = scalar_ir(node.type), element_of(node.type)
    result = const(ir, 0)
    for item in node.elements:
        number = ordinal(scope, element, scope.value(item))
        result = scope.b.or_(result, singleton(scope, number, ir))
    return result


@emits(nodes.SetOperation)
def _set_operation(scope: Scope, node: nodes.SetOperation) -> Operand:
    b = scope.b
    left, right = scope.scalar(node.left), scope.scalar(node.right)
    match node.op:
        case "|":
            return b.or_(left, right)
        case "&":
            return b.and_(left, right)
        case _:
            return b.and_(left, b.not_(right))


@emits(nodes.SetSize)
def _set_size(scope: Scope, node: nodes.SetSize) -> Operand:
    return scope.coerce(scope.b.popcount(scope.scalar(node.operand)), node.type)


@emits(nodes.Contains)
def _contains(scope: Scope, node: nodes.Contains) -> Operand:
    b = scope.b
    element = element_of(node.set.type)
    number = ordinal(scope, element, scope.value(node.item))
    inside: Value | None = None
    item = node.item.type
    if isinstance(element, Int) and isinstance(item, Int) and (item.lo < element.lo or item.hi > element.hi):
        inside = b.compare("ult", number, const(number.type, element.size))
        number = b.select(inside, number, const(number.type, 0))
    if width(number.type) > 64:
        number = b.resize(number, "i64")
    found = _bit_of(scope, node.set, number)
    return found if inside is None else b.and_(inside, found)


def _bit_of(scope: Scope, members: nodes.Expr, number: Value) -> Value:
    """A bit of a set; of one too wide for a register straight from memory."""
    b = scope.b
    if isinstance(members, nodes.Const) and size_of(members.type) > 64 and number.const is None:
        array = scope.unit.module.array(8, _words(members.value, size_of(members.type)))
        at = b.zext(number, "i64")
        word = b.load("i64", b.offset(array, b.lshr(at, 6), 8), 8)
        return b.resize(b.op("lshr", word, b.and_(at, i64(63))), "i1")
    if isinstance(members, nodes.Read) and size_of(members.type) > 64 and number.const is None:
        place = scope.program.layout.places[members.variable]
        (leaf,) = place.leaves
        index = flat_index(scope, place.variable.indices, [scope.value(e) for e in members.indices])
        assert scope.position is not None
        base = b.offset(b.offset(scope.position, leaf.offset), index, leaf.unit)
        at = b.zext(number, "i64")
        tag = scope.unit.module.alias_node(place.variable.name)
        word = b.load("i64", b.offset(base, b.lshr(at, 6), 8), 8, tag)
        return b.resize(b.op("lshr", word, b.and_(at, i64(63))), "i1")
    return contains(scope, scope.scalar(members), number)


def _words(mask: int, size: int) -> list[int]:
    return [mask >> 64 * k & (1 << 64) - 1 for k in range((size + 63) // 64)]


# -------------------------------------------------------------- walking over bits


def each_bit(scope: Scope, mask: Value, body: Callable[[Value], None], done: str) -> None:
    """Runs `body` with the position (i32) of each set bit, the lowest first, then goes to `done`.

    The caller starts `done`.
    """
    b = scope.b
    if width(mask.type) > 64:
        _each_bit_wide(scope, mask, body, done)
        return
    rest = b.alloca(mask.type)
    b.store(mask, rest)
    head, inner = b.label("bits"), b.label("bit")
    b.start(head)
    left = b.load(mask.type, rest)
    b.branch(b.compare("eq", left, const(mask.type, 0)), done, inner)
    b.start(inner)
    b.store(b.and_(left, b.sub(left, const(mask.type, 1))), rest)
    body(b.trailing_zeros(left))
    b.br(head)


def _each_bit_wide(scope: Scope, mask: Value, body: Callable[[Value], None], done: str) -> None:
    b = scope.b
    words = width(mask.type) // 64
    memory = b.alloca("i64", words, 16)
    b.store(mask, memory, 8)
    word, rest = b.alloca("i64"), b.alloca("i64")
    b.store(i64(0), word)
    outer, start, head, inner, next_word = (b.label("bits") for _ in range(5))
    b.start(outer)
    k = b.load("i64", word)
    b.branch(b.compare("eq", k, i64(words)), done, start)
    b.start(start)
    b.store(b.load("i64", b.offset(memory, k, 8), 8), rest)
    b.start(head)
    left = b.load("i64", rest)
    b.branch(b.compare("eq", left, i64(0)), next_word, inner)
    b.start(inner)
    b.store(b.and_(left, b.sub(left, i64(1))), rest)
    number = b.add(b.resize(b.shl(b.load("i64", word), 6), "i32"), b.trailing_zeros(left))
    body(number)
    b.br(head)
    b.start(next_word)
    b.store(b.add(b.load("i64", word), i64(1)), word)
    b.br(outer)


def nth_bit(scope: Scope, mask: Value, k: Value) -> Value:
    """The position (i32) of the k-th set bit, counted from 0, of a mask that has more than k (i32)."""
    b = scope.b
    ref = scope.unit.helper("select_bit", runtime.write_select_bit)
    if width(mask.type) <= 64:
        found = b.call("i64", ref, [b.zext(mask, "i64"), b.zext(k, "i64")])
        return b.resize(found, "i32")
    # Find the word by counting, then the bit in it.
    words = [b.resize(b.lshr(mask, 64 * w), "i64") for w in range(width(mask.type) // 64)]
    chosen, base, rest = words[0], i32(0), k
    before = b.popcount(words[0])
    for w in range(1, len(words)):
        beyond = b.compare("sge", k, before)
        chosen = b.select(beyond, words[w], chosen)
        base = b.select(beyond, i32(64 * w), base)
        rest = b.select(beyond, b.sub(k, before), rest)
        before = b.add(before, b.popcount(words[w]))
    found = b.call("i64", ref, [chosen, b.zext(rest, "i64")])
    return b.add(base, b.resize(found, "i32"))
