"""Code for tests of many elements at once, after the plans that plans.py finds.

A test over a board becomes a few operations on words: `all(board[c] == p for c in line)` over many constant
lines groups the lines that are translates of one another and finds all of a group at once, by shifting and
combining the plane of p; `count` becomes a population count; a random legal move becomes a random set bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from gdl.model import nodes
from gdl.model.nodes import Expr, Model
from gdl.model.types import BOOL, ListOf, SetOf, Type, Union, ordinal
from gdl.native import plans
from gdl.native.aggregates import each_combination, fold_values
from gdl.native.analysis import Facts, walk
from gdl.native.conversion import convert, none_of
from gdl.native.domains import count
from gdl.native.ir import FALSE, TRUE, Value, const, i32, width
from gdl.native.layout import index_size
from gdl.native.lists import load_constant
from gdl.native.logic import constant
from gdl.native.memory import flat_index, from_ordinal, read_plane
from gdl.native.memory import ordinal as ordinal_of
from gdl.native.plans import Plan, Planner, is_scalar
from gdl.native.scope import Scope
from gdl.native.sets import each_bit, singleton
from gdl.native.values import Operand, set_ir
from gdl.reference.domains import values_of


@dataclass(frozen=True, slots=True)
class Selection:
    """The values of a binder that satisfy a test, as a mask; `slot` is the binder's."""

    slot: int
    element: Type
    mask: Plan


@dataclass(frozen=True, slots=True)
class Lines:
    """A test of lines: constant sets of elements, of which each must lie all (or partly) in a mask."""

    element: Type
    test: Plan  # of one element
    lines: tuple[int, ...]
    inner: str  # "all" or "any"


@dataclass(frozen=True, slots=True)
class Filtered:
    """A comprehension whose condition is a mask and whose body is evaluated for each set bit."""

    selection: Selection


Quick = Selection | Lines | Filtered


