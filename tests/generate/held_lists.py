"""Lists of bounded length: variables that hold them, what is read of them, and what changes them."""

from __future__ import annotations

from math import prod

from gdl.model.types import Type
from tests.generate import numbers, values
from tests.generate.code import CAST, COMPARISON, Code, conditional
from tests.generate.scope import Listed, Scope, World
from tests.generate.types import literal, small_type, spell


def declare(world: World, most: int) -> tuple[str, int] | None:
    """A variable that is a list, and how many values it has; None where even the smallest has too many."""
    choices = world.choices
    element = small_type(world, 4)
    outer = (small_type(world, 3),) if choices.maybe(3) else ()
    longest = choices.integer(1, 3)
    size: int = element.size  # type: ignore[union-attr]
    each = sum(size**k for k in range(longest + 1))
    count = prod(index.size for index in outer)  # type: ignore[union-attr]
    if each**count > most:
        return None
    made = Listed(world.name("pile", "queue", "row"), outer, element, longest)
    shown = f"[{spell(world, outer[0])}]" if outer else ""
    text = f"{made.name}{shown}: list({longest}) of {spell(world, element, 'atom')}"
    if choices.maybe():
        text += f" = {written(Scope(world, position=False, calls=False), made, 0)}"
    if choices.maybe(5):
        text += f" visible to {choices.pick(['nobody', 'turn', 'everyone'])}"
    world.lists.append(made)
    return text, each**count


def written(scope: Scope, of: Listed, depth: int) -> Code:
    """A list written out."""
    items = [
        literal(scope, of.element) if depth <= 0 else values.value(scope, of.element, depth - 1)
        for _ in range(scope.choices.integer(0, of.longest))
    ]
    return Code(f"[{', '.join(item.text for item in items)}]")


def place(scope: Scope, of: Listed, depth: int) -> str:
    return f"{of.name}[{values.value(scope, of.outer[0], depth)}]" if of.outer else of.name


def known(scope: Scope) -> list[Listed]:
    """The lists that can be read here."""
    readable = scope.position and not scope.hidden
    return [of for of in scope.world.lists if readable]


def count(scope: Scope, depth: int) -> numbers.Number:
    of = scope.choices.pick(known(scope))
    kind = scope.choices.pick(["count", "count", "sum", "min"])
    if kind == "count" or not hasattr(of.element, "lo"):
        code = Code(f"count({place(scope, of, depth)})")
        return numbers.Number(code, numbers.Fraction(0), numbers.Fraction(of.longest), True)
    lo, hi = numbers.Fraction(of.element.lo), numbers.Fraction(of.element.hi)
    if kind == "sum":
        ends = (min(0 * lo, of.longest * lo), max(0 * hi, of.longest * hi))
        return numbers.Number(Code(f"sum({place(scope, of, depth)})"), *ends, True)
    text = f"min(x for x in {place(scope, of, depth)}, default={of.element.lo})"
    return numbers.Number(Code(text.replace("x for x", "x_ for x_")), lo, hi, True)


def element(scope: Scope, type_: Type, depth: int) -> Code:
    """The last element or another, behind a test that there is one, or, where faults are wanted, without."""
    choices = scope.choices
    of = choices.pick([of for of in known(scope) if of.element == type_])
    held = place(scope, of, -1 if not scope.risk() else depth)
    number = choices.integer(0, of.longest - 1)
    if scope.risk() and of.name not in scope.tested:  # it may be known to be empty
        index = numbers.whole_in(scope, numbers.Int(0, of.longest - 1), depth)
        return Code(choices.pick([f"top({held})", f"{held}[{index}]"]))
    read = choices.pick([f"{held}[{number}]", f"top({held})"])
    test = Code(f"count({held}) > {number}", COMPARISON)
    return conditional(Code(read), test, literal(scope, type_, hinted=False))


def contains(scope: Scope, depth: int) -> Code:
    of = scope.choices.pick(known(scope))
    item = values.value(scope, of.element, depth - 1, hinted=False)
    op = scope.choices.pick(["in", "not in"])
    return Code(f"{item.at(CAST)} {op} {place(scope, of, depth - 1)}", COMPARISON)


def change(scope: Scope, depth: int) -> tuple[list[str], Scope]:
    """`push`, `pop`, an element or all of a list anew."""
    choices = scope.choices
    of = choices.pick(known(scope))
    held = place(scope, of, -1)
    item = values.value(scope.after_test(held), of.element, depth - 1)
    after = scope.after_change(of.name)
    kind = choices.pick(["push", "push", "push", "pop", "pop", "element", "all", "at"])
    if kind == "all":
        others = [o.name for o in known(scope) if not o.outer and o.element == of.element]
        fitting = [o.name for o in known(scope) if o.name in others and o.longest <= of.longest]
        new = choices.pick([written(scope, of, depth).text, *fitting])
        return [f"{held} = {new}"], after
    room, some = f"count({held}) < {of.longest}", f"count({held}) > 0"
    text, test = {
        "push": (f"push({held}, {item})", room),
        "at": (f"push({held}, {item}, 0)", room),
        "pop": (choices.pick([f"pop({held})", f"pop({held}, 0)"]), some),
        "element": (f"{held}[0] = {item}", some),
    }[kind]
    if scope.risk(2) and of.name not in scope.tested:
        return [text], after
    return [f"if {test}: {text}"], after
