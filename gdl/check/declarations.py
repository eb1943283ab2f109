"""The global names of a game: params, types, consts, position variables, defs and effects.

Each is worked out when it is first used, so sections may stand in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import isfinite, prod
from numbers import Integral
from typing import Any

from gdl.check import bags
from gdl.check.coerce import coerce, joined
from gdl.check.constants import MAX_ENTRIES, constant, table, table_values
from gdl.check.context import Body, Checker, Declaration, EffectInfo, Failed, Formula, FunctionInfo
from gdl.check.expressions import condition, expression, widened
from gdl.check.meanings import NamedValue
from gdl.check.narrowing import Facts
from gdl.check.performing import known_in_all
from gdl.check.relations import convert_value, is_numeric, type_of
from gdl.check.statements import always_leaves, block, with_returns
from gdl.check.types import storable, type_of_node
from gdl.check.visibility import visibility
from gdl.diagnostics import Diagnostic, Span
from gdl.diagnostics import wording as say
from gdl.diagnostics.wording.phrases import listing
from gdl.model import nodes as m
from gdl.model.types import (
    BOOL,
    NONE,
    Bool,
    BoundedList,
    Cells,
    Enum,
    Int,
    ListOf,
    Member,
    Player,
    Rational,
    SetOf,
    Type,
    Union,
    blank,
    has_bag,
)
from gdl.syntax import tree

MAX_PLAYERS = 64


def declare_all(checker: Checker) -> None:
    """Enters every global name, then the players and types, whose values are names too."""
    items = checker.file.items
    for item in items:
        match item:
            case tree.Param():
                _declare(checker, checker.values, "param", item.name, partial(_param, checker, item))
            case tree.TypeItem():
                _declare(
                    checker, checker.types, "type", item.name,
                    partial(type_of_node, checker, item.type, item.name.id, True),
                )  # fmt: skip
            case tree.Const():
                _declare(checker, checker.values, "const", item.name, partial(_const, checker, item))
            case tree.PositionItem():
                for variable in item.variables:
                    _declare(
                        checker, checker.values, "variable", variable.name,
                        partial(_variable, checker, variable),
                    )  # fmt: skip
            case tree.Def():
                _declare(checker, checker.values, "def", item.name, partial(function, checker, item))
            case tree.Feature():
                _declare(checker, checker.values, "feature", item.name, partial(_feature, checker, item))
            case tree.Effect():
                _declare(checker, checker.effects, "effect", item.name, partial(_effect, checker, item))
    _players(checker)
    for declaration in checker.types.values():
        used = declaration.used
        with checker.attempt():
            checker.resolve(declaration, declaration.span)
        declaration.used = used
    _clashes(checker)


def _declare(
    checker: Checker, table: dict[str, Declaration], kind: str, name: tree.Name, resolve: Callable[[], Any]
) -> None:
    if name.id in table:
        checker.report(say.declared_twice(name.span, name.id, table[name.id].span))
        return
    table[name.id] = Declaration(kind, name.id, name.span, resolve)


def _players(checker: Checker) -> None:
    sections = [item for item in checker.file.items if isinstance(item, tree.Players)]
    if not sections:
        # Reported as missing; two stand-ins keep the rest of the check going.
        checker.players = Player("player", (Member("first player"), Member("second player")))
        return
    members: list[Member] = []
    for name, glyph in sections[0].names:
        if any(member.name == name.id for member in members):
            checker.report(say.player_repeated(name.span, name.id))
            continue
        members.append(Member(name.id, glyph.value if glyph else None))
    if len(members) > MAX_PLAYERS:
        checker.report(say.too_many_players(sections[0].span))
    checker.players = Player("player", tuple(members))
    checker.add_enum(checker.players)
    for name, _ in sections[0].names:
        checker.meanings.note(name.span, NamedValue(checker.players, checker.players.ordinals[name.id]))


def _clashes(checker: Checker) -> None:
    """A value known by name must not hide behind a declared name."""
    for name, places in checker.enums.items():
        declaration = checker.values.get(name)
        if declaration is not None:
            owner = places[0][0]
            what = "player" if isinstance(owner, Player) else f"value of {owner}"
            checker.report(say.shadowed_global(declaration.span, name, what, declaration.span))


# --------------------------------------------------------------------- params


def _param(checker: Checker, node: tree.Param) -> m.Const:
    parameter = parameter_of(checker, node)
    return m.Const(parameter.value, _param_type(parameter), node.span)


def _param_type(parameter: m.Parameter) -> Type:
    return type_of(parameter.value) if is_numeric(parameter.type) else parameter.type


def parameter_of(checker: Checker, node: tree.Param) -> m.Parameter:
    """The parameter with the value given from outside, or its default."""
    name = node.name.id
    declared = type_of_node(checker, node.type, name) if node.type is not None else None
    if isinstance(declared, Int):
        default = constant(checker, node.default, f"the default of `{name}`")
        if isinstance(default.type, Rational) or _decimal(node.default):  # a range of fractions
            declared = Rational(Fraction(declared.lo), Fraction(declared.hi))
        default = coerce_constant(checker, default, declared, f"the default of `{name}`")
        if isinstance(declared, Rational) and not declared.lo <= default.value <= declared.hi:
            checker.fail(
                say.never_in_range(
                    default.span,
                    f"the default of `{name}`",
                    str(default.value),
                    f"{declared.lo}..{declared.hi}",
                )
            )
    else:
        default = constant(checker, node.default, f"the default of `{name}`", declared)
    type_: Type = declared if declared is not None else _open_type(checker, default, node)
    value = default.value
    if name in checker.overrides:
        value = _override(checker, node, type_, declared is not None, checker.overrides[name])
    return m.Parameter(name, value, default.value, type_, declared is not None, node.name.span)


def _decimal(node: tree.Expr) -> bool:
    """`1.0`, which stands for fractions although it is whole."""
    return isinstance(node, tree.Number) and "." in node.span.text


def coerce_constant(checker: Checker, value: m.Const, type_: Type, what: str) -> m.Const:
    found = coerce(Body(checker, what, position=False), value, type_, what)
    assert isinstance(found, m.Const)
    return found


def _open_type(checker: Checker, default: m.Const, node: tree.Param) -> Type:
    """Without a declared range: any whole number, any number, true or false, a value of the enum."""
    match default.type:
        case Int() if not _decimal(node.default):
            return Int(-(2**31), 2**31)
        case Int() | Rational():
            return Rational(Fraction(-(2**31)), Fraction(2**31))
        case Bool() | Enum() | Cells() | Union():
            return default.type
    if isinstance(node.default, tree.Range):
        low = node.default.lo.span.text
        checker.fail(say.range_for_parameter(node.default.span, node.name.span, node.name.id, low))
    checker.fail(
        say.wrong_type(
            node.default.span, f"the parameter `{node.name.id}`", default.type, "a number or a name"
        )
    )


def override(checker: Checker, node: tree.Param, given: str, span: Span) -> None:
    """Fails where a parameter of the file cannot have a value that a line of it gives."""
    parameter: m.Parameter = parameter_of(checker, node)
    _override(checker, node, parameter.type, parameter.bounded, given, span)


def _override(
    checker: Checker, node: tree.Param, type_: Type, bounded: bool, given: Any, span: Span | None = None
) -> Any:
    wanted = describe_parameter(type_, bounded)
    bad = say.bad_param(node.name.id, str(given), wanted, span or node.name.span)
    if isinstance(given, str):
        given = _parse_value(type_, given.strip())
        if given is None:
            checker.fail(bad)
    elif isinstance(given, float):
        if not isfinite(given):
            checker.fail(bad)
        given = Fraction(str(given))
    elif not isinstance(given, bool | Fraction):
        if not isinstance(given, Integral):
            checker.fail(bad)
        given = int(given)  # of arrays too
    if isinstance(given, bool) != isinstance(type_, Bool):
        checker.fail(bad)
    try:
        source = type_of(given) if isinstance(given, int | Fraction) and is_numeric(type_) else type_
        value = convert_value(given, source, type_)
        if isinstance(type_, Rational) and not type_.lo <= value <= type_.hi:
            checker.fail(bad)
        return value
    except (ValueError, TypeError):
        checker.fail(bad)


def _parse_value(type_: Type, text: str) -> Any:
    match type_:
        case Bool():
            return {"true": True, "false": False}.get(text.lower())
        case Int() | Rational():
            try:
                value = Fraction(text.replace("_", ""))
            except (ValueError, ZeroDivisionError):
                return None
            return int(value) if value.denominator == 1 else value
        case Enum() | Cells():
            return type_.ordinals.get(text)
        case Union():
            for member, start in zip(type_.members, type_.starts, strict=True):
                if member == NONE and text == "none":
                    return start
                value = _parse_value(member, text)
                if value is not None:
                    return convert_value(value, type_of(value) if isinstance(member, Int) else member, type_)
    return None


def describe_parameter(type_: Type, bounded: bool) -> str:
    """What may be given for a parameter, in words."""
    match type_:
        case Bool():
            return "true or false"
        case Int():
            return f"a whole number from {type_.lo} to {type_.hi}" if bounded else "a whole number"
        case Rational():
            kind = "a number such as 0.25 or 1/4"
            return f"{kind} from {type_.lo} to {type_.hi}" if bounded else kind
        case Enum() | Cells():
            return listing(type_.ordinals, "or")
    return f"a value of type {type_}"


# ------------------------------------------------------------ consts, variables


def _index_types(checker: Checker, indices: tuple[tree.Index, ...]) -> tuple[Type, ...]:
    types = tuple(type_of_node(checker, index.type) for index in indices)
    for index, type_ in zip(indices, types, strict=True):
        if has_bag(type_):
            checker.fail(say.bag_elsewhere(index.span, "an index"))
        if isinstance(type_, SetOf) or type_.size > MAX_ENTRIES:  # type: ignore[union-attr]
            checker.fail(say.not_finite(index.span, f"the index {type_}", MAX_ENTRIES))
    return types


def _const(checker: Checker, node: tree.Const) -> m.Const | m.Table | Formula:
    name = node.name.id
    element = type_of_node(checker, node.type) if node.type is not None else None
    if not node.indices:
        if isinstance(node.value, tree.DictExpr) and bags.wanted(element) is None:
            checker.fail(say.table_without_index(node.name.span, name))
        value = constant(checker, node.value, f"the constant `{name}`", element)
        return m.Const(value.value, value.type, node.name.span)
    types = _index_types(checker, node.indices)
    found = table(checker, name, node.value, node.indices, types, element)
    if isinstance(found, Formula):
        checker.functions[name] = found.function
    else:
        checker.tables[name] = found
    return found


def _variable(checker: Checker, node: tree.Variable) -> m.Variable:
    name = node.name.id
    types = _index_types(checker, node.indices)
    type_ = type_of_node(checker, node.type, lists=True)
    if isinstance(type_, BoundedList):
        return _list_variable(checker, node, types, type_)
    if not storable(type_):
        checker.fail(say.wrong_type(node.type.span, f"`{name}`", type_, "a finite type"))
    count = 1
    for index in types:
        count *= index.size  # type: ignore[union-attr]
    if count > MAX_ENTRIES:
        checker.fail(say.not_finite(node.span, f"the map `{name}`", MAX_ENTRIES))
    if node.default is not None:
        default, _ = table_values(checker, node.default, node.indices, types, type_, f"`{name}`")
    else:
        default = (blank(type_),) * count
    variable = m.Variable(name, types, type_, default, None, node.name.span)
    checker.variables[name] = variable
    if node.visible is not None:
        seen = visibility(checker, node, types)
        variable = m.Variable(name, types, type_, default, seen, node.name.span)
        checker.variables[name] = variable
    return variable


def _list_variable(
    checker: Checker, node: tree.Variable, types: tuple[Type, ...], list_: BoundedList
) -> m.Variable:
    """The slots of a list; beside them stands the variable that counts those that are filled."""
    name, what = node.name.id, f"`{node.name.id}`"
    sizes: list[int] = [index.size for index in types]  # type: ignore[union-attr]
    lists = prod(sizes)
    if lists * list_.longest > MAX_ENTRIES:
        checker.fail(say.not_finite(node.span, f"the list {what}", MAX_ENTRIES))
    starts: tuple[tuple[Any, ...], ...] = ((),) * lists
    if node.default is not None:
        element = ListOf(list_.element, list_.longest)
        starts, _ = table_values(checker, node.default, node.indices, types, element, what)
    for start in starts:
        if len(start) > list_.longest:
            checker.fail(say.list_too_long(node.span, name, len(start), list_.longest))
    empty = blank(list_.element)
    slots = tuple(v for start in starts for v in (*start, *(empty,) * (list_.longest - len(start))))
    places, counted = (*types, Int(0, list_.longest - 1)), f"{name}.count"
    made = m.Variable(name, places, list_.element, slots, None, node.name.span, length=counted)
    filled = tuple(len(start) for start in starts)
    count = m.Variable(counted, types, Int(0, list_.longest), filled, None, node.name.span, counts=name)
    checker.variables[name], checker.variables[counted] = made, count
    if node.visible is not None and (seen := visibility(checker, node, types)) is not None:
        of_slot = m.Visibility(
            seen.frame + 1, (*seen.index_slots, seen.frame), seen.viewer_slot, seen.condition
        )
        checker.variables[counted] = replace(count, visible=seen)
        made = checker.variables[name] = replace(made, visible=of_slot)
    return made


# -------------------------------------------------------------- defs, effects


def formals_of(checker: Checker, body: Body, formals: tuple[tree.Formal, ...]) -> tuple[m.Formal, ...]:
    found = []
    for formal in formals:
        if formal.type is None:
            checker.report(say.untyped_formal(formal.span, formal.name.id))
            raise Failed
        local = body.declare(formal.name, type_of_node(checker, formal.type), "parameter")
        assert local.type is not None
        found.append(m.Formal(local.name, local.slot, local.type))
    return tuple(found)


def function(checker: Checker, node: tree.Def) -> FunctionInfo:
    body = Body(checker, f"`{node.name.id}`", called=True)
    formals = formals_of(checker, body, node.formals)
    made, type_ = body_of(body, node.body, None, node.name)
    result = m.Function(node.name.id, formals, body.frame, made, type_, node.name.span)
    checker.functions[node.name.id] = result
    return FunctionInfo(result, body.reads, body.asks, tuple(body.wrong))


def _feature(checker: Checker, node: tree.Feature) -> FunctionInfo:
    info = function(checker, tree.Def(node.name, (), node.body, node.span))
    if not is_numeric(info.function.type) and info.function.type != BOOL:
        checker.fail(say.not_a_number(node.body.span, f"the feature `{node.name.id}`", info.function.type))
    return info


def body_of(
    body: Body, node: tree.Body, expected: Type | None, name: tree.Name
) -> tuple[m.Expr | m.Block, Type]:
    """An expression, or a block that returns on every way through it; and its type."""
    if not isinstance(node, tree.Block):
        expr = condition(body, node) if expected == BOOL else widened(expression(body, node, expected))
        return expr, expr.type
    checker = body.checker
    before, given_up = len(checker.diagnostics), checker.given_up
    made = block(body, node)
    if checker.given_up > given_up or any(d.severity == "error" for d in checker.diagnostics[before:]):
        raise Failed
    if not made or not always_leaves(made[-1]) or not body.returns:
        body.checker.fail(say.no_return(name.span, name.id))
    _, common = joined(body, [widened(value) for value in body.returns], node.span, expected)
    return with_returns(made, lambda value: coerce(body, value, common, "the returned value")), common


def _effect(checker: Checker, node: tree.Effect, facts: Facts | None = None) -> EffectInfo:
    """An effect, wherever it is performed, or where these facts hold."""
    body = Body(checker, "an effect", called=True)
    body.effect = node.name.id
    formals = formals_of(checker, body, node.formals)
    body.facts = facts or body.facts
    made = block(body, node.body)
    effect = m.Effect(node.name.id, formals, body.frame, made, body.draws, node.name.span)
    checker.model_effects[node.name.id] = effect
    return EffectInfo(effect, frozenset(body.assigns), body.rewards, node, tuple(body.wrong))


def judge_effects(checker: Checker) -> None:
    """Says what is wrong with effects, and what they leave open, by what is known where they are performed.

    Who performs comes before what it performs. The engines are given the effect as it is anywhere: a
    question from outside may perform it where the game never does.
    """
    for name, general in reversed(list(checker.model_effects.items())):
        declaration = checker.effects[name]
        info: EffectInfo = declaration.result
        places = checker.performed.get(name, [])
        if places and (facts := known_in_all(places)).types:
            wrong = _judged_again(checker, info, facts)
            checker.model_effects[name] = general
        elif places or not declaration.used:
            wrong = info.wrong
        else:  # it is performed only where no play comes
            _unsay(checker, info)
            wrong = ()
        for diagnostic in wrong:
            if diagnostic not in checker.diagnostics:
                checker.report(diagnostic)


def _judged_again(checker: Checker, info: EffectInfo, facts: Facts) -> tuple[Diagnostic, ...]:
    """What is wrong with an effect where these facts hold. All else was said when it was read."""
    said, known, wrong = len(checker.diagnostics), list(checker.obligations), info.wrong
    performed = {name: list(places) for name, places in checker.performed.items()}
    _unsay(checker, info)
    try:
        wrong = _effect(checker, info.node, facts).wrong
    except Failed:  # it is no more than it was
        checker.obligations[:], checker.performed = known, performed
    del checker.diagnostics[said:]
    return wrong


def _unsay(checker: Checker, info: EffectInfo) -> None:
    """Takes back what an effect leaves open, and that it performs others."""
    checker.obligations[:] = [
        note for note in checker.obligations if note.span is None or not info.node.span.covers(note.span)
    ]
    for name, places in checker.performed.items():
        checker.performed[name] = [place for place in places if place.by != info.effect.name]
