"""Play begins elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from gdl.game import Game, Outcome
from solvers.views.delegate import Delegate


class StartingAt(Delegate):
    """The game from a position on."""

    def __init__(self, base: Game[Any, Any], position: Any):
        super().__init__(base)
        self.position = position

    @property
    def compiled(self) -> Any:
        """The machine code, where there is some: AttributeError elsewhere."""
        return self.base.compiled  # type: ignore[attr-defined]

    def initial(self) -> Sequence[Outcome]:
        return [Outcome(self.position, Fraction(1), (0,) * len(self.players))]
