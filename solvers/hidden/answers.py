"""What a search from what a player knows answers: for textbook and kernels alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gdl.diagnostics.wording.phrases import counted
from gdl.game import Game
from solvers.core.result import MoveValue, Result, Value, Work
from solvers.hidden.sequences import Known


def values_of_best(game: Game[Any, Any], player: int, best: float) -> tuple[Value | None, ...]:
    """What a position is worth, by the player's best move: to the player, and to a single opponent."""
    opposed = game.traits.players == 2 and game.traits.zero_sum
    return tuple(
        Value.estimate(best if p == player else -best) if p == player or opposed else None
        for p in range(len(game.players))
    )


class Learnt(NamedTuple):
    """What simulated plays say of a move at the root."""

    made: int  # plays
    mean: float  # what they paid
    average: float  # how often regret matching played it, up to a factor


def by_simulations(
    game: Game[Any, Any],
    known: Known,
    moves: Sequence[Learnt],
    *,
    worlds: int,
    exact: bool,
    single: bool,
    regret: bool,
    work: Work,
    seed: int,
    partial: bool,
) -> Result:
    """The answer of `ismcts`: by regret matching the moves are played with their average probabilities, else
    the one that was made most often is best."""
    shares = [move.average if regret else float(move.made) for move in moves]
    total = sum(shares) or 1.0
    if regret:
        worth = sum(move.made * move.mean for move in moves) / max(1, sum(move.made for move in moves))
    else:
        worth = max(moves, key=lambda move: move.made).mean
    by = "regret matching" if regret else "upper confidence bounds"
    tree = "one tree of what the player sees" if single else "a tree of what each player sees"
    deals = told_deals(worlds, exact)
    return Result(
        game=game.name,
        solver="ismcts",
        values=values_of_best(game, known.player, worth),
        players=tuple(game.players),
        how=f"{counted(work.rounds or 0, 'simulation')} of {deals}, by {by}, in {tree}",
        work=work,
        to_move=game.players[known.player],
        moves=tuple(
            MoveValue(
                move,
                game.format_move(move),
                Value.estimate(learnt.mean) if learnt.made else None,
                share == max(shares),
                visits=learnt.made,
                probability=share / total if regret else None,
            )
            for move, learnt, share in zip(known.moves, moves, shares, strict=True)
        ),
        partial=partial,
        seed=seed,
        known=str(known.seen[-1]),
    )


def told_deals(count: int, every: bool) -> str:
    """
    >>> told_deals(1, every=True), told_deals(30, every=False)
    ('the only deal that fits what was seen', 'a sample of 30 deals that fit what was seen')
    """
    if every and count == 1:
        return "the only deal that fits what was seen"
    return f"{'all' if every else 'a sample of'} {counted(count, 'deal')} that fit what was seen"
