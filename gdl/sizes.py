"""How large is the tree of a game, and how far does a search come in it? Powers of the branching factor.

b is the number of moves to choose from, m the number of moves in a play, o the number of outcomes of chance
between two moves. A tree of m moves has b^m ends, with chance b · (o · b)^(m-1). Alpha-beta visits about
b^(m/2) of them in the best order of moves, b^(3m/4) in a random one and all in the worst.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gdl.answers import AnyGame, params_of
from gdl.diagnostics.wording.phrases import counted
from gdl.game import CHANCE, TERMINAL
from gdl.transitions import whole_turns
from solvers.core.numbers import show_rough

PLAYS = 20
LONGEST = 1_000
"""Moves of a play that is measured; longer ones are stopped."""

ORDERS = (("in the best order", 0.5), ("in a random order", 0.75), ("in the worst order", 1.0))
"""Of moves in alpha-beta, and the share of the exponent that is left."""


@dataclass(frozen=True)
class Measured:
    """What plays are like: the moves to choose from, and how often somebody chooses."""

    branching: tuple[int, ...]  # at each choice
    outcomes: tuple[int, ...]  # of each move that was made
    lengths: tuple[int, ...]
    agent: str
    seed: int
    stopped: int  # plays that were stopped


@dataclass(frozen=True)
class Size:
    """b, o and m, as given or as measured, and what follows from them."""

    game: AnyGame
    branching: float
    outcomes: float
    plies: float
    turns: bool  # a move is a whole turn
    measured: Measured | None = None
    nodes: float | None = None  # that a search can visit

    @property
    def tree(self) -> float:
        """The decimal logarithm of the number of its ends."""
        return self.exponent(self.plies)

    def exponent(self, plies: float, share: float = 1.0) -> float:
        """Of b · (o · b)^(m-1): log10, with a share of the moves that are looked at."""
        between = math.log10(self.outcomes) * max(plies - 1, 0)
        return share * plies * math.log10(self.branching) + between

    def plies_within(self, nodes: float, share: float = 1.0) -> float:
        """How deep a search looks that visits so many nodes."""
        each = share * math.log10(self.branching) + math.log10(self.outcomes)
        if each == 0:
            return self.plies
        return min(self.plies, (math.log10(nodes) + math.log10(self.outcomes)) / each)

    def facts(self) -> Iterator[tuple[str, str]]:
        """What is known, line by line."""
        move = "turn" if self.turns else "move"
        found = self.measured
        yield (
            "b",
            f"{_short(self.branching)} {move}s to choose from" + _span(found.branching if found else None),
        )
        if self.outcomes != 1:
            yield (
                "o",
                f"{_short(self.outcomes)} outcomes of chance" + _span(found.outcomes if found else None),
            )
        yield "m", f"{_short(self.plies)} {move}s in a play" + _span(found.lengths if found else None)
        yield "tree", f"{self.formula} = {_power(self.tree)} plays"
        if self.outcomes != 1:
            reached = _power(-math.log10(self.outcomes) * max(self.plies - 1, 0))
            odds = f"1/{_short(self.outcomes)}^{_short(self.plies - 1)} = {reached}"
            yield "one line", f"chance follows it with probability {odds}"
        for order, share in ORDERS:
            yield f"alpha-beta {order}", f"{_share(self, share)}{_power(self.exponent(self.plies, share))}"
        if self.nodes is not None:
            yield from self._within(self.nodes)

    def _within(self, nodes: float) -> Iterator[tuple[str, str]]:
        yield "nodes", f"{_power(math.log10(nodes))} can be visited"
        depths = [("minimax", 1.0), ("alpha-beta in the best order", 0.5)]
        for name, share in depths:
            depth = self.plies_within(nodes, share)
            yield f"  {name}", f"{depth:.1f} moves deep"
        yield (
            "  simulated plays",
            f"{_power(math.log10(nodes / self.plies))} of {_short(self.plies)} moves each",
        )

    @property
    def formula(self) -> str:
        b, o, m = _short(self.branching), _short(self.outcomes), _short(self.plies)
        return f"{b}^{m}" if self.outcomes == 1 else f"{b} · ({o} · {b})^{_short(self.plies - 1)}"

    def as_data(self) -> dict[str, Any]:
        found = self.measured
        return {
            "game": self.game.name,
            "params": dict(params_of(self.game)),
            "branching": self.branching,
            "outcomes": self.outcomes,
            "plies": self.plies,
            "turns": self.turns,
            "log10_tree": self.tree,
            "plays": None if found is None else len(found.lengths),
            "agent": None if found is None else found.agent,
            "seed": None if found is None else found.seed,
            "nodes": self.nodes,
            "minimax_plies": None if self.nodes is None else self.plies_within(self.nodes),
            "alphabeta_plies": None if self.nodes is None else self.plies_within(self.nodes, 0.5),
            "simulated_plays": None if self.nodes is None else self.nodes / self.plies,
        }


def size(
    game: AnyGame,
    *,
    branching: float | None = None,
    outcomes: float | None = None,
    plies: float | None = None,
    nodes: float | None = None,
    turns: bool = False,
    agent: str = "random",
    plays: int = PLAYS,
    seed: int = 1,
) -> Size:
    """The size of the tree of a game, by b, o and m that are given or else measured in plays of an agent.

    With `turns` a move is all that a player does until chance or somebody else decides.
    """
    found = None
    if branching is None or plies is None:
        found = measured(game, turns=turns, agent=agent, plays=plays, seed=seed)
        chance = _mean(found.outcomes) if outcomes is None else outcomes
    else:
        chance = 1.0 if outcomes is None else outcomes
    return Size(
        game,
        _mean(found.branching) if found is not None and branching is None else float(branching or 1),
        chance,
        _mean(found.lengths) if found is not None and plies is None else float(plies or 1),
        turns,
        found,
        nodes,
    )


def measured(game: AnyGame, *, turns: bool, agent: str, plays: int, seed: int) -> Measured:
    """Plays of an agent, and what it had to choose from."""
    from gdl.playing.play import Play
    from gdl.playing.results import generators
    from solvers.agents.kinds import agent as make
    from solvers.agents.seated import Seated

    who = make(agent, game)
    branching: list[int] = []
    outcomes: list[int] = []
    lengths: list[int] = []
    stopped = 0
    for number in range(1, plays + 1):
        chance, own = generators(seed, game.players, number)
        seats = [Seated(who, rng) for rng in own]
        play: Play[Any, Any] = Play(game, rng=chance)
        length, mover = 0, TERMINAL
        while not play.finished and len(play) < LONGEST:
            if play.to_move == CHANCE:
                outcomes.append(len(game.moves(play.position)))
                play.draw()
                mover = CHANCE
                continue
            if not turns or play.to_move != mover:
                branching.append(_choices(game, play.position, turns))
                length += 1
            mover = play.to_move
            move = seats[mover].choose(play)
            ways = len(game.outcomes(play.position, move)) if game.traits.chance else 1
            play.make(move)
            if ways > 1:
                mover = CHANCE
            if not turns or play.to_move != mover:
                outcomes.append(ways)
        lengths.append(length)
        stopped += not play.finished
    return Measured(tuple(branching), tuple(outcomes or [1]), tuple(lengths), agent, seed, stopped)


def _choices(game: AnyGame, position: Any, turns: bool) -> int:
    return sum(1 for _ in whole_turns(game, position)) if turns else len(game.moves(position))


def _mean(counts: tuple[int, ...]) -> float:
    return sum(counts) / len(counts)


def _span(counts: tuple[int, ...] | None) -> str:
    if counts is None:
        return ""
    return f" on average, {min(counts):,} to {max(counts):,}"


def _short(number: float) -> str:
    return show_rough(number)


def _share(size: Size, share: float) -> str:
    if size.outcomes != 1:
        return ""
    return f"{_short(size.branching)}^{_short(share * size.plies)} = "


def _power(exponent: float) -> str:
    """`10^154.4`, or the number where it is short."""
    if 0 <= exponent < 6:
        return f"{10**exponent:,.4g}" if exponent < 4 else f"{round(10**exponent):,}"
    mantissa, whole = 10 ** (exponent % 1), math.floor(exponent)
    if f"{mantissa:.2f}" == "10.00":
        mantissa, whole = 1.0, whole + 1
    if abs(exponent) >= 30:
        return f"10^{exponent:.1f}"
    return f"10^{whole}" if f"{mantissa:.2f}" == "1.00" else f"{mantissa:.3g} · 10^{whole}"


def how_measured(size: Size) -> str:
    """Where the numbers come from."""
    found = size.measured
    if found is None:
        return "b and m as given"
    stopped = f"; {counted(found.stopped, 'play')} stopped after {LONGEST:,} moves" if found.stopped else ""
    who = "random" if found.agent == "random" else f"`{found.agent}`"
    return f"{counted(len(found.lengths), 'play')} of {who} agents, seed {found.seed}{stopped}"
