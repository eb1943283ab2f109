"""A game with hidden information as flat arrays: its sequence form (Koller, Megiddo & von Stengel 1996).

A *sequence* of a player is what the player did on the way to somewhere: none yet, or a move at one of the
player's information sets, which by perfect recall says all earlier ones. Sequences are numbered through all
players, and for each player the empty one comes first, then those of the information sets, one after another:

    player 0                     player 1
    | empty | set 0 | set 1 | ..  | empty | set 4 | ..
    ^ start[0]                    ^ start[1]                ^ start[2]

An information set has a higher number than all that come before it, so a walk down the numbers goes up the
tree. What a play pays depends on the sequences of all players; `pays` lists, by one's own sequence, those
of the others and the payment times the probability of chance, summed where the sequences are the same.

Inner nodes of the tree are gone: a sweep over a game costs one multiplication per end and player, and a few
operations per sequence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gdl.game import Game
from solvers.hidden.game_tree import GameTree, Node, Seen


@dataclass(frozen=True, slots=True)
class Known:
    """An information set for people and agents: who is to move, what was seen, and the legal moves."""

    player: int
    seen: Seen
    moves: tuple[Any, ...]


@dataclass(frozen=True)
class SequenceForm:
    """The arrays. S sequences, I information sets, E ends with different sequences, n players.

    start    i64[n + 1]     the first sequence of each player
    sets     i64[n + 1]     the first information set of each player
    first    i64[I]         the first sequence of an information set
    moves    i64[I]         how many it has
    parent   i64[I]         the sequence after which it comes
    row      i64[S + 1]     entry k belongs to sequence s where row[s] <= k < row[s + 1]
    others   i32[n * E, n - 1]    the sequences of the other players, in their order
    pays     f64[n * E]     what the own player is paid there, times the probability of chance
    """

    game: Game[Any, Any]
    start: Any
    sets: Any
    first: Any
    moves: Any
    parent: Any
    row: Any
    others: Any
    pays: Any
    histories: int
    most: float  # no payment is larger, in size
    known: Callable[[int], Known]  # an information set by its number
    keys: Any = None  # u64[I, 2]: what machine code calls the information sets (`kernels/observing.py`)

    @property
    def players(self) -> int:
        return len(self.start) - 1

    @property
    def sequences(self) -> int:
        return int(self.start[-1])

    @property
    def information_sets(self) -> int:
        return int(self.sets[-1])

    @property
    def counts(self) -> tuple[int, ...]:
        """Information sets of each player."""
        return tuple(int(count) for count in np.diff(self.sets))

    @property
    def ends(self) -> int:
        """Ends with different sequences."""
        return len(self.pays) // max(1, self.players)

    @property
    def bytes(self) -> int:
        arrays = (self.first, self.moves, self.parent, self.row, self.others, self.pays)
        return int(sum(array.nbytes for array in arrays))

    @cached_property
    def rounding(self) -> float:
        """No sum over all ends is further from the truth than this, for floats that are rounded to nearest:
        at most one rounding for each end and each move on the way, of numbers that sum to `most` in size."""
        return float(2 * (self.ends + 3 * self.information_sets + 10) * 2.0**-53 * max(self.most, 1e-300))

    def player_of(self, information: int) -> int:
        return int(np.searchsorted(self.sets, information, "right") - 1)

    def uniform(self) -> Any:
        """The policy by which every move is equally likely: f64[S]."""
        policy = np.ones(self.sequences)
        counts = self.moves.astype(np.int64)
        where = np.repeat(self.first - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))
        policy[where] = np.repeat(1.0 / counts, counts)
        return policy


def assembled(
    game: Game[Any, Any],
    tables: Sequence[tuple[Any, Any]],
    ends: Any,
    payoffs: Any,
    weights: Any,
    histories: int,
    known: Callable[[int, int], Known],
) -> SequenceForm:
    """The arrays of a game from what a walk over its histories found.

    tables    of each player: parents and numbers of moves of the information sets, in the order of discovery;
              there sequences are counted from 0, the empty one
    ends      i32[E, n]: the sequences, so counted; payoffs f64[E, n], weights f64[E] the probability of
    chance known     an information set by its player and number
    """
    players = len(tables)
    sizes = [1 + int(moves.sum()) for _, moves in tables]
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    sets = np.concatenate([[0], np.cumsum([len(moves) for _, moves in tables])]).astype(np.int64)
    moves = np.concatenate([moves for _, moves in tables]).astype(np.int64)
    first = np.concatenate([start[p] + 1 + np.cumsum(m) - m for p, (_, m) in enumerate(tables)]).astype(
        np.int64
    )
    parent = np.concatenate([start[p] + q for p, (q, _) in enumerate(tables)]).astype(np.int64)
    most = float(np.abs(payoffs).max()) if len(payoffs) else 0.0
    ends, weighted = _merged(ends, payoffs * weights[:, None], sizes)
    rows, others, pays = [], [], []
    for player in range(players):
        order = np.argsort(ends[:, player], kind="stable")
        rows.append(np.bincount(ends[:, player], minlength=sizes[player]))
        rest = [q for q in range(players) if q != player]
        others.append((ends[order][:, rest] + start[rest]).astype(np.int32))
        pays.append(weighted[order, player])
    row = np.concatenate([[0], np.cumsum(np.concatenate(rows))]).astype(np.int64)
    return SequenceForm(
        game, start, sets, first, moves, parent, row,
        np.ascontiguousarray(np.concatenate(others)), np.concatenate(pays), histories, most,
        lambda number: known(*_place(sets, number)),
    )  # fmt: skip


def _place(sets: Any, number: int) -> tuple[int, int]:
    player = int(np.searchsorted(sets, number, "right") - 1)
    return player, number - int(sets[player])


def _merged(ends: Any, paid: Any, sizes: Sequence[int]) -> tuple[Any, Any]:
    """The ends with different sequences, payments summed."""
    if len(ends) == 0:
        return ends, paid
    order = np.lexsort([ends[:, player] for player in reversed(range(len(sizes)))])
    ends, paid = ends[order], paid[order]
    new = np.concatenate([[True], np.any(ends[1:] != ends[:-1], axis=1)])
    places = np.flatnonzero(new)
    return ends[places], np.add.reduceat(paid, places, axis=0)


def sequence_form_of(tree: GameTree) -> SequenceForm:
    """The arrays of a tree that is listed in Python."""
    tables = []
    firsts: list[list[int]] = []
    for found in tree.information_sets:
        counts = np.array([len(one.moves) for one in found], np.int64)
        first = (1 + np.cumsum(counts) - counts).tolist()
        firsts.append(first)
        parents = [0 if one.before is None else first[one.before[0].number] + one.before[1] for one in found]
        tables.append((np.array(parents, np.int64), counts))
    players = len(tables)
    ends, payoffs, weights = [], [], []
    waiting: list[tuple[Node, tuple[int, ...], Any]] = [(tree.root, (0,) * players, 1)]
    while waiting:
        node, at, weight = waiting.pop()
        if node.payoff:
            ends.append(at)
            payoffs.append([float(part) for part in node.payoff])
            weights.append(float(weight))
        for number, after in enumerate(node.after):
            if node.information is None:
                odds = node.odds[number] if node.odds else 1
                waiting.append((after, at, weight * odds))
            else:
                player, base = node.information.player, firsts[node.information.player]
                move = base[node.information.number] + number
                waiting.append((after, (*at[:player], move, *at[player + 1 :]), weight))

    def known(player: int, number: int) -> Known:
        one = tree.information_sets[player][number]
        return Known(player, one.seen, one.moves)

    return assembled(
        tree.game,
        tables,
        np.array(ends, np.int64).reshape(len(ends), players),
        np.array(payoffs, np.float64).reshape(len(ends), players),
        np.array(weights, np.float64),
        tree.histories,
        known,
    )
