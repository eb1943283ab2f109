"""Who moves where it is no player: the codes of `to_move`, in Python, in a game's ABI and in kernels alike.

They stand alone in this file because kernels have them compiled in, and are compiled again when it changes.
"""

CHANCE = -1
"""Chance moves: its moves have probabilities (`Game.chance`)."""

TERMINAL = -2
"""Nobody: the game is over. A compiled game gives smaller numbers where it cannot say (`gdl/abi.py`)."""

DRAW = -3
"""Nobody any more: a move has been made, and chance decides what it does. Only nodes of trees have it."""

TOGETHER = -4
"""Kept for several players who move at once. No game gives it yet."""
