"""The run-time library: small functions, in LLVM IR, that the code of every game may call.

Each is written into a module when first asked for. Nothing here allocates or keeps state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gdl.reference.random_bits import INCREMENT, MIX

if TYPE_CHECKING:
    from gdl.native.emit.scope import Unit

Write = Callable[["Unit", str], None]


def _write_gcd(unit: Unit, ref: str) -> None:
    """The greatest common divisor of two magnitudes; gcd(0, n) = n."""
    unit.module.add(
        f"""define internal fastcc i64 {ref}(i64 %a, i64 %b) #1 {{
entry:
  br label %head
head:
  %x = phi i64 [ %a, %entry ], [ %y, %step ]
  %y = phi i64 [ %b, %entry ], [ %r, %step ]
  %z = icmp eq i64 %y, 0
  br i1 %z, label %done, label %step
step:
  %r = urem i64 %x, %y
  br label %head
done:
  ret i64 %x
}}
"""
    )


def _gcd(unit: Unit) -> str:
    return unit.helper("gcd", _write_gcd)


def _overflowing(unit: Unit) -> None:
    for name in ("sadd", "smul"):
        unit.module.declare(f"llvm.{name}.with.overflow.i64", "{ i64, i1 } @(i64, i64)")
    unit.module.declare("llvm.abs.i64", "i64 @(i64, i1)")


def _write_add(unit: Unit, ref: str) -> None:
    """a/b + c/d, in lowest terms where the denominators differ, and whether it does not fit.

    With g = gcd(b, d): (a * (d/g) + c * (b/g)) / (b/g * d), then reduced.
    """
    gcd = _gcd(unit)
    _overflowing(unit)
    unit.module.add(
        f"""define internal {{ i64, i64, i1 }} {ref}(i64 %a, i64 %b, i64 %c, i64 %d) #1 {{
entry:
  %same = icmp eq i64 %b, %d
  br i1 %same, label %easy, label %general
easy:
  %t = call {{ i64, i1 }} @llvm.sadd.with.overflow.i64(i64 %a, i64 %c)
  %tv = extractvalue {{ i64, i1 }} %t, 0
  %to = extractvalue {{ i64, i1 }} %t, 1
  %t0 = insertvalue {{ i64, i64, i1 }} undef, i64 %tv, 0
  %t1 = insertvalue {{ i64, i64, i1 }} %t0, i64 %b, 1
  %t2 = insertvalue {{ i64, i64, i1 }} %t1, i1 %to, 2
  ret {{ i64, i64, i1 }} %t2
general:
  %g = call fastcc i64 {gcd}(i64 %b, i64 %d)
  %dg = udiv i64 %d, %g
  %bg = udiv i64 %b, %g
  %p = call {{ i64, i1 }} @llvm.smul.with.overflow.i64(i64 %a, i64 %dg)
  %q = call {{ i64, i1 }} @llvm.smul.with.overflow.i64(i64 %c, i64 %bg)
  %pv = extractvalue {{ i64, i1 }} %p, 0
  %qv = extractvalue {{ i64, i1 }} %q, 0
  %s = call {{ i64, i1 }} @llvm.sadd.with.overflow.i64(i64 %pv, i64 %qv)
  %n = extractvalue {{ i64, i1 }} %s, 0
  %m = call i64 @llvm.abs.i64(i64 %n, i1 false)
  %h = call fastcc i64 {gcd}(i64 %m, i64 %g)
  %nr = sdiv i64 %n, %h
  %dr = udiv i64 %d, %h
  %e = call {{ i64, i1 }} @llvm.smul.with.overflow.i64(i64 %bg, i64 %dr)
  %den = extractvalue {{ i64, i1 }} %e, 0
  %o1 = extractvalue {{ i64, i1 }} %p, 1
  %o2 = extractvalue {{ i64, i1 }} %q, 1
  %o3 = extractvalue {{ i64, i1 }} %s, 1
  %o4 = extractvalue {{ i64, i1 }} %e, 1
  %o5 = or i1 %o1, %o2
  %o6 = or i1 %o3, %o4
  %o = or i1 %o5, %o6
  %r0 = insertvalue {{ i64, i64, i1 }} undef, i64 %nr, 0
  %r1 = insertvalue {{ i64, i64, i1 }} %r0, i64 %den, 1
  %r2 = insertvalue {{ i64, i64, i1 }} %r1, i1 %o, 2
  ret {{ i64, i64, i1 }} %r2
}}
"""
    )


def _write_multiply(unit: Unit, ref: str) -> None:
    """a/b * c/d, and whether it does not fit; where it might not, reduced before multiplying."""
    gcd = _gcd(unit)
    _overflowing(unit)
    unit.module.add(
        f"""define internal {{ i64, i64, i1 }} {ref}(i64 %a, i64 %b, i64 %c, i64 %d) #1 {{
