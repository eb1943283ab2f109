"""Random playouts: uniformly random moves to the end of the game, in one call."""

from __future__ import annotations

from gdl.abi import NO_MOVE, TOO_MANY, UNFINISHED, definition
from gdl.model import nodes
from gdl.model.types import Player
from gdl.model.walk import walk
from gdl.native.emit.bodies import perform, perform_initial
from gdl.native.emit.chance import clear_rewards
from gdl.native.emit.choosing import Chosen, choose_uniformly
from gdl.native.emit.deciding import Sampling, random_fraction
from gdl.native.emit.moves import Numbering, write_list
from gdl.native.emit.numbers import double, to_double
from gdl.native.emit.parts import mover, per_player, truth, weight_of, without_stuck
from gdl.native.emit.scope import POSITION, Scope, Unit
from gdl.native.ir.builder import Builder, Value, i32, i64
from gdl.native.layout.layout import Layout
from gdl.native.layout.values import Ratio
from gdl.reference.moves import MAX_MOVES


def write_playout(unit: Unit, numbering: Numbering, linkage: str = "") -> None:
    """`playout`: from a position to the end, in place."""
    scope = Scope(unit, Builder(unit.module), POSITION)
    b = scope.b
    model = unit.program.model
    count = len(model.players.members)
    random, limit = Value("ptr", "%random"), Value("i64", "%limit")
    returns, plies = Value("ptr", "%returns"), b.alloca("i64")
    pays = any(isinstance(part, nodes.Reward) for part in walk(_all_bodies(unit)))
    rewards = b.alloca("i64", 2 * count) if pays else None
    totals = [b.alloca("double") for _ in range(count)] if pays else []
    discounts = model.discount != 1
    factor = b.alloca("double")
    for total in totals:
        b.store(double(0.0), total)
    b.store(double(1.0), factor)
    b.store(i64(0), plies)

    def leave(status: Value) -> None:
        b.store(b.load("i64", plies), Value("ptr", "%plies"), 8)
        b.ret(status)

    scope.fail = leave
    loop, over, on, none = (b.label(hint) for hint in ("turn", "over", "on", "none"))
    b.start(loop)
    ends, asks = without_stuck(model.terminal)
    b.branch(truth(scope, ends), over, on)
    b.start(over)
    for player in range(count):
        value = to_double(scope, per_player(scope, model.utility, i32(player)))
        if discounts:
            value = b.result("double", f"fmul {value}, {b.load('double', factor).ref}")
        if pays:
            value = b.result("double", f"fadd {value}, {b.load('double', totals[player]).ref}")
        b.store(value, b.offset(returns, 8 * player), 8)
    leave(i32(0))
    b.start(on)
    cut, goes_on = b.label("cut"), b.label("goes_on")
    b.branch(b.compare("uge", b.load("i64", plies), limit), cut, goes_on)
    b.start(cut)
    if asks:
        unfinished = b.label("unfinished")
        b.branch(truth(scope, model.terminal), over, unfinished)
        b.start(unfinished)
    for player in range(count):  # what was paid so far
        b.store(b.load("double", totals[player]) if pays else double(0.0), b.offset(returns, 8 * player), 8)
    leave(i32(UNFINISHED))
    b.start(goes_on)

    def chosen(index: int) -> None:
        if rewards is not None:
            clear_rewards(scope, rewards)
        perform(scope, index, Sampling(), random, rewards)
        if rewards is not None:
            for player, total in enumerate(totals):
                num = b.load("i64", b.offset(rewards, 16 * player), 8)
                den = b.load("i64", b.offset(rewards, 16 * player + 8), 8)
                paid = to_double(scope, num if unit.program.whole_rewards else Ratio(num, den))
                if discounts:
                    paid = b.result("double", f"fmul {paid}, {b.load('double', factor).ref}")
                b.store(b.result("double", f"fadd {paid}, {b.load('double', total).ref}"), total)
        if discounts:
            shrunk = f"fmul {b.load('double', factor)}, {double(float(model.discount)).ref}"
            b.store(b.result("double", shrunk), factor)
        b.store(b.add(b.load("i64", plies), i64(1)), plies)
        b.br(loop)

    chance_plays = not isinstance(model.player.type, Player)
    if chance_plays or unit.program.facts.can_fault(model.player.body):
        to_move = mover(scope)
        if chance_plays and any(move.weight is not None for move in model.moves):
            by_weight, freely = b.label("chance"), b.label("player")
            b.branch(b.compare("slt", to_move, i32(0)), by_weight, freely)
            b.start(by_weight)
            _choose_by_weight(scope, numbering, random, chosen, none)
            b.start(freely)
    choose_uniformly(scope, numbering, random, chosen, none)
    b.start(none)
    if asks:  # only now is it known, and no move was looked for twice
        b.br(over)
    else:
        leave(i32(NO_MOVE))
    b.finish(definition("playout", linkage))


def _all_bodies(unit: Unit) -> tuple[nodes.Block, ...]:
    model = unit.program.model
    return (
        *(move.body for move in model.moves),
        *(effect.body for effect in model.effects.values()),
    )


