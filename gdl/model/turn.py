"""Whose turn it is, where the position keeps that in a variable of its own."""

from __future__ import annotations

from gdl.model.nodes import Assign, Cycle, Model, Read


def passing(model: Model) -> Assign | None:
    """The statement that hands the turn to the next player and changes nothing else.

    None where `player:` is more than a variable: then the rules do not say how a turn is handed on.
    """
    turn = model.player.body
    if not isinstance(turn, Read) or turn.indices or turn.type != model.players:
        return None
    return Assign(turn.variable, (), Cycle(turn, 1, turn.type, turn.span), turn.span)
