"""Statements: what a move, an effect, `initial:` or the block of a `def` does, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from gdl.check import bags, lists
from gdl.check.arithmetic import field, negate, operate
from gdl.check.assigning import (
    assigned,
    assigned_entry,
    assigned_local,
    may_assign,
    refuse_whole,
    target_places,
    target_variable,
)
from gdl.check.calls import effect_call
from gdl.check.chance import chance_of, draw, may_draw
from gdl.check.coerce import coerce
from gdl.check.context import Body, Checker, EffectInfo, Failed, LocalName
from gdl.check.domains import binder, domain
from gdl.check.expressions import expression, number
from gdl.check.habits import drawn_from
from gdl.check.indexing import indices
from gdl.check.logic import decided, tested
from gdl.check.names import narrowed, read
from gdl.check.types import MAX_ELEMENTS, needs_start, type_of_node
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import (
    BOOL,
    BoundedList,
    Int,
    MapOf,
    SetOf,
    Tuple,
    Type,
    Union,
    blank,
    from_ordinal,
    has_bag,
    show_value,
)
from gdl.syntax import tree

MAX_ROUNDS = 999_999
"""The most rounds that a `while` may be given."""


def block(body: Body, node: tree.Block) -> m.Block:
    """The statements of a block, in a scope of their own."""
    with body.scope():
        return statements(body, node)


def statements(body: Body, node: tree.Block) -> m.Block:
    found: list[m.Statement] = []
    for number_, statement in enumerate(node.statements):
        with body.checker.attempt():
            made = _STATEMENTS[type(statement)](body, statement)
            found.extend(made)
            if made and always_leaves(made[-1]):
                _unreached(body, statement, node.statements[number_ + 1 :])
                break
    return tuple(found)


def _unreached(body: Body, last: tree.Statement, rest: tuple[tree.Statement, ...]) -> None:
    """What follows a statement that leaves the block: checked, though never done."""
    if not rest:
        return
    if not body.checker.depends_on_params(last):  # others may make it go on
        body.checker.report(say.unreachable(rest[0].span))
    returned = len(body.returns)
    before = set(body.assigns), body.draws, body.rewards
    body.assume(m.Const(False, BOOL, rest[0].span))
    for statement in rest:
        with body.checker.attempt():
            _STATEMENTS[type(statement)](body, statement)
    body.assigns, body.draws, body.rewards = before
    del body.returns[returned:]


def always_leaves(statement: m.Statement) -> bool:
    """Whether nothing after the statement in its block is reached."""
    if isinstance(statement, m.Return | m.Break | m.Continue | m.Follow):
        return True
    if isinstance(statement, m.Play):
        return not statement.patterns
    if isinstance(statement, m.If):
        blocks = [b for _, b in statement.branches] + [statement.otherwise]
        return all(b and always_leaves(b[-1]) for b in blocks)
    return False


# ----------------------------------------------------------------- assignment


New = Callable[[Callable[[], m.Expr], Type], m.Expr]
"""The new value of a place, given what reads the old one and the type of the place."""


def _assign(body: Body, node: tree.Assign) -> list[m.Statement]:
    target = node.target
    _refuse_chance(body, node, node.value, node.target.span.text)
    if (of_list := _assign_list(body, node)) is not None:
        return of_list
    if isinstance(target, tree.Subscript) and bags.holder(body, target.base) is not None:
        return _assign_to(body, node, target.base, lambda current, _: _new_bag(body, node, current()))
    return _assign_to(body, node, target, lambda current, type_: _new_value(body, node, current, type_))


def _new_bag(body: Body, node: tree.Assign, bag: m.Expr) -> m.Expr:
    """`bag[x] = n`, `bag[x] += n`: the bag afterwards."""
    item, before = bags.counts_of(body, node, bag)
    after = _new_value(body, node, lambda: before, before.type)
    return bags.changed(body, bag, node, after, item)


def _assign_to(body: Body, node: tree.Assign, target: tree.Expr, new: New) -> list[m.Statement]:
    """A place becomes something else."""
    name = target.base if isinstance(target, tree.Subscript) else target
    if isinstance(target, tree.Attribute) and target.base.span.text in ("self", "this"):
        body.checker.fail(say.part_of_the_position(target.span, target.name.id))
    if not isinstance(name, tree.Name):
        body.checker.fail(say.assign_to(target.span, target.span.text, "only position variables change"))
    local = body.local(name.id)
    if local is not None:
        body.checker.meanings.note(name.span, local)
    if local is not None and isinstance(target, tree.Subscript) and isinstance(local.type, MapOf):
        return _assign_entry(body, node, target, local, local.type, new)
    if local is not None and not isinstance(target, tree.Subscript):
        return _assign_local(body, node, target, local, new)
    variable = target_variable(body, name)
    places = target_places(body, target, variable)
    value = new(lambda: read(body, variable, places, target.span), variable.type)
    return assigned(body, variable, places, value, node.span)


def _assign_list(body: Body, node: tree.Assign) -> list[m.Statement] | None:
    """A list that a variable or a let holds, or an element of one, becomes something else."""
    name = _changed(node.target)
    if name is None:
        return None
    local = body.local(name.id)
    if local is not None:
        return lists.assign(body, node) if isinstance(local.type, BoundedList) else None
    if not lists.is_list(body.checker, name.id):
        return None
    with _only_changed(body, name):
        return lists.assign(body, node)


@contextmanager
def _only_changed(body: Body, name: tree.Name) -> Iterator[None]:
    """Inside, a list changes: where it is a variable only a move or an effect may, and it is no use of it."""
    declaration = body.checker.values.get(name.id) if body.local(name.id) is None else None
    if declaration is None:
        yield
        return
    if declaration.kind == "variable" and not may_assign(body):
        body.checker.fail(say.assign_here(name.span, body.kind))
    used = declaration.used
    yield
    declaration.used = used


def _changed(target: tree.TypeExpr) -> tree.Name | None:
    """The variable or let that changes where the target does."""
    while isinstance(target, tree.Subscript):
        target = target.base
    return target if isinstance(target, tree.Name) else None


def _refuse_chance(body: Body, node: tree.Assign | tree.Let, value: tree.Expr, target: str) -> None:
    """`face = random(1, 6)`, and `face = 1..6` where face is no set."""
    domain_ = drawn_from(body.checker, value)
    if isinstance(node, tree.Assign) and isinstance(value, tree.Range) and node.op == "=":
        name = target.partition("[")[0]
        declaration = body.checker.values.get(name)
        known = declaration.result if declaration is not None else body.local(name)
        type_ = getattr(known, "type", None)
        if not isinstance(type_.element if isinstance(type_, MapOf) else type_, SetOf):
            domain_ = value.span.text
    if domain_ is None:
        return
    is_new = target.isidentifier() and target not in body.checker.values and body.local(target) is None
    if isinstance(node, tree.Assign) and is_new:
        body.declare(tree.Name(target, node.target.span), None, "draw").used = True
    body.checker.fail(say.draw_for_value(node.span, target, domain_, value.span))


def _new_value(body: Body, node: tree.Assign, current: Callable[[], m.Expr], type_: Type) -> m.Expr:
    if node.op == "=":
        return expression(body, node.value, type_)
    return operate(body, node.op[0], current(), node.value, node.span, type_)


def _assign_local(
    body: Body, node: tree.Assign, target: tree.Expr, local: LocalName, new: New
) -> list[m.Statement]:
    if not local.mutable:
        why = f"write `let {local.name}: T = …` where it is made, then it may change"
        if local.kind != "let":
            why = f"it is a {local.kind} of this {'loop' if local.kind == 'loop' else 'declaration'}"
        body.checker.fail(say.assign_to(target.span, local.name, why))
    if local.type is None:  # what is wrong with it has been said where it is made
        raise Failed
    if isinstance(local.type, MapOf):
        local.used = True
        refuse_whole(body, node.target, local.name, local.type.indices)
    value = new(lambda: expression(body, target), local.type)
    return assigned_local(body, local.slot, local.name, local.type, value, node.span)


def _assign_entry(
    body: Body, node: tree.Assign, target: tree.Subscript, local: LocalName, of: MapOf, new: New
) -> list[m.Statement]:
    """`seen[c] = true`, an entry of a map that a let made."""
    places = indices(body, target, of.indices, local.name)
    entry = m.Entry(m.Local(local.slot, local.name, of, target.span), places, of.element, target.span)
    value = new(lambda: narrowed(body, entry), of.element)
    return assigned_entry(body, local.slot, local.name, of, places, value, node.span)


def _let_map(body: Body, node: tree.LetMap) -> list[m.Statement]:
    """`let seen[Cell]: bool`: the same value everywhere; without one none, false or the empty set."""
    name, checker = node.name.id, body.checker
    try:
        of = MapOf(
            tuple(type_of_node(checker, index) for index in node.indices), type_of_node(checker, node.type)
        )
        if any(isinstance(index, SetOf) or has_bag(index) for index in of.indices) or of.count > MAX_ELEMENTS:
            checker.fail(say.not_finite(node.span, f"the map `{name}`", MAX_ELEMENTS))
        if node.value is not None:
            value = coerce(body, expression(body, node.value, of.element), of.element, f"`{name}`")
        else:
            value = _blank(body, node.name, of.element, node.span)
    except Failed:
        body.declare(node.name, None, "let", mutable=True).used = True
        raise
    local = body.declare(node.name, of, "let", mutable=True)
    return [m.Let(local.slot, local.name, m.Fill(value, of, node.span), node.span)]


def _blank(body: Body, name: tree.Name, type_: Type, span: Span) -> m.Const:
    """What a let without a value starts with: none, false or the empty set."""
    if needs_start(type_):
        example = show_value(type_, from_ordinal(type_, 0))
        body.checker.fail(say.no_initial_value(name.span, name.id, example))
    return m.Const(blank(type_), type_, span)


def _let(body: Body, node: tree.Let) -> list[m.Statement]:
    try:
        single = not node.binding.unpack
        declared = None if node.type is None else type_of_node(body.checker, node.type, lists=single)
        if node.value is None:
            assert declared is not None
            if not isinstance(declared, BoundedList):
                value: m.Expr = _blank(body, node.binding.names[0], declared, node.span)
        elif not isinstance(declared, BoundedList):
            _refuse_chance(body, node, node.value, node.binding.span.text)
            value = expression(body, node.value, declared)
            if declared is not None:
                value = coerce(body, value, declared, f"`{node.binding.names[0].id}`")
    except Failed:
        for name in node.binding.names:
            body.declare(name, None, "let", mutable=node.type is not None).used = True
        raise
    if isinstance(declared, BoundedList):
        return _let_list(body, node, declared)
    if node.binding.unpack:
        return _let_tuple(body, node, value)
    local = body.declare(node.binding.names[0], declared or value.type, "let", mutable=declared is not None)
    if declared is None and isinstance(value, m.Const) and not isinstance(value.type, Union):
        local.constant = value  # a union stays a place, which tests can narrow
    elif declared is not None:
        body.facts = body.facts.learn(m.Local(local.slot, local.name, declared, node.span), value.type)
    return [m.Let(local.slot, local.name, value, node.span)]


def _let_list(body: Body, node: tree.Let, type_: BoundedList) -> list[m.Statement]:
    """`let queue: list(9) of Cell = [start]`."""
    declared = body.declare(node.binding.names[0], type_, "let", mutable=True)
    declared.count_slot = body.slot()
    return lists.made(body, declared, node.value, node.span)


def _let_tuple(body: Body, node: tree.Let, value: m.Expr) -> list[m.Statement]:
    names = node.binding.names
    if not isinstance(value.type, Tuple) or len(value.type.fields) != len(names):
        count = len(value.type.fields) if isinstance(value.type, Tuple) else 1
        body.checker.fail(say.wrong_count(node.binding.span, "this pattern", len(names), f"{count} names"))
    made: list[m.Statement] = []
    for i, name in enumerate(names):
        part = field(body, value, i, node.span)
        local = body.declare(name, part.type, "let")
        made.append(m.Let(local.slot, local.name, part, node.span))
    return made


# --------------------------------------------------------------- control flow


def _if(body: Body, node: tree.If) -> list[m.Statement]:
    branches: list[tuple[m.Expr, m.Block]] = []
    before = body.facts
    assigned: set[str] = set()
    certain: m.Block | None = None  # of a branch that is always taken
    leaves = True
    for test_node, block_node in node.branches:
        test, sure = tested(body, test_node)
        truth = decided(test) if certain is None else False
        with body.checker.unsure(None if sure else test_node):
            made, changed = _branch(body, block_node, test, taken=truth is not False)
        assigned |= changed
        if truth:
            certain = made
        elif truth is None:
            branches.append((test, made))
            leaves = leaves and bool(made) and always_leaves(made[-1])
        body.assume(test, False)
    otherwise: m.Block = ()
    if node.otherwise is not None:
        otherwise, changed = _branch(body, node.otherwise, None, taken=certain is None)
        assigned |= changed
    if certain is not None:
        otherwise = certain
    # After the statement: what held before, less what a branch may have changed; where every branch
    # leaves the block, the tests are known to have failed.
    if not (leaves and branches and node.otherwise is None and certain is None):
        body.facts = before
        body.forget(assigned)
        _forget_locals(body, node)
    if not branches:
        return list(otherwise)
    return [m.If(tuple(branches), otherwise, node.span)]


def _branch(
    body: Body, node: tree.Block, test: m.Expr | None, taken: bool = True
) -> tuple[m.Block, set[str]]:
    """A block where the test holds, and the variables it assigns; one that is never taken is checked only."""
    outer, body.assigns = body.assigns, set()
    saved, returned = body.facts, len(body.returns)
    if test is not None:
        body.assume(test, True)
    made = block(body, node)
    body.facts = saved
    changed, body.assigns = body.assigns, outer | body.assigns
    if taken:
        return made, changed
    del body.returns[returned:]
    return (), set()


def _forget_locals(body: Body, node: tree.Statement | tree.Block) -> None:
    """Typed lets that a statement may have changed."""
    names = assigned_names(body.checker, node)
    changed = [local for name in names if (local := body.local(name)) is not None and local.mutable]
    slots = {slot for local in changed for slot in (local.slot, local.count_slot) if slot is not None}
    if slots:
        body.forget_slots(slots)


def assigned_names(checker: Checker, node: Any) -> set[str]:
    """The names assigned in a piece of syntax, those that its effects assign among them."""
    found: set[str] = set()
    stack: list[Any] = [node]
    while stack:
        part = stack.pop()
        match part:
            case tree.Block():
                stack.extend(part.statements)
            case tree.Assign() | tree.Draw():
                if (target := _changed(part.target)) is not None:
                    found.add(target.id)
            case tree.Perform():
                found |= _assigned_by(checker, part)
            case tree.If():
                stack.extend(b for _, b in part.branches)
                if part.otherwise:
                    stack.append(part.otherwise)
            case tree.For() | tree.While():
                stack.append(part.body)
            case tree.Chance():
                stack.extend(b.body for b in part.branches)
    return found | {f"{name}.count" for name in found if lists.is_list(checker, name)}


def _assigned_by(checker: Checker, node: tree.Perform) -> frozenset[str]:
    if (change := lists.performed(checker, node.call)) is not None:
        target = _changed(change.arguments[0].value) if change.arguments else None
        return frozenset() if target is None else frozenset([target.id])
    name = node.call.function if isinstance(node.call, tree.Call) else node.call
    declaration = checker.effects.get(name.id) if isinstance(name, tree.Name) else None
    if declaration is None:  # `pass`, or a mistake that is reported where the statement is checked
        return frozenset()
    try:
        info: EffectInfo = checker.resolve(declaration, node.span)
    except Failed:
        return frozenset()
    return info.assigns


def _for(body: Body, node: tree.For) -> list[m.Statement]:
    first = _domain_of_loop(body, node, node.binders[0][1])
    _enter_loop(body, node)
    saved = body.facts
    with body.scope():
        bound = [binder(body, node.binders[0][0], first, "loop")]
        for binding, domain_node in node.binders[1:]:
            over = _domain_of_loop(body, node, domain_node)
            bound.append(binder(body, binding, over, "loop"))
        test, sure = (None, True) if node.condition is None else tested(body, node.condition)
        if test is not None:
            body.assume(test)
        with body.checker.unsure(None if sure else node.condition):
            made = _body_of_loop(body, node.body)
    body.facts = saved
    return [m.For(tuple(bound), test, made, node.span)]


def _while(body: Body, node: tree.While) -> list[m.Statement]:
    """A loop over the numbers of the rounds, one more than there may be: that one is a fault."""
    checker = body.checker
    limit = coerce(body, expression(body, node.limit), Int(0, MAX_ROUNDS), "the number of rounds")
    assert isinstance(limit.type, Int)
    _enter_loop(body, node)
    before: list[m.Statement] = []
    if not isinstance(limit, m.Const):  # it counts what it is before the loop
        before.append(m.Let(body.slot(), "limit", limit, node.limit.span))
        limit = m.Local(body.frame - 1, "limit", limit.type, node.limit.span)
    last = operate(body, "+", limit, tree.Number(1, node.limit.span), node.limit.span)
    assert isinstance(last.type, Int)
    saved = body.facts
    with body.scope():
        test, sure = tested(body, node.condition)
        holds = decided(test)
        body.assume(test)
        number_ = m.Local(body.slot(), "round", Int(1, last.type.hi), node.span)
        with checker.unsure(None if sure else node.condition):
            made = _body_of_loop(body, node.body)
    body.facts = saved
    if holds is not False:
        body.leave_open(say.rounds_left_open(node.limit.span))
    if not _breaks(made):
        body.assume(test, False)
    if holds is False:
        return []
    over: m.Domain = m.RangeDomain(m.Const(1, Int(1, 1), node.span), last, number_.type)
    if isinstance(last, m.Const):
        over = m.TypeDomain(Int(1, last.value))
    out = m.RunOut(node.limit.span.text, node.condition.span | node.limit.span)
    begin: list[m.Statement] = []
    if holds is None:
        done = m.Not(test, BOOL, node.condition.span)
        begin.append(m.If(((done, (m.Break(node.span),)),), (), node.span))
    too_many = m.Compare("==", number_, last, BOOL, node.limit.span)
    begin.append(m.If(((too_many, (out,)),), (), node.span))
    bound = m.Binder((number_.slot,), (number_.name,), over)
    return [*before, m.For((bound,), None, (*begin, *made), node.span)]


def _breaks(made: m.Block) -> bool:
    """Whether a `break` in the body of a loop leaves it, not a loop inside."""
    for statement in made:
        match statement:
            case m.Break():
                return True
            case m.If() if any(
                _breaks(b) for b in (*(b for _, b in statement.branches), statement.otherwise)
            ):
                return True
            case m.Chance() if any(_breaks(branch.body) for branch in statement.branches):
                return True
    return False


def _domain_of_loop(body: Body, node: tree.For, domain_node: tree.Expr) -> m.Domain:
    try:
        over = domain(body, domain_node, loop=True)
        if isinstance(over, lists.Numbers):
            _refuse_change(body, node, over.of)
        return over
    except Failed:
        _body_of_unknown(body, node, domain_node)
        raise


def _refuse_change(body: Body, node: tree.For, of: lists.Held) -> None:
    """The elements are read as the loop comes to them: what it does must not change the list."""
    for statement in node.body.statements:
        if of.holder.name in assigned_names(body.checker, tree.Block((statement,), statement.span)):
            body.checker.fail(say.list_changes(statement.span, of.name, node.span))


def _enter_loop(body: Body, node: tree.For | tree.While) -> None:
    """A later round starts from what an earlier one left behind."""
    body.forget(assigned_names(body.checker, node.body))
    _forget_locals(body, node)


def _body_of_loop(body: Body, node: tree.Block) -> m.Block:
    body.loops += 1
    made = statements(body, node)
    body.loops -= 1
    return made


def _body_of_unknown(body: Body, node: tree.For, domain_node: tree.Expr) -> None:
    """Checks the body of a loop although what it goes through has a mistake."""
    with body.scope(), body.checker.unsure(domain_node):
        for binding, _ in node.binders:
            for name in binding.names:
                if body.local(name.id) is None:
                    body.declare(name, None, "loop")
        _body_of_loop(body, node.body)


def _leave_round(body: Body, node: tree.Break | tree.Continue) -> list[m.Statement]:
    if not body.loops:
        body.checker.fail(say.break_outside(node.span))
    return [m.Break(node.span) if isinstance(node, tree.Break) else m.Continue(node.span)]


def _return(body: Body, node: tree.Return) -> list[m.Statement]:
    if body.play is not None:
        return body.play(node.value)
    if body.kind in ("a move", "an effect", "`initial:`"):
        body.checker.fail(say.return_outside(node.span))
    value = expression(body, node.value)
    body.returns.append(value)
    return [m.Return(value, node.span)]


def with_returns(made: m.Block, convert: Any) -> m.Block:
    """The block with every returned value converted."""
    found: list[m.Statement] = []
    for statement in made:
        match statement:
            case m.Return():
                found.append(replace(statement, value=convert(statement.value)))
            case m.If():
                branches = tuple((test, with_returns(b, convert)) for test, b in statement.branches)
                found.append(
                    replace(
                        statement, branches=branches, otherwise=with_returns(statement.otherwise, convert)
                    )
                )
            case m.For():
                found.append(replace(statement, body=with_returns(statement.body, convert)))
            case _:
                found.append(statement)
    return tuple(found)


# --------------------------------------------------------------------- chance


def _chance(body: Body, node: tree.Chance) -> list[m.Statement]:
    may_draw(body, node.span)
    probabilities: list[m.Expr | None] = []
    for i, branch in enumerate(node.branches):
        if branch.probability is None:
            if i != len(node.branches) - 1:
                body.checker.fail(say.else_not_last(branch.span))
            probabilities.append(None)
        else:
            with body.checker.attempt():  # the bodies are checked all the same
                probabilities.append(number(body, branch.probability, "a probability"))
    bodies, assigned = [], set()
    for branch in node.branches:
        made, changed = _branch(body, branch.body, None)
        assigned |= changed
        bodies.append(made)
    body.forget(assigned)
    _forget_locals(body, tree.Chance(node.branches, node.span))
    if len(probabilities) < len(bodies):
        raise Failed
    branches = [
        m.Branch(probability, made, branch.span)
        for probability, made, branch in zip(probabilities, bodies, node.branches, strict=True)
    ]
    return chance_of(body, branches, node.span, listed=False)


# ------------------------------------------------------------ effects, rewards


def _perform(body: Body, node: tree.Perform) -> list[m.Statement]:
    if body.play is not None:
        return body.play(node.call)
    if isinstance(node.call, tree.Name) and node.call.id == "pass" and "pass" not in body.checker.effects:
        return []
    if (change := lists.performed(body.checker, node.call)) is not None:
        target = _changed(change.arguments[0].value) if change.arguments else None
        with _only_changed(body, target or tree.Name("", node.span)):
            return lists.perform(body, change)
    if not may_assign(body):
        body.checker.fail(say.assign_here(node.span, body.kind))
    if isinstance(node.call, tree.Comparison):
        (op, right, _), *more = node.call.tail
        if op == "==" and not more:
            between = Span(node.span.source, node.call.first.span.end, right.span.start)
            start = between.start + between.text.index(op)
            sign = Span(node.span.source, start, start + len(op))
            body.checker.fail(say.comparison_as_statement(node.span, sign))
        body.checker.fail(say.statement_expected(node.span))
    name, arguments, info = effect_call(body, node.call)
    body.assigns |= info.assigns
    body.draws = body.draws or info.effect.draws
    body.rewards = body.rewards or info.rewards
    body.forget(info.assigns)
    return [m.Perform(name, arguments, node.span)]


def _reward(body: Body, node: tree.Reward) -> list[m.Statement]:
    checker = body.checker
    if body.kind not in ("a move", "an effect"):
        checker.fail(say.reward_here(node.span, body.kind))
    amount = number(body, node.amount, "a cost" if node.cost else "a reward")
    if node.cost:
        amount = negate(body, amount, node.span)
    body.rewards = True
    players = checker.players
    if node.player is not None:
        player = coerce(body, expression(body, node.player, players), players, "who is paid")
        checker.zero_sum_rewards = False
        return [m.Reward(player, amount, node.span)]
    if players.size > 2:
        checker.fail(say.reward_needs_player(node.span, players.size))
    paid: list[m.Statement] = [m.Reward(m.Const(0, players, node.span), amount, node.span)]
    if players.size == 2:
        paid.append(m.Reward(m.Const(1, players, node.span), negate(body, amount, node.span), node.span))
    return paid


_STATEMENTS: dict[type, Any] = {
    tree.Assign: _assign,
    tree.Let: _let,
    tree.LetMap: _let_map,
    tree.If: _if,
    tree.For: _for,
    tree.While: _while,
    tree.Break: _leave_round,
    tree.Continue: _leave_round,
    tree.Return: _return,
    tree.Draw: draw,
    tree.Chance: _chance,
    tree.Perform: _perform,
    tree.Reward: _reward,
}
