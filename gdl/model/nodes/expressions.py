"""Nodes that have a value, and the domains over which some of them range."""

from __future__ import annotations

from typing import Any

from gdl.diagnostics import Span
from gdl.model.types import Cells, Type, Union
from gdl.records import record


@record
class Const:
    value: Any
    type: Type
    span: Span


@record
class Local:
    """A parameter, let or loop variable: slot `slot` of the frame."""

    slot: int
    name: str
    type: Type
    span: Span


@record
class Read:
    """A position variable, or one element of a map. Indices are within their types."""

    variable: str
    indices: tuple[Expr, ...]
    type: Type
    span: Span


@record
class Lookup:
    """One entry of a constant table. Indices are within the table's index types."""

    table: str
    indices: tuple[Expr, ...]
    type: Type
    span: Span


@record
class Arithmetic:
    """`+ - * / div mod ** min max` on numbers. `div` and `mod` round down; `/` is exact."""

    op: str
    left: Expr
    right: Expr
    type: Type
    span: Span


@record
class Negate:
    operand: Expr
    type: Type
    span: Span


@record
class Absolute:
    operand: Expr
    type: Type
    span: Span


@record
class Compare:
    """`== != < <= > >=` on two numbers or on two values of one type (then by ordinal)."""

    op: str
    left: Expr
    right: Expr
    type: Type
    span: Span


@record
class And:
    items: tuple[Expr, ...]
    type: Type
    span: Span


@record
class Or:
    items: tuple[Expr, ...]
    type: Type
    span: Span


@record
class Not:
    operand: Expr
    type: Type
    span: Span


@record
class Conditional:
    """`then if condition else otherwise`."""

    condition: Expr
    then: Expr
    otherwise: Expr
    type: Type
    span: Span


@record
class Call:
    """A call of a function of the game."""

    function: str
    arguments: tuple[Expr, ...]
    type: Type
    span: Span


@record
class After:
    """`body` evaluated in the position that the effect would produce; same frame, position unchanged."""

    effect: str
    arguments: tuple[Expr, ...]
    body: Expr
    type: Type
    span: Span


@record
class Stuck:
    """Whether no move is legal in the position, an `otherwise` move neither. No guard leads back to it."""

    type: Type
    span: Span


@record
class Convert:
    """The same value in another type's representation; proven to belong to it."""

    operand: Expr
    type: Type
    span: Span


@record
class Cast:
    """`operand as T?`: the same value in T, or none where T does not hold it. `type` is T?."""

    operand: Expr
    type: Union
    span: Span


@record
class Check:
    """The same value in `type`, or a run-time fault. `what` names the place for the diagnostic."""

    operand: Expr
    what: str
    type: Type
    span: Span


@record
class Is:
    """Whether the ordinal of a value lies in one of the ranges [start, stop).

    `part` is the type of which the value is then known to be, where the ranges are not whole members of a
    union; no engine needs it.
    """

    operand: Expr
    ranges: tuple[tuple[int, int], ...]
    type: Type
    span: Span
    part: Type | None = None


@record
class Cycle:
    """`next` (by = 1) and `previous` (by = -1): the neighbour in the type's order, wrapping round."""

    operand: Expr
    by: int
    type: Type
    span: Span


@record
class Rank:
    """The ordinal of a value of a finite type, counted from 0."""

    operand: Expr
    type: Type
    span: Span


@record
class Ranked:
    """The value of the finite type `type` at an ordinal, which is within it: the inverse of `Rank`."""

    operand: Expr
    type: Type
    span: Span


@record
class Index:
    """A place in a list: `operand`, which must be from 0 to less than `limit`, or a run-time fault.

    `limit` is how many elements the list has or, where it `grows`, for how many it has room.
    """

    operand: Expr
    limit: Expr
    what: str  # the list, for the diagnostic
    grows: bool
    type: Type
    span: Span


@record
class Fill:
    """A map of a let (`type` is MapOf) that has one value everywhere."""

    value: Expr
    type: Type
    span: Span


@record
class Entry:
    """One entry of a map of a let. Indices are within the map's index types."""

    map: Expr
    indices: tuple[Expr, ...]
    type: Type
    span: Span


@record
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


@record
class TupleOf:
    items: tuple[Expr, ...]
    type: Type
    span: Span


@record
class Field:
    operand: Expr
    index: int
    type: Type
    span: Span


