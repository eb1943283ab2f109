"""The fast twins of the searches beside this folder."""

import solvers.machine  # noqa: F401  decides where compiled kernels are kept, before there are any
