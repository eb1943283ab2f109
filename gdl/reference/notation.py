"""Positions and moves as people type them.

    position    board=[x empty o ..] turn=x         variables in any order, missing ones are as at the start
    move        drop(3)   step(b2, c3)   step(from=b2, to=c3)   hold

Values are written as `show_value` prints them; a glyph stands for its value where it can mean only one.
Elements are separated by spaces or commas, and brackets inside a map's list may group its rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from gdl.diagnostics import Diagnostic, GameError, Source, Span
from gdl.diagnostics import notation as wording
from gdl.model import nodes
from gdl.model.nodes import MoveParameter, Variable
from gdl.model.types import (
    BagOf,
    Bool,
    Cells,
    Enum,
    Int,
    Part,
    SetOf,
    Tuple,
    Type,
    Union,
    Unit,
    blank,
    ordinal,
)
from gdl.reference.conversion import convert
from gdl.reference.moves import Move, MoveFamily, describe_parameters
from gdl.reference.positions import Layout, is_none

# ---------------------------------------------------------------------- positions


@dataclass(frozen=True, slots=True)
class Start:
    """Where play begins: flat values, and the variables that may begin with others as well."""

    values: tuple[Any, ...]
    drawn: frozenset[str]


def parse_position(layout: Layout, text: str, start: Callable[[], Start]) -> tuple[Any, ...]:
    """The flat values that the text describes, all others as at the start, which is asked for where it
    matters; raises GameError with everything that is wrong with the text.
    """
    reader = Reader(Source("<position>", text))
    values = list(layout.defaults)
    problems: list[Diagnostic] = []
    seen: set[str] = set()
    while reader.more():
        name = reader.word("a variable")
        if reader.take("["):
            raise GameError([wording.element_alone(name.text, name.span)])
        reader.expect("=")
        tree = reader.tree("a value")
        variable = layout.variables.get(name.text)
        if variable is None or variable.counts is not None:
            problems.append(wording.unknown_variable(name.text, layout.names, name.span))
            continue
        if name.text in seen:
            problems.append(wording.given_twice(name.text, name.span))
        seen.add(name.text)
        try:
            if variable.length is not None:
                seen.add(variable.length)
                slots, counts = _read_lists(variable, tree, layout)
                values[layout.places[name.text]], values[layout.places[variable.length]] = slots, counts
            else:
                values[layout.places[name.text]] = _read_variable(variable, tree)
        except GameError as error:
            problems.extend(error.diagnostics)
    if not problems and seen < set(layout.variables):
        begin = start()
        if open_ := [name for name in layout.names if name in begin.drawn - seen]:
            problems.append(wording.left_to_chance(open_, reader.span))
        for other in layout.variables.keys() - seen:
            values[layout.places[other]] = begin.values[layout.places[other]]
    if problems:
        raise GameError(problems)
    return tuple(values)


def position_mistakes(layout: Layout, text: str) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with the text, wherever the game starts."""
    try:
        parse_position(layout, text, lambda: Start(layout.defaults, frozenset()))
    except GameError as error:
        return error.diagnostics
    return ()


def _read_variable(variable: Variable, tree: _Tree) -> list[Any]:
    if not variable.indices:
        return [_read_element(variable, tree)]
    if not (isinstance(tree, _Group) and tree.bracket == "["):
        raise GameError([wording.not_a_list(variable.name, variable.count, tree.span)])
    elements = list(_flatten(tree))
    if len(elements) != variable.count:
        raise GameError([wording.wrong_count(variable.name, variable.count, len(elements), tree.span)])
    return [_read_element(variable, element) for element in elements]


def _read_lists(variable: Variable, tree: _Tree, layout: Layout) -> tuple[list[Any], list[Any]]:
    """The slots and the counts of a list, or of a map of lists: `[[a b] [] [c]]`."""
    count = layout.variables[variable.length or ""].count
    room = variable.count // count
    if not (isinstance(tree, _Group) and tree.bracket == "["):
        raise GameError([wording.not_a_list(variable.name, room if count == 1 else count, tree.span)])
    found = [tree] if len(variable.indices) == 1 else list(_innermost(tree))
    if len(found) != count:
        raise GameError([wording.wrong_count(variable.name, count, len(found), tree.span)])
    slots: list[Any] = []
    for group in found:
        elements = [_read_element(variable, item) for item in group.items]
        if len(elements) > room:
            raise GameError([wording.list_too_long(variable.name, room, len(elements), group.span)])
        slots += [*elements, *[blank(variable.type)] * (room - len(elements))]
    return slots, [len(group.items) for group in found]


