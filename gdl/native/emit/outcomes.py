"""Enumerating what a move may lead to: the script is advanced like an odometer, equal outcomes are merged.

An outcome is a record in the caller's buffer:

    probability f64 | reward f64, per player | hash u64 | numerator, denominator i64 of the probability |
    numerator, denominator i64 of the reward, per player | position (working form)
"""

from __future__ import annotations

from dataclasses import dataclass

from gdl.abi import CAPACITY, OVERFLOW, TOO_MANY, definition
from gdl.native.emit.bodies import dispatch, perform, perform_initial
from gdl.native.emit.chance import clear_rewards
from gdl.native.emit.deciding import SCRIPT_HEAD, Replaying, script_capacity
from gdl.native.emit.domains import count as each_number
from gdl.native.emit.moves import Numbering
from gdl.native.emit.numbers import ratio_of, to_double
from gdl.native.emit.scope import Program, Scope, Unit
from gdl.native.ir import runtime
from gdl.native.ir.builder import Builder, Value, i32, i64
from gdl.native.layout.values import Ratio
from gdl.reference.worlds import MAX_WAYS


@dataclass(frozen=True, slots=True)
class Record:
    """Where the parts of an outcome lie."""

    players: int
    position_size: int

    @property
    def hash(self) -> int:
        return 8 + 8 * self.players

    @property
    def probability(self) -> int:
        return self.hash + 8

    @property
    def rewards(self) -> int:
        return self.probability + 16

    @property
    def position(self) -> int:
        return self.rewards + 16 * self.players

    @property
    def size(self) -> int:
        return (self.position + self.position_size + 7) // 8 * 8


def record_of(program: Program) -> Record:
    return Record(len(program.model.players.members), program.layout.size)


def script_size(program: Program) -> int:
    return SCRIPT_HEAD + 8 * script_capacity(program)


def write_outcomes(unit: Unit, numbering: Numbering) -> None:
    """`outcomes`: see gdl/abi.py. The number after the last move stands for `initial`."""
    program = unit.program
    record = record_of(program)
    scope = Scope(unit, Builder(unit.module), None)
    b = scope.b
    position, number, out, capacity, table, script = (
        Value("ptr", "%pos"),
        Value("i64", "%move"),
        Value("ptr", "%out"),
        Value("i64", "%capacity"),
        Value("ptr", "%table"),
        Value("ptr", "%script"),
    )
    scope.fail = lambda status: b.ret(b.sub(i64(0), b.zext(status, "i64")))
    count, ways, size = b.alloca("i64"), b.alloca("i64"), b.alloca("i64")
    b.store(i64(0), count)
    b.store(i64(0), ways)
    b.store(i64(0), size)
    b.store(i32(0), b.offset(script, 4), 4)
    loop, full, run, merged, done = (b.label(h) for h in ("way", "full", "run", "next", "done"))
    b.start(loop)
    n = b.load("i64", count)
    b.branch(b.compare("ult", n, capacity), run, full)
    b.start(full)
    scope.fail(i32(CAPACITY))
    b.start(run)
    begin_script(scope, script)
    here = b.offset(out, n, record.size)
    scope.position = b.offset(here, record.position)
    rewards = b.offset(here, record.rewards)
    b.copy(scope.position, position, program.layout.size)
    clear_rewards(scope, rewards)
    mode = Replaying()
    setup, play, ran = b.label("initial"), b.label("move"), b.label("ran")
    b.branch(b.compare("eq", number, i64(numbering.total)), setup, play)
    b.start(setup)
    perform_initial(scope, mode, script, rewards)
    b.br(ran)
    b.start(play)
    dispatch(scope, numbering, number, lambda index: perform(scope, index, mode, script, rewards))
    b.start(ran)
    _reduce_rewards(scope, record, rewards)
    ref = unit.helper("merge", lambda u, r: _write_merge(u, r, record))
    arguments = [out, n, table, size, b.load("i64", b.offset(script, 8), 8)]
    result = b.call("i64", ref, [*arguments, b.load("i64", b.offset(script, 16), 8)])
    scope.stop_if(b.compare("slt", result, i64(0)), i32(OVERFLOW))
    b.store(b.add(n, result), count)
    b.start(merged)
    more = next_way(scope, script)
    tried = b.add(b.load("i64", ways), i64(1))
    b.store(tried, ways)
    again = b.label("again")
    b.branch(more, again, done)
    b.start(again)
    scope.stop_if(b.compare("ugt", tried, i64(MAX_WAYS)), i32(TOO_MANY))
    b.br(loop)
    b.start(done)
    _write_doubles(scope, record, out, count)
    b.ret(b.load("i64", count))
    b.finish(definition("outcomes"))


