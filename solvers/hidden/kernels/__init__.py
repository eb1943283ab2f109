"""Equilibria on machine code: the walk over all histories, and sweeps over the arrays it leaves."""

import solvers.machine  # noqa: F401  (decides where numba keeps what it compiles)
