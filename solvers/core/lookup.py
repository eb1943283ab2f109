"""From values that can be looked up to the answer of a solver: moves with their values, the best, the line.

Where the values come from does not matter: a graph just solved, or a tablebase from a file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Protocol

from gdl.game import CHANCE, TERMINAL, Game, Number, Outcome
from solvers.core.combine import expected
from solvers.core.refusal import cannot_go_on
from solvers.core.result import LineStep, MoveValue, Policy, Result, Value, Work, player_name
from solvers.core.rounding import exact_twin, outside

LONGEST_LINE = 400

MOST_OUTCOMES = 5_000
"""A move with more outcomes than this is summed up in floats, where the engine has them: to list them in
exact numbers takes long."""


class Values(Protocol):
    """Something that knows the value of positions."""

    def __len__(self) -> int: ...

    def value(self, position: Any) -> tuple[Value, ...] | None:
        """Per player; None for a position that it does not know."""
        ...

    def distance(self, position: Any) -> int | None:
        """Moves to the end of the game under best play, where that is known."""
        ...

    def positions(self) -> Iterator[Any]: ...


class Lookup:
    """A solved game: what every move is worth, wherever the values of its outcomes are known."""

    def __init__(self, game: Game[Any, Any], values: Values):
        self.game = game
        self.known = values
        self._roots: dict[Any, tuple[MoveValue, ...]] = {}
        traits = game.traits
        self._limits = [outside(*bounds) for bounds in traits.value_bounds]
        self._has_numbers = traits.chance or traits.rewards  # what moves lead to, that floats may not hold

    def result(
        self, solver: str, starts: Sequence[Outcome], how: str, work: Work, partial: bool = False
    ) -> Result:
        game = self.game
        first: Any = starts[0].position
        alone = len(starts) == 1 and game.to_move(first) >= 0
        likeliest: Any = max(starts, key=lambda start: start.probability).position
        return Result(
            game=game.name,
            solver=solver,
            values=self.totals(starts),
            players=game.players,
            how=how,
            work=work,
            to_move=game.players[game.to_move(first)] if alone else None,
            moves=self.root_moves(first) if alone else (),
            line=self.line(likeliest),
            partial=partial,
            policy=Policy(best=self.best, value=self.values, positions=_Positions(self.known)),
        )

    def totals(self, starts: Sequence[Outcome]) -> tuple[Value, ...]:
        """Per player, the expected value over the starts."""
        return tuple(
            expected(
                [
                    (
                        start.probability,
                        start.rewards[player] if start.rewards else 0,
                        self.values(start.position)[player],
                    )
                    for start in starts
                ],
                1,
            )
            for player in range(self.game.traits.players)
        )

    def values(self, position: Any) -> tuple[Value, ...]:
        found = self.known.value(position)
        if found is None:
            raise cannot_go_on(
                f"the position {self.game.format_position(position)} is not among the solved ones: it cannot "
                "be reached from where solving began.",
                "Solve from this position.",
            )
        return found

    def root_moves(self, position: Any) -> tuple[MoveValue, ...]:
        """What `move_values` says, by the exact numbers of the rules: as well known as the position itself.

        Whoever asks for the best moves there is told these from now on.
        """
        twin = exact_twin(self.game)
        moves = self.game.moves(position)
        followed = [self.game.outcomes(position, move) for move in moves]
        if self._has_numbers:
            followed = [
                outcomes if len(outcomes) > MOST_OUTCOMES else twin.outcomes(position, move)
                for move, outcomes in zip(moves, followed, strict=True)
            ]
        self._roots[position] = self._valued(position, moves, followed)
        return self._roots[position]

    def move_values(self, position: Any) -> tuple[MoveValue, ...]:
        """Every move with its value; best are those that are not known to be worse than another."""
        if position in self._roots:
            return self._roots[position]
        moves = self.game.moves(position)
        return self._valued(position, moves, [self.game.outcomes(position, move) for move in moves])

    def _valued(
        self, position: Any, moves: Sequence[Any], followed: Sequence[Sequence[Outcome]]
    ) -> tuple[MoveValue, ...]:
        """The moves by what may follow each of them."""
        game = self.game
        player = game.to_move(position)
        values = [
            expected(
                [
                    (o.probability, o.rewards[player] if o.rewards else 0, self.values(o.position)[player])
                    for o in outcomes
                ],
                game.traits.discount if game.traits.discount != 1 else 1,
            )
            for outcomes in followed
        ]
        values = [self._possible(player, value) for value in values]
        at_least = max(value.low for value in values if value.low is not None)
        return tuple(
            MoveValue(
                move,
                game.format_move(move),
                value,
                best=value.high is not None and value.high >= at_least,
                distance=self._distance_after(outcomes),
            )
            for move, value, outcomes in zip(moves, values, followed, strict=True)
        )

    def _possible(self, player: int, value: Value) -> Value:
        """The value without what no play pays: counting roundings may have taken bounds beyond that."""
        if value.kind != "bounded" or value.low is None or value.high is None:
            return value
        least, most = self._limits[player]
        low, high = max(value.low, least), min(value.high, most)
        return Value.bounded(low, high) if low <= high else value

    def _distance_after(self, outcomes: Sequence[Outcome]) -> int | None:
        onward = self.known.distance(outcomes[0].position) if len(outcomes) == 1 else None
        return None if onward is None else onward + 1

    def best(self, position: Any) -> tuple[Any, ...]:
        """The moves that tie for best; with distances, those of them that win soonest or lose latest."""
        if self.game.to_move(position) < 0:
            return ()
        moves = [move for move in self.move_values(position) if move.best]
        distance = self.known.distance(position)
        if distance is not None:
            moves = [move for move in moves if move.distance == distance] or moves
        return tuple(move.move for move in moves)

    def line(self, position: Any) -> tuple[LineStep, ...]:
        """First best moves and likeliest outcomes, until the game ends or a position comes back."""
        steps: list[LineStep] = []
        seen = set()
        game = self.game
        while position not in seen and len(steps) < LONGEST_LINE:
            player = game.to_move(position)
            if player == TERMINAL:
                break
            seen.add(position)
            ways: list[tuple[Number, Any, Any]]
            if player == CHANCE:
                ways = [
                    (odds * outcome.probability, move, outcome.position)
                    for move, odds in game.chance(position)
                    for outcome in game.outcomes(position, move)
                ]
            else:
                move = self.best(position)[0]
                ways = [(o.probability, move, o.position) for o in game.outcomes(position, move)]
            probability, move, position = max(ways, key=lambda way: way[0])
            steps.append(LineStep(player_name(game, player), game.format_move(move), probability))
        return tuple(steps)


class _Positions(Collection[Any]):
    """The positions that values know, made when they are gone through."""

    def __init__(self, values: Values):
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Any]:
        return self._values.positions()

    def __contains__(self, position: Any) -> bool:
        return self._values.value(position) is not None
