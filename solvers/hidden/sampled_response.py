"""What can be had against given agents where the histories are too many to find a best response.

A response is learnt from half of the plays, by UCT over what its player knows (Kocsis & Szepesvári 2006; with
the others' agents in place of a model this is best-response search as in Timbers et al. 2022), and measured
in the other half. So a best response gets at least as much: the interval begins where the measured mean does
with its error, and ends where the utilities do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite, log, sqrt
from random import Random
from time import perf_counter
from typing import Any

from gdl.diagnostics.wording.phrases import counted
from gdl.game import CHANCE, TERMINAL, Game
from solvers.agents.agent import Agent
from solvers.agents.seen import ConcealsMoves, View
from solvers.core.refusal import bad_option
from solvers.core.result import Result, Value, Work
from solvers.core.rollout import longest_play
from solvers.core.rounding import nearest
from solvers.core.samples import Sample
from solvers.core.starts import starts_of
from solvers.hidden.equilibrium import Report
from solvers.hidden.game_tree import Seen

FEWEST = 20
"""Plays from which something can be learnt and measured."""


def sampled_response(
    game: Game[Any, Any],
    agents: Mapping[int, Agent],
    player: int,
    at: Any = None,
    *,
    plays: int,
    seed: int,
    report: Report | None = None,
) -> Result:
    """What a player gets at least by a best response to the agents of all others."""
    if plays < FEWEST:
        raise bad_option(f"{counted(plays, 'play')} teach nothing", f"Use {FEWEST} or more.")
    began = perf_counter()
    learnt = _Response(game, player, Random(seed))
    table = _Table(game, agents, at, Random(seed + 1))
    measured = Sample(len(game.players))
    half = plays // 2
    for number in range(plays):
        if report is not None and number % 16 == 0:
            report("learning a response" if number < half else "measuring it", number / plays)
        if number < half:
            paid, _ = table.play(learnt.trying)
            learnt.learn(paid[player])
        else:
            measured.add_play(*table.play(learnt.best))
    values = [measured.value(one, game.traits) for one in range(len(game.players))]
    own, most = values[player], nearest(game.traits.value_bounds[player][1])
    values[player] = Value(own.number, "estimate", own.low, most)
    if len(game.players) == 2 and game.traits.zero_sum:
        values[1 - player] = -values[player]
    return Result(
        game=game.name,
        solver="sampled_response",
        values=tuple(values),
        players=tuple(game.players),
        how=f"a response of {game.players[player]} that was learnt from {counted(half, 'play')}, measured in "
        f"{counted(plays - half, 'other')}: a best response gets at least as much",
        work=Work(perf_counter() - began, rounds=plays),
        seed=seed,
    )


class _Node:
    """What was tried where the player knew something."""

    __slots__ = ("sums", "visits")

    def __init__(self, moves: int):
        self.visits = [0] * moves
        self.sums = [0.0] * moves


class _Response:
    """UCT over what the player has seen; one node more with every play."""

    def __init__(self, game: Game[Any, Any], player: int, rng: Random):
        self.rng = rng
        self.nodes: dict[Seen, _Node] = {}
        self.line: list[tuple[_Node, int]] = []  # of the play that is being made
        self.grown = False
        low, high = (nearest(bound) for bound in game.traits.value_bounds[player])
        self.width = high - low if isfinite(high - low) else 1.0

    def trying(self, seen: Seen, moves: tuple[Any, ...]) -> Any:
        """A move to learn from."""
        node = self.nodes.get(seen)
        if node is None and self.grown:
            return self.rng.choice(moves)
        if node is None:
            self.grown = True
            node = self.nodes[seen] = _Node(len(moves))
        untried = [k for k, visits in enumerate(node.visits) if not visits]
        chosen = self.rng.choice(untried) if untried else self._promising(node)
        self.line.append((node, chosen))
        return moves[chosen]

    def _promising(self, node: _Node) -> int:
        """UCB1: the move that may be best."""
        total = log(sum(node.visits))
        bounds = [
            sums / visits + self.width * sqrt(total / (2 * visits))
            for sums, visits in zip(node.sums, node.visits, strict=True)
        ]
        return max(range(len(bounds)), key=bounds.__getitem__)

    def learn(self, paid: float) -> None:
        """What the play paid that was tried."""
        for node, move in self.line:
            node.visits[move] += 1
            node.sums[move] += paid
        self.line.clear()
        self.grown = False

    def best(self, seen: Seen, moves: tuple[Any, ...]) -> Any:
        """The move that was tried most, any where nothing is known."""
        node = self.nodes.get(seen)
        if node is None:
            return self.rng.choice(moves)
        return moves[max(range(len(moves)), key=node.visits.__getitem__)]


class _Table:
    """Plays the game; everybody sees what they may."""

    def __init__(self, game: Game[Any, Any], agents: Mapping[int, Agent], at: Any, rng: Random):
        self.game, self.agents, self.rng = game, agents, rng
        self.starts = starts_of(game, at)
        self.odds = [float(start.probability) for start in self.starts]
        self.players = range(len(game.players))

    def play(self, response: Callable[[Seen, tuple[Any, ...]], Any]) -> tuple[list[float], float]:
        """What a play pays everybody, and how much of it was cut off; `response` chooses where nobody's agent
        does."""
        game, rng = self.game, self.rng
        (start,) = rng.choices(self.starts, self.odds)
        position, factor = start.position, 1.0
        paid = [float(part) for part in start.rewards] or [0.0 for _ in self.players]
        seen: list[Seen] = [(game.observation(position, one),) for one in self.players]
        for _ in range(longest_play(game.traits)):
            mover = game.to_move(position)
            if mover == TERMINAL:
                last = game.utility(position)
                return [a + factor * float(b) for a, b in zip(paid, last, strict=True)], 0.0
            move = self._move(position, mover, seen, response)
            outcomes = game.outcomes(position, move)
            (outcome,) = rng.choices(outcomes, [float(one.probability) for one in outcomes])
            position = outcome.position
            for one in self.players:
                shown = game.observed_move(move, one, mover) if isinstance(game, ConcealsMoves) else move
                seen[one] = (*seen[one], (mover, shown), game.observation(position, one))
                if outcome.rewards:
                    paid[one] += factor * float(outcome.rewards[one])
            factor *= float(game.traits.discount)
        return paid, factor

    def _move(self, position: Any, mover: int, seen: list[Seen], response: Any) -> Any:
        game, rng = self.game, self.rng
        if mover == CHANCE:
            moves, odds = zip(*game.chance(position), strict=True)
            return rng.choices(moves, [float(p) for p in odds])[0]
        legal = tuple(game.moves(position))
        if mover not in self.agents:
            return response(seen[mover], legal)
        known = seen[mover]
        return self.agents[mover].choose(View(game, mover, legal, lambda: known, None), rng).move
