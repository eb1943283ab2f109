"""How is the machine code of a game called? All that knows of addresses, numba and compiling is here.

Kernels are compiled once per machine and serve every game: a game comes in as addresses and sizes. Nothing
here is imported before a solver needs it; importing it decides where numba keeps what it compiles.
"""

from solvers.machine import compiling, lean_compiler

compiling.install()
lean_compiler.read_steps_from_disk()
lean_compiler.look_operators_up_once()
