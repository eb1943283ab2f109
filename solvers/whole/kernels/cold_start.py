"""Is it worth compiling? On a new machine that takes longer than to solve a small game in Python.

The answers are the same, but not what is said of the work, nor the last digits of bounds: with
`GDL_COMPILE=always` in the environment the first run of a command is like every other.
"""

from __future__ import annotations

import os
from typing import Any

from solvers.machine.compiling import compiled_already
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
    if os.environ.get("GDL_COMPILE") == "always" or compiled.log2_positions > PERHAPS_FEW:
        return True
    return compiled_already(expand)
