"""Nothing is hidden."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gdl.game import Game, Traits
from solvers.core.chance import Decided
from solvers.core.rounding import exact_twin
from solvers.views.delegate import Delegate


class Determinised(Delegate):
    """The same game with nothing hidden: for a position whose hidden part has been guessed."""

    def __init__(self, base: Game[Any, Any]):
        super().__init__(base)
        # Machine code has nothing to hide: kernels may run it.
        self.compiled = getattr(base, "compiled", None)
        if isinstance(base, Decided):
            self.decided = base.decided

    def exact_twin(self) -> Determinised:
        return Determinised(exact_twin(self.base))

    @property
    def traits(self) -> Traits:
        return replace(self.base.traits, hidden=False)
