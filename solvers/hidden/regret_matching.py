"""Counterfactual regret minimisation, as it is taught, and the rules by which its variants differ.

Every information set remembers for each move how much better it would have been to make it always (its
regret), and makes the moves in proportion to their positive regrets. What is played on average comes close
to an equilibrium where two players are opposed (Zinkevich et al. 2007); with more players, or other
interests, only the regret that is measured afterwards says how close.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from gdl.game import Number
from solvers.hidden.game_tree import GameTree, InformationSet, Node
from solvers.hidden.records import Rule


def discount(exponent: float, t: int) -> float:
    """t^exponent / (t^exponent + 1).

    >>> discount(inf, 7), discount(0.0, 7), discount(1.0, 3)
    (1.0, 0.5, 0.75)
    """
    return 1.0 if exponent == inf else t**exponent / (t**exponent + 1)


class RegretMatching:
    """The tables of all players, round by round. One dict entry per information set, one number per move."""

    def __init__(self, tree: GameTree, rule: Rule, *, alternating: bool = True):
        self.tree = tree
        self.rule = rule
        self.alternating = alternating
        self.rounds = 0
        sets = [one for found in tree.information_sets for one in found]
        self.policy = {one: [1 / len(one.moves)] * len(one.moves) for one in sets}
        self.regret = {one: [0.0] * len(one.moves) for one in sets}
        self.last = {one: [0.0] * len(one.moves) for one in sets}  # the regret of this round alone
        self.sums = {one: [0.0] * len(one.moves) for one in sets}  # of the average

    def run(self, rounds: int) -> None:
        """Plays so many rounds. Alternating, each player answers what those before did in the same round."""
        for _ in range(rounds):
            self.rounds += 1
            before = dict(self.policy)
            for player in range(len(self.tree.game.players)):
                for one in self.tree.information_sets[player]:
                    self.last[one] = [0.0] * len(one.moves)
                self.visit(self.tree.root, player, 1.0, self.policy if self.alternating else before)
                self.learn(player)

    def average(self) -> dict[InformationSet, Sequence[Number]]:
        """What was played on average, weighted with how often the player's own moves led there."""
        found: dict[InformationSet, Sequence[Number]] = {}
        for one, sums in self.sums.items():
            total = sum(sums)
            found[one] = [part / total for part in sums] if total else [1 / len(sums)] * len(sums)
        return found

    def visit(
        self, node: Node, player: int, weight: float, policy: dict[InformationSet, list[float]]
    ) -> float:
        """What the node is worth to the player, times `weight`: how probably chance and the others lead to
        it.

        Adds to the regrets of this round on the way.
        """
        if node.payoff:
            return weight * float(node.payoff[player])
        if node.information is None:
            odds = node.odds or [1]
            return sum(
                self.visit(after, player, weight * float(p), policy)
                for after, p in zip(node.after, odds, strict=True)
            )
        chances = policy[node.information]
        if node.information.player != player:
            return sum(
                self.visit(after, player, weight * p, policy)
                for after, p in zip(node.after, chances, strict=True)
            )
        worth = [self.visit(after, player, weight, policy) for after in node.after]
        mean = sum(p * value for p, value in zip(chances, worth, strict=True))
        regrets = self.last[node.information]
        for move, value in enumerate(worth):
            regrets[move] += value - mean
        return mean

    def learn(self, player: int) -> None:
        """Adds this round to the average, and to the regrets; the next policy follows from those."""
        rule, t = self.rule, self.rounds
        reach: dict[InformationSet, float] = {}
        for one in self.tree.information_sets[player]:
            before = one.before
            reach[one] = 1.0 if before is None else reach[before[0]] * self.policy[before[0]][before[1]]
            for move, p in enumerate(self.policy[one]):
                self.sums[one][move] += t**rule.gamma * reach[one] * p
        for one in self.tree.information_sets[player]:
            regrets = [old + new for old, new in zip(self.regret[one], self.last[one], strict=True)]
            if rule.plus:
                regrets = [max(regret, 0.0) for regret in regrets]
            regrets = [regret * discount(rule.alpha if regret > 0 else rule.beta, t) for regret in regrets]
            self.regret[one] = regrets
            expected = self.last[one] if rule.predictive else [0.0] * len(regrets)
            self.policy[one] = matched([r + e for r, e in zip(regrets, expected, strict=True)])


def matched(regrets: Sequence[float]) -> list[float]:
    """Probabilities in proportion to positive regrets; equal ones where no regret is positive.

    >>> matched([3.0, -1.0, 1.0]), matched([-1.0, -2.0])
    ([0.75, 0.0, 0.25], [0.5, 0.5])
    """
    positive = [max(regret, 0.0) for regret in regrets]
    total = sum(positive)
    return [part / total for part in positive] if total > 0 else [1 / len(positive)] * len(positive)
