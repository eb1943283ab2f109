"""From type expressions to types."""

from __future__ import annotations

from gdl.check import boards
from gdl.check.constants import constant_int
from gdl.check.context import Body, Checker
from gdl.check.expressions import condition
from gdl.check.habits import type_text
from gdl.check.meanings import Gap, NamedValue
from gdl.check.relations import has_none, members_of, overlap, union_of
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model.types import (
    BOOL,
    NONE,
    BagOf,
    Bool,
    BoundedList,
    Cells,
    Enum,
    Int,
    Member,
    Part,
    SetOf,
    Tuple,
    Type,
    Union,
    bits,
    has_bag,
    places_of,
    values,
    whole_of,
)
from gdl.reference.faults import Fault
from gdl.syntax import tree

MAX_RANGE = 2**31
MAX_CELLS = 10_000
MAX_ELEMENTS = 4096


def type_of_node(checker: Checker, node: tree.TypeExpr, name: str | None = None, lists: bool = False) -> Type:
    """The type that a type expression means; `name` is the declared name, for boards and enums.

    With `lists` it may be a list, as only variables and lets are."""
    found = _type_of_node(checker, node, name)
    if isinstance(found, BoundedList) and not lists:
        checker.fail(say.list_elsewhere(node.span))
    return found


def _type_of_node(checker: Checker, node: tree.TypeExpr, name: str | None) -> Type:
    match node:
        case tree.Name():
            return named_type(checker, node)
        case tree.Range():
            return _range(checker, node)
        case tree.OptionalType():
            inner = type_of_node(checker, node.inner)
            return _union(checker, [inner, NONE], node.span)
        case tree.UnionType():
            return _union(checker, [type_of_node(checker, item) for item in node.items], node.span)
        case tree.Operation() if node.op == "|":
            parts = [type_of_node(checker, item) for item in (node.left, node.right)]
            return _union(checker, parts, node.span)
        case tree.SetType():
            element = type_of_node(checker, node.element)
            if has_bag(element):
                checker.fail(say.bag_elsewhere(node.element.span, "an element of a set"))
            if not hasattr(element, "size") or element.size > MAX_ELEMENTS:
                checker.fail(say.not_finite(node.span, f"a set of {element}", MAX_ELEMENTS))
            return SetOf(element)
        case tree.BagType():
            return _bag(checker, node)
        case tree.ListType():
            return _list(checker, node)
        case tree.RecordType():
            names = tuple(n.id for n, _ in node.fields)
            return Tuple(tuple(type_of_node(checker, t) for _, t in node.fields), names)
        case tree.TupleExpr():
            return Tuple(tuple(type_of_node(checker, item) for item in node.items))
        case tree.SetExpr():
            return _enum(checker, node, name)
        case tree.Subset():
            return _subset(checker, node, name)
        case tree.GraphType():
            return _graph(checker, node, name or "graph")
        case tree.Call():
            return _board(checker, node, name)
    if written := type_text(node):
        checker.fail(say.range_as_type(node.span, f"`{node.span.text}`", written))
    checker.fail(say.not_a_type(node.span, f"`{node.span.text}`"))


def named_type(checker: Checker, node: tree.Name) -> Type:
    if node.id == "bool":
        return BOOL
    if node.id == "player":
        return checker.players
    if node.id == "none":
        return NONE
    declaration = checker.types.get(node.id)
    if declaration is None:
        checker.meanings.note_gap(node.span, Gap("type"))
        known = [*checker.types, "bool", "player"]
        if foreign := say.foreign_name(node.span, node.id):
            checker.fail(foreign)
        if node.id in checker.values:
            checker.fail(say.not_a_type(node.span, f"`{node.id}`"))
        checker.fail(say.unknown_type(node.span, node.id, known))
    type_: Type = checker.resolve(declaration, node.span)
    return type_


