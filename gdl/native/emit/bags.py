"""Bags: counts of `width` bits, one per element, side by side in a register and handled at once.

    bag(5) of 1..6, width 3     sixes | fives | fours | threes | twos | ones
    {1, 1, 6}                     001 |   000 |   000 |    000 |  000 |  010

No count exceeds what its bits hold, because a bag never has more elements than its type allows: sums and
differences of bags are those of the registers, once it is known that the result is a bag.
"""

from __future__ import annotations

from collections.abc import Callable

from gdl.model import nodes
from gdl.model.types import BagOf, SetOf, Type, bits
from gdl.model.types import from_ordinal as value_at
from gdl.model.types import ordinal as ordinal_of
from gdl.native.emit.scope import Scope, emits
from gdl.native.ir.builder import Value, const, i32, width
from gdl.native.layout.memory import ordinal
from gdl.native.layout.values import Operand, scalar_ir
from gdl.reference.conversion import convert as convert_value


def bag_type(type_: Type) -> BagOf:
    assert isinstance(type_, BagOf)
    return type_


def each_lowest(type_: BagOf) -> int:
    """The lowest bit of every count."""
    return sum(1 << k * type_.width for k in range(type_.element.size))


# ------------------------------------------------------------------------ counts


def _shift(scope: Scope, type_: BagOf, number: Value, ir: str) -> Value:
    """Where the count of the element with an ordinal begins, as `ir`."""
    if number.const is not None:
        return const(ir, number.const * type_.width)
    return scope.b.mul(scope.b.resize(number, ir, signed=False), const(ir, type_.width))


def _count_at(scope: Scope, type_: BagOf, bag: Value, shift: Value) -> Value:
    b = scope.b
    return b.and_(b.op("lshr", bag, shift), const(bag.type, (1 << type_.width) - 1))


def one(scope: Scope, type_: BagOf, number: Value) -> Value:
    """The bag of one element."""
    ir = scalar_ir(type_)
    return scope.b.op("shl", const(ir, 1), _shift(scope, type_, number, ir))


def size(scope: Scope, type_: BagOf, bag: Value) -> Value:
    """How many elements a bag has, as i32: the bits of each worth counted together."""
    b = scope.b
    lowest, total = each_lowest(type_), i32(0)
    for place in range(type_.width):
        chosen = b.popcount(b.and_(bag, const(bag.type, lowest << place)))
        total = b.add(total, b.mul(chosen, i32(1 << place)))
    return total


def is_within(scope: Scope, type_: BagOf, small: Value, large: Value) -> Value:
    """Whether no count of the small bag exceeds that of the large one: none borrows when one is taken from
    the other. The highest bits are kept out of the difference, which so stays within its counts.
    """
    b, ir = scope.b, small.type
    tops = const(ir, each_lowest(type_) << type_.width - 1)
    difference = b.sub(b.or_(large, tops), b.and_(small, b.not_(tops)))
    difference = b.xor(difference, b.and_(b.xor(large, b.not_(small)), tops))
    more, same = b.and_(b.not_(large), small), b.not_(b.xor(large, small))
    borrows = b.and_(b.or_(more, b.and_(same, difference)), tops)
    return b.compare("eq", borrows, const(ir, 0))


def check_room(scope: Scope, type_: BagOf, total: Value, node: nodes.Expr) -> None:
    scope.check(scope.b.compare("sgt", total, i32(type_.longest)), "bag", node.span)


@emits(nodes.BagLiteral)
def _literal(scope: Scope, node: nodes.BagLiteral) -> Operand:
    type_ = bag_type(node.type)
    result = const(scalar_ir(type_), 0)
    for item in node.elements:
        value = scope.coerce(scope.value(item), type_.element)
        result = scope.b.add(result, one(scope, type_, ordinal(scope, type_.element, value)))
    return result


@emits(nodes.BagOperation)
def _operation(scope: Scope, node: nodes.BagOperation) -> Operand:
    b, type_ = scope.b, bag_type(node.type)
    left, right = scope.scalar(node.left), scope.scalar(node.right)
    if node.op == "+":
        if not node.proven:
            check_room(scope, type_, b.add(size(scope, type_, left), size(scope, type_, right)), node)
        return b.add(left, right)
    if not node.proven:
        scope.check(b.not_(is_within(scope, type_, right, left)), "bag", node.span)
    return b.sub(left, right)


@emits(nodes.BagSize)
def _size(scope: Scope, node: nodes.BagSize) -> Operand:
    total = size(scope, bag_type(node.operand.type), scope.scalar(node.operand))
    return scope.coerce(total, node.type)


@emits(nodes.BagCount)
def _count(scope: Scope, node: nodes.BagCount) -> Operand:
    type_ = bag_type(node.bag.type)
    bag = scope.scalar(node.bag)
    number = ordinal(scope, type_.element, scope.coerce(scope.value(node.item), type_.element))
    found = _count_at(scope, type_, bag, _shift(scope, type_, number, bag.type))
    return scope.b.resize(found, scalar_ir(node.type), signed=False)


