"""Statements: what moves, effects and `initial:` do, and the blocks of a `def`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gdl.model.types import Bool, Cells, Enum, Int, SetOf, Tuple, Type
from tests.generate import bags, chance, conditions, domains, held_lists, numbers, values
from tests.generate.code import OR, Code, indented
from tests.generate.scope import Readable, Scope, is_whole
from tests.generate.types import literal, number_code, spell, storable

Made = tuple[list[str], Scope]
"""The lines of some statements, and the scope behind them."""


def some(scope: Scope, depth: int, most: int = 3) -> Made:
    """One statement or more."""
    lines: list[str] = []
    for _ in range(scope.choices.integer(1, most)):
        made, scope = statement(scope, depth)
        lines.extend(made)
        if made[-1] in ("break", "continue"):
            break
    return lines, scope


def statement(scope: Scope, depth: int) -> Made:
    choices = scope.choices
    options: list[Callable[[], Made]] = [lambda: (["pass"], scope)]
    if assignable(scope):
        options += [lambda: _assign(scope, depth)] * 4
        options += [lambda: advance(scope, depth)] * 2
        options += [lambda: _change_set(scope, depth), lambda: _change_number(scope, depth)]
    if assignable(scope) and held_lists.known(scope):
        options += [lambda: held_lists.change(scope, depth)] * 4
    if assignable(scope) and scope.world.bags and bags.known(scope):
        options += [lambda: bags.change(scope, depth)] * 4
    options += [lambda: _let(scope, depth), lambda: _let_parts(scope, depth)]
    if depth > 0:
        options += [lambda: _variable_let(scope, depth - 1), lambda: _for(scope, depth - 1)]
        options += [lambda: _let_map(scope, depth - 1), lambda: _while(scope, depth - 1)]
        options += [lambda: _if(scope, depth - 1)] * 3
    if any(effect.ways <= scope.ways for effect in scope.world.effects):
        options += [lambda: _perform(scope, depth)] * 2
    if scope.ways > 1:
        options += [lambda: chance.draw(scope, depth)] * 3
        if depth > 0:
            options.append(lambda: chance.block(scope, depth))
    if scope.pays:
        options.append(lambda: _reward(scope, depth))
    if scope.looping:
        options.append(lambda: _break(scope, depth))
    return choices.one_of(*options)


def is_simple(line: str) -> bool:
    """Whether a line is a statement that may stand behind a colon."""
    return not line.endswith(":") and not line.startswith(("if ", "for ", "while ", "chance:"))


def assignable(scope: Scope) -> list[Readable]:
    """Position variables that statements may change."""
    variables = [v for v in scope.world.values if v.kind == "variable" and v.name not in scope.reserved]
    return variables if scope.position else []


# --------------------------------------------------------------------- assignment


def _assign(scope: Scope, depth: int) -> Made:
    target = scope.choices.pick(assignable(scope))
    place, value = values.read(scope, target, depth - 1), values.value(scope, target.type, depth)
    if place == value:
        value = literal(scope, target.type)
    return [f"{place} = {value}"], scope.after_change(target.name)


def advance(scope: Scope, depth: int) -> Made:
    """A change for certain: to the next value, the other truth, a set with one element more or less."""
    known = {local.type for local in scope.plain}
    targets = assignable(scope)
    target = scope.choices.pick([t for t in targets if t.type in known] or targets)
    place, type_ = values.place(scope, target), target.type
    locals_ = [local.name for local in scope.plain if local.type == type_]
    match type_:
        case _ if locals_:
            change = scope.choices.pick(locals_)
        case Bool():
            change = f"not {place}"
        case Int() | Enum() | Cells():
            change = f"{scope.choices.pick(['next', 'previous'])}({place})"
        case SetOf():
            element = values.value(scope, type_.element, depth - 1)
            return [f"{place} {scope.choices.pick(['+=', '-='])} {{{element}}}"], scope.after_change(
                target.name
            )
        case _:
            change = literal(scope, type_).text
    return [f"{place} = {change}"], scope.after_change(target.name)


def _change_set(scope: Scope, depth: int) -> Made:
    """`hand += {c}`, `hand -= {c}`."""
    sets = [r for r in assignable(scope) if isinstance(r.type, SetOf)]
    if not sets:
        return _assign(scope, depth)
    target = scope.choices.pick(sets)
    place, change = values.read(scope, target, depth - 1), values.value(scope, target.type, depth)
    return [f"{place} {scope.choices.pick(['+=', '-='])} {change}"], scope.after_change(target.name)


def _change_number(scope: Scope, depth: int) -> Made:
    """`x += 1`: behind a test that it stays in range, or, where faults are wanted, without."""
    targets = [r for r in assignable(scope) if is_whole(r.type)]
    if not targets:
        return _assign(scope, depth)
    target = scope.choices.pick(targets)
    assert isinstance(target.type, Int)
    place = values.read(scope, target, 0)
    after = scope.after_change(target.name)
    if target.type.lo <= 0 <= target.type.hi and scope.choices.maybe(4):
        return [f"{place} *= {scope.choices.pick(['0', '1'])}"], after
    up = scope.choices.maybe()
    if scope.risk(2) and target.name not in scope.tested:
        return [f"{place} {'+=' if up else '-='} 1"], after
    end = number_code(values.Fraction(target.type.hi if up else target.type.lo))
    change = f"{place} {'+= 1' if up else '-= 1'}"
    test = f"{place} {'<' if up else '>'} {end}"
    if scope.choices.maybe():
        return [f"if {test}: {change}"], after
    return [f"if {test}:", f"    {change}"], after


# ------------------------------------------------------------------ lets, effects


def _let(scope: Scope, depth: int) -> Made:
    """A name for a value."""
    name = scope.local_name("n", "much", "some", "more")
    if scope.choices.maybe():
        found = numbers.number(scope, depth)
        return [f"let {name} = {found.code}"], scope.declare(name, found.type)
    type_ = storable(scope.world, 16)
    made = values.exact(scope, type_, depth)
    return [f"let {name} = {made}"], scope.declare(name, type_, kind="let")


def _let_parts(scope: Scope, depth: int) -> Made:
    """`let (a, b) = pair`."""
    tuples = [t for t in scope.world.types.values() if isinstance(t, Tuple) and len(t.fields) > 1]
    type_ = scope.choices.pick([Tuple((Int(0, 3), scope.world.players)), *tuples])
    made = values.exact(scope, type_, depth)
    names = []
    for part in type_.fields:
        names.append(scope.local_name("one", "two", "three", "four"))
        scope = scope.declare(names[-1], part, kind="let").after_test(names[-1])
    return [f"let ({', '.join(names)}) = {made}"], scope


def _variable_let(scope: Scope, depth: int) -> Made:
    """A let with a type may be assigned again, also in a loop or a branch."""
    name = scope.local_name("total", "best", "seen", "last")
    type_ = storable(scope.world, 16)
    lines = [f"let {name}: {spell(scope.world, type_)} = {values.value(scope, type_, depth)}"]
    inner = inside = scope.declare(name, type_, mutable=True)
    head = ""
    shape = scope.choices.pick(["plain", "if", "for"])
    if shape == "if":
        test, inside, _ = conditions.test(inner, depth)
        head = f"if {test}:"
    elif shape == "for":
        binders, inside = _loop(inner, depth)
        head = f"for {binders}:"
    change = [f"{name} = {values.value(inside, type_, depth)}"]
    if head:
        change = [head, *indented(change)]
    return lines + change, inner.after_change(name)


def _let_map(scope: Scope, depth: int) -> Made:
    """A map of one's own, filled with one value; then some entries change."""
    name = scope.local_name("marks", "map", "found")
    takes, type_ = (scope.choices.pick(_index_types(scope)),), storable(scope.world, 16)
    if scope.choices.maybe(3):
        takes = (scope.world.players, *takes)
    head = f"let {name}[{', '.join(spell(scope.world, t) for t in takes)}]: {spell(scope.world, type_)}"
    blank = isinstance(type_, Bool | SetOf) and scope.choices.maybe()
    lines = [head if blank else f"{head} = {values.value(scope, type_, depth)}"]
    inner = scope.declare(name, type_, mutable=True, takes=takes)
    made = Readable(name, type_, takes)
    for _ in range(scope.choices.integer(1, 2)):
        entry, value = values.read(inner, made, depth), values.value(inner, type_, depth)
        lines.append(f"{entry} = {value}")
    return lines, inner.after_change(name)


