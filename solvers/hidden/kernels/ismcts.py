"""Information set Monte Carlo tree search on machine code: the fast twin of `solvers/hidden/ismcts.py`, with
other random numbers.

Two things grow. *Nodes* are what players know, with an *arm* for each move (or for moves that look the same):
there plays are counted. *Histories* are positions of worlds that plays came through more than once, with what
the rules say of them: who moves, the moves, where each leads, the node and its arms. So the rules are asked
about a history once, and a play that stays among histories costs no more than choosing. Where there is no
room for more histories, plays go through a spare one at each depth instead, which is not kept.

    history --ways--> (move, arm of its node, history that follows)
                            |
    node ------------------ arms: there, made, mean, ..
"""

from __future__ import annotations

from math import inf, log, sqrt
from typing import Any

import numpy as np

from gdl.abi import CAPACITY, UNFINISHED
from gdl.game import Game
from gdl.movers import CHANCE, DRAW, TERMINAL
from solvers.core.budget import Budget
from solvers.core.interrupts import pass_on
from solvers.core.result import Result, Work
from solvers.hidden.answers import Learnt, by_simulations
from solvers.hidden.kernels.ismcts_tree import (
    ARMS,
    AVERAGE,
    DEEPEST,
    DONE,
    DRAWS,
    FAULT,
    HISTORIES,
    HISTORIES_FULL,
    MADE,
    MEAN,
    MORE_MOVES,
    NODES,
    NODES_FULL,
    NONE,
    PLAYS,
    REGRET,
    ROOT,
    SCALE,
    SHARE,
    THERE,
    WAYS,
    WIDTH,
    Tree,
    drawn_by_odds,
    drawn_history,
    histories_of,
    history_after,
    make_branch,
    nodes_of,
    note_history,
    rehash,
    renumber,
    short_of_histories,
    short_of_nodes,
)
from solvers.hidden.kernels.observing import sight
from solvers.hidden.kernels.worlds import Forms
from solvers.hidden.sequences import Known
from solvers.machine.fault import KernelFault
from solvers.machine.kernels import kernel, step
from solvers.machine.plays import play_at_random
from solvers.machine.pointers import copy_bytes, struct
from solvers.machine.portions import Pace
from solvers.machine.rules import Machine, random_below, random_fraction
from solvers.machine.scratch import enlarged, scratch
from solvers.machine.types import i64

EXPLORING = 0.2
"""How often regret matching tries any move, whatever its regret."""

MEMORY = 1 << 28
"""Bytes that histories may take, and nodes likewise."""


def simulated(
    game: Game[Any, Any],
    known: Known,
    worlds: Forms,
    *,
    simulations: float,
    budget: Budget,
    single: bool,
    regret: bool,
    c: float,
    seed: int,
) -> Result:
    """What is learnt from plays of worlds that are possible, so many, or within a budget."""
    search = _Search(game, known, worlds, single, regret, c, seed)
    if not simulate.signatures:  # kernels are compiled, or loaded, before time counts
        search.call(0)
        budget.begin()
    partial = search.run(simulations, budget)
    done = int(search.tree.counts[PLAYS])
    return by_simulations(
        game,
        known,
        search.learnt(),
        worlds=len(worlds.odds),
        exact=worlds.exact,
        single=single,
        regret=regret,
        work=Work(budget.seconds, positions=int(search.tree.counts[NODES]), rounds=done),
        seed=seed,
        partial=partial,
    )