class Masks:
    """The plans of a Model, and the planes that they read."""

    def __init__(self, model: Model, facts: Facts):
        self._model = model
        self._planner = Planner(model, facts)
        self._aggregates: dict[int, tuple[nodes.Aggregate, Quick | None]] = {}
        self._choices: dict[int, tuple[Any, tuple[Selection, tuple[Expr, ...]] | None]] = {}
        self.planes: dict[str, set[int]] = {}
        dynamic: set[str] = set()
        for plan in self._wanted():
            for plane in plans.planes_of(plan):
                self.planes.setdefault(plane.variable, set()).update(plane.values)
                if plane.value is not None:
                    dynamic.add(plane.variable)
        for name in dynamic:  # addressed by value: no gaps
            self.planes[name] = set(range(min(self.planes[name]), max(self.planes[name]) + 1))

    def _wanted(self) -> Iterator[Plan]:
        """The plans of everything that play needs; features and pictures make do with what there is."""
        for root, types in _frames(self._model, self._planner.facts):
            self._planner.enter(types)
            for part in walk(root):
                if isinstance(part, nodes.Aggregate):
                    quick = self._plan_aggregate(part)
                    if quick is not None:
                        yield _mask_of(quick)
                elif isinstance(part, nodes.Draw) and part.condition is not None:
                    yield from self._selection_of_draw(part)
        for move in self._model.moves:
            self._planner.enter(_move_types(move))
            for parameter in move.parameters:
                chosen = self._plan_choice(parameter)
                if chosen is not None:
                    yield chosen[0].mask

    def _selection_of_draw(self, draw: nodes.Draw) -> Iterator[Plan]:
        if draw.weight is None and draw.condition is not None:
            selection = self._select(draw.domain, draw.slot, draw.condition)
            if selection is not None:
                yield selection.mask

    # -------------------------------------------------------------------- planning

    def _select(self, domain: nodes.Domain, slot: int, test: Expr | None) -> Selection | None:
        found = self._planner.domain(domain)
        if found is None:
            return None
        element, base = found
        plan = None if test is None else self._planner.plan(test, slot, element)
        if test is not None and plan is None:
            return None
        items = tuple(item for item in (base, plan) if item is not None)
        if not items:
            items = (plans.Uniform(nodes.Const(True, BOOL, self._model.terminal.span)),)
        return Selection(slot, element, items[0] if len(items) == 1 else plans.Every(items))

    def _plan_aggregate(self, node: nodes.Aggregate) -> Quick | None:
        known = self._aggregates.get(id(node))
        if known is None:
            known = self._aggregates[id(node)] = (node, self._find(node))
        return known[1]

    def _find(self, node: nodes.Aggregate) -> Quick | None:
        binder = node.binders[-1]
        if binder.unpack:
            return None
        if len(node.binders) == 1:
            lines = self._find_lines(node)
            if lines is not None:
                return lines
        (slot,) = binder.slots
        has_duplicates = isinstance(binder.domain, nodes.ListDomain)
        match node.kind:
            case "any" | "all" | "count":
                if node.kind == "count" and has_duplicates:
                    return None
                body: Expr = node.body
                if node.kind == "all":
                    body = nodes.Not(body, BOOL, node.span)
                if node.condition is not None:
                    body = nodes.And((node.condition, body), BOOL, node.span)
                found = self._select(binder.domain, slot, body)
                if found is not None:
                    return found
            case "set" | "first":
                plain = isinstance(node.body, nodes.Local) and node.body.slot == slot
                if plain and not (node.kind == "first" and has_duplicates):
                    found = self._select(binder.domain, slot, node.condition)
                    if found is not None and self._keeps_type(node, found):
                        return found
            case _:
                pass
        if node.condition is None or len(node.binders) > 1 or has_duplicates:
            return None
        condition = self._select(binder.domain, slot, node.condition)
        return None if condition is None else Filtered(condition)

    def _keeps_type(self, node: nodes.Aggregate, found: Selection) -> bool:
        if node.kind == "set":
            return isinstance(node.type, SetOf) and bool(node.type.element == found.element)
        return len(node.binders) == 1

    def _find_lines(self, node: nodes.Aggregate) -> Lines | None:
        """`any`, `all` or `count` of lines, each tested by an inner `any` or `all` over its elements."""
        if node.kind not in ("any", "all", "count") or node.condition is not None:
            return None
        (binder,) = node.binders
        body = node.body
        while isinstance(body, nodes.Call) and not self._planner.facts.can_fault(body):
            written_out = self._planner.inliner.call(body)
            if written_out is None:
                return None
            body = written_out
        if not isinstance(body, nodes.Aggregate) or body.kind not in ("any", "all"):
            return None
        if len(body.binders) != 1 or body.binders[0].unpack:
            return None
        (inner,) = body.binders
        if not isinstance(inner.domain, nodes.ListDomain):
            return None
        element = inner.domain.element
        if not is_scalar(element) or not 3 <= element.size <= plans.LARGEST_DOMAIN:
            return None
        rows = self._rows(binder, inner.domain.sequence)
        if rows is None:
            return None
        outer, (slot,) = binder.slots[0], inner.slots
        test: Expr = body.body
        if body.condition is not None:
            if body.kind == "any":
                test = nodes.And((body.condition, test), BOOL, body.span)
            else:
                test = nodes.Or((nodes.Not(body.condition, BOOL, body.span), test), BOOL, body.span)
        if any(isinstance(part, nodes.Local) and part.slot == outer for part in walk(test)):
            return None
        plan = self._planner.plan(test, slot, element)
        if plan is None:
            return None
        masks = tuple(sum({1 << ordinal(element, v) for v in row}) for row in rows)
        return Lines(element, plan, masks, body.kind)

    def _rows(self, binder: nodes.Binder, sequence: Expr) -> list[tuple[Any, ...]] | None:
        """The list that the sequence is for each value of the outer binder, if that is known now."""
        domain = binder.domain
        if binder.unpack or self._planner.facts.reads(sequence) or self._planner.facts.can_fault(sequence):
            return None
        (slot,) = binder.slots
        if any(isinstance(part, nodes.Local) and part.slot != slot for part in walk(sequence)):
            return None
        match domain:
            case nodes.ListDomain(sequence=nodes.Const()):
                outer: Iterable[Any] = domain.sequence.value
            case nodes.TypeDomain() if domain.element.size <= plans.LARGEST_DOMAIN:  # type: ignore[union-attr]
                outer = values_of(domain.element)
            case nodes.RangeDomain(lo=nodes.Const(), hi=nodes.Const()):
                outer = range(domain.lo.value, domain.hi.value + 1)
            case _:
                return None
        return [self._planner.evaluate(sequence, slot, value) for value in outer]

    def _plan_choice(self, parameter: nodes.MoveParameter) -> tuple[Selection, tuple[Expr, ...]] | None:
        known = self._choices.get(id(parameter))
        if known is None:
            known = self._choices[id(parameter)] = (parameter, self._find_choice(parameter))
        return known[1]

    def _find_choice(self, parameter: nodes.MoveParameter) -> tuple[Selection, tuple[Expr, ...]] | None:
        if parameter.domain is None or isinstance(parameter.domain, nodes.ListDomain):
            return None
        found = self._planner.domain(parameter.domain)
        if found is None:
            return None
        element, base = found
        items: list[Plan] = [] if base is None else [base]
        tested = []
        for guard in parameter.guards:
            plan = self._planner.plan(guard, parameter.slot, element)
            if plan is not None:
                items.append(plan)
                tested.append(guard)
        if not items:
            return None
        mask = items[0] if len(items) == 1 else plans.Every(tuple(items))
        return Selection(parameter.slot, element, mask), tuple(tested)

    # ------------------------------------------------------------------------ code

    def aggregate(self, scope: Scope, node: nodes.Aggregate) -> Operand | None:
        """The value of a comprehension by mask operations, or None where there is no plan for it."""
        quick = self._plan_aggregate(node)
        if quick is None or not self._is_available(scope, _mask_of(quick)):
            return None
        match quick:
            case Lines():
                return _write_lines(scope, node.kind, quick)
            case Filtered():
                return fold_values(scope, node, lambda body: _each_selected(scope, quick.selection, body))
            case Selection():
                if len(node.binders) == 1:
                    return _write_selection(scope, node, quick)
                return _write_nested(scope, node, quick)

    def _is_available(self, scope: Scope, plan: Plan) -> bool:
        for plane in plans.planes_of(plan):
            planes = scope.program.layout.places[plane.variable].planes
            if planes is None or not set(plane.values) <= set(planes.values):
                return False
        return True

    def candidates(
        self, scope: Scope, domain: nodes.Domain, slot: int, condition: Expr | None
    ) -> tuple[Value, Callable[[Value], Operand]] | None:
        """The candidates of a draw as a mask, and the candidate of a bit."""
        if condition is None or isinstance(domain, nodes.ListDomain):
            return None
        selection = self._select(domain, slot, condition)
        if selection is None or not self._is_available(scope, selection.mask):
            return None
        return write(scope, selection.mask, selection.element), _element_at(scope, selection.element)

    def guard_mask(
        self, scope: Scope, parameter: nodes.MoveParameter
    ) -> tuple[Value, Callable[[Value], Operand], tuple[Expr, ...]] | None:
        """The values of a move's parameter that pass some of its guards, as a mask; and those guards."""
        chosen = self._plan_choice(parameter)
        if chosen is None or not self._is_available(scope, chosen[0].mask):
            return None
        selection, tested = chosen
        return write(scope, selection.mask, selection.element), _element_at(scope, selection.element), tested


