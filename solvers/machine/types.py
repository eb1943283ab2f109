"""Types for kernels: numba knows what they are, mypy need not."""

from __future__ import annotations

from typing import Any

import numpy as np

i64: Any = np.int64
"""Indices. Mixed with unsigned numbers they would become floats, so what is read from arrays is converted."""
