"""Comprehensions: as mask operations where `masks` finds them to be so, else as loops."""

from __future__ import annotations

from collections.abc import Callable

from gdl.model import nodes
from gdl.model.types import Int, Rational, SetOf, Union
from gdl.native.emit.bags import bag_type, check_room, one
from gdl.native.emit.conversion import convert, none_of
from gdl.native.emit.logic import constant
from gdl.native.emit.numbers import add, compare, constant_ratio, ratio_of
from gdl.native.emit.scope import Scope, emits
from gdl.native.emit.sets import singleton
from gdl.native.ir.builder import FALSE, TRUE, Value, const, i32
from gdl.native.layout.memory import ordinal
from gdl.native.layout.values import Operand, Ratio, scalar_ir


@emits(nodes.Aggregate)
def _aggregate(scope: Scope, node: nodes.Aggregate) -> Operand:
    return scope.coerce(scope.program.masks.aggregate(scope, node), node.type)


Loop = Callable[[Callable[[], None]], None]
"""Runs its argument once for each combination of a comprehension."""


def fold_values(scope: Scope, node: nodes.Aggregate, loop: Loop) -> Operand:
    """The value of a comprehension, given the loop over the combinations that count.

    Those of `any` and `count` satisfy condition and body, those of `all` satisfy the condition but not the
    body, those of the other kinds satisfy the condition.
    """
    return _KINDS[node.kind](scope, node, loop)


def _quantifier(scope: Scope, node: nodes.Aggregate, loop: Loop) -> Operand:
    b = scope.b
    result, end = b.alloca("i1"), b.label("decided")
    b.store(FALSE if node.kind == "any" else TRUE, result)

    def settle() -> None:
        b.store(TRUE if node.kind == "any" else FALSE, result)
        b.br(end)

    loop(settle)
    b.start(end)
    return b.load("i1", result)


def _count(scope: Scope, node: nodes.Aggregate, loop: Loop) -> Operand:
    b = scope.b
    ir = scalar_ir(node.type)
    total = b.alloca(ir)
    b.store(const(ir, 0), total)
    loop(lambda: b.store(b.add(b.load(ir, total), const(ir, 1)), total))
    return b.load(ir, total)


def _sum(scope: Scope, node: nodes.Aggregate, loop: Loop) -> Operand:
    if isinstance(node.type, Rational):
        total = scope.merge(node.type)
        total.set(constant_ratio(scope, 0))

        def accumulate() -> None:
            so_far = total.get()
            assert isinstance(so_far, Ratio)
            total.set(add(scope, so_far, ratio_of(scope, scope.value(node.body), node.body.type)))

        loop(accumulate)
        return total.get()
    b = scope.b
    ir = scalar_ir(node.type)
    memory = b.alloca(ir)
    b.store(const(ir, 0), memory)

    def tally() -> None:
        # Partial sums may leave the interval of the whole; they wrap and come back.
        item = b.resize(scope.scalar(node.body), ir)
        b.store(b.add(b.load(ir, memory), item), memory)

    loop(tally)
    return b.load(ir, memory)


def _extreme(scope: Scope, node: nodes.Aggregate, loop: Loop) -> Operand:
    b = scope.b
    best, found = scope.merge(node.type), b.alloca("i1")
    b.store(FALSE, found)
    if isinstance(node.type, Int):
        best.set(const(scalar_ir(node.type), 0))
    else:
        best.set(constant_ratio(scope, 0))

    def consider() -> None:
        value = scope.coerce(scope.value(node.body), node.type)
        so_far = best.get()
        if isinstance(value, Ratio):
            assert isinstance(so_far, Ratio)
            better = compare(scope, "slt" if node.kind == "min" else "sgt", value, so_far)
        else:
            assert isinstance(value, Value) and isinstance(so_far, Value)
            better = b.compare("slt" if node.kind == "min" else "sgt", value, so_far)
        take, skip = b.label("take"), b.label("skip")
        b.branch(b.or_(better, b.not_(b.load("i1", found))), take, skip)
        b.start(take)
        best.set(value)
        b.store(TRUE, found)
        b.start(skip)

    loop(consider)
    any_found = b.load("i1", found)
    if node.default is None:
        scope.check(b.not_(any_found), "nothing", node.span)
        return best.get()
    use, end = b.label("default"), b.label("end")
    b.branch(any_found, end, use)
    b.start(use)
    best.set(scope.value(node.default))
    b.start(end)
    return best.get()


def _set(scope: Scope, node: nodes.Aggregate, loop: Loop) -> Operand:
    b = scope.b
    assert isinstance(node.type, SetOf)
    element = node.type.element
    ir = scalar_ir(node.type)
    memory = b.alloca(ir)
    b.store(const(ir, 0), memory)

    def insert() -> None:
        value = scope.coerce(scope.value(node.body), element)
        bit = singleton(scope, ordinal(scope, element, value), ir)
        b.store(b.or_(b.load(ir, memory), bit), memory)

    loop(insert)
    return b.load(ir, memory)


def _bag(scope: Scope, node: nodes.Aggregate, loop: Loop) -> Operand:
    b, type_ = scope.b, bag_type(node.type)
    ir = scalar_ir(type_)
    memory, total = b.alloca(ir), b.alloca("i32")
    b.store(const(ir, 0), memory)
    b.store(i32(0), total)

    def insert() -> None:
        value = scope.coerce(scope.value(node.body), type_.element)
        more = b.add(b.load("i32", total), i32(1))
        check_room(scope, type_, more, node)
        b.store(more, total)
        b.store(b.add(b.load(ir, memory), one(scope, type_, ordinal(scope, type_.element, value))), memory)

    loop(insert)
    return b.load(ir, memory)


def _first(scope: Scope, node: nodes.Aggregate, loop: Loop) -> Operand:
    b = scope.b
    assert isinstance(node.type, Union)
    result, end = scope.merge(node.type), b.label("first")
    result.set(constant(scope, node.type, none_of(node.type)))

    def take() -> None:
        value = scope.value(node.body)
        result.set(convert(scope, value, node.body.type, node.type)[1])
        b.br(end)

    loop(take)
    b.start(end)
    return result.get()


_KINDS: dict[str, Callable[[Scope, nodes.Aggregate, Loop], Operand]] = {
    "any": _quantifier,
    "all": _quantifier,
    "count": _count,
    "sum": _sum,
    "min": _extreme,
    "max": _extreme,
    "set": _set,
    "bag": _bag,
    "first": _first,
}
