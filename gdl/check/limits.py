"""Games that end after so many moves, and moves that cost: `limit 100 moves: 0`, `minimise: moves`.

The Model counts, in a variable that no rule of the file can see. So both engines, every solver and every play
mean the same by the limit, and where it is not wanted (`limit n moves:` with n = none) nothing is counted.
"""

from __future__ import annotations

from dataclasses import replace

from gdl.check import endings
from gdl.check.constants import constant
from gdl.check.context import Checker
from gdl.check.relations import convert_value
from gdl.diagnostics import Span
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import BOOL, NONE, Int
from gdl.syntax import tree

MOST_MOVES = 1_000_000


def count_of(checker: Checker, node: tree.Expr) -> int | None:
    """After how many moves the game is over; None for a limit of `none`, which is none."""
    value = constant(checker, node, "the limit of moves")
    for wanted in (Int(1, MOST_MOVES), NONE):
        try:
            number = convert_value(value.value, value.type, wanted)
        except ValueError:
            continue
        return None if wanted == NONE else int(number)
    checker.fail(say.bad_limit(node.span, MOST_MOVES))


def counter(checker: Checker, most: int, span: Span) -> m.Variable:
    """The variable that counts, under a name that the file does not use."""
    name = next(n for n in ("moves", "moves_made", "move_count") if n not in checker.values)
    return m.Variable(name, (), Int(0, most), (0,), None, span)


def counting(variable: m.Variable, moves: tuple[m.Move, ...]) -> tuple[m.Move, ...]:
    """The moves, each of which counts itself first. No move is made where the limit is reached."""
    assert isinstance(variable.type, Int)
    most, span = variable.type.hi, variable.span
    before = m.Read(variable.name, (), Int(0, most - 1), span)
    after = m.Arithmetic("+", before, m.Const(1, Int(1, 1), span), Int(1, most), span)
    one_more = m.Assign(variable.name, (), after, span)
    return tuple(replace(move, body=(one_more, *move.body)) for move in moves)


def or_limit(
    checker: Checker,
    variable: m.Variable,
    terminal: m.Section,
    utility: m.Function,
    payoff: m.Function,
) -> tuple[m.Section, m.Function]:
    """The end and the utility of a game that is also over when the count is full, and then pays `payoff`."""
    assert isinstance(variable.type, Int)
    span = variable.span
    made = m.Read(variable.name, (), variable.type, span)
    full = m.Compare("==", made, m.Const(variable.type.hi, variable.type, span), BOOL, span)
    return endings.or_else(checker, "limit", full, terminal, utility, payoff)


def without_moves(body: tree.Body) -> tuple[tree.Body | None, bool]:
    """What `minimise:` says besides `moves`, and whether it says that: `moves`, `moves + e`, `e + moves`."""
    if isinstance(body, tree.Name) and body.id == "moves":
        return None, True
    if isinstance(body, tree.Operation) and body.op == "+":
        for part, rest in ((body.left, body.right), (body.right, body.left)):
            inner, found = without_moves(part)
            if found and not isinstance(inner, tree.Block):
                return rest if inner is None else replace(body, left=inner, right=rest), True
    return body, False


def costing(checker: Checker, moves: tuple[m.Move, ...], each: bool, span: Span) -> tuple[m.Move, ...]:
    """The moves, each of which costs 1: the first player, and the second gets it; with `each`, all."""
    players = checker.players
    gains = [-1] * players.size if each else [-1, 1][: players.size]
    paid = tuple(
        m.Reward(m.Const(player, players, span), m.Const(gain, Int(gain, gain), span), span)
        for player, gain in enumerate(gains)
    )
    return tuple(replace(move, body=(*paid, *move.body)) for move in moves)
