"""From values on the position graph to the answer of a solver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gdl.game import CHANCE, TERMINAL, Game, Outcome
from solvers.core.chance import ways_of_chance
from solvers.core.combine import expected
from solvers.core.graph import Choice, Graph
from solvers.core.result import LineStep, MoveValue, Policy, Result, Value, Work, player_name


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
                value,
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
