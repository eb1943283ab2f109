"""The fast twins of the solvers of whole games beside this folder."""

import solvers.machine  # noqa: F401  decides where compiled kernels are kept, before there are any
