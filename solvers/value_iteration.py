"""Value iteration with proven bounds, one strong component after another.

Two numbers are kept for every position, low <= value <= high, and improved until they are as close as asked.
That the numbers stop changing proves nothing: on the chain of Haddad & Monmege plain iteration stops at 0.35
where the truth is 0.7. Here every number is a bound at all times.

**Bellman updates** bring the bounds together wherever plays cannot go round for ever.

**End components**, sets of positions in which the players together can stay for ever, need more: inside,
any number can confirm itself. In such a set Min can refuse to leave, so that Max gets at most the better of
endless play and Max's best way out: `high` comes down to that (deflation: Kelmendi, Kraemer, Kretinsky &
Weininger 2018). In the same way `low` goes up to the worse of endless play and Min's best way out. Both are
sound for every end component; those that matter are made of the choices that look best, Max's by `high` and
Min's by `low`, within a tolerance that runs through ever smaller numbers. Why this converges: take limits of
both bounds and the positions where they differ most. There, all choices that look best stay among such
positions, so some of them form an end component that only worse-looking choices leave; there both limits are
constant, `high` is at most the value of endless play and `low` at least that: they do not differ.

**Guesses.** Where plays mix slowly, iteration would take for ever. From time to time the choices that look
best are taken for granted, the linear equations solved with a little extra for one side, and the solution is
adopted as a bound if it passes the test: no choice of Max leads higher (some choice of Min leads lower) by a
clear margin everywhere. See `solvers.optimistic`.

Arithmetic is in floats, rounded outwards by a margin that covers the error of each update.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, nextafter
from typing import Any

from gdl.game import TERMINAL, Game, Outcome
from solvers.backward_induction import induce
from solvers.budget import Budget, Spent
from solvers.component import MAX, MIN, Component, Inside, component_of
from solvers.graph import LIMIT, Graph, end_components, explore, graph_components, is_cyclic
from solvers.optimistic import ROUNDING, Guess, roundings
from solvers.refusal import bad_option, cannot_go_on
from solvers.result import Result, Value
from solvers.solution import Solution, opposed, starts_of
from solvers.table import refuse

LARGEST_GUESS = 400
"""Components up to this size are guessed by solving their equations in floats."""

LARGEST_RATIONAL_GUESS = 150
"""And up to this size in rationals, where floats are too coarse."""

PATIENCE = 200
"""Give up after this many rounds without any change: floats cannot bring the bounds closer."""


def value_iteration(
    game: Game[Any, Any],
    at: Any = None,
    *,
    precision: float = 1e-9,
    limit: int = LIMIT,
    time: float | None = None,
) -> Result:
    """The value of a game for one or two opposed players, between proven bounds at most `precision` apart.

    Stopped by `time` or by hand it answers with the bounds that it has, marked as partial.
    """
    refuse("value_iteration", game)
    if not precision > 0:
        raise bad_option(f"a precision of {precision} can never be reached", "Use a precision above 0.")
    budget = Budget(time=time)
    starts = starts_of(game, at)
    graph = explore(game, starts, limit)
    if not any(is_cyclic(graph, part) for part in graph_components(graph)):
        return _in_one_pass(game, graph, starts, budget)
    iteration = Bounds(game, graph, budget)
    partial = False
    try:
        iteration.run(precision)
    except (Spent, KeyboardInterrupt):
        partial = True
    solution = Solution(
        game, graph, lambda node: opposed(game, Value.bounded(iteration.low[node], iteration.high[node]))
    )
    how = f"bounds iterated over all {len(graph):,} positions, {iteration.parts:,} strong components in turn"
    work = budget.work(positions=len(graph), rounds=iteration.sweeps)
    return solution.result("value_iteration", starts, how, work, partial)


def _in_one_pass(game: Game[Any, Any], graph: Graph, starts: Sequence[Outcome], budget: Budget) -> Result:
    """Where no play comes back there is nothing to iterate, and every value is exact."""
    values = induce(game, graph)
    solution = Solution(game, graph, lambda node: tuple(Value.exact(number) for number in values[node]))
    how = f"one pass over all {len(graph):,} positions, none of which comes back"
    return solution.result("value_iteration", starts, how, budget.work(positions=len(graph)))


class Bounds:
    """Proven bounds of the first player's value, for every position of the graph."""

    def __init__(self, game: Game[Any, Any], graph: Graph, budget: Budget):
        self.game = game
        self.graph = graph
        self.budget = budget
        self.discount = game.traits.discount
        self.endless = float(game.traits.endless[0]) if game.traits.endless else 0.0
        lowest, highest = (float(bound) for bound in game.traits.value_bounds[0])
        self.low = [lowest] * len(graph)
        self.high = [highest] * len(graph)
        self.sweeps = 0
        self.parts = 0

    def run(self, precision: float) -> None:
        parts = graph_components(self.graph)
        self.parts = len(parts)
        share = precision / (2 * _longest_chain(self.graph, parts))
        for nodes in parts:
            if self.graph.players[nodes[0]] == TERMINAL:
                utility = self.graph.utilities[nodes[0]]
                assert utility is not None
                number = float(utility[0])
                exact = number == utility[0]
                self.low[nodes[0]] = number if exact else number - abs(number) * ROUNDING
                self.high[nodes[0]] = number if exact else number + abs(number) * ROUNDING
            else:
                component: Component[float] = component_of(self.graph, nodes, self.discount, float)
                Part(self, component, is_cyclic(self.graph, nodes)).solve(share)


