"""Small Models put together by hand, so that the engine is tested apart from the language.

The helpers are named after what they make: `read("board", c)` is `board[c]`. Ranges of numbers that only
the checker cares about are left wide.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from gdl.diagnostics import Source, Span
from gdl.game import Traits
from gdl.model import nodes as n
from gdl.model.types import (
    BOOL,
    NONE,
    Cells,
    Enum,
    Int,
    ListOf,
    Member,
    Player,
    Rational,
    Type,
    Union,
)

SPAN = Span(Source("<hand>", "hand-made model\n"), 0, 15)
ANY_INT = Int(-1000, 1000)
ANY_NUMBER = Rational(Fraction(-1000), Fraction(1000))
NOTHING = n.Effect("initial", (), 0, (), False, SPAN)


def optional(type_: Type) -> Union:
    members = type_.members if isinstance(type_, Union) else (type_,)
    return Union((*members, NONE))


def grid(rows: int, cols: int, kind: str = "grid") -> Cells:
    names = tuple(f"{chr(ord('a') + c)}{r + 1}" for r in range(rows) for c in range(cols))
    sides = ((-1, 0), (0, -1), (0, 1), (1, 0))
    if kind == "hex":
        sides = (*sides, (-1, 1), (1, -1))
    return Cells("Cell", kind, names, rows, cols, sides)


def const(value: Any, type_: Type = ANY_INT) -> n.Const:
    return n.Const(value, type_, SPAN)


def local(slot: int, type_: Type = ANY_INT, name: str = "it") -> n.Local:
    return n.Local(slot, name, type_, SPAN)


def read(variable: str, *indices: n.Expr, type_: Type = ANY_INT) -> n.Read:
    return n.Read(variable, indices, type_, SPAN)


def arithmetic(left: n.Expr, op: str, right: n.Expr, type_: Type = ANY_INT) -> n.Arithmetic:
    return n.Arithmetic(op, left, right, type_, SPAN)


def compare(left: n.Expr, op: str, right: n.Expr) -> n.Compare:
    return n.Compare(op, left, right, BOOL, SPAN)


def either(condition: n.Expr, then: n.Expr, otherwise: n.Expr) -> n.Conditional:
    return n.Conditional(condition, then, otherwise, then.type, SPAN)


def aggregate(
    kind: str,
    slot: int,
    domain: n.Domain,
    body: n.Expr,
    type_: Type = BOOL,
    condition: n.Expr | None = None,
    default: n.Expr | None = None,
) -> n.Aggregate:
    binder = n.Binder((slot,), ("it",), domain)
    return n.Aggregate(kind, (binder,), condition, body, default, type_, SPAN)


def check(operand: n.Expr, type_: Type, what: str) -> n.Check:
    return n.Check(operand, what, type_, SPAN)


def call(function: str, *arguments: n.Expr, type_: Type = BOOL) -> n.Call:
    return n.Call(function, arguments, type_, SPAN)


def assign(variable: str, value: n.Expr, *indices: n.Expr) -> n.Assign:
    return n.Assign(variable, indices, value, SPAN)


def variable(
    name: str, type_: Type, default: Any, *indices: Type, visible: n.Visibility | None = None
) -> n.Variable:
    empty = n.Variable(name, indices, type_, (), visible, SPAN)
    return n.Variable(name, indices, type_, (default,) * empty.count, visible, SPAN)


def parameter(
    name: str, slot: int, type_: Type, *guards: n.Expr, domain: n.Domain | None = None
) -> n.MoveParameter:
    return n.MoveParameter(name, slot, type_, domain or n.TypeDomain(type_), None, guards)


def move(
    name: str,
    *body: n.Statement,
    parameters: tuple[n.MoveParameter, ...] = (),
    guards: tuple[n.Expr, ...] = (),
    weight: n.Expr | None = None,
    otherwise: bool = False,
    secret: bool = False,
    frame: int = 4,
) -> n.Move:
    return n.Move(name, parameters, guards, weight, otherwise, secret, None, frame, body, SPAN)


def section(body: n.Expr | n.Block, type_: Type | None = None, frame: int = 4) -> n.Section:
    assert type_ is not None or not isinstance(body, tuple)
    return n.Section(frame, body, type_ or body.type, SPAN)  # type: ignore[union-attr]


def function(
    name: str, body: n.Expr | n.Block, *types: Type, type_: Type = BOOL, frame: int = 4
) -> n.Function:
    formals = tuple(n.Formal(f"p{slot}", slot, formal) for slot, formal in enumerate(types))
    return n.Function(name, formals, frame, body, type_, SPAN)


def zero_sum(players: Player, value: n.Expr) -> n.Function:
    """The first player gets the value, the second minus it; slot 0 is the player."""
    first = compare(local(0, players), "==", const(0, players))
    return function(
        "utility", either(first, value, n.Negate(value, ANY_NUMBER, SPAN)), players, type_=ANY_NUMBER
    )


def model(
    players: Player,
    variables: tuple[n.Variable, ...],
    player: n.Section,
    terminal: n.Section,
    utility: n.Function,
    moves: tuple[n.Move, ...],
    *,
    initial: n.Effect = NOTHING,
    functions: tuple[n.Function, ...] = (),
    effects: tuple[n.Effect, ...] = (),
    tables: tuple[n.Table, ...] = (),
    features: dict[str, n.Section] | None = None,
    evaluate: n.Function | None = None,
    show: n.Show | None = None,
    chance: bool = False,
    hidden: bool = False,
    acyclic: bool = True,
) -> n.Model:
    size = players.size
    bounds = ((Fraction(-1000), Fraction(1000)),) * size
    endless = (Fraction(0),) * size
    traits = Traits(
        players=size,
        zero_sum=size == 2,
        chance=chance,
        random_start=initial.draws,
        hidden=hidden,
        acyclic=acyclic,
        rewards=False,
        utility_bounds=bounds,
        endless=endless,
    )
    return n.Model(
        name="hand_made",
        doc="A model put together by hand.",
        source=SPAN.source,
        parameters=(),
        players=players,
        types={},
        tables={table.name: table for table in tables},
        variables=variables,
        functions={f.name: f for f in functions},
        effects={e.name: e for e in effects},
        initial=initial,
        player=player,
        terminal=terminal,
        utility=utility,
        discount=Fraction(1),
        endless=endless,
        moves=moves,
        policies={},
        features=features or {},
        evaluate=evaluate,
        show=show,
        expectations=(),
        utility_bounds=bounds,
        minimise=False,
        traits=traits,
        warnings=(),
        obligations=(),
    )


def players(*names: str) -> Player:
    return Player("player", tuple(Member(name, name.upper()) for name in names))


def other(who: n.Expr, type_: Player) -> n.Cycle:
    return n.Cycle(who, 1, type_, SPAN)


# ---------------------------------------------------------------------------- games


def tictactoe(rows: int = 3, flip: bool = False) -> n.Model:
    """The rules of games/tictactoe.gdl as the checker would put them."""
    xo = players("x", "o")
    cells = grid(rows, 3)
    mark = Union((Enum("Mark", (Member("empty", "."),)), xo))
    empty = const(0, mark)
    lines = tuple(
        tuple(line)
        for line in (
            *([r * 3 + c for c in range(3)] for r in range(rows)),
            *([r * 3 + c for r in range(3)] for c in range(3)),
            (0, 4, 8),
            (2, 4, 6),
        )
    )
    line_type = ListOf(cells, 3)
    turn = read("turn", type_=xo)
    as_mark = n.Convert(local(0, xo), mark, SPAN)
    won = function(
        "won",
        aggregate(
            "any",
            1,
            n.ListDomain(const(lines, ListOf(line_type, 8)), line_type),
            aggregate(
                "all",
                2,
                n.ListDomain(local(1, line_type), cells),
                compare(read("board", local(2, cells), type_=mark), "==", as_mark),
            ),
        ),
        xo,
    )
    full = aggregate(
        "all", 0, n.TypeDomain(cells), compare(read("board", local(0, cells), type_=mark), "!=", empty)
    )
    value = either(
        call("won", const(0, xo)), const(1), either(call("won", const(1, xo)), const(-1), const(0))
    )
    board = n.ShowBoard(cells, 0, read("board", local(0, cells), type_=mark), flip)
    return model(
        xo,
        (variable("board", mark, 0, cells), variable("turn", xo, 0)),
        section(turn),
        section(n.Or((call("won", const(0, xo)), call("won", const(1, xo)), full), BOOL, SPAN)),
        zero_sum(xo, value),
        (
            move(
                "place",
                assign("board", n.Convert(turn, mark, SPAN), local(0, cells)),
                assign("turn", other(turn, xo)),
                parameters=(
                    parameter(
                        "c", 0, cells, compare(read("board", local(0, cells), type_=mark), "==", empty)
                    ),
                ),
            ),
        ),
        functions=(won,),
        show=n.Show(1, (n.ShowLine((board,)), n.ShowLine(("turn: ", turn)))),
    )


def counter(*moves: n.Move, top: int = 3, chance: bool = True, **rest: Any) -> n.Model:
    """One player, a number `x` in 0..top that starts at 0 and ends the game at `top`, which is paid."""
    solo = players("solo")
    x = read("x", type_=Int(0, top))
    return model(
        solo,
        (variable("x", Int(0, top), 0), *rest.pop("variables", ())),
        rest.pop("player", section(const(0, solo))),
        rest.pop("terminal", section(compare(x, "==", const(top)))),
        rest.pop("utility", function("utility", x, solo, type_=Int(0, top))),
        moves,
        chance=chance,
        acyclic=False,
        **rest,
    )
