"""What is an expression worth in a position? As the reference engine computes it, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from gdl.borrowing import read_whole
from gdl.check import check_closely
from gdl.check.asked import asked
from gdl.diagnostics import GameError, Source
from gdl.loading import game_of
from gdl.model.nodes import Model, Section
from gdl.model.types import Type, show_value
from gdl.reference.engine import ReferenceGame
from gdl.reference.faults import Fault
from gdl.reference.interpret import Interpreter
from solvers.core.numbers import show

TERMS = 12
"""Of a sum that is written out."""


@dataclass(frozen=True)
class Question:
    """An expression of a game, which has a value in each of its positions."""

    game: ReferenceGame
    section: Section
    interpreter: Interpreter

    @property
    def type(self) -> Type:
        """The values it can have, as far as the checker knows."""
        return self.section.type

    def answer(self, position: Any) -> Any:
        """Its value, as the game represents it. Raises GameError where it has none."""
        try:
            return self.interpreter.section(self.section)(position.values, [])
        except Fault as fault:
            raise fault.at(position, str(position), None, None) from None

    def shown(self, value: Any) -> str:
        return show_value(self.type, value)

    def answers(self, positions: Mapping[Any, Fraction]) -> dict[str, Fraction]:
        """Its values over positions that have probabilities: the distribution of a random variable."""
        found: dict[str, Fraction] = {}
        for position, probability in positions.items():
            text = self.shown(self.answer(position))
            found[text] = found.get(text, Fraction(0)) + probability
        return found


def expectation(values: Mapping[str, Fraction]) -> str | None:
    """The mean of values that are numbers, written out as a sum; None where one is no number."""
    try:
        numbers = {Fraction(text): share for text, share in values.items()}
    except ValueError:
        return None
    terms = [f"{share}·{n if n >= 0 else f'({n})'}" for n, share in numbers.items()]
    mean = show(sum((share * n for n, share in numbers.items()), Fraction(0)))
    return f"{' + '.join(terms)} = {mean}" if len(terms) <= TERMS else mean


def question(source: Source, text: str, params: Mapping[str, Any] | None = None) -> Question:
    """The expression `text`, in the words of the game that a source describes. Raises GameError."""
    whole = read_whole(source)
    model, found, checker = check_closely(whole.file, params)
    if whole.mistakes or model is None:
        raise GameError([whole.traced(d) for d in (*whole.mistakes, *found)])
    section = asked(checker, Source("<expression>", text))
    known: Model = model
    tables = MappingProxyType(dict(checker.tables))  # with those that the expression needs itself
    interpreter = Interpreter(known.variables, tables, known.functions, known.effects, known.policies)
    game = game_of(known, "reference")
    interpreter.stuck = game.is_stuck
    return Question(game, section, interpreter)
