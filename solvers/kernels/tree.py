"""The tree of Monte Carlo tree search in flat arrays.

    node n            form[n], mover[n]; edges  first[n] .. first[n] + count[n]  once it is expanded
    edge e            move[e] leads to the node child[e] (-1: not yet); plays[e], total[e], squares[e]

Players and chance move in nodes. A move that draws leads to a node of its own kind, DRAW, with the position
before the move and one edge per outcome: chance nodes are explicit. A node is made by one simulation, which
plays on from it at random, and expanded by the next.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvers.kernels.rules import (
    Rules,
)

DRAW = -3
"""The mover of a node in which a move has been chosen and chance decides what it does."""

NONE, BUSY = -1, -2
"""In `child` and `first`: not there yet, and being made by another thread."""

# Why the kernel stopped.
DONE, PROVEN, FULL, MORE_MOVES, MORE_OUTCOMES, FAULT = range(6)

# Places in `counters`.
NODES, EDGES, SIMULATIONS, VISITED = range(4)

LONGEST_PATH = 1 << 14
"""A walk down the tree that is longer plays on at random from where it is."""


class Tree(NamedTuple):
    """See above. Values are in columns, `columns` of them for each node and edge."""

    counters: Any  # i64[4]
    seen: Any  # f64[2 * players]: the least and the most that was paid, where there are no bounds
    form: Any  # u8[nodes * size of a form]
    mover: Any  # i8
    drawn: Any  # i64: the move of a DRAW node
    first: Any  # i32
    count: Any  # i32
    tried: Any  # i32: edges that selection has begun with
    open: Any  # i32: edges that are not settled
    visits: Any  # i32
    proven: Any  # u8
    worth: Any  # f64, per column: what a proven node pays
    move: Any  # i64: the number of a move, or of an outcome
    child: Any  # i32
    plays: Any  # i32
    settled: Any  # u8: whether the child is proven and has been counted as such
    total: Any  # f64, per column
    squares: Any  # f64, per column
    odds: Any  # f64, the probability of an edge of chance; empty without chance
    reward: Any  # f64, per column; empty without rewards
    slots: Any  # i32: nodes by the hash of their position, + 1; empty without transpositions
    nodes_room: int
    edges_room: int
    slots_room: int


class Options(NamedTuple):
    c: float
    policy: int
    epsilon: float
    depth: int  # of plays beyond the tree, negative for all the way
    widening: float  # outcomes in play at a node of chance: widening * sqrt(visits), all if 0
    threads: int  # that share the tree
    frozen: int  # whether there is no room for more nodes
    roots: Any  # f64[TABULATED]: 1 / sqrt(n)
    logarithms: Any  # f64[TABULATED]: sqrt(ln(n))


TABULATED = 1 << 12
"""Up to this many visits, square roots and logarithms are looked up."""


def tabulated() -> tuple[Any, Any]:
    """The tables of `Options`."""
    n = np.maximum(np.arange(TABULATED, dtype=np.float64), 1.0)
    return 1.0 / np.sqrt(n), np.sqrt(np.log(np.maximum(n, 2.0)))


class Path(NamedTuple):
    """The way down, and what one thread needs to come up again."""

    node: Any  # i32
    edge: Any  # i32
    instead: Any  # i32: the settled edge whose value is paid further up, or -1
    weight: Any  # f64: at chance, the probability of what is not proven
    known: Any  # f64, per column: at chance, what the proven outcomes add
    paid: Any  # f64[columns]
    play: Any  # f64[players]
    rewards: Any  # f64[players]


def tree_of(rules: Rules, nodes: int, edges: int, transpositions: bool) -> Tree:
    """An empty tree with room for so many nodes and edges."""
    k = rules.columns
    slots = 1 << (2 * nodes - 1).bit_length() if transpositions else 0
    chance = edges if rules.outcomes else 0
    return Tree(
        counters=np.zeros(4, np.int64),
        seen=np.concatenate([np.full(rules.players, np.inf), np.full(rules.players, -np.inf)]),
        form=np.empty(nodes * rules.form, np.uint8),
        mover=np.empty(nodes, np.int8),
        drawn=np.empty(nodes if rules.outcomes else 0, np.int64),
        first=np.empty(nodes, np.int32),
        count=np.empty(nodes, np.int32),
        tried=np.empty(nodes, np.int32),
        open=np.empty(nodes, np.int32),
        visits=np.empty(nodes, np.int32),
        proven=np.empty(nodes, np.uint8),
        worth=np.empty(nodes * k),
        move=np.empty(edges, np.int64),
        child=np.empty(edges, np.int32),
        plays=np.empty(edges, np.int32),
        settled=np.empty(edges, np.uint8),
        total=np.empty(edges * k),
        squares=np.empty(edges * k),
        odds=np.empty(chance),
        reward=np.empty(edges * k if rules.pays else 0),
        slots=np.zeros(slots, np.int32),
        nodes_room=nodes,
        edges_room=edges,
        slots_room=slots,
    )


def path_of(rules: Rules) -> Path:
    return Path(
        node=np.empty(LONGEST_PATH, np.int32),
        edge=np.empty(LONGEST_PATH, np.int32),
        instead=np.empty(LONGEST_PATH, np.int32),
        weight=np.empty(LONGEST_PATH),
        known=np.empty(LONGEST_PATH * rules.columns),
        paid=np.empty(rules.columns),
        play=np.empty(rules.players),
        rewards=np.empty(rules.players),
    )