def _innermost(group: _Group) -> Iterator[_Group]:
    """The lists in a list of lists, which may be grouped."""
    for item in group.items:
        if isinstance(item, _Group) and item.bracket == "[":
            inside = [i for i in item.items if isinstance(i, _Group) and i.bracket == "["]
            if inside:
                yield from _innermost(item)
            else:
                yield item


def _flatten(group: _Group) -> Iterator[_Tree]:
    for item in group.items:
        if isinstance(item, _Group) and item.bracket == "[":
            yield from _flatten(item)
        else:
            yield item


def _read_element(variable: Variable, tree: _Tree) -> Any:
    value = read_value(variable.type, tree)
    if value is None:
        text, known = tree.span.text, _names(variable.type)
        raise GameError([wording.not_a_value(text, variable.name, str(variable.type), known, tree.span)])
    return value


# -------------------------------------------------------------------------- moves


def parse_move(families: Sequence[MoveFamily], legal: Sequence[Move], text: str) -> Move:
    """The one legal move that the text means: in the notation of its own that it has, or as a call.

    Arguments may be complete, leave out the computed parameters, be named, or be any of the arguments in
    their order, as long as one legal move fits. Raises GameError that names the legal or matching moves.
    """
    for move in legal:
        if move.family.notation is not None and str(move) == text.strip():
            return move
    reader = Reader(Source("<move>", text))
    name, arguments = read_call(reader)
    if not legal:
        raise GameError([wording.game_over(text.strip(), name.span)])
    family = next((f for f in families if f.name == name.text), None)
    if family is None:
        raise _unknown_move(name, families, legal)
    candidates = [move for move in legal if move.family is family]
    readings = [_read_argument(family, argument) for argument in arguments]
    for fits in (_complete, _but_for_none, _without_computed, _in_order):
        matching = [move for move in candidates if fits(family, readings, move)]
        if len(matching) == 1:
            return matching[0]
        if matching:
            raise GameError([wording.ambiguous_move(text.strip(), _texts(matching), reader.span)])
    raise GameError([wording.illegal_move(text.strip(), _texts(candidates or legal), reader.span)])


def move_mistakes(moves: Sequence[nodes.Move], text: str) -> tuple[Diagnostic, ...]:
    """Why the text means no move in any position; nothing of what may be in a notation of its own."""
    try:
        name, arguments = read_call(Reader(Source("<move>", text)))
        family = next((move for move in moves if move.name == name.text), None)
        if family is not None:
            for argument in arguments:
                _read_argument(family, argument)
        elif all(move.notation is None for move in moves):
            return (wording.unknown_move(name.text, [move.name for move in moves], None, name.span),)
    except GameError as error:
        if all(move.notation is None for move in moves):
            return error.diagnostics
    return ()


def parse_moves(text: str) -> list[str]:
    """A sequence of moves, separated by spaces, commas or semicolons, as one text per move."""
    reader = Reader(Source("<moves>", text))
    moves = []
    while reader.more():
        start = reader.here
        read_call(reader, alone=False)
        moves.append(reader.text_since(start))
    return moves


@dataclass(frozen=True, slots=True)
class _Argument:
    name: _Atom | None
    tree: _Tree


@dataclass(frozen=True, slots=True)
class _Reading:
    """What an argument means for each parameter it can be given to: parameter number to value."""

    named: bool
    values: dict[int, Any]


def read_call(reader: Reader, alone: bool = True) -> tuple[_Atom, list[_Argument]]:
    """`name(arguments)`, and nothing behind it if it is to be alone."""
    name = reader.word("a move")
    arguments = []
    if reader.take("("):
        while not reader.take(")"):
            tree = reader.tree("an argument or `)`")
            if reader.take("="):
                if not isinstance(tree, _Atom):
                    raise GameError(
                        [wording.unreadable("a name before `=`", f"`{tree.span.text}`", tree.span)]
                    )
                arguments.append(_Argument(tree, reader.tree("a value")))
            else:
                arguments.append(_Argument(None, tree))
            reader.take(",")
    if alone and reader.more():
        reader.fail("the end of the move")
    return name, arguments


