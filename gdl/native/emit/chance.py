"""Draws, chance blocks and rewards, written for one of two ways of deciding what chance does.

*Sampling* asks a random generator. *Replaying* follows a script: the digits say which candidate each draw
takes, in the order in which draws are met, and the exact probability is multiplied up on the way. The caller
advances the script like an odometer until every way has been tried (see deciding.py and outcomes.py).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import lcm

from gdl.abi import DREW
from gdl.diagnostics.faults import Fault
from gdl.model import nodes
from gdl.model.types import Int, Rational, Type
from gdl.model.walk import walk
from gdl.native.emit.deciding import Replaying, Sampling, random_below, random_fraction, script_digit, weigh
from gdl.native.emit.domains import Indexed, each
from gdl.native.emit.lists import load_constant
from gdl.native.emit.numbers import add, compare, constant_ratio, multiply, ratio_of, to_double
from gdl.native.emit.scope import Scope, emits
from gdl.native.emit.sets import nth_bit
from gdl.native.ir.builder import FALSE, TRUE, Value, const, i32, i64
from gdl.native.layout.values import UNBOUNDED, Operand, Ratio
from gdl.native.plan.analysis import domain_size
from gdl.reference.domains import values_of
from gdl.reference.interpret import Interpreter


def _uniform(scope: Scope, count: Value) -> Value:
    """One of `count` equally likely candidates, by number."""
    b = scope.b
    state = _state(scope)
    if isinstance(scope.chance, Sampling):
        return random_below(scope, state, count)
    digit = script_digit(scope, state, b.resize(count, "i32"))
    weigh(scope, state, Ratio(i64(1), b.resize(count, "i64"), 1))
    return b.resize(digit, count.type)


def _state(scope: Scope) -> Value:
    assert scope.chance_state is not None
    return scope.chance_state


def _stop(scope: Scope) -> None:
    """Ends the move where draws do; what is written afterwards is never reached."""
    if scope.chance is not None and scope.chance.stops:
        scope.stop_if(TRUE, i32(DREW))


# -------------------------------------------------------------------------- draws


@emits(nodes.Draw)
def _draw(scope: Scope, node: nodes.Draw) -> None:
    b = scope.b
    _stop(scope)
    if node.condition is None and node.weight is None:
        domain = Indexed(scope, node.domain)
        scope.check(b.compare("sle", domain.length, const(domain.length.type, 0)), "draw", node.span)
        scope.set_slot(node.slot, domain.at(_uniform(scope, domain.length)))
        return
    shares = _constant_weights(scope, node)
    if shares is not None:
        _draw_constant(scope, node, shares)
        return
    if node.weight is None:
        mask = scope.program.masks.candidates(scope, node.domain, node.slot, node.condition)
        if mask is not None:
            bits, element_at = mask
            count = b.popcount(bits)
            scope.check(b.compare("eq", count, i32(0)), "draw", node.span)
            scope.set_slot(node.slot, element_at(nth_bit(scope, bits, _uniform(scope, count))))
            return
    _draw_by_search(scope, node)


def _constant_weights(scope: Scope, node: nodes.Draw) -> list[Fraction] | None:
    """The weight of each value of the domain, 0 where the condition fails, if they are known now."""
    if not isinstance(node.domain, nodes.TypeDomain) or domain_size(node.domain) > 1024:
        return None
    parts = [part for part in (node.condition, node.weight) if part is not None]
    for part in parts:
        if scope.program.facts.reads(part):
            return None
        if any(isinstance(p, nodes.Local) and p.slot != node.slot for p in walk(part)):
            return None
    model = scope.program.model
    interpreter = Interpreter(model.variables, model.tables, model.functions, model.effects)
    shares = []
    for value in values_of(node.domain.element):
        frame = [None] * node.slot + [value]
        try:
            holds = node.condition is None or interpreter.evaluate(node.condition, frame)
            weight = 1 if node.weight is None else interpreter.evaluate(node.weight, frame)
        except Fault:
            return None
        if weight < 0:
            return None
        shares.append(Fraction(weight) if holds else Fraction(0))
    return shares


def _draw_constant(scope: Scope, node: nodes.Draw, shares: list[Fraction]) -> None:
    b = scope.b
    domain = Indexed(scope, node.domain)
    scale = lcm(*(share.denominator for share in shares))
    whole = [int(share * scale) for share in shares]
    chosen = [k for k, share in enumerate(whole) if share]
    if not chosen or sum(whole) > UNBOUNDED:
        _draw_by_search(scope, node)
        return
    weights = [whole[k] for k in chosen]
    number = _pick_constant(scope, weights)
    at = load_constant(scope, chosen, number, domain.length.type)
    scope.set_slot(node.slot, domain.at(at))
    assert b.open


def _pick_constant(scope: Scope, weights: list[int]) -> Value:
    """One of several candidates (i32) of known positive weights."""
    b = scope.b
    state = _state(scope)
    total = sum(weights)
    if isinstance(scope.chance, Replaying):
        digit = script_digit(scope, state, i32(len(weights)))
        share = load_constant(scope, weights, digit, "i64")
        weigh(scope, state, Ratio(share, i64(total), max(weights), total))
        return digit
    point = random_below(scope, state, i64(total))
    if len(weights) <= 16:
        number, so_far = i32(0), 0
        for weight in weights[:-1]:
            so_far += weight
            number = b.add(number, b.zext(b.compare("uge", point, i64(so_far)), "i32"))
        return number
    sums, so_far = [], 0
    for weight in weights:
        so_far += weight
        sums.append(so_far)
    at = b.alloca("i32")
    b.store(i32(0), at)
    head, step, done = b.label("pick"), b.label("pick"), b.label("picked")
    b.start(head)
    k = b.load("i32", at)
    b.branch(b.compare("uge", point, load_constant(scope, sums, k, "i64")), step, done)
    b.start(step)
    b.store(b.add(k, i32(1)), at)
    b.br(head)
    b.start(done)
    return k


class _Weight:
    """The weights of candidates: added up in one loop, used up in a second."""

    def __init__(self, scope: Scope, node: nodes.Draw):
        self._scope = scope
        self._node = node
        type_ = None if node.weight is None else node.weight.type
        self.whole = type_ is None or (
            isinstance(type_, Int) and max(abs(type_.lo), type_.hi) * domain_size(node.domain) < 1 << 62
        )

    def of_candidate(self) -> Operand:
        """The weight of the candidate in the slot, checked not to be negative."""
        scope, node = self._scope, self._node
        if node.weight is None:
            return i64(1)
        value = scope.value(node.weight)
        if self.whole:
            assert isinstance(value, Value)
            weight = scope.b.resize(value, "i64")
            type_ = node.weight.type
            if not (isinstance(type_, Int) and type_.lo >= 0):
                scope.check(scope.b.compare("slt", weight, i64(0)), "weight", node.span)
            return weight
        ratio = ratio_of(scope, value, node.weight.type)
        scope.check(scope.b.compare("slt", ratio.num, i64(0)), "weight", node.span)
        return ratio


def _draw_by_search(scope: Scope, node: nodes.Draw) -> None:
    """Two loops over the candidates: the first counts them and adds their weights, the second takes one."""
    b = scope.b
    weights = _Weight(scope, node)
    count = b.alloca("i32")
    b.store(i32(0), count)
    total_type: Type = Int(0, UNBOUNDED) if weights.whole else Rational(Fraction(0), Fraction(0))
    total = scope.merge(total_type)
    total.set(i64(0) if weights.whole else constant_ratio(scope, 0))

    def tally(weight: Operand) -> None:
        b.store(b.add(b.load("i32", count), i32(1)), count)
        so_far = total.get()
        if isinstance(so_far, Ratio):
            total.set(add(scope, so_far, ratio_of(scope, weight)))
        else:
            assert isinstance(so_far, Value) and isinstance(weight, Value)
            total.set(b.add(so_far, weight))

    _each_candidate(scope, node, weights, tally)
    many = b.load("i32", count)
    scope.check(b.compare("eq", many, i32(0)), "draw", node.span)
    chosen, taken = scope.merge(node.domain.element), b.label("taken")
    all_of = total.get()
    take = _taker(scope, many, all_of, weights.whole)

    def consider(weight: Operand) -> None:
        value = scope.local(node.slot)
        chosen.set(value)
        hit, miss = b.label("hit"), b.label("miss")
        b.branch(take(weight), hit, miss)
        b.start(hit)
        if isinstance(scope.chance, Replaying):
            weigh(scope, _state(scope), _share(scope, weight, all_of))
        b.br(taken)
        b.start(miss)

    _each_candidate(scope, node, weights, consider)
    b.start(taken)  # also reached from the end, by rounding: then the last candidate is taken
    scope.set_slot(node.slot, chosen.get())


def _each_candidate(
    scope: Scope, node: nodes.Draw, weights: _Weight, body: Callable[[Operand], None]
) -> None:
    b = scope.b

    def candidate(value: Operand) -> None:
        scope.set_slot(node.slot, value)
        skip = b.label("skip")
        if node.condition is not None:
            holds = b.label("holds")
            b.branch(scope.scalar(node.condition), holds, skip)
            b.start(holds)
        weight = weights.of_candidate()
        if node.weight is not None:
            number = weight.num if isinstance(weight, Ratio) else weight
            assert isinstance(number, Value)
            counts = b.label("counts")
            b.branch(b.compare("eq", number, i64(0)), skip, counts)
            b.start(counts)
        body(weight)
        b.start(skip)

    each(scope, node.domain, candidate)


def _taker(scope: Scope, count: Value, total: Operand, whole: bool) -> Callable[[Operand], Value]:
    """Decides the draw; gives code that says of each candidate in turn whether it is the one."""
    b = scope.b
    state = _state(scope)
    if isinstance(scope.chance, Replaying):
        rest = b.alloca("i32")
        b.store(script_digit(scope, state, count), rest)

        def next_digit(weight: Operand) -> Value:
            left = b.load("i32", rest)
            b.store(b.sub(left, i32(1)), rest)
            return b.compare("eq", left, i32(0))

        return next_digit
    if whole:
        assert isinstance(total, Value)
        point = b.alloca("i64")
        b.store(random_below(scope, state, total), point)

        def next_whole(weight: Operand) -> Value:
            assert isinstance(weight, Value)
            left = b.sub(b.load("i64", point), weight)
            b.store(left, point)
            return b.compare("slt", left, i64(0))

        return next_whole
    target = b.alloca("double")
    b.store(_product(scope, random_fraction(scope, state), to_double(scope, total)), target)

    def next_fraction(weight: Operand) -> Value:
        left = b.result("double", f"fsub {b.load('double', target)}, {to_double(scope, weight).ref}")
        b.store(left, target)
        return b.result("i1", f"fcmp olt {left}, 0.0")

    return next_fraction


def _product(scope: Scope, left: Value, right: Value) -> Value:
    return scope.b.result("double", f"fmul {left}, {right.ref}")


def _share(scope: Scope, weight: Operand, total: Operand) -> Ratio:
    """weight / total, both positive."""
    if isinstance(weight, Value) and isinstance(total, Value):
        return Ratio(weight, total)
    part, whole = ratio_of(scope, weight), ratio_of(scope, total)
    return multiply(scope, part, Ratio(whole.den, whole.num, whole.bottom, whole.top))


# -------------------------------------------------------------------- chance blocks


@emits(nodes.Chance)
def _chance(scope: Scope, node: nodes.Chance) -> None:
    b = scope.b
    _stop(scope)
    shares = _probabilities(scope, node)
    number = _pick_branch(scope, shares)
    end, impossible = b.label("end"), b.label("impossible")
    labels = [b.label("branch") for _ in node.branches]
    b.switch(number, list(enumerate(labels)), impossible)
    for label, branch in zip(labels, node.branches, strict=True):
        b.start(label)
        scope.block(branch.body)
        b.br(end)
    b.start(impossible)
    b.unreachable()
    b.start(end)


def _probabilities(scope: Scope, node: nodes.Chance) -> list[Ratio]:
    """The probability of each branch, checked to be none negative and to sum to 1."""
    b = scope.b
    total = constant_ratio(scope, 0)
    given: list[Ratio | None] = []
    for branch in node.branches:
        if branch.probability is None:
            given.append(None)
            continue
        type_ = branch.probability.type
        share = ratio_of(scope, scope.value(branch.probability), type_)
        if share.num.const is None and getattr(type_, "lo", -1) < 0:
            scope.check(b.compare("slt", share.num, i64(0)), "probability", branch.probability.span)
        elif share.num.const is not None and share.num.const < 0:
            scope.check(const("i1", 1), "probability", branch.probability.span)
        given.append(share)
        total = add(scope, total, share)
    one = constant_ratio(scope, 1)
    if None in given:
        scope.check(compare(scope, "sgt", total, one), "sum", node.span)
    else:
        scope.check(compare(scope, "ne", total, one), "sum", node.span)
    rest = add(scope, one, Ratio(b.sub(i64(0), total.num), total.den, total.top, total.bottom))
    return [rest if share is None else share for share in given]


def _pick_branch(scope: Scope, shares: list[Ratio]) -> Value:
    """The number (i32) of the branch that happens."""
    b = scope.b
    state = _state(scope)
    if isinstance(scope.chance, Replaying):
        return _replay_branch(scope, state, shares)
    if all(share.den.const is not None for share in shares):
        scale = lcm(*(share.den.const or 1 for share in shares))
        if scale < 1 << 62:
            point = random_below(scope, state, i64(scale))
            number, so_far = i32(0), i64(0)
            for share in shares[:-1]:
                so_far = b.add(so_far, b.mul(share.num, i64(scale // (share.den.const or 1))))
                number = b.add(number, b.zext(b.compare("sge", point, so_far), "i32"))
            return number
    fraction = random_fraction(scope, state)
    number, bound = i32(len(shares) - 1), Value("double", "0.0")
    chosen = FALSE
    for k, share in enumerate(shares):
        bound = b.result("double", f"fadd {bound}, {to_double(scope, share).ref}")
        here = b.and_(b.not_(chosen), b.result("i1", f"fcmp olt {fraction}, {bound.ref}"))
        number = b.select(here, i32(k), number)
        chosen = b.or_(chosen, here)
    return number


def _replay_branch(scope: Scope, script: Value, shares: list[Ratio]) -> Value:
    b = scope.b
    happens = [b.compare("ne", share.num, i64(0)) for share in shares]
    count = i32(0)
    for each_happens in happens:
        count = b.add(count, b.zext(each_happens, "i32"))
    digit = script_digit(scope, script, count)
    number, num, den = i32(0), shares[0].num, shares[0].den
    before = i32(0)
    for k, share in enumerate(shares):
        here = b.and_(happens[k], b.compare("eq", before, digit))
        number = b.select(here, i32(k), number)
        num, den = b.select(here, share.num, num), b.select(here, share.den, den)
        before = b.add(before, b.zext(happens[k], "i32"))
    top = max(share.top for share in shares)
    bottom = max(share.bottom for share in shares)
    weigh(scope, script, Ratio(num, den, top, bottom))
    return number


# ------------------------------------------------------------------------ rewards


@emits(nodes.Reward)
def _reward(scope: Scope, node: nodes.Reward) -> None:
    b = scope.b
    player = b.zext(scope.scalar(node.player), "i64")
    amount = ratio_of(scope, scope.value(node.amount), node.amount.type)
    if scope.rewards is None:
        return
    num = b.offset(scope.rewards, player, 16)
    if scope.program.whole_rewards:
        b.store(b.add(b.load("i64", num, 8), amount.num), num, 8)
        return
    den = b.offset(num, 8)
    total = add(scope, Ratio(b.load("i64", num, 8), b.load("i64", den, 8)), amount)
    b.store(total.num, num, 8)
    b.store(total.den, den, 8)


def clear_rewards(scope: Scope, rewards: Value) -> None:
    b = scope.b
    for player in range(len(scope.program.model.players.members)):
        b.store(i64(0), b.offset(rewards, 16 * player), 8)
        b.store(i64(1), b.offset(rewards, 16 * player + 8), 8)
