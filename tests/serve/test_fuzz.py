"""A little of what `python -m tests.serve.fuzz` does at length: nonsense of every kind is answered."""

from __future__ import annotations

import asyncio

from tests.serve.fuzz import attack


def test_random_messages_are_answered(address: str) -> None:
    assert asyncio.run(attack(address, 150, seed=7)) == []
