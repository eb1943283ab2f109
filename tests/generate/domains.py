"""What `for`, comprehensions, draws and move parameters range over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gdl.check.boards import lines
from gdl.model.types import BOOL, Cells, Int, ListOf, SetOf, Tuple, Type
from tests.generate import bags, conditions, held_lists, numbers, values
from tests.generate.code import OR, RANGE, SUM, Code, infix
from tests.generate.scope import Readable, Scope, is_board, is_direction
from tests.generate.types import literal

LARGEST = 9


@dataclass(frozen=True)
class Domain:
    """Text to stand behind `in` or `~`; how many values it has at least and at most."""

    code: Code
    element: Type
    least: int
    most: int


Maker = Callable[[], Domain]


def domain(scope: Scope, depth: int, largest: int = LARGEST) -> Domain:
    """A type, a range, a set or a list, of at most so many values."""
    choices = scope.choices
    options: list[Maker] = [lambda: _numbers(scope, min(largest, 4))]
    options += [lambda: _range(scope, depth - 1, min(largest, 4))] * 2
    named = [*scope.world.types.items(), ("player", scope.world.players), ("bool", BOOL)]
    for name, type_ in named:
        size: int = type_.size  # type: ignore[union-attr]
        if size <= largest:
            options.append(lambda n=name, t=type_, s=size: Domain(Code(n), t, s, s))  # type: ignore[misc]
    options.append(lambda: _written(scope, min(largest, 3)))
    sets = [r for r in scope.of_type(lambda t: isinstance(t, SetOf), depth) if r.type.element.size <= largest]  # type: ignore[union-attr]
    if sets:
        options += [lambda: _set(scope, scope.prefer(sets).type, depth - 1)] * 2
    options += [maker for maker in lists(scope, depth) if largest >= LARGEST]
    return choices.one_of(*options)


def _numbers(scope: Scope, size: int) -> Domain:
    lo = scope.choices.integer(0, 2)
    hi = lo + scope.choices.integer(0, size - 1)
    return Domain(Code(f"{lo}..{hi}", RANGE), Int(lo, hi), hi - lo + 1, hi - lo + 1)


def _range(scope: Scope, depth: int, size: int) -> Domain:
    """Ends that are computed; empty where the upper one is the smaller."""
    lo = scope.choices.integer(0, 1)
    hi = numbers.whole_in(scope, Int(lo, lo + size - 1), depth)
    least = 1
    if scope.risk(3):
        hi = numbers.whole_in(scope, Int(lo - 1, lo + size - 1), depth)
        least = 0
    return Domain(infix(Code(str(lo)), "..", hi, SUM, SUM), Int(lo, lo + size - 1), least, size)


def _written(scope: Scope, size: int) -> Domain:
    """A list or set that is written out; its elements differ."""
    choices = scope.choices
    scalars = [
        t for t in scope.world.types.values() if not isinstance(t, Int | SetOf) and not values.needs_hint(t)
    ]
    element = choices.pick([Int(-1, 5), scope.world.players, *scalars])
    items = list(
        dict.fromkeys(literal(scope, element, hinted=False).text for _ in range(choices.integer(1, size)))
    )
    opening, closing = choices.pick(["[]", "{}"])
    return Domain(Code(f"{opening}{', '.join(items)}{closing}"), element, len(items), len(items))


def _set(scope: Scope, type_: Type, depth: int) -> Domain:
    assert isinstance(type_, SetOf)
    return Domain(values.value(scope, type_, depth, hinted=False), type_.element, 0, type_.element.size)


def lists(scope: Scope, depth: int, of_cells: bool = False) -> list[Maker]:
    """Lists: constants, lines through a board, neighbours, rays, directions."""
    makers: list[Maker] = []
    for readable in scope.of_type(lambda t: isinstance(t, ListOf), depth):
        type_ = readable.type
        assert isinstance(type_, ListOf)
        if not of_cells or isinstance(type_.element, Cells):
            least = type_.longest if readable.kind == "constant" and not readable.takes else 0
            makers.append(lambda r=readable, t=type_, n=least: _known_list(scope, r, t, n, depth))  # type: ignore[misc]
    for cells in scope.world.boards():
        makers.append(lambda c=cells: _around(scope, c, depth))  # type: ignore[misc]
        if is_board(cells):
            makers.append(lambda c=cells: _ray(scope, c, depth))  # type: ignore[misc]
            if not of_cells:
                makers.append(lambda c=cells: _directions(scope, c))  # type: ignore[misc]
        if not of_cells:
            makers.append(lambda c=cells: _lines(scope, c, depth))  # type: ignore[misc]
    return makers


def _known_list(scope: Scope, readable: Readable, type_: ListOf, least: int, depth: int) -> Domain:
    return Domain(values.read(scope, readable, depth - 1), type_.element, least, type_.longest)


def _around(scope: Scope, cells: Cells, depth: int) -> Domain:
    name = scope.choices.pick(["neighbours", "surrounding"])
    cell = values.value(scope, cells, depth - 1, hinted=False)
    return Domain(Code(f"{name}({cell})"), cells, 0, min(8, cells.size))


def _ray(scope: Scope, cells: Cells, depth: int) -> Domain:
    cell = values.value(scope, cells, depth - 1, hinted=False)
    small = [
        r
        for r in scope.of_type(is_direction, -1)
        if all(abs(e) <= 2 for f in r.type.fields for e in (f.lo, f.hi))
    ]  # type: ignore[union-attr]
    if small and scope.choices.maybe():
        step = values.read(scope, scope.choices.pick(small), 0)
    else:
        step = Code(scope.choices.pick(["(1, 0)", "(0, 1)", "(-1, -1)", "(0, 2)", "(1, -1)", "(0, 0)"]))
    return Domain(Code(f"ray({cell}, {step})"), cells, 0, max(cells.rows, cells.cols) - 1)


def _directions(scope: Scope, cells: Cells) -> Domain:
    name = scope.choices.pick(["directions", "orthogonal", "diagonal"])
    count = {"directions": 8, "orthogonal": 4, "diagonal": 4}[name]
    if cells.kind == "hex":
        count = {"directions": 6, "orthogonal": 6, "diagonal": 0}[name]
    element = Tuple((Int(-1, 1), Int(-1, 1)) if count else (Int(0, 0), Int(0, 0)))
    return Domain(Code(f"{name}({cells.name})"), element, count, count)


def _lines(scope: Scope, cells: Cells, depth: int) -> Domain:
    """All lines of a length, or those through one cell."""
    length = scope.choices.integer(1, 3)
    count = len(lines(cells, length))
    if scope.choices.maybe(3):
        cell = values.value(scope, cells, depth - 1)
        return Domain(Code(f"lines({cells.name}, {length}, {cell})"), ListOf(cells, length), 0, count)
    return Domain(Code(f"lines({cells.name}, {length})"), ListOf(cells, length), count, count)


# ------------------------------------------------------------------------ binders


@dataclass(frozen=True)
class Binders:
    """`for x in D, y in E if c`, the scope of the body, and how often the body is met."""

    text: str
    scope: Scope
    least: int
    most: int


def binders(scope: Scope, depth: int) -> Binders:
    """One or two names, perhaps with a condition."""
    choices = scope.choices
    inner, parts, least, most = scope, [], 1, 1
    for _ in range(choices.pick([1, 1, 1, 2])):
        if choices.maybe(4) and (listed := held_lists.known(inner)):
            of = choices.pick(listed)
            found = Domain(Code(held_lists.place(inner, of, -1)), of.element, 0, of.longest)
        elif choices.maybe(4) and bags.known(inner):
            found = bags.domain(inner, subsets=most == 1 and choices.maybe())
        else:
            found = domain(inner, depth - 1, LARGEST if most == 1 else 4)
        names, inner = bind(inner, found.element)
        parts.append(f"{names} in {found.code.at(OR)}")
        least, most = least * found.least, most * found.most
    text = f"for {', '.join(parts)}"
    if choices.maybe(3):
        test, inner, _ = conditions.test(inner, depth - 1)
        text, least = f"{text} if {test}", 0
    return Binders(text, inner, least, most)


def bind(scope: Scope, element: Type) -> tuple[str, Scope]:
    """A name for an element, or one for each part of a tuple."""
    if isinstance(element, Tuple) and len(element.fields) > 1 and scope.choices.maybe():
        names = []
        for part in element.fields:
            names.append(scope.local_name("i", "j", "k", "l", "m"))
            scope = scope.declare(names[-1], part)
        return f"({', '.join(names)})", scope
    name = scope.local_name(*_LOOP_NAMES.get(type(element), ("i", "j", "k")))
    return name, scope.declare(name, element)


_LOOP_NAMES = {Cells: ("c", "d", "e"), ListOf: ("line", "row"), SetOf: ("group",), Tuple: ("v", "w")}
