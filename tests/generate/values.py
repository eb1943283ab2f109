"""Expressions of any type: names and calls, and what each type offers besides."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from gdl.model.types import (
    BOOL,
    NONE,
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
    places_of,
    whole_of,
)
from tests.generate import conditions, domains, held_lists, numbers
from tests.generate.code import (
    CAST,
    INTERSECTION,
    MINUS,
    PRODUCT,
    RANGE,
    SUM,
    UNION,
    Code,
    conditional,
    infix,
    listed,
)
from tests.generate.scope import Readable, Scope, is_direction
from tests.generate.types import literal, number_code, spell, tuple_text

Maker = Callable[[], Code]

DIRECTION = Tuple((Int(-1, 1), Int(-1, 1)))


def value(scope: Scope, type_: Type, depth: int, hinted: bool = True) -> Code:
    """An expression that a variable of the type may be given.

    `hinted` where the text around it says which type is meant; otherwise the expression must have the
    type, or a part of its range, by itself.
    """
    if isinstance(type_, Bool):
        return conditions.condition(scope, depth)
    if isinstance(type_, Int):
        return numbers.whole_in(scope, type_, depth)
    if not hinted and needs_hint(type_):
        return exact(scope, type_, depth)
    choices = scope.choices
    options = [lambda: literal(scope, type_, hinted)]
    known = scope.of_type(lambda t: t == type_ or (hinted and _is_part(t, type_)), depth)
    if known:
        options.extend([lambda: read(scope, scope.prefer(known), depth - 1)] * 4)
    if depth > 0 and any(of.element == type_ for of in held_lists.known(scope)):
        options.extend([lambda: held_lists.element(scope, type_, depth - 1)] * 2)
    if depth > 0:
        options.append(lambda: _conditional(scope, type_, depth - 1, hinted))
        options.append(lambda: _after(scope, type_, depth - 1, hinted))
        options.extend(_of_its_kind(scope, type_, depth - 1, hinted))
    elif isinstance(type_, Tuple) and not known:
        options.append(lambda: _tuple(scope, type_, 0, hinted))
    return choices.one_of(*options)


def exact(scope: Scope, type_: Type, depth: int) -> Code:
    """An expression that has the type by itself, for `let` and the result of a `def`."""
    if needs_hint(type_):
        known = scope.fresh(lambda t: t == type_, depth)
        if known and scope.choices.maybe():
            return read(scope, scope.prefer(known), depth - 1)
        return Code(
            f"{value(scope, type_, depth).at(UNION)} as {spell(scope.world, type_, 'optional')}", CAST
        )
    return value(scope, type_, depth, hinted=False)


def needs_hint(type_: Type) -> bool:
    """Whether values alone do not say what type they are of: `none` is of many."""
    match type_:
        case SetOf():
            return needs_hint(type_.element)
        case Tuple():
            return type_.names is not None or any(map(needs_hint, type_.fields))
        case _:
            return isinstance(type_, Union | Part | BagOf)


def _is_part(part: Type, whole: Type) -> bool:
    """Whether a value of the one type is one of the other as it stands."""
    match part, whole:
        case Int(), Int():
            return whole.lo <= part.lo and part.hi <= whole.hi
        case Union(), Union():
            return all(any(_is_part(p, w) for w in whole.members) for p in part.members)
        case _, Union():
            return any(_is_part(part, member) for member in whole.members)
        case _:
            return part == whole or (places_of(part) is not None and whole_of(part) == whole)


# ------------------------------------------------------------------- names, calls


def read(scope: Scope, readable: Readable, depth: int) -> Code:
    """`turn`, `board[c]`, `board[0, 2]`, `won(p)`."""
    if readable.kind == "def":
        if readable.takes:
            return call(scope, readable.name, readable.takes, readable.names, depth)
        return Code(readable.name)
    if not readable.takes:
        return Code(readable.name)
    return Code(f"{readable.name}[{indices(scope, readable.takes, depth)}]")


def place(scope: Scope, readable: Readable) -> Code:
    """The same with names and constants only for indices and arguments, so that tests tell something."""
    items = []
    for type_ in readable.takes:
        known = [r.name for r in scope.plain if r.type == type_]
        items.append(scope.choices.pick([literal(scope, type_).text, *known, *known]))
    opening, closing = "()" if readable.kind == "def" else "[]"
    return Code(f"{readable.name}{opening}{', '.join(items)}{closing}" if items else readable.name)


def indices(scope: Scope, types: tuple[Type, ...], depth: int) -> str:
    """One expression per index; a cell may be given by its row and column."""
    items = []
    for type_ in types:
        if (
            isinstance(type_, Cells)
            and type_.rows
            and _may_name_place(scope, type_)
            and scope.choices.maybe(6)
        ):
            items.extend(_row_and_column(scope, type_, depth))
        else:
            items.append(value(scope, type_, depth))
    return listed(items)


def _may_name_place(scope: Scope, cells: Cells) -> bool:
    """Whether a row and a column may be given: a part of a board has holes."""
    return cells.whole is None or scope.risk()


def _row_and_column(scope: Scope, cells: Cells, depth: int) -> list[Code]:
    ends = (Int(0, cells.rows - 1), Int(0, cells.cols - 1))
    return [numbers.whole_in(scope, end, depth) for end in ends]


def call(scope: Scope, name: str, takes: tuple[Type, ...], names: tuple[str, ...], depth: int) -> Code:
    """Arguments by position, or from some place on by name."""
    if not takes:
        return Code(name)
    items = [str(value(scope, type_, depth)) for type_ in takes]
    if scope.choices.maybe(5):
        named = scope.choices.integer(0, len(items) - 1)
        items[named:] = [f"{n}={item}" for n, item in zip(names[named:], items[named:], strict=True)]
    return Code(f"{name}({', '.join(items)})")


def _conditional(scope: Scope, type_: Type, depth: int, hinted: bool) -> Code:
    test, then, otherwise = conditions.test(scope, depth)
    return conditional(value(then, type_, depth, hinted), test, value(otherwise, type_, depth, hinted))


def _after(scope: Scope, type_: Type, depth: int, hinted: bool) -> Code:
    found = conditions.supposed(scope, depth)
    if found is None:
        return value(scope, type_, depth, hinted)
    effect, then = found
    return conditions.after(value(then, type_, depth, hinted), effect)


def _of_its_kind(scope: Scope, type_: Type, depth: int, hinted: bool) -> list[Maker]:
    """What only some types offer."""
    match type_:
        case Enum() | Cells() | Part():
            return [
                lambda: _neighbour(scope, type_, depth),
                *_ranked(scope, type_, depth),
                *_cells(scope, type_, depth),
                *_insisted(scope, type_),
            ]
        case Tuple():
            return [lambda: _tuple(scope, type_, depth, hinted)] * 2
        case SetOf():
            return _sets(scope, type_, depth, hinted)
        case Union() if hinted:
            return _unions(scope, type_, depth)
        case _:
            return []


def _neighbour(scope: Scope, type_: Type, depth: int) -> Code:
    """The next or previous value in the order of the type, round its end."""
    return Code(f"{scope.choices.pick(['next', 'previous'])}({value(scope, type_, depth, hinted=False)})")


def _ranked(scope: Scope, type_: Type, depth: int) -> list[Maker]:
    """`value(T, n)`, the value that comes at a place in the order of the type."""
    named = {"player": scope.world.players, **scope.world.types}
    names = [name for name, known in named.items() if known == type_]
    if not names:
        return []
    most = Int(0, type_.size - 1)  # type: ignore[union-attr]
    return [lambda: Code(f"value({names[0]}, {numbers.whole_in(scope, most, depth)})")]


def _insisted(scope: Scope, type_: Type) -> list[Maker]:
    """`Point(x)` of an x that may be something else: a fault where it is."""
    named = [name for name, known in scope.world.types.items() if known == type_]
    part = places_of(type_) is not None
    wider = scope.fresh(
        lambda t: (isinstance(t, Union) and type_ in t.members) or (part and t == whole_of(type_)), -1
    )
    if not named or not wider or not scope.risk():
        return []
    return [lambda: Code(f"{named[0]}({read(scope, scope.choices.pick(wider), -1)})")]


# ------------------------------------------------------------------------- boards


def _cells(scope: Scope, type_: Type, depth: int) -> list[Maker]:
    if not isinstance(type_, Cells) or not type_.rows or not _may_name_place(scope, type_):
        return []
    return [lambda: Code(f"{type_.name}({listed(_row_and_column(scope, type_, depth))})")]


def direction(scope: Scope, depth: int) -> Code:
    """A step in rows and columns."""
    choices = scope.choices
    known = scope.of_type(is_direction, depth)
    options = [lambda: Code(choices.pick(["(1, 0)", "(0, 1)", "(-1, 1)", "(0, -1)", "(2, 1)", "(0, 0)"]))]
    if known:
        options.extend([lambda: read(scope, scope.prefer(known), depth - 1)] * 3)
    if depth > 0:
        options += [
            lambda: _tuple(scope, DIRECTION, depth - 1, False),
            lambda: Code(
                f"{choices.pick(['2', '-1', '3'])} * {direction(scope, depth - 1).at(MINUS)}", PRODUCT
            ),
            lambda: Code(f"-{direction(scope, depth - 1).at(MINUS)}", MINUS),
            lambda: infix(
                direction(scope, depth - 1), choices.pick(["+", "-"]), direction(scope, depth - 1), SUM
            ),
        ]
    return choices.one_of(*options)


def step(scope: Scope, cells: Cells, depth: int) -> Code:
    """The cell at an offset, or none off the board."""
    start, offset = value(scope, cells, depth, hinted=False), direction(scope, depth)
    if scope.choices.maybe(3):
        return Code(f"step({start}, {offset})")
    return infix(start, scope.choices.pick(["+", "-"]), offset, SUM)


# --------------------------------------------------------------- unions, optionals


def _unions(scope: Scope, union: Union, depth: int) -> list[Maker]:
    """One of the parts; where `none` is allowed, what may come out as none."""
    choices = scope.choices
    members = [m for m in union.members if m != NONE]
    options = [lambda: value(scope, choices.pick(members), depth)] if members else []
    if NONE in union.members and len(members) == 1:
        part = members[0]
        options.append(lambda: _first(scope, part, depth))
        options.append(lambda: _cast(scope, part, depth))
        if isinstance(part, Cells) and part.rows:
            options.extend([lambda: step(scope, part, depth)] * 2)
    return options


def _first(scope: Scope, part: Type, depth: int) -> Code:
    binders = domains.binders(scope, depth)
    return Code(f"first({value(binders.scope, part, depth, hinted=False)} {binders.text})")


def _cast(scope: Scope, part: Type, depth: int) -> Code:
    """`e as T?`: e where T holds it, none elsewhere."""
    target = spell(scope.world, part, "atom")
    if isinstance(part, Int):
        inner = numbers.number(scope, depth).code
    elif isinstance(part, Cells) and part.rows and scope.choices.maybe():
        pair = [numbers.whole(scope, depth).code.text, numbers.whole(scope, depth).code.text]
        inner = Code(tuple_text(pair))
    else:
        wider = scope.fresh(lambda t: isinstance(t, Union) and part in t.members, depth)
        inner = read(scope, scope.choices.pick(wider), depth - 1) if wider else value(scope, part, depth)
    return Code(f"{inner.at(UNION)} as {target}?", CAST)


# ------------------------------------------------------------------- tuples, sets


def _tuple(scope: Scope, type_: Tuple, depth: int, hinted: bool) -> Code:
    return Code(tuple_text([value(scope, part, depth, hinted).text for part in type_.fields]))


def _sets(scope: Scope, type_: SetOf, depth: int, hinted: bool) -> list[Maker]:
    element = type_.element
    return [
        lambda: _set_of(scope, element, depth, hinted),
        lambda: _set_comprehension(scope, element, depth, hinted),
        lambda: _set_operation(scope, type_, depth, hinted),
        lambda: _set_operation(scope, type_, depth, hinted),
        *([lambda: _number_range(scope, element)] if isinstance(element, Int) and hinted else []),
        *([lambda: _reachable(scope, type_, depth)] if isinstance(element, Cells) else []),
        *([lambda: _related(scope, type_, depth)] * 2 if relations(scope, element) else []),
    ]


def _set_of(scope: Scope, element: Type, depth: int, hinted: bool) -> Code:
    items = [value(scope, element, depth, hinted) for _ in range(scope.choices.integer(1, 3))]
    return Code("{" + listed(items) + "}")


def _set_comprehension(scope: Scope, element: Type, depth: int, hinted: bool) -> Code:
    binders = domains.binders(scope, depth)
    return Code("{" + f"{value(binders.scope, element, depth, hinted)} {binders.text}" + "}")


def _set_operation(scope: Scope, type_: SetOf, depth: int, hinted: bool) -> Code:
    op, level = scope.choices.pick([("|", UNION), ("&", INTERSECTION), ("-", SUM), ("+", SUM)])
    return infix(value(scope, type_, depth, hinted), op, value(scope, type_, depth, hinted), level)


def _number_range(scope: Scope, element: Int) -> Code:
    lo = scope.choices.integer(element.lo, element.hi)
    hi = scope.choices.integer(lo, element.hi)
    return Code(f"{number_code(Fraction(lo))}..{number_code(Fraction(hi))}", RANGE)


def _reachable(scope: Scope, type_: SetOf, depth: int) -> Code:
    """The cells of a set that are connected to a start inside of it."""
    cells = type_.element
    start = value(scope, scope.choices.pick([cells, type_]), depth)
    return Code(f"reachable({start}, {value(scope, type_, depth, hinted=False)})")


def relations(scope: Scope, element: Type) -> list[Readable]:
    """The defs that say where a step from a value of a type leads."""
    return [
        r
        for r in scope.readables()
        if r.kind == "def" and r.type == BOOL and len(r.takes) > 1 and r.takes[:2] == (element, element)
    ]


def relation(scope: Scope, element: Type, depth: int) -> Code:
    """One of them, with what it takes behind the ends of a step."""
    chosen = scope.choices.pick(relations(scope, element))
    rest = [value(scope, type_, min(depth, 1)) for type_ in chosen.takes[2:]]
    return Code(f"{chosen.name}({listed(rest)})" if rest else chosen.name)


def _related(scope: Scope, type_: SetOf, depth: int) -> Code:
    """What is reached by a relation, everywhere or inside a set."""
    element = type_.element
    start = value(scope, scope.choices.pick([element, type_]), depth)
    within = [value(scope, type_, depth)] if scope.choices.maybe() else []
    if isinstance(element, Int):  # numbers written out are of the range that just holds them, the start's too
        within = [
            Code(f"{each.at(UNION)} as {spell(scope.world, type_, 'optional')}", CAST) for each in within
        ]
    return Code(f"reachable({listed([start, *within, relation(scope, element, depth)])})")
