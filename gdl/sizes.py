"""How large is the tree of a game, and how far does a search come in it? Powers of the branching factor.

b is the number of moves to choose from, m the number of moves in a play, o the number of outcomes of chance
between two moves. A tree of m moves has b^m ends, with chance b · (o · b)^(m-1). Alpha-beta visits about
b^(m/2) of them in the best order of moves, b^(3m/4) in a random one and all in the worst.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl.answers import AnyGame, params_of
from gdl.asking import asked
from gdl.diagnostics.wording.phrases import counted
from gdl.draw.pictures import Board
from gdl.game import CHANCE, TERMINAL
from gdl.transition_table import whole_turns
from solvers.core.numbers import show_rough

if TYPE_CHECKING:
    from gdl.playing.records import Recording

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
    told: str  # whose plays
    agent: str | None
    seed: int | None
    unfinished: int  # plays that were stopped, or given up
    placings: float | None = None  # log10 of the ways to place what stood on the board, where there is one


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
        if found is not None and found.placings is not None:
            said = "ways to place what stood on the board, legal or not"
            yield "positions", f"{_power(found.placings)} {said}"
        if self.outcomes != 1:
            reached = _power(-math.log10(self.outcomes) * max(self.plies - 1, 0))
            odds = f"1/{_short(self.outcomes)}^{_short(self.plies - 1)} = {reached}"
            yield "one line", f"chance follows it with probability {odds}"
        for order, share in ORDERS:
            yield f"alpha-beta {order}", f"{_share(self, share)}{_power(self.exponent(self.plies, share))}"
        if self.nodes is not None:
            yield from self._within(self.nodes)

    def __str__(self) -> str:
        known = list(self.facts())
        width = max(len(name) for name, _ in known)
        return "\n".join(f"{name:<{width}}   {text}" for name, text in known)

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
            "log10_placings": None if found is None else found.placings,
            "plays": None if found is None else len(found.lengths),
            "agent": None if found is None else found.agent,
            "seed": None if found is None else found.seed,
            "nodes": self.nodes,
            "minimax_plies": None if self.nodes is None else self.plies_within(self.nodes),
            "alphabeta_plies": None if self.nodes is None else self.plies_within(self.nodes, 0.5),
            "simulated_plays": None if self.nodes is None else self.nodes / self.plies,
        }


@asked
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
    replay: str | Path | None = None,
) -> Size:
    """The size of the tree of a game, by b, o and m that are given or else measured in plays of an agent, or
    in those of a recording.

    With `turns` a move is all that a player does until chance or somebody else decides.
    """
    from gdl.playing.records import load_recording

    found = None
    if replay is not None:
        found = measured_again(game, load_recording(Path(replay)), Path(replay).name, turns=turns)
    elif branching is None or plies is None:
        found = measured(game, turns=turns, agent=agent, plays=plays, seed=seed)
    if found is not None:
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
    meter = _Meter(game, turns)
    for number in range(1, plays + 1):
        chance, own = generators(seed, game.players, number)
        seats = [Seated(who, rng) for rng in own]
        play: Play[Any, Any] = Play(game, rng=chance)
        meter.begin()
        while not play.finished and len(play) < LONGEST:
            before, mover = play.position, play.to_move
            meter.look(before, mover)
            made = play.draw() if mover == CHANCE else play.make(seats[mover].choose(play))
            meter.made(before, mover, made.move, play.to_move)
        meter.end(play.finished)
    who_played = "random agents" if agent == "random" else f"`{agent}` agents"
    return meter.found(f"{counted(plays, 'play')} of {who_played}, seed {seed}", agent, seed)


def measured_again(game: AnyGame, recording: Recording, name: str, *, turns: bool) -> Measured:
    """Plays that were recorded, and what there was to choose from; raises GameError where they are none of
    this game."""
    from gdl.playing.records import verify

    verify(game, recording, name)
    meter = _Meter(game, turns)
    for told in recording.plays:
        before = game.parse_position(told.start)
        meter.begin()
        for step in told.moves:
            mover = game.to_move(before)
            meter.look(before, mover)
            move, after = game.parse_move(before, step.move), game.parse_position(step.position)
            meter.made(before, mover, move, game.to_move(after))
            before = after
        meter.end(told.finished)
    return meter.found(f"{counted(len(recording.plays), 'play')} of {name}", None, recording.seed)


class _Meter:
    """Counts while plays go on: what was there to choose from, and what stood on the board."""

    def __init__(self, game: AnyGame, turns: bool):
        self.game, self.turns = game, turns
        self.branching: list[int] = []
        self.outcomes: list[int] = []
        self.lengths: list[int] = []
        self.sets: set[frozenset[tuple[Any, int]]] = set()  # of what stood on the board together
        self.unfinished = 0

    def begin(self) -> None:
        self.length, self.last = 0, TERMINAL

    def look(self, position: Any, mover: int) -> None:
        """Before a move of a player or of chance."""
        if mover == CHANCE:
            self.outcomes.append(len(self.game.moves(position)))
        elif not self.turns or mover != self.last:
            self.branching.append(_choices(self.game, position, self.turns))
            self.length += 1
        if stones := _stones(self.game, position):
            self.sets.add(frozenset(Counter(stones).items()))

    def made(self, position: Any, mover: int, move: Any, then: int) -> None:
        """After it; `then`: who is to move."""
        self.last = mover
        if mover == CHANCE:
            return
        ways = len(self.game.outcomes(position, move)) if self.game.traits.chance else 1
        if ways > 1:
            self.last = CHANCE
        if not self.turns or then != self.last:
            self.outcomes.append(ways)

    def end(self, finished: bool) -> None:
        self.lengths.append(self.length)
        self.unfinished += not finished

    def found(self, told: str, agent: str | None, seed: int | None) -> Measured:
        return Measured(
            tuple(self.branching), tuple(self.outcomes or [1]), tuple(self.lengths), told, agent, seed,
            self.unfinished, _placings(self.sets),
        )  # fmt: skip


def _stones(game: AnyGame, position: Any) -> list[Any]:
    """What stands on the largest board that is shown of a position, cell by cell."""
    draw = getattr(game, "picture", None)
    shown = [part for row in draw(position) for part in row] if draw is not None else []
    boards = [part for part in shown if isinstance(part, Board)]
    return list(max(boards, key=lambda board: board.cells.size).stones) if boards else []


def _placings(sets: set[frozenset[tuple[Any, int]]]) -> float | None:
    """The decimal logarithm of the number of ways to place each of these sets anew on all cells of its
    board, together: n! / (k1! k2! …) for each, as Shannon does in 'Programming a computer for playing chess',
    1950."""
    if not sets:
        return None
    ways = []
    for one in sets:
        cells = sum(count for _, count in one)
        ways.append(math.lgamma(cells + 1) - sum(math.lgamma(count + 1) for _, count in one))
    most = max(ways)
    return (most + math.log(sum(math.exp(each - most) for each in ways))) / math.log(10)


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
    if not found.unfinished:
        return found.told
    plays = counted(found.unfinished, "play")
    if found.agent is None:
        return f"{found.told}; {plays} stopped before the end"
    return f"{found.told}; {plays} stopped after {LONGEST:,} moves"
