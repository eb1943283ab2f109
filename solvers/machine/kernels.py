"""How kernels are compiled: three decorators, by who calls.

Numba wraps every function twice, for Python and for C, though most are only ever called by other kernels.
What nobody uses is not compiled here.
"""

from __future__ import annotations

from typing import Any

import numba

njit: Any = numba.njit  # takes more options than its types tell

kernel: Any = njit(cache=True, nogil=True, no_cfunc_wrapper=True)
"""Called from Python."""

step: Any = njit(cache=True, nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)
"""Called by kernels alone."""

inlined: Any = njit(cache=True, nogil=True, inline="always")
"""Becomes part of who calls it: for what is tiny, or called in one place."""