class Part:
    """The bounds inside one strong component, numbered within."""

    def __init__(self, whole: Bounds, component: Component[float], cyclic: bool):
        self.whole = whole
        self.component = component
        self.cyclic = cyclic
        self.size = len(component.nodes)
        self.undiscounted = whole.discount == 1
        exits = component.exits
        self.gap_outside = max((whole.high[t] - whole.low[t] for t in exits), default=0.0)
        self.low, self.high = self.first_bounds() if cyclic else ([-1.0], [1.0])
        self.can_stay = (
            cyclic and self.undiscounted and bool(end_components(range(self.size), component.target_sets))
        )

    def solve(self, share: float) -> None:
        """Brings the bounds to within `share` of the uncertainty outside, or raises Spent."""
        try:
            if self.cyclic:
                self.iterate(share)
            else:
                self.sweep(once=True)
        finally:
            for i, node in enumerate(self.component.nodes):
                self.whole.low[node], self.whole.high[node] = self.low[i], self.high[i]

    def iterate(self, share: float) -> None:
        rounds = unchanged = 0
        next_guess = 16
        while self.gap() > self.gap_outside + share and unchanged < PATIENCE:
            before = [*self.low, *self.high]
            self.sweep(backwards=rounds % 2 == 1)
            rounds += 1
            if self.can_stay and rounds % 3 == 0:
                self.treat_end_components(2.0 ** -(rounds // 3 % 50))
            if rounds == next_guess:
                self.guess(share)
                next_guess *= 4
            unchanged = unchanged + 1 if before == [*self.low, *self.high] else 0

    def gap(self) -> float:
        return max(high - low for low, high in zip(self.low, self.high, strict=True))

    # ------------------------------------------------------------ Bellman updates

    def sweep(self, backwards: bool = False, once: bool = False) -> None:
        """One update of every position, in place; bounds never get worse."""
        self.whole.sweeps += 1
        self.whole.budget.spend(self.size)
        for i in reversed(range(self.size)) if backwards else range(self.size):
            lows = [self.worth(choice, self.low, -1) for choice in self.component.choices[i]]
            highs = [self.worth(choice, self.high, 1) for choice in self.component.choices[i]]
            best = min if self.component.players[i] == MIN else max
            low, high = best(lows), best(highs)
            self.low[i] = low if once else max(self.low[i], low)
            self.high[i] = high if once else min(self.high[i], high)

    def worth(self, choice: Inside[float], values: Sequence[float], side: int) -> float:
        """What a choice is worth, rounded down (side -1) or up (side 1)."""
        outside = self.whole.low if side < 0 else self.whole.high
        total = choice.reward
        size = abs(choice.reward)
        for weight, target in choice.outside:
            term = weight * outside[target]
            total += term
            size += abs(term)
        for weight, target in choice.targets:
            term = weight * values[target]
            total += term
            size += abs(term)
        return total + side * roundings(choice) * size * ROUNDING

    # ------------------------------------------------------------ where play can stay for ever

    def treat_end_components(self, tolerance: float) -> None:
        """Deflates `high` and inflates `low` on end components of choices that look best."""
        attractive = [self.looks_best(i, tolerance) for i in range(self.size)]
        found = end_components(
            range(self.size),
            lambda i: [way for way in self.component.target_sets(i) if way[0] in attractive[i]],
        )
        for staying in found:
            self.deflate(staying)
            self.inflate(staying)

    def looks_best(self, i: int, tolerance: float) -> set[int]:
        choices = self.component.choices[i]
        if self.component.players[i] == MAX:
            worths = [self.worth(choice, self.high, 1) for choice in choices]
            return {
                c.name for c, worth in zip(choices, worths, strict=True) if worth >= max(worths) - tolerance
            }
        if self.component.players[i] == MIN:
            worths = [self.worth(choice, self.low, -1) for choice in choices]
            return {
                c.name for c, worth in zip(choices, worths, strict=True) if worth <= min(worths) + tolerance
            }
        return {choice.name for choice in choices}

    def deflate(self, staying: dict[int, set[int]]) -> None:
        """Min need not leave: Max gets at most endless play or the best way out."""
        if any(reward > 0 for reward in self.rewards_inside(staying, free=MAX)):
            return
        best = self.whole.endless
        for choice in self.ways_out(staying, MAX):
            best = max(best, self.worth(choice, self.high, 1))
        for i in staying:
            self.high[i] = min(self.high[i], best)

    def inflate(self, staying: dict[int, set[int]]) -> None:
        """Max need not leave: Min brings it down at most to endless play or the best way out."""
        if any(reward < 0 for reward in self.rewards_inside(staying, free=MIN)):
            return
        best = self.whole.endless
        for choice in self.ways_out(staying, MIN):
            best = min(best, self.worth(choice, self.low, -1))
        for i in staying:
            self.low[i] = max(self.low[i], best)

    def ways_out(self, staying: dict[int, set[int]], player: int) -> list[Inside[float]]:
        return [
            choice
            for i in staying
            if self.component.players[i] == player
            for choice in self.component.choices[i]
            if not self.inside(choice, staying)
        ]

    def rewards_inside(self, staying: dict[int, set[int]], free: int) -> list[float]:
        """Rewards while nobody leaves: the free player has all choices that stay, the other those given."""
        return [
            choice.reward
            for i, kept in staying.items()
            for choice in self.component.choices[i]
            if (self.component.players[i] == free and self.inside(choice, staying)) or choice.name in kept
        ]

    def inside(self, choice: Inside[float], staying: dict[int, set[int]]) -> bool:
        return choice.stays and all(target in staying for _, target in choice.targets)

    # ------------------------------------------------------------ guesses

    def guess(self, share: float) -> None:
        """Tries the solution of the equations as a bound from either side; in rationals if need be."""
        whole = self.whole
        if self.size <= LARGEST_GUESS:
            floats = Guess(self.component, whole.low, whole.high, rounding=ROUNDING)
            self.adopt(floats, share)
        if (
            self.size <= LARGEST_RATIONAL_GUESS
            and self.gap() > self.gap_outside + share
            and whole.graph.rational
        ):
            nodes = self.component.nodes
            component: Component[Fraction] = component_of(whole.graph, nodes, whole.discount, Fraction)
            self.adopt(Guess(component, whole.low, whole.high, rounding=0), share)

    def adopt(self, guess: Guess, share: float) -> None:
        for side, bound in ((1, self.high), (-1, self.low)):
            solution = guess.verified(bound, side, share)
            if solution is None:
                continue
            for i, number in enumerate(solution):
                outwards = nextafter(float(number), side * inf)
                bound[i] = min(bound[i], outwards) if side > 0 else max(bound[i], outwards)

    # ------------------------------------------------------------ before the first update

    def first_bounds(self) -> tuple[list[float], list[float]]:
        """Bounds that hold without looking inside: what lies outside, endless play, rewards on the way."""
        whole = self.whole
        exits = self.component.exits
        lows = [whole.low[t] for t in exits]
        highs = [whole.high[t] for t in exits]
        rewards = [choice.reward for choices in self.component.choices for choice in choices]
        most, least = max(rewards), min(rewards)
        if not self.undiscounted:
            left = 1 - float(whole.discount)
            low = min([*lows, 0.0, least / left])
            high = max([*highs, 0.0, most / left])
        else:
            low, high = min([*lows, whole.endless]), max([*highs, whole.endless])
            if most > 0:
                high += most * self.longest_stay(MIN)
            if least < 0:
                low += least * self.longest_stay(MAX)
        margin = 16 * ROUNDING * max(abs(low), abs(high))
        return [low - margin] * self.size, [high + margin] * self.size

    def longest_stay(self, leaver: int) -> float:
        """A bound of the expected number of moves inside when one player wants out and the other does not.

        If from everywhere the component is left within k moves with probability at least g, then the
        expectation is at most k / g.
        """
        leaving = [0.0] * self.size
        best = float("inf")
        for k in range(1, 4 * self.size + 1):
            leaving = [self.leaving_after(i, leaving, leaver) for i in range(self.size)]
            if min(leaving) > 0:
                best = min(best, k / min(leaving))
        if best == float("inf"):
            game, position = self.whole.game, self.whole.graph.positions[self.component.nodes[0]]
            player = game.players[1 - leaver] if game.traits.players == 2 else game.players[0]
            raise cannot_go_on(
                f"in {game.name} rewards can be collected for ever without reaching an end, so the value may "
                f"be unbounded: {player} can keep to positions such as {game.format_position(position)}.",
                "Give the game a discount below 1.",
            )
        return best * (1 + 1e-9)

    def leaving_after(self, i: int, leaving: Sequence[float], leaver: int) -> float:
        chances = [
            sum(weight for weight, _ in choice.outside)
            + sum(weight * leaving[target] for weight, target in choice.targets)
            for choice in self.component.choices[i]
        ]
        return max(chances) if self.component.players[i] == leaver else min(chances)


def _longest_chain(graph: Graph, parts: Sequence[Sequence[int]]) -> int:
    """How many components with cycles a play can pass through at most: each adds to the uncertainty."""
    length = [0] * len(graph)
    for nodes in parts:
        onward = max((length[t] for node in nodes for t in graph.successors(node)), default=0)
        longest = onward + (1 if is_cyclic(graph, nodes) else 0)
        for node in nodes:
            length[node] = longest
    return max(1, max(length, default=1))
