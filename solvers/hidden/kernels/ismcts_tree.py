"""The tree of information set Monte Carlo tree search: its records, and how it grows.

What histories and nodes are: `solvers/hidden/kernels/ismcts.py`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gdl.abi import CAPACITY
from gdl.movers import CHANCE, DRAW, TERMINAL
from solvers.hidden.kernels.observing import mix, pack, see, shown
from solvers.machine.kernels import kernel, step
from solvers.machine.pointers import as_floats, copy_bytes
from solvers.machine.rules import hash_form, may_draw, random_fraction, same_form
from solvers.machine.types import i64

DEEPEST = 256
"""Moves of a play that are chosen by what was learnt; further ones are made at random."""

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


def histories_of(
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


def nodes_of(nodes: int, arms: int) -> dict[str, Any]:
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


@step
def short_of_histories(tree: Any) -> Any:
    return tree.counts[HISTORIES] + DEEPEST > tree.histories or tree.counts[WAYS] + DEEPEST * 8 > tree.ways


@step
def short_of_nodes(tree: Any) -> Any:
    return (
        tree.counts[NODES] + DEEPEST > tree.nodes
        or tree.counts[ARMS] + DEEPEST * tree.moves_room > tree.arm_room
    )


@step
def drawn_by_odds(tree: Any, room: Any, at: Any) -> Any:
    """A way drawn by the odds, which sum to 1."""
    first, count = tree.first[at], tree.count[at]
    point = random_fraction(room.random)
    for way in range(first, first + count - 1):
        point -= tree.odds[way]
        if point < 0.0:
            return way
    return first + count - 1


@step
def make_branch(rules: Any, tree: Any, room: Any, at: Any, way: Any) -> Any:
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
def drawn_history(
    rules: Any, numbers: Any, sight: Any, tree: Any, room: Any, at: Any, way: Any, depth: Any
) -> Any:
    """The history that chance draws from the branch of a way; or minus what is missing."""
    branch = tree.after[way]
    line = drawn_by_odds(tree, room, branch)
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
    after = note_history(rules, numbers, sight, tree, room, at, way, depth)
    if 0 <= after < tree.histories:
        tree.after[line] = after
    return after


@step
def history_after(
    rules: Any, numbers: Any, sight: Any, tree: Any, room: Any, at: Any, way: Any, depth: Any
) -> Any:
    """The history that room.form is, after a way of another one; or minus what is missing."""
    if tree.after[way] != LOOKED_UP or at >= tree.histories:
        after = note_history(rules, numbers, sight, tree, room, at, way, depth)
        if 0 <= after < tree.histories and at < tree.histories and tree.after[way] == NONE:
            tree.after[way] = after
        return after
    slot = _drawn_slot(rules.form, tree, way, room.form)
    if tree.drawn[slot] >= 0:
        return tree.drawn[slot]
    after = note_history(rules, numbers, sight, tree, room, at, way, depth)
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
def note_history(
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
        tree.after[first + k] = DRAWS if may_draw(numbers.drawing, numbers.drawings, move) else NONE
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
