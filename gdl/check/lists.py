"""Lists of bounded length in variables and lets: what is read of them, and what changes them.

The Model has no lists that change. It has the slots of a list as a map over the numbers from 0, and how many
of them are filled as a number beside it; so facts, ranges and planes hold for lists as for any map.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gdl.check.arithmetic import number_operation, operate
from gdl.check.assigning import assigned, assigned_entry, assigned_local
from gdl.check.coerce import coerce, unify
from gdl.check.context import Body, Checker, Failed, LocalName
from gdl.check.expressions import expression, number
from gdl.check.indexing import indices
from gdl.check.names import example_text, narrowed, read
from gdl.check.relations import contains
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import BOOL, BoundedList, Int, ListOf, MapOf, blank
from gdl.records import record
from gdl.syntax import tree

CHANGES = ("push", "pop")  # statements that look like calls


@dataclass(frozen=True)
class Held:
    """A list that a variable holds, with the indices before those of its slots, or a let."""

    name: str  # as it is written
    type: BoundedList
    holder: m.Variable | LocalName
    outer: tuple[m.Expr, ...] = ()

    @property
    def places(self) -> Int:
        """The numbers of its slots."""
        return Int(0, self.type.longest - 1)

    @property
    def map(self) -> MapOf:
        return MapOf((self.places,), self.type.element)


def held(body: Body, node: tree.TypeExpr) -> Held | None:
    """The list that is meant by a name, or by a name with indices; None where it means something else."""
    name = node.base if isinstance(node, tree.Subscript) else node
    if not isinstance(name, tree.Name):
        return None
    local = body.local(name.id)
    if local is not None:
        if not isinstance(local.type, BoundedList) or isinstance(node, tree.Subscript):
            return None
        body.checker.meanings.note(name.span, local)
        local.used = True
        return Held(local.name, local.type, local)
    declaration = body.checker.values.get(name.id)
    if declaration is None or declaration.kind != "variable":
        return None
    variable: m.Variable = body.checker.resolve(declaration, name.span)
    if variable.length is None:
        return None
    outer = variable.indices[:-1]
    given: tuple[m.Expr, ...] = ()
    if isinstance(node, tree.Subscript):
        if not outer or len(node.indices) > len(outer):
            return None
        given = indices(body, node, outer, variable.name)
    elif outer:
        body.checker.fail(say.needs_index(name.span, name.id, example_text(outer)))
    return Held(node.span.text, list_type(variable), variable, given)


def list_type(variable: m.Variable) -> BoundedList:
    """The type that the slots of a list stand for."""
    last = variable.indices[-1]
    assert isinstance(last, Int)
    return BoundedList(variable.type, last.hi + 1)


def wanted(body: Body, node: tree.TypeExpr, what: str) -> Held:
    """The list that an argument names."""
    found = held(body, node)
    if found is None:
        expression(body, node)  # may have a mistake of its own
        body.checker.fail(say.not_a_list(node.span, node.span.text, what))
    return found


# -------------------------------------------------------------------------- reading


def count(body: Body, of: Held, span: Span) -> m.Expr:
    """How many elements it has."""
    if isinstance(of.holder, LocalName):
        assert of.holder.count_slot is not None
        slot, name = of.holder.count_slot, f"{of.name}.count"
        return narrowed(body, m.Local(slot, name, Int(0, of.type.longest), span))
    assert of.holder.length is not None
    return read(body, body.checker.variables[of.holder.length], of.outer, span)


def slot(body: Body, of: Held, place: m.Expr, span: Span) -> m.Expr:
    """What is in the slot of a number that is within the list."""
    if isinstance(of.holder, LocalName):
        map_ = m.Local(of.holder.slot, of.holder.name, of.map, span)
        return narrowed(body, m.Entry(map_, (place,), of.type.element, span))
    return read(body, of.holder, (*of.outer, place), span)


def element_node(body: Body, node: tree.Subscript) -> m.Expr | None:
    """`pile[2]`, `pegs[p][0]` or `pegs[p, 0]`: an element of a list; None where the base is no list."""
    found = _element(body, node)
    if found is None:
        of = held(body, node)
        if of is not None:
            body.checker.fail(say.list_as_value(node.span, node.span.text))
        return None
    of, index = found
    return slot(body, of, place(body, of, number(body, index, "the index of a list"), node.span), node.span)


def _element(body: Body, node: tree.Subscript) -> tuple[Held, tree.Expr] | None:
    """The list and the index that a subscript names, if it is an element of a list."""
    if len(node.indices) > 1 and isinstance(node.base, tree.Name) and body.local(node.base.id) is None:
        declaration = body.checker.values.get(node.base.id)
        if declaration is None or declaration.kind != "variable":
            return None
        variable: m.Variable = body.checker.resolve(declaration, node.base.span)
        if variable.length is None or len(node.indices) != len(variable.indices):
            return None
        before = replace(node, indices=node.indices[:-1])
        of = held(body, before)
        assert of is not None
        shown = ", ".join(index.span.text for index in before.indices)
        return replace(of, name=f"{node.base.id}[{shown}]"), node.indices[-1]
    if len(node.indices) != 1 or not isinstance(node.base, tree.Name | tree.Subscript):
        return None
    if isinstance(node.base, tree.Name) and _has_outer(body, node.base):
        return None
    of = held(body, node.base)
    return None if of is None else (of, node.indices[0])


def _has_outer(body: Body, name: tree.Name) -> bool:
    """Whether a name is that of a map of lists, which needs an index before it is one."""
    declaration = body.checker.values.get(name.id)
    if body.local(name.id) is not None or declaration is None or declaration.kind != "variable":
        return False
    variable: m.Variable = body.checker.resolve(declaration, name.span)
    return variable.length is not None and len(variable.indices) > 1


def place(body: Body, of: Held, index: m.Expr, span: Span) -> m.Expr:
    """A number as that of an element: proven to be, or else checked in play."""
    if not isinstance(index.type, Int):
        body.checker.fail(say.fraction_for_whole(index.span, "the index of a list", of.places))
    total = count(body, of, span)
    assert isinstance(total.type, Int)
    if index.type.lo >= 0 and index.type.hi < total.type.lo:
        return index
    if index.type.hi < 0 or index.type.lo >= total.type.hi:
        body.refuse(say.always_empty(span, of.name, index.type.lo, total.type.hi))
    body.leave_open(say.element_left_open(span, of.name))
    known = Int(max(0, index.type.lo), max(0, min(index.type.hi, total.type.hi - 1)))
    return m.Index(index, total, of.name, False, known, span)


def last(body: Body, of: Held, span: Span) -> m.Expr:
    """The number of the last element."""
    total = count(body, of, span)
    assert isinstance(total.type, Int)
    one = m.Const(1, Int(1, 1), span)
    if total.type.hi == 0:
        body.refuse(say.always_empty(span, of.name, 0, 0))
    index = number_operation(body, "-", total, one, span)
    assert isinstance(index.type, Int)
    if index.type.lo >= 0:
        return index
    body.leave_open(say.element_left_open(span, of.name))
    return m.Index(index, total, of.name, False, Int(0, max(0, index.type.hi)), span)


def contained(body: Body, item: m.Expr, of: Held, span: Span) -> m.Expr:
    """`x in pile`."""
    bound = body.slot()
    over = numbers(body, of, span)
    index = m.Local(bound, "_", over.element, span)
    left, right = unify(body, item, slot(body, of, index, span), span)
    test = m.Compare("==", left, right, BOOL, span)
    return m.Aggregate("any", (m.Binder((bound,), ("_",), over.plain),), None, test, None, BOOL, span)


@record
class Numbers(m.RangeDomain):
    """The numbers of the elements of a list: what a loop through it goes through."""

    of: Held

    @property
    def plain(self) -> m.RangeDomain:
        """As it stands in the Model."""
        return m.RangeDomain(self.lo, self.hi, self.element)

    def bind(self, body: Body, bound: int, span: Span) -> m.Expr:
        """The element whose number is in a slot."""
        return slot(body, self.of, m.Local(bound, "_", self.element, span), span)


def numbers(body: Body, of: Held, span: Span) -> Numbers:
    total = count(body, of, span)
    assert isinstance(total.type, Int)
    highest = number_operation(body, "-", total, m.Const(1, Int(1, 1), span), span)
    element = Int(0, max(0, total.type.hi - 1))
    return Numbers(m.Const(0, Int(0, 0), span), highest, element, of)


# ------------------------------------------------------------------------- changing


def push(body: Body, of: Held, item: m.Expr, at: m.Expr | None, span: Span) -> list[m.Statement]:
    """An element comes behind the others, or before the one that has this number."""
    item = coerce(body, item, of.type.element, f"an element of `{of.name}`")
    total = count(body, of, span)
    assert isinstance(total.type, Int)
    longest = of.type.longest
    end: m.Expr = total
    if total.type.hi >= longest:
        if total.type.lo >= longest:
            body.refuse(say.always_full(span, of.name, longest))
        body.leave_open(say.room_left_open(span, of.name, longest))
        room = m.Const(longest, Int(longest, longest), span)
        end = m.Index(total, room, of.name, True, Int(min(total.type.lo, longest - 1), longest - 1), span)
    made, end = _kept(body, "end", end, span)
    if at is not None:
        more, item = _kept(body, "item", item, span)
        made += more
        more, moved = _opened(body, of, at, end, span)
        made += more
        made += _fill(body, of, moved, item, span)
    else:
        made += _fill(body, of, end, item, span)
    return made + _recount(
        body, of, number_operation(body, "+", end, m.Const(1, Int(1, 1), span), span), span
    )


def _opened(body: Body, of: Held, at: m.Expr, end: m.Expr, span: Span) -> tuple[list[m.Statement], m.Expr]:
    """All elements from a number on move up by one; `end` is the number of elements."""
    one = m.Const(1, Int(1, 1), span)
    behind = number_operation(body, "+", end, one, span)
    assert isinstance(at.type, Int) and isinstance(end.type, Int) and isinstance(behind.type, Int)
    if at.type.lo < 0 or at.type.hi >= behind.type.lo:
        body.leave_open(say.element_left_open(at.span, of.name))
        at = m.Index(
            at, behind, of.name, False, Int(max(0, at.type.lo), max(0, min(at.type.hi, end.type.hi))), span
        )
    made, at = _kept(body, "at", at, span)
    steps = Int(0, of.type.longest - 1)
    back = m.Local(body.slot(), "back", steps, span)
    far = number_operation(body, "-", number_operation(body, "-", end, at, span), one, span)
    target = m.Arithmetic("-", end, back, of.places, span)
    source = m.Arithmetic("-", target, one, of.places, span)
    moved = _fill(body, of, target, slot(body, of, source, span), span)
    over = m.RangeDomain(m.Const(0, Int(0, 0), span), far, steps)
    made.append(m.For((m.Binder((back.slot,), ("back",), over),), None, tuple(moved), span))
    return made, at


def pop(body: Body, of: Held, at: m.Expr | None, span: Span) -> list[m.Statement]:
    """The last element goes, or the one that has this number; those behind it move down by one."""
    made, end = _kept(body, "last", last(body, of, span), span)
    if at is not None:
        more, at = _kept(body, "at", place(body, of, at, span), span)
        made += more
        number_ = m.Local(body.slot(), "to", of.places, span)
        one = m.Const(1, Int(1, 1), span)
        source = m.Arithmetic("+", number_, one, of.places, span)
        moved = _fill(body, of, number_, slot(body, of, source, span), span)
        over = m.RangeDomain(at, number_operation(body, "-", end, one, span), of.places)
        made.append(m.For((m.Binder((number_.slot,), ("to",), over),), None, tuple(moved), span))
    made += _fill(body, of, end, _blank(of, span), span)
    return made + _recount(body, of, end, span)


def set_element(body: Body, of: Held, index: m.Expr, item: m.Expr, span: Span) -> list[m.Statement]:
    """`pile[2] = e`."""
    return _fill(body, of, place(body, of, index, span), item, span)


def replaced(body: Body, of: Held, node: tree.Expr, span: Span) -> list[m.Statement]:
    """`pile = [a, b]`, `pile = other`: all of the list anew."""
    if (other := held(body, node)) is not None:
        return _copied(body, of, other, span)
    element = of.type.element
    if isinstance(node, tree.ListExpr):
        items = [expression(body, item, element) for item in node.items]
    else:
        found = expression(body, node, ListOf(element, of.type.longest))
        if not isinstance(found, m.Const) or not isinstance(found.type, ListOf):
            body.checker.fail(say.not_a_list(node.span, node.span.text, f"`{of.name}`"))
        items = [m.Const(value, found.type.element, node.span) for value in found.value]
    if len(items) > of.type.longest:
        body.checker.fail(say.list_too_long(span, of.name, len(items), of.type.longest))
    made: list[m.Statement] = []
    kept = []
    for item in items:
        more, value = _kept(body, "item", coerce(body, item, element, f"an element of `{of.name}`"), span)
        made += more
        kept.append(value)
    made += _cleared(body, of, len(kept), span)
    for number_, value in enumerate(kept):
        made += _fill(body, of, m.Const(number_, Int(number_, number_), span), value, span)
    return made + _recount(body, of, m.Const(len(kept), Int(len(kept), len(kept)), span), span)


def _copied(body: Body, of: Held, other: Held, span: Span) -> list[m.Statement]:
    if not contains(of.type.element, other.type.element) or other.type.longest > of.type.longest:
        body.checker.fail(say.wrong_type(span, f"`{of.name}`", other.type, of.type))
    made = _cleared(body, of, other.type.longest, span)
    number_ = m.Local(body.slot(), "to", other.places, span)
    moved = _fill(body, of, number_, slot(body, other, number_, span), span)
    made.append(
        m.For((m.Binder((number_.slot,), ("to",), m.TypeDomain(other.places)),), None, tuple(moved), span)
    )
    return made + _recount(body, of, count(body, other, span), span)


def _cleared(body: Body, of: Held, start: int, span: Span) -> list[m.Statement]:
    """The slots from a number on are as those that are not filled."""
    if start >= of.type.longest:
        return []
    places = Int(start, of.type.longest - 1)
    number_ = m.Local(body.slot(), "to", places, span)
    emptied = _fill(body, of, number_, _blank(of, span), span)
    return [m.For((m.Binder((number_.slot,), ("to",), m.TypeDomain(places)),), None, tuple(emptied), span)]


def made(body: Body, local: LocalName, node: tree.Expr | None, span: Span) -> list[m.Statement]:
    """`let queue: list(9) of Cell = []`: the slots, their count, and what is in them."""
    assert isinstance(local.type, BoundedList) and local.count_slot is not None
    of = Held(local.name, local.type, local)
    return [
        m.Let(local.slot, local.name, m.Fill(_blank(of, span), of.map, span), span),
        m.Let(local.count_slot, f"{local.name}.count", m.Const(0, Int(0, 0), span), span),
        *(replaced(body, of, node, span) if node is not None else ()),
    ]


def _fill(body: Body, of: Held, place_: m.Expr, item: m.Expr, span: Span) -> list[m.Statement]:
    if isinstance(of.holder, LocalName):
        return assigned_entry(body, of.holder.slot, of.name, of.map, (place_,), item, span)
    return assigned(body, of.holder, (*of.outer, place_), item, span)


def _recount(body: Body, of: Held, total: m.Expr, span: Span) -> list[m.Statement]:
    if isinstance(of.holder, LocalName):
        assert of.holder.count_slot is not None
        type_ = Int(0, of.type.longest)
        return assigned_local(body, of.holder.count_slot, f"{of.name}.count", type_, total, span)
    assert of.holder.length is not None
    return assigned(body, body.checker.variables[of.holder.length], of.outer, total, span)


def _blank(of: Held, span: Span) -> m.Const:
    """What is in a slot that is not filled."""
    return m.Const(blank(of.type.element), of.type.element, span)


def _kept(body: Body, name: str, value: m.Expr, span: Span) -> tuple[list[m.Statement], m.Expr]:
    """A value that is computed once, before anything changes."""
    if isinstance(value, m.Const):
        return [], value
    local = m.Local(body.slot(), name, value.type, span)
    return [m.Let(local.slot, name, value, span)], local


# ---------------------------------------------------------------- push, pop as statements


def performed(checker: Checker, node: tree.Expr) -> tree.Call | None:
    """The call that a statement is, if it is `push(..)` or `pop(..)` of a list and no effect of the game."""
    if not isinstance(node, tree.Call) or not isinstance(node.function, tree.Name):
        return None
    name = node.function.id
    return node if name in CHANGES and name not in checker.effects else None


def is_list(checker: Checker, name: str) -> bool:
    """Whether a variable of the position is a list; to ask is no use of it."""
    declaration = checker.values.get(name)
    if declaration is None or declaration.kind != "variable":
        return False
    used = declaration.used
    try:
        return checker.resolve(declaration, declaration.span).length is not None
    except Failed:
        return False
    finally:
        declaration.used = used


def assign(body: Body, node: tree.Assign) -> list[m.Statement] | None:
    """`pile = [a, b]`, `pile[2] = e`; None where the target is no list and no element of one."""
    target = node.target
    if isinstance(target, tree.Subscript) and (found := _element(body, target)) is not None:
        of, index_node = found
        index = number(body, index_node, "the index of a list")
        current = slot(body, of, place(body, of, index, target.span), target.span)
        if node.op == "=":
            item = expression(body, node.value, of.type.element)
        else:
            item = operate(body, node.op[0], current, node.value, node.span)
        return set_element(body, of, index, item, node.span)
    held_ = held(body, target)
    if held_ is None:
        return None
    if node.op != "=":
        written = (
            f"push({held_.name}, {node.value.span.text.strip('[]{}')})"
            if node.op == "+="
            else f"pop({held_.name})"
        )
        body.checker.fail(say.list_only_assigned(node.span, held_.name, node.op, written))
    return replaced(body, held_, node.value, node.span)


def perform(body: Body, node: tree.Call) -> list[m.Statement]:
    """`push(pile, c)`, `push(pile, c, 0)`, `pop(pile)`, `pop(pile, 0)`."""
    assert isinstance(node.function, tree.Name)
    name = node.function.id
    body.checker.meanings.note_library(node.function.span)
    least, most = (2, 3) if name == "push" else (1, 2)
    arguments: Sequence[tree.Argument] = node.arguments
    shown = "a list, what comes onto it, and perhaps where" if name == "push" else "a list, and perhaps which"
    if not least <= len(arguments) <= most or any(a.name for a in arguments):
        body.checker.fail(say.wrong_count(node.span, f"`{name}`", len(arguments), shown))
    of = wanted(body, arguments[0].value, f"`{name}`")
    at = number(body, arguments[most - 1].value, "the index of a list") if len(arguments) == most else None
    if at is not None and not isinstance(at.type, Int):
        body.checker.fail(say.fraction_for_whole(at.span, "the index of a list", of.places))
    if name == "pop":
        return pop(body, of, at, node.span)
    return push(body, of, expression(body, arguments[1].value, of.type.element), at, node.span)
