"""Calls, elements of maps and tables, parts of records and cells."""

from __future__ import annotations

from typing import NoReturn

from gdl.check import bags, library
from gdl.check.arithmetic import field
from gdl.check.coerce import coerce, fold
from gdl.check.context import Body, EffectInfo, Formula
from gdl.check.expressions import expression, handles, widened
from gdl.check.habits import elements_text, method_text, range_text
from gdl.check.indexing import cell_at, indices
from gdl.check.lists import element_node, held
from gdl.check.meanings import Gap
from gdl.check.names import bind_arguments, call_function, called, example_text, map_named, narrowed, read
from gdl.check.performing import note_performed
from gdl.check.relations import has_none, without_none
from gdl.check.types import type_of_node
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.diagnostics.wording.phrases import listing
from gdl.model import nodes as m
from gdl.model.types import BagOf, Cells, Enum, Int, ListOf, MapOf, Part, Rational, SetOf, Tuple, Type, Union
from gdl.syntax import tree


@handles(tree.Call)
def _call(body: Body, node: tree.Call, expected: Type | None) -> m.Expr:
    if isinstance(node.function, tree.Attribute):
        _refuse_method(body, node, node.function)
    if not isinstance(node.function, tree.Name):
        body.checker.fail(say.not_a_call(node.function.span))
    name = node.function.id
    declaration = body.checker.values.get(name)
    if declaration is not None and declaration.kind in ("def", "feature"):
        info = body.checker.resolve(declaration, node.span)
        return call_function(body, name, info, node.arguments, node.span)
    if name in library.FUNCTIONS:
        body.checker.meanings.note_library(node.function.span)
        return library.FUNCTIONS[name](body, node, expected)
    if name in body.checker.types or name == "player":
        return _insist(body, node)
    if declaration is not None and declaration.kind in ("variable", "const"):
        meaning = body.checker.resolve(declaration, node.span)
        if not getattr(meaning, "indices", ()):
            body.checker.fail(say.not_a_call(node.function.span))
        body.checker.fail(
            say.needs_index(node.span, name, ", ".join(a.value.span.text for a in node.arguments))
        )
    if name in body.checker.effects:
        body.checker.fail(say.effect_as_function(node.span, name))
    if written := range_text(node):
        body.checker.fail(say.foreign_range(node.span, written))
    if name in library.AGGREGATES:
        body.checker.fail(say.needs_binder(node.span, name))
    if foreign := say.foreign_function(node.function.span, name):
        body.checker.fail(foreign)
    known = [n for n, d in body.checker.values.items() if d.kind == "def"] + sorted(library.FUNCTIONS)
    body.checker.fail(say.unknown_function(node.function.span, name, known))


def _refuse_method(
    body: Body, node: tree.Call, function: tree.Attribute, statement: bool = False
) -> NoReturn:
    """`gone.add(n)`: how that is written depends on what `gone` is."""
    base = function.base
    if held(body, base) is not None:
        written = method_text(node, "list", statement)
    elif isinstance(base, tree.Name) and (map_ := map_named(body, base)) is not None:
        written = method_text(node, "map", statement)
        if element := elements_text(node, example_text(map_[0])):
            body.checker.fail(say.method_of_map(node.span, element))
    else:
        written = method_text(node, _kind(expression(body, base).type), statement)
    body.checker.fail(say.method(node.span, written, statement))


def _kind(type_: Type) -> str:
    """Which methods other languages would have for values of a type."""
    match without_none(type_):
        case SetOf():
            return "set"
        case BagOf():
            return "bag"
        case ListOf():
            return "list"
        case Cells():
            return "cell"
        case Int() | Rational():
            return "number"
        case Enum() | Part():
            return "value"
    return ""


def _insist(body: Body, node: tree.Call) -> m.Expr:
    """`Point(x)`: x, which must be a Point; `Cell(row, col)` too."""
    assert isinstance(node.function, tree.Name)
    target = type_of_node(body.checker, node.function)
    if isinstance(target, Tuple) and len(node.arguments) == len(target.fields):
        return _record(body, node, target)
    for argument in node.arguments:
        if argument.name is not None:
            body.checker.fail(say.unknown_keyword(argument.span, argument.name, node.function.id))
    arguments = [expression(body, a.value, target) for a in node.arguments]
    if isinstance(target, Cells) and len(arguments) == 2:
        return cell_at(body, target, arguments[0], arguments[1], node.span)
    if len(arguments) != 1:
        body.checker.fail(say.wrong_count(node.span, f"`{target}`", len(arguments), "one value"))
    return coerce(body, arguments[0], target, "this", insist=True)


def _record(body: Body, node: tree.Call, target: Tuple) -> m.Expr:
    """`Bid(2, 5)`, `Bid(face=5, count=2)`: the parts in their order, then those with names."""
    assert isinstance(node.function, tree.Name)
    names = target.names or ("",) * len(target.fields)
    given: dict[int, tree.Argument] = {}
    for place, argument in enumerate(node.arguments):
        if argument.name is not None and argument.name not in names:
            body.checker.fail(say.unknown_keyword(argument.span, argument.name, node.function.id))
        given.setdefault(place if argument.name is None else names.index(argument.name), argument)
    if len(given) < len(target.fields):
        body.checker.fail(
            say.wrong_count(node.span, f"`{node.function.id}`", len(given), f"each of {listing(names)}")
        )
    items = tuple(
        coerce(body, expression(body, given[place].value, type_), type_, "this field")
        for place, type_ in enumerate(target.fields)
    )
    return fold(body, m.TupleOf(items, target, node.span))


