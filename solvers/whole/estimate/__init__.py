"""How many positions has a game, before they are all visited?"""
