"""Conditions, and what is known where they hold and where they do not."""

from __future__ import annotations

from gdl.model.types import BOOL, NONE, Bool, Cells, Enum, SetOf, Tuple, Type, Union, places_of, whole_of
from tests.generate import bags, domains, held_lists, numbers, values
from tests.generate.code import AFTER, AND, CAST, COMPARISON, NOT, OR, SUM, Code, conditional, listed
from tests.generate.scope import Readable, Scope, is_union
from tests.generate.types import literal, spell

Test = tuple[Code, Scope, Scope]
"""A condition, the scope where it holds, and the scope where it does not."""


def condition(scope: Scope, depth: int) -> Code:
    return test(scope, depth)[0]


def test(scope: Scope, depth: int) -> Test:
    choices = scope.choices
    options = [lambda: _plain(scope, Code(choices.pick(["true", "false"])))]
    known = scope.of_type(lambda t: t == BOOL, depth)
    if known:
        options.extend([lambda: _plain(scope, values.read(scope, scope.prefer(known), depth - 1))] * 3)
    options.extend([lambda: _plain(scope, _compare_numbers(scope, depth))] * 3)
    options.extend([lambda: _plain(scope, _compare_values(scope, depth))] * 3)
    options.append(lambda: _membership(scope, depth))
    if depth > 0 and held_lists.known(scope):
        options.append(lambda: _plain(scope, held_lists.contains(scope, depth)))
    if depth > 0 and bags.known(scope):
        options.extend([lambda: _plain(scope, bags.test(scope, depth))] * 2)
    if places := _open_places(scope):
        options.extend([lambda: _narrowing(scope, choices.pick(places))] * 4)
    if parts := _parts(scope):
        options.extend([lambda: _narrowing_to_part(scope, *choices.pick(parts))] * 4)
    if depth > 0:
        options += [
            lambda: _and(scope, depth),
            lambda: _or(scope, depth),
            lambda: _not(scope, depth),
            lambda: _plain(scope, _quantified(scope, depth - 1)),
            lambda: _plain(scope, _quantified(scope, depth - 1)),
            lambda: _plain(scope, _conditional(scope, depth - 1)),
            lambda: _plain(scope, _after(scope, depth - 1)),
            lambda: _plain(scope, _connected(scope, depth - 1)),
        ]
    return choices.one_of(*options)


def _plain(scope: Scope, code: Code) -> Test:
    """A condition that makes no difference to the types of the generator; the checker may learn from it."""
    after = scope.after_test(code)
    return code, after, after


# --------------------------------------------------------------------- comparison


def _compare_numbers(scope: Scope, depth: int) -> Code:
    """Comparisons chain: `0 <= x < n`."""
    op = scope.choices.pick(["==", "<", "<=", ">", ">=", "!="])
    left, right = numbers.varying(scope, depth - 1), numbers.number(scope, depth - 1)
    if left.code == right.code:
        right = numbers.constant(scope.choices.integer(int(left.lo), int(left.hi)))
    code = compare(left.code, op, right.code)
    if scope.choices.maybe(5):
        third = numbers.whole(scope, depth - 1).code
        code = Code(f"{code} {scope.choices.pick(['<', '==', '>='])} {third.at(CAST)}", COMPARISON)
    return code


def compare(left: Code, op: str, right: Code) -> Code:
    return Code(f"{left.at(CAST)} {op} {right.at(CAST)}", COMPARISON)


def _compare_values(scope: Scope, depth: int) -> Code:
    """Two values of one type. `==` compares anything, `<` what is listed in an order.

    A union, tuple or set on the left has exactly its declared type, so that the two sides have values in
    common, whatever is known of the right one.
    """
    choices = scope.choices
    simple = scope.of_type(lambda t: isinstance(t, Enum | Cells | Bool), depth)
    exact = scope.fresh(lambda t: isinstance(t, Union | Tuple | SetOf), depth)
    if not simple and not exact:
        return _compare_numbers(scope, depth)
    left = scope.prefer([*simple, *exact])
    ops = ["==", "!="] if isinstance(left.type, Tuple | SetOf) else ["==", "!=", "==", "!=", "<", ">="]
    if isinstance(left.type, Union) and not _ordered(left.type):
        ops = ["==", "!="]
    code, other = values.read(scope, left, depth - 1), values.value(scope, left.type, depth - 1)
    if code == other:
        other = literal(scope, left.type)
    if isinstance(left.type, Enum | Cells | Bool) and choices.maybe(4):
        code, other = other, code
    return compare(code, choices.pick(ops), other)


