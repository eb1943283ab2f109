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
from typing import Any, NamedTuple

import numpy as np

from gdl.abi import CAPACITY, UNFINISHED
from gdl.game import Game
from gdl.movers import CHANCE, DRAW, TERMINAL
from solvers.core.budget import Budget
from solvers.core.interrupts import pass_on
from solvers.core.result import Result, Work
from solvers.hidden.answers import Learnt, by_simulations
from solvers.hidden.kernels.observing import mix, pack, see, shown, sight
from solvers.hidden.kernels.worlds import Forms
from solvers.hidden.sequences import Known
from solvers.machine.fault import KernelFault
from solvers.machine.kernels import kernel, step
from solvers.machine.plays import play_at_random
from solvers.machine.pointers import as_floats, copy_bytes, struct
from solvers.machine.portions import Pace
from solvers.machine.rules import Machine, hash_form, may_draw, random_below, random_fraction, same_form
from solvers.machine.scratch import enlarged, scratch
from solvers.machine.types import i64

EXPLORING = 0.2
"""How often regret matching tries any move, whatever its regret."""

DEEPEST = 256
"""Moves of a play that are chosen by what was learnt; further ones are made at random."""

MEMORY = 1 << 28
"""Bytes that histories may take, and nodes likewise."""

# Why simulations stopped.
DONE, MORE_MOVES, FAULT, HISTORIES_FULL, NODES_FULL = range(5)

# What `counts` counts.
PLAYS, HISTORIES, WAYS, NODES, ARMS = range(5)

# What an arm holds: how often it was there and made, the mean, 1 / sqrt(made), sqrt(ln(there)) as it was when
# that was last a multiple of 16, regrets. As many numbers as fill a line of the cache.
THERE, MADE, MEAN, SCALE, ROOT, REGRET, AVERAGE, SHARE, WIDTH = range(9)

NONE, DRAWS, LOOKED_UP = -1, -2, -3
"""Of a way: no history follows yet; chance may decide which; it does, among too many to be listed."""


class Tree(NamedTuple):
    """Everything that grows, and the play that is being made."""

    counts: Any  # i64[5]
    # histories; those from `histories` on are spare, one for each depth
    mover: Any  # i32: DRAW is no history, but the outcomes of a way, one of which follows
    count: Any  # i32: of its ways
    first: Any  # i64: where they begin
    node: Any  # i32: what the mover knows; -1 for chance, for an end, and where there is no room
    by: Any  # i64: the way that led here, where chance decided
    form: Any  # u8[.., form]
    hash: Any  # u64[.., observers]: of what each has seen
    paid: Any  # f64[.., players]: at an end its utility
    rewards: Any  # f64[.., players]: paid on the way here
    # ways
    move: Any  # i64
    arm: Any  # i32
    after: Any  # i32: the history that follows
    odds: Any  # f64: of chance
    drawn: Any  # i32: table of histories that chance led to
    # nodes
    table: Any  # i32
    key: Any  # u64
    head: Any  # i32: the first arm
    last: Any  # i32: the last
    # arms
    look: Any  # i64: the move as it is seen
    next: Any  # i32
    arms: Any  # f64[.., WIDTH]
    # the play
    path: Any  # i64[deepest, 3]: history, arm, mover
    share: Any  # f64[deepest]: the probability with which the arm was chosen
    got: Any  # f64[deepest, players]: rewards on the way
    result: Any  # f64[players]
    least: Any  # f64[players]
    most: Any  # f64[players]
    width: Any  # f64[1]: the range of what plays paid
    # worlds
    roots: Any  # i32[worlds]
    worlds: Any  # u8[worlds, form]
    cumulated: Any  # f64[worlds]
    # rooms
    histories: int
    ways: int
    nodes: int
    arm_room: int
    moves_room: int
    drawn_mask: int
    table_mask: int
    count_worlds: int
    observers: int
    player: int  # who asks
    single: int
    regret: int
    kept: int  # whether histories are kept where there is room


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
            **_histories(4096, 65536, self.room.moves_room, *sizes),
            **_nodes(4096, 2 * DEEPEST * self.room.moves_room),
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
            new = _histories(*wanted, self.room.moves_room, *sizes)
            for name in ("mover", "count", "first", "node", "by", "form", "hash", "paid", "rewards"):
                new[name][: counts[HISTORIES]] = getattr(tree, name)[: counts[HISTORIES]]
            for name in ("move", "arm", "after", "odds"):
                new[name][: counts[WAYS]] = getattr(tree, name)[: counts[WAYS]]
            self.tree = tree._replace(**new)
            self.handed = struct(self.tree)
            rehash(self.handed, form)
        if nodes:
            wanted = tree.nodes * nodes, tree.arm_room * nodes
            new = _nodes(*wanted)
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


