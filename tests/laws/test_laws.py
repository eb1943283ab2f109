"""The laws of the protocol and of the language hold for games that nobody wrote.

A game that breaks one is cut to the smallest that does and kept in tests/generate/found.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.generate import FOUND, games, hold
from tests.laws.laws import all_laws, no_fault

# Games are shortened by `hold`, as texts: hypothesis would shrink the thousands of choices behind one.
ONCE_EACH = settings(
    phases=[Phase.generate],
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)


@pytest.mark.parametrize("path", sorted(FOUND.glob("*.gdl")), ids=lambda path: path.stem)
def test_found_games(path: Path) -> None:
    all_laws(path.read_text(encoding="utf-8"))


@settings(ONCE_EACH, max_examples=25, derandomize=True)
@given(games())
def test_games_that_may_break_their_rules(text: str) -> None:
    hold(text, all_laws)


@settings(ONCE_EACH, max_examples=12, derandomize=True)
@given(games(faults=False))
def test_games_without_faults(text: str) -> None:
    hold(text, no_fault)


@pytest.mark.slow
@settings(ONCE_EACH, max_examples=1000)
@given(games())
def test_many_games(text: str) -> None:
    hold(text, all_laws)


@pytest.mark.slow
@settings(ONCE_EACH, max_examples=300)
@given(games(faults=False))
def test_many_games_without_faults(text: str) -> None:
    hold(text, no_fault)
