"""Policies: statements that name moves, in all their forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gdl.model.types import Bool, Cells, Enum, Int, Type
from tests.generate import chance, conditions, domains, numbers, values
from tests.generate.code import indented
from tests.generate.scope import Performable, Scope, World
from tests.generate.statements import is_simple
from tests.generate.types import spell, storable

MOST_WAYS = 6
"""How many ways chance may go in one policy."""


def declare_policies(world: World, scope: Scope) -> None:
    """Up to two policies for the moves of the world; where something is hidden they look at nothing."""
    hidden = any("visible to" in item for item in world.items)
    known: list[Performable] = []
    for _ in range(world.choices.pick([0, 1, 1, 2])):
        variables = frozenset(v.name for v in world.values if v.kind == "variable")
        inner = replace(
            scope, ways=MOST_WAYS, pays=False, position=not hidden, calls=not hidden, reserved=variables
        )
        name = world.name("eager", "patient", "clever")
        takes: list[Type] = []
        names: list[str] = []
        for _ in range(world.choices.pick([0, 0, 1, 2])):
            type_ = storable(world, 9)
            if isinstance(type_, Bool | Int | Enum | Cells):
                names.append(inner.local_name("k", "much", "where"))
                takes.append(type_)
                inner = inner.declare(names[-1], type_)
        spelled = zip(names, takes, strict=True)
        formals = ", ".join(f"{word}: {spell(world, type_)}" for word, type_ in spelled)
        owner = f" for {world.choices.pick(world.players.members).name}" if world.choices.maybe(5) else ""
        writer = _Writer(inner.declare("mover", world.players), known)
        head = f"policy {name}{f'({formals})' if formals else ''}{owner}:"
        lines = writer.some(writer.scope, 2)
        if len(lines) == 1 and _is_expression(lines[0]) and world.choices.maybe():
            world.items.append(f"{head} {lines[0]}")
        else:
            world.items.append("\n".join([head, *indented(lines)]))
        if not owner:
            known.append(Performable(name, tuple(takes), tuple(names), MOST_WAYS))


def _is_expression(line: str) -> bool:
    return is_simple(line) and not line.startswith(("let ", "return ")) and " ~ " not in line


class _Writer:
    def __init__(self, scope: Scope, known: list[Performable]):
        self.scope, self.known, self.choices = scope, known, scope.choices

    def some(self, scope: Scope, depth: int) -> list[str]:
        """One statement or more; what ends the policy for certain comes last."""
        lines: list[str] = []
        for _ in range(self.choices.integer(1, 3)):
            made, scope = self.statement(scope, depth)
            lines += made
        if self.choices.maybe(3):
            lines.append(self.end(scope, depth))
        return lines

    def statement(self, scope: Scope, depth: int) -> tuple[list[str], Scope]:
        options: list[Callable[[], tuple[list[str], Scope]]] = [
            lambda: _undecided([self.choice(scope, depth)], scope)
        ] * 3
        options.append(lambda: self.let(scope, depth))
        if scope.ways > 1:
            options.append(lambda: chance.draw(scope, depth))
        if depth > 0:
            options += [lambda: _undecided(self.either(scope, depth - 1), scope)] * 2
            options.append(lambda: _undecided(self.loop(scope, depth - 1), scope))
            if scope.ways > 1:
                options.append(lambda: self.chance(scope, depth - 1))
        return self.choices.one_of(*options)

    def choice(self, scope: Scope, depth: int) -> str:
        """A move, or several, in one line."""
        options: list[Callable[[], str]] = [lambda: self.move(scope, depth)] * 3
        options.append(lambda: f"return {self.move(scope, depth)}")
        options.append(lambda: "{" + ", ".join(self.move(scope, depth) for _ in range(2)) + "}")
        if depth > 0:
            options += [
                lambda: self.conditional(scope, depth - 1),
                lambda: self.among(scope, depth - 1, "{}"),
                lambda: self.among(scope, depth - 1, "first()"),
            ]
            if scope.ways > 2:
                options.append(lambda: self.listed(scope, depth - 1))
        return self.choices.one_of(*options)

    def move(self, scope: Scope, depth: int) -> str:
        """A move with some of its arguments, by position as far as they go, or by name."""
        move = self.choices.pick(scope.world.moves)
        given = []
        named = False
        for word, type_ in zip(move.names, move.takes, strict=True):
            if word not in move.free or self.choices.maybe(3):  # nobody may wish for what there never is
                named = True
                continue
            value = values.value(scope, type_, depth - 1).text
            named = named or self.choices.maybe(4)
            given.append(f"{word}={value}" if named else value)
        return f"{move.name}({', '.join(given)})" if given else move.name

    def conditional(self, scope: Scope, depth: int) -> str:
        test, inside, outside = conditions.test(scope, depth)
        last = self.end(outside, depth) if self.choices.maybe() else self.move(outside, depth)
        return f"{self.move(inside, depth)} if {test.at(conditions.OR)} else {last}"

    def end(self, scope: Scope, depth: int) -> str:
        """`random`, or another policy."""
        fitting = [policy for policy in self.known if policy.ways <= scope.ways]
        if not fitting or self.choices.maybe():
            return "random"
        policy = self.choices.pick(fitting)
        return values.call(scope, policy.name, policy.takes, policy.names, depth - 1).text

    def among(self, scope: Scope, depth: int, brackets: str) -> str:
        binders = domains.binders(scope, depth)
        return f"{brackets[:-1]}{self.move(binders.scope, depth)} {binders.text}{brackets[-1]}"

    def listed(self, scope: Scope, depth: int) -> str:
        shares, _ = chance.probabilities(scope, depth, rest=False)
        return "{" + ", ".join(f"{self.move(scope, depth)}: {share}" for share in shares) + "}"

    def let(self, scope: Scope, depth: int) -> tuple[list[str], Scope]:
        name = scope.local_name("n", "some", "more")
        found = numbers.number(scope, depth)
        return [f"let {name} = {found.code}"], scope.declare(name, found.type)

    def either(self, scope: Scope, depth: int) -> list[str]:
        test, inside, outside = conditions.test(scope, depth)
        lines = [f"if {test}:", *indented(self.some(inside, depth))]
        if self.choices.maybe():
            lines += ["else:", *indented(self.some(outside, depth))]
        return lines

    def loop(self, scope: Scope, depth: int) -> list[str]:
        found = domains.domain(scope, depth, 4)
        names, inner = domains.bind(scope.after_change(""), found.element)
        made = [self.choice(replace(inner, ways=1), depth)]
        if self.choices.maybe(3):
            test = conditions.condition(inner, depth)
            made.append(f"if {test}: break")
        return [f"for {names} in {found.code.at(conditions.OR)}:", *indented(made)]

    def chance(self, scope: Scope, depth: int) -> tuple[list[str], Scope]:
        shares, rest = chance.probabilities(scope, depth, rest=True)
        heads = [*shares, "else"] if rest else shares
        inner = replace(scope, ways=max(1, scope.ways // len(heads)))
        lines = ["chance:"]
        for head in heads:
            lines += indented([f"{head}:", *indented(self.some(inner, depth))])
        return _undecided(lines, inner)


def _undecided(lines: list[str], scope: Scope) -> tuple[list[str], Scope]:
    """Behind lines that may have ended the policy: that they have not may tell how their tests came out."""
    return lines, scope.after_test("\n".join(lines))
