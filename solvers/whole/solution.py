"""From values on the position graph to the answer of a solver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isinf
from typing import Any

from gdl.game import CHANCE, TERMINAL, Game, Number, Outcome
from solvers.core.chance import ways_of_chance
from solvers.core.result import LineStep, MoveValue, Policy, Result, Value, Work, player_name
from solvers.core.rounding import UNIT, is_rational
from solvers.whole.graph import Choice, Graph


def starts_of(game: Game[Any, Any], at: Any) -> Sequence[Outcome]:
    """Where to begin: the position asked for, or the start of the game."""
    return game.initial() if at is None else [Outcome(at, 1, ())]


def opposed(game: Game[Any, Any], value: Value) -> tuple[Value, ...]:
    """One value per player from the first player's, in a game for one or for two opposed players."""
    return (value, -value)[: game.traits.players]


def expected(parts: Sequence[tuple[Number, Number, Value]], discount: Number) -> Value:
    """The expectation over (probability, reward, value of what follows); as well known as the least known.

    Floats are rounded, and the bounds count that: only rationals stay exact, and what merely is handed on.
    """

    def total(numbers: Sequence[Number | None]) -> Number:
        result: Number = 0
        for (probability, reward, _), number in zip(parts, numbers, strict=True):
            assert number is not None
            result += probability * (reward + discount * number)
        return result

    values = [value for _, _, value in parts]
    infinite = [value for value in values if isinf(value.number)]
    if infinite:
        return infinite[0]
    if any(value.kind == "estimate" for value in values):
        return Value.estimate(total([value.number for value in values]))
    if len(parts) == 1 and parts[0][0] == 1 and parts[0][1] == 0 and discount == 1:
        return values[0]
    low, high = total([value.low for value in values]), total([value.high for value in values])
    if not is_rational(low, high):
        size = sum(
            float(probability) * (abs(float(reward)) + max(abs(float(v.low or 0)), abs(float(v.high or 0))))
            for probability, reward, v in parts
        )
        error = (len(parts) + 12) * UNIT * size
        low, high = low - error, high + error
    return Value.bounded(low, high)


class Solution:
    """A solved graph: one value per position and player, and how far the end is where that is known."""

    def __init__(
        self,
        game: Game[Any, Any],
        graph: Graph,
        values: Callable[[int], tuple[Value, ...]],
        distance: Sequence[int | None] | None = None,
    ):
        self.game = game
        self.graph = graph
        self.values = values
        self.distance = distance

    def result(
        self, solver: str, starts: Sequence[Outcome], how: str, work: Work, partial: bool = False
    ) -> Result:
        game, graph = self.game, self.graph
        nodes = [graph.index[start.position] for start in starts]
        values = tuple(
            expected(
                [
                    (
                        start.probability,
                        start.rewards[player] if start.rewards else 0,
                        self.values(node)[player],
                    )
                    for start, node in zip(starts, nodes, strict=True)
                ],
                1,
            )
            for player in range(game.traits.players)
        )
        alone = len(starts) == 1 and graph.players[nodes[0]] >= 0
        likeliest = max(range(len(starts)), key=lambda i: starts[i].probability)
        return Result(
            game=game.name,
            solver=solver,
            values=values,
            players=game.players,
            how=how,
            work=work,
            to_move=game.players[graph.players[nodes[0]]] if alone else None,
            moves=self.move_values(nodes[0]) if alone else (),
            line=self.line(nodes[likeliest]),
            partial=partial,
            policy=Policy(
                best=lambda position: self.best(graph.index[position]),
                value=lambda position: self.values(graph.index[position]),
                positions=graph.index,
            ),
        )

    def choice_value(self, node: int, choice: Choice) -> Value:
        """What a choice is worth to the player who has it."""
        player = self.graph.players[node]
        return expected(
            [
                (
                    edge.probability,
                    edge.rewards[player] if edge.rewards else 0,
                    self.values(edge.target)[player],
                )
                for edge in choice.edges
            ],
            self.game.traits.discount,
        )

    def move_values(self, node: int) -> tuple[MoveValue, ...]:
        """Every move with its value; best are those that are not known to be worse than another."""
        choices = self.graph.choices[node]
        values = [self.choice_value(node, choice) for choice in choices]
        at_least = max(value.number if value.low is None else value.low for value in values)
        at_most = [value.number if value.high is None else value.high for value in values]
        return tuple(
            MoveValue(
                choice.move,
                self.game.format_move(choice.move),
                None if isinf(value.number) else value,
                best=high >= at_least,
                distance=self.distance_after(choice),
            )
            for choice, value, high in zip(choices, values, at_most, strict=True)
        )

    def best(self, node: int) -> tuple[Any, ...]:
        """The moves that tie for best; with distances, those of them that win soonest or lose latest."""
        if self.graph.players[node] < 0:
            return ()
        moves = [move for move in self.move_values(node) if move.best]
        distance = None if self.distance is None else self.distance[node]
        if distance is not None:
            moves = [move for move in moves if move.distance == distance]
        return tuple(move.move for move in moves)

    def distance_after(self, choice: Choice) -> int | None:
        if self.distance is None:
            return None
        onward = self.distance[choice.edges[0].target]
        return None if onward is None else onward + 1

    def line(self, node: int) -> tuple[LineStep, ...]:
        """First best moves and likeliest outcomes, until the game ends or a position comes back."""
        steps = []
        seen = set()
        game, graph = self.game, self.graph
        while node not in seen and graph.players[node] != TERMINAL:
            seen.add(node)
            position: Any = graph.positions[node]
            player = graph.players[node]
            if player == CHANCE:
                ways = ways_of_chance(game, position)
            else:
                best = self.best(node)[0]
                ways = [(best, outcome) for outcome in game.outcomes(position, best)]
            move, outcome = max(ways, key=lambda way: way[1].probability)
            steps.append(LineStep(player_name(game, player), game.format_move(move), outcome.probability))
            node = graph.index[outcome.position]
        return tuple(steps)
