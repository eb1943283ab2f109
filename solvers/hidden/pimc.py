"""Perfect-information Monte Carlo (Levy 1989; Ginsberg 2001): consider the deals that fit what was seen, look
at each as if everybody saw it, and take the move that is best on average.

Each deal is searched to its end where that is near. Where it is not, plays of it are simulated (`mcts`), or
it is searched to a depth and judged by a leaf, if one is given.

What is averaged is not what can be had: in each deal everybody is taken to know where everything lies. So a
move is overrated after which one would have to know (strategy fusion), and what the others learn from a move
does not count (non-locality: Frank & Basin 1998).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from random import Random
from time import perf_counter
from typing import Any

from gdl.diagnostics.faults import Fault
from gdl.diagnostics.wording.phrases import counted
from gdl.game import TERMINAL, Game
from solvers.core.chance import Watched, sample
from solvers.core.interrupts import pass_on
from solvers.core.leaves import Leaf
from solvers.core.result import MoveValue, Result, Value, Work, tie
from solvers.core.rounding import nearest
from solvers.core.simulations import Kept
from solvers.hidden.answers import told_deals, values_of_best
from solvers.hidden.sequences import Known
from solvers.hidden.worlds import Model, Worlds, belief_of, known_at, nothing_fits
from solvers.registry import SOLVERS, applies, refuse
from solvers.views.determinised import Determinised

ALL = 200
"""So many worlds are all looked at; of more, `DRAWN` are drawn, unless it is said how many."""

DRAWN = 50

NODES, COMPILED_NODES = 5_000, 100_000
"""Positions of a world that are visited at most to search it to its end, in Python and by machine code."""

SIMULATIONS, COMPILED_SIMULATIONS = 200, 2_000
"""Plays that are simulated in a world whose end is too far away."""


def pimc(
    game: Game[Any, Any],
    at: Any = None,
    *,
    worlds: int | None = None,
    depth: int | None = None,
    leaf: Leaf | None = None,
    simulations: int | None = None,
    time: float | None = None,
    against: Mapping[int, Model] | None = None,
    seed: int = 0,
    kept: Kept | None = None,
) -> Result:
    """What each move is worth on average over the worlds that fit what the player to move has seen.

    at             what is known (`Known`), or a position at which the play begins
    worlds         so many are drawn; without, all are looked at if they are few
    depth, leaf    look so many moves ahead in each, and judge by the leaf
    simulations    so many plays of all worlds together, instead of a search
    against        what others are thought to have done, and so which worlds are likelier
    kept           what is known from an earlier question about the same play
    """
    refuse("pimc", game)
    began = perf_counter()
    rng = Random(seed)
    known = known_at(game, at, rng)
    possible = belief_of(game, against, kept).worlds(known, rng)
    if not len(possible):
        raise nothing_fits(game, known)
    return averaged(game, known, possible, worlds, depth, leaf, simulations, time, rng, seed, began)


def averaged(
    game: Game[Any, Any],
    known: Known,
    possible: Worlds,
    worlds: int | None,
    depth: int | None,
    leaf: Leaf | None,
    simulations: int | None,
    time: float | None,
    rng: Random,
    seed: int,
    began: float,
) -> Result:
    """The same from worlds that were found to be possible."""
    drawn = _drawn(possible, worlds, rng)
    judge = _Judge(game, known, depth, leaf, simulations, time, len(drawn), began)
    looked: list[tuple[float, Mapping[Any, float]]] = []
    partial = False
    try:
        for position, weight in drawn:
            if looked and time is not None and perf_counter() - began > time:
                partial = True
                break
            looked.append((weight, judge.values(position, rng)))
    except KeyboardInterrupt as end:
        pass_on(end)
        partial = True
        if not looked:
            raise
    every = possible.exact and worlds is None and len(drawn) == len(possible) and not partial
    return _answer(game, known, looked, judge, every, partial, perf_counter() - began, seed)


def _drawn(possible: Worlds, worlds: int | None, rng: Random) -> list[tuple[Any, float]]:
    """The worlds to look at, with their weights, in random order: all, or so many drawn."""
    if worlds is None and len(possible) <= ALL:
        pairs = list(zip(possible.positions, map(float, possible.weights), strict=True))
        rng.shuffle(pairs)
        return pairs
    counts: dict[Any, int] = defaultdict(int)
    number = DRAWN if worlds is None else worlds
    for position in possible.draw(rng, number):
        counts[position] += 1
    return [(position, count / number) for position, count in counts.items()]


class _Judge:
    """What moves pay in a world that everybody sees."""

    def __init__(
        self,
        game: Game[Any, Any],
        known: Known,
        depth: int | None,
        leaf: Leaf | None,
        simulations: int | None,
        time: float | None,
        worlds: int,
        began: float,
    ):
        self.open = Determinised(game)
        self.depth = depth
        self.leaf = {} if leaf is None else {"leaf": leaf}
        self.time = time
        self.left = worlds  # that are still to be judged
        self.began = began
        compiled = self.open.compiled is not None
        self.nodes = COMPILED_NODES if compiled else NODES
        usual = COMPILED_SIMULATIONS if compiled else SIMULATIONS
        each = usual if simulations is None else simulations // worlds
        self.simulations = max(each, 2 * len(known.moves))
        duel = applies("expectiminimax", self.open) is None
        self.search = SOLVERS["expectiminimax" if duel else "maxn"].load()
        self.plays = SOLVERS["mcts"].load()
        self.to_the_end = depth is None and simulations is None
        self.played = False
        self.player = known.player
        self.moves = len(known.moves)

    def values(self, position: Any, rng: Random) -> dict[Any, float]:
        """What each move pays."""
        self.left -= 1
        if self.depth is not None:
            return self._of(self.search(self.open, position, depth=self.depth, **self.leaf, **self._time()))
        if self.to_the_end:
            result = self._searched(position)
            if result is not None and (result.complete or result.kind == "exact"):
                return self._of(result)
            self.to_the_end = False  # nor will other worlds be searched to their end
        self.played = True
        result = self._played(position, self.simulations, rng)
        if result.kind != "exact":
            return self._of(result)
        # One move was enough to prove what the position is worth; the mean needs to know of the others too.
        return {
            move.move: self._after(position, move.move, rng)
            if move.value is None
            else nearest(move.value.number)
            for move in result.moves
        }

    def _searched(self, position: Any) -> Result | None:
        """A search to the end; None where chance can go more ways than it could look at."""
        try:
            return self.search(self.open, position, nodes=self.nodes, **self._time())  # type: ignore[no-any-return]
        except Fault as fault:
            if fault.code != "F007":
                raise
            return None

    def _played(self, position: Any, simulations: int, rng: Random) -> Result:
        limits = {"simulations": simulations} if self.time is None else self._time()
        seed = rng.getrandbits(32)
        try:
            result: Result = self.plays(self.open, position, seed=seed, **limits)
        except Fault as fault:
            if fault.code != "F007":
                raise
            self.plays = SOLVERS["flat_monte_carlo"].load()  # grows no tree, for which outcomes are listed
            result = self.plays(self.open, position, seed=seed, **limits)
        return result

    def _after(self, position: Any, move: Any, rng: Random) -> float:
        """What a move pays who makes it, as plays from what it leads to say: from one outcome, drawn."""
        game = self.open
        drawn = (
            game.sample(position, move, rng)
            if isinstance(game, Watched)
            else sample(game.outcomes(position, move), rng)
        )
        if game.to_move(drawn.position) == TERMINAL:
            rest = game.utility(drawn.position)[self.player]
        else:
            value = self._played(drawn.position, max(2, self.simulations // self.moves), rng).values[
                self.player
            ]
            assert value is not None
            rest = value.number
        reward = drawn.rewards[self.player] if drawn.rewards else 0
        return nearest(reward + game.traits.discount * rest)

    def _time(self) -> dict[str, float]:
        """A fair share of the time that is left."""
        if self.time is None:
            return {}
        left = self.time - (perf_counter() - self.began)
        return {"time": max(0.001, left / (self.left + 1))}

    def _of(self, result: Result) -> dict[Any, float]:
        tried = {move.move: nearest(move.value.number) for move in result.moves if move.value is not None}
        worst = min(tried.values(), default=0.0)  # of a move that there was no time to try
        return {move.move: tried.get(move.move, worst) for move in result.moves}

    @property
    def how(self) -> str:
        if self.depth is not None:
            return f"each searched {counted(self.depth, 'move')} deep as if everybody saw it"
        return (
            "plays of each simulated as if everybody saw it"
            if self.played
            else ("each solved as if everybody saw it")
        )


def _answer(
    game: Game[Any, Any],
    known: Known,
    looked: Sequence[tuple[float, Mapping[Any, float]]],
    judge: _Judge,
    every: bool,
    partial: bool,
    seconds: float,
    seed: int,
) -> Result:
    total = sum(weight for weight, _ in looked)
    means = {move: sum(weight * pays[move] for weight, pays in looked) / total for move in known.moves}
    best = max(means.values())
    return Result(
        game=game.name,
        solver="pimc",
        values=values_of_best(game, known.player, best),
        players=tuple(game.players),
        how=f"the mean over {told_deals(len(looked), every)}, {judge.how}",
        work=Work(seconds, positions=len(looked)),
        to_move=game.players[known.player],
        moves=tuple(
            MoveValue(move, game.format_move(move), Value.estimate(mean), tie(mean, best))
            for move, mean in means.items()
        ),
        partial=partial,
        seed=None if every and not judge.played else seed,
        known=str(known.seen[-1]),
    )