@record
class SetLiteral:
    """A set of the given elements (each of the element type, perhaps repeated)."""

    elements: tuple[Expr, ...]
    type: Type
    span: Span


@record
class SetOperation:
    """`| & -` on two sets of one type."""

    op: str
    left: Expr
    right: Expr
    type: Type
    span: Span


@record
class SetSize:
    operand: Expr
    type: Type
    span: Span


@record
class Contains:
    """`item in set`. The item is of the element type, or any whole number for a set of numbers."""

    item: Expr
    set: Expr
    type: Type
    span: Span


@record
class BagLiteral:
    """The bag of some elements, no more of them than the type holds."""

    elements: tuple[Expr, ...]
    type: Type
    span: Span


@record
class BagOperation:
    """`left + right`, or `left - right`, of bags of the same type.

    A run-time fault unless `proven` to be none: a sum that is larger than the type allows; to take away what
    is not there.
    """

    op: str
    left: Expr
    right: Expr
    proven: bool
    type: Type
    span: Span


@record
class BagSize:
    """How many elements a bag has, repeated ones counted repeatedly."""

    operand: Expr
    type: Type
    span: Span


@record
class BagCount:
    """How often an item of the element type is in a bag."""

    bag: Expr
    item: Expr
    type: Type
    span: Span


@record
class BagChange:
    """A bag in which an item is `count` times, a number from 0 to the largest that the type allows.

    Where it `grows`, a bag that becomes larger than the type allows is a run-time fault; else it cannot.
    """

    bag: Expr
    item: Expr
    count: Expr
    grows: bool
    type: Type
    span: Span


@record
class BagWithin:
    """Whether each element is in `large` at least as often as in `small`; both are of one type."""

    small: Expr
    large: Expr
    type: Type
    span: Span


@record
class Distinct:
    """The set of the elements that are in a bag."""

    operand: Expr
    type: Type
    span: Span


@record
class Flood:
    """The cells of `within` that are connected to a cell of `starts` (itself in `within`) inside it.

    `cells` is the board, or a graph that relates the elements of the sets by their ordinals.
    """

    cells: Cells
    starts: Expr
    within: Expr
    type: Type
    span: Span


@record
class Reach:
    """The smallest set that holds what `starts` and `within` share and, with each element, what its `around`
    and `within` share.

    `around` is a set, computed once for each element that is reached, the lowest of those waiting first, with
    that element in the binder's slot.
    """

    starts: Expr
    within: Expr
    binder: Binder
    around: Expr
    type: Type
    span: Span


@record
class Element:
    """The element of a list at a whole number, counted from 0 and within the list."""

    sequence: Expr
    index: Expr
    type: Type
    span: Span


@record
class Length:
    sequence: Expr
    type: Type
    span: Span


@record
class Aggregate:
    """`kind(body for binders if condition)`, binders left to right, the last one varying fastest.

    kind    body      result
    any     Bool      true at the first true body
    all     Bool      false at the first false body
    count   Bool      how many bodies are true
    sum     number
    min/max number    `default`, or a fault when it is None, if there is nothing
    set     element   the set of the bodies' values
    bag     element   the bag of the bodies' values; a fault if they are more than the type allows
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


@record
class RangeDomain:
    """The whole numbers lo..hi, both ends computed; empty when lo > hi."""

    lo: Expr
    hi: Expr
    element: Type


@record
class TypeDomain:
    """All values of a finite type, by ordinal."""

    element: Type


@record
class SetDomain:
    """The elements of a set, by ordinal."""

    set: Expr
    element: Type


@record
class ListDomain:
    """The elements of a list in its order."""

    sequence: Expr
    element: Type


@record
class SubsetsDomain:
    """All sets, or bags, within one, by ordinal: the empty one first, the whole last."""

    whole: Expr
    element: Type  # that of the whole


Domain = RangeDomain | TypeDomain | SetDomain | ListDomain | SubsetsDomain


@record
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
    | Stuck
    | Convert
    | Cast
    | Check
    | Is
    | Cycle
    | Rank
    | Ranked
    | Index
    | Fill
    | Entry
    | Step
    | TupleOf
    | Field
    | SetLiteral
    | SetOperation
    | SetSize
    | Contains
    | BagLiteral
    | BagOperation
    | BagSize
    | BagCount
    | BagChange
    | BagWithin
    | Distinct
    | Flood
    | Reach
    | Element
    | Length
    | Aggregate
)
