"""Information set Monte Carlo tree search (Cowling, Powley & Whitehouse 2012).

Each simulation draws a world that fits what the player to move has seen, and plays it: down a tree whose
nodes are what players know, not positions, one new move further, and on at random. So what is learnt of a
node counts for all worlds that look the same there, and no player uses what that player cannot see.

    observers=multiple    every player has nodes by what that player sees (MO-ISMCTS)
    observers=single      all nodes are what the player at the root sees (SO-ISMCTS); the others choose among
                          moves that look different, and among those that look the same at random

    selection=ucb       by the upper confidence bound: mean + c * range * sqrt(ln(how often the move was
                        there) / how often it was made); the move made most often is best
    selection=regret    by regret matching (Hart & Mas-Colell 2000), with regrets from sampled plays as in
                        Lanctot, Lisy & Winands 2013; moves are played as often as on average

What players have seen before the root is told apart as far as the position at the root shows it to them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log, sqrt
from random import Random
from time import perf_counter
from typing import Any

from gdl.game import CHANCE, TERMINAL, Game
from solvers.agents.seen import ConcealsMoves
from solvers.core.chance import sample, ways_of_chance
from solvers.core.interrupts import pass_on
from solvers.core.result import Result, Work
from solvers.core.rollout import Patience, rollout
from solvers.core.rounding import to_float
from solvers.core.simulations import SIMULATIONS, Kept, limits
from solvers.hidden.answers import Learnt, by_simulations
from solvers.hidden.regret_matching import matched
from solvers.hidden.sequences import Known
from solvers.hidden.worlds import Model, Worlds, belief_of, known_at, nothing_fits
from solvers.registry import refuse

C = 0.7
"""The weight of exploration, in units of the range of what plays pay, as in the paper."""

EXPLORING = 0.2
"""How often regret matching tries any move, whatever its regret."""


def ismcts(
    game: Game[Any, Any],
    at: Any = None,
    *,
    simulations: int | None = None,
    time: float | None = None,
    observers: str = "multiple",
    selection: str = "ucb",
    c: float = C,
    against: Mapping[int, Model] | None = None,
    seed: int = 0,
    kept: Kept | None = None,
) -> Result:
    """What each move is worth by simulated plays of worlds that fit what the player to move has seen.

    at          what is known (`Known`), or a position at which the play begins
    against     what others are thought to have done, and so which worlds are likelier
    kept        what is known from an earlier question about the same play
    """
    refuse("ismcts", game)
    began = perf_counter()
    rng = Random(seed)
    known = known_at(game, at, rng)
    worlds = belief_of(game, against, kept).worlds(known, rng)
    if not len(worlds):
        raise nothing_fits(game, known)
    tree = Tree(game, known, worlds, rng, observers == "single", selection == "regret", c)
    most = limits(simulations, None, time, SIMULATIONS)
    partial = False
    try:
        while tree.done < most and not (tree.done and time is not None and perf_counter() - began > time):
            tree.simulate()
    except KeyboardInterrupt as end:
        pass_on(end)
        partial = True
    return tree.result(perf_counter() - began, seed, partial)


class Arm:
    """A move, or several that look the same, at a node: how often it was there and made, what that paid."""

    __slots__ = ("average", "made", "regret", "there", "total")

    def __init__(self) -> None:
        self.there = self.made = 0
        self.total = 0.0  # paid to the player of the node
        self.regret = 0.0
        self.average = 0.0  # the sum of the probabilities with which regret matching plays it

    @property
    def mean(self) -> float:
        return self.total / self.made if self.made else 0.0


class Tree:
    """What was learnt, by who is to move and what was seen since the root."""

    def __init__(
        self,
        game: Game[Any, Any],
        known: Known,
        worlds: Worlds,
        rng: Random,
        single: bool,
        regret: bool,
        c: float,
    ):
        self.game = game
        self.known = known
        self.worlds = worlds
        self.rng = rng
        self.single = single
        self.regret = regret
        self.c = c
        self.nodes: dict[Any, dict[Any, Arm]] = {}
        self.conceals = isinstance(game, ConcealsMoves)
        self.discount = to_float(game.traits.discount)
        self.patience = Patience(game.traits)
        self.least: list[float] = []
        self.most: list[float] = []
        self.done = 0

    def simulate(self) -> None:
        """One play of a world, and what it paid added to the moves on the way."""
        game, rng = self.game, self.rng
        (position,) = self.worlds.draw(rng, 1)
        observers = [self.known.player] if self.single else range(len(game.players))
        seen: dict[int, tuple[Any, ...]] = {p: (game.observation(position, p),) for p in observers}
        path: list[tuple[Any, ...]] = []
        paid: Sequence[float]
        new = False
        while True:
            mover = game.to_move(position)
            if mover == TERMINAL:
                paid = [to_float(part) for part in game.utility(position)]
                break
            if new:
                paid = rollout(game, position, rng, patience=self.patience).paid
                break
            if mover == CHANCE:
                move, outcome = self._drawn(position)
                path.append((outcome.rewards, None, None, None, mover))
            else:
                watcher = self.known.player if self.single else mover
                node = self.nodes.setdefault((mover, seen[watcher]), {})
                arms = self._arms(node, position, mover)
                look, odds = self._chosen(arms)
                new = not arms[look][0].made
                move = rng.choice(arms[look][1])
                outcome = sample(game.outcomes(position, move), rng)
                path.append(
                    (outcome.rewards, {key: arm for key, (arm, _) in arms.items()}, look, odds, mover)
                )
            position = outcome.position
            for player in observers:
                shown = self._shown(move, player, mover)
                seen[player] = (*seen[player], (mover, shown), game.observation(position, player))
        for rewards, arms, look, odds, mover in reversed(path):
            paid = [
                to_float(reward) + self.discount * part
                for reward, part in zip(rewards or (0,) * len(paid), paid, strict=True)
            ]
            if arms is not None:
                self._learn(arms, look, odds, paid[mover])
        self.least = [min(pair) for pair in zip(self.least or paid, paid, strict=True)]
        self.most = [max(pair) for pair in zip(self.most or paid, paid, strict=True)]
        self.done += 1

    def _drawn(self, position: Any) -> tuple[Any, Any]:
        ways = ways_of_chance(self.game, position)
        (way,) = self.rng.choices(ways, [float(outcome.probability) for _, outcome in ways])
        return way

    def _arms(self, node: dict[Any, Arm], position: Any, mover: int) -> dict[Any, tuple[Arm, list[Any]]]:
        """The arms that are there in this world, each with its moves."""
        found: dict[Any, tuple[Arm, list[Any]]] = {}
        for move in self.game.moves(position):
            look = self._shown(move, self.known.player, mover) if self.single else move
            if look not in found:
                found[look] = node.setdefault(look, Arm()), []
            found[look][1].append(move)
        return found

    def _shown(self, move: Any, player: int, mover: int) -> Any:
        return self.game.observed_move(move, player, mover) if self.conceals else move  # type: ignore[attr-defined]

    def _chosen(self, arms: Mapping[Any, tuple[Arm, list[Any]]]) -> tuple[Any, dict[Any, float] | None]:
        """The arm of this simulation, and the probabilities of all if it was drawn: any that is new, else the
        best bound, or by regrets."""
        for arm, _ in arms.values():
            arm.there += 1
        if not self.regret:
            untried = [look for look, (arm, _) in arms.items() if not arm.made]
            if untried:
                return self.rng.choice(untried), None
            return max(arms, key=lambda look: self._bound(arms[look][0])), None
        policy = matched([arm.regret for arm, _ in arms.values()])
        odds = {}
        for (look, (arm, _)), share in zip(arms.items(), policy, strict=True):
            arm.average += share
            odds[look] = EXPLORING / len(arms) + (1 - EXPLORING) * share
        (look,) = self.rng.choices(list(odds), list(odds.values()))
        return look, odds

    def _bound(self, arm: Arm) -> float:
        width = max(map(lambda low, high: high - low, self.least, self.most), default=0.0) or 1.0
        return arm.mean + self.c * width * sqrt(log(arm.there) / arm.made)

    def _learn(
        self, arms: Mapping[Any, Arm], look: Any, odds: Mapping[Any, float] | None, paid: float
    ) -> None:
        """Adds what a play paid to the arm that was made; regrets by what all arms would have paid, of which
        the others are taken to pay their mean (a baseline, which leaves the sum right on average)."""
        if odds is not None:
            worth = {other: arm.mean for other, arm in arms.items()}
            worth[look] += (paid - worth[look]) / odds[look]
            policy = matched([arm.regret for arm in arms.values()])
            value = sum(share * worth[other] for other, share in zip(arms, policy, strict=True))
            for other, arm in arms.items():
                arm.regret += worth[other] - value
        arms[look].made += 1
        arms[look].total += paid

    def result(self, seconds: float, seed: int, partial: bool) -> Result:
        """What was learnt of the moves at the root."""
        root: dict[Any, Arm] = {}
        for (mover, seen), node in self.nodes.items():
            if mover == self.known.player and len(seen) == 1:
                root = node
        arms = [root.get(move) or Arm() for move in self.known.moves]
        return by_simulations(
            self.game,
            self.known,
            [Learnt(arm.made, arm.mean, arm.average) for arm in arms],
            worlds=len(self.worlds),
            exact=self.worlds.exact,
            single=self.single,
            regret=self.regret,
            work=Work(seconds, positions=len(self.nodes), rounds=self.done),
            seed=seed,
            partial=partial,
        )
