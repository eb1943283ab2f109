"""Moves: parameters, guards placed as early as they can be tested, bodies."""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod

from gdl.check import bags, library
from gdl.check.context import Body, Checker, Failed
from gdl.check.domains import assume_some, domain, size_bounds, type_domain
from gdl.check.expressions import expression, number
from gdl.check.logic import decided, is_total, tested
from gdl.check.move_names import notation
from gdl.check.relations import without_none
from gdl.check.statements import block
from gdl.check.types import type_of_node
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import Int, ListOf, Rational
from gdl.model.walk import bound_slots, walk
from gdl.reference.moves import MAX_MOVES
from gdl.syntax import tree

MAX_NUMBERS = 2**62
"""The most combinations of values that the parameters of a move may have: moves are numbered by them."""


def move(checker: Checker, node: tree.Move, chance_moves: bool) -> tuple[m.Move, Body]:
    """The move, and its body's record of what it draws, assigns and pays."""
    body = Body(checker, "a move")
    body.assume_terminal(False)
    clauses: dict[str, tree.Clause] = {}
    for clause in node.clauses:
        if clause.kind in clauses:
            checker.fail(say.otherwise_with_when(clause.span))
        clauses[clause.kind] = clause
    with body.scope():
        parameters: list[m.MoveParameter] = []
        for parameter in node.parameters:
            with checker.attempt():
                parameters.append(_parameter(body, parameter))
        guards: list[m.Expr] = []
        mistaken: tree.Expr | None = None
        if "when" in clauses:
            guards, mistaken = _guards(body, node, clauses["when"])
        weight = None
        if "weight" in clauses:
            with checker.attempt():
                weight = _weight(body, clauses["weight"], chance_moves)
        with checker.unsure(mistaken):
            made = block(body, node.body)
    early, parameters = _placed(parameters, guards)
    tried = _tried(parameters)
    if tried > MAX_MOVES:
        checker.report(say.too_many_choices(node.name.span, node.name.id, tried, MAX_MOVES))
    sizes: list[int] = [p.type.size for p in parameters if p.domain is not None]  # type: ignore[union-attr]
    if prod(sizes) > MAX_NUMBERS:
        checker.report(say.too_many_numbers(node.name.span, node.name.id))
    result = m.Move(
        node.name.id,
        tuple(parameters),
        early,
        weight,
        "otherwise" in clauses,
        node.secret,
        None if node.notation is None else notation(checker, node.notation, parameters),
        body.frame,
        made,
        node.name.span,
    )
    return result, body


def _guards(body: Body, node: tree.Move, clause: tree.Clause) -> tuple[list[m.Expr], tree.Expr | None]:
    """The conjuncts of a guard, which is assumed from here on, and the guard itself if it has a mistake."""
    assert clause.value is not None
    guard, sure = tested(body, clause.value)
    if decided(guard) is False and not body.checker.depends_on_params(clause.value):
        body.checker.report(say.never_legal(node.name.span, node.name.id))
    body.assume(guard)
    return list(guard.items) if isinstance(guard, m.And) else [guard], None if sure else clause.value


def _weight(body: Body, clause: tree.Clause, chance_moves: bool) -> m.Expr:
    checker = body.checker
    assert clause.value is not None
    if not chance_moves:
        checker.fail(say.weight_without_chance(clause.span))
    weight = number(body, clause.value, "a weight")
    assert isinstance(weight.type, Int | Rational)
    if weight.type.hi < 0:
        checker.fail(say.weights_negative(weight.span, weight.type))
    if weight.type.lo <= 0:
        body.leave_open(say.draw_left_open(weight.span))
    return weight


def _parameter(body: Body, node: tree.MoveParameter) -> m.MoveParameter:
    try:
        return _parameter_of(body, node)
    except Failed:
        body.declare(node.name, None, "parameter")  # so that its uses are not mistakes too
        raise


def _parameter_of(body: Body, node: tree.MoveParameter) -> m.MoveParameter:
    checker = body.checker
    if node.kind == "computed":
        value = expression(body, node.value)
        if isinstance(value.type, ListOf):
            checker.fail(say.list_here(node.value.span))
        type_ = without_none(value.type)
        local = body.declare(node.name, type_, "parameter")
        return m.MoveParameter(node.name.id, local.slot, type_, None, value, ())
    if node.kind == "typed":
        _refuse_choice(body, node)
        type_ = type_of_node(checker, node.value)
        over: m.Domain = type_domain(body, type_, node.value)
    else:
        over = domain(body, node.value)
    assume_some(body, over, node.span)
    local = body.declare(node.name, over.element, "parameter")
    bags.assume_in(body, over, local.slot, local.name, node.span)
    return m.MoveParameter(node.name.id, local.slot, over.element, over, None, ())


def _refuse_choice(body: Body, node: tree.MoveParameter) -> None:
    """What depends on the position or on earlier parameters is no type: `k in 0..n`, not `k: 0..n`."""
    value, checker = node.value, body.checker
    known = checker.values
    called = isinstance(value, tree.Call) and isinstance(value.function, tree.Name) and value.function.id
    depends = called in library.FUNCTIONS or any(
        body.local(name) is not None or (name in known and known[name].kind == "variable")
        for name in _NAME.findall(value.span.text)
    )
    if depends and not (isinstance(value, tree.Name) and value.id in checker.types):
        gap = Span(value.span.source, node.name.span.end, value.span.start)
        checker.fail(say.colon_for_choice(value.span, gap, node.name.id))


_NAME = re.compile(r"(?<!\w)(?<![^.]\.)[^\W\d]\w*")
"""A name that is no part behind a dot."""


def _tried(parameters: list[m.MoveParameter]) -> int:
    """How many choices of the parameters are surely tried where the move is looked at: as many as their
    domains have values at least, as far as no guard drops some of them."""
    count = 1
    for parameter in parameters:
        if parameter.domain is not None:
            count *= size_bounds(parameter.domain)[0]
        if parameter.guards:
            break
    return count


def _placed(
    parameters: list[m.MoveParameter], guards: list[m.Expr]
) -> tuple[tuple[m.Expr, ...], list[m.MoveParameter]]:
    """Each conjunct at the first parameter after which all it mentions is known.

    A conjunct that can fail stays behind those written before it, which may protect it.
    """
    stage_of = {p.slot: i + 1 for i, p in enumerate(parameters)}
    placed: list[list[m.Expr]] = [[] for _ in range(len(parameters) + 1)]
    latest = 0
    for guard in guards:
        inner = bound_slots(guard)
        mentioned = {part.slot for part in walk(guard) if isinstance(part, m.Local)} - inner
        stage = max((stage_of.get(slot, 0) for slot in mentioned), default=0)
        if not is_total(guard):
            stage = max(stage, latest)
        latest = max(latest, stage)
        placed[stage].append(guard)
    return tuple(placed[0]), [
        replace(p, guards=tuple(found)) for p, found in zip(parameters, placed[1:], strict=True)
    ]
