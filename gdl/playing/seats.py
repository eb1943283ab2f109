"""Who plays for which player: an agent, or a person at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from random import Random
from typing import Any

from gdl.diagnostics import GameError
from gdl.diagnostics.commands import no_such_player
from gdl.diagnostics.render import print_diagnostics
from gdl.game import DeclaresPolicies, Game
from gdl.playing.play import Play
from gdl.playing.results import Chooses
from solvers.agents.agent import Agent
from solvers.agents.kinds import agent
from solvers.agents.seated import Seated
from solvers.plan import Plan, plan_play

HUMAN = "human"


@dataclass(frozen=True, slots=True)
class Seat:
    """A player of the game and who plays for it; `agent` is None for a person."""

    name: str
    description: str
    reason: str  # why this agent, where nobody asked for it
    agent: Agent | None

    @property
    def is_human(self) -> bool:
        return self.agent is None

    def sit_down(self, rng: Random) -> Chooses:
        """What chooses the moves of one play."""
        return Person(self.name) if self.agent is None else Seated(self.agent, rng)


def take_seats(game: Game[Any, Any], wishes: Mapping[str | None, str]) -> list[Seat]:
    """A seat for every player, by the wish for that player or else the one for None, everyone.

    Without a wish the best solver that applies plays. Raises GameError.
    """
    for player in wishes:
        if player is not None and player not in game.players:
            raise GameError([no_such_player(player, game.players)])
    made: dict[str, Agent] = {}
    planned = cache(partial(plan_play, game))  # one plan serves all who have no wish
    return [_seat(game, name, wishes.get(name, wishes.get(None)), made, planned) for name in game.players]


def _seat(
    game: Game[Any, Any], name: str, text: str | None, made: dict[str, Agent], planned: Callable[[], Plan]
) -> Seat:
    declared = game.policies if isinstance(game, DeclaresPolicies) else ()
    if text == HUMAN and HUMAN not in declared:
        return Seat(name, HUMAN, "", None)
    reason = ""
    if text is None:
        text, reason = planned().steps[0].agent, planned().reason
    # One agent may play for several players: what it has computed serves all of them.
    if text not in made:
        made[text] = agent(text, game)
    return Seat(name, made[text].description, reason, made[text])


class NoMoreInput(Exception):
    """The person at the terminal has left."""


class Person:
    """Asks on the terminal for a move until there is a legal one; raises NoMoreInput at the end of input."""

    def __init__(self, name: str):
        self.name = name

    def choose(self, play: Play[Any, Any]) -> Any:
        game = play.game
        while True:
            sys.stderr.write(f"{self.name} to move (? lists the moves): ")
            sys.stderr.flush()
            line = sys.stdin.readline()
            if not line:
                raise NoMoreInput
            text = line.strip()
            if text == "?":
                sys.stderr.write("  ".join(game.format_move(move) for move in play.moves()) + "\n")
            elif text:
                try:
                    return game.parse_move(play.position, text)
                except GameError as error:
                    print_diagnostics(error.diagnostics, sys.stderr, of="your move")
