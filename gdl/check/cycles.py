"""Whether positions can repeat: a proof by measures that moves increase.

A *measure* maps positions to whole numbers: the value of a counter, the sum of a map, how many elements of a
map have a certain value, the size of a set. If every move increases a measure strictly, no position comes
twice. More generally (a lexicographic argument): if no move decreases a measure, the moves that increase it
strictly happen only finitely often, and it remains to look at the others with further measures.

For each move and measure the change is bounded by an interval over all ways through the move's body, knowing
what its guard says of the values before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from math import inf
from typing import Any

from gdl.check.domains import rounds
from gdl.check.narrowing import Facts
from gdl.check.relations import contains
from gdl.model import nodes as m
from gdl.model.types import BagOf, Bool, Cells, Enum, Int, SetOf, Union, Unit, from_ordinal, member_of
from gdl.model.walk import bare, bound_slots, walk

MOST_VALUES = 40
"""Types with more values than this are not counted value by value."""


def proven_acyclic(model: m.Model) -> bool:
    """Whether no play visits a position twice. False only means that there is no proof."""
    measures: Measures = {}
    for number, measure in enumerate(_measures(model)):
        measures.setdefault(measure.variable, []).append((number, measure))
    remaining = {i: _change_of_move(model, move, measures) for i, move in enumerate(model.moves)}
    touching: dict[int, set[int]] = {}  # the moves that change a measure at all
    for i, changes in remaining.items():
        for number in changes:
            touching.setdefault(number, set()).add(i)
    progress = True
    while remaining and progress:
        progress = False
        for number, moves in touching.items():
            moves &= remaining.keys()
            changes_of = {i: remaining[i][number] for i in moves}
            if all(lo >= 0 for lo, _ in changes_of.values()):
                done = [i for i, (lo, _) in changes_of.items() if lo > 0]
            elif all(hi <= 0 for _, hi in changes_of.values()):
                done = [i for i, (_, hi) in changes_of.items() if hi < 0]
            else:
                continue
            for i in done:
                del remaining[i]
                progress = True
    return not remaining


Interval = tuple[float, float]
_NOTHING: Interval = (0, 0)

Changes = dict[int, Interval]
"""How a piece of a body changes each measure, by its number; those it leaves alone are not listed."""


@dataclass(frozen=True)
class _Measure:
    """A number that depends on one variable; `change` bounds how an assignment moves it."""

    variable: str
    type: Any  # of the variable
    change: Callable[[m.Assign, Any], Interval]  # the statement, the type of the old value


Measures = dict[str, list[tuple[int, _Measure]]]
"""The numbered measures of each variable."""


def _measures(model: m.Model) -> Iterator[_Measure]:
    for variable in model.variables:
        type_ = variable.type
        if isinstance(type_, Int):
            yield _Measure(variable.name, type_, _sum_change)
        if isinstance(type_, SetOf):
            yield _Measure(variable.name, type_, _size_change)
        if isinstance(type_, BagOf):
            yield _Measure(variable.name, type_, _bag_change)
        for value in _countable(type_):
            yield _Measure(variable.name, type_, _count_change(type_, value))


def _countable(type_: Any) -> Iterator[Any]:
    """The values worth counting one by one: not those of long ranges."""
    if isinstance(type_, Union):
        for member, start in zip(type_.members, type_.starts, strict=True):
            if member.size <= MOST_VALUES:
                yield from range(start, start + member.size)
    elif isinstance(type_, Bool | Enum | Cells | Int) and type_.size <= MOST_VALUES:
        yield from (from_ordinal(type_, number) for number in range(type_.size))


def _sum_change(statement: m.Assign, old: Any) -> Interval:
    """The change of the sum of the elements."""
    value = statement.value
    while isinstance(value, m.Check | m.Convert):
        value = value.operand
    if isinstance(value, m.Arithmetic) and value.op in ("+", "-") and _is_same_place(value.left, statement):
        step = value.right.type
        assert isinstance(step, Int)
        return (step.lo, step.hi) if value.op == "+" else (-step.hi, -step.lo)
    new = value.type
    if isinstance(new, Int) and isinstance(old, Int):
        return (new.lo - old.hi, new.hi - old.lo)
    return (-inf, inf)


def _unconverted(expr: m.Expr) -> m.Expr:
    while isinstance(expr, m.Convert):
        expr = expr.operand
    return expr


def _is_same_place(expr: m.Expr, statement: m.Assign) -> bool:
    expr = _unconverted(expr)
    return (
        isinstance(expr, m.Read)
        and expr.variable == statement.variable
        and bare(expr.indices) == bare(statement.indices)
    )


def _size_change(statement: m.Assign, old: Any) -> Interval:
    """The change of the size of a set: growing by `|`, shrinking by `-` or `&` of itself."""
    value = statement.value
    if isinstance(value, m.SetOperation) and _is_same_place(value.left, statement):
        return (0, inf) if value.op == "|" else (-inf, 0)
    return (-inf, inf)


def _bag_change(statement: m.Assign, old: Any) -> Interval:
    """The change of the size of a bag that something comes into, or is taken from."""
    value = statement.value
    if isinstance(value, m.BagOperation) and _is_same_place(value.left, statement):
        least, most = _bag_size(value.right)
        return (least, most) if value.op == "+" else (-most, -least)
    if isinstance(value, m.BagChange) and _is_same_place(value.bag, statement):
        count = value.count.operand if isinstance(value.count, m.Check) else value.count
        if isinstance(count, m.Arithmetic) and count.op in ("+", "-") and _is_same_count(count.left, value):
            step = count.right.type
            assert isinstance(step, Int)
            return (step.lo, step.hi) if count.op == "+" else (-step.hi, -step.lo)
    return (-inf, inf)


def _bag_size(bag: m.Expr) -> tuple[int, int]:
    """At least and at most how many elements a bag has."""
    bag = _unconverted(bag)
    assert isinstance(bag.type, BagOf)
    if isinstance(bag, m.BagLiteral):
        return len(bag.elements), len(bag.elements)
    if isinstance(bag, m.Const):
        size = sum(bag.type.counts(bag.value))
        return size, size
    return 0, bag.type.longest


def _is_same_count(expr: m.Expr, change: m.BagChange) -> bool:
    return (
        isinstance(expr, m.BagCount)
        and bare(expr.bag) == bare(change.bag)
        and bare(_unconverted(expr.item)) == bare(_unconverted(change.item))
    )


def _count_change(type_: Any, counted: Any) -> Callable[[m.Assign, Any], Interval]:
    """The change of the number of elements that have the value."""

    def change(statement: m.Assign, old: Any) -> Interval:
        before = _may_be(old, type_, counted)
        after = _value_may_be(statement.value, type_, counted)
        return (after[0] - before[1], after[1] - before[0])

    return change


def _may_be(known: Any, type_: Any, value: Any) -> tuple[int, int]:
    """(1, 1) if a value of the known type is surely the given one, (0, 0) if surely not, else (0, 1)."""
    if isinstance(type_, Union):
        member, inner = member_of(type_, value)
        if isinstance(known, Union):
            if not any(
                contains(k, member) or (isinstance(k, Int) and isinstance(member, Int)) for k in known.members
            ):
                return (0, 0)
            return (0, 1)
        if isinstance(known, Int) and isinstance(member, Int):
            return _may_be(known, member, inner)
        if known != member:
            return (0, 0)
        return (1, 1) if member.size == 1 else (0, 1)
    if isinstance(known, Int):
        if known.lo == known.hi == value:
            return (1, 1)
        return (0, 1) if known.lo <= value <= known.hi else (0, 0)
    return (1, 1) if isinstance(known, Unit) else (0, 1)


def _value_may_be(expr: m.Expr, type_: Any, value: Any) -> tuple[int, int]:
    if isinstance(expr, m.Const):
        return (1, 1) if expr.value == value else (0, 0)
    if isinstance(expr, m.Conditional):
        ways = [_value_may_be(part, type_, value) for part in (expr.then, expr.otherwise)]
        return min(w[0] for w in ways), max(w[1] for w in ways)
    if isinstance(expr, m.Convert):
        inner = expr.operand
        if isinstance(inner, m.Const | m.Conditional) and inner.type == type_:
            return _value_may_be(inner, type_, value)
        return _may_be(inner.type, type_, value)
    return _may_be(expr.type, type_, value)


# --------------------------------------------------------- ways through a body


def _change_of_move(model: m.Model, move: m.Move, measures: Measures) -> Changes:
    facts = Facts()
    if not isinstance(model.terminal.body, tuple):
        facts = Facts(facts.assume(model.terminal.body, False).types)
    for guard in (*move.guards, *(g for p in move.parameters for g in p.guards)):
        facts = facts.assume(guard, True)
    return _Walk(model, measures, move.frame, _members(move)).block(move.body, facts)


Members = dict[Any, bool]
"""Of an element and the place of a set: whether the one is in the other before the move."""


def _members(move: m.Move) -> Members:
    """What the guards of a move and the sets that its parameters range over say."""
    found: Members = {}
    for parameter in move.parameters:
        if isinstance(parameter.domain, m.SetDomain) and isinstance(parameter.domain.set, m.Read):
            item = m.Local(parameter.slot, parameter.name, parameter.type, move.span)
            found[_membership(item, parameter.domain.set)] = True
    for guard in (*move.guards, *(g for p in move.parameters for g in p.guards)):
        contains_it = guard.operand if isinstance(guard, m.Not) else guard
        if isinstance(contains_it, m.Contains) and isinstance(contains_it.set, m.Read):
            found[_membership(contains_it.item, contains_it.set)] = contains_it is guard
    return found


def _membership(item: m.Expr, place: m.Read | m.Assign) -> Any:
    return bare(_unconverted(item)), place.variable, bare(place.indices)


class _Walk:
    """Bounds the changes of all measures over a block; carries facts along the way."""

    def __init__(self, model: m.Model, measures: Measures, frame: int, members: Members):
        self.model = model
        self.frame = frame
        self.measures = measures
        self.members = members
        self.touched: set[str] = set()  # variables that may have changed so far
        self.by_effect: dict[str, set[str]] = {}  # what each effect assigns, itself or by others

    def block(self, block: m.Block, facts: Facts) -> Changes:
        total: Changes = {}
        for statement in block:
            changes, facts = self.statement(statement, facts)
            for number, (lo, hi) in changes.items():
                a, b = total.get(number, _NOTHING)
                total[number] = (a + lo, b + hi)
        return total

    def statement(self, statement: m.Statement, facts: Facts) -> tuple[Changes, Facts]:
        match statement:
            case m.Assign():
                return self.assign(statement, facts)
            case m.If():
                ways, inside = [], facts
                for condition, body in statement.branches:
                    ways.append((body, inside.assume(condition, True)))
                    inside = inside.assume(condition, False)
                ways.append((statement.otherwise, inside))
                return self.one_of(ways), self.after(statement, facts)
            case m.Chance():
                ways = [(branch.body, facts) for branch in statement.branches]
                return self.one_of(ways), self.after(statement, facts)
            case m.For():
                return self.loop(statement, facts)
            case m.Perform():
                effect = self.model.effects[statement.effect]
                body = self.inlined(effect, statement.arguments)
                return self.block(body, facts), self.after(body, facts)
            case m.Let() | m.LetEntry() | m.Draw():
                return {}, self.after(statement, facts)
        return {}, facts

    def one_of(self, ways: list[tuple[m.Block, Facts]]) -> Changes:
        before, after, changes = self.touched, set(self.touched), []
        for block, facts in ways:
            self.touched = set(before)
            changes.append(self.block(block, facts))
            after |= self.touched
        self.touched = after
        return _hull(changes)

    def assign(self, statement: m.Assign, facts: Facts) -> tuple[Changes, Facts]:
        name = statement.variable
        changes = {
            number: measure.change(
                statement, facts.type_of(m.Read(name, statement.indices, measure.type, statement.span))
            )
            for number, measure in self.measures.get(name, ())
        }
        for number, measure in self.measures.get(name, ()):
            if measure.change is _size_change and self.is_strict(statement):
                lo, hi = changes[number]
                changes[number] = (1, hi) if lo == 0 else (lo, -1) if hi == 0 else (lo, hi)
        self.touched.add(name)
        return changes, facts.forget({name})

    def is_strict(self, statement: m.Assign) -> bool:
        """Whether an element comes that was not in the set, or one goes that was."""
        value = statement.value
        if not (isinstance(value, m.SetOperation) and value.op in ("|", "-")):
            return False
        moved = _unconverted(value.right)
        return isinstance(moved, m.SetLiteral) and any(
            self.members.get(_membership(item, statement)) is (value.op == "-")
            and self.is_as_before((item, statement.indices), statement.variable)
            for item in moved.elements
        )

    def is_as_before(self, part: Any, variable: str) -> bool:
        """Whether the variable and what the part says are surely as they were before the move."""
        nodes = list(walk(part))
        read = {variable, *(node.variable for node in nodes if isinstance(node, m.Read))}
        calls = any(isinstance(node, m.Call | m.After) for node in nodes)
        return not self.touched or (not calls and not self.touched & read)

    def loop(self, statement: m.For, facts: Facts) -> tuple[Changes, Facts]:
        facts = self.after(statement, facts)
        self.touched |= self.assigned(statement)  # in the rounds before
        inside = self.block(statement.body, facts)
        if any(isinstance(part, m.Break | m.Continue) for part in walk(statement.body)):
            return dict.fromkeys(inside, (-inf, inf)), facts  # a round may stop half-way
        least, most = rounds(statement.binders)
        if statement.condition is not None:
            least = 0
        changes = {
            number: (min(_times(lo, least), _times(lo, most)), max(_times(hi, least), _times(hi, most)))
            for number, (lo, hi) in inside.items()
        }
        return changes, facts

    def after(self, part: Any, facts: Facts) -> Facts:
        """What still holds whichever way the part went: nothing of the variables and locals it sets."""
        return facts.forget(self.assigned(part)).forget_slots(bound_slots(part))

    def assigned(self, part: Any) -> set[str]:
        found = set()
        for node in walk(part):
            if isinstance(node, m.Assign):
                found.add(node.variable)
            elif isinstance(node, m.Perform):
                found |= self.assigned_by(node.effect)
        return found

    def assigned_by(self, effect: str) -> set[str]:
        if effect not in self.by_effect:
            self.by_effect[effect] = self.assigned(self.model.effects[effect].body)
        return self.by_effect[effect]

    def inlined(self, effect: m.Effect, arguments: tuple[m.Expr, ...]) -> m.Block:
        """The effect's body in the caller's frame, every slot of it fresh.

        A formal is its argument where that means the same all through the body. One that reads what the
        effect assigns is taken once, before: in `v[k] = v[i] + 1` the k that was given as `i` need not be i.
        """
        changed = self.assigned_by(effect.name)
        base = self.frame
        self.frame += effect.frame
        known: dict[int, m.Expr] = {}
        taken: list[m.Statement] = []
        for formal, argument in zip(effect.formals, arguments, strict=True):
            if _is_kept(argument, changed):
                known[formal.slot] = argument
            else:
                taken.append(m.Let(formal.slot + base, formal.name, argument, effect.span))
        return (*taken, *_renamed(effect.body, known, base))


def _is_kept(argument: m.Expr, changed: set[str]) -> bool:
    """Whether an expression keeps its value while these variables change; a call may read any of them."""
    return not changed or not any(
        isinstance(part, m.Call | m.After) or (isinstance(part, m.Read) and part.variable in changed)
        for part in walk(argument)
    )


def _hull(ways: list[Changes]) -> Changes:
    numbers = {number for way in ways for number in way}
    return {
        number: (
            min(way.get(number, _NOTHING)[0] for way in ways),
            max(way.get(number, _NOTHING)[1] for way in ways),
        )
        for number in numbers
    }


def _times(change: float, rounds: int) -> float:
    return change * rounds if rounds else 0


def _renamed(part: Any, known: dict[int, m.Expr], base: int) -> Any:
    if isinstance(part, tuple):
        return tuple(_renamed(p, known, base) for p in part)
    if isinstance(part, m.Local):
        if part.slot in known:
            return known[part.slot]
        return replace(part, slot=part.slot + base)
    if isinstance(part, m.Let | m.LetEntry | m.Draw):
        part = replace(part, slot=part.slot + base)
    elif isinstance(part, m.Binder):
        part = replace(part, slots=tuple(s + base for s in part.slots))
    if not type(part).__module__.startswith(m.__name__):
        return part
    changed = {
        f.name: _renamed(getattr(part, f.name), known, base)
        for f in fields(part)
        if f.name not in ("span", "type", "slot", "slots", "names")
    }
    return replace(part, **changed)
