"""What can be had against given agents where the histories are too many to find a best response.

A response is learnt from half of the plays, by UCT over what its player knows (Kocsis & Szepesvári 2006; with
the others' agents in place of a model this is best-response search as in Timbers et al. 2022), and measured
in the other half. So a best response gets at least as much: the interval begins where the measured mean does
with its error, and ends where the utilities do.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, log, sqrt
from random import Random
from time import perf_counter
from typing import Any

from gdl.diagnostics.wording.phrases import counted
from gdl.game import Game
from solvers.agents.agent import Agent
from solvers.core.refusal import Refusal, bad_option, cannot_go_on
from solvers.core.result import Result, Value, Work
from solvers.core.rollout import longest_play
from solvers.core.rounding import nearest
from solvers.core.samples import Sample
from solvers.hidden.equilibrium import Report
from solvers.hidden.game_tree import Seen
from solvers.hidden.sequences import Known
from solvers.hidden.table import Table

FEWEST = 20
"""Plays from which something can be learnt and measured."""


CUT = 10
"""Plays that were all too long, after which no others are tried."""


def _too_long(game: Game[Any, Any]) -> Refusal:
    return cannot_go_on(
        f"plays of {game.name} with these agents do not end: the first {CUT} were cut after "
        f"{longest_play(game.traits):,} moves.",
        "Let plays end (`limit 100 moves: 0`).",
    )


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
    table = Table(game, agents, at, Random(seed + 1))
    measured = Sample(len(game.players))
    half = plays // 2
    cut = 0
    for number in range(plays):
        if report is not None and number % 16 == 0:
            report("learning a response" if number < half else "measuring it", number / plays)
        if number < half:
            paid, left = table.play(learnt.trying)
            learnt.learn(paid[player])
            cut += left > 0
            if cut == number + 1 == CUT:
                raise _too_long(game)
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

    def trying(self, known: Known) -> Any:
        """A move to learn from."""
        moves = known.moves
        node = self.nodes.get(known.seen)
        if node is None and self.grown:
            return self.rng.choice(moves)
        if node is None:
            self.grown = True
            node = self.nodes[known.seen] = _Node(len(moves))
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

    def best(self, known: Known) -> Any:
        """The move that was tried most, any where nothing is known."""
        moves = known.moves
        node = self.nodes.get(known.seen)
        if node is None:
            return self.rng.choice(moves)
        return moves[max(range(len(moves)), key=node.visits.__getitem__)]
