"""Further ends of a game: what the sections `stuck:` and `limit n moves:` add to `terminal:` and `utility:`.

terminal   =  what `terminal:` says, or stuck
utility(p) =  what `utility:` says where `terminal:` holds, else what `stuck:` says
"""

from __future__ import annotations

from dataclasses import replace

from gdl.check.coerce import coerce, joined
from gdl.check.context import Body, Checker
from gdl.model import nodes as m
from gdl.model.types import BOOL, Type


def holds_if_stuck(terminal: m.Section) -> bool:
    """Whether the game is surely over where no move is legal."""
    body = terminal.body
    return isinstance(body, m.Stuck) or (
        isinstance(body, m.Or) and any(isinstance(item, m.Stuck) for item in body.items)
    )


def or_stuck(
    checker: Checker, terminal: m.Section, utility: m.Function, payoff: m.Function
) -> tuple[m.Section, m.Function]:
    """The end and the utility of a game that is over where nobody can move, and then pays `payoff`."""
    return or_else(checker, "stuck", m.Stuck(BOOL, payoff.span), terminal, utility, payoff)


def or_else(
    checker: Checker,
    keyword: str,
    also: m.Expr,
    terminal: m.Section,
    utility: m.Function,
    payoff: m.Function,
) -> tuple[m.Section, m.Function]:
    """The end and the utility of a game that is over where something else holds, too, and pays `payoff`."""
    if isinstance(terminal.body, m.Const):  # nothing else ends it
        return replace(terminal, body=also, span=payoff.span), replace(payoff, name="utility")
    over = _function(checker, f"the end without {keyword}", terminal)
    body = over if isinstance(terminal.body, tuple) else terminal.body
    items = body.items if isinstance(body, m.Or) else (body,)
    ends = replace(terminal, frame=terminal.frame, body=m.Or((*items, also), BOOL, body.span))
    (formal,) = payoff.formals
    formal = replace(formal, slot=0)
    player = m.Local(0, formal.name, formal.type, payoff.span)
    paid = []
    for name, part in ((f"utility without {keyword}", utility), (f"utility by {keyword}", payoff)):
        checker.functions[name] = replace(part, name=name)
        paid.append(m.Call(name, (player,), part.type, part.span))
    (first, second), type_ = joined(Body(checker, f"`{keyword}:`"), list(paid), payoff.span)
    both = m.Conditional(over, first, second, type_, payoff.span)
    return ends, m.Function("utility", (formal,), 1, both, type_, utility.span)


def of_the_mover(checker: Checker, own: m.Section, player: m.Section, type_: Type) -> m.Function:
    """A number for the player to move as one for each player: the other of two gets the opposite."""
    players, span = checker.players, own.span
    value = _function(checker, "stuck", own)
    if players.size == 1:
        return m.Function("stuck", (m.Formal("p", 0, players),), 1, value, value.type, span)
    mover = _function(checker, "the player to move", player)
    is_mover = m.Compare("==", m.Local(0, "p", players, span), mover, BOOL, span)
    body = Body(checker, "`stuck:`")
    opposite = m.Negate(value, type_, span)
    both = m.Conditional(is_mover, coerce(body, value, type_, "`stuck:`"), opposite, type_, span)
    return m.Function("stuck", (m.Formal("p", 0, players),), 1, both, type_, span)


def _function(checker: Checker, name: str, part: m.Section) -> m.Call:
    """A section under a name, so that others can ask for its value."""
    checker.functions[name] = m.Function(name, (), part.frame, part.body, part.type, part.span)
    return m.Call(name, (), part.type, part.span)
