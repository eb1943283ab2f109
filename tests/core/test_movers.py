"""The codes that stand for who moves where it is no player: one meaning each, in every file."""

from __future__ import annotations

import re
from pathlib import Path

from gdl import game
from solvers.simulation.kernels.tree import DRAW

ROOT = Path(__file__).parents[2]


def test_codes_of_movers_are_distinct_and_no_players() -> None:
    codes = [game.CHANCE, game.TERMINAL, game.TOGETHER, DRAW]
    assert len(set(codes)) == len(codes) and max(codes) < 0


def test_kernels_write_the_codes_of_the_protocol() -> None:
    """numba takes constants from the file of the kernel, so they are written there again."""
    written = re.compile(r"^([A-Z_]+(?:, [A-Z_]+)*) = (-\d+(?:, -\d+)*)$", re.MULTILINE)
    found = 0
    for path in (ROOT / "solvers").rglob("*.py"):
        for names, values in written.findall(path.read_text(encoding="utf-8")):
            for name, value in zip(names.split(", "), values.split(", "), strict=True):
                if name in ("CHANCE", "TERMINAL", "TOGETHER"):
                    assert getattr(game, name) == int(value), f"{name} in {path}"
                    found += 1
    assert found, "they are imported from the protocol now: this test can go"
