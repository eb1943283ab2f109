"""What is a game worth as its parameters change? One point of a sweep is one game, solved, searched or played."""
