"""The functions that every game can use: players and order, numbers, boards, sets, comprehensions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from gdl.check import bags, boards, lists, reaching
from gdl.check.arithmetic import field, number_operation, step
from gdl.check.coerce import as_rational, coerce, fold
from gdl.check.collections import closed, generator
from gdl.check.constants import constant_int
from gdl.check.context import Body
from gdl.check.domains import rounds, size_bounds
from gdl.check.expressions import expect_number, expression, number, widened
from gdl.check.names import ElementOf, map_named
from gdl.check.relations import is_numeric, join, number_type, optional, without_none
from gdl.check.types import is_type_name, type_of_node
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import (
    BOOL,
    BagOf,
    Bool,
    Cells,
    Enum,
    Int,
    ListOf,
    Part,
    Rational,
    SetOf,
    Tuple,
    Type,
    Union,
    has_bag,
)
from gdl.syntax import tree

AGGREGATES = ("any", "all", "count", "sum", "min", "max", "first")


def aggregate(body: Body, kind: str, node: tree.GeneratorCall, expected: Type | None) -> m.Expr:
    """`any(.. for ..)` and the like."""
    hint = without_none(expected) if kind == "first" and expected is not None else None
    with body.scope():
        binders, cond, item = generator(body, node.generator, hint)
    if kind in ("sum", "min", "max"):
        item = widened(item)
    if kind in ("any", "all", "count") and item.type != BOOL:
        body.checker.fail(say.not_a_condition(node.generator.body.span, item.type))
    if kind in ("sum", "min", "max"):
        expect_number(body.checker, item.type, node.generator.body.span, f"each value for `{kind}`")
    default = None
    if node.keyword is not None:
        if node.keyword.name != "default" or kind not in ("min", "max"):
            body.checker.fail(say.unknown_keyword(node.keyword.span, node.keyword.name or "", kind))
        default = expression(body, node.keyword.value)
        expect_number(body.checker, default.type, default.span, "a default")
    least, most = rounds(binders)
    if cond is not None:
        least = 0
    type_ = _aggregate_type(kind, item.type, least, most, default)
    if kind in ("min", "max"):
        if default is None and least == 0:
            body.leave_open(say.choice_left_open(node.span, kind))
        elif default is not None and isinstance(type_, Rational):
            item, default = (coerce(body, part, type_, "this") for part in (item, default))
    if kind == "first":
        item = coerce(body, item, without_none(type_), "this")
    return closed(body, m.Aggregate(kind, binders, cond, item, default, type_, node.span))


def _aggregate_type(kind: str, item: Type, least: int, most: int, default: m.Expr | None) -> Type:
    match kind:
        case "any" | "all":
            return BOOL
        case "count":
            return Int(0, most)
        case "first":
            return optional(item)
        case "sum":
            assert isinstance(item, Int | Rational)
            lo = min(least * item.lo, most * item.lo)
            hi = max(least * item.hi, most * item.hi)
            return Int(int(lo), int(hi)) if isinstance(item, Int) else Rational(lo, hi)  # type: ignore[arg-type]
    if default is not None:
        common = join(item, default.type)
        assert common is not None
        return common
    return item


# ------------------------------------------------------------- order, numbers


def _arguments(body: Body, node: tree.Call, least: int, most: int, wanted: str) -> list[tree.Expr]:
    for argument in node.arguments:
        if argument.name is not None:
            body.checker.fail(say.unknown_keyword(argument.span, argument.name, _function(node)))
    if not least <= len(node.arguments) <= most:
        body.checker.fail(say.wrong_count(node.span, f"`{_function(node)}`", len(node.arguments), wanted))
    return [argument.value for argument in node.arguments]


def _function(node: tree.Call) -> str:
    assert isinstance(node.function, tree.Name)
    return node.function.id


def _cycle(by: int) -> Callable[[Body, tree.Call, Type | None], m.Expr]:
    def build(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
        (argument,) = _arguments(body, node, 1, 1, "one value")
        operand = expression(body, argument, expected)
        type_ = operand.type
        if isinstance(type_, Int) and isinstance(operand, m.Local | m.Read | m.Const):
            type_ = _declared(body, operand)
        if not isinstance(type_, Enum | Int | Cells | Part | Bool | Union):
            body.checker.fail(
                say.wrong_type(argument.span, f"`{_function(node)}`", type_, "players, named values, cells")
            )
        if operand.type != type_:
            operand = m.Convert(operand, type_, operand.span)
        return fold(body, m.Cycle(operand, by, type_, node.span))

    return build


def _declared(body: Body, operand: m.Expr) -> Type:
    """The range round which a number's successor runs: the declared one, whatever is known here."""
    if isinstance(operand, m.Read):
        return body.checker.variables[operand.variable].type
    if isinstance(operand, m.Local):
        local = body.local(operand.name)
        if local is not None and local.type is not None:
            return local.type
    return operand.type


