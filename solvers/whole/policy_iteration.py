"""Strategy iteration with a rational proof: the exact value of games in which positions may come back.

For each strong component in turn, with what it leads to already solved:

1. **Search** for optimal strategies. Max keeps a strategy, Min answers it optimally, Max switches wherever
   another choice is better against the answer, until nothing is (Howard 1960, Hoffman & Karp 1966). So that
   this cannot be fooled by plays that never end, every move ends the game with a small probability and pays
   what endless play is worth; for all probabilities that are small enough the same strategies are optimal
   as without (Blackwell 1962), so smaller ones are tried until the proof succeeds.
2. **Prove.** The value of the pair of strategies is computed in rationals without the small probability, and
   then checked: no choice of Max leads higher against Min's strategy, nor does staying for ever, and
   the same for Min. That is a proof, however the strategies were found: the first uses floats.

Why the second check suffices, for Max against Min's strategy: no choice leads higher, so what has been paid
plus the value of where the play is falls on average, and by a clear amount with each choice that is worse.
A play that makes such choices for ever is paid less than any number. One that does not goes round, in the
end, in an end component of choices that lose nothing: what it is paid on the way is what it loses in value,
and if endless play is worth no more than the values there, it ends up with no more than the value.

**No value.** Where a player can collect for ever whatever the other does, the value is infinite; see
`Strategies.without_end`. Plays that matter may still keep away from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import inf, nan
from typing import Any

from gdl.diagnostics.wording.phrases import all_of
from gdl.game import TERMINAL, Game, Number, Outcome
from solvers.core.budget import Budget
from solvers.core.combine import opposed
from solvers.core.graph import Graph, swings
from solvers.core.linear import solve_linear
from solvers.core.refusal import unproven
from solvers.core.result import Result, Value
from solvers.core.rounding import exact_twin, infinite, too_large
from solvers.core.starts import starts_of
from solvers.registry import refuse
from solvers.whole.component import MAX, MIN, Component, Inside, component_of
from solvers.whole.graph import (
    READ_AS_DECIMALS,
    components,
    end_components,
    graph_components,
    is_cyclic,
    rationalised,
    reachable_graph,
)
from solvers.whole.solution import Solution

STOPS = (1e-3, 1e-6, 1e-9)
RATIONAL_STOPS = tuple(Fraction(1, 10**k) for k in (6, 12, 24, 48, 96, 192, 384))
"""The probabilities of an early end that are tried, with floats and then with rationals."""

MOST_SWITCHES = 200
"""A search in floats goes no further: where roundings decide, it may go round."""


def policy_iteration(
    game: Game[Any, Any], at: Any = None, *, exact: bool = True, limit: int | None = None
) -> Result:
    """The value of a game for one or two opposed players as a fraction, with a proof in rationals.

    Without `exact` floats must do, and the answer is the bounds of value iteration.
    """
    refuse("policy_iteration", game)
    if not exact:
        from solvers.whole.value_iteration import value_iteration

        return value_iteration(game, at, limit=limit)
    game = exact_twin(game)
    budget = Budget()
    starts = starts_of(game, at)
    graph = reachable_graph(game, starts, limit)
    rational = rationalised(graph)
    values = strategy_values(game, rational)
    refuse_infinite(game, graph, starts, values)
    solution = Solution(game, rational, lambda node: opposed(game, Value.exact(values[node])))
    given = "" if rational is graph else READ_AS_DECIMALS
    how = f"strategy iteration over {all_of(len(graph), 'position')}, verified in rational arithmetic{given}"
    return solution.result("policy_iteration", starts, how, budget.work(positions=len(graph)))


def refuse_infinite(
    game: Game[Any, Any], graph: Graph, starts: Iterable[Outcome], values: Sequence[Number]
) -> None:
    """Refuses a game in which somebody can collect for ever from the start, unless that is a cost."""
    if game.traits.minimise:
        return
    for start in starts:
        if infinite(values[graph.index[start.position]]):
            raise unproven(game, start.position)


def strategy_values(game: Game[Any, Any], graph: Graph) -> list[Number]:
    """The first player's value of every position; infinite where somebody can collect for ever."""
    values: list[Number] = [0] * len(graph)
    endless = Fraction(game.traits.endless[0]) if game.traits.endless else Fraction(0)
    discount = game.traits.discount
    for nodes in graph_components(graph):
        if graph.players[nodes[0]] == TERMINAL:
            utility = graph.utilities[nodes[0]]
            assert utility is not None
            values[nodes[0]] = Fraction(utility[0])
            continue
        solved: Sequence[Number] | None
        if is_cyclic(graph, nodes):
            solved = proven_values(graph, nodes, discount, values, endless)
        else:
            component = component_of(graph, nodes, discount, Fraction)
            solved = [Strategies(component, values, endless, discount == 1).best_worth(0, [0])]
        if solved is None or any(value != value for value in solved):
            raise unproven(game, graph.positions[nodes[0]], swings(graph, nodes))
        for node, value in zip(nodes, solved, strict=True):
            values[node] = value
    return values


