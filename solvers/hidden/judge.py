"""How good is play where something is hidden? Best responses over information sets, for any policy.

No solver takes part: a policy comes in as probabilities by information set, and what is measured is how
much each player would gain by playing a best response to the others instead. If nobody gains, it is an
equilibrium.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gdl.game import Number
from solvers.hidden.game_tree import GameTree, InformationSet, Node
from solvers.hidden.records import Judgement

TreePolicy = Mapping[InformationSet, Sequence[Number]]
"""Probabilities of the moves of every information set, in their order."""


def judge(tree: GameTree, policy: TreePolicy) -> Judgement:
    """Judges a policy over the whole tree, in the numbers of the game and the policy."""
    players = range(len(tree.game.players))
    values = tuple(_value(tree, policy, player) for player in players)
    return Judgement(values, tuple(best_response(tree, policy, player)[0] for player in players))


def best_response(
    tree: GameTree, policy: TreePolicy, player: int
) -> tuple[Number, dict[InformationSet, int]]:
    """The most that a player can get against the others' policies, and the moves that get it.

    The moves of an information set are compared by what they give in all of its histories together, each
    weighted with how probably chance and the others lead there; so what comes after it has to be decided
    before.
    """
    here = _histories(tree, policy, player)
    chosen: dict[InformationSet, int] = {}
    known: dict[int, Number] = {}

    def worth(node: Node) -> Number:
        """What the node gives, by moves that are chosen already."""
        if node.information is not None and node.information.player == player:
            return worth_of(node.after[chosen[node.information]])
        return _mean(node, policy, worth_of)

    def worth_of(node: Node) -> Number:
        if id(node) not in known:
            known[id(node)] = node.payoff[player] if node.payoff else worth(node)
        return known[id(node)]

    for information in reversed(tree.information_sets[player]):
        totals = [
            sum(weight * worth_of(node.after[move]) for node, weight in here[information])
            for move in range(len(information.moves))
        ]
        chosen[information] = max(range(len(totals)), key=totals.__getitem__)
    return worth_of(tree.root), chosen


def _histories(
    tree: GameTree, policy: TreePolicy, player: int
) -> dict[InformationSet, list[tuple[Node, Number]]]:
    """The histories of the player's information sets, with the probability of chance and the others."""
    found: dict[InformationSet, list[tuple[Node, Number]]] = {
        information: [] for information in tree.information_sets[player]
    }
    waiting: list[tuple[Node, Any]] = [(tree.root, 1)]
    while waiting:
        node, weight = waiting.pop()
        own = node.information is not None and node.information.player == player
        if own:
            assert node.information is not None
            found[node.information].append((node, weight))
        odds = [1] * len(node.after) if own else _odds(node, policy)
        waiting.extend((after, weight * p) for after, p in zip(node.after, odds, strict=True))
    return found


def _odds(node: Node, policy: TreePolicy) -> Sequence[Number]:
    if node.information is not None:
        return policy[node.information]
    return node.odds or [1] * len(node.after)


def _mean(node: Node, policy: TreePolicy, worth: Callable[[Node], Number]) -> Number:
    odds = _odds(node, policy)
    return sum(p * worth(after) for after, p in zip(node.after, odds, strict=True))


def _value(tree: GameTree, policy: TreePolicy, player: int) -> Number:
    """What a player gets when all follow the policy."""
    total: Number = 0
    waiting: list[tuple[Node, Any]] = [(tree.root, 1)]
    while waiting:
        node, weight = waiting.pop()
        if node.payoff:
            total += weight * node.payoff[player]
        odds = _odds(node, policy)
        waiting.extend((after, weight * p) for after, p in zip(node.after, odds, strict=True))
    return total
