"""Which other game is this one, seen differently? Other players as chance, all others as one, nothing hidden.

A view is itself a Game, so that every solver works on it; one file per view.
"""
