"""What is a game worth as its parameters change? A point of a sweep is one game, solved or played."""
