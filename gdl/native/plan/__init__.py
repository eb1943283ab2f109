"""What the Model allows: facts about its parts, and plans of how to compute with whole masks."""
