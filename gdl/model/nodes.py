"""The Model: a checked, typed, desugared game. The only input of engines, exporters and analyses.

Everything here is frozen data. Parameters are substituted, names are bound (to variables, functions and
numbered frame slots), constants are folded, and every expression carries its type, for whole numbers with
the interval inferred for it. Values are represented as `gdl.model.types` says.

What an engine must know beyond the node's docstrings:

- **Frames.** Every function, effect, move and section has its own frame of `frame` numbered slots
  (parameters, lets, loop variables). A call starts a fresh frame.
- **Faults.** Only these nodes can fail while a game runs: `Check` (value outside a type), `Arithmetic`
  with `div`, `mod` or `/` (zero divisor), `Aggregate` min/max without default (nothing to choose from),
  `Draw` (nothing to draw from, negative weight) and `Chance` (probabilities not summing to 1, or
  negative). Evaluation is left to right and stops at the first fault; `And`, `Or`, `Conditional`, `any`,
  `all` and `first` evaluate no more than they need.
- **Statements** change the position in order; later reads see earlier assignments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from gdl.diagnostics import Diagnostic, Source, Span
from gdl.game import Traits
from gdl.model.types import Cells, Player, Type, Union

# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Const:
    value: Any
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Local:
    """A parameter, let or loop variable: slot `slot` of the frame."""

    slot: int
    name: str
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Read:
    """A position variable, or one element of a map. Indices are within their types."""

    variable: str
    indices: tuple[Expr, ...]
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Lookup:
    """One entry of a constant table. Indices are within the table's index types."""

    table: str
    indices: tuple[Expr, ...]
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`+ - * / div mod ** min max` on numbers. `div` and `mod` round down; `/` is exact."""

    op: str
    left: Expr
    right: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Negate:
    operand: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Absolute:
    operand: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Compare:
    """`== != < <= > >=` on two numbers or on two values of one type (then by ordinal)."""

    op: str
    left: Expr
    right: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class And:
    items: tuple[Expr, ...]
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Or:
    items: tuple[Expr, ...]
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Not:
    operand: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Conditional:
    """`then if condition else otherwise`."""

    condition: Expr
    then: Expr
    otherwise: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function of the game."""

    function: str
    arguments: tuple[Expr, ...]
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class After:
    """`body` evaluated in the position that the effect would produce; same frame, position unchanged."""

    effect: str
    arguments: tuple[Expr, ...]
    body: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Convert:
    """The same value in another type's representation; proven to belong to it."""

    operand: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Cast:
    """`operand as T?`: the same value in T, or none where T does not hold it. `type` is T?."""

    operand: Expr
    type: Union
    span: Span