def _histories(
    histories: int, ways: int, moves: int, form: int, observers: int, players: int
) -> dict[str, Any]:
    """Room for histories and their ways, with a spare history for each depth."""
    every, all_ways = histories + DEEPEST, ways + DEEPEST * moves
    slots = 2 << (histories - 1).bit_length()
    return {
        "mover": np.zeros(every, np.int32),
        "count": np.zeros(every, np.int32),
        "first": np.zeros(every, np.int64),
        "node": np.zeros(every, np.int32),
        "by": np.zeros(every, np.int64),
        "form": np.zeros((every, form), np.uint8),
        "hash": np.zeros((every, observers), np.uint64),
        "paid": np.zeros((every, players)),
        "rewards": np.zeros((every, players)),
        "move": np.zeros(all_ways, np.int64),
        "arm": np.zeros(all_ways, np.int32),
        "after": np.zeros(all_ways, np.int32),
        "odds": np.zeros(all_ways),
        "drawn": np.full(slots, NONE, np.int32),
        "histories": histories,
        "ways": ways,
        "moves_room": moves,
        "drawn_mask": slots - 1,
    }


def _nodes(nodes: int, arms: int) -> dict[str, Any]:
    slots = 2 << (nodes - 1).bit_length()
    return {
        "table": np.full(slots, NONE, np.int32),
        "key": np.zeros(nodes, np.uint64),
        "head": np.zeros(nodes, np.int32),
        "last": np.zeros(nodes, np.int32),
        "look": np.zeros(arms, np.int64),
        "next": np.zeros(arms, np.int32),
        "arms": np.zeros((arms, WIDTH)),
        "nodes": nodes,
        "arm_room": arms,
        "table_mask": slots - 1,
    }


# ---------------------------------------------------------------------------------------- kernels


@kernel
def simulate(rules: Any, numbers: Any, sight: Any, tree: Any, room: Any, c: Any, goal: Any) -> Any:
    """Simulates until so many plays are made in all, or something is missing."""
    while tree.counts[PLAYS] < goal:
        if tree.kept and _short_of_histories(tree):
            return HISTORIES_FULL
        if _short_of_nodes(tree) and tree.arm_room * 8 * WIDTH < MEMORY:
            return NODES_FULL
        status = _play(rules, numbers, sight, tree, room, c)
        if status != DONE:
            return status
        tree.counts[PLAYS] += 1
    return DONE


@step
def _short_of_histories(tree: Any) -> Any:
    return tree.counts[HISTORIES] + DEEPEST > tree.histories or tree.counts[WAYS] + DEEPEST * 8 > tree.ways


@step
def _short_of_nodes(tree: Any) -> Any:
    return (
        tree.counts[NODES] + DEEPEST > tree.nodes
        or tree.counts[ARMS] + DEEPEST * tree.moves_room > tree.arm_room
    )


@step
def _play(rules: Any, numbers: Any, sight: Any, tree: Any, room: Any, c: Any) -> Any:
    """One play of a world, and what it paid added to the arms on the way."""
    world = _drawn_world(tree, room)
    at = tree.roots[world]
    if at == NONE:
        copy_bytes(room.form, tree.worlds + world * rules.form, rules.form)
        for player in range(rules.players):
            room.rewards[player] = 0.0
        at = _history(rules, numbers, sight, tree, room, i64(NONE), i64(0), i64(0))
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
            way = _chance(tree, room, at)
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
            status = _branch(rules, tree, room, at, way)
            if status != DONE:
                return status
            after = tree.after[way]
        if after >= 0 and tree.mover[after] == DRAW:
            after = _drawn(rules, numbers, sight, tree, room, at, way, depth + 1)
            if after < 0:
                return -after
        made = after < 0
        if made:
            copy_bytes(room.form, tree.form + at * rules.form, rules.form)
            move = tree.move[way]
            if rules.sample(room.form, move, room.random, room.rewards) != 0:
                return FAULT
            if not new:
                after = _followed(rules, numbers, sight, tree, room, at, way, depth + 1)
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
def _chance(tree: Any, room: Any, at: Any) -> Any:
    """A way drawn by the odds, which sum to 1."""
    first, count = tree.first[at], tree.count[at]
    point = random_fraction(room.random)
    for way in range(first, first + count - 1):
        point -= tree.odds[way]
        if point < 0.0:
            return way
    return first + count - 1


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