def _index_types(scope: Scope) -> list[Type]:
    return [
        scope.world.players,
        Int(0, 2),
        *(t for t in scope.world.types.values() if isinstance(t, Enum | Cells)),
    ]


def _perform(scope: Scope, depth: int) -> Made:
    effect = scope.choices.pick([e for e in scope.world.effects if e.ways <= scope.ways])
    made = values.call(scope, effect.name, effect.takes, effect.names, depth - 1)
    return [made.text], replace(scope.after_change(""), ways=max(1, scope.ways // effect.ways))


def _reward(scope: Scope, depth: int) -> Made:
    """`reward e`, or `reward p: e`, which more than two players need; `cost e` likewise."""
    word = scope.choices.pick(["reward", "reward", "cost"])
    amount = numbers.number(scope, depth).code.text
    if amount.startswith("["):  # `reward [..]` would be an element of something called reward
        amount = f"({amount})"
    if scope.world.players.size > 2 or scope.choices.maybe(3):
        return [f"{word} {values.value(scope, scope.world.players, depth - 1)}: {amount}"], scope
    return [f"{word} {amount}"], scope


# -------------------------------------------------------------------- control flow


def _if(scope: Scope, depth: int) -> Made:
    """`if`, any number of `elif`, perhaps `else`; one line where one is enough."""
    choices, lines, outside, ways = scope.choices, [], scope, [scope.ways]
    for i in range(choices.pick([1, 1, 1, 2, 3])):
        test, inside, outside = conditions.test(outside, depth)
        made, after = some(inside, depth, most=2)
        ways.append(after.ways)
        lines.extend(_headed(scope, f"{'elif' if i else 'if'} {test}:", made))
    if choices.maybe():
        made, after = some(outside, depth, most=2)
        ways.append(after.ways)
        lines.extend(_headed(scope, "else:", made))
    return lines, replace(scope.after_change("\n".join(lines)), ways=min(ways))


def _headed(scope: Scope, head: str, made: list[str]) -> list[str]:
    if len(made) == 1 and is_simple(made[0]) and scope.choices.maybe():
        return [f"{head} {made[0]}"]
    return [head, *indented(made)]


def _for(scope: Scope, depth: int) -> Made:
    head, inner = _loop(scope, depth)
    made, after = some(inner, depth, most=2)
    lines = [f"for {head}:", *indented(made)]
    return lines, replace(scope.after_change("\n".join(lines)), ways=min(scope.ways, after.ways))


def _while(scope: Scope, depth: int) -> Made:
    """A loop that counts; where faults are wanted one that may go on for too long."""
    if scope.risk(2):
        inner = replace(scope.after_change(""), looping=True, ways=1)
        test, inside, _ = conditions.test(inner, depth)
        made, _ = some(inside, depth, most=2)
        lines = [f"while {test} at most {numbers.whole_in(scope, Int(0, 4), 0)}:", *indented(made)]
        return lines, scope.after_change("\n".join(lines))
    name, most = scope.local_name("times", "turns"), scope.choices.integer(1, 3)
    inner = scope.declare(name, Int(0, most), mutable=True)
    counting = replace(inner.after_change(""), looping=True, ways=1, mutable=inner.mutable - {name})
    made, _ = some(counting, depth, most=2)
    loop = [f"while {name} < {most} at most {most}:", *indented([f"{name} += 1", *made])]
    return [f"let {name}: 0..{most} = 0", *loop], inner.after_change("\n".join(loop))


def _loop(scope: Scope, depth: int) -> tuple[str, Scope]:
    """What stands between `for` and the colon; inside, chance may go so many ways each time."""
    found = domains.domain(scope, depth, 6)
    names, inner = domains.bind(scope.after_change(""), found.element)
    head = f"{names} in {found.code.at(OR)}"
    most = found.most
    if scope.choices.maybe(4):
        more = domains.domain(inner, depth, 3)
        names, inner = domains.bind(inner, more.element)
        head, most = f"{head}, {names} in {more.code.at(OR)}", most * more.most
    if scope.choices.maybe(3):
        test, inner, _ = conditions.test(inner, depth)
        head += f" if {test}"
    ways = int(scope.ways ** (1 / max(1, most)) + 0.01)
    return head, replace(inner, looping=True, ways=max(1, ways))


def _break(scope: Scope, depth: int) -> Made:
    word = scope.choices.pick(["break", "continue"])
    if scope.choices.maybe():
        return [word], scope
    test, _, _ = conditions.test(scope, depth - 1)
    return [f"if {test}: {word}"], scope.after_test(test)


# ------------------------------------------------------------------------- results


Result = Callable[[Scope, int], Code]
"""Makes the value that is returned."""


def returning(scope: Scope, depth: int, result: Result) -> list[str]:
    """The block of a `def` or section: every way through it ends with `return`."""
    options: list[Callable[[], list[str]]] = [lambda: [f"return {result(scope, depth)}"]]
    if depth > 0:
        options += [
            lambda: _let_then(scope, depth, result),
            lambda: _return_early(scope, depth, result),
            lambda: _return_either(scope, depth, result),
            lambda: _search(scope, depth, result),
            lambda: _accumulate(scope, depth, result),
            lambda: _unwrap(scope, depth, result),
        ]
    return scope.choices.one_of(*options)


def _let_then(scope: Scope, depth: int, result: Result) -> list[str]:
    lines, inner = scope.choices.one_of(lambda: _let(scope, depth - 1), lambda: _let_parts(scope, depth - 1))
    return lines + returning(inner, depth - 1, result)


def _return_early(scope: Scope, depth: int, result: Result) -> list[str]:
    """An `if` that leaves: what follows knows that its test failed."""
    test, inside, outside = conditions.test(scope, depth - 1)
    head = [f"if {test}:", *indented(returning(inside, depth - 1, result))]
    return head + returning(outside, depth - 1, result)


def _return_either(scope: Scope, depth: int, result: Result) -> list[str]:
    test, inside, outside = conditions.test(scope, depth - 1)
    lines = [f"if {test}:", *indented(returning(inside, depth - 1, result))]
    if scope.choices.maybe(3):
        second, inside, outside = conditions.test(outside, depth - 1)
        lines += [f"elif {second}:", *indented(returning(inside, depth - 1, result))]
    return [*lines, "else:", *indented(returning(outside, depth - 1, result))]


def _search(scope: Scope, depth: int, result: Result) -> list[str]:
    """The first element that passes a test."""
    head, inner = _loop(scope, depth - 1)
    test, inside, _ = conditions.test(inner, depth - 1)
    lines = [f"for {head}:", f"    if {test}: return {result(inside, depth - 1)}"]
    return lines + returning(scope, depth - 1, result)


def _accumulate(scope: Scope, depth: int, result: Result) -> list[str]:
    """A typed let that a loop changes."""
    name = scope.local_name("total", "best", "seen", "last")
    type_ = storable(scope.world, 8)
    start = values.value(scope, type_, depth - 1)
    inner = scope.declare(name, type_, mutable=True)
    head, loop = _loop(inner, depth - 1)
    body = [f"{name} = {values.value(loop, type_, depth - 1)}"]
    if scope.choices.maybe(3):
        body.append(f"if {conditions.condition(loop.after_test(name), depth - 1)}: break")
    lines = [f"let {name}: {spell(scope.world, type_)} = {start}", f"for {head}:", *indented(body)]
    return lines + returning(inner.after_change(name), depth - 1, result)


def _unwrap(scope: Scope, depth: int, result: Result) -> list[str]:
    """`first(..)` may be none: one more test and it is a value."""
    name = scope.local_name("found", "other")
    part: Type = scope.choices.pick([scope.world.players, *_simple(scope)])
    binders = domains.binders(scope, depth - 1)
    made = values.value(binders.scope, part, depth - 1, hinted=False)
    lines = [f"let {name} = first({made} {binders.text})"]
    none, some_ = scope.after_test(name), scope.declare(name, part).after_test(name)
    leave = [f"if {name} is none:", *indented(returning(none, depth - 1, result))]
    return lines + leave + returning(some_, depth - 1, result)


def _simple(scope: Scope) -> list[Type]:
    return [t for t in scope.world.types.values() if isinstance(t, Enum | Cells)]
