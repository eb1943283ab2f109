"""What does a Model mean? The exact interpreter: slow, and right in every disagreement until proven wrong."""