def is_type_name(checker: Checker, body: Body, node: tree.TypeExpr) -> bool:
    """Whether a name in an expression means a type: no value of that name is nearer."""
    if not isinstance(node, tree.Name) or body.local(node.id) or node.id in checker.values:
        return False
    return node.id in checker.types or node.id in ("player", "bool")


def storable(type_: Type) -> bool:
    """Whether a variable may be of this type."""
    return (
        isinstance(type_, Bool | Int | Enum | Cells | Part | Union | Tuple | SetOf | BagOf) or type_ == NONE
    )


def needs_start(type_: Type) -> bool:
    """Whether a variable of the type must be given its first value."""
    if isinstance(type_, Tuple):
        return any(needs_start(f) for f in type_.fields)
    return not (has_none(type_) or isinstance(type_, Bool | SetOf | BagOf) or type_.size == 1)  # type: ignore[union-attr]


def _range(checker: Checker, node: tree.Range) -> Int:
    lo = constant_int(checker, node.lo, "the start of a range")
    hi = constant_int(checker, node.hi, "the end of a range")
    if lo > hi:
        checker.fail(say.empty_type(node.span, f"the range {lo}..{hi}"))
    if hi - lo >= MAX_RANGE or abs(lo) > 2**62 or abs(hi) > 2**62:
        checker.fail(say.not_finite(node.span, "this range", MAX_RANGE))
    return Int(lo, hi)


def _union(checker: Checker, parts: list[Type], span: Span) -> Type:
    members = [member for part in parts for member in members_of(part)]
    for i, a in enumerate(members):
        if not hasattr(a, "size") or a.size > MAX_RANGE:
            checker.fail(say.not_finite(span, f"the part {a} of this union", MAX_RANGE))
        for b in members[:i]:
            if a == b == NONE:
                continue
            if overlap(a, b):
                checker.fail(say.overlapping_union(span, a))
    members.sort(key=lambda member: member == NONE)
    return union_of(members)


def _enum(checker: Checker, node: tree.SetExpr, name: str | None) -> Enum:
    members: list[Member] = []
    places: list[Span] = []
    for item in node.items:
        if isinstance(item, tree.Name):
            member = Member(item.id)
        elif isinstance(item, tree.Glyph):
            member = Member(item.name.id, item.glyph.value)
        else:
            checker.fail(say.not_a_type(item.span, f"`{item.span.text}`"))
        places.append(item.span if isinstance(item, tree.Name) else item.name.span)
        if any(m.name == member.name for m in members):
            checker.fail(say.duplicate_member(item.span, member.name))
        members.append(member)
    if not members:
        checker.fail(say.empty_type(node.span, "this type"))
    shown = name if name is not None else "{" + ", ".join(m.name for m in members) + "}"
    enum = Enum(shown, tuple(members))
    checker.add_enum(enum)
    for number, place in enumerate(places):
        checker.meanings.note(place, NamedValue(enum, number))
    return enum


def _subset(checker: Checker, node: tree.Subset, name: str | None) -> Type:
    """`{c in Cell if ..}`: the values of another type for which the condition holds."""
    if node.binder is None:
        checker.fail(say.not_a_subset(node.members.span))
    variable, domain = node.binder
    whole = type_of_node(checker, domain)
    if not isinstance(whole, Cells | Enum | Int | Tuple | Part) or has_bag(whole):
        checker.fail(say.no_subset_of(domain.span, whole))
    if whole.size > MAX_CELLS:
        checker.fail(say.not_finite(node.span, f"a subset of {whole}", MAX_CELLS))
    body = Body(checker, "a type", position=False)
    body.declare(variable, whole, "loop")
    test = condition(body, node.condition)
    try:
        inside = list(checker.tabulate(test, body.frame, ((value,) for value in values(whole))))
    except Fault as fault:
        checker.fail(say.constant_fault(node.condition.span, fault.diagnostics[0].message))
    kept = [number for number, holds in enumerate(inside) if holds]
    if not kept:
        checker.fail(say.empty_subset(node.span, whole))
    return _part(name or node.span.text, whole, kept)


