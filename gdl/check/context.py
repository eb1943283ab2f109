"""What the checker knows while it works: declarations, scopes, facts, and the mistakes found so far."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

from gdl.check.meanings import Meanings
from gdl.check.metering import MAX_STEPS, Exhausted, MeteredInterpreter
from gdl.check.narrowing import Facts, Key
from gdl.diagnostics import Diagnostic, Severity, Source, Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import Cells, Enum, Player, Type
from gdl.syntax import tree


class Failed(Exception):
    """The mistake has been reported: give up this part and go on with the next."""


@dataclass(slots=True)
class Declaration:
    """A global name: where it stands, and what it means once that has been worked out.

    kind     result
    param    m.Const
    const    m.Const, m.Table or Formula
    variable m.Variable
    def      FunctionInfo
    feature  FunctionInfo
    effect   EffectInfo
    policy   m.Policy
    type     Type
    """

    kind: str
    name: str
    span: Span
    resolve: Callable[[], Any]
    state: str = "new"  # "new", "open" while it is being worked out, "done", "failed"
    result: Any = None
    used: bool = False


@dataclass(frozen=True, slots=True)
class FunctionInfo:
    function: m.Function
    reads: bool  # whether it looks at the position
    asks: bool = False  # whether it asks `stuck`
    wrong: tuple[Diagnostic, ...] = ()  # mistakes if it is called at all


@dataclass(frozen=True, slots=True)
class Formula:
    """A constant with indices whose entries are computed where they are asked for."""

    function: m.Function
    indices: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class EffectInfo:
    effect: m.Effect
    assigns: frozenset[str]  # variables, through calls too
    rewards: bool
    node: tree.Effect
    wrong: tuple[Diagnostic, ...] = ()  # mistakes if it is performed at all


@dataclass(frozen=True, slots=True)
class Performed:
    """A place where an effect is performed: by which effect, if any, and what is known of its parameters."""

    by: str
    facts: Facts


@dataclass(slots=True)
class LocalName:
    name: str
    slot: int
    type: Type | None  # None: its own declaration failed
    span: Span
    kind: str  # "let", "loop", "parameter", "draw"
    mutable: bool = False
    used: bool = False
    constant: m.Const | None = None  # a name that stands for a known value
    stands_for: m.Expr | None = None  # a name for what is read anew, an element of a list
    count_slot: int | None = None  # of a list: the slot that says how many elements it has


class Checker:
    """The state shared by all parts of one check."""

    def __init__(self, file: tree.File, overrides: Mapping[str, Any]):
        self.file = file
        self.source: Source = file.source
        self.overrides = overrides
        self.diagnostics: list[Diagnostic] = []
        self.obligations: list[Diagnostic] = []
        self.given_up = 0  # parts that failed, for a mistake of their own or of what they use
        self.values: dict[str, Declaration] = {}  # params, consts, variables, defs, features
        self.effects: dict[str, Declaration] = {}
        self.policies: dict[str, Declaration] = {}
        self.types: dict[str, Declaration] = {}
        self.enums: dict[str, list[tuple[Enum, int]]] = {}  # member name -> where it is a member
        self.cells: dict[str, list[tuple[Cells, int]]] = {}  # cell name -> the boards that have it
        self.players: Player = Player("player", ())
        self.variables: dict[str, m.Variable] = {}
        self.tables: dict[str, m.Table] = {}
        self.functions: dict[str, m.Function] = {}
        self.model_effects: dict[str, m.Effect] = {}
        self.performed: dict[str, list[Performed]] = {}  # by effect, in the order of the text
        self.moves: dict[str, tuple[int, m.Move]] = {}  # with their places, once they are known
        self.terminal: m.Expr | None = (
            None  # once it is known: moves happen where it is false, utility where true
        )
        self.meanings = Meanings(self.source)
        self.zero_sum_rewards = True  # every reward is the first player's gain and the second's loss
        self._exhausted = False
        self._doubted: frozenset[str] = frozenset()  # codes that a test with a mistake might have ruled out
        self._interpreter = MeteredInterpreter(self.tables, self.functions, self.model_effects)

    # ------------------------------------------------------------- mistakes

    def report(self, diagnostic: Diagnostic) -> None:
        """Notes a mistake. Warnings about borrowed text belong where that text is checked by itself."""
        span = diagnostic.span
        borrowed = span is not None and span.source is not self.source
        if diagnostic.code not in self._doubted and not (
            borrowed and diagnostic.severity is not Severity.ERROR
        ):
            self.diagnostics.append(diagnostic)

    def fail(self, diagnostic: Diagnostic) -> NoReturn:
        self.report(diagnostic)
        raise Failed

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Runs a part; if it fails, its mistakes stay reported and the work goes on."""
        try:
            yield
        except Failed:
            self.given_up += 1

    @contextmanager
    def unsure(self, test: tree.TypeExpr | None) -> Iterator[None]:
        """Inside, what this test (or domain) tells is unknown, for it has a mistake: mistakes that it might
        rule out are not reported. None: there is no such test."""
        outer = self._doubted
        if test is not None:
            self._doubted |= say.RULED_OUT_BY_TESTS
            if self.depends_on_params(test):
                self._doubted |= say.RULED_OUT_IF_NEVER_REACHED
        try:
            yield
        finally:
            self._doubted = outer

    # ------------------------------------------------------------ constants

    def compute(self, expr: m.Expr) -> Any:
        """The value of an expression that reads no position; a Fault where it has none."""
        with self._metered(expr):
            return self._interpreter.evaluate(expr)

    def tabulate(
        self, expr: m.Expr, frame: int, entries: Iterable[tuple[Any, ...]], optional: bool = False
    ) -> Iterator[Any]:
        """The values of a formula whose first slots are given by each entry in turn.

        Where they are `optional` they end early instead of taking too long.
        """
        blank = [None] * frame
        spare = self._interpreter.spare() if optional else nullcontext()
        with self._metered(expr), spare:
            formula = self._interpreter.expression(expr)
            for entry in entries:
                self._interpreter.step()
                yield formula((), [*entry, *blank[len(entry) :]])

    @contextmanager
    def _metered(self, expr: m.Expr) -> Iterator[None]:
        try:
            yield
        except Exhausted:
            if not self._exhausted:  # what comes after it would only repeat the complaint
                self._exhausted = True
                self.report(say.too_much_work(expr.span, MAX_STEPS))
            raise Failed from None

    # ---------------------------------------------------------- declarations

    def depends_on_params(self, node: tree.TypeExpr | tree.Statement | tree.Item) -> bool:
        """Whether what is written here, or the declarations of what it names, mention a parameter: then what
        is found out about it may hold for other values no more."""
        return not self._param_names.isdisjoint(_names_in(node.span.text))

    @cached_property
    def _param_names(self) -> frozenset[str]:
        """The parameters, and the names whose declarations mention one of them, directly or not."""
        declared: dict[str, set[str]] = {}
        known: set[str] = set()
        for item in self.file.items:
            match item:
                case tree.Param():
                    known.add(item.name.id)
                case tree.TypeItem() | tree.Const() | tree.Def() | tree.Effect() | tree.Feature():
                    declared[item.name.id] = _names_in(item.span.text)
                case tree.PositionItem():
                    declared.update((v.name.id, _names_in(v.span.text)) for v in item.variables)
        size = -1
        while size < len(known):
            size = len(known)
            known |= {name for name, mentioned in declared.items() if mentioned & known}
        return frozenset(known)

    def resolve(self, declaration: Declaration, span: Span) -> Any:
        """What a global name means, worked out on first use."""
        declaration.used = True
        if declaration.state == "done":
            return declaration.result
        if declaration.state == "failed":
            raise Failed
        if declaration.state == "open":
            declaration.state = "failed"
            self.fail(say.recursion(span, declaration.kind, declaration.name, declaration.span))
        declaration.state = "open"
        try:
            declaration.result = declaration.resolve()
        except Failed:
            declaration.state = "failed"
            raise
        if declaration.state != "open":
            raise Failed
        declaration.state = "done"
        return declaration.result

    def add_enum(self, enum: Enum) -> None:
        for number, member in enumerate(enum.members):
            known = self.enums.setdefault(member.name, [])
            if (enum, number) not in known:
                known.append((enum, number))

    def add_cells(self, cells: Cells) -> None:
        for number, name in enumerate(cells.names):
            known = self.cells.setdefault(name, [])
            if (cells, number) not in known:
                known.append((cells, number))

    def table(
        self, name: str, indices: tuple[Type, ...], values: Callable[[], tuple[Any, ...]], type_: Type
    ) -> str:
        """The name of a constant table, made on first use."""
        if name not in self.tables:
            self.tables[name] = m.Table(name, indices, values(), type_)
        return name