def _mask_of(quick: Quick) -> Plan:
    match quick:
        case Selection():
            return quick.mask
        case Lines():
            return quick.test
        case Filtered():
            return quick.selection.mask


def _element_at(scope: Scope, element: Type) -> Callable[[Value], Operand]:
    return lambda bit: from_ordinal(scope, element, bit)


def _frames(model: Model, facts: Facts) -> Iterator[tuple[Any, dict[int, Type | None]]]:
    """The bodies that play needs, each with the declared types of its slots."""
    sections = (model.terminal, model.player)
    starts: list[Any] = [section.body for section in sections]
    starts += [model.utility.body, model.initial.body]
    for move in model.moves:
        types = _move_types(move)
        for part in (move.guards, *((p.guards, p.value, p.domain) for p in move.parameters), move.body):
            yield part, types
            starts.append(part)
    for body in starts[:4]:
        yield body, plans.slot_types(body)
    for kind, name in _reachable(model, starts):
        owner = model.functions[name] if kind == "function" else model.effects[name]
        types = plans.slot_types(owner.body)
        for formal in owner.formals:
            types[formal.slot] = formal.type
        yield owner.body, types


def _reachable(model: Model, starts: list[Any]) -> list[tuple[str, str]]:
    """The functions and effects that are called from some bodies, directly or not."""
    found: dict[tuple[str, str], None] = {}
    pending = list(starts)
    while pending:
        for part in walk(pending.pop()):
            match part:
                case nodes.Call():
                    key = ("function", part.function)
                case nodes.After() | nodes.Perform():
                    key = ("effect", part.effect)
                case _:
                    continue
            if key not in found:
                found[key] = None
                owner = model.functions[key[1]] if key[0] == "function" else model.effects[key[1]]
                pending.append(owner.body)
    return list(found)


