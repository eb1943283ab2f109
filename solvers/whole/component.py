"""One strong component of the position graph of a duel, prepared for iteration.

The positions outside to which it leads are solved already. Values are the first player's ("Max"); the second
player is "Min". A choice of a position is worth

    reward + outside + sum of weight * value of the inside targets

where reward is the expected payment to Max, outside the contribution of what leads out, and weights are
probabilities times the discount. Payments that cancel leave nothing of a sum in floats, so an expectation is
summed without rounding and rounded once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, NamedTuple, TypeVar

from gdl.game import Number
from solvers.core.graph import Graph

N = TypeVar("N", bound=Number)

MAX, MIN = 0, 1


class Inside(NamedTuple, Generic[N]):
    """A choice: what it pays and leads to outside, and its weighted targets inside (numbered within)."""

    name: int  # its number among the choices of the position
    reward: N
    outside: tuple[tuple[N, int], ...]  # weight, number of the position in the graph
    targets: tuple[tuple[N, int], ...]

    @property
    def stays(self) -> bool:
        return not self.outside


@dataclass(frozen=True, slots=True)
class Component(Generic[N]):
    nodes: Sequence[int]  # numbers of the positions in the graph
    players: Sequence[int]  # MAX, MIN, or chance (which has one choice)
    choices: Sequence[tuple[Inside[N], ...]]

    @property
    def exits(self) -> set[int]:
        """The positions outside that can be reached in one move."""
        return {target for choices in self.choices for choice in choices for _, target in choice.outside}

    def target_sets(self, node: int) -> list[tuple[int, frozenset[int]]]:
        """The choices as (name, targets) for the search of end components; -1 stands for outside."""
        return [
            (choice.name, frozenset([t for _, t in choice.targets] + ([] if choice.stays else [-1])))
            for choice in self.choices[node]
        ]


def component_of(graph: Graph, nodes: Sequence[int], discount: Any, number: Any) -> Component[Any]:
    """The component with its numbers converted by `number` (float, or an exact type)."""
    inside = {node: i for i, node in enumerate(nodes)}
    discount = Fraction(discount)
    prepared = []
    for node in nodes:
        choices = []
        for name, choice in enumerate(graph.choices[node]):
            reward = Fraction(0)
            outside, targets = [], []
            for edge in choice.edges:
                if edge.rewards and edge.rewards[0]:
                    reward += Fraction(edge.probability) * Fraction(edge.rewards[0])
                weight = number(edge.probability if discount == 1 else Fraction(edge.probability) * discount)
                if edge.target in inside:
                    targets.append((weight, inside[edge.target]))
                else:
                    outside.append((weight, edge.target))
            choices.append(Inside(name, number(reward), tuple(outside), tuple(targets)))
        prepared.append(tuple(choices))
    return Component(nodes, [graph.players[node] for node in nodes], prepared)
