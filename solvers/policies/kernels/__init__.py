"""What are policies worth, computed fast? On the position graph of machine code."""

import solvers.machine  # noqa: F401  decides where compiled kernels are kept, before there are any
