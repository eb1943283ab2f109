"""The Game protocol: what solvers, agents and commands see of a game.

A position is any hashable value; a move is any hashable value. A class of your own that has these methods
works with every textbook solver. Utilities, rewards and probabilities are numbers: `Fraction` or `int`
in an exact game, `float` in a native one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from gdl.movers import CHANCE as CHANCE
from gdl.movers import TERMINAL as TERMINAL

Number = int | float | Fraction


@dataclass(frozen=True, slots=True)
class Traits:
    """What a solver must know before it starts. Inferred from the rules, never declared.

    Each trait errs on the safe side: `zero_sum` and `acyclic` are True only where proven, `chance`
    and `hidden` are False only where nothing in the rules can draw or hide.
    """

    players: int
    zero_sum: bool
    chance: bool  # a move, or chance as a player, has several outcomes
    random_start: bool  # more than one initial position
    hidden: bool  # some player does not see everything
    acyclic: bool  # no play visits a position twice
    rewards: bool  # payments on the way
    discount: Fraction = Fraction(1)
    utility_bounds: tuple[tuple[Fraction, Fraction], ...] = ()  # per player, of the final utility
    endless: tuple[Fraction, ...] = ()  # per player, the value of a play that never ends
    chance_moves: tuple[str, ...] = ()  # the moves that draw, for refusals: "roll (line 22)"
    whole: bool = False  # every utility and every reward is a whole number
    minimise: bool = False  # the rules speak of costs, the opposites of values: an infinite cost is an answer

    @property
    def class_of_game(self) -> str:
        """The class of the game in the words of the field."""
        if self.players == 1:
            players = "one-player"
        else:
            words = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
            total = "zero-sum" if self.zero_sum else "general-sum"
            players = f"{words.get(self.players, self.players)}-player {total}"
        chance = "stochastic" if self.chance else "deterministic"
        start = " with a random start" if self.random_start else ""
        information = "hidden" if self.hidden else "perfect"
        return f"{players} {chance} game of {information} information{start}"

    @property
    def rounds(self) -> bool:
        """Whether floats may round values: only whole utilities that are merely handed on are safe."""
        if not self.whole or self.chance or self.rewards or self.discount != 1:
            return True
        ends = [abs(end) for bounds in self.utility_bounds for end in bounds]
        return max(ends, default=0) > 2**53 or any(float(pay) != pay for pay in self.endless)

    @property
    def whole_values(self) -> bool:
        """Whether every position is worth a whole number, or an infinite one: payments are whole, and nothing
        weighs them."""
        steady = not self.chance and self.discount == 1
        return self.whole and steady and all(pay == int(pay) for pay in self.endless)

    @property
    def value_bounds(self) -> tuple[tuple[Number, Number], ...]:
        """Per player, numbers between which the rest of a play lies whatever is played, from every position.

        A play pays its utility, or `endless` if it never ends; with a discount that never comes, and what
        comes late is drawn towards 0. Payments on the way have no bounds here: -inf and inf.
        """
        if self.rewards or not self.utility_bounds:
            return ((-inf, inf),) * self.players
        found = []
        for player, bounds in enumerate(self.utility_bounds):
            paid: list[Number] = list(bounds)
            if self.discount != 1:
                paid.append(0)
            elif not self.acyclic:
                paid.append(self.endless[player] if self.endless else 0)
            found.append((min(paid), max(paid)))
        return tuple(found)


class Outcome(NamedTuple):
    """One thing that can happen: where it leads, how probably, and what it pays each player."""

    position: Hashable
    probability: Number
    rewards: tuple[Number, ...]


P = TypeVar("P", bound=Hashable)
M = TypeVar("M", bound=Hashable)


@runtime_checkable
class Game(Protocol[P, M]):
    """A finite stochastic game for solvers and players."""

    @property
    def name(self) -> str: ...

    @property
    def players(self) -> tuple[str, ...]: ...

    @property
    def traits(self) -> Traits: ...

    def initial(self) -> Sequence[Outcome]:
        """The initial positions with their probabilities, which sum to 1."""
        ...

    def to_move(self, position: P) -> int:
        """The index of the player to move, or CHANCE, or TERMINAL."""
        ...

    def moves(self, position: P) -> Sequence[M]:
        """The legal moves, distinct, in a fixed order; none in a terminal position."""
        ...

    def chance(self, position: P) -> Sequence[tuple[M, Number]]:
        """Where chance is to move: its moves with their probabilities, which sum to 1."""
        ...

    def outcomes(self, position: P, move: M) -> Sequence[Outcome]:
        """What a legal move may lead to; distinct, probabilities sum to 1."""
        ...

    def utility(self, position: P) -> tuple[Number, ...]:
        """Each player's utility in a terminal position."""
        ...

    def features(self, position: P) -> Mapping[str, Number]:
        """The features that the game declares."""
        ...

    def evaluate(self, position: P) -> tuple[Number, ...] | None:
        """Each player's estimate by the game's own `evaluate`, None if it has none."""
        ...

    def observation(self, position: P, player: int) -> Hashable:
        """What the player sees of the position; equal where the player cannot tell two apart."""
        ...

    def show(self, position: P) -> str:
        """The position drawn for people."""
        ...

    def format_position(self, position: P) -> str:
        """The position as one line of text that `parse_position` reads back."""
        ...

    def parse_position(self, text: str) -> P: ...

    def format_move(self, move: M) -> str:
        """The move as text, such as `drop(3)`."""
        ...

    def parse_move(self, position: P, text: str) -> M:
        """The legal move that the text means; raises GameError naming the legal ones."""
        ...