def proven_values(
    graph: Graph,
    nodes: Sequence[int],
    discount: Number,
    outside: Sequence[Number],
    endless: Number,
    *,
    pair: Sequence[int] | None = None,
    spend: Callable[[int], None] = lambda entries: None,
) -> Sequence[Number] | None:
    """The values of a component with cycles as fractions, from the `outside` values of where it leads to;
    infinite where somebody can collect for ever.

    None where no strategies can be proven optimal. `pair` names a choice for each position that may be the
    best; `spend` is told of the work in advance, and may raise.
    """
    component = component_of(graph, nodes, discount, Fraction)
    known = {
        target: value if infinite(value) else Fraction(value)
        for target, value in ((target, outside[target]) for target in component.exits)
    }
    part = Strategies(component, known, Fraction(endless), discount == 1, spend)
    if any(too_large(number) for number in part.paid()):
        return part.proven(None, pair)
    floats = component_of(graph, nodes, discount, float)
    roughly = {target: float(value) for target, value in known.items()}
    return part.proven(Strategies(floats, roughly, float(endless), discount == 1, spend), pair)


class Strategies:
    """Pairs of strategies inside one component: one choice for each position. Numbers are all of one kind."""

    def __init__(
        self,
        component: Component[Any],
        outside: Mapping[int, Any] | Sequence[Any],
        endless: Any,
        may_stay: bool,
        spend: Callable[[int], None] = lambda entries: None,
    ):
        self.component = component
        self.outside = outside
        self.endless = endless
        self.may_stay = may_stay  # there is no discount, so that a play that stays for ever counts
        self.size = len(component.nodes)
        self.spend = spend

    def proven(
        self, search: Strategies | None, first: Sequence[int] | None = None
    ) -> Sequence[Number] | None:
        """The values, once a pair of strategies has been found that the proof accepts.

        `search` is the same in floats, None where they cannot hold the numbers; `first` names the choices
        that are tried before any search, and that each search begins with.
        """
        names = [0] * self.size if first is None else list(first)
        finite = not any(infinite(value) for value in self.known_outside())
        if finite and first is not None and (values := self.tried(names)) is not None:
            return values
        attempts: list[tuple[Strategies, Any]] = []
        if search is not None and (finite or not self.may_stay):
            attempts += [(search, stop) for stop in (STOPS if self.may_stay else (0.0,))]
        if not self.may_stay:
            attempts.append((self, 0))
        else:
            attempts += [(self if finite else self.with_finite_exits(stop), stop) for stop in RATIONAL_STOPS]
        for searcher, stop in attempts:
            pair = searcher.search(stop, names)
            names = [choice.name for choice in pair]
            if finite and (values := self.tried(names)) is not None:
                return values
            if self.may_stay and isinstance(stop, Fraction):
                stopping = searcher.stopping_values(pair, stop)
                assert stopping is not None, "a game that surely stops has one value"
                if (found := self.partly_infinite(pair, stopping)) is not None:
                    return found
        return None

    def paid(self) -> list[Any]:
        """All numbers that values here are made of."""
        rewards = [choice.reward for choices in self.component.choices for choice in choices]
        return [*rewards, *self.known_outside(), self.endless]

    def known_outside(self) -> list[Any]:
        return [self.outside[target] for target in self.component.exits]

    def with_finite_exits(self, stop: Fraction) -> Strategies:
        """The same with large numbers for infinite ones, to search with."""
        outside = {
            target: (1 if value > 0 else -1) / stop**2 if infinite(value) else value
            for target, value in ((target, self.outside[target]) for target in self.component.exits)
        }
        return Strategies(self.component, outside, self.endless, self.may_stay, self.spend)

    def tried(self, names: Sequence[int]) -> Sequence[Fraction] | None:
        """The values of the strategies that make the named choices, if they are optimal."""
        pair = [
            next(choice for choice in choices if choice.name == name)
            for choices, name in zip(self.component.choices, names, strict=True)
        ]
        values = self.value_of(pair)
        return values if values is not None and self.optimal(pair, values) else None

    # ------------------------------------------------------------ where rewards have no end

    def partly_infinite(
        self, pair: Sequence[Inside[Any]], values: Sequence[Fraction]
    ) -> Sequence[Number] | None:
        """The values where some positions are worth less, or more, than any number, and the others, which
        keep away from there, as much as a proof says.

        The pair is optimal with an early end, and then has the given values.
        """
        lost = self.without_end(pair, values, MAX, -1)
        won = self.without_end(pair, values, MIN, 1)
        if lost & won or not (lost or won or any(infinite(value) for value in self.known_outside())):
            return None
        rest = [i for i in range(self.size) if i not in lost and i not in won]
        number = {i: k for k, i in enumerate(rest)}
        kept: list[tuple[Inside[Any], ...]] = []
        for i in range(self.size):
            player = self.component.players[i]
            choices = []
            for choice in self.component.choices[i]:
                down, up = self.touches(choice, lost, -1), self.touches(choice, won, 1)
                if i in lost or i in won:
                    free = MAX if i in lost else MIN
                    if (up if i in lost else down) and (player == free or choice.name == pair[i].name):
                        return None  # something may be won and something lost without end
                    continue
                if (up and player != MIN) or (down and player != MAX):
                    return None  # the pair is not optimal yet
                if not up and not down:
                    targets = tuple((weight, number[target]) for weight, target in choice.targets)
                    choices.append(choice._replace(targets=targets))
            if i in number:
                kept.append(tuple(choices))
        players = [self.component.players[i] for i in rest]
        inner = Component([self.component.nodes[i] for i in rest], players, kept)
        part = Strategies(inner, self.outside, self.endless, True, self.spend)
        if any(pair[i].name not in {choice.name for choice in kept[k]} for i, k in number.items()):
            return None
        solved = part.tried([pair[i].name for i in rest])
        if solved is None:
            return None
        return [-inf if i in lost else inf if i in won else solved[number[i]] for i in range(self.size)]

    def without_end(
        self, pair: Sequence[Inside[Any]], values: Sequence[Fraction], free: int, sign: int
    ) -> set[int]:
        """Where the value is infinite, of the given sign, whatever the free player does against the pair.

        With an early end no choice of the free player is worth more (to it) than `values`. So in a set that
        it cannot leave, and in which endless play would be better for it than all values, one step without
        the early end leads to strictly worse values from everywhere, and a play there is paid to its damage
        without end. Positions follow from which it cannot be sure to keep away from such a set.
        """
        allowed = [
            self.component.choices[i] if self.component.players[i] == free else (choice,)
            for i, choice in enumerate(pair)
        ]
        core = {i for i, value in enumerate(values) if sign * (value - self.endless) > 0}
        while True:
            leaving = {
                i
                for i in core
                if any(
                    choice.outside or any(target not in core for _, target in choice.targets)
                    for choice in allowed[i]
                )
            }
            if not leaving:
                break
            core -= leaving
        found = core
        while True:
            more = {
                i
                for i in range(self.size)
                if i not in found and all(self.touches(choice, found, sign) for choice in allowed[i])
            }
            if not more:
                return found
            found = found | more

    def touches(self, choice: Inside[Any], inside: set[int], sign: int) -> bool:
        """Whether a choice may lead into the set, or outside to a value that is infinite with that sign."""
        return any(target in inside for _, target in choice.targets) or any(
            infinite(self.outside[target]) and (self.outside[target] > 0) == (sign > 0)
            for _, target in choice.outside
        )

    # ------------------------------------------------------------ the search

    def search(self, stop: Any, names: Sequence[int] | None = None) -> list[Inside[Any]]:
        """Optimal strategies when every move ends the game with probability `stop` (Hoffman & Karp), from
        the choices named. In floats they are only likely to be optimal.
        """
        names = [0] * self.size if names is None else names
        pair = [choices[name] for choices, name in zip(self.component.choices, names, strict=True)]
        most = MOST_SWITCHES if isinstance(stop, float) else inf
        switches = 0
        while switches < most:
            values = self.stopping_values(pair, stop)
            if values is None:
                break
            switches += 1
            if not self.switch(pair, values, MIN) and not self.switch(pair, values, MAX):
                break
        return pair

    def switch(self, pair: list[Inside[Any]], values: Sequence[Any], player: int) -> bool:
        """Gives the player better choices where there are any; whether there were."""
        clearly = 1e-12 * max(1.0, *(abs(value) for value in values)) if isinstance(values[0], float) else 0
        better = False
        for i, choice in enumerate(pair):
            if self.component.players[i] != player:
                continue
            sign = 1 if player == MAX else -1
            best = max(self.component.choices[i], key=lambda other: sign * self.worth(other, values))
            if sign * (self.worth(best, values) - self.worth(choice, values)) > clearly:
                pair[i] = best
                better = True
        return better

    def stopping_values(self, pair: Sequence[Inside[Any]], stop: Any) -> Sequence[Any] | None:
        """What the pair is worth if every move may be the last; None where floats are too coarse to tell."""
        nothing = [0] * self.size
        rows, pay = [], []
        for i, choice in enumerate(pair):
            row = {i: 1 + 0 * stop}
            for weight, target in choice.targets:
                row[target] = row.get(target, 0) - (1 - stop) * weight
            rows.append(row)
            pay.append((1 - stop) * self.worth(choice, nothing) + stop * self.endless)
        solved = solve_linear(rows, pay, spend=self.spend)
        return None if solved is None else solved[0]

    def worth(self, choice: Inside[Any], values: Sequence[Any]) -> Any:
        return (
            choice.reward
            + sum(weight * self.outside[target] for weight, target in choice.outside)
            + sum(weight * values[target] for weight, target in choice.targets)
        )

    def best_worth(self, i: int, values: Sequence[Any]) -> Any:
        """What the best choice is worth; nan where one may win and lose without end: no expectation."""
        worths = [self.worth(choice, values) for choice in self.component.choices[i]]
        if any(worth != worth for worth in worths):
            return nan
        return min(worths) if self.component.players[i] == MIN else max(worths)

    # ------------------------------------------------------------ the proof

    def value_of(self, pair: Sequence[Inside[Any]]) -> Sequence[Any] | None:
        """What the pair is worth: endless play where it goes round; None if something is paid there."""
        staying = self.going_round(pair) if self.may_stay else set()
        if any(pair[i].reward for i in staying):
            return None
        rows, pay = [], []
        for i, choice in enumerate(pair):
            row: dict[int, Any] = {i: self.endless * 0 + 1}
            if i not in staying:
                for weight, target in choice.targets:
                    row[target] = row.get(target, 0) - weight
                pay.append(self.worth(choice, [0] * self.size))
            else:
                pay.append(self.endless)
            rows.append(row)
        solved = solve_linear(rows, pay, spend=self.spend)
        return None if solved is None else solved[0]

    def going_round(self, pair: Sequence[Inside[Any]]) -> set[int]:
        """The positions to which the pair comes back for ever, once there."""
        targets = [[target for _, target in choice.targets] for choice in pair]
        found: set[int] = set()
        for part in components(self.size, lambda i: targets[i]):
            inside = set(part)
            if all(pair[i].stays and inside.issuperset(targets[i]) for i in part):
                found |= inside
        return found

    def optimal(self, pair: Sequence[Inside[Any]], values: Sequence[Any]) -> bool:
        """Whether neither player can do better against the other's strategy, now or by staying for ever."""
        for i, value in enumerate(values):
            worths = [self.worth(choice, values) for choice in self.component.choices[i]]
            if self.component.players[i] == MAX and max(worths) > value:
                return False
            if self.component.players[i] == MIN and min(worths) < value:
                return False
        return not self.may_stay or all(
            self.staying_is_no_better(pair, values, free, sign) for free, sign in ((MAX, 1), (MIN, -1))
        )

    def staying_is_no_better(
        self, pair: Sequence[Inside[Any]], values: Sequence[Any], free: int, sign: int
    ) -> bool:
        """Whether the free player gains nothing by endless play against the other's strategy, where no choice
        leads higher: only choices that lose nothing need to be looked at.
        """
        names = [
            {other.name for other in choices if self.worth(other, values) == value}
            if self.component.players[i] == free
            else {choice.name}
            for i, (choices, choice, value) in enumerate(
                zip(self.component.choices, pair, values, strict=True)
            )
        ]

        def ways(i: int) -> list[tuple[int, frozenset[int]]]:
            return [way for way in self.component.target_sets(i) if way[0] in names[i]]

        return all(
            sign * (self.endless - values[i]) <= 0
            for staying in end_components(range(self.size), ways)
            for i in staying
        )
