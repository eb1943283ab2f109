"""Perfect-information Monte Carlo: an agent for games in which something is hidden."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

from gdl.game import Game, Number
from solvers.agents.agent import Agent, Choice
from solvers.agents.seen import Belief, View
from solvers.agents.solving import NODES
from solvers.core.interrupts import interrupts_passed_on
from solvers.core.numbers import show_rough
from solvers.core.result import Result, tie
from solvers.registry import SOLVERS, applies
from solvers.views.determinised import Determinised

PLAYS = 200
"""How often pimc plays on after each move, all worlds together, where it cannot search to the end."""

FOLLOWED = 1_000
"""How many positions pimc follows at most to know what is possible."""


class PimcAgent(Agent):
    """Perfect-information Monte Carlo: solves deals that fit what was observed as if they were open.

    Where the end is too far away to search, deals are played on at random instead, unless a depth is given.
    Averaging over such worlds ignores that the player cannot tell them apart later, nor the others now
    ("strategy fusion": Frank & Basin 1998), but it never looks at what is hidden.
    """

    no_policy = "it chooses by what it has observed, not by the position"

    def __init__(self, game: Game[Any, Any], *, worlds: int = 20, depth: int | None = None):
        super().__init__(game)
        self.worlds = worlds
        self.depth = depth
        self.open = Determinised(game)
        duel = applies("expectiminimax", self.open) is None
        self.search = SOLVERS["expectiminimax" if duel else "maxn"].load()
        self.plays = SOLVERS["flat_monte_carlo"].load()
        self.belief = Belief()

    def choose(self, view: View, rng: Random) -> Choice:
        if len(view.moves) == 1:
            return Choice(view.moves[0], "the only move")
        possible = view.possible(rng, FOLLOWED, self.belief) or view.possible(rng)
        worlds = self.sampled(possible, rng)
        if not worlds:
            return Choice(rng.choice(view.moves), "nothing fits what was observed: at random")
        with interrupts_passed_on():
            total, how = self.solved(worlds), "solved"
            if total is None:
                total, how = self.played(worlds, rng), "played on at random"
        best = max(total.values())
        tied = [move for move in view.moves if tie(total[move], best)]
        return Choice(
            rng.choice(tied), f"{show_rough(best)} on average over {len(worlds)} possible positions, {how}"
        )

    def solved(self, worlds: Mapping[Any, Number]) -> dict[Any, Number] | None:
        """What each move is worth on average where worlds are searched: to the depth, or else to the end.

        None where the end is too far away.
        """
        total: dict[Any, Number] = defaultdict(int)
        for position, weight in worlds.items():
            limits = {"nodes": NODES} if self.depth is None else {"depth": self.depth}
            result: Result = self.search(self.open, position, **limits)
            if self.depth is None and (result.partial or result.kind == "estimate"):
                return None
            for found in result.moves:
                assert found.value is not None, "plain searches value every move"
                total[found.move] += weight * found.value.number
        return total

    def played(self, worlds: Mapping[Any, Number], rng: Random) -> dict[Any, Number]:
        """What each move pays on average when worlds are played on at random after it."""
        total: dict[Any, Number] = defaultdict(int)
        for position, weight in worlds.items():
            simulations = max(1, PLAYS // len(worlds)) * len(self.open.moves(position))
            result: Result = self.plays(
                self.open, position, simulations=simulations, seed=rng.getrandbits(32)
            )
            for found in result.moves:
                assert found.value is not None, "every move was tried"
                total[found.move] += float(weight) * float(found.value.number)
        return total

    def sampled(self, possible: Mapping[Any, Number], rng: Random) -> Mapping[Any, Number]:
        """All possible positions if they are few, else a random sample of them."""
        if len(possible) <= self.worlds:
            return possible
        positions = list(possible)
        sample: dict[Any, Number] = {}
        for world in rng.choices(positions, [float(possible[p]) for p in positions], k=self.worlds):
            sample[world] = sample.get(world, 0) + Fraction(1, self.worlds)
        return sample
