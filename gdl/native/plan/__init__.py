"""What does the Model allow? Facts about its parts, and plans of how to compute with whole masks."""
