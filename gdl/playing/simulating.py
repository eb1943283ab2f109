"""What agents are worth, found out by letting them play: what `gdl solve --simulations N` does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gdl.diagnostics.wording.phrases import counted
from gdl.game import Game
from gdl.native.stepping import Stopped
from gdl.playing.counting import counter
from gdl.playing.play import Play
from gdl.playing.results import PlayResult, generators, play_out
from solvers.agents.agent import Agent
from solvers.agents.seated import Seated
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
    longest = longest_play(traits)
    fast = counter(game, agents, longest)
    plays = Sample(traits.players)
    for number in range(1, simulations + 1):
        chance, own = generators(seed, game.players, number)
        result: PlayResult | None = None
        if fast is not None:
            try:
                result = fast.play(None if position is None else Play(game, position), chance, own)
            except Stopped:
                chance, own = generators(seed, game.players, number)
        if result is None:
            play: Play[Any, Any] = Play(game, position, rng=chance)
            play_out(
                play, [Seated(agent, rng) for agent, rng in zip(agents, own, strict=True)], None, longest
            )
            result = PlayResult.of(play)
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
