"""Names, truth and calls."""

from __future__ import annotations

from gdl.model import nodes
from gdl.model.nodes import Expr
from gdl.model.types import BagOf, Int, Rational, SetOf, Tuple, Type
from gdl.native.emit.numbers import compare as compare_ratios
from gdl.native.emit.numbers import constant_ratio, ratio_of
from gdl.native.emit.scope import Scope, emits
from gdl.native.ir.builder import FALSE, TRUE, Value, const, width
from gdl.native.layout.layout import index_size
from gdl.native.layout.memory import from_ordinal, ordinal
from gdl.native.layout.values import Operand, Ratio, flatten, scalar_ir, unflatten

# -------------------------------------------------------------------------- names


@emits(nodes.Const)
def _const(scope: Scope, node: nodes.Const) -> Operand:
    return constant(scope, node.type, node.value)


def constant(scope: Scope, type_: Type, value: object) -> Operand:
    if isinstance(type_, Rational):
        return constant_ratio(scope, value)
    if isinstance(type_, Tuple):
        assert isinstance(value, tuple)
        return tuple(constant(scope, f, v) for f, v in zip(type_.fields, value, strict=True))
    (number,) = scope.program.lists.items(type_, value)
    return const(scalar_ir(type_), number)


@emits(nodes.Local)
def _local(scope: Scope, node: nodes.Local) -> Operand:
    return scope.coerce(scope.local(node.slot), node.type)


# -------------------------------------------------------------------------- truth

_PREDICATES = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


@emits(nodes.Compare)
def _compare(scope: Scope, node: nodes.Compare) -> Operand:
    left, right = scope.value(node.left), scope.value(node.right)
    return compare(scope, node.op, left, right, node.left.type, node.right.type)


def compare(scope: Scope, op: str, left: Operand, right: Operand, a: Type, c: Type) -> Value:
    b = scope.b
    predicate = _PREDICATES[op]
    if isinstance(left, Ratio) or isinstance(right, Ratio):
        signed = predicate if predicate in ("eq", "ne") else "s" + predicate
        return compare_ratios(scope, signed, ratio_of(scope, left, a), ratio_of(scope, right, c))
    if isinstance(left, tuple) and isinstance(right, tuple):
        assert isinstance(a, Tuple) and isinstance(c, Tuple)
        return _compare_tuples(scope, op, left, right, a, c)
    assert isinstance(left, Value) and isinstance(right, Value)
    unsigned = isinstance(a, SetOf | BagOf) or left.type == "i1"
    ir = left.type if width(left.type) >= width(right.type) else right.type
    left, right = b.resize(left, ir, not unsigned), b.resize(right, ir, not unsigned)
    if predicate not in ("eq", "ne"):
        predicate = ("u" if unsigned else "s") + predicate
    return b.compare(predicate, left, right)


def _compare_tuples(
    scope: Scope, op: str, left: tuple[Operand, ...], right: tuple[Operand, ...], a: Tuple, c: Tuple
) -> Value:
    """Field by field, the first difference decides."""
    b = scope.b
    fields = list(zip(left, right, a.fields, c.fields, strict=True))
    if op in ("==", "!="):
        equal = TRUE
        for x, y, t, u in fields:
            equal = b.and_(equal, compare(scope, "==", x, y, t, u))
        return b.not_(equal) if op == "!=" else equal
    strict = op[0]
    result = TRUE if op.endswith("=") else FALSE
    for x, y, t, u in reversed(fields):
        same = compare(scope, "==", x, y, t, u)
        result = b.select(same, result, compare(scope, strict, x, y, t, u))
    return result


@emits(nodes.And)
def _and(scope: Scope, node: nodes.And) -> Operand:
    return _junction(scope, node.items, decisive=False)


@emits(nodes.Or)
def _or(scope: Scope, node: nodes.Or) -> Operand:
    return _junction(scope, node.items, decisive=True)


_EAGER = 12
"""An operand that costs no more than this, and has no side, is computed without a branch around it."""


def _junction(scope: Scope, items: tuple[Expr, ...], decisive: bool) -> Value:
    """Left to right up to the first decisive item; cheap harmless items are computed without asking."""
    b = scope.b
    combine = b.or_ if decisive else b.and_
    so_far = scope.scalar(items[0])
    end = b.label("end")
    result: Value | None = None
    for item in items[1:]:
        if so_far.const == int(decisive):
            break
        if so_far.const is None and not is_harmless(scope, item):
            if result is None:
                result = b.alloca("i1")
            b.store(so_far, result)
            more = b.label("more")
            b.branch(so_far, *((end, more) if decisive else (more, end)))
            b.start(more)
            so_far = scope.scalar(item)
        else:
            so_far = combine(so_far, scope.scalar(item))
    if result is None:
        return so_far
    b.store(so_far, result)
    b.start(end)
    return b.load("i1", result)


