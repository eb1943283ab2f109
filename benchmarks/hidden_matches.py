"""Battleships and whist: searches over what may be hidden, and a policy that was written for the game.

    nice python benchmarks/hidden_matches.py [battleships] [two_handed_whist] [whist] [--share S] [--seed N]

Every deal is played twice with the seats exchanged, and scores count a game that is won as 1, one that is
drawn as 1/2; all means come with 95 % intervals. `--share 0.1` plays a tenth of the games. Printed: the
rows of the tables in `docs/hidden.md`, and what each took.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, NamedTuple

import gdl


class Pairing(NamedTuple):
    game: str
    params: dict[str, int]
    one: str
    other: str
    games: int


WHIST = "ismcts(simulations=1000)", "pimc(worlds=10, simulations=500)"

PAIRINGS = [
    Pairing("battleships", {}, "ismcts(simulations=2000)", "probability_map", 400),
    Pairing("battleships", {}, "pimc(worlds=10)", "probability_map", 400),
    Pairing("two_handed_whist", {"suits": 3, "ranks": 6, "cards": 5}, *WHIST, 1000),
    Pairing("whist", {"suits": 3, "ranks": 4, "cards": 3}, *WHIST, 100),
]


def played(pairing: Pairing, share: float, seed: int) -> None:
    games = max(4, round(pairing.games * share / 2) * 2)
    game: Any = gdl.load(pairing.game, **pairing.params)
    cpu = time.process_time()
    match = gdl.match(game, pairing.one, pairing.other, games=games, seed=seed)
    seconds = time.process_time() - cpu
    print(f"{match}\n\n  {seconds:.0f} CPU s, {seconds / games:.2f} a game\n", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*", default=[])
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for pairing in PAIRINGS:
        if not given.games or pairing.game in given.games:
            played(pairing, given.share, given.seed)


if __name__ == "__main__":
    main()
