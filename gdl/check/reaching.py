"""Relations of one's own: `reachable(s, free)`, where `def free(a: Cell, b: Cell)` says where steps lead."""

from __future__ import annotations

from dataclasses import dataclass

from gdl.check.coerce import fold
from gdl.check.context import Body, FunctionInfo
from gdl.check.names import bind_arguments, note_call
from gdl.check.types import MAX_ELEMENTS
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import BOOL, Cells, SetOf, Type, from_ordinal, show_value
from gdl.reference.faults import Fault
from gdl.syntax import tree

_MANY_PAIRS = 40_000
"""A relation between more pairs than this is asked in play, even if it is always the same."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A `def` whose first two parameters are the ends of a step, and its other arguments."""

    info: FunctionInfo
    rest: tuple[m.Expr, ...]
    span: Span

    @property
    def element(self) -> Type:
        return self.info.function.formals[0].type

    def holds(self, start: m.Expr, end: m.Expr) -> m.Expr:
        return m.Call(self.info.function.name, (start, end, *self.rest), BOOL, self.span)


def relation(body: Body, node: tree.Expr) -> Relation | None:
    """The relation that an argument names: `free`, or `free(p)` with what it takes behind its two ends."""
    called = node.function if isinstance(node, tree.Call) else node
    given = node.arguments if isinstance(node, tree.Call) else ()
    if not isinstance(called, tree.Name) or body.local(called.id) is not None:
        return None
    declaration = body.checker.values.get(called.id)
    if declaration is None or declaration.kind not in ("def", "feature"):
        return None
    info = body.checker.resolve(declaration, called.span)
    function = info.function
    if len(function.formals) == len(given):
        return None  # an ordinary call
    ends = [formal.type for formal in function.formals[:2]]
    if len(ends) < 2 or ends[0] != ends[1] or function.type != BOOL:
        body.checker.fail(say.no_relation(node.span, function.span, function.name))
    size = getattr(ends[0], "size", None)
    if size is None or size > MAX_ELEMENTS:
        body.checker.fail(say.not_finite(node.span, f"a set of {ends[0]}", MAX_ELEMENTS))
    rest = bind_arguments(body, function.name, function.formals[2:], given, node.span, function.span)
    note_call(body, function.name, info, node.span)
    return Relation(info, rest, node.span)


def reached(body: Body, relation: Relation, starts: m.Expr, within: m.Expr, span: Span) -> m.Expr:
    """What is reached from some elements by steps of a relation that stay inside a set."""
    graph = _graph(body, relation)
    if graph is not None:
        return fold(body, m.Flood(graph, starts, within, within.type, span))
    element = relation.element
    slot, other = body.slot(), body.slot()
    start, end = m.Local(slot, "a", element, span), m.Local(other, "b", element, span)
    around = _around(relation, start, end, other)
    binder = m.Binder((slot,), ("a",), m.TypeDomain(element))
    return m.Reach(starts, within, binder, around, within.type, span)


def _around(relation: Relation, start: m.Expr, end: m.Local, slot: int) -> m.Aggregate:
    """Where a step leads from an element, as a set."""
    element, span = relation.element, relation.span
    listed = _listed(relation.info.function)
    domain: m.Domain = m.TypeDomain(element)
    if listed is not None:
        domain = m.ListDomain(m.Lookup(listed.table, (start,), listed.type, span), element)
    binder = m.Binder((slot,), ("b",), domain)
    return m.Aggregate("set", (binder,), relation.holds(start, end), end, None, SetOf(element), span)


def _listed(function: m.Function) -> m.Lookup | None:
    """The table of `b in neighbours(a)`, where the relation begins with that: no others need be asked."""
    first, second = (formal.slot for formal in function.formals[:2])
    condition = function.body.items[0] if isinstance(function.body, m.And) else function.body
    match condition:
        case m.Aggregate(
            kind="any",
            binders=(m.Binder(slots=(it,), domain=m.ListDomain(sequence=m.Lookup() as found)),),
            condition=None,
            body=m.Compare(op="==", left=m.Local(slot=left), right=m.Local(slot=right)),
        ):
            asked = [index.slot for index in found.indices if isinstance(index, m.Local)]
            return found if asked == [first] and {left, right} == {second, it} else None
    return None


def _graph(body: Body, relation: Relation) -> Cells | None:
    """A relation that is the same in every position, as the edges between elements; None if it is not."""
    element = relation.element
    size: int = element.size  # type: ignore[union-attr]
    fixed = not relation.info.reads and all(isinstance(value, m.Const) for value in relation.rest)
    if not fixed or size * size > _MANY_PAIRS:
        return None
    values = [from_ordinal(element, k) for k in range(size)]
    adjacent = []
    slot = body.slot()
    end = m.Local(slot, "b", element, relation.span)
    try:
        for value in values:
            start = m.Const(value, element, relation.span)
            near = body.checker.compute(_around(relation, start, end, slot))
            adjacent.append(tuple(k for k in range(size) if near >> k & 1))
    except Fault:
        return None
    names = tuple(show_value(element, value) for value in values)
    return Cells(relation.info.function.name, "graph", names, adjacent=tuple(adjacent))
