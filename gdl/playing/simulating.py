"""What agents are worth, found out by letting them play: what `gdl solve --simulations N` does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gdl.diagnostics.wording.phrases import counted
from gdl.game import Game
from gdl.playing.counting import Plays
from solvers.agents.agent import Agent
from solvers.core.budget import Budget
from solvers.core.result import Result
from solvers.core.rollout import longest_play
from solvers.core.samples import Sample
from solvers.core.simulations import of_cut_plays


def simulated(
    game: Game[Any, Any], agents: Sequence[Agent], position: Any, simulations: int, seed: int
) -> Result:
    """The mean of so many plays by these agents, one for each player, with 95 % intervals.

    The plays are those that `gdl run` makes of the same seed.
    """
    budget = Budget()
    traits = game.traits
    made = Plays(game, agents, seed, longest_play(traits), position)
    plays = Sample(traits.players)
    for number in range(1, simulations + 1):
        result = made.result(number)
        plays.add_play(result.returns, result.rest)
    return Result(
        game=game.name,
        solver="simulated plays",
        values=tuple(plays.value(player, traits) for player in range(traits.players)),
        players=game.players,
        how=f"the mean of {counted(simulations, 'play')} by these agents, seed {seed}"
        + of_cut_plays(plays.cut),
        work=budget.work(rounds=simulations),
        seed=seed,
    )