@emits(nodes.BagChange)
def _change(scope: Scope, node: nodes.BagChange) -> Operand:
    b, type_ = scope.b, bag_type(node.type)
    bag = scope.scalar(node.bag)
    number = ordinal(scope, type_.element, scope.coerce(scope.value(node.item), type_.element))
    shift = _shift(scope, type_, number, bag.type)
    count = b.resize(scope.scalar(node.count), bag.type, signed=False)
    without = b.sub(bag, b.op("shl", _count_at(scope, type_, bag, shift), shift))
    if node.grows:
        total = b.add(size(scope, type_, without), b.resize(count, "i32", signed=False))
        check_room(scope, type_, total, node)
    return b.add(without, b.op("shl", count, shift))


@emits(nodes.BagWithin)
def _within(scope: Scope, node: nodes.BagWithin) -> Operand:
    type_ = bag_type(node.small.type)
    return is_within(scope, type_, scope.scalar(node.small), scope.scalar(node.large))


@emits(nodes.Distinct)
def _distinct(scope: Scope, node: nodes.Distinct) -> Operand:
    """Each count becomes one bit, and these move together."""
    b, type_ = scope.b, bag_type(node.operand.type)
    bag = scope.scalar(node.operand)
    some = bag
    for place in range(1, type_.width):
        some = b.or_(some, b.lshr(bag, place))
    lowest = each_lowest(type_)
    some = b.and_(some, const(bag.type, lowest))
    if type_.width == 1:
        return some
    ir = scalar_ir(node.type)
    if scope.program.fast_bits and width(bag.type) <= 64:
        ref = scope.unit.module.declare("llvm.x86.bmi.pext.64", "i64 @(i64, i64)")
        return b.resize(b.call("i64", ref, [b.zext(some, "i64"), const("i64", lowest)]), ir, signed=False)
    result = const(bag.type, 0)
    for k in range(type_.element.size):
        bit = b.and_(some, const(bag.type, 1 << k * type_.width))
        result = b.or_(result, b.lshr(bit, k * (type_.width - 1)))
    return b.resize(result, ir, signed=False)


def convert_bag(scope: Scope, bag: Value, source: BagOf, target: BagOf) -> tuple[Value, Operand]:
    """Whether the target holds a bag, and the bag there."""
    b = scope.b
    ir = scalar_ir(target)
    fits = b.compare("sle", size(scope, source, bag), i32(target.longest))
    if source.element == target.element and source.width == target.width:
        return fits, bag
    wide = ir if width(ir) > width(bag.type) else bag.type
    bag = b.zext(bag, wide)
    ones = (1 << source.width) - 1
    result, lost = const(wide, 0), const(wide, 0)
    for k in range(source.element.size):
        count = b.and_(b.lshr(bag, k * source.width), const(wide, ones))
        there = convert_value(source.element, target.element, value_at(source.element, k))
        if there is None:
            lost = b.or_(lost, count)
        else:
            result = b.add(result, b.shl(count, ordinal_of(target.element, there) * target.width))
    return b.and_(fits, b.compare("eq", lost, const(wide, 0))), b.resize(result, ir, signed=False)


# ----------------------------------------------------------------------- subsets


def each_within(scope: Scope, type_: Type, whole: Value, body: Callable[[Operand], None], done: str) -> None:
    """Runs `body` with each set or bag within one, from the empty one to the whole, then goes to `done`.

    The caller starts `done`.
    """
    b, ir = scope.b, whole.type
    at = b.alloca(ir)
    b.store(const(ir, 0), at)
    head, further = b.label("subset"), b.label("further")
    b.start(head)
    chosen = b.load(ir, at)
    body(chosen)
    chosen = b.load(ir, at)
    b.branch(b.compare("eq", chosen, whole), done, further)
    b.start(further)
    if isinstance(type_, SetOf):
        # Of the bits outside the whole all are 1, so that a carry passes them.
        following = b.and_(b.add(b.or_(chosen, b.not_(whole)), const(ir, 1)), whole)
    else:
        following = _next_bag(scope, bag_type(type_), whole, chosen)
    b.store(following, at)
    b.br(head)


def _next_bag(scope: Scope, type_: BagOf, whole: Value, chosen: Value) -> Value:
    """The bag within `whole` that follows one that is not the whole.

    With what is missing in `whole` to the largest count added, a count that is complete is all ones, so that
    one more carries into the next: those below the carry become 0, and nothing is subtracted from them.
    """
    b, ir = scope.b, whole.type
    missing = b.xor(whole, const(ir, (1 << bits(type_)) - 1))
    carried = b.add(b.add(chosen, missing), const(ir, 1))
    zeros = b.trailing_zeros(carried)
    place = b.resize(b.sub(zeros, b.op("urem", zeros, i32(type_.width))), ir, signed=False)
    above = b.op("shl", const(ir, -1), place)
    return b.sub(carried, b.and_(missing, above))
