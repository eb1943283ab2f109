"""The answer of a solver: one frozen record for every algorithm.

It says what is known and how well: `kind` is "exact" (proven, no error of method), "bounded" (proven to
lie between two numbers) or "estimate" (a sample or an evaluation; with a confidence interval where there
is one). Nothing that a search has not proven is ever called exact.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import Any, Literal, NamedTuple, Protocol

from gdl.diagnostics.facts import plain as plain_text
from gdl.diagnostics.html import printed
from gdl.game import CHANCE, Game, Number
from solvers.core.display import policy_html, policy_text, result_html
from solvers.core.frames import frame
from solvers.core.numbers import (
    as_float,
    finite,
    show,
    show_estimate,
    show_interval,
    show_rough,
    show_short,
    to_json,
    written_out,
)
from solvers.core.report import report
from solvers.core.rounding import infinite, nearest

Kind = Literal["exact", "bounded", "estimate"]

INFINITE = ("-infinite", "infinite")


@dataclass(frozen=True, slots=True)
class Value:
    """A number and what is known of it.

    exact: low == number == high. bounded: proven low <= value <= high, `number` lies between; one of them may
    be infinite. estimate: low and high are a 95 % confidence interval, or None where there is none.
    """

    number: Number
    kind: Kind = "exact"
    low: Number | None = None
    high: Number | None = None

    @staticmethod
    def exact(number: Number) -> Value:
        return Value(number, "exact", number, number)

    @staticmethod
    def bounded(low: Number, high: Number) -> Value:
        """Somewhere from low to high; exact when they meet."""
        return Value.exact(low) if low == high else Value(middle(low, high), "bounded", low, high)

    @staticmethod
    def estimate(number: Number, error: Number | None = None) -> Value:
        """About `number`; with `error`, half the width of the confidence interval."""
        if error is None:
            return Value(number, "estimate")
        return Value(number, "estimate", number - error, number + error)

    @property
    def rational(self) -> bool:
        """Whether the number was computed without rounding."""
        return isinstance(self.number, int | Fraction)

    def __neg__(self) -> Value:
        return Value(
            -self.number,
            self.kind,
            None if self.high is None else -self.high,
            None if self.low is None else -self.low,
        )

    def __str__(self) -> str:
        """What is known, in words that claim no more: see `solvers.core.numbers`."""
        if self.kind == "exact":
            return INFINITE[self.number > 0] if infinite(self.number) else show(self.number)
        if self.kind == "bounded" and self.low is not None and self.high is not None:
            return show_interval(self.low, self.high)
        if self.low is None or self.high is None or self.low == self.high:
            return f"about {show_rough(self.number)}" if finite(self.number) else show(self.number)
        return show_estimate(self.number, self.low, self.high, "95 %")

    def as_data(self) -> dict[str, Any]:
        """Plain data; bounds are rounded outwards, and null where there is none. JSON has no infinite
        numbers: where the value is one, `exact` says it in words."""
        shown = self.number
        exact = None
        if self.kind == "exact":
            exact = written_out(self.number) if finite(self.number) else str(self)
        if self.kind == "bounded" and self.low is not None and self.high is not None:
            shown = middle(self.low, self.high)
        return {
            "value": as_float(shown),
            "exact": exact,
            "kind": self.kind,
            "low": as_float(self.low, -inf),
            "high": as_float(self.high, inf),
        }


SMALL = 1e-300
"""Above this, half of a float is a float."""


def middle(low: Number, high: Number) -> Number:
    """The number halfway between two; the finite one where the other is infinite, 0 where both are."""
    if isinstance(low, float) and isinstance(high, float) and SMALL < abs(total := low + high) < inf:
        return total / 2  # rounded once, as the fraction would be: to halve rounds nothing
    if finite(low) and finite(high):
        halfway = (Fraction(low) + Fraction(high)) / 2
        return float(halfway) if isinstance(low, float) or isinstance(high, float) else halfway
    return low if finite(low) else high if finite(high) else 0


@dataclass(frozen=True, slots=True)
class MoveValue:
    """A move at the root: what it is worth to the player to move, and whether nothing is better.

    `value` is None where the solver learnt only that the move is no better than the best one.
    """

    move: Hashable
    text: str
    value: Value | None
    best: bool
    visits: int | None = None  # simulations that chose the move, or would have, were it not proven
    distance: int | None = None  # moves to the end of the game under best play, where it is known
    values: tuple[Value, ...] = ()  # of every player, where one number does not say them all
    probability: float | None = None  # with which it is to be played, where that is part of the answer

    def as_data(self) -> dict[str, Any]:
        return {
            "move": self.text,
            "value": None if self.value is None else self.value.as_data(),
            "best": self.best,
            "visits": self.visits,
            "distance": self.distance,
            "values": [value.as_data() for value in self.values],
            "probability": self.probability,
        }


@dataclass(frozen=True, slots=True)
class LineStep:
    """One move of the principal line. Under chance the most probable outcome is followed."""

    player: str
    move: str
    probability: Number  # of the outcome that the line follows
    chance: str = ""  # what chance did, in the words of the game; see `solvers.core.lines`

    def __str__(self) -> str:
        """`roll [face = 6] (1/6)`, as moves are typed, with the probability."""
        chance = f" [{self.chance}]" if self.chance else ""
        if self.probability == 1:
            return f"{self.move}{chance}"
        rounded = isinstance(self.probability, float)
        odds = show_rough(self.probability) if rounded else show_short(self.probability)
        return f"{self.move}{chance} ({odds})"

    def as_data(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "move": self.move,
            "chance": self.chance or None,
            "probability": str(self.probability),
        }


@dataclass(frozen=True, slots=True)
class Work:
    """What the answer cost. None where a count has no meaning for the solver."""

    seconds: float
    nodes: int | None = None  # positions visited, with repeats
    positions: int | None = None  # distinct positions held
    rounds: int | None = None  # sweeps, simulations or iterations
    earlier: int = 0  # how many of these rounds are from the checkpoint: the seconds are without them
    cuts: int | None = None  # positions whose other moves, or outcomes, a plain search left out

    def as_data(self) -> dict[str, Any]:
        return {
            "seconds": self.seconds,
            "nodes": self.nodes,
            "positions": self.positions,
            "rounds": self.rounds,
            "earlier_rounds": self.earlier,
            "cuts": self.cuts,
        }


Distribution = Mapping[Any, Number]
"""Moves with the probability of each; absent moves have none."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What a solver that saw the whole position graph knows about each position of it."""

    best: Callable[[Any], tuple[Any, ...]]  # the moves that tie for best; empty where the game is over
    value: Callable[[Any], tuple[Value, ...]]  # per player
    positions: Collection[Hashable]

    def __contains__(self, position: Hashable) -> bool:
        return position in self.positions

    def __call__(self, position: Any) -> Distribution:
        """Uniform over the best moves."""
        moves = self.best(position)
        return {move: Fraction(1, len(moves)) for move in moves}

    def __repr__(self) -> str:
        return policy_text(self)

    def _repr_html_(self) -> str:
        return policy_html(self)


