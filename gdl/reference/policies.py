"""Policies that the file of a game declares: from a position to the probabilities of its legal moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gdl.diagnostics import GameError, Source
from gdl.diagnostics import notation as wording
from gdl.game import Number
from gdl.model import nodes
from gdl.model.types import ordinal, show_value
from gdl.reference.moves import Move
from gdl.reference.notation import Reader, read_call, read_value
from gdl.reference.positions import HIDDEN, Observation, Position

if TYPE_CHECKING:
    from gdl.reference.engine import ReferenceGame


class DeclaredPolicy:
    """A policy of a game's file with its arguments given: `hold_at(25)`."""

    def __init__(self, game: ReferenceGame, declared: nodes.Policy, arguments: tuple[Any, ...]):
        self.game = game
        self.declared = declared
        self.arguments = arguments

    @property
    def player(self) -> int | None:
        """Whose policy it is; None: anybody's."""
        return self.declared.player

    @property
    def code(self) -> tuple[int, tuple[int, ...]]:
        """What machine code calls it: its number and the ordinals of its arguments."""
        given = zip(self.declared.formals, self.arguments, strict=True)
        which = list(self.game.model.policies).index(self.declared.name)
        return which, tuple(ordinal(formal.type, value) for formal, value in given)

    def __call__(self, position: Position) -> Mapping[Move, Number]:
        """The probabilities of the moves that it may make. Raises Fault where a rule breaks."""
        mover = self.game.to_move(position)
        self._check_owner(mover)
        return self.game.decide(self, position, mover)

    def informed(self, seen: Observation, legal: Sequence[Move]) -> Mapping[Move, Number]:
        """The same from what its player sees and may do: what is hidden makes no difference to it."""
        self._check_owner(seen.player)
        blank = self.game.layout.defaults
        values = tuple(b if v is HIDDEN else v for v, b in zip(seen.values, blank, strict=True))
        return self.game.decide_among(self, Position(values, self.game), seen.player, legal)

    def _check_owner(self, mover: int) -> None:
        """Raises GameError where another player follows it than the one whose policy it is."""
        if self.player not in (None, mover):
            names = self.game.players
            raise GameError([wording.policy_of_another(str(self), names[self.player or 0], names[mover])])

    def __str__(self) -> str:
        given = zip(self.declared.formals, self.arguments, strict=True)
        shown = ", ".join(show_value(formal.type, value) for formal, value in given)
        return f"{self.declared.name}({shown})" if shown else self.declared.name


def parse_policy(game: ReferenceGame, text: str) -> DeclaredPolicy:
    """The policy that `hold_at(25)` means; GameError where it means none."""
    reader = Reader(Source("<agent>", text))
    name, arguments = read_call(reader)
    policies = game.model.policies
    if name.text not in policies:
        raise GameError([wording.unknown_policy(name.text, list(policies), name.span)])
    declared = policies[name.text]
    formals = {formal.name: formal for formal in declared.formals}
    signature = declared.signature
    if len(arguments) > len(formals):
        raise GameError([wording.arguments_of_policy(signature, reader.span)])
    values: dict[str, Any] = {}
    for argument, next_ in zip(arguments, formals, strict=False):
        asked = argument.name
        if asked is not None and asked.text not in formals:
            raise GameError([wording.unknown_argument(asked.text, signature, list(formals), asked.span)])
        key = next_ if asked is None else asked.text
        span = argument.tree.span
        if key in values:
            raise GameError([wording.arguments_of_policy(signature, span)])
        values[key] = read_value(formals[key].type, argument.tree)
        if values[key] is None:
            raise GameError([wording.not_a_value(span.text, key, str(formals[key].type), (), span)])
    if len(values) < len(formals):
        raise GameError([wording.arguments_of_policy(signature, reader.span)])
    return DeclaredPolicy(game, declared, tuple(values[key] for key in formals))
