"""Bags: variables that hold them, what is read of them, what changes them, and what lies within them."""

from __future__ import annotations

from fractions import Fraction
from math import comb, prod

from gdl.model.types import BagOf, Int, SetOf
from tests.generate import domains, numbers, values
from tests.generate.code import CAST, COMPARISON, Code
from tests.generate.scope import Listed, Scope, World
from tests.generate.types import literal, small_type, spell


def declare(world: World, most: int) -> tuple[str, int] | None:
    """A variable that is a bag, and how many values it has; None where even the smallest has too many."""
    choices = world.choices
    element = small_type(world, 4)
    outer = (small_type(world, 3),) if choices.maybe(3) else ()
    longest = choices.integer(1, 4)
    each = comb(element.size + longest, longest)  # type: ignore[union-attr]
    count = prod(index.size for index in outer)  # type: ignore[union-attr]
    if each**count > most:
        return None
    made = Listed(world.name("bag", "hand", "dice"), outer, element, longest)
    shown = f"[{spell(world, outer[0])}]" if outer else ""
    text = f"{made.name}{shown}: bag({longest}) of {spell(world, element, 'atom')}"
    if choices.maybe():
        text += f" = {_default(Scope(world, position=False, calls=False), made)}"
    if choices.maybe(5):
        text += f" visible to {choices.pick(['nobody', 'turn', 'everyone'])}"
    world.bags.append(made)
    return text, each**count


def _default(scope: Scope, of: Listed) -> str:
    """Elements in braces, or how often each is there; for a map the same everywhere."""
    if not of.outer and scope.choices.maybe(3):
        wanted = scope.choices.integer(0, of.longest)
        return f"{{{literal(scope, of.element)}: {wanted}}}"
    return written(scope, of, 0).text


def written(scope: Scope, of: Listed, depth: int) -> Code:
    """A bag written out."""
    items = [
        literal(scope, of.element) if depth <= 0 else values.value(scope, of.element, depth - 1)
        for _ in range(scope.choices.integer(0, of.longest))
    ]
    return Code("{" + ", ".join(item.text for item in items) + "}")


def known(scope: Scope) -> list[Listed]:
    """The bags that can be read here: variables, and names that went through the subsets of one."""
    readable = scope.world.bags if scope.position and not scope.hidden else []
    locals_ = [local for local in scope.plain if isinstance(local.type, BagOf)]
    return [*readable, *(Listed(lo.name, (), lo.type.element, lo.type.longest) for lo in locals_)]  # type: ignore[union-attr]


def place(scope: Scope, of: Listed, depth: int) -> str:
    return f"{of.name}[{values.value(scope, of.outer[0], depth)}]" if of.outer else of.name


def number(scope: Scope, depth: int) -> numbers.Number:
    """Sizes, counts and sums."""
    choices = scope.choices
    of = choices.pick(known(scope))
    held = place(scope, of, depth - 1)
    item = values.value(scope, of.element, depth - 1)
    texts = [f"count({held})", f"{held}[{item}]", f"{held}[{item}]", f"count(distinct({held}))"]
    if isinstance(of.element, Int) and choices.maybe():
        ends = (Fraction(min(0, of.longest * of.element.lo)), Fraction(max(0, of.longest * of.element.hi)))
        return numbers.Number(Code(f"sum({held})"), *ends, True)
    return numbers.Number(Code(choices.pick(texts)), Fraction(0), Fraction(of.longest), True)


def test(scope: Scope, depth: int) -> Code:
    """Whether something is in a bag, or a bag in another."""
    choices = scope.choices
    of = choices.pick(known(scope))
    held = place(scope, of, depth - 1)
    if choices.maybe():
        item = values.value(scope, of.element, depth - 1, hinted=False)
        return Code(f"{item.at(CAST)} {choices.pick(['in', 'not in'])} {held}", COMPARISON)
    op = choices.pick(["<=", "<", ">=", "==", "!="])
    return Code(f"{held} {op} {bag(scope, of, depth - 1)}", COMPARISON)


def bag(scope: Scope, of: Listed, depth: int) -> Code:
    """A bag that fits where `of` is wanted."""
    choices = scope.choices
    others = [
        place(scope, o, -1) for o in known(scope) if o.element == of.element and o.longest <= of.longest
    ]
    options = [lambda: written(scope, of, depth), *([lambda: Code(choices.pick(others))] if others else [])]
    if depth > 0:
        options.append(lambda: _comprehension(scope, of, depth - 1))
        if scope.risk(2) and others:
            ops = [Code(choices.pick(others)), choices.pick(["+", "-"]), written(scope, of, depth - 1)]
            options.append(lambda: Code(" ".join(str(part) for part in ops), COMPARISON))
    return choices.one_of(*options)


def _comprehension(scope: Scope, of: Listed, depth: int) -> Code:
    binders = domains.binders(scope, depth)
    if binders.most > of.longest and not scope.risk():
        return written(scope, of, depth)
    return Code("{" + f"{values.value(binders.scope, of.element, depth)} {binders.text}" + "}")


def domain(scope: Scope, subsets: bool) -> domains.Domain:
    """What is in a bag; with `subsets` the bags within one, or the sets within a set."""
    choices = scope.choices
    sets = [r for r in scope.of_type(lambda t: isinstance(t, SetOf), -1) if r.type.element.size <= 3]  # type: ignore[union-attr]
    if subsets and sets and (choices.maybe(3) or not known(scope)):
        found = choices.pick(sets)
        return domains.Domain(Code(f"subsets({values.read(scope, found, -1)})"), found.type, 1, 8)
    of = choices.pick(known(scope))
    held = place(scope, of, -1)
    if subsets:
        return domains.Domain(Code(f"subsets({held})"), BagOf(of.element, of.longest), 1, 2**of.longest)
    code = choices.pick([held, held, f"distinct({held})"])
    return domains.Domain(Code(code), of.element, 0, min(of.longest, of.element.size))  # type: ignore[union-attr]


def change(scope: Scope, depth: int) -> tuple[list[str], Scope]:
    """Elements come and go, a count or all of a bag becomes another."""
    choices = scope.choices
    of = choices.pick([of for of in known(scope) if of in scope.world.bags])
    held = place(scope, of, -1)
    item = values.value(scope, of.element, -1)
    after = scope.after_change(of.name)
    if choices.maybe(4):
        return [f"{held} = {bag(scope, of, depth)}"], after
    text, tested = choices.pick(
        [
            (f"{held} += {{{item}}}", f"count({held}) < {of.longest}"),
            (f"{held}[{item}] += 1", f"count({held}) < {of.longest}"),
            (f"{held} -= {{{item}}}", f"{held}[{item}] > 0"),
            (f"{held}[{item}] -= 1", f"{held}[{item}] >= 1"),
            (f"{held}[{item}] = 0", "true"),
            (f"{held}[{item}] = 1", f"count({held}) == 0"),
        ]
    )
    if scope.risk(2) and of.name not in scope.tested:
        return [text], after
    return [f"if {tested}: {text}"], after