class _Search:
    def __init__(
        self,
        game: Game[Any, Any],
        known: Known,
        worlds: Forms,
        single: bool,
        regret: bool,
        c: float,
        seed: int,
    ):
        self.game = game
        self.known = known
        self.machine = Machine(game, plays=True)
        self.sight = sight(game)
        self.c = float(c)
        self.room = scratch(self.machine.sizes, seed)
        self.space = struct(self.room)
        players = len(game.players)
        observers = 1 if single else players
        form = self.machine.rules.form
        fixed = {
            "counts": np.zeros(5, np.int64),
            "path": np.zeros((DEEPEST, 3), np.int64),
            "share": np.ones(DEEPEST),
            "got": np.zeros((DEEPEST, players)),
            "result": np.zeros(players),
            "least": np.full(players, inf),
            "most": np.full(players, -inf),
            "width": np.ones(1),
            "roots": np.full(len(worlds.odds), NONE, np.int32),
            "worlds": worlds.forms,
            "cumulated": np.cumsum(worlds.odds),
            "count_worlds": len(worlds.odds),
            "observers": observers,
            "player": known.player,
            "single": int(single),
            "regret": int(regret),
            "kept": 1,
        }
        sizes = (form, observers, players)
        self.tree = Tree(
            **fixed,
            **histories_of(4096, 65536, self.room.moves_room, *sizes),
            **nodes_of(4096, 2 * DEEPEST * self.room.moves_room),
        )
        self.handed = struct(self.tree)

    def run(self, most: float, budget: Budget) -> bool:
        """Whether the budget ended it before so many plays were simulated."""
        pace = Pace(budget)
        try:
            while self.tree.counts[PLAYS] < most:
                done = int(self.tree.counts[PLAYS])
                if done and pace.over:
                    return most < inf
                status = self.call(int(min(done + pace.portion(), most)))
                if status == FAULT:
                    raise KernelFault
                if status == MORE_MOVES:
                    self.room = enlarged(self.room, self.machine.sizes, 4 * self.room.moves_room)
                    self.space = struct(self.room)
                    self.enlarge(histories=1)
                elif status == HISTORIES_FULL:
                    self.enlarge(histories=2)
                elif status == NODES_FULL:
                    self.enlarge(nodes=2)
        except KeyboardInterrupt as end:
            pass_on(end)
            return True
        return False

    def call(self, goal: int) -> int:
        status: int = simulate(
            self.machine.rules_struct, self.machine.numbers_struct, self.sight, self.handed, self.space,
            self.c, goal,
        )  # fmt: skip
        return status

    def enlarge(self, histories: int = 0, nodes: int = 0) -> None:
        """More room for histories, or for nodes, unless that takes too much memory; `histories=1`: as many,
        with more moves."""
        tree, form = self.tree, self.machine.rules.form
        counts = tree.counts
        if histories:
            sizes = form, tree.observers, len(self.game.players)
            wanted = tree.histories * histories, tree.ways * histories
            if histories > 1 and wanted[0] * (form + 100) + 24 * wanted[1] > MEMORY:
                self.tree = tree._replace(kept=0)
                self.handed = struct(self.tree)
                return
            new = histories_of(*wanted, self.room.moves_room, *sizes)
            for name in ("mover", "count", "first", "node", "by", "form", "hash", "paid", "rewards"):
                new[name][: counts[HISTORIES]] = getattr(tree, name)[: counts[HISTORIES]]
            for name in ("move", "arm", "after", "odds"):
                new[name][: counts[WAYS]] = getattr(tree, name)[: counts[WAYS]]
            self.tree = tree._replace(**new)
            self.handed = struct(self.tree)
            rehash(self.handed, form)
        if nodes:
            wanted = tree.nodes * nodes, tree.arm_room * nodes
            new = nodes_of(*wanted)
            for name in ("key", "head", "last"):
                new[name][: counts[NODES]] = getattr(tree, name)[: counts[NODES]]
            for name in ("look", "next", "arms"):
                new[name][: counts[ARMS]] = getattr(tree, name)[: counts[ARMS]]
            self.tree = tree._replace(**new)
            self.handed = struct(self.tree)
            renumber(self.handed)

    def learnt(self) -> list[Learnt]:
        """Of the moves at the root, whose node is the first."""
        tree, code = self.tree, self.machine.code
        arms = {}
        arm = int(tree.head[0]) if tree.counts[NODES] else NONE
        while arm >= 0:
            arms[int(tree.look[arm])] = tree.arms[arm]
            arm = int(tree.next[arm])
        found = [arms.get(code.number(move), np.zeros(WIDTH)) for move in self.known.moves]
        return [Learnt(int(arm[MADE]), float(arm[MEAN]), float(arm[AVERAGE])) for arm in found]


# ---------------------------------------------------------------------------------------- kernels


@kernel
def simulate(rules: Any, numbers: Any, sight: Any, tree: Any, room: Any, c: Any, goal: Any) -> Any:
    """Simulates until so many plays are made in all, or something is missing."""
    while tree.counts[PLAYS] < goal:
        if tree.kept and short_of_histories(tree):
            return HISTORIES_FULL
        if short_of_nodes(tree) and tree.arm_room * 8 * WIDTH < MEMORY:
            return NODES_FULL
        status = _play(rules, numbers, sight, tree, room, c)
        if status != DONE:
            return status
        tree.counts[PLAYS] += 1
    return DONE


