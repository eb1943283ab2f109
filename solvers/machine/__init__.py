"""Numba and the machine code of a game (`gdl.game.Compiled`): all that knows of addresses and compiling.

Kernels are compiled once per machine and serve every game: a game comes in as addresses and sizes. Nothing
here is imported before a solver needs it; importing it decides where numba keeps what it compiles.
"""

from solvers.machine import compiling

compiling.install()
