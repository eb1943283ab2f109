"""What a player sees of a position: the values, with those that are not shown replaced by HIDDEN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gdl.model.nodes import Variable, Visibility
from gdl.reference.closures import Frame, State
from gdl.reference.interpret import Interpreter
from gdl.reference.positions import HIDDEN, Layout, element_indices

Conceal = Callable[[State, int, "list[Any]"], None]
"""Hides from a player what a variable does not show, in a list of the state's values."""


def compile_view(layout: Layout, interpreter: Interpreter) -> Callable[[State, int], tuple[Any, ...]]:
    """The values of a state as a player sees them."""
    conceals = [
        _compile_conceal(variable, variable.visible, layout.places[variable.name].start, interpreter)
        for variable in layout.variables.values()
        if variable.visible is not None
    ]

    def view(state: State, player: int) -> tuple[Any, ...]:
        seen = list(state)
        for conceal in conceals:
            conceal(state, player, seen)
        return tuple(seen)

    return view


def _compile_conceal(
    variable: Variable, visibility: Visibility, offset: int, interpreter: Interpreter
) -> Conceal:
    condition = interpreter.expression(visibility.condition)
    indices = list(element_indices(variable))
    slots, viewer, blank = visibility.index_slots, visibility.viewer_slot, [None] * visibility.frame

    def conceal(state: State, player: int, seen: list[Any]) -> None:
        frame: Frame = blank.copy()
        frame[viewer] = player
        for place, combination in enumerate(indices, offset):
            for slot, value in zip(slots, combination, strict=True):
                frame[slot] = value
            if not condition(state, frame):
                seen[place] = HIDDEN

    return conceal
