"""Policies: the exact probabilities that one gives to the legal moves of a position.

A policy is a function of the position, the player to move, its parameters and the list of legal moves; it is
run once for every way for chance to go, with a script as in outcomes.py, and adds what the way it went is
worth to the moves that it may make.
"""

from __future__ import annotations

from dataclasses import dataclass

from gdl.abi import TOO_MANY, definition
from gdl.model import nodes
from gdl.native.emit.deciding import Replaying
from gdl.native.emit.domains import count as each_number
from gdl.native.emit.moves import Numbering, set_parameters
from gdl.native.emit.numbers import add, multiply
from gdl.native.emit.outcomes import begin_script, next_way
from gdl.native.emit.parts import mover
from gdl.native.emit.scope import POSITION, Callee, Scope, Unit, emits
from gdl.native.ir.builder import FALSE, TRUE, Builder, Value, i32, i64
from gdl.native.layout.memory import from_ordinal
from gdl.native.layout.values import Ratio, flatten
from gdl.reference.worlds import MAX_WAYS


@dataclass(frozen=True, slots=True)
class Choice:
    """Among what a policy chooses: the numbers of the legal moves, how many, and where their probabilities
    are added up, a numerator and a denominator each."""

    numbering: Numbering
    moves: Value
    count: Value
    out: Value

    @property
    def arguments(self) -> list[Value]:
        return [self.moves, self.count, self.out]


def write_policy(unit: Unit, numbering: Numbering) -> None:
    """`policy`: see gdl/abi.py."""
    scope = Scope(unit, Builder(unit.module), POSITION)
    b = scope.b
    scope.fail = b.ret
    choice = _choice(numbering)
    given, script = Value("ptr", "%arguments"), Value("ptr", "%script")

    def clear(k: Value) -> None:
        here = b.offset(choice.out, k, 16)
        b.store(i64(0), here, 8)
        b.store(i64(1), b.offset(here, 8), 8)

    each_number(scope, choice.count, clear)
    player = mover(scope)
    ways = b.alloca("i64")
    b.store(i64(0), ways)
    b.store(i32(0), b.offset(script, 4), 4)
    loop, ran, again, done = (b.label(hint) for hint in ("way", "ran", "again", "done"))
    b.start(loop)
    begin_script(scope, script)
    for index, policy in enumerate(unit.program.model.policies.values()):
        here, further = b.label("policy"), b.label("further")
        b.branch(b.compare("eq", Value("i32", "%which"), i32(index)), here, further)
        b.start(here)
        arguments = [b.resize(player, "i32")]
        for k, formal in enumerate(policy.formals):
            number = b.load("i64", b.offset(given, 8 * k), 8)
            arguments += flatten(scope.coerce(from_ordinal(scope, formal.type, number), formal.type))
        scope.call(_callee(unit, numbering, policy), [*arguments, *choice.arguments, script])
        b.br(ran)
        b.start(further)
    b.br(done)
    b.start(ran)
    tried = b.add(b.load("i64", ways), i64(1))
    b.store(tried, ways)
    b.branch(next_way(scope, script), again, done)
    b.start(again)
    scope.stop_if(b.compare("ugt", tried, i64(MAX_WAYS)), i32(TOO_MANY))
    b.br(loop)
    b.start(done)
    b.ret(i32(0))
    b.finish(definition("policy"))


def _choice(numbering: Numbering) -> Choice:
    return Choice(numbering, Value("ptr", "%moves"), Value("i64", "%count"), Value("ptr", "%out"))


def _callee(unit: Unit, numbering: Numbering, policy: nodes.Policy) -> Callee:
    """A policy as a function; it has done its work when it returns."""
    key = ("policy", policy.name, "")
    known = unit.callee(key)
    if known is not None:
        return known
    callee = Callee(f"@p{unit.place(policy.span)}", True, True, ())
    unit.register(key, callee)
    scope = Scope(unit, Builder(unit.module), POSITION)
    parameters = ["ptr %pos", "i32 %mover"]
    scope.types[0], scope.slots[0] = unit.program.model.players, Value("i32", "%mover")
    for formal in policy.formals:
        parameters += scope.bind_parameter(formal.slot, formal.type)
    parameters += ["ptr %moves", "i64 %count", "ptr %out", "ptr %script"]
    scope.chance, scope.chance_state = Replaying(), Value("ptr", "%script")
    scope.choice = _choice(numbering)
    scope.declare_cells(policy.body)
    scope.fail = scope.b.ret
    scope.block(policy.body)
    if scope.b.open:
        _decide(scope, scope.choice, ())
        scope.b.ret(i32(0))
    scope.b.finish(f"define internal fastcc i32 {callee.ref}({', '.join(parameters)}) #0")
    return callee


