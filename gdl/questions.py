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

    def at_start(self) -> dict[str, Fraction]:
        """Its values at the start of the game, which chance may decide, with their probabilities."""
        found: dict[str, Fraction] = {}
        for outcome in self.game.initial():
            text = self.shown(self.answer(outcome.position))
            found[text] = found.get(text, Fraction(0)) + Fraction(outcome.probability)
        return found


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
