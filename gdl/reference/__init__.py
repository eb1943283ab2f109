"""The exact interpreter of the Model. Slow code that wins every disagreement until proven wrong."""
