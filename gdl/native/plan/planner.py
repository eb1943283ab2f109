"""The planner: finds, looking at the Model alone, how a test of many elements is a mask (see plans.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from gdl.diagnostics.faults import Fault
from gdl.model import nodes
from gdl.model.nodes import Expr, Model
from gdl.model.types import BOOL, Int, ListOf, SetOf, Type, ordinal, values
from gdl.model.walk import walk
from gdl.native.emit.conversion import ordinal_pieces
from gdl.native.layout.layout import index_size
from gdl.native.plan.analysis import Facts
from gdl.native.plan.inlining import Inliner, rebuilt
from gdl.native.plan.plans import (
    ALL,
    Choice,
    Complement,
    Every,
    Guarded,
    Members,
    Plan,
    Plane,
    Row,
    Single,
    Some,
    Table,
    Uniform,
    is_scalar,
)
from gdl.native.plan.safety import Safety
from gdl.reference.interpret import Interpreter

LARGEST_DOMAIN = 1024
_MANY_PLANES = 16
_MANY_VALUES = 256
_MANY_SHIFTS = 8
_LARGEST_TABLE = 8192
_LARGEST_KEY = 64
_FEW_KEYS = 4


class Planner:
    """Finds plans in one Model."""

    def __init__(self, model: Model, facts: Facts, is_lines: Callable[[nodes.Aggregate], bool]):
        self.is_lines = is_lines  # whether a comprehension tests constant lines, which has a way of its own
        self.model = model
        self.facts = facts
        self.inliner = Inliner(model)
        self._interpreter = Interpreter(model.variables, model.tables, model.functions, model.effects)
        self._variables = {variable.name: variable for variable in model.variables}
        self._safety = Safety(model, facts, self.inliner)

    def evaluate(self, expr: Expr, slot: int, value: Any) -> Any:
        """The value of an expression that depends on one slot only; None where it has none."""
        return _evaluated(self._interpreter.expression(expr), slot, value)

    def enter(self, types: dict[int, Type | None]) -> None:
        """The declared types of the slots of the frame that follows; None where they differ."""
        self._safety.enter(types)

    def is_safe(self, node: Any, exactly: bool = False) -> bool:
        """Whether an expression may be computed where the rules would not ask for it (see safety.py)."""
        return self._safety.is_safe(node, exactly)

    # -------------------------------------------------------------------- domains

    def domain(self, domain: nodes.Domain) -> tuple[Type, Plan | None] | None:
        """The type of a domain's values and the mask of those in it (None: all); None where unsuitable."""
        base: Plan | None = None
        match domain:
            case nodes.TypeDomain():
                element = domain.element
            case nodes.RangeDomain(lo=nodes.Const(value=low), hi=nodes.Const(value=high)):
                element = Int(low, high)
            case nodes.SetDomain():
                assert isinstance(domain.set.type, SetOf)
                element = domain.set.type.element
                base = Members(domain.set, 0)
            case nodes.ListDomain():
                assert isinstance(domain.sequence.type, ListOf)
                element = domain.element
                if not is_scalar(element):
                    return None
                base = Row(domain.sequence, element)
            case _:
                return None
        if not is_scalar(element) or not 3 <= index_size(element) <= LARGEST_DOMAIN:
            return None
        if base is not None and self.facts.can_fault(domain):
            return None
        return element, base

    # ---------------------------------------------------------------------- plans

    def plan(self, expr: Expr, slot: int, element: Type) -> Plan | None:
        """How to compute a boolean expression for all values of the name in a slot at once."""
        if self.facts.can_fault(expr):
            return None
        if not _depends(expr, {slot}):
            return Uniform(expr) if self.is_safe(expr) else None
        match expr:
            case nodes.And():
                return self._conjunction(expr, slot, element)
            case nodes.Or():
                items = [self.plan(item, slot, element) for item in expr.items]
                return None if None in items else Some(tuple(i for i in items if i is not None))
            case nodes.Not():
                item = self.plan(expr.operand, slot, element)
                return None if item is None else Complement(item)
            case nodes.Conditional():
                return self._conditional(expr, slot, element)
            case nodes.Call():
                body = self.inliner.call(expr)
                return None if body is None else self.plan(body, slot, element)
            case nodes.Convert() if expr.type == BOOL and expr.operand.type == BOOL:
                return self.plan(expr.operand, slot, element)
            case _:
                pass
        return (
            self._single(expr, slot, element)
            or self._members(expr, slot, element)
            or self._plane(expr, slot, element)
            or self._table(expr, slot, element)
        )

    def _conjunction(self, expr: nodes.And, slot: int, element: Type) -> Plan | None:
        """Conjuncts that do not depend on the name come first and guard the others."""
        fixed = [item for item in expr.items if not _depends(item, {slot})]
        moving = [item for item in expr.items if _depends(item, {slot})]
        first = expr.items.index(moving[0])
        if any(expr.items.index(item) > first and not self.is_safe(item) for item in fixed):
            return None
        plans = [self.plan(item, slot, element) for item in moving]
        if None in plans:
            return None
        inner: Plan = Every(tuple(p for p in plans if p is not None)) if len(plans) > 1 else plans[0]  # type: ignore[assignment]
        if not fixed:
            return inner
        guard = fixed[0] if len(fixed) == 1 else nodes.And(tuple(fixed), BOOL, expr.span)
        return Guarded(guard, inner)

    def _conditional(self, expr: nodes.Conditional, slot: int, element: Type) -> Plan | None:
        then = self.plan(expr.then, slot, element)
        otherwise = self.plan(expr.otherwise, slot, element)
        if then is None or otherwise is None:
            return self._table(expr, slot, element)
        if not _depends(expr.condition, {slot}):
            return Choice(expr.condition, then, otherwise) if self.is_safe(expr.condition) else None
        test = self.plan(expr.condition, slot, element)
        if test is None:
            return None
        return Some((Every((test, then)), Every((Complement(test), otherwise))))

    def _single(self, expr: Expr, slot: int, element: Type) -> Plan | None:
        """`name == value`."""
        if not isinstance(expr, nodes.Compare) or expr.op not in ("==", "!="):
            return None
        for one, other in ((expr.left, expr.right), (expr.right, expr.left)):
            if isinstance(one, nodes.Local) and one.slot == slot and not _depends(other, {slot}):
                inside = (
                    isinstance(element, Int) and isinstance(other.type, Int) and _within(other.type, element)
                )
                if (other.type == element or inside) and self.is_safe(other, exactly=True):
                    plan: Plan = Single(other, element)
                    return Complement(plan) if expr.op == "!=" else plan
        return None

    def _members(self, expr: Expr, slot: int, element: Type) -> Plan | None:
        """`name in set`."""
        if not isinstance(expr, nodes.Contains) or _depends(expr.set, {slot}):
            return None
        if not (isinstance(expr.item, nodes.Local) and expr.item.slot == slot and self.is_safe(expr.set)):
            return None
        assert isinstance(expr.set.type, SetOf)
        inner = expr.set.type.element
        if inner == element:
            return Members(expr.set, 0)
        if isinstance(inner, Int) and isinstance(element, Int):
            return Members(expr.set, element.lo - inner.lo)
        return None

    # --------------------------------------------------------------------- planes

    def _plane(self, expr: Expr, slot: int, element: Type) -> Plan | None:
        """A test of one element of a map, whose last index depends on the name."""
        reads = [
            part for part in walk(expr) if isinstance(part, nodes.Read) and _depends(part.indices, {slot})
        ]
        if not reads or any(read is not reads[0] and read != reads[0] for read in reads):
            return None
        read = reads[0]
        variable = self._variables[read.variable]
        outer = read.indices[:-1]
        if not variable.indices or not is_scalar(variable.type) or index_size(variable.type) > _MANY_VALUES:
            return None
        if _depends(outer, {slot}) or not all(self.is_safe(index, exactly=True) for index in outer):
            return None
        moves = self._moves(read.indices[-1], variable.indices[-1], slot, element)
        if moves is None:
            return None
        return self._plane_of_value(expr, read, variable, outer, moves, slot) or self._plane_of_values(
            expr, read, variable, outer, moves, slot
        )

    def _moves(
        self, index: Expr, type_: Type, slot: int, element: Type
    ) -> tuple[tuple[int, int], ...] | None:
        """Where in its row the element of each value of the name lies, grouped by distance."""
        if not is_scalar(type_) or any(
            isinstance(part, nodes.Local) and part.slot != slot for part in walk(index)
        ):
            return None
        if self.facts.reads(index):
            return None
        evaluate = self._interpreter.expression(index)
        groups: dict[int, int] = {}
        for k, value in enumerate(values(element)):
            there = _evaluated(evaluate, slot, value)
            if there is None or not _holds(type_, there):
                continue
            shift = ordinal(type_, there) - k
            groups[shift] = groups.get(shift, 0) | 1 << k
        return tuple(groups.items()) if 0 < len(groups) <= _MANY_SHIFTS else None

    def _plane_of_values(
        self,
        expr: Expr,
        read: nodes.Read,
        variable: nodes.Variable,
        outer: tuple[Expr, ...],
        moves: tuple[tuple[int, int], ...],
        slot: int,
    ) -> Plan | None:
        """The test holds for certain values of the element, whatever else."""
        at = max([_KEY_SLOT, *(part.slot for part in walk(expr) if isinstance(part, nodes.Local))]) + 50
        stand_in = nodes.Local(at, "element", read.type, read.span)
        keys: list[Expr] = []
        test = self._keyed(_replaced(expr, read, stand_in), {at, slot}, keys)
        if test is None or _depends(test, {slot}) or len(keys) > 1:
            return None
        evaluate = self._interpreter.expression(test)
        if not keys:
            return self._plane_where(lambda v: _evaluated(evaluate, at, v), variable, outer, moves)
        (key,) = keys
        if index_size(key.type) > _FEW_KEYS:
            return None
        result: Plan | None = None
        for value in reversed(list(values(key.type))):
            side = self._plane_where(partial(_evaluated_with, evaluate, at, value), variable, outer, moves)
            if side is None:
                return None
            same = nodes.Compare("==", key, nodes.Const(value, key.type, key.span), BOOL, key.span)
            result = side if result is None else Choice(same, side, result)
        return result

    def _plane_where(
        self,
        holds: Callable[[Any], Any],
        variable: nodes.Variable,
        outer: tuple[Expr, ...],
        moves: tuple[tuple[int, int], ...],
    ) -> Plan | None:
        """The elements whose value passes a test: their planes, or the complement of the others'."""
        chosen = [ordinal(variable.type, value) for value in values(variable.type) if holds(value)]
        others = [k for k in range(index_size(variable.type)) if k not in chosen]
        if len(chosen) <= len(others):
            return Plane(variable.name, outer, moves, tuple(chosen)) if len(chosen) <= _MANY_PLANES else None
        if len(others) > _MANY_PLANES:
            return None
        return Complement(Plane(variable.name, outer, moves, tuple(others)))

    def _plane_of_value(
        self,
        expr: Expr,
        read: nodes.Read,
        variable: nodes.Variable,
        outer: tuple[Expr, ...],
        moves: tuple[tuple[int, int], ...],
        slot: int,
    ) -> Plan | None:
        """The element equals a value that is known only in play."""
        if not isinstance(expr, nodes.Compare) or expr.op not in ("==", "!="):
            return None
        other = expr.right if expr.left == read else expr.left if expr.right == read else None
        if other is None or _depends(other, {slot}) or not self.is_safe(other, exactly=True):
            return None
        if read.type != variable.type:
            return None
        possible = self._possible(other, variable.type)
        if possible is None or len(possible) > _MANY_PLANES:
            return None
        plan: Plan = Plane(variable.name, outer, moves, tuple(possible), other)
        return Complement(plan) if expr.op == "!=" else plan

    def _possible(self, expr: Expr, type_: Type) -> range | None:
        """The ordinals that a value may have."""
        if isinstance(type_, Int):
            if isinstance(expr.type, Int) and _within(expr.type, type_):
                return range(expr.type.lo - type_.lo, expr.type.hi - type_.lo + 1)
            return None
        if expr.type != type_:
            return None
        if isinstance(expr, nodes.Convert):
            pieces = ordinal_pieces(expr.operand.type, type_)
            if pieces:
                low = min(first + shift for first, _, shift in pieces)
                return range(low, max(last + shift for _, last, shift in pieces) + 1)
        return range(index_size(type_))

    # --------------------------------------------------------------------- tables

    def _table(self, expr: Expr, slot: int, element: Type) -> Plan | None:
        """A test that reads no position where it depends on the name: known now for each key."""
        keys: list[Expr] = []
        template = self._keyed(expr, {slot}, keys)
        if template is None:
            return None
        combinations = 1
        for key in keys:
            combinations *= index_size(key.type)
        if combinations * index_size(element) > _LARGEST_TABLE:
            return None
        evaluate = self._interpreter.expression(template)
        top = max([slot, *(part.slot for part in walk(template) if isinstance(part, nodes.Local))])
        slots = [*(s for p in walk(template) if isinstance(p, nodes.Binder) for s in p.slots)]
        frame: list[Any] = [None] * (max([top, *slots]) + 1)
        masks = []
        for combination in _combinations([key.type for key in keys]):
            for k, value in enumerate(combination):
                frame[_KEY_SLOT + k] = value
            mask = 0
            for k, value in enumerate(values(element)):
                frame[slot] = value
                if _guarded_call(evaluate, frame):
                    mask |= 1 << k
            masks.append(mask)
        return Table(tuple(masks), tuple(keys))

    def _keyed(self, node: Any, bound: set[int], keys: list[Expr]) -> Any:
        """The expression with its parts that do not depend on bound names replaced by numbered locals."""
        if isinstance(node, tuple):
            items = [self._keyed(item, bound, keys) for item in node]
            return (
                None
                if any(i is None and n is not None for i, n in zip(items, node, strict=True))
                else tuple(items)
            )
        if not hasattr(node, "span"):
            return node
        if not _depends(node, bound):
            if isinstance(node, nodes.Const):
                return node
            if not self.facts.reads(node) and not any(isinstance(p, nodes.Local) for p in walk(node)):
                return node
            if not is_scalar(node.type) or index_size(node.type) > _LARGEST_KEY:
                return None
            if not self.is_safe(node, exactly=True):
                return None
            for k, key in enumerate(keys):
                if key == node:
                    return nodes.Local(_KEY_SLOT + k, "key", node.type, node.span)
            keys.append(node)
            return nodes.Local(_KEY_SLOT + len(keys) - 1, "key", node.type, node.span)
        match node:
            case nodes.Local():
                return node
            case nodes.Read() | nodes.After() | nodes.Aggregate():
                return None
            case nodes.Call():
                if self.facts.function_reads(node.function):
                    body = self.inliner.call(node)
                    return None if body is None else self._keyed(body, bound, keys)
            case _:
                pass
        failed = False

        def change(child: Any) -> Any:
            nonlocal failed
            result = self._keyed(child, bound, keys)
            if result is None:
                failed = True
                return child
            return result

        result = rebuilt(node, change)
        return None if failed else result

    # --------------------------------------------------------------------- bounds

    def bound(self, expr: Expr, slot: int, element: Type) -> Plan | None:
        """A mask that has at least the bits of an expression: where a bit is clear the expression is false,
        and computing it would not have faulted. None where nothing better than all bits is known."""
        if not _depends(expr, {slot}):
            return None
        exact = self.plan(expr, slot, element)
        if exact is not None:
            return exact
        match expr:
            case nodes.And():
                return self._bound_every(expr.items, slot, element)
            case nodes.Or():
                sides = [self.bound(item, slot, element) for item in expr.items]
                if None in sides or self.facts.can_fault(expr):
                    return None
                return Some(tuple(side for side in sides if side is not None))
            case nodes.Not():
                pushed = _negated(expr.operand)
                return None if pushed is None else self.bound(pushed, slot, element)
            case nodes.Conditional():
                return self._bound_conditional(expr, slot, element)
            case nodes.Call() if not self.facts.can_fault(expr.arguments):
                body = self.inliner.call(expr)
                return None if body is None else self.bound(body, slot, element)
            case _:
                return None

    def _bound_every(self, items: tuple[Expr, ...], slot: int, element: Type) -> Plan | None:
        found = []
        for item in items:
            side = self.bound(item, slot, element)
            if side is not None:
                found.append(side)
            if self.facts.can_fault(item):
                break  # what follows must not keep this from being computed
        if not found:
            return None
        return found[0] if len(found) == 1 else Every(tuple(found))

    def _bound_conditional(self, expr: nodes.Conditional, slot: int, element: Type) -> Plan | None:
        if self.facts.can_fault(expr.condition):
            return None
        then, otherwise = (self._bound_branch(side, slot, element) for side in (expr.then, expr.otherwise))
        if then == otherwise == ALL:
            return None
        if not _depends(expr.condition, {slot}):
            return Choice(expr.condition, then, otherwise) if self.is_safe(expr.condition) else None
        test = self.plan(expr.condition, slot, element)
        if test is None:
            return None if ALL in (then, otherwise) else Some((then, otherwise))
        return Some((Every((test, then)), Every((Complement(test), otherwise))))

    def _bound_branch(self, expr: Expr, slot: int, element: Type) -> Plan:
        if isinstance(expr, nodes.Const):
            return Uniform(expr)
        return self.bound(expr, slot, element) or ALL


