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
clear margin everywhere. See `solvers.whole.optimistic`.

**Rationals.** Arithmetic is in floats, rounded outwards by a margin that covers the error of each update.
Where that does not come to an end, since the way out is too improbable, staying is best or numbers are too
large for floats, strategies are proven optimal in rationals (policy_iteration.py): with what lies
outside at its lower bounds they give lower bounds, with the upper ones upper bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor, inf, isinf
from typing import Any

from gdl.diagnostics.wording.phrases import all_of, counted
from gdl.game import TERMINAL, Game, Number, Outcome
from solvers.core.budget import Budget, Spent
from solvers.core.combine import opposed
from solvers.core.graph import Graph, swings
from solvers.core.interrupts import pass_on
from solvers.core.iteration import CLOSER, EFFORT, FEW_POSITIONS, PATIENCE, Infinite, coarse
from solvers.core.refusal import bad_option, unproven
from solvers.core.result import Result, Value
from solvers.core.rounding import exact_twin, infinite, outside, too_large
from solvers.core.starts import starts_of
from solvers.registry import refuse
from solvers.whole.backward_induction import induce
from solvers.whole.component import MAX, MIN, Component, Inside, component_of
from solvers.whole.graph import (
    READ_AS_DECIMALS,
    end_components,
    graph_components,
    is_cyclic,
    rationalised,
    reachable_graph,
)
from solvers.whole.optimistic import ROUNDING, Guess, roundings
from solvers.whole.policy_iteration import policy_iteration, proven_values
from solvers.whole.solution import Solution

LARGEST_GUESS = 400
"""Components up to this size are guessed by solving their equations in floats."""

ROUNDS_BEFORE_PROOF = 64
"""Rounds before a component is handed to rationals, and as many more for every position."""


def value_iteration(
    game: Game[Any, Any],
    at: Any = None,
    *,
    precision: float = 1e-9,
    limit: int | None = None,
    time: float | None = None,
) -> Result:
    """The value of a game for one or two opposed players, between proven bounds at most `precision` apart.

    Stopped by `time` or by hand it answers with the bounds that it has, marked as partial.
    """
    refuse("value_iteration", game)
    if not precision > 0:
        raise bad_option(f"a precision of {precision} can never be reached", "Use a precision above 0.")
    game = exact_twin(game)
    budget = Budget(time=time)
    starts = starts_of(game, at)
    found = reachable_graph(game, starts, limit)
    graph = rationalised(found)
    given = "" if found is graph else READ_AS_DECIMALS
    if not any(is_cyclic(graph, part) for part in graph_components(graph)):
        return _in_one_pass(game, graph, starts, budget, given)
    if any(too_large(number) for number in (*game.traits.endless, *graph.paid())):
        return policy_iteration(game, at, limit=limit)
    iteration = Bounds(game, graph, budget)
    partial = False
    try:
        iteration.run(precision)
    except (Spent, KeyboardInterrupt) as end:
        pass_on(end)
        partial = True
    except Infinite:
        return policy_iteration(game, at, limit=limit)
    if not partial and iteration.widest > precision and len(graph) <= FEW_POSITIONS:
        return policy_iteration(game, at, limit=limit)
    low, high = iteration.low, iteration.high
    if game.traits.whole_values and all(ceil(a) == floor(b) for a, b in zip(low, high, strict=True)):
        low = high = [ceil(bound) for bound in low]  # only one whole number lies between
    solution = Solution(game, graph, lambda node: opposed(game, Value.bounded(low[node], high[node])))
    parts = counted(iteration.parts, "strong component")
    how = f"bounds iterated over {all_of(len(graph), 'position')}, {parts} in turn"
    how += coarse(0 if high is low else iteration.widest, precision, partial) + given
    work = budget.work(positions=len(graph), rounds=iteration.sweeps)
    return solution.result("value_iteration", starts, how, work, partial)