def _read_argument(family: MoveFamily | nodes.Move, argument: _Argument) -> _Reading:
    parameters = family.parameters
    if argument.name is not None:
        names = [parameter.name for parameter in parameters]
        if argument.name.text not in names:
            signature = describe_parameters(family)
            raise GameError(
                [wording.unknown_argument(argument.name.text, signature, names, argument.name.span)]
            )
        wanted = [names.index(argument.name.text)]
    else:
        wanted = list(range(len(parameters)))
    values = {i: read_value(parameters[i].type, argument.tree) for i in wanted}
    values = {i: value for i, value in values.items() if value is not None}
    if not values:
        raise _wrong_argument(family, [parameters[i] for i in wanted], argument.tree)
    return _Reading(argument.name is not None, values)


def _wrong_argument(family: MoveFamily | nodes.Move, wanted: list[MoveParameter], tree: _Tree) -> GameError:
    if not wanted:
        return GameError([wording.no_arguments(family.name, tree.span)])
    known = [name for parameter in wanted for name in _names(parameter.type)]
    signature = describe_parameters(family)
    return GameError([wording.not_an_argument(tree.span.text, signature, known, tree.span)])


def _complete(family: MoveFamily, readings: list[_Reading], move: Move) -> bool:
    """Every parameter is given."""
    return len(readings) == len(move.values) and _fits(readings, move, range(len(move.values)))


def _but_for_none(family: MoveFamily, readings: list[_Reading], move: Move) -> bool:
    """The first parameters are given, and all others are none."""
    given = len(readings)
    left_out = zip(family.parameters[given:], move.values[given:], strict=True)
    return (
        0 < given < len(move.values)
        and all(is_none(parameter.type, value) for parameter, value in left_out)
        and _fits(readings, move, range(given))
    )


def _without_computed(family: MoveFamily, readings: list[_Reading], move: Move) -> bool:
    """Every parameter that is chosen, not computed, is given."""
    chosen = [i for i, parameter in enumerate(family.parameters) if parameter.domain is not None]
    return len(readings) == len(chosen) and _fits(readings, move, chosen)


def _fits(readings: list[_Reading], move: Move, parameters: Sequence[int]) -> bool:
    named = {next(iter(reading.values)) for reading in readings if reading.named}
    if not named <= set(parameters):
        return False
    rest = iter([i for i in parameters if i not in named])
    places = [next(iter(reading.values)) if reading.named else next(rest, -1) for reading in readings]
    return all(
        place in reading.values and reading.values[place] == move.values[place]
        for place, reading in zip(places, readings, strict=True)
    )


def _in_order(family: MoveFamily, readings: list[_Reading], move: Move) -> bool:
    """Some of the parameters are given, in their order; those by name wherever they stand."""
    taken = {next(iter(reading.values)) for reading in readings if reading.named}
    place = 0
    for reading in readings:
        if reading.named:
            ((i, value),) = reading.values.items()
            if move.values[i] != value:
                return False
            continue
        while place < len(move.values) and (
            place in taken or place not in reading.values or reading.values[place] != move.values[place]
        ):
            place += 1
        if place == len(move.values):
            return False
        place += 1
    return True


def _unknown_move(name: _Atom, families: Sequence[MoveFamily], legal: Sequence[Move]) -> GameError:
    known = [family.name for family in families]
    return GameError([wording.unknown_move(name.text, known, _texts(legal), name.span)])


def _texts(moves: Sequence[Move]) -> list[str]:
    return [str(move) for move in moves]


# ------------------------------------------------------------------------- values


def read_value(type_: Type, tree: _Tree) -> Any:
    """The value of the type that the text means, None if it means none or could mean several."""
    by_name = _read(type_, tree, _by_name)
    return by_name if by_name is not None else _read(type_, tree, _by_glyph)


def _read(type_: Type, tree: _Tree, find: Callable[[Enum, str], int | None]) -> Any:
    match type_, tree:
        case Union(), _:
            found = [
                start + ordinal(member, inner)
                for member, start in zip(type_.members, type_.starts, strict=True)
                if (inner := _read(member, tree, find)) is not None
            ]
            return found[0] if len(found) == 1 else None
        case Bool(), _Atom():
            return {"false": False, "true": True}.get(tree.text)
        case Int(), _Atom():
            return _read_int(type_, tree.text)
        case Enum(), _Atom():
            return find(type_, tree.text)
        case Cells(), _Atom():
            return type_.ordinals.get(tree.text)
        case Part(), _:
            inner = _read(type_.whole, tree, find)
            return None if inner is None else convert(type_.whole, type_, inner)
        case Unit(), _Atom():
            return 0 if tree.text == type_.name else None
        case Tuple(), _Group(bracket="("):
            return _read_tuple(type_, tree, find)
        case SetOf(), _Group(bracket="{"):
            return _read_set(type_, tree, find)
        case BagOf(), _Group(bracket="{"):
            return _read_bag(type_, tree, find)
        case _:
            return None