entry:
  %ma = call i64 @llvm.abs.i64(i64 %a, i1 false)
  %mc = call i64 @llvm.abs.i64(i64 %c, i1 false)
  %or1 = or i64 %ma, %mc
  %or2 = or i64 %b, %d
  %or3 = or i64 %or1, %or2
  %small = icmp ult i64 %or3, 2147483648
  br i1 %small, label %direct, label %general
direct:
  %dn = mul i64 %a, %c
  %dd = mul i64 %b, %d
  %t0 = insertvalue {{ i64, i64, i1 }} undef, i64 %dn, 0
  %t1 = insertvalue {{ i64, i64, i1 }} %t0, i64 %dd, 1
  %t2 = insertvalue {{ i64, i64, i1 }} %t1, i1 false, 2
  ret {{ i64, i64, i1 }} %t2
general:
  %gab = call fastcc i64 {gcd}(i64 %ma, i64 %b)
  %gcd = call fastcc i64 {gcd}(i64 %mc, i64 %d)
  %b1 = udiv i64 %b, %gab
  %a1 = sdiv i64 %a, %gab
  %d1 = udiv i64 %d, %gcd
  %c1 = sdiv i64 %c, %gcd
  %ma1 = call i64 @llvm.abs.i64(i64 %a1, i1 false)
  %mc1 = call i64 @llvm.abs.i64(i64 %c1, i1 false)
  %g1 = call fastcc i64 {gcd}(i64 %ma1, i64 %d1)
  %g2 = call fastcc i64 {gcd}(i64 %mc1, i64 %b1)
  %a2 = sdiv i64 %a1, %g1
  %d2 = udiv i64 %d1, %g1
  %c2 = sdiv i64 %c1, %g2
  %b2 = udiv i64 %b1, %g2
  %p = call {{ i64, i1 }} @llvm.smul.with.overflow.i64(i64 %a2, i64 %c2)
  %q = call {{ i64, i1 }} @llvm.smul.with.overflow.i64(i64 %b2, i64 %d2)
  %n = extractvalue {{ i64, i1 }} %p, 0
  %den = extractvalue {{ i64, i1 }} %q, 0
  %o1 = extractvalue {{ i64, i1 }} %p, 1
  %o2 = extractvalue {{ i64, i1 }} %q, 1
  %o = or i1 %o1, %o2
  %r0 = insertvalue {{ i64, i64, i1 }} undef, i64 %n, 0
  %r1 = insertvalue {{ i64, i64, i1 }} %r0, i64 %den, 1
  %r2 = insertvalue {{ i64, i64, i1 }} %r1, i1 %o, 2
  ret {{ i64, i64, i1 }} %r2
}}
"""
    )


RATIO: dict[str, Write] = {"add": _write_add, "multiply": _write_multiply}


def write_reduce(unit: Unit, ref: str) -> None:
    """a/b in lowest terms."""
    gcd = _gcd(unit)
    _overflowing(unit)
    unit.module.add(
        f"""define internal {{ i64, i64 }} {ref}(i64 %a, i64 %b) #1 {{
entry:
  %m = call i64 @llvm.abs.i64(i64 %a, i1 false)
  %g = call fastcc i64 {gcd}(i64 %m, i64 %b)
  %n = sdiv i64 %a, %g
  %d = udiv i64 %b, %g
  %r0 = insertvalue {{ i64, i64 }} undef, i64 %n, 0
  %r1 = insertvalue {{ i64, i64 }} %r0, i64 %d, 1
  ret {{ i64, i64 }} %r1
}}
"""
    )


def write_to_double(unit: Unit, ref: str) -> None:
    """The double nearest to a/b (ties to even).

    Where both are exact as doubles one division does it. Otherwise long division, bit by bit, makes a
    quotient of 63 significant bits whose last bit is set when anything is left over; converting that
    rounds as the true quotient would, and scaling by a power of two is exact.
    """
    unit.module.declare("llvm.abs.i64", "i64 @(i64, i1)")
    unit.module.add(
        f"""define internal double {ref}(i64 %a, i64 %b) #1 {{
