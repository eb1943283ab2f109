"""`python -m tests.lsp --edits 1000`: the long version of what test_server.py does a little of."""

from __future__ import annotations

import argparse
from pathlib import Path

from gdl.loading import games
from tests.lsp.random_edits import edit_at_random


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--edits", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--game", default="pig")
    chosen = options.parse_args()
    path: Path = games()[chosen.game]
    memory = edit_at_random(path, chosen.edits, chosen.seed)
    print(f"{chosen.edits} edits of {path.name}, seed {chosen.seed}: alive")
    print("memory in MB:", ", ".join(f"{kilobytes / 1024:.0f}" for kilobytes in memory))


if __name__ == "__main__":
    main()
