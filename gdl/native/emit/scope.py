"""What code generation carries along: the program, one module of it, and the function being written.

Each kind of expression and statement is written by one function, registered with `emits` in the file of its
idea: numbers, logic, conversion, boards, aggregates, statements, chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from gdl.diagnostics import Source, Span
from gdl.model.nodes import Block, Effect, Expr, Function, Model
from gdl.model.types import Rational, Tuple, Type
from gdl.native.ir.builder import Builder, Module, Value, i32
from gdl.native.layout.layout import Layout
from gdl.native.layout.values import Operand, Ratio, flatten, registers, scalar_ir, unflatten
from gdl.native.plan.analysis import Facts, assigned_slots

if TYPE_CHECKING:
    from gdl.native.emit.lists import Lists
    from gdl.native.emit.masks import Masks
    from gdl.native.emit.policies import Choice

Emit = Callable[["Scope", Any], Any]
_EMITTERS: dict[type, Emit] = {}
F = TypeVar("F", bound=Callable[..., Any])


def emits(kind: type) -> Callable[[F], F]:
    """Registers the function that writes the code of one kind of node."""

    def register(function: F) -> F:
        _EMITTERS[kind] = function
        return function

    return register


@dataclass(frozen=True, slots=True)
class Site:
    """A place where code can fault. Its number, counted from 1, is the status that the code returns."""

    kind: str
    span: Span


@dataclass(slots=True)
class Program:
    """A Model with all that its modules share."""

    model: Model
    facts: Facts
    layout: Layout
    lists: Lists
    masks: Masks
    sites: list[Site]
    site_numbers: dict[tuple[str, int, int], int]
    whole_rewards: bool  # every reward of the game is a whole number
    fast_bits: bool  # whether the processor has pdep and pext
    columns: dict[str, list[list[int]]] = field(default_factory=dict)

    def table_columns(self, name: str) -> list[list[int]]:
        """The entries of a table: one array of numbers per register."""
        if name not in self.columns:
            table = self.model.tables[name]
            rows = [self.lists.items(table.type, value) for value in table.values]
            self.columns[name] = [list(column) for column in zip(*rows, strict=True)]
        return self.columns[name]

    def site(self, kind: str, span: Span) -> int:
        key = (kind, span.start, span.end)
        if key not in self.site_numbers:
            self.sites.append(Site(kind, span))
            self.site_numbers[key] = len(self.sites)
        return self.site_numbers[key]


@dataclass(frozen=True, slots=True)
class Callee:
    """A function of the module: how it is called and what it gives back."""

    ref: str
    reads: bool  # takes the position
    faults: bool  # gives a status first
    results: tuple[str, ...]

    @property
    def type(self) -> str:
        return struct_type((["i32"] if self.faults else []) + list(self.results))


def struct_type(items: Sequence[str]) -> str:
    if not items:
        return "void"
    if len(items) == 1:
        return items[0]
    return "{ " + ", ".join(items) + " }"


class Unit:
    """One module of a program: writes each function that is asked for once."""

    def __init__(self, program: Program):
        self.program = program
        self.module = Module()
        self._callees: dict[tuple[str, str, str], Callee] = {}
        self._helpers: dict[str, str] = {}
        self._files: dict[Source, int] = {}

    def helper(self, name: str, write: Callable[[Unit, str], None]) -> str:
        """The reference of a function of the run-time library, written on first use."""
        if name not in self._helpers:
            self._helpers[name] = f"@rt.{name}"
            write(self, f"@rt.{name}")
        return self._helpers[name]

    def place(self, span: Span) -> str:
        """A name for the beginning of a place: texts of several files may be in one game."""
        file = self._files.setdefault(span.source, len(self._files))
        return f"{file}.{span.start}"

    def callee(self, key: tuple[str, str, str]) -> Callee | None:
        return self._callees.get(key)

    def register(self, key: tuple[str, str, str], callee: Callee) -> None:
        self._callees[key] = callee

    def function(self, function: Function) -> Callee:
        """A `def` of the game."""
        key = ("function", function.name, "")
        if key not in self._callees:
            facts = self.program.facts
            callee = Callee(
                f"@f{len(self._callees)}.{_plain(function.name)}",
                bool(facts.reads(function.body)),
                facts.can_fault(function.body),
                tuple(registers(function.type)),
            )
            self._callees[key] = callee
            self._write_function(function, callee)
        return self._callees[key]

    def _write_function(self, function: Function, callee: Callee) -> None:
        scope = Scope(self, Builder(self.module), POSITION if callee.reads else None)
        parameters = ["ptr %pos"] if callee.reads else []
        for formal in function.formals:
            parameters += scope.bind_parameter(formal.slot, formal.type)
        scope.declare_cells(function.body)

        def give(status: Value | None, result: Operand | None) -> None:
            items: list[Value] = []
            if callee.faults:
                items.append(status or i32(0))
            if result is None:
                items += [Value(ir, "undef") for ir in callee.results]
            else:
                items += flatten(scope.coerce(result, function.type))
            scope.b.ret(items[0] if len(items) == 1 else scope.b.pack(callee.type, items))

        scope.fail = lambda status: give(status, None)
        scope.give = lambda result: give(None, result)
        if isinstance(function.body, tuple):
            scope.block(function.body)
            if scope.b.open:
                scope.b.unreachable()
        else:
            scope.give(scope.value(function.body))
        scope.b.finish(f"define internal fastcc {callee.type} {callee.ref}({', '.join(parameters)}) #0")

    def effect(self, effect: Effect, chance: ChanceMode | None) -> Callee:
        """An effect; one that draws is written once per way of deciding draws."""
        mode = chance.name if chance and effect.draws else ""
        key = ("effect", effect.name, mode)
        if key not in self._callees:
            facts = self.program.facts
            faults = facts.can_fault(effect.body) or (chance is not None and effect.draws and chance.stops)
            callee = Callee(
                f"@e{len(self._callees)}.{_plain(effect.name)}{'.' + mode if mode else ''}", True, faults, ()
            )
            self._callees[key] = callee
            self._write_effect(effect, callee, chance)
        return self._callees[key]

    def _write_effect(self, effect: Effect, callee: Callee, chance: ChanceMode | None) -> None:
        scope = Scope(self, Builder(self.module), POSITION)
        scope.chance = chance
        parameters = ["ptr %pos"]
        for formal in effect.formals:
            parameters += scope.bind_parameter(formal.slot, formal.type)
        if effect.draws:
            parameters.append("ptr %chance")
            scope.chance_state = Value("ptr", "%chance")
        if self.program.facts.pays(effect):
            parameters.append("ptr %rewards")
            scope.rewards = Value("ptr", "%rewards")
        scope.declare_cells(effect.body)
        scope.fail = scope.b.ret
        scope.block(effect.body)
        if scope.b.open:
            scope.b.ret(i32(0) if callee.faults else None)
        scope.b.finish(f"define internal fastcc {callee.type} {callee.ref}({', '.join(parameters)}) #0")


POSITION = Value("ptr", "%pos")


class ChanceMode:
    """How draws are decided: by a random generator, or by following a script (see chance.py)."""

    name = ""
    stops = False  # whether the first draw ends everything, as a fault would


def _plain(name: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in name)


class Scope:
    """The function being written: its builder, its locals, and what happens on a fault or a return."""

    def __init__(self, unit: Unit, builder: Builder, position: Value | None):
        self.unit = unit
        self.program = unit.program
        self.b = builder
        self.position = position
        self.slots: dict[int, Operand] = {}
        self.types: dict[int, Type] = {}  # declared types of slots; a condition may narrow what is read
        self.cells: dict[int, tuple[Type, list[tuple[str, Value]]]] = {}
        self.fail: Callable[[Value], None] = _no_fault
        self.give: Callable[[Operand], None] = _no_return
        self.loops: list[tuple[str, str]] = []  # of each open loop: where `break` and `continue` go on
        self.chance: ChanceMode | None = None
        self.chance_state: Value | None = None
        self.rewards: Value | None = None
        self.choice: Choice | None = None  # in a policy
        self.memo: Memo | None = None

    # --------------------------------------------------------------------- nodes

    def value(self, expr: Expr) -> Operand:
        """Code that computes an expression; in the registers of its type."""
        result: Operand = _EMITTERS[type(expr)](self, expr)
        return result

    def scalar(self, expr: Expr) -> Value:
        result = self.value(expr)
        assert isinstance(result, Value), expr
        return result

    def block(self, block: Block) -> None:
        for statement in block:
            if not self.b.open:
                return
            _EMITTERS[type(statement)](self, statement)

    # -------------------------------------------------------------------- locals

    def bind_parameter(self, slot: int, type_: Type) -> list[str]:
        """Binds a slot to parameters of the function; gives their declarations."""
        kinds = registers(type_)
        names = [f"%a{slot}.{i}" for i in range(len(kinds))]
        values = [Value(kind, name) for kind, name in zip(kinds, names, strict=True)]
        self.types[slot] = type_
        self.slots[slot] = unflatten(type_, iter(values))
        return [f"{kind} {name}" for kind, name in zip(kinds, names, strict=True)]

    def declare_cells(self, body: Any) -> None:
        """Makes memory for the slots that are set in more than one place."""
        for slot, types in assigned_slots(body).items():
            if len(types) > 1:
                widest = max(types, key=lambda t: [_rank(ir) for ir in registers(t)])
                if isinstance(types[0], Rational):
                    widest = types[0]
                memory = [(ir, self.b.alloca(ir)) for ir in registers(widest)]
                self.cells[slot] = (widest, memory)

    def set_slot(self, slot: int, value: Operand) -> None:
        if slot not in self.cells:
            self.slots[slot] = value
            return
        type_, memory = self.cells[slot]
        items = flatten(self.coerce(value, type_))
        if len(items) != len(memory):  # the slot serves another variable here
            del self.cells[slot]
            self.slots[slot] = value
            return
        for item, (ir, pointer) in zip(items, memory, strict=True):
            self.b.store(self.b.resize(item, ir), pointer)

    def local(self, slot: int) -> Operand:
        if slot in self.cells:
            type_, memory = self.cells[slot]
            return unflatten(type_, iter([self.b.load(ir, pointer) for ir, pointer in memory]))
        return self.slots[slot]

    @contextmanager
    def in_position(self, position: Value) -> Iterator[None]:
        """Code that works on another position."""
        outer, self.position = self.position, position
        memo, self.memo = self.memo, None
        yield
        self.position, self.memo = outer, memo

    @contextmanager
    def remembering(self) -> Iterator[None]:
        """Code in which the position does not change, so that calls may be remembered."""
        self.memo = Memo(self.b.mark())
        yield
        self.memo = None

    # -------------------------------------------------------------------- values

    def coerce(self, operand: Operand, type_: Type) -> Operand:
        """The same value in the registers of another type that represents it alike."""
        if isinstance(operand, Value):
            if isinstance(type_, Rational):
                from gdl.native.emit.numbers import ratio_of

                return ratio_of(self, operand)
            return self.b.resize(operand, scalar_ir(type_))
        if isinstance(type_, Tuple):
            assert isinstance(operand, tuple)
            return tuple(self.coerce(item, f) for item, f in zip(operand, type_.fields, strict=True))
        return operand

    def merge(self, type_: Type) -> Merge:
        return Merge(self, type_)

    # ------------------------------------------------------------------- control

    def check(self, bad: Value, kind: str, span: Span) -> None:
        """Faults where `bad` holds."""
        self.stop_if(bad, i32(self.program.site(kind, span)))

    def stop_if(self, bad: Value, status: Value) -> None:
        if bad.const == 0:
            return
        fault, fine = self.b.label("fault"), self.b.label("fine")
        self.b.branch(bad, fault, fine)
        self.b.start(fault)
        self.fail(status)
        self.b.start(fine)

    def call(self, callee: Callee, arguments: Sequence[Value]) -> list[Value]:
        """A call; faults of the callee are passed on. Gives the results."""
        if callee.reads:
            assert self.position is not None
            arguments = [self.position, *arguments]
        result = self.b.call(callee.type, callee.ref, arguments, "fastcc ")
        items = (["i32"] if callee.faults else []) + list(callee.results)
        if len(items) == 1:
            values = [result]
        else:
            values = [self.b.extract(result, i, ir) for i, ir in enumerate(items)]
        if callee.faults:
            status = values.pop(0)
            self.stop_if(self.b.compare("ne", status, i32(0)), status)
        return values


class Memo:
    """Calls that are made at most once in a stretch of code: whether each is known, and its results.

    All are unknown where the stretch begins, at the mark.
    """

    def __init__(self, mark: int):
        self.mark = mark
        self.known: dict[tuple[str, ...], tuple[Value, list[Value]]] = {}


class Merge:
    """A value that is computed on several paths: `set` on each, then `get` where they meet."""

    def __init__(self, scope: Scope, type_: Type):
        self._scope = scope
        self._type = type_
        self._memory = [(ir, scope.b.alloca(ir)) for ir in registers(type_)]

    def set(self, operand: Operand) -> None:
        b = self._scope.b
        for item, (_, pointer) in zip(
            flatten(self._scope.coerce(operand, self._type)), self._memory, strict=True
        ):
            b.store(item, pointer)

    def get(self) -> Operand:
        b = self._scope.b
        return unflatten(self._type, iter([b.load(ir, pointer) for ir, pointer in self._memory]))


def _rank(ir: str) -> int:
    return int(ir[1:])


def _no_fault(status: Value) -> None:
    raise AssertionError("a fault where the analysis expected none")


def _no_return(result: Operand) -> None:
    raise AssertionError("a return outside a function")


__all__ = ["Callee", "ChanceMode", "Program", "Ratio", "Scope", "Site", "Unit", "emits"]