entry:
  %m = call i64 @llvm.abs.i64(i64 %a, i1 false)
  %c1 = icmp ule i64 %m, 9007199254740992
  %c2 = icmp ule i64 %b, 9007199254740992
  %small = and i1 %c1, %c2
  br i1 %small, label %direct, label %long
direct:
  %fa = sitofp i64 %a to double
  %fb = sitofp i64 %b to double
  %f = fdiv double %fa, %fb
  ret double %f
long:
  %q0 = udiv i64 %m, %b
  %r0 = urem i64 %m, %b
  %zero = icmp eq i64 %m, 0
  br i1 %zero, label %nothing, label %head
nothing:
  ret double 0.0
head:
  %q = phi i64 [ %q0, %long ], [ %q2, %more ]
  %r = phi i64 [ %r0, %long ], [ %r2, %more ]
  %e = phi i64 [ 0, %long ], [ %e2, %more ]
  %full = icmp uge i64 %q, 4611686018427387904
  br i1 %full, label %done, label %more
more:
  %rr = shl i64 %r, 1
  %ge = icmp uge i64 %rr, %b
  %rs = sub i64 %rr, %b
  %r2 = select i1 %ge, i64 %rs, i64 %rr
  %bit = zext i1 %ge to i64
  %qq = shl i64 %q, 1
  %q2 = or i64 %qq, %bit
  %e2 = add i64 %e, 1
  br label %head
done:
  %left = icmp ne i64 %r, 0
  %sticky = zext i1 %left to i64
  %qs = or i64 %q, %sticky
  %fq = uitofp i64 %qs to double
  %be = sub i64 1023, %e
  %bits = shl i64 %be, 52
  %scale = bitcast i64 %bits to double
  %g = fmul double %fq, %scale
  %neg = icmp slt i64 %a, 0
  %h = fneg double %g
  %res = select i1 %neg, double %h, double %g
  ret double %res
}}
"""
    )


def write_random(unit: Unit, ref: str) -> None:
    """The next 64 random bits of a generator (gdl/reference/random_bits.py).

    The state is a counter, so a stream jumps ahead by adding a multiple of the increment.
    """
    unit.module.add(
        f"""define internal i64 {ref}(ptr %state) #2 {{
entry:
  %s = load i64, ptr %state, align 8
  %t = add i64 %s, {INCREMENT - (1 << 64)}
  store i64 %t, ptr %state, align 8
  %u = xor i64 %t, {MIX - (1 << 64)}
  %a = zext i64 %t to i128
  %b = zext i64 %u to i128
  %p = mul i128 %a, %b
  %h = lshr i128 %p, 64
  %hi = trunc i128 %h to i64
  %lo = trunc i128 %p to i64
  %x = xor i64 %hi, %lo
  ret i64 %x
}}
"""
    )


def write_select_bit(unit: Unit, ref: str) -> None:
    """The position of the k-th (from 0) set bit of a word that has more than k."""
    if unit.program.fast_bits:
        unit.module.declare("llvm.x86.bmi.pdep.64", "i64 @(i64, i64)")
        unit.module.declare("llvm.cttz.i64", "i64 @(i64, i1)")
        unit.module.add(
            f"""define internal i64 {ref}(i64 %w, i64 %k) #1 {{
entry:
  %one = shl i64 1, %k
  %d = call i64 @llvm.x86.bmi.pdep.64(i64 %one, i64 %w)
  %n = call i64 @llvm.cttz.i64(i64 %d, i1 true)
  ret i64 %n
}}
"""
        )
        return
    unit.module.declare("llvm.cttz.i64", "i64 @(i64, i1)")
    unit.module.add(
        f"""define internal i64 {ref}(i64 %w, i64 %k) #1 {{
entry:
  br label %head
head:
  %x = phi i64 [ %w, %entry ], [ %y, %step ]
  %i = phi i64 [ %k, %entry ], [ %j, %step ]
  %z = icmp eq i64 %i, 0
  br i1 %z, label %done, label %step
step:
  %x1 = sub i64 %x, 1
  %y = and i64 %x, %x1
  %j = sub i64 %i, 1
  br label %head
done:
  %n = call i64 @llvm.cttz.i64(i64 %x, i1 true)
  ret i64 %n
}}
"""
    )
