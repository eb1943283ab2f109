"""Equilibria of a small game of two whose interests may differ, by their supports (Dickhaut & Kaplan 1991).

A *plan* says what a player does in every information set that the plan itself leads to. In an equilibrium
all plans that are played with some probability, the support, are equally good against what the other does,
and none is better. So for every pair of supports of the same size two systems of linear equations give the
only probabilities that there may be; they are solved in fractions. In games where a plan has more equally
good answers than its support is large there may be more equilibria than are found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from time import perf_counter
from typing import Any

from gdl.diagnostics.wording.phrases import listing
from gdl.game import Game, Number
from solvers.core.numbers import show_short
from solvers.core.refusal import TooLarge, cannot_go_on
from solvers.core.result import Result, Work
from solvers.core.rounding import exact_twin
from solvers.hidden.equilibrium import Report, answer
from solvers.hidden.game_tree import GameTree, InformationSet, Node, game_tree
from solvers.hidden.judge import judge
from solvers.hidden.sequences import sequence_form_of
from solvers.registry import refuse

SUPPORTS = 20_000
"""Pairs of supports that are looked at, at most."""

Plan = dict[InformationSet, int]
Mixed = tuple[Fraction, ...]


def support_enumeration(
    game: Game[Any, Any], at: Any = None, *, limit: int | None = None, report: Report | None = None
) -> Result:
    """Equilibria in fractions; the answer is the one that pays both together most, and names the others."""
    refuse("support_enumeration", game)
    began = perf_counter()
    tree = game_tree(exact_twin(game), at, limit=limit)
    counts = [_count_of_plans_in(tree, player) for player in range(2)]
    if sum(counts) > SUPPORTS or supports(*counts) > SUPPORTS:
        raise TooLarge(
            f"{game.name} has {_told(counts[0])} and {_told(counts[1])} plans: too many supports.",
            _instead(game),
            "R002",
        )
    pairs = supports(*counts)
    plans = [list(plans_of(tree, player)) for player in range(2)]
    matrices = payments(tree, *plans)
    found: list[tuple[Mixed, Mixed]] = []
    for number, one in enumerate(_equilibria(*matrices)):
        if one is not None and one not in found:
            found.append(one)
        if report is not None and number % 100 == 0:
            report("looking at supports", number / pairs)
    if not found:
        raise cannot_go_on(
            f"no supports of the same size are an equilibrium of {game.name}: too many plans are as good.",
            _instead(game),
        )
    judged = [(_policy(tree, plans, mixed), mixed) for mixed in found]
    worth = [judge(tree, policy) for policy, _ in judged]
    best = max(range(len(found)), key=lambda k: sum(worth[k].values))
    assert worth[best].nash_conv == 0, "what was solved in fractions is an equilibrium"
    form = sequence_form_of(tree)
    flat: list[Number] = []
    for sets in tree.information_sets:
        flat += [1, *(p for one in sets for p in judged[best][0][one])]
    paid = [f"({', '.join(show_short(value) for value in one.values)})" for one in worth]
    how = "the only equilibrium with supports of the same size"
    if len(found) > 1:
        told = listing(paid, most=12)
        how = f"one of {len(found):,} equilibria with supports of the same size, which pay {told}"
    work = Work(perf_counter() - began, positions=form.histories)
    return answer(form, "support_enumeration", flat, worth[best], work, how=how)


def _instead(game: Game[Any, Any]) -> str:
    """What to use where supports do not lead to an equilibrium."""
    if game.traits.zero_sum:
        return "Use sequence_form, whose linear program needs no list of plans."
    return "Use cfr_plus, which measures what leaving its play would gain."


def plans_of(tree: GameTree, player: int) -> Iterator[Plan]:
    """What a player may do, without what the own moves before make impossible."""
    sets = tree.information_sets[player]

    def decided(number: int, plan: Plan) -> Iterator[Plan]:
        if number == len(sets):
            yield dict(plan)
            return
        one = sets[number]
        if one.before is not None and plan.get(one.before[0]) != one.before[1]:
            yield from decided(number + 1, plan)
            return
        for move in range(len(one.moves)):
            yield from decided(number + 1, {**plan, one: move})

    yield from decided(0, {})


def _count_of_plans_in(tree: GameTree, player: int) -> int:
    """How many `plans_of` would list: in poker with a few cards more than anybody could."""
    sets = tree.information_sets[player]
    numbers = {one: number for number, one in enumerate(sets)}
    parents = [None if one.before is None else (numbers[one.before[0]], one.before[1]) for one in sets]
    return count_of_plans([len(one.moves) for one in sets], parents)


def _told(count: int) -> str:
    return f"{count:,}" if count < 10**9 else "more than a billion"


def count_of_plans(moves: Sequence[int], parents: Sequence[tuple[int, int] | None]) -> int:
    """How many plans a player has, from the numbers of moves of the information sets in their order, and the
    set and move that come before each.

    >>> count_of_plans([2, 3], [None, (0, 1)])
    4
    """
    below: list[list[int]] = [[1] * count for count in moves]
    total = 1
    for number in reversed(range(len(moves))):
        parent = parents[number]
        ways = sum(below[number])
        if parent is None:
            total *= ways
        else:
            below[parent[0]][parent[1]] *= ways
    return total


def supports(one: int, other: int) -> int:
    """How many pairs of supports of the same size there are: one less than C(n + m, n), by Vandermonde.

    >>> supports(2, 2)
    5
    """
    return comb(one + other, one) - 1


def payments(tree: GameTree, rows: Sequence[Plan], columns: Sequence[Plan]) -> tuple[Any, Any]:
    """What both get, by the plans of both."""
    ends = list(_ends(tree.root, Fraction(1), {}))
    paid = [
        [
            [
                sum((weight * end.payoff[player] for end, weight, made in ends
                     if all((row if one.player == 0 else column).get(one) == move
                            for one, move in made.items())), Fraction(0))
                for column in columns
            ]
            for row in rows
        ]
        for player in range(2)
    ]  # fmt: skip
    return paid[0], paid[1]


def _ends(node: Node, weight: Fraction, made: Plan) -> Iterator[tuple[Node, Fraction, Plan]]:
    """The ends of plays, with the probability of chance and all that players did."""
    if node.payoff:
        yield node, weight, made
    for number, after in enumerate(node.after):
        if node.information is not None:
            yield from _ends(after, weight, {**made, node.information: number})
        else:
            yield from _ends(after, weight * Fraction(node.odds[number] if node.odds else 1), made)


def _equilibria(first: Any, second: Any) -> Iterator[tuple[Mixed, Mixed] | None]:
    """For every pair of supports the equilibrium, or None."""
    rows, columns = len(first), len(first[0])
    turned = [[second[i][j] for i in range(rows)] for j in range(columns)]
    for size in range(1, min(rows, columns) + 1):
        for own in combinations(range(rows), size):
            for other in combinations(range(columns), size):
                y = _indifferent(first, own, other)
                x = None if y is None else _indifferent(turned, other, own)
                yield None if x is None or y is None else (x, y)


def _indifferent(paid: Any, own: Sequence[int], other: Sequence[int]) -> Mixed | None:
    """What the other plays that makes all own plans of the support equally good, and no other plan better."""
    size = len(own)
    system = [[paid[i][j] for j in other] + [Fraction(-1), Fraction(0)] for i in own]
    system.append([Fraction(1)] * size + [Fraction(0), Fraction(1)])
    solution = _solved(system)
    if solution is None or any(share <= 0 for share in solution[:size]):
        return None
    value = solution[size]
    mixed = dict(zip(other, solution, strict=False))
    if any(sum(row[j] * share for j, share in mixed.items()) > value for row in paid):
        return None
    return tuple(mixed.get(j, Fraction(0)) for j in range(len(paid[0])))


def _solved(system: list[list[Fraction]]) -> list[Fraction] | None:
    """The solution of linear equations by elimination; None where there is not exactly one."""
    size = len(system)
    for column in range(size):
        pivot = next((row for row in range(column, size) if system[row][column] != 0), None)
        if pivot is None:
            return None
        system[column], system[pivot] = system[pivot], system[column]
        head = system[column][column]
        system[column] = [entry / head for entry in system[column]]
        for row in range(size):
            factor = system[row][column]
            if row != column and factor != 0:
                system[row] = [a - factor * b for a, b in zip(system[row], system[column], strict=True)]
    return [row[-1] for row in system]


def _policy(
    tree: GameTree, plans: Sequence[Sequence[Plan]], mixed: tuple[Mixed, Mixed]
) -> dict[InformationSet, list[Fraction]]:
    """The probabilities of moves by information set; equal ones where the own moves never lead."""
    policy = {}
    for player in range(2):
        for one in tree.information_sets[player]:
            shares = [Fraction(0)] * len(one.moves)
            for plan, share in zip(plans[player], mixed[player], strict=True):
                if one in plan:
                    shares[plan[one]] += share
            total = sum(shares)
            policy[one] = [part / total if total else Fraction(1, len(shares)) for part in shares]
    return policy