def _names_in(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d]\w*", text))


class Body:
    """One frame: the scope, facts and slots of a function, effect, move or section."""

    def __init__(self, checker: Checker, kind: str, position: bool = True, called: bool = False):
        """`called`: of a def or an effect, which is reached where something calls it."""
        self.checker = checker
        self.called = called
        self.wrong: list[Diagnostic] = []  # what is wrong with it if it is called
        self.effect = ""  # the effect that this is the body of
        self.kind = kind
        self.position = position  # whether position variables may be read
        self.frame = 0
        self.scopes: list[dict[str, LocalName]] = [{}]
        self.facts: Facts = Facts()
        self.reads = False
        self.asks = False
        self.draws = False
        self.rewards = False
        self.assigns: set[str] = set()
        self.returns: list[m.Expr] = []
        self.loops = 0
        # In a policy: what an expression as a statement means, namely a move.
        self.play: Callable[[tree.Expr], list[m.Statement]] | None = None

    def slot(self) -> int:
        self.frame += 1
        return self.frame - 1

    def declare(self, name: tree.Name, type_: Type | None, kind: str, mutable: bool = False) -> LocalName:
        """A new local name in the innermost scope."""
        earlier = self.local(name.id)
        if earlier is not None and name.id != "_":
            self.checker.report(say.shadowed_local(name.span, name.id, earlier.span))
        elif (known := self.checker.values.get(name.id)) is not None and kind != "formal":
            self.checker.report(say.shadowed_global(name.span, name.id, known.kind, known.span))
        local = LocalName(name.id, self.slot(), type_, name.span, kind, mutable)
        self.scopes[-1][name.id] = local
        self.checker.meanings.note(name.span, local)
        return local

    def local(self, name: str) -> LocalName | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def visible_names(self) -> list[str]:
        return [name for scope in self.scopes for name in scope]

    def visible_locals(self) -> tuple[LocalName, ...]:
        return tuple({name: local for scope in self.scopes for name, local in scope.items()}.values())

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Names and facts made inside end with it; lets and draws that nobody used are reported."""
        self.scopes.append({})
        facts = self.facts
        try:
            yield
        finally:
            self.facts = facts
            for local in self.scopes.pop().values():
                if not local.used and local.kind in ("let", "draw") and not local.name.startswith("_"):
                    self.checker.report(say.unused_local(local.span, local.kind, local.name))

    @contextmanager
    def named(self, names: dict[str, LocalName]) -> Iterator[None]:
        """Inside, these names mean these locals, whether they are used or not."""
        self.scopes.append(names)
        try:
            yield
        finally:
            self.scopes.pop()

    @contextmanager
    def assuming(self, condition: m.Expr, truth: bool = True) -> Iterator[None]:
        """Inside, the condition is known to hold (or not to)."""
        saved = self.facts
        self.facts = saved.assume(condition, truth)
        try:
            yield
        finally:
            self.facts = saved

    def assume(self, condition: m.Expr, truth: bool = True) -> None:
        self.facts = self.facts.assume(condition, truth)

    def assume_terminal(self, truth: bool) -> None:
        """This body is used only in terminal positions, or only in others."""
        if self.checker.terminal is not None:
            self.assume(self.checker.terminal, truth)
            # Decided by the parameters alone, it says nothing about this body.
            self.facts = Facts(self.facts.types, origins=self.facts.origins)

    def refuse(self, *diagnostics: Diagnostic) -> None:
        """Mistakes wherever this place is reached: not if it never is, nor in a def that nothing calls.

        A range may be empty, or a test fail, under some parameters only; what it guards is then never done.
        """
        if self.facts.impossible or not diagnostics:
            return
        if not self.called:
            for diagnostic in diagnostics:
                self.checker.report(diagnostic)
            raise Failed
        self.wrong.extend(diagnostics)

    def leave_open(self, diagnostic: Diagnostic) -> None:
        """What the engines have to look at in play: nothing where no play comes."""
        if not self.facts.impossible:
            self.checker.obligations.append(diagnostic)

    def forget(self, variables: frozenset[str] | set[str] | None) -> None:
        """Facts about these variables no longer hold (None: about any variable)."""
        self.facts = self.facts.forget(variables)

    def forget_slots(self, slots: set[int]) -> None:
        self.facts = self.facts.forget_slots(slots)


__all__ = [
    "Body",
    "Checker",
    "Declaration",
    "EffectInfo",
    "Failed",
    "Formula",
    "FunctionInfo",
    "Key",
    "LocalName",
]
