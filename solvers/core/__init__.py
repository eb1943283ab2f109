"""What textbook solvers and kernels may both use: results, budgets, refusals, leaves, lookups."""
