"""One play of a game between agents, repeatable from its seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from gdl.game import CHANCE, TERMINAL, Game, Number
from solvers.agents import Agent
from solvers.chance import sample, ways_of_chance
from solvers.rollout import LONGEST
from solvers.views import Memory, View


@dataclass(frozen=True, slots=True)
class Step:
    """A move of a player or of chance, how probable its outcome was, and why it was made."""

    position: Any
    player: int
    move: Any
    probability: Number
    rewards: tuple[Number, ...]
    after: Any
    why: str


@dataclass(frozen=True, slots=True)
class Playthrough:
    """A whole play. `paid`: discounted rewards and the final utility, or the value of endless play if the
    play was broken off (`ended` is False then)."""

    start: Any
    steps: tuple[Step, ...]
    paid: tuple[Number, ...]
    ended: bool
    seed: int


def play(
    game: Game[Any, Any], agents: Sequence[Agent], seed: int = 0, at: Any = None, longest: int = LONGEST
) -> Playthrough:
    """Plays from the start of the game, or from a position, until it ends or has gone on for `longest` moves.

    Chance and every agent have random numbers of their own, all from the seed: what one agent draws does
    not change the luck of another.
    """
    luck = Random(f"{seed}/chance")
    rngs = [Random(f"{seed}/{game.players[i]}") for i in range(game.traits.players)]
    opening = sample(game.initial(), luck) if at is None else None
    position = start = at if opening is None else opening.position
    paid: list[Number] = list(opening.rewards) if opening and opening.rewards else [0] * len(rngs)
    memories = [Memory.begin(game, player, position) for player in range(len(rngs))]
    factor: Number = 1
    steps: list[Step] = []
    while (player := game.to_move(position)) != TERMINAL and len(steps) < longest:
        if player == CHANCE:
            ways = ways_of_chance(game, position)
            outcome = sample([way for _, way in ways], luck)
            move, why = next(move for move, way in ways if way is outcome), "chance"
        else:
            choice = agents[player].choose(View.of(game, position, memories[player]), rngs[player])
            move, why = choice.move, choice.why
            outcome = sample(game.outcomes(position, move), luck)
        after = outcome.position
        memories = [memory.after(game, player, move, after) for memory in memories]
        for i, reward in enumerate(outcome.rewards):
            paid[i] += factor * reward
        factor *= game.traits.discount
        steps.append(Step(position, player, move, outcome.probability, outcome.rewards, after, why))
        position = after
    ended = game.to_move(position) == TERMINAL
    rest = game.utility(position) if ended else game.traits.endless or (0,) * len(rngs)
    total = tuple(amount + factor * last for amount, last in zip(paid, rest, strict=True))
    return Playthrough(start, tuple(steps), total, ended, seed)
