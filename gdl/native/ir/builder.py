"""LLVM IR as text: a small builder with constant folding.

Written by hand rather than with `llvmlite.ir` because compile latency is part of the product: appending
lines is several times faster than building and printing an object graph, and the folding done here
keeps the text that LLVM must parse short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence


class Value:
    """An SSA value or a literal. `const` is the number of an integer literal, else None."""

    __slots__ = ("const", "ref", "type")

    def __init__(self, type_: str, ref: str, const: int | None = None):
        self.type = type_
        self.ref = ref
        self.const = const

    def __str__(self) -> str:
        return f"{self.type} {self.ref}"

    __repr__ = __str__


def width(type_: str) -> int:
    """The bits of an integer type."""
    return int(type_[1:])


def const(type_: str, number: int) -> Value:
    """An integer literal, wrapped to the type."""
    if type_ == "i1":
        return TRUE if number & 1 else FALSE
    bits = width(type_)
    number &= (1 << bits) - 1
    if number >> (bits - 1):
        number -= 1 << bits
    return Value(type_, str(number), number)


def i32(number: int) -> Value:
    return const("i32", number)


def i64(number: int) -> Value:
    return const("i64", number)


TRUE = Value("i1", "true", 1)
FALSE = Value("i1", "false", 0)
_COMMUTATIVE = {"add", "mul", "and", "or", "xor"}


class Module:
    """The text of one LLVM module: constants, declarations and functions."""

    def __init__(self) -> None:
        self._globals: dict[bytes, Value] = {}
        self._stored: dict[int, tuple[Sequence[int], Value, int, bool]] = {}
        self._lines: list[str] = []
        self._declared: dict[str, str] = {}
        self._functions: list[str] = []
        self._alias_nodes: dict[str, int] = {}

    def data(self, content: bytes) -> Value:
        """A pointer to constant bytes, 64-byte aligned; equal contents are shared."""
        known = self._globals.get(content)
        if known is None:
            known = self._globals[content] = Value("ptr", f"@data.{len(self._globals)}")
            text = "".join(f"\\{byte:02x}" for byte in content)
            self._lines.append(
                f'{known.ref} = private unnamed_addr constant [{len(content)} x i8] c"{text}", align 64'
            )
        return known

    def array(self, unit: int, numbers: Iterable[int]) -> Value:
        """A pointer to a constant array of integers of `unit` bytes (two's complement)."""
        bits = (1 << 8 * unit) - 1
        return self.data(b"".join((n & bits).to_bytes(unit, "little") for n in numbers))

    def stored(self, numbers: Sequence[int], type_: str) -> tuple[Value, int, bool]:
        """A constant array in the least bytes per number: the pointer, those bytes, whether with a sign.

        `numbers` must not change afterwards.
        """
        known = self._stored.get(id(numbers))
        if known is None:
            unit, signed = _storage(numbers, type_)
            known = self._stored[id(numbers)] = (numbers, self.array(unit, numbers), unit, signed)
        return known[1:]

    def declare(self, name: str, signature: str) -> str:
        """An external function or intrinsic; `signature` has `@` where the name goes."""
        self._declared.setdefault(name, "declare " + signature.replace("@", f"@{name}", 1))
        return f"@{name}"

    def alias_node(self, name: str) -> str:
        """The tag that keeps accesses of one variable apart from those of the others."""
        number = self._alias_nodes.setdefault(name, len(self._alias_nodes))
        return f", !tbaa !{3 + 2 * number}"

    def add(self, text: str) -> None:
        """A finished function."""
        self._functions.append(text)

    def __str__(self) -> str:
        nodes = ['!0 = !{!"position"}'] if self._alias_nodes else []
        for number in self._alias_nodes.values():
            nodes.append(f'!{2 + 2 * number} = !{{!"v{number}", !0, i64 0}}')
            nodes.append(f"!{3 + 2 * number} = !{{!{2 + 2 * number}, !{2 + 2 * number}, i64 0}}")
        return "\n".join([*self._lines, *self._declared.values(), *self._functions, *nodes, ""])


def _storage(numbers: Sequence[int], ir: str) -> tuple[int, bool]:
    """The least bytes that hold every number, and whether with a sign."""
    low, high = min(numbers, default=0), max(numbers, default=0)
    for unit in (1, 2, 4, 8):
        if low >= 0 and high < 1 << 8 * unit:
            return unit, False
        if -(1 << 8 * unit - 1) <= low and high < 1 << 8 * unit - 1:
            return unit, True
    return max(8, width(ir) // 8), True


class Builder:
    """The body of one function, written from its entry on.

    Code after a terminator (`br`, `ret`, ..) is dropped until the next label.
    """

    def __init__(self, module: Module):
        self.module = module
        self._allocas: list[str] = []
        self._lines: list[str] = []
        self._inserted: dict[int, list[str]] = {}
        self._next = 0
        self.open = True  # whether the current block still lacks its terminator

    def finish(self, header: str) -> None:
        """Add the function to the module; `header` is all before the brace."""
        if self.open:
            self._lines.append("  unreachable")
        for number, lines in self._inserted.items():
            self._lines[self._lines.index(f";{number}")] = "\n".join(lines)
        body = "\n".join(["entry:", *self._allocas, *self._lines])
        self.module.add(f"{header} {{\n{body}\n}}\n")

    def mark(self) -> int:
        """A place in the code, here, at which lines can be inserted later."""
        number = len(self._inserted)
        self._inserted[number] = []
        self._lines.append(f";{number}")
        return number

    def insert(self, mark: int, line: str) -> None:
        """Adds a line, which must not be a terminator, at a mark that was set in an open block."""
        self._inserted[mark].append("  " + line)

    # ------------------------------------------------------------------ plumbing

    def line(self, text: str) -> None:
        if self.open:
            self._lines.append("  " + text)

    def result(self, type_: str, text: str) -> Value:
        self._next += 1
        ref = f"%v{self._next}"
        if self.open:
            self._lines.append(f"  {ref} = {text}")
        return Value(type_, ref)

    def label(self, hint: str = "b") -> str:
        self._next += 1
        return f"{hint}{self._next}"

    def start(self, label: str) -> None:
        """Begin a block; falls through from an open one."""
        if self.open:
            self._lines.append(f"  br label %{label}")
        self._lines.append(f"{label}:")
        self.open = True

    def br(self, label: str) -> None:
        self.line(f"br label %{label}")
        self.open = False

    def branch(self, condition: Value, then: str, otherwise: str, likely: bool | None = None) -> None:
        if condition.const is not None:
            self.br(then if condition.const else otherwise)
            return
        self.line(f"br i1 {condition.ref}, label %{then}, label %{otherwise}")
        self.open = False

    def switch(self, value: Value, cases: Sequence[tuple[int, str]], default: str) -> None:
        table = " ".join(f"{value.type} {number}, label %{label}" for number, label in cases)
        self.line(f"switch {value}, label %{default} [{table}]")
        self.open = False

    def ret(self, value: Value | None = None) -> None:
        self.line(f"ret {value}" if value else "ret void")
        self.open = False

    def unreachable(self) -> None:
        self.line("unreachable")
        self.open = False

    # ---------------------------------------------------------------- arithmetic

    def op(self, name: str, left: Value, right: Value) -> Value:
        """`add sub mul and or xor shl lshr ashr udiv sdiv urem srem` on integers of one type."""
        assert left.type == right.type, (name, left, right)
        a, b = left.const, right.const
        if a is not None and b is not None:
            folded = _fold(name, a, b, width(left.type))
            if folded is not None:
                return const(left.type, folded)
        if a is not None and b is None and name in _COMMUTATIVE:
            left, right, a, b = right, left, b, a
        if b == 0 and name in ("add", "sub", "or", "xor", "shl", "lshr", "ashr"):
            return left
        if b == 0 and name in ("and", "mul"):
            return right
        if b == 1 and name in ("mul", "udiv", "sdiv") and left.type != "i1":
            return left
        if left.type == "i1" and b == 1:
            if name == "and":
                return left
            if name == "or":
                return TRUE
        if b == -1 and name == "and":
            return left
        return self.result(left.type, f"{name} {left.type} {left.ref}, {right.ref}")

    def add(self, left: Value, right: Value) -> Value:
        return self.op("add", left, right)

    def sub(self, left: Value, right: Value) -> Value:
        return self.op("sub", left, right)

    def mul(self, left: Value, right: Value) -> Value:
        return self.op("mul", left, right)

    def and_(self, left: Value, right: Value) -> Value:
        return self.op("and", left, right)

    def or_(self, left: Value, right: Value) -> Value:
        return self.op("or", left, right)

    def xor(self, left: Value, right: Value) -> Value:
        return self.op("xor", left, right)

    def not_(self, value: Value) -> Value:
        return self.xor(value, const(value.type, -1))

    def shl(self, value: Value, by: int) -> Value:
        return self.op("shl", value, const(value.type, by))

    def lshr(self, value: Value, by: int) -> Value:
        return self.op("lshr", value, const(value.type, by))

    def compare(self, predicate: str, left: Value, right: Value) -> Value:
        """`eq ne slt sle sgt sge ult ule ugt uge`."""
        assert left.type == right.type, (predicate, left, right)
        if left.const is not None and right.const is not None:
            return const("i1", _COMPARE[predicate](left.const, right.const, width(left.type)))
        return self.result("i1", f"icmp {predicate} {left.type} {left.ref}, {right.ref}")

    def select(self, condition: Value, then: Value, otherwise: Value) -> Value:
        assert then.type == otherwise.type, (then, otherwise)
        if condition.const is not None:
            return then if condition.const else otherwise
        if then.ref == otherwise.ref:
            return then
        return self.result(then.type, f"select i1 {condition.ref}, {then}, {otherwise}")

    def resize(self, value: Value, type_: str, signed: bool = True) -> Value:
        """An integer in another width; wider by sign (or by zeros), narrower by dropping high bits."""
        if value.type == type_:
            return value
        have, want = width(value.type), width(type_)
        if value.const is not None:
            number = value.const if signed and have > 1 else value.const & ((1 << have) - 1)
            return const(type_, number)
        name = "trunc" if want < have else "sext" if signed and have > 1 else "zext"
        return self.result(type_, f"{name} {value.type} {value.ref} to {type_}")

    def zext(self, value: Value, type_: str) -> Value:
        return self.resize(value, type_, signed=False)

    def intrinsic(self, name: str, type_: str, *arguments: Value) -> Value:
        """An overloaded LLVM intrinsic on one integer type, such as `ctpop`; i1 flags are appended."""
        full = f"llvm.{name}.{type_}"
        kinds = ", ".join(a.type for a in arguments)
        ref = self.module.declare(full, f"{type_} @({kinds})")
        return self.result(type_, f"call {type_} {ref}({', '.join(map(str, arguments))})")

    def popcount(self, value: Value) -> Value:
        """How many bits are set, as i32."""
        if value.const is not None:
            return i32((value.const & ((1 << width(value.type)) - 1)).bit_count())
        return self.resize(self.intrinsic("ctpop", value.type, value), "i32", signed=False)

    def trailing_zeros(self, value: Value) -> Value:
        """The number of the lowest set bit of a value that is not 0, as i32."""
        return self.resize(self.intrinsic("cttz", value.type, value, TRUE), "i32", signed=False)

    def leading_zeros(self, value: Value) -> Value:
        """How many zeros stand before the highest set bit of a value that is not 0, as i32."""
        return self.resize(self.intrinsic("ctlz", value.type, value, TRUE), "i32", signed=False)

    # -------------------------------------------------------------------- memory

    def alloca(self, type_: str, count: int = 1, align: int | None = None) -> Value:
        """Stack memory that lives as long as the function."""
        self._next += 1
        ref = f"%m{self._next}"
        suffix = f", align {align}" if align else ""
        shape = type_ if count == 1 else f"[{count} x {type_}]"
        self._allocas.append(f"  {ref} = alloca {shape}{suffix}")
        return Value("ptr", ref)

    def offset(self, pointer: Value, amount: Value | int, unit: int = 1) -> Value:
        """The address `amount` units of `unit` bytes further."""
        if isinstance(amount, int):
            amount = i64(amount)
        if amount.const is not None:
            if amount.const == 0:
                return pointer
            return self.result("ptr", f"getelementptr inbounds i8, {pointer}, i64 {amount.const * unit}")
        kind = f"i{8 * unit}" if unit in (1, 2, 4, 8) else f"[{unit} x i8]"
        return self.result("ptr", f"getelementptr inbounds {kind}, {pointer}, {amount}")

    def load(self, type_: str, pointer: Value, align: int | None = None, tag: str = "") -> Value:
        suffix = f", align {align}" if align else ""
        return self.result(type_, f"load {type_}, {pointer}{suffix}{tag}")

    def store(self, value: Value, pointer: Value, align: int | None = None, tag: str = "") -> None:
        suffix = f", align {align}" if align else ""
        self.line(f"store {value}, {pointer}{suffix}{tag}")

    def copy(self, to: Value, source: Value, size: int) -> None:
        ref = self.module.declare("llvm.memcpy.inline.p0.p0.i64", "void @(ptr, ptr, i64, i1)")
        self.line(f"call void {ref}(ptr align 8 {to.ref}, ptr align 8 {source.ref}, i64 {size}, i1 false)")

    def call(self, type_: str, ref: str, arguments: Sequence[Value], convention: str = "") -> Value:
        text = f"call {convention}{type_} {ref}({', '.join(map(str, arguments))})"
        if type_ == "void":
            self.line(text)
            return Value("void", "")
        return self.result(type_, text)

    def extract(self, aggregate: Value, index: int, type_: str) -> Value:
        return self.result(type_, f"extractvalue {aggregate}, {index}")

    def pack(self, type_: str, items: Sequence[Value]) -> Value:
        """A struct of the items."""
        result = Value(type_, "undef")
        for index, item in enumerate(items):
            result = self.result(type_, f"insertvalue {result}, {item}, {index}")
        return result


def _fold(name: str, a: int, b: int, bits: int) -> int | None:
    full = (1 << bits) - 1
    match name:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "and":
            return a & b
        case "or":
            return a | b
        case "xor":
            return a ^ b
        case "shl":
            return a << b if 0 <= b < bits else None
        case "lshr":
            return (a & full) >> b if 0 <= b < bits else None
        case "ashr":
            return a >> b if 0 <= b < bits else None
        case "udiv":
            return (a & full) // (b & full) if b else None
        case "urem":
            return (a & full) % (b & full) if b else None
    return None


def _unsigned(n: int, bits: int) -> int:
    return n & ((1 << bits) - 1)


_COMPARE: dict[str, Callable[[int, int, int], bool]] = {
    "eq": lambda a, b, n: a == b,
    "ne": lambda a, b, n: a != b,
    "slt": lambda a, b, n: a < b,
    "sle": lambda a, b, n: a <= b,
    "sgt": lambda a, b, n: a > b,
    "sge": lambda a, b, n: a >= b,
    "ult": lambda a, b, n: _unsigned(a, n) < _unsigned(b, n),
    "ule": lambda a, b, n: _unsigned(a, n) <= _unsigned(b, n),
    "ugt": lambda a, b, n: _unsigned(a, n) > _unsigned(b, n),
    "uge": lambda a, b, n: _unsigned(a, n) >= _unsigned(b, n),
}
