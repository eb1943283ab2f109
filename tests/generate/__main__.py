"""`python -m tests.generate [SEED] [--no-faults]` prints the game of a seed."""

from __future__ import annotations

import sys

from tests.generate import game_of_seed

seeds = [int(word) for word in sys.argv[1:] if word.isdigit()] or [0]
for seed in seeds:
    print(game_of_seed(seed, faults="--no-faults" not in sys.argv))
