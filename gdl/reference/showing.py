"""What a position looks like: the picture that its game's `show` makes of it.

Without `show` every board is drawn and every other variable is written out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any, TypeVar

from gdl.draw.pictures import Board, Picture, Row, Stone
from gdl.model.nodes import Expr, Model, Show, ShowBoard, ShowList, Variable
from gdl.model.types import (
    NONE,
    Bool,
    Cells,
    Int,
    Part,
    Player,
    SetOf,
    Tuple,
    Type,
    Union,
    from_ordinal,
    member_of,
    show_value,
)  # fmt: skip
from gdl.reference.closures import Frame, State
from gdl.reference.domains import values_of
from gdl.reference.interpret import Interpreter
from gdl.reference.positions import HIDDEN, Hidden, Layout, element_indices, format_list, format_value

Artist = Callable[[State, int | None], Picture]
"""Draws a position, or what a player sees of it, with UNSEEN in the state for the rest."""

_NOTHING = Stone(".", nothing=True)


class _Looked(Exception):
    """Something was to be computed from a value that is not seen."""


def _looked(*_: Any) -> Any:
    raise _Looked


class _Unseen:
    """What a player does not see: it can be shown, as `?`, but nothing can be told from it."""

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = _looked
    __bool__ = __index__ = __int__ = __iter__ = __len__ = __getitem__ = _looked
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _looked
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __neg__ = __abs__ = _looked
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __invert__ = _looked
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = bit_count = _looked


UNSEEN = _Unseen()


def stone(type_: Type, value: Any) -> Stone:
    """A value as it is drawn on a board."""
    if value is HIDDEN or value is UNSEEN:
        return Stone("?")
    match type_:
        case Player():
            return Stone(show_value(type_, value, glyphs=True), value, type_.members[value].name)
        case Union():
            member, inner = member_of(type_, value)
            return _NOTHING if member == NONE else stone(member, inner)
        case Bool():
            return Stone("#") if value else _NOTHING
        case Part():
            return stone(type_.whole, from_ordinal(type_.whole, type_.places[value]))
        case Tuple():
            return joined([stone(part, item) for part, item in zip(type_.fields, value, strict=True)])
        case _:
            return Stone(show_value(type_, value, glyphs=True))


def stack(type_: Type, elements: list[Any]) -> Stone:
    """A list as it is drawn on a board: its elements from the bottom, in the colour of the last."""
    drawn = [stone(type_, element) for element in elements]
    if not drawn:
        return _NOTHING
    return Stone("".join(part.glyph for part in drawn), drawn[-1].owner, drawn[-1].name)


def joined(drawn: list[Stone]) -> Stone:
    """The parts of a record side by side, in the colour of the player among them."""
    some = [part for part in drawn if not part.nothing]
    owner = next((part for part in some if part.owner is not None), None)
    glyph = "".join(part.glyph for part in some)
    if owner is None:
        return Stone(glyph) if some else _NOTHING
    return Stone(glyph, owner.owner, owner.name)


def over(upper: Stone, lower: Stone) -> Stone:
    """Two lines of one square. Where one of them says that nothing is there it stays blank; where both do,
    the square is drawn as empty as any other."""
    if all(line.nothing for line in (upper, *lower.lines)):
        return upper
    blank = Stone("")
    return replace(blank if upper.nothing else upper, below=blank if lower.nothing else lower)


# ------------------------------------------------------------- as the game says


def compile_show(show: Show, model: Model, interpreter: Interpreter) -> Artist:
    """How the game's own `show` draws a position."""
    lines = [[_compile_part(part, model, interpreter) for part in line.parts] for line in show.lines]
    frame_size = show.frame

    def draw(state: State, viewer: int | None = None) -> Picture:
        frame: Frame = [None] * frame_size
        if show.viewer is not None:
            frame[show.viewer] = viewer
        return tuple(tuple(part(state, frame) for part in line) for line in lines)

    return draw


def _compile_part(
    part: str | Expr | ShowList | ShowBoard, model: Model, interpreter: Interpreter
) -> Callable[[State, Frame], str | Board]:
    if isinstance(part, str):
        return lambda state, frame: part
    if isinstance(part, ShowBoard):
        return _compile_board(part, model, interpreter)
    if isinstance(part, ShowList):
        elements, type_ = _compile_list(part, interpreter), part.value.type
        return _if_seen(lambda state, frame: " ".join(_word(type_, v) for v in elements(state, frame)), "?")
    type_, value = part.type, interpreter.expression(part)
    return _if_seen(lambda state, frame: _word(type_, value(state, frame)), "?")


Shown = TypeVar("Shown")


def _if_seen(draw: Callable[[State, Frame], Shown], unseen: Shown) -> Callable[[State, Frame], Shown]:
    """What is drawn, or something else where it would tell what is not seen."""

    def drawn(state: State, frame: Frame) -> Shown:
        try:
            return draw(state, frame)
        except _Looked:
            return unseen

    return drawn


def _word(type_: Type, value: Any) -> str:
    return "?" if value is UNSEEN else show_value(type_, value)


def _compile_list(part: ShowList, interpreter: Interpreter) -> Callable[[State, Frame], list[Any]]:
    slot, count, value = part.slot, interpreter.expression(part.count), interpreter.expression(part.value)

    def elements(state: State, frame: Frame) -> list[Any]:
        found = []
        for number in range(count(state, frame)):
            frame[slot] = number
            found.append(value(state, frame))
        return found

    return elements


