"""Writing the code of every kind of node, and of the functions that a module exports."""
