"""Twigs: nodes of which it is not decided yet whether they are drawn. What grows on one is asked for when it
is.

So a tree of a million positions costs no more than what is drawn of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from gdl.draw.tree.tree import Kind, Span, Worth
from gdl.game import CHANCE, TERMINAL, Game, Number, Outcome
from solvers.core.lines import Explains, one_of

_PROBABILITIES = re.compile(r"(^|, )[^,:=]+: ")


def said_by(labels: Sequence[str]) -> str:
    """What chance did, in few words: of branches of `chance:` what they do, for their probability stands
    beside."""
    return one_of([_PROBABILITIES.sub(r"\1", label) for label in labels])


def nothing() -> list[Twig]:
    return []


@dataclass(slots=True)
class Twig:
    """A node with the edge that leads to it; the fields are those of `gdl.draw.tree.tree`."""

    kind: Kind
    position: Any = None  # None: what chance does to a move
    mover: str = ""
    player: int | None = None
    worth: Worth | None = None
    order: int | None = None
    window: Span | None = None
    interval: Span | None = None
    visits: int | None = None
    notes: tuple[str, ...] = ()
    cut_off: bool = False
    faint: bool = False
    information: Hashable = None  # what the player to move has seen; equal in one information set
    seen: Hashable = None  # what all players have seen, where something is hidden
    # the edge
    label: str = ""
    probability: Number | None = None
    paid: tuple[Number, ...] = ()
    best: bool = False
    cut: bool = False
    leads: bool = False  # the move that its position has its value from
    brings: Worth | None = None  # what the move is worth, with what it pays
    step: Span | None = None  # the interval after this outcome
    # what is below
    size: int = 1  # positions visited, this one and all below
    grow: Callable[[], list[Twig]] = nothing

    @property
    def same(self) -> Hashable:
        """Equal where two nodes may be drawn as one: the position, what is known of it and what players know
        there; nothing where a node stands for itself alone."""
        if self.position is None or self.faint:
            return None
        return self.position, self.worth, self.cut_off, self.seen


class Words:
    """What moves and outcomes of a game are called, and what kind of node its players have."""

    def __init__(self, game: Game[Any, Any], vectors: bool | None = None):
        self.game = game
        traits = game.traits
        self.duel = traits.players == 1 or (traits.players == 2 and traits.zero_sum)
        self.vectors = not self.duel if vectors is None else vectors

    def kind(self, player: int) -> Kind:
        if player == TERMINAL:
            return "end"
        if player == CHANCE:
            return "chance"
        return "player" if self.vectors else "max" if player == 0 else "min"

    def name(self, player: int) -> str:
        return "" if player == TERMINAL else "chance" if player == CHANCE else self.game.players[player]

    def shown(self, numbers: Sequence[Number]) -> tuple[Number, ...]:
        """Of one number for each player those that are drawn."""
        return tuple(numbers) if self.vectors else tuple(numbers[:1])

    def paid(self, outcome: Outcome) -> tuple[Number, ...]:
        return self.shown(outcome.rewards) if outcome.rewards else ()

    def outcomes(self, position: Any, move: Any) -> list[tuple[str, Outcome]]:
        """What a move may lead to, each with what chance does, where it does something."""
        outcomes = self.game.outcomes(position, move)
        if len(outcomes) == 1:
            return [("", outcomes[0])]
        said: dict[Any, str] = {}
        if isinstance(self.game, Explains):
            ways = self.game.explain_outcomes(position, move)
            said = {way.position: said_by(way.labels) for way in ways}
        return [(said.get(outcome.position, ""), outcome) for outcome in outcomes]

    def starts(self) -> list[tuple[str, Outcome]]:
        outcomes = self.game.initial()
        said: dict[Any, str] = {}
        if len(outcomes) > 1 and isinstance(self.game, Explains):
            said = {way.position: said_by(way.labels) for way in self.game.explain_initial()}
        return [(said.get(outcome.position, ""), outcome) for outcome in outcomes]

    def chance_moves(self, position: Any) -> list[tuple[str, Outcome]]:
        """What chance may do where it is to move."""
        found = []
        for move, probability in self.game.chance(position):
            for said, outcome in self.outcomes(position, move):
                name = self.game.format_move(move)
                named = f"{name} {said}" if said else name
                both = Outcome(outcome.position, probability * outcome.probability, outcome.rewards)
                found.append((named, both))
        return found
