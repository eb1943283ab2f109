"""What decides draws: a random generator, or a script that is followed.

script    met i32 | length i32 | numerator i64 | denominator i64 | (digit i32, size i32) ..
"""

from __future__ import annotations

from gdl.abi import CAPACITY
from gdl.native.emit.numbers import multiply
from gdl.native.emit.scope import ChanceMode, Program, Scope, Unit
from gdl.native.ir import runtime
from gdl.native.ir.builder import Value, i32
from gdl.native.layout.values import Ratio

SCRIPT_HEAD = 24
"""Bytes before the digits of a script."""

MAX_DRAWS = 4096
"""A script has room for this many draws, or for as many as the rules allow if those are fewer."""


class Sampling(ChanceMode):
    """Draws are decided at random; the chance state is the state of the generator."""

    name = "sample"


class Stopping(Sampling):
    """The first draw ends the move, with the status DREW; nothing is asked of the chance state."""

    name = "after"
    stops = True


class Replaying(ChanceMode):
    """Draws are decided by a script; the chance state is the script."""

    name = "replay"


def random_bits(scope: Scope, state: Value) -> Value:
    """64 random bits."""
    return scope.b.call("i64", scope.unit.helper("random", runtime.write_random), [state])


def random_below(scope: Scope, state: Value, stop: Value) -> Value:
    """A random number 0 .. stop - 1, by multiplying and taking the high half.

    Each number's probability is within stop / 2^64 of 1 / stop, relatively.
    """
    b = scope.b
    product = b.mul(b.zext(random_bits(scope, state), "i128"), b.zext(b.zext(stop, "i64"), "i128"))
    return b.resize(b.resize(b.lshr(product, 64), "i64"), stop.type)


def script_digit(scope: Scope, script: Value, size: Value) -> Value:
    """The digit of the draw being met, which has `size` candidates (i32); 0 where the script ends."""
    b = scope.b
    ref = scope.unit.helper("digit", _write_digit)
    digit = b.call("i32", ref, [script, size])
    scope.stop_if(b.compare("slt", digit, i32(0)), i32(CAPACITY))
    return digit


def _write_digit(unit: Unit, ref: str) -> None:
    capacity = script_capacity(unit.program)
    unit.module.add(
        f"""define internal i32 {ref}(ptr %script, i32 %size) #2 {{
entry:
  %met = load i32, ptr %script, align 8
  %room = icmp ult i32 %met, {capacity}
  br i1 %room, label %fine, label %full
full:
  ret i32 -1
fine:
  %lp = getelementptr i8, ptr %script, i64 4
  %length = load i32, ptr %lp, align 4
  %at = zext i32 %met to i64
  %off = mul i64 %at, 8
  %off2 = add i64 %off, {SCRIPT_HEAD}
  %dp = getelementptr i8, ptr %script, i64 %off2
  %sp = getelementptr i8, ptr %dp, i64 4
  %next = add i32 %met, 1
  store i32 %next, ptr %script, align 8
  store i32 %size, ptr %sp, align 4
  %new = icmp eq i32 %met, %length
  br i1 %new, label %append, label %known
append:
  store i32 %next, ptr %lp, align 4
  store i32 0, ptr %dp, align 8
  ret i32 0
known:
  %digit = load i32, ptr %dp, align 8
  ret i32 %digit
}}
"""
    )


def script_capacity(program: Program) -> int:
    """How many draws a script of this game has room for."""
    model, facts = program.model, program.facts
    bodies = [model.initial.body, *(move.body for move in model.moves)]
    bodies += (policy.body for policy in model.policies.values())
    deepest = max(map(facts.depth_of_draws, bodies))
    return max(1, min(MAX_DRAWS, deepest))


def weigh(scope: Scope, script: Value, share: Ratio) -> None:
    """Multiplies the probability of the script's way."""
    b = scope.b
    num, den = b.offset(script, 8), b.offset(script, 16)
    result = multiply(scope, Ratio(b.load("i64", num, 8), b.load("i64", den, 8)), share)
    b.store(result.num, num, 8)
    b.store(result.den, den, 8)


def random_fraction(scope: Scope, state: Value) -> Value:
    """A double from 0 (included) to 1 (excluded), of 53 random bits."""
    b = scope.b
    bits = b.lshr(random_bits(scope, state), 11)
    whole = b.result("double", f"uitofp {bits} to double")
    return b.result("double", f"fmul {whole}, 0x3CA0000000000000")
