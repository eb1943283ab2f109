"""What agents do in all information sets of a game, as policies that best responses can be found to.

Agents that tell probabilities by what is known are taken at their word. One that only chooses is asked at
every information set that its own moves may lead to, several times over with different random numbers: each
time makes a policy that is right on average, whatever is played against it, since no play comes to the same
information set twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import numpy as np

from solvers.agents.agent import Agent
from solvers.agents.informed import informed_policy
from solvers.agents.seen import View
from solvers.core.policies import exact_odds
from solvers.core.result import Distribution
from solvers.hidden.responses import Behaviour
from solvers.hidden.sequences import Known, SequenceForm


def behaviour(
    form: SequenceForm,
    agents: Mapping[int, Agent],
    samples: int,
    seed: int,
    watch: Callable[[int], None] | None = None,
) -> Behaviour:
    """Asks the agents of players at their information sets; `watch` is told how many were asked."""
    drawn = np.tile(form.uniform(), (samples, 1))
    reach = np.ones(form.sequences)  # by one's own moves
    rng = Random(seed)
    any_drawn = False
    for number in range(form.information_sets):
        player = form.player_of(number)
        first, count = int(form.first[number]), int(form.moves[number])
        above = reach[form.parent[number]]
        if player in agents and above > 0:
            if watch is not None:
                watch(number)
            known = form.known(number)
            odds = _odds(agents[player], known)
            if odds is None:
                any_drawn = True
                drawn[:, first : first + count] = _chosen(form, agents[player], known, samples, rng)
            else:
                exact = exact_odds(odds)
                drawn[:, first : first + count] = [float(exact.get(move, 0)) for move in known.moves]
        reach[first : first + count] = above * drawn[:, first : first + count].mean(axis=0)
    return Behaviour(drawn.mean(axis=0), drawn if any_drawn else None)


def _odds(agent: Agent, known: Known) -> Distribution | None:
    """What the agent tells about its moves; None where it has to be watched."""
    if len(known.moves) == 1:
        return {known.moves[0]: 1}
    policy = informed_policy(agent)
    return agent.odds(known) if policy is None else policy(known)


def _chosen(form: SequenceForm, agent: Agent, known: Known, samples: int, rng: Random) -> Any:
    """f64[samples, moves]: 1 for what was chosen. The agent gets nothing but what is known."""
    found = np.zeros((samples, len(known.moves)))
    view = View(form.game, known.player, known.moves, lambda: known.seen, None)
    for sample in range(samples):
        agent.forget()
        found[sample, known.moves.index(agent.choose(view, rng).move)] = 1.0
    return found
