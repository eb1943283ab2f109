"""What do all solvers share? Results, budgets, refusals, leaves, lookups: textbook and kernels may use it."""
