"""Arithmetic: whole numbers in registers as wide as their intervals, fractions as two 64-bit integers.

The interval analysis has proven that every whole number fits, so nothing here wraps round. Fractions stay
exact: where the bounds known when compiling show that a result fits, it is computed directly, unreduced;
elsewhere the run-time library reduces it and, should it outgrow its registers, the code stops with
OVERFLOW and the reference engine takes over.
"""

from __future__ import annotations

import struct
from fractions import Fraction
from math import lcm
from typing import Any

from gdl.abi import OVERFLOW
from gdl.model import nodes
from gdl.model.types import Int, Rational, Type
from gdl.native.emit.scope import Scope, emits
from gdl.native.ir import runtime
from gdl.native.ir.builder import Value, const, i32, i64, width
from gdl.native.layout.values import UNBOUNDED, Operand, Ratio, int_ir, scalar_ir
from gdl.native.plan.analysis import fits, may_be_zero

# ------------------------------------------------------------------------- nodes


@emits(nodes.Arithmetic)
def _arithmetic(scope: Scope, node: nodes.Arithmetic) -> Operand:
    left, right = scope.value(node.left), scope.value(node.right)
    if isinstance(left, Value) and isinstance(right, Value):
        if isinstance(node.type, Int):
            return _whole(scope, node, left, right)
        if node.op in ("div", "mod"):
            raise AssertionError("div and mod of whole numbers are whole")
    return _fraction(scope, node, left, right)


@emits(nodes.Negate)
def _negate(scope: Scope, node: nodes.Negate) -> Operand:
    operand = scope.value(node.operand)
    if isinstance(operand, Ratio):
        return Ratio(scope.b.sub(i64(0), operand.num), operand.den, operand.top, operand.bottom)
    assert isinstance(operand, Value)
    ir = _wider(operand.type, scalar_ir(node.type))
    return scope.coerce(scope.b.sub(const(ir, 0), scope.b.resize(operand, ir)), node.type)


@emits(nodes.Absolute)
def _absolute(scope: Scope, node: nodes.Absolute) -> Operand:
    operand = scope.value(node.operand)
    if isinstance(operand, Ratio):
        return Ratio(_magnitude(scope, operand.num), operand.den, operand.top, operand.bottom)
    assert isinstance(operand, Value)
    ir = _wider(operand.type, scalar_ir(node.type))
    return scope.coerce(_magnitude(scope, scope.b.resize(operand, ir)), node.type)


def _magnitude(scope: Scope, number: Value) -> Value:
    negative = scope.b.compare("slt", number, const(number.type, 0))
    return scope.b.select(negative, scope.b.sub(const(number.type, 0), number), number)


def _wider(a: str, b: str) -> str:
    return a if width(a) >= width(b) else b


# ----------------------------------------------------------------- whole numbers

_DIRECT = {"+": "add", "-": "sub", "*": "mul"}


def _whole(scope: Scope, node: nodes.Arithmetic, left: Value, right: Value) -> Operand:
    b = scope.b
    ir = _wider(_wider(left.type, right.type), scalar_ir(node.type))
    left, right = b.resize(left, ir), b.resize(right, ir)
    match node.op:
        case "+" | "-" | "*":
            result = b.op(_DIRECT[node.op], left, right)
        case "min":
            result = b.select(b.compare("sle", left, right), left, right)
        case "max":
            result = b.select(b.compare("sge", left, right), left, right)
        case "div" | "mod":
            result = floor_division(scope, node, left, right)
        case _:
            result = _power(scope, left, right)
    return scope.coerce(result, node.type)


def floor_division(scope: Scope, node: nodes.Arithmetic, left: Value, right: Value) -> Value:
    """`div` or `mod`, rounding down; faults on a divisor of 0."""
    b = scope.b
    if may_be_zero(node.right.type):
        scope.check(b.compare("eq", right, const(right.type, 0)), "division", node.span)
    if width(left.type) == 128:  # wider types are divided inline, 128 bits would need a C library
        left, right = b.resize(left, "i192"), b.resize(right, "i192")
    zero = const(left.type, 0)
    if _is_natural(node.left.type) and _is_natural(node.right.type):
        return b.op("udiv" if node.op == "div" else "urem", left, right)
    remainder = b.op("srem", left, right)
    uneven = b.compare("ne", remainder, zero)
    opposite = b.compare("slt", b.xor(remainder, right), zero)
    adjust = b.and_(uneven, opposite)
    if node.op == "mod":
        return b.select(adjust, b.add(remainder, right), remainder)
    return b.sub(b.op("sdiv", left, right), b.zext(adjust, left.type))


def _is_natural(type_: Type) -> bool:
    return isinstance(type_, Int) and type_.lo >= 0


