"""The functions that a module exports, as gdl/abi.py says."""

from __future__ import annotations

from collections.abc import Callable

from gdl.abi import NO_MOVE, TOO_MANY, definition
from gdl.model.nodes import Variable
from gdl.model.turn import passing
from gdl.movers import TERMINAL
from gdl.native.emit.bodies import dispatch, perform, perform_initial
from gdl.native.emit.chance import clear_rewards
from gdl.native.emit.choosing import choose_uniformly
from gdl.native.emit.deciding import Sampling, Stopping
from gdl.native.emit.domains import count as each_number
from gdl.native.emit.moves import Numbering, number_of, write_list
from gdl.native.emit.numbers import add, to_double
from gdl.native.emit.outcomes import write_outcomes
from gdl.native.emit.parts import mover, per_player, section, terminal, weight_of
from gdl.native.emit.playouts import write_playout, write_playouts
from gdl.native.emit.policies import write_policy
from gdl.native.emit.scope import POSITION, Scope, Unit
from gdl.native.ir.builder import TRUE, Builder, Value, i32, i64
from gdl.native.layout.canonical import write_canonical
from gdl.native.layout.layout import index_size
from gdl.native.layout.memory import flat_index, from_ordinal
from gdl.native.layout.packing import write_hash, write_pack, write_unpack
from gdl.native.layout.values import Operand, Ratio
from gdl.reference.moves import MAX_MOVES


def entry(unit: Unit, faults: Callable[[Scope, Value], None]) -> Scope:
    """A scope for an exported function of a position."""
    scope = Scope(unit, Builder(unit.module), POSITION)
    scope.fail = lambda status: faults(scope, status)
    return scope


def give_status(scope: Scope, status: Value) -> None:
    scope.b.ret(status)


def give_negative(scope: Scope, status: Value) -> None:
    scope.b.ret(scope.b.sub(i64(0), scope.b.zext(status, "i64")))


def _write_to_move(unit: Unit, numbering: Numbering) -> None:
    def fault(scope: Scope, status: Value) -> None:
        scope.b.ret(scope.b.sub(i32(-16), status))

    scope = entry(unit, fault)
    b = scope.b
    over, on = b.label("over"), b.label("on")
    b.branch(terminal(scope), over, on)
    b.start(over)
    b.ret(i32(TERMINAL))
    b.start(on)
    b.ret(b.resize(mover(scope), "i32"))
    b.finish(definition("to_move"))


def _write_moves(unit: Unit, numbering: Numbering) -> None:
    scope = entry(unit, give_negative)
    b = scope.b
    count = b.alloca("i64")
    b.store(i64(0), count)

    def found(index: int) -> None:
        at = b.load("i64", count)
        if numbering.total > MAX_MOVES:
            scope.stop_if(b.compare("uge", at, i64(MAX_MOVES)), i32(TOO_MANY))
        keep, full = b.label("keep"), b.label("full")
        b.branch(b.compare("ult", at, Value("i64", "%capacity")), keep, full)
        b.start(keep)
        b.store(number_of(scope, numbering, index), b.offset(Value("ptr", "%out"), at, 8), 8)
        b.start(full)
        b.store(b.add(at, i64(1)), count)

    def empty() -> Value:
        return b.compare("eq", b.load("i64", count), i64(0))

    write_list(scope, numbering, found, empty)
    scope.stop_if(empty(), i32(NO_MOVE))
    b.ret(b.load("i64", count))
    b.finish(definition("moves"))


def _write_weights(unit: Unit, numbering: Numbering) -> None:
    """`weights`: the weight of each of some moves, and their total, exactly."""
    scope = entry(unit, give_status)
    b = scope.b
    out = Value("ptr", "%out")
    total = [b.alloca("i64"), b.alloca("i64")]
    b.store(i64(0), total[0])
    b.store(i64(1), total[1])

    def weigh(k: Value) -> None:
        number = b.load("i64", b.offset(Value("ptr", "%moves"), k, 8), 8)
        here = b.offset(out, b.add(k, i64(1)), 16)

        def of_family(index: int) -> None:
            weight = weight_of(scope, index)
            b.store(weight.num, here, 8)
            b.store(weight.den, b.offset(here, 8), 8)
            so_far = Ratio(b.load("i64", total[0]), b.load("i64", total[1]))
            result = add(scope, so_far, weight)
            b.store(result.num, total[0])
            b.store(result.den, total[1])

        dispatch(scope, numbering, number, of_family)

    each_number(scope, Value("i64", "%count"), weigh)
    b.store(b.load("i64", total[0]), out, 8)
    b.store(b.load("i64", total[1]), b.offset(out, 8), 8)
    b.ret(i32(0))
    b.finish(definition("weights"))


def _write_sample(unit: Unit, numbering: Numbering) -> None:
    scope = entry(unit, give_status)
    b = scope.b
    rewards = b.alloca("i64", 2 * len(unit.program.model.players.members))
    clear_rewards(scope, rewards)
    state, number = Value("ptr", "%random"), Value("i64", "%move")
    setup, play, done = b.label("initial"), b.label("move"), b.label("done")
    b.branch(b.compare("eq", number, i64(numbering.total)), setup, play)
    b.start(setup)
    perform_initial(scope, Sampling(), state, rewards)
    b.br(done)
    b.start(play)
    dispatch(scope, numbering, number, lambda index: perform(scope, index, Sampling(), state, rewards))
    b.start(done)
    _give_rewards(scope, rewards)
    b.ret(i32(0))
    b.finish(definition("sample"))


