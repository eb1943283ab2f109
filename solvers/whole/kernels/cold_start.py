"""When a whole game is solved without kernels, where there are none yet."""

from __future__ import annotations

from typing import Any

from solvers.machine import cold_start
from solvers.whole.kernels.expand import expand

FEW = 10_000
"""Positions that textbook solvers look at while the kernels for whole games would be compiled, or sooner."""

PERHAPS_FEW = 24.0
"""Log2 of the positions that a game may have by the types of its variables, and yet be tried: most
combinations of values never come up."""


def repays_compiling(compiled: Any) -> bool:
    """Whether a whole game is solved by kernels: they are there, or there is too much to do without.

    Where not, the textbook solvers do it up to FEW positions; their answers are proven too.
    """
    return cold_start.repays_compiling(compiled.log2_positions <= PERHAPS_FEW, expand)
