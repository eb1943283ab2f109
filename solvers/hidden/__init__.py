"""What is best where players do not see everything?

`game_tree.py` lists all histories of a game and joins those that a player cannot tell apart to information
sets; `sequences.py` is the same game as flat arrays. The solvers find play from which nobody gains by
leaving it; `judge.py` measures, without them, how much somebody would gain. `words.py` says what a player
knows in the words of the game.
"""