def begin_script(scope: Scope, script: Value) -> None:
    """A script at the beginning of its way: no draw is met yet, and the way is certain so far."""
    b = scope.b
    b.store(i32(0), script, 8)
    b.store(i64(1), b.offset(script, 8), 8)
    b.store(i64(1), b.offset(script, 16), 8)


def next_way(scope: Scope, script: Value) -> Value:
    """Advances the script to the next way; whether there is one (i1)."""
    return scope.b.call("i1", scope.unit.helper("advance", _write_advance), [script])


def _reduce_rewards(scope: Scope, record: Record, rewards: Value) -> None:
    """In lowest terms, so that equal rewards have equal bytes."""
    if scope.program.whole_rewards:
        return
    b = scope.b
    ref = scope.unit.helper("reduce", runtime.write_reduce)
    for player in range(record.players):
        num, den = b.offset(rewards, 16 * player), b.offset(rewards, 16 * player + 8)
        result = b.call("{ i64, i64 }", ref, [b.load("i64", num, 8), b.load("i64", den, 8)])
        b.store(b.extract(result, 0, "i64"), num, 8)
        b.store(b.extract(result, 1, "i64"), den, 8)


def _write_doubles(scope: Scope, record: Record, out: Value, count: Value) -> None:
    """The nearest doubles of the exact probabilities and rewards."""
    b = scope.b

    def convert(k: Value) -> None:
        here = b.offset(out, k, record.size)
        for player in range(-1, record.players):
            exact = record.probability if player < 0 else record.rewards + 16 * player
            num, den = b.load("i64", b.offset(here, exact), 8), b.load("i64", b.offset(here, exact + 8), 8)
            value = to_double(scope, ratio_of(scope, Ratio(num, den)))
            b.store(value, b.offset(here, 8 + 8 * player), 8)

    each_number(scope, b.load("i64", count), convert)


def _write_advance(unit: Unit, ref: str) -> None:
    """The next way: increases the last digit that can be, dropping those after it; 0 if there is none."""
    unit.module.add(
        f"""define internal i1 {ref}(ptr %script) #2 {{
entry:
  %lp = getelementptr i8, ptr %script, i64 4
  br label %head
head:
  %length = load i32, ptr %lp, align 4
  %none = icmp eq i32 %length, 0
  br i1 %none, label %end, label %look
end:
  ret i1 false
look:
  %last = sub i32 %length, 1
  %at = zext i32 %last to i64
  %off = mul i64 %at, 8
  %off2 = add i64 %off, {SCRIPT_HEAD}
  %dp = getelementptr i8, ptr %script, i64 %off2
  %sp = getelementptr i8, ptr %dp, i64 4
  %digit = load i32, ptr %dp, align 8
  %size = load i32, ptr %sp, align 4
  %next = add i32 %digit, 1
  %fits = icmp slt i32 %next, %size
  br i1 %fits, label %take, label %drop
take:
  store i32 %next, ptr %dp, align 8
  ret i1 true
drop:
  store i32 %last, ptr %lp, align 4
  br label %head
}}
"""
    )


