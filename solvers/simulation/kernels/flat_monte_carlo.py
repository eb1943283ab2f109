"""Flat Monte Carlo on machine code: the fast twin of solvers/simulation/flat_monte_carlo.py."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gdl.abi import CAPACITY, UNFINISHED
from gdl.diagnostics.wording.phrases import counted
from gdl.game import Game
from gdl.movers import TERMINAL
from solvers.core.budget import Budget
from solvers.core.interrupts import pass_on
from solvers.core.leaves import Described
from solvers.core.refusal import bad_option
from solvers.core.result import MoveValue, Result, Value
from solvers.core.rollout import Patience
from solvers.core.samples import Sample, judged
from solvers.core.simulations import SIMULATIONS, limits, of_cut_plays
from solvers.core.starts import starts_of
from solvers.machine.fault import KernelFault
from solvers.machine.kernels import kernel
from solvers.machine.plays import Plays, play_on, plays_of, rest_of_play
from solvers.machine.pointers import Pointer, copy_bytes, struct
from solvers.machine.portions import PATIENCE, TOGETHER, Pace
from solvers.machine.root_moves import legal_moves
from solvers.machine.rules import Machine, random_fraction
from solvers.machine.scratch import enlarged, scratch
from solvers.registry import refuse

_DONE, _MORE_MOVES, _FAULT = range(3)
_NO_MOVE = -1


class Ledger(NamedTuple):
    """What the plays after each move paid."""

    done: Any  # i64[1]
    forms: Any  # u8: the starts, one after another
    odds: Any  # f64: of the starts
    moves: Any  # i64: the numbers of the moves; one -1 where none are compared
    count: Any  # i64
    cut: Any  # i64: plays that did not come to their end
    rests: Any  # f64: how much the rest of those would have counted, added up
    totals: Any  # f64[moves * players]
    squares: Any  # f64[moves * players]
    paid: Any  # f64[players]
    rewards: Any  # f64[players]
    starts: int
    arms: int


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
    leaf: Described | None = None,
    seed: int = 0,
) -> Result:
    """The mean of simulated plays after each move (1,000 in all unless a budget is given), taken in turn."""
    refuse("flat_monte_carlo", game)
    if rollout not in ("uniform", "greedy"):
        raise bad_option(f"there is no rollout `{rollout}`", "Known: uniform, greedy.")
    if not 0 <= epsilon <= 1:
        raise bad_option(f"epsilon is a probability, and {epsilon} is none", "Use a number from 0 to 1.")
    machine = Machine(game, leaf, plays=True)
    plays = plays_of(machine, rollout, epsilon, rollout_depth)
    budget = Budget(nodes, time)
    most = limits(simulations, nodes, time, SIMULATIONS)
    starts = starts_of(game, at)
    root = starts[0].position
    player = game.to_move(root) if len(starts) == 1 else -1
    if player == TERMINAL:
        values = tuple(Value.exact(number) for number in game.utility(root))
        how = "the game is over"
        return Result(
            game.name, "flat_monte_carlo", values, game.players, how, budget.work(rounds=0), seed=seed
        )
    moves = legal_moves(machine, root) if player >= 0 else {_NO_MOVE: None}
    ledger = _ledger(machine, starts, moves)
    partial = _simulate(machine, ledger, plays, seed, most, budget)
    samples = {move: _sample(ledger, k, game.traits.players) for k, move in enumerate(moves.values())}
    best, values = judged(game, player, samples)
    done = int(ledger.done[0])
    budget.nodes = done
    return Result(
        game=game.name,
        solver="flat_monte_carlo",
        values=values,
        players=game.players,
        how=f"the means of {counted(done, 'simulated play')}, all moves in turn: not of best play"
        + of_cut_plays(int(ledger.cut.sum())),
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
            for move in moves.values()
        )
        if player >= 0
        else (),
        partial=partial,
        seed=seed,
    )


def _ledger(machine: Machine, starts: Any, moves: Any) -> Ledger:
    players = machine.rules.players
    return Ledger(
        done=np.zeros(1, np.int64),
        forms=np.concatenate([machine.form(start.position) for start in starts]),
        odds=np.array([float(start.probability) for start in starts]),
        moves=np.array(list(moves), np.int64),
        count=np.zeros(len(moves), np.int64),
        cut=np.zeros(len(moves), np.int64),
        rests=np.zeros(len(moves)),
        totals=np.zeros(len(moves) * players),
        squares=np.zeros(len(moves) * players),
        paid=np.zeros(players),
        rewards=np.zeros(players),
        starts=len(starts),
        arms=len(moves),
    )


def _sample(ledger: Ledger, arm: int, players: int) -> Sample:
    found = Sample(players)
    found.count = int(ledger.count[arm])
    found.cut, found.rests = int(ledger.cut[arm]), float(ledger.rests[arm])
    found.totals = ledger.totals[arm * players : (arm + 1) * players].tolist()
    found.squares = ledger.squares[arm * players : (arm + 1) * players].tolist()
    return found


def _simulate(machine: Machine, ledger: Ledger, plays: Plays, seed: int, most: float, budget: Budget) -> bool:
    """Plays until enough is played or the budget is spent; gives whether that or Ctrl-C ended it."""
    room = scratch(machine.sizes, seed)
    stop = np.zeros(1, np.uint8)
    given = struct(plays), struct(ledger)
    space, stopped = struct(room), Pointer(stop)
    patience = Patience(machine.game.traits, PATIENCE, TOGETHER)

    def run(goal: int) -> int:
        reason: int = play_in_turn(rules, machine.numbers_struct, *given, space, goal, stopped)
        return reason

    longest, known = patience.longest, 0
    rules = struct(machine.rules._replace(longest=longest))
    pace = Pace(budget)
    if budget.limit is not None:
        most = min(most, max(budget.limit, ledger.arms))
    try:
        while ledger.done[0] < most:
            enough = ledger.done[0] >= ledger.arms
            if enough and pace.over:
                return True
            portion = max(pace.portion(), 1 if enough else ledger.arms)
            reason = run(int(min(ledger.done[0] + portion, most)))
            if patience.limited and ledger.done[0] % TOGETHER == 0:
                patience.spend((int(ledger.cut.sum()) - known) * longest)
                known = int(ledger.cut.sum())
                if longest != patience.longest:
                    longest = patience.longest
                    rules = struct(machine.rules._replace(longest=longest))
            if reason == _MORE_MOVES:
                room = enlarged(room, machine.sizes, 4 * room.moves_room, 4 * room.outcomes_room)
                space = struct(room)
            elif reason == _FAULT:
                raise KernelFault
    except KeyboardInterrupt as end:
        pass_on(end)
        return True
    return budget.limit is not None and most == budget.limit


@kernel
def play_in_turn(
    rules: Any, numbers: Any, plays: Any, ledger: Any, room: Any, simulations: Any, stop: Any
) -> Any:
    """Plays on after each move in turn until so many are made in all, or TOGETHER with some that were cut."""
    place, goal = room.form, simulations
    while ledger.done[0] < goal and not stop[0]:
        arm = ledger.done[0] % ledger.arms
        move = ledger.moves[arm]
        start = 0
        if ledger.starts > 1:
            point = random_fraction(room.random)
            while start < ledger.starts - 1 and point >= ledger.odds[start]:
                point -= ledger.odds[start]
                start += 1
        copy_bytes(place, ledger.forms + start * rules.form, rules.form)
        if move >= 0 and rules.sample(place, move, room.random, ledger.rewards) != 0:
            return _FAULT
        status = play_on(rules, numbers, plays, place, ledger.paid, room)
        if status == UNFINISHED:
            rest = rest_of_play(numbers, room)
            if move >= 0:
                rest *= numbers.discount
            if rest > 0.0:
                ledger.cut[arm] += 1
                goal = min(goal, ledger.done[0] - ledger.done[0] % TOGETHER + TOGETHER)
            ledger.rests[arm] += rest
        elif status != 0:
            return _MORE_MOVES if status == CAPACITY else _FAULT
        ledger.count[arm] += 1
        for player in range(rules.players):
            paid = ledger.paid[player]
            if move >= 0:
                paid *= numbers.discount
                if rules.pays:
                    paid += ledger.rewards[player]
            i = arm * rules.players + player
            ledger.totals[i] += paid
            ledger.squares[i] += paid * paid
        ledger.done[0] += 1
    return _DONE
