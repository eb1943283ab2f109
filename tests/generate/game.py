"""Whole games: the declarations, and the frame that makes a game of them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from gdl.model.types import BOOL, NONE, Bool, Cells, Enum, Int, ListOf, Type, Union, Unit
from tests.generate import (
    bags,
    conditions,
    declarations,
    domains,
    held_lists,
    numbers,
    policies,
    statements,
    values,
)
from tests.generate.choices import Choices
from tests.generate.code import Code, indented, names_in
from tests.generate.declarations import RESERVED, write_body
from tests.generate.scope import Performable, Readable, Scope, World, is_board
from tests.generate.types import declare_players, declare_types, literal, spell, storable

MOST_MOVES = 9
"""How many moves one declaration may stand for."""

MOST_WAYS = 6
"""How many ways chance may go in one move."""


def write_game(random: Random, faults: bool = True) -> str:
    """The text of a game. Without `faults` no rule of it ever breaks, and a move is always legal."""
    world = World(Choices(random), faults)
    declare_players(world)
    declarations.declare_params(world)
    declare_types(world)
    declarations.declare_consts(world)
    declarations.declare_defs(world, pure=True, most=1)
    frame = Frame(world)
    declarations.declare_position(world, frame.variables)
    declarations.declare_defs(world, pure=False, most=3)
    declarations.declare_effects(world)
    declarations.declare_defs(world, pure=False, most=1)
    frame.write()
    if world.choices.maybe(10):
        declarations.use_library(world)
    return (
        "\n\n".join(['"""Made by the generator."""\ngame made', *world.choices.shuffled(world.items)]) + "\n"
    )


class Frame:
    """Who moves, what ends the game, and what it is worth.

    Most games have a `clock` that every move advances and that ends them. In some the last tick writes an
    `outcome`, which is none until then. The others end when some condition holds, or never.
    """

    def __init__(self, world: World):
        self.world, choices = world, world.choices
        self.ending = choices.pick([*["clock"] * 9, "outcome", "outcome", "condition", "endless"])
        self.length = choices.pick([2, 3, 4, 5, 1, 3, 4, 5])
        self.blocked = False
        players = world.players
        lines = []
        self.reserved: list[Readable] = []
        if players.size > 1 or choices.maybe(3):
            start = literal(Scope(world, position=False), players)
            lines.append(f"turn: player = {start}")
            self.reserved.append(Readable("turn", players, kind="variable", reads=True))
        else:
            lines.append("turn: player = " + players.members[0].name)
            self.reserved.append(Readable("turn", players, kind="variable", reads=True))
        if self.ending in ("clock", "outcome"):
            lines.append(f"clock: 0..{self.length} = 0")
            self.reserved.append(Readable("clock", Int(0, self.length), kind="variable", reads=True))
        self.outcome: Type = Int(-2, 3)
        if self.ending == "outcome":
            self.outcome = choices.pick([Int(-2, 3), players, BOOL])
            lines.append(f"outcome: {spell(world, self.outcome)}?")
            whole = Union((self.outcome, NONE))
            self.reserved.append(Readable("outcome", whole, kind="variable", reads=True))
        self.variables = lines
        world.used |= RESERVED
        world.values.extend(self.reserved)

    def write(self) -> None:
        world = self.world
        terminal = self._terminal()
        playing = Scope(
            world, tested=names_in(terminal), reserved=RESERVED, ways=MOST_WAYS, pays=self._pays()
        )
        chance = world.choices.maybe(5)
        self._player(replace(playing, ways=1, pays=False), chance)
        self._moves(playing, chance)
        self._utility(playing)
        if world.choices.maybe(5):
            self._stuck(replace(playing, ways=1, pays=False), chance)
        if world.choices.maybe(6):
            self._limit(replace(playing, ways=1, pays=False))
        self._extras()
        policies.declare_policies(self.world, replace(playing, ways=1, pays=False))

    def _pays(self) -> bool:
        return self.world.choices.maybe(4)

    # ------------------------------------------------------------- who, until when

    def _terminal(self) -> str:
        """The section, and its text for what it says about the variables."""
        world = self.world
        choices, scope = world.choices, Scope(self.world)
        match self.ending:
            case "clock":
                end = choices.pick([f"clock == {self.length}", f"clock >= {self.length}"])
                text = f" {end}"
                if choices.maybe(4):
                    early = conditions.condition(scope, 1).at(conditions.NOT)
                    text = f" {end} or {choices.pick(['clock > 1', 'clock > 2', 'clock == 1'])} and {early}"
                elif choices.maybe(5):
                    late = f"clock > 1 and {conditions.condition(scope, 1).at(conditions.NOT)}"
                    text = f"\n    if {end}: return true\n    return {late}"
            case "outcome":
                text = " outcome is not none"
            case "condition":
                # Wherever something moves or is performed, it is known not to hold.
                text = write_body(scope, conditions.condition, 2)
                if names_in(text) & world.doubted:
                    text = " false"
            case _:
                text = " false"
        self.blocked = "\n" in text
        if self.ending != "outcome" and not text.startswith("\n") and choices.maybe(5):
            text = f"{text} or stuck"
        world.items.append(f"terminal:{text}")
        return text

    def _player(self, scope: Scope, chance: bool) -> None:
        world = self.world
        if world.players.size == 1 and not chance and world.choices.maybe():
            return

        def mover(inner: Scope, depth: int) -> Code:
            own = world.choices.pick([Code("turn"), Code("turn"), Code("next(turn)")])
            if not chance:
                return own
            # Never known beforehand, or there would be no use for weights.
            test = Code(f"turn == {literal(inner, world.players)}", conditions.COMPARISON)
            if world.choices.maybe():
                test = Code(f"{test} or {conditions.condition(inner, 1).at(conditions.AND)}", conditions.OR)
            return conditions.conditional(Code("chance"), test, own)

        world.items.append(f"player:{write_body(scope, mover, 1)}")

    # ----------------------------------------------------------------------- moves

    def _moves(self, scope: Scope, chance: bool) -> None:
        count = self.world.choices.pick([2, 1, 2, 3, 3])
        for i in range(count):
            self._move(scope, chance, always=False, number=i)
        if not (scope.faults and self.world.choices.maybe(3)):
            self._move(scope, chance, always=True, number=count)

    def _move(self, scope: Scope, chance: bool, always: bool, number: int) -> None:
        """A move; with `always` one that makes sure that some move is legal."""
        world, choices = self.world, self.world.choices
        secret = "secret " if choices.maybe(5) else ""
        parameters, inner = ([], scope) if always and choices.maybe() else self._parameters(scope, always)
        chosen = inner.locals[len(inner.locals) - len(parameters) :]
        shown = f"({', '.join(parameters)})" if parameters else ""
        clauses = []
        if always:
            clauses += [" otherwise"] if choices.maybe() else []
        elif choices.maybe():
            test, inner, _ = conditions.test(inner, 2)
            clauses.append(f" when {test}")
            clauses += [" otherwise"] if choices.maybe(8) else []
        if chance and choices.maybe():
            weight = numbers.natural(inner, 1)
            if scope.risk(3):
                clauses.append(f" weight {weight.code}")
            else:
                clauses.append(f" weight {weight.code.at(conditions.SUM)} + 1")
        name = world.name(*_MOVE_NAMES[number])
        takes, words = tuple(p.type for p in chosen), tuple(p.name for p in chosen)
        free = frozenset(word for word in words if any(p.startswith(f"{word}:") for p in parameters))
        world.moves.append(Performable(name, takes, words, 1, free))
        given = [p.split()[0].rstrip(":") for p in parameters]
        known = {local.name: local.type for local in inner.locals}
        if choices.maybe(4) and all(_is_word(known[g]) for g in given):
            shown += f' as "{"/".join([name, *(f"{{{g}}}" for g in given)])}"'
        made = self._with_tick(inner)
        if choices.maybe() and world.players.size > 1:
            made.append("turn = next(turn)")
        head = f"{secret}move {name}{shown}{''.join(choices.shuffled(clauses))}:"
        if len(made) == 1 and statements.is_simple(made[0]) and choices.maybe():
            world.items.append(f"{head} {made[0]}")
        else:
            world.items.append("\n".join([head, *indented(made)]))

    def _with_tick(self, scope: Scope) -> list[str]:
        """Statements, and what every move does to the clock, before or after them."""
        match self.ending:
            case "clock" if self.blocked:  # what a block says of the clock is not known in moves
                tick = [f"clock = min(clock + 1, {self.length})"]
            case "clock":
                tick = ["clock += 1"]
            case "outcome":
                made_of = literal(Scope(self.world, position=False), self.outcome).text
                last = f"outcome = {made_of}"
                tick = [f"if clock < {self.length}:", "    clock += 1", "else:", f"    {last}"]
            case _:
                tick = []
        made: list[str] = []
        first = self.world.choices.maybe()
        if first:
            scope = scope.after_change("clock")
        if statements.assignable(scope) and not self.world.choices.maybe(4):
            made, scope = statements.advance(scope, 1)
        made = made + statements.some(scope, 2)[0]
        return tick + made if first else made + tick

    def _parameters(self, scope: Scope, certain: bool) -> tuple[list[str], Scope]:
        """Parameters over a type, over what depends on earlier ones, or computed; few values in all.

        With `certain` each has a value, whatever the position.
        """
        choices, shown, left = scope.choices, [], MOST_MOVES
        for _ in range(choices.pick([1, 0, 1, 2, 2, 3])):
            name = scope.local_name("a", "b", "at", "to", "by")
            kind = choices.pick(["typed", "in", "computed"])
            if kind == "computed":
                code, type_ = self._computed(scope, certain)
                shown.append(f"{name} = {code}")
            elif kind == "in":
                found = domains.domain(scope, 1, min(left, domains.LARGEST))
                if bags.known(scope) and choices.maybe():
                    found = bags.domain(scope, subsets=choices.maybe())
                if isinstance(found.element, ListOf) or (certain and not found.least) or found.most > left:
                    continue
                shown.append(f"{name} in {found.code}")
                scope = scope.after_test(found.code)
                type_, left = found.element, left // max(1, found.most)
            else:
                type_ = self._used_type(scope) if choices.maybe() else storable(scope.world, max(2, left))
                if type_.size > left:  # type: ignore[union-attr]
                    continue
                shown.append(f"{name}: {spell(scope.world, type_)}")
                left //= type_.size  # type: ignore[union-attr]
            scope = scope.declare(name, type_)
            if kind == "computed":
                scope = scope.after_test(name)
        return shown, scope

    def _used_type(self, scope: Scope) -> Type:
        """The type of a variable or of one of its indices, so that moves can say where and what."""
        variables = statements.assignable(scope)
        types = [type_ for v in variables for type_ in (v.type, *v.takes) if not isinstance(type_, ListOf)]
        return scope.choices.pick([BOOL, *types, *types])

    def _computed(self, scope: Scope, certain: bool) -> tuple[Code, Type]:
        """`to = from + d`: where the value is none there is no such move."""
        cells = scope.of_type(is_board)
        if cells and not certain and scope.choices.maybe():
            board = scope.choices.pick(cells).type
            assert isinstance(board, Cells)
            return values.step(scope, board, 1), board
        if scope.choices.maybe():
            number = numbers.whole(scope, 1)
            return number.code, number.type
        simple = storable(scope.world, 12)
        if certain or not (isinstance(simple, Union) and NONE in simple.members):
            if isinstance(simple, Union):
                simple = BOOL
            return values.exact(scope, simple, 1), simple
        members = tuple(m for m in simple.members if m != NONE)
        return values.exact(scope, simple, 1), members[0] if len(members) == 1 else Union(members)

    # ---------------------------------------------------------------------- payoff

    def _utility(self, scope: Scope) -> None:
        world, choices = self.world, self.world.choices
        scope = replace(scope, ways=1, pays=False)
        if self.ending == "outcome":
            scope = scope.narrow(Code("outcome"), self.outcome)

        def result(inner: Scope, depth: int) -> Code:
            return numbers.number(inner, depth).code

        word = "minimise" if choices.maybe(6) else "utility"
        if word == "minimise" and world.players.size <= 2 and choices.maybe(3):
            world.items.append(f"minimise: {choices.pick(['moves', f'moves + ({result(scope, 1)})'])}")
        elif any(w in item for item in world.items for w in ("reward", "cost")) and choices.maybe():
            pass
        elif world.players.size > 2 or choices.maybe(3):
            own = scope.declare(scope.local_name("p", "me"), world.players)
            world.items.append(f"{word}({own.locals[-1].name}):{write_body(own, result, 2)}")
        else:
            world.items.append(f"{word}:{write_body(scope, result, 2)}")
        if choices.maybe(6):
            world.items.append(f"discount: {choices.pick(['9/10', '1/2', '0.75'])}")
        if self.ending == "endless" and choices.maybe():
            if world.players.size > 2 or choices.maybe():
                word, first = scope.local_name("p", "me"), world.players.members[0].name
                world.items.append(
                    f"endless({word}): {choices.pick(['1', '-1/2'])} if {word} == {first} else 0"
                )
            else:
                world.items.append(f"endless: {choices.pick(['1', '-1/2', '0'])}")

    def _limit(self, scope: Scope) -> None:
        """What is paid after so many moves."""

        def result(inner: Scope, depth: int) -> Code:
            return numbers.number(inner, depth).code

        head = f"limit {scope.choices.integer(1, 4)} moves"
        if self.world.players.size > 2 or scope.choices.maybe(3):
            own = scope.declare(scope.local_name("p", "me"), self.world.players)
            self.world.items.append(f"{head}({own.locals[-1].name}):{write_body(own, result, 1)}")
        else:
            self.world.items.append(f"{head}:{write_body(scope, result, 1)}")

    def _stuck(self, scope: Scope, chance: bool) -> None:
        """What is paid where no move is legal."""

        def result(inner: Scope, depth: int) -> Code:
            return numbers.number(inner, depth).code

        if chance or self.world.players.size > 2 or scope.choices.maybe(3):
            own = scope.declare(scope.local_name("p", "me"), self.world.players)
            self.world.items.append(f"stuck({own.locals[-1].name}):{write_body(own, result, 1)}")
        else:
            self.world.items.append(f"stuck:{write_body(scope, result, 1)}")

    # ---------------------------------------------------------- search, show, expect

    def _extras(self) -> None:
        world, choices = self.world, self.world.choices
        scope = Scope(world)

        def result(inner: Scope, depth: int) -> Code:
            return numbers.number(inner, depth).code

        for _ in range(choices.pick([0, 0, 1, 2])):
            name = world.name("material", "mobility", "tempo")
            if choices.maybe(4):
                world.items.append(f"feature {name}: {conditions.condition(scope, 1)}")
            else:
                world.items.append(f"feature {name}:{write_body(scope, result, 1)}")
        if choices.maybe(4):
            if world.players.size > 2 or choices.maybe():
                own = scope.declare(scope.local_name("p", "me"), world.players)
                world.items.append(f"evaluate({own.locals[-1].name}):{write_body(own, result, 1)}")
            else:
                world.items.append(f"evaluate:{write_body(scope, result, 1)}")
        if choices.maybe():
            self._show(scope)
        if choices.maybe(6):
            world.items.append("expect perft(0) == 1")

    def _show(self, scope: Scope) -> None:
        """A map over a board, or lines of text with values in them."""
        choices = scope.choices
        boards = [
            r
            for r in scope.readables()
            if len(r.takes) == 1 and isinstance(r.takes[0], Cells) and r.kind in ("variable", "def")
        ]
        lines = []
        for _ in range(choices.integer(1, 2)):
            if boards and not choices.maybe(3):
                board = choices.pick(boards)
                name = board.name
                under = choices.pick([r.name for r in boards if r.takes == board.takes])
                pictures = [name, f"flip({name})", f'"board {{{name}}}"', f"flip(above({name}, {under}))"]
                lines.append(choices.pick(pictures))
            elif (listed := held_lists.known(scope)) and choices.maybe():
                lines.append(f'"held {{{held_lists.place(scope, choices.pick(listed), 0)}}}"')
            elif (held := bags.known(scope)) and choices.maybe():
                lines.append(f'"bag {{{bags.place(scope, choices.pick(held), 0)}}}"')
            else:
                type_ = storable(scope.world, 20)
                inner = values.exact(scope, type_, 1)
                lines.append(choices.pick([f'"it is {{ {inner} }}, {{{{so}}}}"', '"{turn} moves"']))
        head = "show:"
        if choices.maybe(3):
            viewer = scope.local_name("viewer", "me")
            head, lines = f"show({viewer}):", [*lines, f'"for {{{viewer}}}"']
        if len(lines) == 1 and choices.maybe():
            scope.world.items.append(f"{head} {lines[0]}")
        else:
            scope.world.items.append("\n".join([head, *indented(lines)]))


def _is_word(type_: Type) -> bool:
    """Whether values of the type are written as one word."""
    members = type_.members if isinstance(type_, Union) else (type_,)
    return all(isinstance(member, Bool | Int | Enum | Cells | Unit) for member in members)


_MOVE_NAMES = [
    ("place", "play"),
    ("step", "slide", "take"),
    ("roll", "bid", "fold"),
    ("hold", "wait", "pass_on"),
]
