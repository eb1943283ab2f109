"""Names: locals, position variables, constants, and values known by name such as `empty` or `a1`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gdl.check.coerce import coerce, evaluated
from gdl.check.context import Body, Checker, Failed, Formula, FunctionInfo, LocalName
from gdl.check.expressions import expression, handles
from gdl.check.meanings import Gap, NamedValue
from gdl.check.relations import members_of, without_none
from gdl.check.types import is_type_name
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import (
    BOOL,
    CHANCE,
    NONE,
    BagOf,
    BoundedList,
    Cells,
    Enum,
    Int,
    ListOf,
    MapOf,
    Player,
    SetOf,
    Type,
    Union,
    from_ordinal,
    show_value,
)
from gdl.syntax import tree


@handles(tree.Name)
def _name(body: Body, node: tree.Name, expected: Type | None) -> m.Expr:
    local = body.local(node.id)
    if local is not None:
        return _local(body, local, node.span)
    if literal := _literal(body, node, expected, certain=True):
        return literal
    declaration = body.checker.values.get(node.id)
    if declaration is not None:
        return _global(body, node, body.checker.resolve(declaration, node.span))
    if literal := _literal(body, node, expected, certain=False):
        return literal
    if node.id == "stuck":
        _ask(body, node.span)
        return m.Stuck(BOOL, node.span)
    body.checker.meanings.note_gap(node.span, Gap("value", body.visible_locals(), expected))
    if foreign := say.foreign_name(node.span, node.id):
        body.checker.fail(foreign)
    if node.id in ("opponent", "other", "enemy") and (turn := _whose_turn(body.checker)):
        body.checker.fail(say.other_player(node.span, turn))
    if node.id in body.checker.effects:
        body.checker.fail(say.effect_as_function(node.span, node.id))
    if node.id in body.checker.moves and body.play is not None:
        body.checker.fail(say.move_as_value(node.span, node.id))
    if is_type_name(body.checker, body, node):
        body.checker.fail(say.type_as_value(node.span, node.id))
    body.checker.fail(say.unknown_name(node.span, node.id, known_names(body)))


def _whose_turn(checker: Checker) -> str | None:
    """A variable that holds a player, if there is one."""
    return next((v.name for v in checker.variables.values() if isinstance(v.type, Player)), None)


def is_known(body: Body, node: tree.Name) -> bool:
    """Whether a name means anything here, even if nothing that has a value."""
    checker = body.checker
    return (
        body.local(node.id) is not None
        or node.id in ("true", "false", "none", "stuck")
        or node.id in {*checker.values, *checker.effects, *checker.enums, *checker.cells, *checker.moves}
        or is_type_name(checker, body, node)
        or say.foreign_name(node.span, node.id) is not None
    )


def known_names(body: Body) -> list[str]:
    known = body.checker.values.items()
    values = [name for name, declared in known if body.position or declared.kind != "variable"]
    return [*body.visible_names(), *values, *body.checker.enums]


def _local(body: Body, local: LocalName, span: Span) -> m.Expr:
    local.used = True
    body.checker.meanings.note(span, local)
    if local.constant is not None:
        return replace(local.constant, span=span)
    if local.type is None:
        raise Failed
    if local.stands_for is not None:
        return narrowed(body, replace(local.stands_for, span=span))
    if isinstance(local.type, BoundedList):
        body.checker.fail(say.list_as_value(span, local.name))
    if isinstance(local.type, MapOf):
        body.checker.fail(say.needs_index(span, local.name, example_text(local.type.indices)))
    return narrowed(body, m.Local(local.slot, local.name, local.type, span))


def narrowed(body: Body, expr: m.Expr) -> m.Expr:
    """The place with the type that the facts give it here."""
    known = body.facts.type_of(expr)
    if known == expr.type:
        return expr
    body.checker.meanings.note_narrowing(expr.span, expr.type, body.facts.origin_of(expr))
    if isinstance(known, Int) and isinstance(expr.type, Int):
        if known.lo == known.hi:
            return m.Const(known.lo, known, expr.span)
        return replace(expr, type=known)
    return m.Convert(expr, known, expr.span)


def _global(body: Body, node: tree.Name, meaning: Any) -> m.Expr:
    match meaning:
        case m.Const() if isinstance(meaning.type, Union):
            # A place, not a value, so that tests narrow it: which part it is may depend on a parameter.
            table = body.checker.table(node.id, (), lambda: (meaning.value,), meaning.type)
            return narrowed(body, m.Lookup(table, (), meaning.type, node.span))
        case m.Const():
            return replace(meaning, span=node.span)
        case m.Table() | Formula():
            body.checker.fail(say.needs_index(node.span, node.id, example_text(meaning.indices)))
        case m.Variable():
            if meaning.length is not None:
                body.checker.fail(say.list_as_value(node.span, node.id))
            if meaning.indices:
                body.checker.fail(say.needs_index(node.span, node.id, example_text(meaning.indices)))
            return read(body, meaning, (), node.span)
        case FunctionInfo():
            return call_function(body, node.id, meaning, (), node.span)
    raise AssertionError(meaning)


ElementOf = Callable[[tuple[m.Expr, ...]], m.Expr]
"""How an element of a map is read, from its indices."""


def map_named(body: Body, name: tree.Name) -> tuple[tuple[Type, ...], ElementOf] | None:
    """The indices of the map that a name means, and how an element of it is read; None if it means none."""
    span = name.span
    local = body.local(name.id)
    if local is not None:
        if not isinstance(local.type, MapOf):
            return None
        local.used = True
        body.checker.meanings.note(span, local)
        map_, element = m.Local(local.slot, local.name, local.type, span), local.type.element
        return local.type.indices, lambda places: narrowed(body, m.Entry(map_, places, element, span))
    declaration = body.checker.values.get(name.id)
    if declaration is None or declaration.kind not in ("variable", "const"):
        return None
    meaning = body.checker.resolve(declaration, span)
    match meaning:
        case m.Variable() if meaning.indices and meaning.length is None:
            return meaning.indices, lambda places: read(body, meaning, places, span)
        case m.Table() if meaning.indices:
            return meaning.indices, lambda places: m.Lookup(meaning.name, places, meaning.type, span)
        case Formula():
            return meaning.indices, lambda places: called(body, meaning.function, places, span)
    return None


def index_text(indices: tuple[Type, ...]) -> str:
    return ", ".join(str(i) for i in indices)


def example_text(indices: tuple[Type, ...]) -> str:
    """The indices of the first element of a map."""
    return ", ".join(show_value(i, from_ordinal(i, 0)) for i in indices)


def read(body: Body, variable: m.Variable, indices: tuple[m.Expr, ...], span: Span) -> m.Expr:
    if not body.position:
        body.checker.fail(say.not_here(span, variable.name, body.kind))
    body.reads = True
    return narrowed(body, m.Read(variable.name, indices, variable.type, span))


def _ask(body: Body, span: Span) -> None:
    """`stuck` looks for legal moves: what decides which are legal, or leads elsewhere, cannot ask it."""
    if not body.position:
        body.checker.fail(say.not_here(span, span.text, body.kind))
    if body.kind in ("a move", "an effect", "`initial:`", "`player:`", "`visible to`", "a policy"):
        body.checker.fail(say.stuck_here(span, body.kind))
    body.reads = body.asks = True


def _literal(body: Body, node: tree.Name, expected: Type | None, certain: bool) -> m.Const | None:
    """A value known by its name: `true`, `none`, a player, an enum value, a cell.

    With `certain` only what the expected type holds, so that it comes before other meanings.
    """
    name, span, checker = node.id, node.span, body.checker
    if expected is not None:
        for member in members_of(without_none(_element_hint(expected))):
            ordinals = getattr(member, "ordinals", None)
            if ordinals is not None and name in ordinals:
                return _value_of(checker, member, ordinals[name], span)
    if certain:
        return None
    if name in ("true", "false"):
        return m.Const(name == "true", BOOL, span)
    if name == "none":
        return m.Const(0, NONE, span)
    if name == "chance" and body.kind == "`player:`":
        return m.Const(0, CHANCE, span)
    candidates: list[tuple[Any, int]] = [*checker.enums.get(name, ())]
    if not candidates:
        candidates = [*checker.cells.get(name, ())]
    if len(candidates) > 1:
        checker.fail(say.ambiguous_name(span, name, [str(type_) for type_, _ in candidates]))
    if candidates:
        return _value_of(checker, *candidates[0], span)
    return None


def _value_of(checker: Checker, type_: Type, number: int, span: Span) -> m.Const:
    """A value known by its name, which uses the type that declares it."""
    declaration = checker.types.get(str(type_))
    if declaration is not None:
        declaration.used = True
    if isinstance(type_, Enum | Cells):
        places = type_.places or range(type_.size)
        checker.meanings.note(span, NamedValue(type_.whole or type_, places[number]))
    return m.Const(number, type_, span)


def _element_hint(expected: Type) -> Type:
    return expected.element if isinstance(expected, SetOf | BagOf | ListOf) else expected


def is_open_literal(body: Body, node: tree.TypeExpr) -> bool:
    """Whether a name, or a set of names, can only be read with the help of an expected type."""
    if isinstance(node, tree.SetExpr):
        return all(not isinstance(i, tree.Glyph) and is_open_literal(body, i) for i in node.items)
    return (
        isinstance(node, tree.Name)
        and body.local(node.id) is None
        and node.id not in body.checker.values
        and (node.id in body.checker.enums or node.id in body.checker.cells)
    )


def call_function(
    body: Body, name: str, info: FunctionInfo, arguments: tuple[tree.Argument, ...], span: Span
) -> m.Expr:
    function = info.function
    values = bind_arguments(body, name, function.formals, arguments, span, function.span)
    note_call(body, name, info, span)
    return called(body, function, values, span, info.reads)


def called(
    body: Body, function: m.Function, values: tuple[m.Expr, ...], span: Span, reads: bool = False
) -> m.Expr:
    """The value of a function for arguments of the types of its formals."""
    call = m.Call(function.name, values, function.type, span)
    if not reads and all(isinstance(v, m.Const) for v in values) and not isinstance(call.type, Union):
        return evaluated(body, call)  # a union stays a place, which tests can narrow
    return narrowed(body, call)


def note_call(body: Body, name: str, info: FunctionInfo, span: Span) -> None:
    """What a function looks at, whoever calls it looks at; where that cannot be, it is a mistake."""
    body.refuse(*info.wrong)
    if info.reads:
        if not body.position:
            body.checker.fail(say.not_here(span, name, body.kind))
        body.reads = True
    if info.asks:
        _ask(body, span)


def bind_arguments(
    body: Body,
    name: str,
    formals: tuple[m.Formal, ...],
    arguments: tuple[tree.Argument, ...],
    span: Span,
    declared: Span,
) -> tuple[m.Expr, ...]:
    """Arguments by position, then by name, each of its formal's type."""
    given: dict[str, tree.Expr] = {}
    names = [formal.name for formal in formals]
    for i, argument in enumerate(arguments):
        key = argument.name
        if key is None:
            if i >= len(formals):
                wanted = f"{len(formals)} argument{'s' if len(formals) != 1 else ''}"
                body.checker.fail(say.wrong_count(span, f"`{name}`", len(arguments), wanted, declared))
            key = names[i]
        elif key not in names:
            body.checker.fail(say.unknown_keyword(argument.span, key, name))
        given[key] = argument.value
    if len(given) != len(formals) or len(given) != len(arguments):
        wanted = f"{len(formals)} argument{'s' if len(formals) != 1 else ''}"
        body.checker.fail(say.wrong_count(span, f"`{name}`", len(arguments), wanted, declared))
    return tuple(
        coerce(body, expression(body, given[f.name], f.type), f.type, f"`{f.name}` of `{name}`")
        for f in formals
    )