# ------------------------------------------------------------------------------------- histories


@step
def _branch(rules: Any, tree: Any, room: Any, at: Any, way: Any) -> Any:
    """Lists what chance may do to a move: where that is one thing the way leads there, where it is a few to a
    branch, else it is looked up each time."""
    tree.after[way] = LOOKED_UP
    form, move = tree.form + at * rules.form, tree.move[way]
    count = rules.outcomes(form, move, room.records, room.outcomes_room, room.table, room.script)
    if count < 0:
        return DONE if -count == CAPACITY else FAULT
    branch, first = tree.counts[HISTORIES], tree.counts[WAYS]
    if count == 1:
        tree.after[way] = NONE
    elif branch < tree.histories and first + count <= tree.ways:
        tree.counts[HISTORIES] += 1
        tree.counts[WAYS] += count
        tree.mover[branch] = DRAW
        tree.count[branch] = count
        tree.first[branch] = first
        tree.by[branch] = NONE
        tree.after[way] = branch
        for k in range(count):
            tree.after[first + k] = NONE
            tree.odds[first + k] = as_floats(room.records + k * rules.record)[0]
    return DONE


@step
def _drawn(rules: Any, numbers: Any, sight: Any, tree: Any, room: Any, at: Any, way: Any, depth: Any) -> Any:
    """The history that chance draws from the branch of a way; or minus what is missing."""
    branch = tree.after[way]
    line = _chance(tree, room, branch)
    after = tree.after[line]
    if after != NONE:
        return after
    form, move = tree.form + at * rules.form, tree.move[way]
    if rules.outcomes(form, move, room.records, room.outcomes_room, room.table, room.script) < 0:
        return -FAULT
    record = room.records + (line - tree.first[branch]) * rules.record
    copy_bytes(room.form, record + rules.at_form, rules.form)
    for player in range(rules.players):
        room.rewards[player] = as_floats(record)[1 + player]
    after = _history(rules, numbers, sight, tree, room, at, way, depth)
    if 0 <= after < tree.histories:
        tree.after[line] = after
    return after


@step
def _followed(
    rules: Any, numbers: Any, sight: Any, tree: Any, room: Any, at: Any, way: Any, depth: Any
) -> Any:
    """The history that room.form is, after a way of another one; or minus what is missing."""
    if tree.after[way] != LOOKED_UP or at >= tree.histories:
        after = _history(rules, numbers, sight, tree, room, at, way, depth)
        if 0 <= after < tree.histories and at < tree.histories and tree.after[way] == NONE:
            tree.after[way] = after
        return after
    slot = _drawn_slot(rules.form, tree, way, room.form)
    if tree.drawn[slot] >= 0:
        return tree.drawn[slot]
    after = _history(rules, numbers, sight, tree, room, at, way, depth)
    if 0 <= after < tree.histories:
        tree.drawn[slot] = after
    return after


@step
def _drawn_slot(size: Any, tree: Any, way: Any, form: Any) -> Any:
    """Where a history stands, or belongs, to which chance led by a way."""
    slot = np.int64(mix(hash_form(form, size), np.uint64(way)) & np.uint64(tree.drawn_mask))
    while tree.drawn[slot] >= 0:
        other = tree.drawn[slot]
        if tree.by[other] == way and same_form(tree.form + other * size, form, size):
            break
        slot = (slot + 1) & tree.drawn_mask
    return slot


