"""The fast twins of the simulations beside this folder."""

import solvers.machine  # noqa: F401  decides where compiled kernels are kept, before there are any
