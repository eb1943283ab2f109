"""Trees of simulated plays on the side of Python: begun, enlarged, used again, and read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gdl.game import Outcome
from gdl.movers import DRAW, TERMINAL
from solvers.core.samples import Mean
from solvers.core.simulations import Tried, favourite
from solvers.machine.pointers import Pointer, struct
from solvers.machine.root_moves import mover
from solvers.machine.rules import Machine
from solvers.simulation.kernels.tree import EDGES, NODES, NONE, Tree, read_edges, read_nodes, tree_of
from solvers.simulation.kernels.tree_reuse import index, near_root, transplant

_SMALL = 3 << 20
"""Bytes of a tree at first."""

_REPLIES = 4
"""How far below the old root the next one may lie: two moves, each with an edge of chance."""


class Edge(NamedTuple):
    """A move at the root, or an outcome, with what is known of it in one tree or several."""

    move: int
    sample: Mean
    proven: tuple[float, ...] | None

    def worth(self, player: int) -> float:
        return self.proven[player] if self.proven is not None else self.sample.of(player)

    def tried(self, player: int) -> Tried:
        """What is known of the move, for its player."""
        known = self.proven is not None or self.sample.count
        return Tried(self.sample.count, self.worth(player) if known else None, self.proven is not None)

    def plus(self, other: Edge) -> Edge:
        proven = self.proven if self.proven is not None else other.proven
        return Edge(self.move, self.sample.plus(other.sample), proven)


def favourite_of(edges: Sequence[Edge], player: int, proven: bool) -> Edge:
    """The edge that counts as best, at a node that is proven, or is not; the first in the game's order."""
    edges = sorted(edges, key=lambda edge: edge.move)
    if proven:
        return max((edge for edge in edges if edge.proven is not None), key=lambda edge: edge.worth(player))
    return edges[favourite([edge.tried(player) for edge in edges])]