def _power(scope: Scope, base: Value, exponent: Value) -> Value:
    """base ** exponent for exponent >= 0, by squaring; wraps in parts that the result does not use."""
    b = scope.b
    result, factor, rest = (b.alloca(base.type) for _ in range(3))
    b.store(const(base.type, 1), result)
    b.store(base, factor)
    b.store(exponent, rest)
    head, odd, next_, done = (b.label("pow") for _ in range(4))
    b.start(head)
    left = b.load(base.type, rest)
    body = b.label("pow")
    b.branch(b.compare("eq", left, const(base.type, 0)), done, body)
    b.start(body)
    square = b.load(base.type, factor)
    b.branch(b.resize(left, "i1"), odd, next_)
    b.start(odd)
    b.store(b.mul(b.load(base.type, result), square), result)
    b.start(next_)
    b.store(b.mul(square, square), factor)
    b.store(b.lshr(left, 1), rest)
    b.br(head)
    b.start(done)
    return b.load(base.type, result)


# --------------------------------------------------------------------- fractions


def constant_ratio(scope: Scope, number: Any) -> Ratio:
    fraction = Fraction(number)
    if not fits(fraction):
        scope.stop_if(const("i1", 1), i32(OVERFLOW))
        return Ratio(i64(0), i64(1), 0, 1)
    num, den = fraction.numerator, fraction.denominator
    return Ratio(i64(num), i64(den), abs(num), den)


def ratio_of(scope: Scope, operand: Operand, type_: Type | None = None) -> Ratio:
    """Any number as a fraction; `type_` bounds a whole number."""
    if isinstance(operand, Ratio):
        return operand
    assert isinstance(operand, Value)
    b = scope.b
    top = UNBOUNDED
    if operand.const is not None:
        top = abs(operand.const)
    elif isinstance(type_, Int):
        top = max(abs(type_.lo), abs(type_.hi))
    if width(operand.type) > 64:
        narrow = b.resize(operand, "i64")
        lost = b.compare("ne", b.resize(narrow, operand.type), operand)
        scope.stop_if(lost, i32(OVERFLOW))
        return Ratio(narrow, i64(1), min(top, UNBOUNDED), 1)
    return Ratio(b.resize(operand, "i64"), i64(1), min(top, UNBOUNDED), 1)


def _fraction(scope: Scope, node: nodes.Arithmetic, left: Operand, right: Operand) -> Operand:
    a = ratio_of(scope, left, node.left.type)
    if node.op == "**":
        assert isinstance(right, Value)
        return _fraction_power(scope, node, a, right)
    c = ratio_of(scope, right, node.right.type)
    match node.op:
        case "+":
            return add(scope, a, c)
        case "-":
            return add(scope, a, Ratio(scope.b.sub(i64(0), c.num), c.den, c.top, c.bottom))
        case "*":
            return multiply(scope, a, c)
        case "/":
            return multiply(scope, a, _reciprocal(scope, node, c))
        case "min" | "max":
            first = compare(scope, "sle" if node.op == "min" else "sge", a, c)
            b = scope.b
            return Ratio(
                b.select(first, a.num, c.num),
                b.select(first, a.den, c.den),
                max(a.top, c.top),
                max(a.bottom, c.bottom),
            )
        case _:
            quotient = multiply(scope, a, _reciprocal(scope, node, c))
            whole = _floor(scope, quotient)
            if node.op == "div":
                return scope.coerce(whole, node.type)
            back = multiply(scope, c, Ratio(whole, i64(1)))
            return add(scope, a, Ratio(scope.b.sub(i64(0), back.num), back.den, back.top, back.bottom))


def _floor(scope: Scope, number: Ratio) -> Value:
    b = scope.b
    quotient, remainder = b.op("sdiv", number.num, number.den), b.op("srem", number.num, number.den)
    return b.sub(quotient, b.zext(b.compare("slt", remainder, i64(0)), "i64"))


def _reciprocal(scope: Scope, node: nodes.Arithmetic, number: Ratio) -> Ratio:
    """1 / number; faults on 0."""
    b = scope.b
    zero = i64(0)
    scope.check(b.compare("eq", number.num, zero), "division", node.span)
    negative = b.compare("slt", number.num, zero)
    top = b.select(negative, b.sub(zero, number.den), number.den)
    return Ratio(top, _magnitude(scope, number.num), number.bottom, number.top)