def _write_merge(unit: Unit, ref: str, record: Record) -> None:
    """Merges record n into an equal earlier one (gives 0) or keeps it (gives 1); -1 on overflow.

    Equal records are found through a table of their numbers + 1, open addressing, at most half full. `size`
    is its present size, 0 at first.
    """
    add = unit.helper("add", runtime.RATIO["add"])
    hash_of = unit.helper("hash_record", lambda u, r: _write_hash(u, r, record))
    same = unit.helper("same_record", lambda u, r: _write_same(u, r, record))
    grow = unit.helper("grow_table", lambda u, r: _write_grow(u, r, record))
    unit.module.add(
        f"""define internal i64 {ref}(ptr %out, i64 %n, ptr %table, ptr %sizep, i64 %num, i64 %den) #2 {{
entry:
  %o = mul i64 %n, {record.size}
  %here = getelementptr i8, ptr %out, i64 %o
  %h = call i64 {hash_of}(ptr %here)
  %hp = getelementptr i8, ptr %here, i64 {record.hash}
  store i64 %h, ptr %hp, align 8
  %pp = getelementptr i8, ptr %here, i64 {record.probability}
  store i64 %num, ptr %pp, align 8
  %qp = getelementptr i8, ptr %here, i64 {record.probability + 8}
  store i64 %den, ptr %qp, align 8
  %size = load i64, ptr %sizep, align 8
  %n2 = mul i64 %n, 2
  %tight = icmp uge i64 %n2, %size
  br i1 %tight, label %grow, label %probe
grow:
  call void {grow}(ptr %out, i64 %n, ptr %table, ptr %sizep)
  br label %probe
probe:
  %now = load i64, ptr %sizep, align 8
  %mask = sub i64 %now, 1
  br label %search
search:
  %d = phi i64 [ %h, %probe ], [ %d2, %onward ]
  %di = and i64 %d, %mask
  %dp = getelementptr i32, ptr %table, i64 %di
  %dv = load i32, ptr %dp, align 4
  %vacant = icmp eq i32 %dv, 0
  br i1 %vacant, label %insert, label %compare
insert:
  %n32 = trunc i64 %n to i32
  %n33 = add i32 %n32, 1
  store i32 %n33, ptr %dp, align 4
  ret i64 1
compare:
  %e = zext i32 %dv to i64
  %e1 = sub i64 %e, 1
  %eo = mul i64 %e1, {record.size}
  %ep = getelementptr i8, ptr %out, i64 %eo
  %same = call i1 {same}(ptr %ep, ptr %here)
  br i1 %same, label %merge, label %onward
onward:
  %d2 = add i64 %di, 1
  br label %search
merge:
  %epp = getelementptr i8, ptr %ep, i64 {record.probability}
  %eqp = getelementptr i8, ptr %ep, i64 {record.probability + 8}
  %en = load i64, ptr %epp, align 8
  %ed = load i64, ptr %eqp, align 8
  %sum = call {{ i64, i64, i1 }} {add}(i64 %en, i64 %ed, i64 %num, i64 %den)
  %sn = extractvalue {{ i64, i64, i1 }} %sum, 0
  %sd = extractvalue {{ i64, i64, i1 }} %sum, 1
  %so = extractvalue {{ i64, i64, i1 }} %sum, 2
  store i64 %sn, ptr %epp, align 8
  store i64 %sd, ptr %eqp, align 8
  %r = select i1 %so, i64 -1, i64 0
  ret i64 %r
}}
"""
    )


def _compared_words(record: Record) -> int:
    """By so many words, from its rewards on, a record is told from others: rewards and position."""
    return (record.position - record.rewards + record.position_size) // 8


