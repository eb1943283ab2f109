"""What an equilibrium does where something is hidden: there one move alone is seldom right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any

from gdl.diagnostics import GameError
from gdl.game import CHANCE
from gdl.playing.play import Play
from solvers.agents.kinds import agent as agent_described
from solvers.core.result import Result
from solvers.hidden.sequences import Known
from solvers.registry import choose

MOST_HISTORIES = 20_000
"""Histories of a game that is solved for advice about one of its positions."""

RARE = 1e-3
"""Moves that an equilibrium plays less often are not counted among the best."""

Odds = Callable[[Known], Mapping[Any, Any]]
"""With which probabilities who knows this plays which moves."""


def equilibrium(game: Any, start: Any) -> Odds | None:
    """What an equilibrium does in plays that begin in `start`; None where no play begins there by the rules,
    or the game is too large to be solved for that."""
    try:
        if start not in {outcome.position for outcome in game.initial()}:
            return None
        agent: Any = agent_described(f"{choose(game)[0]}(limit={MOST_HISTORIES})", game)
        agent.informed(_first_question(game, start))
    except GameError:
        return None
    odds: Odds = agent.informed
    return odds


def _first_question(game: Any, start: Any) -> Known:
    """What the first player to move knows; asking for it has the game solved."""
    play: Play[Any, Any] = Play(game, start, rng=Random(0))
    while play.to_move == CHANCE:
        play.draw()
    return Known(play.to_move, play.information(play.to_move), tuple(play.moves()))


def mixed(game: Any, odds: Odds, known: Known, result: Result) -> Result:
    """An answer with the probabilities of an equilibrium."""
    found = {move: float(probability) for move, probability in odds(known).items()}
    moves = tuple(
        replace(move, probability=found[move.move], best=found[move.move] > RARE) for move in result.moves
    )
    how = (
        f"to be played with these probabilities, by the equilibrium that {choose(game)[0]} finds; "
        f"values: {result.how}"
    )
    return replace(result, moves=moves, how=how)
