"""The parts of a game, and the Model that holds them all."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from gdl.diagnostics import Diagnostic, Source, Span
from gdl.game import Traits
from gdl.model.nodes.expressions import Domain, Expr
from gdl.model.nodes.statements import Block
from gdl.model.types import Cells, Player, Type
from gdl.records import record


@record
class Parameter:
    """A `param` with the value it has in this Model."""

    name: str
    value: Any
    default: Any
    type: Type  # Int, Rational, Bool or Enum
    bounded: bool  # whether the file declares the range
    span: Span


@record
class Visibility:
    """Who sees an element of a variable: `condition` over the index slots and the viewer's slot."""

    frame: int
    index_slots: tuple[int, ...]
    viewer_slot: int
    condition: Expr


@record
class Variable:
    """A position variable: one value, or a total map with one value per combination of indices.

    A map's elements are in row-major order of its indices' ordinals. `default` holds one value per
    element (one in all for a plain variable).

    A list is two variables. That of its slots has the number of the slot as its last index and names in
    `length` the other, which says how many slots are filled, the first ones, and names the list in `counts`.
    Slots that are not filled are `blank`.
    """

    name: str
    indices: tuple[Type, ...]
    type: Type
    default: tuple[Any, ...]
    visible: Visibility | None  # None: everyone sees it
    span: Span
    length: str | None = None
    counts: str | None = None

    @property
    def count(self) -> int:
        """How many elements."""
        result = 1
        for index in self.indices:
            assert not isinstance(index, str)
            result *= index.size  # type: ignore[union-attr]
        return result


@record
class Table:
    """A constant map, in row-major order of the indices' ordinals."""

    name: str
    indices: tuple[Type, ...]
    values: tuple[Any, ...]
    type: Type


@record
class Formal:
    """A parameter of a function or effect."""

    name: str
    slot: int
    type: Type


@record
class Function:
    """A `def`: an expression, or a block that always returns."""

    name: str
    formals: tuple[Formal, ...]
    frame: int
    body: Expr | Block
    type: Type
    span: Span


@record
class Effect:
    name: str
    formals: tuple[Formal, ...]
    frame: int
    body: Block
    draws: bool  # whether it can draw, itself or through what it calls
    span: Span


@record
class MoveParameter:
    """A parameter of a move: ranges over `domain`, or is computed as `value`.

    A computed value of type T? makes the move illegal where it is none; the slot then holds the T.
    `guards` are the conjuncts of the move's guard that can be tested once this parameter is known.
    """

    name: str
    slot: int
    type: Type
    domain: Domain | None
    value: Expr | None
    guards: tuple[Expr, ...]


@record
class Move:
    """A family of moves, one per combination of parameter values that passes all guards.

    `guards` are tested before any parameter is chosen. Legal moves are listed in the order of the
    declarations, and within one by parameters, the last varying fastest. `otherwise` moves are legal
    only when no other is. `weight` counts when chance is the player to move. `notation` is how a move is
    written: texts, and numbers of parameters whose values stand between them; None for `name(values)`.
    """

    name: str
    parameters: tuple[MoveParameter, ...]
    guards: tuple[Expr, ...]
    weight: Expr | None
    otherwise: bool
    secret: bool
    notation: tuple[str | int, ...] | None
    frame: int
    body: Block
    span: Span


@record
class Policy:
    """A way to choose moves: its body is run where a player is to move, and ends with a `Play` or `Follow`.

    A body that comes to its end without one leaves the choice to chance: every legal move is equally likely.
    Slot 0 holds the player to move. It changes nothing, and no rule depends on it.
    """

    name: str
    formals: tuple[Formal, ...]
    player: int | None  # whose policy it is; None: anybody's
    frame: int
    body: Block
    span: Span

    @property
    def signature(self) -> str:
        """`hold_at(n: 1..100)`, as it is declared."""
        inner = ", ".join(f"{formal.name}: {formal.type}" for formal in self.formals)
        return f"{self.name}({inner})" if inner else self.name


@record
class Section:
    """An expression with its own frame: `player:`, `terminal:`, a feature, .."""

    frame: int
    body: Expr | Block
    type: Type
    span: Span


@record
class ShowList:
    """The elements of a list one after another: `value` over the numbers below `count` in slot `slot`."""

    slot: int
    count: Expr
    value: Expr


@record
class ShowBoard:
    """A map over the cells of a board, drawn as the board: `value` over the cell in slot `slot`.

    `below` is drawn in the same squares, on the next line.
    """

    cells: Cells
    slot: int
    value: Expr | ShowList
    flip: bool  # row 0 at the bottom
    below: ShowBoard | None = None


@record
class ShowLine:
    """One line of text: strings, values and boards side by side."""

    parts: tuple[str | Expr | ShowList | ShowBoard, ...]


@record
class Show:
    """Pictures of positions; the player who looks is in slot `viewer`, if the lines speak of one."""

    frame: int
    lines: tuple[ShowLine, ...]
    viewer: int | None = None


@record
class Setting:
    """Of which value an `expect` line speaks: `value(goal=20, second=hold_at(20))`.

    Players without an agent play best.
    """

    params: Mapping[str, Any]
    agents: Mapping[str, str]  # descriptions of agents, by the names of their players


@record
class Expectation:
    """An `expect` line: a quantity of the game that is known from elsewhere.

    quantity    arguments      value
    value       -              number, a tuple of one number per player, or another value of the game
    best        -              a set of moves, as text
    terminal    -              whether the game is over
    legal       -              how many moves are legal, or a set of moves as text
    perft       depth          number of plays of that many moves
    positions   [depth]        number of distinct reachable positions (at that depth)
    plays       -              number of complete plays
    """

    quantity: str
    arguments: tuple[int, ...]
    setting: Setting
    start: str | None  # a position as text
    moves: tuple[str, ...]  # made first
    relation: str  # "==", "<=", ">=", "<", ">" or "within"
    value: Any
    tolerance: Fraction | None
    slow: bool
    text: str
    span: Span

    @property
    def params(self) -> Mapping[str, Any]:
        """The parameters of the game of which it speaks."""
        return self.setting.params


@record
class Model:
    name: str
    doc: str
    source: Source
    parameters: tuple[Parameter, ...]
    players: Player
    types: Mapping[str, Type]
    tables: Mapping[str, Table]
    variables: tuple[Variable, ...]
    functions: Mapping[str, Function]
    effects: Mapping[str, Effect]
    initial: Effect  # run on the defaults; may draw
    player: Section  # of type player, or player | chance
    terminal: Section
    utility: Function  # of one formal, the player
    discount: Fraction
    endless: tuple[Fraction, ...]  # per player, the value of a play that never ends
    moves: tuple[Move, ...]
    policies: Mapping[str, Policy]
    features: Mapping[str, Section]
    evaluate: Function | None  # of one formal, the player
    show: Show | None
    expectations: tuple[Expectation, ...]
    utility_bounds: tuple[tuple[Fraction, Fraction], ...]  # per player, of `utility` alone
    minimise: bool  # the file speaks of costs: utilities and rewards are their opposites
    traits: Traits
    warnings: tuple[Diagnostic, ...]
    obligations: tuple[Diagnostic, ...]  # what only the engines can detect
    seen: Show | None = None  # what one player sees, if not what of `show` can be seen