@handles(tree.GeneratorCall)
def _generator_call(body: Body, node: tree.GeneratorCall, expected: Type | None) -> m.Expr:
    if not isinstance(node.function, tree.Name):
        body.checker.fail(say.not_a_call(node.function.span))
    name = node.function.id
    if name not in library.AGGREGATES:
        if foreign := say.foreign_function(node.function.span, name):
            body.checker.fail(foreign)
        body.checker.fail(say.unknown_function(node.function.span, name, sorted(library.AGGREGATES)))
    body.checker.meanings.note_library(node.function.span)
    return library.aggregate(body, name, node, expected)


@handles(tree.Subscript)
def _subscript(body: Body, node: tree.Subscript, expected: Type | None) -> m.Expr:
    if (element := element_node(body, node)) is not None:
        return element
    local = body.local(node.base.id) if isinstance(node.base, tree.Name) else None
    if local is not None and isinstance(local.type, MapOf):
        local.used = True
        body.checker.meanings.note(node.base.span, local)
        places = indices(body, node, local.type.indices, local.name)
        made = m.Local(local.slot, local.name, local.type, node.base.span)
        return narrowed(body, m.Entry(made, places, local.type.element, node.span))
    if isinstance(node.base, tree.Name) and local is None:
        declaration = body.checker.values.get(node.base.id)
        if declaration is not None:
            meaning = body.checker.resolve(declaration, node.base.span)
            if isinstance(meaning, m.Variable) and (meaning.indices or not isinstance(meaning.type, BagOf)):
                if not meaning.indices:
                    _refuse_index(body, node, meaning.type)
                return read(body, meaning, indices(body, node, meaning.indices, node.base.id), node.span)
            if isinstance(meaning, m.Table | Formula):
                found = indices(body, node, meaning.indices, node.base.id)
                if isinstance(meaning, Formula):
                    return called(body, meaning.function, found, node.span)
                return lookup(body, meaning, found, node.span)
    base = expression(body, node.base)
    if isinstance(base.type, BagOf):
        return bags.count_node(body, base, node)
    if isinstance(base.type, ListOf) and len(node.indices) == 1:
        index = expression(body, node.indices[0])
        index = coerce(body, index, Int(0, max(0, base.type.longest - 1)), "the index of a list")
        return fold(body, m.Element(base, index, base.type.element, node.span))
    _refuse_index(body, node, base.type)


def _refuse_index(body: Body, node: tree.Subscript, type_: Type) -> NoReturn:
    name = node.base.span.text
    if isinstance(type_, Tuple):
        body.checker.fail(say.part_by_index(node.span, name, type_.names, len(type_.fields)))
    body.checker.fail(say.not_indexed(node.span, name))


def lookup(body: Body, table: m.Table, found: tuple[m.Expr, ...], span: Span) -> m.Expr:
    expr = m.Lookup(table.name, found, table.type, span)
    return narrowed(body, fold(body, expr)) if found else expr


@handles(tree.Attribute)
def _attribute(body: Body, node: tree.Attribute, expected: Type | None) -> m.Expr:
    base, name = widened(expression(body, node.base)), node.name.id
    type_ = base.type
    if isinstance(type_, Tuple) and type_.names and name in type_.names:
        return narrowed(body, field(body, base, type_.names.index(name), node.span))
    if isinstance(type_, Cells) and type_.rows and name in ("row", "col"):
        size = type_.rows if name == "row" else type_.cols
        result = Int(0, size - 1)
        parts = tuple(type_.place(cell)[name == "col"] for cell in range(type_.size))
        table = body.checker.table(f"{type_}.{name}", (type_,), lambda: parts, result)
        return narrowed(body, fold(body, m.Lookup(table, (base,), result, node.span)))
    if has_none(type_) and not isinstance(without_none(type_), Union):
        body.checker.fail(say.may_be_none(base.span, f"what has `.{name}`", type_, without_none(type_)))
    known = (
        type_.names
        if isinstance(type_, Tuple) and type_.names
        else ("row", "col")
        if isinstance(type_, Cells)
        else ()
    )
    body.checker.fail(say.unknown_field(node.name.span, name, type_, known))


def effect_call(
    body: Body, node: tree.Expr, after: bool = False
) -> tuple[str, tuple[m.Expr, ...], EffectInfo]:
    """The effect that a statement or an `after` names, and its arguments."""
    checker = body.checker
    if isinstance(node, tree.Call) and isinstance(node.function, tree.Attribute) and not after:
        _refuse_method(body, node, node.function, statement=True)
    name = node.function if isinstance(node, tree.Call) else node
    if not isinstance(name, tree.Name):
        checker.fail(say.after_needs_effect(node.span) if after else say.statement_expected(node.span))
    declaration = checker.effects.get(name.id)
    if declaration is None:
        checker.meanings.note_gap(name.span, Gap("statement", body.visible_locals()))
        known = checker.values.get(name.id)
        if known is not None and known.kind == "def":
            checker.fail(say.function_as_effect(name.span, name.id))
        if known is not None or body.local(name.id) is not None:
            checker.fail(say.after_needs_effect(node.span) if after else say.statement_expected(node.span))
        checker.fail(say.unknown_effect(name.span, name.id, list(checker.effects)))
    info: EffectInfo = checker.resolve(declaration, name.span)
    arguments = node.arguments if isinstance(node, tree.Call) else ()
    values = bind_arguments(body, name.id, info.effect.formals, arguments, node.span, info.effect.span)
    note_performed(body, info.effect, values)
    if body.called and not body.effect:
        body.refuse(*info.wrong)  # of a def nobody knows where it is asked
    return name.id, values, info