class Written(NamedTuple):
    """A file that was written: what it is and what it holds."""

    kind: str  # "tablebase", "policy" or "certificate"
    file: str
    says: str  # what is to be said of it
    rows: int | None = None  # positions


class Statistics(Protocol):
    """What solving a whole game came to."""

    def facts(self) -> Sequence[tuple[str, str]]:
        """For people: names, and what is to be said of each."""
        ...

    def as_data(self) -> dict[str, Any]: ...


class Mixed(Protocol):
    """What players do by what they know, where something is hidden (`solvers.hidden.strategy`)."""

    def facts(self) -> Sequence[tuple[str, str]]:
        """How good it is, for people."""
        ...

    def tables(self) -> Iterator[tuple[str, Sequence[tuple[str, str]]]]:
        """Titles, with what is known and what is then done."""
        ...

    def as_data(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Result:
    """What a solver found. `values` has one entry per player, None for a player it says nothing about.

    `print(result)` shows what `gdl solve` and `gdl search` show.
    """

    game: str
    solver: str
    values: tuple[Value | None, ...]
    players: tuple[str, ...]
    how: str  # one sentence
    work: Work
    to_move: str | None = None  # the player at the root, None for chance or a finished game
    moves: tuple[MoveValue, ...] = ()  # every legal move at the root, in the game's order
    line: tuple[LineStep, ...] = ()
    partial: bool = False  # stopped by a budget or by the user
    seed: int | None = None
    complete: bool = False  # a search saw everything that matters: only rounding may be left open
    looked: int | None = None  # so many moves ahead, where a search did not look to the end of every play
    policy: Policy | None = field(default=None, repr=False, compare=False)
    reason: str = ""  # why this solver, where nobody asked for it
    start: str | None = None  # the position, as text, where it is not the start of the game
    known: str = ""  # where something is hidden: what the player to move sees
    params: tuple[tuple[str, str], ...] = ()  # of the game
    statistics: Statistics | None = field(default=None, repr=False, compare=False)
    written: tuple[Written, ...] = ()
    strategy: Mixed | None = field(default=None, repr=False, compare=False)  # where something is hidden
    costs: bool = False  # the game speaks of costs, the opposites of values: so do reports
    unproven: int = 0  # places of the rules that only play can show to be safe, and a part of it was seen

    def __str__(self) -> str:
        """What the commands print."""
        return plain_text(report(self))

    _repr_pretty_ = printed

    def _repr_html_(self) -> str:
        return result_html(self)

    @property
    def value(self) -> Number:
        """The first player's value: the value of a zero-sum or one-player game."""
        first = self.values[0]
        assert first is not None, f"{self.solver} says nothing about {self.players[0]}"
        return first.number

    @property
    def kind(self) -> Kind:
        """The weakest knowledge among the values; where there is none, nothing is exact."""
        kinds = [value.kind for value in self.values if value is not None]
        if not kinds or "estimate" in kinds:
            return "estimate"
        return "bounded" if "bounded" in kinds else "exact"

    @property
    def best(self) -> tuple[Any, ...]:
        """All moves that tie for best at the root, in the game's order."""
        return tuple(move.move for move in self.moves if move.best)

    @property
    def arithmetic(self) -> Literal["rational", "float"]:
        rational = all(value.rational for value in self.values if value is not None)
        return "rational" if rational else "float"

    def as_data(self) -> dict[str, Any]:
        """Plain data for `--json`."""
        return {
            "game": self.game,
            "solver": self.solver,
            "kind": self.kind,
            "arithmetic": self.arithmetic,
            "values": {
                player: None if value is None else value.as_data()
                for player, value in zip(self.players, self.values, strict=True)
            },
            "to_move": self.to_move,
            "moves": [move.as_data() for move in self.moves],
            "best": [move.text for move in self.moves if move.best],
            "line": [step.as_data() for step in self.line],
            "how": self.how,
            "partial": self.partial,
            "seed": self.seed,
            "work": self.work.as_data(),
            "reason": self.reason,
            "at": self.start,
            "known": self.known or None,
            "params": dict(self.params),
            "costs": self.costs,
            "statistics": None if self.statistics is None else self.statistics.as_data(),
            "strategy": None if self.strategy is None else self.strategy.as_data(),
            "not_proven_safe": self.unproven,
        }

    def to_json(self, indent: int | None = None) -> str:
        return to_json(self.as_data(), indent)

    def to_frame(self) -> Any:
        """The moves as a table, one row each: of pandas or polars, or else a list of dicts."""
        return frame(
            {
                "move": move.text,
                "value": None if move.value is None else as_float(move.value.number),
                "low": None if move.value is None else _end(move.value.low),
                "high": None if move.value is None else _end(move.value.high),
                "best": move.best,
                "visits": move.visits,
                "distance": move.distance,
            }
            for move in self.moves
        )


def _end(bound: Number | None) -> float | None:
    return None if bound is None else as_float(bound)


def player_name(game: Game[Any, Any], player: int) -> str:
    return "chance" if player == CHANCE else game.players[player]


def tie(a: Number, b: Number, error: Number | None = None) -> bool:
    """Whether two numbers may be the same value, each known up to `error`.

    If that is not given, fractions are exact, and floats as good as a few roundings leave them.
    """
    if error is None:
        rounded = isinstance(a, float) or isinstance(b, float)
        error = 2.0**-51 * max(abs(nearest(a)), abs(nearest(b))) if rounded else 0
    apart: Any = a - b
    return bool(abs(apart) <= 2 * error)


def plain(number: Number) -> Number:
    """A whole fraction as an int: the same number, and much faster to compute with."""
    return number.numerator if isinstance(number, Fraction) and number.denominator == 1 else number
