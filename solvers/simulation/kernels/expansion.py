"""How a tree of simulated plays grows: new nodes and edges, made by one thread or by several at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from solvers.machine.calls import (
    atomic_add_i64,
    call_i32_p,
    call_i32_pipp,
    call_i32_ppip,
    call_i64_pipipp,
    call_i64_ppi,
    compare_and_swap_i32,
    copy_bytes,
    get_f64,
    get_i8,
    get_i32,
    get_i64,
    load_f64,
    set_f64,
    set_i8,
    set_i32,
    set_i64,
)
from solvers.machine.rules import (
    CAPACITY,
    CHANCE,
    TERMINAL,
    hash_form,
    may_draw,
    random_below,
    random_fraction,
    same_form,
    utility,
)
from solvers.simulation.kernels.tree import (
    BUSY,
    CHILD,
    COUNT,
    DONE,
    DRAW,
    DRAWN,
    EDGES,
    FAULT,
    FIRST,
    IS_PROVEN,
    MORE_MOVES,
    MORE_OUTCOMES,
    MOVE,
    MOVER,
    NODES,
    NONE,
    OPEN,
    PLAYS,
    SETTLED,
    TOTAL,
    TRIED,
    VISITS,
    WORTH,
    edge_at,
    form_at,
    node_at,
)


@njit(cache=True, inline="always")
def _allocate(tree: Any, counter: Any, amount: Any, shared: Any) -> Any:
    if shared:
        return atomic_add_i64(tree.counters + 8 * counter, amount)
    at = get_i64(tree.counters, counter)
    set_i64(tree.counters, counter, at + amount)
    return at


@njit(cache=True, inline="always")
def new_node(rules: Any, tree: Any, node: Any, at: Any, mover: Any, room: Any) -> Any:
    """Fills a node with the position at an address; gives whether its utility could be computed."""
    copy_bytes(form_at(tree, node), at, rules.form)
    set_i8(node_at(tree, node), MOVER, mover)
    set_i32(node_at(tree, node), FIRST, NONE)
    set_i32(node_at(tree, node), COUNT, 0)
    set_i32(node_at(tree, node), TRIED, 0)
    set_i32(node_at(tree, node), OPEN, 0)
    set_i32(node_at(tree, node), VISITS, 0)
    set_i8(node_at(tree, node), IS_PROVEN, 0)
    if mover == TERMINAL:
        if utility(rules, at, room.paid) != 0:
            return False
        for k in range(rules.columns):
            set_f64(node_at(tree, node), WORTH + k, get_f64(room.paid, k))
        set_i8(node_at(tree, node), IS_PROVEN, 1)
    return True


@njit(cache=True, inline="always")
def new_edge(rules: Any, tree: Any, edge: Any, move: Any) -> None:
    set_i64(edge_at(tree, edge), MOVE, move)
    set_i32(edge_at(tree, edge), CHILD, NONE)
    set_i32(edge_at(tree, edge), PLAYS, 0)
    set_i8(edge_at(tree, edge), SETTLED, 0)
    for k in range(rules.columns):
        set_f64(edge_at(tree, edge), TOTAL + k, 0.0)
        if rules.pays:
            set_f64(edge_at(tree, edge), tree.reward + k, 0.0)


@njit(cache=True)
def expand(rules: Any, numbers: Any, options: Any, tree: Any, node: Any, room: Any, shared: Any) -> Any:
    """Makes the edges of a node: its moves, in random order, or the outcomes of chance."""
    if shared:
        place = node_at(tree, node) + 4 * FIRST
        if compare_and_swap_i32(place, np.int32(NONE), np.int32(BUSY)) != NONE:
            return BUSY if get_i32(node_at(tree, node), FIRST) < 0 else DONE
    at = form_at(tree, node)
    if get_i8(node_at(tree, node), MOVER) == DRAW:
        first, reason = _expand_draw(rules, options, tree, node, at, room, shared)
    else:
        first, reason = _expand_moves(rules, tree, node, at, room, shared)
    if shared:
        found = np.int32(first if reason == DONE else NONE)
        compare_and_swap_i32(node_at(tree, node) + 4 * FIRST, np.int32(BUSY), found)
    elif reason == DONE:
        set_i32(node_at(tree, node), FIRST, first)
    return reason


@njit(cache=True)
def _swap_i64(array: Any, i: Any, j: Any) -> None:
    item = get_i64(array, i)
    set_i64(array, i, get_i64(array, j))
    set_i64(array, j, item)


@njit(cache=True)
def _expand_moves(rules: Any, tree: Any, node: Any, at: Any, room: Any, shared: Any) -> Any:
    count = call_i64_ppi(rules.moves, at, room.moves, room.moves_room)
    if count < 0:
        return np.int64(0), FAULT
    if count > room.moves_room:
        return np.int64(0), MORE_MOVES
    by_chance = get_i8(node_at(tree, node), MOVER) == CHANCE
    if by_chance:
        status = call_i32_ppip(rules.weights, at, room.moves, count, room.weights)
        if status != 0:
            return np.int64(0), FAULT
    else:
        for i in range(count - 1, 0, -1):
            j = random_below(room.random, i + 1)
            _swap_i64(room.moves, i, j)
    first = _allocate(tree, EDGES, count, shared)
    used = 0
    for i in range(count):
        if by_chance:
            if get_i64(room.weights, 2 + 2 * i) == 0:
                continue
            odds = get_i64(room.weights, 2 + 2 * i) / get_i64(room.weights, 3 + 2 * i)
            odds /= get_i64(room.weights, 0) / get_i64(room.weights, 1)
            set_f64(edge_at(tree, first + used), tree.odds, odds)
        new_edge(rules, tree, first + used, get_i64(room.moves, i))
        used += 1
    set_i32(node_at(tree, node), COUNT, used)
    set_i32(node_at(tree, node), OPEN, used)
    return first, DONE


@njit(cache=True)
def _expand_draw(rules: Any, options: Any, tree: Any, node: Any, at: Any, room: Any, shared: Any) -> Any:
    """One edge per outcome. Without widening the positions they lead to become nodes at once."""
    count = _outcomes(rules, at, get_i64(node_at(tree, node), DRAWN), room)
    if count < 0:
        return np.int64(0), MORE_OUTCOMES if count == -CAPACITY else FAULT
    first = _allocate(tree, EDGES, count, shared)
    for i in range(count):
        record = room.records + i * rules.record
        edge = first + i
        new_edge(rules, tree, edge, i)
        set_f64(edge_at(tree, edge), tree.odds, load_f64(record))
    if options.widening > 0.0:
        _order_by_lot(tree, first, count, room)
    for i in range(count):
        edge = first + i
        record = room.records + get_i64(edge_at(tree, edge), MOVE) * rules.record
        if rules.pays:
            for k in range(rules.columns):
                set_f64(edge_at(tree, edge), tree.reward + k, load_f64(record + 8 + 8 * k))
        if options.widening == 0.0:
            child = _allocate(tree, NODES, 1, shared)
            mover = call_i32_p(rules.to_move, record + rules.at_form)
            if mover < TERMINAL or not new_node(rules, tree, child, record + rules.at_form, mover, room):
                return np.int64(0), FAULT
            set_i32(edge_at(tree, edge), CHILD, child)
    set_i32(node_at(tree, node), COUNT, count)
    set_i32(node_at(tree, node), OPEN, count)
    return first, DONE


@njit(cache=True)
def _order_by_lot(tree: Any, first: Any, count: Any, room: Any) -> None:
    """Puts outcomes into the order in which chance would draw them without putting back."""
    rest = 0.0
    for edge in range(first, first + count):
        rest += get_f64(edge_at(tree, edge), tree.odds)
    for i in range(first, first + count - 1):
        point = random_fraction(room.random) * rest
        j = i
        while j < first + count - 1 and point >= get_f64(edge_at(tree, j), tree.odds):
            point -= get_f64(edge_at(tree, j), tree.odds)
            j += 1
        rest -= get_f64(edge_at(tree, j), tree.odds)
        one, other = edge_at(tree, i), edge_at(tree, j)
        odds, move = get_f64(one, tree.odds), get_i64(one, MOVE)
        set_f64(one, tree.odds, get_f64(other, tree.odds))
        set_i64(one, MOVE, get_i64(other, MOVE))
        set_f64(other, tree.odds, odds)
        set_i64(other, MOVE, move)


@njit(cache=True, inline="always")
def make_child(
    rules: Any, numbers: Any, options: Any, tree: Any, node: Any, edge: Any, room: Any, shared: Any
) -> Any:
    """Makes the node that an edge leads to, or finds it where transpositions are kept."""
    link = edge_at(tree, edge) + 4 * CHILD
    if shared and compare_and_swap_i32(link, np.int32(NONE), np.int32(BUSY)) != NONE:
        return BUSY if get_i32(edge_at(tree, edge), CHILD) < 0 else DONE
    child, reason = _child(rules, numbers, tree, node, edge, room, shared)
    if shared:
        found = np.int32(child if reason == DONE else NONE)
        compare_and_swap_i32(link, np.int32(BUSY), found)
    elif reason == DONE:
        set_i32(edge_at(tree, edge), CHILD, child)
    return reason


@njit(cache=True, inline="always")
def _child(rules: Any, numbers: Any, tree: Any, node: Any, edge: Any, room: Any, shared: Any) -> Any:
    at = form_at(tree, node)
    move = get_i64(edge_at(tree, edge), MOVE)
    if get_i8(node_at(tree, node), MOVER) == DRAW:
        count = _outcomes(rules, at, get_i64(node_at(tree, node), DRAWN), room)
        if count < 0:
            return np.int64(0), FAULT
        place = room.records + move * rules.record + rules.at_form
    elif rules.draws and may_draw(numbers, move):
        child = _allocate(tree, NODES, 1, shared)
        new_node(rules, tree, child, at, DRAW, room)
        set_i64(node_at(tree, child), DRAWN, move)
        return child, DONE
    else:
        place = room.form
        copy_bytes(place, at, rules.form)
        status = call_i32_pipp(rules.sample, place, move, room.random, room.rewards)
        if status != 0:
            return np.int64(0), FAULT
        if rules.pays:
            for k in range(rules.columns):
                set_f64(edge_at(tree, edge), tree.reward + k, get_f64(room.rewards, k))
    slot = np.int64(NONE)
    if tree.slots_room:
        slot, found = find_slot(rules, tree, place)
        if found >= 0:
            return found, DONE
    mover = call_i32_p(rules.to_move, place)
    child = _allocate(tree, NODES, 1, shared)
    if mover < TERMINAL or not new_node(rules, tree, child, place, mover, room):
        return np.int64(0), FAULT
    if slot >= 0:
        set_i32(tree.slots, slot, child + 1)
    return child, DONE


@njit(cache=True)
def find_slot(rules: Any, tree: Any, at: Any) -> Any:
    """The slot for a position, and the node in it or -1. Positions of DRAW nodes are not kept."""
    mask = tree.slots_room - 1
    slot = np.int64(hash_form(at, rules.form) & np.uint64(mask))
    while get_i32(tree.slots, slot):
        node = np.int64(get_i32(tree.slots, slot) - 1)
        if same_form(form_at(tree, node), at, rules.form):
            return slot, node
        slot = (slot + 1) & mask
    return slot, np.int64(NONE)


@njit(cache=True)
def _outcomes(rules: Any, at: Any, move: Any, room: Any) -> Any:
    return call_i64_pipipp(
        rules.outcomes,
        at,
        move,
        room.records,
        room.outcomes_room,
        room.table,
        room.script,
    )