def _ordered(union: Union) -> bool:
    return (
        all(isinstance(member, Enum | Cells | Bool) for member in union.members) and NONE not in union.members
    )


def _membership(scope: Scope, depth: int) -> Test:
    """`x in {6, 7}`, `x in 2..5`, `x not in hand`, `c in neighbours(d)`."""
    choices = scope.choices
    op = choices.pick(["in", "not in"])
    sets = [
        r
        for r in scope.of_type(lambda t: isinstance(t, SetOf), depth)
        if not isinstance(r.type.element, Union)
    ]  # type: ignore[union-attr]
    simple = scope.of_type(lambda t: isinstance(t, Enum | Cells), depth)

    def in_range() -> Code:
        item = numbers.whole(scope, depth - 1).code
        lo, hi = numbers.whole(scope, depth - 1).code, numbers.whole(scope, 0).code
        return Code(f"{item.at(CAST)} {op} {lo.at(SUM)}..{hi.at(SUM)}", COMPARISON)

    def in_numbers() -> Code:
        item = numbers.whole(scope, depth - 1).code
        found = listed([numbers.whole(scope, depth - 1).code for _ in range(choices.integer(1, 3))])
        return Code(f"{item.at(CAST)} {op} {{{found}}}", COMPARISON)

    def in_set() -> Code:
        readable = scope.prefer(sets)
        assert isinstance(readable.type, SetOf)
        item = values.value(scope, readable.type.element, depth - 1, hinted=False)
        return compare(item, op, values.read(scope, readable, depth - 1))

    def in_values() -> Code:
        readable = scope.prefer(simple)
        found = listed([values.value(scope, readable.type, depth - 1) for _ in range(choices.integer(1, 3))])
        return Code(f"{values.read(scope, readable, depth - 1)} {op} {{{found}}}", COMPARISON)

    def in_list() -> Code:
        found = choices.pick(lists)()
        item = values.value(scope, found.element, depth - 1, hinted=False)
        return compare(item, op, found.code)

    options = [in_range, in_numbers]
    options += [in_set] * 2 if sets else []
    options += [in_values] if simple else []
    lists = domains.lists(scope, depth - 1, of_cells=True)
    options += [in_list] if lists else []
    return _plain(scope, choices.one_of(*options))


# ---------------------------------------------------------------------- narrowing


def _open_places(scope: Scope) -> list[Readable]:
    """Unions that can be narrowed: what is constant is known already, and tests of it mean nothing."""
    return [
        r for r in scope.fresh(is_union) if r.kind in ("local", "variable") or (r.kind == "def" and r.reads)
    ]


def _narrowing(scope: Scope, readable: Readable) -> Test:
    """`x is Point`, `x is none`, `x == bar`: where the test holds x is used as that part of its type."""
    choices = scope.choices
    union = readable.type
    assert isinstance(union, Union)
    place = values.place(scope, readable)
    parts = [m for m in union.members if not isinstance(m, Enum) or _names_type(scope, m)]
    lone = [m for m in union.members if isinstance(m, Enum) and m.size == 1]
    if lone and (not parts or choices.maybe()):
        part: Type = lone[0]
        text = choices.pick(["==", "!=", "is", "is not"])
        code = Code(f"{place} {text} {lone[0].members[0].name}", COMPARISON)
        positive = text in ("==", "is")
    elif parts:
        part = choices.pick(parts)
        text = choices.pick(
            ["is", "is not", "in", "not in"] if _names_type(scope, part) else ["is", "is not"]
        )
        code = Code(f"{place} {text} {_type_name(scope, part)}", COMPARISON)
        positive = text in ("is", "in")
    else:
        return _plain(scope, Code(f"{place} == {values.value(scope, union, 0)}", COMPARISON))
    rest = tuple(m for m in union.members if m != part)
    left = rest[0] if len(rest) == 1 else Union(rest)
    inside, outside = scope.narrow(place, part), scope.narrow(place, left)
    return (code, inside, outside) if positive else (code, outside, inside)


