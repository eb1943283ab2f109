"""How are equilibria found fast? The walk over all histories on machine code, and sweeps over its arrays."""

import solvers.machine  # noqa: F401  (decides where numba keeps what it compiles)