def _compile_board(
    part: ShowBoard, model: Model, interpreter: Interpreter
) -> Callable[[State, Frame], Board]:
    slot, draw = part.slot, _compile_stone(part.value, interpreter)
    below = None if part.below is None else _compile_board(part.below, model, interpreter)
    columns, rows = _labels(part.cells, model)

    def board(state: State, frame: Frame) -> Board:
        stones = []
        for cell in range(part.cells.size):
            frame[slot] = cell
            stones.append(draw(state, frame))
        if below is not None:
            stones = list(map(over, stones, below(state, frame).stones))
        return Board(part.cells, tuple(stones), part.flip, columns=columns, rows=rows)

    return board


Labels = tuple[str, ...] | None


def _labels(cells: Cells, model: Model) -> tuple[Labels, Labels]:
    """What stands over the columns and beside the rows of a board: the letters and numbers of its cells
    (None) if moves or variables name cells; the numbers of columns if moves name these; else nothing, for
    what is labelled `c2` one would try to name so."""
    if cells.kind != "grid":
        return None, None
    named = [parameter.type for move in model.moves for parameter in move.parameters]
    if any(_mentions(type_, cells) for type_ in (*named, *(v.type for v in model.variables))):
        return None, None
    for type_ in named:
        if isinstance(type_, Int) and type_.size == cells.cols:
            return tuple(str(type_.lo + k) for k in range(cells.cols)), ()
    return (), ()


def _mentions(type_: Any, cells: Cells) -> bool:
    """Whether values of the type are, or hold, cells of that board."""
    match type_:
        case Cells():
            return (type_.whole or type_) == (cells.whole or cells)
        case Part():
            return _mentions(type_.whole, cells)
        case Union():
            return any(_mentions(member, cells) for member in type_.members)
        case Tuple():
            return any(_mentions(part, cells) for part in type_.fields)
        case SetOf():
            return _mentions(type_.element, cells)
        case _:
            return False


def _compile_stone(part: Expr | ShowList, interpreter: Interpreter) -> Callable[[State, Frame], Stone]:
    if isinstance(part, ShowList):
        elements, element = _compile_list(part, interpreter), part.value.type
        return _if_seen(lambda state, frame: stack(element, elements(state, frame)), Stone("?"))
    type_, value = part.type, interpreter.expression(part)
    return _if_seen(lambda state, frame: stone(type_, value(state, frame)), Stone("?"))


# ------------------------------------------------------------- without being told


def draw_variables(layout: Layout, values: State) -> Picture:
    """Every variable: maps over cells and sets of cells as boards, the rest as `name: value`."""
    rows: list[Row] = []
    for name, variable in layout.variables.items():
        if variable.length is not None:
            rows.extend(_draw_lists(variable, layout.lists(variable, tuple(values))))
        elif variable.counts is None:
            rows.extend(_draw_variable(variable, tuple(values[layout.places[name]])))
    return tuple(rows)


def _draw_variable(variable: Variable, elements: tuple[Any, ...]) -> Iterator[Row]:
    if not variable.indices:
        if isinstance(variable.type, SetOf) and isinstance(variable.type.element, Cells):
            yield (_set_board(variable.name, variable.type.element, elements[0]),)
        else:
            yield (f"{variable.name}: {format_value(variable.type, elements[0])}",)
        return
    *outer, last = variable.indices
    if isinstance(last, Cells):
        boards = _slices(variable, elements)
        yield tuple(
            Board(last, tuple(stone(variable.type, value) for value in part), title=title)
            for title, part in boards
        )
    elif outer:
        for title, part in _slices(variable, elements):
            yield (f"{title}: {_list_elements(variable.type, last, part)}",)
    else:
        yield (f"{variable.name}: {_list_elements(variable.type, last, elements)}",)


def _draw_lists(variable: Variable, elements: list[tuple[Any, ...] | Hidden]) -> Iterator[Row]:
    *outer, cells = (None, *variable.indices[:-1])
    if isinstance(cells, Cells) and len(outer) == 1:
        stones = tuple(
            Stone("?") if isinstance(e, Hidden) else stack(variable.type, list(e)) for e in elements
        )
        yield (Board(cells, stones, title=variable.name),)
        return
    for combination, found in zip(element_indices(variable, variable.indices[:-1]), elements, strict=True):
        named = ", ".join(show_value(t, v) for t, v in zip(variable.indices, combination, strict=False))
        title = f"{variable.name}[{named}]" if named else variable.name
        yield (f"{title}: {format_list(variable.type, found)}",)


def _set_board(name: str, cells: Cells, mask: Any) -> Board:
    if mask is HIDDEN:
        stones = [Stone("?")] * cells.size
    else:
        stones = [stone(Bool(), mask >> k & 1 == 1) for k in range(cells.size)]
    return Board(cells, tuple(stones), title=name)


def _slices(variable: Variable, elements: tuple[Any, ...]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """A map cut along its last index: `name[a, b]` and the elements there."""
    outer = variable.indices[:-1]
    prefixes = list(product(*(values_of(index) for index in outer)))
    width = len(elements) // len(prefixes)
    for number, prefix in enumerate(prefixes):
        named = ", ".join(show_value(t, v) for t, v in zip(outer, prefix, strict=True))
        title = f"{variable.name}[{named}]" if named else variable.name
        yield title, elements[number * width : (number + 1) * width]


def _list_elements(type_: Type, index: Type, elements: tuple[Any, ...]) -> str:
    """`first=20 second=7` over names, `0 0 1` over numbers."""
    shown = [format_value(type_, value) for value in elements]
    if isinstance(index, Bool) or not hasattr(index, "members"):
        return " ".join(shown)
    keys = (show_value(index, key) for key in values_of(index))
    return " ".join(f"{key}={value}" for key, value in zip(keys, shown, strict=True))
