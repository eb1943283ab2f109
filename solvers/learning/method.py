"""How an evaluation is learned: rates, traces, exploration."""

from __future__ import annotations

from typing import NamedTuple


class Method(NamedTuple):
    """How it is learned. `decay`: after so many games the rate is half of what it was; 0: it stays."""

    rate: float
    lambda_: float
    explore: float
    decay: float

    def rate_at(self, games: int) -> float:
        return self.rate / (1 + games / self.decay) if self.decay else self.rate
