"""Nodes that change the position, draw, reward, choose a move, or say how evaluation goes on."""

from __future__ import annotations

from gdl.diagnostics import Span
from gdl.model.nodes.expressions import Binder, Domain, Expr
from gdl.model.types import MapOf
from gdl.records import record


@record
class Assign:
    """A position variable or map element becomes `value`, which is of the variable's type."""

    variable: str
    indices: tuple[Expr, ...]
    value: Expr
    span: Span


@record
class Let:
    """The slot becomes `value`: a `let`, or an assignment to a typed `let`."""

    slot: int
    name: str
    value: Expr
    span: Span


@record
class LetEntry:
    """One entry of the map in a slot becomes `value`, which is of the map's element type."""

    slot: int
    name: str
    of: MapOf
    indices: tuple[Expr, ...]
    value: Expr
    span: Span


@record
class If:
    """The first branch whose condition holds; `otherwise` if none does."""

    branches: tuple[tuple[Expr, Block], ...]
    otherwise: Block
    span: Span


@record
class For:
    """One round per combination of values, the last binder varying fastest; each domain is evaluated once for
    the values before it."""

    binders: tuple[Binder, ...]
    condition: Expr | None
    body: Block
    span: Span


@record
class Break:
    """Leaves the innermost `for`, whatever the number of its binders."""

    span: Span


@record
class Continue:
    """Goes on with the next round of the innermost `for`."""

    span: Span


@record
class RunOut:
    """A fault: a `while` has gone through as many rounds as it may, and its condition still holds."""

    limit: str  # as it is written
    span: Span


@record
class Return:
    """Ends a function with a value."""

    value: Expr
    span: Span


@record
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


@record
class Branch:
    """One outcome; `probability` None is `else`, the rest up to 1."""

    probability: Expr | None
    body: Block
    span: Span


@record
class Chance:
    """Exactly one branch happens. All probabilities are evaluated first; they sum to exactly 1.

    Branches of probability 0 do not happen.
    """

    branches: tuple[Branch, ...]
    span: Span


@record
class Perform:
    """A call of an effect."""

    effect: str
    arguments: tuple[Expr, ...]
    span: Span


@record
class Reward:
    """Pays a player on the way."""

    player: Expr
    amount: Expr
    span: Span


@record
class Pattern:
    """Some moves of one declaration: those for which `test` holds (all without a test).

    `move` is its place among the moves of the game; while the test is evaluated the slots, one for each
    parameter, hold the parameters of the candidate, a legal move.
    """

    move: int
    slots: tuple[int, ...]
    test: Expr | None


@record
class Play:
    """In a policy: one of the legal moves that fit a pattern, each with the same probability, and the policy
    is done. Where no legal move fits it goes on with the next statement. Without patterns any move fits.
    """

    patterns: tuple[Pattern, ...]
    span: Span


@record
class Follow:
    """In a policy: does what another policy does, and is done."""

    policy: str
    arguments: tuple[Expr, ...]
    span: Span


Statement = (
    Assign
    | Let
    | LetEntry
    | If
    | For
    | Break
    | Continue
    | RunOut
    | Return
    | Draw
    | Chance
    | Perform
    | Reward
    | Play
    | Follow
)

Block = tuple[Statement, ...]
