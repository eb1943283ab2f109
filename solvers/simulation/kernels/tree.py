"""The tree of Monte Carlo tree search: records of nodes and edges in two flat arrays.

    node     a position and who moves there; once it is expanded, its edges are  first .. first + count
    edge     a move and the node that it leads to, its child (-1: not yet); statistics of its plays

Players and chance move in nodes. A move that draws leads to a node of its own kind, DRAW, with the position
before the move and one edge per outcome: chance nodes are explicit. A node is made by one simulation, which
plays on from it at random, and expanded by the next.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvers.machine.kernels import inlined
from solvers.machine.pointers import records
from solvers.machine.rules import Rules

NONE, BUSY = -1, -2
"""In `child` and `first`: not there yet, and being made by another thread."""

# Why the kernel stopped.
DONE, PROVEN, FULL, MORE_SLOTS, MORE_MOVES, MORE_OUTCOMES, FAULT = range(7)

# Places in `counters`; plays that were cut before their end, and proofs in which rounding decided a tie.
NODES, EDGES, SIMULATIONS, VISITED, CUT, DOUBTS = range(6)

_MOST = (1 << 31) - 2
"""Nodes and edges are numbered by 32 bits."""

LONGEST_PATH = 1 << 14
"""A walk down the tree that comes so far plays on at random from where it is."""


# Records, whose last field goes on: `worth` and `total` per column, then the position and the rewards.
#
#     node   0      4      8      12    16      20     21         24     32
#            first  count  tried  open  visits  mover  is_proven  drawn  worth ..  form ..
#
#     edge   0      4      8     16       24    32
#            plays  child  move  settled  odds  total ..  reward ..

NODE = np.dtype(
    {
        "names": ["first", "count", "tried", "open", "visits", "mover", "is_proven", "drawn", "worth"],
        "formats": ["i4", "i4", "i4", "i4", "i4", "i1", "i1", "i8", ("f8", (0,))],
        "offsets": [0, 4, 8, 12, 16, 20, 21, 24, 32],
    }
)
EDGE = np.dtype(
    {
        "names": ["plays", "child", "move", "settled", "odds", "total"],
        "formats": ["i4", "i4", "i8", "i1", "f8", ("f8", (0,))],
        "offsets": [0, 4, 8, 16, 24, 32],
    }
)
node_at = records("node", NODE, "nodes", "node_size")
edge_at = records("edge", EDGE, "edges", "edge_size")


class Tree(NamedTuple):
    """Records one after another, so that a step down the tree touches few cache lines.

    node     first, count     its edges
             tried            edges that selection has begun with
             open             edges that are not settled
             drawn            the move of a DRAW node
             worth            per column: what a proven node pays
    edge     move             the number of a move, or of an outcome
             settled          whether the child is proven and has been counted as such
             total            per column: of what its plays paid
             reward           per column, where rewards are paid
             odds             the probability of an edge of chance, or of a start that is drawn
    """

    counters: Any  # i64[6]
    seen: Any  # f64[2 * players]: the least and the most that was paid, where there are no bounds
    nodes: Any  # u8
    edges: Any  # u8
    slots: Any  # i32: nodes by the hash of their position, + 1; empty without transpositions
    node_size: int  # bytes
    edge_size: int
    form: int  # where the position is in a node: bytes
    memory: int  # bytes that nodes and edges may take together
    slots_room: int


@inlined
def rewards_of(rules: Any, edge: Any) -> Any:
    """What the move of an edge pays, per column; only where rewards are paid."""
    return edge.total + rules.columns


@inlined
def form_at(tree: Any, node: Any) -> Any:
    return tree.nodes + node * tree.node_size + tree.form


class Options(NamedTuple):
    plays: Any  # what plays beyond the tree are like (machine/plays.py)
    c: float
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


def tree_of(rules: Rules, memory: int, slots: int) -> Tree:
    """An empty tree that may take so many bytes, and more for slots.

    Room for both as many nodes and as many edges as would fit alone is asked of the system, which gives
    memory only as it is used.
    """
    form = NODE.itemsize + 8 * rules.columns
    node_size = form + rules.form
    edge_size = EDGE.itemsize + 8 * (2 if rules.pays else 1) * rules.columns
    nodes, edges = (min(memory // size, _MOST) + 1 for size in (node_size, edge_size))
    return Tree(
        counters=np.zeros(6, np.int64),
        seen=np.concatenate([np.full(rules.players, np.inf), np.full(rules.players, -np.inf)]),
        nodes=np.empty(nodes * node_size, np.uint8),
        edges=np.empty(edges * edge_size, np.uint8),
        slots=np.zeros(slots, np.int32),
        node_size=node_size,
        edge_size=edge_size,
        form=form,
        memory=memory,
        slots_room=slots,
    )


def read_nodes(tree: Tree, rules: Rules) -> Any:
    """The nodes as an array with named fields."""
    return _read(tree.nodes, NODE, tree.node_size, {"worth": (rules.columns, NODE.itemsize)})


def read_edges(tree: Tree, rules: Rules) -> Any:
    """The edges as an array with named fields."""
    lists = {"total": (rules.columns, EDGE.itemsize)}
    if rules.pays:
        lists["reward"] = (rules.columns, EDGE.itemsize + 8 * rules.columns)
    return _read(tree.edges, EDGE, tree.edge_size, lists)


def _read(records: Any, kind: Any, size: int, lists: dict[str, tuple[int, int]]) -> Any:
    """Records of a size with the fields of `kind`, and lists of numbers: how many, and where."""
    fields = {name: kind.fields[name][:2] for name in kind.names}
    fields |= {name: (np.dtype((np.float64, (count,))), at) for name, (count, at) in lists.items()}
    formats, offsets = zip(*fields.values(), strict=True)
    return records.view(
        np.dtype({"names": list(fields), "formats": formats, "offsets": offsets, "itemsize": size})
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