@step
def _history(
    rules: Any, numbers: Any, sight: Any, tree: Any, room: Any, before: Any, way: Any, depth: Any
) -> Any:
    """Asks the rules about room.form, which a way of another history led to (NONE: a play begins here), and
    notes it in a new history, or where there is no room in the spare one; or minus what is missing."""
    form = room.form
    mover = rules.to_move(form)
    if mover < TERMINAL:
        return -FAULT
    count = i64(0)
    if mover >= CHANCE:
        count = rules.moves(form, room.moves, room.moves_room)
        if count <= 0:
            return -FAULT
        if count > room.moves_room:
            return -MORE_MOVES
    at, first = tree.counts[HISTORIES], tree.counts[WAYS]
    if tree.kept and at < tree.histories and first + count <= tree.ways:
        tree.counts[HISTORIES] += 1
        tree.counts[WAYS] += count
    else:
        at, first = tree.histories + depth, tree.ways + depth * tree.moves_room
    tree.mover[at] = mover
    tree.count[at] = count
    tree.first[at] = first
    tree.node[at] = NONE
    tree.by[at] = way if before != NONE else NONE
    copy_bytes(tree.form + at * rules.form, form, rules.form)
    for player in range(rules.players):
        tree.rewards[at * rules.players + player] = room.rewards[player] if rules.pays else 0.0
    if mover == TERMINAL:
        status = rules.utility(form, tree.paid + at * rules.players)
        return at if status == 0 else -FAULT
    if not _look(sight, tree, form, before, way, at):
        return -FAULT
    for k in range(count):
        move = room.moves[k]
        tree.move[first + k] = move
        tree.after[first + k] = DRAWS if may_draw(numbers, move) else NONE
        tree.arm[first + k] = NONE
    if mover == CHANCE:
        if rules.weights(form, room.moves, count, room.weights) != 0:
            return -FAULT
        total = room.weights[0] / room.weights[1]
        for k in range(count):
            tree.odds[first + k] = room.weights[2 + 2 * k] / room.weights[3 + 2 * k] / total
    else:
        watcher = 0 if tree.single else mover
        key = mix(tree.hash[at * tree.observers + watcher], np.uint64(mover + 1))
        node = _node(tree, key)
        if node != NONE and _arms(sight, tree, node, first, count, mover == tree.player):
            tree.node[at] = node
    return at


@step
def _look(sight: Any, tree: Any, form: Any, before: Any, way: Any, at: Any) -> Any:
    """Notes what everybody who counts has seen, a move longer; whether that could be said."""
    pack(sight, form)
    for k in range(tree.observers):
        player = tree.player if tree.single else k
        seen = np.uint64(player + 1)
        if before != NONE:
            seen = tree.hash[before * tree.observers + k]
            mover = tree.mover[before]
            told = shown(sight, tree.move[way], mover == player)
            seen = mix(seen, np.uint64((told << 8) + mover + 2))
        if see(sight, form, player) != 0:
            return False
        for w in range(sight.words.shape[0]):
            seen = mix(seen, sight.words[w])
        tree.hash[at * tree.observers + k] = seen
    return True


@step
def _node(tree: Any, key: Any) -> Any:
    """The node with a key, made if there is room."""
    slot = np.int64(key & np.uint64(tree.table_mask))
    while tree.table[slot] >= 0:
        if tree.key[tree.table[slot]] == key:
            return tree.table[slot]
        slot = (slot + 1) & tree.table_mask
    node = tree.counts[NODES]
    if node == tree.nodes:
        return NONE
    tree.counts[NODES] += 1
    tree.table[slot] = node
    tree.key[node] = key
    tree.head[node] = NONE
    tree.last[node] = NONE
    return node


@step
def _arms(sight: Any, tree: Any, node: Any, first: Any, count: Any, own: Any) -> Any:
    """Finds the arms of a node for the ways of a history, and makes those that are new; whether there was
    room for them."""
    cursor = tree.head[node]
    for way in range(first, first + count):
        look = tree.move[way]
        if tree.single:
            look = shown(sight, look, own)
        if way > first and tree.look[tree.arm[way - 1]] == look:
            tree.arm[way] = tree.arm[way - 1]
            continue
        arm = cursor
        if arm == NONE or tree.look[arm] != look:  # not in the same order as before
            arm = tree.head[node]
            while arm != NONE and tree.look[arm] != look:
                arm = tree.next[arm]
        if arm == NONE:
            arm = tree.counts[ARMS]
            if arm == tree.arm_room:
                return False
            tree.counts[ARMS] += 1
            tree.look[arm] = look
            tree.next[arm] = NONE
            for k in range(WIDTH):
                tree.arms[WIDTH * arm + k] = 0.0
            if tree.head[node] == NONE:
                tree.head[node] = arm
            else:
                tree.next[tree.last[node]] = arm
            tree.last[node] = arm
        tree.arm[way] = arm
        cursor = tree.next[arm]
    return True


@kernel
def rehash(tree: Any, size: Any) -> None:
    """Enters all histories that chance led to into an empty table."""
    for at in range(tree.counts[HISTORIES]):
        way = tree.by[at]
        if way >= 0 and tree.after[way] == LOOKED_UP:
            slot = _drawn_slot(size, tree, way, tree.form + at * size)
            if tree.drawn[slot] < 0:
                tree.drawn[slot] = at


@kernel
def renumber(tree: Any) -> None:
    """Enters all nodes into an empty table."""
    for node in range(tree.counts[NODES]):
        slot = np.int64(tree.key[node] & np.uint64(tree.table_mask))
        while tree.table[slot] >= 0:
            slot = (slot + 1) & tree.table_mask
        tree.table[slot] = node
