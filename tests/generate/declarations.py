"""Parameters, constants, tables, the position, functions and effects."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import prod

from gdl.model.types import (
    BOOL,
    NONE,
    Bool,
    Cells,
    Int,
    ListOf,
    Player,
    Rational,
    SetOf,
    Tuple,
    Type,
    Union,
    from_ordinal,
    places_of,
    whole_of,
)
from gdl.model.types import (
    values as all_values,
)
from tests.generate import bags, conditions, domains, held_lists, numbers, statements, values
from tests.generate.code import OR, Code, indented
from tests.generate.scope import Performable, Readable, Scope, World
from tests.generate.types import literal, new_enum, number_code, spell, storable, value_text

VARIABLE_NAMES = ("pot", "stock", "board", "men", "last", "hand", "phase", "left", "goal", "mood")
KEYWORD_NAMES = (
    "from",
    "set",
    "weight",
    "type",
    "game",
    "max",
    "of",
    "where",
    "show",
    "count",
    "param",
    "weighted",
)
MOST_POSITIONS = 1500
"""How many positions the variables other than the clock may distinguish."""


# --------------------------------------------------------------------- parameters


def declare_params(world: World) -> None:
    choices = world.choices
    for _ in range(choices.pick([0, 1, 1, 2])):
        choices.pick([_whole_param, _open_param, _fraction_param, _flag_param, _named_param])(world)


def _param(world: World, name: str, type_: Type, text: str) -> None:
    world.values.append(Readable(name, type_, kind="constant"))
    world.items.append(f"param {name}{text}")


def _whole_param(world: World) -> None:
    name, value = world.name("size", "limit", "length"), world.choices.integer(1, 3)
    world.bounds.setdefault(value, []).append(name)
    _param(world, name, Int(value, value), f": {world.choices.pick([0, 1])}..{value + 2} = {value}")


def _open_param(world: World) -> None:
    name, value = world.name("stake", "start"), world.choices.pick([2, 0, 4, -1])
    if value >= 0:
        world.bounds.setdefault(value, []).append(name)
    _param(world, name, Int(value, value), f" = {value}")


def _fraction_param(world: World) -> None:
    name, value = world.name("coin", "luck"), Fraction(1, world.choices.integer(2, 5))
    _param(world, name, Rational(value, value), f"{world.choices.pick(['', ': 0..1'])} = {value}")


def _flag_param(world: World) -> None:
    name = world.name("open", "quick")
    _param(world, name, BOOL, f" = {world.choices.pick(['true', 'false'])}")


def _named_param(world: World) -> None:
    name = world.name("mode", "style")
    enum = new_enum(world, name, 2)
    words = [member.name for member in enum.members]
    _param(world, name, replace(enum, members=tuple(replace(m, glyph=None) for m in enum.members)),
           f": {{{', '.join(words)}}} = {world.choices.pick(words)}")  # fmt: skip


# ---------------------------------------------------------------------- constants


def declare_consts(world: World) -> None:
    choices = world.choices
    for _ in range(choices.integer(0, 3)):
        choices.pick([_number_const, _value_const, _list_const, _table, _table, _formula])(world)


def _constants(world: World) -> Scope:
    """Where nothing depends on a position, and nothing may fail."""
    return Scope(world, position=False, calls=False)


def _const(world: World, readable: Readable, text: str) -> None:
    world.values.append(replace(readable, kind="constant"))
    world.items.append(f"const {readable.name}{text}")


def _number_const(world: World) -> None:
    name = world.name("bonus", "price", "fee")
    found = numbers.number(_constants(world), 1)
    _const(world, Readable(name, found.type), f" = {found.code}")


def _value_const(world: World) -> None:
    name, type_ = world.name("origin", "home", "base"), storable(world, 20)
    value = values.value(_constants(world), type_, 1)
    if not values.needs_hint(type_) and not isinstance(type_, SetOf) and world.choices.maybe():
        _const(world, Readable(name, type_), f" = {values.value(_constants(world), type_, 1, hinted=False)}")
    else:
        _const(world, Readable(name, type_), f": {spell(world, type_)} = {value}")


def _list_const(world: World) -> None:
    """A list, written out or computed; tuples in it are taken apart by `for (a, b) in`."""
    name, choices = world.name("steps", "prizes", "moves_left"), world.choices
    scope = _constants(world)
    if choices.maybe(3):
        binders = domains.binders(scope, 1)
        found = numbers.whole(replace(binders.scope, calls=False), 1)
        if binders.least == binders.most > 0:
            _const(
                world, Readable(name, ListOf(found.type, binders.least)), f" = [{found.code} {binders.text}]"
            )
            return
    pairs = Tuple((Int(0, 3), world.players))
    element = choices.pick([Int(-2, 9), Int(0, 3), world.players, pairs])
    items = list(dict.fromkeys(literal(scope, element).text for _ in range(choices.integer(1, 4))))
    _const(world, Readable(name, ListOf(element, len(items))), f" = [{', '.join(items)}]")


def _table(world: World) -> None:
    """A table written out: a list or `{key: value}` for each index, or one value for all."""
    name, indices = world.name("worth", "odds", "table"), index_types(world, 6)
    element = world.choices.pick([Int(-3, 5), Int(0, 3), BOOL, world.players, storable(world, 12)])
    declared = f": {spell(world, element)}" if _must_declare(element) or world.choices.maybe(3) else ""
    if isinstance(element, Int) and not declared and world.choices.maybe():
        text = entries(world, indices, lambda: number_code(Fraction(world.choices.integer(1, 5), 4)).text)
        element_type: Type = Rational(Fraction(1, 4), Fraction(5, 4))
    else:
        text = entries(
            world, indices, lambda: literal(_constants(world), element, hinted=bool(declared)).text
        )
        element_type = element
    shown = ", ".join(spell(world, index) for index in indices)
    _const(world, Readable(name, element_type, indices), f"[{shown}]{declared} = {text}")


def _must_declare(element: Type) -> bool:
    return values.needs_hint(element) or isinstance(element, SetOf)


def _formula(world: World) -> None:
    """A table computed from its indices, which have names."""
    name, indices = world.name("far", "cost"), index_types(world, 9)
    scope, shown = _constants(world), []
    for type_ in indices:
        index = scope.local_name("a", "b")
        scope = scope.declare(index, type_)
        shown.append(f"{index}: {spell(world, type_)}")
    if world.choices.maybe(3):
        element: Type = storable(world, 9)
        text = f": {spell(world, element)} = {values.value(scope, element, 1)}"
    else:
        found = numbers.number(scope, 2)
        element, text = found.type, f" = {found.code}"
    _const(world, Readable(name, element, indices), f"[{', '.join(shown)}]{text}")


def index_types(world: World, most: int) -> tuple[Type, ...]:
    """One or two types to index a map with, of at most so many combinations."""
    found: list[Type] = []
    for _ in range(world.choices.pick([1, 1, 2])):
        known = [world.players, Int(0, 1), Int(1, 3), BOOL]
        known += [t for t in world.types.values() if not isinstance(t, SetOf)]
        known = [t for t in known if prod(o.size for o in found) * t.size <= most]  # type: ignore[union-attr]
        if known:
            found.append(world.choices.pick(known))
    return tuple(found)


def entries(world: World, indices: tuple[Type, ...], entry) -> str:  # type: ignore[no-untyped-def]
    """The entries of a map as text: nested lists, nested `{key: value}`, or one entry for all."""
    if not indices or world.choices.maybe(4):
        return str(entry())
    first, rest = indices[0], indices[1:]
    rows = [entries(world, rest, entry) for _ in all_values(first)]
    if world.choices.maybe():
        keys = [value_text(_constants(world), first, v).text for v in all_values(first)]
        pairs = world.choices.shuffled(list(zip(keys, rows, strict=True)))
        return "{" + ", ".join(f"{key}: {row}" for key, row in pairs) + "}"
    if isinstance(first, Cells) and first.rows > 1 and world.choices.maybe():
        numbered = list(enumerate(rows))
        lines = [[text for k, text in numbered if first.place(k)[0] == row] for row in range(first.rows)]
        return "[" + ", ".join(f"[{', '.join(line)}]" for line in lines) + "]"
    return f"[{', '.join(rows)}]"


# ------------------------------------------------------------------- the position


def declare_position(world: World, frame: list[str]) -> None:
    """The variables of the game beside those of its frame, and `initial:` if one has no default."""
    choices, lines, started = world.choices, list(frame), []
    budget = MOST_POSITIONS // max(1, world.players.size)
    if choices.maybe(3) and (listed := held_lists.declare(world, min(budget, 90))) is not None:
        lines.append(listed[0])
        budget //= listed[1]
    if choices.maybe(3) and (bag := bags.declare(world, min(budget, 90))) is not None:
        lines.append(bag[0])
        budget //= bag[1]
    for _ in range(choices.pick([2, 1, 3, 3, 4])):
        pool = KEYWORD_NAMES if choices.maybe(8) else VARIABLE_NAMES
        name = world.name(*pool)
        indices = index_types(world, 9) if choices.maybe() else ()
        count = prod(index.size for index in indices)  # type: ignore[union-attr]
        most = int(budget ** (1 / count) + 0.01)
        if most < 2:
            break
        type_ = storable(world, min(most, 40))
        budget //= type_.size**count  # type: ignore[union-attr]
        line, later = _variable(world, name, indices, type_)
        lines.append(line)
        readable = Readable(name, type_, indices, kind="variable", reads=True)
        world.values.append(readable)
        if later:
            started.append(readable)
    world.items.append("\n".join(["position:", *indented(choices.shuffled(lines))]))
    if started or choices.maybe(4):
        _initial(world, started)


def _variable(world: World, name: str, indices: tuple[Type, ...], type_: Type) -> tuple[str, bool]:
    """The line of a variable, and whether `initial:` must give it its first value."""
    choices = world.choices
    words = _index_words(world, indices)
    named = bool(words) and choices.maybe(3)
    shown = [
        f"{w}: {spell(world, i)}" if named else spell(world, i) for w, i in zip(words, indices, strict=True)
    ]
    head = f"{name}[{', '.join(shown)}]" if indices else name
    text = f"{head}: {spell(world, type_)}"
    blank = isinstance(type_, Bool | SetOf) or (isinstance(type_, Union) and NONE in type_.members)
    later = not blank and choices.maybe(4)
    if not later and not (blank and choices.maybe()):
        if named:
            scope = _constants(world)
            for word, index in zip(words, indices, strict=True):
                scope = scope.declare(word, index)
            text += f" = {values.value(scope, type_, 1)}"
        else:
            text += f" = {entries(world, indices, lambda: literal(_constants(world), type_).text)}"
    if choices.maybe(3):
        text += f" visible to {_viewers(world, words if named else [], indices)}"
    return text, later


def _index_words(world: World, indices: tuple[Type, ...]) -> list[str]:
    scope = Scope(world)
    for index in indices:
        scope = scope.declare(scope.local_name("p", "w", "u"), index)
    return [local.name for local in scope.locals]


def _viewers(world: World, words: list[str], indices: tuple[Type, ...]) -> str:
    """A player, some players, `everyone`, `nobody`, or one or the other."""
    choices = world.choices
    who = ["nobody", "everyone", "turn", literal(_constants(world), world.players).text]
    who.append("{" + ", ".join(choices.subset([m.name for m in world.players.members], least=1)) + "}")
    who += [word for word, index in zip(words, indices, strict=False) if isinstance(index, Player)] * 3
    if choices.maybe(3):
        return (
            f"{choices.pick(who)} if {conditions.condition(Scope(world), 1).at(OR)} else {choices.pick(who)}"
        )
    return choices.pick(who)


def _initial(world: World, started: list[Readable]) -> None:
    """Gives every variable that has no default a value, and perhaps does more; it may draw."""
    scope = Scope(world, ways=8, reserved=RESERVED)
    lines = []
    for number, readable in enumerate(started):
        # What has no value yet is not read, nor is a def called that might read it.
        without = frozenset(later.name for later in started[number:])
        place, inner, head = readable.name, replace(scope, hidden=without, calls=False), []
        if readable.takes:
            words = []
            for index in readable.takes:
                word = inner.local_name("i", "j")
                inner = inner.declare(word, index)
                head.append(f"for {word} in {_domain_text(world, index)}:")
                words.append(word)
            place = f"{readable.name}[{', '.join(words)}]"
        nested = [f"{place} = {values.value(inner, readable.type, 1)}"]
        for line in reversed(head):
            nested = [line, *indented(nested)]
        lines.extend(nested)
    if not lines or world.choices.maybe():
        made, _ = statements.some(scope.after_change("\n".join(lines)), 1)
        lines.extend(made)
    world.items.append("\n".join(["initial:", *indented(lines)]))


def use_library(world: World) -> None:
    """A library, and a feature that reads what it declares; nothing if the game declares some of it."""
    if world.used.isdisjoint(["Total", "ways"]):
        least = world.choices.integer(2, 12)
        name = world.name("odds", "luck")
        world.items += ["use dice", f"feature {name}: sum(ways[t] for t in Total if t >= {least})"]


RESERVED = frozenset(["clock", "turn", "outcome"])
"""The variables of the frame: who moves, and what makes the game end."""


def _domain_text(world: World, index: Type) -> str:
    """All values of an index, as they stand behind `in`: a name, a range, or all of them written out."""
    names = [name for name, type_ in world.types.items() if type_ == index]
    if isinstance(index, Player):
        return "player"
    if names:
        return world.choices.pick(names)
    if isinstance(index, Int | Bool):
        return spell(world, index)
    shown = [value_text(_constants(world), index, from_ordinal(index, k)).text for k in range(index.size)]  # type: ignore[union-attr]
    return f"[{', '.join(shown)}]"


# -------------------------------------------------------------- functions, effects


def declare_defs(world: World, pure: bool, most: int) -> None:
    """Functions; those that read no position may be used for constants too."""
    for _ in range(world.choices.integer(0, most)):
        _def(world, pure)


def _def(world: World, pure: bool) -> None:
    choices = world.choices
    name = world.name("enemy", "score", "near", "prospect", "won", "reach", "ready", "gain")
    kind = choices.pick(["number", "condition", "value", "relation"])
    takes, names, scope = _formals(world, Scope(world, position=not pure), kind == "relation")
    returned: list[numbers.Number] = []

    if kind == "number":
        make = numbers.number if choices.maybe() else numbers.whole

        def result(inner: Scope, depth: int) -> Code:
            returned.append(make(inner, depth))
            return returned[-1].code

    elif kind in ("condition", "relation"):
        type_: Type = BOOL
        result = conditions.condition
    else:
        type_ = storable(world, 20)

        def result(inner: Scope, depth: int) -> Code:
            return values.exact(inner, type_, depth)

    body = write_body(scope, result, 2)
    if kind == "number":
        lo, hi = min(n.lo for n in returned), max(n.hi for n in returned)
        type_ = Int(int(lo), int(hi)) if all(n.whole for n in returned) else Rational(lo, hi)
    head = ", ".join(f"{n}: {spell(world, t)}" for n, t in zip(names, takes, strict=True))
    world.items.append(f"def {name}{f'({head})' if takes else ''}:{body}")
    if places_of(type_) is not None and isinstance(whole := whole_of(type_), Tuple):
        type_ = whole  # what a def gives is known as a tuple, not as one of some of them
    world.values.append(Readable(name, type_, takes, names, kind="def", reads=not pure))


def _formals(
    world: World, scope: Scope, relation: bool = False
) -> tuple[tuple[Type, ...], tuple[str, ...], Scope]:
    """Parameters with their types; of a relation the first two are of one type, on boards mostly cells."""
    takes: list[Type] = []
    names: list[str] = []
    ends = world.choices.pick([*world.boards(), *world.boards(), storable(world, 20)]) if relation else None
    for k in range(world.choices.pick([2, 2, 3] if relation else [0, 1, 1, 2])):
        takes.append(ends if ends is not None and k < 2 else storable(world, 20))
        names.append(scope.local_name("p", "q2", "about", "where2"))
        scope = scope.declare(names[-1], takes[-1])
    return tuple(takes), tuple(names), scope


def write_body(scope: Scope, result: statements.Result, depth: int) -> str:
    """Behind the colon: an expression on the same line, or a block that returns one."""
    if scope.choices.maybe(3):
        lines = statements.returning(scope, depth, result)
        return "".join(f"\n    {line}" for line in lines)
    return f" {result(scope, depth)}"


def declare_effects(world: World) -> None:
    """Named pieces of what moves do; some draw."""
    for _ in range(world.choices.pick([0, 1, 1, 2])):
        name = world.name("shift", "roll_dice", "carry", "settle", "swap")
        ways = world.choices.pick([1, 1, 4])
        start = Scope(world, ways=ways, reserved=RESERVED, pays=world.choices.maybe(4))
        takes, names, scope = _formals(world, start)
        made, _ = statements.some(scope, 2)
        head = ", ".join(f"{n}: {spell(world, t)}" for n, t in zip(names, takes, strict=True))
        world.items.append("\n".join([f"effect {name}{f'({head})' if takes else ''}:", *indented(made)]))
        draws = any("~" in line or "chance:" in line for line in made) or _performs(world, made)
        world.effects.append(Performable(name, takes, names, ways if draws else 1))


def _performs(world: World, made: list[str]) -> bool:
    """Whether statements perform an effect that draws."""
    drawing = {effect.name for effect in world.effects if effect.ways > 1}
    return any(
        line.strip().split("(")[0] in drawing or any(f" {name}" in line for name in drawing) for line in made
    )
