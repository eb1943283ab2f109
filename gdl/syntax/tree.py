"""The syntax tree: what the author wrote, with the place of every node. Frozen; names are not yet bound."""

from __future__ import annotations

from fractions import Fraction

from gdl.diagnostics import Source, Span
from gdl.records import record

# ---------------------------------------------------------------- expressions


@record
class Name:
    id: str
    span: Span


@record
class Number:
    value: int | Fraction
    span: Span


@record
class String:
    value: str
    span: Span


@record
class Operation:
    """`+ - * / div mod ** | &` between two operands."""

    op: str
    left: Expr
    right: Expr
    span: Span


@record
class Minus:
    operand: Expr
    span: Span


@record
class Comparison:
    """`first op operand op operand ..`: a chain; `is` and `is not` have a type as operand."""

    first: Expr
    tail: tuple[tuple[str, TypeExpr, Span], ...]
    span: Span


@record
class Logical:
    """`and` or `or` of two or more."""

    op: str
    items: tuple[Expr, ...]
    span: Span


@record
class Not:
    operand: Expr
    span: Span


@record
class Conditional:
    then: Expr
    condition: Expr
    otherwise: Expr
    span: Span


@record
class After:
    body: Expr
    effect: Expr
    span: Span


@record
class AsType:
    operand: Expr
    type: TypeExpr
    span: Span


@record
class Range:
    lo: Expr
    hi: Expr
    span: Span


@record
class Argument:
    name: str | None
    value: Expr
    span: Span


@record
class Call:
    function: Expr
    arguments: tuple[Argument, ...]
    span: Span


@record
class Binding:
    """`x`, or `(x, y)` to take a tuple apart."""

    names: tuple[Name, ...]
    unpack: bool
    span: Span


@record
class Generator:
    """`body for x in domain, y in domain if condition`."""

    body: Expr
    binders: tuple[tuple[Binding, Expr], ...]
    condition: Expr | None
    span: Span


@record
class GeneratorCall:
    """`any(body for x in domain)`, with at most one keyword: `max(.., default=0)`."""

    function: Expr
    generator: Generator
    keyword: Argument | None
    span: Span


@record
class Subscript:
    base: Expr
    indices: tuple[Expr, ...]
    span: Span


@record
class Attribute:
    base: Expr
    name: Name
    span: Span


@record
class TupleExpr:
    items: tuple[Expr, ...]
    span: Span


@record
class ListExpr:
    items: tuple[Expr, ...]
    span: Span


@record
class Glyph:
    """`empty "."`: a value of an enum with the text that draws it."""

    name: Name
    glyph: String
    span: Span


@record
class SetExpr:
    items: tuple[Expr | Glyph, ...]
    span: Span


@record
class DictExpr:
    entries: tuple[tuple[Expr, Expr], ...]
    span: Span


@record
class Mixture:
    """`mixture(1/2: grab, 1/2: random)`, an agent in an `expect` line: probabilities and agents."""

    entries: tuple[tuple[Expr, Expr], ...]
    span: Span


@record
class ListComprehension:
    generator: Generator
    span: Span


@record
class SetComprehension:
    generator: Generator
    span: Span


@record
class Subset:
    """`{x in domain if condition}`: a type, or a set. `members` is the comparison `x in domain`."""

    members: Expr
    condition: Expr
    span: Span

    @property
    def binder(self) -> tuple[Name, TypeExpr] | None:
        """The name and its domain; None where something else stands before `if`."""
        match self.members:
            case Comparison(first=Name() as name, tail=(("in", domain, _),)):
                return name, domain
        return None


Expr = (
    Name
    | Number
    | String
    | Operation
    | Minus
    | Comparison
    | Logical
    | Not
    | Conditional
    | After
    | AsType
    | Range
    | Call
    | GeneratorCall
    | Subscript
    | Attribute
    | TupleExpr
    | ListExpr
    | SetExpr
    | DictExpr
    | Mixture
    | ListComprehension
    | SetComprehension
    | Subset
)

# ---------------------------------------------------------------------- types


@record
class OptionalType:
    inner: TypeExpr
    span: Span


@record
class UnionType:
    items: tuple[TypeExpr, ...]
    span: Span


@record
class SetType:
    element: TypeExpr
    span: Span


@record
class BagType:
    """`bag(5) of Face`: at most so many elements, in no order, some of them perhaps equal."""

    longest: Expr
    element: TypeExpr
    span: Span


@record
class ListType:
    """`list(10) of Card`: at most so many elements, in order."""

    longest: Expr
    element: TypeExpr
    span: Span


@record
class RecordType:
    fields: tuple[tuple[Name, TypeExpr], ...]
    span: Span


@record
class GraphType:
    """Lines of neighbouring places; an edge is `-` both ways or `->` one way."""

    chains: tuple[tuple[tuple[Name, ...], tuple[str, ...]], ...]
    span: Span


TypeExpr = OptionalType | UnionType | SetType | BagType | ListType | RecordType | GraphType | Expr

# ----------------------------------------------------------------- statements


@record
class Perform:
    """An expression as a statement: a call of an effect."""

    call: Expr
    span: Span


@record
class Assign:
    """`target op value`, op being `=`, `+=`, `-=` or `*=`."""

    target: Expr
    op: str
    value: Expr
    span: Span


