"""What is every position worth? Solvers that visit all of them; `kernels/` do the same on machine code."""
