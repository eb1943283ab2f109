"""How many positions a game has, before they are all visited."""