def _move_types(move: nodes.Move) -> dict[int, Type | None]:
    types = plans.slot_types((move.guards, move.body))
    for parameter in move.parameters:
        types |= plans.slot_types((parameter.guards, parameter.value, parameter.domain))
    for parameter in move.parameters:
        types[parameter.slot] = parameter.type
    return types


# ------------------------------------------------------------------ writing a mask


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
            return singleton(scope, ordinal_of(scope, plan.element, value), ir)
        case plans.Complement():
            return b.xor(write(scope, plan.item, element), full)
        case plans.Every():
            result = write(scope, plan.items[0], element)
            for item in plan.items[1:]:
                result = b.and_(result, write(scope, item, element))
            return result
        case plans.Some():
            result = write(scope, plan.items[0], element)
            for item in plan.items[1:]:
                result = b.or_(result, write(scope, item, element))
            return result
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
        bits = read_plane(scope, place, ordinal_of(scope, place.variable.type, value), row)
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
        digit = ordinal_of(scope, key.type, scope.value(key))
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


# ------------------------------------------------------------- writing comprehensions


def _write_selection(scope: Scope, node: nodes.Aggregate, selection: Selection) -> Operand:
    b = scope.b
    mask = write(scope, selection.mask, selection.element)
    match node.kind:
        case "any":
            return b.compare("ne", mask, const(mask.type, 0))
        case "all":
            return b.compare("eq", mask, const(mask.type, 0))
        case "count":
            return b.popcount(mask)
        case "set":
            return mask
        case _:
            return _write_first(scope, node, selection, mask)


def _write_first(scope: Scope, node: nodes.Aggregate, selection: Selection, mask: Value) -> Operand:
    b = scope.b
    assert isinstance(node.type, Union)
    result, some, end = scope.merge(node.type), b.label("some"), b.label("end")
    result.set(constant(scope, node.type, none_of(node.type)))
    b.branch(b.compare("eq", mask, const(mask.type, 0)), end, some)
    b.start(some)
    value = from_ordinal(scope, selection.element, b.trailing_zeros(mask))
    result.set(convert(scope, value, selection.element, node.type)[1])
    b.start(end)
    return result.get()


def _write_nested(scope: Scope, node: nodes.Aggregate, selection: Selection) -> Operand | None:
    """Loops over the outer binders, a mask over the last one."""
    if node.kind == "first":
        return None
    b = scope.b
    outer = node.binders[:-1]
    if node.kind in ("any", "all"):
        result, end = b.alloca("i1"), b.label("decided")
        b.store(FALSE if node.kind == "any" else TRUE, result)

        def test() -> None:
            mask = write(scope, selection.mask, selection.element)
            settles, more = b.label("settles"), b.label("more")
            b.branch(b.compare("ne", mask, const(mask.type, 0)), settles, more)
            b.start(settles)
            b.store(TRUE if node.kind == "any" else FALSE, result)
            b.br(end)
            b.start(more)

        each_combination(scope, outer, None, test)
        b.start(end)
        return b.load("i1", result)
    ir = "i32" if node.kind == "count" else set_ir(index_size(selection.element))
    total = b.alloca(ir)
    b.store(const(ir, 0), total)

    def tally() -> None:
        mask = write(scope, selection.mask, selection.element)
        so_far = b.load(ir, total)
        b.store(b.add(so_far, b.popcount(mask)) if node.kind == "count" else b.or_(so_far, mask), total)

    each_combination(scope, outer, None, tally)
    return b.load(ir, total)