def is_harmless(scope: Scope, expr: Expr) -> bool:
    """Whether an expression may be computed although its value is not asked for: cheap, cannot fault,
    and reads nothing at an index that holds only where it is asked for."""
    return _harmless_cost(scope, expr) <= _EAGER


def _harmless_cost(scope: Scope, expr: Expr) -> int:
    never = 1 << 20
    match expr:
        case nodes.Const() | nodes.Local():
            return 0
        case nodes.Read() | nodes.Lookup():
            return 2 if all(_has_declared_type(scope, index) for index in expr.indices) else never
        case nodes.Compare():
            parts: tuple[Expr, ...] = (expr.left, expr.right)
        case nodes.And() | nodes.Or():
            parts = expr.items
        case nodes.Not() | nodes.Is() | nodes.Convert() | nodes.Negate() | nodes.Cycle():
            parts = (expr.operand,)
        case nodes.Arithmetic(op="+" | "-" | "min" | "max") if isinstance(expr.type, Int):
            parts = (expr.left, expr.right)
        case nodes.Conditional():
            parts = (expr.condition, expr.then, expr.otherwise)
        case _:
            return never
    if any(isinstance(part.type, Rational | Tuple) for part in parts):
        return never
    return 1 + sum(_harmless_cost(scope, part) for part in parts)


def _has_declared_type(scope: Scope, index: Expr) -> bool:
    """Whether an index is certainly within its type, also where the conditions around it fail."""
    if isinstance(index, nodes.Local):
        return scope.types.get(index.slot) == index.type
    return isinstance(index, nodes.Const)


@emits(nodes.Not)
def _not(scope: Scope, node: nodes.Not) -> Operand:
    return scope.b.not_(scope.scalar(node.operand))


@emits(nodes.Conditional)
def _conditional(scope: Scope, node: nodes.Conditional) -> Operand:
    b = scope.b
    condition = scope.scalar(node.condition)
    if condition.const is not None:
        return scope.coerce(scope.value(node.then if condition.const else node.otherwise), node.type)
    if is_harmless(scope, node.then) and is_harmless(scope, node.otherwise):
        then = flatten(scope.coerce(scope.value(node.then), node.type))
        otherwise = flatten(scope.coerce(scope.value(node.otherwise), node.type))
        items = [b.select(condition, x, y) for x, y in zip(then, otherwise, strict=True)]
        return unflatten(node.type, iter(items))
    result = scope.merge(node.type)
    yes, no, end = (b.label(hint) for hint in ("then", "else", "end"))
    b.branch(condition, yes, no)
    for label, expr in ((yes, node.then), (no, node.otherwise)):
        b.start(label)
        result.set(scope.value(expr))
        b.br(end)
    b.start(end)
    return result.get()


@emits(nodes.Is)
def _is(scope: Scope, node: nodes.Is) -> Operand:
    return in_ranges(scope, scope.scalar(node.operand), node.ranges)


def in_ranges(scope: Scope, value: Value, ranges: tuple[tuple[int, int], ...]) -> Value:
    """Whether a number lies in one of the ranges [start, stop)."""
    b = scope.b
    if len(ranges) > 2 and ranges[0][0] >= 0 and ranges[-1][1] <= 64:
        wanted = sum((1 << stop) - (1 << start) for start, stop in ranges)
        below = b.compare("ult", value, const(value.type, 64))
        number = b.select(below, b.resize(value, "i64", signed=False), const("i64", 0))
        found = b.resize(b.op("lshr", const("i64", wanted), number), "i1")
        return b.and_(below, found)
    result = FALSE
    for start, stop in ranges:
        if stop - start == 1:
            inside = b.compare("eq", value, const(value.type, start))
        else:
            offset = b.sub(value, const(value.type, start))
            inside = b.compare("ult", offset, const(value.type, stop - start))
        result = b.or_(result, inside)
    return result


# -------------------------------------------------------------------------- calls


@emits(nodes.Call)
def _call(scope: Scope, node: nodes.Call) -> Operand:
    function = scope.program.model.functions[node.function]
    arguments = [scope.value(argument) for argument in node.arguments]
    flat = [
        item
        for formal, argument in zip(function.formals, arguments, strict=True)
        for item in flatten(scope.coerce(argument, formal.type))
    ]
    if scope.memo is not None and all(item.const is not None for item in flat):
        return _remembered(scope, node, tuple(item.ref for item in flat), flat)
    results = scope.call(scope.unit.function(function), flat)
    return scope.coerce(unflatten(function.type, iter(results)), node.type)