def _negated(expr: Expr) -> Expr | None:
    """`not expr` with the `not` moved inwards, where there is an inwards."""
    match expr:
        case nodes.Not():
            return expr.operand
        case nodes.And():
            return nodes.Or(tuple(nodes.Not(item, BOOL, item.span) for item in expr.items), BOOL, expr.span)
        case nodes.Or():
            return nodes.And(tuple(nodes.Not(item, BOOL, item.span) for item in expr.items), BOOL, expr.span)
        case nodes.Conditional():
            sides = [nodes.Not(side, BOOL, side.span) for side in (expr.then, expr.otherwise)]
            return nodes.Conditional(expr.condition, sides[0], sides[1], BOOL, expr.span)
        case _:
            return None


_KEY_SLOT = 200


def _depends(node: Any, slots: set[int]) -> bool:
    return any(isinstance(part, nodes.Local) and part.slot in slots for part in walk(node))


def _within(inner: Int, outer: Int) -> bool:
    return outer.lo <= inner.lo and inner.hi <= outer.hi


def _holds(type_: Type, value: Any) -> bool:
    return isinstance(value, int) and 0 <= ordinal(type_, value) < index_size(type_)


def _replaced(expr: Any, old: nodes.Read, new: Expr) -> Any:
    if isinstance(expr, tuple):
        return tuple(_replaced(item, old, new) for item in expr)
    if isinstance(expr, nodes.Read) and expr == old:
        return new
    return rebuilt(expr, lambda child: _replaced(child, old, new))


def _evaluated(evaluate: Any, slot: int, value: Any) -> Any:
    frame: list[Any] = [None] * (slot + 1)
    frame[slot] = value
    return _guarded_call(evaluate, frame)


def _evaluated_with(evaluate: Any, slot: int, key: Any, value: Any) -> Any:
    frame: list[Any] = [None] * (slot + 1)
    frame[_KEY_SLOT], frame[slot] = key, value
    return _guarded_call(evaluate, frame)


def _guarded_call(evaluate: Any, frame: list[Any]) -> Any:
    """The value, or None where there is none: the rules never ask for it there."""
    try:
        return evaluate((), frame)
    except (Fault, TypeError, IndexError):
        return None


def _combinations(types: list[Type]) -> Iterable[tuple[Any, ...]]:
    if not types:
        yield ()
        return
    for value in values(types[0]):
        for rest in _combinations(types[1:]):
            yield (value, *rest)