def _each_selected(scope: Scope, selection: Selection, body: Callable[[], None]) -> None:
    b = scope.b
    done = b.label("done")

    def one(bit: Value) -> None:
        scope.set_slot(selection.slot, from_ordinal(scope, selection.element, bit))
        body()

    each_bit(scope, write(scope, selection.mask, selection.element), one, done)
    b.start(done)


# ------------------------------------------------------------------- writing lines

_FEW_GROUPS = 12


def _write_lines(scope: Scope, kind: str, lines: Lines) -> Operand:
    """How many lines lie in the mask, or whether any, or whether all do."""
    b = scope.b
    mask = write(scope, lines.test, lines.element)
    if kind != "count" and kind == lines.inner:
        union = 0
        for line in lines.lines:
            union |= line
        wanted = const(mask.type, union)
        if kind == "any":
            return b.compare("ne", b.and_(mask, wanted), const(mask.type, 0))
        return b.compare("eq", b.and_(mask, wanted), wanted)
    if lines.inner == "any":  # a line is touched unless it lies in the complement
        mask = b.not_(mask)
        if kind == "all":
            return b.not_(_contained(scope, mask, lines))
        count = _count_contained(scope, mask, lines)
        return b.sub(i32(len(lines.lines)), count)
    if kind == "any":
        return _contained(scope, mask, lines)
    return _count_contained(scope, mask, lines)


def _translates(lines: Iterable[int]) -> dict[tuple[int, ...], int]:
    """Lines grouped by shape: the distances from the first element, and the set of first elements."""
    groups: dict[tuple[int, ...], int] = {}
    for line in lines:
        elements = [k for k in range(line.bit_length()) if line >> k & 1]
        shape = tuple(k - elements[0] for k in elements)
        groups[shape] = groups.get(shape, 0) | 1 << elements[0]
    return groups


def _starts(scope: Scope, mask: Value, shape: tuple[int, ...], starts: int) -> Value:
    """The first elements of the lines of one shape that lie in the mask."""
    b = scope.b
    result = b.and_(mask, const(mask.type, starts))
    for distance in shape[1:]:
        result = b.and_(result, b.lshr(mask, distance))
    return result


def _contained(scope: Scope, mask: Value, lines: Lines) -> Value:
    """Whether any line lies in the mask."""
    b = scope.b
    if 0 in lines.lines:
        return TRUE
    groups = _translates(lines.lines)
    if len(groups) <= max(_FEW_GROUPS, len(lines.lines) // 4):
        found = const(mask.type, 0)
        for shape, starts in groups.items():
            found = b.or_(found, _starts(scope, mask, shape, starts))
        return b.compare("ne", found, const(mask.type, 0))
    result, end = b.alloca("i1"), b.label("decided")
    b.store(FALSE, result)

    def test(line: Value) -> None:
        hit, miss = b.label("hit"), b.label("miss")
        b.branch(b.compare("eq", b.and_(mask, line), line), hit, miss)
        b.start(hit)
        b.store(TRUE, result)
        b.br(end)
        b.start(miss)

    _each_line(scope, mask.type, lines, test)
    b.start(end)
    return b.load("i1", result)


def _count_contained(scope: Scope, mask: Value, lines: Lines) -> Value:
    b = scope.b
    total = i32(lines.lines.count(0))
    solid = [line for line in lines.lines if line]
    groups = _translates(solid)
    distinct = len(set(solid)) == len(solid)
    if distinct and len(groups) <= max(_FEW_GROUPS, len(solid) // 4):
        for shape, starts in groups.items():
            total = b.add(total, b.popcount(_starts(scope, mask, shape, starts)))
        return total
    memory = b.alloca("i32")
    b.store(i32(0), memory)

    def tally(line: Value) -> None:
        inside = b.zext(b.compare("eq", b.and_(mask, line), line), "i32")
        b.store(b.add(b.load("i32", memory), inside), memory)

    _each_line(scope, mask.type, lines, tally)
    return b.load("i32", memory)


def _each_line(scope: Scope, ir: str, lines: Lines, body: Callable[[Value], None]) -> None:
    count(scope, i32(len(lines.lines)), lambda k: body(load_constant(scope, lines.lines, k, ir)))