@dataclass(frozen=True, slots=True)
class Check:
    """The same value in `type`, or a run-time fault. `what` names the place for the diagnostic."""

    operand: Expr
    what: str
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Is:
    """Whether a value of a union lies in one of the ordinal ranges [start, stop)."""

    operand: Expr
    ranges: tuple[tuple[int, int], ...]
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Cycle:
    """`next` (by = 1) and `previous` (by = -1): the neighbour in the type's order, wrapping round."""

    operand: Expr
    by: int
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Step:
    """The cell `rows` and `cols` away on a grid or hex board; none off the board. `type` is Cells?.

    With `cell` None the cell at (rows, cols) itself.
    """

    cells: Cells
    cell: Expr | None
    rows: Expr
    cols: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class TupleOf:
    items: tuple[Expr, ...]
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Field:
    operand: Expr
    index: int
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class SetLiteral:
    """A set of the given elements (each of the element type, perhaps repeated)."""

    elements: tuple[Expr, ...]
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class SetOperation:
    """`| & -` on two sets of one type."""

    op: str
    left: Expr
    right: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class SetSize:
    operand: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Contains:
    """`item in set`. The item is of the element type, or any whole number for a set of numbers."""

    item: Expr
    set: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Flood:
    """The cells of `within` that are connected to a cell of `starts` (itself in `within`) inside it."""

    cells: Cells
    starts: Expr
    within: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Element:
    """The element of a list at a whole number, counted from 0 and within the list."""

    sequence: Expr
    index: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Length:
    sequence: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`kind(body for binders if condition)`, binders left to right, the last one varying fastest.

    kind    body      result
    any     Bool      true at the first true body
    all     Bool      false at the first false body
    count   Bool      how many bodies are true
    sum     number
    min/max number    `default`, or a fault when it is None, if there is nothing
    set     element   the set of the bodies' values
    list    element   the bodies' values in order; only while constants are evaluated, never in a Model
    first   T         the first body, none if there is nothing; the type is T?
    """

    kind: str
    binders: tuple[Binder, ...]
    condition: Expr | None
    body: Expr
    default: Expr | None
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class RangeDomain:
    """The whole numbers lo..hi, both ends computed; empty when lo > hi."""

    lo: Expr
    hi: Expr
    element: Type


@dataclass(frozen=True, slots=True)
class TypeDomain:
    """All values of a finite type, by ordinal."""

    element: Type


@dataclass(frozen=True, slots=True)
class SetDomain:
    """The elements of a set, by ordinal."""

    set: Expr
    element: Type


@dataclass(frozen=True, slots=True)
class ListDomain:
    """The elements of a list in its order."""

    sequence: Expr
    element: Type


Domain = RangeDomain | TypeDomain | SetDomain | ListDomain


@dataclass(frozen=True, slots=True)
class Binder:
    """`for x in domain`, or `for (x, y) in domain` with one slot per field of a tuple."""

    slots: tuple[int, ...]
    names: tuple[str, ...]
    domain: Domain
    unpack: bool = False


Expr = (
    Const
    | Local
    | Read
    | Lookup
    | Arithmetic
    | Negate
    | Absolute
    | Compare
    | And
    | Or
    | Not
    | Conditional
    | Call
    | After
    | Convert
    | Cast
    | Check
    | Is
    | Cycle
    | Step
    | TupleOf
    | Field
    | SetLiteral
    | SetOperation
    | SetSize
    | Contains
    | Flood
    | Element
    | Length
    | Aggregate
)

# ----------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Assign:
    """A position variable or map element becomes `value`, which is of the variable's type."""

    variable: str
    indices: tuple[Expr, ...]
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Let:
    """The slot becomes `value`: a `let`, or an assignment to a typed `let`."""

    slot: int
    name: str
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    """The first branch whose condition holds; `otherwise` if none does."""

    branches: tuple[tuple[Expr, Block], ...]
    otherwise: Block
    span: Span


@dataclass(frozen=True, slots=True)
class For:
    """The domain is evaluated once, before the loop."""

    binder: Binder
    condition: Expr | None
    body: Block
    span: Span


@dataclass(frozen=True, slots=True)
class Break:
    """Leaves the innermost `for`."""

    span: Span


@dataclass(frozen=True, slots=True)
class Return:
    """Ends a function with a value."""

    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Draw:
    """The slot becomes a random value of the domain.

    While `condition` and `weight` are evaluated for a candidate the slot holds it. Candidates whose
    condition is false or whose weight is 0 are left out; the probability of the others is
    proportional to their weight (1 each without `weight`).
    """

    slot: int
    name: str
    domain: Domain
    condition: Expr | None
    weight: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Branch:
    """One outcome; `probability` None is `else`, the rest up to 1."""

    probability: Expr | None
    body: Block
    span: Span


