"""What a game is to the judge: a finite graph of places with owners, choices and outcomes, in fractions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

CHANCE, OVER = -1, -2


@dataclass(frozen=True, slots=True)
class Edge:
    """One outcome of a choice."""

    probability: Fraction
    target: int
    rewards: tuple[Fraction, ...]  # one per player


@dataclass(frozen=True, slots=True)
class Choice:
    """A move: its text, and its outcomes. Where chance is to move, `weight` is its probability."""

    name: str
    edges: tuple[Edge, ...]
    weight: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class Place:
    """A position: who is to move, the moves in the game's order, what is paid where the game is over."""

    owner: int
    choices: tuple[Choice, ...] = ()
    utility: tuple[Fraction, ...] = ()


@dataclass(frozen=True, slots=True)
class Graph:
    """A whole game. `names` are the places as the game writes them."""

    players: tuple[str, ...]
    names: tuple[str, ...]
    places: tuple[Place, ...]
    starts: tuple[tuple[Fraction, int], ...]
    discount: Fraction = Fraction(1)
    endless: tuple[Fraction, ...] = ()

    @property
    def opposed(self) -> bool:
        """Whether one player's gain is the others' loss everywhere, or there is one player only."""
        if len(self.players) != 2:
            return len(self.players) == 1
        paid = [place.utility for place in self.places if place.owner == OVER]
        paid += [edge.rewards for place in self.places for choice in place.choices for edge in choice.edges]
        return all(sum(each) == 0 for each in [*paid, self.endless])

    @property
    def chance(self) -> bool:
        return any(
            place.owner == CHANCE or any(len(choice.edges) > 1 for choice in place.choices)
            for place in self.places
        )

    @property
    def pays(self) -> bool:
        return any(
            any(edge.rewards) for place in self.places for choice in place.choices for edge in choice.edges
        )

    def successors(self, place: int) -> Iterator[int]:
        for choice in self.places[place].choices:
            for edge in choice.edges:
                yield edge.target

    def reachable(self, roots: Sequence[int]) -> list[int]:
        """Places in the order of a search in breadth."""
        found = dict.fromkeys(roots)
        for place in (order := list(found)):
            for target in self.successors(place):
                if target not in found:
                    found[target] = None
                    order.append(target)
        return order

    def cyclic(self, roots: Sequence[int]) -> bool:
        inside = self.reachable(roots)
        return any(
            len(part) > 1 or part[0] in self.successors(part[0])
            for part in components({place: list(self.successors(place)) for place in inside})
        )

    def chance_goes_round(self, roots: Sequence[int]) -> bool:
        """Whether chance as a player can move for ever without anybody else."""
        inside = [place for place in self.reachable(roots) if self.places[place].owner == CHANCE]
        own = set(inside)
        steps = {place: [t for t in self.successors(place) if t in own] for place in inside}
        return any(len(part) > 1 or part[0] in steps[part[0]] for part in components(steps))


def components(steps: dict[int, list[int]]) -> list[list[int]]:
    """Strong components, each before those that lead to it (Tarjan, without recursion)."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    for root in steps:
        if root in number:
            continue
        work = [(root, iter(steps[root]))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            for target in rest:
                if target not in number:
                    number[target] = low[target] = len(number)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(steps[target])))
                    break
                if target in on_stack:
                    low[node] = min(low[node], number[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    part: list[int] = []
                    while not part or part[-1] != node:
                        part.append(stack.pop())
                        on_stack.discard(part[-1])
                    found.append(part)
    return found


class TooLarge(Exception):
    """The game has more positions than the judge wants to look at."""


def read_graph(game: Any, most: int = 400) -> Graph:
    """The graph of a game of the protocol, by its successors alone: no solver, no traits but the two numbers
    of the text, `discount` and `endless`. Raises TooLarge."""
    starts = game.initial()
    index: dict[Any, int] = {}
    order: list[Any] = []

    def number(position: Any) -> int:
        if position not in index:
            if len(order) >= most:
                raise TooLarge
            index[position] = len(order)
            order.append(position)
        return index[position]

    players = tuple(game.players)
    nothing = (Fraction(0),) * len(players)
    begin = tuple((Fraction(start.probability), number(start.position)) for start in starts)
    places = []
    for position in order:  # grows meanwhile
        owner = game.to_move(position)
        if owner == OVER:
            places.append(Place(OVER, (), tuple(map(Fraction, game.utility(position)))))
            continue
        odds = dict(game.chance(position)) if owner == CHANCE else {}
        choices = []
        for move in game.moves(position):
            edges = tuple(
                Edge(
                    Fraction(outcome.probability),
                    number(outcome.position),
                    tuple(map(Fraction, outcome.rewards)) or nothing,
                )
                for outcome in game.outcomes(position, move)
            )
            choices.append(Choice(game.format_move(move), edges, Fraction(odds.get(move, 1))))
        places.append(Place(owner, tuple(choices)))
    return Graph(
        players,
        tuple(game.format_position(position) for position in order),
        tuple(places),
        begin,
        Fraction(game.traits.discount),
        tuple(map(Fraction, game.traits.endless)) or nothing,
    )
