"""Monte Carlo tree search: UCT, with explicit chance nodes, for any number of players.

Each simulation walks down the tree, choosing moves by the upper confidence bound

    mean of the move for its player + c * range * sqrt(ln(visits of the position) / visits of the move)

and sampling chance with its probabilities (only among what is not proven yet: the rest is known); adds the
first new position it meets; plays on from there by a simple rule; and adds what was paid to every move on
the way (Kocsis & Szepesvari 2006).

**Proofs.** Finished games are exact, and so is every position whose value follows from exact ones: all moves
are, or the player to move has one that pays as much as any utility can (MCTS-Solver: Winands, Bjornsson &
Saito 2008, here with chance and any payoffs). The latter settles what the mover gets, and so the whole value
only where that says what the others get. When the root is proven, so is the answer. What the tree proves is
computed and compared in exact numbers where the game has them (`exact_twin`); plays are made by its engine.

What is not proven is a mean without a confidence interval: the plays of a growing tree are neither
independent nor alike, and their spread says nothing about how far they are from the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isfinite, log, sqrt
from random import Random
from typing import Any, NamedTuple

from gdl.game import CHANCE, TERMINAL, Game, Number, Outcome
from solvers.core.budget import Budget, Spent
from solvers.core.chance import sample, ways_of_chance
from solvers.core.interrupts import pass_on
from solvers.core.leaves import Leaf
from solvers.core.refusal import bad_option
from solvers.core.result import LineStep, MoveValue, Result, Value, plain, player_name, tie
from solvers.core.rollout import Patience
from solvers.core.rounding import UNIT, exact_twin, is_rational, outside, to_float
from solvers.core.samples import Mean, combined
from solvers.core.simulations import (
    SIMULATIONS,
    Tried,
    by_simulations,
    favourite,
    limits,
    of_cut_plays,
    of_proven_moves,
    of_visits,
)
from solvers.core.starts import starts_of
from solvers.registry import refuse
from solvers.simulation.playout import Playout, playout


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
    leaf: Leaf | None = None,
    seed: int = 0,
    observer: Callable[[Tree], None] | None = None,
) -> Result:
    """An estimate of a position and its moves from simulated plays (1,000 unless a budget is given).

    The observer is shown the tree before it grows (`solvers/simulation/watching.py`).
    """
    tree = Tree(game, c, playout(game, rollout, epsilon, rollout_depth, leaf), seed)
    if observer is not None:
        observer(tree)
    return tree.search(at, limits(simulations, nodes, time, SIMULATIONS), Budget(nodes, time))


class Arm:
    """A move in the tree: the sample of its plays, and the positions that it has led to.

    Where chance is to move there is one arm, without a move, for everything that chance may do.
    """

    __slots__ = ("children", "move", "outcomes", "proven", "sample")

    def __init__(self, move: Any, players: int):
        self.move = move
        self.sample = Mean(players)
        self.outcomes: Sequence[Outcome] = ()
        self.children: dict[Any, Node] = {}
        self.proven: tuple[Number, ...] | None = None


class Bound(NamedTuple):
    """UCB1 of a move for its player: what it has paid on average, and what it may be worth beyond that."""

    mean: float
    exploration: float

    @property
    def total(self) -> float:
        return self.mean + self.exploration


def ucb1(mean: float, tries: int, visits: int, weight: float) -> Bound:
    """UCB1 of a move that was tried so often, in a position with so many visits."""
    return Bound(mean, weight * sqrt(log(max(visits, 2))) / sqrt(tries))


class Way(NamedTuple):
    """An outcome on the way down; `weight` is the probability of all that are not proven, and `known` what
    the proven ones add to the expectation."""

    outcome: Outcome
    weight: float
    known: Sequence[float]


class Node:
    """A position in the tree. `proven` is what it pays each player, once that is known, and `first` what the
    play paid by which it was added: no move in it has that play.

    `exact` is the twin of the game in exact numbers.
    """

    __slots__ = ("arms", "first", "player", "position", "proven", "visits")

    def __init__(self, game: Game[Any, Any], exact: Game[Any, Any], position: Any):
        self.position = position
        self.player = game.to_move(position)
        self.visits = 0
        self.first: Sequence[Number] = ()
        self.proven: tuple[Number, ...] | None = None
        self.arms: dict[Any, Arm] = {}
        if self.player == TERMINAL:
            self.proven = tuple(exact.utility(position))
        else:
            moves = [None] if self.player == CHANCE else game.moves(position)
            self.arms = {move: Arm(move, game.traits.players) for move in moves}


class Tree:
    """A search tree that can be used again: what was learnt below the new root is kept."""

    def __init__(self, game: Game[Any, Any], c: float, playout: Playout, seed: int):
        refuse("mcts", game)
        if c < 0:
            raise bad_option(f"a negative weight of exploration, {c}, makes no sense", "Use c=0 or more.")
        self.game = game
        self.exact = exact_twin(game)
        self.c = c
        self.playout = playout
        self.seed = seed
        self.rng = Random(seed)
        self.discount = plain(game.traits.discount)
        self.float_discount = float(self.discount)
        self.roots: dict[Any, Node] = {}
        self.size = 0
        self.made = 0  # nodes ever
        self.cut = 0
        traits = game.traits
        # Whether what one player gets says what all do.
        self.opposed = traits.players == 1 or (traits.players == 2 and traits.zero_sum)
        bounds = [(to_float(low), to_float(high)) for low, high in traits.value_bounds]
        self.bounded = all(isfinite(low) and isfinite(high) for low, high in bounds)
        self.enough = [high for _, high in traits.value_bounds]  # nothing pays more
        self.least = [low if self.bounded else 0.0 for low, _ in bounds]
        self.most = [high if self.bounded else 0.0 for _, high in bounds]

    def search(self, at: Any, simulations: float, budget: Budget) -> Result:
        """Simulates until the root is proven, the simulations are made, or the budget is spent."""
        starts = starts_of(self.exact, at)
        self.roots = {start.position: self.kept(start.position) for start in starts}
        self.size = self.cut = 0
        self.playout = replace(self.playout, patience=Patience(self.game.traits))
        done = 0
        partial = False
        try:
            while done < simulations and (open_ := self.open_starts(starts)):
                budget.grace = done < len(self.roots)
                start = sample(open_, self.rng)
                self.simulate(self.roots[start.position], budget)
                done += 1
        except (Spent, KeyboardInterrupt) as end:
            pass_on(end)
            partial = True
            if not done and isinstance(end, Spent):  # without a play there is no number; its ways are listed
                self.simulate(self.roots[sample(self.open_starts(starts), self.rng).position], Budget())
                done = 1
        return self.result(starts, done, budget, partial)

    def open_starts(self, starts: Sequence[Outcome]) -> list[Outcome]:
        """Those that are not proven: of the others all is known, and no play tells more."""
        return [start for start in starts if self.roots[start.position].proven is None]

    def kept(self, position: Any, plies: int = 4) -> Node:
        """The node of a position in the old tree, if it is near its root, or a new one."""
        level = list(self.roots.values())
        for _ in range(plies):
            for node in level:
                if node.position == position:
                    return node
            level = [child for node in level for arm in node.arms.values() for child in arm.children.values()]
        return Node(self.game, self.exact, position)

    def simulate(self, node: Node, budget: Budget) -> None:
        """One walk down the tree, one play beyond it, and what it paid added to the moves on the way.

        A move that is proven needs no more plays: where it is selected the positions above are paid its
        value, and the walk goes on with the best of the moves that are not.
        """
        path: list[tuple[Node, Arm, Way, Arm | None]] = []
        paid: Sequence[Number]
        while True:
            budget.spend()
            if node.proven is not None:
                paid = node.proven
                break
            arm = self.select(list(node.arms.values()), node)
            settled = None
            if arm.proven is not None:
                settled = arm
                arm = self.select([arm for arm in node.arms.values() if arm.proven is None], node)
            way = self.way(node, arm)
            path.append((node, arm, way, settled))
            child = arm.children.get(way.outcome.position)
            if child is None:
                child = Node(self.game, self.exact, way.outcome.position)
                arm.children[way.outcome.position] = child
                self.size += 1
                self.made += 1
                if child.proven is None:
                    paid, rest = self.playout.play(child.position, self.rng)
                    child.first = paid
                    self.cut += rest > 0
                    break
            node = child
        for node, arm, way, settled in reversed(path):
            after = self.sampled(way.outcome, paid)
            paid = [known + way.weight * part for known, part in zip(way.known, after, strict=True)]
            self.credit(node, arm, paid)
            self.prove(node, arm)
            if settled is not None:
                assert settled.proven is not None
                paid = settled.proven
                self.credit(node, settled, paid)

    def select(self, arms: list[Arm], node: Node) -> Arm:
        """The move of the next simulation: any that is new, then by UCT; a proven one counts what it pays."""
        untried = [arm for arm in arms if not arm.sample.count and arm.proven is None]
        if untried:
            return self.rng.choice(untried)
        if len(arms) == 1:
            return arms[0]
        return max(arms, key=lambda arm: self.bound(node, arm).total)

    def bound(self, node: Node, arm: Arm) -> Bound:
        """The upper confidence bound of a move that was tried or is proven."""
        player = node.player
        if arm.proven is not None:
            return Bound(to_float(arm.proven[player]), 0.0)
        return ucb1(arm.sample.of(player), arm.sample.count, node.visits, self.c * self.span(player))

    def span(self, player: int) -> float:
        """The range of what a player may be paid, or has been where that has no bounds."""
        return (self.most[player] - self.least[player]) or 1.0

    def way(self, node: Node, arm: Arm) -> Way:
        """One outcome, sampled among those that are not proven; what the others pay is known."""
        if not arm.outcomes:
            arm.outcomes = (
                [outcome for _, outcome in ways_of_chance(self.exact, node.position)]
                if node.player == CHANCE
                else self.exact.outcomes(node.position, arm.move)
            )
        known = [0.0] * self.game.traits.players
        rest = []
        for outcome in arm.outcomes:
            child = arm.children.get(outcome.position)
            if child is None or child.proven is None:
                rest.append(outcome)
            else:
                for i, paid in enumerate(self.sampled(outcome, child.proven)):
                    known[i] += float(outcome.probability) * paid
        return Way(sample(rest, self.rng), sum(float(outcome.probability) for outcome in rest), known)

    def credit(self, node: Node, arm: Arm, paid: Sequence[Number]) -> None:
        node.visits += 1
        arm.sample.add(paid)
        if not self.bounded:
            for i, amount in enumerate(paid):
                self.least[i] = min(self.least[i], to_float(amount))
                self.most[i] = max(self.most[i], to_float(amount))

    def through(self, outcome: Outcome, after: Sequence[Number]) -> tuple[Number, ...]:
        """What an outcome pays when the position it leads to pays `after`."""
        rewards = outcome.rewards or (0,) * len(after)
        return tuple(reward + self.discount * amount for reward, amount in zip(rewards, after, strict=True))

    def sampled(self, outcome: Outcome, after: Sequence[Number]) -> list[float]:
        """The same in floats, for means: where plays go round a walk passes thousands of positions."""
        found = [self.float_discount * to_float(amount) for amount in after]
        if outcome.rewards:
            found = [to_float(reward) + later for reward, later in zip(outcome.rewards, found, strict=True)]
        return found

    # ------------------------------------------------------------ proofs

    def prove(self, node: Node, arm: Arm) -> None:
        """Marks the move and the position as proven if they follow from what is proven below."""
        if arm.proven is None:
            children = [arm.children.get(outcome.position) for outcome in arm.outcomes]
            if not all(child is not None and child.proven is not None for child in children):
                return
            arm.proven = self.expectation(
                [
                    (outcome.probability, self.through(outcome, child.proven))
                    for outcome, child in zip(arm.outcomes, children, strict=True)
                    if child is not None and child.proven is not None
                ]
            )
        proven = [other.proven for other in node.arms.values() if other.proven is not None]
        complete = len(proven) == len(node.arms)
        if node.player == CHANCE:
            node.proven = arm.proven
            return
        best = max(proven, key=lambda paid: paid[node.player])  # the first in the game's order
        enough = self.opposed and best[node.player] >= self.enough[node.player]
        if complete or enough:
            node.proven = best

    def expectation(self, parts: Sequence[tuple[Number, tuple[Number, ...]]]) -> tuple[Number, ...]:
        return tuple(sum(p * paid[i] for p, paid in parts) for i in range(self.game.traits.players))

    # ------------------------------------------------------------ the answer

    def result(self, starts: Sequence[Outcome], done: int, budget: Budget, partial: bool) -> Result:
        game = self.game
        roots = [self.roots[start.position] for start in starts]
        proven = all(root.proven is not None for root in roots)
        values = []
        for player in range(game.traits.players):
            parts = []
            for start, root in zip(starts, roots, strict=True):
                reward = start.rewards[player] if start.rewards else 0
                parts.append((start.probability, reward, self.root_value(root, player)))
            values.append(combined(parts))
        alone = len(starts) == 1 and roots[0].player >= 0
        likeliest = max(range(len(starts)), key=lambda i: starts[i].probability)
        moves = self.move_values(roots[0]) if alone else ()
        how = by_simulations(done) + of_cut_plays(self.cut)
        how += "; the root is proven" if proven else of_visits(moves) + of_proven_moves(moves, done)
        return Result(
            game=game.name,
            solver="mcts",
            values=tuple(values),
            players=game.players,
            how=how,
            work=budget.work(positions=self.size, rounds=done),
            to_move=game.players[roots[0].player] if alone else None,
            moves=moves,
            line=self.line(roots[likeliest]),
            partial=partial and not proven,
            seed=self.seed,
        )

    def root_value(self, root: Node, player: int) -> Value | None:
        """What the favourite move pays; at chance, all that it may do. None where nothing was tried."""
        if root.proven is not None:
            return self.proven_value(root.proven[player], player)
        value = self.arm_value(self.favourite(root), player)
        # That one move is proven says nothing about the others: they may still turn out better.
        return None if value is None else Value.estimate(value.number)

    def arm_value(self, arm: Arm, player: int) -> Value | None:
        if arm.proven is not None:
            return self.proven_value(arm.proven[player], player)
        return Value.estimate(arm.sample.of(player)) if arm.sample.count else None

    def proven_value(self, number: Number, player: int) -> Value:
        """A proven number: exact, or as close as the roundings leave it in a game that has floats only."""
        if is_rational(number) or not self.game.traits.rounds:
            return Value.exact(number)
        low, high = self.game.traits.value_bounds[player]
        if not self.bounded:
            return Value.estimate(number)
        size = max(abs(float(low)), abs(float(high)))
        error = 8 * (self.made + 8) * UNIT * size
        floor, ceiling = outside(low, high)
        return Value.bounded(max(float(number) - error, floor), min(float(number) + error, ceiling))

    def favourite(self, node: Node) -> Arm:
        """The proven best move; while the position is not proven, what `favourite` says."""
        arms = list(node.arms.values())
        if node.proven is not None:
            return next(arm for arm in arms if arm.proven == node.proven)
        return arms[favourite([self.tried(arm, node.player) for arm in arms])]

    def tried(self, arm: Arm, player: int) -> Tried:
        """What is known of a move."""
        if arm.proven is not None:
            return Tried(arm.sample.count, arm.proven[player], True)
        return Tried(arm.sample.count, arm.sample.of(player) if arm.sample.count else None, False)

    def move_values(self, root: Node) -> tuple[MoveValue, ...]:
        favourite = self.favourite(root)
        found = []
        for move, arm in root.arms.items():
            best = arm is favourite
            if root.proven is not None and arm.proven is not None:
                best = tie(arm.proven[root.player], root.proven[root.player])
            found.append(
                MoveValue(
                    move,
                    self.game.format_move(move),
                    self.arm_value(arm, root.player),
                    best,
                    visits=arm.sample.count,
                )
            )
        return tuple(found)

    def line(self, node: Node) -> tuple[LineStep, ...]:
        steps = []
        while node.arms and (node.visits or node.proven is not None):
            arm = self.favourite(node)
            if not arm.children:
                break
            outcome = max(arm.outcomes, key=lambda outcome: outcome.probability)
            if outcome.position not in arm.children:
                break
            move = self.move_of_chance(node, outcome) if node.player == CHANCE else arm.move
            name = player_name(self.game, node.player)
            steps.append(LineStep(name, self.game.format_move(move), outcome.probability))
            node = arm.children[outcome.position]
        return tuple(steps)

    def move_of_chance(self, node: Node, outcome: Outcome) -> Any:
        ways = ways_of_chance(self.game, node.position)
        return next(move for move, way in ways if way.position == outcome.position)
