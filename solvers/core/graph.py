"""Positions, what can be chosen in them and where that leads, as numbers: what textbook solvers look at, and
what kernels hand to a proof in rationals."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from gdl.game import Number


class Edge(NamedTuple):
    target: int
    probability: Number
    rewards: tuple[Number, ...]  # per player; empty where nothing is paid


class Choice(NamedTuple):
    """A move and what it may lead to; `move` is None for chance."""

    move: Any
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """`players`, `choices` and `utilities` by number of position; utilities only of finished games."""

    positions: Sequence[Hashable]
    index: dict[Hashable, int]
    players: Sequence[int]
    choices: Sequence[tuple[Choice, ...]]
    utilities: Sequence[tuple[Number, ...] | None]

    def __len__(self) -> int:
        return len(self.positions)

    def successors(self, node: int) -> Iterable[int]:
        for choice in self.choices[node]:
            for edge in choice.edges:
                yield edge.target

    def paid(self) -> Iterator[Number]:
        """Every number that somebody may be paid, on the way or at the end."""
        for choices, utility in zip(self.choices, self.utilities, strict=True):
            yield from utility or ()
            for choice in choices:
                for edge in choice.edges:
                    yield from edge.rewards

    @property
    def rational(self) -> bool:
        """Whether every number in it is exact."""
        return all(
            isinstance(edge.probability, int | Fraction)
            and all(isinstance(r, int | Fraction) for r in edge.rewards)
            for choices in self.choices
            for choice in choices
            for edge in choice.edges
        ) and all(isinstance(u, int | Fraction) for utility in self.utilities if utility for u in utility)


def rational(number: Number) -> Fraction:
    """The number itself, or what a float is written as."""
    return Fraction(repr(float(number))) if isinstance(number, float) else Fraction(number)


def swings(graph: Graph, nodes: Sequence[int]) -> bool:
    """Whether something is paid and something taken away on the way round among these positions."""
    inside = set(nodes)
    paid = [
        edge.rewards[0]
        for node in nodes
        for choice in graph.choices[node]
        for edge in choice.edges
        if edge.rewards and edge.target in inside
    ]
    return min(paid, default=0) < 0 < max(paid, default=0)
