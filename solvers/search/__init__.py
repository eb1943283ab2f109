"""What is one position worth? Searches of the game tree as in the textbooks, their kernels beside them."""