def _fraction_power(scope: Scope, node: nodes.Arithmetic, base: Ratio, exponent: Value) -> Ratio:
    b = scope.b
    exponent = b.resize(exponent, "i64")
    negative = b.compare("slt", exponent, i64(0))
    zero_base = b.compare("eq", base.num, i64(0))
    scope.check(b.and_(negative, zero_base), "division", node.span)
    flipped_num = b.select(b.compare("slt", base.num, i64(0)), b.sub(i64(0), base.den), base.den)
    num = b.select(negative, flipped_num, base.num)
    den = b.select(negative, _magnitude(scope, base.num), base.den)
    result = scope.merge(Rational(Fraction(0), Fraction(0)))
    rest = b.alloca("i64")
    result.set(Ratio(i64(1), i64(1)))
    b.store(_magnitude(scope, exponent), rest)
    head, body, done = (b.label("pow") for _ in range(3))
    b.start(head)
    left = b.load("i64", rest)
    b.branch(b.compare("eq", left, i64(0)), done, body)
    b.start(body)
    so_far = result.get()
    assert isinstance(so_far, Ratio)
    result.set(multiply(scope, so_far, Ratio(num, den)))
    b.store(b.sub(left, i64(1)), rest)
    b.br(head)
    b.start(done)
    final = result.get()
    assert isinstance(final, Ratio)
    return final


def add(scope: Scope, a: Ratio, c: Ratio) -> Ratio:
    b = scope.b
    if a.den.const is not None and c.den.const is not None:
        common = lcm(a.den.const, c.den.const)
        by_a, by_c = common // a.den.const, common // c.den.const
        top = a.top * by_a + c.top * by_c
        if top <= UNBOUNDED and common <= UNBOUNDED:
            num = b.add(b.mul(a.num, i64(by_a)), b.mul(c.num, i64(by_c)))
            return Ratio(num, i64(common), top, common)
    if a.den.ref == c.den.ref and a.top + c.top <= UNBOUNDED:
        return Ratio(b.add(a.num, c.num), a.den, a.top + c.top, a.bottom)
    top = a.top * c.bottom + c.top * a.bottom
    if top <= UNBOUNDED and a.bottom * c.bottom <= UNBOUNDED:
        num = b.add(b.mul(a.num, c.den), b.mul(c.num, a.den))
        return Ratio(num, b.mul(a.den, c.den), top, a.bottom * c.bottom)
    return _checked(scope, "add", a, c)


def multiply(scope: Scope, a: Ratio, c: Ratio) -> Ratio:
    b = scope.b
    if a.top * c.top <= UNBOUNDED and a.bottom * c.bottom <= UNBOUNDED:
        return Ratio(b.mul(a.num, c.num), b.mul(a.den, c.den), a.top * c.top, a.bottom * c.bottom)
    return _checked(scope, "multiply", a, c)


def _checked(scope: Scope, operation: str, a: Ratio, c: Ratio) -> Ratio:
    """Through the run-time library: reduced, and OVERFLOW where it does not fit."""
    b = scope.b
    ref = scope.unit.helper(operation, runtime.RATIO[operation])
    result = b.call("{ i64, i64, i1 }", ref, [a.num, a.den, c.num, c.den])
    scope.stop_if(b.extract(result, 2, "i1"), i32(OVERFLOW))
    return Ratio(b.extract(result, 0, "i64"), b.extract(result, 1, "i64"))


def compare(scope: Scope, predicate: str, a: Ratio, c: Ratio) -> Value:
    b = scope.b
    if a.den.ref == c.den.ref:
        return b.compare(predicate, a.num, c.num)
    narrow = max(a.top * c.bottom, c.top * a.bottom) <= UNBOUNDED
    ir = "i64" if narrow else "i128"
    left = b.mul(b.resize(a.num, ir), b.resize(c.den, ir))
    right = b.mul(b.resize(c.num, ir), b.resize(a.den, ir))
    return b.compare(predicate, left, right)


def as_whole(scope: Scope, number: Ratio, type_: Int) -> tuple[Value, Value]:
    """Whether a fraction is a whole number of the type, and that number."""
    b = scope.b
    quotient, remainder = b.op("sdiv", number.num, number.den), b.op("srem", number.num, number.den)
    inside = b.compare("eq", remainder, i64(0))
    if type_.lo > -UNBOUNDED:
        inside = b.and_(inside, b.compare("sge", quotient, i64(type_.lo)))
    if type_.hi < UNBOUNDED:
        inside = b.and_(inside, b.compare("sle", quotient, i64(type_.hi)))
    return inside, b.resize(quotient, int_ir(type_.lo, type_.hi))


def to_double(scope: Scope, operand: Operand, type_: Type | None = None) -> Value:
    """The nearest double."""
    b = scope.b
    if isinstance(operand, Value):
        if operand.const is not None:
            return double(float(operand.const))
        whole = b.zext(operand, "i32") if operand.type == "i1" else operand
        return b.result("double", f"sitofp {whole} to double")
    assert isinstance(operand, Ratio)
    if operand.num.const is not None and operand.den.const is not None:
        return double(operand.num.const / operand.den.const)
    ref = scope.unit.helper("to_double", runtime.write_to_double)
    return b.call("double", ref, [operand.num, operand.den])


def double(number: float) -> Value:
    (pattern,) = struct.unpack("<Q", struct.pack("<d", number))
    return Value("double", f"0x{pattern:016X}")