@emits(nodes.Play)
def _play(scope: Scope, node: nodes.Play) -> None:
    b = scope.b
    assert isinstance(scope.choice, Choice)
    fitting = _decide(scope, scope.choice, node.patterns)
    chosen, none = b.label("chosen"), b.label("none")
    b.branch(b.compare("ne", fitting, i64(0)), chosen, none)
    b.start(chosen)
    b.ret(i32(0))
    b.start(none)


@emits(nodes.Follow)
def _follow(scope: Scope, node: nodes.Follow) -> None:
    assert isinstance(scope.choice, Choice) and scope.chance_state is not None
    policy = scope.program.model.policies[node.policy]
    arguments = [scope.b.resize(scope.local(0), "i32")]  # type: ignore[arg-type]
    for formal, argument in zip(policy.formals, node.arguments, strict=True):
        arguments += flatten(scope.coerce(scope.value(argument), formal.type))
    callee = _callee(scope.unit, scope.choice.numbering, policy)
    scope.call(callee, [*arguments, *scope.choice.arguments, scope.chance_state])
    scope.b.ret(i32(0))


def _decide(scope: Scope, choice: Choice, patterns: tuple[nodes.Pattern, ...]) -> Value:
    """Shares the way's probability among the legal moves that fit; gives how many there are.

    A move that fits is marked by the sign of its denominator, until it gets its share.
    """
    b = scope.b
    count = b.alloca("i64")
    b.store(i64(0), count)

    def look(k: Value) -> None:
        number = b.load("i64", b.offset(choice.moves, k, 8), 8)
        fits, next_ = b.label("fits"), b.label("next")
        b.branch(_fits(scope, choice.numbering, patterns, number), fits, next_)
        b.start(fits)
        b.store(b.add(b.load("i64", count), i64(1)), count)
        den = b.offset(b.offset(choice.out, k, 16), 8)
        b.store(b.sub(i64(0), b.load("i64", den, 8)), den, 8)
        b.start(next_)

    each_number(scope, choice.count, look)
    assert scope.chance_state is not None
    fitting = b.load("i64", count)
    scope.call(_sharing(scope.unit), [choice.out, choice.count, fitting, scope.chance_state])
    return fitting


def _sharing(unit: Unit) -> Callee:
    """A function that gives every marked move its part of the way's probability, and takes the mark away."""
    key = ("policy", "", "share")
    known = unit.callee(key)
    if known is not None:
        return known
    callee = Callee("@share", False, True, ())
    unit.register(key, callee)
    scope = Scope(unit, Builder(unit.module), None)
    b = scope.b
    scope.fail = b.ret
    out, script = Value("ptr", "%out"), Value("ptr", "%script")
    way = Ratio(b.load("i64", b.offset(script, 8), 8), b.load("i64", b.offset(script, 16), 8))

    def share(k: Value) -> None:
        num = b.offset(out, k, 16)
        den = b.offset(num, 8)
        marked, next_ = b.label("marked"), b.label("next")
        before = b.load("i64", den, 8)
        b.branch(b.compare("slt", before, i64(0)), marked, next_)
        b.start(marked)
        part = multiply(scope, way, Ratio(i64(1), Value("i64", "%fitting"), 1))
        total = add(scope, Ratio(b.load("i64", num, 8), b.sub(i64(0), before)), part)
        b.store(total.num, num, 8)
        b.store(total.den, den, 8)
        b.start(next_)

    each_number(scope, Value("i64", "%count"), share)
    b.ret(i32(0))
    b.finish("define internal fastcc i32 @share(ptr %out, i64 %count, i64 %fitting, ptr %script) noinline #0")
    return callee


def _fits(scope: Scope, numbering: Numbering, patterns: tuple[nodes.Pattern, ...], number: Value) -> Value:
    """Whether a legal move fits one of the patterns."""
    if not patterns:
        return TRUE
    b = scope.b
    result = b.alloca("i1")
    b.store(FALSE, result)
    done = b.label("tested")
    for pattern in patterns:
        base, size = numbering.bases[pattern.move], numbering.sizes[pattern.move]
        own, further = b.label("own"), b.label("further")
        place = b.sub(number, i64(base))
        b.branch(b.compare("ult", place, i64(size)), own, further)
        b.start(own)
        if pattern.test is None:
            b.store(TRUE, result)
        else:
            _set_slots(scope, pattern, place)
            b.store(scope.scalar(pattern.test), result)
        b.branch(b.load("i1", result), done, further)
        b.start(further)
    b.start(done)
    return b.load("i1", result)


def _set_slots(scope: Scope, pattern: nodes.Pattern, place: Value) -> None:
    """Gives the slots of a pattern the parameters of the move, which are worked out in its own frame."""
    move = scope.program.model.moves[pattern.move]
    own = Scope(scope.unit, scope.b, scope.position)
    own.fail = scope.fail
    set_parameters(own, move, place)
    for slot, parameter in zip(pattern.slots, move.parameters, strict=True):
        scope.types[slot] = parameter.type
        scope.slots[slot] = own.local(parameter.slot)
