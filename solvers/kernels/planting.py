"""How a tree of simulated plays begins, is searched for a position, and is copied to be used again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from solvers.kernels.calls import (
    copy_bytes,
    get_f64,
    get_i8,
    get_i32,
    get_i64,
    set_f64,
    set_i8,
    set_i32,
    set_i64,
)
from solvers.kernels.growing import (
    find_slot,
    new_edge,
    new_node,
)
from solvers.kernels.rules import (
    same_form,
)
from solvers.kernels.tree import (
    DRAW,
    EDGES,
    NODES,
    NONE,
    SIMULATIONS,
    VISITED,
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
        set_f64(tree.odds, i, get_f64(odds, i))
        set_i32(tree.child, i, 1 + i)
    set_i32(tree.first, 0, 0)
    set_i32(tree.count, 0, count)
    set_i32(tree.open, 0, count)
    set_i64(tree.counters, EDGES, count)


@njit(cache=True)
def near_root(rules: Any, tree: Any, root: Any, form: Any, plies: Any) -> Any:
    """The node of a position at most so many edges below the root, or -1."""
    level = np.array([root], np.int64)
    for _ in range(plies + 1):
        size = 0
        for node in level:
            at = tree.form + node * rules.form
            if get_i8(tree.mover, node) != DRAW and same_form(at, form, rules.form):
                return node
            if get_i32(tree.first, node) >= 0:
                size += get_i32(tree.count, node)
        below = np.empty(size, np.int64)
        size = 0
        for node in level:
            if get_i32(tree.first, node) >= 0:
                for edge in range(
                    get_i32(tree.first, node), get_i32(tree.first, node) + get_i32(tree.count, node)
                ):
                    if get_i32(tree.child, edge) >= 0:
                        below[size] = get_i32(tree.child, edge)
                        size += 1
        level = below[:size]
    return np.int64(NONE)


@njit(cache=True)
def transplant(rules: Any, old: Any, new: Any, root: Any) -> None:
    """Copies what lies below a node of one tree into another, where it becomes node 0.

    The new tree has room for it; its counters of simulations and visited nodes start at 0.
    """
    place = np.full(get_i64(old.counters, NODES), NONE, np.int32)
    queue = np.empty(get_i64(old.counters, NODES), np.int32)
    queue[0] = root
    place[root] = 0
    nodes, edges, at = 1, 0, 0
    while at < nodes:
        node = np.int64(queue[at])
        _copy_node(rules, old, new, node, at)
        if get_i32(old.first, node) >= 0:
            set_i32(new.first, at, edges)
            for edge in range(get_i32(old.first, node), get_i32(old.first, node) + get_i32(old.count, node)):
                _copy_edge(rules, old, new, edge, edges)
                child = get_i32(old.child, edge)
                if child >= 0:
                    if place[child] < 0:
                        place[child] = nodes
                        queue[nodes] = child
                        nodes += 1
                    set_i32(new.child, edges, place[child])
                edges += 1
        if new.slots_room and get_i8(new.mover, at) != DRAW:
            slot, found = find_slot(rules, new, new.form + at * rules.form)
            if found < 0:
                set_i32(new.slots, slot, at + 1)
        at += 1
    for i in range(2 * rules.players):
        set_f64(new.seen, i, get_f64(old.seen, i))
    set_i64(new.counters, SIMULATIONS, 0)
    set_i64(new.counters, VISITED, 0)
    set_i64(new.counters, NODES, nodes)
    set_i64(new.counters, EDGES, edges)


@njit(cache=True)
def _copy_node(rules: Any, old: Any, new: Any, node: Any, at: Any) -> None:
    copy_bytes(new.form + at * rules.form, old.form + node * rules.form, rules.form)
    set_i8(new.mover, at, get_i8(old.mover, node))
    if rules.outcomes:
        set_i64(new.drawn, at, get_i64(old.drawn, node))
    set_i32(new.first, at, NONE)
    set_i32(new.count, at, get_i32(old.count, node))
    set_i32(new.tried, at, get_i32(old.tried, node))
    set_i32(new.open, at, get_i32(old.open, node))
    set_i32(new.visits, at, get_i32(old.visits, node))
    set_i8(new.proven, at, get_i8(old.proven, node))
    for k in range(rules.columns):
        set_f64(new.worth, at * rules.columns + k, get_f64(old.worth, node * rules.columns + k))


@njit(cache=True)
def _copy_edge(rules: Any, old: Any, new: Any, edge: Any, at: Any) -> None:
    columns = rules.columns
    set_i64(new.move, at, get_i64(old.move, edge))
    set_i32(new.child, at, NONE)
    set_i32(new.plays, at, get_i32(old.plays, edge))
    set_i8(new.settled, at, get_i8(old.settled, edge))
    if rules.outcomes:
        set_f64(new.odds, at, get_f64(old.odds, edge))
    for k in range(columns):
        set_f64(new.total, at * columns + k, get_f64(old.total, edge * columns + k))
        set_f64(new.squares, at * columns + k, get_f64(old.squares, edge * columns + k))
        if rules.pays:
            set_f64(new.reward, at * columns + k, get_f64(old.reward, edge * columns + k))
