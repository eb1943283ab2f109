"""Is it worth compiling? On a new machine that takes longer than to answer a small question in Python.

The answers are the same, but not what is said of the work, nor the last digits of bounds: with
`GDL_COMPILE=always` in the environment the first run of a command is like every other.
"""

from __future__ import annotations

import os
from typing import Any

from solvers.machine.compiling import compiled_already


def repays_compiling(small: bool, *kernels: Any) -> bool:
    """Whether kernels do the work: they are there, or it is not small enough to be done sooner without."""
    if os.environ.get("GDL_COMPILE") == "always" or not small:
        return True
    return compiled_already(*kernels)
