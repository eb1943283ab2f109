"""Whole random games, well typed by construction: a hypothesis strategy, and the same by seed.

The generator writes text, as people do, and knows the types of what it writes; so it is also a reference of
the language by example. Every game is small: mostly a dozen positions, seldom more than a few hundred, and at
most a dozen moves in each; most games end.

    @given(games())
    def test(text: str) -> None: ..

    python -m tests.generate 17            # the game of a seed

A game in which something fails is mostly 80 lines long; `hold` makes it as short as it gets and keeps it.
"""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from tests.generate.found import FOUND, hold
from tests.generate.game import write_game
from tests.generate.many import check_many


def games(faults: bool = True) -> st.SearchStrategy[str]:
    """Texts of games. With `faults` some of them break a rule while they are played, without it none does."""
    return st.randoms(use_true_random=False).map(lambda random: write_game(random, faults))


def game_of_seed(seed: int, faults: bool = True) -> str:
    """The same game for the same seed, always."""
    return write_game(Random(seed), faults)


__all__ = ["FOUND", "check_many", "game_of_seed", "games", "hold"]