def _part(name: str, type_: Cells | Enum | Int | Tuple | Part, kept: list[int]) -> Type:
    whole, places = whole_of(type_), places_of(type_)
    if places is not None:  # a part of a part is one of the whole
        kept = [places[number] for number in kept]
    match whole:
        case Cells():
            return boards.part(name, whole, kept)
        case Enum():
            return Enum(name, tuple(whole.members[number] for number in kept), whole, tuple(kept))
        case Int() if len(kept) == kept[-1] - kept[0] + 1:
            return Int(whole.lo + kept[0], whole.lo + kept[-1])
    return Part(name, whole, tuple(kept))


def _bag(checker: Checker, node: tree.BagType) -> BagOf:
    longest = constant_int(checker, node.longest, "the size of a bag")
    if longest < 1:
        checker.fail(say.never_in_range(node.longest.span, "the size of a bag", str(longest), "1.."))
    element = type_of_node(checker, node.element)
    if has_bag(element):
        checker.fail(say.bag_elsewhere(node.element.span, "an element of a bag"))
    if not storable(element):
        checker.fail(say.wrong_type(node.element.span, "an element of a bag", element, "a finite type"))
    if longest > MAX_ELEMENTS or element.size > MAX_ELEMENTS or bits(BagOf(element, longest)) > MAX_ELEMENTS:  # type: ignore[union-attr]
        checker.fail(say.bag_too_wide(node.span, MAX_ELEMENTS))
    return BagOf(element, longest)


def _list(checker: Checker, node: tree.ListType) -> BoundedList:
    longest = constant_int(checker, node.longest, "the length of a list")
    if longest < 1:
        checker.fail(say.never_in_range(node.longest.span, "the length of a list", str(longest), "1.."))
    if longest > MAX_ELEMENTS:
        checker.fail(say.not_finite(node.span, "this list", MAX_ELEMENTS))
    element = type_of_node(checker, node.element)
    if not storable(element):
        checker.fail(say.wrong_type(node.element.span, "an element of a list", element, "a finite type"))
    return BoundedList(element, longest)


def _graph(checker: Checker, node: tree.GraphType, name: str) -> Type:
    numbers: dict[str, int] = {}
    chains, edges = [], set()
    for names, links in node.chains:
        chain = [numbers.setdefault(n.id, len(numbers)) for n in names]
        chains.append(chain)
        for a, link, b in zip(chain, links, chain[1:], strict=False):
            edges.add((a, b))
            if link == "-":
                edges.add((b, a))
    cells = boards.graph(name, tuple(numbers), chains, edges)
    checker.add_cells(cells)
    for names, _ in node.chains:
        for n in names:
            checker.meanings.note(n.span, NamedValue(cells, numbers[n.id]))
    return cells


def _board(checker: Checker, node: tree.Call, name: str | None) -> Type:
    kind = node.function.id if isinstance(node.function, tree.Name) else None
    if kind not in ("grid", "hex"):
        if written := type_text(node):
            checker.fail(say.range_as_type(node.span, f"`{node.span.text}`", written))
        checker.fail(say.not_a_type(node.span, f"`{node.span.text}`"))
    if len(node.arguments) != 2 or any(a.name for a in node.arguments):
        checker.fail(say.grid_size(node.span, f"`{kind}`"))
    rows, cols = (constant_int(checker, a.value, "the size of a board") for a in node.arguments)
    if not (1 <= rows <= 1000 and 1 <= cols <= 1000):
        checker.fail(say.grid_size(node.span, f"`{kind}({rows}, {cols})`"))
    if rows * cols > MAX_CELLS:
        checker.fail(say.not_finite(node.span, "this board", MAX_CELLS))
    make = boards.grid if kind == "grid" else boards.hexagons
    cells = make(name or f"{kind}({rows}, {cols})", rows, cols)
    checker.add_cells(cells)
    return cells