@dataclass(frozen=True, slots=True)
class Chance:
    """Exactly one branch happens. All probabilities are evaluated first; they sum to exactly 1.

    Branches of probability 0 do not happen.
    """

    branches: tuple[Branch, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Perform:
    """A call of an effect."""

    effect: str
    arguments: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Reward:
    """Pays a player on the way."""

    player: Expr
    amount: Expr
    span: Span


Statement = Assign | Let | If | For | Break | Return | Draw | Chance | Perform | Reward
Block = tuple[Statement, ...]

# --------------------------------------------------------------- declarations


@dataclass(frozen=True, slots=True)
class Parameter:
    """A `param` with the value it has in this Model."""

    name: str
    value: Any
    default: Any
    type: Type  # Int, Rational, Bool or Enum
    bounded: bool  # whether the file declares the range
    span: Span


@dataclass(frozen=True, slots=True)
class Visibility:
    """Who sees an element of a variable: `condition` over the index slots and the viewer's slot."""

    frame: int
    index_slots: tuple[int, ...]
    viewer_slot: int
    condition: Expr


@dataclass(frozen=True, slots=True)
class Variable:
    """A position variable: one value, or a total map with one value per combination of indices.

    A map's elements are in row-major order of its indices' ordinals. `default` holds one value per
    element (one in all for a plain variable).
    """

    name: str
    indices: tuple[Type, ...]
    type: Type
    default: tuple[Any, ...]
    visible: Visibility | None  # None: everyone sees it
    span: Span

    @property
    def count(self) -> int:
        """How many elements."""
        result = 1
        for index in self.indices:
            assert not isinstance(index, str)
            result *= index.size  # type: ignore[union-attr]
        return result


@dataclass(frozen=True, slots=True)
class Table:
    """A constant map, in row-major order of the indices' ordinals."""

    name: str
    indices: tuple[Type, ...]
    values: tuple[Any, ...] = field(repr=False)
    type: Type


@dataclass(frozen=True, slots=True)
class Formal:
    """A parameter of a function or effect."""

    name: str
    slot: int
    type: Type


@dataclass(frozen=True, slots=True)
class Function:
    """A `def`: an expression, or a block that always returns."""

    name: str
    formals: tuple[Formal, ...]
    frame: int
    body: Expr | Block
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Effect:
    name: str
    formals: tuple[Formal, ...]
    frame: int
    body: Block
    draws: bool  # whether it can draw, itself or through what it calls
    span: Span


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Move:
    """A family of moves, one per combination of parameter values that passes all guards.

    `guards` are tested before any parameter is chosen. Legal moves are listed in the order of the
    declarations, and within one by parameters, the last varying fastest. `otherwise` moves are legal
    only when no other is. `weight` counts when chance is the player to move.
    """

    name: str
    parameters: tuple[MoveParameter, ...]
    guards: tuple[Expr, ...]
    weight: Expr | None
    otherwise: bool
    secret: bool
    frame: int
    body: Block
    span: Span


@dataclass(frozen=True, slots=True)
class Section:
    """An expression with its own frame: `player:`, `terminal:`, a feature, .."""

    frame: int
    body: Expr | Block
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class ShowBoard:
    """A map over the cells of a board, drawn as the board: `value` over the cell in slot `slot`."""

    cells: Cells
    slot: int
    value: Expr
    flip: bool  # row 0 at the bottom


@dataclass(frozen=True, slots=True)
class ShowLine:
    """One line of text: strings, values and boards side by side."""

    parts: tuple[str | Expr | ShowBoard, ...]


@dataclass(frozen=True, slots=True)
class Show:
    frame: int
    lines: tuple[ShowLine, ...]


@dataclass(frozen=True, slots=True)
class Expectation:
    """An `expect` line: a quantity of the game that is known from elsewhere.

    quantity    arguments      value
    value       -              number, or a tuple of one number per player
    best        -              a set of moves, as text
    legal       -              how many moves are legal, or a set of moves as text
    perft       depth          number of plays of that many moves
    positions   [depth]        number of distinct reachable positions (at that depth)
    plays       -              number of complete plays
    """

    quantity: str
    arguments: tuple[int, ...]
    params: Mapping[str, Any]
    start: str | None  # a position as text
    moves: tuple[str, ...]  # made first
    relation: str  # "==" or "within"
    value: Any
    tolerance: Fraction | None
    slow: bool
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
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
    features: Mapping[str, Section]
    evaluate: Function | None  # of one formal, the player
    show: Show | None
    expectations: tuple[Expectation, ...]
    utility_bounds: tuple[tuple[Fraction, Fraction], ...]  # per player, of `utility` alone
    traits: Traits
    warnings: tuple[Diagnostic, ...]
    obligations: tuple[Diagnostic, ...]  # what only the engines can detect