def _give_rewards(scope: Scope, rewards: Value) -> None:
    b = scope.b
    for player in range(len(scope.program.model.players.members)):
        num = b.load("i64", b.offset(rewards, 16 * player), 8)
        den = b.load("i64", b.offset(rewards, 16 * player + 8), 8)
        b.store(to_double(scope, Ratio(num, den)), b.offset(Value("ptr", "%rewards"), 8 * player), 8)


def _write_after(unit: Unit, numbering: Numbering) -> None:
    """`after`: as `sample`, ended by the first draw, which is passed on as a fault is."""
    scope = entry(unit, give_status)
    b = scope.b
    rewards = b.alloca("i64", 2 * len(unit.program.model.players.members))
    clear_rewards(scope, rewards)
    status = b.alloca("i32")
    b.store(i32(0), status)
    ended, done = b.label("ended"), b.label("done")

    def end(code: Value) -> None:
        b.store(code, status)
        b.br(ended)

    scope.fail = end
    number = Value("i64", "%move")
    nobody = Value("ptr", "null")
    dispatch(scope, numbering, number, lambda index: perform(scope, index, Stopping(), nobody, rewards))
    b.br(done)
    b.start(ended)
    b.br(done)
    b.start(done)
    scope.fail = lambda code: give_status(scope, code)
    _give_rewards(scope, rewards)
    b.ret(b.load("i32", status))
    b.finish(definition("after"))


def _write_pick(unit: Unit, numbering: Numbering) -> None:
    scope = entry(unit, give_status)
    b = scope.b
    none = b.label("none")

    def chosen(index: int) -> None:
        b.store(number_of(scope, numbering, index), Value("ptr", "%out"), 8)
        b.ret(i32(0))

    choose_uniformly(scope, numbering, Value("ptr", "%random"), chosen, none)
    b.start(none)
    b.ret(i32(NO_MOVE))
    b.finish(definition("pick"))


def _write_pass_turn(unit: Unit, numbering: Numbering) -> None:
    scope = entry(unit, give_status)
    handing_on = passing(unit.program.model)
    if handing_on is not None:
        scope.block((handing_on,))
    scope.b.ret(i32(0 if handing_on is not None else NO_MOVE))
    scope.b.finish(definition("pass_turn"))


def _write_per_player(name: str) -> Callable[[Unit, Numbering], None]:
    def write(unit: Unit, numbering: Numbering) -> None:
        model = unit.program.model
        function = model.utility if name == "utility" else model.evaluate
        scope = entry(unit, give_status)
        if function is not None:
            for player in range(len(model.players.members)):
                value = per_player(scope, function, i32(player))
                scope.b.store(to_double(scope, value), scope.b.offset(Value("ptr", "%out"), 8 * player), 8)
        scope.b.ret(i32(0))
        scope.b.finish(definition(name))

    return write


def _write_features(unit: Unit, numbering: Numbering) -> None:
    scope = entry(unit, give_status)
    b = scope.b
    for k, feature in enumerate(unit.program.model.features.values()):
        value = to_double(scope, section(scope, feature))
        b.store(value, b.offset(Value("ptr", "%out"), 8 * k), 8)
    b.ret(i32(0))
    b.finish(definition("features"))


def _write_visible(unit: Unit, numbering: Numbering) -> None:
    """`visible`: one byte per element of each variable, 1 where the player sees it."""
    scope = entry(unit, give_status)
    b = scope.b
    start = Value("ptr", "%out")
    for variable in unit.program.model.variables:
        _write_visible_elements(scope, variable, start, ())
        start = b.offset(start, variable.count)
    b.ret(i32(0))
    b.finish(definition("visible"))


def _write_visible_elements(
    scope: Scope, variable: Variable, start: Value, chosen: tuple[Operand, ...]
) -> None:
    b = scope.b
    if len(chosen) < len(variable.indices):
        index = variable.indices[len(chosen)]
        each_number(
            scope,
            i64(index_size(index)),
            lambda k: _write_visible_elements(
                scope, variable, start, (*chosen, from_ordinal(scope, index, k))
            ),
        )
        return
    seen = TRUE
    if variable.visible is not None:
        scope.slots[variable.visible.viewer_slot] = Value("i32", "%player")
        for slot, value in zip(variable.visible.index_slots, chosen, strict=True):
            scope.slots[slot] = value
        seen = scope.scalar(variable.visible.condition)
    b.store(b.zext(seen, "i8"), b.offset(start, flat_index(scope, variable.indices, chosen)))


EXPORTS: dict[str, Callable[[Unit, Numbering], None]] = {
    "to_move": _write_to_move,
    "moves": _write_moves,
    "weights": _write_weights,
    "policy": write_policy,
    "outcomes": write_outcomes,
    "sample": _write_sample,
    "after": _write_after,
    "pick": _write_pick,
    "pass_turn": _write_pass_turn,
    "utility": _write_per_player("utility"),
    "evaluate": _write_per_player("evaluate"),
    "features": _write_features,
    "visible": _write_visible,
    "pack": write_pack,
    "canonical": write_canonical,
    "unpack": write_unpack,
    "hash": write_hash,
    "playout": write_playout,
    "playouts": write_playouts,
}
"""How each function of the ABI is written."""