@step
def _play(rules: Any, numbers: Any, sight: Any, tree: Any, room: Any, c: Any) -> Any:
    """One play of a world, and what it paid added to the arms on the way."""
    world = _drawn_world(tree, room)
    at = tree.roots[world]
    if at == NONE:
        copy_bytes(room.form, tree.worlds + world * rules.form, rules.form)
        for player in range(rules.players):
            room.rewards[player] = 0.0
        at = note_history(rules, numbers, sight, tree, room, i64(NONE), i64(0), i64(0))
        if at < 0:
            return -at
        if at < tree.histories:
            tree.roots[world] = at
    depth = i64(0)
    while True:
        mover = tree.mover[at]
        if mover == TERMINAL:
            for player in range(rules.players):
                tree.result[player] = tree.paid[at * rules.players + player]
            break
        if depth == DEEPEST - 1 or (mover >= 0 and tree.node[at] == NONE):
            copy_bytes(room.form, tree.form + at * rules.form, rules.form)
            status = _rest(rules, numbers, tree, room)
            if status != DONE:
                return status
            break
        new = False
        if mover == CHANCE:
            way = drawn_by_odds(tree, room, at)
            tree.path[3 * depth + 1] = NONE
        else:
            way = _choose(tree, room, at, depth, c)
            arm = tree.arm[way]
            new = tree.arms[WIDTH * arm + MADE] == 0.0
            tree.path[3 * depth + 1] = arm
        tree.path[3 * depth] = at
        tree.path[3 * depth + 2] = mover
        after = tree.after[way]
        if after == DRAWS and at < tree.histories and not new:
            status = make_branch(rules, tree, room, at, way)
            if status != DONE:
                return status
            after = tree.after[way]
        if after >= 0 and tree.mover[after] == DRAW:
            after = drawn_history(rules, numbers, sight, tree, room, at, way, depth + 1)
            if after < 0:
                return -after
        made = after < 0
        if made:
            copy_bytes(room.form, tree.form + at * rules.form, rules.form)
            move = tree.move[way]
            if rules.sample(room.form, move, room.random, room.rewards) != 0:
                return FAULT
            if not new:
                after = history_after(rules, numbers, sight, tree, room, at, way, depth + 1)
                if after < 0:
                    return -after
        if rules.pays:
            paid = room.rewards if made else tree.rewards + after * rules.players
            for player in range(rules.players):
                tree.got[depth * rules.players + player] = paid[player]
        depth += 1
        if new:  # no arm of its node was made in any world, so no history follows
            status = _rest(rules, numbers, tree, room)
            if status != DONE:
                return status
            break
        at = after
    _learn(rules, numbers, tree, depth)
    return DONE


@step
def _drawn_world(tree: Any, room: Any) -> Any:
    if tree.count_worlds == 1:
        return 0
    point = random_fraction(room.random) * tree.cumulated[tree.count_worlds - 1]
    low, high = 0, tree.count_worlds - 1
    while low < high:
        middle = (low + high) >> 1
        if tree.cumulated[middle] > point:
            high = middle
        else:
            low = middle + 1
    return low


@step
def _rest(rules: Any, numbers: Any, tree: Any, room: Any) -> Any:
    """Leaves in `result` what a play at random from room.form pays."""
    status = play_at_random(rules, numbers, rules.longest, room.form, tree.result, room)
    if status == 0 or status == UNFINISHED:
        return DONE
    return MORE_MOVES if status == CAPACITY else FAULT


@step
def _choose(tree: Any, room: Any, at: Any, depth: Any, c: Any) -> Any:
    """The way of this play: an arm that is new, else the best bound, or by regrets; and of the moves of an
    arm any."""
    if tree.regret:
        return _by_regret(tree, room, at, depth)
    first = tree.first[at]
    untried, best, chosen = 0, -np.inf, first
    previous, there, root, bonus, fresh = NONE, 0.0, 0.0, 0.0, False
    for way in range(first, first + tree.count[at]):
        arm = tree.arm[way]
        if arm == previous:
            continue
        previous = arm
        numbers = tree.arms + WIDTH * arm
        numbers[THERE] += 1.0
        if numbers[MADE] == 0.0:
            untried += 1
            if untried == 1 or random_below(room.random, untried) == 0:
                chosen = way
        elif untried == 0:
            if numbers[THERE] != there:
                there = numbers[THERE]
                fresh = there < 64.0 or i64(there) & 15 == 0 or numbers[ROOT] == 0.0
                root = sqrt(log(there)) if fresh else numbers[ROOT]
                bonus = c * tree.width[0] * root
            if fresh:
                numbers[ROOT] = root
            bound = numbers[MEAN] + bonus * numbers[SCALE]
            if bound > best:
                best, chosen = bound, way
    return _any_of_arm(tree, room, at, chosen)


