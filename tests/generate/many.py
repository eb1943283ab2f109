"""A check of many generated games as a command: `python -m tests.laws`, `python -m tests.native`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from random import Random
from typing import Any

from gdl.diagnostics import GameError
from tests.generate.found import hold
from tests.generate.game import write_game


def check_many(name: str, check: Callable[[str], Any]) -> int:
    """Checks the games of `--count` seeds from `--start`; gives the exit status.

    Says the seed of each game that fails and where the smallest game that fails alike is kept.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {name}")
    parser.add_argument("--count", type=int, default=1000, metavar="N")
    parser.add_argument("--start", type=int, default=0, metavar="SEED")
    parser.add_argument("--no-faults", action="store_true", help="games that never break a rule of theirs")
    options = parser.parse_args()
    failed = 0
    for seed in range(options.start, options.start + options.count):
        try:
            hold(write_game(Random(seed), not options.no_faults), check)
        except (AssertionError, GameError) as error:
            failed += 1
            print(f"seed {seed}: {error}", flush=True)
    print(f"{options.count} games, {failed} fail")
    return 1 if failed else 0
