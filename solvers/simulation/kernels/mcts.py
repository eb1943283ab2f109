"""Monte Carlo tree search on machine code: the fast twin of simulation/mcts.py. The kernel is in uct.py."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import reduce
from math import isinf
from typing import Any

import numpy as np

from gdl.diagnostics.wording.phrases import amount_of_memory
from gdl.game import Game, Outcome
from gdl.movers import CHANCE, TERMINAL
from solvers.core.budget import Budget
from solvers.core.interrupts import pass_on
from solvers.core.leaves import Described
from solvers.core.memory import bytes_of
from solvers.core.refusal import Refusal, bad_option
from solvers.core.result import LineStep, MoveValue, Result, Value, player_name
from solvers.core.rollout import Patience
from solvers.core.rounding import exact_twin
from solvers.core.samples import Mean, combined
from solvers.core.simulations import (
    SIMULATIONS,
    Kept,
    by_simulations,
    limits,
    of_cut_plays,
    of_proven_moves,
    of_visits,
)
from solvers.core.starts import starts_of
from solvers.machine.fault import KernelFault
from solvers.machine.plays import plays_of
from solvers.machine.pointers import Pointer, Struct, struct
from solvers.machine.portions import PATIENCE, TOGETHER, Pace
from solvers.machine.root_moves import legal_moves
from solvers.machine.rules import Machine
from solvers.machine.scratch import Scratch, enlarged, scratch
from solvers.registry import SOLVERS, refuse
from solvers.simulation.kernels import uct
from solvers.simulation.kernels.tree import (
    CUT,
    DOUBTS,
    FAULT,
    FULL,
    MORE_MOVES,
    MORE_OUTCOMES,
    MORE_SLOTS,
    VISITED,
    Options,
    path_of,
    tabulated,
)
from solvers.simulation.kernels.tree import SIMULATIONS as DONE_SO_FAR
from solvers.simulation.kernels.tree_access import Edge, Grove, favourite_of

MEMORY = "1GiB"
"""What a tree may take unless an option says otherwise."""

SMALL = 2_000
"""What trees of so many nodes prove is computed again in rationals, visiting no more positions than this."""

_FOREVER = 1 << 62


def mcts(
    game: Game[Any, Any],
    at: Any = None,
    *,
    simulations: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    c: float = 1.0,
    rollout: str = "uniform",
    epsilon: float = 0.1,
    rollout_depth: int | None = None,
    leaf: Described | None = None,
    seed: int = 0,
    threads: int = 1,
    parallel: str = "root",
    transpositions: bool = False,
    widening: float = 0.0,
    memory: str | int = MEMORY,
    reuse: bool | Kept = False,
) -> Result:
    """An estimate of a position and its moves from simulated plays (1,000 unless a budget is given).

    `threads` share one tree (`parallel="tree"`) or have one each (`"root"`, repeatable for a seed under a
    limit of simulations). `widening` w lets w * sqrt(visits) outcomes into play at a node of chance. With
    `reuse` (an agent's) the tree of the last call is kept as far as it lies below the position.
    """
    if reuse is True:
        raise bad_option("one search has nothing to reuse", "Leave it out; agents reuse from move to move.")
    kept = reuse if isinstance(reuse, Kept) else Kept()
    kept.tree = kept.tree or Search(
        game,
        c,
        rollout,
        epsilon,
        rollout_depth,
        leaf,
        seed,
        threads,
        parallel,
        transpositions,
        widening,
        memory,
    )
    answer: Result = kept.tree.search(at, limits(simulations, nodes, time, SIMULATIONS), Budget(nodes, time))
    return answer


class Search:
    """Trees that can be used again: what was learnt below the new root is kept."""

    def __init__(
        self,
        game: Game[Any, Any],
        c: float = 1.0,
        rollout: str = "uniform",
        epsilon: float = 0.1,
        rollout_depth: int | None = None,
        leaf: Described | None = None,
        seed: int = 0,
        threads: int = 1,
        parallel: str = "root",
        transpositions: bool = False,
        widening: float = 0.0,
        memory: str | int = MEMORY,
    ):
        refuse("mcts", game)
        _check(game, c, rollout, epsilon, threads, parallel, transpositions, widening)
        self.game = game
        self.seed = seed
        self.machine = Machine(game, leaf, plays=True)
        self.longest = self.machine.rules.longest
        self.threads = threads
        shared = threads if parallel == "tree" else 1
        self._tables = tabulated()
        self.options = Options(
            plays=struct(plays_of(self.machine, rollout, epsilon, rollout_depth)),
            c=float(c),
            widening=float(widening),
            threads=shared,
            frozen=0,
            roots=self._tables[0],
            logarithms=self._tables[1],
        )
        self._structs: dict[tuple[int, bool], tuple[Struct, Struct]] = {}
        count = threads // shared
        self.trees = [
            Grove(self.machine, bytes_of(memory) // count, shared > 1, transpositions) for _ in range(count)
        ]
        self.hands = [Hand(self.machine, seed * 1_000_003 + i) for i in range(threads)]

    # ------------------------------------------------------------------------ searching

    def search(self, at: Any, simulations: float, budget: Budget) -> Result:
        """Simulates until the root is proven, the simulations are made, or the budget is spent."""
        starts = starts_of(self.game, at)
        for tree in self.trees:
            tree.set_root(starts)
        try:
            partial = self._simulate(simulations, budget)
        except KeyboardInterrupt as end:
            pass_on(end)
            partial = True
        budget.nodes = self._visited
        return self._result(starts, budget, partial)

    def _simulate(self, simulations: float, budget: Budget) -> bool:
        """Runs portions on all threads; gives whether the budget ended it."""
        pace = Pace(budget)
        patience = Patience(self.game.traits, PATIENCE * len(self.trees), TOGETHER * len(self.trees))
        known = self._cut
        stop = np.zeros(1, np.uint8)
        most = _FOREVER if isinf(simulations) else -(-int(simulations) // len(self.trees))
        nodes = _FOREVER if budget.limit is None else -(-budget.limit // len(self.trees))
        made = 0
        with ThreadPoolExecutor(self.threads) as pool:
            while made < most and not self._proven:
                if made and (pace.over or self._visited >= nodes * len(self.trees)):
                    return True
                look = made - made % TOGETHER + TOGETHER if patience.limited else most
                made = min(made + pace.portion(), most, look)
                self.longest = patience.longest
                work = [(i, made, nodes, stop) for i in range(self.threads)]
                try:
                    if self.threads == 1:
                        self._portion(*work[0])
                    else:
                        list(pool.map(lambda part: self._portion(*part), work))
                except KeyboardInterrupt:
                    stop[0] = 1
                    raise
                if made == look:
                    patience.spend((self._cut - known) * self.longest)
                    known = self._cut
        return False

    def _portion(self, thread: int, simulations: int, nodes: int, stop: Any) -> None:
        """One thread's part: plays until its tree has made as many simulations as are wanted."""
        tree, hand = self.trees[thread % len(self.trees)], self.hands[thread]
        while True:
            reason = self._run(thread, simulations, nodes, stop)
            if reason == MORE_MOVES:
                hand.enlarge(moves=4 * hand.room.moves_room)
            elif reason == MORE_OUTCOMES:
                hand.enlarge(outcomes=4 * hand.room.outcomes_room)
            elif reason == FAULT:
                raise KernelFault
            elif reason == FULL:
                tree.make_room()
                if tree.frozen and not any(tree.expanded(start) for start in tree.starts):
                    room = amount_of_memory(tree.memory)
                    raise bad_option(f"a tree of {self.game.name} does not fit in {room}", "Use more memory.")
            elif reason == MORE_SLOTS:
                tree.more_slots()
            else:
                return

    def _run(self, thread: int, simulations: int, nodes: int, stop: Any) -> int:
        tree, hand = self.trees[thread % len(self.trees)], self.hands[thread]
        rules, options = self._given(tree.frozen)
        reason: int = uct.simulate(
            rules,
            self.machine.numbers_struct,
            options,
            tree.struct,
            hand.path,
            hand.room_struct,
            tree.root,
            simulations,
            nodes,
            Pointer(stop),
        )
        return reason

    def _given(self, frozen: bool) -> tuple[Struct, Struct]:
        """The rules and options as the kernel takes them, made anew only when they have changed: portions are
        short where plays may have no end.
        """
        key = self.longest, frozen
        if key not in self._structs:
            rules = self.machine.rules._replace(longest=self.longest)
            self._structs[key] = struct(rules), struct(self.options._replace(frozen=int(frozen)))
        return self._structs[key]

    @property
    def _visited(self) -> int:
        return sum(int(tree.arrays.counters[VISITED]) for tree in self.trees)

    @property
    def _cut(self) -> int:
        """Plays that were cut before their end."""
        return sum(int(tree.arrays.counters[CUT]) for tree in self.trees)

    @property
    def _proven(self) -> bool:
        return any(tree.proven(tree.root) for tree in self.trees)

    # ---------------------------------------------------------------------- the answer

    def _result(self, starts: Sequence[Outcome], budget: Budget, partial: bool) -> Result:
        game = self.game
        done = sum(int(tree.arrays.counters[DONE_SO_FAR]) for tree in self.trees)
        proven = self._proven
        alone = len(starts) == 1 and game.to_move(starts[0].position) >= 0
        edges = [self._edges(i) for i in range(len(starts))]
        settled = self._settled(starts) if proven else []
        values = []
        for player in range(game.traits.players):
            parts = [
                (
                    start.probability,
                    start.rewards[player] if start.rewards else 0,
                    settled[i].values[player] if settled else self._root_value(i, edges[i], player),
                )
                for i, start in enumerate(starts)
            ]
            values.append(combined(parts))
        likeliest = max(range(len(starts)), key=lambda i: starts[i].probability)
        moves = self._move_values(starts[0].position, edges[0]) if alone else ()
        if settled:
            moves = _with_values(moves, settled[0].moves)
        how = by_simulations(done) + of_cut_plays(self._cut)
        if proven and not settled and self._doubtful:
            how += "; moves tie but for rounding, and which of them is played decides what the others get"
        else:
            how += "; the root is proven" if proven else of_visits(moves) + of_proven_moves(moves, done)
        if any(tree.frozen for tree in self.trees):
            how += "; the tree filled its memory"
        return Result(
            game=game.name,
            solver="mcts",
            values=tuple(values),
            players=game.players,
            how=how,
            work=budget.work(positions=sum(len(tree) for tree in self.trees), rounds=done),
            to_move=game.players[game.to_move(starts[0].position)] if alone else None,
            moves=moves,
            line=self._line(starts[likeliest].position, likeliest, edges[likeliest], moves),
            partial=partial and not proven,
            seed=self.seed,
        )

    def _root_value(self, start: int, edges: Sequence[Edge], player: int) -> Value | None:
        """What a start is worth: the favourite move, or all that chance may do; None if never drawn."""
        for tree in self.trees:
            node = tree.starts[start]
            if tree.proven(node):
                return self._proven_value(tree.worth(node, player))
        if edges and self.trees[0].mover(self.trees[0].starts[start]) >= 0:
            value = self._value(self._favourite(edges, start), player)
            # That one move is proven says nothing about the others: they may still turn out better.
            return None if value is None else Value.estimate(value.number)
        # Of a start that was drawn once there is no more than the play from there, seen from the draw.
        parts = edges or [tree.edges(tree.root)[start] for tree in self.trees]
        discount = 1.0 if edges else self.machine.numbers.discount
        whole = reduce(Mean.plus, (edge.sample for edge in parts))
        return Value.estimate(whole.of(player) / discount) if whole.count and discount else None

    def _proven_value(self, worth: float) -> Value:
        """A value that was proven, but for the rounding of numbers on the way."""
        if self._doubtful:
            return Value.estimate(worth)
        error = max(tree.rounding for tree in self.trees)
        return Value.bounded(worth - error, worth + error) if error else Value.exact(worth)

    @property
    def _doubtful(self) -> bool:
        """Whether rounding decided which move a player prefers, where that matters to the others."""
        return any(tree.arrays.counters[DOUBTS] > 0 for tree in self.trees)

    def _settled(self, starts: Sequence[Outcome]) -> list[Result]:
        """The same starts valued in rationals, where proofs were rounded and the trees are small.

        Nothing where that has no end: a tree proves some positions without following all that chance may do.
        """
        rounded = self._doubtful or any(tree.rounding for tree in self.trees)
        if not rounded or min(len(tree) for tree in self.trees) > SMALL:
            return []
        solver = SOLVERS["expectiminimax" if self.machine.rules.columns == 1 else "maxn"]
        exact = exact_twin(self.game)
        try:
            found = [solver.textbook(exact, start.position, nodes=SMALL) for start in starts]
        except Refusal:
            return []
        return found if all(result.kind == "exact" for result in found) else []

    def _edges(self, start: int) -> list[Edge]:
        """The edges of a start, those of all trees added up, in no particular order."""
        found: dict[int, Edge] = {}
        for tree in self.trees:
            for edge in tree.edges(tree.starts[start]):
                known = found.get(edge.move)
                found[edge.move] = edge if known is None else known.plus(edge)
        return list(found.values())

    def _value(self, edge: Edge, player: int) -> Value | None:
        if edge.proven is not None:
            return self._proven_value(edge.proven[player])
        return Value.estimate(edge.sample.of(player)) if edge.sample.count else None

    def _favourite(self, edges: Sequence[Edge], start: int) -> Edge:
        """The move of a start that counts as best."""
        player = self.trees[0].mover(self.trees[0].starts[start])
        return favourite_of(edges, player, any(tree.proven(tree.starts[start]) for tree in self.trees))

    def _move_values(self, position: Any, edges: Sequence[Edge]) -> tuple[MoveValue, ...]:
        player = self.game.to_move(position)
        favourite = self._favourite(edges, 0) if edges else None
        by_number = {edge.move: edge for edge in edges}
        root = self._root_value(0, edges, player) if edges else None
        found = []
        for number, move in legal_moves(self.machine, position).items():
            edge = by_number.get(number)
            text = self.game.format_move(move)
            if edge is None:
                found.append(MoveValue(move, text, None, False, visits=0))
                continue
            best = edge is favourite
            value = self._value(edge, player)
            if root is not None and root.kind != "estimate" and value is not None and value.high is not None:
                best = root.low is not None and value.high >= root.low
            found.append(MoveValue(move, text, value, best, visits=edge.sample.count))
        return tuple(found)

    def _line(
        self, position: Any, start: int, edges: Sequence[Edge], told: Sequence[MoveValue]
    ) -> tuple[LineStep, ...]:
        """The favourite moves from a start on: there by all trees, and one that the answer calls best, then
        in the first tree; the likeliest outcomes of chance."""
        game, tree = self.game, self.trees[0]
        node = tree.starts[start]
        steps: list[LineStep] = []
        while node >= 0 and (player := game.to_move(position)) != TERMINAL and len(steps) < 1000:
            if not tree.expanded(node):
                break
            number = None
            if player == CHANCE:
                ways = [
                    (move, Outcome(after.position, odds * after.probability, after.rewards))
                    for move, odds in game.chance(position)
                    for after in game.outcomes(position, move)
                ]
            else:
                number = tree.favourite(node, player) if steps else self._favourite(edges, start).move
                if number is None:
                    break
                legal = legal_moves(self.machine, position)
                best = [] if steps else [each.move for each in told if each.best]
                if best and legal[number] not in best:  # rationals settled what floats had left open
                    number = next(n for n, move in legal.items() if move == best[0])
                move = legal[number]
                ways = [(move, after) for after in game.outcomes(position, move)]
            move, outcome = max(ways, key=lambda way: way[1].probability)
            steps.append(LineStep(player_name(game, player), game.format_move(move), outcome.probability))
            position = outcome.position
            node = tree.node_after(node, number, position)
        return tuple(steps)


def _with_values(moves: Sequence[MoveValue], exact: Sequence[MoveValue]) -> tuple[MoveValue, ...]:
    """Moves with the values that are known exactly, and which of them are best."""
    known = {move.move: move for move in exact}
    return tuple(replace(m, value=known[m.move].value, best=known[m.move].best) for m in moves)


class Hand:
    """What one thread works with: its scratch and its path down the tree."""

    def __init__(self, machine: Machine, seed: int):
        self._sizes = machine.sizes
        self._arrays = path_of(machine.rules)
        self.path = struct(self._arrays)
        self._take(scratch(self._sizes, seed))

    def _take(self, room: Scratch) -> None:
        self.room = room
        self.room_struct = struct(room)

    def enlarge(self, moves: int = 0, outcomes: int = 0) -> None:
        self._take(enlarged(self.room, self._sizes, moves, outcomes))


def _check(
    game: Game[Any, Any],
    c: float,
    rollout: str,
    epsilon: float,
    threads: int,
    parallel: str,
    transpositions: bool,
    widening: float,
) -> None:
    if c < 0:
        raise bad_option(f"a negative weight of exploration, {c}, makes no sense", "Use c=0 or more.")
    if rollout not in ("uniform", "greedy"):
        raise bad_option(f"there is no rollout `{rollout}`", "Known: uniform, greedy.")
    if not 0 <= epsilon <= 1:
        raise bad_option(f"epsilon is a probability, and {epsilon} is none", "Use a number from 0 to 1.")
    if threads < 1:
        raise bad_option(f"{threads} threads do nothing", "Use 1 or more.")
    if parallel not in ("root", "tree"):
        raise bad_option(f"threads cannot work `{parallel}`-parallel", "Known: root, tree.")
    if widening and not game.traits.chance:
        raise bad_option(f"widening is about chance, and {game.name} has none", "Leave it out.")
    if widening < 0:
        raise bad_option(f"a negative widening, {widening}, makes no sense", "Use 0 for none, or more.")
    if transpositions and not game.traits.acyclic:
        raise bad_option(
            f"transpositions join equal positions, and in {game.name} a play may come back to one",
            "Leave transpositions out.",
        )
    if transpositions and threads > 1 and parallel == "tree":
        raise bad_option("threads that share a tree do not join transpositions", "Use parallel=root.")
