"""Is it worth compiling? On a new machine that takes longer than to answer a small question in Python.

The answers are the same, but not what is said of the work, nor the last digits of bounds: with
`GDL_COMPILE=always` in the environment the first run of a command is like every other, and with `never` every
run of a small question is like the first.
"""

from __future__ import annotations

import os
from typing import Any

from solvers.machine.compiling import compiled_already


def repays_compiling(small: bool, *kernels: Any) -> bool:
    """Whether kernels do the work: they are there, or it is not small enough to be done sooner without."""
    wanted = os.environ.get("GDL_COMPILE")
    if wanted == "always" or not small:
        return True
    return wanted != "never" and compiled_already(*kernels)