def _choose_by_weight(scope: Scope, numbering: Numbering, random: Value, chosen: Chosen, none: str) -> None:
    """Runs `chosen` with a move of chance, in proportion to the weights, which are added up first."""
    b = scope.b
    legal, total = b.alloca("i64"), b.alloca("double")
    b.store(i64(0), legal)
    b.store(double(0.0), total)

    def tally(index: int) -> None:
        if numbering.total > MAX_MOVES:
            scope.stop_if(b.compare("uge", b.load("i64", legal), i64(MAX_MOVES)), i32(TOO_MANY))
        weight = to_double(scope, weight_of(scope, index))
        b.store(b.result("double", f"fadd {b.load('double', total)}, {weight.ref}"), total)
        b.store(b.add(b.load("i64", legal), i64(1)), legal)

    def empty() -> Value:
        return b.compare("eq", b.load("i64", legal), i64(0))

    write_list(scope, numbering, tally, empty)
    some = b.label("some")
    b.branch(empty(), none, some)
    b.start(some)
    whole = b.load("double", total)
    nothing = b.result("i1", f"fcmp ole {whole}, 0.0")
    scope.check(nothing, "no chance move", scope.program.model.player.span)
    rest = b.alloca("double")
    b.store(b.result("double", f"fmul {random_fraction(scope, random)}, {whole.ref}"), rest)
    b.store(i64(0), legal)

    def consider(index: int) -> None:
        b.store(i64(1), legal)
        weight = to_double(scope, weight_of(scope, index))
        left = b.result("double", f"fsub {b.load('double', rest)}, {weight.ref}")
        b.store(left, rest)
        hit, miss = b.label("hit"), b.label("miss")
        b.branch(b.result("i1", f"fcmp olt {left}, 0.0"), hit, miss)
        b.start(hit)
        chosen(index)
        b.start(miss)

    again = b.label("weighted")
    b.start(again)
    write_list(scope, numbering, consider, empty)
    # Rounding may leave a tiny rest after the last move: then draw again.
    b.store(b.result("double", f"fmul {random_fraction(scope, random)}, {whole.ref}"), rest)
    b.store(i64(0), legal)
    b.br(again)


def write_playouts(unit: Unit, numbering: Numbering) -> None:
    """`playouts`: many playouts, from the start or from a given position."""
    write_playout(unit, numbering, "internal")
    program = unit.program
    count = len(program.model.players.members)
    scope = Scope(unit, Builder(unit.module), None)
    b = scope.b
    size = program.layout.size
    position = b.alloca("i64", max(2, size // 8), 16)
    returns, moves = b.alloca("double", max(2, count)), b.alloca("i64")
    rewards = b.alloca("i64", 2 * count)
    done = b.alloca("i64")
    random = b.alloca("i64")
    start, games, limit = Value("ptr", "%start"), Value("i64", "%games"), Value("i64", "%limit")
    out, finished = Value("ptr", "%sums"), Value("ptr", "%counts")
    b.store(b.load("i64", Value("ptr", "%random"), 8), random)

    def leave(status: Value) -> None:
        b.store(b.load("i64", random), Value("ptr", "%random"), 8)
        b.ret(status)

    scope.fail = leave
    scope.position = position
    b.store(i64(0), done)
    loop, play, end = b.label("game"), b.label("play"), b.label("end")
    b.start(loop)
    b.branch(b.compare("ult", b.load("i64", done), games), play, end)
    b.start(play)
    given, fresh, ready = b.label("given"), b.label("fresh"), b.label("ready")
    b.branch(b.result("i1", f"icmp eq {start}, null"), fresh, given)
    b.start(given)
    b.copy(position, start, size)
    b.br(ready)
    b.start(fresh)
    b.copy(position, unit.module.data(initial_form(program.layout)), size)
    clear_rewards(scope, rewards)
    perform_initial(scope, Sampling(), random, rewards)
    b.start(ready)
    status = b.call("i32", "@playout", [position, random, limit, returns, moves])
    plies = b.load("i64", moves, 8)
    b.store(b.add(b.load("i64", b.offset(finished, 8), 8), plies), b.offset(finished, 8), 8)
    unfinished = b.compare("eq", status, i32(UNFINISHED))
    bad = b.and_(b.compare("ne", status, i32(0)), b.compare("ne", status, i32(UNFINISHED)))
    scope.stop_if(bad, status)
    tally, next_ = b.label("tally"), b.label("next")
    b.store(b.add(b.load("i64", done), i64(1)), done)
    b.branch(unfinished, next_, tally)
    b.start(tally)
    b.store(b.add(b.load("i64", finished, 8), i64(1)), finished, 8)
    for player in range(count):
        value = b.load("double", b.offset(returns, 8 * player), 8)
        for place, amount in ((16 * player, value), (16 * player + 8, _square(scope, value))):
            so_far = b.load("double", b.offset(out, place), 8)
            b.store(b.result("double", f"fadd {so_far}, {amount.ref}"), b.offset(out, place), 8)
    b.start(next_)
    b.br(loop)
    b.start(end)
    leave(i32(0))
    b.finish(definition("playouts"))


def initial_form(layout: Layout) -> bytes:
    """The working form of the defaults."""
    return layout.encode([value for variable in layout.model.variables for value in variable.default])


def _square(scope: Scope, value: Value) -> Value:
    return scope.b.result("double", f"fmul {value}, {value.ref}")
