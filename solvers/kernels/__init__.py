"""Fast twins of solvers: numba kernels over the machine code of a game (`gdl.game.Compiled`).

Kernels are compiled once per machine and serve every game: a game comes in as addresses and sizes.
Nothing here is imported before a solver needs it.
"""

from solvers.kernels import caching

caching.install()
