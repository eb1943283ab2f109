"""Writing the code of a plan: the bits of a mask."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from gdl.model.nodes import Expr
from gdl.model.types import ListOf, Type
from gdl.native.emit.lists import load_constant
from gdl.native.emit.scope import Scope
from gdl.native.emit.sets import singleton
from gdl.native.ir.builder import Value, const, i32, width
from gdl.native.layout.layout import index_size
from gdl.native.layout.memory import flat_index, ordinal, read_plane
from gdl.native.layout.values import set_ir
from gdl.native.plan import plans
from gdl.native.plan.plans import Plan


def write(scope: Scope, plan: Plan, element: Type) -> Value:
    """The bits of a plan; bits beyond the element type are 0."""
    b = scope.b
    size = index_size(element)
    ir = set_ir(size)
    full = const(ir, (1 << size) - 1)
    match plan:
        case plans.Uniform():
            return b.select(scope.scalar(plan.test), full, const(ir, 0))
        case plans.Plane():
            return _write_plane(scope, plan, ir, size)
        case plans.Table():
            return _write_table(scope, plan, ir)
        case plans.Members():
            return _write_members(scope, plan, ir, full)
        case plans.Row():
            return _write_row(scope, plan, ir)
        case plans.Single():
            value = scope.coerce(scope.value(plan.value), plan.element)
            return singleton(scope, ordinal(scope, plan.element, value), ir)
        case plans.Complement():
            return b.xor(write(scope, plan.item, element), full)
        case plans.Every():
            bits = [write(scope, item, element) for item in plan.items]
            return reduce(b.and_, bits) if bits else full
        case plans.Some():
            return reduce(b.or_, [write(scope, item, element) for item in plan.items])
        case plans.Guarded():
            nothing: Callable[[], Value] = lambda: const(ir, 0)  # noqa: E731
            return _either(scope, plan.guard, lambda: write(scope, plan.item, element), nothing, ir)
        case plans.Choice():
            return _either(
                scope,
                plan.condition,
                lambda: write(scope, plan.then, element),
                lambda: write(scope, plan.otherwise, element),
                ir,
            )


def _either(
    scope: Scope, condition: Expr, then: Callable[[], Value], otherwise: Callable[[], Value], ir: str
) -> Value:
    b = scope.b
    result = b.alloca(ir)
    yes, no, end = b.label("then"), b.label("else"), b.label("end")
    b.branch(scope.scalar(condition), yes, no)
    for label, side in ((yes, then), (no, otherwise)):
        b.start(label)
        b.store(side(), result)
        b.br(end)
    b.start(end)
    return b.load(ir, result)


def _write_plane(scope: Scope, plan: plans.Plane, ir: str, size: int) -> Value:
    b = scope.b
    place = scope.program.layout.places[plan.variable]
    assert place.planes is not None
    types = place.variable.indices
    row = flat_index(scope, types[:-1], [scope.value(index) for index in plan.outer])
    if plan.value is not None:
        value = scope.coerce(scope.value(plan.value), place.variable.type)
        bits = read_plane(scope, place, ordinal(scope, place.variable.type, value), row)
    else:
        bits = const(place.planes.ir, 0)
        for number in plan.values:
            bits = b.or_(bits, read_plane(scope, place, number, row))
    wide = ir if width(ir) > width(bits.type) else bits.type
    bits = b.zext(bits, wide)
    result = const(wide, 0)
    for shift, mask in plan.moves:
        part = b.lshr(bits, shift) if shift >= 0 else b.shl(bits, -shift)
        whole = shift == 0 and mask == (1 << size) - 1 and place.planes.row <= size
        result = b.or_(result, part if whole else b.and_(part, const(wide, mask)))
    return b.resize(result, ir, signed=False)


def _write_table(scope: Scope, plan: plans.Table, ir: str) -> Value:
    b = scope.b
    index = i32(0)
    for key in plan.keys:
        digit = ordinal(scope, key.type, scope.value(key))
        index = b.add(b.mul(index, i32(index_size(key.type))), b.zext(digit, "i32"))
    return load_constant(scope, plan.masks, index, ir)


def _write_members(scope: Scope, plan: plans.Members, ir: str, full: Value) -> Value:
    b = scope.b
    bits = scope.scalar(plan.members)
    wide = ir if width(ir) > width(bits.type) else bits.type
    bits = b.zext(bits, wide)
    if plan.shift == 0:
        return b.resize(bits, ir, signed=False)
    if abs(plan.shift) >= width(wide):
        return const(ir, 0)
    moved = b.lshr(bits, plan.shift) if plan.shift > 0 else b.shl(bits, -plan.shift)
    return b.and_(b.resize(moved, ir, signed=False), full)


def _write_row(scope: Scope, plan: plans.Row, ir: str) -> Value:
    type_ = plan.sequence.type
    assert isinstance(type_, ListOf)
    masks = scope.program.lists.masks(type_, plan.element)
    return load_constant(scope, masks, scope.scalar(plan.sequence), ir)