@record
class Draw:
    target: Expr
    domain: Expr
    where: Expr | None
    weighted: Expr | None
    span: Span


@record
class Let:
    binding: Binding
    type: TypeExpr | None
    value: Expr | None  # none only where a type stands
    span: Span


@record
class LetMap:
    """`let seen[Cell]: bool = false`: a map of one's own, the same value everywhere at first."""

    name: Name
    indices: tuple[TypeExpr, ...]
    type: TypeExpr
    value: Expr | None
    span: Span


@record
class Return:
    value: Expr
    span: Span


@record
class Break:
    span: Span


@record
class Continue:
    span: Span


@record
class Reward:
    """`reward 3`, `reward p: 3`; with `cost` the opposite, `cost 3`."""

    player: Expr | None
    amount: Expr
    span: Span
    cost: bool = False


@record
class If:
    branches: tuple[tuple[Expr, Block], ...]
    otherwise: Block | None
    span: Span


@record
class For:
    """`for x in domain, y in domain if condition:`."""

    binders: tuple[tuple[Binding, Expr], ...]
    condition: Expr | None
    body: Block
    span: Span


@record
class While:
    """`while condition at most limit:`."""

    condition: Expr
    limit: Expr
    body: Block
    span: Span


@record
class Branch:
    probability: Expr | None
    body: Block
    span: Span


@record
class Chance:
    branches: tuple[Branch, ...]
    span: Span


Statement = (
    Perform | Assign | Draw | Let | LetMap | Return | Break | Continue | Reward | If | For | While | Chance
)


@record
class Block:
    statements: tuple[Statement, ...]
    span: Span


Body = Expr | Block

# ---------------------------------------------------------------------- items


@record
class Doc:
    text: str
    span: Span


@record
class GameName:
    """`game name from base`."""

    name: Name
    base: Name | None
    span: Span


@record
class Use:
    """`use cards, dice`: what these libraries declare."""

    names: tuple[Name, ...]
    span: Span


@record
class Param:
    name: Name
    type: TypeExpr | None
    default: Expr
    span: Span


@record
class Players:
    names: tuple[tuple[Name, String | None], ...]
    span: Span


@record
class TypeItem:
    name: Name
    type: TypeExpr
    span: Span


@record
class Index:
    name: Name | None
    type: TypeExpr
    span: Span


@record
class Const:
    name: Name
    indices: tuple[Index, ...]
    type: TypeExpr | None
    value: Expr
    span: Span


@record
class Variable:
    name: Name
    indices: tuple[Index, ...]
    type: TypeExpr
    default: Expr | None
    visible: Expr | None
    span: Span


@record
class PositionItem:
    variables: tuple[Variable, ...]
    span: Span


@record
class Initial:
    body: Block
    span: Span


@record
class Section:
    """`player:`, `terminal:`, `utility:`, `utility(p):`, `minimise:`, `stuck:`, `limit 9 moves:`,
    `evaluate:`, `discount:`, `endless:`."""

    keyword: str
    argument: Name | None
    body: Body
    span: Span
    moves: Expr | None = None  # of a limit


@record
class Formal:
    name: Name
    type: TypeExpr | None
    span: Span


@record
class Def:
    name: Name
    formals: tuple[Formal, ...]
    body: Body
    span: Span


@record
class Effect:
    name: Name
    formals: tuple[Formal, ...]
    body: Block
    span: Span


@record
class MoveParameter:
    """kind is "typed" (`c: Cell`), "dependent" (`to in ray(from, d)`) or "computed" (`to = from + d`)."""

    name: Name
    kind: str
    value: TypeExpr
    span: Span


@record
class Clause:
    """kind is "when", "weight" or "otherwise"."""

    kind: str
    value: Expr | None
    span: Span


@record
class Move:
    name: Name
    secret: bool
    parameters: tuple[MoveParameter, ...]
    notation: String | None
    clauses: tuple[Clause, ...]
    body: Block
    span: Span


@record
class Policy:
    """`policy name(formals) for player:`."""

    name: Name
    formals: tuple[Formal, ...]
    player: Name | None
    body: Body
    span: Span


@record
class Feature:
    name: Name
    body: Body
    span: Span


@record
class Show:
    """`show:` or `show(p):`."""

    argument: Name | None
    lines: tuple[Expr, ...]
    span: Span


@record
class Expect:
    """`expect [slow] quantity(arguments) [at "position"] [after moves] [relation]`."""

    slow: bool
    quantity: Name
    arguments: tuple[Argument, ...]
    start: String | None
    moves: tuple[Expr, ...]
    relation: str  # "==", "<=", ">=", "<", ">" or "within"; "" where nothing is compared
    tolerance: Expr | None
    value: Expr | None
    span: Span


@record
class ExpectAll:
    """`expect all from base`: its expectations hold here too."""

    base: Name
    span: Span


Item = (
    Doc
    | GameName
    | Use
    | Param
    | Players
    | TypeItem
    | Const
    | PositionItem
    | Initial
    | Section
    | Def
    | Effect
    | Move
    | Policy
    | Feature
    | Show
    | Expect
    | ExpectAll
)


@record
class File:
    source: Source
    items: tuple[Item, ...]
