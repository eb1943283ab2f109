"""Draws in all their forms, and `chance:` blocks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from gdl.model.types import BOOL, Cells, Enum, Int, ListOf, Rational, Type
from tests.generate import bags, conditions, domains, numbers, statements, values
from tests.generate.code import PRODUCT, Code, indented, infix
from tests.generate.scope import Readable, Scope, is_whole
from tests.generate.types import number_code, scalars

SPLITS = {
    2: [("1/2", "1/2"), ("1/3", "2/3"), ("9/10", "0.1"), ("0", "1")],
    3: [("1/2", "1/4", "1/4"), ("1/3", "1/3", "1/3"), ("0.2", "0.3", "0.5")],
}

Made = tuple[list[str], Scope]


def draw(scope: Scope, depth: int) -> Made:
    """A draw into a new name or straight into a variable."""
    options = [lambda: _new(scope, depth), lambda: _listed_new(scope, depth)]
    targets = statements.assignable(scope)
    if targets:
        target = scope.choices.pick(targets)
        options.append(lambda: _listed_variable(scope, target, depth))
        if _domain_of(scope, target.type) is not None:
            options.extend([lambda: _variable(scope, target, depth)] * 2)
    return scope.choices.one_of(*options)


def _new(scope: Scope, depth: int) -> Made:
    """`face ~ 1..6`, `b ~ Die where it != a`, `c ~ Card weighted left[c]`."""
    wanted = [_domain_of(scope, variable.type) for variable in statements.assignable(scope)]
    useful = [domain for domain in wanted if domain is not None]
    if useful and scope.choices.maybe():
        found = scope.choices.pick(useful)
    else:
        found = domains.domain(scope, depth, min(scope.ways, 6))
    if bags.known(scope) and scope.choices.maybe(3):
        found = bags.domain(scope, subsets=False)
        if found.most > scope.ways:
            found = domains.Domain(Code("bool"), BOOL, 2, 2)
    if isinstance(found.element, ListOf) or (not found.least and not scope.risk(2)):
        found = domains.Domain(Code("bool"), BOOL, 2, 2)
    name = scope.local_name("face", "drawn", "roll", "got")
    clauses = _clauses(scope, scope.declare(name, found.element), found, depth)
    after = scope.declare(name, found.element).after_test(clauses)
    line, after = f"{name} ~ {found.code}{clauses}", _used(after, found.most)
    if statements.assignable(scope) and scope.choices.maybe():
        change, after = statements.advance(after, depth)
        return [line, *change], after
    return [line], after


def _variable(scope: Scope, target: Readable, depth: int) -> Made:
    """`card[bob] ~ Card where it != card[alice]`."""
    found = _domain_of(scope, target.type)
    assert found is not None
    place = values.read(scope, target, depth)
    if target.takes:
        clauses = _clauses(scope, scope, found, depth)
    else:  # its name means the candidate, as `it` does; one of the two is used
        inside = replace(scope.after_change(target.name), hidden=scope.hidden | {target.name})
        clauses = _clauses(inside, inside, found, depth, scope.choices.pick(["it", target.name]))
    return [f"{place} ~ {found.code}{clauses}"], _used(scope.after_change(target.name), found.most)


def _clauses(scope: Scope, drawing: Scope, found: domains.Domain, depth: int, candidate: str = "it") -> str:
    """`where` and `weighted` of the candidate; one value is left, unless faults are wanted."""
    choices = scope.choices
    inner, text = drawing.declare(candidate, found.element), ""
    if choices.maybe(3):
        if scope.risk(2):
            test, inner, _ = conditions.test(inner, depth)
            text += f" where {test}"
        elif found.least > 1 and isinstance(found.element, Int | Enum | Cells):
            other = values.value(scope, found.element, depth)
            text += f" where {candidate} != {other.at(conditions.CAST)}"
            inner = inner.after_test(text)
    if choices.maybe(3):
        if scope.risk(2):
            text += f" weighted {_open_weight(inner, depth)}"
        else:
            text += f" weighted 1 + {numbers.natural(inner, depth).code.at(PRODUCT)}"
    return text


def _open_weight(scope: Scope, depth: int) -> Code:
    """A weight that may be 0 for all candidates, or negative."""
    below = [r for r in scope.fresh(is_whole, -1) if r.type.lo <= 0 < r.type.hi and r.kind == "variable"]  # type: ignore[union-attr]
    if below and scope.choices.maybe():
        return infix(values.read(scope, scope.choices.pick(below), -1), "-", Code("1"), conditions.SUM)
    return numbers.natural(scope, depth).code


def _used(scope: Scope, ways: int) -> Scope:
    return replace(scope, ways=max(1, scope.ways // max(1, ways)))


def _domain_of(scope: Scope, type_: Type) -> domains.Domain | None:
    """All values of a type, if it can be written and there are not too many."""
    size: int = type_.size  # type: ignore[union-attr]
    if size > scope.ways:
        return None
    if isinstance(type_, Int):
        text = f"{number_code(Fraction(type_.lo))}..{number_code(Fraction(type_.hi))}"
        return domains.Domain(Code(text), type_, size, size)
    named = {"player": scope.world.players, "bool": BOOL, **scope.world.types}
    names = [name for name, known in named.items() if known == type_]
    return domains.Domain(Code(scope.choices.pick(names)), type_, size, size) if names else None


# ------------------------------------------------------------------- probabilities


def _listed_new(scope: Scope, depth: int) -> Made:
    """`tile ~ {2: 9/10, 4: 1/10}`."""
    element = scope.choices.pick([Int(0, 4), scope.world.players, *scalars(scope.world)])
    name = scope.local_name("tile", "pick", "side")
    shares, _ = probabilities(scope, depth, rest=False)
    items = [values.value(scope, element, depth, hinted=False) for _ in shares]
    after = scope.declare(name, element).after_test(name)
    return [f"{name} ~ {_entries(items, shares)}"], _used(after, len(shares))


def _listed_variable(scope: Scope, target: Readable, depth: int) -> Made:
    shares, _ = probabilities(scope, depth, rest=False)
    items = [values.value(scope, target.type, depth) for _ in shares]
    place = values.read(scope, target, depth)
    return [f"{place} ~ {_entries(items, shares)}"], _used(scope.after_change(target.name), len(shares))


def _entries(items: list[Code], shares: list[str]) -> str:
    return "{" + ", ".join(f"{item}: {share}" for item, share in zip(items, shares, strict=True)) + "}"


def probabilities(scope: Scope, depth: int, rest: bool) -> tuple[list[str], bool]:
    """Shares of 1, and whether `else` takes what they leave."""
    choices = scope.choices
    count = 3 if scope.ways >= 3 and choices.maybe(3) else 2
    split = choices.pick(SPLITS[count])
    if scope.risk():
        broken = _wrong_shares(scope)
        if broken is not None:
            return broken, rest and choices.maybe()
    known = [
        r for r in scope.of_type(lambda t: isinstance(t, Rational) and 0 <= t.lo <= t.hi <= 1) if not r.takes
    ]
    if known and choices.maybe():
        share = values.read(scope, scope.prefer(known), 0)
        return ([share.text], True) if rest else ([share.text, f"1 - {share.at(PRODUCT)}"], False)
    if choices.maybe(3):
        size = choices.pick([2, 4, 10])
        part = numbers.whole_in(scope, Int(0, size), depth)
        share = infix(part, "/", Code(str(size)), PRODUCT)
        others = infix(Code(f"{size} - {part.at(PRODUCT)}", conditions.SUM), "/", Code(str(size)), PRODUCT)
        return ([share.text], True) if rest else ([share.text, others.text], False)
    if rest and choices.maybe():
        return list(split[:-1]), True
    return list(split), False


def _wrong_shares(scope: Scope) -> list[str] | None:
    """Shares of which the checker cannot know that they do not make 1."""
    known = [r for r in scope.fresh(is_whole) if r.kind == "variable" and r.type.lo <= 0]  # type: ignore[union-attr]
    # The last value of a clock is known not to be there where something is performed.
    ends = [(r, r.type.hi - (r.name in scope.reserved)) for r in known]  # type: ignore[union-attr]
    if not (doubtful := [(r, most) for r, most in ends if most > 0]):
        return None
    readable, most = scope.choices.pick(doubtful)
    scope.world.doubted.add(readable.name)
    code = values.read(scope, readable, 0)
    return scope.choices.pick([[f"{code} / {most}", "1/2"], [f"({code} + 1) / {most}"], [f"{code} / {most}"]])


def block(scope: Scope, depth: int) -> Made:
    """`chance:` with a branch for each thing that can happen."""
    shares, rest = probabilities(scope, depth, rest=True)
    heads = [*shares, "else"] if rest else shares
    inner = replace(scope, ways=max(1, scope.ways // len(heads)))
    lines = ["chance:"]
    for head in heads:
        made, _ = statements.some(inner, depth - 1, most=2)
        if len(made) == 1 and scope.choices.maybe() and statements.is_simple(made[0]):
            lines.extend(indented([f"{head}: {made[0]}"]))
        else:
            lines.extend(indented([f"{head}:", *indented(made)]))
    after = scope.after_change("\n".join(lines))
    return lines, replace(after, ways=1 if inner.ways == 1 else inner.ways // 2 or 1)
