"""Code for tests of many elements at once, after the plans that plans.py finds.

A test over a board becomes a few operations on words: `all(board[c] == p for c in line)` over many constant
lines groups the lines that are translates of one another and finds all of a group at once, by shifting and
combining the plane of p; `count` becomes a population count; a random legal move becomes a random set bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from gdl.model import nodes
from gdl.model.nodes import Expr, Model
from gdl.model.types import BOOL, ListOf, SetOf, Type, Union, ordinal
from gdl.model.walk import walk
from gdl.native.emit.aggregates import fold_values
from gdl.native.emit.bits import write
from gdl.native.emit.conversion import choose, convert, none_of
from gdl.native.emit.domains import bind_slots, each
from gdl.native.emit.lines import Lines, write_lines
from gdl.native.emit.lists import load_constant
from gdl.native.emit.logic import constant
from gdl.native.emit.scope import Scope
from gdl.native.emit.sets import each_bit
from gdl.native.ir.builder import FALSE, TRUE, Value, const, i32, width
from gdl.native.layout.layout import Layout, index_size
from gdl.native.layout.memory import from_ordinal
from gdl.native.layout.values import Operand, set_ir
from gdl.native.plan import plans
from gdl.native.plan.analysis import Facts
from gdl.native.plan.nests import Level, Nest, arrange, binds_of, binds_of_move, conjuncts_of, masks_of
from gdl.native.plan.planner import LARGEST_DOMAIN, Planner
from gdl.native.plan.plans import Plan, is_scalar
from gdl.native.plan.safety import slot_types
from gdl.reference.domains import values_of


@dataclass(frozen=True, slots=True)
class Along:
    """The first element of a list that passes a test, where every list there may be runs one way."""

    sequence: Expr
    element: Type
    test: Plan


class Masks:
    """The plans of a Model, and the planes that they read."""

    def __init__(self, model: Model, facts: Facts):
        self._model = model
        self._planner = Planner(model, facts, lambda node: self._lines(node) is not None)
        self._found_lines: dict[int, tuple[nodes.Aggregate, Lines | None]] = {}
        self._nests: dict[int, tuple[Any, Nest]] = {}
        self._planned = False  # afterwards only the slots of a comprehension itself have known types
        self.planes: dict[str, set[int]] = {}
        dynamic: set[str] = set()
        for plan in self._wanted():
            for plane in plans.planes_of(plan):
                self.planes.setdefault(plane.variable, set()).update(plane.values)
                if plane.value is not None:
                    dynamic.add(plane.variable)
        for name in dynamic:  # addressed by value: no gaps
            self.planes[name] = set(range(min(self.planes[name]), max(self.planes[name]) + 1))
        self._planned = True

    def _wanted(self) -> Iterator[Plan]:
        """The plans of everything that play needs; features and pictures make do with what there is."""
        for root, types in _frames(self._model):
            self._planner.enter(types)
            for part in walk(root):
                if isinstance(part, nodes.Aggregate):
                    lines, along = self._lines(part), self._along(part)
                    if lines is not None:
                        yield lines.test
                    elif along is not None:
                        yield along.test
                    else:
                        yield from masks_of(self._nest(part))
                elif isinstance(part, nodes.Draw):
                    selection = self._select(part.domain, part.slot, part.condition)
                    if selection is not None and part.weight is None:
                        yield selection[1]
        for move in self._model.moves:
            self._planner.enter(_move_types(move))
            yield from masks_of(self.moves(move))

    # -------------------------------------------------------------------- planning

    def _select(self, domain: nodes.Domain, slot: int, test: Expr | None) -> tuple[Type, Plan] | None:
        """The values of a domain that satisfy a test, as a mask."""
        if test is None or isinstance(domain, nodes.ListDomain):
            return None
        found = self._planner.domain(domain)
        plan = None if found is None else self._planner.plan(test, slot, found[0])
        if found is None or plan is None:
            return None
        element, base = found
        return element, plan if base is None else plans.Every((base, plan))

    def _nest(self, node: nodes.Aggregate) -> Nest:
        known = self._nests.get(id(node))
        if known is None:
            if self._planned:
                self._planner.enter(slot_types(node))
            # Where something can fault, what comes first in a list decides whether it is met.
            ordered = node.kind not in ("any", "all", "set") or self._planner.facts.can_fault(node)
            binds = binds_of(node, conjuncts_of(node))
            nest = arrange(self._planner, binds, (), ordered, flatten=node.kind == "any")
            known = self._nests[id(node)] = (node, nest)
        return known[1]

    def moves(self, move: nodes.Move) -> Nest:
        """The parameters and guards of a move as a nest."""
        known = self._nests.get(id(move))
        if known is None:
            nest = arrange(self._planner, binds_of_move(move), move.guards, ordered=True, flatten=False)
            known = self._nests[id(move)] = (move, nest)
        return known[1]

    def _lines(self, node: nodes.Aggregate) -> Lines | None:
        known = self._found_lines.get(id(node))
        if known is None:
            if self._planned:
                self._planner.enter(slot_types(node))
            known = self._found_lines[id(node)] = (node, self._find_lines(node))
        return known[1]

    def _find_lines(self, node: nodes.Aggregate) -> Lines | None:
        """`any`, `all` or `count` of lines, each tested by an inner `any` or `all` over its elements."""
        if node.kind not in ("any", "all", "count") or node.condition is not None or len(node.binders) > 1:
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
        if not is_scalar(element) or not 3 <= index_size(element) <= LARGEST_DOMAIN:
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
            case nodes.ListDomain(sequence=nodes.Const(value=items)):
                outer: Iterable[Any] = items
            case nodes.TypeDomain() if index_size(domain.element) <= LARGEST_DOMAIN:
                outer = values_of(domain.element)
            case nodes.RangeDomain(lo=nodes.Const(value=low), hi=nodes.Const(value=high)):
                outer = range(low, high + 1)
            case _:
                return None
        return [self._planner.evaluate(sequence, slot, value) for value in outer]

    def _along(self, node: nodes.Aggregate) -> Along | None:
        """`first(x for x in list if test)`."""
        if node.kind != "first" or len(node.binders) > 1 or node.condition is None or node.binders[0].unpack:
            return None
        (binder,) = node.binders
        (slot,) = binder.slots
        domain = binder.domain
        if not isinstance(domain, nodes.ListDomain) or not isinstance(node.body, nodes.Local):
            return None
        found = self._planner.domain(domain)
        if found is None or node.body.slot != slot:
            return None
        rows = self._possible_lists(domain.sequence)
        if rows is None or not all(_runs_one_way(row) for row in rows):
            return None
        plan = self._planner.plan(node.condition, slot, found[0])
        return None if plan is None else Along(domain.sequence, found[0], plan)

    def _possible_lists(self, sequence: Expr) -> Sequence[tuple[Any, ...]] | None:
        match sequence:
            case nodes.Const():
                return [sequence.value]
            case nodes.Lookup():
                return self._model.tables[sequence.table].values
            case _:
                return None

    # ------------------------------------------------------------------------ code

    def aggregate(self, scope: Scope, node: nodes.Aggregate) -> Operand:
        """The value of a comprehension."""
        lines = self._lines(node)
        if lines is not None and self._is_available(scope, lines.test):
            return write_lines(scope, node.kind, lines)
        along = self._along(node)
        if along is not None and self._is_available(scope, along.test):
            return _write_along(scope, node, along)
        nest = self._nest(node)
        last = nest.levels[-1]
        simple = last.mask is not None and not last.tests and self.is_available(scope, last)
        if simple and (node.kind in ("any", "all", "count") or _collects_names(node, last)):
            return self._combine_masks(scope, node, nest)

        def loop(body: Callable[[], None]) -> None:
            self.run(scope, nest, body)

        return fold_values(scope, node, loop)

    def run(self, scope: Scope, nest: Nest, body: Callable[[], None], levels: int | None = None) -> None:
        """Runs `body` for each combination of a nest (or of its first `levels` levels), names bound."""
        b = scope.b
        skip = b.label("fails")
        _test_all(scope, nest.tests, skip)
        self._run_levels(scope, nest.levels if levels is None else nest.levels[:levels], body)
        b.start(skip)

    def _run_levels(self, scope: Scope, levels: Sequence[Level], body: Callable[[], None]) -> None:
        if not levels:
            body()
            return
        level, rest = levels[0], levels[1:]
        b = scope.b

        def one(value: Operand) -> None:
            _bind(scope, level, value)
            skip = b.label("fails")
            _test_all(scope, level.tests, skip)
            self._run_levels(scope, rest, body)
            b.start(skip)

        if level.bind.domain is None:
            assert level.bind.parameter is not None
            compute(scope, level.bind.parameter, one)
        elif level.mask is not None and self.is_available(scope, level):
            done, element = b.label("done"), level.element
            assert element is not None
            each_bit(scope, self.mask(scope, level), lambda k: one(from_ordinal(scope, element, k)), done)
            b.start(done)
        else:
            self._run_plainly(scope, level, one)

    def _run_plainly(self, scope: Scope, level: Level, one: Callable[[Operand], None]) -> None:
        """Every value of the domain in turn; what was to be a mask is tested one by one."""
        b = scope.b
        assert level.bind.domain is not None

        def tested(value: Operand) -> None:
            _bind(scope, level, value)
            skip = b.label("fails")
            _test_all(scope, level.masked, skip)
            one(value)
            b.start(skip)

        visit = tested if level.mask is not None else one
        each(scope, level.bind.domain, visit, distinct=level.bind.parameter is not None)

    def mask(self, scope: Scope, level: Level) -> Value:
        """The values to visit at a level."""
        assert level.mask is not None and level.element is not None
        return write(scope, level.mask, level.element)

    def is_available(self, scope: Scope, level: Level) -> bool:
        return level.mask is not None and self._is_available(scope, level.mask)

    def _is_available(self, scope: Scope, plan: Plan) -> bool:
        """Whether the layout has the planes that a plan reads."""
        for plane in plans.planes_of(plan):
            planes = scope.program.layout.places[plane.variable].planes
            if planes is None or not set(plane.values) <= set(planes.values):
                return False
        return True

    def candidates(
        self, scope: Scope, domain: nodes.Domain, slot: int, condition: Expr | None
    ) -> tuple[Value, Callable[[Value], Operand]] | None:
        """The candidates of a draw as a mask, and the candidate of a bit."""
        selection = self._select(domain, slot, condition)
        if selection is None or not self._is_available(scope, selection[1]):
            return None
        element, plan = selection
        return write(scope, plan, element), lambda bit: from_ordinal(scope, element, bit)

    def _combine_masks(self, scope: Scope, node: nodes.Aggregate, nest: Nest) -> Operand:
        """A comprehension whose innermost level is nothing but a mask."""
        b = scope.b
        last = nest.levels[-1]
        assert last.element is not None
        if len(nest.levels) == 1 and not nest.tests:
            return _of_mask(scope, node, last.element, self.mask(scope, last))
        if node.kind in ("any", "all"):
            result, end = b.alloca("i1"), b.label("decided")
            b.store(FALSE if node.kind == "any" else TRUE, result)

            def test() -> None:
                mask = self.mask(scope, last)
                settles, more = b.label("settles"), b.label("more")
                b.branch(b.compare("ne", mask, const(mask.type, 0)), settles, more)
                b.start(settles)
                b.store(TRUE if node.kind == "any" else FALSE, result)
                b.br(end)
                b.start(more)

            self.run(scope, nest, test, len(nest.levels) - 1)
            b.start(end)
            return b.load("i1", result)
        ir = "i32" if node.kind == "count" else set_ir(index_size(last.element))
        total = b.alloca(ir)
        b.store(const(ir, 0), total)

        def tally() -> None:
            mask = self.mask(scope, last)
            so_far = b.load(ir, total)
            b.store(b.add(so_far, b.popcount(mask)) if node.kind == "count" else b.or_(so_far, mask), total)

        self.run(scope, nest, tally, len(nest.levels) - 1)
        found = b.load(ir, total)
        return _write_first(scope, node, last.element, found) if node.kind == "first" else found


def layout_of(model: Model) -> Layout:
    """Where the variables of a game's positions lie."""
    return Layout(model, Masks(model, Facts(model)).planes)


