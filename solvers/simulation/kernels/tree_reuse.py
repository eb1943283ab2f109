"""How a tree of simulated plays begins, is searched for a position, and is copied to be used again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from solvers.machine.calls import (
    copy_bytes,
    get_f64,
    get_i8,
    get_i32,
    get_i64,
    set_f64,
    set_i32,
    set_i64,
)
from solvers.machine.rules import (
    same_form,
)
from solvers.simulation.kernels.expansion import (
    find_slot,
    new_edge,
    new_node,
)
from solvers.simulation.kernels.tree import (
    CHILD,
    COUNT,
    DOUBTS,
    DRAW,
    EDGES,
    FIRST,
    MOVER,
    NODES,
    NONE,
    OPEN,
    SIMULATIONS,
    VISITED,
    edge_at,
    form_at,
    node_at,
)


@njit(cache=True)
def plant(rules: Any, tree: Any, count: Any, forms: Any, movers: Any, odds: Any, room: Any) -> None:
    """Begins a tree with a position, or with several: then node 0 is a draw among them."""
    first = 0 if count == 1 else 1
    for i in range(count):
        new_node(rules, tree, first + i, forms + i * rules.form, get_i64(movers, i), room)
    set_i64(tree.counters, NODES, first + count)
    if count == 1:
        return
    new_node(rules, tree, 0, forms, DRAW, room)
    for i in range(count):
        new_edge(rules, tree, i, i)
        set_f64(edge_at(tree, i), tree.odds, get_f64(odds, i))
        set_i32(edge_at(tree, i), CHILD, 1 + i)
    set_i32(node_at(tree, 0), FIRST, 0)
    set_i32(node_at(tree, 0), COUNT, count)
    set_i32(node_at(tree, 0), OPEN, count)
    set_i64(tree.counters, EDGES, count)


@njit(cache=True)
def near_root(rules: Any, tree: Any, root: Any, form: Any, plies: Any) -> Any:
    """The node of a position at most so many edges below the root, or -1."""
    level = np.array([root], np.int64)
    for _ in range(plies + 1):
        size = 0
        for node in level:
            at = form_at(tree, node)
            if get_i8(node_at(tree, node), MOVER) != DRAW and same_form(at, form, rules.form):
                return node
            if get_i32(node_at(tree, node), FIRST) >= 0:
                size += get_i32(node_at(tree, node), COUNT)
        below = np.empty(size, np.int64)
        size = 0
        for node in level:
            if get_i32(node_at(tree, node), FIRST) >= 0:
                for edge in range(
                    get_i32(node_at(tree, node), FIRST),
                    get_i32(node_at(tree, node), FIRST) + get_i32(node_at(tree, node), COUNT),
                ):
                    if get_i32(edge_at(tree, edge), CHILD) >= 0:
                        below[size] = get_i32(edge_at(tree, edge), CHILD)
                        size += 1
        level = below[:size]
    return np.int64(NONE)


@njit(cache=True)
def transplant(rules: Any, old: Any, new: Any, root: Any) -> None:
    """Copies what lies below a node of one tree into another, where it becomes node 0.

    The new tree has room for it and enough slots; its counters of simulations and visited nodes start at 0.
    """
    place = np.full(get_i64(old.counters, NODES), NONE, np.int32)
    queue = np.empty(get_i64(old.counters, NODES), np.int32)
    queue[0] = root
    place[root] = 0
    nodes, edges, at = 1, 0, 0
    while at < nodes:
        node = np.int64(queue[at])
        copy_bytes(node_at(new, at), node_at(old, node), new.node_size)
        set_i32(node_at(new, at), FIRST, NONE)
        if get_i32(node_at(old, node), FIRST) >= 0:
            set_i32(node_at(new, at), FIRST, edges)
            for edge in range(
                get_i32(node_at(old, node), FIRST),
                get_i32(node_at(old, node), FIRST) + get_i32(node_at(old, node), COUNT),
            ):
                copy_bytes(edge_at(new, edges), edge_at(old, edge), new.edge_size)
                set_i32(edge_at(new, edges), CHILD, NONE)
                child = get_i32(edge_at(old, edge), CHILD)
                if child >= 0:
                    if place[child] < 0:
                        place[child] = nodes
                        queue[nodes] = child
                        nodes += 1
                    set_i32(edge_at(new, edges), CHILD, place[child])
                edges += 1
        at += 1
    for i in range(2 * rules.players):
        set_f64(new.seen, i, get_f64(old.seen, i))
    set_i64(new.counters, SIMULATIONS, 0)
    set_i64(new.counters, VISITED, 0)
    set_i64(new.counters, NODES, nodes)
    set_i64(new.counters, EDGES, edges)
    set_i64(new.counters, DOUBTS, get_i64(old.counters, DOUBTS))
    if new.slots_room:
        index(rules, new)


@njit(cache=True)
def index(rules: Any, tree: Any) -> None:
    """Puts all nodes into slots, which are empty."""
    for node in range(get_i64(tree.counters, NODES)):
        if get_i8(node_at(tree, node), MOVER) != DRAW:
            slot, found = find_slot(rules, tree, form_at(tree, node))
            if found < 0:
                set_i32(tree.slots, slot, node + 1)
