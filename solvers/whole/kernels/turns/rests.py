"""Rests: positions between turns, told by variables that are back at the value they rest at.

While a turn is played, dice lie on the table and totals add up; when it is over, they are put away. A
variable rests at the value that it has most often when games are played at random (finding_rests.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gdl.diagnostics.wording.phrases import listing
from gdl.game import Compiled


@dataclass(frozen=True)
class Rests:
    """Positions at rest are those whose key, masked, is `want`."""

    variables: tuple[str, ...]
    mask: Any
    want: Any

    def hold(self, keys: Any) -> Any:
        """Which of the positions with these keys, one in a row, are at rest."""
        return ((keys & self.mask) == self.want).all(axis=-1)

    def as_data(self) -> dict[str, Any]:
        return {"variables": list(self.variables), "want": [int(word) for word in self.want]}

    def describe(self) -> str:
        """Which variables tell: `left`, or `dice` and `rolls`."""
        return listing(self.variables)


def rests_of(compiled: Compiled, variables: Sequence[str], key: Any) -> Rests:
    """Rests are positions in which the given variables are as in the position with this key."""
    mask = np.zeros(compiled.key_words, np.uint64)
    for name, first, bits in compiled.fields:
        if name in variables:
            for bit in range(first, first + bits):
                mask[bit // 64] |= np.uint64(1 << (bit % 64))
    return Rests(tuple(variables), mask, key & mask)
