"""Who chooses a move? Kinds of agents, their descriptions as text, what a player has seen."""
