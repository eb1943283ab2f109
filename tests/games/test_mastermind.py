"""Mastermind against an independent program, which knows codes as words and splits lists of them.

The program is held to what is published: with six colours Knuth's policy takes 5801 guesses for 1296 codes.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from gdl.loading import load_model, read_source

Words = tuple[str, ...]


class Program:
    def __init__(self, colours: int):
        self.words: Words = tuple(map("".join, product("abcdef"[:colours], repeat=4)))
        self.marks = {guess: {word: self.compare(guess, word) for word in self.words} for guess in self.words}

    def compare(self, guess: str, word: str) -> tuple[int, int]:
        placed = sum(g == w for g, w in zip(guess, word, strict=True))
        return placed, (Counter(guess) & Counter(word)).total() - placed

    def split(self, guess: str, words: Words) -> list[Words]:
        """The words left by each answer but that which says that the guess is right."""
        parts: dict[tuple[int, int], list[str]] = {}
        for word in words:
            parts.setdefault(self.marks[guess][word], []).append(word)
        return [tuple(part) for answer, part in parts.items() if answer != (4, 0)]

    def best(self) -> Fraction:
        """The mean number of guesses with best play."""

        @cache
        def guesses(words: Words) -> int:
            """For all of these words together; each but the one that is guessed takes a guess more."""
            if len(words) <= 2:
                return 2 * len(words) - 1
            splits = {tuple(sorted(self.split(guess, words))) for guess in self.words}
            return len(words) + min(sum(map(guesses, parts)) for parts in splits if parts != (words,))

        return Fraction(guesses(self.words), len(self.words))

    def knuth(self) -> Fraction:
        def guesses(words: Words) -> int:
            if not words:
                return 0
            worst = {
                guess: max(Counter(self.marks[guess][w] for w in words).values()) for guess in self.words
            }
            chosen = min(self.words, key=lambda guess: (worst[guess], guess not in words, guess))
            return len(words) + sum(guesses(part) for part in self.split(chosen, words))

        return Fraction(guesses(self.words), len(self.words))


@pytest.mark.slow
def test_the_program_finds_what_is_published() -> None:
    assert Program(6).knuth() == Fraction(5801, 1296)


GAME = Path(__file__).parents[2] / "games" / "mastermind.gdl"
EXPECTATIONS = load_model(read_source(GAME)).expectations


@pytest.mark.parametrize("expectation", EXPECTATIONS, ids=lambda e: e.text)
def test_costs(expectation: Any) -> None:
    program = Program(int(dict(expectation.params).get("colours", 3)))
    found = program.knuth() if expectation.setting.agents else program.best()
    assert found == -expectation.value
