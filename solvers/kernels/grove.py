"""Trees of simulated plays on the side of Python: begun, enlarged, used again, and read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gdl.game import Outcome
from solvers.kernels.calls import pointers
from solvers.kernels.planting import near_root, plant, transplant
from solvers.kernels.roots import mover
from solvers.kernels.rules import Machine, scratch
from solvers.kernels.tree import DRAW, NODES, SIMULATIONS, tree_of
from solvers.simulation import Sample

_REPLIES = 4
"""How far below the old root the next one may lie: two moves, each with an edge of chance."""


class Edge(NamedTuple):
    """A move at the root, or an outcome, with what is known of it in one tree or several."""

    move: int
    sample: Sample
    proven: tuple[float, ...] | None

    def worth(self, player: int) -> float:
        return self.proven[player] if self.proven is not None else self.sample.mean(player)

    def plus(self, other: Edge) -> Edge:
        both = Sample(len(self.sample.totals))
        both.count = self.sample.count + other.sample.count
        for part in (self.sample, other.sample):
            for i in range(len(both.totals)):
                both.totals[i] += part.totals[i]
                both.squares[i] += part.squares[i]
        return Edge(self.move, both, self.proven if self.proven is not None else other.proven)


class Grove:
    """One tree that grows: the arrays of tree.py, made larger when they are full and memory allows.

    `addresses` are those of the arrays, as kernels need them. A tree is `frozen` when more
    would not fit in `memory` bytes.
    """

    def __init__(self, machine: Machine, memory: int, threads: int, transpositions: bool):
        self.machine = machine
        self.memory = memory
        self.threads = threads
        self.transpositions = transpositions
        self.room = scratch(machine.rules, 0)
        self.root = 0
        self.starts: list[int] = []
        self.full = False
        self.frozen = False
        self._adopt(1 << 12, 1 << 14)

    def _adopt(self, nodes: int, edges: int) -> None:
        """Takes new, empty arrays."""
        self.arrays = tree_of(self.machine.rules, nodes, edges, self.transpositions)
        self.addresses = pointers(self.arrays)

    def __len__(self) -> int:
        return int(self.arrays.counters[NODES])

    def set_root(self, starts: Sequence[Outcome], simulations: int) -> None:
        """Begins with these positions, keeping what is known of the only one; room for some simulations."""
        nodes, edges = self._capacity
        simulations = min(simulations, 1 << 17)
        wanted = max(nodes, simulations + 1024), max(edges, 4 * simulations)
        if self._fits(*wanted):
            nodes, edges = wanted
        if len(starts) == 1 and self.starts:
            kept = self.node_near(self.root, starts[0].position, _REPLIES)
            if kept >= 0:
                self._rebuild(kept, nodes, edges)
                self.starts = [0]
                return
        self._adopt(nodes, edges)
        self.frozen = False
        forms = [self.machine.form(start.position) for start in starts]
        first = 0 if len(starts) == 1 else 1
        self.starts = [first + i for i in range(len(starts))]
        self.root = 0
        all_forms = np.concatenate(forms)
        movers = np.array([mover(self.machine, form) for form in forms], np.int64)
        odds = np.array([float(start.probability) for start in starts])
        plant(
            self.machine.rules,
            self.addresses,
            len(starts),
            all_forms.ctypes.data,
            movers.ctypes.data,
            odds.ctypes.data,
            pointers(self.room),
        )

    def node_near(self, node: int, position: Any, edges: int) -> int:
        """The node of a position at most so many edges below another one, or -1."""
        form = self.machine.form(position)
        return int(near_root(self.machine.rules, self.addresses, node, form.ctypes.data, edges))

    def make_room(self, at_once: int) -> None:
        """Doubles the arrays, or freezes the tree where that would take too much memory; there must be room
        for each thread to make so many nodes and edges at once."""
        self.full = False
        nodes, edges = self._capacity
        spare = self.threads * at_once
        wanted = 2 * nodes + spare, 2 * edges + spare
        if self._fits(*wanted):
            self._rebuild(self.root, *wanted)
        else:
            self.frozen = True

    def _fits(self, nodes: int, edges: int) -> bool:
        """Whether arrays of these sizes, and half as much for a moment while they grow, fit in the memory."""
        rules = self.machine.rules
        per_node = rules.form + 40 + 8 * rules.columns
        per_edge = 40 + 24 * rules.columns
        return 1.5 * (nodes * per_node + edges * per_edge) <= self.memory

    @property
    def _capacity(self) -> tuple[int, int]:
        return len(self.arrays.mover), len(self.arrays.child)

    def _rebuild(self, root: int, nodes: int, edges: int) -> None:
        old, addresses = self.arrays, self.addresses
        self._adopt(nodes, edges)
        transplant(self.machine.rules, addresses, self.addresses, root)
        if root == self.root:
            self.arrays.counters[SIMULATIONS:] = old.counters[SIMULATIONS:]
        self.root = 0
        self.frozen = False

    # --------------------------------------------------------------------- what is known

    def proven(self, node: int) -> bool:
        return bool(self.arrays.proven[node])

    def worth(self, node: int, player: int) -> float:
        """What a proven node pays a player."""
        rules = self.machine.rules
        if rules.columns > 1:
            return float(self.arrays.worth[node * rules.columns + player])
        first = float(self.arrays.worth[node])
        return -first if player else first

    def edges(self, node: int) -> list[tuple[int, Edge]]:
        """The edges of a node by their numbers."""
        arrays, players = self.arrays, self.machine.rules.players
        first = int(arrays.first[node])
        found = []
        for e in range(first, first + int(arrays.count[node])) if first >= 0 else ():
            sample = Sample(players)
            sample.count = int(arrays.plays[e])
            for player in range(players):
                sample.totals[player], sample.squares[player] = self._sums(e, player)
            child = int(arrays.child[e])
            proven = None
            if child >= 0 and arrays.proven[child]:
                proven = tuple(self._through(e, child, player) for player in range(players))
            found.append((int(arrays.move[e]), Edge(int(arrays.move[e]), sample, proven)))
        return found

    def expanded(self, node: int) -> bool:
        return int(self.arrays.first[node]) >= 0

    def favourite(self, node: int, player: int) -> int | None:
        """The number of the most visited or proven best move of a node; None where none was tried."""
        arrays = self.arrays
        edges = range(int(arrays.first[node]), int(arrays.first[node]) + int(arrays.count[node]))
        proven = [e for e in edges if arrays.child[e] >= 0 and arrays.proven[arrays.child[e]]]
        if self.proven(node):
            best = max(proven, key=lambda e: self._through(e, int(arrays.child[e]), player))
            return int(arrays.move[best])
        tried = [e for e in edges if arrays.plays[e]] or proven
        if not tried:
            return None
        return int(arrays.move[max(tried, key=lambda e: (arrays.plays[e], self._sums(e, player)[0]))])

    def _sums(self, edge: int, player: int) -> tuple[float, float]:
        columns = self.machine.rules.columns
        if columns > 1:
            at = edge * columns + player
            return float(self.arrays.total[at]), float(self.arrays.squares[at])
        total = float(self.arrays.total[edge])
        return (-total if player else total), float(self.arrays.squares[edge])

    def _through(self, edge: int, child: int, player: int) -> float:
        rules = self.machine.rules
        paid = self.worth(child, player)
        if self.arrays.mover[child] != DRAW:
            paid *= self.machine.numbers.discount
        if rules.pays:
            column = player if rules.columns > 1 else 0
            reward = float(self.arrays.reward[edge * rules.columns + column])
            paid += -reward if rules.columns == 1 and player else reward
        return paid