def _in_one_pass(
    game: Game[Any, Any], graph: Graph, starts: Sequence[Outcome], budget: Budget, given: str
) -> Result:
    """Where no play comes back there is nothing to iterate, and every value is exact."""
    values = induce(game, graph)
    solution = Solution(game, graph, lambda node: tuple(Value.exact(number) for number in values[node]))
    how = f"one pass over {all_of(len(graph), 'position')}, none of which comes back{given}"
    return solution.result("value_iteration", starts, how, budget.work(positions=len(graph)))


class Bounds:
    """Proven bounds of the first player's value, for every position of the graph."""

    def __init__(self, game: Game[Any, Any], graph: Graph, budget: Budget):
        self.game = game
        self.graph = graph
        self.budget = budget
        self.discount = game.traits.discount
        self.endless: Number = game.traits.endless[0] if game.traits.endless else 0
        lowest, highest = game.traits.value_bounds[0]
        self.lowest, self.highest = rounded(lowest, -1), rounded(highest, 1)
        self.low = [self.lowest] * len(graph)
        self.high = [self.highest] * len(graph)
        self.sweeps = 0
        self.parts = 0

    @property
    def widest(self) -> float:
        return max(high - low for low, high in zip(self.low, self.high, strict=True))

    def run(self, precision: float) -> None:
        parts = graph_components(self.graph)
        self.parts = len(parts)
        share = precision / (2 * _longest_chain(self.graph, parts))
        for nodes in parts:
            if self.graph.players[nodes[0]] == TERMINAL:
                utility = self.graph.utilities[nodes[0]]
                assert utility is not None
                self.low[nodes[0]], self.high[nodes[0]] = rounded(utility[0], -1), rounded(utility[0], 1)
            else:
                component: Component[float] = component_of(self.graph, nodes, self.discount, float)
                Part(self, component, is_cyclic(self.graph, nodes)).solve(share)


