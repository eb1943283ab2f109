"""Statements of chance: `x ~ values`, and how probabilities given one by one add up."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from gdl.check import bags
from gdl.check.assigning import assigned, target_places, target_variable
from gdl.check.coerce import as_rational, joined
from gdl.check.context import Body, Failed, LocalName
from gdl.check.domains import assume_some, domain, size_bounds
from gdl.check.expressions import condition, expression, number
from gdl.check.names import is_known, known_names
from gdl.check.relations import arithmetic
from gdl.diagnostics import Diagnostic, Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import Int, Rational
from gdl.syntax import tree


def draw(body: Body, node: tree.Draw) -> list[m.Statement]:
    target = node.target
    name = target.base if isinstance(target, tree.Subscript) else target
    if not isinstance(name, tree.Name):
        body.checker.fail(say.bad_draw_target(target.span))
    try:
        return _draw_to(body, node, name)
    except Failed:
        if body.local(name.id) is None and name.id not in body.checker.values:
            body.declare(name, None, "draw").used = True  # so that its uses are not mistakes too
        raise


def _draw_to(body: Body, node: tree.Draw, name: tree.Name) -> list[m.Statement]:
    may_draw(body, node.span)
    target = node.target
    declaration = body.checker.values.get(name.id)
    is_new = not isinstance(target, tree.Subscript) and (
        declaration is None or declaration.kind != "variable"
    )
    if isinstance(node.domain, tree.DictExpr):
        return _draw_listed(body, node, name, is_new)
    if is_new:
        over = domain(body, node.domain)
        local = body.declare(name, over.element, "draw")
        with body.named({"it": local}):
            drawn = _drawn(body, node, over, local)
        local.used = False
        bags.assume_in(body, over, local.slot, local.name, node.span)
        if drawn.condition is not None:
            body.assume(drawn.condition)
        return [drawn]
    variable = target_variable(body, name)
    places = target_places(body, target, variable)
    over = domain(body, node.domain)
    local = LocalName("it", body.slot(), over.element, target.span, "draw")
    # The name that is drawn means the candidate, as `it` does; an element of a map has no name of its own.
    own = replace(local, name=name.id)
    with body.named({"it": local} if isinstance(target, tree.Subscript) else {"it": local, name.id: own}):
        drawn = _drawn(body, node, over, own)
    if local.used and own.used:
        body.checker.fail(say.two_candidates(node.span, name.id))
    value = m.Local(local.slot, name.id, over.element, target.span)
    return [drawn, *assigned(body, variable, places, value, node.span)]


def may_draw(body: Body, span: Span) -> None:
    if body.kind not in ("a move", "an effect", "`initial:`", "a policy"):
        body.checker.fail(say.draw_here(span, body.kind))
    body.draws = True


def _drawn(body: Body, node: tree.Draw, over: m.Domain, local: LocalName) -> m.Draw:
    if node.where is not None or node.weighted is not None or size_bounds(over)[0] == 0:
        body.leave_open(say.draw_left_open(node.span))
    assume_some(body, over, node.span)
    if isinstance(over, m.SubsetsDomain):
        body.checker.fail(say.subsets_drawn(node.domain.span))
    where = condition(body, node.where) if node.where is not None else None
    weight = None
    saved = body.facts
    if where is not None:
        body.assume(where)
    bag = bags.drawn_from(over, node.domain)
    if bag is not None and node.weighted is None:
        weight = bags.count(body, bag, m.Local(local.slot, local.name, over.element, node.span), node.span)
    if node.weighted is not None:
        weight = number(body, node.weighted, "a weight")
        assert isinstance(weight.type, Int | Rational)
        if weight.type.hi < 0:
            body.checker.fail(say.weights_negative(weight.span, weight.type))
    body.facts = saved
    return m.Draw(local.slot, local.name, over, where, weight, node.span)


def _draw_listed(body: Body, node: tree.Draw, name: tree.Name, is_new: bool) -> list[m.Statement]:
    """`x ~ {2: 9/10, 4: 1/10}`: a chance of giving x each of the values."""
    assert isinstance(node.domain, tree.DictExpr)
    if node.where is not None or node.weighted is not None:
        body.checker.fail(say.bad_draw_target(node.span))
    hint = None if is_new else target_variable(body, name).type
    values: list[m.Expr] = []
    try:
        if is_new:
            _names_of_outcomes(body, name, [key for key, _ in node.domain.entries])
        values.extend(expression(body, key, hint) for key, _ in node.domain.entries)
    except Failed:  # what is wrong with the probabilities is said all the same
        _total(body, [number(body, p, "a probability") for _, p in node.domain.entries], node.span, True)
        raise
    probabilities: list[m.Expr | None] = [number(body, p, "a probability") for _, p in node.domain.entries]
    spans = [key.span | p.span for key, p in node.domain.entries]
    if is_new:
        values, common = joined(body, values, node.span)
        local = body.declare(name, common, "draw")
        bodies: list[m.Block] = [
            (m.Let(local.slot, local.name, v, s),) for v, s in zip(values, spans, strict=True)
        ]
    else:
        variable = target_variable(body, name)
        places = target_places(body, node.target, variable)
        bodies = []
        for v, s in zip(values, spans, strict=True):
            saved = body.facts
            bodies.append(tuple(assigned(body, variable, places, v, s)))
            body.facts = saved
        body.forget({variable.name})
    branches = [m.Branch(p, b, s) for p, b, s in zip(probabilities, bodies, spans, strict=True)]
    return chance_of(body, branches, node.span, listed=True)


def _names_of_outcomes(body: Body, drawn: tree.Name, keys: list[tree.Expr]) -> None:
    """Fails where all values to draw are names that nothing declares."""
    unknown = [key.id for key in keys if isinstance(key, tree.Name) and not is_known(body, key)]
    if len(unknown) == len(keys):
        body.checker.fail(say.unknown_outcomes(keys[0].span, unknown, drawn.id, known_names(body)))


def chance_of(body: Body, branches: list[m.Branch], span: Span, listed: bool) -> list[m.Statement]:
    """Checks the sum as far as it is known, and leaves out what never happens."""
    total = _total(body, [b.probability for b in branches], span, listed)
    known = total.lo == total.hi
    kept = []
    for branch in branches:
        p = branch.probability
        if (isinstance(p, m.Const) and p.value == 0) or (p is None and known and total.lo == 1):
            continue
        kept.append(branch if p is None else replace(branch, probability=as_rational(body, p)))
    if len(kept) == 1 and (kept[0].probability is None or isinstance(kept[0].probability, m.Const)):
        return list(kept[0].body)
    return [m.Chance(tuple(kept), span)]


def _total(body: Body, probabilities: list[m.Expr | None], span: Span, listed: bool) -> Int | Rational:
    """The sum of the probabilities, checked as far as it is known; None among them takes the rest."""
    given = [p for p in probabilities if p is not None]
    has_else = len(given) < len(probabilities)
    total: Any = Int(0, 0)
    for probability in given:
        type_ = probability.type
        assert isinstance(type_, Int | Rational)
        if type_.hi < 0 or (type_.lo < 0 and isinstance(probability, m.Const)):
            body.checker.fail(say.negative_probability(probability.span, type_.hi))
        if type_.lo > 1:
            body.checker.fail(_above_one(given, probability, has_else))
        total = arithmetic("+", total, type_)
    too_much, too_little = total.lo > 1, not has_else and total.hi < 1
    if too_much or too_little:
        body.refuse(say.wrong_sum(span, Fraction(total.lo if too_much else total.hi), listed))
    proven = all(p.type.lo >= 0 for p in given) and (total.hi <= 1 if has_else else total.lo == total.hi)  # type: ignore[union-attr]
    if not proven:
        body.leave_open(say.sum_left_open(span))
    return total  # type: ignore[no-any-return]


def _above_one(given: list[m.Expr], wrong: m.Expr, has_else: bool) -> Diagnostic:
    """Where all are numbers, such as 50 and 50, they were meant as shares of their sum, or of 100."""
    known = [Fraction(p.value) for p in given if isinstance(p, m.Const)]
    if len(known) < len(given) or min(known) < 0:
        return say.probability_above_one(wrong.span, wrong.type.lo)  # type: ignore[union-attr]
    total = sum(known, Fraction(0))
    if has_else:
        total = Fraction(100 if total <= 100 else 10 ** len(str(int(total))))
    return say.percentages(wrong.span, wrong.type.lo, [p.span for p in given], total)  # type: ignore[union-attr]