def _extreme(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
    """`min(a, b, ..)`, `max(a, b, ..)`."""
    arguments = _arguments(body, node, 1, 100, "two numbers or more")
    if len(arguments) == 1 and (of := lists.held(body, arguments[0])) is not None:
        return _over(body, _function(node), lists.numbers(body, of, node.span), node)
    result = widened(expression(body, arguments[0]))
    if len(arguments) == 1:
        return _over_list(body, _function(node), result, node)
    for argument in arguments[1:]:
        result = number_operation(
            body, _function(node), result, widened(expression(body, argument)), node.span
        )
    return result


def _absolute(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
    (argument,) = _arguments(body, node, 1, 1, "one number")
    operand = number(body, argument, "`abs`")
    type_ = operand.type
    assert isinstance(type_, Int | Rational)
    ends = sorted((abs(Fraction(type_.lo)), abs(Fraction(type_.hi))))
    least = Fraction(0) if type_.lo <= 0 <= type_.hi else ends[0]
    return fold(body, m.Absolute(operand, number_type(least, ends[1], isinstance(type_, Int)), node.span))


def _sign(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
    """`sign(x)`: 1, 0 or -1."""
    (argument,) = _arguments(body, node, 1, 1, "one number")
    operand = number(body, argument, "`sign`")
    plus, minus, zero = (m.Const(n, Int(n, n), node.span) for n in (1, -1, 0))
    if isinstance(operand.type, Int):
        return number_operation(
            body, "max", number_operation(body, "min", operand, plus, node.span), minus, node.span
        )
    none = as_rational(body, zero)
    above, below = (fold(body, m.Compare(op, operand, none, BOOL, node.span)) for op in (">", "<"))
    negative = fold(body, m.Conditional(below, minus, zero, Int(-1, 0), node.span))
    return fold(body, m.Conditional(above, plus, negative, Int(-1, 1), node.span))


def _rank(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
    """`rank(b)`: how many values of its type come before b."""
    (argument,) = _arguments(body, node, 1, 1, "one value")
    operand = expression(body, argument, expected if isinstance(expected, Enum | Cells) else None)
    if not isinstance(operand.type, Enum | Cells | Part | Bool):
        body.checker.fail(say.wrong_type(argument.span, "`rank`", operand.type, _ORDERED))
    return fold(body, m.Rank(operand, Int(0, operand.type.size - 1), node.span))


def _value(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
    """`value(Card, n)`: the value of a type that has this rank."""
    first, second = _arguments(body, node, 2, 2, "a type and a rank")
    if not is_type_name(body.checker, body, first):
        body.checker.fail(say.unknown_type(first.span, first.span.text, list(body.checker.types)))
    type_ = type_of_node(body.checker, first)
    if not isinstance(type_, Enum | Cells | Part | Bool):
        body.checker.fail(say.wrong_type(first.span, "`value`", type_, _ORDERED))
    wanted = Int(0, type_.size - 1)
    index = coerce(body, number(body, second, "a rank"), wanted, f"the rank of a {type_}")
    return fold(body, m.Ranked(index, type_, node.span))


_ORDERED = "players, named values, cells"


def _count(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
    """`count(set)`, `count(bag)`, `count(list)`, `count(Type)`."""
    (argument,) = _arguments(body, node, 1, 1, "a set, a bag, a list, a type or `… for x in …`")
    if is_type_name(body.checker, body, argument):
        type_ = type_of_node(body.checker, argument)
        if has_bag(type_):
            body.checker.fail(say.bag_elsewhere(argument.span, "something to go through"))
        size: int = type_.size  # type: ignore[union-attr]
        return m.Const(size, Int(size, size), node.span)
    if (of := lists.held(body, argument)) is not None:
        return lists.count(body, of, node.span)
    operand = expression(body, argument)
    if isinstance(operand.type, BagOf):
        return bags.size(body, operand, node.span)
    if isinstance(operand.type, SetOf):
        return fold(body, m.SetSize(operand, Int(0, operand.type.element.size), node.span))
    if isinstance(operand.type, ListOf):
        return fold(body, m.Length(operand, Int(0, operand.type.longest), node.span))
    body.checker.fail(say.not_iterable(argument.span, operand.type))


def _sum(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
    """`sum(list)`, or the total of a whole map: `sum(men)`."""
    (argument,) = _arguments(body, node, 1, 1, "a list, a map or `… for x in …`")
    if (of := lists.held(body, argument)) is not None:
        return _over(body, "sum", lists.numbers(body, of, argument.span), node)
    if isinstance(argument, tree.Name) and (map_ := map_named(body, argument)) is not None:
        return _sum_of_map(body, argument, *map_, node.span)
    return _over_list(body, "sum", expression(body, argument), node)


def _sum_of_map(
    body: Body, name: tree.Name, indices: tuple[Type, ...], element: ElementOf, span: Span
) -> m.Expr:
    slots = [body.slot() for _ in indices]
    binders = tuple(m.Binder((s,), ("_",), m.TypeDomain(t)) for s, t in zip(slots, indices, strict=True))
    item = widened(element(tuple(m.Local(s, "_", t, span) for s, t in zip(slots, indices, strict=True))))
    if not is_numeric(item.type):
        body.checker.fail(say.not_a_number(name.span, "`sum`", item.type))
    type_ = _aggregate_type("sum", item.type, *rounds(binders), None)
    return closed(body, m.Aggregate("sum", binders, None, item, None, type_, span))


def _over_list(body: Body, kind: str, operand: m.Expr, node: tree.Call) -> m.Expr:
    """`sum`, `min` or `max` of the elements of a list, a set or a bag of numbers."""
    if isinstance(operand.type, BagOf):
        over = m.SetDomain(bags.distinct(body, operand, operand.span), operand.type.element)
        return _total(body, operand, over, node) if kind == "sum" else _over(body, kind, over, node)
    if isinstance(operand.type, ListOf):
        return _over(body, kind, m.ListDomain(operand, operand.type.element), node)
    if isinstance(operand.type, SetOf):
        return _over(body, kind, m.SetDomain(operand, operand.type.element), node)
    body.checker.fail(say.not_iterable(operand.span, operand.type))


def _total(body: Body, bag: m.Expr, over: m.SetDomain, node: tree.Call) -> m.Expr:
    """The sum of a bag: each element as often as it is there."""
    assert isinstance(bag.type, BagOf)
    slot = body.slot()
    item = widened(m.Local(slot, "_", over.element, node.span))
    if not is_numeric(item.type):
        body.checker.fail(say.not_a_number(node.span, "each element for `sum`", item.type))
    times = m.BagCount(bag, m.Local(slot, "_", over.element, node.span), Int(0, bag.type.longest), node.span)
    type_ = _aggregate_type("sum", item.type, 0, bag.type.longest, None)
    added = number_operation(body, "*", item, times, node.span)
    return closed(
        body, m.Aggregate("sum", (m.Binder((slot,), ("_",), over),), None, added, None, type_, node.span)
    )


def _distinct(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
    """`distinct(bag)`: the set of what is in it."""
    (argument,) = _arguments(body, node, 1, 1, "a bag")
    operand = expression(body, argument)
    if not isinstance(operand.type, BagOf):
        body.checker.fail(say.wrong_type(argument.span, "`distinct`", operand.type, "a bag"))
    return bags.distinct(body, operand, node.span)


def _subsets(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
    """`subsets(..)` is what a parameter or a loop goes through, and no value: see `gdl.check.domains`."""
    body.checker.fail(say.subsets_as_value(node.span))


def _over(body: Body, kind: str, over: m.Domain, node: tree.Call) -> m.Expr:
    slot = body.slot()
    least, most = size_bounds(over)
    if isinstance(over, lists.Numbers):
        item, over = widened(over.bind(body, slot, node.span)), over.plain
    else:
        item = widened(m.Local(slot, "_", over.element, node.span))
    if not is_numeric(item.type):
        body.checker.fail(say.not_a_number(node.span, f"each element for `{kind}`", item.type))
    if least == 0 and kind != "sum":
        body.leave_open(say.choice_left_open(node.span, kind))
    type_ = _aggregate_type(kind, item.type, least, most, None)
    return closed(
        body, m.Aggregate(kind, (m.Binder((slot,), ("_",), over),), None, item, None, type_, node.span)
    )


def _top(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
    """`top(pile)`: the last element of a list."""
    (argument,) = _arguments(body, node, 1, 1, "a list")
    of = lists.wanted(body, argument, "`top`")
    return lists.slot(body, of, lists.last(body, of, node.span), node.span)


# --------------------------------------------------------------------- boards


def _board(body: Body, node: tree.TypeExpr, what: str) -> Cells:
    type_ = type_of_node(body.checker, node) if is_type_name(body.checker, body, node) else None
    if not isinstance(type_, Cells):
        found = f"`{node.span.text}`" if type_ is None else f"values of type {type_}"
        body.checker.fail(say.not_a_board(node.span, what, found))
    return type_


def _lines(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
    """`lines(Cell, 3)`, all of them; `lines(Cell, 3, c)`, those through c."""
    arguments = _arguments(body, node, 2, 3, "a board, a length, and perhaps a cell")
    cells = _board(body, arguments[0], "`lines`")
    length = constant_int(body.checker, arguments[1], "the length of a line")
    if length < 1:
        body.checker.fail(say.never_in_range(arguments[1].span, "the length of a line", str(length), "1.."))
    found = boards.lines(cells, length)
    line = ListOf(cells, length)
    if len(arguments) == 2:
        return m.Const(found, ListOf(line, len(found)), node.span)
    through = tuple(tuple(li for li in found if c in li) for c in range(cells.size))
    type_ = ListOf(line, max(len(t) for t in through))
    table = body.checker.table(f"lines({cells}, {length})", (cells,), lambda: through, type_)
    cell = coerce(body, expression(body, arguments[2], cells), cells, "the cell of `lines`")
    return fold(body, m.Lookup(table, (cell,), type_, node.span))


def _by_cell(
    name: str, rows: Callable[[Cells], tuple[tuple[int, ...], ...]]
) -> Callable[[Body, tree.Call, Type | None], m.Expr]:
    """`neighbours(c)` and the like: a table of lists of cells."""

    def build(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
        (argument,) = _arguments(body, node, 1, 1, "one cell")
        cell = expression(body, argument)
        cells = cell.type
        if not isinstance(cells, Cells):
            body.checker.fail(say.not_a_board(argument.span, f"`{name}`", f"a value of type {cells}"))
        found = rows(cells)
        type_ = ListOf(cells, max(len(row) for row in found))
        table = body.checker.table(f"{name}({cells})", (cells,), lambda: found, type_)
        return fold(body, m.Lookup(table, (cell,), type_, node.span))

    return build


def _ray(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
    """`ray(c, d)`: the cells from c, itself left out, in steps of d to the edge."""
    first, second = _arguments(body, node, 2, 2, "a cell and a direction")
    cell, direction = expression(body, first), expression(body, second)
    cells = cell.type
    if not isinstance(cells, Cells) or not cells.rows:
        body.checker.fail(say.not_a_board(first.span, "`ray`", f"a value of type {cells}"))
    step = direction.type
    if (
        not isinstance(step, Tuple)
        or len(step.fields) != 2
        or not all(isinstance(f, Int) for f in step.fields)
    ):
        body.checker.fail(say.wrong_type(second.span, "a direction", step, "(rows, columns)"))
    rows, cols = step.fields

    def values() -> tuple[tuple[int, ...], ...]:
        return tuple(
            boards.ray(cells, c, dr, dc)
            for c in range(cells.size)
            for dr in range(rows.lo, rows.hi + 1)
            for dc in range(cols.lo, cols.hi + 1)
        )

    longest = max(cells.rows, cells.cols) - 1
    type_ = ListOf(cells, longest)
    table = body.checker.table(f"ray({cells}, ({rows}, {cols}))", (cells, rows, cols), values, type_)
    parts = (cell, field(body, direction, 0, node.span), field(body, direction, 1, node.span))
    return fold(body, m.Lookup(table, parts, type_, node.span))


def _directions(kind: str) -> Callable[[Body, tree.Call, Type | None], m.Expr]:
    def build(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
        (argument,) = _arguments(body, node, 1, 1, "a board")
        cells = _board(body, argument, f"`{_function(node)}`")
        if not cells.rows:
            body.checker.fail(say.not_a_board(argument.span, f"`{_function(node)}`", f"the graph {cells}"))
        offsets = {
            "all": cells.offsets + cells.diagonals,
            "sides": cells.offsets,
            "corners": cells.diagonals,
        }[kind]
        rows = Int(min((r for r, _ in offsets), default=0), max((r for r, _ in offsets), default=0))
        cols = Int(min((c for _, c in offsets), default=0), max((c for _, c in offsets), default=0))
        return m.Const(offsets, ListOf(Tuple((rows, cols)), len(offsets)), node.span)

    return build


def _step(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
    """`step(c, d)`: the same as `c + d`."""
    first, second = _arguments(body, node, 2, 2, "a cell and a direction")
    cell, offset = expression(body, first), expression(body, second)
    if not isinstance(without_none(cell.type), Cells):
        body.checker.fail(say.not_a_board(first.span, "`step`", f"a value of type {cell.type}"))
    if not isinstance(offset.type, Tuple):
        body.checker.fail(say.wrong_type(second.span, "a step", offset.type, "(rows, columns)"))
    return step(body, cell, offset, "+", node.span)


def _set_of_places(body: Body, node: tree.Expr, element: Type | None, what: str) -> m.Expr:
    """A set of cells, or of what a relation relates; one of them or a list stands for the set of it, as a
    type does for the set of all its values."""
    if isinstance(node, tree.Name) and is_type_name(body.checker, body, node):
        node = _all_of(node)
    expr = expression(body, node, SetOf(element) if element is not None else None)
    listed = isinstance(expr.type, ListOf)
    found = expr.type.element if isinstance(expr.type, ListOf | SetOf) else expr.type
    if element is None and not isinstance(found, Cells):
        body.checker.fail(say.wrong_type(node.span, what, expr.type, "a set of cells"))
    if isinstance(expr.type, SetOf):
        return expr
    element = found if element is None or getattr(element, "whole", None) == found else element
    if not listed:
        return fold(body, m.SetLiteral((coerce(body, expr, element, what),), SetOf(element), expr.span))
    slot = body.slot()
    binder = m.Binder((slot,), ("_",), m.ListDomain(expr, found))
    item = coerce(body, m.Local(slot, "_", found, expr.span), element, what)
    return closed(body, m.Aggregate("set", (binder,), None, item, None, SetOf(element), expr.span))


def _all_of(type_: tree.Name) -> tree.Expr:
    """`{x for x in Ring}`: all values of a type."""
    span = type_.span
    binder = tree.Binding((tree.Name("_", span),), False, span)
    return tree.SetComprehension(tree.Generator(tree.Name("_", span), ((binder, type_),), None, span), span)


def _flood(body: Body, node: tree.Call, ends: int, wanted: str) -> tuple[m.Expr, list[m.Expr]]:
    """What is reached from the first argument, and the arguments that are its ends as sets.

    Behind the ends stands the set to stay in, a relation that says where a step leads, or both in this order.
    """
    arguments = _arguments(body, node, ends + 1, ends + 2, wanted)
    name = _function(node)
    relation = reaching.relation(body, arguments[-1])
    if relation is None and len(arguments) == ends + 2:
        body.checker.fail(say.not_a_relation(arguments[-1].span, name))
    behind = arguments[ends : -1 if relation else None]
    element = None if relation is None else relation.element
    within = _set_of_places(body, behind[0], element, f"the set to stay in of `{name}`") if behind else None
    if within is not None:
        assert isinstance(within.type, SetOf)
        element = within.type.element
    assert element is not None
    sets = [_set_of_places(body, a, element, f"an argument of `{name}`") for a in arguments[:ends]]
    if within is not None and relation is None and isinstance(element, Cells) and element.whole is not None:
        board = SetOf(element.whole)  # an end may be anywhere on it
        if any(s.type == board for s in sets):
            element, within = element.whole, coerce(body, within, board, f"the set to stay in of `{name}`")
    whole = SetOf(element)
    if within is None:
        within = m.Const((1 << element.size) - 1, whole, node.span)  # type: ignore[union-attr]
    sets = [coerce(body, s, whole, f"an argument of `{name}`") for s in sets]
    if relation is not None:
        return reaching.reached(body, relation, sets[0], within, node.span), sets
    assert isinstance(element, Cells)
    return fold(body, m.Flood(element, sets[0], within, whole, node.span)), sets


def _reachable(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
    """`reachable(starts, within)`: the cells of `within` connected to one of the starts inside it."""
    return _flood(body, node, 1, "where to start, then the set to stay in, a relation, or both")[0]


def _connected(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
    """`connected(a, b, within)`: whether a way inside `within` leads from a cell of a to one of b."""
    wanted = "where to start, where to go, then the set to stay in, a relation, or both"
    flood, (_, goal) = _flood(body, node, 2, wanted)
    met = fold(body, m.SetOperation("&", flood, goal, flood.type, node.span))
    empty = m.Const(0, flood.type, node.span)
    return fold(body, m.Compare("!=", met, empty, BOOL, node.span))


def _picture(name: str) -> Callable[[Body, tree.Call, Type | None], m.Expr]:
    """What only `show:` can do (`gdl/check/shows.py`)."""

    def refuse(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
        body.checker.fail(say.picture_elsewhere(node.span, name))

    return refuse


FUNCTIONS: dict[str, Callable[[Body, tree.Call, Type | None], m.Expr]] = {
    "next": _cycle(1),
    "previous": _cycle(-1),
    "min": _extreme,
    "max": _extreme,
    "abs": _absolute,
    "sign": _sign,
    "rank": _rank,
    "value": _value,
    "count": _count,
    "distinct": _distinct,
    "subsets": _subsets,
    "top": _top,
    "sum": _sum,
    "lines": _lines,
    "ray": _ray,
    "step": _step,
    "neighbours": _by_cell("neighbours", lambda cells: cells.adjacent),
    "surrounding": _by_cell("surrounding", boards.surrounding),
    "directions": _directions("all"),
    "orthogonal": _directions("sides"),
    "diagonal": _directions("corners"),
    "reachable": _reachable,
    "connected": _connected,
    "flip": _picture("flip"),
    "above": _picture("above"),
}