@runtime_checkable
class Passing(Protocol):
    """A game that can say what a position would be if the mover passed, whether or not the rules allow it."""

    def passed(self, position: Any) -> Any | None:
        """The position with the turn handed on and nothing else changed; None where there is no such thing.

        The rules may never lead there, so what they do there may be a fault.
        """
        ...


class Axis(NamedTuple):
    """An index of a variable: how many values it has, and how they lie to each other.

    `cells` are the rows and columns of the cells of a board; `chains` the lines that a graph declares.
    """

    kind: str  # "grid", "hex", "graph", "numbers", "names" or "players"
    size: int
    cells: tuple[tuple[int, int], ...] = ()
    chains: tuple[tuple[int, ...], ...] = ()


class Element(NamedTuple):
    """One of the finitely many parts that make up every position: one entry of a variable."""

    name: str  # board[a1]
    variable: str
    part: int  # of a variable that holds tuples or sets; else 0
    at: tuple[int, ...]  # per index of the variable, its ordinal
    size: int  # how many values it can have
    ordered: bool  # whether they are numbers


class ElementSymmetry(NamedTuple):
    """A permutation of elements: the image of a position has in element e what the position has in element
    source[e], its value mapped by maps[e] where there is one."""

    source: tuple[int, ...]
    maps: Mapping[int, tuple[int, ...]]
    exchanges: bool  # whether two players change parts

    def image(self, ordinals: Sequence[int]) -> tuple[int, ...]:
        found = [ordinals[k] for k in self.source]
        for element, mapped in self.maps.items():
            found[element] = mapped[found[element]]
        return tuple(found)


@runtime_checkable
class Composed(Protocol):
    """A game whose positions are made of elements: what can be learned of positions is learned of these."""

    @property
    def digest(self) -> str:
        """Names the rules with their parameters, for files that belong to them."""
        ...

    @property
    def elements(self) -> Sequence[Element]: ...

    @property
    def axes(self) -> Mapping[str, tuple[Axis, ...]]:
        """The indices of every variable."""
        ...

    def ordinals(self, position: Any) -> tuple[int, ...]:
        """The value of every element of a position, each counted from 0."""
        ...

    def composed(self, ordinals: Sequence[int]) -> Any:
        """The position of these values; the inverse of `ordinals`. No play need lead there."""
        ...

    def afterstate(self, position: Any, move: Any) -> tuple[Any, bool, tuple[Number, ...]]:
        """What a move makes of a position before chance is asked: the position up to the first draw, whether
        there is one, and what was paid until then."""
        ...


class DeclaredPolicy(Protocol):
    """A policy that comes with a game; it looks only at what its player sees."""

    def __call__(self, position: Any) -> Mapping[Any, Number]:
        """The probabilities of the moves that it may make."""
        ...

    def informed(self, seen: Any, legal: Sequence[Any]) -> Mapping[Any, Number]:
        """The same from what its player observes of the position, and the legal moves."""
        ...


@runtime_checkable
class DeclaresPolicies(Protocol):
    """A game that brings policies of its own: its file declares them."""

    @property
    def policies(self) -> Mapping[str, str]:
        """Their names, each with the way it is declared: `hold_at(n: 1..100)`."""
        ...

    def policy(self, text: str) -> DeclaredPolicy:
        """The policy that a text such as `hold_at(25)` means. Raises GameError where it means none."""
        ...


