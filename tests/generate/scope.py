"""What can be named at some place of a game: declarations, locals, and what the checker may know of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from gdl.model.types import Cells, Int, Player, Rational, Tuple, Type, Union
from tests.generate.choices import Choices
from tests.generate.code import Code, names_in


@dataclass(frozen=True)
class Readable:
    """Something with a value: a local, a variable, a constant, a table, a `def`.

    `takes` are the types of its indices or arguments, with the names of the arguments of a `def`.
    """

    name: str
    type: Type
    takes: tuple[Type, ...] = ()
    names: tuple[str, ...] = ()
    kind: str = "local"  # "local", "let" (perhaps a constant), "variable", "constant", "def"
    reads: bool = False  # whether it looks at the position


@dataclass(frozen=True)
class Performable:
    """An effect, a move or a policy: what it takes, and how many ways it can go at most (1: no draw)."""

    name: str
    takes: tuple[Type, ...]
    names: tuple[str, ...]
    ways: int
    free: frozenset[str] = frozenset()  # of a move, the parameters that take every value of their type


@dataclass(frozen=True)
class Listed:
    """A variable that holds a list or a bag, or a map of them."""

    name: str
    outer: tuple[Type, ...]
    element: Type
    longest: int


@dataclass
class World:
    """The game as far as it has been declared."""

    choices: Choices
    faults: bool  # whether rules may break while the game is played
    players: Player = field(default_factory=lambda: Player("player", ()))
    items: list[str] = field(default_factory=list)
    types: dict[str, Type] = field(default_factory=dict)
    bounds: dict[int, list[str]] = field(
        default_factory=dict
    )  # numbers that a parameter or constant stands for
    values: list[Readable] = field(default_factory=list)
    lists: list[Listed] = field(default_factory=list)
    bags: list[Listed] = field(default_factory=list)
    effects: list[Performable] = field(default_factory=list)
    moves: list[Performable] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    doubted: set[str] = field(default_factory=set)  # variables that rules rely on to have all their values

    def name(self, *wanted: str) -> str:
        """A name that nothing else has: one of those wanted, or the first with a number."""
        fresh = [name for name in wanted if name not in self.used]
        if fresh:
            found = self.choices.pick(fresh)
        else:
            found = next(name for i in range(2, 100) if (name := f"{wanted[0]}{i}") not in self.used)
        self.used.add(found)
        return found

    def boards(self) -> list[Cells]:
        return [type_ for type_ in self.types.values() if isinstance(type_, Cells)]


@dataclass(frozen=True)
class Scope:
    """Where an expression or a statement stands."""

    world: World
    locals: tuple[Readable, ...] = ()
    mutable: frozenset[str] = frozenset()  # typed lets
    narrowed: tuple[tuple[str, Type], ...] = ()  # places that are known to be of a part of their type
    tested: frozenset[str] = frozenset()  # names of which the checker may know more than their type
    position: bool = True  # whether there is a position to look at
    calls: bool = True  # whether functions of the game can be called
    ways: int = 1  # how many ways chance may go from here
    pays: bool = False  # whether rewards can be paid
    looping: bool = False  # whether there is a loop to break from
    reserved: frozenset[str] = frozenset()  # variables that only the frame of the game assigns
    hidden: frozenset[str] = frozenset()  # variables whose names mean something else here

    @property
    def choices(self) -> Choices:
        return self.world.choices

    @property
    def faults(self) -> bool:
        return self.world.faults

    def risk(self, times: int = 4) -> bool:
        """Whether to write something that may break a rule while the game is played."""
        return self.faults and self.position and self.choices.maybe(times)

    # ------------------------------------------------------------------ names

    def readables(self) -> Iterator[Readable]:
        """Everything that can be read here, the nearest first."""
        for name, type_ in self.narrowed:
            yield Readable(name, type_)
        known = {name for name, _ in self.narrowed}
        for local in reversed(self.locals):
            if local.name not in known:
                yield local
        for value in self.world.values:
            if value.name in known | self.hidden or (value.reads and not self.position):
                continue
            if value.kind == "def" and not self.calls:
                continue
            yield value

    def of_type(self, holds: Callable[[Type], bool], depth: int = 0) -> list[Readable]:
        """What can be read, below depth 0 without indices and arguments."""
        return [r for r in self.readables() if holds(r.type) and (depth >= 0 or not r.takes)]

    def fresh(self, holds: Callable[[Type], bool], depth: int = 0) -> list[Readable]:
        """Those of which the checker knows nothing but their type: no test or assignment mentions them."""
        return [r for r in self.of_type(holds, depth) if not names_in(r.name) & self.tested]

    def prefer(self, readables: list[Readable]) -> Readable:
        """One of them, the nearest and what changes during a play more often than constants."""
        weights = {"local": 5, "let": 3, "variable": 4, "def": 2, "constant": 1}
        return self.choices.pick([r for r in readables for _ in range(weights[r.kind])])

    def local_name(self, *wanted: str) -> str:
        """A name for a new local: it hides nothing, but others in other blocks may have it too."""
        taken = {local.name for local in self.locals} | self.world.used
        for name in wanted:
            if name not in taken:
                return name
        return next(name for i in range(2, 100) if (name := f"{wanted[0]}{i}") not in taken)

    # ---------------------------------------------------------- changed scopes

    @property
    def plain(self) -> list[Readable]:
        """The locals that are values, not maps."""
        return [local for local in self.locals if not local.takes]

    def declare(
        self,
        name: str,
        type_: Type,
        mutable: bool = False,
        kind: str = "local",
        takes: tuple[Type, ...] = (),
    ) -> Scope:
        local = Readable(name, type_, takes, kind=kind)
        kept = tuple(other for other in self.locals if other.name != name)
        return replace(
            self,
            locals=(*kept, local),
            mutable=self.mutable | {name} if mutable else self.mutable - {name},
            tested=self.tested | {name} if mutable else self.tested - {name},
        )

    def after_test(self, text: Code | str) -> Scope:
        """Where a condition has come out one way or the other."""
        return replace(self, tested=self.tested | names_in(str(text)))

    def narrow(self, place: Code, type_: Type) -> Scope:
        """Where a place is known to be of this part of its type."""
        kept = tuple(item for item in self.narrowed if item[0] != place.text)
        return replace(self.after_test(place), narrowed=((place.text, type_), *kept))

    def after_change(self, text: str) -> Scope:
        """Behind statements that may have changed whatever they mention, and through effects anything."""
        changing = self.mutable | {v.name for v in self.world.values if v.kind in ("variable", "def")}
        kept = tuple(item for item in self.narrowed if not names_in(item[0]) & changing)
        return replace(self, narrowed=kept, tested=self.tested | names_in(text))


def is_whole(type_: Type) -> bool:
    return isinstance(type_, Int)


def is_number(type_: Type) -> bool:
    return isinstance(type_, Int | Rational)


def is_board(type_: Type) -> bool:
    """Cells with rows and columns."""
    return isinstance(type_, Cells) and bool(type_.rows)


def is_direction(type_: Type) -> bool:
    return isinstance(type_, Tuple) and len(type_.fields) == 2 and all(is_whole(f) for f in type_.fields)


def is_union(type_: Type) -> bool:
    return isinstance(type_, Union)