def _runs_one_way(row: tuple[Any, ...]) -> bool:
    """Whether the elements go up throughout, or down throughout."""
    pairs = list(pairwise(row))
    return all(a < b for a, b in pairs) or all(a > b for a, b in pairs)


def _collects_names(node: nodes.Aggregate, last: Level) -> bool:
    """Whether a `set` or `first` gives the innermost name itself."""
    if not isinstance(node.body, nodes.Local) or node.body.slot != last.bind.slots[0]:
        return False
    if node.kind == "set":
        return isinstance(node.type, SetOf) and bool(node.type.element == last.element)
    return node.kind == "first" and len(node.binders) == 1


def _bind(scope: Scope, level: Level, value: Operand) -> None:
    parameter, domain = level.bind.parameter, level.bind.domain
    if parameter is not None:
        value = scope.coerce(value, parameter.type)
        bind_slots(scope, level.bind.slots, False, parameter.type, value)
    else:
        assert domain is not None
        bind_slots(scope, level.bind.slots, level.bind.unpack, domain.element, value)


def _test_all(scope: Scope, tests: Sequence[Expr], fail: str) -> None:
    b = scope.b
    for test in tests:
        fine = b.label("holds")
        b.branch(scope.scalar(test), fine, fail)
        b.start(fine)


