"""How a tree of simulated plays grows: new nodes and edges, made by one thread or by several at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl.abi import CAPACITY
from gdl.movers import CHANCE, DRAW, TERMINAL
from solvers.machine.kernels import inlined, step
from solvers.machine.pointers import as_floats, atomic_add, compare_and_swap, copy_bytes
from solvers.machine.rules import hash_form, may_draw, random_below, random_fraction, same_form, utility
from solvers.machine.types import i64
from solvers.simulation.kernels.tree import (
    BUSY,
    DONE,
    EDGES,
    FAULT,
    MORE_MOVES,
    MORE_OUTCOMES,
    NODES,
    NONE,
    edge_at,
    form_at,
    node_at,
    rewards_of,
)


@inlined
def _allocate(tree: Any, counter: Any, amount: Any, shared: Any) -> Any:
    if shared:
        return atomic_add(tree.counters, counter, amount)
    at = tree.counters[counter]
    tree.counters[counter] = at + amount
    return at


@step
def new_node(rules: Any, tree: Any, node: Any, at: Any, mover: Any, room: Any) -> Any:
    """Fills a node with the position at an address; gives whether its utility could be computed."""
    copy_bytes(form_at(tree, node), at, rules.form)
    new = node_at(tree, node)
    new.mover = mover
    new.first = NONE
    new.count = 0
    new.tried = 0
    new.open = 0
    new.visits = 0
    new.is_proven = 0
    if mover == TERMINAL:
        if utility(rules, at, room.paid) != 0:
            return False
        for k in range(rules.columns):
            new.worth[k] = room.paid[k]
        new.is_proven = 1
    return True


@step
def new_edge(rules: Any, tree: Any, edge: Any, move: Any) -> None:
    new = edge_at(tree, edge)
    new.move = move
    new.child = NONE
    new.plays = 0
    new.settled = 0
    for k in range(rules.columns):
        new.total[k] = 0.0
        if rules.pays:
            rewards_of(rules, new)[k] = 0.0


@step
def expand(rules: Any, numbers: Any, options: Any, tree: Any, node: Any, room: Any, shared: Any) -> Any:
    """Makes the edges of a node: its moves, in random order, or the outcomes of chance."""
    here = node_at(tree, node)
    if shared and compare_and_swap(here, "first", NONE, BUSY) != NONE:
        return BUSY if here.first < 0 else DONE
    if here.mover == DRAW:
        first, reason = _expand_draw(rules, options, tree, node, room, shared)
    else:
        first, reason = _expand_moves(rules, tree, node, room, shared)
    if shared:
        compare_and_swap(here, "first", BUSY, first if reason == DONE else NONE)
    elif reason == DONE:
        here.first = first
    return reason


@step
def _swap(array: Any, i: Any, j: Any) -> None:
    array[i], array[j] = array[j], array[i]


@step
def _expand_moves(rules: Any, tree: Any, node: Any, room: Any, shared: Any) -> Any:
    here, at = node_at(tree, node), form_at(tree, node)
    count = rules.moves(at, room.moves, room.moves_room)
    if count < 0:
        return np.int64(0), FAULT
    if count > room.moves_room:
        return np.int64(0), MORE_MOVES
    by_chance = here.mover == CHANCE
    if by_chance:
        status = rules.weights(at, room.moves, count, room.weights)
        if status != 0:
            return np.int64(0), FAULT
    else:
        for i in range(count - 1, 0, -1):
            j = random_below(room.random, i + 1)
            _swap(room.moves, i, j)
    first = _allocate(tree, i64(EDGES), count, shared)
    used = 0
    for i in range(count):
        if by_chance:
            if room.weights[2 + 2 * i] == 0:
                continue
            odds = room.weights[2 + 2 * i] / room.weights[3 + 2 * i]
            odds /= room.weights[0] / room.weights[1]
            edge_at(tree, first + used).odds = odds
        new_edge(rules, tree, first + used, room.moves[i])
        used += 1
    here.count = used
    here.open = used
    return first, DONE


@step
def _expand_draw(rules: Any, options: Any, tree: Any, node: Any, room: Any, shared: Any) -> Any:
    """One edge per outcome. Without widening the positions they lead to become nodes at once."""
    here = node_at(tree, node)
    count = _outcomes(rules, form_at(tree, node), here.drawn, room)
    if count < 0:
        return np.int64(0), MORE_OUTCOMES if count == -CAPACITY else FAULT
    first = _allocate(tree, i64(EDGES), count, shared)
    for i in range(count):
        new_edge(rules, tree, first + i, i)
        edge_at(tree, first + i).odds = as_floats(room.records + i * rules.record)[0]
    if options.widening > 0.0:
        _order_by_lot(tree, first, count, room)
    for i in range(count):
        edge = edge_at(tree, first + i)
        record = room.records + edge.move * rules.record
        if rules.pays:
            for k in range(rules.columns):
                rewards_of(rules, edge)[k] = as_floats(record)[1 + k]
        if options.widening == 0.0:
            child = _allocate(tree, i64(NODES), i64(1), shared)
            mover = rules.to_move(record + rules.at_form)
            if mover < TERMINAL or not new_node(rules, tree, child, record + rules.at_form, mover, room):
                return np.int64(0), FAULT
            edge.child = child
    here.count = count
    here.open = count
    return first, DONE


@step
def _order_by_lot(tree: Any, first: Any, count: Any, room: Any) -> None:
    """Puts outcomes into the order in which chance would draw them without putting back."""
    rest = 0.0
    for edge in range(first, first + count):
        rest += edge_at(tree, edge).odds
    for i in range(first, first + count - 1):
        point = random_fraction(room.random) * rest
        j = i
        while j < first + count - 1 and point >= edge_at(tree, j).odds:
            point -= edge_at(tree, j).odds
            j += 1
        rest -= edge_at(tree, j).odds
        one, other = edge_at(tree, i), edge_at(tree, j)
        odds, move = one.odds, one.move
        one.odds = other.odds
        one.move = other.move
        other.odds = odds
        other.move = move


@inlined
def make_child(
    rules: Any, numbers: Any, options: Any, tree: Any, node: Any, edge: Any, room: Any, shared: Any
) -> Any:
    """Makes the node that an edge leads to, or finds it where transpositions are kept."""
    link = edge_at(tree, edge)
    if shared and compare_and_swap(link, "child", NONE, BUSY) != NONE:
        return BUSY if link.child < 0 else DONE
    child, reason = _child(rules, numbers, tree, node, edge, room, shared)
    if shared:
        compare_and_swap(link, "child", BUSY, child if reason == DONE else NONE)
    elif reason == DONE:
        link.child = child
    return reason


@inlined
def _child(rules: Any, numbers: Any, tree: Any, node: Any, edge: Any, room: Any, shared: Any) -> Any:
    here, at, link = node_at(tree, node), form_at(tree, node), edge_at(tree, edge)
    move = link.move
    if here.mover == DRAW:
        count = _outcomes(rules, at, here.drawn, room)
        if count < 0:
            return np.int64(0), FAULT
        place = room.records + move * rules.record + rules.at_form
    elif rules.draws and may_draw(numbers.drawing, numbers.drawings, move):
        child = _allocate(tree, i64(NODES), i64(1), shared)
        new_node(rules, tree, child, at, i64(DRAW), room)
        node_at(tree, child).drawn = move
        return child, DONE
    else:
        place = room.form
        copy_bytes(place, at, rules.form)
        status = rules.sample(place, move, room.random, room.rewards)
        if status != 0:
            return np.int64(0), FAULT
        if rules.pays:
            for k in range(rules.columns):
                rewards_of(rules, link)[k] = room.rewards[k]
    slot = np.int64(NONE)
    if tree.slots_room:
        slot, found = find_slot(rules, tree, place)
        if found >= 0:
            return found, DONE
    mover = rules.to_move(place)
    child = _allocate(tree, i64(NODES), i64(1), shared)
    if mover < TERMINAL or not new_node(rules, tree, child, place, mover, room):
        return np.int64(0), FAULT
    if slot >= 0:
        tree.slots[slot] = child + 1
    return child, DONE


@step
def find_slot(rules: Any, tree: Any, at: Any) -> Any:
    """The slot for a position, and the node in it or -1. Positions of DRAW nodes are not kept."""
    mask = tree.slots_room - 1
    slot = np.int64(hash_form(at, rules.form) & np.uint64(mask))
    while tree.slots[slot]:
        node = np.int64(tree.slots[slot] - 1)
        if same_form(form_at(tree, node), at, rules.form):
            return slot, node
        slot = (slot + 1) & mask
    return slot, np.int64(NONE)


@step
def _outcomes(rules: Any, at: Any, move: Any, room: Any) -> Any:
    return rules.outcomes(at, move, room.records, room.outcomes_room, room.table, room.script)