def _read_int(type_: Int, text: str) -> int | None:
    if not re.fullmatch(r"-?[0-9]{1,100}", text):
        return None
    number = int(text)
    return number if type_.lo <= number <= type_.hi else None


def _by_name(type_: Enum, text: str) -> int | None:
    return type_.ordinals.get(text)


def _by_glyph(type_: Enum, text: str) -> int | None:
    found = [i for i, member in enumerate(type_.members) if text in (member.name, member.glyph)]
    return found[0] if len(found) == 1 else None


def _read_tuple(type_: Tuple, group: _Group, find: Callable[[Enum, str], int | None]) -> Any:
    if len(group.items) != len(type_.fields):
        return None
    items = tuple(_read(t, item, find) for t, item in zip(type_.fields, group.items, strict=True))
    return None if None in items else items


def _read_set(type_: SetOf, group: _Group, find: Callable[[Enum, str], int | None]) -> int | None:
    mask = 0
    for item in group.items:
        value = _read(type_.element, item, find)
        if value is None:
            return None
        mask |= 1 << ordinal(type_.element, value)
    return mask


def _read_bag(type_: BagOf, group: _Group, find: Callable[[Enum, str], int | None]) -> int | None:
    values = [_read(type_.element, item, find) for item in group.items]
    return None if None in values else type_.holding(ordinal(type_.element, value) for value in values)


def _names(type_: Type) -> list[str]:
    """The names among a type's values, for suggestions."""
    match type_:
        case Union():
            return [name for member in type_.members for name in _names(member)]
        case Enum():
            return [member.name for member in type_.members]
        case Unit():
            return [type_.name]
        case Bool():
            return ["false", "true"]
        case Cells():
            return list(type_.names)
        case _:
            return []


# --------------------------------------------------------------- text and brackets


@dataclass(frozen=True, slots=True)
class _Atom:
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class _Group:
    bracket: str  # the opening one
    items: tuple[_Tree, ...]
    span: Span


_Tree = _Atom | _Group

_TOKEN = re.compile(r"[\[\](){},=;]|[^\s\[\](){},=;]+")
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_PUNCTUATION = set("[](){},=;")
_DEEPEST = 50  # brackets inside one another


class Reader:
    """Reads words and bracketed groups one after another."""

    def __init__(self, source: Source):
        self._source = source
        self._tokens = [
            _Atom(found.group(), Span(source, *found.span())) for found in _TOKEN.finditer(source.text)
        ]
        self.here = 0

    @property
    def span(self) -> Span:
        """All of the text."""
        text = self._source.text
        return Span(self._source, len(text) - len(text.lstrip()), len(text.rstrip()))

    def more(self) -> bool:
        """Whether anything but separators is left."""
        while self._peek() in (",", ";"):
            self.here += 1
        return self.here < len(self._tokens)

    def take(self, text: str) -> bool:
        if self._peek() == text:
            self.here += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.take(text):
            self.fail(f"`{text}`")

    def word(self, what: str) -> _Atom:
        if self.here == len(self._tokens) or self._peek() in _PUNCTUATION:
            self.fail(what)
        self.here += 1
        return self._tokens[self.here - 1]

    def tree(self, what: str, depth: int = 0) -> _Tree:
        opening = self._peek()
        if opening not in _CLOSING:
            return self.word(what)
        if depth == _DEEPEST:
            self.fail("fewer brackets inside one another")
        start, closing = self._tokens[self.here], _CLOSING[opening]
        self.here += 1
        items = []
        while not self.take(closing):
            items.append(self.tree(f"a value or `{closing}`", depth + 1))
            self.take(",")
        return _Group(opening, tuple(items), start.span | self._tokens[self.here - 1].span)

    def text_since(self, start: int) -> str:
        return (self._tokens[start].span | self._tokens[self.here - 1].span).text

    def fail(self, expected: str) -> NoReturn:
        if self.here < len(self._tokens):
            token = self._tokens[self.here]
            raise GameError([wording.unreadable(expected, f"`{token.text}`", token.span)])
        end = self.span.end
        raise GameError([wording.unreadable(expected, "the end", Span(self._source, end, end))])

    def _peek(self) -> str | None:
        return self._tokens[self.here].text if self.here < len(self._tokens) else None