@step
def _any_of_arm(tree: Any, room: Any, at: Any, way: Any) -> Any:
    """One of the moves that look the same, the first of which is given."""
    if not tree.single:
        return way
    end = tree.first[at] + tree.count[at]
    several = 1
    while way + several < end and tree.arm[way + several] == tree.arm[way]:
        several += 1
    return way if several == 1 else way + random_below(room.random, several)


@step
def _by_regret(tree: Any, room: Any, at: Any, depth: Any) -> Any:
    first, end = tree.first[at], tree.first[at] + tree.count[at]
    count = _match(tree, at)
    point = random_fraction(room.random)
    chosen, previous = i64(NONE), NONE
    for way in range(first, end):
        arm = tree.arm[way]
        if arm == previous:
            continue
        previous = arm
        numbers = tree.arms + WIDTH * arm
        numbers[THERE] += 1.0
        numbers[AVERAGE] += numbers[SHARE]
        odds = EXPLORING / count + (1.0 - EXPLORING) * numbers[SHARE]
        if point >= 0.0:
            chosen = way
            tree.share[depth] = odds
        point -= odds
    return _any_of_arm(tree, room, at, chosen)


@step
def _match(tree: Any, at: Any) -> Any:
    """Leaves in the arms of a history how regret matching plays them; gives how many there are."""
    first, end = tree.first[at], tree.first[at] + tree.count[at]
    total, count, previous = 0.0, 0, NONE
    for way in range(first, end):
        arm = tree.arm[way]
        if arm != previous:
            previous = arm
            count += 1
            total += max(0.0, tree.arms[WIDTH * arm + REGRET])
    for way in range(first, end):
        numbers = tree.arms + WIDTH * tree.arm[way]
        numbers[SHARE] = max(0.0, numbers[REGRET]) / total if total > 0.0 else 1.0 / count
    return count


@step
def _learn(rules: Any, numbers: Any, tree: Any, depth: Any) -> None:
    """Adds what the play paid to the arms on its way, from its end to its beginning."""
    players = rules.players
    while depth > 0:
        depth -= 1
        if rules.pays or rules.discounts:
            for player in range(players):
                rewards = tree.got[depth * players + player] if rules.pays else 0.0
                tree.result[player] = rewards + numbers.discount * tree.result[player]
        arm = tree.path[3 * depth + 1]
        if arm == NONE:
            continue
        paid = tree.result[tree.path[3 * depth + 2]]
        if tree.regret:
            _regret(tree, tree.path[3 * depth], arm, paid, tree.share[depth])
        mine = tree.arms + WIDTH * arm
        made = mine[MADE] + 1.0
        mine[MADE] = made
        mine[MEAN] += (paid - mine[MEAN]) / made
        mine[SCALE] = 1.0 / sqrt(made)
    width = 0.0
    for player in range(players):
        tree.least[player] = min(tree.least[player], tree.result[player])
        tree.most[player] = max(tree.most[player], tree.result[player])
        width = max(width, tree.most[player] - tree.least[player])
    tree.width[0] = width if width > 0.0 else 1.0


@step
def _regret(tree: Any, at: Any, chosen: Any, paid: Any, odds: Any) -> None:
    """Regrets by what all arms would have paid: the chosen one by its sample, the others their mean."""
    _match(tree, at)
    first, end = tree.first[at], tree.first[at] + tree.count[at]
    value, previous = 0.0, NONE
    for way in range(first, end):
        arm = tree.arm[way]
        if arm != previous:
            previous = arm
            value += tree.arms[WIDTH * arm + SHARE] * _worth(tree, arm, chosen, paid, odds)
    previous = NONE
    for way in range(first, end):
        arm = tree.arm[way]
        if arm != previous:
            previous = arm
            tree.arms[WIDTH * arm + REGRET] += _worth(tree, arm, chosen, paid, odds) - value


@step
def _worth(tree: Any, arm: Any, chosen: Any, paid: Any, odds: Any) -> Any:
    mean = tree.arms[WIDTH * arm + MEAN]
    return mean + (paid - mean) / odds if arm == chosen else mean
