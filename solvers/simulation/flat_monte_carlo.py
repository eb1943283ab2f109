"""Flat Monte Carlo: play on at random after every move, and take the move with the best mean.

No tree grows, so more plays make the means more certain but never wiser: after each move everybody plays by
the same simple rule. The value is what the best move is worth under that rule.
"""

from __future__ import annotations

from random import Random
from typing import Any

from gdl.diagnostics.wording.phrases import counted
from gdl.game import CHANCE, TERMINAL, Game, Number
from solvers.core.budget import Budget, Spent
from solvers.core.chance import sample
from solvers.core.interrupts import pass_on
from solvers.core.leaves import Leaf
from solvers.core.result import MoveValue, Result, Value
from solvers.core.rounding import to_float
from solvers.core.samples import Sample, judged
from solvers.core.simulations import SIMULATIONS, limits, of_cut_plays
from solvers.core.starts import starts_of
from solvers.registry import refuse
from solvers.simulation.playout import playout


def flat_monte_carlo(
    game: Game[Any, Any],
    at: Any = None,
    *,
    simulations: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    rollout: str = "uniform",
    epsilon: float = 0.1,
    rollout_depth: int | None = None,
    leaf: Leaf | None = None,
    seed: int = 0,
) -> Result:
    """The mean of simulated plays after each move (1,000 in all unless a budget is given), taken in turn.

    Where chance begins, or the start is drawn, the mean of plays from there; no moves are compared.
    """
    refuse("flat_monte_carlo", game)
    goes_on = playout(game, rollout, epsilon, rollout_depth, leaf)
    budget = Budget(nodes, time)
    most = limits(simulations, nodes, time, SIMULATIONS)
    rng = Random(seed)
    starts = starts_of(game, at)
    root = starts[0].position
    player = game.to_move(root) if len(starts) == 1 else CHANCE
    moves: list[Any] = list(game.moves(root)) if player >= 0 else [None]
    samples = {move: Sample(game.traits.players) for move in moves}
    done = 0
    partial = False
    try:
        while done < most and player != TERMINAL:
            budget.grace = done < len(moves)
            budget.spend()
            move = moves[done % len(moves)]
            way = sample(starts if player < 0 else game.outcomes(root, move), rng)
            rewards = way.rewards or (0,) * game.traits.players
            discount = game.traits.discount if player >= 0 else 1
            after = goes_on.play(way.position, rng)
            paid = [to_float(r) + discount * part for r, part in zip(rewards, after.paid, strict=True)]
            samples[move].add_play(paid, float(discount) * after.rest)
            done += 1
    except (Spent, KeyboardInterrupt) as end:
        pass_on(end)
        partial = True
    if player == TERMINAL:
        utility: tuple[Number, ...] = game.utility(root)
        values = tuple(Value.exact(number) for number in utility)
        best = None
    else:
        best, values = judged(game, player, samples)
    return Result(
        game=game.name,
        solver="flat_monte_carlo",
        values=values,
        players=game.players,
        how=f"the means of {counted(done, 'simulated play')}, all moves in turn: not of best play"
        + of_cut_plays(sum(plays.cut for plays in samples.values())),
        work=budget.work(rounds=done),
        to_move=game.players[player] if player >= 0 else None,
        moves=tuple(
            MoveValue(
                move,
                game.format_move(move),
                samples[move].value(player, game.traits) if samples[move].count else None,
                best=move == best,
                visits=samples[move].count,
            )
            for move in moves
        )
        if player >= 0
        else (),
        partial=partial,
        seed=seed,
    )
