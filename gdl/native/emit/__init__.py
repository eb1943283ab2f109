"""Which code does a node become? One file per kind of node, and the functions that a module exports."""
