"""How is one position searched fast? The twins of the searches beside this folder, on machine code."""

import solvers.machine  # noqa: F401  decides where compiled kernels are kept, before there are any
