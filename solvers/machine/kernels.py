"""How kernels are compiled: five decorators, by who calls.

Numba wraps every function twice, for Python and for C, though most are only ever called by other kernels.
What nobody uses is not compiled here. Nobody divides by zero: there is no test for it.
"""

from __future__ import annotations

from typing import Any

import numba

from solvers.machine.lean_compiler import KernelCompiler, StepCompiler

njit: Any = numba.njit  # takes more options than its types tell

_OPTIONS = {"cache": True, "nogil": True, "error_model": "numpy"}
_BY_KERNELS = {
    **_OPTIONS,
    "no_cfunc_wrapper": True,
    "no_cpython_wrapper": True,
    "pipeline_class": StepCompiler,
}

kernel: Any = njit(**_OPTIONS, no_cfunc_wrapper=True, pipeline_class=KernelCompiler)
"""Called from Python."""

called_by_address: Any = njit(**_OPTIONS, no_cpython_wrapper=True, pipeline_class=KernelCompiler)
"""Called by kernels, to which it is handed as a `Callback` (pointers.py)."""

step: Any = njit(**_BY_KERNELS)
"""Called by kernels alone."""

inlined: Any = njit(**_BY_KERNELS, forceinline=True)
"""Becomes part of who calls it: for what is tiny, or called in one place."""

woven: Any = njit(**_OPTIONS, inline="always")
"""Written into who calls it before anything is compiled: for what takes arrays of numpy in an inner loop,
where their owners would be counted at every call."""