def compute(scope: Scope, parameter: nodes.MoveParameter, then: Callable[[Operand], None]) -> None:
    """Runs `then` with the value of a computed parameter, unless it has none."""
    b = scope.b
    assert parameter.value is not None
    value = scope.value(parameter.value)
    inside, result = convert(scope, value, parameter.value.type, parameter.type)
    some, none = b.label("some"), b.label("none")
    b.branch(inside, some, none)
    b.start(some)
    then(result)
    b.start(none)


def _frames(model: Model) -> Iterator[tuple[Any, dict[int, Type | None]]]:
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
        yield body, slot_types(body)
    for kind, name in _reachable(model, starts):
        owner = model.functions[name] if kind == "function" else model.effects[name]
        types = slot_types(owner.body)
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
    types = slot_types((move.guards, move.body))
    for parameter in move.parameters:
        types |= slot_types((parameter.guards, parameter.value, parameter.domain))
    for parameter in move.parameters:
        types[parameter.slot] = parameter.type
    return types


# ------------------------------------------------------------- writing comprehensions


def _of_mask(scope: Scope, node: nodes.Aggregate, element: Type, mask: Value) -> Operand:
    b = scope.b
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
            return _write_first(scope, node, element, mask)


def _write_first(scope: Scope, node: nodes.Aggregate, element: Type, mask: Value) -> Operand:
    b = scope.b
    assert isinstance(node.type, Union)
    result, some, end = scope.merge(node.type), b.label("some"), b.label("end")
    result.set(constant(scope, node.type, none_of(node.type)))
    b.branch(b.compare("eq", mask, const(mask.type, 0)), end, some)
    b.start(some)
    value = from_ordinal(scope, element, b.trailing_zeros(mask))
    result.set(convert(scope, value, element, node.type)[1])
    b.start(end)
    return result.get()


def _write_along(scope: Scope, node: nodes.Aggregate, along: Along) -> Operand:
    """The lowest, or on a list that goes down the highest, element of the list that passes."""
    b = scope.b
    type_ = along.sequence.type
    assert isinstance(type_, ListOf) and isinstance(node.type, Union)
    number = scope.scalar(along.sequence)
    lists = scope.program.lists
    ir = set_ir(index_size(along.element))
    row = load_constant(scope, lists.masks(type_, along.element), number, ir)
    mask = b.and_(row, write(scope, along.test, along.element))
    falls = b.resize(load_constant(scope, lists.falling(type_), number, "i32"), "i1")
    highest = b.sub(i32(width(ir) - 1), b.leading_zeros(mask))
    value = from_ordinal(scope, along.element, b.select(falls, highest, b.trailing_zeros(mask)))
    found = convert(scope, value, along.element, node.type)[1]
    nothing = constant(scope, node.type, none_of(node.type))
    return choose(scope, b.compare("eq", mask, const(ir, 0)), nothing, found, node.type)
