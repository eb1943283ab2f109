"""Types: which ones a game declares and uses, how they are written, and the literals of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from gdl.check import boards
from gdl.check.relations import overlap
from gdl.model.types import (
    BOOL,
    NONE,
    BagOf,
    Bool,
    Cells,
    Enum,
    Int,
    Member,
    Part,
    Player,
    SetOf,
    Tuple,
    Type,
    Union,
    from_ordinal,
    member_of,
    places_of,
    show_value,
    values,
    whole_of,
)
from tests.generate.choices import Choices
from tests.generate.code import ATOM, MINUS, PRODUCT, Code, indented
from tests.generate.scope import Scope, World

MEMBERS = [
    ("red", "green", "blue", "grey"),
    ("low", "middle", "high", "top"),
    ("rock", "paper", "scissors", "well"),
    ("up", "down", "left", "right"),
    ("north", "east", "south", "west"),
    ("jack", "queen", "king", "ace"),
]
SINGLES = ("empty", "bar", "away", "hand", "nothing")
GLYPHS = ("*", "+", "o", "%", "#", "@")
PLACES = ("p", "q", "r", "s", "t")
TYPE_NAMES = {
    "range": ("Rank", "Level", "Pips"),
    "enum": ("Suit", "Sign", "Way", "Tone", "Side", "Card"),
    "grid": ("Cell", "Square", "Field"),
    "hex": ("Hexagon", "Tile"),
    "graph": ("Point", "Node"),
    "union": ("Mark", "Spot", "Piece"),
    "record": ("Pair", "Link", "Trip"),
    "optional": ("Maybe", "Perhaps"),
    "set": ("Group", "Heap"),
    "subset": ("Some", "Few", "Half"),
}


# ----------------------------------------------------------------- declarations


def declare_players(world: World) -> None:
    names = ("white", "black", "third", "fourth")[: world.choices.pick([2, 2, 2, 1, 3, 4])]
    glyphs = world.choices.maybe(3)
    world.players = Player("player", tuple(Member(n, n[0].upper() if glyphs else None) for n in names))
    world.used.update(names)
    world.items.append(f"players: {', '.join(map(_member, world.players.members))}")


def declare_types(world: World) -> None:
    kinds = [_range, _enum, _board, _graph, _union, _record, _optional, _set, _subset]
    for _ in range(world.choices.integer(1, 4)):
        world.choices.pick(kinds)(world)


def _declare(world: World, kind: str, type_: Type, text: str) -> None:
    """Declares the type; its name must be that of the type where the type has one."""
    name = getattr(type_, "name", None) or world.name(*TYPE_NAMES[kind])
    world.types[name] = type_
    world.items.append(f"type {name} = {text}")


def _range(world: World) -> None:
    type_ = whole_range(world, 5)
    _declare(world, "range", type_, spell(world, type_))


def _enum(world: World) -> None:
    type_ = new_enum(world, world.name(*TYPE_NAMES["enum"]), world.choices.integer(2, 4))
    _declare(world, "enum", type_, _members(type_))


def new_enum(world: World, name: str, size: int) -> Enum:
    words = world.choices.pick([m for m in MEMBERS if m[0] not in world.used] or [()])
    if not words:
        words = tuple(world.name(f"{name.lower()}{i}") for i in range(size))
    world.used.update(words)
    glyphs = list(GLYPHS) if world.choices.maybe(3) else []
    members = [Member(word, glyphs.pop() if glyphs else None) for word in words[:size]]
    return Enum(name, tuple(members))


def _members(enum: Enum) -> str:
    return "{" + ", ".join(map(_member, enum.members)) + "}"


def _member(member: Member) -> str:
    return member.name if member.glyph is None else f'{member.name} "{member.glyph}"'


def _board(world: World) -> None:
    kind = world.choices.pick(["grid", "grid", "hex"])
    rows, cols = world.choices.pick([(2, 2), (1, 3), (2, 3), (3, 1), (3, 2), (3, 3), (1, 1)])
    make = boards.grid if kind == "grid" else boards.hexagons
    type_ = make(world.name(*TYPE_NAMES[kind]), rows, cols)
    _declare(world, kind, type_, f"{kind}({number_text(world, rows)}, {number_text(world, cols)})")


def _graph(world: World) -> None:
    """Chains of places; some links lead one way only."""
    choices, chains, lines = world.choices, [], []
    prefix = choices.pick(["", "g"]) if not world.used & set(PLACES) else world.name("n", "m")
    numbers: dict[str, int] = {}
    edges: set[tuple[int, int]] = set()
    for _ in range(choices.integer(1, 3)):
        chain = choices.shuffled(PLACES)[: choices.integer(1, 4)]
        places = [numbers.setdefault(prefix + word, len(numbers)) for word in chain]
        chains.append(places)
        line = prefix + chain[0]
        for a, b, word in zip(places, places[1:], chain[1:], strict=False):
            link = choices.pick(["-", "-", "->"])
            edges |= {(a, b)} if link == "->" else {(a, b), (b, a)}
            line += f" {link} {prefix}{word}"
        lines.append(line)
    world.used.update(numbers)
    type_ = boards.graph(world.name(*TYPE_NAMES["graph"]), tuple(numbers), chains, edges)
    _declare(world, "graph", type_, "\n".join(["graph:", *indented(lines)]))


def _union(world: World) -> None:
    """A named value beside the players, a range, a board or another enum."""
    choices = world.choices
    name = world.name(*TYPE_NAMES["union"])
    parts = [choices.pick([world.players, *scalars(world), whole_range(world, 4)])]
    lone = Enum(name, (Member(world.name(*SINGLES), choices.pick([None, "."])),))
    if choices.maybe(3):
        others = [t for t in scalars(world) if type(t) is not type(parts[0]) and not overlap(t, parts[0])]
        parts.extend(others[:1])
    if choices.maybe():
        parts.insert(0, lone)
    else:
        parts.append(lone)
    world.types[name] = Union(tuple(parts))
    text = " | ".join(_members(part) if part is lone else spell(world, part) for part in parts)
    world.items.append(f"type {name} = {text}")


def _record(world: World) -> None:
    fields = tuple(small_type(world, 5) for _ in range(world.choices.pick([2, 2, 3, 1])))
    names = ("from", "to", "by")[: len(fields)] if len(fields) == 1 or world.choices.maybe() else None
    type_ = Tuple(fields, names)
    _declare(world, "record", type_, spell(world, type_))


def _optional(world: World) -> None:
    type_ = optional(small_type(world, 6))
    _declare(world, "optional", type_, spell(world, type_))


def _set(world: World) -> None:
    type_ = SetOf(small_type(world, 4))
    _declare(world, "set", type_, spell(world, type_))


def _subset(world: World) -> None:
    """Some of the values of a type that is declared already."""
    known = [(name, t) for name, t in world.types.items() if isinstance(t, Enum | Cells | Int | Tuple | Part)]
    known = [(name, t) for name, t in known if 2 <= t.size <= 30 and not (isinstance(t, Tuple) and _odd(t))]
    if not known:
        return _enum(world)
    choices = world.choices
    base, type_ = choices.pick(known)
    text, holds = choices.pick(_tests(choices, type_))
    kept = [k for k, value in enumerate(values(type_)) if holds(value)]
    if not kept:
        return None
    name = world.name(*TYPE_NAMES["subset"])
    whole, places = whole_of(type_), places_of(type_)
    kept = [places[k] for k in kept] if places is not None else kept
    world.types[name] = _part(name, whole, kept)
    world.items.append(f"type {name} = {{v in {base} if {text}}}")
    return None


def _tests(choices: Choices, type_: Type) -> list[tuple[str, Callable[[Any], bool]]]:
    """Conditions of a value `v`, as text and as what they mean."""
    size: int = type_.size  # type: ignore[union-attr]
    found: list[tuple[str, Callable[[Any], bool]]] = []
    whole = whole_of(type_)
    some = from_ordinal(type_, choices.integer(0, size - 1))
    if isinstance(whole, Int):
        odd = choices.integer(0, 1)
        number = lambda v: v if isinstance(type_, Int) else from_ordinal(whole, type_.places[v])  # noqa: E731
        found.append((f"v mod 2 == {odd}", lambda v: number(v) % 2 == odd))
    if isinstance(type_, Cells) and type_.rows:
        found.append(("(v.row + v.col) mod 2 == 0", lambda v: sum(type_.place(v)) % 2 == 0))
        found.append(("v.row <= v.col", lambda v: type_.place(v)[0] <= type_.place(v)[1]))
    if isinstance(type_, Enum | Cells):
        found.append((f"v != {show_value(type_, some)}", lambda v: v != some))
        found.append((f"rank(v) mod 3 != {size % 3}", lambda v: v % 3 != size % 3))
    if isinstance(type_, Tuple) and all(isinstance(f, Int | Bool | Player) for f in type_.fields):
        found.append((f"v != {show_value(type_, some)}", lambda v: v != some))
    return found or [("true", lambda v: True)]


def _part(name: str, whole: Type, kept: list[int]) -> Type:
    match whole:
        case Cells():
            return boards.part(name, whole, kept)
        case Enum():
            return Enum(name, tuple(whole.members[k] for k in kept), whole, tuple(kept))
        case Int() if kept[-1] - kept[0] == len(kept) - 1:
            return Int(whole.lo + kept[0], whole.lo + kept[-1])
    return Part(name, whole, tuple(kept))


def _odd(type_: Tuple) -> bool:
    """Tuples whose values are not written as they are shown: of one field, or with sets or tuples in them."""
    return len(type_.fields) == 1 or any(isinstance(f, SetOf | Tuple) for f in type_.fields)


# ------------------------------------------------------------------ types to use


def whole_range(world: World, size: int) -> Int:
    lo = world.choices.pick([0, 0, 1, -1, -2, 3])
    return Int(lo, lo + world.choices.integer(1, size - 1))


def scalars(world: World) -> list[Type]:
    """The simple types that have a name."""
    return [t for t in world.types.values() if isinstance(t, Enum | Cells | Int | Part)]


def small_type(world: World, size: int) -> Type:
    """A scalar of at most so many values that can be written everywhere."""
    known = [t for t in scalars(world) if t.size <= size]  # type: ignore[union-attr]
    return world.choices.pick([BOOL, Int(0, min(2, size - 1)), world.players, *known, *known])


def storable(world: World, size: int) -> Type:
    """A type for a variable or a formal, of at most so many values."""
    choices = world.choices
    options = [lambda: BOOL, lambda: whole_range(world, max(2, min(6, size)))]
    declared = [t for t in world.types.values() if t.size <= size]  # type: ignore[union-attr]
    if world.players.size <= size:
        options.append(lambda: world.players)
    options.extend([lambda: choices.pick(declared)] * 4 if declared else [])
    if size >= 4:
        options.append(lambda: optional(small_type(world, size - 1)))
        options.append(lambda: SetOf(small_type(world, size.bit_length() - 1)))
    if size >= 9:
        options.append(lambda: Tuple((small_type(world, 3), small_type(world, 3))))
        options.append(lambda: optional(Tuple((BOOL, small_type(world, 4)))))
    return choices.one_of(*options)


def optional(type_: Type) -> Type:
    members = type_.members if isinstance(type_, Union) else (type_,)
    return Union((*(m for m in members if m != NONE), NONE))


# ----------------------------------------------------------------------- spelling


def spell(world: World, type_: Type, place: str = "type") -> str:
    """A type as text. Types have no brackets: where an "atom" is wanted neither a union nor `T?` can stand,
    where an "optional" is wanted no union.
    """
    aliases = [name for name, known in world.types.items() if known == type_]
    if isinstance(type_, Enum | Cells | Part) and not isinstance(type_, Player):
        return type_.name
    inline = _inline(world, type_, place)
    return world.choices.pick([*inline, *aliases])


def _inline(world: World, type_: Type, place: str) -> list[str]:
    known = [world.players, *world.types.values()]
    match type_:
        case Bool():
            return ["bool"]
        case Player():
            return ["player"]
        case Int():
            return [f"{number_text(world, type_.lo)}..{number_text(world, type_.hi)}"]
        case Tuple():
            parts = [spell(world, part) for part in type_.fields]
            if type_.names:
                parts = [f"{name}: {part}" for name, part in zip(type_.names, parts, strict=True)]
            return [f"({', '.join(parts)})"]
        case SetOf():
            return [f"set of {spell(world, type_.element, 'atom')}"]
        case Union() if place != "atom" and type_.members[-1] == NONE and len(type_.members) == 2:
            return [f"{spell(world, type_.members[0], 'atom')}?"]
        case Union() if place == "type" and all(member in known for member in type_.members):
            return [" | ".join(spell(world, member, "atom") for member in type_.members)]
        case _:
            return []


def number_text(world: World, number: int) -> str:
    """A number, or a parameter or constant that stands for it."""
    return world.choices.pick([str(number), *world.bounds.get(number, ())])


# ----------------------------------------------------------------------- literals


def literal(scope: Scope, type_: Type, hinted: bool = True) -> Code:
    """A value of the type, written out; `hinted` where the text around it says which type is meant."""
    choices = scope.choices
    match type_:
        case Union():
            member, inner = member_of(type_, choices.integer(0, type_.size - 1))
            return value_text(scope, member, inner, hinted)
        case Tuple():
            items = [literal(scope, part, hinted).text for part in type_.fields]
            return Code(tuple_text(items))
        case SetOf():
            element = type_.element
            wanted = choices.subset(range(element.size), least=0 if hinted else 1)
            inside = [value_text(scope, element, from_ordinal(element, k), hinted).text for k in wanted]
            return Code("{" + ", ".join(inside) + "}")
        case BagOf():
            count = choices.integer(0, type_.longest)
            return Code("{" + ", ".join(literal(scope, type_.element).text for _ in range(count)) + "}")
        case Int():
            return number_code(Fraction(choices.integer(type_.lo, type_.hi)))
        case _:
            size: int = type_.size  # type: ignore[union-attr]
            return value_text(scope, type_, from_ordinal(type_, choices.integer(0, size - 1)), hinted)


def value_text(scope: Scope, type_: Type, value: object, hinted: bool = True) -> Code:
    """One value as text. The cells of two boards may have the same names: then the board must be said."""
    match type_:
        case Cells() if not hinted and _shared(scope.world, type_, show_value(type_, value)):
            return Code(f"{type_.name}({show_value(type_, value)})")
        case Enum() | Part() if not hinted and type_.whole is not None:
            return Code(f"{type_.name}({show_value(type_, value)})")
        case Int():
            return number_code(Fraction(value))  # type: ignore[arg-type]
        case Union():
            return value_text(scope, *member_of(type_, value), hinted)  # type: ignore[arg-type]
        case Tuple():
            parts = zip(type_.fields, value, strict=True)  # type: ignore[call-overload]
            return Code(tuple_text([value_text(scope, t, v, hinted).text for t, v in parts]))
        case _:
            return Code(show_value(type_, value))


def tuple_text(items: Sequence[str]) -> str:
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def number_code(value: Fraction) -> Code:
    if value.denominator != 1:
        return Code(str(value), PRODUCT)
    return Code(str(value), MINUS if value < 0 else ATOM)


def _shared(world: World, cells: Cells, name: str) -> bool:
    return sum(name in board.ordinals for board in world.boards()) > 1