def rounded(number: Number, side: int) -> float:
    """The number as a float; where there is none, the next one above (side 1) or below (-1)."""
    return outside(number, number)[0 if side < 0 else 1]


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
            whole = self.whole
            for i, node in enumerate(self.component.nodes):
                whole.low[node] = max(self.low[i], whole.lowest)
                whole.high[node] = min(self.high[i], whole.highest)

    def iterate(self, share: float) -> None:
        rounds = 0
        next_guess = 16
        proof_due = 0 if isinf(self.gap()) else ROUNDS_BEFORE_PROOF + self.size
        wide, since = self.gap(), 0
        while self.gap() > self.gap_outside + share:
            if rounds == proof_due and self.prove():
                return
            if self.gap() <= CLOSER * wide:
                wide, since = self.gap(), rounds
            elif rounds - since > PATIENCE:
                return
            self.sweep(backwards=rounds % 2 == 1)
            rounds += 1
            if self.can_stay and rounds % 3 == 0:
                self.treat_end_components(2.0 ** -(rounds // 3 % 50))
            if rounds == next_guess:
                self.guess(share)
                next_guess *= 4

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
        exits = self.whole.low if side < 0 else self.whole.high
        total = choice.reward
        size = abs(choice.reward)
        for weight, target in choice.outside:
            term = weight * exits[target]
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
        best = rounded(self.whole.endless, 1)
        for choice in self.ways_out(staying, MAX):
            best = max(best, self.worth(choice, self.high, 1))
        for i in staying:
            self.high[i] = min(self.high[i], best)

    def inflate(self, staying: dict[int, set[int]]) -> None:
        """Max need not leave: Min brings it down at most to endless play or the best way out."""
        if any(reward < 0 for reward in self.rewards_inside(staying, free=MIN)):
            return
        best = rounded(self.whole.endless, -1)
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

    # ------------------------------------------------------------ guesses and proofs

    def guess(self, share: float) -> None:
        """Tries the solution of the equations, in floats, as a bound from either side."""
        if self.size > LARGEST_GUESS:
            return
        guess = Guess(self.component, self.whole.low, self.whole.high)
        for side, bound in ((1, self.high), (-1, self.low)):
            solution = guess.verified(bound, side, share)
            if solution is None:
                continue
            for i, number in enumerate(solution):
                bound[i] = min(bound[i], number) if side > 0 else max(bound[i], number)

    def prove(self) -> bool:
        """Finds the bounds in rationals, as close as those outside; whether that was not too much work.

        Refuses where there is no value: rewards can be collected for ever.
        """
        whole = self.whole
        known = not isinf(self.gap())
        found = proven_bounds(
            whole,
            self.component.nodes,
            self.best_looking() if known else None,
            EFFORT if known else None,  # bounds that are infinite are no other way
        )
        if found is None:
            return False
        self.low[:], self.high[:] = found
        return True

    def best_looking(self) -> list[int]:
        """The choice of each position that is best half way between the bounds."""
        values = [(low + high) / 2 for low, high in zip(self.low, self.high, strict=True)]
        found = []
        for player, choices in zip(self.component.players, self.component.choices, strict=True):
            best = min if player == MIN else max
            found.append(best(choices, key=lambda choice: self.worth(choice, values, 1)).name)
        return found

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
            left = float(1 - Fraction(whole.discount))
            low = min([*lows, 0.0, least / left])
            high = max([*highs, 0.0, most / left])
        else:
            low = min([*lows, rounded(whole.endless, -1)])
            high = max([*highs, rounded(whole.endless, 1)])
            if most > 0:
                high += most * self.longest_stay(MIN)
            if least < 0:
                low += least * self.longest_stay(MAX)
        margin = 16 * ROUNDING * max(abs(low), abs(high))
        return [low - margin] * self.size, [high + margin] * self.size

    def longest_stay(self, leaver: int) -> float:
        """A bound of the expected number of moves inside when one player wants out and the other does not;
        infinite where the other can stay for ever, though perhaps not where anything is paid.

        If from everywhere the component is left within k moves with probability at least g, then the
        expectation is at most k / g.
        """
        leaving = [0.0] * self.size
        best = inf
        for k in range(1, 4 * self.size + 1):
            leaving = [self.leaving_after(i, leaving, leaver) for i in range(self.size)]
            if min(leaving) > 0:
                best = min(best, k / min(leaving))
        return best * (1 + 1e-9)

    def leaving_after(self, i: int, leaving: Sequence[float], leaver: int) -> float:
        chances = [
            sum(weight for weight, _ in choice.outside)
            + sum(weight * leaving[target] for weight, target in choice.targets)
            for choice in self.component.choices[i]
        ]
        return max(chances) if self.component.players[i] == leaver else min(chances)


def proven_bounds(
    whole: Bounds, nodes: Sequence[int], pair: Sequence[int] | None, effort: int | None
) -> tuple[list[float], list[float]] | None:
    """Bounds of a component with cycles, no further apart than those outside but for the rounding of floats.

    The value does not fall when what lies outside rises: with its lower bounds the game is worth no more than
    it is, with the upper ones no less. `pair` may name best choices. None if it takes more than `effort`.
    """
    within = Budget(nodes=effort)

    def spend(entries: int) -> None:
        whole.budget.spend(0)
        within.spend(entries)

    def values(known: Sequence[float]) -> Sequence[Number]:
        solved = proven_values(
            whole.graph, nodes, whole.discount, known, whole.endless, pair=pair, spend=spend
        )
        if solved is None:
            raise unproven(whole.game, whole.graph.positions[nodes[0]], swings(whole.graph, nodes))
        if any(infinite(value) for value in solved):
            raise Infinite
        return solved

    inside = set(nodes)
    exits = {target for node in nodes for target in whole.graph.successors(node)} - inside
    try:
        low = high = values(whole.low)
        if any(whole.low[target] != whole.high[target] for target in exits):
            high = values(whole.high)
    except Spent:
        whole.budget.spend(0)  # was it the time?
        return None
    return [rounded(value, -1) for value in low], [rounded(value, 1) for value in high]


def _longest_chain(graph: Graph, parts: Sequence[Sequence[int]]) -> int:
    """How many components with cycles a play can pass through at most: each adds to the uncertainty."""
    length = [0] * len(graph)
    for nodes in parts:
        onward = max((length[t] for node in nodes for t in graph.successors(node)), default=0)
        longest = onward + (1 if is_cyclic(graph, nodes) else 0)
        for node in nodes:
            length[node] = longest
    return max(1, max(length, default=1))
