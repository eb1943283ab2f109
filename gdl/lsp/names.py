"""What every name in a text means: the symbols of a game, and where each of them occurs.

Locals and named values are what the checker noted (`gdl/check/meanings.py`); other names mean what is
declared under them, for nothing nearer does.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from gdl.check import Checker
from gdl.check.context import LocalName
from gdl.check.meanings import NamedValue
from gdl.diagnostics import Span
from gdl.lsp.library import LIBRARY
from gdl.model.types import Player, Tuple
from gdl.syntax import tree

KINDS: dict[type, str] = {
    tree.Param: "param",
    tree.TypeItem: "type",
    tree.Const: "const",
    tree.Variable: "variable",
    tree.Def: "def",
    tree.Effect: "effect",
    tree.Move: "move",
    tree.Policy: "policy",
    tree.Feature: "feature",
}
CALLED = frozenset("def feature effect move policy type".split())
"""The kinds of what can be called: no other name stands before the brackets of a call."""

BUILT_IN = frozenset(
    "true false none chance player bool grid hex everyone nobody it mover moves random best pass "
    "stuck".split()
)

Node = Any


@dataclass(frozen=True, slots=True)
class Symbol:
    """Something that has a name. `key` tells it from all others; `node` is its declaration in the tree.

    kind: param, type, const, variable, def, effect, move, policy, feature, player, value, cell, local, field,
    function (of the library), quantity (of an `expect` line), game, file (borrowed), word (built in). What is
    declared in another file has no span.
    """

    kind: str
    name: str
    key: Hashable
    span: Span | None = None  # of the name where it is declared
    node: Node = None
    meaning: LocalName | NamedValue | None = None

    @property
    def renamable(self) -> bool:
        return self.span is not None and self.kind not in ("field", "game") and self.span.text == self.name


@dataclass(frozen=True, slots=True)
class Occurrence:
    span: Span
    symbol: Symbol
    declares: bool


class Names:
    """The names of a text in their order."""

    def __init__(self, occurrences: list[Occurrence], globals_: dict[str, Symbol]):
        unique = {(o.span.start, o.span.end): o for o in occurrences}
        self.all = sorted(unique.values(), key=lambda o: o.span.start)
        self.globals = globals_
        self._starts = [o.span.start for o in self.all]

    def at(self, offset: int) -> Occurrence | None:
        """The name at a place, or that ends there."""
        number = bisect_right(self._starts, offset) - 1
        if number >= 0 and offset <= self.all[number].span.end:
            return self.all[number]
        return None

    def of(self, symbol: Symbol) -> list[Occurrence]:
        return [o for o in self.all if o.symbol.key == symbol.key]


def names_of(file: tree.File, checker: Checker | None) -> Names:
    return _Collector(file, checker).collect()


def walk(node: Node) -> Iterator[Node]:
    """A node of the tree and all below it, in the order of their fields."""
    if isinstance(node, tuple):
        for part in node:
            yield from walk(part)
    elif is_dataclass(node) and not isinstance(node, Span):
        yield node
        for part in fields(node):
            yield from walk(getattr(node, part.name))


class _Collector:
    def __init__(self, file: tree.File, checker: Checker | None):
        self.file = file
        self.checker = checker
        self.found: list[Occurrence] = []
        self.globals: dict[str, Symbol] = {}
        self.moves: dict[str, Symbol] = {}
        self.values: dict[tuple[Any, int], Symbol] = {}
        self.fields: dict[str, Span] = {}

    def collect(self) -> Names:
        whole = self.checker.file if self.checker else self.file
        for item in (*self.file.items, *whole.items):  # what is borrowed comes behind
            for part in item.variables if isinstance(item, tree.PositionItem) else (item,):
                self._declare(part)
        for item in self.file.items:
            self.fields.update(
                (name.id, name.span)
                for part in walk(item)
                if isinstance(part, tree.RecordType)
                for name, _ in part.fields
            )
        for item in self.file.items:
            self._visit(item, item)
        for inside in self.checker.meanings.inside_texts if self.checker else ():
            self._visit(inside, None)
        return Names(self.found, {**self.moves, **self.globals})

    def _declare(self, item: Node) -> None:
        kind = KINDS.get(type(item))
        if kind is not None:
            span = item.name.span if self._is_own(item.name) else None
            symbol = Symbol(kind, item.name.id, (kind, item.name.id), span, item)
            (self.moves if kind == "move" else self.globals).setdefault(item.name.id, symbol)

    def _is_own(self, name: tree.Name) -> bool:
        """Whether the name stands in this text, not in one that it borrows from."""
        return name.span.source is self.file.source

    # ------------------------------------------------------------------- visits

    def _visit(self, node: Node, item: Node) -> None:
        """Notes the names below a node; `item` is the part of the game that it belongs to."""
        match node:
            case tuple():
                for part in node:
                    self._visit(part, item)
            case tree.Name():
                self._note(node.span, self._meant(node, item))
            case tree.GameName():
                self._note(node.name.span, Symbol("game", node.name.id, "game", node.name.span, node))
                self._borrowed(*((node.base,) if node.base else ()))
            case tree.Use():
                self._borrowed(*node.names)
            case tree.ExpectAll():
                self._borrowed(node.base)
            case tree.Attribute():
                self._visit(node.base, item)
                self._note(node.name.span, self._field(node))
            case tree.RecordType():
                for name, type_ in node.fields:
                    self._note(
                        name.span, Symbol("field", name.id, ("field", name.id), self.fields[name.id], node)
                    )
                    self._visit(type_, item)
            case tree.Expect():
                self._note(
                    node.quantity.span, Symbol("quantity", node.quantity.id, ("quantity", node.quantity.id))
                )
                for argument in node.arguments:
                    self._keyword(argument, self._setting(argument))
                    self._visit(argument.value, item)
                self._visit((node.moves, node.tolerance, node.value), item)
            case tree.Call():
                self._callee(node.function, item)
                for argument in node.arguments:
                    self._keyword(argument, self._formal(node.function, argument, item))
                    self._visit(argument.value, item)
            case tree.GeneratorCall():
                self._callee(node.function, item)
                if node.keyword is not None:
                    self._visit(node.keyword.value, item)
                self._visit(node.generator, item)
            case _ if is_dataclass(node) and not isinstance(node, Span):
                for part in fields(node):
                    self._visit(getattr(node, part.name), item)

    def _callee(self, function: Node, item: Node) -> None:
        """Notes the name before the brackets of a call. Values may have the name of a function too, as the
        player `first` has; they are not what is called."""
        if not isinstance(function, tree.Name):
            self._visit(function, item)
            return
        place, name = (function.span.start, function.span.end), function.id
        of_library = self.checker is not None and place in self.checker.meanings.library
        declared = None if of_library else self._declared_as(function, item, CALLED)
        if declared is None and name in LIBRARY:
            declared = Symbol("function", name, ("function", name))
        self._note(function.span, declared or self._meant(function, item))

    def _borrowed(self, *names: tree.Name) -> None:
        """Notes names of games and libraries in other files."""
        for name in names:
            self._note(name.span, Symbol("file", name.id, ("file", name.id)))

    def _note(self, span: Span, symbol: Symbol | None) -> None:
        if symbol is not None:
            declares = symbol.span is not None and (symbol.span.start, symbol.span.end) == (
                span.start,
                span.end,
            )
            self.found.append(Occurrence(span, symbol, declares))

    def _keyword(self, argument: tree.Argument, symbol: Symbol | None) -> None:
        if argument.name is not None and symbol is not None:
            start = argument.span.start
            self._note(Span(argument.span.source, start, start + len(argument.name)), symbol)

    # ----------------------------------------------------------------- meanings

    def _meant(self, node: tree.Name, item: Node) -> Symbol | None:
        noted = self.checker.meanings.names.get((node.span.start, node.span.end)) if self.checker else None
        if isinstance(noted, NamedValue):
            return self._value(noted)
        if noted is not None and noted.name == noted.span.text:
            place = noted.span.start, noted.span.end
            declared = self.checker.meanings.names.get(place) if self.checker else None
            if isinstance(declared, NamedValue) or declared is None:  # a draw to a variable: its candidate
                return self.globals.get(noted.name)
            return Symbol("local", noted.name, ("local", noted.span.start), noted.span, None, noted)
        return self._known(node, item)

    def _known(self, node: tree.Name, item: Node) -> Symbol | None:
        """What a name means that is not local."""
        name = node.id
        if (symbol := self._declared_as(node, item)) is not None:
            return symbol
        if self.checker is not None:
            places = self.checker.enums.get(name) or self.checker.cells.get(name) or []
            if len(places) == 1:
                return self._value(NamedValue(*places[0]))
        if name in LIBRARY:
            return Symbol("function", name, ("function", name))
        # Other words of the language are known by what the checker made of them.
        made = self.checker is not None and (node.span.start, node.span.end) in self.checker.meanings.types
        return Symbol("word", name, ("word", name)) if made or name in BUILT_IN else None

    def _declared_as(
        self, node: tree.Name, item: Node, kinds: frozenset[str] = frozenset(KINDS.values())
    ) -> Symbol | None:
        """What is declared under a name, of these kinds; in plays a move before anything else."""
        plays = isinstance(item, tree.Expect | tree.Policy | tree.Move)
        first, second = (self.moves, self.globals) if plays else (self.globals, self.moves)
        if isinstance(item, tree.Move) and node is not item.name:
            first, second = second, first
        found = (names.get(node.id) for names in (first, second))
        return next((symbol for symbol in found if symbol is not None and symbol.kind in kinds), None)

    def _value(self, value: NamedValue) -> Symbol:
        key = (value.type, value.number)
        if key not in self.values:
            names = getattr(value.type, "names", None)
            name = names[value.number] if names else value.type.members[value.number].name  # type: ignore[union-attr]
            kind = "player" if isinstance(value.type, Player) else "cell" if names else "value"
            self.values[key] = Symbol(kind, name, ("value", key), self._declared(value, name), None, value)
        return self.values[key]

    def _declared(self, value: NamedValue, name: str) -> Span | None:
        """Where a named value is listed; None for the squares of a grid, whose names are made."""
        assert self.checker is not None
        for item in self.file.items:
            if not isinstance(
                item, tree.TypeItem | tree.Players | tree.PositionItem | tree.Param | tree.Const
            ):
                continue
            for part in walk(item):
                if (
                    isinstance(part, tree.Name)
                    and part.id == name
                    and self.checker.meanings.names.get((part.span.start, part.span.end)) == value
                ):
                    return part.span
        return None

    def _field(self, node: tree.Attribute) -> Symbol:
        place = node.base.span.start, node.base.span.end
        type_ = self.checker.meanings.types.get(place) if self.checker else None
        named = isinstance(type_, Tuple) and type_.names and node.name.id in type_.names
        span = self.fields.get(node.name.id) if named or type_ is None else None
        return Symbol("field", node.name.id, ("field", node.name.id), span, node)

    def _setting(self, argument: tree.Argument) -> Symbol | None:
        """The parameter of the game, or the player, that an argument of an expected quantity is for."""
        if (symbol := self.globals.get(argument.name or "")) is not None:
            return symbol
        if self.checker is None or argument.name not in self.checker.players.ordinals:
            return None
        players = self.checker.players
        return self._value(NamedValue(players, players.ordinals[argument.name]))

    def _formal(self, function: tree.Expr, argument: tree.Argument, item: Node) -> Symbol | None:
        """The parameter of what is called that an argument names."""
        if argument.name is None or not isinstance(function, tree.Name):
            return None
        if isinstance(item, tree.Expect) and function.id == "value":
            return self._setting(argument)
        called = self._known(function, item)
        node = called.node if called is not None else None
        formals: tuple[Any, ...] = getattr(node, "formals", ()) or getattr(node, "parameters", ())
        name = next((f.name for f in formals if f.name.id == argument.name), None)
        return self._meant(name, item) if name is not None and self._is_own(name) else None