def _write_hash(unit: Unit, ref: str, record: Record) -> None:
    """The hash of a record."""
    unit.module.add(
        f"""define internal i64 {ref}(ptr %record) #2 {{
entry:
  %body = getelementptr i8, ptr %record, i64 {record.rewards}
  br label %hash
hash:
  %i = phi i64 [ 0, %entry ], [ %i2, %hash ]
  %h = phi i64 [ 88172645463325252, %entry ], [ %h3, %hash ]
  %wp = getelementptr i64, ptr %body, i64 %i
  %w = load i64, ptr %wp, align 8
  %x = xor i64 %h, %w
  %m = mul i64 %x, -7046029254386353131
  %s = lshr i64 %m, 32
  %h3 = xor i64 %m, %s
  %i2 = add i64 %i, 1
  %more = icmp ult i64 %i2, {_compared_words(record)}
  br i1 %more, label %hash, label %hashed
hashed:
  ret i64 %h3
}}
"""
    )


def _write_same(unit: Unit, ref: str, record: Record) -> None:
    """Whether two records, whose hashes are written, have the same rewards and position."""
    unit.module.add(
        f"""define internal i1 {ref}(ptr %one, ptr %other) #2 {{
entry:
  %hp = getelementptr i8, ptr %one, i64 {record.hash}
  %gp = getelementptr i8, ptr %other, i64 {record.hash}
  %h = load i64, ptr %hp, align 8
  %g = load i64, ptr %gp, align 8
  %likely = icmp eq i64 %h, %g
  br i1 %likely, label %begin, label %different
begin:
  %a = getelementptr i8, ptr %one, i64 {record.rewards}
  %b = getelementptr i8, ptr %other, i64 {record.rewards}
  br label %words
words:
  %j = phi i64 [ 0, %begin ], [ %j2, %alike ]
  %ap = getelementptr i64, ptr %a, i64 %j
  %bp = getelementptr i64, ptr %b, i64 %j
  %av = load i64, ptr %ap, align 8
  %bv = load i64, ptr %bp, align 8
  %eq = icmp eq i64 %av, %bv
  br i1 %eq, label %alike, label %different
alike:
  %j2 = add i64 %j, 1
  %still = icmp ult i64 %j2, {_compared_words(record)}
  br i1 %still, label %words, label %equal
equal:
  ret i1 true
different:
  ret i1 false
}}
"""
    )


def _write_grow(unit: Unit, ref: str, record: Record) -> None:
    """Doubles the table, or begins it, and enters the n records again."""
    unit.module.declare("llvm.memset.p0.i64", "void @(ptr, i8, i64, i1)")
    unit.module.add(
        f"""define internal void {ref}(ptr %out, i64 %n, ptr %table, ptr %sizep) #2 {{
entry:
  %size = load i64, ptr %sizep, align 8
  %empty = icmp eq i64 %size, 0
  %twice = shl i64 %size, 1
  %new = select i1 %empty, i64 16, i64 %twice
  store i64 %new, ptr %sizep, align 8
  %bytes = shl i64 %new, 2
  call void @llvm.memset.p0.i64(ptr %table, i8 0, i64 %bytes, i1 false)
  %mask = sub i64 %new, 1
  br label %refill
refill:
  %k = phi i64 [ 0, %entry ], [ %k2, %placed ]
  %left = icmp ult i64 %k, %n
  br i1 %left, label %put, label %end
put:
  %ko = mul i64 %k, {record.size}
  %kp = getelementptr i8, ptr %out, i64 %ko
  %khp = getelementptr i8, ptr %kp, i64 {record.hash}
  %kh = load i64, ptr %khp, align 8
  br label %seek
seek:
  %c = phi i64 [ %kh, %put ], [ %c2, %seekon ]
  %ci = and i64 %c, %mask
  %cp = getelementptr i32, ptr %table, i64 %ci
  %cv = load i32, ptr %cp, align 4
  %free = icmp eq i32 %cv, 0
  br i1 %free, label %placed, label %seekon
seekon:
  %c2 = add i64 %ci, 1
  br label %seek
placed:
  %k2 = add i64 %k, 1
  %k32 = trunc i64 %k2 to i32
  store i32 %k32, ptr %cp, align 4
  br label %refill
end:
  ret void
}}
"""
    )
