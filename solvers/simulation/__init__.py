"""What do simulated plays say? Monte Carlo methods; their kernels beside them."""
