"""What can be learned from plays? Evaluations: sums of features, tables over groups of elements, networks."""
