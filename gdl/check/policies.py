"""Policies: bodies whose statements name moves.

A move as a statement is made if it is legal, else the policy goes on with the next statement; at the end any
legal move is as good as any other. All other forms are short for this one:

    a if c else b           if c: a, else: b
    {a: 3/4, b: 1/4}        chance: 3/4: a, 1/4: b
    first(a for x in D)     for x in D: a
    return a                a
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

from gdl.check.coerce import unify
from gdl.check.constants import constant
from gdl.check.context import Body, Checker, Declaration, Failed, LocalName
from gdl.check.declarations import formals_of
from gdl.check.domains import binder, domain
from gdl.check.expressions import condition, expression
from gdl.check.meanings import Gap
from gdl.check.names import bind_arguments
from gdl.check.relations import comparable, is_numeric, members_of, overlap
from gdl.check.statements import block
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import BOOL, Bool, Cells, Enum, Int, Type, Unit
from gdl.syntax import tree

RESERVED = (
    "random greedy best learned pimc ismcts mixture policy "
    "minimax alphabeta expectiminimax star1 star2 expectimax maxn paranoid backward_induction retrograde "
    "value_iteration policy_iteration policy_evaluation best_response mcts flat_monte_carlo "
    "cfr cfr_plus linear_cfr discounted_cfr pcfr_plus mccfr sequence_form support_enumeration"
).split()
"""Agents of every game, which a file cannot define anew. (Tests hold this against the solvers.)"""

MOVER = "mover"
"""What a policy calls the player to move, unless the game has something of that name."""


def declare_policies(checker: Checker) -> None:
    """Enters the names of the policies; the moves are known."""
    for item in checker.file.items:
        if not isinstance(item, tree.Policy):
            continue
        name = item.name
        if name.id in checker.policies:
            checker.report(say.declared_twice(name.span, name.id, checker.policies[name.id].span))
        elif name.id in RESERVED:
            checker.report(say.reserved_policy(name.span, name.id))
        elif name.id in checker.moves:
            checker.report(say.policy_like_move(name.span, name.id, checker.moves[name.id][1].span))
        else:
            checker.policies[name.id] = Declaration(
                "policy", name.id, name.span, partial(_policy, checker, item)
            )


def chosen_policy(checker: Checker, node: tree.Expr, player: int) -> None:
    """Checks that an `expect` line, which names a policy of the file for a player, names it rightly."""
    if isinstance(node, tree.Mixture):
        _mixed(checker, node, player)
        return
    name = node.function if isinstance(node, tree.Call) else node
    if not isinstance(name, tree.Name):
        return
    if name.id not in checker.policies:
        if name.id not in RESERVED:
            checker.report(say.unknown_agent(name.span, name.id, list(checker.policies), RESERVED))
        return
    policy: m.Policy = checker.resolve(checker.policies[name.id], name.span)
    _owned(checker, policy, player, name.span)
    body = Body(checker, "an agent", position=False)
    arguments = node.arguments if isinstance(node, tree.Call) else ()
    bind_arguments(body, name.id, policy.formals, arguments, node.span, policy.span)


def _mixed(checker: Checker, node: tree.Mixture, player: int) -> None:
    """`mixture(1/2: grab, 1/2: random)`: with which probability each agent plays."""
    total = Fraction(0)
    for weight, agent in node.entries:
        chosen_policy(checker, agent, player)
        found = constant(checker, weight, "a probability")
        if not is_numeric(found.type) or not 0 <= found.value <= 1:
            checker.fail(say.bad_expectation(weight.span, "a probability is a number from 0 to 1"))
        total += Fraction(found.value)
    if total != 1:
        checker.fail(say.bad_expectation(node.span, f"the probabilities sum to {total}, not to 1"))


def _policy(checker: Checker, node: tree.Policy) -> m.Policy:
    body = Body(checker, "a policy")
    body.assume_terminal(False)
    player = None if node.player is None else _player(checker, node.player)
    mover = LocalName(MOVER, body.slot(), checker.players, node.name.span, "parameter")
    if player is not None:
        mover.constant = m.Const(player, checker.players, node.name.span)
    if MOVER not in checker.values and MOVER not in checker.enums:
        body.scopes[-1][MOVER] = mover
    formals = formals_of(checker, body, node.formals)
    for formal, written in zip(formals, node.formals, strict=True):
        if not all(isinstance(t, Bool | Int | Enum | Cells | Unit) for t in members_of(formal.type)):
            checker.fail(say.policy_parameter(written.span, formal.name, formal.type))
    body.play = partial(_play, body, player)
    made = _in_full(body, *_as_block(node.body).statements)
    return m.Policy(node.name.id, formals, player, body.frame, tuple(made), node.name.span)


def _player(checker: Checker, name: tree.Name) -> int:
    if name.id not in checker.players.ordinals:
        players = [member.name for member in checker.players.members]
        checker.fail(say.policy_of_nobody(name.span, name.id, players))
    return checker.players.ordinals[name.id]


def _as_block(node: tree.Body) -> tree.Block:
    return node if isinstance(node, tree.Block) else tree.Block((tree.Perform(node, node.span),), node.span)


# ------------------------------------------------------------------ one choice


def _play(body: Body, player: int | None, node: tree.Expr) -> list[m.Statement]:
    """What an expression as a statement of a policy means."""
    match node:
        case tree.Conditional():
            branch = (node.condition, _as_block(node.then))
            short: tree.Statement = tree.If((branch,), _as_block(node.otherwise), node.span)
            return _in_full(body, short)
        case tree.DictExpr():
            branches = tuple(tree.Branch(p, _as_block(a), a.span | p.span) for a, p in node.entries)
            return _in_full(body, tree.Chance(branches, node.span))
        case tree.GeneratorCall(function=tree.Name(id="first"), keyword=None):
            each = node.generator
            return _in_full(body, tree.For(each.binders, each.condition, _as_block(each.body), each.span))
        case tree.SetExpr() if node.items:
            return [m.Play(tuple(_pattern(body, item) for item in node.items), node.span)]
        case tree.SetComprehension():
            return [m.Play((_any_of(body, node.generator),), node.span)]
    name = node.function if isinstance(node, tree.Call) else node
    if isinstance(name, tree.Name) and name.id not in body.checker.moves:
        if name.id in body.checker.policies:
            return [_follow(body, player, name, node)]
        if name.id == "random" and isinstance(node, tree.Name):
            return [m.Play((), node.span)]
        if name.id == "pass" and isinstance(node, tree.Name):
            return []
    return [m.Play((_pattern(body, node),), node.span)]


def _in_full(body: Body, *written: tree.Statement) -> list[m.Statement]:
    given_up = body.checker.given_up
    made = block(body, tree.Block(written, written[0].span))
    if body.checker.given_up > given_up:
        raise Failed
    return list(made)


def _follow(body: Body, player: int | None, name: tree.Name, node: tree.Expr) -> m.Follow:
    checker = body.checker
    policy: m.Policy = checker.resolve(checker.policies[name.id], name.span)
    _owned(checker, policy, player, name.span)
    arguments = node.arguments if isinstance(node, tree.Call) else ()
    values = bind_arguments(body, name.id, policy.formals, arguments, node.span, policy.span)
    return m.Follow(name.id, values, node.span)


def _owned(checker: Checker, policy: m.Policy, player: int | None, span: Span) -> None:
    """Fails where a policy for one player may be followed by another."""
    if policy.player is not None and policy.player != player:
        owner = checker.players.members[policy.player].name
        checker.fail(say.policy_of_another(span, policy.name, owner, policy.span))


# --------------------------------------------------------------------- patterns


def _any_of(body: Body, node: tree.Generator) -> m.Pattern:
    """`{move for x in D if c}`: the moves that one of the choices of x gives."""
    with body.scope():
        binders = tuple(binder(body, b, domain(body, over, loop=True), "loop") for b, over in node.binders)
        test = None if node.condition is None else condition(body, node.condition)
        if test is not None:
            body.assume(test)
        pattern = _pattern(body, node.body)
    one = pattern.test or m.Const(True, BOOL, node.span)
    return replace(pattern, test=m.Aggregate("any", binders, test, one, None, BOOL, node.span))


def _pattern(body: Body, node: tree.Expr | tree.Glyph) -> m.Pattern:
    """A move as it is written, with any arguments left out."""
    checker = body.checker
    if isinstance(node, tree.Glyph):
        checker.fail(say.text_here(node.glyph.span))
    name = node.function if isinstance(node, tree.Call) else node
    if not isinstance(name, tree.Name) or name.id not in checker.moves:
        checker.meanings.note_gap(name.span, Gap("choice", body.visible_locals()))
        declared = [item.name.id for item in checker.file.items if isinstance(item, tree.Move)]
        if isinstance(name, tree.Name) and name.id in declared:
            raise Failed  # what is wrong with the move has been said
        if isinstance(name, tree.Name) and name.id in checker.effects:
            checker.fail(say.assign_here(node.span, "a policy"))
        text = (name.id if isinstance(name, tree.Name) else node.span.text) or "this"
        checker.fail(say.not_a_choice(node.span, text, declared, list(checker.policies)))
    place, move = checker.moves[name.id]
    slots = tuple(body.slot() for _ in move.parameters)
    tests: list[m.Expr] = []
    for number, argument in _placed(body, move, node).items():
        parameter = move.parameters[number]
        own = m.Local(slots[number], parameter.name, parameter.type, argument.span)
        given = expression(body, argument, parameter.type)
        _refuse_impossible(body, name.id, parameter, argument, given)
        left, right = unify(body, own, given, argument.span)
        tests.append(m.Compare("==", left, right, BOOL, argument.span))
    test = None if not tests else tests[0] if len(tests) == 1 else m.And(tuple(tests), BOOL, node.span)
    return m.Pattern(place, slots, test)


def _refuse_impossible(
    body: Body, move: str, parameter: m.MoveParameter, argument: tree.Expr, given: m.Expr
) -> None:
    """A wish that no position fulfils is a mistake, unless it may be fulfilled with other `param`s."""
    if not isinstance(given.type, Int) or not isinstance(parameter.type, Int):
        return
    if overlap(given.type, parameter.type):
        return
    declared = (i for i in body.checker.file.items if isinstance(i, tree.Move) and i.name.id == move)
    if any(body.checker.depends_on_params(node) for node in (argument, *declared)):
        return
    shown = str(given.value) if isinstance(given, m.Const) else str(given.type)
    what = f"`{parameter.name}` of `{move}`"
    body.refuse(say.never_in_range(given.span, what, shown, parameter.type))


def _placed(body: Body, move: m.Move, node: tree.Expr) -> dict[int, tree.Expr]:
    """Which parameter each argument is for: by name, else the next one that it can be a value of."""
    checker = body.checker
    arguments = node.arguments if isinstance(node, tree.Call) else ()
    names = [parameter.name for parameter in move.parameters]
    found: dict[int, tree.Expr] = {}
    next_ = 0
    for argument in arguments:
        if argument.name is not None:
            if argument.name not in names:
                checker.fail(say.unknown_keyword(argument.span, argument.name, move.name))
            number = names.index(argument.name)
        else:
            open_ = [k for k in range(next_, len(names)) if k not in found]
            if not open_:
                checker.fail(say.argument_of_no_parameter(argument.span, move.name, ", ".join(names)))
            number = open_[0]
            if len(arguments) < len(names):  # some are left out: which one it is for follows from its type
                number = next((k for k in open_ if _fits(body, argument, move.parameters[k].type)), number)
            next_ = number + 1
        if number in found:
            checker.fail(
                say.wrong_count(argument.span, f"`{argument.name}` of `{move.name}`", 2, "one value")
            )
        found[number] = argument.value
    return found


def _fits(body: Body, argument: tree.Argument, type_: Type) -> bool:
    """Whether an argument can be equal to a value of the type; nothing is reported."""
    checker = body.checker
    known = len(checker.diagnostics), len(checker.obligations)
    try:
        found = expression(body, argument.value, type_).type
    except Failed:
        return False
    finally:
        del checker.diagnostics[known[0] :], checker.obligations[known[1] :]
    return comparable(found, type_)