class Grove:
    """One tree that grows, and is used again. `struct` is what kernels take.

    A tree is `frozen` once more would not fit in `memory` bytes. One that threads do not share begins small,
    in memory that the process has, and moves once: so short searches are quick, and long ones never wait
    for a large tree to be copied.
    """

    def __init__(self, machine: Machine, memory: int, shared: bool, transpositions: bool):
        self.machine = machine
        self.memory = memory
        self.first_memory = memory if shared else min(memory, _SMALL)
        self.slots = 1 << 16 if transpositions else 0
        self.root = 0
        self.starts: list[int] = []
        self.frozen = False
        self._adopt(tree_of(machine.rules, self.first_memory, self.slots))

    def _adopt(self, arrays: Tree) -> None:
        rules = self.machine.rules
        self.arrays = arrays
        self.struct = struct(arrays)
        self._nodes, self._edges = read_nodes(arrays, rules), read_edges(arrays, rules)

    def __len__(self) -> int:
        return int(self.arrays.counters[NODES])

    def set_root(self, starts: Sequence[Outcome]) -> None:
        """Begins with these positions; keeps what is known of one that lies a little below the last."""
        known, kept = bool(self.starts), -1
        if known and len(starts) == 1:
            kept = self.node_near(self.root, starts[0].position, _REPLIES)
        old, kept_tree = self.arrays, self.struct
        if known:
            memory = self.first_memory if kept < 0 else self.memory
            self._adopt(tree_of(self.machine.rules, memory, self.slots))
        self.root = 0
        self.frozen = False
        if kept >= 0:
            transplant(self.machine.rules_struct, kept_tree, self.struct, kept)
            self.starts = [0]
        else:
            self._plant(starts)
        del old  # the arrays had to live until they were copied

    def _plant(self, starts: Sequence[Outcome]) -> None:
        """Begins with a position, or with several: then node 0 is a draw among them."""
        drawn = len(starts) > 1
        self.starts = [int(drawn) + i for i in range(len(starts))]
        for node, start in zip(self.starts, starts, strict=True):
            form = self.machine.form(start.position)
            self._put(node, form, mover(self.machine, form))
            if self.mover(node) == TERMINAL:
                self._nodes["worth"][node] = self.machine.utility(form)[: self.machine.rules.columns]
                self._nodes["is_proven"][node] = 1
        self.arrays.counters[NODES] = drawn + len(starts)
        if drawn:
            self._put(0, self.machine.form(starts[0].position), DRAW)
            self._nodes["first"][0] = 0
            self._nodes["count"][0] = self._nodes["open"][0] = len(starts)
            edges = self._edges[: len(starts)]
            edges.view(np.uint8)[:] = 0
            edges["move"] = range(len(starts))
            edges["odds"] = [float(start.probability) for start in starts]
            edges["child"] = self.starts
            over = self._nodes["is_proven"][self.starts] == 1
            if not over.all():  # no play is spent on what is known
                edges["settled"] = over
                self._nodes["open"][0] -= int(over.sum())
            self.arrays.counters[EDGES] = len(starts)

    def _put(self, node: int, form: Any, mover: int) -> None:
        """Fills a node that nobody has visited with a position."""
        size = self.arrays.node_size
        self.arrays.nodes[node * size : (node + 1) * size] = 0
        self._form(node)[:] = form
        self._nodes["mover"][node] = mover
        self._nodes["first"][node] = NONE

    def _form(self, node: int) -> Any:
        """The position of a node, as bytes."""
        at = node * self.arrays.node_size + self.arrays.form
        return self.arrays.nodes[at : at + self.machine.rules.form]

    def node_after(self, node: int, move: int | None, position: Any) -> int:
        """The node of a position that a move, or where None is given any, may lead to from a node, or -1."""
        form = self.machine.form(position)
        below = [self._child(e) for e in self._numbers(node) if move is None or self._move(e) == move]
        draws = [self._child(e) for child in below if child >= 0 and self.mover(child) == DRAW
                 for e in self._numbers(child)]  # fmt: skip
        for child in below + draws:
            if child >= 0 and self.mover(child) != DRAW and np.array_equal(self._form(child), form):
                return child
        return NONE

    def node_near(self, node: int, position: Any, edges: int) -> int:
        """The node of a position at most so many edges below another one, or -1."""
        form = self.machine.form(position)
        return int(near_root(self.machine.rules_struct, self.struct, node, Pointer(form), edges))

    def make_room(self) -> None:
        """Moves to all the memory there is; freezes where the tree has that already."""
        if self.arrays.memory == self.memory:
            self.frozen = True
            return
        old, new = self.arrays, tree_of(self.machine.rules, self.memory, 0)
        nodes = int(old.counters[NODES]) * old.node_size
        edges = int(old.counters[EDGES]) * old.edge_size
        new.nodes[:nodes], new.edges[:edges] = old.nodes[:nodes], old.edges[:edges]
        self._adopt(old._replace(nodes=new.nodes, edges=new.edges, memory=self.memory))

    def more_slots(self) -> None:
        """Makes room to find more nodes by their positions."""
        self.slots *= 4
        self._adopt(self.arrays._replace(slots=np.zeros(self.slots, np.int32), slots_room=self.slots))
        index(self.machine.rules_struct, self.struct)

    @property
    def rounding(self) -> float:
        """How far what is proven may be from the truth because numbers were rounded on the way.

        Every level of a proof sums its outcomes, k of them, and adds and multiplies a few times: at most
        (k + 4) roundings of amounts no larger than the largest. No proof has more levels and outcomes than
        the tree has nodes and edges.
        """
        rules = self.machine.rules
        nodes, edges = len(self), int(self.arrays.counters[EDGES])
        proven = self._nodes["is_proven"][:nodes] == 1
        worths = np.abs(self._nodes["worth"][:nodes][proven])
        largest = float(worths.max(initial=0.0))
        if rules.pays:
            largest += float(np.abs(self._edges["reward"][:edges]).max(initial=0.0))
        if not (rules.chance_moves or rules.discounts or rules.pays):
            # Values are utilities: those with few digits are what they seem.
            few = np.all(worths * 2.0**20 == np.floor(worths * 2.0**20)) and largest < 2.0**30
            return 0.0 if few else largest * 2.0**-52
        return 2 * (edges + 4 * nodes) * largest * 2.0**-53

    # --------------------------------------------------------------------- what is known

    def mover(self, node: int) -> int:
        return int(self._nodes["mover"][node])

    def proven(self, node: int) -> bool:
        return bool(self._nodes["is_proven"][node])

    def expanded(self, node: int) -> bool:
        return int(self._nodes["first"][node]) >= 0

    def worth(self, node: int, player: int) -> float:
        """What a proven node pays a player."""
        return _of(self._nodes["worth"][node], player)

    def edges(self, node: int) -> list[Edge]:
        """The edges of a node."""
        players = range(self.machine.rules.players)
        found = []
        for e in self._numbers(node):
            sample = Mean(len(players))
            sample.count = int(self._edges["plays"][e])
            sample.totals = [_of(self._edges["total"][e], player) for player in players]
            proven = tuple(self._through(e, player) for player in players) if self._settles(e) else None
            found.append(Edge(self._move(e), sample, proven))
        return found

    def favourite(self, node: int, player: int) -> int | None:
        """The number of the move of a node that counts as best; None where none was tried.

        Of proven moves that are equal the first in the game's order, whose value is the node's.
        """
        edges = [edge for edge in self.edges(node) if edge.sample.count or edge.proven is not None]
        return favourite_of(edges, player, self.proven(node)).move if edges else None

    def _numbers(self, node: int) -> range:
        """The numbers of the edges of a node."""
        first = int(self._nodes["first"][node])
        return range(first, first + int(self._nodes["count"][node])) if first >= 0 else range(0)

    def _move(self, edge: int) -> int:
        return int(self._edges["move"][edge])

    def _child(self, edge: int) -> int:
        return int(self._edges["child"][edge])

    def _settles(self, edge: int) -> bool:
        """Whether what an edge leads to is proven."""
        child = self._child(edge)
        return child >= 0 and self.proven(child)

    def _through(self, edge: int, player: int) -> float:
        """What an edge pays whose child is proven."""
        child = self._child(edge)
        paid = self.worth(child, player)
        if self.mover(child) != DRAW:
            paid *= self.machine.numbers.discount
        if self.machine.rules.pays:
            paid += _of(self._edges["reward"][edge], player)
        return paid


def _of(columns: Any, player: int) -> float:
    """A player's part: of two opposed players only the first has a column."""
    if len(columns) > 1:
        return float(columns[player])
    return -float(columns[0]) if player else float(columns[0])