def _remembered(scope: Scope, node: nodes.Call, key: tuple[str, ...], flat: list[Value]) -> Operand:
    """A call that gives the same value throughout (the position does not change): made at most once."""
    b = scope.b
    function = scope.program.model.functions[node.function]
    assert scope.memo is not None
    callee = scope.unit.function(function)
    if scope.program.facts.cost(node) < _WORTH_REMEMBERING:
        results = scope.call(callee, flat)
        return scope.coerce(unflatten(function.type, iter(results)), node.type)
    full_key = (node.function, *key)
    if full_key not in scope.memo.known:
        known = b.alloca("i1")
        scope.memo.known[full_key] = (known, [b.alloca(ir) for ir in callee.results])
        b.insert(scope.memo.mark, f"store {FALSE}, {known}")
    known, memory = scope.memo.known[full_key]
    compute, have = b.label("compute"), b.label("have")
    b.branch(b.load("i1", known), have, compute)
    b.start(compute)
    for item, pointer in zip(scope.call(callee, flat), memory, strict=True):
        b.store(item, pointer)
    b.store(TRUE, known)
    b.start(have)
    results = [b.load(ir, pointer) for ir, pointer in zip(callee.results, memory, strict=True)]
    return scope.coerce(unflatten(function.type, iter(results)), node.type)


_WORTH_REMEMBERING = 60


@emits(nodes.After)
def _after(scope: Scope, node: nodes.After) -> Operand:
    b = scope.b
    effect = scope.program.model.effects[node.effect]
    arguments = _arguments(scope, effect, node.arguments)
    assert scope.position is not None
    size = scope.program.layout.size
    supposed = b.alloca("i64", max(2, size // 8), 16)
    b.copy(supposed, scope.position, size)
    with scope.in_position(supposed):
        if scope.program.facts.pays(effect):
            arguments.append(unpaid(scope))
        scope.call(scope.unit.effect(effect, None), arguments)
        return scope.value(node.body)


def unpaid(scope: Scope) -> Value:
    """Memory for rewards that nobody gets."""
    from gdl.native.emit.chance import clear_rewards

    memory = scope.b.alloca("i64", 2 * len(scope.program.model.players.members))
    clear_rewards(scope, memory)
    return memory


def _arguments(scope: Scope, effect: nodes.Effect, arguments: tuple[Expr, ...]) -> list[Value]:
    values = [scope.value(argument) for argument in arguments]
    return [
        item
        for formal, value in zip(effect.formals, values, strict=True)
        for item in flatten(scope.coerce(value, formal.type))
    ]


@emits(nodes.Perform)
def _perform(scope: Scope, node: nodes.Perform) -> None:
    effect = scope.program.model.effects[node.effect]
    arguments = _arguments(scope, effect, node.arguments)
    if effect.draws:
        assert scope.chance_state is not None
        arguments.append(scope.chance_state)
    if scope.program.facts.pays(effect):
        arguments.append(scope.rewards if scope.rewards is not None else unpaid(scope))
    scope.call(scope.unit.effect(effect, scope.chance), arguments)


# --------------------------------------------------------------- tuples and order


@emits(nodes.TupleOf)
def _tuple_of(scope: Scope, node: nodes.TupleOf) -> Operand:
    return scope.coerce(tuple(scope.value(item) for item in node.items), node.type)


@emits(nodes.Field)
def _field(scope: Scope, node: nodes.Field) -> Operand:
    operand = scope.value(node.operand)
    assert isinstance(operand, tuple)
    item: Operand = operand[node.index]
    return scope.coerce(item, node.type)


@emits(nodes.Rank)
def _rank(scope: Scope, node: nodes.Rank) -> Operand:
    return scope.coerce(ordinal(scope, node.operand.type, scope.value(node.operand)), node.type)


@emits(nodes.Ranked)
def _ranked(scope: Scope, node: nodes.Ranked) -> Operand:
    return from_ordinal(scope, node.type, scope.scalar(node.operand))


@emits(nodes.Cycle)
def _cycle(scope: Scope, node: nodes.Cycle) -> Operand:
    b = scope.b
    number = ordinal(scope, node.type, scope.coerce(scope.value(node.operand), node.type))
    size = index_size(node.type)
    if size == 1:
        result = number
    elif size == 2:
        result = b.xor(number, const(number.type, 1))
    elif node.by == 1:
        last = b.compare("eq", number, const(number.type, size - 1))
        result = b.select(last, const(number.type, 0), b.add(number, const(number.type, 1)))
    else:
        first = b.compare("eq", number, const(number.type, 0))
        result = b.select(first, const(number.type, size - 1), b.sub(number, const(number.type, 1)))
    return from_ordinal(scope, node.type, result)
