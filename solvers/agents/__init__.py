"""Whatever chooses moves for a player: kinds, their descriptions as text, what a player has seen."""
