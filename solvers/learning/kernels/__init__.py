"""How is play simulated fast? The twins of the simulations beside this folder, on machine code."""

import solvers.machine  # noqa: F401  decides where compiled kernels are kept, before there are any