@runtime_checkable
class CompiledPolicy(Protocol):
    """A declared policy, for the function `policy` of a compiled game."""

    @property
    def code(self) -> tuple[int, tuple[int, ...]]:
        """Its number among the policies of the game, and the ordinals of its arguments."""
        ...

    def __call__(self, position: Any) -> Mapping[Any, Number]: ...


@runtime_checkable
class Compiled(Protocol):
    """A game as machine code, for kernels that call its functions by address (`NativeGame.compiled`).

    The functions and their arguments are those of the native engine's ABI. A *form* is what they work on,
    `form_size` bytes; a *key* names a position in `key_words` 64-bit words, equal exactly where positions are
    equal; a *record* describes an outcome, `record_size` bytes with its parts at the offsets `at_..`:

        probability f64 | rewards f64 each | .. | at_odds: num, den i64
                        | at_rewards: (num, den) i64 each | at_form
    """

    @property
    def digest(self) -> str:
        """Names the rules with their parameters: equal where two descriptions have the same Model."""
        ...

    @property
    def packing(self) -> str:
        """Names the way in which keys are made: where it is equal, a key means the same position."""
        ...

    @property
    def form_size(self) -> int: ...

    @property
    def key_words(self) -> int: ...

    @property
    def key_bits(self) -> int: ...

    @property
    def record_size(self) -> int: ...

    @property
    def at_odds(self) -> int: ...

    @property
    def at_rewards(self) -> int: ...

    @property
    def at_form(self) -> int: ...

    @property
    def script_size(self) -> int:
        """Bytes of scratch that the enumeration of outcomes needs."""
        ...

    @property
    def blank(self) -> bytes:
        """The form from which `initial` begins."""
        ...

    @property
    def move_numbers(self) -> int:
        """How many numbers of moves there are; as the number of a move, it stands for `initial`."""
        ...

    @property
    def drawing(self) -> Sequence[tuple[int, int]]:
        """The numbers of the moves that may draw, as ranges from (inclusive) to (exclusive)."""
        ...

    @property
    def paying(self) -> Sequence[tuple[int, int]]:
        """The numbers of the moves that may give rewards, likewise."""
        ...

    @property
    def concealing(self) -> Sequence[tuple[int, int]]:
        """The numbers of secret moves, likewise: each range is a declared move, whose parameters are
        hidden."""
        ...

    @property
    def hideable(self) -> Sequence[tuple[int, int, int]]:
        """Which bits of the key not everyone may see: the number of an element (as `visible` counts them),
        the first bit, how many. An element that is a tuple may have several ranges."""
        ...

    @property
    def moves_told(self) -> bool:
        """Whether who sees the number of a move sees all of it: no computed parameter depends on what is
        hidden."""
        ...

    def symmetries(self) -> int:
        """How many permutations of positions are proven to leave the rules, and every player's part, as they
        are, the identity counted. They are looked for when this is asked, which may take seconds: so it is no
        property, which `isinstance` would read."""
        ...

    def element_symmetries(self) -> tuple[Sequence[ElementSymmetry], bool]:
        """The same as permutations of the elements of positions (`Composed`), without the identity and with
        those in which players change parts, and True; where the rules are such that none can be proven, those
        that are worth trying, and False."""
        ...

    def canonical_key(self, position: Hashable) -> bytes:
        """The least key of the positions that these permutations make of one; where there are any."""
        ...

    def seen(self, observation: Hashable) -> bytes:
        """What kernels know an observation by: the key with all that is hidden 0, followed by words with a
        bit for each range of `hideable`, 1 where it is hidden."""
        ...

    def number(self, move: Hashable) -> int:
        """The number of a move; of one that is seen without its parameters the first of its declaration."""
        ...

    @property
    def fields(self) -> Sequence[tuple[str, int, int]]:
        """Which bits of the key come from which variable of the position: its name, the first, how many."""
        ...

    @property
    def places(self) -> Sequence[tuple[int, int, int]]:
        """Where the elements of a position (`Composed`) lie in a form: the first byte, how many bytes, and of
        a set, one byte of which is named, the bit; else -1."""
        ...

    @property
    def log2_positions(self) -> float:
        """No more positions than 2 to this: all combinations of values."""
        ...

    def address(self, function: str) -> int:
        """Where a function of the ABI lies. Valid while this object lives."""
        ...

    def key(self, position: Hashable) -> bytes: ...

    def position(self, key: bytes) -> Hashable: ...

    @property
    def exact(self) -> Game[Any, Any]:
        """The same game, with the same positions and moves, in exact numbers."""
        ...
