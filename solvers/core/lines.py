"""Principal lines in the words of the game: what chance did, with its probability as a fraction.

Solvers say of each step only which move was made and how probable the outcome is that they followed: always
the likeliest, the first of several. Here the line is gone through once more, and the game asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

from gdl.diagnostics import GameError
from gdl.game import CHANCE, Game, Number, Outcome
from solvers.core.result import LineStep

LIKELY = 1 / 1000
"""What is less probable than this is one of too many outcomes to ask for the words of each."""

LABELLED = 1000
"""Steps of a line that are explained at most."""


@runtime_checkable
class Explains(Protocol):
    """A game that can say what chance did to bring an outcome about: each of `labels` is one way."""

    def explain_initial(self) -> Sequence[Any]: ...

    def explain_outcomes(self, position: Any, move: Any) -> Sequence[Any]: ...


def explained(game: Game[Any, Any], at: Any, line: Sequence[LineStep]) -> tuple[LineStep, ...]:
    """The line from a position (or from the likeliest start), with what chance did where it did something.

    A start that was drawn becomes a first step of its own. From a step on that the game does not know, steps
    stay as they are.
    """
    steps: list[LineStep] = []
    position = at
    if at is None:
        starts = game.initial()
        start = _likeliest(starts)
        position = start.position
        if len(starts) > 1 and line:
            told = _told(game)
            ways = told.explain_initial() if isinstance(told, Explains) else ()
            found = _named(ways, start)
            steps.append(LineStep("chance", "start", found.probability, found.label))
    for number, step in enumerate(line):
        if step.probability < LIKELY or number >= LABELLED:
            return (*steps, *line[number:])
        try:
            move = game.parse_move(position, step.move)
        except GameError:
            return (*steps, *line[number:])
        outcomes = game.outcomes(position, move)
        outcome = _likeliest(outcomes)
        if step.probability != 1 or len(outcomes) > 1:  # 1 - 10^-17 is a 1 to floats
            step = _explained(game, position, move, outcome, step)
        steps.append(step)
        position = outcome.position
    return tuple(steps)


class _Named(NamedTuple):
    probability: Number
    label: str


def _explained(game: Game[Any, Any], position: Any, move: Any, outcome: Outcome, step: LineStep) -> LineStep:
    told = _told(game)
    ways = told.explain_outcomes(position, move) if isinstance(told, Explains) else ()
    probability, label = _named(ways, outcome)
    if game.to_move(position) == CHANCE:
        probability *= dict(told.chance(position))[move]
    # A step that a policy drew is less probable than its outcome.
    same = abs(float(probability) - float(step.probability)) <= 1e-12
    return replace(step, probability=probability if same else step.probability, chance=label)


def _named(ways: Sequence[Any], outcome: Outcome) -> _Named:
    """The outcome as the game explains it; without words where it does not."""
    for way in ways:
        if way.position == outcome.position:
            return _Named(way.probability, one_of(way.labels))
    return _Named(outcome.probability, "")


def one_of(labels: Sequence[str]) -> str:
    """What chance did, where only what comes of it is seen: one way, and whether there are others."""
    return (labels[0] + " or …" if len(labels) > 1 else labels[0]) if labels else ""


def _told(game: Game[Any, Any]) -> Game[Any, Any]:
    """The game in exact numbers, where it has them."""
    compiled = getattr(game, "compiled", None)
    return game if compiled is None else compiled.exact


def _likeliest(outcomes: Sequence[Outcome]) -> Outcome:
    return max(outcomes, key=lambda outcome: outcome.probability)
