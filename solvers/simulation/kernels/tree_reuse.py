"""How a tree of simulated plays is searched for a position, and is copied to be used again."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl.movers import DRAW
from solvers.machine.kernels import kernel
from solvers.machine.pointers import copy_bytes
from solvers.machine.rules import same_form
from solvers.simulation.kernels.expansion import find_slot
from solvers.simulation.kernels.tree import (
    DOUBTS,
    EDGES,
    NODES,
    NONE,
    SIMULATIONS,
    VISITED,
    edge_at,
    form_at,
    node_at,
)


@kernel
def near_root(rules: Any, tree: Any, root: Any, form: Any, plies: Any) -> Any:
    """The node of a position at most so many edges below the root, or -1."""
    level = np.array([root], np.int64)
    for _ in range(plies + 1):
        size = 0
        for node in level:
            at = form_at(tree, node)
            if node_at(tree, node).mover != DRAW and same_form(at, form, rules.form):
                return node
            if node_at(tree, node).first >= 0:
                size += node_at(tree, node).count
        below = np.empty(size, np.int64)
        size = 0
        for node in level:
            if node_at(tree, node).first >= 0:
                for edge in range(
                    node_at(tree, node).first,
                    node_at(tree, node).first + node_at(tree, node).count,
                ):
                    if edge_at(tree, edge).child >= 0:
                        below[size] = edge_at(tree, edge).child
                        size += 1
        level = below[:size]
    return np.int64(NONE)


@kernel
def transplant(rules: Any, old: Any, new: Any, root: Any) -> None:
    """Copies what lies below a node of one tree into another, where it becomes node 0.

    The new tree has room for it and enough slots; its counters of simulations and visited nodes start at 0.
    """
    place = np.full(old.counters[NODES], NONE, np.int32)
    queue = np.empty(old.counters[NODES], np.int32)
    queue[0] = root
    place[root] = 0
    nodes, edges, at = 1, 0, 0
    while at < nodes:
        node = np.int64(queue[at])
        copy_bytes(new.nodes + at * new.node_size, old.nodes + node * old.node_size, new.node_size)
        node_at(new, at).first = NONE
        if node_at(old, node).first >= 0:
            node_at(new, at).first = edges
            for edge in range(
                node_at(old, node).first,
                node_at(old, node).first + node_at(old, node).count,
            ):
                copy_bytes(new.edges + edges * new.edge_size, old.edges + edge * old.edge_size, new.edge_size)
                edge_at(new, edges).child = NONE
                child = edge_at(old, edge).child
                if child >= 0:
                    if place[child] < 0:
                        place[child] = nodes
                        queue[nodes] = child
                        nodes += 1
                    edge_at(new, edges).child = place[child]
                edges += 1
        at += 1
    for i in range(2 * rules.players):
        new.seen[i] = old.seen[i]
    new.counters[SIMULATIONS] = 0
    new.counters[VISITED] = 0
    new.counters[NODES] = nodes
    new.counters[EDGES] = edges
    new.counters[DOUBTS] = old.counters[DOUBTS]
    if new.slots_room:
        index(rules, new)


@kernel
def index(rules: Any, tree: Any) -> None:
    """Puts all nodes into slots, which are empty."""
    for node in range(tree.counters[NODES]):
        if node_at(tree, node).mover != DRAW:
            slot, found = find_slot(rules, tree, form_at(tree, node))
            if found < 0:
                tree.slots[slot] = node + 1