def _parts(scope: Scope) -> list[tuple[Readable, Type]]:
    """Places of a type that has parts, and one of those."""
    parts = [t for t in scope.world.types.values() if places_of(t) is not None]
    open_ = [r for r in scope.fresh(lambda t: places_of(t) is None) if r.kind in ("local", "variable")]
    return [
        (r, t)
        for r in open_
        for t in parts
        if whole_of(t) == r.type and t.size < r.type.size  # type: ignore[union-attr]
    ]


def _narrowing_to_part(scope: Scope, readable: Readable, part: Type) -> Test:
    """`c is Dark`: where the test holds c is used as one."""
    place = values.place(scope, readable)
    text = scope.choices.pick(["is", "is not", "in", "not in"])
    code = Code(f"{place} {text} {_type_name(scope, part)}", COMPARISON)
    inside, outside = scope.narrow(place, part), scope.after_test(code)
    return (code, inside, outside) if text in ("is", "in") else (code, outside, inside)


def _names_type(scope: Scope, part: Type) -> bool:
    """Whether a type has a name, so that `in` can stand before it."""
    return part == scope.world.players or part in scope.world.types.values()


def _type_name(scope: Scope, part: Type) -> str:
    if part == NONE:
        return "none"
    if part == scope.world.players:
        return "player"
    names = [name for name, known in scope.world.types.items() if known == part]
    return scope.choices.pick(names) if names else spell(scope.world, part, "optional")


# -------------------------------------------------------------------------- logic


def _and(scope: Scope, depth: int) -> Test:
    """Each part is read where the earlier ones hold."""
    codes, inner = [], scope
    for _ in range(scope.choices.pick([2, 2, 3])):
        code, inner, _ = test(inner, depth - 1)
        codes.append(code.at(NOT))
    joined = Code(" and ".join(codes), AND)
    return joined, inner.after_test(joined), scope.after_test(joined)


def _or(scope: Scope, depth: int) -> Test:
    """Each part is read where the earlier ones do not hold."""
    codes, inner = [], scope
    for _ in range(scope.choices.pick([2, 2, 3])):
        code, _, inner = test(inner, depth - 1)
        codes.append(code.at(AND))
    joined = Code(" or ".join(codes), OR)
    return joined, scope.after_test(joined), inner.after_test(joined)


def _not(scope: Scope, depth: int) -> Test:
    code, then, otherwise = test(scope, depth - 1)
    return Code(f"not {code.at(NOT)}", NOT), otherwise, then


def _quantified(scope: Scope, depth: int) -> Code:
    name = scope.choices.pick(["any", "all"])
    binders = domains.binders(scope, depth)
    return Code(f"{name}({condition(binders.scope, depth)} {binders.text})")


def _conditional(scope: Scope, depth: int) -> Code:
    code, then, otherwise = test(scope, depth)
    return conditional(condition(then, depth), code, condition(otherwise, depth))


def _connected(scope: Scope, depth: int) -> Code:
    """Whether a way leads from one cell or set of cells to another inside a third."""
    boards = scope.world.boards()
    if not boards:
        return _compare_numbers(scope, depth)
    cells = scope.choices.pick(boards)
    ends = [values.value(scope, scope.choices.pick([cells, SetOf(cells)]), depth) for _ in range(2)]
    if values.relations(scope, cells) and scope.choices.maybe():
        return Code(f"connected({listed([*ends, values.relation(scope, cells, depth)])})")
    within = values.value(scope, SetOf(cells), depth, hinted=False)
    return Code(f"connected({listed([*ends, within])})")


# ------------------------------------------------------------------ suppositions


def supposed(scope: Scope, depth: int) -> tuple[Code, Scope] | None:
    """An effect that could be performed, and the scope in the position that it would produce."""
    effects = [effect for effect in scope.world.effects if effect.ways == 1]
    if not effects or not scope.position or not scope.calls:
        return None
    effect = scope.choices.pick(effects)
    return values.call(scope, effect.name, effect.takes, effect.names, depth), scope.after_change("")


def after(body: Code, effect: Code) -> Code:
    return Code(f"{body.at(COMPARISON)} after {effect}", AFTER)


def _after(scope: Scope, depth: int) -> Code:
    found = supposed(scope, depth)
    if found is None:
        return condition(scope, depth)
    effect, then = found
    return after(condition(then, depth), effect)
